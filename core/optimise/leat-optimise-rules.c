/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The rules that a recorded plan keeps: each op by its number, bodies in one piece, no buffer that is not there,
 * nothing read that nobody wrote, one writer of what a port gives, moves within their buffers, states that are states.
 */

#include "leat-optimise-private.h"

#include "graph/leat-node-private.h"

G_GNUC_PRINTF (2, 3)
static char *
leat_op_tell_fault (const LeatOp *self, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  return g_strdup_printf ("op %u (%s of %s \"%s\") %s", self->index, leat_op_kind_get_name (self->kind),
                          leat_node_get_id (self->node), leat_node_get_name (self->node), what);
}

static gboolean
leat_plan_has_buffer (LeatPlan *self, LeatBufferId id)
{
  return id == LEAT_BUFFER_NONE || id < self->buffers->len;
}

static char *
leat_plan_check_names (LeatPlan *self, const LeatOp *op)
{
  for (guint i = 0; i < op->n_touches; i++)
    if (op->touches[i].buffer >= self->buffers->len)
      return leat_op_tell_fault (op, "touches buffer %u, which is not there", op->touches[i].buffer);
  for (guint i = 0; i < op->n_args; i++)
    if (!leat_plan_has_buffer (self, op->args[i].buffer))
      return leat_op_tell_fault (op, "is given buffer %u, which is not there", op->args[i].buffer);
  if (!leat_plan_has_buffer (self, op->to) || !leat_plan_has_buffer (self, op->from)
      || !leat_plan_has_buffer (self, op->counts_like))
    return leat_op_tell_fault (op, "moves a buffer that is not there");
  return NULL;
}

static char *
leat_plan_check_move (LeatPlan *self, const LeatOp *op)
{
  if (op->kind != LEAT_OP_COPY && op->kind != LEAT_OP_FILL && op->kind != LEAT_OP_TRANSFER)
    return NULL;
  if (op->to == LEAT_BUFFER_NONE || op->bytes > leat_plan_get_buffer (self, op->to)->bytes
      || (op->kind != LEAT_OP_FILL
          && (op->from == LEAT_BUFFER_NONE || op->bytes > leat_plan_get_buffer (self, op->from)->bytes)))
    return leat_op_tell_fault (op, "moves more than its buffers have");
  return NULL;
}

/* Ops of a body stand between its two ends, and those ends in the body around it. */
static char *
leat_plan_check_place (LeatPlan *self, const LeatOp *op)
{
  const LeatPlanLoop *loop = op->loop;

  if (loop != NULL && (loop->is_kernel || op->index <= loop->first || op->index > loop->last))
    return leat_op_tell_fault (op, "is not within ops %u to %u of its loop", loop->first, loop->last);
  for (guint i = 0; i < self->loops->len; i++)
    {
      const LeatPlanLoop *other = g_ptr_array_index (self->loops, i);
      const LeatPlanLoop *around = loop;

      while (around != NULL && around != other)
        around = around->parent;
      if (!other->is_kernel && around == NULL && op->index > other->first && op->index <= other->last)
        return leat_op_tell_fault (op, "stands in a loop that it is not of");
    }
  return NULL;
}

/* Of memory that lives within a run, by memory: the first op that writes it. (transfer full) */
static guint *
leat_plan_list_first_writers (LeatPlan *self)
{
  guint *writers = g_new (guint, self->buffers->len + 1);

  for (guint i = 0; i < self->buffers->len; i++)
    writers[i] = G_MAXUINT;
  for (guint i = self->ops->len; i > 0; i--)
    {
      const LeatOp *op = leat_plan_get_op (self, i - 1);

      for (guint t = 0; t < op->n_touches; t++)
        if (op->touches[t].access & LEAT_ACCESS_WRITE)
          writers[leat_plan_follow_memory (self, op->touches[t].buffer)] = i - 1;
    }
  return writers;
}

/* An op that reads and writes begins with what is there, and scratch may be named by who does not look at it. */
static char *
leat_plan_check_reads (LeatPlan *self, const LeatOp *op, const guint *writers)
{
  for (guint i = 0; i < op->n_touches; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, leat_plan_follow_memory (self, op->touches[i].buffer));
      guint writer = writers[buffer->id];

      if (op->touches[i].access != LEAT_ACCESS_READ || buffer->kind != LEAT_BUFFER_DEVICE || buffer->spec == NULL
          || buffer->is_marks || buffer->queue != NULL || writer < op->index)
        continue;
      if (writer != G_MAXUINT && op->loop != NULL && buffer->loop != NULL)
        continue; /* from the iteration before */
      return leat_op_tell_fault (op, "reads %s, which %s", buffer->name,
                                 writer == G_MAXUINT ? "nobody writes" : "is written behind it");
    }
  return NULL;
}

