/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Warnings about a kernel file: things worth saying that are no errors. */

#include "leat-kernel-locals-private.h"
#include "leat-kernel-source-internal-private.h"
#include "leat-kernel-variable-private.h"

G_GNUC_PRINTF (4, 5)
static void
leat_kernel_unit_warn (const LeatKernelUnit *self, GPtrArray *warnings, guint token, const char *format, ...)
{
  g_autofree char *place = leat_tokens_dup_place (self->tokens, token), *message = NULL, *valid = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  valid = g_utf8_make_valid (message, -1);
  g_ptr_array_add (warnings, g_strdup_printf ("%s: %s", place, valid));
}

/* Whether the word at @token can be a look at what another thread writes. */
static gboolean
leat_kernel_unit_watches (const LeatKernelUnit *self, guint token)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, token);

  return g_str_has_prefix (word, "leat_load_") || g_str_has_prefix (word, "atomic") || g_str_equal (word, "volatile")
         || g_str_equal (word, "leat_queue_is_finished") || g_str_equal (word, "leat_queue_outstanding")
         || (g_str_equal (word, "load") && leat_tokens_is (self->tokens, token - 1, "."));
}

/* `a.compare_exchange_weak (old, old + 1)`: what is made of the value that it found ends the loop, and no other thread.
 */
static gboolean
leat_kernel_unit_exchanges (const LeatKernelUnit *self, guint token)
{
  static const char *const words[] = { "compare_exchange_weak", "compare_exchange_strong", NULL };
  guint first = token + 2;
  g_autofree char *found = NULL;

  if (!leat_tokens_is_any (self->tokens, token, words) || !leat_tokens_is (self->tokens, token + 1, "("))
    return FALSE;
  found = leat_tokens_dup (self->tokens, first);
  for (guint i = first + 1; i < leat_tokens_at (self->tokens, token + 1)->match; i++)
    if (leat_tokens_is (self->tokens, i, found))
      return TRUE;
  return FALSE;
}

/* The `do` whose loop the `while` at @index ends; @index where it begins one. */
static guint
leat_kernel_unit_find_do (const LeatKernelUnit *self, const LeatDecl *decl, guint index)
{
  for (guint i = index; i-- > decl->body;)
    if (leat_tokens_is (self->tokens, i, "do") && leat_kernel_unit_statement_end (self, i + 1, decl->last) == index)
      return i;
  return index;
}

/* Whether the number of blocks, or a variable that holds it, is among the tokens. */
static gboolean
leat_kernel_unit_mentions_grid (const LeatKernelUnit *self, LeatLocals *locals, guint first, guint end)
{
  for (guint i = first; i < end; i++)
    {
      LeatLocal *local =
        leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT ? leat_locals_find (locals, i) : NULL;

      if (leat_tokens_is (self->tokens, i, "gridDim"))
        return TRUE;
      for (guint k = local != NULL ? local->init_first : G_MAXUINT; k != G_MAXUINT && k <= local->init_last; k++)
        if (leat_tokens_is (self->tokens, k, "gridDim"))
          return TRUE;
    }
  return FALSE;
}

/* Whether the variable of the file that is named at @token is volatile. */
static gboolean
leat_kernel_unit_is_volatile (const LeatKernelUnit *self, guint token)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, token);

  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);
      gboolean is_volatile = FALSE;

      for (guint t = decl->first; decl->kind == LEAT_DECL_VARIABLE && t < decl->last; t++)
        {
          is_volatile = is_volatile || leat_tokens_is (self->tokens, t, "volatile");
          if (is_volatile && leat_tokens_is (self->tokens, t, name))
            return TRUE;
        }
    }
  return FALSE;
}

/* Whether @loop, the `while` or `for` of an empty loop or of one that only pauses, watches until as many blocks as the
 * grid has have come. */
