/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

/* Runs that a loop on the device repeats, held against a model in C and against single runs, and the same where the
 * driver has no such loops. */

#define ITEMS  16
#define STATES 4

/* state[i] = x * a + state[p] * b + state[q] * c, all at once; the last one is the result. */
typedef struct
{
  guint n;
  guint32 a[STATES], b[STATES], c[STATES];
  guint p[STATES], q[STATES];
  guint32 states[STATES][ITEMS];
} Model;

static Model
model_new (void)
{
  Model self = { .n = (guint) g_test_rand_int_range (1, STATES + 1) };
  const guint turn = (guint) g_test_rand_int_range (0, STATES); /* each state is read by somebody */

  for (guint i = 0; i < self.n; i++)
    {
      self.a[i] = (guint32) g_test_rand_int_range (1, 1000);
      self.b[i] = (guint32) g_test_rand_int_range (1, 1000);
      self.c[i] = (guint32) g_test_rand_int_range (1, 1000);
      self.p[i] = (i + turn) % self.n;
      self.q[i] = (guint) g_test_rand_int_range (0, (gint32) self.n);
    }
  return self;
}

static char *
model_write (const Model *self)
{
  GString *text = g_string_new ("up = upload mode=copy\n");

  for (guint i = 0; i < self->n; i++)
    g_string_append_printf (text,
                            "s%u = state spec=u32[%u]\n"
                            "m%u = map inputs=x,p,q expr=x*%u+p*%u+q*%u\n",
                            i, ITEMS, i, self->a[i], self->b[i], self->c[i]);
  g_string_append_printf (text, "app name=source spec=u32[%u] -> up\n", ITEMS);
  for (guint i = 0; i < self->n; i++)
    g_string_append_printf (text, "up -> m%u.x\ns%u -> m%u.p\ns%u -> m%u.q\nm%u -> s%u\n", i, self->p[i], i, self->q[i],
                            i, i, i);
  g_string_append_printf (text, "m%u -> readback mode=copy -> app name=sink\n", self->n - 1);
  return g_string_free (text, FALSE);
}

static void
model_step (Model *self, const guint32 x[ITEMS])
{
  Model before = *self;

  for (guint i = 0; i < self->n; i++)
    for (guint k = 0; k < ITEMS; k++)
      self->states[i][k] =
        x[k] * self->a[i] + before.states[self->p[i]][k] * self->b[i] + before.states[self->q[i]][k] * self->c[i];
}

static LeatLane *
get_lane (SessionFixture *fixture)
{
  return g_ptr_array_index (fixture->session->lanes, 0);
}

static gboolean
has_whiles (SessionFixture *fixture)
{
  return get_lane (fixture)->table->cuGraphConditionalHandleCreate != NULL;
}

/* As a driver is that knows no conditional nodes. */
static void
take_whiles_away (SessionFixture *fixture)
{
  static LeatDriverTable without;
  LeatLane *lane = get_lane (fixture);

  without = *lane->table;
  without.cuGraphConditionalHandleCreate = NULL;
  lane->table = &without;
}

static void
push (SessionFixture *fixture, const guint32 x[ITEMS])
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, ITEMS * sizeof *x);
  g_autoptr (GError) error = NULL;

  leat_app_push_bytes (fixture->source, bytes, &error);
  g_assert_no_error (error);
}

