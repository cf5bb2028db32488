/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tune-fixture.h"

#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utime.h>

/* What searches have measured, from session to session. */

#define LEARNED_RUNS   5
#define LEARNED_FILES  256
#define LEARNED_ROUNDS 12 /* of each that writes at the same time */
#define LEARNED_CHILD  "LEAT_TEST_LEARNED_CHILD"
#define LEARNED_PLACE  43 /* of the low bits of the first entry's number of runs, in base64 */

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
  g_assert_cmpuint (learned_count ("alone=0 symmetric=true"), ==, 1);
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
  g_autofree char *path = learned_make_file ("alone=16 pull-until=24 symmetric=true");

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

  tune_fixture_open (&self, "alone=0 pull-until=24 symmetric=true");
  tune_fixture_search (&self, TUNE_GRID, 0, 1);
  table = tune_fixture_load (&self);
  tune_fixture_close (&self);
  text = learned_make_foreign ("alone=0 symmetric=true pull-from=0", table.entries[0].key);
  path = learned_make_file ("alone=0 pull-until=24 symmetric=true");
  g_assert_cmpuint (learned_count ("alone=0 pull-until=24 symmetric=true"), ==, LEARNED_RUNS + 1);
  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  g_assert_cmpuint (learned_count ("alone=0 pull-until=24 symmetric=true"), ==, 1);
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

/* Sessions, one after the other; each search is right. */
static gpointer
learned_write_often (gpointer rounds)
{
  for (guint i = 0; i < GPOINTER_TO_UINT (rounds); i++)
    {
      TuneFixture self;

      tune_fixture_open_again (&self, "alone=0");
      tune_fixture_search (&self, TUNE_GRID, i, 1 + i % 3);
      tune_fixture_close (&self);
    }
  return NULL;
}

/* Whoever was last: a whole file, of some run that there was. */
static void
learned_assert_readable (guint runs_most)
{
  guint64 runs = learned_count ("alone=0");

  g_assert_cmpuint (runs, >, 1);
  g_assert_cmpuint (runs, <=, runs_most + 1);
}

static void
test_csr_learned_threads (void)
{
  g_autofree char *path = learned_make_file ("alone=0"), *left = NULL;
  GThread *threads[3];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("writes", learned_write_often, GUINT_TO_POINTER (LEARNED_ROUNDS));
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
  learned_assert_readable (LEARNED_RUNS + LEARNED_ROUNDS * G_N_ELEMENTS (threads));
  left = tune_fixture_dup_path (); /* no other one */
  g_assert_cmpstr (left, ==, path);
}

/* In a process of its own, as a program that forks before it uses anything: both write. */
static int
learned_be_child (const char *rounds)
{
  guint n = (guint) g_ascii_strtoull (rounds, NULL, 10);
  pid_t other = fork ();
  int status = 0;

  g_assert_cmpint (other, >=, 0);
  learned_write_often (GUINT_TO_POINTER (n));
  if (other == 0)
    _exit (0);
  g_assert_cmpint (waitpid (other, &status, 0), ==, other);
  return status != 0;
}

static GPid
learned_spawn (guint rounds)
{
  g_autofree char *self = g_file_read_link ("/proc/self/exe", NULL), *n = g_strdup_printf ("%u", rounds);
  char *argv[] = { self, NULL };
  g_auto (GStrv) env = g_environ_setenv (g_get_environ (), LEARNED_CHILD, n, TRUE);
  g_autoptr (GError) error = NULL;
  GPid pid = 0;

  g_spawn_async (NULL, argv, env, G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_STDOUT_TO_DEV_NULL, (GSpawnChildSetupFunc) setsid,
                 NULL, &pid, &error);
  g_assert_no_error (error);
  return pid;
}

