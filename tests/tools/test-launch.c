/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <string.h>

#define WORDS(...) ((const char *const[]){ "leat-launch", __VA_ARGS__, NULL })

/* What of leat-launch needs no device: the command line, checking, plans.  LEAT_DEVICE and the drivers are spoilt, so
 * that whatever touches them fails. */
static const char *const no_device[] = { "LEAT_DEVICE=nonsense", "LEAT_CPU_DRIVER=/proc/nonexistent/driver", NULL };

static const char *const copy_file =
  "leat 1\n"
  "# where to read\n"
  "let input = \"in.bin\"\n"
  "let output = \"out.bin\" # where to write\n"
  "io:file path=$input out=u8[<=4096] -> upload -> readback -> io:file path=$output\n";

typedef struct
{
  char *folder;
  char *file;
} Fixture;

static void
fixture_set_up (Fixture *fixture, gconstpointer data)
{
  fixture->folder = tool_make_folder ();
  fixture->file = tool_write (fixture->folder, "copy.leat", copy_file);
  g_free (tool_write (fixture->folder, "in.bin", "some bytes"));
}

static void
fixture_tear_down (Fixture *fixture, gconstpointer data)
{
  tool_remove_folder (fixture->folder);
  g_free (fixture->folder);
  g_free (fixture->file);
}

typedef struct
{
  const char *words[6];
  int code;
  const char *err;
} UsageCase;

static const UsageCase usage_cases[] = {
  { { NULL }, 2, "name a pipeline file" },
  { { "--nonsense" }, 2, "--nonsense" },
  { { "--plan=xml", "a.leat" }, 2, "--plan=xml: expected text or json or dot" },
  { { "--stats=xml", "a.leat" }, 2, "--stats=xml: expected text or json or nodes or prometheus" },
  { { "--executor=fast", "a.leat" },
    2,
    "--executor=fast: expected auto or graph or eager or persistent or persistent-auto" },
  { { "--wait=long", "a.leat" }, 2, "--wait=long: expected auto or spin or block" },
  { { "--early-start=late", "a.leat" }, 2, "--early-start=late: expected auto or off or on" },
  { { "--persistent-idle-ms=5", "a.leat" }, 2, "go with --executor=persistent" },
  { { "--executor=persistent", "--persistent-limit-ms=0", "a.leat" },
    2,
    "--persistent-limit-ms=0: expected a number from 1 to 3600000" },
  { { "--executor=persistent", "--persistent-multiprocessors=70000", "a.leat" },
    2,
    "expected a number from 0 to 65535" },
  { { "--memo=near", "a.leat" }, 2, "--memo=near: expected off or exact" },
  { { "--memo-bytes=5", "a.leat" }, 2, "--memo-entries and --memo-bytes go with --memo=exact" },
  { { "--check", "--plan", "a.leat" }, 2, "only one of" },
  { { "--check", "--variables", "a.leat" }, 2, "only one of" },
  { { "--plan", "--dot", "a.leat" }, 2, "at once" },
  { { "--runs=0", "a.leat" }, 2, "--runs takes a number from 1 on" },
  { { "--readback=each", "a.leat" }, 2, "--readback goes with --runs" },
  { { "--readback=some", "--runs=2", "a.leat" }, 2, "--readback=some: expected final or each" },
  { { "--save-state=s", "--check", "a.leat" }, 2, "go with a run" },
  { { "--load-state=s", "--plan", "a.leat" }, 2, "go with a run" },
  { { "--bound", "a.leat" }, 2, "--bound goes with" },
  { { "--timing", "a.leat" }, 2, "--timing goes with --stats, --dot or --trace" },
  { { "--stats", "--check", "a.leat" }, 2, "--check, --plan and --variables make none" },
  { { "--trace=t", "--plan", "a.leat" }, 2, "--check, --plan and --variables make none" },
  { { "--dot", "--stats", "a.leat" }, 2, "--dot makes none unless there is --timing=nodes" },
  { { "-v", "-q", "a.leat" }, 2, "at once" },
  { { "--variables", "upload", "+", "readback" }, 2, "goes with a file" },
  { { "/proc/nonexistent/a.leat" }, 2, "/proc/nonexistent/a.leat" },
  { { "--variables", "/proc/nonexistent/a.leat" }, 2, "/proc/nonexistent/a.leat" },
  { { "--check", "uplaod", "+", "readback" }, 3, "did you mean \"upload\"?" },
  { { "--check", "io:file", "+", "discard", "x" }, 3, "leat-launch: " },
  { { "app", "spec=u8:4", "+", "discard" }, 3, "app \"app0\" takes data from an application" },
};

