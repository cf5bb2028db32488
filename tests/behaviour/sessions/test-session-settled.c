/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "place-fixture.h"

#include "device/leat-device-private.h"
#include "foreign-fixture.h"
#include "session/leat-overseer-private.h"

#include <glib/gstdio.h>

/* Settled runs against ordinary ones: each scene is played with and without them.  What a scene
 * says of a run, TRUE or FALSE, is whether it is a short one. */

#define COPY                                                                                                           \
  "app name=source spec=f32[8] -> upload mode=copy -> map name=k expr=\"a*x+b\" a=2 b=1 -> readback mode=copy -> "     \
  "app name=sink\n"
#define BOUNDED                                                                                                        \
  "app name=source spec=f32[<=8] -> upload mode=copy -> map name=k expr=\"a*x+b\" a=2 b=1 -> readback mode=copy -> "   \
  "app name=sink\n"
#define BY_KERNEL                                                                                                      \
  "app name=source spec=f32[<=8] -> upload mode=kernel -> map name=k expr=\"a*x+b\" a=2 b=1 -> "                       \
  "readback mode=kernel -> app name=sink\n"
#define MAPPED                                                                                                         \
  "app name=source spec=f32[8] -> upload mode=mapped -> map name=k expr=\"a*x+b\" a=2 b=1 -> readback mode=mapped -> " \
  "app name=sink\n"
#define NOTHING "app name=source spec=f32[8] -> upload mode=mapped -> readback mode=mapped -> app name=sink\n"
#define SUM                                                                                                            \
  "sum = state spec=f32[8]\n"                                                                                          \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=f32[8] -> upload mode=copy -> m.x\n"                                                           \
  "sum -> m.sum\n"                                                                                                     \
  "m -> sum\n"                                                                                                         \
  "m -> readback mode=copy -> app name=sink\n"
#define USER                                                                                                           \
  "app name=source memory=user spec=f32[8] -> upload mode=copy -> map name=k expr=\"a*x+b\" a=2 b=1 -> "               \
  "readback mode=copy -> app name=sink\n"
#define LOOP                                                                                                           \
  "l = loop method=while max-iterations=6 until=\"most < limit\" limit=0.5 carry=x:half {\n"                           \
  "  h = map expr=x*gain gain=0.5\n"                                                                                   \
  "  in.x -> h -> out.half\n"                                                                                          \
  "  h -> reduce op=max -> out.most\n"                                                                                 \
  "}\n"                                                                                                                \
  "app name=source spec=f32[8] -> upload mode=copy -> l.x\n"                                                           \
  "l.half -> readback mode=copy -> app name=sink\n"
#define GROW                                                                                                           \
  "app name=source spec=f32[<=8] -> upload mode=copy -> compact where=x>9 out=f32[<=2] on-overflow=grow -> "           \
  "readback mode=copy -> app name=sink\n"

static void
steady (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  for (guint i = 0; i < 20; i++)
    place_run (self, i * 10, 2, 1, TRUE);
}

static void
unchanged (Place *self)
{
  for (guint i = 0; i < 5; i++)
    place_run (self, i * 10, 1, 0, i > 0);
}

/* Inputs that were not touched stay on the device, also where a run before left them out. */
static void
untouched (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_DATA);
  place_run (self, 7, 2, 1, TRUE);
  g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_DATA);
  g_object_set (self->base.session, "reuse", FALSE, NULL);
  g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_DATA);
  g_object_set (self->base.session, "reuse", TRUE, NULL);
  g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_DATA);
  place_note (self, "%" G_GUINT64_FORMAT, session_fixture_get_count (&self->base, "runs-reused"));
}

