/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs what --record wrote.  It comes from somebody else, so nothing that it says is taken on trust: which options it
 * sets, what its pipeline reads, and where that writes. */

#include "leat-recording.h"

#include "leat-record-form.h"

#include <string.h>

#define LEAT_RECORDING_ENDING ".leatr"

gboolean
leat_recording_is_named (const char *path)
{
  return g_str_has_suffix (path, LEAT_RECORDING_ENDING);
}

static GKeyFile *
leat_recording_read_manifest (LeatSectionReader *reader, GError **error)
{
  g_autoptr (GKeyFile) manifest = g_key_file_new ();
  g_autoptr (GBytes) bytes = NULL;
  LeatSection section;

  if (leat_section_reader_find (reader, LEAT_ARTIFACT_MANIFEST, "manifest", &section))
    bytes = leat_section_reader_read (reader, &section, error);
  else
    g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_MISSING, "it has no manifest");
  if (bytes == NULL || g_bytes_get_size (bytes) == 0
      || !g_key_file_load_from_bytes (manifest, bytes, G_KEY_FILE_NONE, error))
    return NULL;
  return g_steal_pointer (&manifest);
}

/* Options that say how runs are done; none that names a file. */
static gboolean
leat_recording_may_set (const char *option)
{
  static const char *const names[] = { "--executor=", "--early-start=", "--fuse=",  "--optimise=",
                                       "--runs=",     "--readback=",    "--lanes=", NULL };

  for (guint i = 0; names[i] != NULL; i++)
    if (g_str_has_prefix (option, names[i]))
      return TRUE;
  return FALSE;
}

char **
leat_recording_list_settings (const char *path)
{
  g_autoptr (LeatSectionReader) reader = NULL;
  g_autoptr (GKeyFile) manifest = NULL;
  g_auto (GStrv) all = NULL;
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();

  if (leat_recording_is_named (path))
    reader = leat_section_reader_new (path, LEAT_ARTIFACT_KIND, "recording", NULL);
  manifest = reader != NULL ? leat_recording_read_manifest (reader, NULL) : NULL;
  if (manifest == NULL)
    return NULL;
  all = g_key_file_get_string_list (manifest, LEAT_RECORD_GROUP, "settings", NULL, NULL);
  for (guint i = 0; all != NULL && all[i] != NULL; i++)
    if (leat_recording_may_set (all[i]))
      g_strv_builder_add (builder, all[i]);
  return g_strv_builder_end (builder);
}

static gboolean
leat_recording_push (LeatApp *app, LeatSectionReader *reader, guint64 runs, GError **error)
{
  const char *node = leat_node_get_name (LEAT_NODE (app));

  for (guint64 run = 1; run <= runs; run++)
    {
      g_autofree char *name = leat_record_dup_input_name (node, run);
      g_autoptr (GBytes) bytes = NULL;
      LeatSection section;

      /* One source may have given more than another when the last run failed. */
      if (!leat_section_reader_find (reader, LEAT_RECORD_INPUT, name, &section))
        break;
      bytes = leat_section_reader_read (reader, &section, error);
      if (bytes == NULL || !leat_app_push_bytes (app, bytes, error))
        return FALSE;
    }
  leat_app_end (app);
  return TRUE;
}

/* A result goes beside the recording, whatever the recording says. */
static gboolean
leat_recording_check_sink (LeatNode *sink, GError **error)
{
  g_autofree char *path = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "path") != NULL)
    g_object_get (sink, "path", &path, NULL);
  if (path == NULL || strchr (path, '/') == NULL)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
               "its sink \"%s\" would write %s, and a recording writes beside itself only: somebody changed it, so do "
               "not run it",
               leat_node_get_name (sink), path);
  return FALSE;
}

static gboolean
leat_recording_feed_node (LeatNode *node, LeatSectionReader *reader, guint64 runs, GError **error)
{
  if (!LEAT_IS_ENDPOINT (node))
    return TRUE;
  if (!leat_endpoint_is_source (LEAT_ENDPOINT (node)))
    return leat_recording_check_sink (node, error);
  if (LEAT_IS_APP (node))
    return leat_recording_push (LEAT_APP (node), reader, runs, error);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
               "its source \"%s\" is %s, and a recording has its inputs itself: somebody changed it, so do not run it",
               leat_node_get_name (node), leat_node_get_id (node));
  return FALSE;
}

static guint64
leat_recording_count_runs (LeatSectionReader *reader, GError **error)
{
  g_autoptr (GKeyFile) manifest = leat_recording_read_manifest (reader, error);
  guint64 runs = manifest != NULL ? g_key_file_get_uint64 (manifest, LEAT_RECORD_GROUP, "runs", NULL) : 0;

  if (manifest == NULL || (runs > 0 && runs <= LEAT_RECORD_MOST_RUNS))
    return runs;
  g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_MISSING,
               "it has no inputs: nothing ran when it was made; make it again with leat-launch --record");
  return 0;
}

gboolean
leat_recording_feed (LeatPipeline *pipeline, const char *path, GError **error)
{
  g_autoptr (LeatSectionReader) reader = leat_section_reader_new (path, LEAT_ARTIFACT_KIND, "recording", error);
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  guint64 runs;

  if (reader == NULL)
    return FALSE;
  runs = leat_recording_count_runs (reader, error);
  for (guint i = 0; runs > 0 && i < nodes->len; i++)
    if (!leat_recording_feed_node (nodes->pdata[i], reader, runs, error))
      runs = 0;
  if (runs > 0)
    {
      g_object_set_data (G_OBJECT (pipeline), LEAT_RECORDING_FED, GINT_TO_POINTER (TRUE));
      return TRUE;
    }
  g_prefix_error (error, "cannot run %s again: ", path);
  return FALSE;
}
