/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "session/leat-session-private.h"

#include "device/leat-reserve-private.h"
#include "session/leat-session-run-private.h"

G_BEGIN_DECLS

/* Many runs in flight (leat-ring-middle.c), where that pays (leat-streaming-lanes.c). */
typedef struct
{
  guint n;    /* runs since run () began */
  guint next; /* to look */
  gint64 began_us;
  gint64 run_ns; /* that one took; 0 where several lanes were asked for */
  gint64 source_us, device_us, sink_us, waited_us;
  LeatReserve *reserve; /* several lanes would gain: their memory is being allocated */
} LeatLanesTrial;

gboolean leat_session_may_stream (LeatSession *self);
gboolean leat_session_should_stream (LeatSession *self, LeatLanesTrial *trial);
/* When no more runs are to come. */
void leat_session_end_trial (LeatLanesTrial *trial);
/* Many runs in each launch (leat-streaming-wide.c), where that was asked for and can be.  DATA where the plan may be
 * another one now. */
gboolean leat_session_should_widen (LeatSession *self);
LeatFlow leat_session_stream_wide (LeatSession *self, GCancellable *cancellable, GError **error);
/* As many lanes as are wanted and there is room for. */
gboolean leat_session_grow_lanes (LeatSession *self, GError **error);
/* @single_ns: what a run took with one lane.  DATA where it takes no less with several, and 0 where that is not asked.
 */
LeatFlow leat_session_stream (LeatSession *self, gint64 single_ns, GCancellable *cancellable, GError **error);
/* The bus is told; the only part of a run that allocates. */
void leat_session_post_progress (LeatSession *self);

G_END_DECLS
