/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "replan-fixture.h"

#include "tally-node.h"

LeatNode *
replan_fixture_get_node (SessionFixture *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatNode *node = leat_pipeline_get_node (self->pipeline, name, &error);

  g_assert_no_error (error);
  return node;
}

void
replan_fixture_set (SessionFixture *self, const char *node, const char *property, const char *text)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (replan_fixture_get_node (self, node), property, text, &error);
  g_assert_no_error (error);
}

void
replan_fixture_open_tally (SessionFixture *self, const char *spec)
{
  session_fixture_open_pipeline (self, tally_node_make_pipeline (spec), LEAT_EXECUTOR_GRAPH);
}

void
replan_fixture_run_and_check (SessionFixture *self, guint n, float a, float b)
{
  g_autofree float *x = g_new (float, n);
  g_autoptr (GBytes) output = NULL;
  const float *y;
  gsize size;

  for (guint i = 0; i < n; i++)
    x[i] = (float) (i % 1021);
  output = session_fixture_run (self, x, n * sizeof *x);
  y = g_bytes_get_data (output, &size);
  g_assert_cmpuint (size, ==, n * sizeof *x);
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, a * x[i] + b);
}

void
replan_fixture_fail_run (SessionFixture *self, GQuark domain, int code)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, domain, code);
}

char *
replan_fixture_dup_reason (SessionFixture *self)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  char *reason = NULL;

  g_variant_lookup (stats, "last-reason", "s", &reason);
  return reason;
}

LeatDriver *
replan_fixture_start_trace (SessionFixture *self)
{
  LeatDriver *driver = leat_device_get_driver (leat_session_get_device (self->session));
  g_autoptr (GError) error = NULL;

  leat_driver_trace_start (driver, FALSE, &error);
  g_assert_no_error (error);
  return driver;
}

LeatDriverTable *
replan_fixture_plant (SessionFixture *self, LeatDriverTable *real)
{
  LeatDriverTable *table = (LeatDriverTable *) leat_device_get_table (leat_session_get_device (self->session));

  *real = *table;
  return table;
}
