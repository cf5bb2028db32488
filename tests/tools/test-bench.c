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
  g_autoptr (ToolResult) result = tool_run (
    NULL, WORDS ("--json", "--repeat=5", "round-trip-4k", "round-trip-64k-copy", "resident-4k", "queue-4k", "memo-4k",
                 "chain-1", "chain-32", "fan-out", "argument", "rebind", "work-relay", "open-10", "start"));
  g_autoptr (JsonObject) all = NULL;
  g_autofree char *names = NULL;

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  all = tool_parse_json (result->out);
  names = list_cases (all);
  g_assert_cmpstr (
    names, ==,
    "round-trip-4k-auto round-trip-4k-copy round-trip-4k-mapped resident-4k queue-4k round-trip-64k-copy "
    "memo-4k chain-1 chain-32 fan-out-8 argument argument-double rebind work-relay open-10 start");
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
  static const char *const no_device[] = { "LEAT_DEVICE=nonsense", "LEAT_CPU_DRIVER=/nonexistent/driver", NULL };
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
                { "--nonsense", "nonsense" } };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (ToolResult) result = tool_run (NULL, WORDS (wrong[i].word));

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
  g_test_add_func ("/leat/tools/bench/interrupted-leaves-nothing", test_bench_interrupted_leaves_nothing);
  return g_test_run ();
}
