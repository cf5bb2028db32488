/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include "graph/leat-registry-private.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <xxhash.h>

#define GOOD       "good.so"
#define TIMEOUT_MS 3000

/* A folder of its own for each test, with plugins copied into it and the cache beside. */
typedef struct
{
  char *root;
  char *folder;
  char *cache;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  self->root = g_dir_make_tmp ("leat-registry-XXXXXX", NULL);
  self->folder = g_build_filename (self->root, "plugins", NULL);
  self->cache = g_build_filename (self->root, "cache", "plugins.cache", NULL);
  g_assert_cmpint (g_mkdir (self->folder, 0700), ==, 0);
}

static void
fixture_remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        fixture_remove_folder (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  fixture_remove_folder (self->root);
  g_free (self->root);
  g_free (self->folder);
  g_free (self->cache);
}

static const char *
fixture_plugins (void)
{
  return g_test_get_filename (G_TEST_BUILT, "core", "graph", "plugins", NULL);
}

static void
fixture_copy (Fixture *self, const char *plugin, const char *name)
{
  g_autofree char *path = g_build_filename (fixture_plugins (), plugin, NULL);
  g_autofree char *target = g_build_filename (self->folder, name, NULL);
  g_autofree char *contents = NULL;
  g_autoptr (GError) error = NULL;
  gsize size;

  g_file_get_contents (path, &contents, &size, &error);
  g_assert_no_error (error);
  g_file_set_contents (target, contents, size, &error);
  g_assert_no_error (error);
}

static LeatRegistry *
fixture_open (Fixture *self)
{
  const char *const folders[] = { self->folder, NULL };

  return leat_registry_new (folders, self->cache, NULL, TIMEOUT_MS);
}

static char *
fixture_dup_reason (LeatRegistry *registry, const char *file)
{
  g_autoptr (GVariant) broken = leat_registry_list_broken (registry);

  for (gsize i = 0; i < g_variant_n_children (broken); i++)
    {
      const char *path, *reason;

      g_variant_get_child (broken, i, "(&s&s&s)", &path, NULL, &reason);
      if (g_str_has_suffix (path, file))
        return g_strdup (reason);
    }
  return NULL;
}

static void
test_registry_lists_by_id (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  g_autoptr (GPtrArray) list = NULL;

  fixture_copy (fixture, GOOD, "good.so");
  registry = fixture_open (fixture);
  list = leat_registry_list (registry);
  g_assert_cmpuint (list->len, ==, 3);
  g_assert_cmpstr (leat_factory_get_id (list->pdata[0]), ==, "toy:filter");
  g_assert_cmpstr (leat_factory_get_id (list->pdata[1]), ==, "toy:sink");
  g_assert_cmpstr (leat_factory_get_id (list->pdata[2]), ==, "toy:source");
  g_assert_cmpstr (leat_factory_get_summary (list->pdata[0]), ==, "Passes numbers on");
  g_assert_cmpstr (leat_factory_get_plugin_name (list->pdata[0]), ==, "toy");
  g_assert_cmpstr (leat_factory_get_plugin_version (list->pdata[0]), ==, "1.2.3");
}

static void
test_registry_describes_without_loading (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  const LeatNodeInfo *info;
  LeatFactory *factory;

  fixture_copy (fixture, GOOD, "good.so");
  registry = fixture_open (fixture);
  factory = leat_registry_find (registry, "toy:filter", NULL);
  info = leat_factory_get_info (factory);
  g_assert_null (info->get_type);
  g_assert_cmpuint (info->n_props, ==, 8);
  g_assert_cmpuint (info->n_ports, ==, 3);
  g_assert_cmpstr (info->aliases[0], ==, "toy:sieve");
  g_assert_cmpstr (info->props[2].name, ==, "radius");
  g_assert_cmpuint (info->props[2].type, ==, LEAT_PROP_UINT);
  g_assert_cmpuint (info->props[2].def.u, ==, 3);
  g_assert_cmpuint (info->props[2].max.u, ==, 64);
  g_assert_cmpint (info->props[1].min.i, ==, -8);
  g_assert_cmpfloat (info->props[4].def.d, ==, 0.5);
  g_assert_cmpstr (info->props[5].def.s, ==, "toy");
  g_assert_null (info->props[6].def.s);
  g_assert_cmpstr (info->props[7].choices[2], ==, "exact");
  g_assert_null (info->props[7].choices[3]);
  g_assert_cmpstr (info->ports[2].name, ==, "mask");
  g_assert_cmpstr (info->ports[2].spec, ==, "u8[n]");
  g_assert_cmpuint (info->ports[2].flags, ==, LEAT_PORT_OPTIONAL);
}

