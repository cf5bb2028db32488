/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A file's text as a part of a larger one: functions that nothing needs are left out, kernels become functions, and all
 * names at file scope begin with the file's prefix.  Macros end where the file does. */

#include "kernel/leat-kernel-bring-private.h"
#include "kernel/leat-kernel-entry-private.h"
#include "leat-fuse-file-private.h"

#include <string.h>

typedef struct
{
  char *entry;
  guint decl; /* of the unit at hand */
  LeatFuseForm form;
} LeatFuseUse;

struct _LeatFuseFile
{
  LeatKernelSource *source;
  const LeatKernelUnit *unit; /* of the source, as it is for the target at hand */
  LeatKernelCalls *calls;
  char *prefix;
  GHashTable *names; /* char*: those that get the prefix */
  GArray *uses;      /* LeatFuseUse */
  gboolean leaves;   /* threads of a kernel that is used return while others wait */
};

static void
leat_fuse_file_add_name (LeatFuseFile *self, guint token)
{
  if (token != G_MAXUINT && leat_tokens_at (self->unit->tokens, token)->kind == LEAT_TOKEN_IDENT)
    g_hash_table_add (self->names, leat_tokens_dup (self->unit->tokens, token));
}

static void
leat_fuse_file_add_variables (LeatFuseFile *self, const LeatDecl *decl)
{
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->first, decl->last);

  for (guint i = 0; i < pieces->len; i += 2)
    leat_fuse_file_add_name (self, leat_kernel_unit_declared_name (self->unit, g_array_index (pieces, guint, i),
                                                                   g_array_index (pieces, guint, i + 1) + 1));
}

/* `enum kind { SMALL, LARGE = 3 }` */
static void
leat_fuse_file_add_enumerators (LeatFuseFile *self, const LeatDecl *decl)
{
  const LeatTokens *tokens = self->unit->tokens;

  for (guint i = decl->first + 1; i < decl->last; i++)
    if (leat_tokens_is (tokens, i - 1, "{") || leat_tokens_is (tokens, i - 1, ","))
      leat_fuse_file_add_name (self, i);
}

/* The name behind `struct`, `enum class` and so on, and behind attributes. */
static guint
leat_fuse_file_find_tag (const LeatFuseFile *self, guint token)
{
  token += leat_tokens_is (self->unit->tokens, token, "class") || leat_tokens_is (self->unit->tokens, token, "struct");
  while (leat_kernel_unit_skip_attribute (self->unit, token) != token)
    token = leat_kernel_unit_skip_attribute (self->unit, token) + 1;
  return token;
}

static void
leat_fuse_file_add_type (LeatFuseFile *self, const LeatDecl *decl)
{
  static const char *const words[] = { "struct", "union", "enum", "class", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  if (leat_tokens_is (tokens, decl->first, "using") && leat_tokens_is (tokens, decl->first + 2, "="))
    leat_fuse_file_add_name (self, decl->first + 1);
  if (leat_tokens_is (tokens, decl->first, "typedef"))
    leat_fuse_file_add_name (self, leat_kernel_unit_declared_name (self->unit, decl->first + 1, decl->last));
  for (guint i = decl->first; i < decl->last && !leat_tokens_is (tokens, i, "{"); i++)
    if (leat_tokens_is_any (tokens, i, words)
        && (i == 0 || (!leat_tokens_is (tokens, i - 1, "<") && !leat_tokens_is (tokens, i - 1, ","))))
      leat_fuse_file_add_name (self, leat_fuse_file_find_tag (self, i + 1));
  if (leat_tokens_is (tokens, decl->first, "enum")
      || (leat_tokens_is (tokens, decl->first, "typedef") && leat_tokens_is (tokens, decl->first + 1, "enum")))
    leat_fuse_file_add_enumerators (self, decl);
}

/* `extern __shared__ float cells[];` names one thing for all functions of a text, wherever it stands. */
static void
leat_fuse_file_add_dynamic (LeatFuseFile *self)
{
  const LeatTokens *tokens = self->unit->tokens;

  for (guint i = 0; leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_END; i++)
    if (leat_tokens_is (tokens, i, "extern") && leat_tokens_is (tokens, i + 1, "__shared__"))
      {
        guint end = i;

        while (!leat_tokens_is (tokens, end, ";") && leat_tokens_at (tokens, end)->kind != LEAT_TOKEN_END)
          end++;
        leat_fuse_file_add_name (self, leat_kernel_unit_declared_name (self->unit, i, end));
      }
}

static void
leat_fuse_file_find_names (LeatFuseFile *self)
{
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);

      if (decl->kind == LEAT_DECL_VARIABLE)
        leat_fuse_file_add_variables (self, decl);
      else if (decl->kind == LEAT_DECL_TYPE)
        leat_fuse_file_add_type (self, decl);
      else if ((decl->kind == LEAT_DECL_FUNCTION || decl->kind == LEAT_DECL_PROTOTYPE)
               && !(decl->flags & LEAT_DECL_IS_OPERATOR))
        leat_fuse_file_add_name (self, decl->name);
    }
  leat_fuse_file_add_dynamic (self);
}

