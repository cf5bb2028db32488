/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which memory an application may hand over as its own, and why other memory is refused. */

#include "leat-session-bind-private.h"

#include "leat-session-run-private.h"

#define LEAT_BIND_ALIGNMENT 16 /* of the widest loads */

static const char *
leat_session_get_bind_name (const LeatOp *op)
{
  return op->kind == LEAT_OP_SOURCE ? "leat_session_bind_input ()" : "leat_session_bind_output ()";
}

G_GNUC_PRINTF (3, 4)
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

/* There is no such port, or the memory is not the program's. @kind: "source" or "sink" */
gboolean
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

guint64
leat_session_get_bound_bytes (const LeatOp *op, const LeatBuffer *buffer, const LeatBinding *binding)
{
  if (op->kind == LEAT_OP_SOURCE && buffer->header)
    return binding->count * leat_spec_get_row_bytes (buffer->spec);
  return buffer->bytes - (buffer->header ? LEAT_BUFFER_HEADER : 0);
}

gboolean
leat_session_check_binding (const LeatOp *op, const LeatBuffer *buffer, const LeatBinding *binding, GError **error)
{
  guint64 needed = leat_session_get_bound_bytes (op, buffer, binding);

  if (op->kind == LEAT_OP_SOURCE
      && !leat_session_check_count (leat_node_get_name (op->node), buffer->spec, binding->count, error))
    return FALSE;
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

gboolean
leat_session_locate_binding (LeatSession *self, const LeatOp *op, LeatBinding *binding, GError **error)
{
  const LeatAddressRange *range;

  if (G_UNLIKELY (self->bindings.address_map == NULL))
    self->bindings.address_map = leat_address_map_new (self->device);
  range = leat_address_map_find (self->bindings.address_map, binding->given, error);
  if (G_UNLIKELY (range == NULL || binding->bytes > range->end - binding->given))
    return leat_session_refuse_range (op, binding, range, error);
  binding->address = binding->given + range->shift;
  binding->on_device = range->on_device;
  return TRUE;
}

/* The op of the endpoint that has a slot. */
static const LeatOp *
leat_flight_find_slot (const LeatFlight *flight, guint slot)
{
  LeatBufferId id = g_array_index (flight->lane->plan->users, LeatBufferId, slot);
  guint i = 0;

  while (i < flight->n_inputs && flight->inputs[i].op->touches[0].buffer != id)
    i++;
  if (i < flight->n_inputs)
    return flight->inputs[i].op;
  for (i = 0; flight->outputs[i].op->touches[0].buffer != id;)
    i++;
  return flight->outputs[i].op;
}

static gboolean
leat_flight_check_bound (const LeatFlight *flight, GError **error)
{
  const LeatLane *lane = flight->lane;
  guint slot = 0;
  const LeatOp *op;

  while (slot < lane->plan->users->len && lane->bindings[slot].given != 0)
    slot++;
  if (slot == lane->plan->users->len)
    return TRUE;
  op = leat_flight_find_slot (flight, slot);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNBOUND,
               "app \"%s\" has no memory: it has memory=user, so call %s before a run", leat_node_get_name (op->node),
               leat_session_get_bind_name (op));
  return FALSE;
}

/* Results would come while others are still reading, or would be mixed. */
static gboolean
leat_lane_check_apart (const LeatLane *lane, const LeatOp *op, GError **error)
{
  guint slot = leat_plan_get_buffer (lane->plan, op->touches[0].buffer)->slot;
  const LeatBinding *mine = &lane->bindings[slot];

  for (guint i = 0; i < lane->plan->users->len; i++)
    {
      const LeatBinding *other = &lane->bindings[i];
      LeatBufferId id = g_array_index (lane->plan->users, LeatBufferId, i);

      if (i != slot && mine->given < other->given + other->bytes && other->given < mine->given + mine->bytes)
        return leat_session_refuse_binding (op, error, "its memory overlaps that of %s",
                                            leat_plan_get_buffer (lane->plan, id)->name);
    }
  return TRUE;
}

/* Before a run, and before any source gives its data. */
gboolean
leat_flight_check_bindings (LeatFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;

  if (lane->plan->users->len == 0 || (lane->checked == lane->bound && lane->bound > 0))
    return TRUE;
  if (!leat_flight_check_bound (flight, error))
    return FALSE;
  for (guint i = 0; i < flight->n_outputs; i++)
    {
      const LeatOp *op = flight->outputs[i].op;

      if (leat_plan_get_buffer (lane->plan, op->touches[0].buffer)->user && !leat_lane_check_apart (lane, op, error))
        return FALSE;
    }
  lane->checked = lane->bound;
  return TRUE;
}
