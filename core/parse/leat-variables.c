/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The values of a file's variables: defaults, overrides by the user, and the values that use them.  Changes nothing of
 * the syntax. */

#include "leat-variables-private.h"
#include "../graph/leat-graph-error-private.h"
#include "../kernel/leat-supply-private.h"

#include <string.h>

static void
leat_variables_collect (LeatSyntaxStatement *statement, gpointer data)
{
  LeatVariables *self = data;
  LeatVariable *variable, *first;

  if (statement->kind != LEAT_SYNTAX_LET)
    return;
  first = g_hash_table_lookup (self->table, statement->name);
  if (first != NULL)
    {
      g_autofree char *where = leat_source_pos_to_string (&first->statement->pos);

      leat_error_list_add (self->errors, &statement->pos, LEAT_PARSE_ERROR_VARIABLE_DUPLICATE,
                           "variable \"%s\" is declared twice (first at %s)", statement->name, where);
      return;
    }
  variable = g_new0 (LeatVariable, 1);
  variable->statement = statement;
  g_ptr_array_add (self->order, variable);
  g_hash_table_insert (self->table, statement->name, variable);
}

/* @names: NULL-terminated; (transfer container) */
static const char **
leat_variables_list_names (LeatVariables *self, gboolean only_declared)
{
  GPtrArray *names = g_ptr_array_new ();

  for (guint i = 0; i < self->order->len; i++)
    {
      const LeatVariable *variable = g_ptr_array_index (self->order, i);

      if (variable->declared || !only_declared)
        g_ptr_array_add (names, variable->statement->name);
    }
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

static void
leat_variables_report_override (LeatVariables *self, const char *name)
{
  g_autofree const char **names = leat_variables_list_names (self, FALSE);
  g_autofree char *hint =
    self->order->len == 0 ? g_strdup (": the file has no let") : leat_graph_error_hint (name, names, "variables");

  leat_error_list_add (self->errors, NULL, LEAT_PARSE_ERROR_VARIABLE_OVERRIDE, "the pipeline has no variable \"%s\"%s",
                       name, hint);
}

static void
leat_variables_add_override (LeatVariables *self, const char *text)
{
  const char *equals = strchr (text, '=');
  g_autofree char *name = equals != NULL ? g_strndup (text, equals - text) : NULL;

  if (!g_utf8_validate (text, -1, NULL))
    leat_error_list_add (self->errors, NULL, LEAT_PARSE_ERROR_VALUE, "a variable's value is not UTF-8 text");
  else if (name == NULL || !leat_syntax_is_variable (name))
    leat_error_list_add (self->errors, NULL, LEAT_PARSE_ERROR_VALUE, "\"%s\" sets no variable; expected NAME=VALUE",
                         text);
  else if (strlen (equals + 1) > LEAT_SYNTAX_MAX_VALUE_BYTES)
    leat_error_list_add (self->errors, NULL, LEAT_PARSE_ERROR_LIMIT,
                         "the value of variable \"%s\" is longer than %d bytes", name, LEAT_SYNTAX_MAX_VALUE_BYTES);
  else if (!g_hash_table_contains (self->table, name))
    leat_variables_report_override (self, name);
  else if (g_hash_table_contains (self->overrides, name))
    leat_error_list_add (self->errors, NULL, LEAT_PARSE_ERROR_VARIABLE_OVERRIDE,
                         "variable \"%s\" is given twice, \"%s\" and \"%s\"; give it one value", name,
                         (const char *) g_hash_table_lookup (self->overrides, name), equals + 1);
  else
    g_hash_table_replace (self->overrides, g_steal_pointer (&name), g_strdup (equals + 1));
}

static void
leat_variables_fix (LeatVariables *self, const char *text)
{
  leat_variables_add_override (self, text);
  g_hash_table_add (self->fixed, g_strndup (text, strcspn (text, "=")));
}

LeatVariables *
leat_variables_new (LeatSyntax *syntax, const LeatVariableValues *values, LeatErrorList *errors)
{
  LeatVariables *self = g_new0 (LeatVariables, 1);

  self->arena = syntax->arena;
  self->errors = errors;
  self->order = g_ptr_array_new_with_free_func (g_free);
  self->table = g_hash_table_new (g_str_hash, g_str_equal);
  self->overrides = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free);
  self->fixed = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  leat_syntax_foreach (syntax, leat_variables_collect, self);
  for (guint i = 0; values != NULL && values->fixed != NULL && values->fixed[i] != NULL; i++)
    leat_variables_fix (self, values->fixed[i]);
  for (guint i = 0; values != NULL && values->given != NULL && values->given[i] != NULL; i++)
    leat_variables_add_override (self, values->given[i]);
  self->folder = values != NULL && values->folder != NULL ? leat_arena_strdup (self->arena, values->folder) : NULL;
  return self;
}

void
leat_variables_free (LeatVariables *self)
{
  g_hash_table_unref (self->table);
  g_hash_table_unref (self->overrides);
  g_hash_table_unref (self->fixed);
  g_ptr_array_unref (self->order);
  g_free (self);
}

