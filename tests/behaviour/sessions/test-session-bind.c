/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#define N     1000
#define BYTES (N * sizeof (float))

typedef struct
{
  const char *name, *upload, *readback;
  LeatExecutor executor;
  LeatMemoryKind kind;
  guint64 kernel_updates, copy_updates; /* of a run with other memory at both ends */
} BindCase;

static const BindCase bind_cases[] = {
  { "auto", "auto", "auto", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_PINNED, 1, 0 },
  { "auto-device", "auto", "auto", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_DEVICE, 1, 0 },
  { "auto-eager", "auto", "auto", LEAT_EXECUTOR_EAGER, LEAT_MEMORY_PINNED, 0, 0 },
  { "mapped", "mapped", "mapped", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_PINNED, 1, 0 },
  { "kernel", "kernel", "kernel", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_PINNED, 1, 0 },
  { "kernel-device", "kernel", "kernel", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_DEVICE, 1, 0 },
  { "kernel-eager", "kernel", "kernel", LEAT_EXECUTOR_EAGER, LEAT_MEMORY_DEVICE, 0, 0 },
  { "copy", "copy", "copy", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_PINNED, 0, 2 },
  { "copy-device", "copy", "copy", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_DEVICE, 0, 2 },
  { "copy-eager", "copy", "copy", LEAT_EXECUTOR_EAGER, LEAT_MEMORY_PINNED, 0, 0 },
  { "copy-up", "copy", "mapped", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_PINNED, 1, 1 },
  { "copy-back", "mapped", "copy", LEAT_EXECUTOR_GRAPH, LEAT_MEMORY_DEVICE, 1, 1 },
};

static LeatMemory *
new_memory (SessionFixture *fixture, LeatMemoryKind kind, guint64 bytes)
{
  g_autoptr (GError) error = NULL;
  LeatMemory *memory = leat_memory_new (leat_session_get_device (fixture->session), kind, bytes, "a test", &error);

  g_assert_no_error (error);
  return memory;
}

static void
bind_input (SessionFixture *fixture, const char *name, LeatMemory *memory, guint64 count)
{
  g_autoptr (GError) error = NULL;

  leat_session_bind_input (fixture->session, name, leat_memory_get_address (memory), leat_memory_get_bytes (memory),
                           count, &error);
  g_assert_no_error (error);
}

static void
bind_output (SessionFixture *fixture, const char *name, LeatMemory *memory)
{
  g_autoptr (GError) error = NULL;

  leat_session_bind_output (fixture->session, name, leat_memory_get_address (memory), leat_memory_get_bytes (memory),
                            &error);
  g_assert_no_error (error);
}

static void
fill (LeatMemory *memory, guint n, guint seed)
{
  g_autofree float *x = g_new (float, n + 1);

  for (guint i = 0; i < n; i++)
    x[i] = (float) ((i * 7 + seed * 31) % 513) - 100;
  g_assert_true (leat_memory_write (memory, 0, x, n * sizeof *x, NULL));
}

/* 2*x+1 */
static void
check (LeatMemory *memory, guint n, guint seed)
{
  g_autofree float *y = g_new (float, n + 1);

  g_assert_true (leat_memory_read (memory, 0, y, n * sizeof *y, NULL));
  for (guint i = 0; i < n; i++)
    g_assert_cmpfloat (y[i], ==, 2 * ((float) ((i * 7 + seed * 31) % 513) - 100) + 1);
}

static void
replay (SessionFixture *fixture)
{
  g_autoptr (GError) error = NULL;

  leat_session_replay (fixture->session, FALSE, NULL, &error);
  g_assert_no_error (error);
}

static guint64
count_calls (SessionFixture *fixture, LeatDriverEntry entry)
{
  return leat_driver_trace_get_count (leat_device_get_driver (leat_session_get_device (fixture->session)), entry);
}

#define CALLS(fixture, name) count_calls (fixture, LEAT_DRIVER_ENTRY_##name)

static void
start_trace (SessionFixture *fixture)
{
  g_assert_true (
    leat_driver_trace_start (leat_device_get_driver (leat_session_get_device (fixture->session)), FALSE, NULL));
}

