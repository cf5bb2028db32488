/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* For tests: with LEAT_POISON=1 all that a run is to write holds a pattern before it, so that what was not written
 * shows as such and not as what the run before has left there.  Data that are kept from run to run are left alone:
 * state, counters of kernels, inputs, and uploads that the run leaves out because they are there already. */

#include "leat-lane-private.h"

#define LEAT_POISON_VARIABLE "LEAT_POISON"
#define LEAT_POISON_BYTE     0xa5

gboolean
leat_poison_is_asked (void)
{
  static gsize asked = 0;

  if (g_once_init_enter (&asked))
    g_once_init_leave (&asked, g_strcmp0 (g_getenv (LEAT_POISON_VARIABLE), "1") == 0 ? 1 : 2);
  return asked == 1;
}

/* Into @sources, by buffer id: a source writes it. */
static void
leat_poison_list_sources (LeatPlan *plan, gboolean *sources)
{
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      for (guint t = 0; op->kind == LEAT_OP_SOURCE && t < op->n_touches; t++)
        sources[leat_plan_follow_memory (plan, op->touches[t].buffer)] = TRUE;
    }
  for (guint i = 0; i < plan->buffers->len; i++)
    if (sources[leat_plan_follow_memory (plan, i)])
      sources[leat_plan_get_root (plan, i)->id] = TRUE;
}

/* A buffer that no op touches has no place of its own.  One without a spec is Leat's own: on the host a loop's report,
 * which goes on. */
static gboolean
leat_poison_is_for (const LeatBuffer *buffer, LeatPath path, const gboolean *sources)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);

  if (bound->first_op == G_MAXUINT)
    return FALSE;
  if (bound->place == LEAT_PLACE_ARENA)
    return !bound->kept || (path != LEAT_PATH_REUSED && path != LEAT_PATH_STEP);
  return bound->place == LEAT_PLACE_STAGING && buffer->spec != NULL && !sources[buffer->id];
}

/* Lanes of one launch lie one behind the other. */
static guint64
leat_poison_get_bytes (const LeatLane *lane, const LeatBuffer *buffer)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  guint lanes = bound->place == LEAT_PLACE_ARENA ? bound->n_entries : lane->live;

  return bound->stride > 0 && lanes > 1 ? (lanes - 1) * bound->stride + buffer->bytes : buffer->bytes;
}

/* Nothing of the lane is under way, so that what the host can see it may write. */
static CUresult
leat_poison_fill (LeatLane *lane, const LeatBuffer *buffer)
{
  guint64 bytes = leat_poison_get_bytes (lane, buffer);
  CUdeviceptr address = lane->addresses[buffer->id];
  void *host = lane->on_host ? (void *) (guintptr) address : lane->hosts[buffer->id];

  if (host == NULL && address != 0)
    return (*lane->table->cuMemsetD8Async) (address, LEAT_POISON_BYTE, bytes, leat_stream_get (lane->stream));
  if (host != NULL)
    memset (host, LEAT_POISON_BYTE, bytes);
  return CUDA_SUCCESS;
}

/* A persistent kernel is on another stream. */
static gboolean
leat_poison_end (LeatLane *lane, CUresult result, GError **error)
{
  if (result == CUDA_SUCCESS && !lane->on_host && lane->program->persistent != NULL)
    return leat_stream_synchronize (lane->stream, error);
  return result == CUDA_SUCCESS
         || leat_device_set_error (lane->program->device, error, "cuMemsetD8Async", result, LEAT_POISON_VARIABLE);
}

static gboolean
leat_poison_fill_all (LeatLane *lane, LeatPath path, GError **error)
{
  gboolean *sources = g_newa0 (gboolean, lane->plan->buffers->len + 1); // on the stack, as a run allocates nothing
  CUresult result = CUDA_SUCCESS;

  if (!lane->on_host && !leat_device_push (lane->program->device, error))
    return FALSE;
  leat_poison_list_sources (lane->plan, sources);
  for (guint i = 0; i < lane->plan->buffers->len && result == CUDA_SUCCESS; i++)
    if (leat_poison_is_for (leat_plan_get_buffer (lane->plan, i), path, sources))
      result = leat_poison_fill (lane, leat_plan_get_buffer (lane->plan, i));
  if (!lane->on_host)
    leat_device_pop (lane->program->device);
  return leat_poison_end (lane, result, error);
}

/* No run's own: what the driver is called for here is in no count of them. */
gboolean
leat_lane_poison (LeatLane *self, LeatPath path, GError **error)
{
  gboolean good;

  if (G_UNLIKELY (LEAT_BOUND_PLAN (self->plan)->traits.guarded) && !leat_lane_guard (self, error))
    return FALSE;
  if (G_LIKELY (!leat_poison_is_asked ()))
    return TRUE;
  leat_driver_trace_begin_aside ();
  good = leat_poison_fill_all (self, path, error);
  leat_driver_trace_end_aside ();
  return good;
}