static gboolean
leat_kernel_unit_waits_for_grid (const LeatKernelUnit *self, LeatLocals *locals, guint loop)
{
  guint open = loop + 1, close = leat_tokens_at (self->tokens, open)->match, body = close + 1;
  gboolean watches = FALSE;

  if (!leat_tokens_is (self->tokens, open, "(") || !leat_kernel_unit_mentions_grid (self, locals, open, close))
    return FALSE;
  for (guint i = open; i < close; i++)
    {
      LeatLocal *local =
        leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT ? leat_locals_find (locals, i) : NULL;

      watches = watches || leat_kernel_unit_watches (self, i)
                || (local == NULL && leat_tokens_at (self->tokens, i)->kind == LEAT_TOKEN_IDENT
                    && leat_kernel_unit_is_volatile (self, i));
      for (guint k = local != NULL ? local->name : 0;
           k > locals->decl->params && !leat_tokens_is (self->tokens, k, ";"); k--)
        watches = watches || leat_tokens_is (self->tokens, k, "volatile");
    }
  body += leat_tokens_is (self->tokens, body, "{");
  return watches
         && (leat_tokens_is (self->tokens, body, ";") || leat_tokens_is (self->tokens, body, "}")
             || leat_tokens_is (self->tokens, body, "__nanosleep")
             || leat_tokens_is (self->tokens, body, "__threadfence"));
}

/**
 * leat_kernel_source_dup_grid_wait: (skip)
 * @self: a source
 * @entry: one of its kernels
 *
 * Looks for a loop in which a kernel waits for all blocks of its grid, otherwise than by `leat_grid_sync ()`. Only a
 * cooperative launch is sure to run all blocks at once.
 *
 * Returns: (transfer full) (nullable): the place, `file:line`, or %NULL where there is none
 *
 * Since: 0.1
 */
char *
leat_kernel_source_dup_grid_wait (LeatKernelSource *self, const char *entry)
{
  static const char *const loops[] = { "while", "for", NULL };
  const LeatKernelUnit *unit = self->unit;
  const LeatDecl *from = leat_kernel_unit_find_kernel (unit, entry);
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (unit);

  for (guint i = 0; from != NULL && i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      g_autoptr (LeatLocals) locals = NULL;

      if (decl->kind != LEAT_DECL_FUNCTION || (decl->flags & LEAT_DECL_IS_VARIANT)
          || (decl != from && !leat_kernel_calls_reaches (calls, (guint) (from - leat_kernel_unit_at (unit, 0)), i)))
        continue;
      locals = leat_locals_new (unit, calls, decl);
      for (guint t = decl->body; t < decl->last; t++)
        if (leat_tokens_is_any (unit->tokens, t, loops) && leat_kernel_unit_waits_for_grid (unit, locals, t))
          return leat_tokens_dup_place (unit->tokens, t);
    }
  return NULL;
}

/* A loop that waits for another thread: nothing in its body, or nothing but looking again. */
static void
leat_kernel_unit_warn_spin (const LeatKernelUnit *self, GPtrArray *warnings, LeatKernelCalls *calls,
                            const LeatDecl *decl, guint index)
{
  guint open = index + 1, close = leat_tokens_at (self->tokens, open)->match, body = close + 1, end, first;
  gboolean empty, watches = FALSE, yields = FALSE, exchanges = FALSE;
  g_autoptr (LeatLocals) locals = NULL;

  if (!leat_tokens_is (self->tokens, open, "("))
    return;
  empty = leat_tokens_is (self->tokens, body, ";")
          || (leat_tokens_is (self->tokens, body, "{") && leat_tokens_at (self->tokens, body)->match == body + 1);
  end = leat_kernel_unit_statement_end (self, body, decl->last);
  first = leat_tokens_is (self->tokens, body, ";") ? leat_kernel_unit_find_do (self, decl, index) : index;
  if (first < index) /* the body stands before it */
    {
      body = first + 1;
      end = index;
      empty = FALSE;
      for (guint i = body; i < close; i++)
        exchanges = exchanges || leat_tokens_is (self->tokens, i, "atomicCAS");
    }
  for (guint i = open; i < close; i++)
    {
      watches = watches || leat_kernel_unit_watches (self, i);
      yields = yields || leat_kernel_calls_token_waits (calls, i);
      exchanges = exchanges || leat_kernel_unit_exchanges (self, i);
    }
  for (guint i = body; i < end; i++)
    yields = yields || leat_kernel_calls_token_waits (calls, i);
  locals = leat_locals_new (self, calls, decl);
  if (leat_kernel_unit_waits_for_grid (self, locals, index))
    leat_kernel_unit_warn (
      self, warnings, index,
      "this loop waits for all blocks of the grid; leat_grid_sync (), with cooperative=true on the "
      "node, is such a barrier on every device");
  else if (!yields && !exchanges && (empty || watches))
    leat_kernel_unit_warn (self, warnings, index,
                           "this loop seems to wait for another thread; put __nanosleep (20) into it, so that the CPU "
                           "driver can run that thread, and where it waits for a block that may not have begun, set "
                           "cooperative=true on the node, so that all blocks run at once");
}

