/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "tool-run.h"

#include "artifact/leat-artifact-private.h"
#include "artifact/leat-section-writer-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* --record keeps what a run needs elsewhere, and no more than that.  What is run again comes from somebody else. */

#define N_ITEMS 1000
#define N_ROWS  400
#define INPUT   LEAT_SECTION_WORD ('i', 'n', 'p', 't')

typedef struct
{
  char *folder; /* of the pipeline; gone when a recording is run again */
  char *away;   /* where it is run again */
  char *recording;
  float in[N_ITEMS];
} Files;

static const char pipeline_text[] =
  "leat 1\n"
  "# a remark that stays at home\n"
  "let private = in.f32\n"
  "k = kernel source=kernels/k.cu\n"
  "io:file path=$private out=f32[<=400] -> upload -> k -> readback -> io:file path=results/out.f32\n";

static void
write_below (const Files *self, const char *folder, const char *name, gconstpointer data, gssize size)
{
  g_autofree char *inner = g_build_filename (self->folder, folder, NULL), *path = g_build_filename (inner, name, NULL);

  g_assert_cmpint (g_mkdir_with_parents (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (path, data, size, NULL));
}

static void
files_set_up (Files *self, gconstpointer data)
{
  self->folder = tool_make_folder ();
  self->away = tool_make_folder ();
  self->recording = g_build_filename (self->away, "r.leatr", NULL);
  for (guint i = 0; i < N_ITEMS; i++)
    self->in[i] = (float) i;
  write_below (self, ".", "in.f32", self->in, sizeof self->in);
  write_below (self, "kernels", "two.h", "#define TWO 2\n", -1);
  write_below (self, "kernels", "k.cu",
               "#include \"two.h\"\n"
               "__global__ void k (const float *in, uint64_t in_count, float *out)\n"
               "{ GRID_FOR (i, in_count) out[i] = in[i] * TWO; }\n",
               -1);
  write_below (self, "results", "keep", "", 0);
  g_free (tool_write (self->folder, "p.leat", pipeline_text));
}

static void
remove_tree (const char *folder)
{
  const char *const words[] = { "rm", "-rf", folder, NULL };

  g_assert_true (g_spawn_sync (NULL, (char **) words, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL, NULL, NULL));
}

static void
files_tear_down (Files *self, gconstpointer data)
{
  remove_tree (self->folder);
  remove_tree (self->away);
  g_free (self->folder);
  g_free (self->away);
  g_free (self->recording);
}

static ToolResult *
run_in (const char *folder, const char *line)
{
  g_autofree char *command = g_strdup_printf ("cd '%s' && %s", folder, line);

  return tool_run (NULL, (const char *const[]){ "sh", "-c", command, NULL });
}

/* Makes the recording, with more options, and takes away all that it was made of. */
static void
record (const Files *self, const char *options, int code)
{
  g_autofree char *line = g_strdup_printf ("leat-launch -q --record='%s' %s", self->recording, options);
  g_autoptr (ToolResult) result = run_in (self->folder, line);

  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, code);
  remove_tree (self->folder);
}

static ToolResult *
run_again (const Files *self, const char *options)
{
  g_autofree char *line = g_strconcat ("leat-launch -q ", options, " r.leatr", NULL);
  ToolResult *result = run_in (self->away, line);

  g_test_message ("%d: %s", result->code, result->err);
  return result;
}

static void
assert_results (const Files *self, guint first, guint n)
{
  g_autofree char *path = g_build_filename (self->away, "out.f32", NULL), *bytes = NULL;
  gsize size;

  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  g_assert_cmpuint (size, ==, n * sizeof (float));
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (((const float *) bytes)[i], ==, 2 * self->in[first + i]);
}

static void
test_record_travels (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL, compared = NULL;
  g_autofree char *files = NULL;

  record (self, "--record-runs=10 p.leat", 0);
  result = run_again (self, "");
  g_assert_cmpint (result->code, ==, 0);
  assert_results (self, 0, N_ITEMS);
  compared = run_again (self, "--compare=unoptimised");
  g_assert_cmpint (compared->code, ==, 0);
  tool_assert_contains (compared->out, "1000 items of 1 result in 3 runs");
  files = tool_list_folder (self->away);
  g_assert_cmpstr (files, ==, "out.f32 r.leatr");
}

static void
test_record_last_run (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL;

  record (self, "p.leat", 0);
  result = run_again (self, "");
  g_assert_cmpint (result->code, ==, 0);
  assert_results (self, 2 * N_ROWS, N_ITEMS - 2 * N_ROWS);
}

