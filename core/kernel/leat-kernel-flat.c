/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-kernel-host-private.h"
#include "leat-kernel-locals-private.h"

/* How few threads of a block the host has to run for a kernel that never waits.
 *
 * Kernels begin with a guard, `if (i >= n) return;`, or are one, `if (i < n) { ... }`, since a grid is a whole number
 * of blocks.  Left in the loop over threads it costs a masked store per item, or the vector loop altogether.  So where
 * the guard is all that a thread beyond the end comes to, the loop ends there, and inside it the guard is known to hold
 * (leat_trimmed).  And where a kernel is nothing but loops whose items any thread may have, the first thread takes them
 * all (leat_whole). */

typedef struct
{
  LeatHostWriter *writer;
  const LeatDecl *decl;
  LeatLocals *locals;
  LeatFlatPlan *plan;
} LeatFlatPlanner;

void
leat_flat_plan_free (LeatFlatPlan *self)
{
  for (guint i = 0; i < G_N_ELEMENTS (self->limits); i++)
    g_free (self->limits[i]);
  g_free (self);
}

/* Whether leaving the statement [first, end) out for a thread that does nothing else changes nothing: a declaration
 * that calls nobody. */
static gboolean
leat_flat_planner_is_idle (LeatFlatPlanner *self, guint first, guint end)
{
  static const char *const acting[] = { "++", "--", "+=", "-=",  "*=",  "/=",  "%=",
                                        "&=", "|=", "^=", "<<=", ">>=", "asm", NULL };
  const LeatTokens *tokens = self->writer->unit->tokens;
  gboolean declares = FALSE;

  for (guint i = first; i < end; i++)
    {
      gboolean word = leat_tokens_at (tokens, i)->kind == LEAT_TOKEN_IDENT;

      if (leat_tokens_is_any (tokens, i, acting) || leat_tokens_is (tokens, i, "__shared__"))
        return FALSE;
      if (word && leat_locals_is_declared_at (self->locals, i))
        {
          declares = TRUE;
          continue;
        }
      if (leat_tokens_is (tokens, i, "=") && !leat_locals_is_declared_at (self->locals, i - 1)
          && !leat_tokens_is (tokens, i - 1, "]"))
        return FALSE;
      if (word && leat_tokens_is (tokens, i + 1, "("))
        {
          g_autofree char *name = leat_tokens_dup (tokens, i);
          LeatKernelType type;

          if (!leat_kernel_unit_lookup_type (self->writer->unit, name, &type))
            return FALSE;
        }
    }
  return declares;
}

/* The type that stands before the name of a declaration: the words behind the last mark. */
static gboolean
leat_flat_planner_lookup_declared (LeatFlatPlanner *self, const LeatLocal *local, LeatKernelType *type)
{
  static const char *const skipped[] = { "const", "static", "volatile", NULL };
  const LeatTokens *tokens = self->writer->unit->tokens;
  guint start = local->name;
  g_autofree char *words = NULL;

  while (leat_tokens_at (tokens, start - 1)->kind == LEAT_TOKEN_IDENT)
    start--;
  while (start < local->name && leat_tokens_is_any (tokens, start, skipped))
    start++;
  if (start >= local->name)
    return FALSE;
  words = leat_tokens_dup_range (tokens, start, local->name - 1);
  return leat_kernel_unit_lookup_type (self->writer->unit, words, type) && type->is_integer && type->lanes == 1;
}

/* An integer parameter that the kernel never changes. */
static gboolean
leat_flat_planner_read_bound (LeatFlatPlanner *self, guint first, guint last, LeatKernelType *type)
{
  LeatLocal *local;

  if (first != last || leat_tokens_at (self->writer->unit->tokens, first)->kind != LEAT_TOKEN_IDENT)
    return FALSE;
  local = leat_locals_find (self->locals, first);
  return local != NULL && local->is_param && !local->is_changed
         && leat_flat_planner_lookup_declared (self, local, type);
}

