/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image-child.h"

#include <fcntl.h>
#include <glib/gstdio.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

__attribute__ ((visibility ("default"))) int openat64 (int folder, const char *name, int flags, ...);

/* Stands before the system's: whatever is opened in the cache must not be handed on to a program that another thread
 * starts, and what is written there must be new.  The message is an error to who looks at the child. */
int
openat64 (int folder, const char *name, int flags, ...)
{
  mode_t mode = 0;
  va_list args;

  va_start (args, flags);
  if (flags & O_CREAT)
    mode = va_arg (args, mode_t);
  va_end (args);
  if (!(flags & O_CLOEXEC) || ((flags & O_ACCMODE) != O_RDONLY && !(flags & O_EXCL)))
    g_printerr ("%s is opened with the flags %#x\n", name, flags);
  return syscall (SYS_openat, folder, name, flags, mode);
}

void
image_child_check (int argc, char **argv)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GBytes) image = NULL;
  g_autofree char *digest = NULL;
  LeatImageTarget target;
  LeatImageCounts counts;
  LeatFloatFlags floats;

  if (argc < 5 || strcmp (argv[1], "--get") != 0)
    return;
  source = leat_kernel_source_new_from_file (argv[2], &error);
  if (source != NULL && leat_image_target_parse (argv[3], &target, &error)
      && leat_float_flags_parse (argv[4], &floats, &error))
    {
      leat_kernel_source_set_floats (source, floats);
      image = leat_image_get (source, &target, &error);
    }
  if (image == NULL)
    {
      g_printerr ("%s\n", error->message);
      exit (1);
    }
  counts = leat_image_get_counts ();
  digest = g_compute_checksum_for_bytes (G_CHECKSUM_SHA256, image);
  g_print ("%u %u %u %u %s\n", counts.shipped, counts.cached, counts.compiled, counts.damaged, digest);
  exit (0);
}

gboolean
image_case_init (ImageCase *self)
{
  g_autofree char *compiler = g_find_program_in_path ("c++"), *cache = NULL;

  if (compiler == NULL)
    {
      g_test_skip ("no c++ here");
      return FALSE;
    }
  *self = (ImageCase){ g_dir_make_tmp ("leat-image-XXXXXX", NULL), g_ptr_array_new_with_free_func (g_free), "x86-64" };
  g_assert_nonnull (self->folder);
  cache = image_case_dup_path (self, "cache");
  image_case_write (self, "kernel.cu", IMAGE_TEXT);
  image_case_set (self, "XDG_CACHE_HOME", cache);
  image_case_set (self, "LEAT_CXX", NULL);
  image_case_set (self, "LEAT_IMAGE_PATH", NULL);
  image_case_set (self, "LEAT_IMAGE_CACHE_MIB", NULL);
  /* A child's warnings are looked at, not died of. */
  image_case_set (self, "G_DEBUG", NULL);
  return TRUE;
}

static void
image_remove_tree (const char *path)
{
  g_autoptr (GDir) dir = g_file_test (path, G_FILE_TEST_IS_SYMLINK) ? NULL : g_dir_open (path, 0, NULL);

  for (const char *name; dir != NULL && (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *inner = g_build_filename (path, name, NULL);

      image_remove_tree (inner);
    }
  g_remove (path);
}

void
image_case_clear (ImageCase *self)
{
  image_remove_tree (self->folder);
  g_free (self->folder);
  g_ptr_array_unref (self->set);
}

void
image_case_set (ImageCase *self, const char *name, const char *value)
{
  g_ptr_array_add (self->set, g_strdup (name));
  g_ptr_array_add (self->set, g_strdup (value));
}

char *
image_case_dup_path (ImageCase *self, const char *name)
{
  return g_build_filename (self->folder, name, NULL);
}

void
image_case_write (ImageCase *self, const char *name, const char *text)
{
  g_autofree char *path = image_case_dup_path (self, name);

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
}

/* Links to the last of each are no entries. (transfer none) (nullable) */
static const char *
image_case_read_entry (GDir *dir)
{
  const char *name = dir != NULL ? g_dir_read_name (dir) : NULL;

  while (name != NULL && g_str_has_suffix (name, ".any"))
    name = g_dir_read_name (dir);
  return name;
}

guint
image_case_count_entries (ImageCase *self)
{
  g_autofree char *path = image_case_dup_path (self, "cache/leat/images");
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);
  guint n = 0;

  while (image_case_read_entry (dir) != NULL)
    n++;
  return n;
}

char *
image_case_dup_entry (ImageCase *self)
{
  g_autofree char *path = image_case_dup_path (self, "cache/leat/images");
  g_autoptr (GDir) dir = g_dir_open (path, 0, NULL);

  g_assert_nonnull (dir);
  g_assert_cmpuint (image_case_count_entries (self), ==, 1);
  return g_build_filename (path, image_case_read_entry (dir), NULL);
}

GSubprocess *
image_case_start (ImageCase *self)
{
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *self_path = g_file_read_link ("/proc/self/exe", NULL);
  g_autofree char *source = image_case_dup_path (self, "kernel.cu");
  const char *fp = self->fp != NULL ? self->fp : self->fast ? "fast" : "strict";
  const char *argv[] = { self_path, "--get", source, self->target, fp, NULL };
  g_autoptr (GError) error = NULL;
  GSubprocess *child;

  for (guint i = 0; i < self->set->len; i += 2)
    {
      const char *name = g_ptr_array_index (self->set, i), *value = g_ptr_array_index (self->set, i + 1);

      if (value != NULL)
        g_subprocess_launcher_setenv (launcher, name, value, TRUE);
      else
        g_subprocess_launcher_unsetenv (launcher, name);
    }
  child = g_subprocess_launcher_spawnv (launcher, argv, &error);
  g_assert_no_error (error);
  return child;
}

void
image_case_finish (GSubprocess *child, ImageResult *result)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;

  memset (result, 0, sizeof *result);
  g_assert_true (g_subprocess_communicate_utf8 (child, NULL, NULL, &text, &result->errors, NULL));
  g_assert_true (g_subprocess_get_if_exited (child));
  if (g_subprocess_get_successful (child))
    {
      words = g_strsplit (g_strstrip (text), " ", -1);
      g_assert_cmpuint (g_strv_length (words), ==, 5);
      result->counts = (LeatImageCounts){ atoi (words[0]), atoi (words[1]), atoi (words[2]), atoi (words[3]) };
      result->digest = g_strdup (words[4]);
    }
  g_object_unref (child);
}

void
image_case_get (ImageCase *self, ImageResult *result)
{
  image_case_finish (image_case_start (self), result);
}

void
image_case_expect (ImageCase *self, guint shipped, guint cached, guint compiled, guint damaged)
{
  g_auto (ImageResult) result = { 0 };

  image_case_get (self, &result);
  g_assert_cmpstr (result.errors, ==, "");
  g_assert_nonnull (result.digest);
  g_assert_cmpuint (result.counts.shipped, ==, shipped);
  g_assert_cmpuint (result.counts.cached, ==, cached);
  g_assert_cmpuint (result.counts.compiled, ==, compiled);
  g_assert_cmpuint (result.counts.damaged, ==, damaged);
}

void
image_result_clear (ImageResult *self)
{
  g_free (self->digest);
  g_free (self->errors);
}
