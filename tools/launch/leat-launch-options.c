/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The command line of leat-launch, parsed and checked.  Nothing is opened or run here. */

#include "leat-launch-options.h"
#include "leat-launch-turns.h"
#include "leat-recording.h"

#include "kernel/leat-installed-private.h"

#include <string.h>

/* The words that GOption fills in.  They are checked afterwards, all by the same rule. */
typedef struct
{
  char *plan, *dot, *stats, *executor, *early_start, *fuse, *optimise, *wait, *timing, *readback, *lanes, *batch,
    *accounting, *budget;
  char *memo, *priority;
  gboolean check, variables;
} LeatLaunchWords;

/* Options whose value may be left out, and what that means.  GOption would take the next word for the value. */
static const struct
{
  const char *option;
  const char *full;
} leat_launch_defaults[] = {
  { "--plan", "--plan=text" }, { "--stats", "--stats=text" },    { "--accounting", "--accounting=text" },
  { "--dot", "--dot=-" },      { "--timing", "--timing=nodes" }, { "--monitor", "--monitor=" },
};

/* What a recording had; what is given counts, since it comes behind it. */
static void
leat_launch_options_add_settings (GStrvBuilder *builder, int argc, char **argv)
{
  for (int i = 1; i < argc; i++)
    {
      g_auto (GStrv) settings = leat_recording_list_settings (argv[i]);

      if (settings != NULL)
        g_strv_builder_addv (builder, (const char **) settings);
    }
}

static char **
leat_launch_options_complete (int argc, char **argv)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  gboolean ended = FALSE;

  for (int i = 0; i < argc; i++)
    {
      const char *word = argv[i];

      if (i == 1)
        leat_launch_options_add_settings (builder, argc, argv);
      ended = ended || strcmp (word, "--") == 0;
      for (guint d = 0; !ended && d < G_N_ELEMENTS (leat_launch_defaults); d++)
        if (strcmp (word, leat_launch_defaults[d].option) == 0)
          word = leat_launch_defaults[d].full;
      g_strv_builder_add (builder, word);
    }
  return g_strv_builder_end (builder);
}

static gboolean
leat_launch_options_refuse (GError **error, const char *text)
{
  g_set_error_literal (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, text);
  return FALSE;
}

/* @value as one of @names, whose index plus one goes to @choice; no value leaves it as it is. */
static gboolean
leat_launch_options_choose (const char *option, const char *value, const char *const *names, guint *choice,
                            GError **error)
{
  g_autofree char *all = g_strjoinv (" or ", (char **) names);

  if (value == NULL)
    return TRUE;
  for (guint i = 0; names[i] != NULL; i++)
    if (strcmp (value, names[i]) == 0)
      {
        *choice = i + 1;
        return TRUE;
      }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s=%s: expected %s", option, value, all);
  return FALSE;
}

/* In the order of LeatExecutor. */
static const char *const leat_launch_executors[] = { "auto", "graph", "eager", "persistent", "persistent-auto", NULL };

const char *
leat_launch_executor_get_name (LeatExecutor executor)
{
  return leat_launch_executors[executor];
}

/* In the order of LeatWait. */
static const char *const leat_launch_waits[] = { "auto", "spin", "block", NULL };

/* In the order of LeatEarlyStart. */
static const char *const leat_launch_early_starts[] = { "auto", "off", "on", NULL };

/* In the order of LeatFuseMode. */
static const char *const leat_launch_fuses[] = { "off", "auto", "never", NULL };
static const char *const leat_launch_optimises[] = { "off", "on", NULL };

/* In the order of LeatMemoMode. */
static const char *const leat_launch_memos[] = { "off", "exact", NULL };

char **
leat_launch_options_list_settings (const LeatLaunchOptions *self)
{
  GPtrArray *words = g_ptr_array_new ();

  g_ptr_array_add (words, g_strconcat ("--executor=", leat_launch_executors[self->executor], NULL));
  g_ptr_array_add (words, g_strconcat ("--early-start=", leat_launch_early_starts[self->early_start], NULL));
  g_ptr_array_add (words, g_strconcat ("--fuse=", leat_launch_fuses[self->fuse], NULL));
  g_ptr_array_add (words, g_strconcat ("--optimise=", leat_launch_optimises[self->optimise], NULL));
  if (self->lanes > 0)
    g_ptr_array_add (words, g_strdup_printf ("--lanes=%u", self->lanes));
  if (self->runs > 1)
    {
      g_ptr_array_add (words, g_strdup_printf ("--runs=%" G_GINT64_FORMAT, self->runs));
      g_ptr_array_add (words, g_strdup (self->readback == LEAT_READBACK_EACH ? "--readback=each" : "--readback=final"));
    }
  g_ptr_array_add (words, NULL);
  return (char **) g_ptr_array_free (words, FALSE);
}

