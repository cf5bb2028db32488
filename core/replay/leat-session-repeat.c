/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

/* Many runs on one set of inputs, of which only the last gives results: all of them are put on the stream at once. */

GType
leat_readback_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_READBACK_FINAL, "LEAT_READBACK_FINAL", "final" },
                                       { LEAT_READBACK_EACH, "LEAT_READBACK_EACH", "each" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatReadback", values));
  return type;
}

/* The one that ends the stream is done once. */
guint64
leat_session_count_steps (LeatSession *self)
{
  return self->repeat > 1 && self->readback == LEAT_READBACK_FINAL && !self->flushed ? self->repeat - 1 : 0;
}

static void
leat_session_note_steps (LeatSession *self, LeatLane *lane, LeatPath path, guint64 n)
{
  self->stats.runs_silent += n;
  leat_session_note_kernel_transfers (self, lane, path, n);
}

/* @path: of the first run; becomes that of the last, which is left to the caller.  Where the inputs do not stay on the
 * device, each run brings them there. */
gboolean
leat_session_launch_steps (LeatSession *self, LeatSessionFlight *flight, guint64 n, LeatPath *path, GError **error)
{
  LeatLane *lane = flight->lane;
  const gboolean stays = self->reuse && self->plan->why_not_reusable == NULL;
  LeatPath first = *path == LEAT_PATH_RESIDENT ? LEAT_PATH_STEP : LEAT_PATH_FIRST;
  LeatPath others = stays ? LEAT_PATH_STEP : LEAT_PATH_FIRST;

  *path = stays ? LEAT_PATH_RESIDENT : LEAT_PATH_FULL;
  if (!leat_session_prepare_path (self, lane, first, error)
      || (n > 1 && !leat_session_prepare_path (self, lane, others, error))
      || !leat_session_prepare_path (self, lane, *path, error))
    return FALSE;
  if (first == others)
    {
      leat_session_note_steps (self, lane, others, n);
      return leat_lane_launch_repeated (lane, others, n, lane->stop, error);
    }
  leat_session_note_steps (self, lane, first, 1);
  leat_session_note_steps (self, lane, others, n - 1);
  return leat_lane_launch (lane, first, error) && leat_lane_launch_repeated (lane, others, n - 1, lane->stop, error);
}
