/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "image-child.h"
#include "kernel/leat-kernel-source-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* What compilers find wrong, told with the user's own file and line, and what happens without a compiler. */

static const struct
{
  const char *text;
  const char *place; /* behind the name of the file */
  const char *words; /* that either compiler's message has */
} compile_cases[] = {
  { "__global__ void f (int *x)\n{\n  x[0] = nothing;\n}\n", ":3:", "nothing" },
  { "\n\n__device__ int g (int v) { return v; }\n__global__ void f (int *x)\n{\n  /* long\n  comment */\n  x[0] = g "
    "(1, "
    "2);\n}\n",
    ":8:", "" },
  { "#define TWICE(v) ((v) * \\\n  2)\n__global__ void f (int *x) { GRID_FOR (i, 10) x[i] = TWICE (missing); }\n",
    ":3:", "missing" },
  { "__global__ void f (int *x, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= n)\n    "
    "return;\n"
    "  __shared__ int tile[4];\n  tile[0] = absent;\n}\n",
    ":7:", "absent" },
  { "__global__ void f (int *x, int n)\n{\n  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n;\n"
    "       i += blockDim.x * gridDim.x)\n    x[i] = lost;\n}\n",
    ":5:", "lost" },
  { "__global__ void f (float *x)\n{\n  x[0] = 1.0f\n  x[1] = 2.0f;\n}\n", ":", "" },
  { "__global__ void f (float *x)\n{\n  x[0] = sinf (1.0f, 2.0f);\n}\n", ":3:", "sinf" },
};

static void
compile_for (const char *target_name, const char *hint)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-kernel-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "wrong kernel.cu", NULL);

  for (guint i = 0; i < G_N_ELEMENTS (compile_cases); i++)
    {
      g_autofree char *place = g_strconcat (path, compile_cases[i].place, NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = NULL;
      LeatImageTarget target;

      g_assert_true (g_file_set_contents (path, compile_cases[i].text, -1, NULL));
      source = leat_kernel_source_new_from_file (path, &error);
      g_assert_no_error (error);
      g_assert_true (leat_image_target_parse (target_name, &target, NULL));
      g_assert_null (leat_image_compile (source, &target, &error));
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          break;
        }
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
      if (strstr (error->message, place) == NULL || strstr (error->message, compile_cases[i].words) == NULL
          || strstr (error->message, hint) == NULL || strstr (error->message, "leat_module") != NULL
          || strstr (error->message, "In member function") != NULL || strstr (error->message, "leat-dialect") != NULL
          || strstr (error->message, "\nwrong kernel.cu: In") != NULL)
        g_error ("expected \"%s\" and \"%s\" in: %s", place, compile_cases[i].words, error->message);
    }
  g_unlink (path);
  g_rmdir (folder);
}

static void
test_kernel_compile_host (gconstpointer compiler)
{
  g_autofree char *path = compiler != NULL ? g_find_program_in_path (compiler) : NULL;

  if (compiler != NULL && path == NULL)
    {
      g_test_skip ("not here");
      return;
    }
  if (path != NULL)
    g_setenv ("LEAT_CXX", path, TRUE);
  compile_for ("host", "does not compile for the CPU");
  g_unsetenv ("LEAT_CXX");
}

static void
test_kernel_compile_nvrtc (void)
{
  compile_for ("sm_90", "does not compile for sm_90");
}

/* An expression is the name of its source, and what begins with a dash is an option to some. */
static void
test_kernel_compile_dash (gconstpointer target_name)
{
  static const char *const texts[] = { "__global__ void f (float *x)\n{\n  x[0] = -x[0];\n}\n",
                                       "__global__ void f (float *x)\n{\n  x[0] = missing;\n}\n" };
  LeatImageTarget target;
  GError *error = NULL;

  g_assert_true (leat_image_target_parse (target_name, &target, &error));
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("-x", texts[i], &error);
      g_autoptr (GBytes) image = NULL;

      g_assert_no_error (error);
      image = leat_image_get (source, &target, &error);
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          g_clear_error (&error);
          return;
        }
      if (i == 0)
        {
          g_assert_no_error (error);
          continue;
        }
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
      g_assert_nonnull (strstr (error->message, "missing"));
      g_assert_nonnull (strstr (error->message, "-x"));
      g_clear_error (&error);
    }
}