static void
stop_trace (SessionFixture *fixture)
{
  leat_driver_trace_stop (leat_device_get_driver (leat_session_get_device (fixture->session)));
}

/* Other memory in every run: other results, and so many updates. */
static void
test_session_bind_takes_other_memory (gconstpointer data)
{
  const BindCase *one = data;
  SessionFixture fixture;
  LeatMemory *in[3], *out[3];
  g_autofree char *text =
    g_strdup_printf ("app name=source memory=user spec=f32[%u] -> upload mode=%s -> map expr=\"2*x+1\" -> readback "
                     "mode=%s -> app name=sink memory=user\n",
                     N, one->upload, one->readback);

  session_fixture_open (&fixture, text, one->executor);
  for (guint i = 0; i < 3; i++)
    {
      in[i] = new_memory (&fixture, one->kind, BYTES);
      out[i] = new_memory (&fixture, one->kind, BYTES);
    }
  for (guint run = 0; run < 7; run++)
    {
      fill (in[run % 3], N, run);
      bind_input (&fixture, "source", in[run % 3], N);
      bind_output (&fixture, "sink", out[run % 3]);
      if (run == 4)
        start_trace (&fixture);
      replay (&fixture);
      if (run == 4)
        stop_trace (&fixture);
      check (out[run % 3], N, run);
    }
  g_assert_cmpuint (CALLS (&fixture, cuGraphExecKernelNodeSetParams), ==, one->kernel_updates);
  g_assert_cmpuint (CALLS (&fixture, cuGraphExecMemcpyNodeSetParams), ==, one->copy_updates);
  g_assert_cmpuint (CALLS (&fixture, cuGraphInstantiateWithFlags), ==, 0);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bindings"), ==, 14);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), <=, 1);
  for (guint i = 0; i < 3; i++)
    {
      leat_memory_free (in[i]);
      leat_memory_free (out[i]);
    }
  session_fixture_close (&fixture);
}

#define MANY 16

static char *
write_many (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < MANY; i++)
    {
      g_string_append_printf (text, "app name=in%u memory=user spec=f32[256] -> upload name=up%u", i, i);
      for (guint j = 0; j < MANY; j++)
        g_string_append_printf (text, " -> map name=m%u_%u expr=\"x+k\" k=%u", i, j, j);
      g_string_append_printf (text, " -> readback name=rb%u -> app name=out%u memory=user\n", i, i);
    }
  return g_string_free (text, FALSE);
}

/* A graph of 256 nodes and 32 ports: one update, whatever has changed, and none where nothing has. */
static void
test_session_bind_is_one_update (void)
{
  SessionFixture fixture;
  LeatMemory *in[2], *out;
  g_autofree char *text = write_many ();
  g_autofree float *y = g_new (float, 256 * MANY);

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, 1024 * MANY);
  for (guint i = 0; i < 2; i++)
    {
      in[i] = new_memory (&fixture, LEAT_MEMORY_PINNED, 1024 * MANY);
      fill (in[i], 256 * MANY, i);
    }
  for (guint run = 0; run < 4; run++)
    {
      start_trace (&fixture);
      for (guint i = 0; i < MANY && run < 3; i++)
        {
          g_autofree char *from = g_strdup_printf ("in%u", i), *to = g_strdup_printf ("out%u", i);

          g_assert_true (leat_session_bind_input (
            fixture.session, from, leat_memory_get_address (in[run % 2]) + (i + run) % MANY * 1024, 1024, 256, NULL));
          g_assert_true (leat_session_bind_output (
            fixture.session, to, leat_memory_get_address (out) + (i + run) % MANY * 1024, 1024, NULL));
        }
      g_assert_cmpuint (CALLS (&fixture, cuPointerGetAttribute), ==, run == 0 ? 8 : run == 1 ? 4 : 0);
      replay (&fixture);
      stop_trace (&fixture);
      g_assert_cmpuint (CALLS (&fixture, cuGraphExecKernelNodeSetParams), ==, run < 3 ? 1 : 0);
      g_assert_cmpuint (CALLS (&fixture, cuGraphInstantiateWithFlags), ==, 0);
      g_assert_cmpuint (CALLS (&fixture, cuGraphLaunch), ==, 1);
    }
  g_assert_true (leat_memory_read (out, 0, y, 1024 * MANY, NULL));
  for (guint i = 0; i < 256 * MANY; i++)
    g_assert_cmpfloat (y[i], ==, (float) (i * 7 % 513) - 100 + 120);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, 1);
  leat_memory_free (in[0]);
  leat_memory_free (in[1]);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

