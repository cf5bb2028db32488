/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether a kernel gives the same results whatever the size of its blocks.  Reads the unit, changes nothing, and errs
 * towards no. */

#include "leat-kernel-locals-private.h"
#include "leat-kernel-source-internal-private.h"

/* They are the same where each thread works for itself, and where either GRID_FOR hands out the items, which says that
 * any thread may have any item, or a thread has the item of its number in the grid, and those past the last item do
 * nothing. */

typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  const LeatDecl *decl; /* the kernel */
  LeatKernelCalls *calls;
  LeatLocals *locals;
  gboolean loops; /* it has a GRID_FOR */
} LeatBlockReader;

static const char *const leat_block_thread_words[] = { "threadIdx", "blockIdx", "blockDim", "gridDim", NULL };

/* Tells the place, and what is in the way there. (transfer full) */
static char *G_GNUC_PRINTF (3, 4) leat_block_say (const LeatBlockReader *self, guint token, const char *format, ...)
{
  g_autofree char *place = leat_tokens_dup_place (self->tokens, token), *why = NULL, *valid = NULL;
  va_list args;

  va_start (args, format);
  why = g_strdup_vprintf (format, args);
  va_end (args);
  valid = g_utf8_make_valid (why, -1);
  return g_strdup_printf ("%s: %s", place, valid);
}

/* Words that have to do with other threads, with time, or with what outlives the thread. */
static const char *
leat_block_why_not_word (const char *word)
{
  static const char *const prefixes[] = {
    "atomic",    "leat_load_",   "leat_store_",        "leat_queue_", "leat_frontier", "leat_take", "__threadfence",
    "LeatQueue", "LeatFrontier", "cooperative_groups", NULL
  };
  static const struct
  {
    const char *word, *why;
  } rows[] = {
    { "static", "keeps a static variable" },
    { "volatile", "looks at what other threads write" },
    { "clock", "asks for the time" },
    { "clock64", "asks for the time" },
    { "asm", "has assembly" },
    { "__asm__", "has assembly" },
    { "__asm", "has assembly" },
    { "QUEUE_FOR", "takes work from a queue" },
    { "QUEUE_EACH", "takes work from a queue" },
    { "FRONTIER_EACH", "takes work from a frontier" },
    { "printf", "prints, in the order of its threads" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i].word, word))
      return rows[i].why;
  for (guint i = 0; prefixes[i] != NULL; i++)
    if (g_str_has_prefix (word, prefixes[i]))
      return "has work whose order depends on the blocks";
  return NULL;
}

/* In the kernel, and in all that it calls. */
static char *
leat_block_check_words (const LeatBlockReader *self, const LeatDecl *decl)
{
  for (guint t = decl->params; t < decl->last; t++)
    {
      g_autofree char *word =
        leat_tokens_at (self->tokens, t)->kind == LEAT_TOKEN_IDENT ? leat_tokens_dup (self->tokens, t) : NULL;
      const char *why = word != NULL ? leat_block_why_not_word (word) : NULL;

      if (word == NULL)
        continue;
      if (why == NULL && leat_kernel_calls_token_waits (self->calls, t))
        why = "makes threads wait for each other";
      if (why == NULL && leat_kernel_calls_token_is_of_block (self->calls, t))
        why = "uses shared memory";
      if (why == NULL && leat_kernel_calls_token_keeps (self->calls, t))
        why = "uses a variable of the file that kernels may change";
      if (why == NULL && decl != self->decl
          && (g_strv_contains (leat_block_thread_words, word) || g_str_equal (word, "GRID_FOR")))
        why = "tells threads apart outside of the kernel itself";
      if (why != NULL)
        return leat_block_say (self, t, "\"%s\": the kernel %s", word, why);
    }
  return NULL;
}

static char *
leat_block_check_all_words (const LeatBlockReader *self)
{
  guint own = (guint) (self->decl - leat_kernel_unit_at (self->unit, 0));
  char *why = leat_block_check_words (self, self->decl);

  for (guint i = 0; why == NULL && i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_FUNCTION && decl != self->decl && !(decl->flags & LEAT_DECL_IS_VARIANT)
          && leat_kernel_calls_reaches (self->calls, own, i))
        why = leat_block_check_words (self, decl);
    }
  return why;
}

