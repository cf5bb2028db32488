/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The calls of a unit of a fused text: what the stages that go item by item declare, call and check.  Touches the
 * writer alone. */

#include "leat-fuse-writer-private.h"

void
leat_fuse_writer_declare_locals (LeatFuseWriter *self, guint unit)
{
  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, i);

      for (guint a = 0; stage->unit == unit && a < stage->op->n_args; a++)
        if (leat_op_get_role (stage->op, a) == LEAT_ROLE_ITEMS && !leat_op_only_reads (stage->op, a)
            && leat_fuser_is_kept (self->fuser, stage->op->args[a].buffer))
          {
            g_autofree char *name = leat_fuse_writer_dup_local (self, stage->op->args[a].buffer);

            leat_kernel_fuse_add_local (self->text, leat_fuse_get_c_type (&stage->op->prototype->params[a]), name);
          }
    }
  if (self->fuser->call->is_checked)
    leat_kernel_fuse_add_local (self->text, "uint64_t", "leat_wrong");
}

char *
leat_fuse_writer_dup_items (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  guint64 factor;
  LeatBufferId id = leat_fuser_get_items (self->fuser, stage, &factor);

  return id != LEAT_BUFFER_NONE
           ? g_strdup_printf ("%s * %" G_GUINT64_FORMAT "ull", leat_fuse_writer_get_count (self, id, TRUE), factor)
           : g_strdup_printf ("%" G_GUINT64_FORMAT "%s", factor, factor <= G_MAXINT32 ? "u" : "ull");
}

/* The access that a node declares, and what it does instead; NULL: nothing is looked at. */
static char *
leat_fuse_writer_dup_wrong (LeatFuseWriter *self, const LeatFuseStage *stage, gboolean per_item)
{
  gboolean near = stage->op->pattern == LEAT_PATTERN_STENCIL;
  g_autofree char *access = leat_stage_dup_access (stage), *givers = leat_fuse_writer_dup_givers (self, stage);

  if (per_item)
    return g_strdup_printf ("%s and touches %s", access,
                            near ? "an item that is further away" : "another item than its own");
  if (givers == NULL)
    return NULL;
  return g_strdup_printf ("%s and reads an item that %s, of what %s", access,
                          !near                                 ? "its block has not written"
                          : leat_marks_is_by_number (stage->op) ? "is further away from those of its block"
                                                                : "neither its block nor those around it have written",
                          givers);
}

/* Behind its call. */
static void
leat_fuse_writer_check (LeatFuseWriter *self, const LeatFuseStage *stage, gboolean per_item)
{
  g_autofree char *says = leat_fuse_writer_dup_wrong (self, stage, per_item);
  g_autofree char *at =
    per_item ? g_strdup ("leat_at")
             : g_strdup_printf ("(uint64_t) leat_tile * %uu + threadIdx.x", leat_op_count_threads (stage->op));

  if (says != NULL)
    leat_fuse_writer_tell (self, stage, says, at, "leat_wrong");
  leat_fuse_writer_tell_lost (self, stage, at);
}

static gboolean
leat_fuse_writer_meets (LeatFuseWriter *self, guint unit)
{
  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, i);

      if (stage->unit == unit && (stage->traits.has_shared || stage->op->pattern == LEAT_PATTERN_BLOCK))
        return TRUE;
    }
  return FALSE;
}

/* The barriers of a file are others where a kernel of it that is used is left by threads while others wait. */
static gboolean
leat_fuse_writer_leaves (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  for (guint i = 0; i < self->fuser->stages->len && stage->traits.waits; i++)
    {
      const LeatFuseStage *other = &g_array_index (self->fuser->stages, LeatFuseStage, i);

      if (other->op->kind == LEAT_OP_KERNEL && other->traits.leaves
          && leat_kernel_source_equal (other->op->source, stage->op->source))
        return TRUE;
    }
  return FALSE;
}

static void
leat_fuse_writer_call (LeatFuseWriter *self, const LeatFuseStage *stage, const char *function, const char *arguments,
                       gboolean meets)
{
  gboolean leaves = leat_fuse_writer_leaves (self, stage);

  if (leaves)
    leat_kernel_fuse_begin_leaving (self->text);
  leat_kernel_fuse_add_call (self->text, function, arguments, meets && !leaves);
  if (leaves)
    leat_kernel_fuse_end_leaving (self->text);
}

void
leat_fuse_writer_write_calls (LeatFuseWriter *self, guint unit, gboolean per_item)
{
  gboolean meets = !per_item && leat_fuse_writer_meets (self, unit);

  for (guint i = unit; i < self->fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, i);
      gboolean marked = !per_item && leat_fuser_is_marked (self->fuser, stage), checked;
      g_autofree char *function = NULL, *arguments = NULL;
      LeatFuseForm form;

      if (stage->unit != unit)
        continue;
      leat_fuse_writer_comment (self, stage);
      form = marked                                 ? LEAT_FUSE_THREAD
             : !per_item                            ? LEAT_FUSE_BLOCK
             : stage->traits.form == LEAT_FUSE_ITEM ? LEAT_FUSE_ITEM
                                                    : LEAT_FUSE_THREAD;
      checked = (per_item && self->fuser->call->is_checked) || marked;
      if (checked)
        leat_fuse_writer_declare_lost (self, stage);
      function = leat_fuse_writer_add_function (self, stage, form);
      arguments = leat_fuse_writer_dup_arguments (self, stage, per_item);
      if (form == LEAT_FUSE_THREAD && per_item)
        leat_kernel_fuse_add_thread_call (self->text, function, arguments, stage->op->grid[0], stage->op->block[0]);
      else
        leat_fuse_writer_call (self, stage, function, arguments, meets);
      if (checked)
        leat_fuse_writer_check (self, stage, per_item);
    }
}