/* With one call, and none behind the one that is refused. */
static void
test_session_bind_takes_several (void)
{
  g_autoptr (GError) error = NULL;
  SessionFixture fixture;
  LeatMemory *in[2];
  LeatPortMemory memories[2];
  LeatView sum, count;

  session_fixture_open (
    &fixture,
    "app name=a memory=user spec=f32[64] -> upload -> map expr=\"2*x\" -> readback -> app name=x\n"
    "app name=b memory=user spec=f32[<=32] -> upload -> map expr=\"3*x\" -> readback -> app name=y\n",
    LEAT_EXECUTOR_GRAPH);
  leat_session_map_output (fixture.session, "x", &sum, NULL);
  leat_session_map_output (fixture.session, "y", &count, NULL);
  for (guint i = 0; i < 2; i++)
    {
      in[i] = new_memory (&fixture, LEAT_MEMORY_PINNED, 256);
      fill (in[i], 64, i);
      memories[i] = (LeatPortMemory){ i == 0 ? "a" : "b", leat_memory_get_address (in[i]), 256, i == 0 ? 64 : 5 };
    }
  for (guint run = 0; run < 3; run++)
    {
      memories[0].address = leat_memory_get_address (in[run % 2]);
      memories[1].address = leat_memory_get_address (in[(run + 1) % 2]);
      memories[1].count = 5 + run;
      g_assert_true (leat_session_bind_inputs (fixture.session, memories, 2, &error));
      g_assert_no_error (error);
      replay (&fixture);
      leat_session_map_output (fixture.session, "x", &sum, NULL);
      leat_session_map_output (fixture.session, "y", &count, NULL);
      g_assert_cmpuint (count.count, ==, 5 + run);
      for (guint i = 0; i < 64; i++)
        g_assert_cmpfloat (((float *) sum.data)[i], ==, 2 * ((float *) leat_memory_get_host (in[run % 2]))[i]);
      for (guint i = 0; i < 5 + run; i++)
        g_assert_cmpfloat (((float *) count.data)[i], ==, 3 * ((float *) leat_memory_get_host (in[(run + 1) % 2]))[i]);
    }
  memories[0].name = "c";
  g_assert_false (leat_session_bind_inputs (fixture.session, memories, 2, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NAME);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "bindings"), ==, 6);
  leat_memory_free (in[0]);
  leat_memory_free (in[1]);
  session_fixture_close (&fixture);
}

