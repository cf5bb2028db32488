/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "session-fixture.h"

#include <glib/gstdio.h>

/* Lanes that have more to give than there is room for are told on the bus, each once: those of a launch, those that are
 * done in turn, and all of a stream but the first, which the call ends with. */

#define ROOM 8
#define MOST 20

/* Gives as many items as it takes and counts them all; the other of a file that keeps something. */
static const char kernels[] =
  "__global__ void pass (const unsigned *x, uint64_t x_count, unsigned *y, uint64_t *y_count, uint64_t y_capacity)\n"
  "{\n  GRID_FOR (i, x_count)\n    if (i < y_capacity)\n      y[i] = x[i];\n"
  "  if (blockIdx.x + threadIdx.x == 0)\n    *y_count = x_count;\n}\n";
static const char keeping[] =
  "__device__ unsigned kept;\n"
  "__global__ void pass (const unsigned *x, uint64_t x_count, unsigned *y, uint64_t *y_count, uint64_t y_capacity)\n"
  "{\n  GRID_FOR (i, x_count)\n    if (i < y_capacity)\n      y[i] = x[i];\n"
  "  if (blockIdx.x + threadIdx.x == 0)\n    *y_count = x_count + (kept = 0);\n}\n";

typedef struct
{
  SessionFixture base;
  char *folder, *path;
} Untold;

static void
untold_open (Untold *self, const char *source, guint batch)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  self->folder = g_dir_make_tmp ("leat-untold-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "pass.cu", NULL);
  g_file_set_contents (self->path, source, -1, &error);
  g_assert_no_error (error);
  text = g_strdup_printf ("app name=source spec=u32[<=%u] -> upload -> kernel source=\"%s\" y=u32[<=%u] -> readback -> "
                          "app name=sink\n",
                          MOST, self->path, ROOM);
  session_fixture_open (&self->base, text, LEAT_EXECUTOR_GRAPH);
  g_object_set (self->base.session, "batch", batch, NULL);
}

static void
untold_close (Untold *self)
{
  session_fixture_close (&self->base);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
}

/* Lanes whose number is in @over have one item too many. */
static GBytes *
make_input (guint lane, guint64 over)
{
  guint32 x[MOST] = { lane };

  return g_bytes_new (x, ((over >> lane & 1) != 0 ? ROOM + 1 : lane % (ROOM + 1)) * sizeof *x);
}

/* What the bus has of lanes, as a set of runs from 1 on. */
static guint64
untold_pop (Untold *self, guint *left_out)
{
  LeatMessage *message;
  guint64 told = 0, run;

  while ((message = leat_bus_pop (leat_pipeline_get_bus (self->base.pipeline), 0)) != NULL)
    {
      GVariant *details = leat_message_get_details (message);

      if (leat_message_get_kind (message) == LEAT_MESSAGE_WARNING)
        {
          g_assert_error (leat_message_get_error (message), LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
          if (!g_variant_lookup (details, "left-out", "u", left_out))
            {
              g_assert_nonnull (strstr (leat_message_get_error (message)->message, "9 items"));
              g_assert_true (g_variant_lookup (details, "run", "t", &run));
              g_assert_cmpuint (told >> (run - 1) & 1, ==, 0);
              told |= (guint64) 1 << (run - 1);
            }
        }
      leat_message_unref (message);
    }
  return told;
}

static void
untold_run_batch (Untold *self, guint n, guint64 over)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
  g_autoptr (GError) error = NULL;

  for (guint lane = 0; lane < n; lane++)
    g_ptr_array_add (inputs, make_input (lane, over));
  leat_session_replay_batch (self->base.session, n, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  for (guint lane = 0; lane < n; lane++)
    {
      g_autoptr (GError) failure = leat_session_dup_entry_error (self->base.session, lane);

      g_assert_cmpint (failure != NULL, ==, over >> lane & 1);
      g_assert_cmpint (g_ptr_array_index (results, lane) == NULL, ==, over >> lane & 1);
    }
}

static void
test_untold_batch (gconstpointer source)
{
  const guint64 over = (guint64) 1 << 1 | (guint64) 1 << 9 | (guint64) 1 << 33;
  guint left_out = 0;
  Untold self;

  untold_open (&self, source, 16);
  untold_run_batch (&self, 40, over);
  g_assert_cmphex (untold_pop (&self, &left_out), ==, over);
  untold_run_batch (&self, 20, 0);
  g_assert_cmphex (untold_pop (&self, &left_out), ==, 0);
  g_assert_cmpuint (left_out, ==, 0);
  untold_close (&self);
}

/* More than anybody reads. */
static void
test_untold_many (void)
{
  guint left_out = 0;
  Untold self;

  untold_open (&self, kernels, 16);
  untold_run_batch (&self, 40, 0xfffffff);
  g_assert_cmphex (untold_pop (&self, &left_out), ==, 0xffff);
  g_assert_cmpuint (left_out, ==, 28 - 16);
  untold_close (&self);
}

static void
test_untold_stream (void)
{
  const guint64 over = 1 << 1 | 1 << 2 | 1 << 5 | 1 << 10;
  g_autoptr (GError) error = NULL;
  guint left_out = 0;
  Untold self;

  untold_open (&self, kernels, 4);
  for (guint lane = 0; lane < 12; lane++)
    {
      g_autoptr (GBytes) input = make_input (lane, over);

      leat_app_push_bytes (self.base.source, input, &error);
      g_assert_no_error (error);
    }
  leat_app_end (self.base.source);
  g_assert_false (leat_session_run (self.base.session, NULL, &error));
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
  g_assert_cmpuint (session_fixture_get_count (&self.base, "batch-launches"), ==, 3);
  g_assert_cmphex (untold_pop (&self, &left_out), ==, over & ~(guint64) (1 << 1));
  g_assert_cmpuint (left_out, ==, 0);
  untold_close (&self);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/session/batch/untold/together", kernels, test_untold_batch);
  g_test_add_data_func ("/leat/session/batch/untold/in-turn", keeping, test_untold_batch);
  g_test_add_func ("/leat/session/batch/untold/many", test_untold_many);
  g_test_add_func ("/leat/session/batch/untold/stream", test_untold_stream);
  return g_test_run ();
}
