/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text of an instance: its template once more, with arguments in place of parameters.  Reads the unit only. */

#include "leat-kernel-instance-private.h"

/* A parameter of a template and what stands for it. */
typedef struct
{
  guint name;     /* G_MAXUINT: it has none, and is used nowhere */
  gboolean type;  /* of a type, not of a value */
  char *words;    /* the type of a value */
  char *argument; /* NULL until it is known */
} LeatTemplateParam;

static void
leat_template_param_clear (gpointer data)
{
  g_free (((LeatTemplateParam *) data)->words);
  g_free (((LeatTemplateParam *) data)->argument);
}

/* One of `typename T`, `int N = 3`; FALSE where it is of a kind that is not known here. */
static gboolean
leat_instance_read_param (const LeatKernelUnit *unit, guint first, guint last, GArray *params)
{
  static const char *const types[] = { "typename", "class", NULL };
  const LeatTokens *tokens = unit->tokens;
  LeatTemplateParam param = { G_MAXUINT, leat_tokens_is_any (tokens, first, types), NULL, NULL };
  guint end = first;

  while (end <= last && !leat_tokens_is (tokens, end, "="))
    if (leat_tokens_is (tokens, end, "...") || leat_tokens_is (tokens, end++, "template"))
      return FALSE;
  if (end > first + 1 && leat_tokens_at (tokens, end - 1)->kind == LEAT_TOKEN_IDENT)
    param.name = end - 1;
  else if (leat_tokens_is (tokens, end - 1, ")")) /* `int (*F) (int)` */
    param.name = leat_kernel_unit_declared_name (unit, first, end);
  if (param.name != G_MAXUINT && param.name > first)
    param.words = leat_tokens_dup_range (tokens, first, param.name - 1);
  if (end < last)
    param.argument = leat_tokens_dup_range (tokens, end + 1, last);
  g_array_append_val (params, param);
  return TRUE;
}

/* The parameters of a template, with their defaults as arguments; NULL where there are some of another kind. */
static GArray *
leat_instance_read_params (const LeatKernelUnit *unit, const LeatDecl *decl, guint *behind)
{
  g_autoptr (GArray) params = g_array_new (FALSE, TRUE, sizeof (LeatTemplateParam));
  guint open = decl->first + 1, begin = open + 1;

  g_array_set_clear_func (params, leat_template_param_clear);
  *behind = leat_kernel_unit_skip_angles (unit, open);
  for (guint i = begin; i < *behind; i++)
    {
      if (leat_tokens_is (unit->tokens, i, ",") || i + 1 == *behind)
        {
          if (i > begin && !leat_instance_read_param (unit, begin, i - 1, params))
            return NULL;
          begin = i + 1;
        }
      else if (leat_tokens_is (unit->tokens, i, "<"))
        i = leat_kernel_unit_skip_angles (unit, i) - 1;
      else if (leat_tokens_is (unit->tokens, i, "("))
        i = leat_tokens_at (unit->tokens, i)->match;
    }
  return g_steal_pointer (&params);
}

static gboolean
leat_instance_is_word (const char *text)
{
  for (const char *p = text; *p != '\0'; p++)
    if (!g_ascii_isalnum (*p) && *p != '_')
      return FALSE;
  return TRUE;
}

/* `3u` for the 3 of an `unsigned int N`: the argument as a value of the parameter's type, on which arithmetic depends.
 */
static char *
leat_instance_dup_value (const LeatKernelUnit *unit, const LeatTemplateParam *param)
{
  static const char *const suffixes[][2] = { { "i32", "" }, { "u32", "u" }, { "i64", "ll" }, { "u64", "ull" } };
  gboolean is_literal = param->argument[strspn (param->argument, "0123456789")] == '\0';
  LeatKernelType type;

  if (param->words == NULL || !leat_kernel_unit_lookup_type (unit, param->words, &type) || type.lanes != 1)
    return leat_instance_is_word (param->argument) ? g_strdup (param->argument)
                                                   : g_strdup_printf ("(%s)", param->argument);
  for (guint i = 0; is_literal && i < G_N_ELEMENTS (suffixes); i++)
    if (g_str_equal (type.dtype, suffixes[i][0]))
      return g_strconcat (param->argument, suffixes[i][1], NULL);
  if (type.is_bool && (g_str_equal (param->argument, "true") || g_str_equal (param->argument, "false")))
    return g_strdup (param->argument);
  return g_strdup_printf ("((%s) (%s))", param->words, param->argument);
}

