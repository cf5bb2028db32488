/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

#include "leat-plan-aligned-private.h"

#include "graph/leat-endpoint.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-group-private.h"
#include "graph/leat-node-private.h"
#include "graph/leat-port-private.h"
#include "plan/leat-plan-error.h"

/**
 * LeatPlan:
 *
 * A pipeline lowered to an ordered list of ops over a table of buffers.
 *
 * Making one needs no device and no driver, so everything that can be wrong with a pipeline is found here: specs are
 * negotiated along the links, nodes are put in order, each records what it will do, and buffers get sizes, lifetimes
 * and places.  Such a plan is *logical*.  A session binds it to its device: it decides how data enters and leaves, and
 * lays memory out anew.  What it predicts (launches, copies, bytes, waits) is what a run does; tests hold it to that.
 */

G_DEFINE_FINAL_TYPE (LeatPlan, leat_plan, G_TYPE_OBJECT)
/**
 * leat_plan_error_quark:
 *
 * Gets the domain of #LeatPlanError.
 *
 * Returns: the quark
 */
/* clang-format off */
G_DEFINE_QUARK (leat-plan-error-quark, leat_plan_error)
/* clang-format on */

/* A registered type, so that the description for other languages gives the domain to the codes, not to LeatPlan. */
GType
leat_plan_error_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_PLAN_ERROR_FAILED, "LEAT_PLAN_ERROR_FAILED", "failed" },
                                       { LEAT_PLAN_ERROR_EMPTY, "LEAT_PLAN_ERROR_EMPTY", "empty" },
                                       { LEAT_PLAN_ERROR_SIZE, "LEAT_PLAN_ERROR_SIZE", "size" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatPlanError", values));
  return type;
}

static const char *const leat_op_kind_names[] = { "source",   "kernel",  "copy", "fill",
                                                  "transfer", "foreign", "loop", "sink" };
static const char *const leat_buffer_kind_names[] = { "staging", "device", "state", "const" };

const char *
leat_op_kind_get_name (LeatOpKind kind)
{
  return leat_op_kind_names[kind];
}

const char *
leat_buffer_kind_get_name (LeatBufferKind kind)
{
  return leat_buffer_kind_names[kind];
}

void
leat_op_clear_args (LeatOp *op)
{
  for (guint i = 0; i < op->n_args; i++)
    {
      g_clear_pointer (&op->args[i].value, g_bytes_unref);
      g_free (op->args[i].name);
    }
  g_clear_pointer (&op->args, g_free);
  op->n_args = 0;
}

void
leat_op_free (LeatOp *op)
{
  g_free (op->touches);
  g_clear_pointer (&op->source, leat_kernel_source_unref);
  leat_op_clear_args (op);
  g_clear_pointer (&op->fusion, leat_fusion_free);
  if (op->destroy != NULL)
    op->destroy (op->user_data);
  g_free (op->name);
  g_free (op->why_eager);
  g_free (op->why_not_on_cpu);
  g_free (op->why_separate);
  g_free (op->after);
  g_free (op->early);
  g_free (op);
}

static void
leat_buffer_free (LeatBuffer *buffer)
{
  g_free (buffer->name);
  g_clear_pointer (&buffer->spec, leat_spec_unref);
  g_clear_pointer (&buffer->initial, g_bytes_unref);
  g_clear_pointer (&buffer->queue, g_bytes_unref);
  g_free (buffer);
}

LeatOp *
leat_plan_get_op (LeatPlan *self, guint index)
{
  return g_ptr_array_index (self->ops, index);
}

LeatBuffer *
leat_plan_get_buffer (LeatPlan *self, LeatBufferId id)
{
  g_assert (id < self->buffers->len);
  return g_ptr_array_index (self->buffers, id);
}

LeatBuffer *
leat_plan_get_root (LeatPlan *self, LeatBufferId id)
{
  LeatBuffer *buffer = leat_plan_get_buffer (self, id);

  while (buffer->root != buffer->id)
    buffer = leat_plan_get_buffer (self, buffer->root);
  return buffer;
}

/* The buffer whose memory this one has from the start on, since who writes it works in place. */
LeatBufferId
leat_plan_follow_memory (LeatPlan *self, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self, id);

  return buffer->in_place_of != LEAT_BUFFER_NONE ? leat_plan_follow_memory (self, buffer->in_place_of) : id;
}

