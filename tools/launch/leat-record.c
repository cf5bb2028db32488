/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* --record: notes the inputs of the last runs, and writes them with all that the pipeline is made of. */

#include "leat-record.h"

#include "leat-compile-gather.h"
#include "leat-record-form.h"

#include "artifact/leat-section-writer-private.h"
#include "device/leat-device-private.h"
#include "parse/leat-parse.h"
#include "session/leat-session-watch-private.h"

#include <glib/gstdio.h>
#include <string.h>

struct _LeatRecord
{
  guint64 most;
  GMutex lock;
  GHashTable *inputs; /* name of a source -> GQueue of GBytes */
  LeatGathered *gathered;
};

static void
leat_record_queue_free (gpointer data)
{
  g_queue_free_full (data, (GDestroyNotify) g_bytes_unref);
}

LeatRecord *
leat_record_new (guint64 most)
{
  static const char *const none[] = { NULL };
  LeatRecord *self = g_new0 (LeatRecord, 1);

  self->most = most;
  g_mutex_init (&self->lock);
  self->inputs = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, leat_record_queue_free);
  leat_compile_gather_begin (none);
  return self;
}

void
leat_record_free (LeatRecord *self)
{
  if (self->gathered == NULL)
    self->gathered = leat_compile_gather_end ();
  leat_gathered_free (self->gathered);
  g_hash_table_unref (self->inputs);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static void
leat_record_take_input (LeatNode *source, const LeatView *view, gpointer data)
{
  LeatRecord *self = data;
  GQueue *queue;

  g_mutex_lock (&self->lock);
  queue = g_hash_table_lookup (self->inputs, leat_node_get_name (source));
  if (queue == NULL)
    {
      queue = g_queue_new ();
      g_hash_table_insert (self->inputs, g_strdup (leat_node_get_name (source)), queue);
    }
  g_queue_push_tail (queue, g_bytes_new (view->data, leat_view_get_bytes (view)));
  if (queue->length > self->most)
    g_bytes_unref (g_queue_pop_head (queue));
  g_mutex_unlock (&self->lock);
}

void
leat_record_watch (LeatRecord *self, LeatSession *session)
{
  leat_session_watch_inputs (session, leat_record_take_input, self);
}

/* The tool that runs it again takes the place of a source. */
static gboolean
leat_record_replace_source (LeatPipeline *pipeline, LeatNode *source, GError **error)
{
  g_autofree char *name = g_strdup (leat_node_get_name (source)), *spec = NULL;
  LeatPort *output = leat_node_get_port (source, "out", error);
  g_autoptr (GPtrArray) readers = output != NULL ? leat_port_list_peers (output) : NULL;
  LeatNode *app;

  if (output == NULL)
    return FALSE;
  spec = leat_spec_to_string (leat_port_get_spec (output), LEAT_SPEC_STYLE_FILE);
  leat_pipeline_remove (pipeline, source);
  app = leat_pipeline_make (pipeline, "app", name, error);
  if (app == NULL)
    return FALSE;
  g_object_set (app, "spec", spec, NULL);
  output = leat_node_get_port (app, "out", error);
  for (guint i = 0; output != NULL && i < readers->len; i++)
    if (!leat_port_link (output, readers->pdata[i], error))
      return FALSE;
  return output != NULL;
}

/* Results are written where the recording is run again, under the last part of their names; of two that are alike, the
 * second has that of its node before it. */
static void
leat_record_shorten_sink (LeatNode *sink, const char *root, GHashTable *names)
{
  g_autofree char *path = NULL, *base = NULL, *own = NULL, *below = NULL;

  if (g_object_class_find_property (G_OBJECT_GET_CLASS (sink), "path") == NULL)
    return;
  g_object_get (sink, "path", &path, NULL);
  if (path == NULL || g_str_equal (path, "-"))
    return;
  base = g_path_get_basename (path);
  own = g_strdup_printf ("%s-%s", leat_node_get_name (sink), base);
  below = g_build_filename (root, g_hash_table_contains (names, base) ? own : base, NULL);
  g_hash_table_add (names, g_steal_pointer (&base));
  g_object_set (sink, "path", below, NULL);
}

static void
leat_record_shorten_sinks (LeatPipeline *pipeline, const char *root)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  g_autoptr (GHashTable) names = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < nodes->len; i++)
    if (LEAT_IS_ENDPOINT (nodes->pdata[i]) && !leat_endpoint_is_source (nodes->pdata[i]))
      leat_record_shorten_sink (nodes->pdata[i], root, names);
}

/* Files of sources are inputs, of which some may be kept; texts of the pipeline are written anew. */
static void
leat_record_leave_file (LeatRecord *self, LeatNode *source)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (source), "path");
  g_autofree char *path = property != NULL ? leat_node_dup_path (source, "path") : NULL;
  guint index;

  if (path != NULL && g_ptr_array_find_with_equal_func (self->gathered->files, path, g_str_equal, &index))
    g_ptr_array_remove_index (self->gathered->files, index);
}

static gboolean
leat_record_change_sources (LeatRecord *self, LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    {
      LeatNode *node = nodes->pdata[i];

      if (!LEAT_IS_ENDPOINT (node) || !leat_endpoint_is_source (LEAT_ENDPOINT (node)))
        continue;
      leat_record_leave_file (self, node);
      if (!leat_record_replace_source (pipeline, node, error))
        return FALSE;
    }
  for (guint i = self->gathered->files->len; i > 0; i--)
    if (g_str_has_suffix (self->gathered->files->pdata[i - 1], ".leat"))
      g_ptr_array_remove_index (self->gathered->files, i - 1);
  return TRUE;
}

