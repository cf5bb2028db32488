/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Whether a kernel can be a part of another one, and how much of the grid it knows. */

#include "leat-fuse-file-private.h"
#include "kernel/leat-kernel-locals-private.h"
#include "kernel/leat-kernel-queue-private.h"

#include <string.h>

static const char *const leat_fuse_grid_words[] = { "blockIdx", "gridDim", NULL };
static const char *const leat_fuse_thread_words[] = { "threadIdx", "blockDim", NULL };

GArray *
leat_kernel_unit_find_fuse_loops (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl)
{
  g_autoptr (GArray) strides = leat_kernel_unit_find_stride_loops (unit, calls, decl);
  GArray *loops = g_array_new (FALSE, FALSE, sizeof (LeatFuseLoop));

  for (guint i = 0; i < strides->len; i++)
    {
      const LeatStrideLoop *from = &g_array_index (strides, LeatStrideLoop, i);
      LeatFuseLoop loop = { from->keyword,   from->close,       from->name,       from->type_first,
                            from->type_last, from->bound_first, from->bound_last, from->body_last + 1 };

      if (from->blocker == G_MAXUINT)
        g_array_append_val (loops, loop);
    }
  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      guint close = leat_tokens_is (unit->tokens, i, "GRID_FOR") && leat_tokens_is (unit->tokens, i + 1, "(")
                      ? leat_tokens_at (unit->tokens, i + 1)->match
                      : G_MAXUINT;
      LeatFuseLoop loop = { i, close, i + 2, G_MAXUINT, G_MAXUINT, i + 4, close - 1, 0 };

      if (close == G_MAXUINT || close < i + 5)
        continue;
      loop.end = leat_kernel_unit_statement_end (unit, close + 1, decl->last);
      g_array_append_val (loops, loop);
    }
  return loops;
}

static gboolean
leat_fuse_loop_has (GArray *loops, guint token)
{
  for (guint i = 0; i < loops->len; i++)
    {
      const LeatFuseLoop *loop = &g_array_index (loops, LeatFuseLoop, i);

      if (token >= loop->first && token <= loop->last && !(token >= loop->bound_first && token <= loop->bound_last))
        return TRUE;
    }
  return FALSE;
}

static gboolean
leat_fuse_decl_mentions (const LeatKernelUnit *unit, const LeatDecl *decl, const char *const *words, GArray *but)
{
  for (guint i = decl->first; i <= decl->last; i++)
    if (leat_tokens_is_any (unit->tokens, i, words) && (but == NULL || !leat_fuse_loop_has (but, i)))
      return TRUE;
  return FALSE;
}

/* A function of those that the kernel calls; NULL where none of them has one of the words. */
static const LeatDecl *
leat_fuse_find_callee (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index, const char *const *words)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);

      if (i != index && (decl->kind == LEAT_DECL_FUNCTION || decl->kind == LEAT_DECL_TYPE)
          && !(decl->flags & (LEAT_DECL_IS_GLOBAL | LEAT_DECL_IS_VARIANT))
          && leat_fuse_decl_mentions (unit, decl, words, NULL) && leat_kernel_calls_reaches (calls, index, i))
        return decl;
    }
  return NULL;
}