static void
counted (Place *self)
{
  static const guint counts[] = { 8, 0, 3, 1, 8, 5 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      place_fill (self, i);
      leat_session_set_input_count (self->base.session, "source", counts[i], &error);
      g_assert_no_error (error);
      g_assert_cmpint (place_replay (self, i > 0), ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (self->out.count, ==, counts[i]);
      for (guint n = 0; n < counts[i]; n++)
        g_assert_cmpfloat (((float *) self->out.data)[n], ==, 2 * (float) (i + n) + 1);
    }
}

static void
arguments (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  for (guint i = 0; i < 10; i++)
    {
      place_set_double (self, "k", "a", i);
      if (i % 3 == 0)
        place_set_double (self, "k", "b", 100 + i);
      place_run (self, i, i, 100 + i - i % 3, TRUE);
      place_run (self, 2 * i, i, 100 + i - i % 3, TRUE);
    }
}

static void
place_set (Place *self, const char *node, const char *property, const char *text)
{
  g_autoptr (GError) error = NULL;

  leat_node_set_from_string (leat_pipeline_get_node (self->base.pipeline, node, NULL), property, text, &error);
  g_assert_no_error (error);
}

static void
properties (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 1, 2, 1, TRUE);
  place_set (self, "k", "expr", "a*x+b+10");
  place_run (self, 2, 2, 11, FALSE);
  place_run (self, 3, 2, 11, TRUE);
  place_set (self, "k", "expr", "a*x+unknown");
  place_fill (self, 4);
  place_replay (self, FALSE);
  place_run (self, 4, 2, 11, FALSE);
  place_run (self, 5, 2, 11, TRUE);
}

