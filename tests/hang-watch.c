/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Every test program ends itself shortly before whoever runs it would, and says where it was: the case, and what its
 * sessions have told.  A time-out from outside kills it without a word.
 *
 * LEAT_TEST_SECONDS is how long the program may take, and LEAT_TEST_TIME_FACTOR by how much more that is here. */

#define HANG_EARLY_S 5 /* before the end from outside */
#define HANG_STATE_S 3 /* to tell; what is told may wait for what hangs */

static char hang_limit[64];

/* Which lanes have a run under way, and where that is. */
static void
hang_tell_lanes (GVariant *session)
{
  g_autoptr (GVariant) lanes = g_variant_lookup_value (session, "lanes", G_VARIANT_TYPE ("aa{sv}"));
  const char *state = "", *at = "";
  guint64 id = 0;
  guint lane = 0;

  g_variant_lookup (session, "id", "t", &id);
  g_variant_lookup (session, "state", "&s", &state);
  g_printerr ("# session %" G_GUINT64_FORMAT " is %s\n", id, state);
  for (gsize i = 0; lanes != NULL && i < g_variant_n_children (lanes); i++)
    {
      g_autoptr (GVariant) one = g_variant_get_child_value (lanes, i);

      g_variant_lookup (one, "lane", "u", &lane);
      g_variant_lookup (one, "at", "&s", &at);
      g_printerr ("# session %" G_GUINT64_FORMAT ", lane %u: at the %s\n", id, lane, at);
    }
}

static void
hang_tell_sessions (GVariant *snapshot)
{
  g_autoptr (GVariant) sessions = g_variant_lookup_value (snapshot, "sessions", G_VARIANT_TYPE ("aa{sv}"));

  for (gsize i = 0; sessions != NULL && i < g_variant_n_children (sessions); i++)
    {
      g_autoptr (GVariant) session = g_variant_get_child_value (sessions, i);

      hang_tell_lanes (session);
    }
}

/* Nothing in it is safe in a signal's handler but what comes first: who hangs has nothing to lose. */
static void
hang_tell (int number)
{
  static const char words[] = "# hangs: this program has taken ", more[] = "\n# sessions: ";
  const char *path;
  g_autoptr (GVariant) snapshot = NULL;
  g_autofree char *text = NULL;

  signal (SIGALRM, SIG_DFL);
  alarm (HANG_STATE_S);
  path = g_test_get_path () != NULL ? g_test_get_path () : "";
  if (write (STDERR_FILENO, words, strlen (words)) < 0 || write (STDERR_FILENO, hang_limit, strlen (hang_limit)) < 0
      || write (STDERR_FILENO, path, strlen (path)) < 0 || write (STDERR_FILENO, more, strlen (more)) < 0)
    _exit (1);
  snapshot = leat_monitor_dup_snapshot ();
  text = g_variant_print (snapshot, FALSE);
  g_printerr ("%s\n", text);
  hang_tell_sessions (snapshot);
  abort ();
}

static void __attribute__ ((constructor)) hang_begin (void)
{
  const char *given = g_getenv ("LEAT_TEST_SECONDS"), *factor = g_getenv ("LEAT_TEST_TIME_FACTOR");
  double seconds = given != NULL ? g_ascii_strtod (given, NULL) : 0;

  if (factor != NULL)
    seconds *= g_ascii_strtod (factor, NULL);
  if (seconds < HANG_EARLY_S + 1)
    return;
  g_snprintf (hang_limit, sizeof hang_limit, "%.0f s, in ", seconds - HANG_EARLY_S);
  signal (SIGALRM, hang_tell);
  alarm ((unsigned int) (seconds - HANG_EARLY_S));
}