/* Of the kernel as a whole. (transfer full) */
static char *
leat_fuse_dup_why_not (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index)
{
  guint asks = leat_kernel_calls_get_asks (calls, index);
  g_autofree char *kept = NULL;

  if (leat_kernel_calls_syncs_grid (calls, index))
    return g_strdup ("it has a grid barrier of its own: make what is on either side of it a kernel");
  if (leat_kernel_unit_has_queue (unit, leat_kernel_unit_at (unit, index)))
    return g_strdup ("it has a queue: put it outside");
  if (unit->scopes->len > 1)
    return g_strdup ("its file has namespaces: put it outside");
  if (asks & LEAT_KERNEL_ASKS_ASSEMBLY)
    return g_strdup ("there is assembly in it, which may ask for its block: put it outside");
  if (asks & LEAT_KERNEL_ASKS_TOOLKIT)
    return g_strdup ("it asks a header of the CUDA toolkit for its place in the grid: put it outside");
  if (asks & LEAT_KERNEL_ASKS_PAUSE)
    return g_strdup ("its blocks may wait for each other: put it outside");
  if (asks & LEAT_KERNEL_ASKS_REPORTS)
    return g_strdup ("it reports, and whose reports they are would be lost: put it outside");
  if (!leat_kernel_unit_keeps_data (unit))
    return NULL;
  kept = leat_kernel_unit_dup_kept_name (unit);
  return g_strdup_printf (
    "%s of its file outlives a launch, and what becomes one kernel would have one of its own: give "
    "the kernel an output instead, or put it into a file without",
    kept);
}

/* Only names that the kernel's own text has can be given another meaning. */
static gboolean
leat_fuse_check_words (LeatKernelSource *self, LeatKernelCalls *calls, guint index, const char *const *words,
                       GError **error)
{
  const LeatKernelUnit *unit = self->unit;
  const LeatDecl *callee = leat_fuse_find_callee (unit, calls, index, words);
  g_autofree char *entry = leat_tokens_dup (unit->tokens, leat_kernel_unit_at (unit, index)->name);
  g_autofree char *name = NULL;

  if (callee == NULL)
    return TRUE;
  name = leat_tokens_dup (unit->tokens, callee->kind == LEAT_DECL_FUNCTION ? callee->name
                                                                           : leat_kernel_unit_type_name (unit, callee));
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED,
               "kernel %s cannot be part of a larger one: %s asks for %s or %s, which only the kernel itself can; take "
               "them there and pass them on",
               entry, name, words[0], words[1]);
  return FALSE;
}

static gboolean
leat_fuse_has_any (const LeatKernelUnit *unit, guint first, guint end, const char *const *words)
{
  for (guint i = first; i < end; i++)
    if (leat_tokens_is_any (unit->tokens, i, words))
      return TRUE;
  return FALSE;
}

/* Its blocks and threads become parameters and locals, which not all of its text may see. */
static gboolean
leat_fuse_check_closed (LeatKernelSource *self, const LeatDecl *decl, GError **error)
{
  static const char *const words[] = { "blockIdx", "gridDim", "threadIdx", "blockDim", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  for (guint i = decl->body + 1; i < decl->last; i++)
    {
      guint open = leat_kernel_unit_find_closed (self->unit, i);

      if (open == G_MAXUINT || !leat_fuse_has_any (self->unit, open, leat_tokens_at (tokens, open)->match, words))
        continue;
      leat_tokens_set_error (tokens, i, LEAT_KERNEL_ERROR_FAILED, error,
                             "%s within the kernel asks for its thread or block, which cannot be passed on to it when "
                             "the kernel becomes part of a larger one; %s",
                             leat_tokens_is (tokens, i, "[") ? "a lambda" : "a type",
                             leat_tokens_is (tokens, i, "[") ? "let it capture all with [&] or [=], or put it outside"
                                                             : "give it the number, or put it outside");
      return FALSE;
    }
  return TRUE;
}

/* A barrier does without those that have said that they leave, and a shuffle or who has ended otherwise is another
 * matter. */
static gboolean
leat_fuse_check_leaving (LeatKernelSource *self, LeatKernelCalls *calls, const LeatDecl *decl, GError **error)
{
  guint missed = leat_kernel_unit_find_missed_wait (self->unit, calls, decl, TRUE);
  guint partial = leat_kernel_unit_find_partial_wait (self->unit, calls, decl);
  g_autofree char *entry = leat_tokens_dup (self->unit->tokens, decl->name), *word = NULL;

  if (missed == G_MAXUINT && partial == G_MAXUINT)
    return TRUE;
  word = leat_tokens_dup (self->unit->tokens, MIN (missed, partial));
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED,
               "kernel %s cannot be part of a larger one: %s %s (), at which others wait for them: let all come to it, "
               "and put what not all of them do into an if",
               entry, missed < partial ? "some of its threads may return before" : "not all of its threads may come to",
               word);
  return FALSE;
}