/* Between runs, what else a program may do with the session. */
static void
other_calls (Place *self)
{
  LeatSession *session = self->base.session;
  g_autoptr (GError) error = NULL;
  float x[PLACE_N] = { 5, 6, 7 };
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;

  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  g_assert_cmpint (leat_session_repeat (session, 3, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  place_run (self, 3, 2, 1, FALSE);
  place_run (self, 4, 2, 1, TRUE);
  g_assert_cmpint (leat_session_launch (session, NULL, &error), ==, LEAT_FLOW_DATA);
  g_assert_cmpint (leat_session_replay (session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY);
  g_clear_error (&error);
  g_assert_cmpint (leat_session_complete (session, NULL, &error), ==, LEAT_FLOW_DATA);
  place_run (self, 5, 2, 1, FALSE);
  place_run (self, 6, 2, 1, TRUE);
  g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
  g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
  leat_session_replay_batch (session, 2, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  place_run (self, 7, 2, 1, FALSE);
  place_run (self, 8, 2, 1, TRUE);
  g_object_set (session, "repeat", G_GUINT64_CONSTANT (4), NULL);
  place_run (self, 9, 2, 1, FALSE);
  g_object_set (session, "repeat", G_GUINT64_CONSTANT (1), NULL);
  place_run (self, 10, 2, 1, TRUE);
  place_run (self, 11, 2, 1, TRUE);
  leat_session_close (session);
  place_replay (self, FALSE);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  place_run (self, 12, 2, 1, FALSE);
  place_run (self, 13, 2, 1, TRUE);
}

static void
evicted (Place *self)
{
  g_autoptr (GError) error = NULL;

  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  for (guint i = 0; i < 3; i++)
    {
      leat_session_evict (self->base.session, NULL, &error);
      g_assert_no_error (error);
      place_replay (self, FALSE);
      place_run (self, i, 2, 1, TRUE);
    }
}

/* A sum over all runs shows each that was too many or too few. */
static void
summed (Place *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDeviceBuffer) lent = NULL;

  place_run (self, 1, 1, 0, FALSE);
  for (guint i = 0; i < 3; i++)
    g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_DATA);
  g_object_set (self->base.session, "repeat", G_GUINT64_CONSTANT (5), NULL);
  place_replay (self, FALSE);
  g_object_set (self->base.session, "repeat", G_GUINT64_CONSTANT (1), NULL);
  place_replay (self, TRUE);
  place_replay (self, TRUE);
  g_assert_cmpfloat (((float *) self->out.data)[2], ==, 3 * 11);
  lent = leat_session_get_state (self->base.session, "sum", &error);
  g_assert_no_error (error);
  place_replay (self, FALSE);
  leat_device_buffer_fill (lent, 0, PLACE_N * sizeof (float), 0, &error);
  g_assert_no_error (error);
  place_replay (self, FALSE);
  g_assert_cmpfloat (((float *) self->out.data)[2], ==, 3);
}

static void
cancelled (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  self->cancellable = g_cancellable_new ();
  place_run (self, 2, 2, 1, TRUE);
  g_cancellable_cancel (self->cancellable);
  place_replay (self, FALSE);
  g_clear_object (&self->cancellable);
}

/* Another thread has begun to close it. */
static void
closing (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  g_atomic_int_set (&self->base.session->hold.closing, TRUE);
  g_assert_cmpint (place_replay (self, FALSE), ==, LEAT_FLOW_ERROR);
  g_atomic_int_set (&self->base.session->hold.closing, FALSE);
}

/* What waits in the queue of a node that is filled in place is nobody's, and counted where it is dropped. */
static void
dropped (Place *self)
{
  g_autoptr (GBytes) bytes = g_bytes_new ("01234567012345670123456701234567", 32);

  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  for (guint i = 0; i < 5; i++)
    leat_app_push_bytes (self->base.source, bytes, NULL);
  place_run (self, 3, 2, 1, TRUE);
  place_note (self, "dropped %" G_GUINT64_FORMAT, session_fixture_get_count (&self->base, "dropped"));
}

static void
remembered (Place *self)
{
  for (guint i = 0; i < 12; i++)
    place_run (self, i % 3, 2, 1, i > 0);
  place_set_double (self, "k", "b", 5);
  for (guint i = 0; i < 6; i++)
    place_run (self, i % 3, 2, 5, TRUE);
  g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_DATA);
  place_note (self, "%" G_GUINT64_FORMAT, session_fixture_get_count (&self->base, "memo-hits"));
}

/* Every input is new, so the memo turns itself off. */
static void
not_remembered (Place *self)
{
  for (guint i = 0; i < 300; i++)
    place_run (self, i, 2, 1, i > 0);
  g_assert_cmpuint (session_fixture_get_count (&self->base, "memo-held"), ==, 0);
}

static void
waits (Place *self)
{
  static const LeatWait kinds[] = { LEAT_WAIT_SPIN, LEAT_WAIT_BLOCK, LEAT_WAIT_AUTO };

  self->looks = TRUE;
  place_run (self, 0, 2, 1, FALSE);
  for (guint i = 0; i < 12; i++)
    {
      g_object_set (self->base.session, "wait", kinds[i % 3], NULL);
      place_run (self, i, 2, 1, TRUE);
    }
}

/* A pipeline of one op becomes a graph after some runs. */
static void
settling (Place *self)
{
  for (guint i = 0; i < 2 * LEAT_SESSION_RUNS_TO_SETTLE; i++)
    place_run (self, i, 2, 1, i > LEAT_SESSION_RUNS_TO_SETTLE + 1);
}

static void
always_ordinary (Place *self)
{
  for (guint i = 0; i < 70; i++)
    {
      place_fill (self, i);
      place_replay (self, FALSE);
    }
}

/* In memory of another session. */
static void
bound (Place *self)
{
  Place other = { 0 };
  g_autoptr (GError) error = NULL;

  session_fixture_open (&other.base, COPY, LEAT_EXECUTOR_EAGER);
  for (guint i = 0; i < 6; i++)
    {
      float *x;

      place_fill (&other, i);
      x = other.in.data;

      leat_session_bind_input (self->base.session, "source", (guintptr) x, PLACE_N * sizeof *x, PLACE_N, &error);
      g_assert_no_error (error);
      place_replay (self, FALSE);
      g_assert_cmpfloat (((float *) self->out.data)[1], ==, 2 * (float) (i + 1) + 1);
      place_replay (self, FALSE);
    }
  session_fixture_close (&other.base);
}

static void
shared (Place *self)
{
  LeatScratch *scratch = leat_scratch_new (leat_session_get_device (self->base.session));

  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  leat_session_set_scratch (self->base.session, scratch);
  for (guint i = 0; i < 4; i++)
    place_run (self, i, 2, 1, FALSE);
  leat_session_set_scratch (self->base.session, NULL);
  place_run (self, 3, 2, 1, FALSE);
  place_run (self, 4, 2, 1, TRUE);
  leat_scratch_unref (scratch);
}

static void
dead (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  leat_device_mark_dead (leat_session_get_device (self->base.session), "it was taken out");
  g_assert_cmpint (place_replay (self, FALSE), ==, LEAT_FLOW_ERROR);
}

static const char kernels[] =
  "LEAT_REPORT (NEGATIVE = 1, error, \"a negative number\")\n"
  "LEAT_REPORT (LARGE, warning, \"a large number\")\n"
  "__global__ void judge (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    {\n"
  "      if (x[i] < 0)\n"
  "        leat_report_at (NEGATIVE, i, x[i]);\n"
  "      else if (x[i] > 1000)\n"
  "        leat_report_at (LARGE, i, x[i]);\n"
  "      y[i] = 2 * x[i] + 1;\n"
  "    }\n"
  "}\n"
  "__global__ void climb (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  unsigned int n = 1;\n"
  "  while (x[0] < 0 && n != 0)\n"
  "    n = n * 3 | 1;\n"
  "  y[threadIdx.x] = 2 * x[threadIdx.x] + n;\n"
  "}\n"
  "__global__ void positive (const float *x, uint64_t x_count, float *y, uint64_t *y_count, uint64_t y_capacity)\n"
  "{\n"
  "  uint64_t n = 0;\n"
  "  if (blockIdx.x + threadIdx.x > 0)\n"
  "    return;\n"
  "  for (uint64_t i = 0; i < x_count; i++)\n"
  "    if (x[i] > 0)\n"
  "      {\n"
  "        if (n < y_capacity)\n"
  "          y[n] = x[i];\n"
  "        n++;\n"
  "      }\n"
  "  *y_count = n;\n"
  "}\n";

#define CLIMB                                                                                                          \
  "app name=source spec=f32[8] -> upload mode=copy -> KERNELS=climb grid=1 block=8 y=f32[8] -> "                       \
  "readback mode=copy -> app name=sink\n"
#define JUDGE                                                                                                          \
  "app name=source spec=f32[8] -> upload mode=copy -> KERNELS=judge -> readback mode=copy -> app name=sink\n"
#define POSITIVE                                                                                                       \
  "app name=source spec=f32[8] -> upload mode=copy -> KERNELS=positive grid=1 block=1 y=f32[<=4] -> "                  \
  "readback mode=copy -> app name=sink\n"
#define TAKEN                                                                                                          \
  "app name=source spec=f32[8] -> upload mode=copy -> KERNELS=positive grid=1 block=1 y=f32[<=4] -> "                  \
  "map expr=2*x -> readback mode=copy -> app name=sink\n"

static guint
count_messages (Place *self)
{
  for (guint n = 0;; n++)
    {
      g_autoptr (LeatMessage) message = leat_bus_pop (leat_pipeline_get_bus (self->base.pipeline), 0);

      if (message == NULL)
        return n;
    }
}

/* A run with an error has no results, and the next one uploads again; one with a warning has, and the memo does not
 * take it up. */
static void
reporting (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  place_run (self, 999, 2, 1, TRUE);
  place_note (self, "%u messages", count_messages (self));
  place_replay (self, TRUE);
  place_run (self, 3, 2, 1, TRUE);
  place_fill (self, -3);
  g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_ERROR);
  place_note (self, "%u messages, %" G_GUINT64_FORMAT " refused", count_messages (self),
              session_fixture_get_count (&self->base, "runs-refused"));
  g_assert_cmpint (place_replay (self, FALSE), ==, LEAT_FLOW_ERROR);
  place_run (self, 4, 2, 1, FALSE);
  place_run (self, 999, 2, 1, TRUE);
  place_run (self, 999, 2, 1, TRUE);
  place_run (self, 5, 2, 1, TRUE);
  place_note (self, "%u messages", count_messages (self));
}

