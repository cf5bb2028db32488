/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "session-fixture.h"

/* What a session counts is what the driver has done, and not what was planned. */

#define N_ITEMS 1024
#define SUM                                                                                                            \
  "sum = state spec=u32[1024]\n"                                                                                       \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=u32[1024] -> upload mode=copy -> m.x\n"                                                        \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"
#define MAP                                                                                                            \
  "app name=source spec=u32[1024] -> upload mode=copy -> map expr=2*x -> readback mode=copy -> app name=sink\n"
#define COUNTED                                                                                                        \
  "app name=source spec=u32[<=1024] -> upload mode=copy -> compact where=\"x > 3\" -> readback mode=copy -> app "      \
  "name=sink\n"
#define REPORTS                                                                                                        \
  "b = csr:bfs\napp name=source spec=u32[5] -> upload mode=copy -> b.offsets\n"                                        \
  "app spec=u32[6] -> upload mode=copy -> b.indices\nb.levels -> readback mode=copy -> app name=sink\n"

static LeatCpuCounters
get_counters (void)
{
  LeatCpuCounters counters = { .size = sizeof counters };

  fault_driver_get_counters (&counters);
  return counters;
}

/* Since @before, but for what was written for all runs. */
static void
assert_counted (SessionFixture *fixture, const LeatCpuCounters *before)
{
  LeatCpuCounters now = get_counters ();

  g_assert_cmpuint (now.bytes_to_device - before->bytes_to_device, ==,
                    session_fixture_get_count (fixture, "bytes-up")
                      + session_fixture_get_count (fixture, "once-bytes"));
  g_assert_cmpuint (now.bytes_to_host - before->bytes_to_host, ==, session_fixture_get_count (fixture, "bytes-back"));
  g_assert_cmpuint (now.copies_to_host - before->copies_to_host, ==, session_fixture_get_count (fixture, "readbacks"));
  g_assert_cmpuint (now.copies_to_device - before->copies_to_device, >=,
                    session_fixture_get_count (fixture, "uploads"));
}

/* Since counting was started, which was when the session was opened. */
static void
assert_predicted (SessionFixture *fixture)
{
  g_autoptr (GVariant) counted = leat_session_stop_counting (fixture->session, NULL);
  g_autoptr (GVariant) predicted = leat_session_dup_predicted (fixture->session);
  GVariantIter iter;
  const char *name;
  guint64 wanted, n;

  g_variant_iter_init (&iter, predicted);
  while (g_variant_iter_next (&iter, "{&st}", &name, &wanted))
    {
      g_test_message ("%s: %" G_GUINT64_FORMAT, name, wanted);
      g_assert_true (g_variant_lookup (counted, name, "t", &n));
      g_assert_cmpuint (n, ==, wanted);
    }
}

/* One way to use a session that is open. */
typedef void (*Use) (SessionFixture *fixture);

static void
use_runs (SessionFixture *fixture)
{
  guint32 x[N_ITEMS] = { 0 };

  for (guint i = 0; i < 5; i++)
    g_bytes_unref (session_fixture_run (fixture, x, sizeof x));
  g_assert_cmpuint (session_fixture_get_count (fixture, "waits"), ==, 5);
  g_assert_cmpuint (session_fixture_get_count (fixture, "uploads"), ==, 5);
}