static gboolean
leat_fuse_is_free (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index, GArray *loops)
{
  const LeatDecl *decl = leat_kernel_unit_at (unit, index);

  return !leat_fuse_decl_mentions (unit, decl, leat_fuse_grid_words, loops)
         && !leat_fuse_decl_mentions (unit, decl, leat_fuse_thread_words, loops)
         && !leat_kernel_calls_may_wait (calls, index)
         && leat_fuse_find_callee (unit, calls, index, leat_fuse_grid_words) == NULL
         && leat_fuse_find_callee (unit, calls, index, leat_fuse_thread_words) == NULL;
}

/* Statements before the loop are done for each item then: they may define locals, and nothing more. */
static gboolean
leat_fuse_is_harmless (const LeatKernelUnit *unit, guint first, guint end)
{
  static const char *const harmful[] = { "[", "->", "return", "goto", "for", "while", "do", "++", "--", NULL };
  static const char *const before[] = { ";", "{", "}", ")", NULL };

  for (guint i = first; i < end; i++)
    if (leat_tokens_is_any (unit->tokens, i, harmful)
        || (leat_tokens_is (unit->tokens, i, "*") && leat_tokens_is_any (unit->tokens, i - 1, before))
        || (leat_tokens_at (unit->tokens, i)->kind == LEAT_TOKEN_IDENT && leat_tokens_is (unit->tokens, i + 1, "(")
            && !leat_tokens_is (unit->tokens, i, "if")))
      return FALSE;
  return TRUE;
}

static guint
leat_fuse_find_count (const LeatPrototype *prototype, const LeatKernelUnit *unit, guint token)
{
  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == LEAT_PARAM_INPUT_COUNT
        && leat_tokens_is (unit->tokens, token, prototype->params[i].name))
      return i;
  return G_MAXUINT;
}

/* The count that is the loop's bound, itself or by a local that is nothing else; G_MAXUINT where there is none. */
static guint
leat_fuse_find_bound (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl,
                      const LeatPrototype *prototype, const LeatFuseLoop *loop)
{
  g_autoptr (LeatLocals) locals = leat_locals_new (unit, calls, decl);
  const LeatLocal *local;
  guint param;

  if (loop->bound_first != loop->bound_last)
    return G_MAXUINT;
  local = leat_locals_find (locals, loop->bound_first);
  param = leat_fuse_find_count (prototype, unit, loop->bound_first);
  if (param != G_MAXUINT || local == NULL || local->is_changed || local->init_first == G_MAXUINT
      || local->init_first != local->init_last)
    return local != NULL && local->is_changed ? G_MAXUINT : param;
  return leat_fuse_find_count (prototype, unit, local->init_first);
}

/* To numbers, and not to rows of them: `float (*x)[4]`. */
static gboolean
leat_fuse_has_plain_pointers (const LeatKernelUnit *unit, const LeatDecl *decl, const LeatPrototype *prototype)
{
  static const char *const rows[] = { "(", "[", NULL };
  g_autoptr (GArray) pieces =
    leat_kernel_unit_split (unit, decl->params + 1, leat_tokens_at (unit->tokens, decl->params)->match);

  for (guint i = 0; i < prototype->n_params; i++)
    if ((prototype->params[i].kind == LEAT_PARAM_INPUT || prototype->params[i].kind == LEAT_PARAM_OUTPUT)
        && (leat_fuse_get_c_type (&prototype->params[i]) == NULL
            || leat_fuse_has_any (unit, g_array_index (pieces, guint, 2 * i),
                                  g_array_index (pieces, guint, 2 * i + 1) + 1, rows)))
      return FALSE;
  return TRUE;
}

/* Can each of its threads be done by itself, by a thread of any number?  How many have something to do, the first count
 * says. */
