/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include "leat-npy-header.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

static char *leat_harness_folder;

void
leat_harness_set (LeatNode *node, const char *name, const char *value)
{
  GError *error = NULL;

  leat_node_set_from_string (node, name, value, &error);
  g_assert_no_error (error);
}

static LeatNode *
leat_harness_make (LeatHarness *self, const char *id, const char *name)
{
  GError *error = NULL;
  LeatNode *node = leat_pipeline_make (self->pipeline, id, name, &error);

  g_assert_no_error (error);
  return node;
}

static void
leat_harness_set_all (LeatNode *node, const char *first, va_list args)
{
  for (; first != NULL; first = va_arg (args, const char *))
    {
      g_auto (GStrv) pair = g_strsplit (first, "=", 2);

      leat_harness_set (node, pair[0], pair[1]);
    }
}

static void
leat_harness_link (LeatHarness *self, const char *from, const char *to)
{
  GError *error = NULL;

  leat_pipeline_link (self->pipeline, from, to, &error);
  g_assert_no_error (error);
}

void
leat_harness_init_source (LeatHarness *self, const char *id, const char *first, ...)
{
  va_list args;

  *self = (LeatHarness){ leat_pipeline_new () };
  self->memory = g_byte_array_new ();
  self->node = LEAT_ENDPOINT (leat_harness_make (self, id, "tested"));
  leat_harness_make (self, "discard", "end");
  va_start (args, first);
  leat_harness_set_all (LEAT_NODE (self->node), first, args);
  va_end (args);
  leat_harness_link (self, "tested.out", "end.in");
}

void
leat_harness_init_sink (LeatHarness *self, const char *id, const char *spec, const char *first, ...)
{
  va_list args;

  *self = (LeatHarness){ leat_pipeline_new () };
  self->memory = g_byte_array_new ();
  leat_harness_set (leat_harness_make (self, "app", "begin"), "spec", spec);
  self->node = LEAT_ENDPOINT (leat_harness_make (self, id, "tested"));
  va_start (args, first);
  leat_harness_set_all (LEAT_NODE (self->node), first, args);
  va_end (args);
  leat_harness_link (self, "begin.out", "tested.in");
}

void
leat_harness_clear (LeatHarness *self)
{
  leat_harness_stop (self);
  g_clear_object (&self->plan);
  g_clear_object (&self->pipeline);
  g_clear_pointer (&self->memory, g_byte_array_unref);
}

gboolean
leat_harness_plan (LeatHarness *self, GError **error)
{
  g_clear_object (&self->plan);
  self->plan = leat_plan_new (self->pipeline, error);
  return self->plan != NULL;
}

static LeatSpec *
leat_harness_get_spec (LeatHarness *self)
{
  const char *port = leat_endpoint_is_source (self->node) ? "out" : "in";

  return leat_port_get_spec (leat_node_get_port (LEAT_NODE (self->node), port, NULL));
}

char *
leat_harness_dup_spec (LeatHarness *self)
{
  return leat_spec_to_string (leat_harness_get_spec (self), LEAT_SPEC_STYLE_FILE);
}

void
leat_harness_start (LeatHarness *self)
{
  GError *error = NULL;

  leat_harness_plan (self, &error);
  g_assert_no_error (error);
  LEAT_ENDPOINT_GET_CLASS (self->node)->start (self->node, &error);
  g_assert_no_error (error);
}

static LeatView
leat_harness_view (LeatHarness *self, gpointer to)
{
  LeatSpec *spec = leat_harness_get_spec (self);

  return (LeatView){ to, leat_spec_get_bytes (spec), 0, spec };
}

