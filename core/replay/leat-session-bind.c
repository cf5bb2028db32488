/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include "graph/leat-graph-error.h"

/* A program that brings its own memory, another one for each run if it likes.  A binding is noted at once; the next
 * launch brings all of them to the device together. */

#define LEAT_BIND_ALIGNMENT 16 /* of the widest loads */

static const char *
leat_session_get_bind_name (const LeatOp *op)
{
  return op->kind == LEAT_OP_SOURCE ? "leat_session_bind_input ()" : "leat_session_bind_output ()";
}

static gboolean leat_session_refuse_binding (const LeatOp *op, GError **error, const char *format, ...)
  G_GNUC_PRINTF (3, 4);

static gboolean
leat_session_refuse_binding (const LeatOp *op, GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY, "app \"%s\": %s", leat_node_get_name (op->node),
               text);
  return FALSE;
}

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
  guint n = self->inputs->len;

  for (guint i = 0; i < n; i++)
    {
      guint at = leat_session_get_turn (self->next_input, i, n);
      LeatSessionInput *input = leat_session_get_input (self, at);

      if (!input->buffer->user || strcmp (input->name, name) != 0)
        continue;
      self->next_input = at + 1 < n ? at + 1 : 0;
      return input;
    }
  return NULL;
}

/* Likewise. */
static LeatSessionOutput *
leat_session_peek_user_output (LeatSession *self, const char *name)
{
  guint n = self->outputs->len;

  for (guint i = 0; i < n; i++)
    {
      guint at = leat_session_get_turn (self->next_output, i, n);
      LeatSessionOutput *output = leat_session_get_output (self, at);

      if (!output->buffer->user || strcmp (output->name, name) != 0)
        continue;
      self->next_output = at + 1 < n ? at + 1 : 0;
      return output;
    }
  return NULL;
}

/* There is no such port, or the memory is not the program's. @kind: "source" or "sink" */
static gboolean
leat_session_refuse_port (LeatSession *self, GArray *entries, const char *name, const char *kind, GError **error)
{
  /* Structures that begin with their op. */
  LeatOp *const *entry = leat_session_find_app (self, entries, name, kind, error);

  return entry != NULL
         && leat_session_refuse_binding (*entry, error,
                                         "its memory is the session's; set memory=user before it is opened");
}

static gboolean
leat_session_refuse_address (const LeatOp *op, guint64 address, GError **error)
{
  if (address == 0)
    return leat_session_refuse_binding (op, error, "there is no memory at address 0");
  return leat_session_refuse_binding (
    op, error, "0x%" G_GINT64_MODIFIER "x is no multiple of %u, as the address of memory for kernels must be", address,
    LEAT_BIND_ALIGNMENT);
}

static gboolean
leat_session_refuse_bytes (const LeatOp *op, LeatSpec *spec, guint64 bytes, guint64 needed, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  return leat_session_refuse_binding (
    op, error, "%" G_GUINT64_FORMAT " bytes were bound, and %s takes %" G_GUINT64_FORMAT, bytes, text, needed);
}

static gboolean
leat_session_check_binding (const LeatOp *op, const LeatBuffer *buffer, const LeatBinding *binding, GError **error)
{
  guint64 needed = buffer->bytes - (buffer->header ? LEAT_BUFFER_HEADER : 0);

  if (op->kind == LEAT_OP_SOURCE)
    {
      if (!leat_session_check_count (leat_node_get_name (op->node), buffer->spec, binding->count, error))
        return FALSE;
      if (buffer->header)
        needed = binding->count * leat_spec_get_row_bytes (buffer->spec);
    }
  if (G_UNLIKELY (binding->given == 0 || binding->given % LEAT_BIND_ALIGNMENT != 0))
    return leat_session_refuse_address (op, binding->given, error);
  return binding->bytes >= needed || leat_session_refuse_bytes (op, buffer->spec, binding->bytes, needed, error);
}

static gboolean
leat_session_refuse_range (const LeatOp *op, const LeatBinding *binding, const LeatAddressRange *range, GError **error)
{
  if (range == NULL)
    g_prefix_error (error, "app \"%s\": ", leat_node_get_name (op->node));
  else
    leat_session_refuse_binding (op, error,
                                 "%" G_GUINT64_FORMAT " bytes were bound at 0x%" G_GINT64_MODIFIER
                                 "x, and the memory there ends after %" G_GUINT64_FORMAT,
                                 binding->bytes, binding->given, range->end - binding->given);
  return FALSE;
}

