/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tool leat-bench: options, the choice of cases, and their figures in a file. */

#include "leat-bench-case.h"
#include "leat-bench-folder.h"
#include "leat-bench-verify.h"
#include "leat-evidence.h"
#include "leat-tool.h"

#include <stdio.h>
#include <string.h>

#define LEAST_RUNS 5

typedef struct
{
  gboolean json, list, trials, version;
  char *json_file, *device, *wait, *evidence, *graph, *verify;
  int repeat;
  gint64 replays, seed;
  char **requirements;
  char **plugin_paths;
  char **words;
} LeatBenchOptions;

static const LeatBenchCase *const leat_bench_tables[] = {
  leat_bench_round_trips, leat_bench_chains,    leat_bench_rebinds,    leat_bench_batches,    leat_bench_poisons,
  leat_bench_queues,      leat_bench_compacts,  leat_bench_primitives, leat_bench_opens,      leat_bench_soaks,
  leat_bench_sessions,    leat_bench_evidences, leat_bench_csrs,       leat_bench_fuses,      leat_bench_signal,
  leat_bench_reaches,     leat_bench_runaways,  leat_bench_loops,      leat_bench_csr_limits,
};

guint
leat_bench_case_get_runs (const LeatBenchCase *self, const LeatBench *bench)
{
  return MAX (bench->repeat / self->divisor, LEAST_RUNS);
}

static gboolean
leat_bench_parse_options (LeatBenchOptions *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "device", 'd', 0, G_OPTION_ARG_STRING, &self->device, "Device to run on: auto, cpu or cuda:N", "DEVICE" },
    { "wait", 0, 0, G_OPTION_ARG_STRING, &self->wait, "How to wait for the device: auto, spin or block", "HOW" },
    { "repeat", 'r', 0, G_OPTION_ARG_INT, &self->repeat, "Measurements of each case (1000; long cases take fewer)",
      "N" },
    { "replays", 0, 0, G_OPTION_ARG_INT64, &self->replays, "Replays of each soak case (1000000)", "N" },
    { "trials", 0, 0, G_OPTION_ARG_NONE, &self->trials,
      "Print what round trips with mode=auto measured, and chose from", NULL },
    { "evidence", 0, 0, G_OPTION_ARG_FILENAME, &self->evidence,
      "Append the results of evidence cases to FILE; if no case is named, run exactly those", "FILE" },
    { "graph", 0, 0, G_OPTION_ARG_FILENAME, &self->graph, "Pipeline for evidence-graph", "FILE.leat" },
    { "seed", 0, 0, G_OPTION_ARG_INT64, &self->seed, "Seed of the inputs of evidence cases (1)", "N" },
    { "verify", 0, 0, G_OPTION_ARG_FILENAME, &self->verify, "Check a file of evidence instead of measuring", "FILE" },
    { "require", 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->requirements,
      "With --verify: what the rows must show, such as resident-not-slower, all-cases, speedup>=N; may be repeated",
      "WHAT" },
    { "list", 0, 0, G_OPTION_ARG_NONE, &self->list, "List the cases instead of running them", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, "Print JSON instead of a table", NULL },
    { "json-file", 0, 0, G_OPTION_ARG_FILENAME, &self->json_file, "Write the JSON to FILE too", "FILE" },
    { "plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugin_paths, "Search FOLDER for plugins first",
      "FOLDER" },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_STRING_ARRAY, &self->words, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[CASE ...]");

  g_option_context_set_summary (
    context, "Measures the cost of replays on a device.  Name a case in full or by its beginning, such "
             "as round-trip or round-trip-4k; without a name, the standard cases run.");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

/* "round-trip-4k" is meant by itself and by "round-trip". */
static gboolean
leat_bench_word_means (const char *word, const LeatBenchCase *kind)
{
  gsize length = strlen (word);

  return strncmp (kind->name, word, length) == 0 && (kind->name[length] == '\0' || kind->name[length] == '-');
}

static gboolean
leat_bench_is_wanted (const LeatBenchOptions *options, const LeatBenchCase *kind)
{
  for (guint i = 0; options->words != NULL && options->words[i] != NULL; i++)
    if (leat_bench_word_means (options->words[i], kind))
      return TRUE;
  if (options->words == NULL && options->evidence != NULL)
    return kind->run == leat_bench_evidences->run;
  return options->words == NULL && !kind->only_named;
}