static void
overflowing (Place *self)
{
  for (guint i = 0; i < 5; i++)
    {
      place_fill (self, (float) i - 7);
      g_assert_cmpint (place_replay (self, i > 0), ==, LEAT_FLOW_DATA);
    }
  place_fill (self, 1);
  g_assert_cmpint (place_replay (self, TRUE), ==, LEAT_FLOW_ERROR);
  place_replay (self, FALSE);
}

/* The run in which there is too little room is done again. */
static void
growing (Place *self)
{
  static const guint firsts[] = { 0, 2, 3, 20, 1, 20 };
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (firsts); i++)
    {
      place_fill (self, firsts[i]);
      leat_session_set_input_count (self->base.session, "source", PLACE_N, &error);
      g_assert_no_error (error);
      g_assert_cmpint (place_replay (self, FALSE), ==, LEAT_FLOW_DATA);
      g_assert_cmpuint (self->out.count, ==, CLAMP ((gint) firsts[i] - 2, 0, PLACE_N));
    }
  g_assert_cmpuint (session_fixture_get_count (&self->base, "grown"), >, 0);
}

static void
traced (Place *self)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *path = NULL;
  int fd = g_file_open_tmp ("leat-settled-XXXXXX", &path, &error);

  g_assert_no_error (error);
  g_close (fd, NULL);
  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  leat_session_close (self->base.session);
  g_object_set (self->base.session, "trace", path, NULL);
  leat_session_open (self->base.session, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 5; i++)
    place_run (self, i, 2, 1, FALSE);
  leat_session_close (self->base.session);
  g_object_set (self->base.session, "trace", NULL, NULL);
  leat_session_open (self->base.session, NULL, &error);
  g_assert_no_error (error);
  g_unlink (path);
}