static gboolean
leat_fuse_is_per_thread (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index,
                         const LeatPrototype *prototype, LeatFuseTraits *traits)
{
  for (guint i = prototype->n_params; i-- > 0;)
    if (prototype->params[i].kind == LEAT_PARAM_INPUT_COUNT)
      traits->count_param = i;
  return traits->count_param != G_MAXUINT && !traits->waits && !traits->has_shared && prototype->n_axes == 1
         && leat_fuse_has_plain_pointers (unit, leat_kernel_unit_at (unit, index), prototype)
         && leat_fuse_find_callee (unit, calls, index, leat_fuse_thread_words) == NULL;
}

/* Is the kernel one loop over items, each of which can be done by itself? */
static gboolean
leat_fuse_is_per_item (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl,
                       const LeatPrototype *prototype, GArray *loops, guint *count_param)
{
  static const char *const leaving[] = { "return", "goto", "break", NULL };
  const LeatFuseLoop *loop = loops->len == 1 ? &g_array_index (loops, LeatFuseLoop, 0) : NULL;

  if (loop == NULL || loop->end != decl->last || !leat_fuse_is_harmless (unit, decl->body + 1, loop->first)
      || leat_fuse_has_any (unit, loop->last + 1, loop->end, leaving))
    return FALSE;
  if (!leat_fuse_has_plain_pointers (unit, decl, prototype))
    return FALSE;
  *count_param = leat_fuse_find_bound (unit, calls, decl, prototype, loop);
  return *count_param != G_MAXUINT;
}

static guint8 *
leat_fuse_find_indexed (const LeatKernelUnit *unit, const LeatDecl *decl, const LeatPrototype *prototype)
{
  guint8 *indexed = g_new0 (guint8, prototype->n_params);

  for (guint p = 0; p < prototype->n_params; p++)
    {
      indexed[p] = prototype->params[p].kind == LEAT_PARAM_INPUT || prototype->params[p].kind == LEAT_PARAM_OUTPUT;
      for (guint i = decl->body; i < decl->last && indexed[p]; i++)
        if (leat_tokens_is (unit->tokens, i, prototype->params[p].name) && !leat_tokens_is (unit->tokens, i - 1, ".")
            && (!leat_tokens_is (unit->tokens, i + 1, "[") || leat_tokens_is (unit->tokens, i - 1, "&")))
          indexed[p] = FALSE;
    }
  return indexed;
}

static gboolean
leat_fuse_has_shared (const LeatKernelUnit *unit, LeatKernelCalls *calls, guint index)
{
  static const char *const words[] = { "__shared__", NULL };

  for (guint i = 0; i < unit->decls->len; i++)
    if ((i == index || leat_kernel_calls_reaches (calls, index, i))
        && leat_fuse_decl_mentions (unit, leat_kernel_unit_at (unit, i), words, NULL))
      return TRUE;
  return FALSE;
}

const char *
leat_fuse_get_c_type (const LeatParam *param)
{
  static const struct
  {
    const char *dtype, *type;
  } rows[] = { { "u8", "uint8_t" },   { "i8", "int8_t" },   { "u16", "uint16_t" }, { "i16", "int16_t" },
               { "u32", "uint32_t" }, { "i32", "int32_t" }, { "u64", "uint64_t" }, { "i64", "int64_t" },
               { "f32", "float" },    { "f64", "double" } };

  if (param->is_bool)
    return "bool";
  for (guint i = 0; i < G_N_ELEMENTS (rows) && param->item_lanes == 1; i++)
    if (g_strcmp0 (rows[i].dtype, param->dtype) == 0)
      return rows[i].type;
  return NULL;
}

void
leat_fuse_traits_clear (LeatFuseTraits *self)
{
  g_free ((gpointer) self->indexed);
  self->indexed = NULL;
}

