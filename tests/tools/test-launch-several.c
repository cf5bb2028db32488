/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define WORDS(...) ((const char *const[]){ "leat-launch", __VA_ARGS__, NULL })

/* leat-launch with several pipelines at once, on whatever LEAT_DEVICE says. */
typedef struct
{
  char *folder;
  char *copy;        /* a file with the variables input and output */
  char *missing;     /* one whose input is not there */
  char *a, *b;       /* outputs */
  char *to_a, *to_b; /* "output=..." */
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *input = NULL;

  self->folder = tool_make_folder ();
  input = tool_write (self->folder, "in.txt", "one cat, two cats, a dog\n");
  self->copy = tool_write (self->folder, "copy.leat",
                           "leat 1\nlet input = in.txt\nlet output = -\nlet chunk = 8\n"
                           "io:file path=$input chunk=$chunk -> upload -> readback -> io:file path=$output\n");
  self->missing =
    tool_write (self->folder, "missing.leat", "leat 1\nio:file path=not-there.bin -> upload -> readback -> discard\n");
  self->a = g_build_filename (self->folder, "a.out", NULL);
  self->b = g_build_filename (self->folder, "b.out", NULL);
  self->to_a = g_strconcat ("output=", self->a, NULL);
  self->to_b = g_strconcat ("output=", self->b, NULL);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->copy);
  g_free (self->missing);
  g_free (self->a);
  g_free (self->b);
  g_free (self->to_a);
  g_free (self->to_b);
}

static void
assert_contents (const char *path, const char *expected)
{
  g_autofree char *text = NULL;

  g_file_get_contents (path, &text, NULL, NULL);
  g_assert_cmpstr (text, ==, expected);
}

/* A file behind a file, and // before the words of a pipeline. */
static void
test_several_all_run (Fixture *self, gconstpointer data)
{
  g_autofree char *in = g_strconcat ("path=", self->folder, "/in.txt", NULL);
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS (self->copy, self->to_a, self->copy, self->to_b, "chunk=3", "//", "io:file", in, "+",
                           "upload", "+", "map", "expr=x-32", "+", "readback", "+", "io:file", "path=-"));

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  assert_contents (self->a, "one cat, two cats, a dog\n");
  assert_contents (self->b, "one cat, two cats, a dog\n");
  g_assert_cmpstr (result->out, ==, "ONE"); /* and zeros, from spaces */
  tool_assert_contains (result->err, "copy.leat: wrote ");
  tool_assert_contains (result->err, "copy.leat (2): wrote ");
}

/* The others come to their end; the exit code is that of the one that failed. */
static void
test_several_one_fails (Fixture *self, gconstpointer data)
{
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS (self->copy, self->to_a, self->missing, self->copy, self->to_b));

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 1);
  assert_contents (self->a, "one cat, two cats, a dog\n");
  assert_contents (self->b, "one cat, two cats, a dog\n");
  tool_assert_contains (result->err, self->missing);
  tool_assert_contains (result->err, "not-there.bin");
}

/* Nothing runs where one of them is wrong, and the errors of all are told. */
static void
test_several_names_whose_errors (Fixture *self, gconstpointer data)
{
  g_autofree char *bad = tool_write (self->folder, "bad.leat", "leat 1\nupload -> nonsense\n");
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS (self->copy, self->to_a, bad, "//", "io:file", "path=x", "+", "uplaod", "+", "discard"));

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 3);
  tool_assert_contains (result->err, "bad.leat:2:11: ");
  tool_assert_contains (result->err, "pipeline 3: ");
  tool_assert_contains (result->err, "uplaod");
  g_assert_false (g_file_test (self->a, G_FILE_TEST_EXISTS));
}

