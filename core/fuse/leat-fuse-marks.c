/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Checks in the kernel, with check=true, that no item is read before it was written: finds the items to be marked, and
 * writes the text for them.  Touches the fuser and the writer's text only. */

#include "leat-fuse-writer-private.h"

#include "graph/leat-node-private.h"

/* With check=true: are kernels what their nodes say where not each item goes by itself?
 *
 * For each item that one kernel hands on to another without a barrier there is a mark.  The writer of the item leaves
 * the number of its block there, with that of the launch.  A reader checks whether that is its own block, or one of
 * those around it that it has waited for.  Blocks take the kernels in one order, so items that a block has written are
 * marked when it comes to read them; an item without such a mark was written by another block, sooner or later, or by
 * nobody.
 *
 * The item's number tells whose fault that is, where it is known which block does it.  If the reader was to read the
 * item, the other one was to write it.  A stencil is held to its reach then, counted from the items of its block.
 *
 * It is done where pointers are used as NAME[...] alone, and for items that nothing else in the body writes. */

/* `own`: so many items are a block's, and all blocks' `all`, where items go by the numbers of threads along one axis;
 * else 0. */
static const char leat_marks_declarations[] =
  "template <class T> struct leat_fuse_marking\n"
  "{\n"
  "  T *at;\n"
  "  uint64_t *marks, n, mark;\n"
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
  "  const uint64_t *marks;\n"
  "  uint64_t n, mark;\n"
  "  uint3 grid, near;\n"
  "  uint64_t own, all, reach, *wrong, *lost;\n"
  "  __device__ __forceinline__ bool is_near (unsigned int a, unsigned int b, unsigned int by) const\n"
  "  {\n"
  "    return a <= b + by && b <= a + by;\n"
  "  }\n"
  "  __device__ __forceinline__ bool is_there (uint64_t other) const\n"
  "  {\n"
  "    unsigned int a = (unsigned int) mark, b = (unsigned int) other;\n"
  "    return mark >> 32 == other >> 32 && is_near (a % grid.x, b % grid.x, near.x)\n"
  "           && is_near (a / grid.x % grid.y, b / grid.x % grid.y, near.y)\n"
  "           && is_near (a / grid.x / grid.y, b / grid.x / grid.y, near.z);\n"
  "  }\n"
  "  __device__ __forceinline__ bool is_own (uint64_t i) const\n"
  "  {\n"
  "    uint64_t first = (mark & 0xffffffffu) * own, item = own > 0 ? i % all : 0;\n"
  "    return own > 0 && i < n && item + reach >= first && item < first + own + reach;\n"
  "  }\n"
  "  template <class I> __device__ __forceinline__ T &operator[] (I i) const\n"
  "  {\n"
  "    if ((uint64_t) i >= n || !is_there (marks[i]) || (own > 0 && reach > 0 && !is_own ((uint64_t) i)))\n"
  "      *(is_own ((uint64_t) i) ? lost : wrong) = (uint64_t) i + 1;\n"
  "    return at[i];\n"
  "  }\n"
  "};\n";

/* In turns_of: the number of the launch is that which blocks wait by. */
#define LEAT_MARKS_OF_LAUNCH G_MAXUINT64

static const LeatFuseStage *
leat_marks_at (const LeatFuser *fuser, guint index)
{
  return &g_array_index (fuser->stages, LeatFuseStage, index);
}

static guint64
leat_marks_count_items (LeatPlan *plan, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (plan, id);

  return buffer->bytes / leat_spec_get_item_bytes (buffer->spec);
}

/* Each pointer can be given something that looks like one. */
static gboolean
leat_marks_is_plain (const LeatFuseStage *stage)
{
  if (stage->op->kind != LEAT_OP_KERNEL)
    return FALSE;
  for (guint i = 0; i < stage->op->n_args; i++)
    {
      const LeatParam *param = &stage->op->prototype->params[i];

      if (leat_op_get_role (stage->op, i) == LEAT_ROLE_ITEMS && leat_fuse_get_c_type (param) == NULL)
        return FALSE;
    }
  return TRUE;
}