static void
leat_fuse_use_clear (gpointer data)
{
  g_free (((LeatFuseUse *) data)->entry);
}

LeatFuseFile *
leat_fuse_file_new (LeatKernelSource *source, guint number)
{
  LeatFuseFile *self = g_new0 (LeatFuseFile, 1);

  self->source = leat_kernel_source_ref (source);
  self->unit = source->unit;
  self->calls = leat_kernel_calls_new (source->unit);
  self->prefix = g_strdup_printf ("leat_f%u_", number);
  self->names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  self->uses = g_array_new (FALSE, FALSE, sizeof (LeatFuseUse));
  g_array_set_clear_func (self->uses, leat_fuse_use_clear);
  return self;
}

void
leat_fuse_file_free (LeatFuseFile *self)
{
  leat_kernel_calls_free (self->calls);
  leat_kernel_source_unref (self->source);
  g_hash_table_unref (self->names);
  g_array_unref (self->uses);
  g_free (self->prefix);
  g_free (self);
}

gboolean
leat_fuse_file_is_of (LeatFuseFile *self, LeatKernelSource *source)
{
  return leat_kernel_source_equal (self->source, source);
}

static const char *
leat_fuse_form_get_letter (LeatFuseForm form)
{
  static const char *const letters[] = {
    [LEAT_FUSE_FREE] = "free", [LEAT_FUSE_BLOCK] = "block", [LEAT_FUSE_ITEM] = "item", [LEAT_FUSE_THREAD] = "thread"
  };

  return letters[form];
}

char *
leat_fuse_file_use (LeatFuseFile *self, const char *entry, LeatFuseForm form)
{
  g_autofree char *symbol = leat_kernel_dup_symbol (entry);
  gboolean known = FALSE;

  for (guint i = 0; i < self->uses->len; i++)
    known = known
            || (g_str_equal (g_array_index (self->uses, LeatFuseUse, i).entry, entry)
                && g_array_index (self->uses, LeatFuseUse, i).form == form);
  if (!known)
    {
      LeatFuseUse use = { .entry = g_strdup (entry), .form = form };

      g_array_append_val (self->uses, use);
    }
  return g_strdup_printf ("%s%s_%s", self->prefix, leat_fuse_form_get_letter (form), symbol);
}

static gboolean
leat_fuse_file_check_uses (LeatFuseFile *self, LeatKernelSource *source, GError **error)
{
  for (guint i = 0; i < self->uses->len; i++)
    {
      const char *entry = g_array_index (self->uses, LeatFuseUse, i).entry;

      if (leat_kernel_unit_find_kernel (source->unit, entry) != NULL)
        continue;
      g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY,
                   "%s: the kernel \"%s\", which was made one with others, is not there where it is compiled for this "
                   "device; define it there too, or take its node out of the megakernel",
                   source->name, entry);
      return FALSE;
    }
  return TRUE;
}

