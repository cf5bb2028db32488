/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its nodes by name, its bus, and the freeze while a session is open. */

#include "leat-graph-error-private.h"
#include "leat-group-private.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"
#include "leat-attempt-private.h"

#include <string.h>

/**
 * LeatPipeline:
 *
 * Nodes and the links between them: the description of what shall be done, which needs no device.
 *
 * A program adds nodes, links their ports and sets properties, or has all of that read from text; a plan is made from
 * the pipeline and a session runs the plan.  While a session is open the pipeline is frozen.  A pipeline is built from
 * one thread.
 *
 * Since: 0.1
 */

G_DEFINE_FINAL_TYPE (LeatPipeline, leat_pipeline, G_TYPE_OBJECT)

static void
leat_pipeline_unlink_node (LeatNode *node)
{
  GPtrArray *ports = leat_node_get_ports (node);

  for (guint i = 0; i < ports->len; i++)
    leat_port_unlink_all (ports->pdata[i]);
}

static void
leat_pipeline_dispose (GObject *object)
{
  LeatPipeline *self = LEAT_PIPELINE (object);

  for (guint i = 0; i < self->nodes->len; i++)
    {
      leat_pipeline_unlink_node (self->nodes->pdata[i]);
      leat_node_set_pipeline (self->nodes->pdata[i], NULL);
      if (!LEAT_IS_GROUP_END (self->nodes->pdata[i]))
        leat_node_set_group (self->nodes->pdata[i], NULL);
    }
  g_hash_table_remove_all (self->by_name);
  g_ptr_array_set_size (self->nodes, 0);
  G_OBJECT_CLASS (leat_pipeline_parent_class)->dispose (object);
}

static void
leat_pipeline_finalize (GObject *object)
{
  LeatPipeline *self = LEAT_PIPELINE (object);

  g_clear_pointer (&self->by_name, g_hash_table_unref);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_object (&self->bus);
  g_clear_pointer (&self->changes, leat_changes_free);
  G_OBJECT_CLASS (leat_pipeline_parent_class)->finalize (object);
}

static void
leat_pipeline_class_init (LeatPipelineClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->dispose = leat_pipeline_dispose;
  object_class->finalize = leat_pipeline_finalize;
}

static void
leat_pipeline_init (LeatPipeline *self)
{
  self->nodes = g_ptr_array_new_with_free_func (g_object_unref);
  self->by_name = g_hash_table_new (g_str_hash, g_str_equal);
  self->bus = leat_bus_new ();
  self->changes = leat_changes_new ();
}

/**
 * leat_pipeline_new:
 *
 * Makes an empty pipeline.
 *
 * Returns: (transfer full): the pipeline
 *
 * Since: 0.1
 */
LeatPipeline *
leat_pipeline_new (void)
{
  return g_object_new (LEAT_TYPE_PIPELINE, NULL);
}

void
leat_pipeline_freeze (LeatPipeline *self)
{
  g_return_if_fail (LEAT_IS_PIPELINE (self));

  g_atomic_int_inc (&self->n_frozen);
}

void
leat_pipeline_thaw (LeatPipeline *self)
{
  g_return_if_fail (LEAT_IS_PIPELINE (self));
  g_return_if_fail (leat_pipeline_is_frozen (self));

  leat_changes_lock (self->changes);
  if (g_atomic_int_dec_and_test (&self->n_frozen))
    {
      /* Changes that no run has taken over are there for the next session. */
      leat_attempt_free (leat_attempt_begin (self));
      leat_changes_clear (self->changes);
    }
  leat_changes_unlock (self->changes);
}

void
leat_pipeline_begin_planning (LeatPipeline *self)
{
  leat_changes_lock (self->changes);
  g_atomic_pointer_set (&self->planner, g_thread_self ());
}

void
leat_pipeline_end_planning (LeatPipeline *self)
{
  g_atomic_pointer_set (&self->planner, NULL);
  leat_changes_unlock (self->changes);
}

static LeatNode *
leat_pipeline_peek_node (LeatPipeline *self, const char *name)
{
  return g_hash_table_lookup (self->by_name, name);
}

/* The last word of the id and the first free number: `text:scan` makes `scan0`. */
static char *
leat_pipeline_dup_new_name (LeatPipeline *self, const char *id)
{
  const char *colon = strrchr (id, ':');
  const char *stem = colon != NULL ? colon + 1 : id;

  for (guint i = 0;; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s%u", stem, i);

      if (leat_pipeline_peek_node (self, name) == NULL)
        return g_steal_pointer (&name);
    }
}

static gboolean
leat_pipeline_check_name (LeatPipeline *self, LeatNode *node, const char *name, GError **error)
{
  LeatNode *other = leat_pipeline_peek_node (self, name);

  if (!leat_node_name_is_valid (name))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED,
                   "\"%s\" cannot name a node: a name is a letter and then letters, digits, - and _", name);
      return FALSE;
    }
  if (other != NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DUPLICATE_NAME,
                   "cannot add a second node \"%s\": the first is %s, this one %s", name, leat_node_get_id (other),
                   leat_node_get_id (node));
      return FALSE;
    }
  return TRUE;
}

static void
leat_pipeline_take_in (LeatPipeline *self, LeatNode *node)
{
  g_ptr_array_add (self->nodes, g_object_ref (node));
  g_hash_table_insert (self->by_name, (gpointer) leat_node_get_name (node), node);
  leat_node_set_pipeline (node, self);
}