/* Functions of whole numbers, and of two types, are there on both sides and give the same types. */
static void
test_kernel_compile_mixed (gconstpointer target_name)
{
  static const struct
  {
    const char *call, *type;
  } table[] = {
    { "sqrt (a[0])", "double" },
    { "exp ((unsigned char) a[0])", "double" },
    { "log2 ((unsigned long long) a[0])", "double" },
    { "floor ((uint64_t) a[0])", "double" },
    { "rsqrt ((short) a[0])", "double" },
    { "sqrt ((float) a[0])", "float" },
    { "isnan (a[0])", "bool" },
    { "lround ((unsigned int) a[0])", "long" },
    { "abs ((uint32_t) a[0])", "uint32_t" },
    { "pow (a[0], 2)", "double" },
    { "pow ((float) a[0], 2)", "float" },
    { "pow ((double) a[0], 2)", "double" },
    { "fmod ((float) a[0], (double) a[1])", "double" },
    { "copysign ((float) a[0], a[1])", "float" },
    { "hypot ((uint64_t) a[0], (int8_t) a[1])", "double" },
    { "fma ((float) a[0], a[1], 2)", "float" },
    { "fma (a[0], a[1], 2)", "double" },
    { "min (a[0], 255u)", "unsigned int" },
    { "min ((int64_t) a[0], 255)", "int64_t" },
    { "max ((float) a[0], 0)", "float" },
    { "max ((uint8_t) a[0], 0.5)", "double" },
  };
  GString *text = g_string_new ("__global__ void f (const int *a, int *y)\n{\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  g_autofree char *kernel = NULL;
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    g_string_append_printf (text,
                            "  static_assert (!leat_differ<decltype (%s), %s>::value, \"%s\");\n  y[%u] = %s > 0;\n",
                            table[i].call, table[i].type, table[i].call, i, table[i].call);
  g_string_append (text, "}\n");
  kernel = g_string_free (text, FALSE);
  source = leat_kernel_source_new ("mixed.cu", kernel, &error);
  g_assert_no_error (error);
  g_assert_true (leat_image_target_parse (target_name, &target, NULL));
  image = leat_image_compile (source, &target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_no_error (error);
}

/* The line is that of the included file. */
static void
test_kernel_compile_include (gconstpointer target_name)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-kernel-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.cu", NULL), *header = g_build_filename (folder, "a.cuh", NULL);
  g_autofree char *place = g_strconcat (header, ":2:", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  LeatImageTarget target;

  g_assert_true (g_file_set_contents (header, "\n__device__ int g () { return gone; }\n", -1, NULL));
  g_assert_true (
    g_file_set_contents (path, "#include \"a.cuh\"\n__global__ void f (int *x) { x[0] = g (); }\n", -1, NULL));
  source = leat_kernel_source_new_from_file (path, &error);
  g_assert_no_error (error);
  g_unlink (header);
  g_unlink (path);
  g_rmdir (folder);
  g_assert_true (leat_image_target_parse (target_name, &target, NULL));
  g_assert_null (leat_image_compile (source, &target, &error));
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
  if (strstr (error->message, place) == NULL)
    g_error ("expected \"%s\" in: %s", place, error->message);
}

/* Where the compiler knows another type by a name, the kernel is not launched with what Leat takes it for. */
static void
test_kernel_disagreements (gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *message;
  } rows[] = {
    { "struct float3\n{\n  double x, y, z;\n};\n__global__ void f (const float3 *p, float *y) { y[0] = p[0].x; }\n",
      "float3" },
    { "struct box { typedef double real; };\ntypedef float one;\nusing two = one;\n__global__ void f (two *y) { y[0] = "
      "1; }\n",
      NULL },
    { "__global__ void f (bool b, char c, unsigned char u, short s, unsigned short v, int i, unsigned w, long l, "
      "size_t z,\n"
      "  float f4, double d, const uchar3 *p, const double2 *q, uint64_t *y, uint64_t *y_count, int p_dim0) { y[0] = "
      "1; }\n",
      NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", rows[i].text, &error);
      g_autoptr (GBytes) image = NULL;
      LeatImageTarget target;

      g_assert_no_error (error);
      g_assert_true (leat_image_target_parse (data, &target, NULL));
      image = leat_image_compile (source, &target, &error);
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          return;
        }
      if (rows[i].message == NULL)
        {
          g_assert_no_error (error);
          continue;
        }
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
      if (strstr (error->message, rows[i].message) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i].message);
    }
}

