/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Names of what a fused kernel is given: its parameters for items and for counts, each added when it is first asked
 * for.  Touches the writer alone. */

#include "leat-fuse-writer-private.h"
#include "graph/leat-graph-error.h"

static const char *
leat_fuse_writer_find (LeatFuseWriter *self, const char *kind, LeatBufferId id, char **key)
{
  *key = g_strdup_printf ("%s %u", kind, id);
  return g_hash_table_lookup (self->known, *key);
}

static const char *
leat_fuse_writer_add (LeatFuseWriter *self, char *key, char *name, const char *declaration, LeatArgKind kind,
                      LeatBufferId id)
{
  LeatOpArg arg = { .kind = kind, .buffer = id };

  leat_kernel_fuse_add_param (self->text, declaration);
  g_array_append_val (self->args, arg);
  g_hash_table_insert (self->known, key, name);
  return name;
}

const char *
leat_fuse_writer_get_items (LeatFuseWriter *self, LeatBufferId id)
{
  g_autofree char *key = NULL, *declaration = NULL;
  const char *known = leat_fuse_writer_find (self, "items", id, &key);
  gboolean written;
  char *name;

  if (known != NULL)
    return known;
  name = g_strdup_printf ("a%u", self->n_buffers++);
  written = leat_fuser_writes (self->fuser, id) || (self->fuser->n_words > 0 && id == self->fuser->words)
            || (self->fuser->n_marks > 0 && id == self->fuser->marks);
  declaration = g_strdup_printf ("%sunsigned char *%s", written ? "" : "const ", name);
  return leat_fuse_writer_add (self, g_steal_pointer (&key), name, declaration, LEAT_ARG_ITEMS, id);
}

/* A kernel that keeps the count that there is changes nothing. */
static gboolean
leat_op_counts_into (LeatPlan *plan, const LeatOp *op, LeatBufferId root)
{
  if (op->counts_like != LEAT_BUFFER_NONE && leat_plan_follow_memory (plan, op->counts_like) == root)
    return FALSE;
  for (guint i = 0; op->kind == LEAT_OP_KERNEL && i < op->n_args; i++)
    if (leat_op_get_role (op, i) == LEAT_ROLE_COUNT_AT && !leat_op_only_reads (op, i)
        && leat_plan_follow_memory (plan, op->args[i].buffer) == root)
      return TRUE;
  return FALSE;
}

/* A count that comes back from a buffer whose count is that of the memory itself changes nothing. */
static gboolean
leat_fuser_moves_count (LeatFuser *self, const LeatOp *op, LeatBufferId root)
{
  if ((op->kind != LEAT_OP_COPY && op->kind != LEAT_OP_FILL) || leat_plan_follow_memory (self->plan, op->to) != root)
    return FALSE;
  return op->kind == LEAT_OP_FILL
           ? leat_op_is_of_count (self->plan, op)
           : leat_plan_follow_memory (self->plan, leat_fuser_get_count_origin (self, op->from)) != root;
}

/* The op that makes the number of items in some memory another one, a kernel where there is one; NULL: the number is
 * what it was when the whole began. */
static const LeatOp *
leat_fuser_find_counter (LeatFuser *self, LeatBufferId root)
{
  const LeatOp *other = NULL;

  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatOp *op = g_array_index (self->stages, LeatFuseStage, i).op;

      if (leat_op_counts_into (self->plan, op, root))
        return op;
      if (other == NULL && leat_fuser_moves_count (self, op, root))
        other = op;
    }
  return self->loop != NULL && leat_op_counts_into (self->plan, self->test.op, root) ? self->test.op : other;
}

gboolean
leat_fuser_keeps_count (LeatFuser *self, LeatBufferId id)
{
  return leat_fuser_find_counter (self, leat_plan_follow_memory (self->plan, id)) == NULL;
}

static void
leat_fuse_writer_check_count (LeatFuseWriter *self, LeatBufferId id)
{
  LeatFuser *fuser = self->fuser;
  const LeatOp *counter = leat_fuser_find_counter (fuser, leat_plan_follow_memory (fuser->plan, id)), *from = counter;
  const char *advice = fuser->loop != NULL ? "set another method=" : "end the body before what takes it";
  g_autofree char *who = NULL;

  if (counter == NULL)
    return;
  if (counter->kind == LEAT_OP_COPY) /* who has counted what goes on? */
    from = leat_fuser_find_counter (
      fuser, leat_plan_follow_memory (fuser->plan, leat_fuser_get_count_origin (fuser, counter->from)));
  if (from != NULL && from->kind == LEAT_OP_KERNEL)
    who = g_strdup_printf ("is counted in the body by %s \"%s\"", leat_node_get_id (from->node),
                           leat_node_get_name (from->node));
  else
    who = g_strdup ("gets another number of items in the body");
  g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED,
               "%s %s, and how much there is of it is needed there when the kernel begins: %s",
               leat_plan_get_buffer (fuser->plan, id)->name, who, advice);
}

/* The number of items by value is that of an input, so what the kernel writes comes as one besides. */
static const char *
leat_fuse_writer_get_counted (LeatFuseWriter *self, LeatBufferId id)
{
  g_autofree char *key = NULL, *declaration = NULL;
  const char *known = leat_fuse_writer_find (self, "counted", id, &key);
  char *name;

  if (known != NULL || !leat_fuser_writes (self->fuser, id))
    return known != NULL ? known : leat_fuse_writer_get_items (self, id);
  name = g_strdup_printf ("a%u", self->n_buffers++);
  declaration = g_strdup_printf ("const unsigned char *%s", name);
  return leat_fuse_writer_add (self, g_steal_pointer (&key), name, declaration, LEAT_ARG_ITEMS, id);
}

/* The name and the declaration of the one or the other.  Where nothing in the kernel writes the buffer, `NAME_count` is
 * the number itself. */
static char *
leat_fuse_writer_name_count (LeatFuseWriter *self, LeatBufferId id, gboolean by_value, char **declaration)
{
  const char *items = by_value ? leat_fuse_writer_get_counted (self, id) : leat_fuse_writer_get_items (self, id);
  gboolean only_read = !by_value && !leat_fuser_writes (self->fuser, id);
  char *name = g_strdup_printf ("%s_%s", items, only_read ? "counted" : "count");

  *declaration = g_strdup_printf ("%suint64_t %s%s", only_read ? "const " : "", by_value ? "" : "*", name);
  return name;
}

/* @by_value: the number itself, as nothing in the kernel changes it; else where it is */
const char *
leat_fuse_writer_get_count (LeatFuseWriter *self, LeatBufferId id, gboolean by_value)
{
  g_autofree char *key = NULL, *declaration = NULL;
  const char *known = leat_fuse_writer_find (self, by_value ? "count of" : "count at", id, &key);
  char *name;

  if (known != NULL)
    return known;
  if (by_value && self->error == NULL)
    leat_fuse_writer_check_count (self, id);
  name = leat_fuse_writer_name_count (self, id, by_value, &declaration);
  return leat_fuse_writer_add (self, g_steal_pointer (&key), name, declaration, LEAT_ARG_COUNT, id);
}