/* Their names are none that a node can be given. */
static void
leat_pipeline_add_ends (LeatPipeline *self, LeatGroup *group)
{
  LeatNode *ends[] = { leat_group_get_begin (group), leat_group_get_end (group) };

  for (guint i = 0; i < G_N_ELEMENTS (ends); i++)
    {
      g_autofree char *name = g_strdup_printf ("%s.%s", leat_node_get_name (LEAT_NODE (group)), i == 0 ? "in" : "out");

      leat_node_rename (ends[i], name);
      leat_pipeline_take_in (self, ends[i]);
    }
}

/**
 * leat_pipeline_add:
 * @self: a pipeline
 * @node: a node that is in no pipeline; a floating reference there is none
 * @error: return location
 *
 * Adds a node; one without a name gets one that is made from its id, such as `scan0`.
 *
 * The pipeline holds a reference of its own.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_DUPLICATE_NAME, or %LEAT_GRAPH_ERROR_BUSY while a session is open
 *
 * Since: 0.1
 */
gboolean
leat_pipeline_add (LeatPipeline *self, LeatNode *node, GError **error)
{
  g_autofree char *name = NULL;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), FALSE);
  g_return_val_if_fail (LEAT_IS_NODE (node), FALSE);
  g_return_val_if_fail (leat_node_get_pipeline (node) == NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  if (self->n_frozen > 0)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY,
                   "cannot add a node while a session is open on the pipeline: close the session first");
      return FALSE;
    }
  if (leat_node_get_name (node) != NULL && !leat_pipeline_check_name (self, node, leat_node_get_name (node), error))
    return FALSE;
  if (leat_node_get_name (node) == NULL)
    {
      name = leat_pipeline_dup_new_name (self, leat_node_get_id (node));
      leat_node_rename (node, name);
    }
  leat_pipeline_take_in (self, node);
  if (LEAT_IS_GROUP (node))
    leat_pipeline_add_ends (self, LEAT_GROUP (node));
  return TRUE;
}

static void
leat_pipeline_let_go (LeatPipeline *self, LeatNode *node)
{
  leat_pipeline_unlink_node (node);
  leat_node_set_pipeline (node, NULL);
  if (!LEAT_IS_GROUP_END (node))
    leat_node_set_group (node, NULL);
  g_hash_table_remove (self->by_name, leat_node_get_name (node));
  g_ptr_array_remove (self->nodes, node);
}

static void
leat_pipeline_remove_body (LeatPipeline *self, LeatGroup *group)
{
  g_autoptr (GPtrArray) members = leat_pipeline_list_group (self, group);

  for (guint i = 0; i < members->len; i++)
    {
      if (LEAT_IS_GROUP (members->pdata[i]))
        leat_pipeline_remove_body (self, members->pdata[i]);
      leat_pipeline_let_go (self, members->pdata[i]);
    }
}

/**
 * leat_pipeline_remove:
 * @self: a pipeline
 * @node: one of its nodes
 *
 * Takes a node out, and its links away; a group with its body.  Not while a session is open.
 *
 * Since: 0.1
 */
void
leat_pipeline_remove (LeatPipeline *self, LeatNode *node)
{
  g_return_if_fail (LEAT_IS_PIPELINE (self));
  g_return_if_fail (LEAT_IS_NODE (node));
  g_return_if_fail (leat_node_get_pipeline (node) == self);
  g_return_if_fail (self->n_frozen == 0);

  if (LEAT_IS_GROUP (node))
    leat_pipeline_remove_body (self, LEAT_GROUP (node));
  leat_pipeline_let_go (self, node);
}

/**
 * leat_pipeline_get_node:
 * @self: a pipeline
 * @name: a node's name
 * @error: return location
 *
 * Finds a node by its name.
 *
 * Returns: (transfer none): the node, or %NULL with %LEAT_GRAPH_ERROR_UNKNOWN_NAME and near names
 *
 * Since: 0.1
 */
LeatNode *
leat_pipeline_get_node (LeatPipeline *self, const char *name, GError **error)
{
  g_autoptr (GPtrArray) names = NULL;
  g_autofree char *hint = NULL;
  LeatNode *node;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  node = leat_pipeline_peek_node (self, name);
  if (node != NULL)
    return node;
  names = g_ptr_array_new ();
  for (guint i = 0; i < self->nodes->len; i++)
    g_ptr_array_add (names, (gpointer) leat_node_get_name (self->nodes->pdata[i]));
  g_ptr_array_add (names, NULL);
  hint = leat_graph_error_hint (name, (const char *const *) names->pdata, "nodes");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME, "the pipeline has no node named \"%s\"%s", name,
               hint);
  return NULL;
}

/**
 * leat_pipeline_list_nodes:
 * @self: a pipeline
 *
 * Lists the nodes in the order in which they were added.
 *
 * Returns: (element-type LeatNode) (transfer container): the nodes
 *
 * Since: 0.1
 */
GPtrArray *
leat_pipeline_list_nodes (LeatPipeline *self)
{
  GPtrArray *list;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), NULL);

  list = g_ptr_array_new ();
  for (guint i = 0; i < self->nodes->len; i++)
    g_ptr_array_add (list, self->nodes->pdata[i]);
  return list;
}

/**
 * leat_pipeline_get_bus:
 * @self: a pipeline
 *
 * Gets the bus on which sessions of the pipeline post their messages.
 *
 * Returns: (transfer none): the bus
 *
 * Since: 0.1
 */
LeatBus *
leat_pipeline_get_bus (LeatPipeline *self)
{
  g_return_val_if_fail (LEAT_IS_PIPELINE (self), NULL);

  return self->bus;
}
