/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calls a node's own code with the lane's stream, and answers what that code asks.  Touches nothing of the lane; the
 * callback puts work on the stream. */

#include "leat-foreign-stream-private.h"

#include "driver/leat-driver-watch-private.h"
#include "leat-session-error.h"

/**
 * leat_foreign_get_stream: (skip)
 * @self: what the callback was given
 *
 * Gets the stream that the work goes on.
 *
 * Returns: a `CUstream`, which is a `cudaStream_t` too
 */
gpointer
leat_foreign_get_stream (LeatForeign *self)
{
  return leat_stream_get (self->lane->stream);
}

/**
 * leat_foreign_get_context: (skip)
 * @self: what the callback was given
 *
 * Gets the context of the device, the primary one; it is current.
 *
 * Returns: a `CUcontext`
 */
gpointer
leat_foreign_get_context (LeatForeign *self)
{
  return leat_device_get_context (self->lane->program->device);
}

/**
 * leat_foreign_get_items: (skip)
 * @self: what the callback was given
 * @buffer: a buffer that the work was said to read or write
 *
 * Gets where the first item of a buffer is.
 *
 * Returns: an address on the device, the same while the session is open
 */
guint64
leat_foreign_get_items (LeatForeign *self, LeatBufferId buffer)
{
  const LeatBuffer *it = leat_plan_get_buffer (self->lane->plan, buffer);

  return self->lane->addresses[buffer] + (it->header ? LEAT_BUFFER_HEADER : 0);
}

/**
 * leat_foreign_get_count: (skip)
 * @self: what the callback was given
 * @buffer: a buffer that the work was said to read or write
 *
 * Gets where the count of live items is, a `uint64_t`.  The host does not know what it is.
 *
 * Returns: an address on the device, or 0 where the buffer's spec is not bounded
 */
guint64
leat_foreign_get_count (LeatForeign *self, LeatBufferId buffer)
{
  return leat_plan_get_buffer (self->lane->plan, buffer)->header ? self->lane->addresses[buffer] : 0;
}

/**
 * leat_foreign_is_capturing: (skip)
 * @self: what the callback was given
 *
 * Tells whether the work is written down for later, and not done now.
 *
 * Returns: %TRUE while the stream is captured
 */
gboolean
leat_foreign_is_capturing (LeatForeign *self)
{
  return self->capturing;
}

/**
 * leat_foreign_dup_arg: (skip)
 * @self: what the callback was given
 * @name: an argument of the node
 *
 * Gets the value of an argument of the node, which any thread may set while the session is open.  After that the work
 * is captured anew.
 *
 * Returns: (transfer full) (nullable): the value; %NULL where it is not set
 */
GVariant *
leat_foreign_dup_arg (LeatForeign *self, const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);
  return leat_node_dup_arg (self->op->node, name);
}

/**
 * leat_foreign_find_call: (skip)
 * @self: what the callback was given
 * @name: a function of the driver API, such as "cuMemcpyDtoDAsync"
 *
 * Finds a function of the driver that the device belongs to, at the version that Leat itself uses.
 *
 * While work is captured, calls through it are looked at, so that a call which a capture forbids can be named.  It may
 * be kept for later calls.
 *
 * Returns: (nullable): the function; %NULL where the driver has none of that name
 */
gpointer
leat_foreign_find_call (LeatForeign *self, const char *name)
{
  g_return_val_if_fail (name != NULL, NULL);
  return leat_driver_find_watched (leat_device_get_driver (self->lane->program->device), name);
}

/**
 * leat_foreign_check: (skip)
 * @self: what the callback was given
 * @call: what was called, for the message
 * @result: what it returned, a `CUresult`
 * @error: return location for an error
 *
 * Turns a driver's result into an error.
 *
 * Returns: whether @result is `CUDA_SUCCESS`
 */
gboolean
leat_foreign_check (LeatForeign *self, const char *call, int result, GError **error)
{
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->lane->program->device, error, call, (CUresult) result, "%s", self->op->name);
}

gboolean
leat_lane_call_foreign (LeatLane *self, const LeatOp *op, gboolean capturing, GError **error)
{
  LeatForeign foreign = { self, op, capturing };
  GError *inner = NULL;
  gboolean good = (*op->func) (&foreign, op->user_data, &inner);

  if (good && inner == NULL)
    return TRUE;
  if (inner == NULL)
    inner = g_error_new (LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED, "%s failed, and did not say why", op->name);
  g_propagate_error (error, inner);
  return FALSE;
}