/* All that the stage does to it is seen. */
static gboolean
leat_marks_sees (const LeatFuseStage *stage, LeatBufferId id)
{
  return leat_marks_is_plain (stage) && leat_stage_get_type (stage, id) != NULL;
}

/* The stage whose items the one at @index is given, with no barrier between; its number where there is none. */
static guint
leat_marks_find_writer (const LeatFuser *fuser, guint index, LeatBufferId id)
{
  const LeatFuseStage *stage = leat_marks_at (fuser, index);

  for (guint i = index; i-- > 0;)
    if (!leat_marks_at (fuser, i)->alone && (leat_stage_get_access (leat_marks_at (fuser, i), id) & LEAT_ACCESS_WRITE))
      return leat_marks_at (fuser, i)->layer == stage->layer ? i : index;
  return index;
}

/* Each item goes by itself, which is looked at item by item. */
static gboolean
leat_marks_go_by_item (LeatFuser *fuser, guint writer, guint reader)
{
  return leat_fuser_is_per_item (fuser, leat_marks_at (fuser, writer)->unit)
         && leat_fuser_is_per_item (fuser, leat_marks_at (fuser, reader)->unit);
}

/* Does one kernel hand it on to another, and is all that is done to write it seen? */
static gboolean
leat_marks_wants (LeatFuser *fuser, LeatBufferId id)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (fuser->plan, id);
  const LeatFuseStage *writer = NULL;
  gboolean read = FALSE;

  if (buffer->kind != LEAT_BUFFER_DEVICE || buffer->spec == NULL || leat_fuser_has_alias (fuser, id))
    return FALSE;
  for (guint i = 0; i < fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_marks_at (fuser, i);
      LeatAccess access = stage->alone ? 0 : leat_stage_get_access (stage, id);
      guint from = access != 0 ? leat_marks_find_writer (fuser, i, id) : i;

      if (access & LEAT_ACCESS_WRITE)
        {
          if (access != LEAT_ACCESS_WRITE || !leat_marks_sees (stage, id)
              || (writer != NULL && writer->unit != stage->unit))
            return FALSE;
          writer = stage;
        }
      else if (from < i && leat_marks_sees (stage, id))
        read = read || !leat_marks_go_by_item (fuser, from, i);
    }
  return read;
}

/* Blocks of one unit that go on with what they did themselves count launches; where others wait for them, those do. */
static void
leat_marks_add_turns (LeatFuser *fuser, LeatBufferId id)
{
  for (guint i = 0; i < fuser->stages->len; i++)
    {
      guint unit = leat_marks_at (fuser, i)->unit, from = leat_marks_find_writer (fuser, i, id), on;

      if (from == i || leat_marks_at (fuser, i)->alone || leat_stage_get_access (leat_marks_at (fuser, i), id) == 0)
        continue;
      on = leat_marks_at (fuser, from)->unit;
      if (on != unit)
        fuser->turns_of[unit] = fuser->turns_of[on] = LEAT_MARKS_OF_LAUNCH;
      else if (fuser->turns_of[unit] == 0)
        fuser->turns_of[unit] = 1;
    }
}

void
leat_fuser_find_marks (LeatFuser *self)
{
  self->marks_of = g_new0 (guint64, self->plan->buffers->len + 1);
  self->turns_of = g_new0 (guint64, self->stages->len + 1);
  for (guint id = 0; id < self->plan->buffers->len && self->call->is_checked; id++)
    if (leat_marks_wants (self, id))
      {
        self->marks_of[id] = self->n_marks + 1;
        self->n_marks += leat_marks_count_items (self->plan, id);
        leat_marks_add_turns (self, id);
      }
  for (guint unit = 0; unit < self->stages->len; unit++)
    if (self->turns_of[unit] == 1)
      {
        self->turns_of[unit] = self->n_marks + 1;
        self->n_marks += leat_op_count_blocks (leat_marks_at (self, unit)->op);
      }
}

