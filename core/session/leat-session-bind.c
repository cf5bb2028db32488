/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A program that brings its own memory, another one for each run if it likes.  A binding is noted at once; the next
 * launch brings all of them to the device together. */

#include "leat-session-bind-private.h"
#include "leat-session-state.h"

#include "leat-session-run-private.h"

/* Programs bind their ports in the same order for each run: the next one is likely to be meant. */
static inline guint
leat_session_get_turn (guint next, guint i, guint n)
{
  return next + i < n ? next + i : next + i - n;
}

/* NULL where none has that name and takes memory of the program's. */
static LeatSessionInput *
leat_session_peek_user_input (LeatSession *self, const char *name)
{
  guint n = self->ends.inputs->len;

  for (guint i = 0; i < n; i++)
    {
      guint at = leat_session_get_turn (self->bindings.next_input, i, n);
      LeatSessionInput *input = leat_session_get_input (self, at);

      if (!input->buffer->user || strcmp (input->name, name) != 0)
        continue;
      self->bindings.next_input = at + 1 < n ? at + 1 : 0;
      return input;
    }
  return NULL;
}

/* Likewise. */
static LeatSessionOutput *
leat_session_peek_user_output (LeatSession *self, const char *name)
{
  guint n = self->ends.outputs->len;

  for (guint i = 0; i < n; i++)
    {
      guint at = leat_session_get_turn (self->bindings.next_output, i, n);
      LeatSessionOutput *output = leat_session_get_output (self, at);

      if (!output->buffer->user || strcmp (output->name, name) != 0)
        continue;
      self->bindings.next_output = at + 1 < n ? at + 1 : 0;
      return output;
    }
  return NULL;
}

static void
leat_session_unhold (gpointer buffer)
{
  if (buffer == NULL)
    return;
  leat_device_buffer_unbind (buffer);
  g_object_unref (buffer);
}

/* @buffer: (nullable): bound already */
static void
leat_session_hold (LeatSession *self, guint slot, LeatDeviceBuffer *buffer)
{
  if (buffer == NULL && self->bindings.held == NULL)
    return;
  if (self->bindings.held == NULL)
    self->bindings.held = g_ptr_array_new_with_free_func (leat_session_unhold);
  if (slot >= self->bindings.held->len)
    g_ptr_array_set_size (self->bindings.held, (gint) slot + 1);
  leat_session_unhold (g_ptr_array_index (self->bindings.held, slot));
  g_ptr_array_index (self->bindings.held, slot) = buffer != NULL ? g_object_ref (buffer) : NULL;
}

/* @resident: (nullable): whose memory it is */
static gboolean
leat_session_bind_op (LeatSession *self, const LeatOp *op, const LeatBuffer *buffer, LeatBinding *binding,
                      LeatDeviceBuffer *resident, GError **error)
{
  if (!leat_session_check_binding (op, buffer, binding, error)
      || (resident != NULL ? !leat_device_buffer_bind (resident, error)
                           : !leat_session_locate_binding (self, op, binding, error)))
    return FALSE;
  /* Nobody has said how much of a resident buffer it is to be; what lies behind is free for others. */
  if (resident != NULL)
    binding->bytes = leat_session_get_bound_bytes (op, buffer, binding);
  leat_session_hold (self, buffer->slot, resident);
  for (guint i = 0; i < self->lanes->len; i++)
    leat_lane_bind (g_ptr_array_index (self->lanes, i), buffer->slot, binding);
  self->told.ledger.stats.bindings++;
  return TRUE;
}

static gboolean
leat_session_bind_one_input (LeatSession *self, const LeatPortMemory *memory, GError **error)
{
  LeatBinding binding = { .given = memory->address, .bytes = memory->bytes, .count = memory->count };
  LeatSessionInput *input = leat_session_peek_user_input (self, memory->name);

  if (G_UNLIKELY (input == NULL))
    return leat_session_refuse_port (self, self->ends.inputs, memory->name, "source", error);
  if (!leat_session_bind_op (self, input->op, input->buffer, &binding, NULL, error))
    return FALSE;
  input->generation++;
  return TRUE;
}

