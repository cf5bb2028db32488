/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "primitive-fixture.h"

LeatPipeline *
primitive_fixture_parse (const char *node, const char *inputs, const char *outputs, GError **error)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_auto (GStrv) ins = g_strsplit (inputs, " ", -1), outs = g_strsplit (outputs, " ", -1);

  g_string_append_printf (text, "n = %s\n", node);
  for (guint i = 0; ins[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (ins[i], "=", 2);

      g_string_append_printf (text, "in%u = app spec=%s\nin%u -> upload -> n.%s\n", i, parts[1], i, parts[0]);
    }
  for (guint i = 0; outs[i] != NULL; i++)
    g_string_append_printf (text, "n.%s -> readback -> app name=out%u\n", outs[i], i);
  return leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, error);
}

GError *
primitive_fixture_fail (const char *node, const char *inputs, const char *outputs)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = primitive_fixture_parse (node, inputs, outputs, &error);
  g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

  g_assert_null (plan);
  g_assert_nonnull (error);
  return error;
}

void
primitive_fixture_open (PrimitiveFixture *self, const char *node, const char *inputs, const char *outputs)
{
  GError *error = NULL;
  g_auto (GStrv) ins = g_strsplit (inputs, " ", -1), outs = g_strsplit (outputs, " ", -1);

  self->n_inputs = g_strv_length (ins);
  self->n_outputs = g_strv_length (outs);
  self->pipeline = primitive_fixture_parse (node, inputs, outputs, &error);
  g_assert_no_error (error);
  self->session = leat_session_new (self->pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static LeatApp *
primitive_fixture_get_app (PrimitiveFixture *self, const char *kind, guint number)
{
  g_autofree char *name = g_strdup_printf ("%s%u", kind, number);

  return LEAT_APP (leat_pipeline_get_node (self->pipeline, name, NULL));
}

void
primitive_fixture_push (PrimitiveFixture *self, guint input, gconstpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static (data, size);
  GError *error = NULL;

  leat_app_push_bytes (primitive_fixture_get_app (self, "in", input), bytes, &error);
  g_assert_no_error (error);
}

void
primitive_fixture_replay (PrimitiveFixture *self)
{
  GError *error = NULL;
  LeatFlow flow = leat_session_replay (self->session, TRUE, NULL, &error);

  g_assert_no_error (error);
  g_assert_cmpint (flow, ==, LEAT_FLOW_DATA);
}

GBytes *
primitive_fixture_pull (PrimitiveFixture *self, guint output)
{
  GError *error = NULL;
  GBytes *bytes = leat_app_pull_bytes (primitive_fixture_get_app (self, "out", output), -1, &error);

  g_assert_no_error (error);
  g_assert_nonnull (bytes);
  return bytes;
}

GBytes *
primitive_fixture_run (PrimitiveFixture *self, gconstpointer data, gsize size)
{
  primitive_fixture_push (self, 0, data, size);
  primitive_fixture_replay (self);
  return primitive_fixture_pull (self, 0);
}

void
primitive_fixture_close (PrimitiveFixture *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

guint64
primitive_random (guint64 *seed)
{
  guint64 x = (*seed += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15));

  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}