static void
test_csr_learned_processes (void)
{
  g_autofree char *path = learned_make_file ("alone=0"), *left = NULL;
  GPid children[2];

  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    children[i] = learned_spawn (LEARNED_ROUNDS);
  for (guint i = 0; i < G_N_ELEMENTS (children); i++)
    {
      int status;

      g_assert_cmpint (waitpid (children[i], &status, 0), ==, children[i]);
      g_assert_cmpint (status, ==, 0);
    }
  learned_assert_readable (LEARNED_RUNS + 2 * LEARNED_ROUNDS * G_N_ELEMENTS (children));
  left = tune_fixture_dup_path ();
  g_assert_cmpstr (left, ==, path);
}

/* Whenever a process is ended, the file is the one before or the one behind. */
static void
test_csr_learned_killed (void)
{
  g_autofree char *path = learned_make_file ("alone=0");
  guint64 runs = LEARNED_RUNS;

  for (guint i = 0; i < 6; i++)
    {
      GPid child = learned_spawn (1000);
      guint64 now;

      g_usleep (200000 + 37000 * i);
      g_assert_cmpint (kill (-child, SIGKILL), ==, 0);
      g_assert_cmpint (waitpid (child, NULL, 0), ==, child);
      now = learned_count ("alone=0");
      g_assert_cmpuint (now, >, 1);
      runs = MAX (runs, now);
    }
  g_test_message ("%" G_GUINT64_FORMAT " runs at the most", runs);
  g_assert_true (g_file_test (path, G_FILE_TEST_IS_REGULAR));
}

/* Where it cannot be written each session measures for itself, and nothing lies about. */
static void
test_csr_learned_unwritable (void)
{
  g_autofree char *path = learned_make_file ("alone=0"), *folder = tune_fixture_dup_folder ();
  g_autofree char *aside = g_strconcat (folder, "-aside", NULL), *left = NULL;

  /* A folder in the file's place. */
  g_assert_cmpint (g_remove (path), ==, 0);
  g_assert_cmpint (g_mkdir (path, 0700), ==, 0);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (learned_count ("alone=0"), ==, 1);
  left = tune_fixture_dup_path ();
  g_assert_cmpstr (left, ==, path);
  g_assert_cmpint (g_rmdir (path), ==, 0);
  /* A file in the folder's, and a link to nowhere. */
  g_assert_cmpint (g_rename (folder, aside), ==, 0);
  for (guint link = 0; link < 2; link++)
    {
      if (link)
        g_assert_cmpint (symlink ("/proc/nonexistent/folder", folder), ==, 0);
      else
        g_assert_true (g_file_set_contents (folder, "", -1, NULL));
      for (guint i = 0; i < 2; i++)
        g_assert_cmpuint (learned_count ("alone=0"), ==, 1);
      g_assert_cmpint (g_unlink (folder), ==, 0);
    }
  g_assert_cmpint (g_rename (aside, folder), ==, 0);
  g_assert_cmpuint (learned_count ("alone=0"), ==, 1);
  g_assert_cmpuint (learned_count ("alone=0"), ==, 2);
}

/* Of who may not write there, which root may everywhere. */
static void
test_csr_learned_read_only (void)
{
  g_autofree char *path = NULL, *folder = tune_fixture_dup_folder ();

  if (geteuid () == 0)
    {
      g_test_skip ("root may write everywhere");
      return;
    }
  path = learned_make_file ("alone=0");
  g_assert_cmpint (g_chmod (folder, 0500), ==, 0);
  for (guint i = 0; i < 2; i++)
    g_assert_cmpuint (learned_count ("alone=0"), ==, LEARNED_RUNS + 1);
  g_assert_cmpint (g_chmod (folder, 0700), ==, 0);
  g_assert_cmpuint (learned_count ("alone=0"), ==, LEARNED_RUNS + 1);
  g_assert_cmpuint (learned_count ("alone=0"), ==, LEARNED_RUNS + 2);
}

static guint64
learned_get_count (LeatSession *session, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (session);
  guint64 count = G_MAXUINT64;

  g_assert_true (g_variant_lookup (stats, name, "t", &count));
  return count;
}