LeatBufferId
leat_plan_get_port_buffer (LeatPlan *self, LeatPort *port)
{
  guint entry = GPOINTER_TO_UINT (g_hash_table_lookup (self->ports, port));

  return entry == 0 ? LEAT_BUFFER_NONE : entry - 1;
}

LeatBufferId
leat_plan_add_buffer (LeatPlan *self, LeatBufferKind kind, const char *name, LeatSpec *spec, guint64 bytes)
{
  LeatBuffer *buffer = g_new0 (LeatBuffer, 1);

  buffer->id = buffer->root = self->buffers->len;
  buffer->kind = kind;
  buffer->name = g_strdup (name);
  buffer->spec = spec != NULL ? leat_spec_ref (spec) : NULL;
  buffer->header = spec != NULL && leat_spec_is_bounded (spec);
  buffer->bytes = bytes + (buffer->header ? LEAT_BUFFER_HEADER : 0);
  buffer->in_place_of = buffer->count_in = LEAT_BUFFER_NONE;
  buffer->loop = self->loop;
  g_ptr_array_add (self->buffers, buffer);
  return buffer->id;
}

LeatOp *
leat_plan_add_op (LeatPlan *self, LeatOpKind kind, LeatNode *node)
{
  LeatOp *op = g_new0 (LeatOp, 1);

  op->kind = kind;
  op->index = self->ops->len;
  op->node = node;
  op->to = op->from = op->counts_like = LEAT_BUFFER_NONE;
  op->loop = self->loop;
  g_ptr_array_add (self->ops, op);
  return op;
}

void
leat_op_touch (LeatOp *op, LeatBufferId buffer, LeatAccess access)
{
  if (buffer == LEAT_BUFFER_NONE)
    return;
  for (guint i = 0; i < op->n_touches; i++)
    if (op->touches[i].buffer == buffer)
      {
        op->touches[i].access |= access;
        return;
      }
  op->touches = g_renew (LeatTouch, op->touches, op->n_touches + 1);
  op->touches[op->n_touches++] = (LeatTouch){ buffer, access };
}

static gboolean
leat_plan_add_port_buffers (LeatPlan *self, LeatNode *node, GError **error)
{
  GPtrArray *ports;

  leat_node_prepare (node, NULL);
  ports = leat_node_get_ports (node);
  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      LeatSpec *spec = leat_port_get_spec (port);
      gboolean host = (leat_port_get_flags (port) & LEAT_PORT_HOST) != 0;
      g_autofree char *path = NULL;
      LeatBufferId id;

      if (leat_port_get_direction (port) != LEAT_PORT_OUTPUT || spec == NULL)
        continue;
      path = leat_port_dup_path (port);
      if (leat_spec_get_bytes (spec) > G_MAXINT64 / 4)
        {
          g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

          g_set_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_SIZE, "%s: %s is more than can be addressed", path,
                       text);
          return FALSE;
        }
      id = leat_plan_add_buffer (self, host ? LEAT_BUFFER_STAGING : LEAT_BUFFER_DEVICE, path, spec,
                                 leat_spec_get_bytes (spec));
      if (port->grows && leat_spec_is_bounded (spec))
        {
          leat_plan_get_buffer (self, id)->grows = port;
          self->grows = TRUE;
        }
      g_hash_table_insert (self->ports, port, GUINT_TO_POINTER (id + 1));
    }
  return TRUE;
}

static gboolean
leat_plan_record_endpoint (LeatPlan *self, LeatNode *node, GError **error)
{
  gboolean source = leat_endpoint_is_source (LEAT_ENDPOINT (node));
  LeatPort *port = leat_node_get_port (node, source ? "out" : "in", error);
  LeatPort *output = source ? port : port != NULL ? leat_port_get_peer (port) : NULL;

  if (output == NULL)
    return FALSE;
  leat_op_touch (leat_plan_add_op (self, source ? LEAT_OP_SOURCE : LEAT_OP_SINK, node),
                 leat_plan_get_port_buffer (self, output), source ? LEAT_ACCESS_WRITE : LEAT_ACCESS_READ);
  return TRUE;
}

/* For a group, and for the ends of its body, others say what their ports are. */
static gboolean
leat_plan_has_port_buffers (LeatNode *node)
{
  return !LEAT_IS_GROUP (node) && !LEAT_IS_GROUP_END (node);
}