/* A thread's number along @axis: written out, or a variable that holds it and is at least as wide. */
static gboolean
leat_flat_planner_read_index (LeatFlatPlanner *self, guint first, guint last, char axis, LeatKernelType *type)
{
  LeatLocal *local;

  if (!leat_locals_is_grid_index (self->locals, first, last, axis))
    return FALSE;
  *type = (LeatKernelType){ "u32", 4, 1, TRUE };
  if (first != last)
    return TRUE;
  local = leat_locals_find (self->locals, first);
  return local != NULL && !local->is_changed && leat_flat_planner_lookup_declared (self, local, type)
         && type->lane_bytes >= 4;
}

/* @index < @bound along @axis.  A negative bound of a type that the comparison makes unsigned lets every thread pass.
 */
static gboolean
leat_flat_planner_limit (LeatFlatPlanner *self, guint axis, guint bound, const LeatKernelType *index_type,
                         const LeatKernelType *bound_type)
{
  gboolean index_unsigned = index_type->dtype[0] == 'u', bound_signed = bound_type->dtype[0] == 'i';
  g_autofree char *name = leat_tokens_dup (self->writer->unit->tokens, bound);
  char letter = "xyz"[axis];

  if (index_unsigned && bound_signed && bound_type->lane_bytes > index_type->lane_bytes)
    return FALSE;
  self->plan->limits[axis] =
    g_strdup_printf ("leat_trim (p.%s, leat_b.index.%c * leat_b.block.%c, leat_b.block.%c, %s)", name, letter, letter,
                     letter, index_unsigned ? "true" : "false");
  return TRUE;
}

/* One comparison of a guard, tokens [first, last]: `i < n`, or `i >= n` when it @leaves, or either turned round. */
static void
leat_flat_planner_read_comparison (LeatFlatPlanner *self, guint first, guint last, gboolean leaves)
{
  const LeatTokens *tokens = self->writer->unit->tokens;
  LeatKernelType index, bound;

  while (leat_tokens_is (tokens, first, "(") && leat_tokens_at (tokens, first)->match == last)
    first++, last--;
  for (guint i = first + 1; i < last; i++)
    for (guint axis = 0; axis < 3; axis++)
      {
        char letter = "xyz"[axis];
        gboolean ahead = leat_tokens_is (tokens, i, leaves ? ">=" : "<")
                         && leat_flat_planner_read_index (self, first, i - 1, letter, &index)
                         && leat_flat_planner_read_bound (self, i + 1, last, &bound);
        gboolean behind = leat_tokens_is (tokens, i, leaves ? "<=" : ">")
                          && leat_flat_planner_read_index (self, i + 1, last, letter, &index)
                          && leat_flat_planner_read_bound (self, first, i - 1, &bound);

        if ((!ahead && !behind) || self->plan->limits[axis] != NULL
            || !leat_flat_planner_limit (self, axis, ahead ? last : first, &index, &bound))
          continue;
        leat_edits_insert_before (self->writer->edits, tokens, first,
                                  leaves ? "!leat_trimmed && (" : "leat_trimmed || (");
        leat_edits_insert_after (self->writer->edits, tokens, last, ")");
        leat_edits_insert_before (self->writer->edits, tokens, first, "(");
        leat_edits_insert_after (self->writer->edits, tokens, last, ")");
        return;
      }
}