static gboolean
leat_launch_options_check_memo (LeatLaunchOptions *self, const char *text, GError **error)
{
  guint memo = 1;

  if (!leat_launch_options_choose ("--memo", text, leat_launch_memos, &memo, error))
    return FALSE;
  self->memo = (LeatMemoMode) (memo - 1);
  if (self->memo_entries > G_MAXUINT)
    return leat_launch_options_refuse (error, "--memo-entries is more than a memo can count");
  if (self->memo == LEAT_MEMO_OFF && (self->memo_entries >= 0 || self->memo_bytes >= 0))
    return leat_launch_options_refuse (error, "--memo-entries and --memo-bytes go with --memo=exact");
  return TRUE;
}

void
leat_launch_options_set_memo (const LeatLaunchOptions *self, LeatSession *session)
{
  g_object_set (session, "memo", self->memo, NULL);
  if (self->memo_entries >= 0)
    g_object_set (session, "memo-entries", (guint) self->memo_entries, NULL);
  if (self->memo_bytes >= 0)
    g_object_set (session, "memo-bytes", (guint64) self->memo_bytes, NULL);
}

static gboolean
leat_launch_options_check_lanes (LeatLaunchOptions *self, const char *text, GError **error)
{
  guint64 lanes = 0;

  if (text != NULL && strcmp (text, "auto") != 0 && !g_ascii_string_to_unsigned (text, 10, 1, 64, &lanes, NULL))
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--lanes=%s: expected auto or 1 to 64", text);
      return FALSE;
    }
  self->lanes = (guint) lanes;
  return TRUE;
}

static gboolean
leat_launch_options_check_batch (LeatLaunchOptions *self, const char *text, GError **error)
{
  guint64 batch = 0;

  if (text != NULL && !g_ascii_string_to_unsigned (text, 10, 1, 65535, &batch, NULL))
    {
      g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "--batch=%s: expected 1 to 65535", text);
      return FALSE;
    }
  self->batch = (guint) batch;
  return TRUE;
}

static gboolean
leat_launch_options_check_budget (LeatLaunchOptions *self, const char *text, GError **error)
{
  static const char units[] = "KMG";
  g_autofree char *digits = g_strdup (text);
  const char *unit = text != NULL && *text != '\0' ? strchr (units, text[strlen (text) - 1]) : NULL;
  guint shift = unit != NULL ? 10 * (guint) (unit - units + 1) : 0;

  if (text == NULL)
    return TRUE;
  if (unit != NULL)
    digits[strlen (digits) - 1] = '\0';
  if (g_ascii_string_to_unsigned (digits, 10, 1, G_MAXUINT64 >> shift, &self->budget, NULL))
    {
      self->budget <<= shift;
      return TRUE;
    }
  g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE,
               "--budget=%s: expected bytes, such as 1000000, 512K, 64M or 2G", text);
  return FALSE;
}

