/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The states of a session, for the application.  Each is lent as a resident buffer, so all that can be done with those
 * can be done with states. */

#include "leat-states-private.h"

#include "graph/leat-graph-error-private.h"
#include "graph/leat-node-private.h"
#include "graph/leat-port-private.h"

#include <string.h>
#include <xxhash.h>

/* The buffer that the session itself writes in the run that ends the stream is no state. */
static gboolean
leat_buffer_is_state (const LeatBuffer *buffer)
{
  return buffer->kind == LEAT_BUFFER_STATE && !buffer->tells_flush;
}

GArray *
leat_states_list (LeatStates *self)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (LeatBufferId));

  for (LeatBufferId id = 0; id < self->plan->buffers->len; id++)
    if (leat_buffer_is_state (leat_plan_get_buffer (self->plan, id)))
      g_array_append_val (ids, id);
  return ids;
}

static LeatLane *
leat_states_get_lane (LeatStates *self, guint lane)
{
  return g_ptr_array_index (self->lanes, lane);
}

static void
leat_states_release_block (gpointer block)
{
  leat_block_unref (block);
}

/* Where the program has it, its transfers are those of the same buffer. */
LeatDeviceBuffer *
leat_states_borrow (LeatStates *self, guint lane, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  LeatBlock *block = g_ptr_array_index (leat_states_get_lane (self, lane)->blocks, id);

  for (guint i = 0; i < self->lent->len; i++)
    if (leat_device_buffer_is_lent_from (g_ptr_array_index (self->lent, i), block))
      return g_object_ref (g_ptr_array_index (self->lent, i));
  return leat_device_buffer_new_lent (leat_states_get_lane (self, lane)->program->device, buffer->spec,
                                      buffer->header ? LEAT_BUFFER_HEADER : 0, block->memory, leat_block_ref (block),
                                      leat_states_release_block);
}

/* From here on it is the program's too. */
LeatDeviceBuffer *
leat_states_lend (LeatStates *self, LeatBufferId id)
{
  LeatDeviceBuffer *lent = leat_states_borrow (self, 0, id);

  if (!g_ptr_array_find (self->lent, lent, NULL))
    g_ptr_array_add (self->lent, g_object_ref (lent));
  self->given = TRUE;
  return lent;
}

static gboolean
leat_states_still_has (LeatStates *self, LeatDeviceBuffer *lent)
{
  const LeatLane *lane = self->lanes->len > 0 ? g_ptr_array_index (self->lanes, 0) : NULL;

  for (guint i = 0; lane != NULL && i < lane->blocks->len; i++)
    if (g_ptr_array_index (lane->blocks, i) != NULL
        && leat_device_buffer_is_lent_from (lent, g_ptr_array_index (lane->blocks, i)))
      return TRUE;
  return FALSE;
}

void
leat_states_call_in (LeatStates *self)
{
  for (guint i = self->lent->len; i > 0; i--)
    if (!leat_states_still_has (self, g_ptr_array_index (self->lent, i - 1)))
      {
        leat_device_buffer_call_in (g_ptr_array_index (self->lent, i - 1));
        g_ptr_array_remove_index (self->lent, i - 1);
      }
}

/* The name of a buffer, or of the node that has one. */
gboolean
leat_states_find (LeatStates *self, const char *name, LeatBufferId *id, GError **error)
{
  g_autoptr (GArray) ids = leat_states_list (self);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *port = g_strconcat (name, ".out", NULL), *hint = NULL;

  for (guint i = 0; i < ids->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i));

      *id = buffer->id;
      if (g_str_equal (buffer->name, name) || g_str_equal (buffer->name, port))
        return TRUE;
      g_ptr_array_add (names, buffer->name);
    }
  g_ptr_array_add (names, NULL);
  hint = leat_graph_error_hint (name, (const char *const *) names->pdata, "states");
  g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_UNKNOWN_NAME, "there is no state \"%s\"%s", name, hint);
  return FALSE;
}

void
leat_states_init (LeatStates *self)
{
  self->lent = g_ptr_array_new_with_free_func (g_object_unref);
  self->entered = g_ptr_array_new ();
  self->away = leat_states_away_new ();
}

void
leat_states_clear (LeatStates *self)
{
  g_ptr_array_unref (self->lent);
  g_ptr_array_unref (self->entered);
  g_ptr_array_unref (self->away);
}

/* In the steady state nothing is allocated here. */
static gboolean
leat_states_enter_all (LeatStates *self, GPtrArray *buffers, GError **error)
{
  for (guint i = 0; buffers != NULL && i < buffers->len; i++)
    {
      LeatDeviceBuffer *buffer = g_ptr_array_index (buffers, i);

      if (buffer == NULL)
        continue;
      if (!leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_RUN, error))
        return FALSE;
      g_ptr_array_add (self->entered, g_object_ref (buffer));
    }
  return TRUE;
}

gboolean
leat_states_enter_buffers (LeatStates *self, GPtrArray *held, GError **error)
{
  if (G_LIKELY (self->lent->len == 0 && held == NULL))
    return TRUE;
  if (leat_states_enter_all (self, self->lent, error) && leat_states_enter_all (self, held, error))
    return TRUE;
  leat_states_leave_buffers (self);
  return FALSE;
}

void
leat_states_leave_buffers (LeatStates *self)
{
  for (guint i = 0; i < self->entered->len; i++)
    {
      leat_device_buffer_leave (g_ptr_array_index (self->entered, i), LEAT_BUFFER_USE_RUN);
      g_object_unref (g_ptr_array_index (self->entered, i));
    }
  g_ptr_array_set_size (self->entered, 0);
}

/* Nodes and links, but not what their properties are: a pipeline may go on with another rate or file. */
guint64
leat_plan_hash_nodes (const LeatPlan *self)
{
  XXH3_state_t *state = XXH3_createState ();
  guint64 hash;

  XXH3_64bits_reset (state);
  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (self->nodes, i);
      GPtrArray *ports = leat_node_get_ports (node);

      XXH3_64bits_update (state, leat_node_get_id (node), strlen (leat_node_get_id (node)) + 1);
      XXH3_64bits_update (state, leat_node_get_name (node), strlen (leat_node_get_name (node)) + 1);
      for (guint p = 0; p < ports->len; p++)
        {
          LeatPort *port = g_ptr_array_index (ports, p);
          LeatPort *peer = leat_port_get_direction (port) == LEAT_PORT_INPUT ? leat_port_get_peer (port) : NULL;
          g_autofree char *from = peer != NULL ? leat_port_dup_path (peer) : g_strdup ("");

          XXH3_64bits_update (state, leat_port_get_name (port), strlen (leat_port_get_name (port)) + 1);
          XXH3_64bits_update (state, from, strlen (from) + 1);
        }
    }
  hash = XXH3_64bits_digest (state);
  XXH3_freeState (state);
  return hash;
}