static void
test_registry_makes_a_node (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  g_autoptr (LeatNode) node = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;
  guint64 radius;

  fixture_copy (fixture, GOOD, "good.so");
  registry = fixture_open (fixture);
  node = leat_factory_make (leat_registry_find (registry, "toy:sieve", NULL), "first", &error);
  g_assert_no_error (error);
  text = leat_node_to_string (node);
  g_assert_cmpstr (text, ==, "<toy:filter first>");
  g_object_get (node, "radius", &radius, NULL);
  g_assert_cmpuint (radius, ==, 3);
}

static void
test_registry_scan_loads_nothing (void)
{
  if (g_test_subprocess ())
    {
      Fixture fixture;
      g_autoptr (LeatRegistry) registry = NULL;
      g_autoptr (LeatNode) node = NULL;

      fixture_set_up (&fixture, NULL);
      fixture_copy (&fixture, GOOD, "good.so");
      registry = fixture_open (&fixture);
      g_unsetenv ("LEAT_TEST_TOY_LOADED"); /* another test may have loaded it into our parent */
      g_assert_nonnull (leat_registry_find (registry, "toy:source", NULL));
      g_assert_null (g_getenv ("LEAT_TEST_TOY_LOADED"));
      node = leat_factory_make (leat_registry_find (registry, "toy:source", NULL), NULL, NULL);
      g_assert_cmpstr (g_getenv ("LEAT_TEST_TOY_LOADED"), ==, "1");
      fixture_tear_down (&fixture, NULL);
      return;
    }
  g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
  g_test_trap_assert_passed ();
}

static const struct
{
  const char *file;
  const char *reason;
} broken_plugins[] = {
  { "aborts.so", "SIGABRT" },
  { "crashes.so", "SIGSEGV" },
  { "leaves.so", "status 7" },
  { "old.so", "ABI 999, this is ABI 1" },
  { "stranger.so", "no symbol leat_plugin" },
  { "text.so", "text.so" },
  { "wrong.so", "default of property \"radius\" is out of its range" },
};

static void
test_registry_lists_broken_plugins (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  g_autoptr (LeatNode) node = NULL;

  for (guint i = 0; i < G_N_ELEMENTS (broken_plugins); i++)
    {
      g_autofree char *path = g_build_filename ("bad", broken_plugins[i].file, NULL);

      fixture_copy (fixture, path, broken_plugins[i].file);
    }
  fixture_copy (fixture, GOOD, "good.so");
  registry = fixture_open (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (broken_plugins); i++)
    {
      g_autofree char *reason = fixture_dup_reason (registry, broken_plugins[i].file);

      g_test_message ("%s: %s", broken_plugins[i].file, reason);
      g_assert_nonnull (reason);
      g_assert_nonnull (strstr (reason, broken_plugins[i].reason));
    }
  /* The good one in their midst is there all the same. */
  g_assert_nonnull (leat_registry_find (registry, "toy:filter", NULL));
  g_assert_cmpuint (leat_registry_get_n_scanned (registry), ==, G_N_ELEMENTS (broken_plugins) + 1);
}

