/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Executor: a run is handed to the persistent kernel, and is on no stream of the lane until it was waited for. */

#include "leat-executor-private.h"

#include "leat-persistent-private.h"

static gboolean
leat_executor_persistent_prepare (LeatLane *self, LeatPath path, GError **error)
{
  return TRUE;
}

static gboolean
leat_executor_persistent_launch (LeatLane *self, LeatPath path, GError **error)
{
  gboolean good = leat_persistent_ring (self->program->persistent, self, error);

  if (self->signalled != 0)
    self->running = &leat_executor_persistent;
  return good;
}

static gboolean
leat_executor_persistent_is_busy (LeatLane *self)
{
  return !leat_persistent_is_done (self->persistent, self);
}

/* What comes behind it is on the stream again. */
static gboolean
leat_executor_persistent_await (LeatLane *self, gint64 spin_us, GError **error)
{
  gboolean good = leat_persistent_wait (self->persistent, self, spin_us, error);

  if (self->signalled == 0)
    self->running = &leat_executor_eager;
  return good;
}

static gboolean
leat_executor_persistent_wait (LeatLane *self, LeatWait wait, GError **error)
{
  self->counts->work.waits++;
  leat_lane_note_seen (self);
  return leat_executor_persistent_await (self, leat_lane_get_spin_us (self, wait), error);
}

static gboolean
leat_executor_persistent_finish (LeatLane *self, GError **error)
{
  return leat_executor_persistent_await (self, 0, error);
}

static gboolean
leat_executor_persistent_drop (LeatLane *self, LeatPath path)
{
  return FALSE;
}

const LeatExecutorClass leat_executor_persistent = {
  .name = "persistent",
  .prepare = leat_executor_persistent_prepare,
  .launch = leat_executor_persistent_launch,
  .is_busy = leat_executor_persistent_is_busy,
  .wait = leat_executor_persistent_wait,
  .finish = leat_executor_persistent_finish,
  .drop = leat_executor_persistent_drop,
};
