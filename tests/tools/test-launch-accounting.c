/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>

#define WORDS(...) ((const char *const[]){ "leat-launch", __VA_ARGS__, NULL })

/* What was planned and what was counted, and a budget, by leat-launch. */
typedef struct
{
  ToolFiles files;
  char *report; /* an option */
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  tool_files_make (&fixture->files, "in.bin", "0123456789abcdef");
  fixture->report = g_strdup_printf ("--stats-file=%s/report.txt", fixture->files.folder);
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  tool_files_remove (&fixture->files, NULL);
  g_free (fixture->report);
}

static gint64
get_figure (JsonObject *report, const char *name, const char *member)
{
  JsonArray *figures = json_object_get_array_member (report, "figures");

  for (guint i = 0; i < json_array_get_length (figures); i++)
    {
      JsonObject *figure = json_array_get_object_element (figures, i);

      if (g_str_equal (json_object_get_string_member (figure, "name"), name))
        return json_object_get_int_member (figure, member);
    }
  g_assert_not_reached ();
}

static void
assert_all_hold (JsonObject *report)
{
  JsonArray *figures = json_object_get_array_member (report, "figures");

  g_assert_cmpuint (json_array_get_length (figures), >, 10);
  for (guint i = 0; i < json_array_get_length (figures); i++)
    {
      JsonObject *figure = json_array_get_object_element (figures, i);

      g_test_message ("%s", json_object_get_string_member (figure, "name"));
      g_assert_true (json_object_get_boolean_member (figure, "holds"));
    }
}

static JsonObject *
run_repeated (Fixture *fixture, const char *readback)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", "--accounting=json", "--stats-file=-", "--runs=5", readback, "io:file",
                           fixture->files.in, "chunk=8", "+", "upload", "mode=copy", "+", "map", "expr=x+1", "+",
                           "readback", "mode=copy", "+", "io:file", fixture->files.out));

  g_test_message ("%s%s", result->err, result->out);
  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->err, ==, "");
  return tool_parse_json (result->out);
}

/* Two pieces of eight bytes, each five times. */
static void
test_report_of_repeated_runs (Fixture *fixture, gconstpointer data)
{
  g_autoptr (JsonObject) final = run_repeated (fixture, "--readback=final");
  g_autoptr (JsonObject) each = run_repeated (fixture, "--readback=each");

  assert_all_hold (final);
  assert_all_hold (each);
  g_assert_cmpint (json_object_get_int_member (final, "runs"), ==, 10);
  g_assert_cmpint (json_object_get_int_member (each, "runs"), ==, 10);
  g_assert_cmpint (get_figure (final, "waits", "counted"), ==, 2);
  g_assert_cmpint (get_figure (each, "waits", "counted"), ==, 10);
  g_assert_cmpint (get_figure (each, "readback-bytes", "counted"), ==,
                   5 * get_figure (final, "readback-bytes", "counted"));
}

/* How they were done; which way it was is the driver's affair. */
static void
test_report_of_how_runs_are_repeated (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", "--stats", "--stats-file=-", "--runs=200", "io:file", fixture->files.in, "+", "upload",
                           "+", "map", "expr=x+1", "+", "readback", "+", "io:file", fixture->files.out));

  g_test_message ("%s%s", result->err, result->out);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "\nrepeated      199 without results: ");
  tool_assert_contains (result->out, " in a loop on the device, ");
}

/* What loops came to, and a persistent kernel. */
static void
test_report_of_loops (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (
    NULL, WORDS ("-q", "--stats", "--stats-file=-", "--runs=3", "--readback=each", "io:file", fixture->files.in, "+",
                 "upload", "+", "loop", "name=again", "max-iterations=7", "begin", "in.a", "+", "map", "expr=x+1", "+",
                 "out.b", "end", "+", "readback", "+", "io:file", fixture->files.out));

  g_test_message ("%s%s", result->err, result->out);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "\nloop          again: iterations 7, cap (");
  tool_assert_contains (result->out, "); runs 3, most 7, total 21\n");
}

static void
test_report_of_a_kernel_that_stays (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", "--stats", "--stats-file=-", "--executor=persistent", "--runs=3", "--readback=each",
                           "io:file", fixture->files.in, "+", "upload", "+", "map", "expr=x+1", "+", "readback", "+",
                           "io:file", fixture->files.out));

  g_test_message ("%s%s", result->err, result->out);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "\npersistent    runs 3, launches ");
  tool_assert_contains (result->out, ", runaways 0\n");
}

static void
test_report_as_a_table (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->files.folder, "report.txt", NULL), *text = NULL;
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("-q", "--accounting", fixture->report, "io:file", fixture->files.in, "+", "upload", "+",
                           "readback", "+", "io:file", fixture->files.out));

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->err, ==, "");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  tool_assert_contains (text, "1 run on ");
  tool_assert_contains (text, "planned");
  tool_assert_contains (text, "\ndevice-bytes ");
  g_assert_null (strstr (text, "differs"));
}

static void
test_report_over_budget (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) refused = tool_run (
    NULL, WORDS ("-q", "--budget=1K", "io:file", fixture->files.in, "chunk=64K", "+", "upload", "mode=copy", "+", "map",
                 "expr=x+1", "+", "map", "expr=x+1", "+", "readback", "mode=copy", "+", "io:file", fixture->files.out));
  g_autofree char *left = NULL;

  g_test_message ("%s", refused->err);
  g_assert_cmpint (refused->code, ==, 4);
  tool_assert_contains (refused->err, "its budget is 1024: not even one lane fits");
  left = tool_list_folder (fixture->files.folder);
  g_assert_cmpstr (left, ==, "in.bin");
}

static void
test_report_words (void)
{
  static const struct
  {
    const char *words[4], *message;
  } rows[] = {
    { { "--accounting=csv", "x.leat" }, "--accounting=csv: expected text or json" },
    { { "--accounting", "--stats", "x.leat" }, "--accounting and --stats cannot be asked for at once" },
    { { "--accounting", "--check", "x.leat" }, "tell of a run" },
    { { "--budget=0", "x.leat" }, "--budget=0: expected bytes" },
    { { "--budget=much", "x.leat" }, "--budget=much: expected bytes" },
    { { "--budget=18446744073709551615G", "x.leat" }, "expected bytes" },
    { { "--budget=", "x.leat" }, "expected bytes" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (ToolResult) result =
        tool_run (NULL, WORDS (rows[i].words[0], rows[i].words[1], rows[i].words[2], rows[i].words[3]));

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, ==, 2);
      tool_assert_contains (result->err, rows[i].message);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(path, function) g_test_add (path, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/leat/launch-accounting/of-repeated-runs", test_report_of_repeated_runs);
  ADD ("/leat/launch-accounting/of-how-runs-are-repeated", test_report_of_how_runs_are_repeated);
  ADD ("/leat/launch-accounting/of-loops", test_report_of_loops);
  ADD ("/leat/launch-accounting/of-a-kernel-that-stays", test_report_of_a_kernel_that_stays);
  ADD ("/leat/launch-accounting/as-a-table", test_report_as_a_table);
  ADD ("/leat/launch-accounting/over-budget", test_report_over_budget);
#undef ADD
  g_test_add_func ("/leat/launch-accounting/words", test_report_words);
  return g_test_run ();
}
