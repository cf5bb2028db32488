/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-fixture.h"
#include "tally-node.h"

#include <glib/gstdio.h>

/* Batches of which not all can be done for all lanes at once, and lanes that fail. */

#define MOST 100

static const char kernels[] =
  "__global__ void even (const unsigned *x, uint64_t x_count, unsigned *y, uint64_t *y_count, uint64_t y_capacity)\n"
  "{\n  uint64_t n = 0;\n  if (blockIdx.x + threadIdx.x > 0)\n    return;\n"
  "  for (uint64_t i = 0; i < x_count; i++)\n    if (x[i] % 2 == 0)\n      {\n        if (n < y_capacity)\n"
  "          y[n] = x[i];\n        n++;\n      }\n  *y_count = n;\n}\n"
  "__global__ void more (const unsigned *x, uint64_t x_count, unsigned *y, unsigned by)\n"
  "{\n  GRID_FOR (i, x_count)\n    y[i] = x[i] + by;\n}\n"
  "__global__ void zed (const unsigned *x, uint64_t x_count, unsigned *y)\n"
  "{\n  GRID_FOR (i, x_count)\n    y[i] = x[i] * 3 + blockIdx.z;\n}\n"
  "__global__ void turned (const unsigned *x, uint64_t x_count, unsigned *y)\n"
  "{\n  __shared__ unsigned part[64];\n  uint64_t i = threadIdx.x;\n  part[i] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n  if (i < x_count)\n    y[i] = part[x_count - 1 - i];\n}\n"
  "__device__ void chain (const unsigned *x, unsigned *y, unsigned block)\n"
  "{\n  unsigned before = 1;\n  while (block > 0 && (before = leat_load_acquire (y + block)) == 0)\n"
  "    __nanosleep (20);\n  leat_store_release (y + block + 1, before + x[block]);\n}\n"
  "__global__ void by_number (const unsigned *x, unsigned *y)\n"
  "{\n  if (threadIdx.x == 0)\n    chain (x, y, blockIdx.x);\n}\n"
  "__global__ void by_ticket (const unsigned *x, unsigned *y)\n"
  "{\n  if (threadIdx.x == 0)\n    chain (x, y, leat_take_ticket (y));\n}\n";

typedef struct
{
  SessionFixture base;
  char *folder, *path;
} MixedFixture;

static void
mixed_fixture_open (MixedFixture *self, const char *chain, LeatExecutor executor, guint batch)
{
  g_autoptr (GString) text = g_string_new (chain);
  g_autoptr (GError) error = NULL;
  g_autofree char *kernel = NULL;

  self->folder = g_dir_make_tmp ("leat-batch-XXXXXX", NULL);
  self->path = g_build_filename (self->folder, "mixed.cu", NULL);
  g_file_set_contents (self->path, kernels, -1, &error);
  g_assert_no_error (error);
  kernel = g_strdup_printf ("kernel source=\"%s\" entry", self->path);
  g_string_replace (text, "KERNEL", kernel, 0);
  session_fixture_open (&self->base, text->str, executor);
  g_object_set (self->base.session, "batch", batch, NULL);
}

static void
mixed_fixture_close (MixedFixture *self)
{
  session_fixture_close (&self->base);
  g_unlink (self->path);
  g_rmdir (self->folder);
  g_free (self->path);
  g_free (self->folder);
}

static GPtrArray *
run_batch (LeatSession *session, GPtrArray *inputs)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *results = NULL;

  leat_session_replay_batch (session, inputs->len, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, inputs->len);
  return results;
}

static GPtrArray *
make_numbers (guint n_lanes, guint items)
{
  GPtrArray *inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);

  for (guint lane = 0; lane < n_lanes; lane++)
    {
      guint32 x[MOST];

      for (guint i = 0; i < items; i++)
        x[i] = lane * 1000 + i * 2 + 1;
      g_ptr_array_add (inputs, g_bytes_new (x, items * sizeof *x));
    }
  return inputs;
}

