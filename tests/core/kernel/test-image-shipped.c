/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image-child.h"

#include <glib/gstdio.h>
#include <string.h>

/* Images that ship with plugins: made by leat-kernelc, used by machines without a compiler. */

static char *
shipped_find_kernelc (void)
{
  char *path = g_test_build_filename (G_TEST_BUILT, "..", "core", "leat-kernelc", NULL);

  if (g_file_test (path, G_FILE_TEST_IS_EXECUTABLE))
    return path;
  g_test_skip ("leat-kernelc is not beside the tests");
  g_free (path);
  return NULL;
}

/* Runs leat-kernelc on the case's kernel; returns its exit status. */
static int
shipped_make (ImageCase *self, const char *kernelc, const char *folder, char **errors)
{
  g_autofree char *source = image_case_dup_path (self, "kernel.cu"), *output = image_case_dup_path (self, folder);
  g_autofree char *target = g_strconcat ("--target=", self->target, NULL);
  g_autofree char *fp = self->fp != NULL ? g_strconcat ("--fp=", self->fp, NULL) : NULL;
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GError) error = NULL;

  g_mkdir_with_parents (output, 0700);
  child = g_subprocess_new (G_SUBPROCESS_FLAGS_STDERR_PIPE, &error, kernelc, target, "-o", output, source,
                            fp != NULL   ? fp
                            : self->fast ? "--fast"
                                         : NULL,
                            NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (child, NULL, NULL, NULL, errors, NULL));
  g_assert_true (g_subprocess_get_if_exited (child));
  return g_subprocess_get_exit_status (child);
}

static gboolean
shipped_init (ImageCase *self, char **kernelc)
{
  g_autofree char *images = NULL;

  *kernelc = NULL;
  if (g_getenv ("LEAT_KERNEL_SANITIZE") != NULL)
    {
      g_test_skip ("instrumented kernels are always compiled");
      return FALSE;
    }
  *kernelc = shipped_find_kernelc ();
  if (*kernelc == NULL || !image_case_init (self))
    return FALSE;
  images = image_case_dup_path (self, "shipped");
  image_case_set (self, "LEAT_IMAGE_PATH", images);
  return TRUE;
}

static void
test_image_shipped_needs_no_compiler (void)
{
  static const char *const wanted[] = { "x86-64", "native" };
  g_autofree char *kernelc = NULL, *errors = NULL;
  ImageCase c;

  if (!shipped_init (&c, &kernelc))
    return;
  g_assert_cmpint (shipped_make (&c, kernelc, "shipped", &errors), ==, 0);
  g_assert_cmpstr (errors, ==, "");
  image_case_set (&c, "LEAT_CXX", "/proc/nowhere/c++");
  for (guint i = 0; i < G_N_ELEMENTS (wanted); i++)
    {
      c.target = wanted[i];
      image_case_expect (&c, 1, 0, 0, 0);
    }
  g_assert_cmpuint (image_case_count_entries (&c), ==, 0);
  image_case_clear (&c);
}

/* Beside a plugin, in the folder images/. */
static void
test_image_shipped_beside_plugin (void)
{
  g_autofree char *kernelc = NULL, *errors = NULL, *plugins = NULL, *path = NULL;
  ImageCase c;

  if (!shipped_init (&c, &kernelc))
    return;
  g_assert_cmpint (shipped_make (&c, kernelc, "plugins/images", &errors), ==, 0);
  plugins = image_case_dup_path (&c, "plugins");
  path = g_strconcat ("/proc/nowhere:", plugins, NULL);
  image_case_set (&c, "LEAT_PLUGIN_PATH", path);
  image_case_set (&c, "LEAT_CXX", "/proc/nowhere/c++");
  image_case_expect (&c, 1, 0, 0, 0);
  image_case_clear (&c);
}