/* The first fault is told, also where record () does not know of it or set no error. */
static gboolean
leat_plan_call_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatNodeClass *klass = LEAT_NODE_GET_CLASS (node);
  g_autoptr (GError) local = NULL;
  gboolean good = klass->record != NULL && klass->record (node, recorder, &local);

  if (klass->record == NULL)
    g_set_error (
      &local, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
      "its class has no record (), which says what the node does; set that of LeatNodeClass in class_init ()");
  else if (recorder->error != NULL)
    {
      g_clear_error (&local);
      local = g_steal_pointer (&recorder->error);
    }
  else if (!good && local == NULL)
    g_set_error (&local, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
                 "its record () returned FALSE and set no error; say with g_set_error () what is wrong");
  if (local == NULL)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static gboolean
leat_plan_record_node (LeatPlan *self, LeatNode *node, GError **error)
{
  LeatNode *author = LEAT_IS_GROUP_END (node) ? LEAT_NODE (leat_node_get_group (node)) : node;
  LeatRecorder recorder = { self, author, NULL };

  if (leat_plan_has_port_buffers (node) && !leat_plan_add_port_buffers (self, node, error))
    return FALSE;
  if (LEAT_IS_ENDPOINT (node))
    return leat_plan_record_endpoint (self, node, error);
  leat_node_blame (node, NULL);
  return leat_plan_call_record (node, &recorder, error);
}

static gboolean
leat_plan_record (LeatPlan *self, GError **error)
{
  for (guint i = 0; i < self->nodes->len; i++)
    {
      LeatNode *node = g_ptr_array_index (self->nodes, i);

      if (!leat_plan_record_node (self, node, error))
        {
          leat_node_prefix_error (node, error);
          return FALSE;
        }
    }
  return leat_plan_record_delays (self, self->delays, error);
}

static gboolean
leat_plan_check_pipeline (LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  g_autoptr (GPtrArray) faults = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);

  if (nodes->len == 0)
    {
      g_set_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_EMPTY, "the pipeline has no node");
      return FALSE;
    }
  if (leat_pipeline_validate (pipeline, faults))
    return TRUE;
  g_propagate_error (error, g_error_copy (g_ptr_array_index (faults, 0)));
  return FALSE;
}

/* A source of a fixed spec would give its last data once more in the run that only gives out what nodes kept. */
static gboolean
leat_plan_check_flush (LeatPlan *self, GError **error)
{
  for (guint i = 0; self->flush && i < self->ops->len; i++)
    {
      LeatOp *op = g_ptr_array_index (self->ops, i);
      LeatBuffer *buffer = op->kind == LEAT_OP_SOURCE ? leat_plan_get_buffer (self, op->touches[0].buffer) : NULL;

      if (buffer == NULL || buffer->header)
        continue;
      g_set_error (
        error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
        "a node of this pipeline keeps data back until the end, so every source needs a bounded spec, such as "
        "u8[<=4096]; that of \"%s\" is fixed",
        leat_node_get_name (op->node));
      return FALSE;
    }
  return TRUE;
}

/* Blocks that do not all run at once cannot meet.  What became part of a larger kernel is none of these. */
static gboolean
leat_plan_check_barriers (LeatPlan *self, GError **error)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = g_ptr_array_index (self->ops, i);

      if (op->kind != LEAT_OP_KERNEL || op->fusion != NULL || op->cooperative || !op->prototype->syncs_grid)
        continue;
      leat_node_blame (op->node, "cooperative");
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "kernel %s has a barrier of the whole grid, at which blocks meet that have to run at once: set "
                   "cooperative=true",
                   op->prototype->entry);
      leat_node_prefix_error (op->node, error);
      return FALSE;
    }
  return TRUE;
}