static void
repeat (SessionFixture *fixture, const guint32 x[ITEMS], guint64 runs, guint32 result[ITEMS])
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;

  push (fixture, x);
  g_assert_cmpint (leat_session_repeat (fixture->session, runs, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_no_error (error);
  bytes = leat_app_pull_bytes (fixture->sink, 0, NULL);
  g_assert_nonnull (bytes);
  g_assert_cmpuint (g_bytes_get_size (bytes), ==, ITEMS * sizeof *result);
  memcpy (result, g_bytes_get_data (bytes, NULL), ITEMS * sizeof *result);
}

static void
fill (guint32 x[ITEMS])
{
  for (guint k = 0; k < ITEMS; k++)
    x[k] = (guint32) g_test_rand_int ();
}

/* How many runs there are changes from call to call, and nothing is made for it. */
static void
check_model (Model *model, gboolean whiles)
{
  static const guint64 counts[] = { 200, 1, 2, 3, 5, 6, 63, 64, 65, 66, 131, 999, 4321 };
  g_autofree char *text = model_write (model);
  guint64 on_device = 0, made = 0;
  SessionFixture fixture;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  if (!whiles)
    take_whiles_away (&fixture);
  whiles = has_whiles (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      guint64 n = counts[i] + (i > 9 ? (guint64) g_test_rand_int_range (0, 50) : 0);
      guint32 x[ITEMS], result[ITEMS];

      fill (x);
      repeat (&fixture, x, n, result);
      for (guint64 k = 0; k < n; k++)
        model_step (model, x);
      g_assert_cmpmem (result, sizeof result, model->states[model->n - 1], sizeof result);
      /* The first of them uploads, the last reads back; fewer than four are not worth a loop. */
      on_device += whiles && n >= 6 ? n - 2 : 0;
      g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-repeated-on-device"), ==, on_device);
      if (i == 0)
        made = session_fixture_get_count (&fixture, "instantiations");
      if (whiles)
        g_assert_cmpuint (session_fixture_get_count (&fixture, "instantiations"), ==, made);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-repeated-unrolled") > 0, ==, !whiles);
  session_fixture_close (&fixture);
}

static void
test_repeat_loop_model (gconstpointer whiles)
{
  for (guint i = 0; i < 4; i++)
    {
      Model model = model_new ();

      check_model (&model, GPOINTER_TO_INT (whiles));
    }
}

/* Two sessions of one pipeline: one is repeated, the other run as often. */
static void
test_repeat_loop_single (gconstpointer whiles)
{
  Model model = model_new ();
  g_autofree char *text = model_write (&model);
  SessionFixture repeated, single;

  session_fixture_open (&repeated, text, LEAT_EXECUTOR_GRAPH);
  session_fixture_open (&single, text, LEAT_EXECUTOR_GRAPH);
  if (!GPOINTER_TO_INT (whiles))
    take_whiles_away (&repeated);
  for (guint n = 1; n < 300; n += n / 2 + 1)
    {
      guint32 x[ITEMS], result[ITEMS];

      fill (x);
      repeat (&repeated, x, n, result);
      for (guint k = 0; k < n; k++)
        {
          g_autoptr (GBytes) bytes = session_fixture_run (&single, x, sizeof x);

          if (k == n - 1)
            g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), result, sizeof result);
        }
    }
  session_fixture_close (&repeated);
  session_fixture_close (&single);
}

/* What statistics tell of why. */
static void
test_repeat_loop_told (void)
{
  Model model = model_new ();
  g_autofree char *text = model_write (&model);
  SessionFixture fixture;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GVariant) stats = NULL;
      guint32 x[ITEMS] = { 0 }, result[ITEMS];
      const char *why = NULL;

      if (i == 1)
        take_whiles_away (&fixture);
      repeat (&fixture, x, 100, result);
      stats = leat_session_dup_stats (fixture.session);
      g_assert_true (g_variant_lookup (stats, "why-not-repeated-on-device", "&s", &why));
      g_assert_cmpstr (why, ==, has_whiles (&fixture) ? "" : "the driver has no nodes that do a body again and again");
    }
  session_fixture_close (&fixture);
}

/* Four times over, x and what there is go together. */
static guint32
loop_step (guint32 state, guint32 x)
{
  for (guint i = 0; i < 4; i++)
    state = state * 3 + x;
  return state;
}