static char *
dup_batch_drawing (LeatSession *session)
{
  g_autoptr (LeatPlan) plan = leat_session_get_batch_plan (session, NULL);

  return leat_plan_to_dot (plan);
}

static char *
dup_batch_text (LeatSession *session)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = leat_session_get_batch_plan (session, &error);

  g_assert_no_error (error);
  return leat_plan_to_text (plan);
}

/* A kernel that uses z between two that do not, and one with a barrier. */
static void
test_mixed_spread (gconstpointer executor)
{
  MixedFixture fixture;
  g_autofree char *text = NULL, *drawing = NULL;

  mixed_fixture_open (&fixture,
                      "app name=source spec=u32[50] -> upload -> KERNEL=more by=5 -> KERNEL=zed grid=1 block=32 -> "
                      "KERNEL=turned grid=1 block=64 -> KERNEL=more by=1 -> readback -> app name=sink\n",
                      GPOINTER_TO_INT (executor), 16);
  for (guint n = 1; n <= 70; n += n < 36 ? 1 : 11)
    {
      guint64 before = session_fixture_get_count (&fixture.base, "launches");
      g_autoptr (GPtrArray) inputs = make_numbers (n, 50), results = run_batch (fixture.base.session, inputs);

      if (GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_GRAPH) /* as few as there are powers of two in it */
        g_assert_cmpuint (session_fixture_get_count (&fixture.base, "launches") - before, ==,
                          n / 16 + __builtin_popcount (n % 16));
      for (guint lane = 0; lane < n; lane++)
        {
          const guint32 *x = g_bytes_get_data (g_ptr_array_index (inputs, lane), NULL);
          const guint32 *y = g_bytes_get_data (g_ptr_array_index (results, lane), NULL);

          for (guint i = 0; i < 50; i++)
            g_assert_cmpuint (y[i], ==, (x[49 - i] + 5) * 3 + 1);
        }
    }
  text = dup_batch_text (fixture.base.session);
  g_assert_nonnull (strstr (text, "it uses the grid's z"));
  drawing = dup_batch_drawing (fixture.base.session);
  g_assert_nonnull (strstr (drawing, "zed\\nspread"));
  g_assert_nonnull (strstr (drawing, "turned\\ncoalesced"));
  g_assert_nonnull (strstr (text, "coalesced"));
  mixed_fixture_close (&fixture);
}

/* Blocks that wait for the one before: only where they take tickets are they all in one launch. */
static void
test_mixed_chain (gconstpointer executor)
{
  static const struct
  {
    const char *entry, *says;
    guint32 tickets;
  } table[] = {
    { "by_number", "its blocks may wait for each other, and take no tickets", 0 },
    { "by_ticket", "coalesced", 20 },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      MixedFixture fixture;
      g_autofree char *text = NULL;
      g_autofree char *chain =
        g_strdup_printf ("app name=source spec=u32[20] -> upload -> KERNEL=%s grid=20 block=32 y=u32[21] clear=y -> "
                         "readback -> app name=sink\n",
                         table[i].entry);
      g_autoptr (GPtrArray) inputs = make_numbers (40, 20), results = NULL;

      mixed_fixture_open (&fixture, chain, GPOINTER_TO_INT (executor), 16);
      results = run_batch (fixture.base.session, inputs);
      for (guint lane = 0; lane < 40; lane++)
        {
          const guint32 *x = g_bytes_get_data (g_ptr_array_index (inputs, lane), NULL);
          const guint32 *y = g_bytes_get_data (g_ptr_array_index (results, lane), NULL);
          guint32 sum = 1;

          g_assert_cmpuint (y[0], ==, table[i].tickets);
          for (guint block = 0; block < 20; block++)
            g_assert_cmpuint (y[block + 1], ==, sum += x[block]);
        }
      text = dup_batch_text (fixture.base.session);
      g_assert_nonnull (strstr (text, table[i].says));
      g_assert_true ((strstr (text, "spread") != NULL) == (table[i].tickets == 0));
      mixed_fixture_close (&fixture);
    }
}

