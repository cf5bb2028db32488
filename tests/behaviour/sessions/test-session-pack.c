/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include <string.h>

/* Several small transfers are one launch.  The program pushes to n sources and pulls from n sinks. */

#define MOST 40

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *in[MOST], *out[MOST];
  guint n;
} Ports;

/* @chain: what lies between; with $ for the number */
static void
ports_open (Ports *self, guint n, const char *source, const char *chain, LeatExecutor executor)
{
  g_autoptr (GString) text = g_string_new ("leat 1\n");
  g_autoptr (GError) error = NULL;

  self->n = n;
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text,
                            "app name=in%u spec=%s -> upload name=up%u mode=kernel -> %s -> readback name=back%u "
                            "mode=kernel -> app name=out%u\n",
                            i, source, i, chain, i, i);
  self->pipeline = leat_parse_text (text->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < n; i++)
    {
      g_autofree char *in = g_strdup_printf ("in%u", i), *out = g_strdup_printf ("out%u", i);

      self->in[i] = LEAT_APP (leat_pipeline_get_node (self->pipeline, in, NULL));
      self->out[i] = LEAT_APP (leat_pipeline_get_node (self->pipeline, out, NULL));
    }
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, NULL);
  g_assert_true (leat_session_open (self->session, NULL, &error));
  g_assert_no_error (error);
}