static const struct
{
  const char *executor;
  gboolean on_device;
} loops[] = { { "unrolled", TRUE }, { "fused", TRUE }, { "while", FALSE }, { "host", FALSE } };

/* A pipeline with a loop of its own: one that is nodes like others is repeated like others. */
static void
test_repeat_loop_around (gconstpointer index)
{
  const char *executor = loops[GPOINTER_TO_INT (index)].executor;
  gboolean on_device = loops[GPOINTER_TO_INT (index)].on_device;
  g_autofree char *text = g_strdup_printf ("app name=source spec=u32[%u] -> upload mode=copy -> again.x\n"
                                           "s = state spec=u32[%u]\n"
                                           "again = loop max-iterations=4 method=%s carry=y:next {\n"
                                           "  m = map inputs=y,x expr=y*3+x\n"
                                           "  in.y -> m.y\n  in.x -> m.x\n  m -> out.next\n}\n"
                                           "s -> again.y\nagain.next -> s\n"
                                           "again.next -> readback mode=copy -> app name=sink\n",
                                           ITEMS, ITEMS, executor);
  g_autoptr (GVariant) stats = NULL;
  guint32 state[ITEMS] = { 0 }, x[ITEMS], result[ITEMS];
  SessionFixture fixture;
  const char *why;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint n = 1; n < 300; n += 99)
    {
      fill (x);
      repeat (&fixture, x, n, result);
      for (guint k = 0; k < n * ITEMS; k++)
        state[k % ITEMS] = loop_step (state[k % ITEMS], x[k % ITEMS]);
      g_assert_cmpmem (result, sizeof result, state, sizeof state);
    }
  stats = leat_session_dup_stats (fixture.session);
  g_assert_true (g_variant_lookup (stats, "why-not-repeated-on-device", "&s", &why));
  if (!on_device)
    g_assert_cmpstr (why, ==, "the pipeline has a loop that is neither unrolled nor one kernel");
  else if (has_whiles (&fixture))
    g_assert_cmpstr (why, ==, "");
  /* Of each call all but the first and the last. */
  g_assert_cmpuint (session_fixture_get_count (&fixture, "runs-repeated-on-device"), ==,
                    on_device && has_whiles (&fixture) ? 98 + 197 + 296 : 0);
  session_fixture_close (&fixture);
}

typedef enum
{
  END_CANCELLED,
  END_CLOSED
} End;

typedef struct
{
  LeatSession *session;
  GCancellable *cancellable;
  End end;
} Ending;

static gpointer
end_soon (gpointer data)
{
  Ending *self = data;

  g_usleep (30000);
  if (self->end == END_CANCELLED)
    g_cancellable_cancel (self->cancellable);
  else
    leat_session_close (self->session);
  return NULL;
}

static void
assert_goes_on (SessionFixture *fixture, Model *model)
{
  guint32 x[ITEMS], result[ITEMS];
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_app_pull_bytes (fixture->sink, 0, NULL));
  leat_session_close (fixture->session);
  leat_session_open (fixture->session, NULL, &error);
  g_assert_no_error (error);
  memset (model->states, 0, sizeof model->states);
  fill (x);
  repeat (fixture, x, 50, result);
  for (guint k = 0; k < 50; k++)
    model_step (model, x);
  g_assert_cmpmem (result, sizeof result, model->states[model->n - 1], sizeof result);
}

/* More runs than any machine does in a year, and somebody who has had enough. */
static void
test_repeat_loop_ends (gconstpointer end)
{
  Model model = model_new ();
  g_autofree char *text = model_write (&model);
  SessionFixture fixture;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      Ending ending = { fixture.session, cancellable, GPOINTER_TO_INT (end) };
      const guint64 runs = G_MAXUINT64 - i % 2; /* the largest that there is, too */
      guint32 x[ITEMS];
      GThread *thread;

      fill (x);
      push (&fixture, x);
      thread = g_thread_new ("end", end_soon, &ending);
      g_assert_cmpint (leat_session_repeat (fixture.session, runs, FALSE, cancellable, &error), ==, LEAT_FLOW_ERROR);
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      g_thread_join (thread);
      assert_goes_on (&fixture, &model);
    }
  session_fixture_close (&fixture);
}

