/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "compact-fixture.h"

#include <string.h>

LeatPipeline *
compact_fixture_parse (const char *node, const char *const *inputs, const char *const *outputs, GError **error)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");

  g_string_append_printf (text, "c = %s\n", node);
  for (guint i = 0; inputs[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (inputs[i], "=", 2);

      g_string_append_printf (text, "%s = app spec=%s\n%s -> upload -> c.%s\n", parts[0], parts[1], parts[0], parts[0]);
    }
  for (guint i = 0; outputs[i] != NULL; i++)
    g_string_append_printf (text, "c.%s -> readback -> app name=%s\n", outputs[i], outputs[i]);
  return leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, error);
}

void
compact_fixture_open (CompactFixture *self, const char *node, const char *const *inputs, const char *const *outputs)
{
  GError *error = NULL;

  self->pipeline = compact_fixture_parse (node, inputs, outputs, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static LeatApp *
compact_fixture_get (CompactFixture *self, const char *name)
{
  return LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL));
}

void
compact_fixture_push (CompactFixture *self, const char *input, gconstpointer data, gsize bytes)
{
  GError *error = NULL;
  g_autoptr (GBytes) copy = g_bytes_new (data, bytes);

  leat_app_push_bytes (compact_fixture_get (self, input), copy, &error);
  g_assert_no_error (error);
}

static void
compact_fixture_end (LeatPipeline *pipeline)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  for (guint i = 0; i < nodes->len; i++)
    if (LEAT_IS_APP (g_ptr_array_index (nodes, i)))
      leat_app_end (g_ptr_array_index (nodes, i));
}

void
compact_fixture_run (CompactFixture *self)
{
  GError *error = NULL;

  compact_fixture_end (self->pipeline);
  leat_session_run (self->session, NULL, &error);
  g_assert_no_error (error);
}

GBytes *
compact_fixture_pull (CompactFixture *self, const char *output)
{
  GError *error = NULL;
  GBytes *bytes = leat_app_pull_bytes (compact_fixture_get (self, output), 0, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  return bytes;
}

void
compact_fixture_assert (CompactFixture *self, const char *output, gconstpointer wanted, gsize bytes)
{
  g_autoptr (GBytes) found = compact_fixture_pull (self, output);
  const guint8 *data = g_bytes_get_data (found, NULL);

  g_assert_cmpuint (g_bytes_get_size (found), ==, bytes);
  if (bytes == 0 || memcmp (data, wanted, bytes) == 0)
    return;
  for (gsize i = 0; i < bytes; i++)
    if (data[i] != ((const guint8 *) wanted)[i])
      g_error ("%s: byte %zu of %zu is %u, not %u", output, i, bytes, data[i], ((const guint8 *) wanted)[i]);
}

void
compact_fixture_close (CompactFixture *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static guint32
compact_pattern_mix (guint32 h)
{
  h = (h ^ h >> 16) * 0x85ebca6bu;
  h = (h ^ h >> 13) * 0xc2b2ae35u;
  return h ^ h >> 16;
}

/* In so many of a hundred. */
static gboolean
compact_pattern_hits (guint pattern, gsize i, guint32 percent)
{
  return compact_pattern_mix ((guint32) (pattern * 0x9e3779b9u + i)) % 100 < percent;
}

static gboolean
compact_pattern_keeps (guint pattern, gsize i, gsize n)
{
  switch (pattern)
    {
    case 0:
      return FALSE;
    case 1:
      return TRUE;
    case 2:
      return compact_pattern_hits (pattern, i, 1);
    case 3:
      return compact_pattern_hits (pattern, i, 50);
    case 4:
      return compact_pattern_hits (pattern, i, 99);
    case 5:
      return i % 2 == 1;
    case 6: /* of each 64 in turn: all, none, one */
      return i / 64 % 3 == 0 || (i / 64 % 3 == 2 && i % 64 == 63);
    case 7: /* tiles full and empty */
      return i / 2048 % 2 == 0;
    default:
      return i == 0 || i == n - 1;
    }
}

void
compact_pattern_fill (guint pattern, guint32 *x, gsize n)
{
  for (gsize i = 0; i < n; i++)
    x[i] = compact_pattern_mix ((guint32) i) % 500 + (compact_pattern_keeps (pattern, i, n) ? 0 : 500);
}
