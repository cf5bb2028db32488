/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"
#include "kernel/leat-kernel-token-private.h"
#include "kernel/leat-kernel-variable-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct
{
  const char *text;
  int code;
  const char *message;
} bad[] = {
  { "__global__ void f (const float **x) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:34: \"x\" is a pointer to pointers" },
  { "struct p { virtual int a (); };\n__global__ void f (struct p *x) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:2:30: \"x\" has the type \"p\", which a port cannot carry" },
  { "__global__ void f (float &x) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:26: a kernel takes pointers and plain values" },
  { "__global__ void f (int) {}", LEAT_KERNEL_ERROR_PROTOTYPE, "t.cu:1:20: this parameter has no name" },
  { "__global__ void f (float *y, uint64_t y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:39: \"y_count\": the count of an output is written by the kernel: uint64_t *y_count" },
  { "__global__ void f (float *y, int64_t *y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:39: \"y_count\": the count of an output is written by the kernel: uint64_t *y_count" },
  { "__global__ void f (float *y, long long *y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "\"y_count\": the count of an output is written by the kernel: uint64_t *y_count" },
  { "__global__ void f (float *y, uint32_t *y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "\"y_count\": the count of an output is written by the kernel: uint64_t *y_count" },
  { "__global__ void f (float *y, double *y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "\"y_count\": the count of an output is written by the kernel: uint64_t *y_count" },
  { "__global__ void f (float *y, const uint64_t *y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "\"y_count\": the count of an output is written by the kernel: uint64_t *y_count" },
  { "__global__ void f (const float *x, uint64_t *x_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:46: \"x_count\": the count of an input is a value: uint64_t x_count" },
  { "__global__ void f (const float *x, float x_dim1) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:42: \"x_dim1\" is part of the shape of \"x\" and must be an integer value" },
  { "__global__ void f (int *x) {}\n__global__ void g (int *x) {}", LEAT_KERNEL_ERROR_ENTRY,
    "t.cu: choose an entry: f, g" },
  { "__device__ void f (int *x) {}", LEAT_KERNEL_ERROR_ENTRY, "t.cu: no __global__ function in this file" },
  { "__global__ void f (int *x) {", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1:28: \"{\" is never closed" },
  { "__global__ void f (int *x] {}", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1:26: \"]\" does not close the \"(\" of line 1" },
  { "}", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1:1: this bracket closes nothing" },
  { "int a = 3", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1:1: this declaration has no end" },
  { "/* never", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1:1: this comment is never closed" },
  { "const char *s = \"abc;\n\";", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1:17: this quote is not closed" },
  { "__global__ void f (int *x) {}\n__global__ void f (float *x) {}", LEAT_KERNEL_ERROR_ENTRY,
    "t.cu: choose an entry: f(int *), f(float *)" },
  { "__global__ void f (int *x, int n, ...) {}", LEAT_KERNEL_ERROR_PROTOTYPE, "t.cu:1:" },
  { "__global__ void f (void (*call) (int)) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "references and function pointers cannot be bound" },
  { "struct p { int *a; };\n__global__ void f (p v) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:2:22: \"v\" has the type \"p\", which an argument cannot have; known are float, double, the integer types, "
    "bool, and vectors and structures of these" },
  { "#include <cuda_fp16.h>\n__global__ void f (half v) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:2:25: \"v\" is a half by value" },
  { "typedef float four[4];\n__global__ void f (four v) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:2:25: \"v\" has the type \"four\", which an argument cannot have" },
  { "__global__ void f (curandState *s) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:33: \"s\" has the type \"curandState\", which a port cannot carry; known are float, double, the integer "
    "types, "
    "bool and vectors such as float4; #include <curand_kernel.h> for it" },
  { "__global__ void f (const half *x) {}", LEAT_KERNEL_ERROR_PROTOTYPE, "t.cu:1:32: \"x\" has the type \"half\"" },
  { "__global__ void f (const int *x, int x) {}", LEAT_KERNEL_ERROR_PROTOTYPE,
    "t.cu:1:38: two parameters are called \"x\"" },
  { "__global__ void f (float *y, float *y_count) {}", LEAT_KERNEL_ERROR_PROTOTYPE, "\"y_count\"" },
  { "__global__ void f (float *y, float y_capacity) {}", LEAT_KERNEL_ERROR_PROTOTYPE, "\"y_capacity\"" },
  { "__global__ int f (float *y) { return 1; }", LEAT_KERNEL_ERROR_SYNTAX,
    "t.cu:1:16: the kernel \"f\" must return void" },
  { "template <class T> __global__ void f (T *x) {}", LEAT_KERNEL_ERROR_ENTRY, "kernel \"f\" is a template" },
  { "namespace a { __global__ void f (int *x) {} }\nnamespace b { __global__ void f (int *x) {} }",
    LEAT_KERNEL_ERROR_ENTRY, "t.cu: choose an entry: a::f, b::f" },
  { "\n\n__global__ void f (int *x) { f<<<1, 1>>> (x); }", LEAT_KERNEL_ERROR_SYNTAX,
    "t.cu:3:31: device code cannot launch kernels here; make a node of each kernel instead" },
  { "#include \"nowhere.h\"\n", LEAT_KERNEL_ERROR_SOURCE, "t.cu:1: cannot include \"nowhere.h\"" },
  { "#include nothing\n", LEAT_KERNEL_ERROR_SYNTAX, "t.cu:1: expected \"file\" after #include" },
  { "LEAT_HOST_VARIANT void f (int *x) {}", LEAT_KERNEL_ERROR_SYNTAX,
    "t.cu:1:24: there is no __global__ function \"f\"" },
  { "__global__ void f (int *x) {}\nLEAT_HOST_VARIANT void f (float *x) {}", LEAT_KERNEL_ERROR_SYNTAX,
    "t.cu:2:24: this variant of \"f\" does not take the parameters" },
};

/* A condition on the device may change what a kernel does, and not what it takes. */
static void
test_source_targets (void)
{
  static const struct
  {
    const char *text;
    const char *message; /* of the text for a GPU; NULL where it is good */
  } rows[] = {
    { "#ifdef LEAT_CUDA\ntypedef double real;\n#else\ntypedef float real;\n#endif\n__global__ void f (real *x) {}",
      "t.cu:6:26: \"x\" of the kernel \"f\" is f32, and f64 where it is compiled for a GPU of compute capability 8.0" },
    { "__global__ void f (int *x\n#ifdef LEAT_CUDA\n, int n\n#endif\n) {}",
      "the kernel \"f\" takes 1 parameters, and 2 where it is compiled for a GPU of compute capability 8.0" },
    { "#ifdef LEAT_CUDA\n__global__ void g (int *x) {}\n#endif\n__global__ void f (int *x) {}", NULL },
    { "#ifdef LEAT_CUDA\n#define MINE gpu_body\n#else\n#define MINE cpu_body\n#endif\n__device__ void MINE () {}\n"
      "__global__ void f (int *x) { MINE (); }",
      NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", rows[i].text, &error);
      const char *cuda = leat_kernel_source_get_cuda_text (source, &error);
      const char *host = leat_kernel_source_get_host_text (source, NULL);

      g_assert_nonnull (host);
      g_assert_cmpint (cuda == NULL, ==, rows[i].message != NULL);
      if (cuda == NULL && strstr (error->message, rows[i].message) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i].message);
      if (strstr (rows[i].text, "MINE") != NULL)
        {
          g_assert_nonnull (strstr (cuda, "gpu_body"));
          g_assert_null (strstr (cuda, "cpu_body"));
          g_assert_nonnull (strstr (host, "cpu_body"));
          g_assert_null (strstr (host, "gpu_body"));
        }
    }
}

/* Only what a text asks for makes another one of it. */
static void
test_source_parts (void)
{
  static const LeatKernelTarget targets[] = {
    { FALSE, 800, FALSE }, { FALSE, 800, TRUE }, { FALSE, 900, TRUE },
    { TRUE, 800, FALSE },  { TRUE, 900, FALSE }, { TRUE, 800, TRUE },
  };
  static const struct
  {
    const char *condition, *same; /* a letter for each target; "s": the source itself */
  } rows[] = {
    { "0", "ssssss" },
    { "defined LEAT_CUDA", "sssaba" },
    { "defined LEAT_HOST", "sssaba" },
    { "__CUDA_ARCH__ >= 900", "sssaba" },
    { "defined LEAT_WIDE", "saabcd" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("#if %s\n#endif\n__global__ void k (int *x) {}\n", rows[i].condition);
      GError *error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      LeatKernelSource *parts[G_N_ELEMENTS (targets)];

      g_assert_no_error (error);
      g_test_message ("%s", rows[i].condition);
      for (guint t = 0; t < G_N_ELEMENTS (targets); t++)
        {
          parts[t] = leat_kernel_source_get_for (source, &targets[t], &error);
          g_assert_no_error (error);
          g_assert_cmpint (parts[t] == source, ==, rows[i].same[t] == 's');
          for (guint k = 0; k < t; k++)
            g_assert_cmpint (parts[t] == parts[k], ==, rows[i].same[t] == rows[i].same[k]);
          if (parts[t] != source)
            for (guint k = 0; k < G_N_ELEMENTS (targets); k++)
              g_assert_true (leat_kernel_source_get_for (parts[t], &targets[k], &error) == parts[t]);
        }
    }
}

/* What a kernel needs on one device is said of it. */
static void
test_source_launches_of_targets (void)
{
  static const char *const conditions[] = { "0", "1", "defined LEAT_CUDA", "defined LEAT_HOST",
                                            "__CUDA_ARCH__ >= 900" };
  static const char *const needs[] = { "extern __shared__ int d[]; x[0] = d[0];", "asm (\"\");", "leat_report (1, 2);",
                                       "leat_grid_sync ();" };

  for (guint i = 0; i < G_N_ELEMENTS (conditions) * G_N_ELEMENTS (needs); i++)
    {
      guint c = i % G_N_ELEMENTS (conditions), n = i / G_N_ELEMENTS (conditions);
      g_autofree char *text =
        g_strdup_printf ("__global__ void k (int *x) {\n#if %s\n%s\n#endif\n}\n__global__ void other (int *x) {}\n",
                         conditions[c], needs[n]);
      GError *error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const LeatPrototype *prototype, *other;

      g_assert_no_error (error);
      prototype = leat_kernel_source_get_prototype (source, "k", &error);
      g_assert_no_error (error);
      other = leat_kernel_source_get_prototype (source, "other", &error);
      g_test_message ("%s", text);
      g_assert_cmpint (prototype->has_dynamic_shared, ==, c > 0 && n == 0);
      g_assert_cmpint (prototype->has_assembly, ==, c > 0 && n == 1);
      g_assert_cmpint (prototype->reports, ==, c > 0 && n == 2);
      g_assert_cmpint (prototype->syncs_grid, ==, c > 0 && n == 3);
      g_assert_false (other->has_dynamic_shared || other->has_assembly || other->reports || other->syncs_grid);
    }
}

static void
test_source_params_of_targets (void)
{
  static const char *const rows[][3] = {
    { "int *x", "int *x", NULL },
    { "int *x", "const int *x", "\"x\" of the kernel \"k\" is i32, and i32" },
    { "int *x", "int *y", "\"x\" of the kernel \"k\" is i32, and i32" },
    { "int *x", "float *x", "is i32, and f32" },
    { "float2 *x", "float4 *x", "is f32, and f32" },
    { "float *x", "float2 *x", "is f32, and f32" },
    { "int n", "int *n", "\"n\" of the kernel" },
    { "int *x, int n", "int *x", "takes 2 parameters, and 1" },
    { "int *x", "int *x, int n", "takes 1 parameters, and 2" },
    { "int *x, int n", "int *x, short n", "\"n\" of the kernel \"k\" is i32, and i16" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void k (\n#ifdef LEAT_CUDA\n%s\n#else\n%s\n#endif\n) {}\n",
                                               rows[i][1], rows[i][0]);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);

      g_assert_no_error (error);
      g_assert_cmpint (leat_kernel_source_get_cuda_text (source, &error) == NULL, ==, rows[i][2] != NULL);
      if (rows[i][2] != NULL && strstr (error->message, rows[i][2]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][2]);
    }
}

/* What only the text for the host cannot have. */
static void
test_source_refused_for_host (void)
{
  static const char *const rows[][2] = {
    { "extern __device__ int n;\n", "t.cu:1:1: a kernel file is complete in itself; define the variable" },
    { "extern int n[];\n", "define the variable instead of declaring it extern" },
    { "extern __shared__ int n[];\n", NULL },
    { "__device__ int n = 3; static inline __device__ int m[2] = { 1, 2 };\n", NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat (rows[i][0], "__global__ void k (int *x) { x[0] = n + 1; }\n", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);

      g_assert_no_error (error);
      g_assert_cmpint (leat_kernel_source_get_host_text (source, &error) == NULL, ==, rows[i][1] != NULL);
      if (rows[i][1] != NULL && strstr (error->message, rows[i][1]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][1]);
    }
}

static void
test_source_errors (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", bad[i].text, &error);

      g_test_message ("%s", bad[i].text);
      if (source != NULL)
        g_assert_null (leat_kernel_source_get_prototype (source, NULL, &error));
      g_assert_error (error, LEAT_KERNEL_ERROR, bad[i].code);
      if (strstr (error->message, bad[i].message) == NULL)
        g_error ("\"%s\": expected \"%s\", got \"%s\"", bad[i].text, bad[i].message, error->message);
    }
}

static void
test_source_entries (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new (
    "t.cu",
    "/**\n * Finds edges.\n * Slowly. */\n__global__ void sobel (int *x) {}\n\n// one\n\n// two\n// three\n"
    "__global__ void blur (int *x) {}\n",
    &error);
  g_auto (GStrv) entries = NULL;
  const LeatPrototype *prototype;

  g_assert_no_error (error);
  entries = leat_kernel_source_list_entries (source);
  g_assert_cmpuint (g_strv_length (entries), ==, 2);
  g_assert_cmpstr (entries[0], ==, "sobel");
  g_assert_cmpstr (entries[1], ==, "blur");
  prototype = leat_kernel_source_get_prototype (source, "sobel", &error);
  g_assert_cmpstr (prototype->comment, ==, "Finds edges.\nSlowly.");
  g_assert_cmpuint (prototype->line, ==, 4);
  prototype = leat_kernel_source_get_prototype (source, "blur", &error);
  g_assert_cmpstr (prototype->comment, ==, "two\nthree");
  g_assert_null (leat_kernel_source_get_prototype (source, "sobl", &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_ENTRY);
  g_assert_cmpstr (error->message, ==, "t.cu: no kernel \"sobl\" (did you mean \"sobel\"?)");
  g_clear_error (&error);
  g_assert_null (leat_kernel_source_get_prototype (source, "histogram", &error));
  g_assert_cmpstr (error->message, ==, "t.cu: no kernel \"histogram\"; there are: sobel, blur");
}

typedef struct
{
  char *folder;
} TestFolder;

static void
test_folder_set_up (TestFolder *self, gconstpointer data)
{
  self->folder = g_dir_make_tmp ("leat-kernel-XXXXXX", NULL);
  g_assert_nonnull (self->folder);
}

static void
test_folder_tear_down (TestFolder *self, gconstpointer data)
{
  g_autoptr (GDir) dir = g_dir_open (self->folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = g_build_filename (self->folder, name, NULL);

      g_remove (path);
    }
  g_rmdir (self->folder);
  g_free (self->folder);
}

static char *
test_folder_write (TestFolder *self, const char *name, const char *text)
{
  char *path = g_build_filename (self->folder, name, NULL);
  g_autoptr (GError) error = NULL;

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  return path;
}

static void
test_include_inlines (TestFolder *self, gconstpointer data)
{
  g_autofree char *header = test_folder_write (self, "deep.cuh", "#pragma once\ntypedef float real;\n");
  g_autofree char *middle = test_folder_write (
    self, "middle.cuh", "#ifndef M\n#define M\n#include \"deep.cuh\"\n#include \"middle.cuh\"\n#endif\n");
  g_autofree char *path =
    test_folder_write (self, "a.cu",
                       "#include <stdint.h>\n#include \"middle.cuh\"\n#include \"deep.cuh\" // twice\n/*\n#include "
                       "\"no.h\"\n*/\n__global__ void f (real *x, int *) {}\n");
  g_autofree char *place = g_strdup_printf ("%s:7:29: ", path);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new_from_file (path, &error);

  g_assert_no_error (error);
  g_assert_null (leat_kernel_source_get_prototype (source, "f", &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_PROTOTYPE);
  g_assert_true (g_str_has_prefix (error->message, place));
}

static void
test_include_names_header (TestFolder *self, gconstpointer data)
{
  g_autofree char *header = test_folder_write (self, "broken.cuh", "\nint f (int a]);\n");
  g_autofree char *path = test_folder_write (self, "a.cu", "#include \"broken.cuh\"\n");
  g_autofree char *place = g_strdup_printf ("%s:2:13: ", header);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_kernel_source_new_from_file (path, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX);
  g_assert_true (g_str_has_prefix (error->message, place));
}

static void
test_include_refuses_cycle (TestFolder *self, gconstpointer data)
{
  g_autofree char *header = test_folder_write (self, "b.cuh", "#include \"b.cuh\"\n");
  g_autofree char *path = test_folder_write (self, "a.cu", "#include \"b.cuh\"\n");
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_kernel_source_new_from_file (path, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
  g_assert_nonnull (strstr (error->message, "includes itself"));
}

/* What has no end that is sure to come is not read at all, by name or by #include. */
static void
test_source_refuses_no_file (TestFolder *self, gconstpointer data)
{
  g_autofree char *fifo = g_build_filename (self->folder, "fifo.cu", NULL);
  g_autofree char *big = test_folder_write (self, "big.cu", "");
  g_autofree char *includes = test_folder_write (self, "includes.cu", "#include \"fifo.cu\"\n");
  const char *const table[][2] = { { "/dev/zero", "a pipe or a device" },
                                   { fifo, "a pipe or a device" },
                                   { includes, "cannot include \"fifo.cu\": it is a pipe or a device" },
                                   { self->folder, "Is a directory" },
                                   { big, "it has 16777217 bytes" } };

  g_assert_cmpint (mkfifo (fifo, 0600), ==, 0);
  g_assert_cmpint (truncate (big, (16 << 20) + 1), ==, 0);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_kernel_source_new_from_file (table[i][0], &error));
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, table[i][1]));
    }
  g_unlink (fifo);
}

static void
test_source_refuses_file (TestFolder *self, gconstpointer data)
{
  g_autofree char *path = g_build_filename (self->folder, "binary.cu", NULL);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_kernel_source_new_from_file ("/proc/nowhere/x.cu", &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
  g_assert_cmpstr (error->message, ==,
                   "cannot read the kernel source \"/proc/nowhere/x.cu\": No such file or directory");
  g_clear_error (&error);
  g_assert_null (leat_kernel_source_new_from_file (self->folder, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
  g_assert_nonnull (strstr (error->message, "\": Is a directory"));
  g_clear_error (&error);
  g_assert_true (g_file_set_contents (path, "a\0b", 3, NULL));
  g_assert_null (leat_kernel_source_new_from_file (path, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
  g_assert_nonnull (strstr (error->message, "not a text file"));
}

/* The file that is meant is in the same folder, or in that of the include. */
static void
test_source_names_near_file (TestFolder *self, gconstpointer data)
{
  g_autofree char *header = test_folder_write (self, "shapes.cuh", "");
  g_autofree char *path = test_folder_write (self, "edges.cu", "#include \"shape.cuh\"\n");
  g_autofree char *typo = g_build_filename (self->folder, "edge.cu", NULL);
  g_autofree char *says = g_strdup_printf (
    "cannot read the kernel source \"%s\": No such file or directory (did you mean \"edges.cu\"?)", typo);
  g_autofree char *includes = g_strdup_printf ("%s:1: cannot include \"shape.cuh\": No such file or directory (did you "
                                               "mean \"shapes.cuh\"?); only %s is searched, so "
                                               "put shape.cuh there, or write the path from %s to it",
                                               path, self->folder, path);
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_kernel_source_new_from_file (typo, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
  g_assert_cmpstr (error->message, ==, says);
  g_clear_error (&error);
  g_assert_null (leat_kernel_source_new_from_file (path, &error));
  g_assert_cmpstr (error->message, ==, includes);
}

/* A header of a folder below names one of the folder above, as -I would let it. */
static void
test_include_names_elsewhere (TestFolder *self, gconstpointer data)
{
  g_autofree char *above = test_folder_write (self, "above.cuh", "");
  g_autofree char *sub = g_build_filename (self->folder, "sub", NULL);
  g_autofree char *path = test_folder_write (self, "a.cu", "#include \"sub/b.cuh\"\n");
  g_autofree char *says = NULL, *header = NULL;
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_mkdir (sub, 0700), ==, 0);
  header = test_folder_write (self, "sub/b.cuh", "\n#include \"above.cuh\"\n");
  says = g_strdup_printf ("%s:2: cannot include \"above.cuh\": there is %s, but only the folder of the file with the "
                          "#include is searched; write the path from %s to it",
                          header, above, header);
  g_assert_null (leat_kernel_source_new_from_file (path, &error));
  g_assert_cmpstr (error->message, ==, says);
  g_unlink (header);
}

static const struct
{
  const char *body;
  const char *warning; /* NULL: none */
} warned[] = {
  { "while (x[0] == 0) ;", "t.cu:2:1: this loop seems to wait" },
  { "while (leat_load_relaxed (x) == 0) { }", "t.cu:2:1: this loop seems to wait" },
  { "while (leat_load_relaxed (x) == 0) { __nanosleep (20); }", NULL },
  { "while (atomicCAS (x, 0, 1) != 0);", "t.cu:2:1: this loop seems to wait" },
  { "int o; do { o = *x; } while (atomicCAS (x, o, o + 1) != o);", NULL },
  { "int o; do { o = leat_load_relaxed (x); } while (o == 0);", NULL },
  { "int o = 0; while (!r.compare_exchange_weak (o, o + 1)) ;", NULL },
  { "int o = 0; while (!r.compare_exchange_weak (o, 1)) ;", "t.cu:2:12: this loop seems to wait" },
  { "while (r.load () == 0) n++;", "t.cu:2:1: this loop seems to wait" },
  { "do { } while (leat_load_relaxed (x) == 0);", "this loop seems to wait" },
  { "while (leat_load_relaxed (x) == 0) __nanosleep (20);", NULL },
  { "while (leat_load_relaxed (x) == 0) if (n > 0) __nanosleep (20);", NULL },
  { "do __nanosleep (20); while (leat_load_relaxed (x) == 0);", NULL },
  { "do if (n > 0) __nanosleep (20); else n++; while (leat_load_relaxed (x) == 0);", NULL },
  { "int o; do o = *x; while (atomicCAS (x, o, o + 1) != o);", NULL },
  { "do n++; while (leat_load_relaxed (x) == 0);", "t.cu:2:9: this loop seems to wait" },
  { "while (leat_load_relaxed (x) == 0) n++; __nanosleep (20);", "t.cu:2:1: this loop seems to wait" },
  { "if (n > 0) { __nanosleep (20); } while (leat_load_relaxed (x) == 0);", "this loop seems to wait" },
  { "do { while (x[1] == 0) ; __nanosleep (20); } while (n > 0);", "t.cu:2:6: this loop seems to wait" },
  { "while (!leat_queue_is_finished (work)) { x[0] = 1; }", "t.cu:2:1: this loop seems to wait" },
  { "while (leat_queue_claim (work, item)) { leat_queue_done (work); }", NULL },
  { "QUEUE_EACH (item, work) while (item < x[0]) item++;", NULL },
  { "while (atomicAdd (x, 0) < gridDim.x) ;",
    "t.cu:2:1: this loop waits for all blocks of the grid; leat_grid_sync ()" },
  { "while (atomicAdd (x, 0) < gridDim.x) __nanosleep (20);", "this loop waits for all blocks of the grid" },
  { "volatile int *v = x; int goal = gridDim.x * 2; while (*v < goal) { }", "this loop waits for all blocks" },
  { "while (atomicAdd (x, 1) < gridDim.x) x[n]++;", "put __nanosleep (20) into it" },
  { "int i = 0; while (i < n) { x[i] = 1; i++; }", NULL },
  { "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) x[i] = 1;", NULL },
  { "int s = 0; for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) s += x[i]; "
    "x[0] = s;",
    "\"s\" ties the items of this grid-stride loop to threads" },
};

static void
test_source_warnings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (warned); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void f (int *x, int n) {\n%s }", warned[i].body);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const char *const *warnings;

      g_assert_no_error (error);
      warnings = leat_kernel_source_list_warnings (source);
      if (warned[i].warning == NULL)
        g_assert_cmpstr (warnings[0], ==, NULL);
      else if (warnings[0] == NULL || strstr (warnings[0], warned[i].warning) == NULL)
        g_error ("\"%s\": expected \"%s\", got \"%s\"", warned[i].body, warned[i].warning, warnings[0]);
    }
}

/* Where a kernel waits for all blocks of its grid by other means than the grid's barrier. */
static void
test_source_grid_waits (void)
{
  static const char *const rows[][2] = {
    { "while (atomicAdd (x, 0) < gridDim.x) ;", "t.cu:4:1" },
    { "n++; for (; atomicAdd (x, 0) < gridDim.x;) { }", "t.cu:4:6" },
    { "do { } while (atomicAdd (x, 0) < gridDim.x);", "t.cu:4:8" },
    { "while (leat_load_relaxed (x) < gridDim.x) __nanosleep (20);", "t.cu:4:1" },
    { "while (gridDim.x > leat_load_acquire (x)) { __threadfence (); }", "t.cu:4:1" },
    { "while (x[0] < gridDim.x) ;", NULL },
    { "while (atomicAdd (x, 0) < n) ;", NULL },
    { "while (atomicAdd (x, 0) < blockDim.x) ;", NULL },
    { "if (atomicAdd (x, 0) < gridDim.x) ;", NULL },
    { "int goal = 2 * gridDim.x; while (atomicAdd (x, 0) < goal) ;", "t.cu:4:27" },
    { "int goal = gridDim.x; while (goal > leat_load_relaxed (x)) ;", "t.cu:4:23" },
    { "int goal = n, grid = gridDim.x; while (atomicAdd (x, 0) < goal) x[1] = grid;", NULL },
    { "while (v < gridDim.x) ;", "t.cu:4:1" },
    { "while (w < gridDim.x) ;", NULL },
    { "volatile int *p = x; while (*p < gridDim.x) ;", "t.cu:4:22" },
    { "volatile int q = 1; int *p = x; while (*p < gridDim.x) ;", NULL },
    { "while (atomicAdd (x, 0) < gridDim.x) x[1]++;", NULL },
    { "while (atomicAdd (x, 0) < gridDim.x) { x[1]++; }", NULL },
    { "await (x);", "t.cu:2:34" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("__device__ int w; __device__ volatile int v;\n"
                         "__device__ void await (int *x) { while (atomicAdd (x, 0) < gridDim.x) ; }\n"
                         "__global__ void k (int *x, int n) {\n%s }\n"
                         "__global__ void other (int *x) { await (x); }\n",
                         rows[i][0]);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      g_autofree char *place = NULL, *none = NULL;

      g_assert_no_error (error);
      place = leat_kernel_source_dup_grid_wait (source, "k");
      none = leat_kernel_source_dup_grid_wait (source, "nowhere");
      g_test_message ("%s", rows[i][0]);
      g_assert_cmpstr (place, ==, rows[i][1]);
      g_assert_null (none);
    }
}

#define SHARED       "__shared__ int s[64]; int t = threadIdx.x; s[t] = x[t]; __syncthreads ();\n"
#define KERNEL(body) "__global__ void f (int *x, int n) {\n" SHARED body " }"

/* Lanes that read what others of their warp have written. */
static const struct
{
  const char *text, *says; /* NULL: nothing */
} warps[] = {
  { KERNEL ("if (t < 32) { volatile int *v = s; v[t] += v[t + 32]; v[t] += v[t + 16]; v[t] += v[t + 8]; }"),
    "t.cu:3:55: this reads in \"v\" what other lanes have written" },
  { KERNEL ("if (t < 32) { s[t] += s[t + 16];\ns[t] += s[t + 8]; }"), "t.cu:4:1: this reads in \"s\"" },
  { KERNEL ("if (t < warpSize) { s[t] = s[t] + s[t + 2]; s[t] = min (s[t], s[t + 1]); }"), "put __syncwarp ()" },
  { KERNEL ("if (t < 32) { int m = s[t]; s[t] = m = m + s[t + 2]; s[t] = m = m + s[t + 1]; }"), "this reads in \"s\"" },
  { KERNEL ("if (t < 32) { if (s[t + 4] > s[t]) s[t] = s[t + 4]; if (s[t + 2] > s[t]) s[t] = s[t + 2]; }"),
    "this reads in \"s\"" },
  { KERNEL ("s[t] += s[t + 4]; s[t] += s[t + 2]; s[t] += s[t + 1];"), "this reads in \"s\"" },
  { KERNEL ("if (t >= 1) s[t] += s[t - 1]; if (t >= 2) s[t] += s[t - 2]; if (t >= 4) s[t] += s[t - 4];"),
    "this reads in \"s\"" },
  { KERNEL ("if (t < 32) for (int o = 16; o > 0; o >>= 1) s[t] += s[t + o];"), "t.cu:3:46: this reads in \"s\"" },
  { KERNEL ("volatile int *v = s; for (int o = 1; o < 32; o *= 2) if (t >= o) v[t] += v[t - o];"),
    "this reads in \"v\"" },
  { "__global__ void f (int *x, int n) { __shared__ volatile int s[64]; int t = threadIdx.x; s[t] = x[t]; x[t] = s[t ^ "
    "1]; }",
    "this reads in \"s\"" },
  { "extern __shared__ int s[];\n__global__ void f (int *x, int n) { int t = threadIdx.x; volatile int *v = s;\n"
    "  v[t] += v[t + 2]; v[t] += v[t + 1]; }",
    "t.cu:3:21: this reads in \"v\"" },
  { "__device__ void last (volatile int *s, int t) { s[t] += s[t + 32]; s[t] += s[t + 16]; s[t] += s[t + 8]; }\n"
    "__global__ void f (int *x, int n) { " SHARED " if (t < 32) last (s, t); }",
    "t.cu:1:68: this reads in \"s\"" },
  { KERNEL ("if (t < 32) { s[t] += s[t + 16]; __syncwarp (); s[t] += s[t + 8]; __syncwarp (); }"), NULL },
  { KERNEL ("for (int o = 16; o > 0; o >>= 1) { if (t < o) s[t] += s[t + o]; __syncthreads (); }"), NULL },
  { KERNEL ("for (int o = 16; o > 0; o >>= 1) { int v = s[t + o]; __syncwarp (); s[t] += v; __syncwarp (); }"), NULL },
  { KERNEL ("if (t < 32) for (int k = 1; k < 2; k++) s[t] += s[t + 32 * k];"), NULL },
  { KERNEL ("if (t < 32) for (int k = t + 32; k < 64; k += 32) s[t] += s[k];"), NULL },
  { KERNEL ("if (t < 32) s[t] += s[t + 32];"), NULL },
  { KERNEL ("int b = 4 * t; s[b] += s[b + 1]; s[b] += s[b + 2]; s[b] += s[b + 3];"), NULL },
  { KERNEL ("x[t] += x[t + 2]; x[t] += x[t + 1];"), NULL },
  { KERNEL ("int a[4] = { 1, 2, 3, 4 }; a[0] += a[0 + 2]; a[0] += a[0 + 1]; x[t] = a[0];"), NULL },
  { KERNEL ("for; s[t] += s[t + n];"), NULL },
  { KERNEL ("int v = s[t]; for (int o = 16; o > 0; o /= 2) v += __shfl_down_sync (~0u, v, o); x[t] = v;"), NULL },
};

static void
test_source_warp_warnings (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (warps); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", warps[i].text, &error);
      g_auto (GStrv) warnings = NULL;

      g_assert_no_error (error);
      warnings = leat_kernel_source_list_entry_warnings (source, "f");
      if (warps[i].says == NULL ? warnings[0] != NULL
                                : warnings[0] == NULL || strstr (warnings[0], warps[i].says) == NULL)
        g_error ("\"%s\": expected \"%s\", got \"%s\"", warps[i].text, warps[i].says, warnings[0]);
    }
}

/* Of a file that has several, a pipeline hears of those that it launches. */
static void
test_source_entry_warnings (void)
{
  static const char *const text = "__device__ void await (int *x) {\n"
                                  "  while (leat_load_relaxed (x) == 0);\n"
                                  "}\n"
                                  "__device__ void call (int *x) { await (x); }\n"
                                  "__global__ void waits (int *x) { call (x); }\n"
                                  "__global__ void spins (int *x) {\n"
                                  "  while (leat_load_relaxed (x) == 0);\n"
                                  "}\n"
                                  "__global__ void sets (int *x) { *x = 1; }\n";
  static const char *const places[][2] = {
    { "waits", "t.cu:2:3: " }, { "spins", "t.cu:7:3: " }, { "sets", NULL }, { "none", NULL }
  };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);

  g_assert_no_error (error);
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    {
      g_auto (GStrv) warnings = leat_kernel_source_list_entry_warnings (source, places[i][0]);

      g_assert_cmpuint (g_strv_length (warnings), ==, places[i][1] != NULL);
      if (places[i][1] != NULL)
        g_assert_true (g_str_has_prefix (warnings[0], places[i][1]));
    }
}

static const struct
{
  const char *body;
  guint reads_line; /* of y */
  guint n_axes;
  const char *block;
  gboolean shared;
  gboolean assembly;
} launches[] = {
  { "y[i] = x[i];", 0, 1, "256x1x1", FALSE },
  { "i = 1; y[i]++;", 4, 1, "256x1x1", FALSE },
  { "int atomics = 1; y[i] = atomics;", 0, 1, "256x1x1", FALSE },
  { "y->x = 1; y[i] += 1;", 0, 1, "256x1x1", FALSE },
  { "i = y->x;", 4, 1, "256x1x1", FALSE },
  { "y->x += 1;", 4, 1, "256x1x1", FALSE },
  { "y[i].x = 1;", 0, 1, "256x1x1", FALSE },
  { "y[i].x.y += 1;", 4, 1, "256x1x1", FALSE },
  { "(y[i]) = 1;", 0, 1, "256x1x1", FALSE },
  { "((y[i])) += 1;", 4, 1, "256x1x1", FALSE },
  { "i = (y[i]);", 4, 1, "256x1x1", FALSE },
  { "i = i & y[i];", 4, 1, "256x1x1", FALSE },
  { "i = 3 & y[i];", 4, 1, "256x1x1", FALSE },
  { "i = x[0] & y[i];", 4, 1, "256x1x1", FALSE },
  { "i = 3 * *y;", 4, 1, "256x1x1", FALSE },
  { "return &y[i];", 0, 1, "256x1x1", FALSE },
  { "if (i) i = 1; else &y[i]; y[i]++;", 0, 1, "256x1x1", FALSE },
  { "int a = sizeof (*y); i = decltype (y[0]) (1); y[i] = a;", 0, 1, "256x1x1", FALSE },
  { "i = sizeof (int) + y[i];", 4, 1, "256x1x1", FALSE },
  { "i = leat_load_relaxed (y + i);", 4, 1, "256x1x1", FALSE },
  { "atomicAdd (x + f (1, 2), y[i]);", 4, 1, "256x1x1", FALSE },
  { "atomicAdd (f (1, y), 2);", 4, 1, "256x1x1", FALSE },
  { "atomicExch (f (1, y), 2); y[i]++;", 0, 1, "256x1x1", FALSE },
  { "y[i] = 1, i = y[i];", 4, 1, "256x1x1", FALSE },
  { "y[i]++;", 4, 1, "256x1x1", FALSE },
  { "++y[i];", 4, 1, "256x1x1", FALSE },
  { "y[i] += 1;", 4, 1, "256x1x1", FALSE },
  { "*y += 1;", 4, 1, "256x1x1", FALSE },
  { "(*y)++;", 4, 1, "256x1x1", FALSE },
  { "if (i == 0)\n *y = 1;", 0, 1, "256x1x1", FALSE },
  { "y[0] = y[0] + 1;", 4, 1, "256x1x1", FALSE },
  { "int a = y[i];", 4, 1, "256x1x1", FALSE },
  { "int a = 2 * y[i];", 4, 1, "256x1x1", FALSE },
  { "return y[i] ? f (1) : f (2);", 4, 1, "256x1x1", FALSE },
  { "atomicAdd (&y[x[i]], 1);", 4, 1, "256x1x1", FALSE },
  { "atomicMax (y + x[i], 1);", 4, 1, "256x1x1", FALSE },
  { "atomicExch (&y[x[i]], 1);", 0, 1, "256x1x1", FALSE },
  { "atomicAdd (part, x[i]); y[i] = 1;", 0, 1, "256x1x1", FALSE },
  { "y[atomicAdd (part, 1)] = x[i];", 0, 1, "256x1x1", FALSE },
  { "atomicCAS (part, y[i], 1);", 4, 1, "256x1x1", FALSE },
  /* Stored first. */
  { "y[i] = 0; for (int k = 0; k < 3; k++) y[i] += x[k];", 0, 1, "256x1x1", FALSE },
  { "y[i] = 0; __syncthreads (); atomicAdd (&y[0], 1);", 0, 1, "256x1x1", FALSE },
  /* Not followed. */
  { "int *p = y; p[i] = 0; y[i] += 1;", 0, 1, "256x1x1", FALSE },
  { "int *p = &y[i]; *p = 1;", 0, 1, "256x1x1", FALSE },
  { "f (&y[i]); y[i]++;", 0, 1, "256x1x1", FALSE },
  { "int a = sizeof (y[0]); y[i] = a;", 0, 1, "256x1x1", FALSE },
  { "s.y += 1; p->y[i] += 2; y[i] = 3;", 0, 1, "256x1x1", FALSE },
  { "y[threadIdx.y] = 1;", 0, 2, "16x16x1", FALSE },
  { "y[blockIdx.y] = 1;", 0, 2, "256x1x1", FALSE },
  { "y[threadIdx.z] = 1;", 0, 3, "8x8x4", FALSE },
  { "y[threadIdx.y + blockIdx.z] = 1;", 0, 3, "16x16x1", FALSE },
  { "y[i] = row ();", 0, 2, "16x16x1", FALSE },
  { "y[i] = ROW;", 0, 2, "16x16x1", FALSE },
  { "y[i] = s.threadIdx.x + blockDim.y;", 0, 1, "256x1x1", FALSE },
  { "extern __shared__ int part[]; y[i] = part[0];", 0, 1, "256x1x1", TRUE },
  { "__shared__ int part[4]; y[i] = part[0];", 0, 1, "256x1x1", FALSE },
  { "y[i] = dynamic[0];", 0, 1, "256x1x1", TRUE },
  { "asm (\"\");", 0, 1, "256x1x1", FALSE, TRUE },
  { "y[i] = named ();", 0, 1, "256x1x1", FALSE, TRUE },
};

static void
test_source_launches (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (launches); i++)
    {
      g_autofree char *text =
        g_strdup_printf ("#define ROW threadIdx.y\nextern __shared__ int dynamic[]; __device__ int "
                         "row () { return threadIdx.y; } __device__ int named () { __asm__ (\"\"); return 0; "
                         "}\n__global__ void f (const int *x, int "
                         "*y, int i) {\n%s\n y[9] = 1; }",
                         launches[i].body); /* the store makes it an output */
      g_autofree char *block = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const LeatPrototype *prototype;

      g_assert_no_error (error);
      prototype = leat_kernel_source_get_prototype (source, "f", &error);
      g_assert_no_error (error);
      g_test_message ("%s", launches[i].body);
      block = g_strdup_printf ("%ux%ux%u", prototype->block[0], prototype->block[1], prototype->block[2]);
      g_assert_cmpuint (prototype->params[1].reads_line, ==, launches[i].reads_line);
      g_assert_cmpuint (prototype->params[0].reads_line, ==, 0);
      g_assert_cmpuint (prototype->n_axes, ==, launches[i].n_axes);
      g_assert_cmpstr (block, ==, launches[i].block);
      g_assert_cmpint (prototype->has_dynamic_shared, ==, launches[i].shared);
      g_assert_cmpint (prototype->has_assembly, ==, launches[i].assembly);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/source/targets", test_source_targets);
  g_test_add_func ("/leat/kernel/source/parts", test_source_parts);
  g_test_add_func ("/leat/kernel/source/launches-of-targets", test_source_launches_of_targets);
  g_test_add_func ("/leat/kernel/source/params-of-targets", test_source_params_of_targets);
  g_test_add_func ("/leat/kernel/source/refused-for-host", test_source_refused_for_host);
  g_test_add_func ("/leat/kernel/source/errors", test_source_errors);
  g_test_add_func ("/leat/kernel/source/entries", test_source_entries);
  g_test_add_func ("/leat/kernel/source/warnings", test_source_warnings);
  g_test_add_func ("/leat/kernel/source/grid-waits", test_source_grid_waits);
  g_test_add_func ("/leat/kernel/source/warp-warnings", test_source_warp_warnings);
  g_test_add_func ("/leat/kernel/source/entry-warnings", test_source_entry_warnings);
  g_test_add_func ("/leat/kernel/source/launches", test_source_launches);
#define ADD(path, f) g_test_add (path, TestFolder, NULL, test_folder_set_up, f, test_folder_tear_down)
  ADD ("/leat/kernel/include/inlines", test_include_inlines);
  ADD ("/leat/kernel/include/names-header", test_include_names_header);
  ADD ("/leat/kernel/include/refuses-cycle", test_include_refuses_cycle);
  ADD ("/leat/kernel/source/refuses-file", test_source_refuses_file);
  ADD ("/leat/kernel/source/refuses-no-file", test_source_refuses_no_file);
  ADD ("/leat/kernel/include/names-elsewhere", test_include_names_elsewhere);
  ADD ("/leat/kernel/source/names-near-file", test_source_names_near_file);
  return g_test_run ();
}
