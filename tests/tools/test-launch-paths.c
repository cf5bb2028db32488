/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* What an option writes is no file that the pipeline reads or writes, by whichever name. */

#define WORDS(...) ((const char *const[]){ "leat-launch", __VA_ARGS__, NULL })

typedef struct
{
  char *folder, *in, *pipeline;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autofree char *linked = NULL;

  self->folder = tool_make_folder ();
  self->in = tool_write (self->folder, "in.bin", "some bytes");
  linked = g_build_filename (self->folder, "linked", NULL);
  g_assert_cmpint (link (self->in, linked), ==, 0);
  self->pipeline = tool_write (
    self->folder, "copy.leat",
    "leat 1\nlet out = out.bin\nio:file path=in.bin -> upload -> readback -> io:file name=sink path=$out\n");
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->in);
  g_free (self->pipeline);
}

static ToolResult *
fixture_run (Fixture *self, const char *option, const char *name, const char *other)
{
  g_autofree char *word = g_strdup_printf ("%s=%s/%s", option, self->folder, name);
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS (word, self->pipeline, other));

  g_test_message ("%s: %s", word, result->err);
  return g_steal_pointer (&result);
}

static void
test_paths_refuses_files_of_the_pipeline (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *option, *name, *says;
  } table[] = {
    { "--stats-file", "out.bin", "\"path\" of node \"sink\" and --stats-file cannot both write to " },
    { "--stats-file", "./out.bin", "\"path\" of node \"sink\" and --stats-file cannot both write to " },
    { "--trace", "out.bin", "and --trace cannot both write to " },
    { "--save-state", "out.bin", "and --save-state cannot both write to " },
    { "--dot", "in.bin", "in.bin (\"path\" of node \"file0\"): name another file" },
    { "--stats-file", "in.bin", "--stats-file would write over " },
    { "--stats-file", "linked", "--stats-file would write over " },
    { "--save-state", "linked", "--save-state would write over " },
    { "--stats-file", "copy.leat", "copy.leat (the pipeline): name another file" },
    { "--save-state", "copy.leat", "copy.leat (the pipeline): name another file" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (ToolResult) result = fixture_run (self, table[i].option, table[i].name, NULL);
      g_autofree char *left = tool_list_folder (self->folder);

      g_assert_cmpint (result->code, ==, 2);
      tool_assert_contains (result->err, table[i].says);
      g_assert_cmpstr (left, ==, "copy.leat in.bin linked");
    }
}

/* Before anything runs, or the work would be lost. */
static void
test_paths_refuses_what_cannot_be_written (Fixture *self, gconstpointer data)
{
  static const char *const options[] = { "--stats-file", "--trace", "--save-state", "--dot" };
  static const struct
  {
    const char *name, *says;
  } table[] = {
    { "none/file", "No such file or directory; its folder must exist" },
    { "folder", "Is a directory; give the path of a file in it" },
    { "round", "Too many levels of symbolic links" },
  };
  g_autofree char *folder = g_build_filename (self->folder, "folder", NULL);
  g_autofree char *round = g_build_filename (self->folder, "round", NULL);

  g_assert_cmpint (g_mkdir (folder, 0700), ==, 0);
  g_assert_cmpint (symlink ("round", round), ==, 0);
  for (guint o = 0; o < G_N_ELEMENTS (options); o++)
    {
      g_autofree char *bare = g_strdup_printf ("%s=", options[o]);
      g_autofree char *nameless =
        g_strdup_printf ("%s: cannot write \"\": No such file or directory; name a file", options[o]);
      g_autoptr (ToolResult) empty = tool_run (NULL, WORDS (bare, self->pipeline));

      tool_assert_contains (empty->err, nameless);
      for (guint i = 0; i < G_N_ELEMENTS (table); i++)
        {
          g_autoptr (ToolResult) result = fixture_run (self, options[o], table[i].name, NULL);
          g_autofree char *left = tool_list_folder (self->folder);

          g_assert_cmpint (result->code, ==, 2);
          tool_assert_contains (result->err, options[o]);
          tool_assert_contains (result->err, table[i].says);
          g_assert_cmpstr (left, ==, "copy.leat folder in.bin linked round");
        }
    }
}

static void
test_paths_refuses_one_file_for_two (Fixture *self, gconstpointer data)
{
  g_autofree char *trace = g_strdup_printf ("--trace=%s/./both", self->folder);
  g_autoptr (ToolResult) result = fixture_run (self, "--stats-file", "both", trace);

  g_assert_cmpint (result->code, ==, 2);
  tool_assert_contains (result->err, "--stats-file and --trace cannot both write to ");
}

static void
test_paths_takes_streams_and_other_files (Fixture *self, gconstpointer data)
{
  g_autoptr (ToolResult) file = fixture_run (self, "--stats-file", "stats", NULL);
  g_autoptr (ToolResult) streams =
    tool_run (NULL, WORDS ("--stats-file=/dev/null", "--trace=/dev/null", self->pipeline, "out=/dev/null"));
  g_autofree char *left = tool_list_folder (self->folder);

  g_assert_cmpint (file->code, ==, 0);
  g_test_message ("%s", streams->err);
  g_assert_cmpint (streams->code, ==, 0);
  g_assert_cmpstr (left, ==, "copy.leat in.bin linked out.bin stats");
}

/* A mistake of the command line, not of the pipeline. */
static void
test_paths_variable_given_twice (Fixture *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS (self->pipeline, "out=a", "out=b"));

  g_assert_cmpint (result->code, ==, 2);
  tool_assert_contains (result->err, "variable \"out\" is given twice, \"a\" and \"b\"");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
#define ADD(name, function) g_test_add (name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)
  ADD ("/leat/tools/launch/paths/refuses-files-of-the-pipeline", test_paths_refuses_files_of_the_pipeline);
  ADD ("/leat/tools/launch/paths/refuses-what-cannot-be-written", test_paths_refuses_what_cannot_be_written);
  ADD ("/leat/tools/launch/paths/refuses-one-file-for-two", test_paths_refuses_one_file_for_two);
  ADD ("/leat/tools/launch/paths/takes-streams-and-other-files", test_paths_takes_streams_and_other_files);
  ADD ("/leat/tools/launch/paths/variable-given-twice", test_paths_variable_given_twice);
  return g_test_run ();
}