static gboolean
leat_session_bind_one_output (LeatSession *self, const LeatPortMemory *memory, GError **error)
{
  LeatBinding binding = { .given = memory->address, .bytes = memory->bytes };
  LeatSessionOutput *output = leat_session_peek_user_output (self, memory->name);

  if (G_UNLIKELY (output == NULL))
    return leat_session_refuse_port (self, self->ends.outputs, memory->name, "sink", error);
  return leat_session_bind_op (self, output->op, output->buffer, &binding, NULL, error);
}

/**
 * leat_session_bind_input:
 * @self: an open session that is not running
 * @name: an `app` node that is a source, with `memory=user`
 * @address: where the data begin: pinned host memory, or memory of the session's device; a multiple of 16
 * @bytes: how many bytes there are
 * @count: how many steps of the leading dimension are live; what the spec says where that is fixed
 * @error: return location for an error
 *
 * Says in which memory the next run, and those after it, find an input.
 *
 * The memory is used in place or copied from, as the plan says (see the property `mode` of `upload`).  Each call says
 * that there are other data: bind before every run whose data have changed, at the same address too.  The memory must
 * stay, and what it holds must not change, while a run is under way, and the memory must not be freed while it is
 * bound; it is free to go once other memory is bound or the session is closed.  The call asks the driver once for each
 * range of memory, and costs some ten nanoseconds after that; the next launch brings all new addresses to the device.
 * leat_session_bind_inputs () takes several inputs at once.
 *
 * Returns: whether it was bound; %LEAT_SESSION_ERROR_MEMORY for memory that the device cannot get at, that is too small
 *   or not aligned, and for a node whose memory is the session's; %LEAT_GRAPH_ERROR_RANGE for a count that the spec
 *   does not allow; else the errors of leat_session_map_input ()
 */
