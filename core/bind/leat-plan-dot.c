/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Ops as boxes, host steps rounded, what is not captured dashed.  An arrow for every buffer from the op that wrote it
 * to each that reads it, with what flows there; a dashed one where an op only waits for another, for memory that it
 * takes over.  A head is open where the op may begin early.  A loop is a frame around its ops. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"

#include <string.h>

typedef struct
{
  LeatPlan *plan;
  const char *const *notes; /* by op: what is added to its box; or NULL */
  GString *text;
  guint *writers;     /* by buffer: the last op that wrote its memory, or G_MAXUINT */
  gboolean *has_data; /* by op: an arrow with data comes from it to the op that is being drawn */
} LeatPlanDot;

/* An arrow from an op that need not have ended has an open head. */
static const char *
leat_op_get_head (const LeatOp *op, guint before)
{
  for (guint i = 0; i < LEAT_BOUND_OP (op)->n_after; i++)
    if (LEAT_BOUND_OP (op)->after[i] == before && LEAT_BOUND_OP (op)->early[i])
      return ", arrowhead=empty";
  return "";
}

static void
leat_plan_dot_box (LeatPlanDot *self, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  gboolean host = op->kind == LEAT_OP_SOURCE || op->kind == LEAT_OP_SINK;
  g_autofree char *name = g_strescape (leat_node_get_name (op->node), NULL);

  g_string_append_printf (self->text, "  op%u [label=\"%s\\n%s%s%s\", shape=box%s];\n", op->index, name,
                          op->kind == LEAT_OP_KERNEL    ? op->prototype->entry
                          : op->kind == LEAT_OP_FOREIGN ? op->name
                                                        : leat_op_kind_get_name (op->kind),
                          bound->why_spread != NULL ? "\\nspread"
                          : bound->wide             ? "\\ncoalesced"
                                                    : "",
                          self->notes != NULL ? self->notes[op->index] : "",
                          host                                 ? ", style=rounded"
                          : leat_op_get_why_alone (op) != NULL ? ", style=dashed"
                                                               : "");
}

/* Boxes come before arrows, which would put them into the frame that they are first seen in. */
static void
leat_plan_dot_place (LeatPlanDot *self, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (op->kind == LEAT_OP_LOOP)
    {
      g_autofree char *name = g_strescape (leat_node_get_name (op->node), NULL);

      g_string_append_printf (self->text, "  subgraph cluster%u {\n  label=\"%s, %s\";\n  style=rounded;\n", op->index,
                              name, leat_loop_method_get_name (LEAT_BOUND_LOOP (op->runs)->method));
    }
  if (!bound->elided || bound->packed_with != NULL)
    leat_plan_dot_box (self, op);
  if (op->loop != NULL && op->loop->last == op->index)
    g_string_append (self->text, "  }\n");
}

static void
leat_plan_dot_read (LeatPlanDot *self, const LeatOp *op, const LeatBuffer *buffer)
{
  guint writer = self->writers[leat_plan_get_root (self->plan, buffer->id)->id];
  g_autofree char *spec = NULL;
  g_autofree char *label = NULL;

  if (writer == G_MAXUINT)
    return;
  spec = buffer->spec != NULL ? leat_spec_to_string (buffer->spec, LEAT_SPEC_STYLE_FILE) : NULL;
  label = g_strescape (spec != NULL ? spec : buffer->name, NULL);
  g_string_append_printf (self->text, "  op%u -> op%u [label=\"%s\"%s];\n", writer, op->index, label,
                          leat_op_get_head (op, writer));
  self->has_data[writer] = TRUE;
}

static void
leat_plan_dot_op (LeatPlanDot *self, const LeatOp *op)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);

  memset (self->has_data, 0, self->plan->ops->len * sizeof (gboolean));
  for (guint t = 0; t < op->n_touches; t++)
    if (op->touches[t].access & LEAT_ACCESS_READ)
      leat_plan_dot_read (self, op, leat_plan_get_buffer (self->plan, op->touches[t].buffer));
  for (guint i = 0; i < bound->n_after; i++)
    if (!self->has_data[bound->after[i]])
      g_string_append_printf (self->text, "  op%u -> op%u [style=dashed%s];\n", bound->after[i], op->index,
                              leat_op_get_head (op, bound->after[i]));
  /* After all that it reads: it may write over its own input. */
  for (guint t = 0; t < op->n_touches; t++)
    if (op->touches[t].access & LEAT_ACCESS_WRITE)
      self->writers[leat_plan_get_root (self->plan, op->touches[t].buffer)->id] = op->index;
}

char *
leat_plan_draw (LeatPlan *self, const char *const *notes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&LEAT_BOUND_PLAN (self)->lock);
  GString *text = g_string_new ("digraph plan {\n  rankdir=LR;\n  node [fontname=\"sans-serif\"];\n"
                                "  edge [fontname=\"sans-serif\", fontsize=10];\n");
  g_autofree guint *writers = g_new (guint, self->buffers->len + 1);
  g_autofree gboolean *has_data = g_new (gboolean, self->ops->len + 1);
  LeatPlanDot dot = { self, notes, text, writers, has_data };

  memset (writers, 0xff, self->buffers->len * sizeof (guint));
  for (guint i = 0; i < self->ops->len; i++)
    leat_plan_dot_place (&dot, leat_plan_get_op (self, i));
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      const LeatBoundOp *bound = LEAT_BOUND_OP (op);

      if (!bound->elided || bound->packed_with != NULL)
        leat_plan_dot_op (&dot, op);
    }
  g_string_append (text, "}\n");
  return g_string_free (text, FALSE);
}

/**
 * leat_plan_to_dot:
 * @self: a plan
 *
 * Draws a plan for Graphviz: `dot -Tsvg`.
 *
 * The ops of a loop are in a frame (a cluster) with its name and who does it; that of a loop within is in it.
 *
 * There is an arrow for every buffer from the op that writes it to each that reads it, labelled with its spec; a dashed
 * arrow is an op that only waits for another one.  An arrow with an open head goes to a kernel that may begin before
 * the other op has ended, and waits by itself.
 *
 * Returns: (transfer full): a DOT graph
 */
char *
leat_plan_to_dot (LeatPlan *self)
{
  return leat_plan_draw (self, NULL);
}