/* Keeps what holds on every device. */
static void
leat_fuse_traits_combine (LeatFuseTraits *self, const LeatFuseTraits *other, guint n_params)
{
  guint8 *indexed = (guint8 *) self->indexed;

  self->waits = self->waits || other->waits;
  self->leaves = self->leaves || other->leaves;
  self->has_shared = self->has_shared || other->has_shared;
  self->has_loops = self->has_loops || other->has_loops;
  for (guint i = 0; i < n_params; i++)
    indexed[i] = indexed[i] && other->indexed[i];
  if (self->form == other->form && self->count_param == other->count_param && self->per_thread == other->per_thread)
    return;
  /* As blocks all can be. */
  self->form = LEAT_FUSE_BLOCK;
  self->per_thread = FALSE;
  self->count_param = G_MAXUINT;
}

static gboolean
leat_fuse_check_part (LeatKernelSource *self, const char *entry, gboolean moved, LeatFuseTraits *traits, GError **error)
{
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (self, entry, error);
  const LeatDecl *decl = prototype != NULL ? leat_kernel_unit_find_kernel (self->unit, prototype->entry) : NULL;
  g_autoptr (LeatKernelCalls) calls = decl != NULL ? leat_kernel_calls_new (self->unit) : NULL;
  guint index = decl != NULL ? decl - leat_kernel_unit_at (self->unit, 0) : 0;
  g_autoptr (GArray) loops = NULL;
  g_autofree char *why = NULL;

  memset (traits, 0, sizeof *traits);
  if (decl == NULL)
    return FALSE;
  why = leat_fuse_dup_why_not (self->unit, calls, index);
  if (why != NULL)
    {
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED, "kernel %s cannot be part of a larger one: %s",
                   prototype->entry, why);
      return FALSE;
    }
  loops = leat_kernel_unit_find_fuse_loops (self->unit, calls, decl);
  traits->has_loops = loops->len > 0;
  traits->waits = leat_kernel_calls_may_wait (calls, index);
  if (!leat_fuse_check_leaving (self, calls, decl, error))
    return FALSE;
  traits->leaves = leat_kernel_unit_find_missed_wait (self->unit, calls, decl, FALSE) != G_MAXUINT;
  traits->has_shared = leat_fuse_has_shared (self->unit, calls, index);
  traits->count_param = G_MAXUINT;
  traits->form = LEAT_FUSE_BLOCK;
  if (leat_fuse_is_free (self->unit, calls, index, loops))
    traits->form = leat_fuse_is_per_item (self->unit, calls, decl, prototype, loops, &traits->count_param)
                     ? LEAT_FUSE_ITEM
                     : LEAT_FUSE_FREE;
  else if (!leat_fuse_check_words (self, calls, index, leat_fuse_grid_words, error)
           || (moved && !leat_fuse_check_words (self, calls, index, leat_fuse_thread_words, error))
           || !leat_fuse_check_closed (self, decl, error))
    return FALSE;
  if (traits->form == LEAT_FUSE_BLOCK)
    traits->per_thread = leat_fuse_is_per_thread (self->unit, calls, index, prototype, traits);
  traits->indexed = leat_fuse_find_indexed (self->unit, decl, prototype);
  return TRUE;
}

gboolean
leat_kernel_source_check_fuse (LeatKernelSource *self, const char *entry, gboolean moved, LeatFuseTraits *traits,
                               GError **error)
{
  g_autoptr (GPtrArray) parts = leat_kernel_source_list_parts (self, FALSE);

  if (!leat_fuse_check_part (self, entry, moved, traits, error))
    return FALSE;
  for (guint i = 1; i < parts->len; i++)
    {
      LeatFuseTraits other;

      if (!leat_fuse_check_part (g_ptr_array_index (parts, i), entry, moved, &other, error))
        {
          leat_fuse_traits_clear (traits);
          return FALSE;
        }
      leat_fuse_traits_combine (traits, &other, leat_kernel_source_get_prototype (self, entry, NULL)->n_params);
      leat_fuse_traits_clear (&other);
    }
  return TRUE;
}
