/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "leat.h"

#include "artifact/leat-section-writer-private.h"
#include "leat-record-form.h"
#include "leat-recording.h"

#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

/* A recording whose manifest, pipeline and input say anything; the file around them is fuzz-artifact's.  In the data
 * they stand one behind the other, with a line "--" between. */

const char *const leat_fuzz_words[] = {
  "\n--\n",
  "[artifact]\nmain=recording.leat\n",
  "[recording]\n",
  "runs=",
  "settings=",
  "--executor=eager;",
  "--save-state=x;",
  "leat 1\n",
  "a = app spec=u8[4]\n",
  "a -> upload -> discard\n",
  "io:file path=",
  "../x",
  "/x",
  "99999999999999999999",
  "-1",
  ";",
  "\x01",
  NULL,
};

static const char *
get_path (void)
{
  static char *path;

  if (path == NULL)
    path = g_strdup_printf ("%s/fuzz-record-%d.leatr", g_get_tmp_dir (), (int) getpid ());
  return path;
}

static void
write_recording (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_auto (GStrv) parts = g_strsplit (text, "\n--\n", 3);
  guint n = g_strv_length (parts);
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_ARTIFACT_KIND, "recording");
  g_autoptr (GError) error = NULL;

  if (n > 0)
    leat_section_writer_add_text (writer, LEAT_ARTIFACT_MANIFEST, "manifest", parts[0]);
  if (n > 1)
    leat_section_writer_add_text (writer, LEAT_ARTIFACT_FILE, LEAT_RECORD_MAIN, parts[1]);
  if (n > 2)
    leat_section_writer_add_text (writer, LEAT_RECORD_INPUT, "a/00000001", parts[2]);
  g_assert_true (leat_section_writer_write (writer, get_path (), &error));
  g_assert_cmpint (g_chmod (get_path (), 0600), ==, 0);
}

/* It sets nothing but how runs are done. */
static void
check_settings (void)
{
  g_auto (GStrv) settings = leat_recording_list_settings (get_path ());

  for (guint i = 0; settings != NULL && settings[i] != NULL; i++)
    {
      g_assert_true (g_str_has_prefix (settings[i], "--"));
      g_assert_nonnull (strchr (settings[i], '='));
      g_assert_false (g_str_has_prefix (settings[i], "--save-state")); /* as a value it is one like any other */
    }
}

/* What may run takes its data from the recording, and writes beside it. */
static void
check_pipeline (LeatPipeline *pipeline)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    {
      g_autofree char *path = NULL;

      if (!LEAT_IS_ENDPOINT (nodes->pdata[i]))
        continue;
      if (leat_endpoint_is_source (nodes->pdata[i]))
        g_assert_true (LEAT_IS_APP (nodes->pdata[i]));
      else if (g_object_class_find_property (G_OBJECT_GET_CLASS (nodes->pdata[i]), "path") != NULL)
        g_object_get (nodes->pdata[i], "path", &path, NULL);
      g_assert_true (path == NULL || strchr (path, '/') == NULL);
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (GError) error = NULL;

  write_recording (data, size);
  check_settings ();
  pipeline = leat_parse_file (get_path (), NULL, NULL);
  if (pipeline != NULL)
    {
      if (leat_recording_feed (pipeline, get_path (), &error))
        check_pipeline (pipeline);
      else
        g_assert_nonnull (error);
    }
  g_unlink (get_path ());
  return 0;
}
