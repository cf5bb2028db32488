/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "fault-driver.h"
#include "place-fixture.h"

/* Each driver call of a short run, and each piece of its work, fails in turn: as in an ordinary run. */

#define COPY                                                                                                           \
  "app name=source spec=f32[8] -> upload mode=copy -> map name=k expr=\"a*x+b\" a=2 b=1 -> readback mode=copy -> "     \
  "app name=sink\n"
#define MOST_CALLS 40

static char *fault;
static gboolean with_argument;
static gboolean met;  /* the fault was */
static gboolean late; /* it is of work that is done op by op; a graph is waited for as a whole */

static void
faulty (Place *self)
{
  place_run (self, 1, 2, 1, FALSE);
  place_run (self, 2, 2, 1, TRUE);
  if (with_argument)
    place_set_double (self, "k", "a", 3);
  place_fill (self, 3);
  self->is_late = late;
  fault_driver_plant (fault);
  met = place_attempt (self) == LEAT_FLOW_ERROR;
  place_note (self, "failed: %s", fault_driver_get_failed () != NULL ? fault_driver_get_failed () : "none");
  met = met || fault_driver_get_failed () != NULL;
  fault_driver_plant ("");
  place_note (self, "session %d", self->base.session->hold.failed);
  place_attempt (self);
  place_attempt (self);
}

static void
check_fault (LeatExecutor executor, const char *text)
{
  guint64 alive = fault_driver_count_alive ();

  fault = g_strdup (text);
  place_check (COPY, executor, faulty);
  if (fault_driver_count_alive () != alive)
    fault_driver_complain ("%s: something is left", text);
  g_clear_pointer (&fault, g_free);
}

static void
check_calls (LeatExecutor executor)
{
  guint n = 0;

  do
    {
      g_autofree char *text = g_strdup_printf ("call:%u", ++n);

      check_fault (executor, text);
    }
  while (met && n < MOST_CALLS);
  /* Launch and wait at least, and the last one was beyond them. */
  g_assert_cmpuint (n, >, 2);
  g_assert_cmpuint (n, <, MOST_CALLS);
}

static void
test_settled_faults_calls (gconstpointer executor)
{
  with_argument = FALSE;
  check_calls (GPOINTER_TO_INT (executor));
}

static void
test_settled_faults_argument (gconstpointer executor)
{
  with_argument = TRUE;
  check_calls (GPOINTER_TO_INT (executor));
}

static void
test_settled_faults_work (gconstpointer executor)
{
  static const char *const faults[] = { "launch:1", "copy:1", "copy:2" };

  with_argument = FALSE;
  late = GPOINTER_TO_INT (executor) == LEAT_EXECUTOR_EAGER;
  for (guint i = 0; i < G_N_ELEMENTS (faults); i++)
    {
      check_fault (GPOINTER_TO_INT (executor), faults[i]);
      g_assert_true (met);
    }
  late = FALSE;
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  if (!fault_driver_init_or_skip ())
    return 0;
#define ADD(name, test)                                                                                                \
  g_test_add_data_func ("/leat/session/settled-faults/" name "/graph", GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test);   \
  g_test_add_data_func ("/leat/session/settled-faults/" name "/eager", GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test)
  ADD ("calls", test_settled_faults_calls);
  ADD ("argument", test_settled_faults_argument);
  ADD ("work", test_settled_faults_work);
#undef ADD
  return g_test_run ();
}