static void
test_registry_gives_up_on_a_hanging_plugin (Fixture *fixture, gconstpointer data)
{
  const char *const folders[] = { fixture->folder, NULL };
  g_autoptr (LeatRegistry) registry = leat_registry_new (folders, fixture->cache, NULL, 500);
  g_autofree char *reason = NULL;

  fixture_copy (fixture, "bad/hangs.so", "hangs.so");
  fixture_copy (fixture, GOOD, "last.so");
  g_assert_nonnull (leat_registry_find (registry, "toy:filter", NULL));
  reason = fixture_dup_reason (registry, "hangs.so");
  g_assert_nonnull (reason);
  g_assert_nonnull (strstr (reason, "longer to load than the 500 ms"));
}

/* The helper's own end counts, not that of what a plugin has started in it. */
static void
test_registry_waits_for_no_grandchild (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  g_autofree char *reason = NULL;
  gint64 begin = g_get_monotonic_time ();

  fixture_copy (fixture, "bad/forks.so", "forks.so");
  fixture_copy (fixture, GOOD, "last.so");
  registry = fixture_open (fixture);
  g_assert_nonnull (leat_registry_find (registry, "toy:filter", NULL));
  reason = fixture_dup_reason (registry, "forks.so");
  g_assert_nonnull (reason);
  g_assert_nonnull (strstr (reason, "SIGABRT"));
  g_assert_cmpint (g_get_monotonic_time () - begin, <, TIMEOUT_MS * 1000);
}

static void
test_registry_find_names_near_ones (Fixture *fixture, gconstpointer data)
{
  static const struct
  {
    const char *id;
    const char *says;
  } rows[] = {
    { "toy:fliter", "did you mean \"toy:filter\"?" },
    { "filter", "did you mean \"toy:filter\"?" },
    { "something-else", "leat-inspect" },
  };
  g_autoptr (LeatRegistry) registry = NULL;

  fixture_copy (fixture, GOOD, "good.so");
  registry = fixture_open (fixture);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_registry_find (registry, rows[i].id, &error));
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE);
      g_assert_nonnull (strstr (error->message, rows[i].says));
    }
}

/* What a plugin writes while it is looked at is nobody's. */
static void
test_registry_keeps_plugins_quiet (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  g_autofree char *reason = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 0, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      g_test_trap_assert_stderr_unmatched ("*nonsense*");
      return;
    }
  fixture_copy (fixture, "bad/leaves.so", "leaves.so");
  registry = fixture_open (fixture);
  reason = fixture_dup_reason (registry, "leaves.so");
  g_assert_nonnull (strstr (reason, "status 7"));
}

/* Where the nodes of the family `toy` are, by the custom. */
static const char *const homes[] = { "libleat-toy.so", "leat-toy.so", "toy.so" };

static void
test_registry_find_blames_a_broken_plugin (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = NULL;
  g_autoptr (GError) error = NULL;

  fixture_copy (fixture, "bad/crashes.so", data);
  registry = fixture_open (fixture);
  g_assert_null (leat_registry_find (registry, "toy:filter", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN);
  g_assert_nonnull (strstr (error->message, "SIGSEGV"));
}

static void
test_registry_find_in_empty_folders (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = fixture_open (fixture);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_registry_find (registry, "toy:filter", &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_NODE);
  g_assert_nonnull (strstr (error->message, fixture->folder));
}

static guint
count_scans (Fixture *fixture)
{
  g_autoptr (LeatRegistry) registry = fixture_open (fixture);

  g_assert_nonnull (leat_registry_find (registry, "toy:filter", NULL));
  return leat_registry_get_n_scanned (registry);
}

static void
test_registry_cache_is_used (Fixture *fixture, gconstpointer data)
{
  struct stat status;

  fixture_copy (fixture, GOOD, "good.so");
  fixture_copy (fixture, "bad/crashes.so", "crashes.so");
  g_assert_cmpuint (count_scans (fixture), ==, 2);
  g_assert_cmpuint (count_scans (fixture), ==, 0);
  g_assert_cmpint (g_stat (fixture->cache, &status), ==, 0);
  g_assert_cmphex (status.st_mode & 0777, ==, 0600);
}

static void
test_registry_cache_follows_the_file (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "good.so", NULL);
  const struct timespec times[] = { { 1, 0 }, { 1, 0 } };

  fixture_copy (fixture, GOOD, "good.so");
  g_assert_cmpuint (count_scans (fixture), ==, 1);
  g_assert_cmpint (utimensat (AT_FDCWD, path, times, 0), ==, 0);
  g_assert_cmpuint (count_scans (fixture), ==, 1);
  g_assert_cmpuint (count_scans (fixture), ==, 0);
}