static void
ports_close (Ports *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

/* One run: port i is given @bytes (i) of @seed + i; each byte has to come back with 1 more. */
static void
ports_run (Ports *self, const gsize *bytes, guint seed)
{
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < self->n; i++)
    {
      guint8 *data = g_malloc (bytes[i] + 1);
      g_autoptr (GBytes) input = g_bytes_new_take (data, bytes[i]);

      memset (data, (int) (seed + i), bytes[i]);
      leat_app_push_bytes (self->in[i], input, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpint (leat_session_replay (self->session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  for (guint i = 0; i < self->n; i++)
    {
      g_autoptr (GBytes) got = leat_app_pull_bytes (self->out[i], 0, &error);
      const guint8 *data;
      gsize size;

      g_assert_no_error (error);
      data = g_bytes_get_data (got, &size);
      g_assert_cmpuint (size, ==, bytes[i]);
      for (gsize k = 0; k < size; k++)
        g_assert_cmpuint (data[k], ==, (guint8) (seed + i + 1));
    }
}

static guint64
ports_get_prediction (Ports *self, const char *name)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);
  g_autoptr (GVariant) predicted = leat_plan_dup_prediction (plan);
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (predicted, name, "t", &value));
  return value;
}

static void
assert_counted (GVariant *counts, const char *name, guint64 expected)
{
  guint64 value = G_MAXUINT64;

  g_assert_true (g_variant_lookup (counts, name, "t", &value));
  g_assert_cmpuint (value, ==, expected);
}

typedef struct
{
  guint n;
  LeatExecutor executor;
  guint packs; /* launches of ours in one direction */
} PackCase;

static const PackCase cases[] = {
  { 1, LEAT_EXECUTOR_GRAPH, 1 },  { 2, LEAT_EXECUTOR_GRAPH, 1 },  { 3, LEAT_EXECUTOR_EAGER, 1 },
  { 5, LEAT_EXECUTOR_GRAPH, 1 },  { 16, LEAT_EXECUTOR_EAGER, 1 }, { 17, LEAT_EXECUTOR_GRAPH, 2 },
  { 40, LEAT_EXECUTOR_GRAPH, 3 },
};

/* What the plan says, and what the driver is told. */
static void
test_pack_counts (gconstpointer data)
{
  const PackCase *self = data;
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL;
  gsize bytes[MOST];
  Ports ports;

  for (guint i = 0; i < MOST; i++)
    bytes[i] = 100;
  ports_open (&ports, self->n, "u8[100]", "map expr=x+1", self->executor);
  g_assert_cmpuint (ports_get_prediction (&ports, "kernels"), ==, self->n + 2 * self->packs);
  g_assert_cmpuint (ports_get_prediction (&ports, "copies"), ==, 0);
  g_assert_cmpuint (ports_get_prediction (&ports, "upload-bytes"), ==, 100 * self->n);
  g_assert_cmpuint (ports_get_prediction (&ports, "readback-bytes"), ==, 100 * self->n);
  ports_run (&ports, bytes, 1);
  g_assert_true (leat_session_start_counting (ports.session, &error));
  g_assert_no_error (error);
  ports_run (&ports, bytes, 50);
  ports_run (&ports, bytes, 200);
  counts = leat_session_stop_counting (ports.session, &error);
  g_assert_no_error (error);
  assert_counted (counts, "kernels", 2 * (self->n + 2 * self->packs));
  assert_counted (counts, "copies", 0);
  g_assert_cmpuint (session_fixture_get_number (ports.session, "bytes-up"), ==, 3 * 100 * self->n);
  g_assert_cmpuint (session_fixture_get_number (ports.session, "bytes-back"), ==, 3 * 100 * self->n);
  ports_close (&ports);
}

/* Of bounded data what is live crosses, whatever the others have. */
static void
test_pack_live (void)
{
  static const gsize lengths[][4] = { { 0, 1, 15, 16 }, { 17, 4096, 0, 255 }, { 4096, 4096, 4096, 4096 }, { 0 } };
  guint64 sum = 0;
  Ports ports;

  ports_open (&ports, 4, "u8[<=4096]", "map expr=x+1", LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (ports_get_prediction (&ports, "kernels"), ==, 4 + 2);
  for (guint i = 0; i < G_N_ELEMENTS (lengths); i++)
    {
      ports_run (&ports, lengths[i], 3 * i);
      for (guint k = 0; k < 4; k++)
        sum += lengths[i][k];
    }
  g_assert_cmpuint (session_fixture_get_number (ports.session, "bytes-back"), ==, sum);
  ports_close (&ports);
}

/* A large one goes by itself, and so does one that is asked to be a copy, also from then on. */
static void
test_pack_leaves_out (void)
{
  g_autoptr (GError) error = NULL;
  gsize small[] = { 64, 64, 64 }, large[] = { 65537, 65537, 65537 };
  Ports ports;

  ports_open (&ports, 3, "u8[65537]", "map expr=x+1", LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (ports_get_prediction (&ports, "kernels"), ==, 3 + 3 + 3);
  ports_run (&ports, large, 9);
  ports_close (&ports);
  ports_open (&ports, 3, "u8[64]", "map expr=x+1", LEAT_EXECUTOR_GRAPH);
  ports_run (&ports, small, 9);
  g_object_set (leat_pipeline_get_node (ports.pipeline, "back1", NULL), "mode", LEAT_TRANSFER_COPY, NULL);
  g_object_set (leat_pipeline_get_node (ports.pipeline, "up0", NULL), "mode", LEAT_TRANSFER_COPY, NULL);
  ports_run (&ports, small, 10);
  g_assert_cmpuint (ports_get_prediction (&ports, "kernels"), ==, 3 + 2);
  g_assert_cmpuint (ports_get_prediction (&ports, "copies"), ==, 2);
  g_object_set (leat_pipeline_get_node (ports.pipeline, "back1", NULL), "mode", LEAT_TRANSFER_KERNEL, NULL);
  ports_run (&ports, small, 11);
  g_assert_cmpuint (ports_get_prediction (&ports, "kernels"), ==, 3 + 2);
  g_assert_cmpuint (ports_get_prediction (&ports, "copies"), ==, 1);
  ports_close (&ports);
}

/* Results of every stage: each is there only some time after the one before it. */
static void
test_pack_stages (gconstpointer data)
{
  static const char text[] = "leat 1\n"
                             "a = map expr=x+1\nb = map expr=x*2\nc = map expr=x+5\n"
                             "app name=in spec=u32[1000] -> upload mode=kernel -> a -> b -> c\n"
                             "a -> readback mode=kernel -> app name=out0\n"
                             "b -> readback mode=kernel -> app name=out1\n"
                             "c -> readback mode=kernel -> app name=out2\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (LeatPlan) plan = NULL;
  g_autofree char *printed = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_object_set (session, "executor", GPOINTER_TO_INT (data), NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_no_error (error);
  for (guint32 run = 0; run < 3; run++)
    {
      g_autoptr (GBytes) input = NULL;
      guint32 x[1000];

      for (guint i = 0; i < 1000; i++)
        x[i] = run * 7919 + i;
      input = g_bytes_new (x, sizeof x);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "in", NULL)), input, &error);
      g_assert_no_error (error);
      g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
      for (guint out = 0; out < 3; out++)
        {
          g_autofree char *name = g_strdup_printf ("out%u", out);
          g_autoptr (GBytes) got =
            leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), 0, &error);
          const guint32 *items;

          g_assert_no_error (error);
          items = g_bytes_get_data (got, NULL);
          for (guint i = 0; i < 1000; i++)
            g_assert_cmpuint (items[i], ==, out == 0 ? x[i] + 1 : out == 1 ? (x[i] + 1) * 2 : (x[i] + 1) * 2 + 5);
        }
    }
  plan = leat_session_dup_plan (session);
  printed = leat_plan_to_text (plan);
  g_assert_nonnull (strstr (printed, "small ones go together"));
  g_clear_object (&plan);
  leat_session_close (session);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strdup_printf ("/leat/session/pack/counts/%u-%s", cases[i].n,
                                               cases[i].executor == LEAT_EXECUTOR_GRAPH ? "graph" : "eager");

      g_test_add_data_func (name, &cases[i], test_pack_counts);
    }
  g_test_add_func ("/leat/session/pack/live", test_pack_live);
  g_test_add_func ("/leat/session/pack/leaves-out", test_pack_leaves_out);
  g_test_add_data_func ("/leat/session/pack/stages/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_pack_stages);
  g_test_add_data_func ("/leat/session/pack/stages/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_pack_stages);
  return g_test_run ();
}