/* What stands for a parameter in the copy: a type of several words gets a name. @before: where that is declared */
static char *
leat_instance_dup_standing (const LeatKernelUnit *unit, const LeatTemplateParam *param, guint index, const char *symbol,
                            GString *before)
{
  if (!param->type)
    return leat_instance_dup_value (unit, param);
  if (leat_instance_is_word (param->argument))
    return g_strdup (param->argument);
  g_string_append_printf (before, "typedef %s leat_type_%u_of_%s; ", param->argument, index, symbol);
  return g_strdup_printf ("leat_type_%u_of_%s", index, symbol);
}

/* Whether the word at @token is the parameter, and no member of something. */
static gboolean
leat_instance_means (const LeatKernelUnit *unit, guint token, guint name)
{
  static const char *const before[] = { ".", "->", "::", NULL };
  g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (unit->tokens, name) : NULL;

  return word != NULL && leat_tokens_at (unit->tokens, token)->kind == LEAT_TOKEN_IDENT
         && leat_tokens_is (unit->tokens, token, word) && !leat_tokens_is_any (unit->tokens, token - 1, before);
}

/* A `#line` so that what follows stands at the place of @token. */
static void
leat_instance_append_line (GString *out, const LeatKernelUnit *unit, guint token)
{
  const LeatToken *at = leat_tokens_at (unit->tokens, token);

  g_string_append_printf (out, "\n#line %u \"%s\"\n", at->line,
                          (char *) g_ptr_array_index (unit->tokens->text->labels, at->file));
}

/* The tokens [first, last] with arguments for parameters. */
static char *
leat_instance_dup_copy (const LeatKernelUnit *unit, guint first, guint last, const LeatDecl *decl, GArray *params,
                        const char *symbol)
{
  g_autoptr (GArray) edits = leat_edits_new ();
  g_autoptr (GString) before = g_string_new (NULL);
  g_autofree char *body = NULL;
  const LeatKernelUnit seen = leat_kernel_unit_seen_from (unit, decl);
  guint behind = leat_tokens_is (unit->tokens, decl->name + 1, "<") ? decl->params - 1 : decl->name;

  for (guint p = 0; p < params->len; p++)
    {
      const LeatTemplateParam *param = &g_array_index (params, LeatTemplateParam, p);
      g_autofree char *standing = leat_instance_dup_standing (&seen, param, p, symbol, before);

      for (guint i = first; i <= last; i++)
        if (leat_instance_means (unit, i, param->name))
          leat_edits_replace (edits, unit->tokens, i, i, "%s", standing);
    }
  leat_edits_replace (edits, unit->tokens, decl->name, behind, "%s", symbol);
  body = leat_edits_apply_range (edits, unit->tokens, first, last);
  return g_strconcat (before->str, body, NULL);
}

static void
leat_instance_refuse (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl, GArray *params,
                      GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);

  if (params == NULL)
    {
      leat_tokens_set_error (unit->tokens, decl->name, LEAT_KERNEL_ERROR_ENTRY, error,
                             "\"%s\" cannot be made: its template takes a pack or a template; call it from a plain "
                             "__global__ function",
                             self->entry);
      return;
    }
  for (guint i = 0; i < params->len; i++)
    {
      guint name = g_array_index (params, LeatTemplateParam, i).name;
      g_autofree char *word = name != G_MAXUINT ? leat_tokens_dup (unit->tokens, name) : g_strdup ("...");

      g_string_append_printf (names, "%s%s", i ? ", " : "", word);
    }
  leat_tokens_set_error (unit->tokens, decl->name, LEAT_KERNEL_ERROR_ENTRY, error,
                         "\"%s\" cannot be made: the template is %s<%s>, and %u of its parameters are given",
                         self->entry, self->path, names->str, g_strv_length (self->arguments));
}