static void
leat_kernel_unit_warn_stride (const LeatKernelUnit *self, GPtrArray *warnings, LeatKernelCalls *calls,
                              const LeatDecl *decl)
{
  g_autoptr (GArray) loops = leat_kernel_unit_find_stride_loops (self, calls, decl);

  for (guint i = 0; i < loops->len; i++)
    {
      const LeatStrideLoop *loop = &g_array_index (loops, LeatStrideLoop, i);
      g_autofree char *word = NULL, *name = leat_tokens_dup (self->tokens, loop->name);

      if (loop->blocker == G_MAXUINT)
        continue;
      word = leat_tokens_dup (self->tokens, loop->blocker);
      leat_kernel_unit_warn (
        self, warnings, loop->keyword,
        "\"%s\" ties the items of this grid-stride loop to threads, so the CPU driver keeps the stride, "
        "which is slow there; GRID_FOR (%s, n) says that any thread may have any item",
        word, name);
    }
}

static void
leat_kernel_unit_warn_warp (const LeatKernelUnit *self, GPtrArray *warnings, LeatKernelCalls *calls,
                            const LeatDecl *decl)
{
  guint token = leat_kernel_unit_find_warp_step (self, calls, decl);
  g_autofree char *word = token != G_MAXUINT ? leat_tokens_dup (self->tokens, token) : NULL;

  if (word != NULL)
    leat_kernel_unit_warn (
      self, warnings, token,
      "this reads in \"%s\" what other lanes have written, and nothing makes them wait for each "
      "other; a CPU gives another result, and a GPU may: put __syncwarp () between the steps, or use "
      "__shfl_down_sync () and its like",
      word);
}

static void
leat_kernel_unit_warn_function (const LeatKernelUnit *self, GPtrArray *warnings, LeatKernelCalls *calls,
                                const LeatDecl *decl)
{
  for (guint t = decl->body; t < decl->last; t++)
    if (leat_tokens_is (self->tokens, t, "while"))
      leat_kernel_unit_warn_spin (self, warnings, calls, decl, t);
  leat_kernel_unit_warn_warp (self, warnings, calls, decl);
  if (decl->flags & LEAT_DECL_IS_GLOBAL)
    leat_kernel_unit_warn_stride (self, warnings, calls, decl);
}

static void
leat_kernel_unit_warn_unfilled (const LeatKernelUnit *self, GPtrArray *warnings, LeatKernelCalls *calls,
                                const LeatDecl *entry)
{
  g_autoptr (GPtrArray) kernels = leat_kernel_unit_list_kernels (self);
  guint told = G_MAXUINT;

  for (guint i = 0; i < kernels->len; i++)
    {
      const LeatDecl *kernel = g_ptr_array_index (kernels, i);
      guint name = entry == NULL || kernel == entry ? leat_kernel_unit_find_unfilled (self, calls, kernel) : G_MAXUINT;
      g_autofree char *word = name != G_MAXUINT && name != told ? leat_tokens_dup (self->tokens, name) : NULL;

      if (word == NULL)
        continue;
      leat_kernel_unit_warn (
        self, warnings, name,
        "nothing gives \"%s\" a value, and the kernel is refused without; variables=%s=FILE.npy on "
        "the node does",
        word, word);
      told = name;
    }
}

GPtrArray *
leat_kernel_unit_list_warnings (const LeatKernelUnit *self, const LeatDecl *entry)
{
  GPtrArray *warnings = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (self);
  guint from = entry != NULL ? (guint) (entry - leat_kernel_unit_at (self, 0)) : 0;

  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self, i);

      if (decl->kind != LEAT_DECL_FUNCTION || (decl->flags & LEAT_DECL_IS_VARIANT))
        continue;
      if (entry == NULL || i == from || leat_kernel_calls_reaches (calls, from, i))
        leat_kernel_unit_warn_function (self, warnings, calls, decl);
    }
  leat_kernel_unit_warn_unfilled (self, warnings, calls, entry);
  return warnings;
}
