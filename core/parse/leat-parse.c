/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The public functions: from a file, a text or arguments to a pipeline, from a pipeline to text, and a file's
 * variables. */

#include "leat-builder-private.h"
#include "leat-parse-private.h"
#include "leat-parser-private.h"
#include "leat-writer-private.h"

/* Builds even what was read with faults, since the text may have more of them; then there is no pipeline. */
LeatPipeline *
leat_parse_finish (LeatSyntax *syntax, const LeatVariableValues *values, LeatErrorList *list, GPtrArray *errors)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  gboolean stop = FALSE;

  /* Without a version that is known nothing of the text can be, and beyond a limit nothing should be. */
  stop = leat_error_list_has (list, LEAT_PARSE_ERROR_VERSION) || leat_error_list_has (list, LEAT_PARSE_ERROR_LIMIT)
         || leat_error_list_has (list, LEAT_PARSE_ERROR_ENCODING) || leat_error_list_has (list, LEAT_PARSE_ERROR_IO);
  if (!stop)
    pipeline = leat_builder_build (syntax, values, list);
  leat_error_list_move (list, errors);
  leat_error_list_free (list);
  leat_syntax_free (syntax);
  return g_steal_pointer (&pipeline);
}

/* All of @errors as one: the first, and how many there are after it. */
static void
leat_parse_propagate (GPtrArray *errors, GError **error)
{
  const GError *first;

  if (errors->len == 0)
    return;
  first = g_ptr_array_index (errors, 0);
  if (errors->len == 1)
    g_set_error_literal (error, first->domain, first->code, first->message);
  else
    g_set_error (error, first->domain, first->code, "%s (and %u more %s)", first->message, errors->len - 1,
                 errors->len == 2 ? "error" : "errors");
}

/**
 * leat_parse_file_full: (skip)
 * @path: a pipeline file, or an artifact; `-` is standard input
 * @variables: (nullable) (array zero-terminated=1): `name=value` each
 * @errors: (element-type GError): where the errors are added
 *
 * Reads a pipeline from a file and finds all that is wrong with it in one run.
 *
 * The variables that the file declares with `let` take the values given here in place of their defaults; relative paths
 * in these are relative to the current folder, those in the file to the file.  Each message begins with
 * `file:line:column`.
 *
 * Returns: (transfer full) (nullable): the pipeline, or %NULL after adding at least one error
 */
LeatPipeline *
leat_parse_file_full (const char *path, const char *const *variables, GPtrArray *errors)
{
  const LeatVariableValues values = { .given = variables };
  LeatErrorList *list;

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (errors != NULL, NULL);

  if (leat_section_file_is_at (path))
    return leat_parse_artifact (path, variables, errors);
  list = leat_error_list_new ();
  return leat_parse_finish (leat_parser_parse_file (path, list), &values, list, errors);
}

/**
 * leat_parse_text_full: (skip)
 * @text: a pipeline
 * @style: in which spelling
 * @variables: (nullable) (array zero-terminated=1): `name=value` each; the terminal form has none
 * @errors: (element-type GError): where the errors are added
 *
 * Reads a pipeline from a string and finds all that is wrong with it in one run.
 *
 * See leat_parse_text().
 *
 * Returns: (transfer full) (nullable): the pipeline, or %NULL after adding at least one error
 */
LeatPipeline *
leat_parse_text_full (const char *text, LeatTextStyle style, const char *const *variables, GPtrArray *errors)
{
  const LeatVariableValues values = { .given = variables };
  LeatErrorList *list;

  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (errors != NULL, NULL);

  list = leat_error_list_new ();
  return leat_parse_finish (leat_parser_parse_text (text, style, list), &values, list, errors);
}

/**
 * leat_parse_args_full: (skip)
 * @args: (array zero-terminated=1): words
 * @errors: (element-type GError): where the errors are added
 *
 * Reads a pipeline in the terminal form from an argument vector and finds all that is wrong with it in one run.
 *
 * See leat_parse_args().
 *
 * Returns: (transfer full) (nullable): the pipeline, or %NULL after adding at least one error
 */
LeatPipeline *
leat_parse_args_full (const char *const *args, GPtrArray *errors)
{
  LeatErrorList *list;

  g_return_val_if_fail (args != NULL, NULL);
  g_return_val_if_fail (errors != NULL, NULL);

  list = leat_error_list_new ();
  return leat_parse_finish (leat_parser_parse_args (args, list), NULL, list, errors);
}

/**
 * leat_parse_file:
 * @path: (type filename): a pipeline file, or an artifact of leat-compile; `-` is standard input
 * @variables: (nullable) (array zero-terminated=1): `name=value` each
 * @error: return location
 *
 * Reads a pipeline from a file.
 *
 * An artifact is known by its first bytes.  It is code: it is refused with %LEAT_ARTIFACT_ERROR_OWNER where somebody
 * else than this user or root could have written it.  Only its open variables can be set.
 *
 * The variables that the file declares with `let` take the values given here in place of their defaults; relative paths
 * in these are relative to the current folder, those in the file to the file.  The error is the first in the file, with
 * its place and the number of the others.
 *
 * Returns: (transfer full): the pipeline, complete; %NULL with a #LeatParseError, a #LeatGraphError or a
 *   #LeatArtifactError
 */
