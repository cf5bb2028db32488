/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include "artifact/leat-artifact-private.h"
#include "artifact/leat-section-writer-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

static char *folder;

#define MANIFEST                                                                                                       \
  "[artifact]\nlibrary=0\nkernels=none\nmain=graphs/p.leat\nfolder=graphs\norigin=/made\nopen=data;\n[values]\n"
#define TEXT                                                                                                           \
  "leat 1\nlet data = \"data.bin\"\nlet fixed = 1\nc = const path=\"table.bin\" spec=u8[4]\n"                          \
  "d = const path=$data spec=u8[4]\ne = const path=\"/made/shared/deep.bin\" spec=u8[4]\n"                             \
  "c -> discard\nd -> discard\ne -> discard\n"

/* @manifest, @table: (nullable) */
static char *
write_artifact (const char *name, const char *manifest, const char *text, const char *table)
{
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_ARTIFACT_KIND, "artifact");
  char *path = g_build_filename (folder, name, NULL);
  GError *error = NULL;

  if (manifest != NULL)
    leat_section_writer_add_text (writer, LEAT_ARTIFACT_MANIFEST, "manifest", manifest);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_FILE, "graphs/p.leat", text);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_FILE, "shared/deep.bin", "deep");
  if (table != NULL)
    leat_section_writer_add_text (writer, LEAT_ARTIFACT_FILE, "graphs/table.bin", table);
  leat_section_writer_write (writer, path, &error);
  g_assert_no_error (error);
  return path;
}

static LeatPipeline *
open_artifact (const char *path, const char *value)
{
  const char *const values[] = { value, NULL };
  GError *error = NULL;
  LeatPipeline *pipeline = leat_parse_file (path, value != NULL ? values : NULL, &error);

  g_assert_no_error (error);
  return pipeline;
}

static char *
dup_path (LeatPipeline *pipeline, const char *name)
{
  LeatNode *node = leat_pipeline_get_node (pipeline, name, NULL);

  return leat_node_dup_path (node, "path");
}

static void
check_contents (const char *path, const char *expected)
{
  int fd = leat_supply_open (path, O_RDONLY | O_CLOEXEC);
  char found[16] = "";

  g_assert_cmpint (fd, >=, 0);
  g_assert_cmpint (read (fd, found, sizeof found - 1), ==, (int) strlen (expected));
  g_assert_cmpstr (found, ==, expected);
  close (fd);
}

/* Files of the artifact are found within it, whatever way the text names them; all others where the text has them. */
static void
test_artifact_paths (void)
{
  g_autofree char *path = write_artifact ("paths.leata", MANIFEST, TEXT, "abcd");
  g_autofree char *beside = g_build_filename (folder, "data.bin", NULL), *here = g_get_current_dir ();
  g_autofree char *within = g_build_filename (path, "graphs", "table.bin", NULL);
  g_autofree char *deep = g_build_filename (path, "shared", "deep.bin", NULL);
  g_autofree char *given = g_build_filename (here, "x.bin", NULL);
  g_autoptr (LeatPipeline) pipeline = open_artifact (path, NULL), other = open_artifact (path, "data=x.bin");
  g_autofree char *c = dup_path (pipeline, "c"), *d = dup_path (pipeline, "d"), *e = dup_path (pipeline, "e");
  g_autofree char *x = dup_path (other, "d");

  g_assert_cmpstr (c, ==, within);
  g_assert_cmpstr (d, ==, beside);
  g_assert_cmpstr (e, ==, deep);
  g_assert_cmpstr (x, ==, given);
  check_contents (c, "abcd");
  check_contents (e, "deep");
}

/* Kernels that come compiled travel as any file does. */
static void
test_artifact_compiled_kernels (void)
{
  static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                            ".visible .entry k(.param .u64 k_0)\n{\n  ret;\n}\n";
  g_autofree char *path = write_artifact ("compiled.leata", MANIFEST, TEXT, ptx);
  g_autoptr (LeatPipeline) pipeline = open_artifact (path, NULL);
  g_autofree char *c = dup_path (pipeline, "c");
  g_autoptr (LeatKernelSource) source = NULL;
  gboolean is_image = FALSE;
  GError *error = NULL;

  source = leat_kernel_source_new_from_image (c, "k(f32 *x)", &is_image, &error);
  g_assert_no_error (error);
  g_assert_true (is_image);
  g_assert_true (leat_kernel_source_is_image (source));
}

/* It offers its files as long as a pipeline of it lives. */
static void
test_artifact_lives_with_its_pipelines (void)
{
  g_autofree char *path = write_artifact ("lives.leata", MANIFEST, TEXT, "abcd");
  LeatPipeline *pipeline = open_artifact (path, NULL), *other = open_artifact (path, NULL);
  g_autofree char *c = dup_path (pipeline, "c");

  g_object_unref (pipeline);
  check_contents (c, "abcd");
  g_unlink (path);
  check_contents (c, "abcd");
  g_object_unref (other);
  g_assert_cmpint (leat_supply_open (c, O_RDONLY | O_CLOEXEC), <, 0);
}

