/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "ways-fixture.h"

#include "session/leat-session-private.h"

#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char *ways_fixture_cache;
static GPid ways_fixture_process;

static void
ways_fixture_remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        ways_fixture_remove_folder (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

/* Not by a process that a test has forked. */
static void
ways_fixture_remove (void)
{
  if (getpid () == ways_fixture_process)
    ways_fixture_remove_folder (ways_fixture_cache);
}

char *
ways_fixture_init (int *argc, char ***argv)
{
  char *cache = g_dir_make_tmp ("leat-ways-XXXXXX", NULL);

  ways_fixture_cache = g_strdup (cache);
  ways_fixture_process = getpid ();
  atexit (ways_fixture_remove);
  g_setenv ("XDG_CACHE_HOME", cache, TRUE);
  g_unsetenv ("LEAT_LEARNED");
  g_setenv ("LEAT_CPU_PROFILE", "integrated=0", TRUE); /* else nothing is measured, as there is nothing to choose */
  g_test_init (argc, argv, NULL);
  return cache;
}

char *
ways_fixture_dup_path (void)
{
  g_autofree char *folder = g_build_filename (g_get_user_cache_dir (), "leat", "transfers", NULL);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;
  char *path = name != NULL ? g_build_filename (folder, name, NULL) : NULL;

  if (name != NULL)
    g_assert_null (g_dir_read_name (dir)); /* they are of one device */
  return path;
}

void
ways_fixture_drop (void)
{
  g_autofree char *path = ways_fixture_dup_path ();

  if (path != NULL)
    g_assert_cmpint (g_remove (path), ==, 0);
}

void
ways_fixture_be_patient (LeatSession *session)
{
  session->tuning.trials_us = 60e6;
}

guint
ways_fixture_count (LeatSession *session, const char *key, const char *with)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  g_autoptr (GVariant) trials = g_variant_lookup_value (stats, key, G_VARIANT_TYPE ("a(sd)"));
  guint n = 0;

  for (gsize i = 0; i < g_variant_n_children (trials); i++)
    {
      const char *ways;
      double us;

      g_variant_get_child (trials, i, "(&sd)", &ways, &us);
      g_assert_cmpfloat (us, >, 0);
      n += with == NULL || strstr (ways, with) != NULL;
    }
  return n;
}
