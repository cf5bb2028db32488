/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* How often a run is repeated, and an end to one that hangs.  The time-out of Meson kills a program without a word:
 * here what it was at is printed before it aborts. */

typedef struct
{
  GThread *thread;
  GMutex lock;
  GCond changed;
  const char *what;
  LeatSession *session;
  guint64 run;
  gint64 since_us;
  guint patience_ms; /* for one run; LEAT_TEST_PATIENCE in seconds */
  gboolean over;
} RepeatWatch;

/* Where it is the CPU, but for LEAT_TEST_REPEAT=N; and with LEAT_TEST_REPEAT=few on a GPU. */
gboolean repeat_is_short (void);
/* LEAT_TEST_REPEAT=watched: by a sanitizer, under which each run takes some hundred times as long. */
gboolean repeat_is_watched (void);
/* LEAT_TEST_REPEAT=N; 1 where it is watched; else @few where it is short, and @many. */
guint repeat_count (guint few, guint many);

/* @what and @session are to stay until the end. */
void repeat_watch_begin (RepeatWatch *self, const char *what, LeatSession *session);
/* Before each run. */
void repeat_watch_step (RepeatWatch *self);
void repeat_watch_end (RepeatWatch *self);

G_END_DECLS
