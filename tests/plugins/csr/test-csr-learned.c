/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tune-fixture.h"

#include <glib/gstdio.h>
#include <string.h>
#include <utime.h>

/* What searches have measured, from session to session. */

#define LEARNED_RUNS  5
#define LEARNED_FILES 256
#define LEARNED_PLACE 43 /* of the low bits of the first entry's number of runs, in base64 */

/* Some runs of a session, and its file. (transfer full) */
static char *
learned_make_file (const char *props)
{
  TuneFixture self;

  tune_fixture_open (&self, props);
  for (guint i = 0; i < LEARNED_RUNS; i++)
    tune_fixture_search (&self, TUNE_GRID, 0, 1);
  tune_fixture_close (&self);
  return tune_fixture_dup_path ();
}

/* How many runs the next session knows of, its first one included. */
static guint64
learned_count (const char *props)
{
  TuneFixture self;
  guint64 runs;

  tune_fixture_open_again (&self, props);
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  runs = self.limits[TUNE_IS_RUNS];
  tune_fixture_close (&self);
  return runs;
}

/* A session goes on where the last one was, and another kind of search begins anew. */
static void
test_csr_learned_goes_on (void)
{
  g_autofree char *path = learned_make_file ("alone=0");
  TuneFixture self;

  g_assert_nonnull (path);
  g_assert_cmpuint (learned_count ("alone=0"), ==, LEARNED_RUNS + 1);
  tune_fixture_open_again (&self, "alone=0");
  tune_fixture_search (&self, TUNE_PATH, 0, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 1);
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, LEARNED_RUNS + 2);
  tune_fixture_close (&self);
  /* Other limits are measured there: another kernel. */
  g_assert_cmpuint (learned_count ("alone=0 symmetric=true pull-from=0"), ==, 1);
}

/* So does what a session had that has left the device. */
static void
test_csr_learned_away (void)
{
  g_autofree char *path = learned_make_file ("alone=0");
  GError *error = NULL;
  TuneFixture self;

  tune_fixture_open_again (&self, "alone=0");
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  g_assert_true (leat_session_evict (self.fixture.session, NULL, &error));
  g_assert_no_error (error);
  g_assert_true (leat_session_is_evicted (self.fixture.session));
  tune_fixture_close (&self);
  g_assert_cmpuint (learned_count ("alone=0"), ==, LEARNED_RUNS + 2);
}

