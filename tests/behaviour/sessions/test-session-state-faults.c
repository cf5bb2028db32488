/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>

/* A session that loads its state, repeats runs, is forked, and saves: every driver call of it is made to fail, one
 * after the other.  What fails says so, leaves nothing behind and no half of a file; what does not fail is right. */

#define TEXT                                                                                                           \
  "leat 1\n"                                                                                                           \
  "sum = state spec=u32[64]\n"                                                                                         \
  "m = map inputs=x,sum expr=x+sum\n"                                                                                  \
  "app name=source spec=u32[64] -> upload mode=copy -> m.x\n"                                                          \
  "sum -> m.sum -> sum\n"                                                                                              \
  "m -> readback mode=copy -> app name=sink\n"

static char *folder, *start_path, *end_path;

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} Fixture;

static void
fixture_clear (Fixture *self)
{
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Fixture, fixture_clear)

static gboolean
fixture_open (Fixture *self, GError **error)
{
  self->pipeline = leat_parse_text (TEXT, LEAT_TEXT_STYLE_FILE, NULL, NULL);
  self->session = leat_session_new (self->pipeline, NULL);
  g_object_set (self->session, "executor", LEAT_EXECUTOR_GRAPH, NULL);
  return leat_session_open (self->session, NULL, error);
}

static gboolean
fixture_push (Fixture *self, guint32 x, GError **error)
{
  guint32 items[64];
  g_autoptr (GBytes) bytes = NULL;

  for (guint i = 0; i < 64; i++)
    items[i] = x;
  bytes = g_bytes_new (items, sizeof items);
  return leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL)), bytes, error);
}

/* From 100, 70 times 2, in a fork of the session that loaded it. */
static gboolean
drive (guint32 *result, GError **error)
{
  g_auto (Fixture) first = { NULL }, second = { NULL };
  g_autoptr (GBytes) bytes = NULL;

  if (!fixture_open (&first, error) || !fixture_open (&second, error)
      || !leat_session_load_state (first.session, start_path, error)
      || !leat_session_copy_state (second.session, first.session, error) || !fixture_push (&second, 2, error)
      || leat_session_repeat (second.session, 70, FALSE, NULL, error) != LEAT_FLOW_DATA)
    return FALSE;
  bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (second.pipeline, "sink", NULL)), 0, error);
  *result = *(const guint32 *) g_bytes_get_data (bytes, NULL);
  return leat_session_save_state (second.session, end_path, error);
}

static void
write_start (void)
{
  g_auto (Fixture) fixture = { NULL };
  g_autoptr (GError) error = NULL;

  fixture_open (&fixture, &error);
  fixture_push (&fixture, 100, &error);
  g_assert_cmpint (leat_session_replay (fixture.session, FALSE, NULL, &error), ==, LEAT_FLOW_DATA);
  leat_session_save_state (fixture.session, start_path, &error);
  g_assert_no_error (error);
}

static void
sweep_one (const FaultRow *row, const char *plant)
{
  g_autoptr (GError) error = NULL;
  const char *failed;
  guint32 result = 0;
  gboolean good;

  g_unlink (end_path);
  fault_driver_plant (plant);
  good = drive (&result, &error);
  failed = fault_driver_get_failed ();
  if (!good && error == NULL)
    fault_driver_complain ("%s (%s): no error", plant, failed);
  if (!good && failed == NULL)
    fault_driver_complain ("%s: %s", plant, error->message);
  if (good && result != 240)
    fault_driver_complain ("%s (%s): %u and not 240", plant, failed, result);
  if (good != g_file_test (end_path, G_FILE_TEST_EXISTS))
    fault_driver_complain ("%s (%s): the file is there, or not, where it should not be so", plant, failed);
  fault_driver_assert_empty (plant, TRUE);
  fault_driver_plant ("");
}