static void
test_several_are_checked (Fixture *self, gconstpointer data)
{
  g_autoptr (ToolResult) good = tool_run (NULL, WORDS ("--check", "-v", self->copy, self->copy));
  g_autoptr (ToolResult) bad = tool_run (NULL, WORDS ("--check", self->copy, self->missing));

  g_assert_cmpint (good->code, ==, 0);
  tool_assert_contains (good->out, "copy.leat: ok\n");
  tool_assert_contains (good->out, "copy.leat (2): ok\n");
  g_assert_cmpint (bad->code, !=, 0);
  tool_assert_contains (bad->err, "missing.leat");
}

/* Which of them it is stands before each. */
static void
test_several_tell_reports (Fixture *self, gconstpointer data)
{
  g_autofree char *first = g_strconcat (self->copy, ": ", NULL), *second = g_strconcat (self->copy, " (2): ", NULL);
  g_autofree char *json = g_strconcat ("\"pipeline\" : \"", self->copy, " (2)\"", NULL);
  g_autoptr (ToolResult) text =
    tool_run (NULL, WORDS ("-q", "--accounting", self->copy, self->to_a, self->copy, self->to_b));
  g_autoptr (ToolResult) objects =
    tool_run (NULL, WORDS ("-q", "--accounting=json", self->copy, self->to_a, self->copy, self->to_b));

  g_assert_cmpint (text->code, ==, 0);
  g_assert_nonnull (strstr (text->err, first));
  g_assert_nonnull (strstr (text->err, second));
  g_assert_cmpint (objects->code, ==, 0);
  g_assert_nonnull (strstr (objects->err, json));
}

static void
test_several_tell_stats (Fixture *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->folder, "stats", NULL);
  g_autofree char *option = g_strconcat ("--stats-file=", path, NULL), *json = NULL, *metrics = NULL;
  g_autoptr (ToolResult) result =
    tool_run (NULL, WORDS ("--stats=json", option, self->copy, self->to_a, self->copy, self->to_b, "chunk=5"));
  g_autoptr (ToolResult) other = NULL;
  g_autoptr (JsonObject) all = NULL;
  JsonArray *pipelines;
  const char *head;

  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_file_get_contents (path, &json, NULL, NULL));
  all = tool_parse_json (json);
  pipelines = json_object_get_array_member (all, "pipelines");
  g_assert_cmpuint (json_array_get_length (pipelines), ==, 2);
  for (guint i = 0; i < 2; i++)
    {
      JsonObject *one = json_array_get_object_element (pipelines, i);

      g_assert_true (g_str_has_suffix (json_object_get_string_member (one, "pipeline"), i == 0 ? "copy.leat" : "(2)"));
      g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (one, "run"), "runs"), ==,
                       i == 0 ? 4 : 5);
      g_assert_false (json_object_has_member (one, "counted"));
    }
  other = tool_run (NULL, WORDS ("--stats=prometheus", option, self->copy, self->to_a, self->copy, self->to_b));
  g_assert_cmpint (other->code, ==, 0);
  g_assert_true (g_file_get_contents (path, &metrics, NULL, NULL));
  head = strstr (metrics, "# TYPE leat_runs_total counter\n");
  g_assert_nonnull (head);
  g_assert_null (strstr (head + 1, "# TYPE leat_runs_total counter\n"));
  tool_assert_contains (head, "copy.leat\"} 4\nleat_runs_total{");
  tool_assert_contains (head, "copy.leat (2)\"} 4\n");
}

static void
test_several_show_progress (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process =
    tool_start (WORDS ("--progress", "io:file", "path=/dev/zero", "+", "upload", "+", "readback", "+", "discard", "//",
                       "io:file", "path=/dev/zero", "+", "upload", "+", "readback", "+", "discard"));
  g_autoptr (ToolResult) result = NULL;

  g_usleep (3 * G_USEC_PER_SEC);
  g_subprocess_send_signal (process, SIGINT);
  result = tool_collect (process);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 130);
  tool_assert_contains (result->err, "pipeline 1: ");
  tool_assert_contains (result->err, "pipeline 2: ");
  tool_assert_contains (result->err, "interrupted; ending the run");
}