/* Puts the arguments of the parameters before @index into @words: its default, or its type. */
static void
leat_instance_bind_words (const LeatKernelUnit *unit, GArray *params, guint index, char **words)
{
  for (guint i = 0; i < index && *words != NULL; i++)
    {
      const LeatTemplateParam *other = &g_array_index (params, LeatTemplateParam, i);
      g_autofree char *word = other->name != G_MAXUINT ? leat_tokens_dup (unit->tokens, other->name) : NULL;
      g_autofree char *pattern = word != NULL ? g_strdup_printf ("(?<!:: )(?<!\\. )\\b%s\\b", word) : NULL;
      g_autofree char *value = other->type ? g_strdup (other->argument) : leat_instance_dup_value (unit, other);
      g_autoptr (GRegex) regex = pattern != NULL ? g_regex_new (pattern, 0, 0, NULL) : NULL;
      char *with = regex != NULL ? g_regex_replace_literal (regex, *words, -1, 0, value, 0, NULL) : NULL;

      if (with != NULL)
        {
          g_free (*words);
          *words = with;
        }
    }
}

/* Gives each parameter its argument; those before stand in a default. */
static gboolean
leat_instance_bind (const LeatInstance *self, const LeatKernelUnit *unit, GArray *params)
{
  guint n = g_strv_length (self->arguments);

  if (n > params->len)
    return FALSE;
  for (guint i = 0; i < params->len; i++)
    {
      LeatTemplateParam *param = &g_array_index (params, LeatTemplateParam, i);

      if (i < n)
        {
          g_free (param->argument);
          param->argument = g_strdup (self->arguments[i]);
        }
      if (param->argument == NULL)
        return FALSE;
      leat_instance_bind_words (unit, params, i, &param->words);
      if (i >= n)
        leat_instance_bind_words (unit, params, i, &param->argument);
    }
  return TRUE;
}

/* Whether a copy would not do: in a template what a constant condition leaves out need not be right for the arguments.
 */
static gboolean
leat_instance_needs_template (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  for (guint i = decl->body; i < decl->last; i++)
    if (leat_tokens_is (unit->tokens, i, "if") && leat_tokens_is (unit->tokens, i + 1, "constexpr"))
      return TRUE;
  return FALSE;
}

/* `{ scale<float, 256> (x, y, n); }` */
static char *
leat_instance_dup_call (const LeatKernelUnit *unit, const LeatDecl *decl, GArray *params)
{
  guint close = leat_tokens_at (unit->tokens, decl->params)->match;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, decl->params + 1, close);
  g_autofree char *name = leat_tokens_dup (unit->tokens, decl->name);
  GString *out = g_string_new (NULL);

  g_string_append_printf (out, " { %s<", name);
  for (guint p = 0; p < params->len; p++)
    g_string_append_printf (out, "%s%s", p ? ", " : "", g_array_index (params, LeatTemplateParam, p).argument);
  g_string_append (out, "> (");
  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint last = g_array_index (pieces, guint, i + 1);
      guint token = leat_kernel_unit_declared_name (unit, g_array_index (pieces, guint, i), last + 1);
      g_autofree char *word = token != G_MAXUINT ? leat_tokens_dup (unit->tokens, token) : g_strdup ("");

      g_string_append_printf (out, "%s%s", i ? ", " : "", word);
    }
  g_string_append (out, "); }");
  return g_string_free (out, FALSE);
}

/* The template becomes a function of the device, and what only kernels have goes. */
static void
leat_instance_edit_template (const LeatKernelUnit *unit, const LeatDecl *decl, GArray *edits)
{
  for (guint i = decl->first; i < decl->name; i++)
    if (leat_tokens_is (unit->tokens, i, "__global__"))
      leat_edits_replace (edits, unit->tokens, i, i, "__device__");
    else if (leat_tokens_is_any (unit->tokens, i, leat_kernel_attribute_words)
             && leat_tokens_is (unit->tokens, i + 1, "("))
      {
        guint close = leat_tokens_at (unit->tokens, i + 1)->match;

        leat_edits_replace (edits, unit->tokens, i, close, "%s", "");
        i = close;
      }
}

