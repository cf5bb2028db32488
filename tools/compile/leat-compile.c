/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tool leat-compile: opens a pipeline as leat-launch does, runs nothing, and writes an artifact of what it took. */

#include "leat-compile-launcher.h"
#include "leat-compile-open.h"
#include "leat-compile-targets.h"
#include "leat-compile-write.h"
#include "leat-tool.h"

#include "leat.h"

#include "artifact/leat-artifact-private.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

typedef struct
{
  char *output, *launcher, *targets, *device;
  char **keep, **words;
  gboolean fuse, batch, persistent, version, quiet;
} LeatCompileOptions;

static void
leat_compile_options_clear (LeatCompileOptions *self)
{
  g_free (self->output);
  g_free (self->launcher);
  g_free (self->targets);
  g_free (self->device);
  g_strfreev (self->keep);
  g_strfreev (self->words);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatCompileOptions, leat_compile_options_clear)

static gboolean
leat_compile_parse (LeatCompileOptions *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "output", 'o', 0, G_OPTION_ARG_FILENAME, &self->output, "Write the artifact to FILE", "FILE" },
    { "launcher", 'l', 0, G_OPTION_ARG_FILENAME, &self->launcher,
      "Write the artifact to DIR, with a C project around it whose program runs it", "DIR" },
    { "keep", 'k', 0, G_OPTION_ARG_STRING_ARRAY, &self->keep,
      "Leave the variable NAME open, and fix all that no --keep names; without --keep, those without a value here stay "
      "open",
      "NAME" },
    { "target", 't', 0, G_OPTION_ARG_STRING, &self->targets,
      "Make images for these, such as x86-64-v3,sm_80,compute_75; without it, for this machine and the GPUs that the "
      "NVRTC here knows",
      "LIST" },
    { "device", 'd', 0, G_OPTION_ARG_STRING, &self->device, "Open it on DEVICE: auto, cuda:N or cpu", "DEVICE" },
    { "fuse", 0, 0, G_OPTION_ARG_NONE, &self->fuse, "Make the images for fuse=auto too", NULL },
    { "batch", 0, 0, G_OPTION_ARG_NONE, &self->batch, "Make images for batches too", NULL },
    { "persistent", 0, 0, G_OPTION_ARG_NONE, &self->persistent, "Make the image for executor=persistent too", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &self->quiet, "Say nothing of what was written", NULL },
    { "version", 'V', 0, G_OPTION_ARG_NONE, &self->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->words, NULL, "FILE.leat [NAME=VALUE ...]" },
    G_OPTION_ENTRY_NULL,
  };
  g_autoptr (GOptionContext) context =
    g_option_context_new ("- compile a pipeline into one file that needs no compiler");

  g_option_context_add_main_entries (context, entries, NULL);
  if (!g_option_context_parse (context, argc, argv, error))
    return FALSE;
  if (self->version || (self->words != NULL && (self->output != NULL) != (self->launcher != NULL)))
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_FAILED,
               "expected FILE.leat, and either -o FILE.leata or --launcher=DIR");
  return FALSE;
}

static gboolean
leat_compile_has (const char *const *list, const char *name)
{
  return list != NULL && g_strv_contains (list, name);
}

static gboolean
leat_compile_is_given (char **words, const char *name)
{
  gsize length = strlen (name);

  for (guint i = 1; words[i] != NULL; i++)
    if (strncmp (words[i], name, length) == 0 && words[i][length] == '=')
      return TRUE;
  return FALSE;
}

static gboolean
leat_compile_check_kept (const LeatCompileOptions *options, const GPtrArray *names, GError **error)
{
  for (guint i = 0; options->keep != NULL && options->keep[i] != NULL; i++)
    if (!g_ptr_array_find_with_equal_func ((GPtrArray *) names, options->keep[i], g_str_equal, NULL))
      {
        g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_VARIABLE,
                     "--keep=%s: %s has no such variable; leat-launch --variables %s lists what it has",
                     options->keep[i], options->words[0], options->words[0]);
        return FALSE;
      }
  return TRUE;
}

/* The names of variables that stay open. (transfer full) (nullable) */
static char **
leat_compile_list_open (const LeatCompileOptions *options, GError **error)
{
  g_autoptr (GVariant) variables = leat_parse_list_variables (options->words[0], error);
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GStrvBuilder) open = g_strv_builder_new ();
  GVariantIter iter;
  const char *name;

  if (variables == NULL)
    return NULL;
  g_variant_iter_init (&iter, variables);
  while (g_variant_iter_next (&iter, "(&s&s&s)", &name, NULL, NULL))
    {
      g_ptr_array_add (names, g_strdup (name));
      if (options->keep != NULL ? leat_compile_has ((const char *const *) options->keep, name)
                                : !leat_compile_is_given (options->words, name))
        g_strv_builder_add (open, name);
    }
  return leat_compile_check_kept (options, names, error) ? g_strv_builder_end (open) : NULL;
}