static gboolean
leat_launch_options_check_formats (LeatLaunchOptions *self, LeatLaunchWords *words, GError **error)
{
  static const char *const plans[] = { "text", "json", "dot", NULL };
  static const char *const stats[] = { "text", "json", "nodes", "prometheus", NULL };
  static const char *const reports[] = { "text", "json", NULL };
  static const char *const timings[] = { "off", "nodes", NULL };
  static const char *const readbacks[] = { "final", "each", NULL };
  guint executor = 1, early_start = 1, fuse = 1, optimise = 2, wait = 1, timing = 0, readback = 1;

  if (!leat_launch_options_choose ("--plan", words->plan, plans, &self->plan_format, error)
      || !leat_launch_options_choose ("--stats", words->stats, stats, &self->stats_format, error)
      || !leat_launch_options_choose ("--accounting", words->accounting, reports, &self->accounting_format, error)
      || !leat_launch_options_check_budget (self, words->budget, error)
      || !leat_launch_options_choose ("--readback", words->readback, readbacks, &readback, error)
      || !leat_launch_options_choose ("--timing", words->timing, timings, &timing, error)
      || !leat_launch_options_choose ("--executor", words->executor, leat_launch_executors, &executor, error)
      || !leat_launch_options_choose ("--wait", words->wait, leat_launch_waits, &wait, error)
      || !leat_launch_options_choose ("--early-start", words->early_start, leat_launch_early_starts, &early_start,
                                      error)
      || !leat_launch_options_choose ("--fuse", words->fuse, leat_launch_fuses, &fuse, error)
      || !leat_launch_options_choose ("--optimise", words->optimise, leat_launch_optimises, &optimise, error)
      || !leat_launch_options_check_lanes (self, words->lanes, error)
      || !leat_launch_options_check_batch (self, words->batch, error)
      || !leat_launch_options_check_memo (self, words->memo, error))
    return FALSE;
  if (timing == 0)
    timing = self->stats_format == LEAT_STATS_NODES ? 2 : 1;
  self->timing = timing == 2 ? LEAT_TIMING_NODES : LEAT_TIMING_OFF;
  self->readback = (LeatReadback) (readback - 1);
  self->executor = (LeatExecutor) (executor - 1);
  self->wait = (LeatWait) (wait - 1);
  self->early_start = (LeatEarlyStart) (early_start - 1);
  self->fuse = (LeatFuseMode) (fuse - 1);
  self->optimise = optimise == 2;
  if (!leat_launch_options_check_persistent (self, error))
    return FALSE;
  if (self->stats_path != NULL && self->stats_format == LEAT_STATS_NONE && self->accounting_format == LEAT_FORMAT_NONE)
    self->stats_format = LEAT_STATS_TEXT;
  if (words->dot == NULL)
    return TRUE;
  if (self->timing == LEAT_TIMING_NODES)
    {
      self->dot_path = g_steal_pointer (&words->dot);
      return TRUE;
    }
  self->plan_format = LEAT_FORMAT_DOT;
  self->plan_path = g_steal_pointer (&words->dot);
  return TRUE;
}

/* Options that tell of a run are refused where there is none, and where nobody would be told. */
static gboolean
leat_launch_options_check_run (const LeatLaunchOptions *self, const LeatLaunchWords *words, GError **error)
{
  gboolean accounted = self->accounting_format != LEAT_FORMAT_NONE;
  gboolean told = self->stats_format != LEAT_STATS_NONE || self->trace_path != NULL || accounted;

  if (accounted && self->stats_format != LEAT_STATS_NONE)
    return leat_launch_options_refuse (error, "--accounting and --stats cannot be asked for at once");

  if (self->task == LEAT_LAUNCH_RUN && self->timing == LEAT_TIMING_NODES && !told && self->dot_path == NULL)
    return leat_launch_options_refuse (error, "--timing goes with --stats, --dot or --trace, which show the times");
  if (self->task == LEAT_LAUNCH_RUN || (!told && words->timing == NULL))
    return TRUE;
  if (self->plan_path != NULL)
    return leat_launch_options_refuse (
      error,
      "--stats, --accounting, --timing and --trace tell of a run, and --dot makes none unless there is --timing=nodes");
  return leat_launch_options_refuse (
    error, "--stats, --accounting, --timing and --trace tell of a run, and --check, --plan and --variables make none");
}

/* Files that one pipeline would write over another's. */
static gboolean
leat_launch_options_check_several (const LeatLaunchOptions *self, GError **error)
{
  const struct
  {
    gboolean asked;
    const char *option;
  } alone[] = { { self->plan_format != LEAT_FORMAT_NONE && self->plan_path == NULL, "--plan" },
                { self->dot_path != NULL || self->plan_path != NULL, "--dot" },
                { self->task == LEAT_LAUNCH_VARIABLES, "--variables" },
                { self->trace_path != NULL, "--trace" },
                { self->load_path != NULL, "--load-state" },
                { self->save_path != NULL, "--save-state" },
                { self->wrong.dumps->len > 0, "--dump" },
                { self->wrong.code_folder != NULL, "--dump-code" },
                { self->wrong.record_path != NULL, "--record" },
                { self->wrong.compare != LEAT_COMPARE_OFF, "--compare" } };

  for (guint i = 0; self->texts->len > 1 && i < G_N_ELEMENTS (alone); i++)
    if (alone[i].asked)
      {
        g_set_error (error, G_OPTION_ERROR, G_OPTION_ERROR_BAD_VALUE, "%s goes with one pipeline, and there are %u",
                     alone[i].option, self->texts->len);
        return FALSE;
      }
  return TRUE;
}