static void
test_launch_usage (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (usage_cases); i++)
    {
      const UsageCase *row = &usage_cases[i];
      const char *words[8] = { "leat-launch" };
      g_autoptr (ToolResult) result = NULL;

      for (guint w = 0; w < G_N_ELEMENTS (row->words); w++)
        words[w + 1] = row->words[w];
      result = tool_run (no_device, words);
      g_test_message ("row %u: %s", i, result->err);
      g_assert_cmpint (result->code, ==, row->code);
      g_assert_cmpstr (result->out, ==, "");
      tool_assert_contains (result->err, row->err);
    }
}

static void
test_launch_version_and_help (void)
{
  g_autoptr (ToolResult) version = tool_run (no_device, WORDS ("--version"));
  g_autoptr (ToolResult) help = tool_run (no_device, WORDS ("--help"));

  g_assert_cmpint (version->code, ==, 0);
  g_assert_true (g_str_has_prefix (version->out, "leat-launch "));
  g_assert_cmpint (help->code, ==, 0);
  tool_assert_contains (help->out, "--check");
  g_assert_cmpstr (help->err, ==, "");
}

static void
test_launch_check_is_silent (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) quiet = tool_run (no_device, WORDS ("--check", fixture->file));
  g_autoptr (ToolResult) verbose = tool_run (no_device, WORDS ("--check", "-v", fixture->file));
  g_autofree char *ok = g_strdup_printf ("%s: ok\n", fixture->file);

  g_assert_cmpstr (quiet->err, ==, "");
  g_assert_cmpstr (quiet->out, ==, "");
  g_assert_cmpint (quiet->code, ==, 0);
  g_assert_cmpstr (verbose->out, ==, ok);
  g_assert_cmpint (verbose->code, ==, 0);
}

static void
test_launch_check_takes_options_anywhere (Fixture *fixture, gconstpointer data)
{
  g_autofree char *input = g_strdup_printf ("input=%s/in.bin", fixture->folder);
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS (fixture->file, input, "--check"));

  g_assert_cmpstr (result->err, ==, "");
  g_assert_cmpint (result->code, ==, 0);
}

/* Every error of a file in one run, each where it is, and how many there are. */
static void
test_launch_check_tells_all_errors (Fixture *fixture, gconstpointer data)
{
  g_autofree char *bad = tool_write (fixture->folder, "bad.leat",
                                     "leat 1\n"
                                     "io:file path=in.bin chunck=7 -> uplaod\n"
                                     "  -> readback -> io:file path=$outptu\n");
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--check", bad));
  g_auto (GStrv) lines = g_strsplit (result->err, "\n", -1);
  const char *const expected[] = {
    ":2:21: io:file \"file0\" has no property \"chunck\" (did you mean \"chunk\"?)",
    ":2:33: no node \"uplaod\" (did you mean \"upload\"?)",
    ":3:31: no variable \"outptu\": the file has no let",
  };

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 3);
  g_assert_cmpstr (result->out, ==, "");
  g_assert_cmpuint (g_strv_length (lines), ==, 5);
  for (guint i = 0; i < G_N_ELEMENTS (expected); i++)
    {
      g_autofree char *line = g_strconcat (bad, expected[i], NULL);

      g_assert_cmpstr (lines[i], ==, line);
    }
  g_assert_cmpstr (lines[3], ==, "3 errors");
}

/* A missing file is not the pipeline's fault. */
static void
test_launch_check_wants_the_files (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = tool_write (fixture->folder, "npy.leat",
                                      "leat 1\nio:npy path=missing.npy -> upload -> readback -> io:npy path=out.npy\n");
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--check", file));

  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "missing.npy");
}

typedef struct
{
  const char *text;  /* after "leat 1" */
  const char *where; /* ":line:column: " */
  const char *says;
} PlanningCase;