/* A value from the command line is literal, and a path in it is one of the user's current folder. */
void
leat_variables_declare (LeatVariables *self, const LeatSyntaxStatement *statement)
{
  LeatVariable *variable = g_hash_table_lookup (self->table, statement->name);
  const char *override = g_hash_table_lookup (self->overrides, statement->name);

  if (variable->statement != statement)
    return;
  variable->text = leat_variables_expand (self, statement->value, &variable->folder);
  variable->declared = TRUE;
  if (override == NULL)
    return;
  variable->text = leat_arena_strdup (self->arena, override);
  variable->folder = g_hash_table_contains (self->fixed, statement->name) ? self->folder : NULL;
}

static void
leat_variables_report_unknown (LeatVariables *self, const LeatSyntaxPiece *piece)
{
  const LeatVariable *late = g_hash_table_lookup (self->table, piece->text);
  g_autofree const char **names = NULL;
  g_autofree char *hint = NULL;

  if (late != NULL)
    {
      g_autofree char *where = leat_source_pos_to_string (&late->statement->pos);

      leat_error_list_add (self->errors, &piece->pos, LEAT_PARSE_ERROR_VARIABLE_UNKNOWN,
                           "variable \"%s\" has no value before its let at %s", piece->text, where);
      return;
    }
  if (self->order->len == 0)
    {
      leat_error_list_add (self->errors, &piece->pos, LEAT_PARSE_ERROR_VARIABLE_UNKNOWN,
                           "no variable \"%s\": the file has no let", piece->text);
      return;
    }
  names = leat_variables_list_names (self, TRUE);
  hint = leat_graph_error_hint (piece->text, names, "variables");
  leat_error_list_add (self->errors, &piece->pos, LEAT_PARSE_ERROR_VARIABLE_UNKNOWN, "no variable \"%s\"%s",
                       piece->text, hint);
}

/* NULL when it has none; unknown ones are reported. */
static const char *
leat_variables_get_text (LeatVariables *self, const LeatSyntaxPiece *piece, const char **folder)
{
  const LeatVariable *variable;

  *folder = piece->pos.source != NULL ? piece->pos.source->folder : NULL;
  if (!piece->is_variable)
    return piece->text;
  variable = g_hash_table_lookup (self->table, piece->text);
  if (variable == NULL || !variable->declared)
    {
      leat_variables_report_unknown (self, piece);
      return NULL;
    }
  *folder = variable->folder;
  return variable->text;
}

static gboolean
leat_variables_check_length (LeatVariables *self, const LeatSyntaxValue *value, gsize length)
{
  if (self->expanded_bytes > LEAT_SYNTAX_MAX_EXPANDED_BYTES)
    {
      if (!self->is_full)
        leat_error_list_add (self->errors, &value->pos, LEAT_PARSE_ERROR_LIMIT,
                             "with their variables put in, the values up to here are together longer than %d bytes",
                             LEAT_SYNTAX_MAX_EXPANDED_BYTES);
      self->is_full = TRUE;
      return FALSE;
    }
  if (length <= LEAT_SYNTAX_MAX_VALUE_BYTES)
    return TRUE;
  leat_error_list_add (self->errors, &value->pos, LEAT_PARSE_ERROR_LIMIT,
                       "with its variables put in, the value is longer than %d bytes", LEAT_SYNTAX_MAX_VALUE_BYTES);
  return FALSE;
}

/* Most values are one piece. */
static const char *
leat_variables_expand_only (LeatVariables *self, const LeatSyntaxValue *value, const char **folder)
{
  const char *piece_folder;
  const char *text = leat_variables_get_text (self, &value->pieces[0], &piece_folder);
  gsize length;

  if (text == NULL)
    return NULL;
  if (*text != '\0')
    *folder = piece_folder;
  length = strlen (text);
  self->expanded_bytes += length;
  return leat_variables_check_length (self, value, length) ? text : NULL;
}

const char *
leat_variables_expand (LeatVariables *self, const LeatSyntaxValue *value, const char **folder)
{
  g_autoptr (GString) text = NULL;
  gboolean ok = TRUE;

  *folder = value->pos.source != NULL ? value->pos.source->folder : NULL;
  if (value->n_pieces == 1)
    return leat_variables_expand_only (self, value, folder);
  text = g_string_new (NULL);
  for (guint i = 0; i < value->n_pieces; i++)
    {
      const char *piece_folder;
      const char *piece = leat_variables_get_text (self, &value->pieces[i], &piece_folder);

      ok = ok && piece != NULL;
      if (!ok)
        continue;
      if (text->len == 0 && *piece != '\0')
        *folder = piece_folder;
      g_string_append (text, piece);
      self->expanded_bytes += strlen (piece);
      if (!leat_variables_check_length (self, value, text->len))
        return NULL;
    }
  return ok ? leat_arena_strndup (self->arena, text->str, text->len) : NULL;
}

/* A `let` only has variables of those before it. */
gboolean
leat_variables_leave_open (LeatVariables *self, const LeatSyntaxValue *value)
{
  const LeatSupplyTaker *taker = leat_supply_get_taker ();

  for (guint i = 0; taker != NULL && i < value->n_pieces; i++)
    {
      const LeatVariable *variable =
        value->pieces[i].is_variable ? g_hash_table_lookup (self->table, value->pieces[i].text) : NULL;

      if (variable == NULL || variable->text == NULL)
        continue;
      if (taker->is_open (variable->statement->name))
        return TRUE;
      if (!g_hash_table_contains (self->overrides, variable->statement->name)
          && leat_variables_leave_open (self, variable->statement->value))
        return TRUE;
    }
  return FALSE;
}
