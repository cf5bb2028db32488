/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "queue-fixture.h"

#include <glib/gstdio.h>
#include <string.h>

#include "exposition.h"

static char *queue_folder, *queue_path;

void
queue_fixture_init (void)
{
  g_autoptr (GError) error = NULL;

  queue_folder = g_dir_make_tmp ("leat-queue-XXXXXX", &error);
  g_assert_no_error (error);
  queue_path = g_build_filename (queue_folder, "kernels.cu", NULL);
  g_file_set_contents (queue_path, queue_kernels, -1, &error);
  g_assert_no_error (error);
}

void
queue_fixture_clear (void)
{
  g_unlink (queue_path);
  g_rmdir (queue_folder);
  g_free (queue_path);
  g_free (queue_folder);
}

void
queue_fixture_open_two (SessionFixture *self, const char *kernel, const char *other, LeatExecutor executor)
{
  g_autofree char *text =
    g_strdup_printf ("up = upload\napp name=source spec=u32[<=%d] -> up\n"
                     "up -> kernel name=work source=\"%s\" sums=u64[2] clear=sums %s -> readback -> app name=sink\n"
                     "up -> kernel name=more source=\"%s\" sums=u64[2] clear=sums %s -> discard\n",
                     QUEUE_ITEMS, queue_path, kernel, queue_path, other);

  session_fixture_open (self, text, executor);
}

static char *
queue_fixture_dup_text (const char *source, const char *kernel)
{
  return g_strdup_printf ("app name=source %s -> upload -> kernel name=work source=\"%s\" sums=u64[2] clear=sums %s "
                          "-> readback -> app name=sink\n",
                          source, queue_path, kernel);
}

void
queue_fixture_open (SessionFixture *self, const char *kernel, LeatExecutor executor)
{
  g_autofree char *source = g_strdup_printf ("spec=u32[<=%d]", QUEUE_ITEMS);
  g_autofree char *text = queue_fixture_dup_text (source, kernel);

  session_fixture_open (self, text, executor);
}

void
queue_fixture_open_bound (SessionFixture *self, const char *kernel, LeatExecutor executor)
{
  g_autofree char *source = g_strdup_printf ("memory=user spec=u32[%d]", QUEUE_ITEMS);
  g_autofree char *text = queue_fixture_dup_text (source, kernel);

  session_fixture_open (self, text, executor);
}

GError *
queue_fixture_refuse (const char *kernel)
{
  g_autofree char *text = queue_fixture_dup_text ("spec=u32[4]", kernel);
  g_autofree char *whole = g_strconcat ("leat 1\n", text, NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = leat_parse_text (whole, LEAT_TEXT_STYLE_FILE, NULL, &error);

  return pipeline != NULL ? session_fixture_fail (text, NULL) : g_steal_pointer (&error);
}

GBytes *
queue_fixture_run (SessionFixture *self, const guint32 *roots, guint n, GError **error)
{
  return session_fixture_try (self, roots, n * sizeof *roots, error);
}

QueueSums
queue_fixture_walk (SessionFixture *self, const guint32 *roots, guint n)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) output = queue_fixture_run (self, roots, n, &error);
  QueueSums sums;

  g_assert_no_error (error);
  g_assert_cmpuint (g_bytes_get_size (output), ==, sizeof sums);
  memcpy (&sums, g_bytes_get_data (output, NULL), sizeof sums);
  return sums;
}

static guint32
queue_mix (guint32 v)
{
  v = (v ^ (v >> 16)) * 0x7feb352du;
  v = (v ^ (v >> 15)) * 0x846ca68bu;
  return v ^ (v >> 16);
}

static void
queue_visit (QueueSums *sums, guint32 node, guint level, guint depth)
{
  guint32 hash = queue_mix (node);

  sums->visits++;
  sums->sum += hash;
  for (guint i = 0; level < depth && i < hash % 4; i++)
    queue_visit (sums, hash + i, level + 1, depth);
}

QueueSums
queue_fixture_expect (const guint32 *roots, guint n, guint depth)
{
  QueueSums sums = { 0, 0 };

  for (guint i = 0; i < n; i++)
    queue_visit (&sums, roots[i], 0, depth);
  return sums;
}

void
queue_fixture_assert_equal (QueueSums got, QueueSums expected)
{
  g_assert_cmpuint (got.visits, ==, expected.visits);
  g_assert_cmpuint (got.sum, ==, expected.sum);
}

/* The text for Prometheus has the same number. */
static void
queue_fixture_check_told (SessionFixture *self, const char *queue, const char *name, guint64 total)
{
  g_autofree char *text = leat_session_to_prometheus (self->session, "p");
  g_autofree char *begin = g_strdup_printf ("leat_queue_%s_", name);
  g_autofree char *end = g_strdup_printf (",queue=\"%s\"} %" G_GUINT64_FORMAT, queue, total);
  g_auto (GStrv) lines = g_strsplit (text, "\n", -1);
  g_autoptr (GHashTable) samples = exposition_parse (text);
  guint n = 0;

  for (guint i = 0; lines[i] != NULL; i++)
    n += g_str_has_prefix (lines[i], begin) && g_str_has_suffix (lines[i], end);
  g_assert_cmpuint (n, ==, 1);
}

guint64
queue_fixture_get_total (SessionFixture *self, const char *queue, const char *name)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) queues = leat_session_dup_work_queues (self->session, &error);

  g_assert_no_error (error);
  for (gsize i = 0; i < g_variant_n_children (queues); i++)
    {
      g_autoptr (GVariant) totals = g_variant_get_child_value (queues, i);
      const char *is = NULL;
      guint64 total = 0;

      g_assert_true (g_variant_lookup (totals, "queue", "&s", &is));
      if (!g_str_equal (is, queue))
        continue;
      g_assert_true (g_variant_lookup (totals, name, "t", &total));
      queue_fixture_check_told (self, queue, name, total);
      return total;
    }
  g_assert_not_reached ();
}

void
queue_fixture_fill (guint32 *roots, guint n, guint32 seed)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (seed);

  for (guint i = 0; i < n; i++)
    roots[i] = g_rand_int (rand);
}

void
queue_fixture_add_for_executors (const char *name, GTestDataFunc test)
{
  g_autofree char *graph = g_strdup_printf ("/leat/session/queue/%s/graph", name);
  g_autofree char *eager = g_strdup_printf ("/leat/session/queue/%s/eager", name);

  g_test_add_data_func (graph, GINT_TO_POINTER (LEAT_EXECUTOR_GRAPH), test);
  g_test_add_data_func (eager, GINT_TO_POINTER (LEAT_EXECUTOR_EAGER), test);
}
