/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the grid-stride loops of a kernel in which the host may give a thread neighbouring items.  Reads the unit, and
 * lists the loops. */

#include "leat-kernel-stride-private.h"

/* Recognises the grid-stride loop.  A CPU runs the threads of a block one after another, so that a thread walking with
 * the stride of the grid would touch every cache line once per thread; where no result can depend on which thread has
 * which item, the loop is given neighbouring items instead.
 *
 * That is so when every thread of the grid reaches the loop, the body holds only what is known to be harmless
 * (leat-kernel-stride-body.c), and nobody looks outside the loop for what its thread left in memory
 * (leat-kernel-stride-memory.c). */

/* The head of the loop at loop->keyword. */
static gboolean
leat_stride_read_head (LeatStrideFinder *self)
{
  LeatStrideLoop *loop = self->loop;
  guint first = loop->keyword + 2, condition, step, equals = first;

  loop->open = loop->keyword + 1;
  loop->close = leat_tokens_at (self->tokens, loop->open)->match;
  condition = leat_kernel_unit_find_semicolon (self->unit, first, loop->close);
  step = condition != G_MAXUINT ? leat_kernel_unit_find_semicolon (self->unit, condition + 1, loop->close) : G_MAXUINT;
  if (step == G_MAXUINT)
    return FALSE;
  while (equals < condition && !leat_tokens_is (self->tokens, equals, "="))
    equals++;
  loop->name = equals - 1;
  loop->type_first = first;
  loop->type_last = equals - 2;
  loop->init_first = equals + 1;
  loop->init_last = condition - 1;
  loop->bound_first = condition + 3;
  loop->bound_last = step - 1;
  if (equals >= condition || equals < first + 2 || loop->bound_first > loop->bound_last)
    return FALSE;
  {
    g_autofree char *name = leat_tokens_dup (self->tokens, loop->name);

    return leat_locals_is_grid_index (self->locals, equals + 1, condition - 1, 'x')
           && leat_tokens_is (self->tokens, condition + 1, name) && leat_tokens_is (self->tokens, condition + 2, "<")
           && leat_tokens_is (self->tokens, step + 1, name) && leat_tokens_is (self->tokens, step + 2, "+=")
           && leat_locals_is_grid_width (self->locals, step + 3, loop->close - 1);
  }
}

GArray *
leat_kernel_unit_find_stride_loops (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  GArray *loops = g_array_new (FALSE, TRUE, sizeof (LeatStrideLoop));
  g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);
  g_autoptr (GHashTable) outer = g_hash_table_new (NULL, NULL);
  LeatStrideFinder finder = { unit, unit->tokens, calls, locals, NULL, outer };
  gboolean left = FALSE; /* some threads may have returned before */
  gint depth = 0;

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      LeatStrideLoop loop = { .keyword = i };
      static const char *const before[] = { ";", "{", "}", NULL };

      guint lambda = leat_tokens_is (unit->tokens, i, "[") ? leat_kernel_unit_find_lambda (unit, decl, i) : G_MAXUINT;

      if (lambda != G_MAXUINT)
        {
          i = leat_tokens_at (unit->tokens, lambda)->match;
          continue;
        }
      depth += leat_tokens_is (unit->tokens, i, "{") - leat_tokens_is (unit->tokens, i, "}");
      left = left || leat_tokens_is (unit->tokens, i, "return") || leat_tokens_is (unit->tokens, i, "goto");
      finder.loop = &loop;
      if (!leat_tokens_is (unit->tokens, i, "for") || !leat_tokens_is (unit->tokens, i + 1, "(")
          || !leat_stride_read_head (&finder))
        continue;
      loop.body_first = loop.close + 1;
      loop.body_last = leat_kernel_unit_statement_end (unit, loop.body_first, decl->last) - 1;
      loop.blocker = loop.keyword;
      if (depth == 0 && !left && (decl->flags & LEAT_DECL_IS_GLOBAL)
          && leat_tokens_is_any (unit->tokens, i - 1, before))
        loop.blocker = leat_stride_check_body (&finder);
      g_array_append_val (loops, loop);
    }
  leat_stride_check_memory (&finder, loops);
  return loops;
}