gboolean
leat_fuser_is_marked (const LeatFuser *self, const LeatFuseStage *stage)
{
  return self->turns_of[stage->unit] > 0 && leat_marks_is_plain (stage);
}

static char *
leat_marks_dup_name (const LeatFuseStage *stage)
{
  return g_strdup_printf ("%s \"%s\"", leat_node_get_id (stage->op->node), leat_node_get_name (stage->op->node));
}

/* The same within a string of the kernel's text. */
static char *
leat_marks_dup_quoted (const LeatFuseStage *stage)
{
  return g_strdup_printf ("%s \\\"%s\\\"", leat_node_get_id (stage->op->node), leat_node_get_name (stage->op->node));
}

/* Why not all is seen that the stage does to it; NULL: it is. */
static char *
leat_marks_dup_why (const LeatFuseStage *stage, LeatBufferId id)
{
  g_autofree char *name = leat_marks_dup_name (stage);

  for (guint a = 0; a < stage->op->n_args; a++)
    {
      const LeatParam *param = &stage->op->prototype->params[a];

      if (leat_op_get_role (stage->op, a) != LEAT_ROLE_ITEMS)
        continue;
      if (leat_fuse_get_c_type (param) == NULL)
        return g_strdup_printf ("the items of %s in %s are not plain numbers", param->name, name);
      if (stage->op->args[a].buffer == id && !stage->traits.indexed[a])
        return g_strdup_printf ("%s uses %s otherwise than as %s[...]", name, param->name, param->name);
    }
  return leat_stage_get_type (stage, id) == NULL ? g_strdup_printf ("%s has it as items of two types", name) : NULL;
}

/* Of what stage @index is given by the one at @from, or overwrites of it. */
static char *
leat_marks_dup_unchecked (LeatFuser *fuser, guint from, guint index, LeatBufferId id)
{
  const LeatFuseStage *before = leat_marks_at (fuser, from), *stage = leat_marks_at (fuser, index);
  LeatAccess first = leat_stage_get_access (before, id), then = leat_stage_get_access (stage, id);
  char *why;

  if (first == 0 || then == 0 || !((first | then) & LEAT_ACCESS_WRITE))
    return NULL;
  why = leat_marks_dup_why (before, id);
  why = why != NULL ? why : leat_marks_dup_why (stage, id);
  if (why != NULL || leat_marks_go_by_item (fuser, from, index))
    return why;
  return fuser->marks_of[id] == 0 || (then & LEAT_ACCESS_WRITE)
           ? g_strdup ("what is handed on is overwritten in place, or filled before")
           : NULL;
}

char *
leat_fuser_dup_unchecked (LeatFuser *self, guint index, guint *with)
{
  const LeatFuseStage *stage = leat_marks_at (self, index);

  for (guint i = 0; i < index && self->call->is_checked && !stage->alone; i++)
    {
      const LeatFuseStage *before = leat_marks_at (self, i);

      *with = i;
      if (before->alone || before->layer != stage->layer || !leat_fuser_conflict (self, before->op, stage->op))
        continue;
      for (guint t = 0; t < stage->op->n_touches; t++)
        {
          char *why = leat_marks_dup_unchecked (self, i, index, stage->op->touches[t].buffer);

          if (why != NULL)
            return why;
        }
    }
  return NULL;
}

static guint
leat_marks_get_index (const LeatFuser *fuser, const LeatFuseStage *stage)
{
  return (guint) (stage - leat_marks_at (fuser, 0));
}

