/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"

/* Every driver call of a session with foreign work is made to fail, those of the capture too.  A capture that fails is
 * no error: the work is done outside of the graph then. */

#define PIPELINE                                                                                                       \
  "leat 1\napp name=source spec=u8[16] -> upload mode=copy -> example:rotate by=5 -> readback mode=copy "              \
  "-> app name=sink\n"
#define N 16

static guint n_outside; /* sessions that ran with the work outside of the graph */

static gboolean
drive_session (LeatPipeline *pipeline, LeatSession *session, GBytes **output, GError **error)
{
  guint8 x[N];
  g_autoptr (GBytes) input = NULL;

  for (guint i = 0; i < N; i++)
    x[i] = (guint8) i;
  input = g_bytes_new (x, N);
  if (!leat_session_open (session, NULL, error)
      || !leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "source", NULL)), input, error)
      || leat_session_replay (session, FALSE, NULL, error) != LEAT_FLOW_DATA)
    return FALSE;
  *output = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "sink", NULL)), 0, error);
  return *output != NULL;
}

static gboolean
drive (GError **error)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (PIPELINE, LEAT_TEXT_STYLE_FILE, NULL, NULL);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) output = NULL;
  g_autoptr (LeatMessage) message = NULL;
  gboolean good;

  g_assert_nonnull (pipeline);
  session = leat_session_new (pipeline, NULL);
  good = drive_session (pipeline, session, &output, error);
  message = leat_bus_pop (leat_pipeline_get_bus (pipeline), 0);
  n_outside += good && message != NULL;
  for (guint i = 0; good && i < N; i++)
    g_assert_cmpuint (((const guint8 *) g_bytes_get_data (output, NULL))[i], ==, (i + 5) % N);
  leat_session_close (session);
  return good;
}

static guint64
count_calls (const FaultRow *row)
{
  g_autoptr (GError) error = NULL;
  guint64 n_calls;

  n_outside = 0;

  drive (&error);
  g_assert_no_error (error);
  fault_driver_plant ("");
  drive (&error);
  g_assert_no_error (error);
  n_calls = fault_driver_count_calls ();
  g_assert_cmpuint (n_outside, ==, 0);
  return n_calls;
}

static void
sweep_one (const FaultRow *row, const char *plant)
{
  g_autofree char *failed = NULL;
  g_autoptr (GError) error = NULL;

  fault_driver_plant (plant);
  if (!drive (&error))
    g_assert_nonnull (error);
  failed = g_strdup_printf ("%s (%s)", plant, fault_driver_get_failed ());
  /* With the code that kills the context, a capture that is under way goes with what it is captured into. */
  fault_driver_assert_empty (failed, !g_str_equal (row->code, "ILLEGAL_ADDRESS"));
}

/* The beginning, both copies and the end of two captures, at the least. */
static void
sweep_end (const FaultRow *row)
{
  g_assert_cmpuint (n_outside, >=, 8);
}

static const FaultRow rows[] = {
  { "/leat/session/foreign-faults/sweep/UNKNOWN", "UNKNOWN", 51, count_calls, sweep_one, .end = sweep_end },
  { "/leat/session/foreign-faults/sweep/ILLEGAL_ADDRESS", "ILLEGAL_ADDRESS", 51, count_calls, sweep_one },
};

int
main (int argc, char **argv)
{

  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
  fault_driver_add_rows (rows, G_N_ELEMENTS (rows));
  return g_test_run ();
}