/* A compiler opens no file: what cannot be seen in the text is not there. */
static void
test_kernel_options_define_nothing (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new (
    "t.cu", "#ifdef WIDE\n#error seen\n#endif\n__global__ void f (int *x) { x[0] = 1; }\n", &error);
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  g_assert_no_error (error);
  g_assert_true (leat_image_target_parse ("host", &target, NULL));
  g_setenv ("LEAT_CXX", "c++ -DWIDE", TRUE);
  image = leat_image_compile (source, &target, &error);
  g_unsetenv ("LEAT_CXX");
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    g_test_skip (error->message);
  else
    g_assert_no_error (error);
}

/* Lines are the user's behind what a text for the device leaves out, however much of it there was. */
static void
test_kernel_lines_left_out (gconstpointer data)
{
  g_autoptr (GString) text =
    g_string_new ("__global__ void f (int *x) { x[0] = 1; }\nLEAT_HOST_VARIANT void f (int *x)\n{\n#if 0\n");
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  LeatImageTarget target;

  for (guint i = 0; i < 100; i++)
    g_string_append (text, "left out\n");
  g_string_append (text, "#endif\n  x[0] = 1;\n}\n__global__ void g (int *x) { x[0] = gone; }\n");
  source = leat_kernel_source_new ("t.cu", text->str, &error);
  g_assert_no_error (error);
  g_assert_true (leat_image_target_parse (data, &target, NULL));
  g_assert_null (leat_image_compile (source, &target, &error));
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    g_test_skip (error->message);
  else if (strstr (error->message, "t.cu:108:") == NULL)
    g_error ("\"%s\" does not name line 108", error->message);
}

static char *
compile_target_to_ptx (const char *text, const LeatImageTarget *target)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *folder = g_dir_make_tmp ("leat-kernel-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "clocks.cu", NULL);
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GBytes) image = NULL;

  g_assert_true (g_file_set_contents (path, text, -1, NULL));
  source = leat_kernel_source_new_from_file (path, &error);
  g_assert_no_error (error);
  g_unlink (path);
  g_rmdir (folder);
  image = leat_image_compile (source, target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      return NULL;
    }
  g_assert_no_error (error);
  return g_strndup (g_bytes_get_data (image, NULL), g_bytes_get_size (image));
}

static char *
compile_to_ptx (const char *text, guint capability, gboolean timed, gboolean indirect)
{
  LeatImageTarget target = { LEAT_IMAGE_PTX, "", capability, .timed = timed, .indirect = indirect };

  return compile_target_to_ptx (text, &target);
}

/* The instructions of one kernel of a PTX text. */
static char *
cut_entry (const char *ptx, const char *name)
{
  g_autofree char *begin = g_strdup_printf (".entry %s(", name);
  const char *from = strstr (ptx, begin);

  g_assert_nonnull (from);
  return g_strndup (from, strstr (from, "\n}\n") - from);
}