/* Some lanes have more than there is room for; where another kernel takes it, and where it goes to the host. */
static void
check_poison (const char *chain, LeatExecutor executor, guint by)
{
  MixedFixture fixture;
  g_autoptr (GPtrArray) inputs = make_numbers (130, MOST);
  g_autoptr (GPtrArray) results = NULL;

  for (guint lane = 0; lane < 130; lane++)
    {
      guint32 x[MOST];

      for (guint i = 0; i < MOST; i++)
        x[i] = lane * 1000 + 2 * i + (i < (lane % 50 == 17 ? 9u : lane % 9) ? 0 : 1);
      g_bytes_unref (g_ptr_array_index (inputs, lane));
      g_ptr_array_index (inputs, lane) = g_bytes_new (x, sizeof x);
    }
  mixed_fixture_open (&fixture, chain, executor, 32);
  for (guint round = 0; round < 2; round++)
    {
      results = run_batch (fixture.base.session, inputs);
      for (guint lane = 0; lane < 130; lane++)
        {
          g_autoptr (GError) error = leat_session_dup_entry_error (fixture.base.session, lane);
          GBytes *result = g_ptr_array_index (results, lane);

          if (lane % 50 == 17)
            {
              g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW);
              g_assert_nonnull (strstr (error->message, "9 items"));
              g_assert_null (result);
              continue;
            }
          g_assert_no_error (error);
          g_assert_cmpuint (g_bytes_get_size (result), ==, lane % 9 * sizeof (guint32));
          for (guint i = 0; i < lane % 9; i++)
            g_assert_cmpuint (((const guint32 *) g_bytes_get_data (result, NULL))[i], ==, lane * 1000 + 2 * i + by);
        }
      g_clear_pointer (&results, g_ptr_array_unref);
    }
  g_assert_cmpuint (session_fixture_get_count (&fixture.base, "entry-errors"), ==, 6);
  mixed_fixture_close (&fixture);
}

static void
test_mixed_poison (gconstpointer executor)
{
  check_poison ("app name=source spec=u32[<=100] -> upload -> KERNEL=even grid=1 block=1 y=u32[<=8] -> readback -> "
                "app name=sink\n",
                GPOINTER_TO_INT (executor), 0);
  check_poison ("app name=source spec=u32[<=100] -> upload -> KERNEL=even grid=1 block=1 y=u32[<=8] -> "
                "KERNEL=more by=7 -> readback -> app name=sink\n",
                GPOINTER_TO_INT (executor), 7);
}

/* State goes from lane to lane, and on to single runs. */
static void
test_mixed_state (gconstpointer executor)
{
  SessionFixture fixture;
  g_autofree char *text = NULL;
  float sum = 0;

  session_fixture_open_pipeline (&fixture, tally_node_make_pipeline ("f32[4]"), GPOINTER_TO_INT (executor));
  g_object_set (fixture.session, "batch", 8u, NULL);
  for (guint n = 1; n <= 40; n += 3)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
      const float x[] = { 0, 100, 200, 300 };
      g_autoptr (GBytes) single = NULL;

      for (guint lane = 0; lane < n; lane++)
        g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
      results = run_batch (fixture.session, inputs);
      for (guint lane = 0; lane < n; lane++)
        {
          sum += 1;
          g_assert_cmpfloat (((const float *) g_bytes_get_data (g_ptr_array_index (results, lane), NULL))[2], ==,
                             200 + sum);
        }
      single = session_fixture_run (&fixture, x, sizeof x);
      sum += 1;
      g_assert_cmpfloat (((const float *) g_bytes_get_data (single, NULL))[1], ==, 100 + sum);
    }
  text = dup_batch_text (fixture.session);
  g_assert_nonnull (strstr (text, "in order (it touches what is kept from run to run)"));
  session_fixture_close (&fixture);
}

