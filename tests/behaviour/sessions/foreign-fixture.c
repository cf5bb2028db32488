/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-fixture.h"
#define N FOREIGN_FIXTURE_N

void
foreign_fixture_make_node (LeatPipeline *pipeline, const char *id, const char *name, const char *property,
                           const char *value)
{
  g_autoptr (GError) error = NULL;
  LeatNode *node = leat_pipeline_make (pipeline, id, name, &error);

  g_assert_no_error (error);
  if (property != NULL)
    leat_node_set_from_string (node, property, value, &error);
  g_assert_no_error (error);
}

/* source, upload, foreign, readback, sink */
void
foreign_fixture_set_up (ForeignFixture *self)
{
  static const char *const names[] = { "source", "up", "foreign", "down", "sink" };
  LeatPipeline *pipeline = leat_pipeline_new ();
  g_autoptr (GError) error = NULL;

  self->node = foreign_node_new ("foreign");
  foreign_fixture_make_node (pipeline, "app", "source", "spec", "u8[64]");
  foreign_fixture_make_node (pipeline, "upload", "up", "mode", "copy");
  leat_pipeline_add (pipeline, LEAT_NODE (self->node), &error);
  g_assert_no_error (error);
  foreign_fixture_make_node (pipeline, "readback", "down", "mode", "copy");
  foreign_fixture_make_node (pipeline, "app", "sink", NULL, NULL);
  for (guint i = 0; i + 1 < G_N_ELEMENTS (names); i++)
    leat_pipeline_link (pipeline, names[i], names[i + 1], &error);
  g_assert_no_error (error);
  self->base.pipeline = pipeline;
  self->base.session = leat_session_new (pipeline, NULL);
  self->base.source = LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL));
  self->base.sink = LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL));
  self->device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  leat_device_push (self->device, &error);
  g_assert_no_error (error);
  planted_set_up (&self->node->planted, leat_device_get_table (self->device));
}

void
foreign_fixture_open (ForeignFixture *self, LeatExecutor executor)
{
  g_autoptr (GError) error = NULL;

  g_object_set (self->base.session, "executor", executor, NULL);
  leat_session_open (self->base.session, NULL, &error);
  g_assert_no_error (error);
}

void
foreign_fixture_clear (ForeignFixture *self)
{
  leat_device_pop (self->device);
  session_fixture_close (&self->base);
  leat_device_push (self->device, NULL);
  planted_clear (&self->node->planted, leat_device_get_table (self->device));
  leat_device_pop (self->device);
  g_object_unref (self->device);
  g_assert_cmpuint (self->node->destroyed, >, 0);
  g_object_unref (self->node);
}

void
foreign_fixture_run (ForeignFixture *self, guint8 salt)
{
  guint8 x[N];
  g_autoptr (GBytes) output = NULL;
  const guint8 *y;

  for (guint i = 0; i < N; i++)
    x[i] = (guint8) (i + salt);
  output = session_fixture_run (&self->base, x, sizeof x);
  y = g_bytes_get_data (output, NULL);
  for (guint i = 0; i < N; i++)
    g_assert_cmpuint (y[i], ==, i < 4 ? 0x5a : x[i]);
}

guint64
foreign_fixture_predict (ForeignFixture *self, const char *name)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->base.session);
  g_autoptr (GVariant) all = leat_plan_dup_prediction (plan);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (all, name, "t", &value));
  return value;
}

/* The one warning of the opening; NULL where there was none. (transfer full) */
LeatMessage *
foreign_fixture_take_warning (ForeignFixture *self)
{
  LeatMessage *message = leat_bus_pop (leat_pipeline_get_bus (self->base.pipeline), 0);

  if (message == NULL)
    return NULL;
  g_assert_cmpint (leat_message_get_kind (message), ==, LEAT_MESSAGE_WARNING);
  g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_CAPTURE);
  g_assert_cmpstr (leat_message_get_source (message), ==, "foreign");
  return message;
}
