/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* Compilers' messages name lines and columns of the user's file, wherever the text that they get has words of ours. */

/* Each word missing_N is unknown, and stands in the text once. */
static const struct
{
  const char *name, *header, *text, *entry;
  guint n;
} rows[] = {
  { "threads", "",
    "__device__ int where () { return blockIdx.x * blockDim.x + threadIdx.x; }\n"
    "__device__ float f (float v) { return v * threadIdx.x + missing_0; }\n"
    "__device__ float g (float v, int n) { int k = where (); return f (v) + where () + missing_1; }\n"
    "__global__ void k (const float *x, float *y, int n)\n{\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) { y[i] = g (x[i], n) + f (x[i]) + where () + missing_2; }\n"
    "\t__shared__ float t[32]; t[threadIdx.x] = missing_3; __syncthreads (); y[0] = f (1) + missing_4;\n"
    "  atomicAdd (&y[0], missing_5); for (int j = 0; j < n; j++) y[j] = f (g (x[j], missing_6)) + missing_7;\n}\n",
    NULL, 8 },
  { "parts", "",
    "struct P { float a, b[2]; __host__ void say () { printf (\"\"); } __device__ float get () { return a + missing_0; "
    "} };\n"
    "namespace ns { __global__ void k (P p, const float *x, float4 v, float *y) { y[threadIdx.x] = p.a + missing_1; } "
    "}\n",
    NULL, 2 },
  { "macros", "",
    "#define LEAVE(v) do { if ((v) > (v)) return; } while (0)\n#define LOAD(p, i) ((p)[(i) + threadIdx.x])\n"
    "__global__ void k (const float *x, float *y, int n) {\tLEAVE (n + missing_0); y[0] = LOAD (x, missing_1) + "
    "missing_2; }\n",
    NULL, 3 },
  { "instance", "__device__ int at () { return threadIdx.x + missing_0; }\n",
    "#include \"place.cuh\"\ntemplate <class T, int N> __global__ void k (const T *x, T *y, float2 v) { y[at ()] = "
    "x[at ()] + "
    "v.x +\n  missing_1; T z = at () + N + missing_2; y[N] = z; }\n",
    "k<unsigned int, 3>", 3 },
  { "alone", "",
    "__global__ void other (int n) { }\n__device__ int at () { return threadIdx.x; }\n"
    "__global__ void k (const float *x, float *y) { y[at ()] = x[at ()] + missing_0; }\n",
    "k", 1 },
};

typedef struct
{
  const char *compiler;
  guint row;
} PlaceCase;

/* The place of @word, as the two files have it. */
static char *
place_dup (const char *header_path, const char *header, const char *path, const char *text, const char *word)
{
  const char *in = strstr (header, word) != NULL ? header : text, *at = strstr (in, word), *begin = at;
  guint line = 1;

  for (const char *p = in; p < at; p++)
    line += *p == '\n';
  while (begin > in && begin[-1] != '\n')
    begin--;
  return g_strdup_printf ("%s:%u:%u: ", in == header ? header_path : path, line, (guint) (at - begin) + 1);
}

static LeatKernelSource *
place_read (const char *path, const char *entry)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) file = leat_kernel_source_new_from_file (path, &error);
  LeatKernelSource *made;

  g_assert_no_error (error);
  if (entry == NULL)
    return g_steal_pointer (&file);
  made = strchr (entry, '<') != NULL ? leat_kernel_source_new_instance (file, entry, &error)
                                     : leat_kernel_source_new_only (file, entry, &error);
  g_assert_no_error (error);
  return made;
}

static void
test_place_row (gconstpointer data)
{
  const PlaceCase *it = data;
  g_autofree char *folder = g_dir_make_tmp ("leat-kernel-XXXXXX", NULL), *compiler = NULL;
  g_autofree char *path = g_build_filename (folder, "place.cu", NULL);
  g_autofree char *header = g_build_filename (folder, "place.cuh", NULL);
  g_autoptr (LeatKernelSource) source = NULL;
  g_autoptr (GError) error = NULL;
  LeatImageTarget target;

  compiler = g_find_program_in_path (it->compiler);
  if (compiler == NULL)
    {
      g_test_skip ("not here");
      return;
    }
  g_setenv ("LEAT_CXX", compiler, TRUE);
  g_assert_true (g_file_set_contents (path, rows[it->row].text, -1, NULL));
  g_assert_true (g_file_set_contents (header, rows[it->row].header, -1, NULL));
  source = place_read (path, rows[it->row].entry);
  g_assert_true (leat_image_target_parse ("host", &target, NULL));
  g_assert_null (leat_image_compile (source, &target, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
  for (guint i = 0; i < rows[it->row].n; i++)
    {
      g_autofree char *word = g_strdup_printf ("missing_%u", i);
      g_autofree char *place = place_dup (header, rows[it->row].header, path, rows[it->row].text, word);
      const char *at = strstr (error->message, place), *end = at != NULL ? strchr (at, '\n') : NULL;
      g_autofree char *message = end != NULL ? g_strndup (at, end - at) : g_strdup (at != NULL ? at : "");

      if (strstr (message, word) == NULL)
        g_error ("no \"%s\" with \"%s\" in: %s", place, word, error->message);
    }
  g_unlink (path);
  g_unlink (header);
  g_rmdir (folder);
  g_unsetenv ("LEAT_CXX");
}

/* A program's own header in <...> is passed over with those for host code; who misses something of it is told. */
static void
test_place_passed (gconstpointer target_name)
{
  static const char text[] = "#include <cstdio>\n#include <unistd.h>\n#include <GL/gl.h>\n#include <helper_math.h>\n"
                             "#include <mine.cuh>\n#include <helper_cuda.h>\n"
                             "__global__ void k (float *y) { y[0] = length (1); }\n"
                             "template <int N> __global__ void t (float *y) { y[0] = length (N); }\n";
  static const char says[] =
    "\npassed over: <helper_math.h>, <mine.cuh>; if the kernel needs one of them, put it beside "
    "t.cu, and write \"helper_math.h\" in place of <helper_math.h>";
  static const char *const entries[] = { NULL, "t<1>" };

  for (guint i = 0; i < G_N_ELEMENTS (entries); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source =
        leat_kernel_source_take_entry (leat_kernel_source_new ("t.cu", text, &error), entries[i], &error);
      LeatImageTarget target;

      g_assert_no_error (error);
      g_assert_true (leat_image_target_parse (target_name, &target, NULL));
      g_assert_null (leat_image_compile (source, &target, &error));
      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip (error->message);
          return;
        }
      if (!g_str_has_suffix (error->message, says))
        g_error ("\"%s\" does not end with \"%s\"", error->message, says);
    }
}

int
main (int argc, char **argv)
{
  static const char *const compilers[] = { "clang++", "g++" };

  g_test_init (&argc, &argv, NULL);
  for (guint c = 0; c < G_N_ELEMENTS (compilers); c++)
    for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
      {
        g_autofree char *path = g_strdup_printf ("/leat/kernel/place/%s/%s", rows[i].name, compilers[c]);
        PlaceCase *it = g_new (PlaceCase, 1);

        *it = (PlaceCase){ compilers[c], i };
        g_test_add_data_func_full (path, it, test_place_row, g_free);
      }
  g_test_add_data_func ("/leat/kernel/place/passed/host", "host", test_place_passed);
  g_test_add_data_func ("/leat/kernel/place/passed/sm_90", "sm_90", test_place_passed);
  return g_test_run ();
}
