/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "leat.h"

#include <string.h>

/* Every driver call of a run that finds an output with too little room, plans anew and is done again is made to fail,
 * one after the other.  Such a run gives all of its result or none, and the session goes on with the room that it had,
 * or, where that is gone too, is closed and opened again. */

#define TEXT                                                                                                           \
  "leat 1\n"                                                                                                           \
  "app name=source spec=u32[<=64] -> upload mode=copy -> compact where=x>9 out=u32[<=8] on-overflow=grow -> "          \
  "map expr=x+1 -> readback mode=copy -> app name=sink\n"

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatApp *source, *sink;
} Fixture;

static void
fixture_open_session (Fixture *self)
{
  g_autoptr (GError) error = NULL;

  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static void
fixture_open (Fixture *self, LeatExecutor executor, guint lanes)
{
  g_autoptr (GError) error = NULL;

  self->pipeline = leat_parse_text (TEXT, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  self->source = LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL));
  self->sink = LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL));
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", executor, "lanes", lanes, NULL);
  fixture_open_session (self);
}

static void
fixture_close (Fixture *self)
{
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

/* @n numbers, all of which are kept. */
static void
fixture_push (Fixture *self, guint32 n)
{
  guint32 items[64];
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) input = NULL;

  for (guint32 i = 0; i < n; i++)
    items[i] = 10 + n * i;
  input = g_bytes_new (items, n * sizeof *items);
  leat_app_push_bytes (self->source, input, &error);
  g_assert_no_error (error);
}

/* How many numbers came, all of which are right; 0: there is no result. */
static guint32
fixture_pull (Fixture *self, const char *when)
{
  g_autoptr (GBytes) output = leat_app_pull_bytes (self->sink, 0, NULL);
  const guint32 *items = output != NULL ? g_bytes_get_data (output, NULL) : NULL;
  guint32 n = output != NULL ? g_bytes_get_size (output) / sizeof *items : 0;

  for (guint32 i = 0; i < n; i++)
    if (items[i] != 11 + n * i)
      fault_driver_complain ("%s: number %u of %u is %u", when, i, n, items[i]);
  return n;
}

static gboolean
fixture_replay (Fixture *self, guint32 n, const char *when, GError **error)
{
  gboolean good;

  fixture_push (self, n);
  good = leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_DATA;
  if (fixture_pull (self, when) != (good ? n : 0))
    fault_driver_complain ("%s: a result, or none, where there should be none, or one", when);
  return good;
}

static guint64
fixture_get (Fixture *self, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 n = 0;

  g_assert_true (g_variant_lookup (stats, name, "t", &n));
  return n;
}

/* Calls that write memory which a session is to go on with: nobody knows what it holds after them. */
static gboolean
may_give_up_after (const char *call)
{
  return g_str_equal (call, "cuMemcpyHtoD") || g_str_equal (call, "cuMemsetD8")
         || g_str_equal (call, "cuStreamSynchronize") || g_str_equal (call, "cuCtxPushCurrent");
}

/* After a run that failed, before there was more room: the same session runs what fits, and what does not with it. */
static void
check_goes_on (Fixture *self, const char *call, const char *when)
{
  g_autoptr (GError) error = NULL;

  if (fixture_replay (self, 8, when, &error))
    return;
  if (!g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED) || !may_give_up_after (call))
    fault_driver_complain ("%s (%s): the session does not go on: %s", when, call, error->message);
}

/* What could not be given back is there still. */
static void
check_nothing_left (guint64 alive, const char *call, const char *when)
{
  static const char *const words[] = { "Destroy", "Free", "Unload", "Release", "Synchronize" };
  guint64 left = fault_driver_count_alive ();
  gboolean may_be = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    may_be = may_be || (call != NULL && strstr (call, words[i]) != NULL);
  if (left != alive && !may_be)
    fault_driver_complain ("%s (%s): %" G_GUINT64_FORMAT " things are left, and not %" G_GUINT64_FORMAT, when, call,
                           left, alive);
}