/* What graphs did while @runs were asked for. */
static guint64
count_kernels (SessionFixture *fixture, guint64 runs, GCancellable *cancellable)
{
  g_autoptr (GVariant) counts = NULL;
  g_autoptr (GError) error = NULL, ended = NULL;
  guint64 kernels = 0;

  g_assert_true (leat_session_start_counting (fixture->session, &error));
  leat_session_repeat (fixture->session, runs, FALSE, cancellable, &ended);
  counts = leat_session_stop_counting (fixture->session, &error);
  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "kernels", "t", &kernels));
  return kernels;
}

/* Counted is what was done of runs that were called off.  How much that was is in memory of the program's: each run
 * adds one, and the last that is done reads back. */
static void
test_repeat_loop_counts_what_was_done (void)
{
  SessionFixture fixture;
  guint64 *memory = aligned_alloc (4096, 4096);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (LeatDevice) device = NULL;
  g_autoptr (GError) error = NULL;
  guint64 few, more, done, all;
  GThread *thread;

  session_fixture_open (&fixture,
                        "before = state spec=u64[2]\nsum = map inputs=x,before expr=x+before\n"
                        "app name=source memory=user spec=u64[2] -> upload mode=copy -> sum.x\n"
                        "before -> sum.before -> before\nsum -> readback mode=copy -> app name=sink memory=user\n",
                        LEAT_EXECUTOR_GRAPH);
  device = g_object_ref (leat_session_get_device (fixture.session));
  leat_device_pin (device, (guintptr) memory, 4096, &error);
  g_assert_no_error (error);
  memory[0] = memory[1] = 1;
  leat_session_bind_input (fixture.session, "source", (guintptr) memory, 16, 2, &error);
  leat_session_bind_output (fixture.session, "sink", (guintptr) (memory + 2), 16, &error);
  g_assert_no_error (error);
  count_kernels (&fixture, 200, NULL);
  few = count_kernels (&fixture, 100, NULL);
  more = count_kernels (&fixture, 300, NULL);
  done = memory[2];
  g_assert_cmpuint (done, ==, 600);
  if (has_whiles (&fixture))
    {
      Ending ending = { fixture.session, cancellable, END_CANCELLED };

      thread = g_thread_new ("end", end_soon, &ending);
      all = count_kernels (&fixture, G_MAXUINT64, cancellable);
      g_thread_join (thread);
      g_assert_cmpuint (memory[2], >, done);
      g_assert_cmpuint (all - few, ==, (memory[2] - done - 100) * ((more - few) / 200));
    }
  leat_session_close (fixture.session);
  g_assert_true (leat_device_unpin (device, (guintptr) memory, NULL));
  session_fixture_close (&fixture);
  free (memory);
}

/* Likewise while nobody waits for them. */
static void
test_repeat_loop_ends_launched (gconstpointer end)
{
  Model model = model_new ();
  g_autofree char *text = model_write (&model);
  SessionFixture fixture;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  if (!has_whiles (&fixture))
    {
      g_test_skip ("the driver has no nodes that do a body again and again");
      session_fixture_close (&fixture);
      return;
    }
  for (guint i = 0; i < 4; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      guint32 x[ITEMS];

      g_object_set (fixture.session, "repeat", G_MAXUINT64, NULL);
      if (i > 1)
        g_assert_cmpint (leat_session_get_fd (fixture.session, NULL), >=, 0);
      fill (x);
      push (&fixture, x);
      g_assert_cmpint (leat_session_launch (fixture.session, cancellable, &error), ==, LEAT_FLOW_DATA);
      g_assert_no_error (error);
      if (GPOINTER_TO_INT (end) == END_CANCELLED)
        {
          g_cancellable_cancel (cancellable);
          g_assert_cmpint (leat_session_complete (fixture.session, NULL, &error), ==, LEAT_FLOW_ERROR);
          g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
        }
      leat_session_close (fixture.session);
      g_object_set (fixture.session, "repeat", (guint64) 1, NULL);
      assert_goes_on (&fixture, &model);
    }
  session_fixture_close (&fixture);
}