/* What one libleat could not use, the next may: a symbol that it lacked is there.  What is good stays. */
static void
test_registry_cache_follows_the_library (Fixture *fixture, gconstpointer data)
{
  const gsize checksum_at = 24, library_at = 32, data_at = 40; /* in the file */
  g_autofree char *contents = NULL;
  guint64 library, checksum;
  gsize size;

  fixture_copy (fixture, GOOD, "good.so");
  fixture_copy (fixture, "bad/crashes.so", "crashes.so");
  g_assert_cmpuint (count_scans (fixture), ==, 2);
  g_assert_true (g_file_get_contents (fixture->cache, &contents, &size, NULL));
  memcpy (&library, contents + library_at, sizeof library);
  g_assert_cmphex (library, !=, 0);
  library++;
  checksum = XXH3_64bits_withSeed (contents + data_at, size - data_at, library);
  memcpy (contents + library_at, &library, sizeof library);
  memcpy (contents + checksum_at, &checksum, sizeof checksum);
  g_assert_true (g_file_set_contents (fixture->cache, contents, size, NULL));
  g_assert_cmpuint (count_scans (fixture), ==, 1);
  g_assert_cmpuint (count_scans (fixture), ==, 0);
}

static void
test_registry_cache_keeps_other_folders (Fixture *fixture, gconstpointer data)
{
  const char *const folders[] = { fixture_plugins (), NULL };
  g_autoptr (LeatRegistry) other = leat_registry_new (folders, fixture->cache, NULL, TIMEOUT_MS);

  fixture_copy (fixture, GOOD, "good.so");
  g_assert_cmpuint (count_scans (fixture), ==, 1);
  g_assert_nonnull (leat_registry_find (other, "toy:filter", NULL));
  g_assert_cmpuint (leat_registry_get_n_scanned (other), ==, 1);
  g_assert_cmpuint (count_scans (fixture), ==, 0);
}

/* Cuts the cache at every length, and turns bytes over in it: the plugins are found whatever is there. */
static void
test_registry_cache_damaged (Fixture *fixture, gconstpointer data)
{
  g_autofree char *contents = NULL;
  gsize size;

  fixture_copy (fixture, GOOD, "good.so");
  g_assert_cmpuint (count_scans (fixture), ==, 1);
  g_assert_true (g_file_get_contents (fixture->cache, &contents, &size, NULL));
  for (gsize length = 0; length < size; length += size / 12 + 1)
    {
      g_assert_true (g_file_set_contents (fixture->cache, contents, length, NULL));
      g_assert_cmpuint (count_scans (fixture), ==, 1);
    }
  for (gsize at = 0; at < size; at += size / 12 + 1)
    {
      g_autofree char *bad = g_memdup2 (contents, size);

      bad[at] ^= 0x55;
      g_assert_true (g_file_set_contents (fixture->cache, bad, size, NULL));
      g_assert_cmpuint (count_scans (fixture), ==, 1);
    }
  g_assert_cmpuint (count_scans (fixture), ==, 0);
}

/* How many plugins are scanned by a registry that begins now. */
static guint
fixture_count_scanned (Fixture *fixture)
{
  g_autoptr (LeatRegistry) registry = fixture_open (fixture);

  g_assert_nonnull (leat_registry_find (registry, "toy:filter", NULL));
  return leat_registry_get_n_scanned (registry);
}

/* What others may write to is as good as none, as is what is no file; a pipe is not waited for. */
static void
test_registry_cache_is_private (Fixture *fixture, gconstpointer data)
{
  g_autofree char *folder = g_path_get_dirname (fixture->cache);

  fixture_copy (fixture, GOOD, GOOD);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 1);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 0);
  g_assert_cmpint (chmod (fixture->cache, 0620), ==, 0);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 1);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 0);
  g_assert_cmpint (chmod (folder, 0702), ==, 0);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 1);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 1);
  g_assert_cmpint (chmod (folder, 0700), ==, 0);
  g_assert_cmpint (g_unlink (fixture->cache), ==, 0);
  g_assert_cmpint (mkfifo (fixture->cache, 0600), ==, 0);
  g_assert_cmpuint (fixture_count_scanned (fixture), ==, 1);
}