/* All of them, and none leaves a file that is not complete. */
static void
test_several_end_when_interrupted (Fixture *self, gconstpointer data)
{
  static const int numbers[] = { SIGINT, SIGTERM };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GSubprocess) process = tool_start (WORDS (self->copy, "input=/dev/zero", "chunk=4096", self->to_a,
                                                           self->copy, "input=/dev/zero", "chunk=4096", self->to_b));
      g_autoptr (ToolResult) result = NULL;
      g_autofree char *left = NULL;

      g_usleep (G_USEC_PER_SEC / 2); /* whether they run by then or not */
      g_subprocess_send_signal (process, numbers[i]);
      result = tool_collect (process);
      left = tool_list_folder (self->folder);
      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, ==, 130);
      g_assert_cmpstr (left, ==, "copy.leat in.txt missing.leat");
    }
}

/* Run by run, and a run whose session fails is nothing to the others. */
static void
test_several_take_turns (Fixture *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (
    NULL, WORDS ("--priority=low,high", "--stats", self->copy, self->to_a, self->copy, self->to_b, "chunk=3"));
  g_autoptr (ToolResult) one =
    tool_run (NULL, WORDS ("--priority=high", self->copy, self->to_a, self->missing, self->copy, self->to_b));
  g_autoptr (ToolResult) told = tool_run (
    NULL, WORDS ("-q", "--priority=low", "--stats=prometheus", self->copy, self->to_a, self->copy, self->to_b));

  g_test_message ("%s%s", result->err, one->err);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->err, "runs          9\n");
  g_assert_cmpint (told->code, ==, 0);
  tool_assert_contains (told->err, ",scheduler=\"leat-launch\"} 2\n# HELP leat_scheduler_sessions_waiting ");
  g_assert_null (strstr (strstr (told->err, "# HELP leat_runs_total") + 1, "# HELP leat_runs_total"));
  assert_contents (self->a, "one cat, two cats, a dog\n");
  assert_contents (self->b, "one cat, two cats, a dog\n");
  g_assert_cmpint (one->code, ==, 1);
  tool_assert_contains (one->err, "not-there.bin");
}

static void
test_several_end_in_their_turn (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process =
    tool_start (WORDS ("--priority=high,low", "--progress", self->copy, "input=/dev/zero", "chunk=4096", self->to_a,
                       self->copy, "input=/dev/zero", "chunk=4096", self->to_b));
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *left = NULL;

  g_usleep (2 * G_USEC_PER_SEC);
  g_subprocess_send_signal (process, SIGINT);
  result = tool_collect (process);
  left = tool_list_folder (self->folder);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 130);
  tool_assert_contains (result->err, "copy.leat: ");
  tool_assert_contains (result->err, " runs  0:0");
  g_assert_cmpstr (left, ==, "copy.leat in.txt missing.leat");
}

/* Whose data come late waits, and lets the others go on. */
static void
test_several_wait_in_their_turn (Fixture *self, gconstpointer data)
{
  g_autofree char *line = g_strdup_printf ("(sleep 0.5; printf 'one '; sleep 0.5; printf two) | "
                                           "leat-launch --priority=high,low %s input=/dev/stdin %s %s %s",
                                           self->copy, self->to_a, self->copy, self->to_b);
  g_autoptr (ToolResult) result = tool_run (NULL, ((const char *const[]){ "sh", "-c", line, NULL }));

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  assert_contents (self->a, "one two");
  assert_contents (self->b, "one cat, two cats, a dog\n");
}

/* And is called off while it waits. */
static void
test_several_end_while_they_wait (Fixture *self, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (self->folder, "fifo", NULL), *input = g_strconcat ("input=", fifo, NULL);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (ToolResult) result = NULL;
  int fd;

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  fd = open (fifo, O_RDWR | O_CLOEXEC);
  g_assert_cmpint (fd, >=, 0);
  process = tool_start (WORDS ("--priority=high,low", self->copy, input, self->to_a, self->copy, self->to_b));
  g_usleep (2 * G_USEC_PER_SEC);
  g_subprocess_send_signal (process, SIGINT);
  result = tool_collect (process);
  close (fd);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 130);
  assert_contents (self->b, "one cat, two cats, a dog\n");
}

