/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The options of leat-launch for results that are wrong. */

#include "leat-launch-options.h"

#include "leat-record-form.h"
#include "leat-recording.h"

void
leat_launch_wrong_add_options (LeatLaunchWrong *self, GOptionContext *context)
{
  const GOptionEntry entries[] = {
    { "dump", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->dump_words,
      "Write what a node gives to FILE too (NODE-PORT.npy), of all runs or of run RUN; may be repeated",
      "NODE[.PORT][@RUN][=FILE]" },
    { "dump-code", 0, 0, G_OPTION_ARG_FILENAME, &self->code_folder,
      "Write the generated code of all kernels into FOLDER, for CPU and GPU; with --check or --plan, without a device",
      "FOLDER" },
    { "record", 0, 0, G_OPTION_ARG_FILENAME, &self->record_path,
      "Keep the pipeline, its files, settings and last inputs in FILE.leatr, to be run elsewhere", "FILE.leatr" },
    { "record-runs", 0, 0, G_OPTION_ARG_STRING, &self->runs_word, "With --record: last runs whose inputs are kept (1)",
      "N" },
    { "compare", 0, 0, G_OPTION_ARG_STRING, &self->compare_word,
      "Run another way too, and name the first node whose data differ: cpu, eager, unfused or unoptimised", "WAY" },
    { "tolerance", 0, 0, G_OPTION_ARG_STRING, &self->tolerance_word,
      "With --compare: how far apart numbers with a fraction may be (0)", "NUMBER" },
    { NULL },
  };

  g_option_context_add_main_entries (context, entries, NULL);
}

static gboolean
leat_launch_wrong_check_compare (LeatLaunchWrong *self, GError **error)
{
  static const char *const ways[] = { "off", "cpu", "eager", "unfused", "unoptimised" };

  if (self->compare_word == NULL)
    return TRUE;
  for (guint i = LEAT_COMPARE_CPU; i < G_N_ELEMENTS (ways); i++)
    if (g_str_equal (self->compare_word, ways[i]))
      self->compare = (LeatCompare) i;
  if (self->compare != LEAT_COMPARE_OFF)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--compare=%s: expected cpu, eager, unfused or unoptimised", self->compare_word);
  return FALSE;
}

static gboolean
leat_launch_wrong_check_tolerance (LeatLaunchWrong *self, GError **error)
{
  char *end = NULL;

  if (self->tolerance_word == NULL)
    return TRUE;
  if (self->compare == LEAT_COMPARE_OFF)
    {
      g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--tolerance goes with --compare");
      return FALSE;
    }
  self->tolerance = g_ascii_strtod (self->tolerance_word, &end);
  if (*self->tolerance_word != '\0' && *end == '\0' && self->tolerance >= 0 && self->tolerance <= G_MAXDOUBLE)
    return TRUE;
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--tolerance=%s: expected a number from 0 on, such as 1e-6", self->tolerance_word);
  return FALSE;
}

/* Whoever is given the file runs it by its name. */
static gboolean
leat_launch_wrong_check_record (LeatLaunchWrong *self, GError **error)
{
  self->record_runs = 1;
  if (self->record_path != NULL && !leat_recording_is_named (self->record_path))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--record=%s: the name of a recording ends in .leatr",
                 self->record_path);
  else if (self->runs_word != NULL && self->record_path == NULL)
    g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--record-runs goes with --record");
  else if (self->runs_word != NULL
           && !g_ascii_string_to_unsigned (self->runs_word, 10, 1, LEAT_RECORD_MOST_RUNS, &self->record_runs, NULL))
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--record-runs=%s: expected 1 to %d", self->runs_word,
                 LEAT_RECORD_MOST_RUNS);
  else
    return TRUE;
  return FALSE;
}

gboolean
leat_launch_wrong_check (LeatLaunchWrong *self, GError **error)
{
  self->dumps = leat_dumps_parse (self->dump_words, error);
  return self->dumps != NULL && leat_launch_wrong_check_compare (self, error)
         && leat_launch_wrong_check_tolerance (self, error) && leat_launch_wrong_check_record (self, error);
}

/* A comparison makes runs of its own, one after the other, and writes nothing. */
static const char *
leat_launch_wrong_find_beside_compare (const LeatLaunchOptions *options)
{
  const struct
  {
    gboolean asked;
    const char *option;
  } others[] = { { options->task != LEAT_LAUNCH_RUN, "--check, --plan, --dot and --variables" },
                 { options->wrong.dumps->len > 0, "--dump" },
                 { options->wrong.code_folder != NULL, "--dump-code" },
                 { options->wrong.record_path != NULL, "--record" },
                 { options->stats_format != LEAT_STATS_NONE || options->accounting_format != LEAT_FORMAT_NONE,
                   "--stats and --accounting" },
                 { options->timing == LEAT_TIMING_NODES || options->trace_path != NULL, "--timing and --trace" },
                 { options->load_path != NULL || options->save_path != NULL, "--load-state and --save-state" },
                 { options->lanes > 0 || options->batch > 0, "--lanes and --batch" },
                 { options->memo != LEAT_MEMO_OFF, "--memo" },
                 { options->readback == LEAT_READBACK_EACH, "--readback" },
                 { options->priorities != NULL, "--priority" } };

  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    if (others[i].asked)
      return others[i].option;
  return NULL;
}

static gboolean
leat_launch_wrong_refuse (GError **error, const char *text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return FALSE;
}

gboolean
leat_launch_wrong_check_others (const LeatLaunchOptions *options, GError **error)
{
  const LeatLaunchWrong *self = &options->wrong;
  gboolean compares = self->compare != LEAT_COMPARE_OFF;
  const char *beside = compares ? leat_launch_wrong_find_beside_compare (options) : NULL;

  if (beside != NULL)
    g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
                 "--compare goes without %s: it makes runs of its own, one by one, and writes no results", beside);
  if (beside != NULL)
    return FALSE;
  if (compares && g_str_equal (leat_launch_options_get_text (options)->words[0], "-"))
    return leat_launch_wrong_refuse (error, "--compare reads the pipeline several times: save it to a file");
  if (self->record_path != NULL && (options->task != LEAT_LAUNCH_RUN || options->batch > 1))
    return leat_launch_wrong_refuse (
      error, "--record goes with runs one by one, and not with --check, --plan, --dot, --variables or --batch");
  if (self->code_folder != NULL && options->task == LEAT_LAUNCH_VARIABLES)
    return leat_launch_wrong_refuse (error,
                                     "--dump-code goes with a run, --check or --plan: --variables plans nothing");
  return TRUE;
}

void
leat_launch_wrong_clear (LeatLaunchWrong *self)
{
  g_clear_pointer (&self->dumps, g_ptr_array_unref);
  g_strfreev (self->dump_words);
  g_free (self->code_folder);
  g_free (self->record_path);
  g_free (self->runs_word);
  g_free (self->compare_word);
  g_free (self->tolerance_word);
}