/* Everybody might say what is run: of the folder, also where the sticky bit keeps what is there, and of the file. */
static void
test_registry_refuses_what_all_may_write (Fixture *fixture, gconstpointer data)
{
  g_autofree char *file = g_build_filename (fixture->folder, GOOD, NULL);
  const struct
  {
    const char *path;
    guint mode, safe;
  } cases[] = { { fixture->folder, 0777, 0775 }, { fixture->folder, 01777, 0755 }, { file, 0666, 0664 } };

  fixture_copy (fixture, GOOD, GOOD);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (LeatRegistry) open = fixture_open (fixture);
      g_autofree char *reason = NULL;

      g_assert_cmpint (chmod (cases[i].path, cases[i].mode), ==, 0);
      g_assert_null (leat_registry_find (open, "toy:filter", NULL));
      reason = fixture_dup_reason (open, GOOD);
      g_assert_nonnull (strstr (reason, "everybody may write to it"));
      g_assert_nonnull (strstr (reason, cases[i].path));
      g_assert_cmpuint (leat_registry_get_n_scanned (open), ==, 0);
      g_assert_cmpint (chmod (cases[i].path, cases[i].safe), ==, 0);
      fixture_count_scanned (fixture);
    }
}

static void
test_registry_works_without_a_cache (Fixture *fixture, gconstpointer data)
{
  fixture_copy (fixture, GOOD, "good.so");
  g_free (fixture->cache);
  fixture->cache = g_strdup ("/dev/null/leat/plugins.cache");
  g_assert_cmpuint (count_scans (fixture), ==, 1);
  g_assert_cmpuint (count_scans (fixture), ==, 1);
}

static gpointer
find_in_thread (gpointer fixture)
{
  return GUINT_TO_POINTER (count_scans (fixture) + 1);
}

static void
test_registry_concurrent_writers (Fixture *fixture, gconstpointer data)
{
  GThread *threads[8];

  fixture_copy (fixture, GOOD, "good.so");
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("finder", find_in_thread, fixture);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_assert_nonnull (g_thread_join (threads[i]));
  g_assert_cmpuint (count_scans (fixture), ==, 0);
}

static void
test_registry_without_helper (Fixture *fixture, gconstpointer data)
{
  const char *const folders[] = { fixture->folder, NULL };
  g_autoptr (LeatRegistry) registry = NULL;
  g_autofree char *reason = NULL;

  fixture_copy (fixture, GOOD, "good.so");
  g_setenv ("LEAT_PLUGIN_SCANNER", "/proc/nonexistent/leat-plugin-scan", TRUE);
  registry = leat_registry_new (folders, fixture->cache, NULL, TIMEOUT_MS);
  reason = fixture_dup_reason (registry, "good.so");
  g_unsetenv ("LEAT_PLUGIN_SCANNER");
  g_assert_nonnull (reason);
  g_assert_nonnull (strstr (reason, "/proc/nonexistent/leat-plugin-scan"));
  /* That says nothing about the plugin, so the next one looks again. */
  g_assert_cmpuint (count_scans (fixture), ==, 1);
}

static void
test_registry_with_a_wrong_helper (Fixture *fixture, gconstpointer data)
{
  const char *const folders[] = { fixture->folder, NULL };
  g_autoptr (LeatRegistry) registry = leat_registry_new (folders, fixture->cache, "/bin/false", TIMEOUT_MS);
  g_autofree char *reason = NULL;

  fixture_copy (fixture, GOOD, "good.so");
  reason = fixture_dup_reason (registry, "good.so");
  g_assert_nonnull (reason);
  g_assert_nonnull (strstr (reason, "helper itself"));
  g_assert_cmpuint (count_scans (fixture), ==, 1);
}