static gboolean
leat_launch_options_check_task (LeatLaunchOptions *self, const LeatLaunchWords *words, GError **error)
{
  gboolean plan = self->plan_format != LEAT_FORMAT_NONE;

  if (words->plan != NULL && self->plan_path != NULL)
    return leat_launch_options_refuse (error, "--plan and --dot cannot be asked for at once");
  if (words->check + words->variables + plan > 1)
    return leat_launch_options_refuse (error, "only one of --check, --plan (or --dot) and --variables at once");
  if (self->verbose && self->quiet)
    return leat_launch_options_refuse (error, "--verbose and --quiet cannot be asked for at once");
  if (self->runs < 1)
    return leat_launch_options_refuse (error, "--runs takes a number from 1 on");
  if (words->readback != NULL && self->runs == 1)
    return leat_launch_options_refuse (error, "--readback goes with --runs=N");
  if ((self->load_path != NULL || self->save_path != NULL) && words->check + words->variables + plan > 0)
    return leat_launch_options_refuse (
      error, "--load-state and --save-state go with a run, and --check, --plan and --variables make none");
  if (!leat_launch_wrong_check (&self->wrong, error))
    return FALSE;
  /* The results of each run have to come for one of them to be written. */
  if (leat_dumps_name_runs (self->wrong.dumps))
    self->readback = LEAT_READBACK_EACH;
  /* Where lanes are laid, and what goes into one launch, is the device's matter. */
  self->bound = self->bound || (plan && self->batch > 1);
  if (self->bound && !plan)
    return leat_launch_options_refuse (error, "--bound goes with --plan or --dot");
  if (words->check)
    self->task = LEAT_LAUNCH_CHECK;
  else if (words->variables)
    self->task = LEAT_LAUNCH_VARIABLES;
  else if (plan)
    self->task = LEAT_LAUNCH_PLAN;
  if (self->version)
    return TRUE;
  if (self->words == NULL || self->words[0] == NULL)
    return leat_launch_options_refuse (error, "name a pipeline file, or write a pipeline");
  self->texts = leat_launch_texts_split (self->words, error);
  if (self->texts == NULL || !leat_launch_options_check_several (self, error))
    return FALSE;
  if (words->priority != NULL)
    self->priorities = leat_launch_priorities_parse (words->priority, self->texts->len, error);
  if (words->priority != NULL && self->priorities == NULL)
    return FALSE;
  if (!leat_launch_wrong_check_others (self, error) || !leat_launch_options_check_run (self, words, error))
    return FALSE;
  if (words->variables && !leat_launch_options_get_text (self)->is_file)
    return leat_launch_options_refuse (error, "--variables goes with a file; the terminal form has none");
  return TRUE;
}

/* With a graph that is there. */
static char *
leat_launch_dup_summary (void)
{
  const char *graph = "graphs/scan.leat";
  g_autofree char *installed =
    g_file_test (graph, G_FILE_TEST_EXISTS) ? NULL : leat_installed_find ("leat/graphs/scan.leat");

  graph = installed != NULL ? installed : graph;
  return g_strdup_printf ("Runs a pipeline, from a file or from the words of the command line:\n"
                          "  leat-launch %s patterns=warranty,liability\n"
                          "  leat-launch - <%s\n"
                          "  leat-launch io:file path=in.bin + upload + readback + io:file path=out.bin\n"
                          "Several pipelines run at the same time: name one file after another, or put // between two.",
                          graph, graph);
}