static void
sweep_one (LeatExecutor executor, const char *code, guint64 n)
{
  g_autofree char *when = g_strdup_printf ("call:%" G_GUINT64_FORMAT "=%s", n, code);
  g_autofree char *failed = NULL;
  g_autoptr (GError) error = NULL, later = NULL;
  guint64 alive = fault_driver_count_alive ();
  Fixture fixture;
  gboolean good;

  fixture_open (&fixture, executor, 1);
  g_assert_true (fixture_replay (&fixture, 8, when, NULL));
  fault_driver_plant (when);
  good = fixture_replay (&fixture, 40, when, &error);
  failed = g_strdup (fault_driver_get_failed ());
  fault_driver_plant ("");
  if (!good && error->domain != LEAT_DRIVER_ERROR)
    fault_driver_complain ("%s (%s): %s", when, failed, error->message);
  if (!good && fixture_get (&fixture, "grown") == 0 && strstr (error->message, "cannot grow") != NULL)
    check_goes_on (&fixture, failed, when);
  if (!fixture_replay (&fixture, 40, when, &later))
    {
      leat_session_close (fixture.session);
      fixture_open_session (&fixture);
      if (!fixture_replay (&fixture, 40, when, NULL))
        fault_driver_complain ("%s (%s): not even when it is opened again", when, failed);
    }
  fixture_close (&fixture);
  check_nothing_left (alive, failed, when);
}

static void
test_replay (gconstpointer data)
{
  static const char *const codes[] = { "OUT_OF_MEMORY", "UNKNOWN" };
  LeatExecutor executor = GPOINTER_TO_INT (data);
  Fixture fixture;
  guint64 n_calls;

  fixture_open (&fixture, executor, 1);
  g_assert_true (fixture_replay (&fixture, 8, "", NULL));
  fault_driver_plant ("");
  g_assert_true (fixture_replay (&fixture, 40, "", NULL));
  n_calls = fault_driver_count_calls ();
  g_assert_cmpuint (fixture_get (&fixture, "grown"), ==, 1);
  fixture_close (&fixture);
  g_assert_cmpuint (n_calls, >, 10);
  /* Both codes together take each call; without a graph most calls are the same. */
  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    for (guint64 n = 1 + i; n <= n_calls; n += executor == LEAT_EXECUTOR_EAGER ? 7 : 2)
      sweep_one (executor, codes[i], n);
}

static const guint32 stream[] = { 3, 8, 30, 2, 5, 64, 1 };

/* A run for which there is no room is left out. */
static guint
stream_pull (Fixture *self, const char *when)
{
  guint n = 0;
  guint32 found;

  for (guint i = 0; (found = fixture_pull (self, when)) > 0; i++, n++)
    {
      while (i < G_N_ELEMENTS (stream) && stream[i] != found)
        i++;
      if (i == G_N_ELEMENTS (stream))
        fault_driver_complain ("%s: %u numbers come where they should not", when, found);
    }
  return n;
}

/* Several runs are under way: those that are given are whole, and in order. */
static gboolean
stream_run (Fixture *self, const char *when, GError **error)
{
  gboolean good;
  guint n;

  for (guint i = 0; i < G_N_ELEMENTS (stream); i++)
    fixture_push (self, stream[i]);
  leat_app_end (self->source);
  good = leat_session_run (self->session, NULL, error);
  n = stream_pull (self, when);
  if (good && n < G_N_ELEMENTS (stream))
    fault_driver_complain ("%s: %u results", when, n);
  return good;
}

static void
test_stream (void)
{
  Fixture fixture;
  guint64 n_calls;

  fixture_open (&fixture, LEAT_EXECUTOR_GRAPH, 3);
  fault_driver_plant ("");
  g_assert_true (stream_run (&fixture, "", NULL));
  n_calls = fault_driver_count_calls ();
  g_assert_cmpuint (fixture_get (&fixture, "grown"), ==, 2);
  fixture_close (&fixture);
  for (guint64 n = 1; n <= n_calls; n += 11)
    {
      g_autofree char *when = g_strdup_printf ("call:%" G_GUINT64_FORMAT "=UNKNOWN", n);
      guint64 alive = fault_driver_count_alive ();
      g_autofree char *failed = NULL;
      g_autoptr (GError) error = NULL;

      fixture_open (&fixture, LEAT_EXECUTOR_GRAPH, 3);
      fault_driver_plant (when);
      stream_run (&fixture, when, &error);
      failed = g_strdup (fault_driver_get_failed ());
      fault_driver_plant ("");
      leat_session_close (fixture.session);
      fixture_open_session (&fixture);
      fixture_close (&fixture);
      check_nothing_left (alive, failed, when);
    }
}

int
main (int argc, char **argv)
{
  if (!fault_driver_init_or_skip ())
    return 0;
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/session/grow/faults/replay/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test_replay);
  g_test_add_data_func ("/session/grow/faults/replay/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test_replay);
  g_test_add_func ("/session/grow/faults/stream", test_stream);
  return g_test_run ();
}