gboolean
leat_instance_edit (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl, GArray *edits,
                    GError **error)
{
  g_autofree char *symbol = leat_kernel_dup_symbol (self->entry), *copy = NULL, *call = NULL;
  g_autoptr (GString) out = g_string_new (NULL);
  g_autoptr (GArray) params = NULL;
  guint behind;

  params = leat_instance_read_params (unit, decl, &behind);
  if (params == NULL || (params->len > 0 && !leat_instance_bind (self, unit, params)))
    {
      leat_instance_refuse (self, unit, decl, params, error);
      return FALSE;
    }
  if (params->len > 0 && leat_instance_needs_template (unit, decl))
    {
      call = leat_instance_dup_call (unit, decl, params);
      leat_instance_edit_template (unit, decl, edits);
    }
  leat_instance_append_line (out, unit, behind);
  copy = leat_instance_dup_copy (
    unit, behind, call != NULL ? leat_tokens_at (unit->tokens, decl->params)->match : decl->last, decl, params, symbol);
  g_string_append (out, copy);
  g_string_append (out, call != NULL ? call : "");
  leat_instance_append_line (out, unit, decl->last);
  leat_edits_insert_after (edits, unit->tokens, decl->last, "%s", out->str);
  return TRUE;
}

/* Whether each argument is of the kind that its parameter takes, as far as a word tells: no number is a type. */
static gboolean
leat_instance_is_kind (const LeatInstance *self, const LeatKernelUnit *unit, GArray *params)
{
  LeatKernelType type;

  for (guint i = 0; self->arguments[i] != NULL; i++)
    {
      const char *argument = self->arguments[i];
      gboolean wants_type = g_array_index (params, LeatTemplateParam, i).type;

      if (wants_type ? !g_ascii_isalpha (argument[0]) && strchr ("_:", argument[0]) == NULL
                     : leat_kernel_unit_lookup_type (unit, argument, &type))
        return FALSE;
    }
  return TRUE;
}

char *
leat_instance_dup_signature (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl)
{
  guint behind, first = decl->params + 1, close = leat_tokens_at (unit->tokens, decl->params)->match;
  g_autoptr (GArray) params = leat_instance_read_params (unit, decl, &behind), edits = leat_edits_new ();
  g_autofree char *text = NULL;

  if (params == NULL || !leat_instance_bind (self, unit, params) || !leat_instance_is_kind (self, unit, params))
    return NULL;
  for (guint i = first; i < close; i++)
    for (guint p = 0; p < params->len; p++)
      {
        const LeatTemplateParam *param = &g_array_index (params, LeatTemplateParam, p);

        if (leat_instance_means (unit, i, param->name))
          leat_edits_replace (edits, unit->tokens, i, i, "%s", param->argument);
      }
  text = first < close ? leat_edits_apply_range (edits, unit->tokens, first, close - 1) : g_strdup ("");
  return leat_kernel_dup_signature (text);
}

char *
leat_kernel_unit_dup_likely_instance (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name)
{
  guint behind;
  g_autoptr (GArray) params = leat_instance_read_params (unit, decl, &behind);
  GString *out = g_string_new (name);

  for (guint i = 0; params != NULL && i < params->len; i++)
    {
      const LeatTemplateParam *param = &g_array_index (params, LeatTemplateParam, i);

      if (param->argument == NULL)
        g_string_append_printf (out, "%s%s", i ? ", " : "<",
                                param->type                             ? "float"
                                : g_strcmp0 (param->words, "bool") == 0 ? "true"
                                                                        : "256");
      else if (i == 0)
        g_string_append_c (out, '<');
    }
  return g_string_free (g_string_append_c (out, '>'), FALSE);
}
