/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <signal.h>
#include <string.h>

#define WORDS(...) ((const char *const[]){ "leat-bench", __VA_ARGS__, NULL })

/* (transfer full) */
static char *
list_cases (JsonObject *all)
{
  JsonArray *cases = json_object_get_array_member (all, "cases");
  GString *names = g_string_new (NULL);

  for (guint i = 0; i < json_array_get_length (cases); i++)
    g_string_append_printf (names, "%s%s", i > 0 ? " " : "",
                            json_object_get_string_member (json_array_get_object_element (cases, i), "name"));
  return g_string_free (names, FALSE);
}

static void
check_figure (const char *name, JsonObject *figure)
{
  g_test_message ("%s", name);
  g_assert_true (json_object_has_member (figure, "unit"));
  if (json_object_has_member (figure, "value"))
    return;
  g_assert_cmpint (json_object_get_int_member (figure, "runs"), >=, 5);
  g_assert_cmpfloat (json_object_get_double_member (figure, "least"), >=, 0);
  g_assert_cmpfloat (json_object_get_double_member (figure, "p10"), >=,
                     json_object_get_double_member (figure, "least"));
  g_assert_cmpfloat (json_object_get_double_member (figure, "median"), >=,
                     json_object_get_double_member (figure, "p10"));
  g_assert_cmpfloat (json_object_get_double_member (figure, "p90"), >=,
                     json_object_get_double_member (figure, "median"));
  g_assert_cmpfloat (json_object_get_double_member (figure, "most"), >=, json_object_get_double_member (figure, "p99"));
}

/* Every case gives figures, or says why it cannot. */
static void
check_cases (JsonObject *all)
{
  JsonArray *cases = json_object_get_array_member (all, "cases");

  for (guint i = 0; i < json_array_get_length (cases); i++)
    {
      JsonObject *one = json_array_get_object_element (cases, i);
      JsonObject *figures = json_object_get_object_member (one, "figures");
      g_autoptr (GList) names = json_object_get_members (figures);

      if (names == NULL)
        g_assert_cmpuint (json_array_get_length (json_object_get_array_member (one, "notes")), >, 0);
      for (GList *name = names; name != NULL; name = name->next)
        check_figure (name->data, json_object_get_object_member (figures, name->data));
    }
}

static void
test_bench_gives_figures (void)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("--json", "--repeat=5", "round-trip-4k", "round-trip-64k-copy", "reused-4k", "queue-4k",
                           "memo-4k", "chain-1", "chain-32", "fan-out", "argument", "rebind", "work-relay",
                           "compact-back-4k", "open-10", "start", "signal-4k", "runaway", "loop-grid", "loop-block"));
  g_autoptr (JsonObject) all = NULL;
  g_autofree char *names = NULL;

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  all = tool_parse_json (result->out);
  names = list_cases (all);
  g_assert_cmpstr (
    names, ==,
    "round-trip-4k-auto round-trip-4k-copy round-trip-4k-mapped reused-4k queue-4k round-trip-64k-copy "
    "memo-4k chain-1 chain-32 fan-out-8 argument argument-double rebind work-relay compact-back-4k open-10 start "
    "signal-4k runaway-persistent runaway-while runaway-fused runaway-host loop-grid loop-block");
  g_assert_cmpint (json_object_get_int_member (all, "repeat"), ==, 5);
  g_assert_cmpstr (json_object_get_string_member (all, "device-name"), !=, "");
  check_cases (all);
}

static void
test_bench_prints_a_table (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *path = g_build_filename (folder, "figures.json", NULL);
  g_autofree char *option = g_strconcat ("--json-file=", path, NULL);
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("--repeat=5", option, "chain-1"));
  g_autofree char *text = NULL;
  g_autoptr (JsonObject) all = NULL;

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "median");
  tool_assert_contains (result->out, "chain-1 replay ");
  tool_assert_contains (result->out, "chain-1 by-hand ");
  g_file_get_contents (path, &text, NULL, NULL);
  all = tool_parse_json (text);
  check_cases (all);
  tool_remove_folder (folder);
}