/* The items of memory are stored to, or something is called, in a statement that declares. */
static gboolean
leat_block_only_declares (const LeatBlockReader *self, guint first, guint end)
{
  static const char *const marks[] = { "*", "&", "::", "<", NULL };
  static const char *const stores[] = { "=", "+=", "-=", "*=", "/=", "|=", "&=", "^=", "++", "--", NULL };

  if (leat_tokens_at (self->tokens, first)->kind != LEAT_TOKEN_IDENT
      || (leat_tokens_at (self->tokens, first + 1)->kind != LEAT_TOKEN_IDENT
          && !leat_tokens_is_any (self->tokens, first + 1, marks)))
    return FALSE;
  for (guint t = first; t + 1 < end; t++)
    if ((leat_tokens_is (self->tokens, t, "]") && leat_tokens_is_any (self->tokens, t + 1, stores))
        || leat_tokens_is (self->tokens, t, "++") || leat_tokens_is (self->tokens, t, "--"))
      return FALSE;
  return TRUE;
}

/* A thread may have any of the items of a GRID_FOR, so nothing may go from one item to the next. */
static char *
leat_block_check_leaves (const LeatBlockReader *self, guint first, guint end)
{
  static const char *const inner[] = { "for", "while", "do", "switch", NULL };
  static const char *const leaves[] = { "return", "goto", NULL };

  for (guint t = first; t < end; t++)
    if (leat_tokens_is_any (self->tokens, t, leaves))
      return leat_block_say (self, t, "the thread leaves before it has done all of its items");
  for (guint t = first; t < end; t++)
    if (leat_tokens_is_any (self->tokens, t, inner))
      t = leat_kernel_unit_statement_end (self->unit, t, self->decl->last) - 1;
    else if (leat_tokens_is (self->tokens, t, "break"))
      return leat_block_say (self, t, "the thread leaves before it has done all of its items");
  return NULL;
}

/* The ends of the GRID_FOR that begins at @token; else @token. */
static guint
leat_block_skip_loop (const LeatBlockReader *self, guint token)
{
  return leat_tokens_is (self->tokens, token, "GRID_FOR")
           ? leat_kernel_unit_statement_end (self->unit, token, self->decl->last)
           : token;
}

/* Whether a function of that name may change what it is given. */
static gboolean
leat_block_takes_references (const LeatBlockReader *self, guint name)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, name);

  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind != LEAT_DECL_FUNCTION || !leat_tokens_is (self->tokens, decl->name, word))
        continue;
      for (guint t = decl->params; t < decl->body; t++)
        if ((decl->flags & LEAT_DECL_IS_TEMPLATE) || leat_kernel_unit_is_reference (self->unit, t))
          return TRUE;
    }
  return FALSE;
}

/* Whether a name goes on by reference where it is mentioned: to a function, or to another name. */
static gboolean
leat_block_is_lent (const LeatBlockReader *self, guint token)
{
  static const char *const before[] = { "(", ",", NULL }, *const behind[] = { ")", ",", NULL };
  guint open = token - 1;

  if (leat_tokens_is (self->tokens, token - 1, "=")
      && (leat_tokens_is (self->tokens, token - 3, "&") || leat_tokens_is (self->tokens, token - 3, "&&")))
    return TRUE;
  if (!leat_tokens_is_any (self->tokens, token - 1, before) || !leat_tokens_is_any (self->tokens, token + 1, behind))
    return FALSE;
  while (open > self->decl->body && !leat_tokens_is (self->tokens, open, "("))
    {
      guint match = leat_tokens_at (self->tokens, open)->match;

      open = match != G_MAXUINT && match < open ? match - 1 : open - 1;
    }
  return leat_tokens_at (self->tokens, open - 1)->kind == LEAT_TOKEN_IDENT
         && leat_block_takes_references (self, open - 1);
}

static gboolean
leat_block_is_lent_anywhere (const LeatBlockReader *self, const LeatLocal *local)
{
  g_autofree char *word = leat_tokens_dup (self->tokens, local->name);

  for (guint t = self->decl->body; t < self->decl->last; t++)
    if (leat_tokens_is (self->tokens, t, word) && leat_block_is_lent (self, t))
      return TRUE;
  return FALSE;
}

/* Anything but a number or a pointer that stays what it is: an object may change by itself. */
static gboolean
leat_block_may_carry (const LeatBlockReader *self, const LeatLocal *local)
{
  LeatKernelType type;

  if (local->is_changed || (local->is_array && !local->is_param) || leat_block_is_lent_anywhere (self, local))
    return TRUE;
  return !local->is_pointer && !local->is_param && !leat_locals_lookup_type (self->locals, local->name, &type);
}