/* What one limit was best with is not taken where that one is set to another number; the file is the same. */
static void
test_csr_learned_set (void)
{
  static const char *const props[][2] = {
    { "symmetric=true pull-from=0 alone=16", "symmetric=true pull-from=0 alone=512" },
    { "symmetric=true alone=0 pull-from=9", "symmetric=true alone=0 pull-from=900" },
    { "symmetric=true alone=0 pull-until=9", "symmetric=true alone=0 pull-until=900" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (props); i++)
    {
      g_autofree char *path = learned_make_file (props[i][0]), *other = NULL;

      g_assert_cmpuint (learned_count (props[i][0]), ==, LEARNED_RUNS + 1);
      g_assert_cmpuint (learned_count (props[i][1]), ==, 1);
      g_assert_cmpuint (learned_count (props[i][0]), ==, LEARNED_RUNS + 2);
      g_assert_cmpuint (learned_count (props[i][1]), ==, 2);
      other = tune_fixture_dup_path ();
      g_assert_cmpstr (path, ==, other);
    }
}

/* Limits that are set are measured by nobody, and leave nothing. */
static void
test_csr_learned_nothing (void)
{
  g_autofree char *path = learned_make_file ("alone=16 symmetric=true");

  g_assert_null (path);
}

static void
learned_replace (const char *path, const char *what, const char *by)
{
  g_autofree char *text = NULL;
  g_autoptr (GString) changed = NULL;
  char *at;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  at = strstr (text, what);
  g_assert_nonnull (at);
  changed = g_string_new_len (text, at - text);
  g_string_append (changed, by);
  g_string_append (changed, at + strlen (what));
  g_assert_true (g_file_set_contents (path, changed->str, -1, NULL));
}

/* Nine runs instead of five, which a search by itself could not tell. */
static void
learned_flip (const char *path)
{
  g_autofree char *text = NULL;
  char *at;

  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  at = strstr (text, "contents-");
  g_assert_nonnull (at);
  at = strchr (at, '=') + 1 + LEARNED_PLACE;
  g_assert_cmpint (*at, ==, 'F');
  *at = 'J';
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* In front of a file that is as it was. */
static void
learned_swell (const char *path)
{
  g_autofree char *long_line = g_strnfill (1 << 20, '#'), *head = g_strconcat (long_line, "\n[learned]", NULL);

  learned_replace (path, "[learned]", head);
}

/* A file that is damaged, cut off, of another version, larger than any that is written or no such file at all counts as
 * none. */
static void
test_csr_learned_corrupt (void)
{
  for (guint bad = 0; bad < 6; bad++)
    {
      g_autofree char *path = learned_make_file ("alone=0"), *text = NULL;

      if (bad == 0)
        learned_flip (path);
      else if (bad == 1)
        learned_replace (path, "version=1", "version=2");
      else if (bad == 2)
        g_assert_true (g_file_set_contents (path, "\001\002 no key file", -1, NULL));
      else if (bad == 3)
        g_assert_true (g_file_set_contents (path, "", -1, NULL));
      else if (bad == 4)
        learned_swell (path);
      else
        {
          g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
          g_assert_true (g_file_set_contents (path, text, (gssize) (strlen (text) / 2), NULL));
        }
      g_assert_cmpuint (learned_count ("alone=0"), ==, 1);
      g_assert_cmpuint (learned_count ("alone=0"), ==, 2);
    }
}

/* Another pipeline's file, with an entry that has the key @key. (transfer full): what is in it */
static char *
learned_make_foreign (const char *props, guint64 key)
{
  g_autofree char *path = NULL;
  char *text = NULL;
  TuneFixture self;
  TuneTable table;

  tune_fixture_open (&self, props);
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  table = tune_fixture_load (&self);
  for (guint i = 0; i < TUNE_ENTRIES; i++)
    if (table.entries[i].key != 0)
      table.entries[i].key = key;
  tune_fixture_store (&self, &table);
  tune_fixture_close (&self);
  path = tune_fixture_dup_path ();
  g_assert_true (g_file_get_contents (path, &text, NULL, NULL));
  return text;
}

/* One that another pipeline left is not taken under the name of this one's, though the conditions be the same. */
static void
test_csr_learned_foreign (void)
{
  g_autofree char *path = NULL, *text = NULL;
  TuneFixture self;
  TuneTable table;

  tune_fixture_open (&self, "alone=0 symmetric=true");
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  table = tune_fixture_load (&self);
  tune_fixture_close (&self);
  text = learned_make_foreign ("alone=0 symmetric=true pull-from=0", table.entries[0].key);
  path = learned_make_file ("alone=0 symmetric=true");
  g_assert_cmpuint (learned_count ("alone=0 symmetric=true"), ==, LEARNED_RUNS + 1);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpuint (learned_count ("alone=0 symmetric=true"), ==, 1);
}

static guint
learned_count_files (const char *folder, const char *prefix)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;
  guint n = 0;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    n += g_str_has_prefix (name, prefix);
  return n;
}

/* There are so many files at most; those that were not used for longest go. */
static void
test_csr_learned_bound (void)
{
  g_autofree char *path = learned_make_file ("alone=0"), *folder = tune_fixture_dup_folder ();

  for (guint i = 0; i < 300; i++)
    {
      g_autofree char *name = g_strdup_printf ("%s-%u.ini", i < 100 ? "old" : "new", i);
      g_autofree char *other = g_build_filename (folder, name, NULL);
      struct utimbuf times = { i < 100 ? 1000 : 2000, i < 100 ? 1000 : 2000 };

      g_assert_true (g_file_set_contents (other, "", -1, NULL));
      g_assert_cmpint (g_utime (other, &times), ==, 0);
    }
  g_assert_cmpuint (learned_count ("alone=0"), ==, LEARNED_RUNS + 1);
  g_assert_true (g_file_test (path, G_FILE_TEST_EXISTS));
  g_assert_cmpuint (learned_count_files (folder, "new"), ==, 200);
  g_assert_cmpuint (learned_count_files (folder, "old"), ==, LEARNED_FILES - 201);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = tune_fixture_init (&argc, &argv);

  g_test_add_func ("/leat/csr/learned/goes-on", test_csr_learned_goes_on);
  g_test_add_func ("/leat/csr/learned/away", test_csr_learned_away);
  g_test_add_func ("/leat/csr/learned/set", test_csr_learned_set);
  g_test_add_func ("/leat/csr/learned/nothing", test_csr_learned_nothing);
  g_test_add_func ("/leat/csr/learned/corrupt", test_csr_learned_corrupt);
  g_test_add_func ("/leat/csr/learned/foreign", test_csr_learned_foreign);
  g_test_add_func ("/leat/csr/learned/bound", test_csr_learned_bound);
  return tune_fixture_end (cache, g_test_run ());
}
