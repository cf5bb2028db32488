/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-fuse-writer-private.h"

/* With check=true: are units that go block by block what their nodes say, each block on with what it did itself?
 *
 * For each item that one kernel of a unit hands on to another there is a mark.  Who writes the item leaves the number
 * of the block there, with that of the launch, and who reads it looks whether it is its own.  Blocks take the kernels
 * in one order, so that what a block has written is marked when it comes to read it; an item without the mark was
 * written by another block, sooner or later, or by nobody.
 *
 * It is done where pointers are used as NAME[...] alone, and for what nothing else in the body writes. */

static const char leat_marks_declarations[] =
  "template <class T> struct leat_fuse_marking\n"
  "{\n"
  "  T *at;\n"
  "  uint64_t *marks, n, mark, *wrong;\n"
  "  template <class I> __device__ __forceinline__ T &operator[] (I i) const\n"
  "  {\n"
  "    if ((uint64_t) i < n)\n"
  "      marks[i] = mark;\n"
  "    return at[i];\n"
  "  }\n"
  "};\n"
  "template <class T> struct leat_fuse_marked\n"
  "{\n"
  "  T *at;\n"
  "  uint64_t *marks, n, mark, *wrong;\n"
  "  template <class I> __device__ __forceinline__ T &operator[] (I i) const\n"
  "  {\n"
  "    if ((uint64_t) i >= n || marks[i] != mark)\n"
  "      *wrong = (uint64_t) i + 1;\n"
  "    return at[i];\n"
  "  }\n"
  "};\n";

static const LeatStage *
leat_marks_at (const LeatFuser *fuser, guint index)
{
  return &g_array_index (fuser->stages, LeatStage, index);
}

static guint64
leat_marks_count_items (LeatPlan *plan, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (plan, id);

  return buffer->bytes / leat_dtype_get_size (leat_spec_get_dtype (buffer->spec));
}

/* Each pointer can be given something that looks like one. */
static gboolean
leat_marks_is_plain (const LeatStage *stage)
{
  if (stage->op->kind != LEAT_OP_KERNEL)
    return FALSE;
  for (guint i = 0; i < stage->op->n_args; i++)
    {
      const LeatParam *param = &stage->op->prototype->params[i];

      if ((param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT) && leat_fuse_get_c_type (param) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* Does one kernel of the unit hand it on to another, and is all that is done to it seen? */
static gboolean
leat_marks_wants (LeatFuser *fuser, guint unit, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (fuser->plan, id);
  gboolean written = FALSE, read = FALSE;

  if (buffer->kind != LEAT_BUFFER_DEVICE || buffer->spec == NULL || leat_fuser_has_alias (fuser, id))
    return FALSE;
  for (guint i = 0; i < fuser->stages->len; i++)
    {
      const LeatStage *stage = leat_marks_at (fuser, i);
      LeatAccess access = leat_stage_get_access (stage, id);

      if ((access & LEAT_ACCESS_WRITE) != 0
          && (stage->unit != unit || access != LEAT_ACCESS_WRITE || !leat_marks_is_plain (stage)
              || leat_stage_get_type (stage, id) == NULL))
        return FALSE;
      written = written || (access & LEAT_ACCESS_WRITE) != 0;
      read = read || (written && access == LEAT_ACCESS_READ && stage->unit == unit);
    }
  return read;
}

/* And for each block of the unit there is the number of the launch. */
static void
leat_marks_find_unit (LeatFuser *fuser, guint unit)
{
  guint64 before = fuser->n_marks;

  for (guint id = 0; id < fuser->plan->buffers->len; id++)
    if (fuser->marks_of[id] == 0 && leat_marks_wants (fuser, unit, id))
      {
        fuser->marks_of[id] = fuser->n_marks + 1;
        fuser->n_marks += leat_marks_count_items (fuser->plan, id);
      }
  if (fuser->n_marks == before)
    return;
  fuser->turns_of[unit] = fuser->n_marks + 1;
  fuser->n_marks += leat_op_count_blocks (leat_marks_at (fuser, unit)->op);
}

void
leat_fuser_find_marks (LeatFuser *self)
{
  self->marks_of = g_new0 (guint64, self->plan->buffers->len + 1);
  self->turns_of = g_new0 (guint64, self->stages->len + 1);
  for (guint i = 0; i < self->stages->len && self->call->is_checked; i++)
    if (leat_marks_at (self, i)->unit == i && leat_marks_at (self, i)->op->kind == LEAT_OP_KERNEL
        && !leat_fuser_is_per_item (self, i))
      leat_marks_find_unit (self, i);
}

gboolean
leat_fuser_is_marked (const LeatFuser *self, const LeatStage *stage)
{
  return self->turns_of[stage->unit] > 0 && leat_marks_is_plain (stage);
}

char *
leat_fuse_writer_dup_marked (LeatFuseWriter *self, const LeatStage *stage, guint index)
{
  const LeatFuser *fuser = self->fuser;
  const LeatParam *param = &stage->op->prototype->params[index];
  LeatBufferId id = stage->op->args[index].buffer;
  const char *constant = param->kind == LEAT_PARAM_INPUT ? "const " : "", *type = leat_fuse_get_c_type (param);
  const char *items = leat_fuse_writer_get_items (self, id);

  if (fuser->marks_of[id] == 0 || leat_stage_get_type (stage, id) == NULL)
    return g_strdup_printf ("(%s%s *) %s", constant, type, items);
  return g_strdup_printf ("leat_fuse_%s<%s%s> { (%s%s *) %s, (uint64_t *) %s + %" G_GUINT64_FORMAT
                          "ull, %" G_GUINT64_FORMAT "ull, leat_mark, &leat_wrong }",
                          param->kind == LEAT_PARAM_INPUT ? "marked" : "marking", constant, type, constant, type, items,
                          leat_fuse_writer_get_items (self, fuser->marks), fuser->marks_of[id] - 1,
                          leat_marks_count_items (fuser->plan, id));
}

void
leat_fuse_writer_begin_marks (LeatFuseWriter *self, guint unit)
{
  const char *marks;

  if (self->fuser->turns_of[unit] == 0)
    return;
  marks = leat_fuse_writer_get_items (self, self->fuser->marks);
  if (!self->has_marks)
    leat_kernel_fuse_add_declaration (self->text, leat_marks_declarations);
  self->has_marks = TRUE;
  leat_fuse_writer_state (self,
                          "    const uint64_t leat_mark = ((((uint64_t *) %s)[%" G_GUINT64_FORMAT
                          "ull + leat_tile] + 1) << 32) + leat_tile;",
                          marks, self->fuser->turns_of[unit] - 1);
  leat_kernel_fuse_add_local (self->text, "uint64_t", "leat_wrong");
}

/* All threads have looked at the number of the launch by then. */
void
leat_fuse_writer_end_marks (LeatFuseWriter *self, guint unit)
{
  if (self->fuser->turns_of[unit] == 0)
    return;
  leat_kernel_fuse_add_meeting (self->text);
  leat_fuse_writer_state (self, "    if (threadIdx.x == 0) ((uint64_t *) %s)[%" G_GUINT64_FORMAT "ull + leat_tile]++;",
                          leat_fuse_writer_get_items (self, self->fuser->marks), self->fuser->turns_of[unit] - 1);
}
