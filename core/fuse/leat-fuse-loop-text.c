/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes the loop around the stages of a kernel: its test, its watch over time, and the exchange of what is carried on.
 * Touches the writer's text only. */

#include "leat-fuse-writer-private.h"

/* Writes what stands around the stages of a loop that is one kernel.  `leat_state` is each thread's own: the iterations
 * that are done, whether there is to be another one, and whether time is over.  That, one thread alone says, before a
 * barrier at which all learn it; it is written in two places in turn, so that nobody finds what is of the next
 * iteration. */

static const char leat_fuse_loop_prelude[] =
  /* Cycles after which the clock is looked at, which takes as long as a small iteration. */
  "#define LEAT_FUSE_LOOK 32768\n"
  "template <class T> __device__ __forceinline__ void leat_fuse_swap (T &a, T &b)\n"
  "{\n"
  "  T was = a;\n"
  "  a = b;\n"
  "  b = was;\n"
  "}\n"
  "__device__ __forceinline__ void leat_fuse_watch (void *memory, const void *outer, const void *told, uint64_t "
  "iteration, uint64_t *since, uint64_t budget)\n"
  "{\n"
  "  uint64_t verdict = 0, tick = (uint64_t) clock64 ();\n"
  "  if (outer != nullptr && ((const volatile uint64_t *) outer)[2] != 0)\n"
  "    verdict = 2;\n"
  "  else if (iteration % " G_STRINGIFY (
    LEAT_LOOP_LOOK) " == 0 && ((const volatile uint64_t *) told)[4] != 0)\n"
                    "    verdict = 2;\n"
                    "  else if (budget > 0 && (iteration == 0 || tick - since[1] > LEAT_FUSE_LOOK))\n"
                    "    {\n"
                    "      uint64_t now = leat_clock_now ();\n"
                    "      if (iteration == 0)\n"
                    "        since[0] = now;\n"
                    "      since[1] = tick;\n"
                    "      verdict = now - since[0] > budget;\n"
                    "    }\n"
                    "  ((volatile uint64_t *) memory)[4 + iteration % 2] = verdict;\n"
                    "}\n"
                    "__device__ __forceinline__ uint64_t leat_fuse_get_verdict (const void *memory, uint64_t "
                    "iteration)\n"
                    "{\n"
                    "  return ((const volatile uint64_t *) memory)[4 + iteration % 2];\n"
                    "}\n";

static gboolean
leat_fuse_writer_watches (LeatFuseWriter *self)
{
  return self->fuser->loop->budget_ns > 0 || self->fuser->loop->parent != NULL;
}

static gboolean
leat_fuse_writer_swaps (LeatFuseWriter *self)
{
  for (guint i = 0; i < self->fuser->stages->len; i++)
    if (g_array_index (self->fuser->stages, LeatFuseStage, i).swapped)
      return TRUE;
  return FALSE;
}

void
leat_fuse_writer_begin_loop (LeatFuseWriter *self)
{
  const LeatPlanLoop *loop = self->fuser->loop;
  const char *outer = loop->parent != NULL ? leat_fuse_writer_get_items (self, loop->parent->memory) : "nullptr";

  leat_kernel_fuse_add_declaration (self->text, leat_fuse_loop_prelude);
  leat_fuse_writer_state (self, "uint64_t leat_state[3] = { 0, 0, 0 };");
  if (leat_fuse_writer_watches (self))
    leat_fuse_writer_state (self, "uint64_t leat_since[2] = { 0, 0 };");
  if (leat_fuse_writer_swaps (self))
    leat_fuse_writer_state (self, "bool leat_turned = false;");
  leat_fuse_writer_state (self, "for (;;)");
  leat_fuse_writer_state (self, "{");
  if (leat_fuse_writer_watches (self))
    leat_fuse_writer_state (
      self, LEAT_FUSE_ONE_THREAD " leat_fuse_watch (%s, %s, %s, leat_state[0], leat_since, %" G_GUINT64_FORMAT "ull);",
      leat_fuse_writer_get_items (self, loop->memory), outer, leat_fuse_writer_get_items (self, loop->report),
      loop->budget_ns);
}

static char *
leat_fuse_writer_dup_test_argument (LeatFuseWriter *self, guint index)
{
  const LeatOpArg *arg = &self->fuser->test.op->args[index];

  if (arg->kind == LEAT_ARG_LOOP)
    return g_strdup ("(uint64_t) 0");
  if (arg->buffer == self->fuser->loop->memory)
    return g_strdup ("leat_fuse_any { leat_state }");
  return leat_fuse_writer_dup_argument (self, &self->fuser->test, index, FALSE);
}

void
leat_fuse_writer_write_test (LeatFuseWriter *self)
{
  const LeatFuser *fuser = self->fuser;
  g_autofree char *function =
    leat_kernel_fuse_add_function (self->text, fuser->test.op->source, fuser->loop->fused_test, LEAT_FUSE_FREE);
  g_autoptr (GString) arguments = g_string_new (NULL);

  for (guint i = 0; i < fuser->test.op->n_args; i++)
    {
      g_autofree char *one = leat_fuse_writer_dup_test_argument (self, i);

      g_string_append_printf (arguments, "%s%s", i > 0 ? ", " : "", one);
    }
  if (leat_fuse_writer_watches (self))
    leat_fuse_writer_state (self, "leat_state[2] = leat_fuse_get_verdict (%s, leat_state[0]);",
                            leat_fuse_writer_get_items (self, fuser->loop->memory));
  leat_kernel_fuse_add_free (self->text, function, arguments->str);
}

static void
leat_fuse_writer_swap (LeatFuseWriter *self)
{
  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, i);

      if (stage->swapped)
        leat_fuse_writer_state (self, "leat_fuse_swap (%s, %s);", leat_fuse_writer_get_items (self, stage->op->to),
                                leat_fuse_writer_get_items (self, stage->op->from));
    }
  if (leat_fuse_writer_swaps (self))
    leat_fuse_writer_state (self, "leat_turned = !leat_turned;");
}

/* After an odd number of iterations what goes on is where the other one was. */
static void
leat_fuse_writer_turn_back (LeatFuseWriter *self)
{
  if (!leat_fuse_writer_swaps (self))
    return;
  leat_fuse_writer_state (self, "if (leat_turned)");
  leat_fuse_writer_state (self, "{");
  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatFuseStage *stage = &g_array_index (self->fuser->stages, LeatFuseStage, i);

      if (stage->swapped)
        leat_fuse_writer_copy_bytes (self, stage->op->from, stage->op->to, stage->op->bytes);
    }
  leat_fuse_writer_state (self, "}");
}

void
leat_fuse_writer_end_loop (LeatFuseWriter *self)
{
  leat_fuse_writer_meet (self);
  if (self->fuser->test_layer == leat_fuser_count_layers (self->fuser))
    leat_fuse_writer_write_test (self);
  if (self->fuser->meets_again)
    leat_fuse_writer_meet (self);
  leat_fuse_writer_swap (self);
  leat_fuse_writer_state (self, "if (leat_state[1] == 0)");
  leat_fuse_writer_state (self, "  break;");
  leat_fuse_writer_state (self, "}");
  leat_fuse_writer_turn_back (self);
}