/* An image of what the source was, of the other kind of arithmetic, or damaged, is as good as none. */
static void
test_image_shipped_stale (void)
{
  g_autofree char *kernelc = NULL, *errors = NULL, *image = NULL, *data = NULL;
  gsize size;
  ImageCase c;

  if (!shipped_init (&c, &kernelc))
    return;
  g_assert_cmpint (shipped_make (&c, kernelc, "shipped", &errors), ==, 0);
  c.fast = TRUE;
  image_case_expect (&c, 0, 0, 1, 0);
  c.fast = FALSE;
  image_case_write (&c, "kernel.cu", "#define NEW 1\n" IMAGE_TEXT);
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_write (&c, "kernel.cu", IMAGE_TEXT);
  image_case_expect (&c, 1, 0, 0, 0);
  image = image_case_dup_path (&c, "shipped/kernel.cu.x86-64.img");
  g_assert_true (g_file_get_contents (image, &data, &size, NULL));
  data[size / 2] ^= 1;
  g_assert_true (g_file_set_contents (image, data, size, NULL));
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_clear (&c);
}

/* What a CPU knows of the freedoms with floating point is in an image for it, and no more. */
static void
test_image_shipped_floats (void)
{
  static const struct
  {
    const char *made, *wanted;
    gboolean fits;
  } rows[] = { { "flush,div", "strict", TRUE },
               { "contract", "fast", TRUE },
               { "all", "contract,sqrt", TRUE },
               { "sqrt", "contract", FALSE },
               { "all", "strict", FALSE } };
  g_autofree char *kernelc = NULL, *wrong = NULL;
  ImageCase c;

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *errors = NULL, *made = NULL;

      if (!shipped_init (&c, &made))
        return;
      c.fp = rows[i].made;
      g_assert_cmpint (shipped_make (&c, made, "shipped", &errors), ==, 0);
      c.fp = rows[i].wanted;
      image_case_expect (&c, rows[i].fits, 0, !rows[i].fits, 0);
      image_case_clear (&c);
    }
  if (!shipped_init (&c, &kernelc))
    return;
  c.fp = "fats";
  g_assert_cmpint (shipped_make (&c, kernelc, "shipped", &wrong), ==, 5);
  g_assert_nonnull (strstr (wrong, "did you mean \"fast\"?"));
  image_case_clear (&c);
}

/* PTX steps in where NVRTC is missing, for its own and all later devices. */
static void
test_image_shipped_ptx (void)
{
  static const struct
  {
    const char *target;
    gboolean runs;
  } devices[] = { { "sm_75", TRUE }, { "sm_90", TRUE }, { "sm_121", TRUE }, { "sm_70", FALSE } };
  g_autofree char *kernelc = NULL, *errors = NULL;
  ImageCase c;
  int status;

  if (!shipped_init (&c, &kernelc))
    return;
  c.target = "compute_75";
  status = shipped_make (&c, kernelc, "shipped", &errors);
  if (status != 0 && strstr (errors, "NVRTC") != NULL)
    g_test_skip (errors);
  else
    {
      g_assert_cmpint (status, ==, 0);
      image_case_set (&c, "LEAT_NVRTC", "/proc/nowhere/libnvrtc.so");
      for (guint i = 0; i < G_N_ELEMENTS (devices); i++)
        {
          g_auto (ImageResult) result = { 0 };

          c.target = devices[i].target;
          image_case_get (&c, &result);
          g_assert_cmpint (result.digest != NULL, ==, devices[i].runs);
          g_assert_cmpuint (result.counts.shipped, ==, devices[i].runs);
          g_assert_cmpint (strstr (result.errors, "LEAT_NVRTC") == NULL, ==, devices[i].runs);
        }
    }
  image_case_clear (&c);
}

static const struct
{
  const char *words[4];
  const char *message;
  int status;
} refused[] = {
  { { NULL }, "expected --target=TARGET and one file", 2 },
  { { "kernel.cu", NULL }, "expected --target=TARGET", 2 },
  { { "--target=x86-64", "a.cu", "b.cu", NULL }, "one file", 2 },
  { { "--wrong", NULL }, "--wrong", 2 },
  { { "--target=sm", "edges.cu", NULL }, "no kernel target \"sm\"", 5 },
  { { "--target=x86-64", "/proc/nowhere/a.cu", NULL }, "cannot read the kernel source", 5 },
  { { "--target=x86-64", "/dev/null", NULL }, "it is a pipe or a device", 5 },
};