/* Turns to what the file is for @target.  FALSE where it has a mistake, or a kernel is not there. */
static gboolean
leat_fuse_file_aim (LeatFuseFile *self, const LeatKernelTarget *target, GError **error)
{
  LeatKernelSource *source = leat_kernel_source_get_for (self->source, target, error);

  if (source == NULL || !leat_fuse_file_check_uses (self, source, error))
    return FALSE;
  self->unit = source->unit;
  leat_kernel_calls_free (self->calls);
  self->calls = leat_kernel_calls_new (self->unit);
  g_hash_table_remove_all (self->names);
  leat_fuse_file_find_names (self);
  self->leaves = FALSE;
  for (guint i = 0; i < self->uses->len; i++)
    {
      LeatFuseUse *use = &g_array_index (self->uses, LeatFuseUse, i);
      const LeatDecl *decl = leat_kernel_unit_find_kernel (self->unit, use->entry);

      use->decl = decl - leat_kernel_unit_at (self->unit, 0);
      if (leat_kernel_unit_find_missed_wait (self->unit, self->calls, decl, FALSE) != G_MAXUINT)
        self->leaves = TRUE;
    }
  return TRUE;
}

guint
leat_fuse_file_get_asks (LeatFuseFile *self)
{
  return leat_kernel_source_get_asks (self->source);
}

/* Every function of the file gets other names, and loads that see earlier writes of this launch.  A pointer may not
 * promise to be the only one: one stage writes data that another reads. */
static void
leat_fuse_file_edit_names (LeatFuseFile *self, GArray *edits, guint first, guint last)
{
  static const char *const promises[] = { "__restrict__", "__restrict", "restrict", NULL };
  const LeatTokens *tokens = self->unit->tokens;

  for (guint i = first; i <= last; i++)
    {
      g_autofree char *word = NULL;

      if (leat_tokens_at (tokens, i)->kind != LEAT_TOKEN_IDENT
          || (i > 0 && (leat_tokens_is (tokens, i - 1, ".") || leat_tokens_is (tokens, i - 1, "->"))))
        continue;
      word = leat_tokens_dup (tokens, i);
      if (leat_tokens_is_any (tokens, i, promises))
        leat_edits_replace (edits, tokens, i, i, "%s", "");
      else if (g_str_equal (word, "__ldg"))
        leat_edits_replace (edits, tokens, i, i, "leat_fuse_load");
      else if (self->leaves && g_str_equal (word, "__syncthreads"))
        leat_edits_replace (edits, tokens, i, i, "leat_fuse_sync");
      else if (g_hash_table_contains (self->names, word))
        leat_edits_replace (edits, tokens, i, i, "%s%s", self->prefix, word);
    }
}

/* In a kernel that is told its block: the words that ask for it. */
static void
leat_fuse_file_edit_indices (LeatFuseFile *self, GArray *edits, const LeatDecl *decl)
{
  static const char *const words[][2] = { { "blockIdx", "leat_fuse_block" },
                                          { "gridDim", "leat_fuse_grid" },
                                          { "threadIdx", "leat_fuse_thread" },
                                          { "blockDim", "leat_fuse_size" },
                                          { "GRID_FOR", "LEAT_FUSE_FOR" } };

  for (guint i = decl->body; i < decl->last; i++)
    for (guint w = 0; w < G_N_ELEMENTS (words); w++)
      if (leat_tokens_is (self->unit->tokens, i, words[w][0]))
        leat_edits_replace (edits, self->unit->tokens, i, i, "%s", words[w][1]);
}

static void
leat_fuse_file_edit_loops (LeatFuseFile *self, GArray *edits, const LeatDecl *decl, LeatFuseForm form)
{
  g_autoptr (GArray) loops = leat_kernel_unit_find_fuse_loops (self->unit, self->calls, decl);
  const LeatTokens *tokens = self->unit->tokens;

  for (guint i = 0; i < loops->len; i++)
    {
      const LeatFuseLoop *loop = &g_array_index (loops, LeatFuseLoop, i);

      /* The bound stays where it is, so that names in it are found. */
      leat_edits_replace (edits, tokens, loop->first, loop->bound_first - 1, "%s (",
                          form == LEAT_FUSE_ITEM ? "LEAT_FUSE_ITEM" : "GRID_FOR");
      leat_edits_insert_before (edits, tokens, loop->bound_first, " ");
      if (loop->type_first != G_MAXUINT)
        {
          g_autofree char *name = leat_tokens_dup (tokens, loop->name);
          g_autofree char *type = leat_tokens_dup_range (tokens, loop->type_first, loop->type_last);

          leat_edits_insert_before (edits, tokens, loop->bound_first, "%s, (%s) (", name, type);
          leat_edits_replace (edits, tokens, loop->bound_last + 1, loop->last, "))");
        }
      else
        {
          g_autofree char *name = leat_tokens_dup (tokens, loop->name);

          leat_edits_insert_before (edits, tokens, loop->bound_first, "%s, ", name);
        }
    }
}

