/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "device/leat-device-private.h"
#include "scheduler-fixture.h"

#include <string.h>

/* Sessions for which the device has no room together. */

#define WORDS ((1 << 20) + 100)

/* Each adds its own number to what it keeps. */
typedef struct
{
  LeatScheduler *scheduler;
  LeatSession *sessions[3];
  LeatDevice *device;
  guint64 bytes; /* of one */
} Crowd;

static guint64
crowd_get_used (Crowd *self)
{
  LeatMemoryCounts counts;

  leat_device_get_memory_counts (self->device, LEAT_MEMORY_DEVICE, &counts);
  return counts.live_bytes;
}

/* Whose data go the same way for all, so that all take as much. */
static LeatSession *
crowd_make_session (guint number)
{
  g_autofree char *text = g_strdup_printf ("leat 1\n"
                                           "sum = state spec=u32[%u]\n"
                                           "m = map inputs=s expr=s+%u\n"
                                           "sum -> m.s -> sum\n"
                                           "n = map inputs=x expr=x+%u\n"
                                           "app name=source spec=u32[1] -> upload mode=copy -> n.x\n"
                                           "n -> readback mode=copy -> app name=sink\n",
                                           WORDS, number, number);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  return leat_session_new (pipeline, NULL);
}

static void
crowd_open (Crowd *self)
{
  g_autoptr (GError) error = NULL;
  guint64 before;

  self->device = leat_device_open (NULL, &error);
  g_assert_no_error (error);
  self->scheduler = leat_scheduler_new (self->device);
  for (guint i = 0; i < G_N_ELEMENTS (self->sessions); i++)
    {
      self->sessions[i] = crowd_make_session (i + 1);
      leat_scheduler_add (self->scheduler, self->sessions[i], &error);
      g_assert_no_error (error);
    }
  before = crowd_get_used (self);
  leat_session_open (self->sessions[0], NULL, &error);
  g_assert_no_error (error);
  self->bytes = crowd_get_used (self) - before;
  g_assert_cmpuint (self->bytes, >=, WORDS * sizeof (guint32));
}

static void
crowd_close (Crowd *self)
{
  leat_scheduler_close (self->scheduler);
  for (guint i = 0; i < G_N_ELEMENTS (self->sessions); i++)
    {
      leat_session_close (self->sessions[i]);
      g_object_unref (self->sessions[i]);
    }
  g_object_unref (self->scheduler);
  g_object_unref (self->device);
}

/* As many as that, and not another. */
static void
crowd_allow (Crowd *self, guint n_more)
{
  g_object_set (self->scheduler, "budget", crowd_get_used (self) + n_more * self->bytes + self->bytes / 2, NULL);
}

static guint32
crowd_get_state (Crowd *self, guint index)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (self->sessions[index], "sum", &error);
  g_autoptr (GBytes) bytes = NULL;
  guint32 value;

  g_assert_no_error (error);
  bytes = leat_device_buffer_download (state, 0, sizeof value, &error);
  g_assert_no_error (error);
  memcpy (&value, g_bytes_get_data (bytes, NULL), sizeof value);
  return value;
}

static void
crowd_run (Crowd *self, guint index, guint32 given)
{
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
  g_autoptr (GError) error = NULL;
  guint32 value;

  g_ptr_array_add (inputs, g_bytes_new (&given, sizeof given));
  leat_scheduler_replay (self->scheduler, self->sessions[index], inputs, 0, &results, NULL, &error);
  g_assert_no_error (error);
  memcpy (&value, g_bytes_get_data (g_ptr_array_index (results, 0), NULL), sizeof value);
  g_assert_cmpuint (value, ==, given + index + 1);
}

/* Two have room; who was not used for longest goes, and comes back with what it kept. */
static void
test_evicts_least_recently_used (void)
{
  Crowd crowd;
  g_autoptr (GError) error = NULL;

  crowd_open (&crowd);
  crowd_allow (&crowd, 1);
  leat_session_open (crowd.sessions[1], NULL, &error);
  g_assert_no_error (error);
  g_assert_false (leat_session_is_evicted (crowd.sessions[0]));
  crowd_run (&crowd, 1, 10);
  crowd_run (&crowd, 0, 20);
  leat_session_open (crowd.sessions[2], NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_is_evicted (crowd.sessions[1]));
  g_assert_false (leat_session_is_evicted (crowd.sessions[0]));
  for (guint round = 1; round <= 4; round++)
    for (guint i = 0; i < 3; i++)
      crowd_run (&crowd, i, round);
  /* Its state is asked for where it is on the device, or brought back. */
  for (guint i = 0; i < 3; i++)
    g_assert_cmpuint (crowd_get_state (&crowd, i), ==, (i + 1) * (i < 2 ? 5 : 4));
  crowd_close (&crowd);
}

