/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Directives, and the lines that conditions leave out. */

#include "leat-preprocessor-private.h"

#include <string.h>

static LeatPpGroup *
leat_pp_get_group (LeatPreprocessor *self)
{
  GArray *groups = self->file->groups;

  return groups->len > 0 ? &g_array_index (groups, LeatPpGroup, groups->len - 1) : NULL;
}

static gboolean
leat_pp_is_conditional (const LeatPpToken *name)
{
  return leat_pp_is (name, "if") || leat_pp_is (name, "ifdef") || leat_pp_is (name, "ifndef");
}

/* Whether the name that a line goes on with is a macro. */
static gboolean
leat_pp_read_defined (LeatPreprocessor *self, const LeatPpToken *directive)
{
  LeatPpToken name;

  if (leat_pp_lex_line (self, &name) && name.kind == LEAT_PP_IDENT)
    return leat_pp_find (self, name.text, name.length) != NULL;
  leat_pp_fail (self, directive->line, directive->column, "expected a name after #%.*s", (int) directive->length,
                directive->text);
  return FALSE;
}

static gboolean
leat_pp_read_condition (LeatPreprocessor *self, const LeatPpToken *directive)
{
  if (leat_pp_is (directive, "if") || leat_pp_is (directive, "elif"))
    return leat_pp_evaluate (self);
  return leat_pp_read_defined (self, directive)
         == (leat_pp_is (directive, "ifdef") || leat_pp_is (directive, "elifdef"));
}

/* #elif and its like, or #else: whether what follows counts. */
static gboolean
leat_pp_change_group (LeatPreprocessor *self, const LeatPpToken *directive)
{
  LeatPpGroup *group = leat_pp_get_group (self);
  gboolean holds = FALSE;

  if (group == NULL || group->last)
    {
      leat_pp_fail (self, directive->line, directive->column,
                    group == NULL ? "this #%.*s has no #if" : "this #%.*s comes after the #else",
                    (int) directive->length, directive->text);
      return TRUE;
    }
  group->last = leat_pp_is (directive, "else");
  if (!group->taken)
    holds = group->last || leat_pp_read_condition (self, directive);
  /* Its array may have moved. */
  group = leat_pp_get_group (self);
  group->taken = group->taken || holds;
  return holds;
}

static void
leat_pp_end_group (LeatPreprocessor *self, const LeatPpToken *directive)
{
  if (self->file->groups->len == 0)
    leat_pp_fail (self, directive->line, directive->column, "this #endif has no #if");
  else
    g_array_set_size (self->file->groups, self->file->groups->len - 1);
}

/* Behind the end of the line that is being read. */
static void
leat_pp_finish_line (LeatPreprocessor *self)
{
  leat_pp_skip_line (self);
  if (self->error == NULL && *self->file->at == '\n')
    leat_pp_step (self->file);
  self->file->fresh = TRUE;
}

/* The name of the directive of a line that is left out; FALSE where it has none. */
static gboolean
leat_pp_lex_skipped (LeatPreprocessor *self, LeatPpToken *name)
{
  if (!leat_pp_lex_line (self, name) || !(leat_pp_is (name, "#") || leat_pp_is (name, "%:")))
    return FALSE;
  return leat_pp_lex_line (self, name) && name->kind == LEAT_PP_IDENT;
}

/* Past the lines of a group that does not count, to the one that does or to its end. */
static void
leat_pp_skip_group (LeatPreprocessor *self)
{
  guint inner = 0;

  while (self->error == NULL && leat_pp_peek (self->file) != '\0')
    {
      LeatPpToken name;
      gboolean known = leat_pp_lex_skipped (self, &name), ends = FALSE;

      if (known && leat_pp_is_conditional (&name))
        inner++;
      else if (known && leat_pp_is (&name, "endif"))
        ends = inner-- == 0;
      else if (known && inner == 0
               && (leat_pp_is (&name, "else") || leat_pp_is (&name, "elif") || leat_pp_is (&name, "elifdef")
                   || leat_pp_is (&name, "elifndef")))
        {
          if (leat_pp_change_group (self, &name))
            {
              leat_pp_finish_line (self);
              return;
            }
        }
      if (ends)
        leat_pp_end_group (self, &name);
      leat_pp_finish_line (self);
      if (ends)
        return;
    }
}

static void
leat_pp_begin_group (LeatPreprocessor *self, const LeatPpToken *directive)
{
  LeatPpGroup group = { .line = directive->line };

  group.taken = leat_pp_read_condition (self, directive);
  g_array_append_val (self->file->groups, group);
  leat_pp_finish_line (self);
  if (!group.taken)
    leat_pp_skip_group (self);
}

