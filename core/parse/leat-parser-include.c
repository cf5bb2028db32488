/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Parses an `include`: finds the file beside the one that names it, refuses cycles, and reads each file once. */

#include "leat-parser-private.h"

#include "kernel/leat-supply-private.h"

static gboolean
leat_parser_is_open (LeatParser *self, const char *real)
{
  for (guint i = 0; i < self->open->len; i++)
    {
      const LeatSource *source = g_ptr_array_index (self->open, i);

      if (source->real != NULL && g_str_equal (source->real, real))
        return TRUE;
    }
  return FALSE;
}

static gboolean
leat_parser_was_read (LeatParser *self, const char *real)
{
  for (guint i = 0; i < self->syntax->sources->len; i++)
    {
      const LeatSource *source = g_ptr_array_index (self->syntax->sources, i);

      if (source->real != NULL && g_str_equal (source->real, real))
        return TRUE;
    }
  return FALSE;
}

/* "a.leat -> b.leat -> a.leat" */
static char *
leat_parser_describe_cycle (LeatParser *self, const LeatSource *again)
{
  g_autoptr (GString) text = g_string_new (NULL);
  gboolean inside = FALSE;

  for (guint i = 0; i < self->open->len; i++)
    {
      const LeatSource *source = g_ptr_array_index (self->open, i);

      inside = inside || g_strcmp0 (source->real, again->real) == 0;
      if (inside)
        g_string_append_printf (text, "%s -> ", source->name);
    }
  g_string_append (text, again->name);
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Names stay as short as the user wrote them: relative to the including file as that was named. */
static LeatSource *
leat_parser_locate (const LeatSource *from, const char *name)
{
  g_autofree char *folder = from->name != NULL ? g_path_get_dirname (from->name) : NULL;
  g_autofree char *path = NULL, *found = NULL;

  if (g_path_is_absolute (name) || folder == NULL || g_str_equal (folder, "."))
    path = g_strdup (name);
  else
    path = g_build_filename (folder, name, NULL);
  found = leat_supply_resolve (from->folder, path);
  return leat_source_new_file (found);
}

static void
leat_parser_refuse_file (LeatParser *self, const LeatSourcePos *pos, const LeatSource *source)
{
  gboolean exists = g_file_test (source->name, G_FILE_TEST_EXISTS);
  g_autofree char *hint = exists ? g_strdup ("") : leat_source_dup_hint (source);

  leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_INCLUDE, "cannot include %s: %s%s", source->name,
                       exists ? "not a regular file" : "no such file", hint);
}

/* FALSE when @source is not to be read now. */
static gboolean
leat_parser_check_include (LeatParser *self, const LeatSyntaxStatement *statement, const LeatSource *source)
{
  const LeatSourcePos *pos = &statement->pos;

  if (leat_parser_is_open (self, source->real))
    {
      g_autofree char *cycle = leat_parser_describe_cycle (self, source);

      leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_INCLUDE_CYCLE, "a file includes itself: %s", cycle);
    }
  else if (self->open->len >= LEAT_SYNTAX_MAX_INCLUDE_DEPTH)
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_LIMIT, "includes are nested deeper than %d files",
                         LEAT_SYNTAX_MAX_INCLUDE_DEPTH);
  else if (leat_parser_was_read (self, source->real))
    return FALSE;
  else if (self->syntax->sources->len >= LEAT_SYNTAX_MAX_FILES)
    leat_error_list_add (self->errors, pos, LEAT_PARSE_ERROR_LIMIT, "more than %d files in one pipeline",
                         LEAT_SYNTAX_MAX_FILES);
  else if (!leat_supply_has (source->name))
    leat_parser_refuse_file (self, pos, source);
  else
    return TRUE;
  return FALSE;
}

/* A file is read once, however many files include it: what it declares exists once. */
void
leat_parser_parse_include (LeatParser *self, LeatSyntaxStatement *statement)
{
  g_autoptr (LeatSource) source = NULL;
  LeatSource *kept;

  source = leat_parser_locate (statement->pos.source, leat_syntax_value_peek_literal (statement->value));
  if (!leat_parser_check_include (self, statement, source))
    {
      statement->statements = NULL;
      return;
    }
  source->index = self->syntax->sources->len;
  kept = source;
  g_ptr_array_add (self->syntax->sources, g_steal_pointer (&source));
  leat_parser_parse_source (self, kept, &statement->pos, statement->statements);
}