static const PlanningCase planning_cases[] = {
  { "io:npy path=im.bin -> upload -> readback -> discard\n",
    ":2:1: ", "im.bin\": No such file or directory (did you mean \"in.bin\"?)" },
  { "io:npy path=missing.npy -> upload -> readback -> discard\n",
    ":2:1: ", "missing.npy\": No such file or directory" },
  { "io:file path=in.bin out=u8[10] -> upload\n"
    "  -> kernel source=\"k.cu\" more=1 x=u8[n,2] -> readback -> discard\n",
    ":2:35: ", "upload0.out (upload) gives u8[10], which kernel0.x (kernel) does not take: " },
  { "io:file path=in.bin out=u8[10] -> upload\n"
    "  -> kernel source=\"k.cu\" more=1 x=u8[n,2] -> readback -> discard\n",
    ":2:35: ", "plan.leat:3:6; the shape comes from io:file \"file0\" at " },
  { "source = io:file path=in.bin out=u8[10]\n"
    "source -> upload -> kernel source=\"k.cu\" more=1 x=u8[7] -> readback -> discard\n",
    ":3:11: ", "dimension 0 is 10 in upload0.out (u8[10]) and 7 in kernel0.x (u8[7]); kernel0 is at " },
  { "io:file path=in.bin out=u8[10] -> upload -> k -> readback -> discard\n"
    "k = kernel source=\"k.cu\"\n",
    ":3:1: ", "kernel \"k\": parameter \"more\" (int) of add is not set" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel source=\"k.cu\" more=1 block=0 -> readback -> discard\n",
    ":2:79: ", "kernel \"kernel0\": block=0: expected threads" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel source=\"k.cu\" more=1 block=99999999999 -> readback -> "
    "discard\n",
    ":2:79: ", "too many; an axis has at most 1024 threads" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel source=\"k.cu\" more=1 grid=99999999999 -> readback -> "
    "discard\n",
    ":2:78: ", "grid=99999999999: too many; an axis has at most 2147483647 blocks" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel source=\"k.cu\" more=1 grid=items:z -> readback -> discard\n",
    ":2:78: ", "has no port \"z\"" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel source=\"k.cu\" more=1 clear=z -> readback -> discard\n",
    ":2:79: ", "clear=z: kernel add has no output" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel more=1 source=\"k.cu\" entry=addd -> readback -> discard\n",
    ":2:79: ", "no kernel \"addd\" (did you mean \"add\"?)" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel entry=add source=\"kk.cu\" more=1 -> readback -> discard\n",
    ":2:69: ", "cannot read the kernel source" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel src=\"k.cu\" more=1 -> readback -> discard\n",
    ":2:52: ", "has no property \"src\" (did you mean \"source\"?)" },
  { "io:file path=in.bin out=u8[10] -> upload -> kernel source=\"k.cu\" more=1 y=u8[4,4] x=u8[3] -> readback -> "
    "discard\n",
    ":2:35: ", "dimension 0 is 10" },
  { "io:file path=in.bin out=f32[2] -> upload\n -> kernel source=\"k.cu\" more=1 -> readback -> discard\n",
    ":2:35: ", "f32 is not u8; kernel0 is at " },
  { "io:file path=in.bin out=f32[2] -> upload\n -> kernel source=\"k.cu\" more=1 -> readback -> discard\n",
    ":2:35: ", "plan.leat:2:1: give it u8, or put \"map expr=x type=u8\" right before kernel \"kernel0\"" },
  { "io:file path=in.bin out=f32[2] -> upload -> readback -> text:report patterns=a\n",
    ":2:45: ", "give it u64, or put \"map expr=x type=u64\" after the upload" },
  { "io:file path=in.bin out=u8[10] -> upload -> map expr=foo(x) -> readback -> discard\n",
    ":2:54: ", "no function \"foo\"; there are abs min max sqrt" },
};

/* What shows only when the pipeline is planned is told at the node, as mistakes in the text are; in the terminal the
 * text is in sight. */
static void
test_launch_check_tells_where_planning_fails (Fixture *fixture, gconstpointer data)
{
  g_free (tool_write (fixture->folder, "k.cu",
                      "__global__ void add (const uint8_t *x, uint64_t x_count, uint8_t *y, int more)\n"
                      "{\n  GRID_FOR (i, x_count)\n    y[i] = x[i] + more;\n}\n"));
  for (guint i = 0; i < G_N_ELEMENTS (planning_cases); i++)
    {
      const PlanningCase *row = &planning_cases[i];
      g_autofree char *text = g_strconcat ("leat 1\n", row->text, NULL);
      g_autofree char *file = tool_write (fixture->folder, "plan.leat", text);
      g_autofree char *where = g_strconcat (file, row->where, NULL);
      g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--check", file));

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, !=, 0);
      g_assert_true (g_str_has_prefix (result->err, where));
      tool_assert_contains (result->err, row->says);
    }
}

