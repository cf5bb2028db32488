/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

/* Ops as boxes, true dependencies as arrows with the buffers that cause them; host steps are rounded. */

static gboolean
leat_plan_shares (LeatPlan *self, const LeatOp *first, const LeatOp *second, const LeatBuffer **shared)
{
  for (guint i = 0; i < first->n_touches; i++)
    for (guint j = 0; j < second->n_touches; j++)
      if (leat_plan_get_root (self, first->touches[i].buffer) == leat_plan_get_root (self, second->touches[j].buffer))
        {
          *shared = leat_plan_get_buffer (self, second->touches[j].buffer);
          return TRUE;
        }
  return FALSE;
}

static void
leat_plan_dot_op (LeatPlan *self, const LeatOp *op, GString *text)
{
  gboolean host = op->kind == LEAT_OP_SOURCE || op->kind == LEAT_OP_SINK;
  g_autofree char *name = g_strescape (leat_node_get_name (op->node), NULL);

  g_string_append_printf (text, "  op%u [label=\"%s\\n%s\", shape=box%s];\n", op->index, name,
                          op->kind == LEAT_OP_KERNEL ? op->prototype->entry : leat_op_kind_get_name (op->kind),
                          host ? ", style=rounded" : "");
  for (guint i = 0; i < op->n_after; i++)
    {
      const LeatBuffer *shared = NULL;
      g_autofree char *spec = NULL;

      if (leat_plan_shares (self, leat_plan_get_op (self, op->after[i]), op, &shared) && shared->spec != NULL)
        spec = leat_spec_to_string (shared->spec, LEAT_SPEC_STYLE_FILE);
      g_string_append_printf (text, "  op%u -> op%u [label=\"%s\"];\n", op->after[i], op->index,
                              spec != NULL ? spec : "");
    }
}

/**
 * leat_plan_to_dot:
 * @self: a plan
 *
 * Draws a plan for Graphviz: `dot -Tsvg`.
 *
 * Returns: (transfer full): a DOT graph
 */
char *
leat_plan_to_dot (LeatPlan *self)
{
  GString *text = g_string_new ("digraph plan {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
                                "  edge [fontname=\"sans-serif\", fontsize=10];\n");

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      if (!op->elided)
        leat_plan_dot_op (self, op, text);
    }
  g_string_append (text, "}\n");
  return g_string_free (text, FALSE);
}
