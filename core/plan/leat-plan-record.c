/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Asks the nodes of a pipeline, in the order of its links, what they do, and writes it into a new plan. */

#include "leat-plan-private.h"
#include "graph/leat-endpoint.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-group-private.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-error.h"

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

/* Blocks that do not all run at once cannot meet.  Kernels that became part of a larger one are not checked. */
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

/* Records the nodes of a pipeline, in order.  Others may add to it until it is finished. */
LeatPlan *
leat_plan_record_all (LeatPipeline *pipeline, GError **error)
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
  return leat_plan_record (self, error) && leat_plan_check_barriers (self, error) ? g_steal_pointer (&self) : NULL;
}

gboolean
leat_plan_finish (LeatPlan *self, GError **error)
{
  return leat_plan_check_flush (self, error) && leat_plan_add_users (self, error)
         && leat_plan_check_growing (self, error);
}