/* (transfer container) */
static const char **
leat_bench_list_evidences (void)
{
  GPtrArray *names = g_ptr_array_new ();

  for (const LeatBenchCase *kind = leat_bench_evidences; kind->name != NULL; kind++)
    g_ptr_array_add (names, (char *) kind->name);
  g_ptr_array_add (names, NULL);
  return (const char **) g_ptr_array_free (names, FALSE);
}

static gboolean
leat_bench_is_case (const char *word)
{
  for (guint t = 0; t < G_N_ELEMENTS (leat_bench_tables); t++)
    for (const LeatBenchCase *kind = leat_bench_tables[t]; kind->name != NULL; kind++)
      if (leat_bench_word_means (word, kind))
        return TRUE;
  return FALSE;
}

static const char *
leat_bench_find_unknown (const LeatBenchOptions *options)
{
  for (guint i = 0; options->words != NULL && options->words[i] != NULL; i++)
    if (!leat_bench_is_case (options->words[i]))
      return options->words[i];
  return NULL;
}

static LeatExit
leat_bench_list (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (leat_bench_tables); t++)
    for (const LeatBenchCase *kind = leat_bench_tables[t]; kind->name != NULL; kind++)
      printf ("%-24s %s\n", kind->name, kind->summary);
  return LEAT_EXIT_OK;
}

static gboolean
leat_bench_run_case (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  leat_bench_report_begin (bench->report, kind->name);
  if (kind->run (bench, kind, error))
    return TRUE;
  g_prefix_error (error, "%s: ", kind->name);
  return FALSE;
}

static gboolean
leat_bench_run_all (LeatBench *bench, const LeatBenchOptions *options, GError **error)
{
  for (guint t = 0; t < G_N_ELEMENTS (leat_bench_tables); t++)
    for (const LeatBenchCase *kind = leat_bench_tables[t]; kind->name != NULL; kind++)
      if (leat_bench_is_wanted (options, kind) && !leat_bench_run_case (bench, kind, error))
        return FALSE;
  return TRUE;
}

/* (transfer full) */
static char *
leat_bench_make_json (LeatBench *bench, const char *wait)
{
  g_autoptr (JsonBuilder) builder = json_builder_new ();
  g_autoptr (JsonNode) root = NULL;
  g_autofree char *text = NULL;

  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "leat");
  json_builder_add_string_value (builder, LEAT_VERSION);
  json_builder_set_member_name (builder, "device");
  json_builder_add_string_value (builder, leat_device_get_id (bench->device));
  json_builder_set_member_name (builder, "device-name");
  json_builder_add_string_value (builder, leat_device_get_name (bench->device));
  json_builder_set_member_name (builder, "wait");
  json_builder_add_string_value (builder, wait);
  json_builder_set_member_name (builder, "repeat");
  json_builder_add_int_value (builder, bench->repeat);
  json_builder_set_member_name (builder, "cases");
  json_builder_add_value (builder, leat_bench_report_to_json (bench->report));
  json_builder_end_object (builder);
  root = json_builder_get_root (builder);
  text = json_to_string (root, TRUE);
  return g_strconcat (text, "\n", NULL);
}

static gboolean
leat_bench_write (LeatBench *bench, const LeatBenchOptions *options, LeatOutputFile *file, GError **error)
{
  g_autofree char *text = leat_bench_make_json (bench, options->wait != NULL ? options->wait : "auto");

  return (!options->json || leat_tool_print (text, error)) && (file == NULL || leat_tool_write (file, text, error));
}

/* Figures that were measured before an error are written too. */
static gboolean
leat_bench_do (LeatBench *bench, const LeatBenchOptions *options, GError **error)
{
  g_autoptr (LeatOutputFile) file = NULL;
  gboolean good;

  if (options->json_file != NULL)
    {
      file = leat_output_file_open (options->json_file, error);
      if (file == NULL)
        return FALSE;
    }
  if (bench->evidence != NULL && !leat_evidence_check_file (bench->evidence, error))
    return FALSE;
  bench->device = leat_device_open (bench->selector, error);
  if (bench->device == NULL || !leat_bench_folder_make (bench, error))
    return FALSE;
  if (!options->json)
    printf ("%s: %s\n", leat_device_get_id (bench->device), leat_device_get_name (bench->device));
  bench->report = leat_bench_report_new (!options->json);
  good = leat_bench_run_all (bench, options, error);
  return leat_bench_write (bench, options, file, good ? error : NULL) && good;
}