/* An image for measured runs has the same kernels as any other, and beside each one that reads the clock. */
static void
test_kernel_compile_timed (void)
{
  static const char text[] = "__global__ void twice (const float *x, unsigned x_count, float *y)\n"
                             "{\n  GRID_FOR (i, x_count) { if (x[i] < 0) return; y[i] = 2 * x[i]; }\n}\n";
  g_autofree char *plain = compile_to_ptx (text, 75, FALSE, FALSE),
                  *timed = plain != NULL ? compile_to_ptx (text, 75, TRUE, FALSE) : NULL;
  static const struct
  {
    const char *name, *timed;
  } entries[] = { { "twice", "leat_clock_twice" }, { "leat_wrap_twice", "leat_time_twice" } };

  for (guint i = 0; plain != NULL && i < G_N_ELEMENTS (entries); i++)
    {
      g_autofree char *before = cut_entry (plain, entries[i].name), *after = cut_entry (timed, entries[i].name),
                      *clocked = cut_entry (timed, entries[i].timed);

      g_assert_null (strstr (plain, entries[i].timed));
      g_assert_null (strstr (plain, "%globaltimer"));
      g_assert_null (strstr (after, "%globaltimer"));
      g_assert_nonnull (strstr (clocked, "%globaltimer"));
      g_assert_nonnull (strstr (clocked, "max.u64"));
      g_assert_cmpuint (strlen (before), ==, strlen (after));
    }
}

#define COUNTED                                                                                                        \
  "__global__ void twice (const float *__restrict__ x, const unsigned *__restrict turn, unsigned x_count, "            \
  "float *__restrict__ y)\n"                                                                                           \
  "{\n  GRID_FOR (i, x_count) y[i] = 2 * x[i] + __ldg (turn + i);\n}\n"

/* Parameters lie in no memory that others write. */
static void
assert_all_behind (const char *entry, const char *wait, const char *what)
{
  for (const char *at = entry; (at = strstr (at, what)) != NULL; at++)
    if (!g_str_has_prefix (at, "\tld.param"))
      g_assert_true (wait < at);
}

/* From 9.0 on a kernel that is told so lets others begin, waits, and only then looks at memory; and never as at memory
 * that nobody writes meanwhile. */
static void
test_kernel_compile_waits (gconstpointer indirect)
{
  static const char *const names[] = { "twice", "leat_clock_twice", "leat_wrap_twice", "leat_time_twice" };
  g_autofree char *ptx = compile_to_ptx (COUNTED, 90, TRUE, indirect != NULL);

  if (ptx == NULL)
    return;
  g_assert_nonnull (strstr (ptx, "leat_wrappers_wait"));
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autofree char *entry = cut_entry (ptx, names[i]);
      const char *start = strstr (entry, "griddepcontrol.launch_dependents;"),
                 *wait = strstr (entry, "griddepcontrol.wait;");

      g_assert_nonnull (start);
      g_assert_nonnull (wait);
      g_assert_true (start < wait);
      g_assert_nonnull (strstr (entry, "@early griddepcontrol.launch_dependents; @early griddepcontrol.wait;"));
      g_assert_null (strstr (entry, ".nc"));
      assert_all_behind (entry, wait, "\tld.");
      assert_all_behind (entry, wait, "\tst.");
      g_assert_true (strstr (entry, "%globaltimer") == NULL || wait < strstr (entry, "%globaltimer"));
      /* Nobody gets round it. */
      g_assert_true (strstr (entry, "bra") == NULL || wait < strstr (entry, "bra"));
    }
}

static void
test_kernel_compile_waits_for_nobody (void)
{
  g_autofree char *ptx = compile_to_ptx (COUNTED, 80, FALSE, FALSE), *entry = NULL;

  if (ptx == NULL)
    return;
  entry = cut_entry (ptx, "leat_wrap_twice");
  g_assert_null (strstr (ptx, "leat_wrappers_wait"));
  g_assert_null (strstr (ptx, "griddepcontrol"));
  g_assert_nonnull (strstr (entry, "ld.global.nc"));
}

/* Nor do kernels of a loop's body, whatever the GPU. */
static void
test_kernel_compile_enclosed (void)
{
  const LeatImageTarget target = { LEAT_IMAGE_PTX, "", 90, .timed = TRUE, .enclosed = TRUE };
  g_autofree char *ptx = compile_target_to_ptx (COUNTED, &target), *entry = NULL;

  if (ptx == NULL)
    return;
  entry = cut_entry (ptx, "leat_time_twice");
  g_assert_null (strstr (ptx, "leat_wrappers_wait"));
  g_assert_null (strstr (ptx, "griddepcontrol"));
  g_assert_nonnull (strstr (entry, "ld.global.nc"));
}

