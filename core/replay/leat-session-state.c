/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The states of a session, for the application.  Each is lent as a resident buffer, so all that can be done with those
 * can be done with states. */

#include "leat-session-state-private.h"

#include "buffer/leat-transfer-private.h"
#include "graph/leat-graph-error-private.h"
#include "graph/leat-node-private.h"
#include "graph/leat-port-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"

#include <string.h>
#include <xxhash.h>

/**
 * leat_state_error_quark:
 *
 * Gets the domain of #LeatStateError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-state-error-quark, leat_state_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes. */
GType
leat_state_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_STATE_ERROR_IO, "LEAT_STATE_ERROR_IO", "io" },
                                       { LEAT_STATE_ERROR_FORMAT, "LEAT_STATE_ERROR_FORMAT", "format" },
                                       { LEAT_STATE_ERROR_VERSION, "LEAT_STATE_ERROR_VERSION", "version" },
                                       { LEAT_STATE_ERROR_TRUNCATED, "LEAT_STATE_ERROR_TRUNCATED", "truncated" },
                                       { LEAT_STATE_ERROR_DAMAGED, "LEAT_STATE_ERROR_DAMAGED", "damaged" },
                                       { LEAT_STATE_ERROR_PIPELINE, "LEAT_STATE_ERROR_PIPELINE", "pipeline" },
                                       { LEAT_STATE_ERROR_UNKNOWN_NAME, "LEAT_STATE_ERROR_UNKNOWN_NAME",
                                         "unknown-name" },
                                       { LEAT_STATE_ERROR_LANES, "LEAT_STATE_ERROR_LANES", "lanes" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatStateError", values));
  return type;
}

/* The buffer that the session itself writes in the run that ends the stream is no state. */
static gboolean
leat_buffer_is_state (const LeatBuffer *buffer)
{
  return buffer->kind == LEAT_BUFFER_STATE && !buffer->tells_flush;
}

GArray *
leat_session_dup_states (LeatSession *self)
{
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (LeatBufferId));

  for (LeatBufferId id = 0; id < self->plan->buffers->len; id++)
    if (leat_buffer_is_state (leat_plan_get_buffer (self->plan, id)))
      g_array_append_val (ids, id);
  return ids;
}

static LeatBlock *
leat_session_get_state_block (LeatSession *self, guint lane, LeatBufferId id)
{
  return g_ptr_array_index (((LeatLane *) g_ptr_array_index (self->lanes, lane))->blocks, id);
}

static void
leat_session_release_block (gpointer block)
{
  leat_block_unref (block);
}

/* Where the program has it, its transfers are those of the same buffer. */
LeatDeviceBuffer *
leat_session_borrow_state (LeatSession *self, guint lane, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  LeatBlock *block = leat_session_get_state_block (self, lane, id);

  for (guint i = 0; i < self->states.lent->len; i++)
    if (leat_device_buffer_is_lent_from (g_ptr_array_index (self->states.lent, i), block))
      return g_object_ref (g_ptr_array_index (self->states.lent, i));
  return leat_device_buffer_new_lent (self->device, buffer->spec, buffer->header ? LEAT_BUFFER_HEADER : 0,
                                      block->memory, leat_block_ref (block), leat_session_release_block);
}

/* From here on it is the program's too. */
static LeatDeviceBuffer *
leat_session_lend_state (LeatSession *self, LeatBufferId id)
{
  LeatDeviceBuffer *lent = leat_session_borrow_state (self, 0, id);

  if (!g_ptr_array_find (self->states.lent, lent, NULL))
    g_ptr_array_add (self->states.lent, g_object_ref (lent));
  self->states.given = TRUE;
  return lent;
}

static gboolean
leat_session_still_has (LeatSession *self, LeatDeviceBuffer *lent)
{
  const LeatLane *lane = self->lanes->len > 0 ? g_ptr_array_index (self->lanes, 0) : NULL;

  for (guint i = 0; lane != NULL && i < lane->blocks->len; i++)
    if (g_ptr_array_index (lane->blocks, i) != NULL
        && leat_device_buffer_is_lent_from (lent, g_ptr_array_index (lane->blocks, i)))
      return TRUE;
  return FALSE;
}