/* To the byte, as memory is given out: neither opening nor coming back takes more than is allowed. */
static void
test_holds_to_the_byte (void)
{
  Crowd crowd;
  g_autoptr (GError) error = NULL;
  guint64 allowed;

  crowd_open (&crowd);
  g_object_set (crowd.scheduler, "evict-idle", FALSE, NULL);
  allowed = crowd_get_used (&crowd) + crowd.bytes;
  for (guint back = 0; back < 2; back++)
    {
      g_object_set (crowd.scheduler, "budget", allowed - 1, NULL);
      if (back ? leat_session_restore (crowd.sessions[1], NULL, &error)
               : leat_session_open (crowd.sessions[1], NULL, &error))
        g_assert_not_reached ();
      g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_BUDGET);
      g_clear_error (&error);
      g_object_set (crowd.scheduler, "budget", allowed, NULL);
      if (back)
        leat_session_restore (crowd.sessions[1], NULL, &error);
      else
        leat_session_open (crowd.sessions[1], NULL, &error);
      g_assert_no_error (error);
      g_assert_cmpuint (crowd_get_used (&crowd), ==, allowed);
      g_assert_true (leat_session_evict (crowd.sessions[1], NULL, NULL));
    }
  crowd_close (&crowd);
}

static void
test_refuses_opening (void)
{
  Crowd crowd;
  g_autoptr (GError) error = NULL;
  g_autofree char *allowed = NULL;
  guint64 budget;

  crowd_open (&crowd);
  crowd_allow (&crowd, 0);
  g_object_set (crowd.scheduler, "evict-idle", FALSE, NULL);
  g_object_get (crowd.scheduler, "budget", &budget, NULL);
  g_assert_false (leat_session_open (crowd.sessions[1], NULL, &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_BUDGET);
  allowed = g_strdup_printf ("%" G_GUINT64_FORMAT, budget);
  g_assert_nonnull (strstr (error->message, allowed));
  g_assert_nonnull (strstr (error->message, "required"));
  g_assert_nonnull (strstr (error->message, "in use"));
  g_assert_false (leat_session_is_open (crowd.sessions[1]));
  g_clear_error (&error);
  /* Nothing was held back for it. */
  g_object_set (crowd.scheduler, "evict-idle", TRUE, NULL);
  leat_session_open (crowd.sessions[1], NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_is_evicted (crowd.sessions[0]));
  crowd_run (&crowd, 0, 3);
  g_assert_true (leat_session_is_evicted (crowd.sessions[1]));
  crowd_close (&crowd);
}

/* One that is open makes others go, or is not taken. */
static void
test_refuses_adding (void)
{
  Crowd crowd;
  g_autoptr (GError) error = NULL;

  crowd_open (&crowd);
  g_assert_true (leat_scheduler_remove (crowd.scheduler, crowd.sessions[1], NULL));
  leat_session_open (crowd.sessions[1], NULL, &error);
  g_assert_no_error (error);
  g_object_set (crowd.scheduler, "budget", crowd_get_used (&crowd) - crowd.bytes / 2, "evict-idle", FALSE, NULL);
  g_assert_false (leat_scheduler_add (crowd.scheduler, crowd.sessions[1], &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_BUDGET);
  g_clear_error (&error);
  g_object_set (crowd.scheduler, "evict-idle", TRUE, NULL);
  leat_scheduler_add (crowd.scheduler, crowd.sessions[1], &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_is_evicted (crowd.sessions[0]));
  crowd_run (&crowd, 1, 7);
  crowd_close (&crowd);
}

/* Nobody goes for one that is not taken anyway. */
static void
test_refuses_adding_again (void)
{
  Crowd crowd;
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatScheduler) other = NULL;

  crowd_open (&crowd);
  leat_session_open (crowd.sessions[1], NULL, &error);
  g_assert_no_error (error);
  g_object_set (crowd.scheduler, "budget", crowd_get_used (&crowd) - crowd.bytes / 2, NULL);
  g_assert_false (leat_scheduler_add (crowd.scheduler, crowd.sessions[1], &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  g_clear_error (&error);
  other = leat_scheduler_new (crowd.device);
  g_assert_false (leat_scheduler_add (other, crowd.sessions[1], &error));
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER);
  g_assert_false (leat_session_is_evicted (crowd.sessions[0]));
  crowd_close (&crowd);
}

/* A run for which there is no room fails alone. */
static void
test_refuses_bringing_back (void)
{
  Crowd crowd;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  guint32 given = 1;

  crowd_open (&crowd);
  leat_session_open (crowd.sessions[1], NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_evict (crowd.sessions[0], NULL, &error));
  g_object_set (crowd.scheduler, "budget", crowd_get_used (&crowd) + crowd.bytes / 2, "evict-idle", FALSE, NULL);
  g_ptr_array_add (inputs, g_bytes_new (&given, sizeof given));
  g_assert_cmpint (leat_scheduler_replay (crowd.scheduler, crowd.sessions[0], inputs, 0, NULL, NULL, &error), ==,
                   LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_BUDGET);
  g_clear_error (&error);
  g_object_set (crowd.scheduler, "budget", (guint64) 0, NULL);
  crowd_run (&crowd, 0, 5);
  crowd_close (&crowd);
}

static gint endless_is_over; /* atomic */

/* Two seconds on the host. */
static gpointer
run_endless (gpointer data)
{
  Crowd *crowd = data;
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GError) error = NULL;
  float x = 1;

  g_ptr_array_add (inputs, g_bytes_new (&x, sizeof x));
  g_assert_cmpint (leat_scheduler_replay (crowd->scheduler, crowd->sessions[2], inputs, 0, NULL, NULL, &error), ==,
                   LEAT_FLOW_ERROR);
  g_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
  g_atomic_int_set (&endless_is_over, TRUE);
  return NULL;
}

static gpointer
run_first (gpointer data)
{
  crowd_run (data, 0, 5);
  return NULL;
}

/* Who waits for room has it when more is allowed, and not only when the run that it waits for has ended. */
static void
test_larger_while_waiting (void)
{
  static const char endless[] = "leat 1\n"
                                "away = loop until=\"y < 0\" carry=x:y budget=2 method=host {\n"
                                "  in.x -> map expr=x*0+1 -> out.y\n"
                                "}\n"
                                "app name=source spec=f32[1] -> upload -> away.x\n"
                                "away.y -> readback -> app name=sink\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (endless, LEAT_TEXT_STYLE_FILE, NULL, &error);
  GThread *runs, *waits;
  Crowd crowd;

  g_assert_no_error (error);
  crowd_open (&crowd);
  g_assert_true (leat_scheduler_remove (crowd.scheduler, crowd.sessions[2], NULL));
  g_set_object (&crowd.sessions[2], NULL);
  crowd.sessions[2] = leat_session_new (pipeline, NULL);
  leat_scheduler_add (crowd.scheduler, crowd.sessions[2], &error);
  g_assert_no_error (error);
  leat_session_open (crowd.sessions[2], NULL, &error);
  g_assert_no_error (error);
  g_assert_true (leat_session_evict (crowd.sessions[0], NULL, &error));
  g_object_set (crowd.scheduler, "budget", crowd_get_used (&crowd) + crowd.bytes / 2, NULL);
  runs = g_thread_new ("runs", run_endless, &crowd);
  g_usleep (200000);
  waits = g_thread_new ("waits", run_first, &crowd);
  g_usleep (200000);
  g_assert_true (leat_session_is_evicted (crowd.sessions[0]));
  g_object_set (crowd.scheduler, "budget", (guint64) 0, NULL);
  g_thread_join (waits);
  g_assert_false (g_atomic_int_get (&endless_is_over));
  g_thread_join (runs);
  crowd_close (&crowd);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/scheduler/budget/evicts-least-recently-used", test_evicts_least_recently_used);
  g_test_add_func ("/leat/scheduler/budget/holds-to-the-byte", test_holds_to_the_byte);
  g_test_add_func ("/leat/scheduler/budget/larger-while-waiting", test_larger_while_waiting);
  g_test_add_func ("/leat/scheduler/budget/refuses-opening", test_refuses_opening);
  g_test_add_func ("/leat/scheduler/budget/refuses-adding", test_refuses_adding);
  g_test_add_func ("/leat/scheduler/budget/refuses-adding-again", test_refuses_adding_again);
  g_test_add_func ("/leat/scheduler/budget/refuses-bringing-back", test_refuses_bringing_back);
  return g_test_run ();
}