/* A persistent kernel ends what does not end, and goes on.  How many rounds that were is told, and differs. */
static void
running_away (Place *self)
{
  g_autoptr (GError) error = NULL;

  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  place_fill (self, -3);
  g_assert_cmpint (leat_session_replay (self->base.session, FALSE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_RUNAWAY);
  place_note (self, "%" G_GUINT64_FORMAT " refused, %" G_GUINT64_FORMAT " ended",
              session_fixture_get_count (&self->base, "runs-refused"),
              session_fixture_get_count (&self->base, "runaways"));
  place_run (self, 4, 2, 1, FALSE);
  place_run (self, 5, 2, 1, TRUE);
}

typedef struct
{
  const char *name, *text;
  PlaceScene scene;
  const char *property;
  gint value;
  LeatExecutor executor;
} Case;

/* clang-format off */
static const Case cases[] = {
  { "steady", COPY, steady },
  { "counted", BOUNDED, counted },
  { "counted-by-kernel", BY_KERNEL, counted },
  { "untouched", COPY, untouched },
  { "arguments", COPY, arguments },
  { "properties", COPY, properties },
  { "other-calls", COPY, other_calls },
  { "evicted", COPY, evicted },
  { "summed", SUM, summed },
  { "cancelled", COPY, cancelled },
  { "closing", COPY, closing },
  { "dropped", COPY, dropped },
  { "waits", COPY, waits },
  { "memo", COPY, remembered, "memo", LEAT_MEMO_EXACT },
  { "memo-off", COPY, not_remembered, "memo", LEAT_MEMO_EXACT },
  { "timing", COPY, always_ordinary, "timing", LEAT_TIMING_NODES },
  { "traced", COPY, traced },
  { "shared", COPY, shared },
  { "loop", LOOP, always_ordinary },
  { "nothing", NOTHING, unchanged },
  { "bound", USER, bound },
  { "growing", GROW, growing },
  { "reporting", JUDGE, reporting },
  { "reporting-memo", JUDGE, reporting, "memo", LEAT_MEMO_EXACT },
  { "overflowing", POSITIVE, overflowing },
  { "overflowing-within", TAKEN, overflowing },
  { "dead", COPY, dead },
};
/* clang-format on */

/* The kernel does not leave meanwhile, whatever else the machine is at. */
#define STAYING "persistent-idle-ms", 60000, LEAT_EXECUTOR_PERSISTENT

/* clang-format off */
static const Case persistent_cases[] = {
  { "steady", COPY, steady, STAYING },
  { "mapped", MAPPED, steady, STAYING },
  { "counted", BOUNDED, counted, STAYING },
  { "arguments", COPY, arguments, STAYING },
  { "properties", COPY, properties, STAYING },
  { "other-calls", COPY, other_calls, STAYING },
  { "summed", SUM, summed, STAYING },
  { "cancelled", COPY, cancelled, STAYING },
  { "waits", COPY, waits, STAYING },
  { "reporting", JUDGE, reporting, STAYING },
  { "overflowing", POSITIVE, overflowing, STAYING },
  { "running-away", CLIMB, running_away, STAYING },
};
/* clang-format on */

static char *kernel_folder, *kernel_path;

static void
test_session_settled (gconstpointer data)
{
  const Case *it = data;
  g_autofree char *kernel = g_strdup_printf ("kernel source=\"%s\" entry", kernel_path);
  g_autoptr (GString) text = g_string_new (it->text);

  g_string_replace (text, "KERNELS", kernel, 0);
  place_check_with (text->str, it->executor, it->scene, it->property, it->value);
}

static void
test_session_settled_settles (void)
{
  place_check (MAPPED, LEAT_EXECUTOR_AUTO, settling);
}

/* Data that come through queues have to be asked for. */
static void
test_session_settled_queues (void)
{
  SessionFixture fixture;
  float x[PLACE_N] = { 1, 2 };

  session_fixture_open (&fixture, COPY, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < 5; i++)
    {
      g_autoptr (GBytes) output = session_fixture_run (&fixture, x, sizeof x);

      g_assert_cmpfloat (((const float *) g_bytes_get_data (output, NULL))[1], ==, 5);
    }
  g_assert_cmpuint (fixture.session->told.ledger.n_settled, ==, 0);
  session_fixture_close (&fixture);
}

/* What is captured may have to be captured again. */
static void
test_session_settled_foreign (void)
{
  ForeignFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView in, out;

  foreign_fixture_set_up (&fixture);
  foreign_fixture_open (&fixture, LEAT_EXECUTOR_GRAPH);
  leat_session_map_input (fixture.base.session, "source", &in, &error);
  g_assert_no_error (error);
  leat_session_map_output (fixture.base.session, "sink", &out, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 5; i++)
    g_assert_cmpint (leat_session_replay (fixture.base.session, FALSE, NULL, NULL), ==, LEAT_FLOW_DATA);
  g_assert_cmpuint (fixture.base.session->told.ledger.n_settled, ==, 0);
  foreign_fixture_clear (&fixture);
}

typedef struct
{
  Place place;
  gint done; /* atomic: runs */
  gint over; /* atomic */
} Crowd;

static gpointer
replay_in_thread (gpointer data)
{
  Crowd *self = data;
  gboolean open = TRUE;

  while (open)
    {
      g_autoptr (GError) error = NULL;

      if (leat_session_replay (self->place.base.session, FALSE, NULL, &error) == LEAT_FLOW_DATA)
        g_atomic_int_inc (&self->done);
      else if (g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY))
        g_thread_yield ();
      else
        {
          g_assert_true (g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE)
                         || g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CANCELLED));
          open = FALSE;
        }
    }
  return NULL;
}