static const PlanningCase output_cases[] = {
  { "io:file path=in.bin out=u8[10] -> upload -> readback -> io:npy path=none/o.npy\n",
    ":2:57: ", "io:npy \"npy0\": cannot write \"" },
  { "io:file path=in.bin out=u8[10] -> upload -> readback -> io:file path=none/o\n",
    ":2:57: ", "none/o\": No such file or directory; its folder must exist\n" },
  { "io:file path=in.bin out=u8[10] -> upload -> readback -> io:file path=in.bin/o\n",
    ":2:57: ", "in.bin/o\": Not a directory" },
  { "io:file path=in.bin out=u8[10] -> upload -> readback -> io:file path=/\n", ":2:57: ", "\"/\": Is a directory" },
  { "io:file path=in.bin out=u8[2,5] -> upload -> readback -> image:write path=none/o.png\n",
    ":2:58: ", "none/o.png\": No such file or directory" },
};

/* Nothing is made or emptied in finding out whether it could be written. */
static void
test_launch_check_tells_what_cannot_be_written (Fixture *fixture, gconstpointer data)
{
  g_autofree char *left = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (output_cases); i++)
    {
      const PlanningCase *row = &output_cases[i];
      g_autofree char *text = g_strconcat ("leat 1\n", row->text, NULL);
      g_autofree char *file = tool_write (fixture->folder, "output.leat", text);
      g_autofree char *where = g_strconcat (file, row->where, NULL);
      g_autoptr (ToolResult) checked = tool_run (no_device, WORDS ("--check", file));
      g_autoptr (ToolResult) planned = tool_run (no_device, WORDS ("--plan", file));

      g_test_message ("%s", checked->err);
      g_assert_cmpint (checked->code, ==, 1);
      g_assert_true (g_str_has_prefix (checked->err, where));
      tool_assert_contains (checked->err, row->says);
      g_assert_cmpint (planned->code, ==, 0);
    }
  left = tool_list_folder (fixture->folder);
  g_assert_cmpstr (left, ==, "copy.leat in.bin output.leat");
}

static void
test_launch_check_in_the_terminal_has_no_place (void)
{
  g_autoptr (ToolResult) result =
    tool_run (no_device, WORDS ("--check", "io:npy", "path=/proc/nonexistent/a.npy", "+", "upload", "+", "discard"));

  g_assert_cmpint (result->code, !=, 0);
  g_assert_true (g_str_has_prefix (result->err, "leat-launch: "));
  g_assert_null (strstr (result->err, "argument 1"));
}

static void
test_launch_plan_text (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--plan", fixture->file));

  g_assert_cmpstr (result->err, ==, "");
  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_str_has_prefix (result->out, "logical plan: "));
}

static void
test_launch_plan_json (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--plan=json", fixture->file));
  g_autoptr (JsonObject) plan = tool_parse_json (result->out);

  g_assert_cmpint (result->code, ==, 0);
  g_assert_false (json_object_get_boolean_member (plan, "bound"));
  g_assert_cmpuint (json_array_get_length (json_object_get_array_member (plan, "ops")), ==, 4);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (plan, "prediction"), "kernels"), ==, 0);
}

static void
test_launch_dot (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "plan.dot", NULL);
  g_autofree char *option = g_strconcat ("--dot=", path, NULL);
  g_autofree char *text = NULL;
  g_autoptr (ToolResult) here = tool_run (no_device, WORDS ("--dot", fixture->file));
  g_autoptr (ToolResult) there = tool_run (no_device, WORDS (option, fixture->file));

  g_assert_cmpint (here->code, ==, 0);
  g_assert_true (g_str_has_prefix (here->out, "digraph"));
  g_assert_cmpint (there->code, ==, 0);
  g_assert_cmpstr (there->out, ==, "");
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  g_assert_cmpstr (text, ==, here->out);
}

static void
test_launch_variables (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (no_device, WORDS ("--variables", fixture->file));

  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->out, ==, "input=in.bin\n    where to read\noutput=out.bin\n    where to write\n");
}