static guint64
count_calls (const FaultRow *row)
{
  g_autoptr (GError) error = NULL;
  guint32 result;

  write_start ();
  fault_driver_plant ("");
  drive (&result, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (result, ==, 240);
  return fault_driver_count_calls ();
}

static const FaultRow rows[] = {
  { "/leat/session-state-faults/every-call/unknown", "UNKNOWN", 51, count_calls, sweep_one },
  { "/leat/session-state-faults/every-call/out-of-memory", "OUT_OF_MEMORY", 51, count_calls, sweep_one },
};

#define LARGE_TEXT                                                                                                     \
  "leat 1\n"                                                                                                           \
  "sum = state spec=u32[5000000]\n"                                                                                    \
  "m = map inputs=x expr=x+1\n"                                                                                        \
  "sum -> m.x\n"                                                                                                       \
  "m -> sum\n"

static LeatPipeline *
open_large (LeatSession **session)
{
  LeatPipeline *pipeline = leat_parse_text (LARGE_TEXT, LEAT_TEXT_STYLE_FILE, NULL, NULL);
  g_autoptr (GError) error = NULL;

  *session = leat_session_new (pipeline, NULL);
  leat_session_open (*session, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* The first item and the last, at both ends of several pieces. */
static void
get_ends (LeatSession *session, guint32 ends[2])
{
  g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (session, "sum", NULL);

  for (guint i = 0; i < 2; i++)
    {
      g_autoptr (GBytes) bytes = leat_device_buffer_download (state, i * 4999999 * 4, 4, NULL);

      memcpy (&ends[i], g_bytes_get_data (bytes, NULL), 4);
    }
}

static void
fill (LeatSession *session, guint8 value)
{
  g_autoptr (LeatDeviceBuffer) state = leat_session_get_state (session, "sum", NULL);

  g_assert_true (leat_device_buffer_fill (state, 0, 20000000, value, NULL));
}

/* Of a state in several pieces some may be written when it fails: what is neither the one nor the other is not gone on
 * with.  What failed before that has changed nothing. */
static void
check_large (LeatSession *session, const char *when, gboolean good)
{
  static const guint32 value[] = { 0x02020202, 0x01010101 };
  g_autoptr (GError) error = NULL;
  guint32 ends[2];

  if (!good && leat_session_replay (session, FALSE, NULL, &error) == LEAT_FLOW_ERROR)
    {
      if (!g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED))
        fault_driver_complain ("%s: it does not say that it has failed: %s", when, error->message);
      g_clear_error (&error);
      leat_session_close (session);
      if (!leat_session_open (session, NULL, &error))
        fault_driver_complain ("%s: it does not open again: %s", when, error->message);
      return;
    }
  get_ends (session, ends);
  if (good && (ends[0] != value[1] || ends[1] != value[1]))
    fault_driver_complain ("%s: it was loaded, and has %x and %x", when, ends[0], ends[1]);
  if (!good && ends[1] != value[0] + 1)
    fault_driver_complain ("%s: it goes on, and its end is %x", when, ends[1]);
}

static void
test_session_state_faults_large (gconstpointer code)
{
  guint64 n_calls = G_MAXUINT64;

  for (guint64 n = 0; n <= n_calls; n++)
    {
      g_autofree char *plant =
        n > 0 ? g_strdup_printf ("call:%" G_GUINT64_FORMAT "=%s", n, (const char *) code) : g_strdup ("");
      g_autoptr (LeatSession) session = NULL;
      g_autoptr (LeatPipeline) pipeline = open_large (&session);
      g_autoptr (GError) error = NULL;
      gboolean good;

      fill (session, 1);
      if (n == 0)
        leat_session_save_state (session, end_path, &error);
      g_assert_no_error (error);
      fill (session, 2);
      fault_driver_plant (plant);
      good = leat_session_load_state (session, end_path, &error);
      n_calls = n == 0 ? fault_driver_count_calls () : n_calls;
      fault_driver_plant_on ("");
      check_large (session, plant, good);
    }
  g_assert_cmpuint (n_calls, >, 10);
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  folder = g_dir_make_tmp ("leat-test-XXXXXX", NULL);
  start_path = g_build_filename (folder, "start.state", NULL);
  end_path = g_build_filename (folder, "end.state", NULL);
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  g_test_add_data_func ("/leat/session-state-faults/large/unknown", "UNKNOWN", test_session_state_faults_large);
  g_test_add_data_func ("/leat/session-state-faults/large/out-of-memory", "OUT_OF_MEMORY",
                        test_session_state_faults_large);
  status = g_test_run ();
  g_unlink (start_path);
  g_unlink (end_path);
  g_rmdir (folder);
  g_free (start_path);
  g_free (end_path);
  g_free (folder);
  return status;
}