/* Buffers that ports give, by number. (transfer full) */
static gboolean *
leat_plan_list_given (LeatPlan *self)
{
  gboolean *given = g_new0 (gboolean, self->buffers->len + 1);
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, self->ports);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    if (GPOINTER_TO_UINT (value) > 0 && GPOINTER_TO_UINT (value) <= self->buffers->len)
      given[GPOINTER_TO_UINT (value) - 1] = TRUE;
  return given;
}

/* What a port gives is written by the ops of one node; those that work in its place give another port's. */
static char *
leat_plan_check_writers (LeatPlan *self)
{
  g_autofree gboolean *given = leat_plan_list_given (self);
  g_autofree LeatNode **writers = g_new0 (LeatNode *, self->buffers->len + 1);

  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches && op->kind != LEAT_OP_LOOP; t++)
        {
          const LeatBuffer *buffer = leat_plan_get_buffer (self, op->touches[t].buffer);

          if ((op->touches[t].access & LEAT_ACCESS_WRITE) == 0 || !given[buffer->id] || buffer->carried
              || buffer->kind != LEAT_BUFFER_DEVICE)
            continue;
          if (writers[buffer->id] != NULL && writers[buffer->id] != op->node)
            return leat_op_tell_fault (op, "writes %s, which \"%s\" writes too", buffer->name,
                                       leat_node_get_name (writers[buffer->id]));
          writers[buffer->id] = op->node;
        }
    }
  return NULL;
}

static char *
leat_plan_check_loop (LeatPlan *self, const LeatPlanLoop *loop)
{
  if (loop->first > loop->last || loop->last >= self->ops->len)
    return g_strdup_printf ("loop %u has ops %u to %u of %u", loop->index, loop->first, loop->last, self->ops->len);
  if (leat_plan_get_op (self, loop->first)->runs != loop)
    return leat_op_tell_fault (leat_plan_get_op (self, loop->first), "does not begin the loop that it stands for");
  for (guint i = 0; i < loop->delays->len; i++)
    if (!leat_plan_get_buffer (self, g_array_index (loop->delays, LeatDelay, i).state)->carried)
      return g_strdup_printf ("loop %u carries on a buffer that is not carried", loop->index);
  return NULL;
}

static char *
leat_plan_check_op (LeatPlan *self, const LeatOp *op, guint index)
{
  char *fault = op->index != index ? leat_op_tell_fault (op, "has another number than its place, %u", index) : NULL;

  if (fault == NULL)
    fault = leat_plan_check_names (self, op);
  if (fault == NULL)
    fault = leat_plan_check_move (self, op);
  if (fault == NULL)
    fault = leat_plan_check_place (self, op);
  return fault;
}

static char *
leat_plan_check_states (LeatPlan *self)
{
  for (guint i = 0; i < self->delays->len; i++)
    if (leat_plan_get_buffer (self, g_array_index (self->delays, LeatDelay, i).state)->kind != LEAT_BUFFER_STATE)
      return g_strdup_printf ("%s goes on from run to run and is no state",
                              leat_plan_get_buffer (self, g_array_index (self->delays, LeatDelay, i).state)->name);
  return NULL;
}

char *
leat_plan_find_broken_rule (LeatPlan *self)
{
  g_autofree guint *writers = NULL;
  char *fault = NULL;

  for (guint i = 0; i < self->loops->len && fault == NULL; i++)
    fault = leat_plan_check_loop (self, g_ptr_array_index (self->loops, i));
  for (guint i = 0; i < self->ops->len && fault == NULL; i++)
    fault = leat_plan_check_op (self, leat_plan_get_op (self, i), i);
  if (fault != NULL)
    return fault;
  writers = leat_plan_list_first_writers (self);
  for (guint i = 0; i < self->ops->len && fault == NULL; i++)
    fault = leat_plan_check_reads (self, leat_plan_get_op (self, i), writers);
  if (fault == NULL)
    fault = leat_plan_check_writers (self);
  return fault != NULL ? fault : leat_plan_check_states (self);
}