static gpointer
set_in_thread (gpointer data)
{
  Crowd *self = data;
  LeatSession *session = self->place.base.session;

  for (guint i = 0; !g_atomic_int_get (&self->over); i++)
    {
      g_autoptr (GVariant) stats = NULL;
      guint64 runs, timed;

      place_set_double (&self->place, "k", "a", i % 5);
      g_object_get (session, "stats", &stats, NULL);
      g_assert_true (g_variant_lookup (stats, "runs-timed", "t", &timed)
                     && g_variant_lookup (stats, "runs", "t", &runs));
      g_assert_cmpuint (timed, <=, runs);
      g_object_set (session, "wait", i % 2 == 0 ? LEAT_WAIT_BLOCK : LEAT_WAIT_AUTO, NULL);
      g_usleep (100);
    }
  return NULL;
}

/* Two threads at once are refused, a third sets and looks, and the session is closed in the middle. */
static void
test_session_settled_threads (void)
{
  Crowd crowd = { 0 };
  GThread *threads[3];

  /* GLib makes a quark without a lock, which is no race that matters but one that is seen. */
  g_assert_cmpuint (LEAT_SESSION_ERROR, !=, 0);
  session_fixture_open (&crowd.place.base, COPY, LEAT_EXECUTOR_GRAPH);
  place_fill (&crowd.place, 3);
  threads[0] = g_thread_new ("replay", replay_in_thread, &crowd);
  threads[1] = g_thread_new ("replay", replay_in_thread, &crowd);
  threads[2] = g_thread_new ("set", set_in_thread, &crowd);
  while (g_atomic_int_get (&crowd.done) < 3000)
    g_usleep (1000);
  leat_session_close (crowd.place.base.session);
  g_atomic_int_set (&crowd.over, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  g_assert_cmpuint (session_fixture_get_count (&crowd.place.base, "runs"), ==, crowd.done);
  g_assert_cmpuint (crowd.place.base.session->told.ledger.n_settled, >, 0);
  session_fixture_close (&crowd.place.base);
}

static void
write_kernels (void)
{
  g_autoptr (GError) error = NULL;

  kernel_folder = g_dir_make_tmp ("leat-settled-XXXXXX", &error);
  g_assert_no_error (error);
  kernel_path = g_build_filename (kernel_folder, "kernels.cu", NULL);
  g_file_set_contents (kernel_path, kernels, -1, &error);
  g_assert_no_error (error);
}

static void
add_case (const Case *self, LeatExecutor executor, const char *name)
{
  g_autofree char *path = g_strdup_printf ("/leat/session/settled/%s/%s", self->name, name);
  Case *it = g_memdup2 (self, sizeof *it);

  it->executor = executor;
  g_test_add_data_func_full (path, it, (GTestDataFunc) test_session_settled, g_free);
}

static void
add_cases (LeatExecutor executor, const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    add_case (&cases[i], executor, name);
}

int
main (int argc, char **argv)
{
  int result;

  g_test_init (&argc, &argv, NULL);
  write_kernels ();
  add_cases (LEAT_EXECUTOR_GRAPH, "graph");
  add_cases (LEAT_EXECUTOR_EAGER, "eager");
  for (guint i = 0; i < G_N_ELEMENTS (persistent_cases); i++)
    add_case (&persistent_cases[i], LEAT_EXECUTOR_PERSISTENT, "resident");
  g_test_add_func ("/leat/session/settled/settles", test_session_settled_settles);
  g_test_add_func ("/leat/session/settled/queues", test_session_settled_queues);
  g_test_add_func ("/leat/session/settled/foreign", test_session_settled_foreign);
  g_test_add_func ("/leat/session/settled/threads", test_session_settled_threads);
  result = g_test_run ();
  g_unlink (kernel_path);
  g_rmdir (kernel_folder);
  g_free (kernel_path);
  g_free (kernel_folder);
  return result;
}