/* Whatever the environment and the text say: neither remarks, names of variables and folders, nor who ran it. */
static void
test_record_keeps_secrets (Files *self, gconstpointer data)
{
  const char *const secrets[] = { self->folder, "at home", "private", "results", g_get_user_name (), "hunter2" };
  g_autofree char *bytes = NULL;
  gsize size;
  GStatBuf info;

  record (self, "p.leat", 0);
  g_assert_true (g_file_get_contents (self->recording, &bytes, &size, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (secrets); i++)
    if (memmem (bytes, size, secrets[i], strlen (secrets[i])) != NULL)
      g_error ("the recording has \"%s\" in it", secrets[i]);
  g_assert_cmpint (g_stat (self->recording, &info), ==, 0);
  g_assert_cmpint (info.st_mode & 0777, ==, 0600);
}

static void
test_record_pipes (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL;

  record (self,
          "--record-runs=9 io:file path=- out=f32:max400 + upload + kernel source=kernels/k.cu + readback + io:file "
          "path=out.f32 <in.f32",
          0);
  result = run_again (self, "");
  g_assert_cmpint (result->code, ==, 0);
  assert_results (self, 0, N_ITEMS);
}

/* The run that fails is the one that somebody wants to see. */
static void
test_record_failed_run (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL;

  write_below (self, "kernels", "k.cu",
               "LEAT_REPORT (LARGE, error, \"too large\")\n"
               "__global__ void k (const float *in, uint64_t in_count, float *out)\n"
               "{ GRID_FOR (i, in_count) { out[i] = in[i]; if (in[i] == 555) leat_report_at (LARGE, i, in[i]); } }\n",
               -1);
  record (self, "--lanes=1 p.leat", 1);
  result = run_again (self, "");
  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "too large: 555 at index 155");
}

/* Options that change what is done travel; those of the command line count more. */
static void
test_record_settings (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) eager = NULL, graph = NULL;
  g_autofree char *text = NULL;

  record (self, "--executor=eager p.leat", 0);
  eager = run_again (self, "--stats=json --stats-file=-");
  graph = run_again (self, "--executor=graph --stats=json --stats-file=-");
  tool_assert_contains (eager->out, "\"executor\" : \"eager\"");
  tool_assert_contains (graph->out, "\"executor\" : \"graph\"");
}

/* Runs on the same inputs go on from state to state, as they did. */
static void
test_record_repeats (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *path = g_build_filename (self->away, "out.f32", NULL), *bytes = NULL;
  gsize size;

  g_free (tool_write (self->folder, "s.leat",
                      "leat 1\ns = state out=f32[1000]\nnext = map inputs=x,y expr=x+y\n"
                      "io:file path=in.f32 out=f32[1000] -> upload -> next.x\ns -> next.y\nnext -> s\n"
                      "next -> readback -> io:file path=out.f32\n"));
  record (self, "--runs=7 s.leat", 0);
  result = run_again (self, "");
  g_assert_cmpint (result->code, ==, 0);
  g_assert_true (g_file_get_contents (path, &bytes, &size, NULL));
  g_assert_cmpuint (size, ==, sizeof self->in);
  for (guint i = 0; i < N_ITEMS; i++)
    g_assert_cmpfloat (((const float *) bytes)[i], ==, 7 * self->in[i]);
}

/* A recording that somebody made by hand. */
static void
forge (const Files *self, const char *pipeline, const char *recording, gsize input_bytes)
{
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_ARTIFACT_KIND, "recording");
  g_autofree char *manifest = g_strdup_printf ("[artifact]\nlibrary=0\nkernels=0\nmain=recording.leat\n%s", recording);
  g_autoptr (GBytes) input = g_bytes_new_take (g_malloc0 (input_bytes + 1), input_bytes);
  g_autoptr (GError) error = NULL;

  leat_section_writer_add_text (writer, LEAT_ARTIFACT_MANIFEST, "manifest", manifest);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_FILE, "recording.leat", pipeline);
  leat_section_writer_add (writer, INPUT, "a/00000001", input);
  leat_section_writer_write (writer, self->recording, &error);
  g_assert_no_error (error);
  g_chmod (self->recording, 0600);
}

#define GOOD "leat 1\na = app spec=f32[4]\na -> upload -> readback -> io:file path=out.f32\n"