static void
test_launch_unknown_variable (Fixture *fixture, gconstpointer data)
{
  g_autoptr (ToolResult) unknown = tool_run (no_device, WORDS ("--check", fixture->file, "inptu=x"));
  g_autoptr (ToolResult) valueless = tool_run (no_device, WORDS ("--check", fixture->file, "input"));
  g_autoptr (ToolResult) malformed = tool_run (no_device, WORDS ("--check", fixture->file, "in put=x"));

  g_assert_cmpint (unknown->code, ==, 2);
  tool_assert_contains (unknown->err, "did you mean \"input\"?");
  g_assert_cmpint (valueless->code, ==, 2);
  tool_assert_contains (valueless->err, "\"input\" sets no variable; expected NAME=VALUE");
  g_assert_cmpint (malformed->code, ==, 2);
}

/* "-" is a file that lies in the current folder. */
typedef struct
{
  const char *script;
  int code;
  const char *out;
  const char *err;
} InputCase;

static const InputCase input_cases[] = {
  { "leat-launch --check -v - <copy.leat", 0, "-: ok\n", "" },
  { "cat copy.leat | leat-launch --variables - | head -n 1", 0, "input=in.bin\n", "" },
  { "leat-launch --check - input=other.bin x=1 <copy.leat", 2, "", "leat-launch: the pipeline has no variable \"x\"" },
  { "printf 'leat 1\\nuplaod\\n' | leat-launch --check -", 3, "", "<stdin>:2:1: no node \"uplaod\"" },
  { "leat-launch --check - <&-", 2, "", "leat-launch: cannot read <stdin>: Bad file descriptor" },
};

static void
test_launch_standard_input (Fixture *fixture, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (input_cases); i++)
    {
      const InputCase *row = &input_cases[i];
      g_autofree char *script = g_strdup_printf ("cd '%s' && %s", fixture->folder, row->script);
      g_autoptr (ToolResult) result = tool_run (no_device, ((const char *const[]){ "sh", "-c", script, NULL }));

      g_test_message ("%s: %s", row->script, result->err);
      g_assert_cmpint (result->code, ==, row->code);
      g_assert_cmpstr (result->out, ==, row->out);
      g_assert_true (g_str_has_prefix (result->err, row->err));
    }
}

/* A file that is called like a node does not hide it. */
static void
test_launch_file_named_like_a_node (Fixture *fixture, gconstpointer data)
{
  g_autofree char *decoy = tool_write (fixture->folder, "io:file", "no pipeline");
  g_autofree char *path = g_strdup_printf ("path=%s/in.bin", fixture->folder);
  g_autofree char *script = g_strdup_printf (
    "cd '%s' && exec leat-launch --check io:file %s + upload + readback + discard", fixture->folder, path);
  g_autoptr (ToolResult) result = tool_run (no_device, ((const char *const[]){ "sh", "-c", script, NULL }));

  g_assert_cmpstr (result->err, ==, "");
  g_assert_cmpint (result->code, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/tools/launch/usage", test_launch_usage);
  g_test_add_func ("/leat/tools/launch/version-and-help", test_launch_version_and_help);
#define ADD(name, function) g_test_add (name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/leat/tools/launch/check/is-silent", test_launch_check_is_silent);
  ADD ("/leat/tools/launch/check/takes-options-anywhere", test_launch_check_takes_options_anywhere);
  ADD ("/leat/tools/launch/check/tells-all-errors", test_launch_check_tells_all_errors);
  ADD ("/leat/tools/launch/check/wants-the-files", test_launch_check_wants_the_files);
  ADD ("/leat/tools/launch/check/tells-where-planning-fails", test_launch_check_tells_where_planning_fails);
  ADD ("/leat/tools/launch/check/tells-what-cannot-be-written", test_launch_check_tells_what_cannot_be_written);
  g_test_add_func ("/leat/tools/launch/check/in-the-terminal-has-no-place",
                   test_launch_check_in_the_terminal_has_no_place);
  ADD ("/leat/tools/launch/plan/text", test_launch_plan_text);
  ADD ("/leat/tools/launch/plan/json", test_launch_plan_json);
  ADD ("/leat/tools/launch/plan/dot", test_launch_dot);
  ADD ("/leat/tools/launch/variables/list", test_launch_variables);
  ADD ("/leat/tools/launch/variables/unknown", test_launch_unknown_variable);
  ADD ("/leat/tools/launch/standard-input", test_launch_standard_input);
  ADD ("/leat/tools/launch/file-named-like-a-node", test_launch_file_named_like_a_node);
  return g_test_run ();
}