/* -1 where there is no such way; NULL is that of sessions. */
static int
leat_bench_parse_wait (const char *nick)
{
  g_autoptr (GTypeClass) klass = g_type_class_ref (LEAT_TYPE_WAIT);
  const GEnumValue *value = g_enum_get_value_by_nick (G_ENUM_CLASS (klass), nick != NULL ? nick : "auto");

  return value != NULL ? value->value : -1;
}

static LeatExit
leat_bench_start (const LeatBenchOptions *options)
{
  LeatBench bench = { .selector = options->device,
                      .wait = leat_bench_parse_wait (options->wait),
                      .repeat = options->repeat,
                      .replays = options->replays,
                      .seed = options->seed,
                      .graph = options->graph,
                      .evidence = options->evidence,
                      .trials = options->trials };
  g_autoptr (GError) error = NULL;
  LeatExit code = LEAT_EXIT_OK;

  leat_tool_add_plugin_paths (options->plugin_paths);
  if (!leat_bench_do (&bench, options, &error))
    {
      leat_tool_report (error);
      code = leat_tool_exit_from_error (error);
    }
  leat_bench_folder_remove (&bench);
  g_clear_pointer (&bench.report, leat_bench_report_free);
  g_clear_object (&bench.device);
  return code;
}

static void
leat_bench_options_clear (LeatBenchOptions *self)
{
  g_free (self->json_file);
  g_free (self->device);
  g_free (self->wait);
  g_free (self->evidence);
  g_free (self->graph);
  g_free (self->verify);
  g_strfreev (self->requirements);
  g_strfreev (self->plugin_paths);
  g_strfreev (self->words);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchOptions, leat_bench_options_clear)

/* Options that would have no effect. */
static const char *
leat_bench_find_idle (const LeatBenchOptions *options)
{
  if (options->requirements != NULL && options->verify == NULL)
    return "--require goes with --verify";
  if (options->verify != NULL && (options->words != NULL || options->evidence != NULL))
    return "--verify measures nothing, so there can be no cases and no --evidence";
  for (guint i = 0; options->evidence != NULL && options->words != NULL && options->words[i] != NULL; i++)
    if (!g_str_has_prefix (options->words[i], "evidence"))
      return "--evidence goes with cases of evidence alone";
  return NULL;
}

/* Numbers and names that no case can be run with. */
static LeatExit
leat_bench_check_options (const LeatBenchOptions *options)
{
  if (options->repeat < 1 || options->replays < 1)
    return leat_tool_report_usage ("--repeat and --replays take a number from 1 on");
  if (options->seed < 0)
    return leat_tool_report_usage ("--seed takes a number from 0 on");
  if (leat_bench_find_idle (options) != NULL)
    return leat_tool_report_usage ("%s", leat_bench_find_idle (options));
  if (leat_bench_parse_wait (options->wait) < 0)
    return leat_tool_report_usage ("--wait takes auto, spin or block, not \"%s\"", options->wait);
  if (leat_bench_find_unknown (options) != NULL)
    return leat_tool_report_usage ("there is no case \"%s\"; --list lists them", leat_bench_find_unknown (options));
  return LEAT_EXIT_OK;
}

int
main (int argc, char **argv)
{
  g_auto (LeatBenchOptions) options = { .repeat = 1000, .replays = 1000000, .seed = 1 };
  g_autofree const char **evidences = leat_bench_list_evidences ();
  g_autoptr (GError) error = NULL;

  leat_tool_start ("leat-bench");
  if (!leat_bench_parse_options (&options, &argc, &argv, &error))
    return leat_tool_report_usage ("%s", error->message);
  if (leat_bench_check_options (&options) != LEAT_EXIT_OK)
    return LEAT_EXIT_USAGE;
  if (options.version)
    puts ("leat-bench " LEAT_VERSION);
  if (options.version)
    return leat_tool_finish_output (LEAT_EXIT_OK);
  if (options.verify != NULL)
    return leat_tool_finish_output (leat_bench_verify (options.verify, options.requirements, evidences));
  leat_tool_take_notes (TRUE);
  return leat_tool_finish_output (options.list ? leat_bench_list () : leat_bench_start (&options));
}