LeatPipeline *
leat_parse_file (const char *path, const char *const *variables, GError **error)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatPipeline *pipeline;

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  pipeline = leat_parse_file_full (path, variables, errors);
  leat_parse_propagate (errors, error);
  return pipeline;
}

/**
 * leat_parse_text:
 * @text: a pipeline
 * @style: in which spelling
 * @variables: (nullable) (array zero-terminated=1): `name=value` each; the terminal form has none
 * @error: return location
 *
 * Reads a pipeline from a string.
 *
 * Of the file's form everything is the same as in a file, the version line included; relative paths are relative to the
 * current folder.  The terminal form is read as a shell would split it into words, without expanding anything.
 *
 * Returns: (transfer full): the pipeline, complete; %NULL with a #LeatParseError or a #LeatGraphError
 */
LeatPipeline *
leat_parse_text (const char *text, LeatTextStyle style, const char *const *variables, GError **error)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatPipeline *pipeline;

  g_return_val_if_fail (text != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  pipeline = leat_parse_text_full (text, style, variables, errors);
  leat_parse_propagate (errors, error);
  return pipeline;
}

/**
 * leat_parse_args:
 * @args: (array zero-terminated=1): words
 * @error: return location
 *
 * Reads a pipeline in the terminal form from an argument vector.
 *
 * Each argument is one word, whatever it holds: white space in values survives.  A single argument with white space is
 * a whole pipeline in quotes.
 *
 * Returns: (transfer full): the pipeline, complete; %NULL with a #LeatParseError or a #LeatGraphError
 */
LeatPipeline *
leat_parse_args (const char *const *args, GError **error)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatPipeline *pipeline;

  g_return_val_if_fail (args != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  pipeline = leat_parse_args_full (args, errors);
  leat_parse_propagate (errors, error);
  return pipeline;
}

static void
leat_parse_declare_variable (LeatSyntaxStatement *statement, gpointer data)
{
  if (statement->kind == LEAT_SYNTAX_LET)
    leat_variables_declare (data, statement);
}

/* Of an artifact those that are open. @artifact: (nullable) */
static GVariant *
leat_parse_describe_variables (const LeatVariables *variables, LeatArtifact *artifact)
{
  g_auto (GVariantBuilder) builder = G_VARIANT_BUILDER_INIT (G_VARIANT_TYPE ("a(sss)"));

  for (guint i = 0; i < variables->order->len; i++)
    {
      const LeatVariable *variable = g_ptr_array_index (variables->order, i);

      if (artifact == NULL || leat_artifact_is_open (artifact, variable->statement->name))
        g_variant_builder_add (&builder, "(sss)", variable->statement->name, variable->text,
                               variable->statement->comment != NULL ? variable->statement->comment : "");
    }
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * leat_parse_list_variables:
 * @path: (type filename): a pipeline file or an artifact; `-` is standard input
 * @error: return location
 *
 * Lists what a pipeline file, or an artifact, lets its user choose, for tools.
 *
 * Nodes are not made and need not exist.  The comment is the one on the line of the `let`, or the lines above it.
 *
 * Returns: (transfer full): `a(sss)`: name, default value, comment, in the order of the file; %NULL with an error
 */
GVariant *
leat_parse_list_variables (const char *path, GError **error)
{
  g_autoptr (LeatErrorList) list = leat_error_list_new ();
  g_autoptr (LeatArtifact) artifact = NULL;
  g_autoptr (LeatSyntax) syntax = NULL;
  g_autoptr (LeatVariables) variables = NULL;
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  g_auto (GStrv) fixed = NULL;

  g_return_val_if_fail (path != NULL, NULL);
  g_return_val_if_fail (error == NULL || *error == NULL, NULL);

  if (leat_section_file_is_at (path) && (artifact = leat_artifact_open (path, error)) == NULL)
    return NULL;
  fixed = artifact != NULL ? leat_artifact_list_values (artifact, NULL) : NULL;
  syntax = leat_parser_parse_file (artifact != NULL ? leat_artifact_get_main (artifact) : path, list);
  variables = leat_variables_new (syntax, &(LeatVariableValues){ .fixed = (const char *const *) fixed }, list);
  leat_syntax_foreach (syntax, leat_parse_declare_variable, variables);
  if (leat_error_list_is_empty (list))
    return leat_parse_describe_variables (variables, artifact);
  leat_error_list_move (list, errors);
  leat_parse_propagate (errors, error);
  return NULL;
}

/**
 * leat_pipeline_to_text:
 * @self: a pipeline
 * @style: in which spelling
 * @folder: (nullable) (type filename): where the text will be read: paths below it are written relative to it
 *
 * Writes a pipeline as text that leat_parse_text() reads back as an equal one: the same nodes, names, properties,
 * arguments, specs and links.
 *
 * Variables and comments of the text that it was read from are not in it.  Without @folder, paths that were relative to
 * a file become absolute.
 *
 * Returns: (transfer full): the text
 */
char *
leat_pipeline_to_text (LeatPipeline *self, LeatTextStyle style, const char *folder)
{
  g_autoptr (LeatSyntax) syntax = NULL;

  g_return_val_if_fail (LEAT_IS_PIPELINE (self), NULL);

  syntax = leat_writer_write (self, style, folder);
  return leat_syntax_print (syntax, style);
}