/* A file that took the name of one that is open is another one. */
static void
test_artifact_replaced (void)
{
  g_autofree char *path = write_artifact ("replaced.leata", MANIFEST, TEXT, "abcd"), *again = NULL, *last = NULL;
  g_autoptr (LeatPipeline) first = open_artifact (path, NULL), second = NULL, third = NULL;
  g_autofree char *one = dup_path (first, "c"), *two = NULL, *three = NULL;

  again = write_artifact ("replaced.leata", MANIFEST, TEXT, "efgh");
  second = open_artifact (path, NULL);
  two = dup_path (second, "c");
  last = write_artifact ("replaced.leata", MANIFEST, TEXT, "ijkl");
  third = open_artifact (path, NULL);
  three = dup_path (third, "c");
  check_contents (one, "abcd");
  check_contents (two, "efgh");
  check_contents (three, "ijkl");
}

static void
test_artifact_lacks (void)
{
  static const struct
  {
    const char *manifest, *says;
  } rows[] = {
    { NULL, "it has no manifest; compile the pipeline again" },
    { "", "it has no manifest that can be read" },
    { "\x01\x02", "it has no manifest that can be read" },
    { "[other]\n", "it has no text of a pipeline" },
    { "[artifact]\nmain=none.leat\n", "it has no text of a pipeline" },
    { "[artifact]\nmain=../graphs/p.leat\n", "it has no text of a pipeline" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = write_artifact ("lacks.leata", rows[i].manifest, TEXT, NULL);
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_parse_file (path, NULL, &error));
      g_assert_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_MISSING);
      g_assert_nonnull (strstr (error->message, rows[i].says));
    }
}

/* A mistake of the text is told at its place in the artifact. */
static void
test_artifact_text_errors (void)
{
  g_autofree char *path = write_artifact ("wrong.leata", MANIFEST, "leat 1\n\nnothing-such\n", NULL);
  g_autofree char *place = g_build_filename (path, "graphs", "p.leat:3:1: ", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_parse_file (path, NULL, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE);
  g_assert_true (g_str_has_prefix (error->message, place));
}

static void
test_artifact_variables (void)
{
  static const char *const wrong[] = { "fixed=2", NULL }, *const unknown[] = { "dat=2", NULL };
  g_autofree char *path = write_artifact ("variables.leata", MANIFEST "fixed=7\ndata=other.bin\n", TEXT, "abcd");
  g_autoptr (GVariant) variables = leat_parse_list_variables (path, NULL);
  g_autoptr (LeatPipeline) pipeline = open_artifact (path, NULL);
  g_autofree char *d = dup_path (pipeline, "d"), *printed = g_variant_print (variables, FALSE);
  g_autofree char *beside = g_build_filename (folder, "other.bin", NULL);
  g_autoptr (GError) first = NULL, second = NULL;

  g_assert_cmpstr (printed, ==, "[('data', 'other.bin', '')]");
  g_assert_cmpstr (d, ==, beside);
  g_assert_null (leat_parse_file (path, wrong, &first));
  g_assert_error (first, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_VARIABLE);
  g_assert_nonnull (strstr (first->message, "no open variable \"fixed\" (open: data)"));
  g_assert_null (leat_parse_file (path, unknown, &second));
  g_assert_error (second, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_VARIABLE);
}

static gpointer
open_often (gpointer data)
{
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (LeatPipeline) pipeline = open_artifact (data, NULL);
      g_autofree char *c = dup_path (pipeline, "c");

      check_contents (c, "abcd");
    }
  return NULL;
}

/* Some go while others come. */
static void
test_artifact_threads (void)
{
  g_autofree char *path = write_artifact ("threads.leata", MANIFEST, TEXT, "abcd");
  GThread *threads[4];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("opens", open_often, path);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

static void
remove_folder (void)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      g_unlink (path);
    }
  g_rmdir (folder);
  g_free (folder);
}

int
main (int argc, char **argv)
{
  int code;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-artifact-XXXXXX", NULL);
  g_test_add_func ("/leat/artifact/paths", test_artifact_paths);
  g_test_add_func ("/leat/artifact/compiled-kernels", test_artifact_compiled_kernels);
  g_test_add_func ("/leat/artifact/lives-with-its-pipelines", test_artifact_lives_with_its_pipelines);
  g_test_add_func ("/leat/artifact/replaced", test_artifact_replaced);
  g_test_add_func ("/leat/artifact/lacks", test_artifact_lacks);
  g_test_add_func ("/leat/artifact/text-errors", test_artifact_text_errors);
  g_test_add_func ("/leat/artifact/variables", test_artifact_variables);
  g_test_add_func ("/leat/artifact/threads", test_artifact_threads);
  code = g_test_run ();
  remove_folder ();
  return code;
}
