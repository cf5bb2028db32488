/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "npy-read.h"
#include "tool-run.h"

#include <string.h>

/* --dump writes what any output gives, and the results stay what they are.  Each value is computed here too. */

#define N_ITEMS 1000
#define N_ROWS  400 /* of a run: two full runs and one of 200 */

typedef struct
{
  char *folder, *pipeline, *result;
  float in[N_ITEMS];
} Files;

static const char text[] = "leat 1\n"
                           "a = map expr=x*2\n"
                           "twin = map expr=x*2\n"
                           "dead = map expr=x-7\n"
                           "sum = map inputs=x,y expr=x+y\n"
                           "l = loop max-iterations=3 {\n"
                           "  m = megakernel {\n"
                           "    c = map expr=x*0.5\n"
                           "    d = map expr=x+1\n"
                           "    in.x -> c -> d -> out.y\n"
                           "  }\n"
                           "  in.u -> m.x\n"
                           "  m.y -> out.v\n"
                           "}\n"
                           "up = upload\n"
                           "io:file path=in.f32 out=f32[<=400] -> up -> a -> sum.x\n"
                           "up -> twin -> sum.y\n"
                           "up -> dead -> discard\n"
                           "sum -> l.u\n"
                           "l.v -> readback -> io:file path=result.f32\n";

static void
files_set_up (Files *self, gconstpointer data)
{
  g_autofree char *path = NULL;

  self->folder = tool_make_folder ();
  path = g_build_filename (self->folder, "in.f32", NULL);
  for (guint i = 0; i < N_ITEMS; i++)
    self->in[i] = (float) i * 0.25f - 60;
  g_assert_true (g_file_set_contents (path, (const char *) self->in, sizeof self->in, NULL));
  self->pipeline = tool_write (self->folder, "p.leat", text);
  self->result = g_build_filename (self->folder, "result.f32", NULL);
}

static void
files_tear_down (Files *self, gconstpointer data)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->pipeline);
  g_free (self->result);
}

/* What the output NODE gives for an item; of the loop's body, in its last iteration. */
static float
compute (const char *node, float x)
{
  float value = x * 2 + x * 2, c = 0;

  if (strcmp (node, "up") == 0 || strcmp (node, "file0") == 0)
    return x;
  if (strcmp (node, "a") == 0 || strcmp (node, "twin") == 0)
    return x * 2;
  if (strcmp (node, "dead") == 0)
    return x - 7;
  for (guint i = 0; i < 3 && strcmp (node, "sum") != 0; i++)
    {
      c = value * 0.5f;
      value = c + 1;
    }
  return strcmp (node, "c") == 0 ? c : value;
}

static char *
dup_dump (const Files *self, const char *what, const char *name)
{
  return g_strdup_printf ("--dump=%s=%s/%s.npy", what, self->folder, name);
}

static void
check_dump (const Files *self, const char *file, const char *node, gsize first, gsize n)
{
  g_auto (NpyFloats) array = { NULL };
  g_autofree char *name = g_strconcat (file, ".npy", NULL);
  g_autofree char *shape = g_strdup_printf ("'shape': (%" G_GSIZE_FORMAT ",)", n);

  npy_floats_read (&array, self->folder, name);
  tool_assert_contains (array.header, "'<f4'");
  tool_assert_contains (array.header, shape);
  g_assert_cmpuint (array.n, ==, n);
  for (gsize i = 0; i < n; i++)
    if (array.items[i] != compute (node, self->in[first + i]))
      g_error ("%s: item %" G_GSIZE_FORMAT " is %g and not %g", node, i, (double) array.items[i],
               (double) compute (node, self->in[first + i]));
}

static const char *const nodes[] = { "file0", "up", "a", "twin", "dead", "sum", "c", "d", "m", "l.v" };

/* A merged node, a dead one, one within a fused body within a loop: each is there, however the runs are done. */
static void
test_dump_all (Files *self, gconstpointer data)
{
  const char *const option = data;
  g_autoptr (GPtrArray) words = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *bytes = NULL;
  gsize size;

  g_ptr_array_add (words, g_strdup ("leat-launch"));
  g_ptr_array_add (words, g_strdup ("-q"));
  g_ptr_array_add (words, g_strdup (option));
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    g_ptr_array_add (words, dup_dump (self, nodes[i], nodes[i]));
  g_ptr_array_add (words, g_strdup (self->pipeline));
  g_ptr_array_add (words, NULL);
  result = tool_run (NULL, (const char *const *) words->pdata);
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    check_dump (self, nodes[i], nodes[i], 0, N_ITEMS);
  g_assert_true (g_file_get_contents (self->result, &bytes, &size, NULL));
  g_assert_cmpuint (size, ==, sizeof self->in);
  for (guint i = 0; i < N_ITEMS; i++)
    g_assert_cmpfloat (((const float *) bytes)[i], ==, compute ("l", self->in[i]));
}

static void
test_dump_one_run (Files *self, gconstpointer data)
{
  g_autofree char *second = dup_dump (self, "c@2", "second"), *third = dup_dump (self, "sum@3", "third");
  g_autoptr (ToolResult) result =
    tool_run (NULL, (const char *const[]){ "leat-launch", "-q", second, third, self->pipeline, NULL });

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  check_dump (self, "second", "c", N_ROWS, N_ROWS);
  check_dump (self, "third", "sum", 2 * N_ROWS, N_ITEMS - 2 * N_ROWS);
}

