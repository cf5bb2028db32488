/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "lanes-fixture.h"

#include <glib/gstdio.h>

#include "session-fixture.h"

static void
lanes_link (Lanes *self, const char *from, const char *to)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_link (self->pipeline, from, to, &error);
  g_assert_no_error (error);
}

static void
lanes_add (Lanes *self, PacedNode *node)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_add (self->pipeline, LEAT_NODE (node), &error);
  g_assert_no_error (error);
}

static LeatNode *
lanes_make (Lanes *self, const char *id, const char *name, const char *property, const char *value)
{
  g_autoptr (GError) error = NULL;
  LeatNode *node = leat_pipeline_make (self->pipeline, id, name, &error);

  g_assert_no_error (error);
  if (property != NULL)
    leat_node_set_from_string (node, property, value, &error);
  g_assert_no_error (error);
  return node;
}

/* Around what is between @first and @last. */
static void
lanes_complete (Lanes *self, guint lanes, LeatExecutor executor, const char *first, const char *last)
{
  g_autoptr (GError) error = NULL;

  self->source = paced_node_new ("source", TRUE);
  self->sink = paced_node_new ("sink", FALSE);
  self->source->n = N_RUNS;
  lanes_add (self, self->source);
  lanes_add (self, self->sink);
  lanes_make (self, "upload", "up", NULL, NULL);
  lanes_make (self, "readback", "down", NULL, NULL);
  lanes_link (self, "source.out", "up.in");
  lanes_link (self, "up.out", first);
  lanes_link (self, last, "down.in");
  lanes_link (self, "down.out", "sink.in");
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "lanes", lanes < LANES_WIDE ? lanes : 0, "batch",
                lanes < LANES_WIDE ? 0 : lanes - LANES_WIDE, "executor", executor, "calibrate", FALSE, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

/* source -> upload -> y=x+1 -> readback -> sink */
void
lanes_set_up (Lanes *self, guint lanes, LeatExecutor executor)
{
  self->pipeline = leat_pipeline_new ();
  lanes_make (self, "map", "work", "expr", "x+1");
  lanes_complete (self, lanes, executor, "work", "work");
}

/* The kernel in the place of the map. */
void
lanes_set_up_kernel (Lanes *self, guint lanes, const char *text, const char *entry, gboolean rounds)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-lanes-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "k.cu", NULL);
  const char *const words[] = { "entry", entry,    "grid", "1",      "block",  "32",
                                "x",     "u32[n]", "y",    "u32[n]", "rounds", "1000" };
  g_autoptr (GError) error = NULL;
  LeatNode *node;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  self->pipeline = leat_pipeline_new ();
  node = lanes_make (self, "kernel", "work", "source", path);
  for (guint i = 0; i + 1 < G_N_ELEMENTS (words) - (rounds ? 0 : 2); i += 2)
    {
      leat_node_set_from_string (node, words[i], words[i + 1], &error);
      g_assert_no_error (error);
    }
  lanes_complete (self, lanes, LEAT_EXECUTOR_AUTO, "work.x", "work.y");
  g_unlink (path);
  g_rmdir (folder);
}

void
lanes_tear_down (Lanes *self)
{
  session_fixture_check_stats (self->session);
  leat_session_close (self->session);
  g_object_unref (self->session);
  g_object_unref (self->pipeline);
  g_object_unref (self->source);
  g_object_unref (self->sink);
}

guint64
lanes_get (Lanes *self, const char *name)
{
  return session_fixture_get_number (self->session, name);
}

/* All that came is what was to come, without a hole. */
void
lanes_assert_order (Lanes *self)
{
  for (guint i = 0; i < self->sink->got->len; i++)
    g_assert_cmpuint (g_array_index (self->sink->got, guint32, i), ==, i + 1);
}
