/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include "device/leat-device-private.h"

static LeatPipeline *
session_fixture_parse (const char *text)
{
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  return pipeline;
}

void
session_fixture_open (SessionFixture *self, const char *text, LeatExecutor executor)
{
  session_fixture_open_pipeline (self, session_fixture_parse (text), executor);
}

void
session_fixture_open_pipeline (SessionFixture *self, LeatPipeline *pipeline, LeatExecutor executor)
{
  g_autoptr (GError) error = NULL;

  self->pipeline = pipeline;
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
}

static void
on_gone (gpointer gone, GObject *object)
{
  g_atomic_int_set ((int *) gone, TRUE);
}

/* A GTask's thread lets its object go a little after the callback that told of the end. */
static void
session_fixture_drop (gpointer object)
{
  int gone = FALSE;

  g_object_weak_ref (object, on_gone, &gone);
  g_object_unref (object);
  for (guint i = 0; i < 10000 && !g_atomic_int_get (&gone); i++)
    g_usleep (1000);
  g_assert_true (g_atomic_int_get (&gone));
}

/* However often something was counted or timed, it was neither taken back nor counted from another beginning. */
void
session_fixture_check_stats (LeatSession *session)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  GVariantIter iter;
  const char *name;
  GVariant *value;

  g_variant_iter_init (&iter, stats);
  while (g_variant_iter_loop (&iter, "{&sv}", &name, &value))
    {
      gint64 number = g_variant_is_of_type (value, G_VARIANT_TYPE_INT64)    ? g_variant_get_int64 (value)
                      : g_variant_is_of_type (value, G_VARIANT_TYPE_UINT64) ? (gint64) g_variant_get_uint64 (value)
                                                                            : 0;

      if (number < 0 || (g_str_has_suffix (name, "-us") && number > G_TIME_SPAN_HOUR))
        g_error ("%s is %" G_GINT64_FORMAT, name, number);
    }
}

/* Whatever it made current it has taken back. */
static void
session_fixture_check_context (LeatSession *session)
{
  LeatDevice *device = leat_session_is_open (session) ? leat_session_get_device (session) : NULL;
  CUcontext context = NULL;

  if (device == NULL || leat_device_get_table (device)->cuCtxGetCurrent (&context) != CUDA_SUCCESS)
    return;
  g_assert_null (context);
}

void
session_fixture_close (SessionFixture *self)
{
  session_fixture_check_context (self->session);
  session_fixture_check_stats (self->session);
  leat_session_close (self->session);
  session_fixture_drop (self->session);
  session_fixture_drop (self->pipeline);
}

GBytes *
session_fixture_run (SessionFixture *self, gconstpointer data, gsize bytes)
{
  g_autoptr (GBytes) input = g_bytes_new (data, bytes);
  g_autoptr (GError) error = NULL;
  LeatFlow flow;
  GBytes *output;

  leat_app_push_bytes (self->source, input, &error);
  g_assert_no_error (error);
  flow = leat_session_replay (self->session, FALSE, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (flow, ==, LEAT_FLOW_DATA);
  output = leat_app_pull_bytes (self->sink, 0, &error);
  g_assert_no_error (error);
  g_assert_nonnull (output);
  return output;
}

GBytes *
session_fixture_try (SessionFixture *self, gconstpointer data, gsize bytes, GError **error)
{
  g_autoptr (GBytes) input = g_bytes_new (data, bytes);
  g_autoptr (GError) unexpected = NULL;
  LeatFlow flow;
  GBytes *output;

  leat_app_push_bytes (self->source, input, &unexpected);
  g_assert_no_error (unexpected);
  flow = leat_session_replay (self->session, FALSE, NULL, error);
  output = leat_app_pull_bytes (self->sink, 0, &unexpected);
  if (flow == LEAT_FLOW_ERROR)
    g_assert_error (unexpected, G_IO_ERROR, G_IO_ERROR_TIMED_OUT);
  else
    g_assert_no_error (unexpected);
  return output;
}

guint64
session_fixture_get_number (LeatSession *session, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  guint64 count = G_MAXUINT64;
  gint64 us;

  if (g_variant_lookup (stats, name, "x", &us))
    return (guint64) us;
  g_assert_true (g_variant_lookup (stats, name, "t", &count));
  return count;
}

guint64
session_fixture_get_count (SessionFixture *self, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (stats, name, "t", &value));
  return value;
}

GError *
session_fixture_fail (const char *text, const char *device)
{
  g_autoptr (LeatPipeline) pipeline = session_fixture_parse (text);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, device);
  GError *error = NULL;

  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_nonnull (error);
  g_assert_false (leat_session_is_open (session));
  return error;
}
