/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the guards of a kernel, so that the host runs only the threads of a block that have work.  Reads the unit, and
 * leaves the text to leat-kernel-host.c. */

#include "leat-kernel-host-private.h"
#include "leat-kernel-locals-private.h"

/* How few threads of a block the host has to run for a kernel that never waits.
 *
 * A grid is a whole number of blocks, so kernels begin with a guard, `if (i >= n) return;`, or are one,
 * `if (i < n) { ... }`.  Left in the loop over threads it costs a masked store per item, or the vector loop altogether.
 * Where the guard is all that a thread beyond the end comes to, the loop ends there (leat_trim), and inside it the
 * guard is known to hold (leat_trimmed).  Code that is not plainly such a guard stays as it is. */

static const char *const leat_flat_changes[] = { "+=", "-=", "*=",  "/=",  "%=", "&=", "|=",
                                                 "^=", "++", "<<=", ">>=", "--", NULL };

typedef struct
{
  LeatHostWriter *writer;
  const LeatTokens *tokens;
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

/* Whether the text can do more than its tokens show: operators of the file's own, or a kernel that is called like a
 * function. */
static gboolean
leat_flat_planner_hides_work (LeatFlatPlanner *self, guint index)
{
  const LeatKernelUnit *unit = self->writer->unit;

  for (guint i = 0; leat_tokens_at (self->tokens, i)->kind != LEAT_TOKEN_END; i++)
    if (leat_tokens_is (self->tokens, i, "operator"))
      return TRUE;
  for (guint i = 0; i < unit->decls->len; i++)
    if (leat_kernel_calls_reaches (self->writer->calls, i, index))
      return TRUE;
  return FALSE;
}

/* Whether the "=" at @index begins the initialiser of a declaration: `int x = `, `int x[4] = `. */
static gboolean
leat_flat_planner_initialises (LeatFlatPlanner *self, guint index)
{
  guint name = index - 1;

  while (leat_tokens_is (self->tokens, name, "]"))
    name = leat_tokens_at (self->tokens, name)->match - 1;
  return leat_locals_is_declared_at (self->locals, name);
}

/* Whether leaving the statement [first, end) out for a thread that does nothing else changes nothing: a declaration of
 * numbers or pointers whose initialisers call nobody and change nothing. */
static gboolean
leat_flat_planner_is_idle (LeatFlatPlanner *self, guint first, guint end)
{
  static const char *const acting[] = { "{", "__shared__", "asm", NULL };
  LeatKernelType type;
  guint name = first;

  while (name < end && !leat_locals_is_declared_at (self->locals, name))
    name++;
  if (name == end || !leat_locals_lookup_type (self->locals, name, &type))
    return FALSE;
  for (guint i = first; i < end; i++)
    {
      gboolean word = leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT;

      if (leat_tokens_is_any (self->tokens, i, acting) || leat_tokens_is_any (self->tokens, i, leat_flat_changes)
          || (leat_tokens_is (self->tokens, i, "=") && !leat_flat_planner_initialises (self, i)))
        return FALSE;
      if (word && leat_tokens_is (self->tokens, i + 1, "("))
        {
          g_autofree char *words = leat_tokens_dup (self->tokens, i);

          if (!leat_kernel_unit_lookup_type (self->writer->unit, words, &type))
            return FALSE;
        }
    }
  return TRUE;
}

/* An integer parameter that the kernel never changes. */
static gboolean
leat_flat_planner_is_bound (LeatFlatPlanner *self, guint first, guint last)
{
  LeatKernelType type;
  LeatLocal *local;

  if (first != last || leat_tokens_at (self->tokens, first)->kind != LEAT_TOKEN_IDENT)
    return FALSE;
  local = leat_locals_find (self->locals, first);
  return local != NULL && local->is_param && !local->is_changed
         && leat_tokens_at (self->tokens, local->name - 1)->kind == LEAT_TOKEN_IDENT
         && leat_locals_lookup_type (self->locals, local->name, &type) && type.is_integer && type.lanes == 1;
}

/* A variable that holds the thread's number along @axis and is never changed; @type: how the comparison takes it. */
static gboolean
leat_flat_planner_is_index (LeatFlatPlanner *self, guint first, guint last, char axis, LeatKernelType *type)
{
  LeatLocal *local;

  if (first != last || !leat_locals_is_grid_index (self->locals, first, last, axis))
    return FALSE;
  local = leat_locals_find (self->locals, first);
  return local != NULL && !local->is_changed && leat_locals_lookup_type (self->locals, local->name, type)
         && type->is_integer && type->lanes == 1 && type->lane_bytes >= 4;
}

static void
leat_flat_planner_trim (LeatFlatPlanner *self, guint axis, guint bound, const LeatKernelType *index)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, bound);
  const char *signs = index->dtype[0] == 'u' ? "u" : "";
  char letter = "xyz"[axis];

  self->plan->limits[axis] =
    g_strdup_printf ("leat_trim<%sint%u_t> (p.%s, leat_b.index.%c * leat_b.block.%c, leat_b.block.%c)", signs,
                     8 * index->lane_bytes, name, letter, letter, letter);
}