LeatFlow
leat_harness_fill (LeatHarness *self, gboolean wait, GError **error)
{
  LeatView view = leat_harness_view (self, NULL);
  LeatFlow flow;

  g_byte_array_set_size (self->memory, (guint) view.capacity);
  view.data = self->memory->data;
  flow = LEAT_ENDPOINT_GET_CLASS (self->node)->fill (self->node, &view, wait, NULL, error);
  g_byte_array_set_size (self->memory, flow == LEAT_FLOW_DATA ? (guint) leat_view_get_bytes (&view) : 0);
  return flow;
}

gboolean
leat_harness_begin (LeatHarness *self, gpointer to)
{
  LeatView view = leat_harness_view (self, to);

  return LEAT_ENDPOINT_GET_CLASS (self->node)->begin (self->node, &view);
}

LeatFlow
leat_harness_complete (LeatHarness *self, gpointer to, guint64 *count, GError **error)
{
  LeatView view = leat_harness_view (self, to);
  LeatFlow flow = LEAT_ENDPOINT_GET_CLASS (self->node)->complete (self->node, &view, error);

  *count = view.count;
  return flow;
}

gboolean
leat_harness_drain (LeatHarness *self, gconstpointer data, gsize size, GError **error)
{
  LeatSpec *spec = leat_harness_get_spec (self);
  LeatView view = { (gpointer) data, leat_spec_get_bytes (spec), size / leat_spec_get_row_bytes (spec), spec };

  g_assert_cmpuint (leat_view_get_bytes (&view), ==, size);
  return LEAT_ENDPOINT_GET_CLASS (self->node)->drain (self->node, &view, NULL, error);
}

gboolean
leat_harness_finish (LeatHarness *self, GError **error)
{
  LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (self->node);

  return klass->finish == NULL || klass->finish (self->node, error);
}

void
leat_harness_stop (LeatHarness *self)
{
  LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (self->node);

  if (klass->stop != NULL)
    klass->stop (self->node);
}

void
leat_harness_remove_files (void)
{
  /* A program whose cases were all skipped has made none. */
  GDir *dir = leat_harness_folder != NULL ? g_dir_open (leat_harness_folder, 0, NULL) : NULL;
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (leat_harness_folder, name, NULL);

      g_remove (path);
    }
  g_clear_pointer (&dir, g_dir_close);
}

static void
leat_harness_remove_folder (void)
{
  leat_harness_remove_files ();
  g_rmdir (leat_harness_folder);
  g_free (leat_harness_folder);
}

char *
leat_harness_dup_path (const char *name)
{
  if (leat_harness_folder == NULL)
    {
      leat_harness_folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
      g_assert_nonnull (leat_harness_folder);
      atexit (leat_harness_remove_folder);
    }
  return g_build_filename (leat_harness_folder, name, NULL);
}

void
leat_harness_write_file (const char *path, gconstpointer data, gsize size)
{
  GError *error = NULL;

  g_file_set_contents (path, data, (gssize) size, &error);
  g_assert_no_error (error);
}

void
leat_harness_assert_file (const char *path, gconstpointer data, gsize size)
{
  g_autofree char *found = NULL;
  GError *error = NULL;
  gsize found_size;

  g_file_get_contents (path, &found, &found_size, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (found, found_size, data, size);
}

void
leat_harness_assert_folder_has (guint n_files)
{
  g_autoptr (GDir) dir = g_dir_open (leat_harness_folder, 0, NULL);
  guint found = 0;

  while (g_dir_read_name (dir) != NULL)
    found++;
  g_assert_cmpuint (found, ==, n_files);
}

void
leat_harness_format_npy (LeatDtype dtype, const guint64 *dims, guint n_dims, guint8 *to)
{
  g_autoptr (LeatSpec) spec = leat_spec_new (dtype, dims, n_dims, FALSE);
  g_autoptr (GBytes) header = leat_npy_header_format (spec);

  g_assert_cmpuint (g_bytes_get_size (header), ==, LEAT_NPY_HEADER_BYTES);
  memcpy (to, g_bytes_get_data (header, NULL), LEAT_NPY_HEADER_BYTES);
}