static gpointer
cancel_at_any_time (gpointer data)
{
  Ending *self = data;

  g_usleep ((gulong) g_random_int_range (0, 2000));
  g_cancellable_cancel (self->cancellable);
  return NULL;
}

/* All of it or an error, whenever it comes. */
static void
test_repeat_loop_races (void)
{
  Model model = model_new ();
  g_autofree char *text = model_write (&model);
  guint done = 0, off = 0;
  SessionFixture fixture;

  session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 60; i++)
    {
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      Ending ending = { fixture.session, cancellable, END_CANCELLED };
      guint32 x[ITEMS];
      LeatFlow flow;
      GThread *thread;

      fill (x);
      push (&fixture, x);
      thread = g_thread_new ("cancel", cancel_at_any_time, &ending);
      flow = leat_session_repeat (fixture.session, 300, FALSE, cancellable, &error);
      g_thread_join (thread);
      if (flow == LEAT_FLOW_DATA)
        {
          g_autoptr (GBytes) bytes = leat_app_pull_bytes (fixture.sink, 0, NULL);

          for (guint k = 0; k < 300; k++)
            model_step (&model, x);
          g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), model.states[model.n - 1],
                           sizeof x);
          done++;
          continue;
        }
      g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
      session_fixture_close (&fixture);
      session_fixture_open (&fixture, text, LEAT_EXECUTOR_GRAPH);
      memset (model.states, 0, sizeof model.states);
      off++;
    }
  g_test_message ("%u were done, %u were called off", done, off);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session-repeat-loop/model/on-the-device", GINT_TO_POINTER (TRUE),
                        test_repeat_loop_model);
  g_test_add_data_func ("/leat/session-repeat-loop/model/chained", GINT_TO_POINTER (FALSE), test_repeat_loop_model);
  g_test_add_data_func ("/leat/session-repeat-loop/single/on-the-device", GINT_TO_POINTER (TRUE),
                        test_repeat_loop_single);
  g_test_add_data_func ("/leat/session-repeat-loop/single/chained", GINT_TO_POINTER (FALSE), test_repeat_loop_single);
  g_test_add_func ("/leat/session-repeat-loop/told", test_repeat_loop_told);
  for (guint i = 0; i < G_N_ELEMENTS (loops); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/session-repeat-loop/around/%s", loops[i].executor);

      g_test_add_data_func (path, GINT_TO_POINTER (i), test_repeat_loop_around);
    }
  g_test_add_func ("/leat/session-repeat-loop/counts-what-was-done", test_repeat_loop_counts_what_was_done);
  g_test_add_data_func ("/leat/session-repeat-loop/ends/cancelled", GINT_TO_POINTER (END_CANCELLED),
                        test_repeat_loop_ends);
  g_test_add_data_func ("/leat/session-repeat-loop/ends/closed", GINT_TO_POINTER (END_CLOSED), test_repeat_loop_ends);
  g_test_add_data_func ("/leat/session-repeat-loop/ends-launched/cancelled", GINT_TO_POINTER (END_CANCELLED),
                        test_repeat_loop_ends_launched);
  g_test_add_data_func ("/leat/session-repeat-loop/ends-launched/closed", GINT_TO_POINTER (END_CLOSED),
                        test_repeat_loop_ends_launched);
  g_test_add_func ("/leat/session-repeat-loop/races", test_repeat_loop_races);
  return g_test_run ();
}