/* What --help says around the options. */
static GOptionContext *
leat_launch_context_new (void)
{
  GOptionContext *context = g_option_context_new ("FILE.leat [NAME=VALUE...] ... | PIPELINE...");
  g_autofree char *summary = leat_launch_dup_summary ();

  g_option_context_set_summary (context, summary);
  g_option_context_set_description (context, "Exit status: 0 ran to the end, 1 run failed, 2 command line wrong, "
                                             "3 pipeline wrong, 4 no device,\ndriver or memory, 5 kernel wrong, "
                                             "130 interrupted.  More: man leat-launch\n");
  return context;
}

static gboolean
leat_launch_options_parse (LeatLaunchOptions *self, LeatLaunchWords *words, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "device", 0, 0, G_OPTION_ARG_STRING, &self->device, "Device to run on: auto, cuda:N or cpu", "DEVICE" },
    { "executor", 0, 0, G_OPTION_ARG_STRING, &words->executor,
      "How a session does its ops: auto, graph (a CUDA graph), eager (one at a time), persistent (a kernel that stays "
      "on the device) or persistent-auto",
      "EXECUTOR" },
    { "wait", 0, 0, G_OPTION_ARG_STRING, &words->wait, "How to wait for the device: auto, spin or block", "HOW" },
    { "lanes", 0, 0, G_OPTION_ARG_STRING, &words->lanes,
      "Lanes, which are runs under way at the same time: auto, or 1 to 64", "N" },
    { "batch", 0, 0, G_OPTION_ARG_STRING, &words->batch,
      "Most runs in one launch: 1 to 65535; with --plan, show how each op is launched then", "N" },
    { "fuse", 0, 0, G_OPTION_ARG_STRING, &words->fuse,
      "Kernels to fuse: off, auto for those that are faster fused, or never, not even in a megakernel", "MODE" },
    { "optimise", 0, 0, G_OPTION_ARG_STRING, &words->optimise, "Leave out needless work: off or on", "MODE" },
    { "early-start", 0, 0, G_OPTION_ARG_STRING, &words->early_start,
      "Kernels that may begin before the kernels they depend on have ended: auto, off or on", "WHICH" },
    { "persistent-idle-ms", 0, 0, G_OPTION_ARG_INT64, &self->persistent_idle_ms,
      "With --executor=persistent: idle time after which the kernel leaves the device (20)", "MS" },
    { "persistent-limit-ms", 0, 0, G_OPTION_ARG_INT64, &self->persistent_limit_ms,
      "With --executor=persistent: time after which a run is ended (1000)", "MS" },
    { "persistent-multiprocessors", 0, 0, G_OPTION_ARG_INT64, &self->persistent_multiprocessors,
      "With --executor=persistent: most multiprocessors that the kernel takes (0: a quarter of them)", "N" },
    { "memo", 0, 0, G_OPTION_ARG_STRING, &words->memo,
      "exact: reuse results for byte-identical inputs; off: always run", "MODE" },
    { "memo-entries", 0, 0, G_OPTION_ARG_INT64, &self->memo_entries, "With --memo=exact: most results to keep", "N" },
    { "memo-bytes", 0, 0, G_OPTION_ARG_INT64, &self->memo_bytes,
      "With --memo=exact: most memory for inputs and results", "BYTES" },
    { "check", 0, 0, G_OPTION_ARG_NONE, &words->check, "Check the pipeline, and do nothing else", NULL },
    { "plan", 0, 0, G_OPTION_ARG_STRING, &words->plan, "Print the plan, and do nothing else: text, json or dot",
      "[FORMAT]" },
    { "dot", 0, 0, G_OPTION_ARG_FILENAME, &words->dot, "Write the plan for Graphviz, to standard output or FILE",
      "[FILE]" },
    { "bound", 0, 0, G_OPTION_ARG_NONE, &self->bound,
      "With --plan: print the bound plan, with the choices made for the device", NULL },
    { "variables", 0, 0, G_OPTION_ARG_NONE, &words->variables, "List the variables of the file", NULL },
    { "stats", 0, 0, G_OPTION_ARG_STRING, &words->stats,
      "Print statistics after the run: text, json, nodes (with the time of each node on the device) or prometheus",
      "[FORMAT]" },
    { "accounting", 0, 0, G_OPTION_ARG_STRING, &words->accounting,
      "Print what the plan predicted beside what the driver counted, after the run: text or json", "[FORMAT]" },
    { "budget", 0, 0, G_OPTION_ARG_STRING, &words->budget, "Most device memory to take", "SIZE" },
    { "stats-file", 0, 0, G_OPTION_ARG_FILENAME, &self->stats_path,
      "File for the output of --stats or --accounting; -: standard output", "FILE" },
    { "timing", 0, 0, G_OPTION_ARG_STRING, &words->timing,
      "nodes: measure each node on the device; with --dot, draw the measured times after the run", "[WHAT]" },
    { "trace", 0, 0, G_OPTION_ARG_FILENAME, &self->trace_path, "Write a trace of the runs, for Perfetto", "FILE" },
    { "load-state", 0, 0, G_OPTION_ARG_FILENAME, &self->load_path, "Load the states from FILE before the first run",
      "FILE" },
    { "save-state", 0, 0, G_OPTION_ARG_FILENAME, &self->save_path, "Save the states to FILE after the last run",
      "FILE" },
    { "runs", 0, 0, G_OPTION_ARG_INT64, &self->runs, "Do N runs on each set of inputs, carrying states from run to run",
      "N" },
    { "readback", 0, 0, G_OPTION_ARG_STRING, &words->readback,
      "With --runs: read back the results of the last run (final) or of each run (each)", "WHICH" },
    { "priority", 0, 0, G_OPTION_ARG_STRING, &words->priority,
      "Let pipelines take turns, with the priority low, normal or high; several priorities are separated by commas",
      "WHICH" },
    { "monitor", 0, 0, G_OPTION_ARG_FILENAME, &self->monitor, "Let leat-top watch through the socket SOCKET",
      "[SOCKET]" },
    { "progress", 0, 0, G_OPTION_ARG_NONE, &self->progress, "Show progress even if standard error is no terminal",
      NULL },
    { "plugin-path", 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->plugin_paths, "Search FOLDER for plugins first",
      "FOLDER" },
    { "verbose", 'v', 0, G_OPTION_ARG_NONE, &self->verbose, "Tell which device and plan are chosen", NULL },
    { "quiet", 'q', 0, G_OPTION_ARG_NONE, &self->quiet, "Print only warnings and errors", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->words, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = leat_launch_context_new ();

  g_option_context_add_main_entries (context, entries, NULL);
  leat_launch_wrong_add_options (&self->wrong, context);
  return g_option_context_parse_strv (context, argv, error);
}