/* Whoever returns while others wait says so. */
static void
leat_fuse_file_edit_returns (LeatFuseFile *self, GArray *edits, const LeatDecl *decl)
{
  g_autoptr (GArray) returns = leat_kernel_unit_list_returns (self->unit, self->calls, decl);

  if (leat_kernel_unit_find_missed_wait (self->unit, self->calls, decl, FALSE) == G_MAXUINT)
    return;
  for (guint i = 0; i < returns->len; i++)
    {
      guint token = g_array_index (returns, guint, i);

      leat_edits_replace (edits, self->unit->tokens, token, token, "{ leat_block_leave (leat_fuse_meeting ()); return");
      leat_edits_insert_after (edits, self->unit->tokens, token + 1, " }");
    }
}

/* One type for each pointer: memory, or a local variable. */
static char *
leat_fuse_file_edit_pointers (LeatFuseFile *self, GArray *edits, const LeatDecl *decl)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint close = leat_tokens_at (tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->params + 1, close);
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (self->unit, decl, NULL);
  GString *head = g_string_new (NULL);

  for (guint i = 0; prototype != NULL && i < prototype->n_params; i++)
    {
      guint first = g_array_index (pieces, guint, 2 * i), last = g_array_index (pieces, guint, 2 * i + 1);

      if (prototype->params[i].kind != LEAT_PARAM_INPUT && prototype->params[i].kind != LEAT_PARAM_OUTPUT)
        continue;
      g_string_append_printf (head, "%sclass LeatPointer%u", head->len > 0 ? ", " : "template <", i);
      leat_edits_replace (edits, tokens, first, last, "LeatPointer%u %s%s", i,
                          g_hash_table_contains (self->names, prototype->params[i].name) ? self->prefix : "",
                          prototype->params[i].name);
    }
  if (head->len > 0)
    g_string_append (head, "> ");
  return g_string_free (head, FALSE);
}

/* The larger kernel takes enumerations as the numbers that they are. */
static void
leat_fuse_file_edit_enumerations (LeatFuseFile *self, GArray *edits, const LeatDecl *decl)
{
  guint close = leat_tokens_at (self->unit->tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, decl->params + 1, close);
  g_autoptr (LeatPrototype) prototype = leat_kernel_unit_parse_prototype (self->unit, decl, NULL);

  for (guint i = 0; prototype != NULL && i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];
      guint first = g_array_index (pieces, guint, 2 * i), last = g_array_index (pieces, guint, 2 * i + 1);
      g_autofree char *word = leat_param_dup_word (param);
      LeatKernelType type;

      if (param->kind != LEAT_PARAM_SCALAR || leat_kernel_unit_lookup_type (self->unit, param->type, &type)
          || !leat_kernel_unit_lookup_enum (self->unit, param->type, &type))
        continue;
      leat_edits_replace (edits, self->unit->tokens, first, last, "%s leat_number_of_%s", leat_fuse_get_c_type (param),
                          word);
      leat_edits_insert_after (edits, self->unit->tokens, decl->body, " %s%s %s = (%s%s) leat_number_of_%s;",
                               self->prefix, param->type, word, self->prefix, param->type, word);
    }
}