gboolean
leat_session_bind_input (LeatSession *self, const char *name, guint64 address, guint64 bytes, guint64 count,
                         GError **error)
{
  const LeatPortMemory memory = { name, address, bytes, count };
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  good = leat_session_bind_one_input (self, &memory, error);
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_bind_inputs:
 * @self: an open session that is not running
 * @memories: (array length=n_memories): the inputs and their memory
 * @n_memories: how many there are
 * @error: return location for an error
 *
 * Does what leat_session_bind_input () does for each of several inputs, and takes the session once for all of them.
 *
 * The names are looked for in the order in which they were found last: the same order in every run is the fastest.
 *
 * Returns: whether all were bound; after an error those before the one that it names are, and none behind it
 */
gboolean
leat_session_bind_inputs (LeatSession *self, const LeatPortMemory *memories, gsize n_memories, GError **error)
{
  gboolean good = TRUE;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (memories != NULL || n_memories == 0, FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  for (gsize i = 0; i < n_memories && good; i++)
    good = leat_session_bind_one_input (self, &memories[i], error);
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_bind_output:
 * @self: an open session that is not running
 * @name: an `app` node that is a sink, with `memory=user`
 * @address: where the results shall go: pinned host memory, or memory of the session's device; a multiple of 16
 * @bytes: how many bytes there is room for
 * @error: return location for an error
 *
 * Says into which memory the next run, and those after it, put an output.
 *
 * It must have room for all that the spec allows.  leat_session_map_output () tells after a run how much there is of a
 * bounded one.  The rules of leat_session_bind_input () for the memory hold here too; it must not overlap other memory
 * that is bound.
 *
 * Returns: whether it was bound; errors as leat_session_bind_input ()
 */
gboolean
leat_session_bind_output (LeatSession *self, const char *name, guint64 address, guint64 bytes, GError **error)
{
  const LeatPortMemory memory = { name, address, bytes, 0 };
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  good = leat_session_bind_one_output (self, &memory, error);
  leat_session_let_go (self);
  return good;
}

static gboolean
leat_session_place_buffer (LeatSession *self, const char *name, LeatDeviceBuffer *buffer, guint64 offset,
                           LeatBinding *binding, GError **error)
{
  guint64 bytes = leat_device_buffer_get_bytes (buffer);

  if (leat_device_buffer_get_device (buffer) != self->device)
    g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_DEVICE,
                 "app \"%s\": the buffer is on %s, the session on %s", name,
                 leat_device_get_id (leat_device_buffer_get_device (buffer)), leat_device_get_id (self->device));
  else if (offset > bytes)
    g_set_error (error, LEAT_DEVICE_BUFFER_ERROR, LEAT_DEVICE_BUFFER_ERROR_RANGE,
                 "app \"%s\": cannot begin at %" G_GUINT64_FORMAT " of a buffer of %" G_GUINT64_FORMAT " bytes", name,
                 offset, bytes);
  else if (leat_device_buffer_bind (buffer, error))
    {
      binding->given = leat_device_buffer_get_address (buffer) + leat_device_buffer_get_header (buffer) + offset;
      binding->address = binding->given;
      binding->bytes = bytes - offset;
      binding->on_device = TRUE;
      leat_device_buffer_unbind (buffer);
      return TRUE;
    }
  return FALSE;
}

/**
 * leat_session_bind_input_buffer:
 * @self: an open session that is not running
 * @name: an `app` node that is a source, with `memory=user`
 * @buffer: a buffer of the session's device
 * @offset: where in it the data begin, in bytes from the first item; a multiple of 16
 * @count: how many steps of the leading dimension are live; what the spec says where that is fixed
 * @error: return location for an error
 *
 * Says in which resident buffer the next run, and those after it, find an input: as leat_session_bind_input (), without
 * an address.
 *
 * The session has a reference on the buffer until something else is bound there or the session is closed, and the
 * buffer is not released before.  A transfer of it is refused while a run is under way, and a run waits for transfers
 * that other threads have under way.
 *
 * Returns: whether it was bound; %LEAT_DEVICE_BUFFER_ERROR_DEVICE, %LEAT_DEVICE_BUFFER_ERROR_RANGE or
 *   %LEAT_DEVICE_BUFFER_ERROR_RELEASED for a buffer that cannot be; else the errors of leat_session_bind_input ()
 */
gboolean
leat_session_bind_input_buffer (LeatSession *self, const char *name, LeatDeviceBuffer *buffer, guint64 offset,
                                guint64 count, GError **error)
{
  LeatBinding binding = { .count = count };
  LeatSessionInput *input;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL && LEAT_IS_DEVICE_BUFFER (buffer), FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  input = leat_session_peek_user_input (self, name);
  if (input == NULL)
    leat_session_refuse_port (self, self->ends.inputs, name, "source", error);
  good = input != NULL && leat_session_place_buffer (self, name, buffer, offset, &binding, error)
         && leat_session_bind_op (self, input->op, input->buffer, &binding, buffer, error);
  if (good)
    input->generation++;
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_bind_output_buffer:
 * @self: an open session that is not running
 * @name: an `app` node that is a sink, with `memory=user`
 * @buffer: a buffer of the session's device
 * @offset: where in it the results shall go, in bytes from the first item; a multiple of 16
 * @error: return location for an error
 *
 * Says into which resident buffer the next run, and those after it, put an output: as leat_session_bind_output (),
 * without an address.  The buffer is kept as leat_session_bind_input_buffer () says.
 *
 * Returns: whether it was bound; errors as leat_session_bind_input_buffer ()
 */
gboolean
leat_session_bind_output_buffer (LeatSession *self, const char *name, LeatDeviceBuffer *buffer, guint64 offset,
                                 GError **error)
{
  LeatBinding binding = { 0 };
  LeatSessionOutput *output;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL && LEAT_IS_DEVICE_BUFFER (buffer), FALSE);

  if (!leat_session_take_open (self, error))
    return FALSE;
  output = leat_session_peek_user_output (self, name);
  if (output == NULL)
    leat_session_refuse_port (self, self->ends.outputs, name, "sink", error);
  good = output != NULL && leat_session_place_buffer (self, name, buffer, offset, &binding, error)
         && leat_session_bind_op (self, output->op, output->buffer, &binding, buffer, error);
  leat_session_let_go (self);
  return good;
}