/* The folder that all files have in common, and nothing above it. (transfer full) */
static char *
leat_record_dup_root (const LeatRecord *self)
{
  const GPtrArray *files = self->gathered->files;
  char *root = files->len > 0 ? g_path_get_dirname (files->pdata[0]) : g_get_current_dir ();

  for (guint i = 1; i < files->len; i++)
    while (strlen (root) > 1
           && !(g_str_has_prefix (files->pdata[i], root) && ((char *) files->pdata[i])[strlen (root)] == '/'))
      {
        char *up = g_path_get_dirname (root);

        g_free (root);
        root = up;
      }
  return root;
}

static gboolean
leat_record_add_files (const LeatRecord *self, LeatSectionWriter *writer, const char *root, GError **error)
{
  gsize length = strlen (root) > 1 ? strlen (root) + 1 : 1;

  for (guint i = 0; i < self->gathered->files->len; i++)
    {
      const char *path = self->gathered->files->pdata[i];
      g_autoptr (GMappedFile) file = g_mapped_file_new (path, FALSE, error);
      g_autoptr (GBytes) bytes = file != NULL ? g_mapped_file_get_bytes (file) : NULL;

      if (bytes == NULL)
        return FALSE;
      leat_section_writer_add (writer, LEAT_ARTIFACT_FILE, path + length, bytes);
    }
  return TRUE;
}

/* How many runs there are of each. */
static guint64
leat_record_add_inputs (const LeatRecord *self, LeatSectionWriter *writer)
{
  guint64 runs = 0;
  GHashTableIter iter;
  gpointer name, queue;

  g_hash_table_iter_init (&iter, self->inputs);
  while (g_hash_table_iter_next (&iter, &name, &queue))
    {
      guint64 run = 0;

      for (GList *link = ((GQueue *) queue)->head; link != NULL; link = link->next)
        {
          g_autofree char *title = leat_record_dup_input_name (name, ++run);

          leat_section_writer_add (writer, LEAT_RECORD_INPUT, title, link->data);
        }
      runs = MAX (runs, run);
    }
  return runs;
}

static void
leat_record_set_device (GKeyFile *manifest, LeatDevice *device)
{
  const LeatDeviceFacts *facts = device != NULL ? leat_device_get_facts (device) : NULL;
  g_autofree char *capability =
    facts != NULL ? g_strdup_printf ("%u.%u", facts->compute_major, facts->compute_minor) : NULL;

  if (facts == NULL)
    return;
  g_key_file_set_string (manifest, LEAT_RECORD_FACTS, "id", leat_device_get_id (device));
  g_key_file_set_string (manifest, LEAT_RECORD_FACTS, "name", leat_device_get_name (device));
  g_key_file_set_string (manifest, LEAT_RECORD_FACTS, "capability", capability);
  g_key_file_set_integer (manifest, LEAT_RECORD_FACTS, "driver", facts->driver_version);
  g_key_file_set_uint64 (manifest, LEAT_RECORD_FACTS, "memory", leat_device_get_memory_bytes (device));
}

static void
leat_record_add_manifest (const LeatLaunchOptions *options, LeatSectionWriter *writer, LeatDevice *device, guint64 runs)
{
  g_autoptr (GKeyFile) manifest = g_key_file_new ();
  g_auto (GStrv) settings = leat_launch_options_list_settings (options);
  g_autofree char *text = NULL;

  g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "library", LEAT_VERSION);
  g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "kernels", leat_artifact_get_identity ());
  g_key_file_set_string (manifest, LEAT_ARTIFACT_GROUP, "main", LEAT_RECORD_MAIN);
  g_key_file_set_string_list (manifest, LEAT_RECORD_GROUP, "settings", (const char *const *) settings,
                              g_strv_length (settings));
  g_key_file_set_uint64 (manifest, LEAT_RECORD_GROUP, "runs", runs);
  leat_record_set_device (manifest, device);
  text = g_key_file_to_data (manifest, NULL, NULL);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_MANIFEST, "manifest", text);
}

gboolean
leat_record_write (LeatRecord *self, const LeatLaunchOptions *options, LeatPipeline *pipeline, LeatDevice *device,
                   GError **error)
{
  g_autoptr (LeatSectionWriter) writer = leat_section_writer_new (LEAT_ARTIFACT_KIND, "recording");
  const char *path = options->wrong.record_path;
  g_autofree char *root = NULL, *text = NULL;

  self->gathered = leat_compile_gather_end ();
  if (!leat_record_change_sources (self, pipeline, error))
    return FALSE;
  root = leat_record_dup_root (self);
  leat_record_shorten_sinks (pipeline, root);
  text = leat_pipeline_to_text (pipeline, LEAT_TEXT_STYLE_FILE, root);
  leat_section_writer_add_text (writer, LEAT_ARTIFACT_FILE, LEAT_RECORD_MAIN, text);
  if (!leat_record_add_files (self, writer, root, error))
    return FALSE;
  leat_record_add_manifest (options, writer, device, leat_record_add_inputs (self, writer));
  if (!leat_section_writer_write (writer, path, error))
    return FALSE;
  /* It has the user's data in it, and whoever opens it refuses one that others may write to. */
  g_chmod (path, 0600);
  return TRUE;
}