/* A state that the program has is a batch's while that is under way, and what it writes there the next one sees. */
static void
test_mixed_lent_state (gconstpointer executor)
{
  const float x[] = { 0, 100, 200, 300 };
  SessionFixture fixture;

  session_fixture_open_pipeline (&fixture, tally_node_make_pipeline ("f32[4]"), GPOINTER_TO_INT (executor));
  g_object_set (fixture.session, "batch", 8u, NULL);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
      g_auto (GStrv) names = leat_session_list_states (fixture.session);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (fixture.session, names[0], &error);
      g_autoptr (GBytes) before = NULL;

      g_assert_no_error (error);
      before = leat_device_buffer_download (state, 0, leat_device_buffer_get_bytes (state), &error);
      g_assert_no_error (error);
      for (guint lane = 0; lane < 20; lane++)
        g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
      results = run_batch (fixture.session, inputs);
      for (guint lane = 0; lane < 20; lane++)
        g_assert_cmpfloat (((const float *) g_bytes_get_data (g_ptr_array_index (results, lane), NULL))[2], ==,
                           201 + lane);
      leat_device_buffer_upload (state, 0, before, &error);
      g_assert_no_error (error);
    }
  session_fixture_close (&fixture);
}

static void
test_mixed_foreign (gconstpointer executor)
{
  ForeignFixture fixture;

  foreign_fixture_set_up (&fixture);
  foreign_fixture_open (&fixture, GPOINTER_TO_INT (executor));
  for (guint n = 1; n <= 40; n += 13)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;

      for (guint lane = 0; lane < n; lane++)
        {
          guint8 x[FOREIGN_FIXTURE_N];

          memset (x, (int) lane, sizeof x);
          g_ptr_array_add (inputs, g_bytes_new (x, sizeof x));
        }
      results = run_batch (fixture.base.session, inputs);
      for (guint lane = 0; lane < n; lane++)
        {
          const guint8 *y = g_bytes_get_data (g_ptr_array_index (results, lane), NULL);

          for (guint i = 0; i < FOREIGN_FIXTURE_N; i++)
            g_assert_cmpuint (y[i], ==, i < 4 ? 0x5a : lane);
        }
    }
  foreign_fixture_clear (&fixture);
}

static void
test_mixed_budget (void)
{
  SessionFixture fixture;
  g_autoptr (GError) error = NULL;
  LeatView view;
  guint64 stride;

  session_fixture_open (&fixture,
                        "app name=source spec=f32[100000] -> upload -> map expr=\"x+1\" -> readback -> app "
                        "name=sink\n",
                        LEAT_EXECUTOR_GRAPH);
  leat_device_set_budget (leat_session_get_device (fixture.session), 128 * 1024);
  g_assert_false (leat_session_map_batch (fixture.session, "source", 4, &view, &stride, &error));
  g_test_message ("%s", error->message);
  g_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY);
  g_clear_error (&error);
  leat_device_set_budget (leat_session_get_device (fixture.session), 4 * 1024 * 1024);
  g_assert_true (leat_session_map_batch (fixture.session, "source", 4, &view, &stride, &error));
  g_assert_no_error (error);
  leat_device_set_budget (leat_session_get_device (fixture.session), G_MAXUINT64);
  session_fixture_close (&fixture);
}

static void
add (const char *name, GTestDataFunc func)
{
  g_autofree char *graph = g_strconcat ("/leat/session/batch/mixed/", name, "/graph", NULL);
  g_autofree char *eager = g_strconcat ("/leat/session/batch/mixed/", name, "/eager", NULL);

  g_test_add_data_func (graph, GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), func);
  g_test_add_data_func (eager, GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), func);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  add ("spread", test_mixed_spread);
  add ("chain", test_mixed_chain);
  add ("poison", test_mixed_poison);
  add ("state", test_mixed_state);
  add ("lent-state", test_mixed_lent_state);
  add ("foreign", test_mixed_foreign);
  g_test_add_func ("/leat/session/batch/mixed/budget", test_mixed_budget);
  return g_test_run ();
}