/* One comparison of a guard, tokens [first, last]: `i < n`, or `i >= n` when it @leaves, or either turned round. */
static void
leat_flat_planner_read_comparison (LeatFlatPlanner *self, guint first, guint last, gboolean leaves)
{
  while (leat_tokens_is (self->tokens, first, "(") && leat_tokens_at (self->tokens, first)->match == last)
    first++, last--;
  if (last != first + 2)
    return;
  for (guint axis = 0; axis < 3; axis++)
    {
      char letter = "xyz"[axis];
      LeatKernelType index;
      gboolean ahead = leat_tokens_is (self->tokens, first + 1, leaves ? ">=" : "<")
                       && leat_flat_planner_is_index (self, first, first, letter, &index)
                       && leat_flat_planner_is_bound (self, last, last);
      gboolean behind = leat_tokens_is (self->tokens, first + 1, leaves ? "<=" : ">")
                        && leat_flat_planner_is_index (self, last, last, letter, &index)
                        && leat_flat_planner_is_bound (self, first, first);

      if ((!ahead && !behind) || self->plan->limits[axis] != NULL)
        continue;
      leat_flat_planner_trim (self, axis, ahead ? last : first, &index);
      leat_edits_insert_before (self->writer->edits, self->tokens, first,
                                leaves ? "(!leat_trimmed && (" : "(leat_trimmed || (");
      leat_edits_insert_after (self->writer->edits, self->tokens, last, "))");
      return;
    }
}

/* Whether evaluating the condition [first, last] does nothing, and @join alone joins its parts. */
static gboolean
leat_flat_planner_is_plain (LeatFlatPlanner *self, guint first, guint last, const char *join)
{
  const char *acting[] = { g_str_equal (join, "||") ? "&&" : "||", "?", ",", "=", "{", NULL };

  for (guint i = first; i <= last; i++)
    {
      gboolean word = leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT;

      if (leat_tokens_is_any (self->tokens, i, acting) || leat_tokens_is_any (self->tokens, i, leat_flat_changes)
          || (word && leat_tokens_is (self->tokens, i + 1, "(")))
        return FALSE;
    }
  return TRUE;
}

/* Reads the comparisons of the condition [first, last]; FALSE where evaluating it may do something. */
static gboolean
leat_flat_planner_read_condition (LeatFlatPlanner *self, guint first, guint last, gboolean leaves)
{
  const char *join = leaves ? "||" : "&&";
  guint begin = first;

  if (first > last || !leat_flat_planner_is_plain (self, first, last, join))
    return FALSE;
  for (guint i = first; i <= last + 1; i++)
    {
      guint match = leat_tokens_at (self->tokens, i)->match;

      if (i == last + 1 || leat_tokens_is (self->tokens, i, join))
        {
          leat_flat_planner_read_comparison (self, begin, i - 1, leaves);
          begin = i + 1;
        }
      else if (match != G_MAXUINT && match > i)
        i = match;
    }
  return TRUE;
}

/* Whether [first, end) is `return;` or `{ return; }`. */
static gboolean
leat_flat_planner_is_return (LeatFlatPlanner *self, guint first, guint end)
{
  if (leat_tokens_is (self->tokens, first, "{") && leat_tokens_at (self->tokens, first)->match == end - 1)
    first++, end--;
  return first + 2 == end && leat_tokens_is (self->tokens, first, "return")
         && leat_tokens_is (self->tokens, first + 1, ";");
}

/* Guards, as long as nothing but declarations comes before them. */
static void
leat_flat_planner_find_guards (LeatFlatPlanner *self)
{
  const LeatKernelUnit *unit = self->writer->unit;
  guint end;

  for (guint i = self->decl->body + 1; i < self->decl->last; i = end)
    {
      guint open = i + 1, close, body_end;

      end = leat_kernel_unit_statement_end (unit, i, self->decl->last);
      if (leat_flat_planner_is_idle (self, i, end))
        continue;
      if (!leat_tokens_is (self->tokens, i, "if") || !leat_tokens_is (self->tokens, open, "("))
        return;
      close = leat_tokens_at (self->tokens, open)->match;
      body_end = leat_kernel_unit_statement_end (unit, close + 1, self->decl->last);
      if (body_end != end)
        return;
      if (leat_flat_planner_is_return (self, close + 1, end))
        {
          if (!leat_flat_planner_read_condition (self, open + 1, close - 1, TRUE))
            return;
          continue;
        }
      if (end == leat_tokens_at (self->tokens, self->decl->body)->match)
        leat_flat_planner_read_condition (self, open + 1, close - 1, FALSE);
      return;
    }
}

LeatFlatPlan *
leat_host_writer_plan_flat (LeatHostWriter *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  g_autoptr (LeatLocals) locals = leat_locals_new (self->unit, self->calls, decl);
  LeatFlatPlan *plan = g_new0 (LeatFlatPlan, 1);
  LeatFlatPlanner planner = { self, self->unit->tokens, decl, locals, plan };

  if (!leat_flat_planner_hides_work (&planner, index))
    leat_flat_planner_find_guards (&planner);
  return plan;
}