static void
leat_fuse_file_edit_params (LeatFuseFile *self, GArray *edits, const LeatDecl *decl, LeatFuseForm form)
{
  static const char *const added[] = { [LEAT_FUSE_FREE] = "",
                                       [LEAT_FUSE_BLOCK] = "uint3 leat_fuse_block, dim3 leat_fuse_grid, "
                                                           "uint3 leat_fuse_thread, dim3 leat_fuse_size",
                                       [LEAT_FUSE_THREAD] = "uint3 leat_fuse_block, dim3 leat_fuse_grid, "
                                                            "uint3 leat_fuse_thread, dim3 leat_fuse_size",
                                       [LEAT_FUSE_ITEM] = "uint64_t leat_fuse_item" };
  const LeatTokens *tokens = self->unit->tokens;
  guint close = leat_tokens_at (tokens, decl->params)->match;
  gboolean none =
    close == decl->params + 1 || (close == decl->params + 2 && leat_tokens_is (tokens, close - 1, "void"));

  if (none)
    leat_edits_replace (edits, tokens, decl->params, close, "(%s)", added[form]);
  else if (added[form][0] != '\0')
    leat_edits_insert_after (edits, tokens, decl->params, "%s, ", added[form]);
}

/* The function that stands for a kernel. */
static char *
leat_fuse_file_dup_function (LeatFuseFile *self, const LeatFuseUse *use)
{
  static const char *const qualifiers[] = { "__global__", "__device__",      "static", "extern",
                                            "inline",     "__forceinline__", NULL };
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, use->decl);
  const LeatTokens *tokens = self->unit->tokens;
  g_autoptr (GArray) edits = leat_edits_new ();
  g_autofree char *head = NULL, *entry = leat_tokens_dup (tokens, decl->name);

  /* Where two edits replace the same text, the first one holds. */
  leat_edits_replace (edits, tokens, decl->name, decl->name, "%s%s_%s", self->prefix,
                      leat_fuse_form_get_letter (use->form), entry);
  leat_entry_strip_qualifiers (edits, self->unit, decl, qualifiers);
  head = use->form == LEAT_FUSE_ITEM || use->form == LEAT_FUSE_THREAD ? leat_fuse_file_edit_pointers (self, edits, decl)
                                                                      : g_strdup ("");
  leat_edits_insert_before (edits, tokens, decl->first, "%s", head);
  leat_edits_insert_before (edits, tokens, leat_entry_find_head (self->unit, decl), "__device__ __forceinline__ ");
  leat_fuse_file_edit_enumerations (self, edits, decl);
  leat_fuse_file_edit_params (self, edits, decl, use->form);
  leat_fuse_file_edit_returns (self, edits, decl);
  if (use->form == LEAT_FUSE_BLOCK || use->form == LEAT_FUSE_THREAD)
    leat_fuse_file_edit_indices (self, edits, decl);
  else
    leat_fuse_file_edit_loops (self, edits, decl, use->form);
  leat_fuse_file_edit_names (self, edits, decl->first, decl->last);
  return leat_edits_apply_range (edits, tokens, decl->first, decl->last);
}

/* What follows stands at the place of @token in the user's file, whatever was put before it or left out. */
static void
leat_fuse_file_append_mark (LeatFuseFile *self, GString *text, guint token)
{
  const LeatToken *at = leat_tokens_at (self->unit->tokens, token);

  g_string_append_c (text, '\n');
  leat_kernel_append_mark (text, at->line, g_ptr_array_index (self->unit->tokens->text->files, at->file));
  g_string_append_c (text, '\n');
}

static void
leat_fuse_file_edit_kernel (LeatFuseFile *self, GArray *edits, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < self->uses->len; i++)
    {
      const LeatFuseUse *use = &g_array_index (self->uses, LeatFuseUse, i);
      g_autofree char *one = use->decl == index ? leat_fuse_file_dup_function (self, use) : NULL;

      if (one != NULL)
        leat_fuse_file_append_mark (self, text, decl->first);
      g_string_append (text, one != NULL ? one : "");
    }
  leat_fuse_file_append_mark (self, text, decl->last);
  leat_edits_replace (edits, self->unit->tokens, decl->first, decl->last, "%s", text->str);
}