static void
test_registry_refuses_a_file_that_changed (Fixture *fixture, gconstpointer data)
{
  g_autofree char *path = g_build_filename (fixture->folder, "good.so", NULL);
  g_autoptr (LeatRegistry) registry = NULL;
  g_autoptr (GError) error = NULL;
  LeatFactory *factory;

  fixture_copy (fixture, GOOD, "good.so");
  registry = fixture_open (fixture);
  factory = leat_registry_find (registry, "toy:filter", NULL);
  g_assert_cmpint (g_unlink (path), ==, 0);
  g_assert_null (leat_factory_make (factory, NULL, &error));
  g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN);
}

static void
test_registry_add_path (Fixture *fixture, gconstpointer data)
{
  g_autoptr (LeatRegistry) registry = fixture_open (fixture);

  g_assert_null (leat_registry_find (registry, "toy:filter", NULL));
  leat_registry_add_path (registry, fixture_plugins ());
  g_assert_nonnull (leat_registry_find (registry, "toy:filter", NULL));
}

/* Says how long a start takes that finds everything in the cache. */
static void
test_registry_warm_start (Fixture *fixture, gconstpointer data)
{
  double best = G_MAXDOUBLE;

  fixture_copy (fixture, GOOD, "good.so");
  count_scans (fixture);
  for (guint i = 0; i < 20; i++)
    {
      gint64 start_us = g_get_monotonic_time ();
      guint n_scans = count_scans (fixture);

      best = MIN (best, (double) (g_get_monotonic_time () - start_us));
      g_assert_cmpuint (n_scans, ==, 0);
    }
  g_test_minimized_result (best, "warm start: %.0f us", best);
}

#define ADD(name, function)                                                                                            \
  g_test_add ("/leat/registry/" name, Fixture, NULL, fixture_set_up, function, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("lists-by-id", test_registry_lists_by_id);
  ADD ("describes-without-loading", test_registry_describes_without_loading);
  ADD ("makes-a-node", test_registry_makes_a_node);
  g_test_add_func ("/leat/registry/scan-loads-nothing", test_registry_scan_loads_nothing);
  ADD ("lists-broken-plugins", test_registry_lists_broken_plugins);
  ADD ("keeps-plugins-quiet", test_registry_keeps_plugins_quiet);
  ADD ("gives-up-on-a-hanging-plugin", test_registry_gives_up_on_a_hanging_plugin);
  ADD ("waits-for-no-grandchild", test_registry_waits_for_no_grandchild);
  ADD ("find/names-near-ones", test_registry_find_names_near_ones);
  for (guint i = 0; i < G_N_ELEMENTS (homes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/registry/find/blames-a-broken-plugin/%s", homes[i]);

      g_test_add (path, Fixture, homes[i], fixture_set_up, test_registry_find_blames_a_broken_plugin,
                  fixture_tear_down);
    }
  ADD ("find/in-empty-folders", test_registry_find_in_empty_folders);
  ADD ("cache/is-used", test_registry_cache_is_used);
  ADD ("cache/follows-the-file", test_registry_cache_follows_the_file);
  ADD ("cache/follows-the-library", test_registry_cache_follows_the_library);
  ADD ("cache/keeps-other-folders", test_registry_cache_keeps_other_folders);
  ADD ("cache/damaged", test_registry_cache_damaged);
  ADD ("cache/is-private", test_registry_cache_is_private);
  ADD ("cache/works-without", test_registry_works_without_a_cache);
  ADD ("refuses-what-all-may-write", test_registry_refuses_what_all_may_write);
  ADD ("cache/concurrent-writers", test_registry_concurrent_writers);
  ADD ("without-helper", test_registry_without_helper);
  ADD ("with-a-wrong-helper", test_registry_with_a_wrong_helper);
  ADD ("refuses-a-file-that-changed", test_registry_refuses_a_file_that_changed);
  ADD ("add-path", test_registry_add_path);
  ADD ("warm-start", test_registry_warm_start);
  return g_test_run ();
}