/* The stage that wrote a parameter's items, where these have marks; the stage's own number where not. */
static guint
leat_marks_find_checked (const LeatFuser *fuser, const LeatFuseStage *stage, guint param)
{
  guint index = leat_marks_get_index (fuser, stage);
  LeatBufferId id = stage->op->args[param].buffer;

  if (leat_op_get_role (stage->op, param) != LEAT_ROLE_ITEMS || !leat_op_only_reads (stage->op, param)
      || id == LEAT_BUFFER_NONE || fuser->marks_of[id] == 0 || !leat_marks_sees (stage, id))
    return index;
  return leat_marks_find_writer (fuser, index, id);
}

/* Has one of the parameters before it the same of the same stage? */
static gboolean
leat_marks_is_known (const LeatFuser *fuser, const LeatFuseStage *stage, guint param)
{
  for (guint i = 0; i < param; i++)
    if (leat_marks_find_checked (fuser, stage, i) == leat_marks_find_checked (fuser, stage, param))
      return TRUE;
  return FALSE;
}

gboolean
leat_marks_is_by_number (const LeatOp *op)
{
  return op->pattern != LEAT_PATTERN_BLOCK && op->grid[1] * op->grid[2] * op->block[1] * op->block[2] == 1;
}

char *
leat_fuse_writer_dup_marked (LeatFuseWriter *self, const LeatFuseStage *stage, guint param)
{
  LeatFuser *fuser = self->fuser;
  const LeatOp *op = stage->op;
  LeatBufferId id = op->args[param].buffer;
  guint index = leat_marks_get_index (fuser, stage), from = leat_marks_find_checked (fuser, stage, param);
  gboolean reads = leat_op_only_reads (op, param);
  const char *constant = reads ? "const " : "", *type = leat_fuse_get_c_type (&op->prototype->params[param]);
  const char *items = leat_fuse_writer_get_items (self, id), *marks;
  guint own = leat_marks_is_by_number (op) ? op->block[0] : 0;
  LeatBorder border;

  if (fuser->marks_of[id] == 0 || (reads && from == index))
    return g_strdup_printf ("(%s%s *) %s", constant, type, items);
  marks = leat_fuse_writer_get_items (self, fuser->marks);
  if (!reads)
    return g_strdup_printf ("leat_fuse_marking<%s> { (%s *) %s, (uint64_t *) %s + %" G_GUINT64_FORMAT
                            "ull, %" G_GUINT64_FORMAT "ull, leat_mark }",
                            type, type, items, marks, fuser->marks_of[id] - 1,
                            leat_marks_count_items (fuser->plan, id));
  border = leat_fuser_find_border (fuser, leat_marks_at (fuser, from), stage);
  return g_strdup_printf ("leat_fuse_marked<const %s> { (const %s *) %s, (const uint64_t *) %s + %" G_GUINT64_FORMAT
                          "ull, %" G_GUINT64_FORMAT
                          "ull, leat_mark, uint3 { %u, %u, %u }, uint3 { %u, %u, %u }, %uu, %" G_GUINT64_FORMAT
                          "ull, %" G_GUINT64_FORMAT "ull, &leat_wrong, &leat_lost_%u_%u }",
                          type, type, items, marks, fuser->marks_of[id] - 1, leat_marks_count_items (fuser->plan, id),
                          op->grid[0], op->grid[1], op->grid[2], border.blocks[0], border.blocks[1], border.blocks[2],
                          own, (guint64) op->grid[0] * op->block[0], leat_op_get_reach (op), index, from);
}

/* The type of it. */
char *
leat_fuse_writer_dup_marked_type (LeatFuseWriter *self, const LeatFuseStage *stage, guint param)
{
  const LeatFuser *fuser = self->fuser;
  LeatBufferId id = stage->op->args[param].buffer;
  gboolean reads = leat_op_only_reads (stage->op, param);
  const char *type = leat_fuse_get_c_type (&stage->op->prototype->params[param]);

  if (fuser->marks_of[id] == 0
      || (reads && leat_marks_find_checked (fuser, stage, param) == leat_marks_get_index (fuser, stage)))
    return g_strdup_printf ("%s%s *", reads ? "const " : "", type);
  return reads ? g_strdup_printf ("leat_fuse_marked<const %s>", type) : g_strdup_printf ("leat_fuse_marking<%s>", type);
}