static void
use_repeated_runs (SessionFixture *fixture)
{
  g_object_set (fixture->session, "repeat", G_GUINT64_CONSTANT (150), NULL);
  g_bytes_unref (session_fixture_run (fixture, (guint32[N_ITEMS]){ 0 }, N_ITEMS * 4));
  g_assert_cmpuint (session_fixture_get_count (fixture, "waits"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (fixture, "uploads"), ==, 1);
  g_assert_cmpuint (session_fixture_get_count (fixture, "readbacks"), ==, 1);
}

/* Launches of different numbers of lanes, whose copies are given less to do. */
static void
use_batches (SessionFixture *fixture)
{
  static const guint numbers[] = { 100, 64, 7, 1 };

  for (guint i = 0; i < G_N_ELEMENTS (numbers); i++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
      g_autoptr (GPtrArray) results = NULL;
      g_autoptr (GError) error = NULL;

      for (guint lane = 0; lane < numbers[i]; lane++)
        g_ptr_array_add (inputs, g_bytes_new_take (g_malloc0 (N_ITEMS * 4), N_ITEMS * 4));
      leat_session_replay_batch (fixture->session, numbers[i], inputs, &results, NULL, &error);
      g_assert_no_error (error);
    }
  g_assert_cmpuint (session_fixture_get_count (fixture, "bytes-up"), >=, (100 + 64 + 7 + 1) * N_ITEMS * 4);
}

typedef struct
{
  const char *name, *text;
  Use use;
} Case;

static const Case cases[] = {
  { "map/runs", MAP, use_runs },
  { "map/repeated-runs", MAP, use_repeated_runs },
  { "map/batches", MAP, use_batches },
  { "state/runs", SUM, use_runs },
  { "state/repeated-runs", SUM, use_repeated_runs },
  { "state/batches", SUM, use_batches },
};

static void
test_session_plan_counters (gconstpointer data)
{
  const Case *what = data;

  for (LeatExecutor executor = LEAT_EXECUTOR_GRAPH; executor <= LEAT_EXECUTOR_EAGER; executor++)
    {
      LeatCpuCounters before = get_counters ();
      SessionFixture fixture;

      session_fixture_open (&fixture, what->text, executor);
      leat_session_start_counting (fixture.session, NULL);
      (*what->use) (&fixture);
      if (what->use != use_repeated_runs) /* runs without results are in no prediction */
        assert_predicted (&fixture);
      assert_counted (&fixture, &before);
      session_fixture_close (&fixture);
    }
}

/* Blocks that were kept by the device's pool are given again without a call of the driver. */
static void
test_session_plan_counters_memory (void)
{
  LeatCpuCounters before, open;
  SessionFixture fixture;

  before = get_counters ();
  session_fixture_open (&fixture, SUM, LEAT_EXECUTOR_GRAPH);
  open = get_counters ();
  g_assert_cmpuint (session_fixture_get_count (&fixture, "device-bytes"), ==,
                    session_fixture_get_count (&fixture, "device-bytes-most"));
  if (before.device_bytes == 0)
    g_assert_cmpuint (open.device_bytes, ==, session_fixture_get_count (&fixture, "device-bytes"));
  g_assert_cmpuint (open.device_allocations - before.device_allocations, <=,
                    session_fixture_get_count (&fixture, "allocations"));
  session_fixture_close (&fixture);
}

#define MORE(plan)                                                                                                     \
  (LEAT_BOUND_BUFFER (leat_plan_get_buffer (plan, 0))->zone > 0 ? 512 : 256) /* that a block may have behind it */
#define DATA 2 /* pinned blocks that may: those of the source and the sink, and none of words */

static void
assert_planned (LeatPlan *plan, guint64 bytes, guint64 has, guint64 blocks)
{
  g_assert_cmpuint (has, >=, bytes);
  g_assert_cmpuint (has, <=, bytes + MORE (plan) * blocks);
}

/* What the plan says of one lane is what opening a session takes, whatever the memory is for. */
static void
test_session_plan_counters_planned (void)
{
  static const char *const texts[] = { SUM, MAP, COUNTED, REPORTS };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      SessionFixture fixture;
      g_autoptr (LeatPlan) plan = NULL;
      g_autoptr (GVariant) planned = NULL;
      guint64 blocks, pinned;

      session_fixture_open (&fixture, texts[i], LEAT_EXECUTOR_GRAPH);
      plan = leat_session_dup_plan (fixture.session);
      planned = leat_plan_dup_prediction (plan);
      g_assert_true (g_variant_lookup (planned, "allocations", "t", &blocks));
      g_assert_true (g_variant_lookup (planned, "pinned-allocations", "t", &pinned));
      g_assert_cmpuint (session_fixture_get_count (&fixture, "allocations"), ==, blocks);
      g_assert_cmpuint (session_fixture_get_count (&fixture, "pinned-allocations"), ==, pinned);
      assert_planned (plan, leat_plan_get_device_bytes (plan), session_fixture_get_count (&fixture, "device-bytes"),
                      blocks);
      assert_planned (plan, leat_plan_get_host_bytes (plan), session_fixture_get_count (&fixture, "pinned-bytes"),
                      DATA);
      g_clear_object (&plan);
      session_fixture_close (&fixture);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  g_test_add_func ("/leat/session-plan-counters/memory", test_session_plan_counters_memory);
  g_test_add_func ("/leat/session-plan-counters/planned", test_session_plan_counters_planned);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *name = g_strconcat ("/leat/session-plan-counters/", cases[i].name, NULL);

      g_test_add_data_func (name, &cases[i], test_session_plan_counters);
    }
  return g_test_run ();
}