static void
test_record_hostile (Files *self, gconstpointer data)
{
  static const struct
  {
    const char *pipeline, *recording;
    gsize bytes;
    const char *says;
  } table[] = {
    { "leat 1\na = app spec=f32[4]\na -> upload -> readback -> io:file path=/tmp/leat-forged\n",
      "[recording]\nruns=1\n", 16, "would write /tmp/leat-forged, and a recording writes beside itself only" },
    { "leat 1\na = app spec=f32[4]\na -> upload -> readback -> io:file path=../leat-forged\n", "[recording]\nruns=1\n",
      16, "would write ../leat-forged" },
    { "leat 1\nio:file path=/etc/passwd -> upload -> readback -> io:file path=out.f32\n", "[recording]\nruns=1\n", 16,
      "its source \"file0\" is io:file, and a recording has its inputs itself" },
    { GOOD, "", 16, "it has no inputs" },
    { GOOD, "[recording]\nruns=0\n", 16, "it has no inputs" },
    { GOOD, "[recording]\nruns=99999999999999999999\n", 16, "it has no inputs" },
    { GOOD, "[recording]\nruns=-1\n", 16, "it has no inputs" },
    { GOOD, "[recording]\nruns=1\n", 15, "15 bytes were pushed; f32[4] takes 16 bytes" },
    { "no pipeline", "[recording]\nruns=1\n", 16, "recording.leat:1:1" },
    { GOOD, "[recording]\nruns=1\nsettings=--executor=sideways\n", 16, "--executor=sideways: expected" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (ToolResult) result = NULL;
      g_autofree char *files = NULL;

      forge (self, table[i].pipeline, table[i].recording, table[i].bytes);
      result = run_again (self, "");
      g_assert_cmpint (result->code, !=, 0);
      tool_assert_contains (result->err, table[i].says);
      files = tool_list_folder (self->away);
      g_assert_cmpstr (files, ==, "r.leatr");
    }
  g_assert_false (g_file_test ("/tmp/leat-forged", G_FILE_TEST_EXISTS));
}

/* Settings that name files, or print, are none that a recording may have. */
static void
test_record_hostile_settings (Files *self, gconstpointer data)
{
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *files = NULL;

  forge (self, GOOD,
         "[recording]\nruns=1\nsettings=--trace=t.json;--stats;--dump=a;--plugin-path=/tmp;--record=x.leatr;file;\n",
         16);
  result = run_again (self, "");
  g_assert_cmpint (result->code, ==, 0);
  g_assert_cmpstr (result->err, ==, "");
  files = tool_list_folder (self->away);
  g_assert_cmpstr (files, ==, "out.f32 r.leatr");
  g_chmod (self->recording, 0666);
  g_clear_pointer (&result, tool_result_free);
  result = run_again (self, "");
  g_assert_cmpint (result->code, !=, 0);
  tool_assert_contains (result->err, "r.leatr");
}

/* Each end and each changed byte is an error of its own, and nothing runs. */
static void
test_record_damaged (Files *self, gconstpointer data)
{
  g_autofree char *bytes = NULL;
  gsize size, step;

  forge (self, GOOD, "[recording]\nruns=1\n", 16);
  g_assert_true (g_file_get_contents (self->recording, &bytes, &size, NULL));
  step = g_getenv ("LEAT_TEST_BRIEF") != NULL ? 61 : 7;
  for (gsize at = 0; at < size; at += step)
    {
      g_autoptr (ToolResult) cut = NULL, patched = NULL;

      g_assert_true (g_file_set_contents (self->recording, bytes, (gssize) at, NULL));
      cut = run_again (self, "");
      g_assert_cmpint (cut->code, >, 0);
      g_assert_cmpint (cut->code, <=, 5);
      bytes[at] ^= 0x55;
      g_assert_true (g_file_set_contents (self->recording, bytes, (gssize) size, NULL));
      bytes[at] ^= 0x55;
      patched = run_again (self, "");
      g_assert_cmpint (patched->code, >, 0);
      g_assert_cmpint (patched->code, <=, 5);
      tool_assert_contains (patched->err, "r.leatr");
    }
}

static void
test_record_refuses (Files *self, gconstpointer data)
{
  static const struct
  {
    const char *options;
    int code;
    const char *says;
  } table[] = {
    { "--record=r.zip p.leat", 2, "--record=r.zip: the name of a recording ends in .leatr" },
    { "--record-runs=2 p.leat", 2, "--record-runs goes with --record" },
    { "--record=r.leatr --record-runs=0 p.leat", 2, "--record-runs=0: expected 1 to 1000000" },
    { "--record=r.leatr --record-runs=some p.leat", 2, "--record-runs=some: expected 1 to 1000000" },
    { "--record=r.leatr --check p.leat", 2, "--record goes with runs one by one" },
    { "--record=r.leatr --plan p.leat", 2, "--record goes with runs one by one" },
    { "--record=r.leatr --batch=4 p.leat", 2, "--record goes with runs one by one" },
    { "--record=r.leatr --compare=eager p.leat", 2, "--compare goes without --record" },
    { "--record=r.leatr p.leat // p.leat", 2, "--record goes with one pipeline" },
    { "--record=/proc/none/r.leatr p.leat", 2, "--record: " },
    { "none.leatr", 2, "none.leatr" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *line = g_strconcat ("leat-launch ", table[i].options, NULL);
      g_autoptr (ToolResult) result = run_in (self->folder, line);

      g_test_message ("%s: %d %s", table[i].options, result->code, result->err);
      g_assert_cmpint (result->code, ==, table[i].code);
      tool_assert_contains (result->err, table[i].says);
    }
}

#define ADD(name, func) g_test_add ("/leat/tools/launch/record/" name, Files, NULL, files_set_up, func, files_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_setenv ("LEAT_TEST_SECRET", "hunter2", TRUE);
  ADD ("travels", test_record_travels);
  ADD ("last-run", test_record_last_run);
  ADD ("keeps-secrets", test_record_keeps_secrets);
  ADD ("pipes", test_record_pipes);
  ADD ("failed-run", test_record_failed_run);
  ADD ("settings", test_record_settings);
  ADD ("repeats", test_record_repeats);
  ADD ("hostile", test_record_hostile);
  ADD ("hostile-settings", test_record_hostile_settings);
  ADD ("damaged", test_record_damaged);
  ADD ("refuses", test_record_refuses);
  return g_test_run ();
}