void
leat_session_call_in_states (LeatSession *self)
{
  for (guint i = self->states.lent->len; i > 0; i--)
    if (!leat_session_still_has (self, g_ptr_array_index (self->states.lent, i - 1)))
      {
        leat_device_buffer_call_in (g_ptr_array_index (self->states.lent, i - 1));
        g_ptr_array_remove_index (self->states.lent, i - 1);
      }
}

/* The name of a buffer, or of the node that has one. */
static gboolean
leat_session_find_state (LeatSession *self, const char *name, LeatBufferId *id, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
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

/**
 * leat_session_list_states:
 * @self: a session
 *
 * Lists what the session keeps from run to run: `mean.out` of a node `state` called "mean", and what other nodes keep,
 * such as `scan.carry`.
 *
 * Returns: (transfer full): the names; none while the session is not open
 */
char **
leat_session_list_states (LeatSession *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (leat_session_take_open (self, NULL))
    {
      g_autoptr (GArray) ids = leat_session_dup_states (self);

      for (guint i = 0; i < ids->len; i++)
        g_ptr_array_add (names,
                         g_strdup (leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i))->name));
      leat_session_let_go (self);
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/**
 * leat_session_get_state:
 * @self: an open session that is not running
 * @name: a `state` node, or one of leat_session_list_states ()
 * @error: return location for an error
 *
 * Lends the memory of a state, so that ranges of it can be read, changed and copied as those of any resident buffer.
 *
 * It can be used between runs; while one is under way %LEAT_DEVICE_BUFFER_ERROR_BUSY is given, and a run that begins
 * waits for transfers that another thread has under way.  When the session is closed, or has made the state anew
 * because a property that was set gave it another size, the buffer counts as released.
 *
 * Returns: (transfer full): the memory; %NULL with %LEAT_STATE_ERROR_UNKNOWN_NAME, and what leat_session_replay () says
 *   of a session that cannot run
 */
LeatDeviceBuffer *
leat_session_get_state (LeatSession *self, const char *name, GError **error)
{
  LeatDeviceBuffer *lent = NULL;
  LeatBufferId id;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (!leat_session_take_program (self, error))
    return NULL;
  if (leat_session_find_state (self, name, &id, error))
    lent = leat_session_lend_state (self, id);
  leat_session_let_go (self);
  return lent;
}

/* In the steady state nothing is allocated here. */
static gboolean
leat_session_enter_all (LeatSession *self, GPtrArray *buffers, GError **error)
{
  for (guint i = 0; buffers != NULL && i < buffers->len; i++)
    {
      LeatDeviceBuffer *buffer = g_ptr_array_index (buffers, i);

      if (buffer == NULL)
        continue;
      if (!leat_device_buffer_enter (buffer, LEAT_BUFFER_USE_RUN, error))
        return FALSE;
      g_ptr_array_add (self->states.entered, g_object_ref (buffer));
    }
  return TRUE;
}

gboolean
leat_session_enter_buffers (LeatSession *self, GError **error)
{
  if (G_LIKELY (self->states.lent->len == 0 && self->bindings.held == NULL))
    return TRUE;
  if (leat_session_enter_all (self, self->states.lent, error)
      && leat_session_enter_all (self, self->bindings.held, error))
    return TRUE;
  leat_session_leave_buffers (self);
  return FALSE;
}

void
leat_session_leave_buffers (LeatSession *self)
{
  for (guint i = 0; i < self->states.entered->len; i++)
    {
      leat_device_buffer_leave (g_ptr_array_index (self->states.entered, i), LEAT_BUFFER_USE_RUN);
      g_object_unref (g_ptr_array_index (self->states.entered, i));
    }
  g_ptr_array_set_size (self->states.entered, 0);
}

/* Nodes and links, but not what their properties are: a pipeline may go on with another rate or file. */
guint64
leat_session_hash_pipeline (LeatSession *self)
{
  XXH3_state_t *state = XXH3_createState ();
  guint64 hash;

  XXH3_64bits_reset (state);
  for (guint i = 0; i < self->plan->nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (self->plan->nodes, i);
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