/* The comparisons of the condition [first, last], joined by @join. */
static void
leat_flat_planner_read_condition (LeatFlatPlanner *self, guint first, guint last, const char *join, gboolean leaves)
{
  const LeatTokens *tokens = self->writer->unit->tokens;
  const char *other = leaves ? "&&" : "||";
  guint begin = first;

  for (guint i = first; i <= last; i++)
    {
      guint match = leat_tokens_at (tokens, i)->match;
      gboolean acts = leat_tokens_is (tokens, i, other) || leat_tokens_is (tokens, i, "=")
                      || leat_tokens_is (tokens, i, "?") || leat_tokens_is (tokens, i, "++")
                      || leat_tokens_is (tokens, i, "--")
                      || (leat_tokens_at (tokens, i)->kind == LEAT_TOKEN_IDENT && leat_tokens_is (tokens, i + 1, "("));

      if (acts)
        return;
      if (match != G_MAXUINT && match > i)
        i = match;
    }
  for (guint i = first; i <= last + 1; i++)
    {
      guint match = leat_tokens_at (tokens, i)->match;

      if (i == last + 1 || leat_tokens_is (tokens, i, join))
        {
          if (i > begin)
            leat_flat_planner_read_comparison (self, begin, i - 1, leaves);
          begin = i + 1;
        }
      else if (match != G_MAXUINT && match > i)
        i = match;
    }
}

/* `return;` or `{ return; }` */
static gboolean
leat_flat_planner_is_return (LeatFlatPlanner *self, guint first)
{
  const LeatTokens *tokens = self->writer->unit->tokens;

  if (leat_tokens_is (tokens, first, "{"))
    return leat_tokens_is (tokens, first + 1, "return") && leat_tokens_is (tokens, first + 2, ";")
           && leat_tokens_is (tokens, first + 3, "}");
  return leat_tokens_is (tokens, first, "return") && leat_tokens_is (tokens, first + 1, ";");
}

/* Guards, as long as nothing but declarations comes before them. */
static void
leat_flat_planner_find_guards (LeatFlatPlanner *self)
{
  const LeatTokens *tokens = self->writer->unit->tokens;
  guint end;

  for (guint i = self->decl->body + 1; i < self->decl->last; i = end)
    {
      guint open = i + 1, close;

      end = leat_kernel_unit_statement_end (self->writer->unit, i, self->decl->last);
      if (leat_flat_planner_is_idle (self, i, end))
        continue;
      if (!leat_tokens_is (tokens, i, "if") || !leat_tokens_is (tokens, open, "("))
        return;
      close = leat_tokens_at (tokens, open)->match;
      if (leat_flat_planner_is_return (self, close + 1) && end <= close + 5)
        leat_flat_planner_read_condition (self, open + 1, close - 1, "||", TRUE);
      else
        {
          guint body_end = leat_kernel_unit_statement_end (self->writer->unit, close + 1, self->decl->last);

          if (end == self->decl->last && body_end == end)
            leat_flat_planner_read_condition (self, open + 1, close - 1, "&&", FALSE);
          return;
        }
    }
}

/* Nothing but declarations and loops over items that any thread may have. */
static gboolean
leat_flat_planner_is_loops (LeatFlatPlanner *self)
{
  g_autoptr (GArray) loops = leat_kernel_unit_find_stride_loops (self->writer->unit, self->writer->calls, self->decl);
  guint end, n_loops = 0;

  for (guint i = self->decl->body + 1; i < self->decl->last; i = end)
    {
      gboolean loop = leat_tokens_is (self->writer->unit->tokens, i, "GRID_FOR");

      end = leat_kernel_unit_statement_end (self->writer->unit, i, self->decl->last);
      for (guint k = 0; k < loops->len; k++)
        loop = loop
               || (g_array_index (loops, LeatStrideLoop, k).keyword == i
                   && g_array_index (loops, LeatStrideLoop, k).blocker == G_MAXUINT);
      n_loops += loop;
      if (!loop && !leat_flat_planner_is_idle (self, i, end))
        return FALSE;
    }
  return n_loops > 0;
}

LeatFlatPlan *
leat_host_writer_plan_flat (LeatHostWriter *self, const LeatDecl *decl)
{
  g_autoptr (LeatLocals) locals = leat_locals_new (self->unit, self->calls, decl);
  LeatFlatPlan *plan = g_new0 (LeatFlatPlan, 1);
  LeatFlatPlanner planner = { self, decl, locals, plan };

  plan->is_whole = leat_flat_planner_is_loops (&planner);
  if (!plan->is_whole)
    leat_flat_planner_find_guards (&planner);
  return plan;
}
