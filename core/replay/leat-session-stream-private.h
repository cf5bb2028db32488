/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

#include "device/leat-reserve-private.h"

G_BEGIN_DECLS

/* Many runs in flight (leat-session-ring.c), where that pays (leat-session-lanes.c). */
typedef struct
{
  guint n;    /* runs since run () began */
  guint next; /* to look */
  gint64 began_us;
  gint64 run_ns; /* that one took; 0 where several lanes were asked for */
  gint64 source_us, device_us, sink_us, waited_us;
  LeatReserve *reserve; /* several lanes would gain: their memory is being allocated */
} LeatLanesTrial;

/* A thread's times and waits when it went into a source or sink. */
typedef struct
{
  gint64 begin_us, busy_us;
  glong n_waits;
} LeatWatch;

void leat_session_begin_watch (LeatSession *self, LeatWatch *watch);
void leat_session_end_watch (LeatSession *self, const LeatWatch *watch);

gboolean leat_session_may_stream (LeatSession *self);
gboolean leat_session_should_stream (LeatSession *self, LeatLanesTrial *trial);
/* When no more runs are to come. */
void leat_session_end_trial (LeatLanesTrial *trial);
/* Many runs in each launch (leat-session-wide.c), where that was asked for and can be.  DATA where the plan may be
 * another one now. */
gboolean leat_session_should_widen (LeatSession *self);
LeatFlow leat_session_stream_wide (LeatSession *self, GCancellable *cancellable, GError **error);
/* As many lanes as are wanted and there is room for. */
gboolean leat_session_grow_lanes (LeatSession *self, GError **error);
/* @single_ns: what a run took with one lane.  DATA where it takes no less with several, and 0 where that is not asked.
 */
LeatFlow leat_session_stream (LeatSession *self, gint64 single_ns, GCancellable *cancellable, GError **error);
void leat_session_unblock (LeatSession *self, gboolean sources, gboolean sinks);
/* Calls off who waits in a source or a sink when it is cancelled, until it is disconnected; 0 without one. */
gulong leat_session_watch (LeatSession *self, GCancellable *cancellable);

G_END_DECLS