/* `5 "file"` of #line, or of the mark that another preprocessor has left. */
static void
leat_pp_obey_line (LeatPreprocessor *self, guint line, const char *words)
{
  char *end;
  guint64 number = g_ascii_strtoull (words, &end, 10);
  const char *open = strchr (end, '"'), *close = open != NULL ? strrchr (open, '"') : NULL;

  if (end == words || number == 0 || number > G_MAXINT || (*end != '\0' && *end != ' '))
    {
      leat_pp_fail (self, line, 0, "expected a line number after #line, and not \"%s\"", words);
      return;
    }
  self->file->ahead = (gint64) number - (line + 1);
  if (close > open)
    {
      g_autofree char *name = g_strndup (open + 1, close - open - 1), *bytes = g_strcompress (name);
      g_autofree char *plain = g_utf8_make_valid (bytes, -1);

      self->file->label = leat_pp_add_label (self, plain);
    }
  self->text_label = G_MAXUINT;
}

static void
leat_pp_refuse_directive (LeatPreprocessor *self, const LeatPpToken *name)
{
  static const char *const reasons[][2] = {
    { "include_next", "there is no next folder for headers; include the file by its path" },
    { "embed", "bytes of other files cannot become part of a kernel; give them to it as an input" },
    { "assert", "it is no part of C++" },
    { "unassert", "it is no part of C++" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (leat_pp_is (name, reasons[i][0]))
      {
        leat_pp_fail (self, name->line, name->column, "#%s: %s", reasons[i][0], reasons[i][1]);
        return;
      }
  leat_pp_fail (self, name->line, name->column, "there is no directive #%.*s", (int) name->length, name->text);
}

static void
leat_pp_stop (LeatPreprocessor *self, guint line, guint column)
{
  g_autofree char *words = leat_pp_dup_line (self);

  leat_pp_fail (self, line, column, "#error%s%s", words[0] != '\0' ? " " : "", words);
}

static void
leat_pp_undef (LeatPreprocessor *self, const LeatPpToken *directive)
{
  LeatPpToken name;

  if (leat_pp_lex_line (self, &name) && name.kind == LEAT_PP_IDENT)
    leat_pp_undefine (self, name.text, name.length);
  else
    leat_pp_fail (self, directive->line, directive->column, "expected a name after #undef");
}

/* FALSE for a directive that took more than its line. */
static gboolean
leat_pp_obey (LeatPreprocessor *self, const LeatPpToken *name)
{
  g_autofree char *words = NULL;

  if (leat_pp_is_conditional (name))
    {
      leat_pp_begin_group (self, name);
      return FALSE;
    }
  if (leat_pp_is (name, "include") || leat_pp_is (name, "import"))
    {
      leat_pp_include (self, leat_pp_is (name, "import"));
      return FALSE;
    }
  if (leat_pp_is (name, "else") || leat_pp_is (name, "elif") || leat_pp_is (name, "elifdef")
      || leat_pp_is (name, "elifndef"))
    {
      /* The group before it counted. */
      leat_pp_change_group (self, name);
      leat_pp_finish_line (self);
      leat_pp_skip_group (self);
      return FALSE;
    }
  if (leat_pp_is (name, "endif"))
    leat_pp_end_group (self, name);
  else if (leat_pp_is (name, "define"))
    leat_pp_define (self);
  else if (leat_pp_is (name, "undef"))
    leat_pp_undef (self, name);
  else if (leat_pp_is (name, "pragma"))
    leat_pp_pragma (self, name->line);
  else if (leat_pp_is (name, "line"))
    {
      words = leat_pp_dup_expanded_line (self);
      if (self->error == NULL)
        leat_pp_obey_line (self, name->line, words);
    }
  else if (leat_pp_is (name, "error"))
    leat_pp_stop (self, name->line, name->column);
  else if (!leat_pp_is (name, "warning") && !leat_pp_is (name, "ident") && !leat_pp_is (name, "sccs"))
    leat_pp_refuse_directive (self, name);
  return TRUE;
}

/* Also between the arguments of a macro, as compilers do. */
void
leat_pp_directive (LeatPreprocessor *self)
{
  guint prevent = self->prevent, use_line = self->use_line, use_column = self->use_column;
  gboolean one_line = TRUE;
  LeatPpToken token;

  self->in_directive = TRUE;
  self->prevent = 0;
  leat_pp_lex_line (self, &token);
  if (leat_pp_lex_line (self, &token))
    {
      if (token.kind == LEAT_PP_NUMBER)
        {
          g_autofree char *rest = leat_pp_dup_line (self);
          g_autofree char *words = g_strdup_printf ("%.*s %s", (int) token.length, token.text, rest);

          leat_pp_obey_line (self, token.line, words);
        }
      else if (token.kind == LEAT_PP_IDENT)
        one_line = leat_pp_obey (self, &token);
      else
        leat_pp_refuse_directive (self, &token);
    }
  if (one_line && self->error == NULL)
    leat_pp_finish_line (self);
  self->in_directive = FALSE;
  self->prevent = prevent;
  self->use_line = use_line;
  self->use_column = use_column;
}