LeatPlan *
leat_plan_new_unbound (LeatPipeline *pipeline, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  g_autoptr (LeatPlan) self = NULL;

  if (!leat_plan_check_pipeline (pipeline, error))
    return NULL;
  self = g_object_new (LEAT_TYPE_PLAN, NULL);
  self->pipeline = g_object_ref (pipeline);
  self->nodes = leat_plan_sort_nodes (pipeline, error);
  if (self->nodes == NULL || !leat_plan_negotiate (self->nodes, error))
    return NULL;
  self->negotiate_us = g_get_monotonic_time () - begin;
  if (!leat_plan_record (self, error) || !leat_plan_check_barriers (self, error))
    return NULL;
  if (leat_pipeline_get_fuse (pipeline) == LEAT_FUSE_MODE_AUTO)
    leat_plan_find_fusibles (self, TRUE);
  if (!leat_plan_check_flush (self, error) || !leat_plan_add_users (self, error)
      || !leat_plan_check_growing (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

/**
 * leat_plan_new:
 * @pipeline: a pipeline
 * @error: return location for an error
 *
 * Plans a pipeline; no device is touched.
 *
 * An error that belongs to a node which a file holds begins with that place, `file:line:column`.
 *
 * Source files are looked at for their headers, as far as specs depend on them; nothing is read or written beyond that.
 *
 * Returns: (transfer full): the logical plan, or %NULL
 */
LeatPlan *
leat_plan_new (LeatPipeline *pipeline, GError **error)
{
  const LeatTraits traits = { 0 };
  LeatPlan *self;

  g_return_val_if_fail (LEAT_IS_PIPELINE (pipeline), NULL);
  self = leat_plan_new_unbound (pipeline, error);
  if (self != NULL)
    leat_plan_bind (self, &traits);
  return self;
}

static void
leat_plan_finalize (GObject *object)
{
  LeatPlan *self = LEAT_PLAN (object);

  g_ptr_array_unref (self->ops);
  g_ptr_array_unref (self->buffers);
  g_hash_table_unref (self->ports);
  g_array_unref (self->pieces);
  g_array_unref (self->delays);
  g_array_unref (self->aligned);
  g_ptr_array_unref (self->loops);
  g_ptr_array_unref (self->fusibles);
  g_array_unref (self->users);
  g_array_unref (self->user_copies);
  g_rec_mutex_clear (&self->lock);
  g_free (self->why_not_reusable);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_object (&self->pipeline);
  G_OBJECT_CLASS (leat_plan_parent_class)->finalize (object);
}

static void
leat_plan_class_init (LeatPlanClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_plan_finalize;
}

static void
leat_plan_init (LeatPlan *self)
{
  g_rec_mutex_init (&self->lock);
  self->ops = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_op_free);
  self->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_buffer_free);
  self->ports = g_hash_table_new (NULL, NULL);
  self->pieces = g_array_new (FALSE, FALSE, sizeof (LeatPiece));
  self->delays = g_array_new (FALSE, FALSE, sizeof (LeatDelay));
  self->aligned = g_array_new (FALSE, FALSE, sizeof (LeatAligned));
  g_array_set_clear_func (self->aligned, (GDestroyNotify) leat_aligned_clear);
  self->loops = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_plan_loop_free);
  self->fusibles = g_ptr_array_new_with_free_func (g_free);
  self->users = g_array_new (FALSE, FALSE, sizeof (LeatBufferId));
  self->user_copies = g_array_new (FALSE, FALSE, sizeof (guint));
  self->table = LEAT_BUFFER_NONE;
}

/**
 * leat_plan_get_device_bytes:
 * @self: a plan
 *
 * Gets the device memory that one lane needs: peak of what lives within a run, plus state and constants.
 *
 * Returns: bytes
 */
guint64
leat_plan_get_device_bytes (LeatPlan *self)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);

  return self->arena_bytes + self->own_bytes;
}

/**
 * leat_plan_get_host_bytes:
 * @self: a plan
 *
 * Gets the pinned host memory that one lane needs.
 *
 * Returns: bytes
 */
guint64
leat_plan_get_host_bytes (LeatPlan *self)
{
  g_autoptr (GRecMutexLocker) locker = g_rec_mutex_locker_new (&self->lock);

  return self->staging_bytes;
}

/**
 * leat_plan_get_n_ops:
 * @self: a plan
 *
 * Counts the ops.
 *
 * Returns: how many
 */
guint
leat_plan_get_n_ops (LeatPlan *self)
{
  return self->ops->len;
}

/**
 * leat_plan_get_n_buffers:
 * @self: a plan
 *
 * Counts the buffers.
 *
 * Returns: how many
 */
guint
leat_plan_get_n_buffers (LeatPlan *self)
{
  return self->buffers->len;
}