static void
test_image_shipped_kernelc_refuses (void)
{
  g_autofree char *kernelc = shipped_find_kernelc ();
  g_autofree char *graphs = g_test_build_filename (G_TEST_DIST, "..", "graphs", NULL);

  for (guint i = 0; kernelc != NULL && i < G_N_ELEMENTS (refused); i++)
    {
      const char *argv[] = { kernelc, refused[i].words[0], refused[i].words[1], refused[i].words[2], NULL };
      g_autoptr (GSubprocessLauncher) launcher = g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDERR_PIPE);
      g_autoptr (GSubprocess) child = NULL;
      g_autofree char *errors = NULL;

      g_subprocess_launcher_set_cwd (launcher, graphs);
      child = g_subprocess_launcher_spawnv (launcher, argv, NULL);
      g_assert_true (g_subprocess_communicate_utf8 (child, NULL, NULL, NULL, &errors, NULL));
      g_assert_cmpint (g_subprocess_get_exit_status (child), ==, refused[i].status);
      g_assert_true (g_str_has_prefix (errors, "leat-kernelc: "));
      if (strstr (errors, refused[i].message) == NULL)
        g_error ("expected \"%s\" in: %s", refused[i].message, errors);
    }
}

/* What it is all for: the scanner runs on a machine that has nothing but Leat. */
static void
test_image_shipped_scans (void)
{
  g_autofree char *launch = g_find_program_in_path ("leat-launch"), *cache = NULL, *out = NULL, *errors = NULL;
  g_autofree char *kernelc = NULL;
  g_autofree char *graph = g_test_build_filename (G_TEST_DIST, "..", "graphs", "scan.leat", NULL), *input = NULL;
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autofree char *images = g_test_build_filename (G_TEST_BUILT, "..", "plugins", "text", "images", NULL);
  g_autoptr (GSubprocess) child = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GDir) dir = NULL;
  ImageCase c;

  if (launch == NULL || !g_file_test (images, G_FILE_TEST_IS_DIR))
    {
      g_test_skip ("leat-launch or the plugins' images are not here");
      return;
    }
  if (!shipped_init (&c, &kernelc))
    return;
  cache = image_case_dup_path (&c, "cache");
  image_case_write (&c, "text.txt", "no warranty, no warranty at all\n");
  input = g_strconcat ("input=", c.folder, "/text.txt", NULL);
  g_subprocess_launcher_setenv (launcher, "XDG_CACHE_HOME", cache, TRUE);
  g_subprocess_launcher_setenv (launcher, "PATH", "/proc/nowhere", TRUE);
  g_subprocess_launcher_setenv (launcher, "LEAT_DEVICE", "cpu", TRUE);
  g_subprocess_launcher_unsetenv (launcher, "LEAT_CXX");
  child = g_subprocess_launcher_spawn (launcher, &error, launch, graph, input, "patterns=warranty", NULL);
  g_assert_no_error (error);
  g_assert_true (g_subprocess_communicate_utf8 (child, NULL, NULL, &out, &errors, NULL));
  if (!g_subprocess_get_successful (child))
    g_error ("%s", errors);
  g_assert_cmpstr (out, ==, "3:warranty\n16:warranty\n");
  g_assert_cmpuint (image_case_count_entries (&c), ==, 0);
  image_case_clear (&c);
}

int
main (int argc, char **argv)
{
  image_child_check (argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image/shipped/needs-no-compiler", test_image_shipped_needs_no_compiler);
  g_test_add_func ("/leat/image/shipped/beside-plugin", test_image_shipped_beside_plugin);
  g_test_add_func ("/leat/image/shipped/stale", test_image_shipped_stale);
  g_test_add_func ("/leat/image/shipped/floats", test_image_shipped_floats);
  g_test_add_func ("/leat/image/shipped/ptx", test_image_shipped_ptx);
  g_test_add_func ("/leat/image/shipped/kernelc-refuses", test_image_shipped_kernelc_refuses);
  g_test_add_func ("/leat/image/shipped/scans", test_image_shipped_scans);
  return g_test_run ();
}