/* Looks at no device. */
static void
test_bench_lists_cases (void)
{
  static const char *const no_device[] = { "LEAT_DEVICE=nonsense", "LEAT_CPU_DRIVER=/proc/nonexistent/driver", NULL };
  static const char *const names[] = { "round-trip-16m-mapped ",
                                       "memo-4k ",
                                       "chain-512 ",
                                       "in-turn-32 ",
                                       "fan-out-8 ",
                                       "argument ",
                                       "rebind ",
                                       "work-tree ",
                                       "open-1000 ",
                                       "start ",
                                       "soak-mapped " };
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--list"));

  g_assert_cmpint (result->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    tool_assert_contains (result->out, names[i]);
}

static void
test_bench_refuses (void)
{
  static const struct
  {
    const char *word, *message;
  } wrong[] = { { "chain-3", "there is no case \"chain-3\"" },
                { "rou", "there is no case \"rou\"" },
                { "--repeat=0", "--repeat" },
                { "--wait=never", "spin" },
                { "--device=gpu:x", "gpu:x" },
                { "--seed=-1", "--seed" },
                { "--require=speedup>=2", "--require goes with --verify" },
                { "--verify=x --require=quicker", "expected resident-not-slower" },
                { "--verify=x chain-1", "--verify measures nothing" },
                { "--evidence=x chain-1", "cases of evidence alone" },
                { "--nonsense", "nonsense" } };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_auto (GStrv) words = g_strsplit (wrong[i].word, " ", 2);
      g_autoptr (ToolResult) result = tool_run (NULL, WORDS (words[0], words[1]));

      g_test_message ("%s: %s", wrong[i].word, result->err);
      g_assert_cmpint (result->code, ==, 2);
      tool_assert_contains (result->err, wrong[i].message);
    }
}

/* What fails on the device is told with its case, and the folder of the process goes all the same. */
static void
test_bench_fails_cleanly (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *tmp = g_strconcat ("TMPDIR=", folder, NULL);
  const char *const env[] = { tmp, "LEAT_CPU_FAULT=launch:20=ILLEGAL_ADDRESS", NULL };
  g_autoptr (ToolResult) result = tool_run (env, WORDS ("--device=cpu", "--repeat=50", "chain-1"));
  g_autofree char *left = NULL;

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "leat-bench: chain-1: ");
  left = tool_list_folder (folder);
  g_assert_cmpstr (left, ==, "");
  tool_remove_folder (folder);
}

/* (transfer full): the cell of a row, by its column's name; row 0 is the first behind the header */
static char *
get_cell (const char *text, guint row, const char *column)
{
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_auto (GStrv) names = g_strsplit (lines[0], ",", -1), cells = g_strsplit (lines[1 + row], ",", -1);

  g_assert_cmpuint (g_strv_length (names), ==, g_strv_length (cells));
  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_equal (names[i], column))
      return g_strdup (cells[i]);
  g_error ("no column %s", column);
}

static guint64
get_count (const char *text, guint row, const char *column)
{
  g_autofree char *cell = get_cell (text, row, column);

  return g_ascii_strtoull (cell, NULL, 10);
}

static char *
run_evidence (const char *path, const char *seed)
{
  g_autofree char *option = g_strconcat ("--evidence=", path, NULL);
  g_autofree char *file = g_test_build_filename (G_TEST_DIST, "..", "graphs", "stats.leat", NULL);
  g_autofree char *graph = g_strconcat ("--graph=", file, NULL);
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("--repeat=70", option, graph, seed));
  char *text = NULL;

  g_test_message ("%s%s", result->out, result->err);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "evidence-chain-8 host-uploads");
  tool_assert_contains (result->out, "evidence-chain-8 resident-uploads");
  tool_assert_contains (result->out, "evidence-chain-8 avoided-uploads");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* What the rows count is what each side asked of the driver: for every kernel and each of its buffers an allocation,
 * and none while a session replays. */
