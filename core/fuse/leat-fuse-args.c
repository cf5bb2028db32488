/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arguments of the functions that one kernel is made of: its own parameters, sizes that are known, and local
 * variables. */

#include "leat-fuse-writer-private.h"

/* An argument whose value comes with the launch. */
static char *
leat_fuse_writer_dup_scalar (LeatFuseWriter *self, const LeatFuseStage *stage, guint index)
{
  const LeatOpArg *from = &stage->op->args[index];
  LeatOpArg arg = { from->kind, LEAT_BUFFER_NONE, NULL, g_strdup (from->name), stage->op->node };
  g_autofree char *declaration = NULL;
  char *name = g_strdup_printf ("v%u", self->n_values++);

  if (from->value != NULL)
    arg.value = g_bytes_ref (from->value);
  declaration = g_strdup_printf ("%s %s", leat_fuse_get_c_type (&stage->op->prototype->params[index]), name);
  leat_kernel_fuse_add_param (self->text, declaration);
  g_array_append_val (self->args, arg);
  return name;
}

char *
leat_fuse_writer_dup_local (LeatFuseWriter *self, LeatBufferId id)
{
  return g_strdup_printf ("r%u", id);
}

/* Of an item: that it is the thread's own, or one around it; and what its mark says, where it has one. */
static char *
leat_fuse_writer_dup_checked (LeatFuseWriter *self, const LeatFuseStage *stage, guint index)
{
  const LeatParam *param = &stage->op->prototype->params[index];
  g_autofree char *at = leat_fuse_writer_dup_marked (self, stage, index);
  g_autofree char *type = leat_fuse_writer_dup_marked_type (self, stage, index);

  return g_strdup_printf ("leat_fuse_checked<%s%s, %s> { %s, leat_at, %" G_GUINT64_FORMAT "u, &leat_wrong }",
                          leat_op_only_reads (stage->op, index) ? "const " : "", leat_fuse_get_c_type (param), type, at,
                          leat_op_only_reads (stage->op, index) ? leat_op_get_reach (stage->op) : 0);
}

static char *
leat_fuse_writer_dup_pointer (LeatFuseWriter *self, const LeatFuseStage *stage, guint index, gboolean per_item)
{
  const LeatParam *param = &stage->op->prototype->params[index];
  LeatBufferId id = stage->op->args[index].buffer;
  const char *constant = leat_op_only_reads (stage->op, index) ? "const " : "", *type = leat_fuse_get_c_type (param);
  const char *items;

  if (id == LEAT_BUFFER_NONE)
    return g_strdup (per_item || leat_fuser_is_marked (self->fuser, stage) ? "(unsigned char *) nullptr"
                                                                           : "leat_fuse_any { nullptr }");
  if (!per_item && leat_fuser_is_marked (self->fuser, stage))
    return leat_fuse_writer_dup_marked (self, stage, index);
  if (leat_fuser_has_window (self->fuser, stage, id))
    return g_strdup_printf ("leat_fuse_window<%s%s> { (%s%s *) leat_cells[%u], leat_first }", constant, type, constant,
                            type, self->fuser->windows[id].slot - 1);
  if (leat_fuser_is_kept (self->fuser, id))
    {
      g_autofree char *local = leat_fuse_writer_dup_local (self, id);

      return g_strdup_printf ("leat_fuse_cell<%s%s> { &%s }", constant, type, local);
    }
  items = leat_fuse_writer_get_items (self, id);
  if (!per_item)
    return g_strdup_printf ("leat_fuse_any { %s }", items);
  if (self->fuser->call->is_checked && stage->traits.indexed[index])
    return leat_fuse_writer_dup_checked (self, stage, index);
  return g_strdup_printf ("(%s%s *) %s", constant, type, items);
}

static char *
leat_fuse_writer_dup_count (LeatFuseWriter *self, const LeatOpArg *arg)
{
  LeatBufferId origin = leat_fuser_get_count_origin (self->fuser, arg->buffer);

  return g_strdup_printf ("%s * %" G_GUINT64_FORMAT "ull", leat_fuse_writer_get_count (self, origin, TRUE),
                          leat_op_arg_get_number (arg));
}

/* Functions that take any pointer want to know which. */
static char *
leat_fuse_writer_dup_count_at (LeatFuseWriter *self, const LeatFuseStage *stage, guint index, gboolean per_item)
{
  const LeatParam *param = &stage->op->prototype->params[index];
  const char *at = leat_fuse_writer_get_count (self, stage->op->args[index].buffer, FALSE);

  if (param->kind != LEAT_PARAM_OUTPUT_COUNT && (per_item || leat_fuser_is_marked (self->fuser, stage)))
    return g_strdup_printf ("(%s%s *) %s", leat_op_only_reads (stage->op, index) ? "const " : "",
                            leat_fuse_get_c_type (param), at);
  return g_strdup_printf ("leat_fuse_any { %s }", at);
}

char *
leat_fuse_writer_dup_argument (LeatFuseWriter *self, const LeatFuseStage *stage, guint index, gboolean per_item)
{
  const LeatOpArg *arg = &stage->op->args[index];
  const LeatParam *param = &stage->op->prototype->params[index];
  LeatRole role = leat_op_get_role (stage->op, index);
  g_autofree char *number = NULL;

  if (role == LEAT_ROLE_ITEMS)
    return leat_fuse_writer_dup_pointer (self, stage, index, per_item);
  if (role == LEAT_ROLE_COUNT_AT)
    return leat_fuse_writer_dup_count_at (self, stage, index, per_item);
  if (role == LEAT_ROLE_NODE_ARG || param->kind == LEAT_PARAM_SCALAR)
    return leat_fuse_writer_dup_scalar (self, stage, index);
  number = role == LEAT_ROLE_COUNT ? leat_fuse_writer_dup_count (self, arg)
                                   : g_strdup_printf ("%" G_GUINT64_FORMAT "ull", leat_op_arg_get_number (arg));
  return g_strdup_printf ("(%s%s) (%s)", leat_fuse_get_c_type (param), leat_param_is_pointer (param) ? " *" : "",
                          number);
}

char *
leat_fuse_writer_dup_arguments (LeatFuseWriter *self, const LeatFuseStage *stage, gboolean per_item)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < stage->op->n_args; i++)
    {
      g_autofree char *one = leat_fuse_writer_dup_argument (self, stage, i, per_item);

      g_string_append_printf (text, "%s%s", i > 0 ? ", " : "", one);
    }
  return g_string_free (text, FALSE);
}