/* A persistent kernel acquires and releases what the host writes and reads; and says nothing to other kernels. */
static void
test_kernel_compile_stays (void)
{
  const LeatImageTarget target = { LEAT_IMAGE_PTX, "", 90, .persistent = TRUE };
  g_autofree char *ptx = compile_target_to_ptx (COUNTED, &target), *entry = NULL;

  if (ptx == NULL)
    return;
  entry = cut_entry (ptx, "leat_persistent");
  g_assert_nonnull (strstr (entry, "ld.acquire.sys.u64"));
  g_assert_nonnull (strstr (entry, "st.release.sys.u64"));
  g_assert_null (strstr (entry, "griddepcontrol"));
}

/* In the image for many lanes there is nothing else. */
static void
test_kernel_compile_lanes (void)
{
  const LeatImageTarget target = { LEAT_IMAGE_PTX, "", 90, .wide = TRUE };
  g_autofree char *ptx =
    compile_target_to_ptx (COUNTED "__global__ void deep (float *y) { GRID_FOR (i, 8) y[i] = blockIdx.z; }\n", &target);
  g_autofree char *entry = NULL;

  if (ptx == NULL)
    return;
  entry = cut_entry (ptx, "leat_wide_twice");
  g_assert_nonnull (strstr (entry, "%ctaid.z"));
  g_assert_null (strstr (entry, "%nctaid.z"));
  g_assert_nonnull (strstr (entry, "griddepcontrol.wait;"));
  assert_all_behind (entry, strstr (entry, "griddepcontrol.wait;"), "\tld.");
  g_assert_null (strstr (entry, ".nc"));
  g_assert_null (strstr (ptx, ".entry twice("));
  g_assert_null (strstr (ptx, "leat_wide_deep"));
}

/* Whichever compiler is missing, the message says what would help. */
static const struct
{
  const char *name, *value; /* of the environment */
  const char *target;
  const char *words[2];
} missing_cases[] = {
  { "PATH",
    "/proc/nowhere",
    "host",
    { "there is no clang++, c++ or g++ here", "install clang, or name one in LEAT_CXX" } },
  { "LEAT_CXX", "/proc/nowhere/c++", "host", { "LEAT_CXX names \"/proc/nowhere/c++\"", "which is not a program" } },
  { "LEAT_CXX", "/", "host", { "LEAT_CXX names \"/\"", "which is not a program" } },
  { "LEAT_CXX", "c++ 'open", "host", { "cannot use LEAT_CXX", "" } },
  { "LEAT_CXX", "false", "host", { "does not compile for the CPU", "false failed and did not say why" } },
};

static void
test_kernel_compile_missing (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (missing_cases); i++)
    {
      g_auto (ImageResult) result = { 0 };
      ImageCase c;

      if (!image_case_init (&c))
        return;
      image_case_set (&c, missing_cases[i].name, missing_cases[i].value);
      c.target = missing_cases[i].target;
      image_case_get (&c, &result);
      g_assert_null (result.digest);
      for (guint k = 0; k < 2; k++)
        if (strstr (result.errors, missing_cases[i].words[k]) == NULL)
          g_error ("expected \"%s\" in: %s", missing_cases[i].words[k], result.errors);
      image_case_clear (&c);
    }
}

/* LEAT_NVRTC names a library that is not there: nothing else is tried. */
static void
test_kernel_compile_missing_nvrtc (void)
{
  g_auto (ImageResult) result = { 0 };
  ImageCase c;

  if (!image_case_init (&c))
    return;
  image_case_set (&c, "LEAT_NVRTC", "/proc/nowhere/libnvrtc.so");
  c.target = "sm_90";
  image_case_get (&c, &result);
  g_assert_null (result.digest);
  g_assert_nonnull (strstr (result.errors, "/proc/nowhere/libnvrtc.so"));
  image_case_clear (&c);
}