/* No result follows from what is learned, so a search that was done before need not be done again. */
static void
test_csr_learned_memo (void)
{
  GError *error = NULL;
  TuneFixture self;

  tune_fixture_open (&self, "alone=0");
  leat_session_close (self.fixture.session);
  g_object_set (self.fixture.session, "memo", LEAT_MEMO_EXACT, NULL);
  g_assert_true (leat_session_open (self.fixture.session, NULL, &error));
  g_assert_no_error (error);
  for (guint i = 0; i < 2; i++)
    tune_fixture_search (&self, TUNE_GRID, 0, 1);
  g_assert_cmpuint (learned_get_count (self.fixture.session, "memo-hits"), ==, 1);
  g_assert_cmpuint (self.limits[TUNE_IS_RUNS], ==, 1);
  tune_fixture_search (&self, TUNE_PATH, 0, 1);
  g_assert_cmpuint (learned_get_count (self.fixture.session, "memo-hits"), ==, 1);
  tune_fixture_close (&self);
}

/* Nor is it in the way of doing a run again with more room. */
static void
test_csr_learned_grow (void)
{
  static const char text[] = "leat 1\n"
                             "in0 = app spec=u32[4]\nin1 = app spec=u32[3]\nin2 = app spec=u32[<=3]\n"
                             "n = csr:bfs alone=0\n"
                             "few = compact where=\"x < 3\" out=u32[<=1] on-overflow=grow\n"
                             "in0 -> upload -> n.offsets\nin1 -> upload -> n.indices\n"
                             "in2 -> upload -> few -> n.sources\nn.levels -> readback -> app name=out0\n";
  const guint32 offsets[] = { 0, 1, 2, 3 }, indices[] = { 1, 2, 0 }, sources[] = { 0, 7, 2 }, wanted[] = { 0, 1, 0 };
  PrimitiveFixture fixture = { .n_inputs = 3, .n_outputs = 1 };
  GError *error = NULL;

  fixture.pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  fixture.session = leat_session_new (fixture.pipeline, NULL);
  leat_session_open (fixture.session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 2; run++)
    {
      g_autoptr (GBytes) found = NULL;

      primitive_fixture_push (&fixture, 0, offsets, sizeof offsets);
      primitive_fixture_push (&fixture, 1, indices, sizeof indices);
      primitive_fixture_push (&fixture, 2, sources, sizeof sources);
      primitive_fixture_replay (&fixture);
      found = primitive_fixture_pull (&fixture, 0);
      g_assert_cmpmem (g_bytes_get_data (found, NULL), g_bytes_get_size (found), wanted, sizeof wanted);
    }
  primitive_fixture_close (&fixture);
}

int
main (int argc, char **argv)
{
  g_autofree char *cache = NULL;

  if (g_getenv (LEARNED_CHILD) != NULL)
    return learned_be_child (g_getenv (LEARNED_CHILD));
  cache = tune_fixture_init (&argc, &argv);
  g_test_add_func ("/leat/csr/learned/goes-on", test_csr_learned_goes_on);
  g_test_add_func ("/leat/csr/learned/away", test_csr_learned_away);
  g_test_add_func ("/leat/csr/learned/set", test_csr_learned_set);
  g_test_add_func ("/leat/csr/learned/nothing", test_csr_learned_nothing);
  g_test_add_func ("/leat/csr/learned/corrupt", test_csr_learned_corrupt);
  g_test_add_func ("/leat/csr/learned/foreign", test_csr_learned_foreign);
  g_test_add_func ("/leat/csr/learned/threads", test_csr_learned_threads);
  g_test_add_func ("/leat/csr/learned/processes", test_csr_learned_processes);
  g_test_add_func ("/leat/csr/learned/killed", test_csr_learned_killed);
  g_test_add_func ("/leat/csr/learned/unwritable", test_csr_learned_unwritable);
  g_test_add_func ("/leat/csr/learned/read-only", test_csr_learned_read_only);
  g_test_add_func ("/leat/csr/learned/memo", test_csr_learned_memo);
  g_test_add_func ("/leat/csr/learned/grow", test_csr_learned_grow);
  g_test_add_func ("/leat/csr/learned/bound", test_csr_learned_bound);
  return tune_fixture_end (cache, g_test_run ());
}