/* Runs on the same inputs count too, though nobody asked for the results of each. */
static void
test_dump_one_of_many_runs (Files *self, gconstpointer data)
{
  g_autofree char *pipeline = tool_write (self->folder, "s.leat",
                                          "leat 1\n"
                                          "s = state out=f32[1000]\nnext = map inputs=x,y expr=x+y\n"
                                          "io:file path=in.f32 out=f32[1000] -> upload -> next.x\n"
                                          "next -> s -> next.y\nnext -> readback -> io:file path=result.f32\n");
  g_autofree char *dump = dup_dump (self, "next@5", "fifth");
  g_auto (NpyFloats) array = { NULL };
  g_autoptr (ToolResult) result =
    tool_run (NULL, (const char *const[]){ "leat-launch", "-q", "--runs=9", dump, pipeline, NULL });

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 0);
  npy_floats_read (&array, self->folder, "fifth.npy");
  for (guint i = 0; i < N_ITEMS; i++)
    g_assert_cmpfloat (array.items[i], ==, 5 * self->in[i]);
}

/* The file has a name that says what it is, in the current folder; what is planned shows the tap. */
static void
test_dump_names (Files *self, gconstpointer data)
{
  g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_NONE);
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (ToolResult) plan =
    tool_run (NULL, (const char *const[]){ "leat-launch", "--plan", "--dump=d@2", self->pipeline, NULL });
  g_autofree char *files = NULL;

  tool_assert_contains (plan->out, "sink     dump-d-out-2");
  g_subprocess_launcher_set_cwd (launcher, self->folder);
  process = g_subprocess_launcher_spawn (launcher, NULL, "leat-launch", "-q", "--dump=a", "--dump=d@2", "p.leat", NULL);
  g_assert_nonnull (process);
  g_assert_true (g_subprocess_wait_check (process, NULL, NULL));
  files = tool_list_folder (self->folder);
  g_assert_cmpstr (files, ==, "a-out.npy d-out@2.npy in.f32 p.leat result.f32");
}

static void
test_dump_refuses (Files *self, gconstpointer data)
{
  const struct
  {
    const char *option;
    int code;
    const char *says;
  } table[] = {
    { "--dump=", 2, "expected NODE, NODE.PORT, NODE@RUN or one of these with =FILE" },
    { "--dump=a=", 2, "expected NODE, NODE.PORT, NODE@RUN or one of these with =FILE" },
    { "--dump=a@", 2, "the run behind @ is a number from 1 on, not \"\"" },
    { "--dump=a@0", 2, "the run behind @ is a number from 1 on, not \"0\"" },
    { "--dump=a@first", 2, "not \"first\"" },
    { "--dump=twim", 3, "--dump=twim: the pipeline has no node named \"twim\"" },
    { "--dump=sum.z", 3, "--dump=sum.z: map \"sum\" has no port \"z\"" },
    { "--dump=sum.x", 3, "--dump=sum.x: sum.x is an input: name the output that it is linked to" },
    { "--dump=file1", 3, "--dump=file1: file1 is a sink and gives nothing: name the node before it" },
    { "--dump=a@4", 1, "io:npy \"dump-a-out-4\": run 4 never came, only 3 did" },
    { "--dump=a=/proc/none/a.npy", 1, "/proc/none" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (ToolResult) result =
        tool_run (NULL, (const char *const[]){ "leat-launch", "-q", table[i].option, self->pipeline, NULL });

      g_test_message ("%s: %d %s", table[i].option, result->code, result->err);
      tool_assert_contains (result->err, table[i].says);
      g_assert_cmpint (result->code, ==, table[i].code);
    }
}

/* A dump writes over no file that the pipeline reads, and goes with one pipeline. */
static void
test_dump_keeps_files (Files *self, gconstpointer data)
{
  g_autofree char *over = g_strdup_printf ("--dump=a=%s/in.f32", self->folder);
  g_autoptr (ToolResult) result =
    tool_run (NULL, (const char *const[]){ "leat-launch", "-q", over, self->pipeline, NULL });
  g_autoptr (ToolResult) two = tool_run (NULL, (const char *const[]){ "leat-launch", "-q", "--dump=a", self->pipeline,
                                                                      "//", "const", "path=x", "+", "discard", NULL });

  g_assert_cmpint (result->code, ==, 2);
  tool_assert_contains (result->err, "would write over");
  g_assert_cmpint (two->code, ==, 2);
  tool_assert_contains (two->err, "--dump goes with one pipeline");
}

int
main (int argc, char **argv)
{
  static const char *const options[] = { "--optimise=on",    "--optimise=off", "--fuse=auto", "--executor=eager",
                                         "--executor=graph", "--lanes=3",      "--batch=4" };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (options); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/tools/launch/dump/all/", options[i] + 2, NULL);

      g_test_add (name, Files, options[i], files_set_up, test_dump_all, files_tear_down);
    }
  g_test_add ("/leat/tools/launch/dump/one-run", Files, NULL, files_set_up, test_dump_one_run, files_tear_down);
  g_test_add ("/leat/tools/launch/dump/one-of-many-runs", Files, NULL, files_set_up, test_dump_one_of_many_runs,
              files_tear_down);
  g_test_add ("/leat/tools/launch/dump/names", Files, NULL, files_set_up, test_dump_names, files_tear_down);
  g_test_add ("/leat/tools/launch/dump/refuses", Files, NULL, files_set_up, test_dump_refuses, files_tear_down);
  g_test_add ("/leat/tools/launch/dump/keeps-files", Files, NULL, files_set_up, test_dump_keeps_files, files_tear_down);
  return g_test_run ();
}
