/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "session-fixture.h"

#include "device/leat-device-private.h"

/* Every driver call of a session that leaves the device, comes back and runs is made to fail, one after the other.  It
 * is on the device or off it then, and never between, and what it keeps is there. */

#define TEXT                                                                                                           \
  "sum = state spec=u32[64]\n"                                                                                         \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=u32[64] -> upload mode=copy -> m.x\n"                                                          \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"

/* The sum after a run with @x. */
static guint32
fixture_run (SessionFixture *self, guint32 x)
{
  g_autoptr (GBytes) output = NULL;
  guint32 items[64];

  for (guint i = 0; i < 64; i++)
    items[i] = x;
  output = session_fixture_run (self, items, sizeof items);
  return *(const guint32 *) g_bytes_get_data (output, NULL);
}

typedef gboolean (*Move) (LeatSession *session, GCancellable *cancellable, GError **error);

/* One call of a move fails; a session that could not go where it should is where it was, and goes there later. */
static void
sweep_one (const FaultRow *row, const char *plant)
{
  const Move move = row->again ? leat_session_restore : leat_session_evict;
  gboolean was_away = row->again, good;
  g_autoptr (GError) error = NULL, later = NULL;
  SessionFixture fixture;

  session_fixture_open (&fixture, TEXT, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (fixture_run (&fixture, 100), ==, 100);
  g_assert_true (!was_away || leat_session_evict (fixture.session, NULL, NULL));
  fault_driver_plant (plant);
  good = (*move) (fixture.session, NULL, &error);
  if (good == (error != NULL))
    fault_driver_complain ("%s (%s): an error, or none, where there should be none, or one", plant,
                           fault_driver_get_failed ());
  if (leat_session_is_evicted (fixture.session) != (good ? !was_away : was_away))
    fault_driver_complain ("%s (%s): the session is where it should not be", plant, fault_driver_get_failed ());
  fault_driver_plant ("");
  if (!(*move) (fixture.session, NULL, &later))
    fault_driver_complain ("%s: not even later: %s", plant, later->message);
  if (fixture_run (&fixture, 2) != 102)
    fault_driver_complain ("%s: what it keeps is lost", plant);
  session_fixture_close (&fixture);
}

static guint64
count_calls (const FaultRow *row)
{
  const Move move = row->again ? leat_session_restore : leat_session_evict;
  SessionFixture fixture;
  guint64 n;

  session_fixture_open (&fixture, TEXT, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (fixture_run (&fixture, 100), ==, 100);
  g_assert_true (!row->again || leat_session_evict (fixture.session, NULL, NULL));
  fault_driver_plant ("");
  g_assert_true ((*move) (fixture.session, NULL, NULL));
  n = fault_driver_count_calls ();
  session_fixture_close (&fixture);
  return n;
}

#define ROW(name, code, restores)                                                                                      \
  {                                                                                                                    \
    "/leat/session-evict-faults/" name, code, 3, count_calls, sweep_one, restores                                      \
  }

static const FaultRow rows[] = {
  ROW ("evict/unknown", "UNKNOWN", FALSE),
  ROW ("restore/unknown", "UNKNOWN", TRUE),
  ROW ("evict/out-of-memory", "OUT_OF_MEMORY", FALSE),
  ROW ("restore/out-of-memory", "OUT_OF_MEMORY", TRUE),
};

/* What the driver has given out, and not what Leat thinks that it has. */
static void
test_session_evict_faults_driver_memory (void)
{
  LeatCpuCounters open = { .size = sizeof open }, away = open, back = open;
  SessionFixture fixture;

  session_fixture_open (&fixture, TEXT, LEAT_EXECUTOR_GRAPH);
  g_assert_cmpuint (fixture_run (&fixture, 7), ==, 7);
  fault_driver_get_counters (&open);
  g_assert_true (leat_session_evict (fixture.session, NULL, NULL));
  fault_driver_get_counters (&away);
  g_assert_cmpuint (fixture_run (&fixture, 7), ==, 14);
  fault_driver_get_counters (&back);
  g_assert_cmpuint (away.device_bytes + 256, <=, open.device_bytes);
  g_assert_cmpuint (away.device_allocations, ==, away.device_frees);
  g_assert_cmpuint (away.execs_destroyed, ==, away.instantiates);
  g_assert_cmpuint (back.device_bytes, ==, open.device_bytes);
  g_assert_cmpuint (back.instantiates - back.execs_destroyed, ==, open.instantiates - open.execs_destroyed);
  session_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  g_test_add_func ("/leat/session-evict-faults/driver-memory", test_session_evict_faults_driver_memory);
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  return g_test_run ();
}