LeatLaunchOptions *
leat_launch_options_new (int argc, char **argv, GError **error)
{
  g_autoptr (LeatLaunchOptions) self = g_new0 (LeatLaunchOptions, 1);
  g_auto (GStrv) full = leat_launch_options_complete (argc, argv);
  LeatLaunchWords words = { NULL };
  gboolean ok;

  self->runs = 1;
  self->memo_entries = self->memo_bytes = -1;
  self->persistent_idle_ms = self->persistent_limit_ms = self->persistent_multiprocessors = LEAT_LAUNCH_UNSET;
  ok = leat_launch_options_parse (self, &words, &full, error) && leat_launch_options_check_formats (self, &words, error)
       && leat_launch_options_check_task (self, &words, error);
  g_free (words.plan);
  g_free (words.dot);
  g_free (words.stats);
  g_free (words.executor);
  g_free (words.wait);
  g_free (words.lanes);
  g_free (words.memo);
  g_free (words.batch);
  g_free (words.early_start);
  g_free (words.fuse);
  g_free (words.optimise);
  g_free (words.timing);
  g_free (words.readback);
  g_free (words.priority);
  g_free (words.accounting);
  g_free (words.budget);
  return ok ? g_steal_pointer (&self) : NULL;
}

void
leat_launch_options_free (LeatLaunchOptions *self)
{
  g_free (self->plan_path);
  g_free (self->stats_path);
  g_free (self->trace_path);
  g_free (self->load_path);
  g_free (self->save_path);
  g_free (self->monitor);
  g_free (self->priorities);
  g_free (self->dot_path);
  g_free (self->device);
  g_strfreev (self->plugin_paths);
  g_strfreev (self->words);
  g_clear_pointer (&self->texts, g_ptr_array_unref);
  leat_launch_wrong_clear (&self->wrong);
  g_free (self);
}

const LeatLaunchText *
leat_launch_options_get_text (const LeatLaunchOptions *self)
{
  return g_ptr_array_index (self->texts, 0);
}