static gboolean
leat_session_locate_binding (LeatSession *self, const LeatOp *op, LeatBinding *binding, GError **error)
{
  const LeatAddressRange *range;

  if (G_UNLIKELY (self->address_map == NULL))
    self->address_map = leat_address_map_new (self->device);
  range = leat_address_map_find (self->address_map, binding->given, error);
  if (G_UNLIKELY (range == NULL || binding->bytes > range->end - binding->given))
    return leat_session_refuse_range (op, binding, range, error);
  binding->address = binding->given + range->shift;
  binding->on_device = range->on_device;
  return TRUE;
}

static gboolean
leat_session_bind_op (LeatSession *self, const LeatOp *op, const LeatBuffer *buffer, LeatBinding *binding,
                      GError **error)
{
  if (!leat_session_check_binding (op, buffer, binding, error)
      || !leat_session_locate_binding (self, op, binding, error))
    return FALSE;
  for (guint i = 0; i < self->lanes->len; i++)
    leat_lane_bind (g_ptr_array_index (self->lanes, i), buffer->slot, binding);
  self->stats.bindings++;
  return TRUE;
}

static gboolean
leat_session_bind_one_input (LeatSession *self, const LeatPortMemory *memory, GError **error)
{
  LeatBinding binding = { .given = memory->address, .bytes = memory->bytes, .count = memory->count };
  LeatSessionInput *input = leat_session_peek_user_input (self, memory->name);

  if (G_UNLIKELY (input == NULL))
    return leat_session_refuse_port (self, self->inputs, memory->name, "source", error);
  if (!leat_session_bind_op (self, input->op, input->buffer, &binding, error))
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
    return leat_session_refuse_port (self, self->outputs, memory->name, "sink", error);
  return leat_session_bind_op (self, output->op, output->buffer, &binding, error);
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
 * bounded one.  What is said of the memory for leat_session_bind_input () holds here too; it must not overlap other
 * memory that is bound.
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

/* The op of the endpoint that has a slot. */
static const LeatOp *
leat_session_find_slot (LeatSession *self, guint slot)
{
  LeatBufferId id = g_array_index (self->plan->users, LeatBufferId, slot);
  guint i = 0;

  while (i < self->inputs->len && leat_session_get_input (self, i)->op->touches[0].buffer != id)
    i++;
  if (i < self->inputs->len)
    return leat_session_get_input (self, i)->op;
  for (i = 0; leat_session_get_output (self, i)->op->touches[0].buffer != id;)
    i++;
  return leat_session_get_output (self, i)->op;
}

static gboolean
leat_session_check_bound (LeatSession *self, const LeatLane *lane, GError **error)
{
  guint slot = 0;
  const LeatOp *op;

  while (slot < self->plan->users->len && lane->bindings[slot].given != 0)
    slot++;
  if (slot == self->plan->users->len)
    return TRUE;
  op = leat_session_find_slot (self, slot);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNBOUND,
               "app \"%s\" has no memory: it has memory=user, so call %s before a run", leat_node_get_name (op->node),
               leat_session_get_bind_name (op));
  return FALSE;
}

/* Results would come while others are still reading, or would be mixed. */
static gboolean
leat_session_check_apart (LeatSession *self, const LeatLane *lane, const LeatOp *op, GError **error)
{
  guint slot = leat_plan_get_buffer (self->plan, op->touches[0].buffer)->slot;
  const LeatBinding *mine = &lane->bindings[slot];

  for (guint i = 0; i < self->plan->users->len; i++)
    {
      const LeatBinding *other = &lane->bindings[i];
      LeatBufferId id = g_array_index (self->plan->users, LeatBufferId, i);

      if (i != slot && mine->given < other->given + other->bytes && other->given < mine->given + mine->bytes)
        return leat_session_refuse_binding (op, error, "its memory overlaps that of %s",
                                            leat_plan_get_buffer (self->plan, id)->name);
    }
  return TRUE;
}

/* Before a run, and before any source gives its data. */
gboolean
leat_session_check_bindings (LeatSession *self, GError **error)
{
  LeatLane *lane = g_ptr_array_index (self->lanes, 0);

  if (self->plan->users->len == 0 || (lane->checked == lane->bound && lane->bound > 0))
    return TRUE;
  if (!leat_session_check_bound (self, lane, error))
    return FALSE;
  for (guint i = 0; i < self->outputs->len; i++)
    {
      const LeatOp *op = leat_session_get_output (self, i)->op;

      if (leat_plan_get_buffer (self->plan, op->touches[0].buffer)->user
          && !leat_session_check_apart (self, lane, op, error))
        return FALSE;
    }
  lane->checked = lane->bound;
  return TRUE;
}