static char **
leat_compile_list_nodes (LeatPipeline *pipeline)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  g_autoptr (GStrvBuilder) ids = g_strv_builder_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint i = 0; i < nodes->len; i++)
    if (g_hash_table_add (seen, (gpointer) leat_node_get_id (nodes->pdata[i])))
      g_strv_builder_add (ids, leat_node_get_id (nodes->pdata[i]));
  return g_strv_builder_end (ids);
}

static void
leat_compile_say (const LeatCompileOptions *options, const LeatGathered *gathered)
{
  g_autoptr (LeatSectionReader) reader =
    leat_section_reader_new (options->output, LEAT_ARTIFACT_KIND, "artifact", NULL);

  if (!options->quiet && reader != NULL)
    leat_tool_note ("wrote %s: %u files, %u sections, %" G_GUINT64_FORMAT " bytes", options->output,
                    gathered->files->len, leat_section_reader_get_count (reader),
                    leat_section_reader_get_bytes (reader));
}

/* What the pipeline asks for is gathered between begin and end, whatever happens. */
static gboolean
leat_compile_gather (const LeatCompileOptions *options, LeatCompileFacts *facts, GError **error)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_file (facts->main, facts->values, error);
  g_autoptr (LeatPlan) plan = NULL;
  const LeatCompileUse use = { options->device, FALSE, options->batch }, persistent = { options->device, TRUE, FALSE };

  if (pipeline != NULL && options->fuse)
    leat_pipeline_set_fuse (pipeline, LEAT_FUSE_MODE_AUTO);
  if (pipeline != NULL)
    plan = leat_plan_new (pipeline, error);
  if (plan == NULL)
    return FALSE;
  facts->plan = leat_plan_to_json (plan);
  facts->nodes = (const char *const *) leat_compile_list_nodes (pipeline);
  return leat_compile_open (pipeline, &use, error)
         && (!options->persistent || leat_compile_open (pipeline, &persistent, error))
         && leat_compile_targets_make (facts->targets, error);
}

static gboolean
leat_compile_check_words (const LeatCompileOptions *options, GError **error)
{
  if (!leat_section_file_is_at (options->words[0]))
    return TRUE;
  g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_FORMAT,
               "%s is compiled already; compile the pipeline file that it was made from", options->words[0]);
  return FALSE;
}

static gboolean
leat_compile_do (LeatCompileOptions *options, GError **error)
{
  g_autoptr (GPtrArray) targets =
    leat_compile_check_words (options, error) ? leat_compile_targets_new (options->targets, error) : NULL;
  g_auto (GStrv) open = targets != NULL ? leat_compile_list_open (options, error) : NULL;
  LeatCompileFacts facts = { .main = options->words[0],
                             .values = (const char *const *) options->words + 1,
                             .open = (const char *const *) open,
                             .targets = targets };
  g_autoptr (LeatGathered) gathered = NULL;
  gboolean good;

  if (open != NULL && options->launcher != NULL)
    options->output = leat_compile_launcher_begin (options->launcher, options->words[0], error);
  if (open == NULL || options->output == NULL)
    return FALSE;
  leat_compile_gather_begin (facts.open);
  good = leat_compile_gather (options, &facts, error);
  gathered = leat_compile_gather_end ();
  good = good && leat_compile_write (gathered, &facts, options->output, error)
         && (options->launcher == NULL || leat_compile_launcher_write (options->launcher, options->output, error));
  if (good)
    leat_compile_say (options, gathered);
  g_free ((char *) facts.plan);
  g_strfreev ((char **) facts.nodes);
  return good;
}

int
main (int argc, char **argv)
{
  g_auto (LeatCompileOptions) options = { NULL };
  g_autoptr (GError) error = NULL;

  leat_tool_start ("leat-compile");
  signal (SIGXFSZ, SIG_IGN); /* a limit on file sizes is an error like a full disk */
  if (!leat_compile_parse (&options, &argc, &argv, &error))
    return leat_tool_report_usage ("%s", error->message);
  if (options.version)
    {
      puts ("leat-compile " LEAT_VERSION);
      return leat_tool_finish_output (LEAT_EXIT_OK);
    }
  leat_tool_take_notes (options.quiet);
  if (leat_compile_do (&options, &error))
    return leat_tool_finish_output (LEAT_EXIT_OK);
  leat_tool_report (error);
  return leat_tool_exit_from_error (error);
}