static void
test_several_refuses (Fixture *self, gconstpointer data)
{
  const char *const alone[] = { "--plan", "--dot", "--variables", "--trace=x", "--save-state=x", "--load-state=x" };
  const struct
  {
    const char *const words[8];
    const char *message;
  } wrong[] = {
    { { "leat-launch", "//", self->copy, NULL }, "there is no pipeline before \"//\"" },
    { { "leat-launch", self->copy, "//", NULL }, "there is no pipeline behind \"//\"" },
    { { "leat-launch", self->copy, "//", "//", self->copy, NULL }, "there is no pipeline before \"//\"" },
    { { "leat-launch", "--priority=urgent", self->copy, NULL }, "expected low, normal or high" },
    { { "leat-launch", "--priority=low,high", self->copy, NULL }, "names 2 priorities, and there is 1 pipeline" },
    { { "leat-launch", "--priority=", self->copy, NULL }, "--priority=" },
    { { "leat-launch", "-", "-", NULL }, "only one pipeline can be read from standard input" },
    { { "leat-launch", self->copy, self->to_a, self->copy, self->to_a, NULL }, "cannot both write to " },
    { { "leat-launch", self->copy, "input=-", self->copy, "input=-", NULL }, "cannot both read standard input" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (ToolResult) result = tool_run (NULL, wrong[i].words);

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, ==, 2);
      tool_assert_contains (result->err, wrong[i].message);
    }
  for (guint i = 0; i < G_N_ELEMENTS (alone); i++)
    {
      g_autoptr (ToolResult) result = tool_run (NULL, WORDS (alone[i], self->copy, self->copy));

      g_test_message ("%s", result->err);
      g_assert_cmpint (result->code, ==, 2);
      tool_assert_contains (result->err, "goes with one pipeline, and there are 2");
    }
}

/* More than there are threads in pools, each with a session of its own. */
static void
test_several_are_many (Fixture *self, gconstpointer data)
{
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (ToolResult) result = NULL;

  g_ptr_array_add (words, g_strdup ("leat-launch"));
  g_ptr_array_add (words, g_strdup ("-q"));
  for (guint i = 0; i < 24; i++)
    {
      g_ptr_array_add (words, g_strdup (self->copy));
      g_ptr_array_add (words, g_strdup_printf ("output=%s/many-%02u", self->folder, i));
    }
  g_ptr_array_add (words, NULL);
  result = tool_run (NULL, (const char *const *) words->pdata);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  for (guint i = 0; i < 24; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/many-%02u", self->folder, i);

      assert_contents (path, "one cat, two cats, a dog\n");
    }
}

#define ADD(name, func)                                                                                                \
  g_test_add ("/leat/tools/launch-several/" name, Fixture, NULL, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("all-run", test_several_all_run);
  ADD ("one-fails", test_several_one_fails);
  ADD ("names-whose-errors", test_several_names_whose_errors);
  ADD ("are-checked", test_several_are_checked);
  ADD ("tell-stats", test_several_tell_stats);
  ADD ("tell-reports", test_several_tell_reports);
  ADD ("show-progress", test_several_show_progress);
  ADD ("end-when-interrupted", test_several_end_when_interrupted);
  ADD ("take-turns", test_several_take_turns);
  ADD ("end-in-their-turn", test_several_end_in_their_turn);
  ADD ("wait-in-their-turn", test_several_wait_in_their_turn);
  ADD ("end-while-they-wait", test_several_end_while_they_wait);
  ADD ("refuses", test_several_refuses);
  ADD ("are-many", test_several_are_many);
  return g_test_run ();
}
