/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

#define PACED_ITEMS 64 /* of u32, in each run */
#define PACED_AHEAD 16 /* runs that a source begins before the first of them is complete, at most */

/* A source or sink that takes its time, fails where it is told to, and can be called off.  The source gives the number
 * of the run in every item; the sink remembers what it got. */
typedef struct
{
  LeatEndpoint parent_instance;
  gint us;      /* a call takes; atomic */
  gint us_from; /* the call from which on it takes us_later; 0: none */
  gint us_later;
  gboolean busy; /* that long it works, and does not wait */
  gint n;        /* runs of a source, */
  gint ahead;    /* and how many it may have begun; what is begun is there after `us`, whatever else is */
  gint empty_at; /* which of those that were begun is not there yet when it is asked for, for as many times; -1: none */
  gint empties;
  gint fails_at;  /* of the calls from 0 on; -1: never */
  gboolean hangs; /* in that call, until it is called off */
  GArray *got;    /* guint32: the first item of each */
  gint calls;
  gint begun, completed, begun_most;
  gpointer lent[PACED_AHEAD]; /* for these */
  gint64 begun_us[PACED_AHEAD];
  gint unblocked;  /* atomic */
  GThread *thread; /* of all calls */
  gboolean mixed;  /* there were two */
} PacedNode;

/* (transfer full) */
PacedNode *paced_node_new (const char *name, gboolean source);

G_END_DECLS