static void
test_bench_writes_evidence (void)
{
  static const char *const cases[] = { "evidence-resident-1m", "evidence-chain-8", "evidence-graph" };
  static const guint64 steps[] = { 1, 8, 3 }, runs[] = { 72, 72, 16 };
  g_autofree char *folder = tool_make_folder (), *path = g_build_filename (folder, "rows.csv", NULL);
  g_autofree char *text = run_evidence (path, "--seed=5"), *twice = run_evidence (path, "--seed=5");

  g_assert_true (g_str_has_prefix (twice, text));
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = get_cell (text, i, "case"), *outputs = get_cell (text, i, "outputs");
      g_autofree char *hash = get_cell (twice, i, "output-sha256"), *again = get_cell (twice, i + 3, "output-sha256");

      g_assert_cmpstr (name, ==, cases[i]);
      g_assert_cmpstr (outputs, ==, "equal");
      g_assert_cmpstr (hash, ==, again);
      g_assert_cmpuint (get_count (text, i, "repetitions"), ==, runs[i]);
      g_assert_cmpuint (get_count (text, i, "host-launches"), ==, steps[i] * runs[i]);
      g_assert_cmpuint (get_count (text, i, "host-waits"), ==, steps[i] * runs[i]);
      g_assert_cmpuint (get_count (text, i, "host-allocations"), >=, 2 * steps[i] * runs[i]);
      g_assert_cmpuint (get_count (text, i, "resident-launches"), ==, runs[i]);
      g_assert_cmpuint (get_count (text, i, "resident-waits"), ==, runs[i]);
      g_assert_cmpuint (get_count (text, i, "resident-allocations"), ==, 0);
    }
  g_assert_cmpuint (get_count (text, 0, "host-bytes-up"), ==, 72 * ((1 << 20) + 4096));
  g_assert_cmpuint (get_count (text, 0, "resident-uploads"), ==, 72);
  g_assert_cmpuint (get_count (text, 0, "resident-readbacks"), ==, 72);
  g_assert_cmpuint (get_count (text, 0, "resident-bytes-up"), ==, 72 * 4096);
  tool_remove_folder (folder);
}

/* A file with one row of the checker's tests, whose times are those of a machine at rest. */
static void
test_bench_verifies (void)
{
  g_autofree char *folder = tool_make_folder (), *text = NULL,
                  *row = g_test_build_filename (G_TEST_DIST, "tools", "data", "evidence.csv", NULL);
  g_autofree char *option = g_strconcat ("--verify=", row, NULL), *bad = NULL, *bad_option = NULL;
  g_autoptr (GString) changed = NULL;
  g_autoptr (ToolResult) good = tool_run (NULL, WORDS (option, "--require=resident-not-slower", "--require=rows>=1"));
  g_autoptr (ToolResult) slow = tool_run (NULL, WORDS (option, "--require=speedup>=100"));
  g_autoptr (ToolResult) result = NULL;

  g_assert_cmpint (good->code, ==, 0);
  tool_assert_contains (good->out, "5.00x");
  g_assert_cmpstr (good->err, ==, "");
  g_assert_cmpint (slow->code, ==, 1);
  tool_assert_contains (slow->err, "evidence.csv:2:");
  tool_assert_contains (slow->err, "speedup>=100 is required, and it is 5");
  g_assert_true (g_file_get_contents (row, &text, NULL, NULL));
  changed = g_string_new (text);
  g_string_replace (changed, ",equal,", ",differ,", 0);
  bad = tool_write (folder, "bad.csv", changed->str);
  bad_option = g_strconcat ("--verify=", bad, NULL);
  result = tool_run (NULL, WORDS (bad_option));
  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "outputs: \"differ\": the results are not the same");
  tool_assert_contains (result->err, "refused for 1 reason\n");
  tool_remove_folder (folder);
}

