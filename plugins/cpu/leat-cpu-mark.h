/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "leat-cpu-state.h"

G_BEGIN_DECLS

/* A point in a stream's work that is reached once: what an event stands for after it was recorded.  Waiting holds on to
 * the mark, not to the event, so recording the event again changes nothing for those who wait already.
 * All functions want the lock. */
typedef struct _LeatCpuMark LeatCpuMark;

struct _LeatCpuMark
{
  guint refs;
  gboolean done;
  gint64 time_ns;
  LeatCpuStream *stream; /* where it will be reached; a reference until it is */
  LeatCpuMark *next_free;
};

LeatCpuMark *leat_cpu_mark_new (LeatCpuStream *stream);
LeatCpuMark *leat_cpu_mark_ref (LeatCpuMark *mark);
void leat_cpu_mark_unref (LeatCpuMark *mark);
void leat_cpu_mark_reach (LeatCpuMark *mark);
/* Runs the stream's work itself where no thread does yet. */
void leat_cpu_mark_wait (LeatCpuMark *mark);

G_END_DECLS