/* `kernel "a" and map "b" hand on` */
char *
leat_fuse_writer_dup_givers (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  GString *text = g_string_new (NULL);
  guint n = 0;

  for (guint a = 0; a < stage->op->n_args; a++)
    {
      guint from = leat_marks_find_checked (self->fuser, stage, a);
      g_autofree char *name = leat_marks_dup_quoted (leat_marks_at (self->fuser, from));

      if (from == leat_marks_get_index (self->fuser, stage) || leat_marks_is_known (self->fuser, stage, a))
        continue;
      g_string_append_printf (text, "%s%s", n++ > 0 ? " and " : "", name);
    }
  g_string_append (text, n == 1 ? " hands on" : " hand on");
  return g_string_free (text, n == 0);
}

void
leat_fuse_writer_declare_lost (LeatFuseWriter *self, const LeatFuseStage *stage)
{
  guint index = leat_marks_get_index (self->fuser, stage);

  for (guint a = 0; a < stage->op->n_args; a++)
    {
      guint from = leat_marks_find_checked (self->fuser, stage, a);
      g_autofree char *name = g_strdup_printf ("leat_lost_%u_%u", index, from);

      if (from != index && !leat_marks_is_known (self->fuser, stage, a))
        leat_kernel_fuse_add_local (self->text, "uint64_t", name);
    }
}

/* @at: of which item of the stage */
void
leat_fuse_writer_tell_lost (LeatFuseWriter *self, const LeatFuseStage *stage, const char *at)
{
  guint index = leat_marks_get_index (self->fuser, stage);

  for (guint a = 0; a < stage->op->n_args; a++)
    {
      guint from = leat_marks_find_checked (self->fuser, stage, a);
      const LeatFuseStage *writer = leat_marks_at (self->fuser, from);
      g_autofree char *name = leat_marks_dup_quoted (stage), *said = leat_stage_dup_access (writer), *variable = NULL;
      g_autofree char *what =
        g_strdup_printf ("%s, and an item that %s reads was not written by the block that has its number", said, name);

      if (from == index || leat_marks_is_known (self->fuser, stage, a))
        continue;
      variable = g_strdup_printf ("leat_lost_%u_%u", index, from);
      leat_fuse_writer_tell (self, writer, what, at, variable);
    }
}

/* In the loop over the blocks of a unit. */
void
leat_fuse_writer_begin_marks (LeatFuseWriter *self, guint unit)
{
  guint64 turns = self->fuser->turns_of[unit];

  if (turns == 0)
    return;
  if (!self->has_marks)
    leat_kernel_fuse_add_declaration (self->text, leat_marks_declarations);
  self->has_marks = TRUE;
  if (turns == LEAT_MARKS_OF_LAUNCH)
    leat_fuse_writer_state (self, "    const uint64_t leat_mark = ((uint64_t) leat_turn << 32) + leat_tile;");
  else
    leat_fuse_writer_state (self,
                            "    const uint64_t leat_mark = ((((uint64_t *) %s)[%" G_GUINT64_FORMAT
                            "ull + leat_tile] + 1) << 32) + leat_tile;",
                            leat_fuse_writer_get_items (self, self->fuser->marks), turns - 1);
}

/* All threads have looked at the number of the launch by then. */
void
leat_fuse_writer_end_marks (LeatFuseWriter *self, guint unit)
{
  guint64 turns = self->fuser->turns_of[unit];

  if (turns == 0 || turns == LEAT_MARKS_OF_LAUNCH)
    return;
  leat_kernel_fuse_add_meeting (self->text);
  leat_fuse_writer_state (self, "    if (threadIdx.x == 0) ((uint64_t *) %s)[%" G_GUINT64_FORMAT "ull + leat_tile]++;",
                          leat_fuse_writer_get_items (self, self->fuser->marks), turns - 1);
}