/* Nothing is measured for a file that would not take the row. */
static void
test_bench_looks_at_the_file_first (void)
{
  g_autofree char *folder = tool_make_folder (), *path = tool_write (folder, "letter", "Dear reader\n");
  g_autofree char *option = g_strconcat ("--evidence=", path, NULL), *after = NULL;
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS (option));

  g_assert_cmpint (result->code, ==, 1);
  g_assert_cmpstr (result->out, ==, "");
  tool_assert_contains (result->err, "does not begin with the columns of evidence");
  g_file_get_contents (path, &after, NULL, NULL);
  g_assert_cmpstr (after, ==, "Dear reader\n");
  tool_remove_folder (folder);
}

/* A side that fails leaves no row, and no memory of the device behind. */
static void
test_bench_fails_without_a_row (void)
{
  static const char *const faults[] = { "LEAT_CPU_FAULT=alloc:100", "LEAT_CPU_FAULT=launch:300",
                                        "LEAT_CPU_FAULT=copy:300", "LEAT_CPU_FAULT=call:2000=INVALID_VALUE" };

  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      g_autofree char *folder = tool_make_folder (), *path = g_build_filename (folder, "rows.csv", NULL), *text = NULL;
      g_autofree char *option = g_strconcat ("--evidence=", path, NULL);
      const char *const env[] = { faults[i], NULL };
      g_autoptr (ToolResult) result = tool_run (env, WORDS ("--device=cpu", "--repeat=70", option, "evidence-chain-8"));

      g_test_message ("%s: %s", faults[i], result->err);
      g_assert_cmpint (result->code, !=, 0);
      tool_assert_contains (result->err, "leat-bench: evidence-chain-8: ");
      g_file_get_contents (path, &text, NULL, NULL);
      g_assert_cmpstr (text, ==, "");
      tool_remove_folder (folder);
    }
}

/* In the middle of a soak, so that there is something to interrupt. */
static void
test_bench_interrupted_leaves_nothing (void)
{
  g_autofree char *folder = tool_make_folder ();
  g_autofree char *tmp = g_strconcat ("TMPDIR=", folder, NULL);
  g_autoptr (GSubprocess) process =
    tool_start ((const char *const[]){ "env", tmp, "leat-bench", "soak-copy", "--replays=100000000", NULL });
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *left = NULL;

  for (guint i = 0; i < 2000; i++)
    {
      g_autofree char *made = tool_list_folder (folder);

      if (*made != '\0')
        break;
      g_usleep (10000);
    }
  g_usleep (100000);
  g_subprocess_send_signal (process, SIGTERM);
  result = tool_collect (process);
  left = tool_list_folder (folder);
  g_assert_cmpint (result->code, ==, 128 + SIGTERM);
  g_assert_cmpstr (left, ==, "");
  tool_remove_folder (folder);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/tools/bench/gives-figures", test_bench_gives_figures);
  g_test_add_func ("/leat/tools/bench/prints-a-table", test_bench_prints_a_table);
  g_test_add_func ("/leat/tools/bench/lists-cases", test_bench_lists_cases);
  g_test_add_func ("/leat/tools/bench/refuses", test_bench_refuses);
  g_test_add_func ("/leat/tools/bench/fails-cleanly", test_bench_fails_cleanly);
  g_test_add_func ("/leat/tools/bench/writes-evidence", test_bench_writes_evidence);
  g_test_add_func ("/leat/tools/bench/verifies", test_bench_verifies);
  g_test_add_func ("/leat/tools/bench/looks-at-the-file-first", test_bench_looks_at_the_file_first);
  g_test_add_func ("/leat/tools/bench/fails-without-a-row", test_bench_fails_without_a_row);
  g_test_add_func ("/leat/tools/bench/interrupted-leaves-nothing", test_bench_interrupted_leaves_nothing);
  return g_test_run ();
}