/* Names that are declared outside of all GRID_FORs stay what they are. */
static char *
leat_block_check_carried (const LeatBlockReader *self)
{
  for (guint t = self->decl->params; t < self->decl->last; t++)
    {
      guint end = leat_block_skip_loop (self, t);
      LeatLocal *local;

      if (end > t)
        {
          t = end - 1;
          continue;
        }
      local = leat_tokens_at (self->tokens, t)->kind == LEAT_TOKEN_IDENT ? leat_locals_find (self->locals, t) : NULL;
      if (local != NULL && local->name == t && leat_block_may_carry (self, local))
        {
          g_autofree char *name = leat_tokens_dup (self->tokens, t);

          return leat_block_say (self, t, "\"%s\" may go from one item of a thread to the next", name);
        }
    }
  return NULL;
}

static char *
leat_block_check_loops (const LeatBlockReader *self)
{
  char *why = NULL;

  for (guint t = self->decl->body + 1; why == NULL && t < self->decl->last;)
    {
      guint end = leat_kernel_unit_statement_end (self->unit, t, self->decl->last);

      if (leat_tokens_is (self->tokens, t, "GRID_FOR"))
        why = leat_block_check_leaves (self, t, end);
      else if (!leat_tokens_is (self->tokens, t, ";") && !leat_block_only_declares (self, t, end))
        why = leat_block_say (self, t, "only declarations may stand beside GRID_FOR");
      for (guint k = t; why == NULL && k < end; k++)
        if (leat_tokens_is_any (self->tokens, k, leat_block_thread_words))
          why = leat_block_say (self, k, "beside GRID_FOR a thread must not ask which one it is");
      t = MAX (end, t + 1);
    }
  return why != NULL ? why : leat_block_check_carried (self);
}

/* (element-type utf8): names that hold a thread's number in the grid; the tokens in @known say so. */
static char *
leat_block_find_numbers (const LeatBlockReader *self, GPtrArray *names, GHashTable *known)
{
  GHashTableIter iter;
  gpointer name, value;

  g_hash_table_iter_init (&iter, self->locals->names);
  while (g_hash_table_iter_next (&iter, &name, &value))
    {
      const LeatLocal *local = value;
      gboolean is_number = FALSE;

      for (const char *axis = "xyz"; local->init_first != G_MAXUINT && *axis != '\0' && !is_number; axis++)
        is_number = leat_locals_is_grid_index (self->locals, local->init_first, local->init_last, *axis);
      if (!is_number)
        continue;
      if (local->is_changed || leat_block_is_lent_anywhere (self, local))
        return leat_block_say (self, local->name,
                               "\"%s\" is changed, so it is not the thread's number any more; use GRID_FOR "
                               "for a loop over items",
                               (const char *) name);
      g_ptr_array_add (names, name);
      for (guint t = local->init_first; t <= local->init_last; t++)
        g_hash_table_add (known, GUINT_TO_POINTER (t));
    }
  return NULL;
}

/* Of `x < n && y < m`, or of what sends threads away, `x >= n || y >= m`: the names that are compared so. */
static void
leat_block_note_guards (const LeatBlockReader *self, guint first, guint end, gboolean stays, GPtrArray *names)
{
  const char *join = stays ? "&&" : "||", *other = stays ? "||" : "&&";
  guint piece = first;

  for (guint t = first; t < end; t++)
    if (leat_tokens_is (self->tokens, t, other))
      return;
  for (guint t = first; t <= end; t++)
    {
      if (t < end && !leat_tokens_is (self->tokens, t, join))
        continue;
      for (guint i = names->len; i > 0 && t > piece + 2; i--)
        {
          const char *name = g_ptr_array_index (names, i - 1);

          if ((leat_tokens_is (self->tokens, piece, name)
               && leat_tokens_is (self->tokens, piece + 1, stays ? "<" : ">="))
              || (leat_tokens_is (self->tokens, t - 1, name)
                  && leat_tokens_is (self->tokens, t - 2, stays ? ">" : "<=")))
            g_ptr_array_remove_index_fast (names, i - 1);
        }
      piece = t + 1;
    }
}

/* `if (i >= n) return;` sends the threads past the end away, and `if (i < n) ...` up to the kernel's end leaves them
 * out; before it there is nothing but declarations. */