static void
test_session_bind_takes_counts (gconstpointer data)
{
  const BindCase *one = data;
  static const guint counts[] = { 1000, 17, 0, 999, 1 };
  SessionFixture fixture;
  LeatMemory *in, *out;
  g_autofree char *text =
    g_strdup_printf ("app name=source memory=user spec=f32[<=%u] -> upload mode=%s -> map expr=\"2*x+1\" -> readback "
                     "mode=%s -> app name=sink memory=user\n",
                     N, one->upload, one->readback);

  session_fixture_open (&fixture, text, one->executor);
  in = new_memory (&fixture, one->kind, BYTES);
  out = new_memory (&fixture, one->kind, BYTES);
  bind_output (&fixture, "sink", out);
  for (guint run = 0; run < G_N_ELEMENTS (counts); run++)
    {
      LeatView view;

      fill (in, counts[run], run);
      /* No more of it than is live. */
      g_assert_true (leat_session_bind_input (fixture.session, "source", leat_memory_get_address (in),
                                              counts[run] * sizeof (float), counts[run], NULL));
      replay (&fixture);
      g_assert_true (leat_session_map_output (fixture.session, "sink", &view, NULL));
      g_assert_cmpuint (view.count, ==, counts[run]);
      g_assert_true ((guintptr) view.data == leat_memory_get_address (out));
      check (out, counts[run], run);
    }
  leat_memory_free (in);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

/* Nothing is bound anew: what was uploaded is there. */
static void
test_session_bind_keeps_what_is_on_the_device (gconstpointer mode)
{
  SessionFixture fixture;
  LeatMemory *in[2], *out;
  g_autofree char *text = g_strdup_printf ("app name=source memory=user spec=f32[%u] -> upload mode=%s -> map "
                                           "expr=\"2*x+1\" -> readback -> app name=sink memory=user\n",
                                           N, (const char *) mode);

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  in[0] = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  in[1] = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  bind_output (&fixture, "sink", out);
  for (guint i = 0; i < 2; i++)
    {
      fill (in[i], N, i);
      bind_input (&fixture, "source", in[i], N);
      replay (&fixture);
      fill (in[i], N, 7);
      replay (&fixture);
      check (out, N, i);
      bind_input (&fixture, "source", in[i], N);
      replay (&fixture);
      check (out, N, 7);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-full"), ==, 4);
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-reused"), ==, 2);
  leat_memory_free (in[0]);
  leat_memory_free (in[1]);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

/* A copy's node is of one kind of memory; the graph is made again for the other. */
static void
test_session_bind_takes_another_kind (gconstpointer mode)
{
  SessionFixture fixture;
  LeatMemory *in[2], *out[2];
  g_autofree char *text =
    g_strdup_printf ("app name=source memory=user spec=f32[%u] -> upload mode=%s -> map expr=\"2*x+1\" -> readback "
                     "mode=%s -> app name=sink memory=user\n",
                     N, (const char *) mode, (const char *) mode);

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 2; i++)
    {
      in[i] = new_memory (&fixture, i == 0 ? LEAT_MEMORY_PINNED : LEAT_MEMORY_DEVICE, BYTES);
      out[i] = new_memory (&fixture, i == 1 ? LEAT_MEMORY_PINNED : LEAT_MEMORY_DEVICE, BYTES);
    }
  for (guint run = 0; run < 4; run++)
    {
      fill (in[run % 2], N, run);
      bind_input (&fixture, "source", in[run % 2], N);
      bind_output (&fixture, "sink", out[run % 2]);
      replay (&fixture);
      check (out[run % 2], N, run);
    }
  for (guint i = 0; i < 2; i++)
    {
      leat_memory_free (in[i]);
      leat_memory_free (out[i]);
    }
  session_fixture_close (&fixture);
}

/* The graph of a shape that comes back has copies of host memory, and nothing is bound there any more. */
static void
test_session_bind_takes_another_kind_for_a_former_shape (void)
{
  SessionFixture fixture;
  LeatMemory *in[2], *out;
  g_autoptr (GError) error = NULL;

  session_fixture_open (&fixture,
                        "app name=source memory=user spec=f32[1000] -> upload mode=copy -> map expr=\"2*x+1\" -> "
                        "readback mode=copy -> app name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  in[0] = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  in[1] = new_memory (&fixture, LEAT_MEMORY_DEVICE, BYTES);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  for (guint run = 0; run < 3; run++)
    {
      guint n = run == 1 ? N / 2 : N;

      if (run > 0)
        {
          g_assert_true (
            leat_node_set_from_string (LEAT_NODE (fixture.source), "spec", run == 1 ? "f32[500]" : "f32[1000]", NULL));
          g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
          g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNBOUND);
          g_clear_error (&error);
        }
      fill (in[run == 2], n, run);
      bind_input (&fixture, "source", in[run == 2], n);
      bind_output (&fixture, "sink", out);
      start_trace (&fixture);
      replay (&fixture);
      stop_trace (&fixture);
      check (out, n, run);
    }
  g_assert_cmpuint (CALLS (&fixture, cuGraphInstantiateWithFlags), ==, 1);
  leat_memory_free (in[0]);
  leat_memory_free (in[1]);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

/* A node that could write over its input does not write over the program's. */
static void
test_session_bind_leaves_the_input_alone (void)
{
  SessionFixture fixture;
  LeatMemory *in, *out;
  g_autofree float *x = g_new (float, N), *before = g_new (float, N);

  session_fixture_open (&fixture,
                        "app name=source memory=user spec=f32[1000] -> upload -> map expr=\"2*x+1\" -> "
                        "readback -> app name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  in = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  fill (in, N, 3);
  g_assert_true (leat_memory_read (in, 0, before, BYTES, NULL));
  bind_input (&fixture, "source", in, N);
  bind_output (&fixture, "sink", out);
  replay (&fixture);
  check (out, N, 3);
  g_assert_true (leat_memory_read (in, 0, x, BYTES, NULL));
  g_assert_cmpmem (x, BYTES, before, BYTES);
  leat_memory_free (in);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

static void
test_session_bind_outlives_other_plans (void)
{
  SessionFixture fixture;
  LeatMemory *in, *out;
  g_autoptr (GError) error = NULL;
  LeatNode *map;

  session_fixture_open (&fixture,
                        "app name=source memory=user spec=f32[1000] -> upload -> map name=m expr=\"x\" -> readback -> "
                        "app name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  in = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  fill (in, N, 1);
  bind_input (&fixture, "source", in, N);
  bind_output (&fixture, "sink", out);
  replay (&fixture);
  map = leat_pipeline_get_node (fixture.pipeline, "m", NULL);
  g_assert_true (leat_node_set_from_string (map, "expr", "2*x+1", NULL));
  replay (&fixture);
  check (out, N, 1);
  /* Of another shape it may be too small. */
  g_assert_true (leat_node_set_from_string (LEAT_NODE (fixture.source), "spec", "f32[500]", NULL));
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_UNBOUND);
  fill (in, 500, 2);
  bind_input (&fixture, "source", in, 500);
  bind_output (&fixture, "sink", out);
  replay (&fixture);
  check (out, 500, 2);
  leat_memory_free (in);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

/* The runs that are measured, and the search for the best ways of the other ports, have the same memory. */
static void
test_session_bind_in_other_runs (gconstpointer timing)
{
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GError) error = NULL;
  SessionFixture fixture = { 0 };
  LeatMemory *in[2], *out;

  pipeline = leat_parse_text ("leat 1\napp name=source memory=user spec=f32[1000] -> upload -> map name=m "
                              "expr=\"2*x+1\" -> readback -> app name=sink memory=user\n"
                              "m. -> readback -> app name=other\n",
                              LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  if (GPOINTER_TO_INT (timing))
    g_object_set (session, "timing", LEAT_TIMING_NODES, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  fixture.session = session;
  in[0] = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  in[1] = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  bind_output (&fixture, "sink", out);
  for (guint run = 0; run < 70; run++)
    {
      g_autoptr (GBytes) bytes = NULL;

      fill (in[run % 2], N, run);
      bind_input (&fixture, "source", in[run % 2], N);
      replay (&fixture);
      check (out, N, run);
      bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "other", NULL)), 0, &error);
      g_assert_no_error (error);
      g_assert_cmpfloat (((const float *) g_bytes_get_data (bytes, NULL))[3], ==,
                         2 * ((21 + run * 31) % 513 - 100.f) + 1);
    }
  leat_memory_free (in[0]);
  leat_memory_free (in[1]);
  leat_memory_free (out);
  leat_session_close (session);
}

static void
assert_refused (gboolean good, GError *error, GQuark domain, int code, const char *words)
{
  g_assert_false (good);
  g_assert_error (error, domain, code);
  g_test_message ("%s", error->message);
  g_assert_nonnull (strstr (error->message, words));
  g_error_free (error);
}

#define REFUSED(call, domain, code, words)                                                                             \
  {                                                                                                                    \
    GError *error = NULL;                                                                                              \
    gboolean good = call;                                                                                              \
    assert_refused (good, error, domain, code, words);                                                                 \
  }

/* Also where the address is the same. */
static void
test_session_bind_refuses_more_of_the_same_memory (void)
{
  SessionFixture fixture;
  LeatMemory *memory;
  guint64 address;

  session_fixture_open (&fixture,
                        "app name=source memory=user spec=f32[1024] -> upload -> map expr=\"2*x+1\" -> readback -> app "
                        "name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  memory = new_memory (&fixture, LEAT_MEMORY_PINNED, 8192);
  address = leat_memory_get_address (memory);
  g_assert_true (leat_session_bind_input (fixture.session, "source", address + 4096, 4096, 1024, NULL));
  g_assert_true (leat_session_bind_output (fixture.session, "sink", address, 4096, NULL));
  replay (&fixture);
  g_assert_true (leat_session_bind_output (fixture.session, "sink", address, 8192, NULL));
  REFUSED (leat_session_replay (fixture.session, FALSE, NULL, &error) == LEAT_FLOW_DATA, LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "overlaps");
  g_assert_true (leat_session_bind_output (fixture.session, "sink", address, 4096, NULL));
  replay (&fixture);
  leat_memory_free (memory);
  session_fixture_close (&fixture);
}

/* Each has its code, and leaves what was bound before. */
static void
test_session_bind_refuses (void)
{
  SessionFixture fixture;
  LeatSession *session;
  LeatMemory *in, *out;
  guint64 address;
  g_autofree float *pageable = g_new (float, N + 4);
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abcd", 4);
  LeatView view;

  session_fixture_open (&fixture,
                        "app name=source memory=user spec=f32[<=1000] -> upload -> map expr=\"2*x+1\" -> readback -> "
                        "app name=sink memory=user\n"
                        "app name=plain spec=u8[4] -> upload -> readback -> app name=taken\n",
                        LEAT_EXECUTOR_GRAPH);
  session = fixture.session;
  in = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  out = new_memory (&fixture, LEAT_MEMORY_PINNED, BYTES);
  address = leat_memory_get_address (in);
  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (fixture.pipeline, "plain", NULL)), bytes, NULL);
  fill (in, N, 1);
  bind_output (&fixture, "sink", out);
  REFUSED (leat_session_replay (session, FALSE, NULL, &error) == LEAT_FLOW_DATA, LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_UNBOUND, "app \"source\"");
  bind_input (&fixture, "source", in, N);
  REFUSED (leat_session_bind_input (session, "source", ((guintptr) pageable + 15) / 16 * 16, 64, 16, &error),
           LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY, "pageable");
  REFUSED (leat_session_bind_input (session, "source", address + 4, 64, 16, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "multiple of 16");
  REFUSED (leat_session_bind_input (session, "source", 0, BYTES, N, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "address 0");
  REFUSED (leat_session_bind_input (session, "source", address, 64, 17, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "takes 68");
  REFUSED (leat_session_bind_input (session, "source", address, 1 << 30, N, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "ends after");
  REFUSED (leat_session_bind_input (session, "source", address, BYTES, N + 1, &error), LEAT_GRAPH_ERROR,
           LEAT_GRAPH_ERROR_RANGE, "cannot be 1001");
  REFUSED (leat_session_bind_output (session, "sink", address, BYTES - 1, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "takes 4000");
  REFUSED (leat_session_bind_input (session, "sink", address, BYTES, N, &error), LEAT_GRAPH_ERROR,
           LEAT_GRAPH_ERROR_DIRECTION, "source");
  REFUSED (leat_session_bind_output (session, "source", address, BYTES, &error), LEAT_GRAPH_ERROR,
           LEAT_GRAPH_ERROR_DIRECTION, "sink");
  REFUSED (leat_session_bind_input (session, "sorce", address, BYTES, N, &error), LEAT_GRAPH_ERROR,
           LEAT_GRAPH_ERROR_UNKNOWN_NAME, "sorce");
  REFUSED (leat_session_bind_input (session, "plain", address, 4, 4, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "memory=user");
  REFUSED (leat_session_map_input (session, "source", &view, &error), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY,
           "leat_session_bind_input");
  REFUSED (leat_app_push_bytes (fixture.source, bytes, &error), LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION,
           "leat_session_bind_input");
  REFUSED (leat_app_pull_bytes (fixture.sink, 0, &error) != NULL, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION,
           "leat_session_bind_output");
  bind_output (&fixture, "sink", in);
  REFUSED (leat_session_replay (session, FALSE, NULL, &error) == LEAT_FLOW_DATA, LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_MEMORY, "overlaps");
  bind_output (&fixture, "sink", out);
  replay (&fixture);
  check (out, N, 1);
  leat_session_close (session);
  REFUSED (leat_session_bind_input (session, "source", address, BYTES, N, &error), LEAT_SESSION_ERROR,
           LEAT_SESSION_ERROR_STATE, "not open");
  leat_memory_free (in);
  leat_memory_free (out);
  session_fixture_close (&fixture);
}

typedef struct
{
  const char *name, *text, *words;
} RefusedPlan;

static const RefusedPlan refused_plans[] = {
  { "no-upload", "app name=a memory=user spec=f32[8] -> app name=b\n", "upload" },
  { "two-readers", "app name=a memory=user spec=f32[8] -> upload -> readback -> app name=b\na. -> app name=c\n",
    "on the host too" },
  { "two-takers", "app name=a spec=f32[8] -> upload -> readback name=r -> app name=b memory=user\nr. -> app name=c\n",
    "readback of its own" },
};

static void
test_session_bind_refuses_plans (gconstpointer data)
{
  const RefusedPlan *one = data;
  g_autoptr (GError) error = session_fixture_fail (one->text, NULL);

  g_test_message ("%s", error->message);
  g_assert_error (error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_FAILED);
  g_assert_nonnull (strstr (error->message, one->words));
}

static void
test_session_bind_refuses_a_memo (void)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (
    "leat 1\napp memory=user spec=f32[8] -> upload -> readback -> app\n", LEAT_TEXT_STYLE_FILE, NULL, NULL);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GError) error = NULL;

  g_object_set (session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (bind_cases); i++)
    {
      g_autofree char *fixed = g_strconcat ("/session/bind/takes-other-memory/", bind_cases[i].name, NULL);
      g_autofree char *bounded = g_strconcat ("/session/bind/takes-counts/", bind_cases[i].name, NULL);

      g_test_add_data_func (fixed, &bind_cases[i], test_session_bind_takes_other_memory);
      g_test_add_data_func (bounded, &bind_cases[i], test_session_bind_takes_counts);
    }
  g_test_add_func ("/session/bind/is-one-update", test_session_bind_is_one_update);
  g_test_add_func ("/session/bind/takes-several", test_session_bind_takes_several);
  g_test_add_data_func ("/session/bind/keeps-what-is-on-the-device/copy", "copy",
                        test_session_bind_keeps_what_is_on_the_device);
  g_test_add_data_func ("/session/bind/keeps-what-is-on-the-device/kernel", "kernel",
                        test_session_bind_keeps_what_is_on_the_device);
  g_test_add_data_func ("/session/bind/takes-another-kind/copy", "copy", test_session_bind_takes_another_kind);
  g_test_add_data_func ("/session/bind/takes-another-kind/auto", "auto", test_session_bind_takes_another_kind);
  g_test_add_func ("/session/bind/takes-another-kind/for-a-former-shape",
                   test_session_bind_takes_another_kind_for_a_former_shape);
  g_test_add_func ("/session/bind/leaves-the-input-alone", test_session_bind_leaves_the_input_alone);
  g_test_add_func ("/session/bind/outlives-other-plans", test_session_bind_outlives_other_plans);
  g_test_add_data_func ("/session/bind/in-other-runs/plain", GINT_TO_POINTER (FALSE), test_session_bind_in_other_runs);
  g_test_add_data_func ("/session/bind/in-other-runs/timed", GINT_TO_POINTER (TRUE), test_session_bind_in_other_runs);
  g_test_add_func ("/session/bind/refuses", test_session_bind_refuses);
  g_test_add_func ("/session/bind/refuses-more-of-the-same-memory", test_session_bind_refuses_more_of_the_same_memory);
  for (guint i = 0; i < G_N_ELEMENTS (refused_plans); i++)
    {
      g_autofree char *path = g_strconcat ("/session/bind/refuses-plans/", refused_plans[i].name, NULL);

      g_test_add_data_func (path, &refused_plans[i], test_session_bind_refuses_plans);
    }
  g_test_add_func ("/session/bind/refuses-a-memo", test_session_bind_refuses_a_memo);
  return g_test_run ();
}
