/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

/* A loop between memory that the program brings, and after it more that is to wait for the loop. */

#define N     1000
#define BYTES (N * sizeof (float))

typedef struct
{
  const char *name, *loop;
  LeatExecutor executor;
  LeatFuseMode fuse;
} Row;

static const Row rows[] = {
  { "while", "until=\"most < limit\" limit=1 method=while", LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_OFF },
  { "while-eager", "until=\"most < limit\" limit=1 method=while", LEAT_EXECUTOR_EAGER, LEAT_FUSE_MODE_OFF },
  { "host", "until=\"most < limit\" limit=1 method=host", LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_OFF },
  { "auto", "until=\"most < limit\" limit=1", LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_OFF },
  { "auto-fused", "until=\"most < limit\" limit=1", LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_AUTO },
  { "fused", "until=\"most < limit\" limit=1 method=fused", LEAT_EXECUTOR_GRAPH, LEAT_FUSE_MODE_OFF },
};

static void
loop_bind_open (SessionFixture *self, const Row *row)
{
  g_autofree char *text = g_strdup_printf ("leat 1\nl = loop max-iterations=50 carry=x:half %s {\n"
                                           "  h = map expr=x/2\n  in.x -> h -> out.half\n"
                                           "  h -> reduce op=max -> out.most\n}\n"
                                           "app name=source memory=user spec=f32[1000] -> upload -> l.x\n"
                                           "l.half -> map expr=x*3 -> map expr=x+1 -> readback "
                                           "-> app name=sink memory=user\n",
                                           row->loop);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  leat_pipeline_set_fuse (pipeline, row->fuse);
  session_fixture_open_pipeline (self, pipeline, row->executor);
}

/* What the pipeline does, in plain C. */
static void
halve (float *x)
{
  float most = 1;

  for (guint n = 0; n < 50 && most >= 1; n++)
    {
      most = 0;
      for (guint i = 0; i < N; i++)
        {
          x[i] /= 2;
          most = MAX (most, x[i]);
        }
    }
  for (guint i = 0; i < N; i++)
    x[i] = x[i] * 3 + 1;
}

static void
loop_bind_run (SessionFixture *self, LeatMemory *in, LeatMemory *out, guint seed)
{
  g_autoptr (GError) error = NULL;
  float x[N], y[N];

  for (guint i = 0; i < N; i++)
    x[i] = (float) ((i * 7 + seed * 31) % 513) * (float) (seed + 1);
  g_assert_true (leat_memory_write (in, 0, x, BYTES, NULL));
  g_assert_true (leat_session_bind_input (self->session, "source", leat_memory_get_address (in), BYTES, N, &error));
  g_assert_true (leat_session_bind_output (self->session, "sink", leat_memory_get_address (out), BYTES, &error));
  leat_session_replay (self->session, FALSE, NULL, &error);
  g_assert_no_error (error);
  halve (x);
  g_assert_true (leat_memory_read (out, 0, y, BYTES, NULL));
  g_assert_cmpmem (y, sizeof y, x, sizeof x);
}

static void
test_loop_bind_takes_turns (gconstpointer data)
{
  SessionFixture fixture;
  LeatMemory *memory[4];

  loop_bind_open (&fixture, data);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    memory[i] = leat_memory_new (leat_session_get_device (fixture.session), LEAT_MEMORY_PINNED, BYTES, "a test", NULL);
  for (guint run = 0; run < 6; run++)
    loop_bind_run (&fixture, memory[run % 2], memory[2 + run % 2], run);
  for (guint i = 0; i < G_N_ELEMENTS (memory); i++)
    leat_memory_free (memory[i]);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/session/loop-bind/takes-turns/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_loop_bind_takes_turns);
    }
  return g_test_run ();
}