static gboolean
leat_fuse_file_needs (LeatFuseFile *self, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);

  if (decl->kind == LEAT_DECL_REPORT || (decl->flags & LEAT_DECL_IS_VARIANT)
      || (decl->kind == LEAT_DECL_PROTOTYPE && (decl->flags & LEAT_DECL_IS_GLOBAL)))
    return FALSE;
  if (decl->kind != LEAT_DECL_FUNCTION || (decl->flags & LEAT_DECL_IS_OPERATOR))
    return TRUE;
  for (guint i = 0; i < self->uses->len; i++)
    if (leat_kernel_calls_reaches (self->calls, g_array_index (self->uses, LeatFuseUse, i).decl, index))
      return TRUE;
  for (guint i = 0; i < self->unit->decls->len; i++)
    if ((leat_kernel_unit_at (self->unit, i)->flags & LEAT_DECL_IS_OPERATOR)
        && leat_kernel_calls_reaches (self->calls, i, index))
      return TRUE;
  return FALSE;
}

/* A function may have the name of one of CUDA's, for types of the file's own: calls of the name that mean CUDA's still
 * come to it. */
static char *
leat_fuse_file_dup_overloads (LeatFuseFile *self)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  GString *out = g_string_new (NULL);

  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);
      char *name;

      if (decl->kind != LEAT_DECL_FUNCTION || (decl->flags & (LEAT_DECL_IS_OPERATOR | LEAT_DECL_IS_GLOBAL))
          || !leat_kernel_unit_is_plain_name (self->unit, decl) || !leat_fuse_file_needs (self, i))
        continue;
      name = leat_tokens_dup (self->unit->tokens, decl->name);
      if (g_hash_table_add (known, name))
        g_string_append_printf (out,
                                "template <class... LeatA> __device__ __forceinline__ auto %s%s (LeatA &&...a)"
                                " -> decltype (%s ((LeatA &&) a...)) { return %s ((LeatA &&) a...); }\n",
                                self->prefix, name, name, name);
    }
  return g_string_free (out, FALSE);
}

static void
leat_fuse_file_edit_decl (LeatFuseFile *self, GArray *edits, guint index)
{
  const LeatDecl *decl = leat_kernel_unit_at (self->unit, index);
  g_autoptr (GString) text = g_string_new (NULL);

  if (decl->kind == LEAT_DECL_FUNCTION && (decl->flags & LEAT_DECL_IS_GLOBAL))
    leat_fuse_file_edit_kernel (self, edits, index);
  else if (!leat_fuse_file_needs (self, index))
    {
      leat_fuse_file_append_mark (self, text, decl->last);
      leat_edits_replace (edits, self->unit->tokens, decl->first, decl->last, "%s", text->str);
    }
}

/* Places stay those of the user's files, which are named here as whoever reads the larger text finds them. */
static void
leat_fuse_file_edit_directive (GArray *edits, const LeatTokens *tokens, const LeatTokenGap *gap)
{
  LeatEdit edit = { gap->offset, gap->offset + gap->length, edits->len, NULL };
  g_autofree char *mark = g_strndup (tokens->text->text + gap->offset, gap->length);

  edit.text = leat_kernel_text_dup_marked (tokens->text, mark);
  g_array_append_val (edits, edit);
}

char *
leat_fuse_file_dup_text (LeatFuseFile *self, const LeatKernelTarget *target, GError **error)
{
  g_autoptr (GArray) edits = leat_edits_new ();
  g_autofree char *text = NULL, *overloads = NULL;
  const LeatTokens *tokens;

  if (!leat_fuse_file_aim (self, target, error))
    return NULL;
  tokens = self->unit->tokens;
  for (guint i = 0; i < self->unit->linkage->len; i++)
    {
      guint token = g_array_index (self->unit->linkage, guint, i);

      leat_edits_replace (edits, tokens, token, token, "%s", "");
    }
  for (guint i = 0; i < self->unit->decls->len; i++)
    leat_fuse_file_edit_decl (self, edits, i);
  for (guint i = 0; i < tokens->directives->len; i++)
    leat_fuse_file_edit_directive (edits, tokens, &g_array_index (tokens->directives, LeatTokenGap, i));
  if (tokens->tokens->len > 1)
    leat_fuse_file_edit_names (self, edits, 0, tokens->tokens->len - 2);
  text = leat_edits_apply (edits, tokens);
  overloads = leat_fuse_file_dup_overloads (self);
  return g_strconcat (overloads, text, "\n", NULL);
}

char *
leat_fuse_file_dup_brought (LeatFuseFile *self)
{
  return leat_kernel_unit_dup_brought_lines (self->unit);
}
