/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-kernel-source-private.h"
#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>

/* Nodes with one file share what was read of it, while it is that file. */

#define KERNEL "__global__ void %s (const float *x, float *y) { y[threadIdx.x] = x[threadIdx.x]; }\n"

typedef struct
{
  char *folder, *file, *header;
} ShareFixture;

static void
write_kernel (const char *path, const char *before, const char *entry)
{
  g_autofree char *kernel = g_strdup_printf (KERNEL, entry);
  g_autofree char *text = g_strconcat (before, kernel, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
}

static void
share_fixture_init (ShareFixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("leat-share-XXXXXX", &error);
  g_assert_no_error (error);
  self->file = g_build_filename (self->folder, "a.cu", NULL);
  self->header = g_build_filename (self->folder, "b.cuh", NULL);
  write_kernel (self->header, "", "other");
  write_kernel (self->file, "#include \"b.cuh\"\n", "first");
}

static void
share_fixture_clear (ShareFixture *self, gconstpointer data)
{
  g_remove (self->file);
  g_remove (self->header);
  g_rmdir (self->folder);
  g_free (self->file);
  g_free (self->header);
  g_free (self->folder);
}

static LeatKernelSource *
share (const char *path, gboolean strict)
{
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new_shared (path, NULL, strict, &error);

  g_assert_no_error (error);
  g_assert_cmpuint (leat_kernel_source_get_floats (source), ==, strict ? LEAT_FLOATS_STRICT : LEAT_FLOATS_CONTRACT);
  return source;
}

static char *
list_entries (LeatKernelSource *source)
{
  g_auto (GStrv) names = leat_kernel_source_list_entries (source);

  return g_strjoinv (" ", names);
}

static void
test_kernel_share_one_file_is_one_source (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = share (self->file, TRUE), two = share (self->file, TRUE);
  g_autoptr (LeatKernelSource) fast = share (self->file, FALSE), again = share (self->file, FALSE);

  g_autoptr (LeatKernelSource) flush =
    leat_kernel_source_new_shared_with_floats (self->file, NULL, LEAT_FLOATS_FLUSH, NULL);

  g_assert_true (one == two);
  g_assert_true (one != fast);
  g_assert_true (fast == again);
  g_assert_true (flush != one && flush != fast);
  g_assert_false (leat_kernel_source_equal (flush, one));
}

static void
test_kernel_share_another_text_is_another_source (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = share (self->file, TRUE), two = NULL;
  g_autofree char *before = list_entries (one), *after = NULL;

  write_kernel (self->file, "#include \"b.cuh\"\n", "third");
  two = share (self->file, TRUE);
  after = list_entries (two);
  g_assert_cmpstr (before, ==, "other first");
  g_assert_cmpstr (after, ==, "other third");
}

static void
test_kernel_share_includes_count (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = share (self->file, TRUE), two = NULL;
  g_autofree char *after = NULL;

  write_kernel (self->header, "", "othir");
  two = share (self->file, TRUE);
  after = list_entries (two);
  g_assert_cmpstr (after, ==, "othir first");
  g_assert_true (one != two);
}

/* A file that was asked for and was not there may come, and the next node finds it. */
static void
test_kernel_share_a_file_that_comes_counts (ShareFixture *self, gconstpointer data)
{
  g_autofree char *flag = g_build_filename (self->folder, "flag.h", NULL), *before = NULL, *after = NULL;
  g_autoptr (LeatKernelSource) one = NULL, two = NULL;

  write_kernel (self->file, "#if __has_include (\"flag.h\")\n__global__ void there (int *x) {}\n#endif\n", "first");
  one = share (self->file, TRUE);
  before = list_entries (one);
  g_assert_true (g_file_set_contents (flag, "", -1, NULL));
  two = share (self->file, TRUE);
  after = list_entries (two);
  g_remove (flag);
  g_assert_cmpstr (before, ==, "first");
  g_assert_cmpstr (after, ==, "there first");
}

/* Each list of macros has its own. */
static void
test_kernel_share_defines_count (ShareFixture *self, gconstpointer data)
{
  static const char *const a[] = { "A", NULL }, *const b[] = { "A=2", NULL };
  g_autoptr (LeatKernelSource) none = share (self->file, TRUE);
  g_autoptr (LeatKernelSource) one = leat_kernel_source_new_shared (self->file, a, TRUE, NULL);
  g_autoptr (LeatKernelSource) two = leat_kernel_source_new_shared (self->file, b, TRUE, NULL);
  g_autoptr (LeatKernelSource) again = leat_kernel_source_new_shared (self->file, a, TRUE, NULL);

  g_assert_true (one == again);
  g_assert_true (one != two);
  g_assert_true (one != none);
}

static void
test_kernel_share_a_file_that_goes_is_gone (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = share (self->file, TRUE), two = NULL;
  g_autoptr (GError) error = NULL;

  g_remove (self->file);
  two = leat_kernel_source_new_shared (self->file, NULL, TRUE, &error);
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
  g_assert_null (two);
}

static void
test_kernel_share_a_round_looks_once (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = NULL, two = NULL, three = NULL;

  leat_kernel_source_begin_round ();
  one = share (self->file, TRUE);
  write_kernel (self->file, "#include \"b.cuh\"\n", "third");
  two = share (self->file, TRUE);
  leat_kernel_source_end_round ();
  three = share (self->file, TRUE);
  g_assert_true (one == two);
  g_assert_true (one != three);
}

/* A round begins with a look, at what was read before it too. */
static void
test_kernel_share_each_round_looks (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = NULL, two = NULL;

  leat_kernel_source_begin_round ();
  one = share (self->file, TRUE);
  leat_kernel_source_end_round ();
  write_kernel (self->file, "#include \"b.cuh\"\n", "third");
  leat_kernel_source_begin_round ();
  two = share (self->file, TRUE);
  leat_kernel_source_end_round ();
  g_assert_true (one != two);
}

/* Only so many are kept; what is in use stays good. */
static void
test_kernel_share_forgets_the_oldest (ShareFixture *self, gconstpointer data)
{
  g_autoptr (LeatKernelSource) one = share (self->file, TRUE), again = NULL;
  g_autofree char *entries = NULL;

  for (guint i = 0; i < 20; i++)
    {
      g_autofree char *path = g_strdup_printf ("%s/c%u.cu", self->folder, i);
      g_autoptr (LeatKernelSource) other = NULL;

      write_kernel (path, "", "k");
      other = share (path, TRUE);
      g_remove (path);
    }
  again = share (self->file, TRUE);
  entries = list_entries (one);
  g_assert_true (again != one);
  g_assert_cmpstr (entries, ==, "other first");
}

#define ADD(name, function)                                                                                            \
  g_test_add ("/leat/kernel/share/" name, ShareFixture, NULL, share_fixture_init, function, share_fixture_clear)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("one-file-is-one-source", test_kernel_share_one_file_is_one_source);
  ADD ("another-text-is-another-source", test_kernel_share_another_text_is_another_source);
  ADD ("includes-count", test_kernel_share_includes_count);
  ADD ("a-file-that-goes-is-gone", test_kernel_share_a_file_that_goes_is_gone);
  ADD ("a-file-that-comes-counts", test_kernel_share_a_file_that_comes_counts);
  ADD ("defines-count", test_kernel_share_defines_count);
  ADD ("forgets-the-oldest", test_kernel_share_forgets_the_oldest);
  ADD ("a-round-looks-once", test_kernel_share_a_round_looks_once);
  ADD ("each-round-looks", test_kernel_share_each_round_looks);
  return g_test_run ();
}