/* They take other options, and one of them is asked twice. */
static void
test_kernel_compile_by (gconstpointer name)
{
  g_autofree char *compiler = g_find_program_in_path (name);
  ImageCase c;

  if (compiler == NULL)
    {
      g_test_skip ("not here");
      return;
    }
  if (!image_case_init (&c))
    return;
  image_case_set (&c, "LEAT_CXX", compiler);
  image_case_write (&c, "kernel.cu", "__global__ void f (int *x) { x[0] = 3; }\n");
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_clear (&c);
}

/* Another compiler makes another image. */
static void
test_kernel_compile_key_has_compiler (void)
{
  static const char *const compilers[] = { "clang++", "g++" };
  ImageCase c;

  if (!image_case_init (&c))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (compilers); i++)
    {
      g_autofree char *path = g_find_program_in_path (compilers[i]);

      if (path == NULL)
        {
          g_test_skip ("not both compilers are here");
          break;
        }
      image_case_set (&c, "LEAT_CXX", compilers[i]);
      image_case_expect (&c, 0, 0, 1, 0);
      image_case_expect (&c, 0, 1, 0, 0);
    }
  image_case_clear (&c);
}

/* A host compiler given as words, options included. */
static void
test_kernel_compile_takes_options (void)
{
  ImageCase c;

  if (!image_case_init (&c))
    return;
  image_case_set (&c, "LEAT_CXX", "c++ -DADDED=3");
  image_case_write (&c, "kernel.cu", "__global__ void f (int *x) { x[0] = ADDED; }\n");
  image_case_expect (&c, 0, 0, 1, 0);
  image_case_clear (&c);
}

static void
test_kernel_compile_targets (void)
{
  static const char *const good[] = { "x86-64", "x86-64-v3", "native", "sm_90", "compute_75" };
  static const char *const bad[] = { "", "sm", "sm_", "sm_9x", "compute_-1", "x86", "SM_90", "sm_100000" };
  LeatImageTarget target;

  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      g_autofree char *text = NULL;

      g_assert_true (leat_image_target_parse (good[i], &target, NULL));
      text = leat_image_target_to_string (&target);
      g_assert_cmpstr (text, ==, good[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (leat_image_target_parse (bad[i], &target, &error));
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED);
      g_assert_nonnull (strstr (error->message, "compute_75"));
    }
}

/* A code block of a page that begins with `// NAME.cu:` is a file. */
static void
add_examples (GPtrArray *examples, const char *page)
{
  g_autofree char *path = g_test_build_filename (G_TEST_DIST, "..", "docs", page, NULL), *text = NULL;
  g_auto (GStrv) blocks = NULL;

  if (g_file_get_contents (path, &text, NULL, NULL))
    blocks = g_strsplit (text, "\n```\n", -1);
  for (guint i = 0; blocks != NULL && blocks[i] != NULL; i++)
    if (g_str_has_prefix (blocks[i], "// ") && strstr (blocks[i], ".cu: ") != NULL)
      g_ptr_array_add (examples, g_strdup (blocks[i]));
}

static char **
list_examples (void)
{
  GPtrArray *examples = g_ptr_array_new ();

  add_examples (examples, "tutorial/2-own-kernel.md");
  add_examples (examples, "guide/kernels.md");
  add_examples (examples, "guide/reports.md");
  add_examples (examples, "guide/work-queues.md");
  add_examples (examples, "guide/frontiers.md");
  add_examples (examples, "reference/kernels.md");
  g_ptr_array_add (examples, NULL);
  return (char **) g_ptr_array_free (examples, FALSE);
}

static void
test_kernel_compile_examples (gconstpointer target_name)
{
  g_auto (GStrv) examples = list_examples ();
  LeatImageTarget target;

  if (examples[0] == NULL)
    {
      g_test_skip ("the pages of docs/ are not here");
      return;
    }
  g_assert_cmpuint (g_strv_length (examples), ==, 11);
  g_assert_true (leat_image_target_parse (target_name, &target, NULL));
  for (guint i = 0; examples[i] != NULL; i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("example.cu", examples[i], &error);
      g_autoptr (GBytes) image = NULL;

      g_assert_no_error (error);
      g_assert_nonnull (leat_kernel_source_get_prototype (source, NULL, &error));
      g_assert_cmpstr (leat_kernel_source_list_warnings (source)[0], ==, NULL);
      image = leat_image_compile (source, &target, &error);
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          return;
        }
      g_assert_no_error (error);
      g_assert_nonnull (image);
    }
}