static char *
leat_block_check_guards (const LeatBlockReader *self, GPtrArray *names)
{
  for (guint t = self->decl->body + 1; t < self->decl->last && names->len > 0;)
    {
      guint end = leat_kernel_unit_statement_end (self->unit, t, self->decl->last), close, then;

      if (!leat_tokens_is (self->tokens, t, "if"))
        {
          if (!leat_block_only_declares (self, t, end))
            break;
          t = MAX (end, t + 1);
          continue;
        }
      if (!leat_tokens_is (self->tokens, t + 1, "("))
        break;
      close = leat_tokens_at (self->tokens, t + 1)->match;
      then = close + 1 + leat_tokens_is (self->tokens, close + 1, "{");
      if (leat_tokens_is (self->tokens, then, "return"))
        leat_block_note_guards (self, t + 2, close, FALSE, names);
      else if (end >= self->decl->last)
        leat_block_note_guards (self, t + 2, close, TRUE, names);
      else
        break;
      t = MAX (end, t + 1);
    }
  if (names->len == 0)
    return NULL;
  return leat_block_say (self, self->decl->name,
                         "threads past the last item must do nothing: begin with \"if (%s >= COUNT) return;\", or use "
                         "GRID_FOR",
                         (const char *) g_ptr_array_index (names, 0));
}

static char *
leat_block_check_numbers (const LeatBlockReader *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);
  char *why = leat_block_find_numbers (self, names, known);

  for (guint t = self->decl->body; why == NULL && t < self->decl->last; t++)
    if (leat_tokens_is_any (self->tokens, t, leat_block_thread_words)
        && !g_hash_table_contains (known, GUINT_TO_POINTER (t)))
      {
        g_autofree char *word = leat_tokens_dup (self->tokens, t);

        why = leat_block_say (self, t,
                              "\"%s\" stands for more than the thread's number in the grid; number threads by "
                              "\"i = blockIdx.x * blockDim.x + threadIdx.x\" alone, or use GRID_FOR",
                              word);
      }
  if (why == NULL && names->len == 0)
    why = leat_block_say (self, self->decl->name, "no thread asks which one it is, so all do the same; use GRID_FOR");
  return why != NULL ? why : leat_block_check_guards (self, names);
}

static char *
leat_block_check_part (LeatKernelSource *part, const char *entry, gboolean *loops)
{
  LeatBlockReader self = { .unit = part->unit, .tokens = part->unit->tokens };
  g_autoptr (LeatKernelCalls) calls = leat_kernel_calls_new (part->unit);
  g_autoptr (LeatLocals) locals = NULL;
  char *why;

  self.decl = leat_kernel_unit_find_kernel (part->unit, entry);
  if (self.decl == NULL)
    return g_strdup ("the kernel is not there for every device");
  self.calls = calls;
  self.locals = locals = leat_locals_new (part->unit, calls, self.decl);
  for (guint t = self.decl->body; t < self.decl->last; t++)
    self.loops = self.loops || leat_tokens_is (self.tokens, t, "GRID_FOR");
  *loops = *loops && self.loops;
  why = leat_block_check_all_words (&self);
  if (why != NULL)
    return why;
  return self.loops ? leat_block_check_loops (&self) : leat_block_check_numbers (&self);
}

/**
 * leat_kernel_source_dup_why_one_block: (skip)
 * @self: a source
 * @entry: one of its kernels
 * @loops: (out): whether GRID_FOR hands out the items, so that any grid does them all
 *
 * Looks for reasons why the results of a kernel may depend on the size of its blocks. What cannot be told counts as
 * one.
 *
 * Returns: (transfer full) (nullable): the reason, behind its place `file:line:column`, or %NULL where the results are
 *   the same with blocks of any size
 *
 * Since: 0.1
 */
char *
leat_kernel_source_dup_why_one_block (LeatKernelSource *self, const char *entry, gboolean *loops)
{
  g_autoptr (GPtrArray) parts = NULL;
  char *why = NULL;

  g_return_val_if_fail (self != NULL && entry != NULL && loops != NULL, NULL);
  *loops = TRUE;
  if (self->image != NULL)
    return g_strdup_printf ("%s: the kernel came compiled, so its text cannot be looked at", self->name);
  parts = leat_kernel_source_list_parts (self, FALSE);
  for (guint i = 0; i < parts->len && why == NULL; i++)
    why = leat_block_check_part (g_ptr_array_index (parts, i), entry, loops);
  return why;
}