int
main (int argc, char **argv)
{
  image_child_check (argc, argv);
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/leat/kernel/compile/host-names-line", NULL, test_kernel_compile_host);
  g_test_add_data_func ("/leat/kernel/compile/clang-names-line", "clang++", test_kernel_compile_host);
  g_test_add_data_func ("/leat/kernel/compile/gcc-names-line", "g++", test_kernel_compile_host);
  g_test_add_data_func ("/leat/kernel/compile/lines-left-out/host", "host", test_kernel_lines_left_out);
  g_test_add_data_func ("/leat/kernel/compile/lines-left-out/compute_80", "compute_80", test_kernel_lines_left_out);
  g_test_add_data_func ("/leat/kernel/compile/disagreements/host", "host", test_kernel_disagreements);
  g_test_add_data_func ("/leat/kernel/compile/disagreements/compute_80", "compute_80", test_kernel_disagreements);
  g_test_add_func ("/leat/kernel/compile/options-define-nothing", test_kernel_options_define_nothing);
  g_test_add_func ("/leat/kernel/compile/nvrtc-names-line", test_kernel_compile_nvrtc);
  g_test_add_data_func ("/leat/kernel/compile/host-names-include", "host", test_kernel_compile_include);
  g_test_add_data_func ("/leat/kernel/compile/nvrtc-names-include", "sm_90", test_kernel_compile_include);
  g_test_add_data_func ("/leat/kernel/compile/mixed-for-host", "host", test_kernel_compile_mixed);
  g_test_add_data_func ("/leat/kernel/compile/mixed-for-nvrtc", "sm_90", test_kernel_compile_mixed);
  g_test_add_data_func ("/leat/kernel/compile/dash-for-host", "host", test_kernel_compile_dash);
  g_test_add_data_func ("/leat/kernel/compile/dash-for-nvrtc", "sm_90", test_kernel_compile_dash);
  g_test_add_func ("/leat/kernel/compile/missing-compiler", test_kernel_compile_missing);
  g_test_add_func ("/leat/kernel/compile/missing-nvrtc", test_kernel_compile_missing_nvrtc);
  g_test_add_func ("/leat/kernel/compile/timed", test_kernel_compile_timed);
  g_test_add_data_func ("/leat/kernel/compile/waits", NULL, test_kernel_compile_waits);
  g_test_add_func ("/leat/kernel/compile/lanes", test_kernel_compile_lanes);
  g_test_add_data_func ("/leat/kernel/compile/waits/indirect", "indirect", test_kernel_compile_waits);
  g_test_add_func ("/leat/kernel/compile/waits-for-nobody", test_kernel_compile_waits_for_nobody);
  g_test_add_func ("/leat/kernel/compile/enclosed", test_kernel_compile_enclosed);
  g_test_add_func ("/leat/kernel/compile/stays", test_kernel_compile_stays);
  g_test_add_data_func ("/leat/kernel/compile/by-clang", "clang++", test_kernel_compile_by);
  g_test_add_data_func ("/leat/kernel/compile/by-gcc", "g++", test_kernel_compile_by);
  g_test_add_func ("/leat/kernel/compile/key-has-compiler", test_kernel_compile_key_has_compiler);
  g_test_add_func ("/leat/kernel/compile/takes-options", test_kernel_compile_takes_options);
  g_test_add_data_func ("/leat/kernel/compile/documented-for-host", "host", test_kernel_compile_examples);
  g_test_add_data_func ("/leat/kernel/compile/documented-for-nvrtc", "sm_90", test_kernel_compile_examples);
  g_test_add_func ("/leat/kernel/compile/targets", test_kernel_compile_targets);
  return g_test_run ();
}
