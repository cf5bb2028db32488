/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

/* How kernels of programs are named, launched and given their arguments, and what their host code leaves in them: each
 * held against plain C over three sizes, and once with a mistake, which has to show. */

#define GUARD "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= x_count) return; "
#define HEAD  "__global__ void k (const int *x, int *y, int x_count) { "

typedef gint32 (*ProgramOracle) (const gint32 *x, gsize i, gsize n);

static gint32
oracle_twice (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 2u);
}

static gint32
oracle_plus_5 (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + 5u);
}

static const struct
{
  const char *name, *text, *properties;
  ProgramOracle oracle;
  const char *from, *to; /* the mistake */
} programs[] = {
  { "overloaded",
    "namespace a { __global__ void k (const int *x, int *y, int x_count) { " GUARD "y[i] = x[i] * 3; } }\n"
    "__global__ void k (const float *x, float *y, int x_count) { " GUARD "y[i] = x[i] * 3; }\n"
    "__global__ void k (const int *__restrict__ x, int *y, const int x_count) { " GUARD "y[i] = x[i] * 2; }\n",
    "entry=\"k(const i32 *x, int*, int)\"", oracle_twice, "* 2", "* 5" },
  { "another-launches",
    "__global__ void k (const int *x, int *y, int x_count);\ntemplate <class T> T half (T v) { k<<<1, 1>>> (0, 0, 0); "
    "return v; }\n__device__ void all (int n) { k<<<1, n>>> (0, 0, 0); }\n"
    "__global__ void parent (int n) { all (n); }\n" HEAD GUARD "int half = x[i]; y[i] = half * 2; }\n",
    "entry=k", oracle_twice, "* 2", "* 13" },
  { "types-of-host-libraries",
    "#include <cublas_v2.h>\n#include \"cufft.h\"\ntypedef __nv_bfloat16 item;\n"
    "__device__ int first (cufftComplex v) { return (int) v.x; }\n" HEAD GUARD
    "item one = __float2bfloat16 (1.f); half two = __float2half (2.f); cufftComplex v = make_cuComplex (2.f, 0.f);\n"
    "y[i] = x[i] * (int) ((float) one + (float) two + first (v) - 3.f); }\n",
    "", oracle_twice, "- 3.f", "- 2.f" },
  { "complex",
    "#include <thrust/complex.h>\n" HEAD GUARD "thrust::complex<float> z (x[i], 2.f), w = conj (z) * z; const "
    "thrust::complex<double> v (x[i] / 2.0, 1);\n"
    "y[i] = (int) (w - thrust::norm (z) + w.imag () + z).real () + (int) (v + v).real (); }\n",
    "", oracle_twice, "v + v", "v - v" },
  { "how-it-is-launched",
    "template <int N> struct size { };\n__global__ void __cluster_dims__ (2, 1, 1) __maxnreg__ (64) k (const int *x, "
    "int "
    "*y, const __grid_constant__ int x_count) { " GUARD "y[i] = x[i] * (blockDim.x == 64 ? 2 : 3); }\n"
    "__global__ __launch_bounds__ (128, 2, 4) void other (int *y, __grid_constant__ const int n) { y[0] = n; }\n",
    "entry=k block=64", oracle_twice, "== 64", "!= 64" },
  { "default-values",
    "#define STEP 4\nconstexpr int half = 7 / STEP;\nstatic const float gain = 0.1f;\nenum { most = 1 << 3 };\n"
    "__global__ void k (const int *x, int *y, int x_count, int a = int (half) + most - STEP, float b = (float) (10 * "
    "gain), "
    "bool c = true, double d = -1e-3, unsigned e = 1) { " GUARD
    "y[i] = x[i] + (c && d == -1e-3 ? a : 0) * (int) (b * 2) - (int) e; }\n",
    "e=5", oracle_plus_5, "STEP, float", "STEP + 1, float" },
  { "members-without-marks",
    "struct work { int gain; int plain () { return gain + more (); } int more () { return log (1); } int log (int v) "
    "{\n"
    "return v; } int other () { return library_of_the_host (gain); } void go () { k<<<1, 1>>> (0, 0, 0); } };\n" HEAD
      GUARD "work w = { 1 }; y[i] = x[i] * w.plain () + (int) log (1.0); }\n",
    "", oracle_twice, "gain + more", "gain - more" },
  { "members-of-host-code",
    "#include <cstring>\nstruct work { cudaStream_t stream; cudaEvent_t begin, end; int gain; };\n" HEAD GUARD
    "work w; w.gain = 2; int v; std::memcpy (&v, &x[i], sizeof v); y[i] = v * w.gain; }\n",
    "", oracle_twice, "gain = 2", "gain = 4" },
  { "types-of-one-name",
    "namespace a { enum kind : char { none }; struct P { int less, more; kind k; }; typedef double real; }\n"
    "namespace b { const int N = 3; enum kind : int { all = 300 }; typedef int real; namespace in { struct Q { real v; "
    "}; } struct P { int more, less; in::Q q; kind k; };\n"
    "__global__ void k (const real *x, int *y, int x_count, P p, in::Q own) { " GUARD
    "y[i] = x[i] + p.more - p.less + p.q.v + (p.k == all) + own.v; } }\n"
    "namespace { typedef double real; }\n",
    "p.more=9 p.less=8 p.q.v=2 p.k=300 own.v=1", oracle_plus_5, "p.more - p.less", "p.less - p.more" },
  { "constants-of-one-name",
    "namespace a { constexpr int N = 1; constexpr int M = 2 * N; }\nnamespace b { constexpr int N = 2; constexpr int M "
    "= 2 * N; struct P { int v[N "
    "* 2]; };\n__global__ void k (const int *x, int *y, int x_count, P p, int last = a::N + M - N) { " GUARD
    "y[i] = x[i] + p.v[3] - p.v[0] + last; } }\n",
    "p=\"{v:[1,2,3,3]}\"", oracle_plus_5, "a::N + M", "M" },
  { "types-of-another-name",
    "namespace n { struct P { int gain; }; }\nusing Gain = n::P;\ntypedef Gain Level;\n"
    "__global__ void k (const int *x, int *y, int x_count, Level p) { " GUARD "y[i] = x[i] * p.gain; }\n",
    "p.gain=2", oracle_twice, "* p.gain", "+ p.gain" },
  { "members-with-values",
    "#include <cuda_fp16.h>\nstruct P { half gain = 1; int add{ 3 }, v[2] = { 1, 2 }; static_assert (sizeof (int) == "
    "4, "
    "\"\"); void show () { printf (\"%d\", add); } };\n__global__ void k (const int *x, int *y, int x_count, P p, "
    "half2 "
    "h) { " GUARD "y[i] = x[i] * (int) __half2float (p.gain) + p.add - p.v[1] - (int) __low2float (h); }\n",
    "p.gain=2 p.add=9 p.v=\"[1,6]\" h.x=3 h.y=4", oracle_twice, "p.gain)", "p.gain * p.gain)" },
  { "instance-in-namespaces",
    "namespace a { namespace b { enum class Op { plus, times }; template <class T, Op op, int N = 2>\n"
    "__global__ void k (const T *x, T *y, int x_count) { " GUARD
    "y[i] = op == Op::times ? x[i] * N : x[i] + N; } } }\n",
    "entry=\"b::k<int, Op::times>\"", oracle_twice, "x[i] * N", "x[i] * N * N" },
  { "instance-of-typed-values",
    "template <class T> struct Size { static constexpr int N = sizeof (T); };\n"
    "template <unsigned N, bool B, char C, class T, T V, int M = (int) N * Size<T>::N - 5>\n"
    "__global__ void k (const int *x, int *y, int x_count) { " GUARD
    "y[i] = x[i] + (0 - N > 7) + B + (int) sizeof (C) + (int) (V << 40 >> 40) + M - 12; }\n",
    "entry=\"k<1 + 1, 4, 'a', long long, 3>\"", oracle_plus_5, "0 - N > 7", "0 - (int) N > 7" },
  { "filled-by-an-expression",
    "#define R 1\n__constant__ __align__ (16) int mask[(2 * R + 1)];\n" HEAD GUARD
    "y[i] = x[i] + mask[0] + mask[2]; }\n",
    "variables=mask=mask.bin", oracle_plus_5, "mask[2]", "mask[1]" },
};

static void
programs_write_mask (void)
{
  static const gint32 values[] = { 2, 4, 3 };
  g_autofree char *path = leat_harness_dup_path ("mask.bin");

  leat_harness_write_file (path, (const char *) values, sizeof values);
}

static gboolean
program_push (LeatPipeline *pipeline, const gint32 *x, gsize n, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, n * sizeof *x);

  LeatApp *app = LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL));

  if (!leat_app_push_bytes (app, bytes, error))
    return FALSE;
  leat_app_end (app);
  return TRUE;
}

static GBytes *
program_run (const char *text, const char *properties, const gint32 *x, gsize n, GError **error)
{
  g_autofree char *path = leat_harness_dup_path ("program.cu"), *graph_path = leat_harness_dup_path ("program.leat");
  g_autofree char *graph =
    g_strdup_printf ("leat 1\na = app spec=i32[%" G_GSIZE_FORMAT "]\nk = kernel source=program.cu %s\nb = app\n"
                     "a -> upload -> k.x\nk.y -> readback -> b\n",
                     n, properties);
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  GBytes *result = NULL;

  leat_harness_write_file (path, text, strlen (text));
  leat_harness_write_file (graph_path, graph, strlen (graph));
  pipeline = leat_parse_file (graph_path, NULL, error);
  session = pipeline != NULL ? leat_session_new (pipeline, NULL) : NULL;
  if (session == NULL || !leat_session_open (session, NULL, error))
    return NULL;
  if (program_push (pipeline, x, n, error) && leat_session_run (session, NULL, error))
    result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, error);
  leat_session_close (session);
  return result;
}

/* Whether the kernel gives what the oracle does. */
static gboolean
program_agrees (const char *text, guint row, gsize n)
{
  g_autofree gint32 *x = g_new (gint32, n);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) result = NULL;
  const gint32 *y;

  for (gsize i = 0; i < n; i++)
    x[i] = g_test_rand_int_range (-30000, 30000) | 1;
  result = program_run (text, programs[row].properties, x, n, &error);
  if (result == NULL)
    g_error ("%s: %s", programs[row].name, error->message);
  g_assert_cmpuint (g_bytes_get_size (result), ==, n * sizeof *x);
  y = g_bytes_get_data (result, NULL);
  for (gsize i = 0; i < n; i++)
    if (y[i] != programs[row].oracle (x, i, n))
      return FALSE;
  return TRUE;
}

static void
test_programs_row (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GString) wrong = g_string_new (programs[row].text);

  for (guint k = 0; k < 3; k++)
    {
      gsize n = (gsize) g_test_rand_int_range (2, 3000);

      g_test_message ("%" G_GSIZE_FORMAT " items", n);
      g_assert_true (program_agrees (programs[row].text, row, n));
    }
  g_assert_cmpuint (g_string_replace (wrong, programs[row].from, programs[row].to, 1), ==, 1);
  g_assert_false (program_agrees (wrong->str, row, 100));
}

static const struct
{
  const char *text, *properties, *says;
  gboolean on_gpu_too; /* FALSE: a GPU can do it */
} refused[] = {
  { "__global__ void k (const int *x, int *y) { y[0] = x[0]; }\n__global__ void k (const float *x, float *y, int n) "
    "{ y[0] = x[0]; }\n",
    "entry=k",
    "kernels called \"k\" differ in their parameters; name one with its types, as in "
    "entry=\"k(const int *, int *)\" (line 1), \"k(const float *, float *, int)\" (line 2)",
    TRUE },
  { "struct work { int n; work (int v) : n (v) { if (cudaSetDevice (v)) throw 1; } void free () { cudaFree (&n); } };\n"
    "__global__ void k (const int *x, int *y) {\nwork w (2); y[0] = x[0] + w.n; }\n",
    "", "program.cu:3:", TRUE },
  { "struct work { int n; void free () { cudaFree (&n); } };\n"
    "__global__ void k (const int *x, int *y) {\nwork w; w.free (); y[0] = x[0] + w.n; }\n",
    "", "program.cu:3:", TRUE },
  { "__global__ void c (int *y) {}\n__device__ void go (int *y) { c<<<1, 1>>> (y); }\n"
    "__global__ void k (const int *x, int *y) { go (y); y[0] = x[0]; }\n",
    "entry=k", "program.cu:2:32: device code cannot launch kernels here; make a node of each kernel instead", TRUE },
  { "__global__ void __cluster_dims__ (2) k (const int *x, int *y) { y[0] = x[0]; }\n", "grid=3",
    "grid=3x1x1: kernel k runs in clusters of 2x1x1 blocks (__cluster_dims__), so the blocks along x are a multiple of "
    "2",
    TRUE },
  { "#include <cooperative_groups.h>\n__global__ void k (const int *x, int *y) { y[0] = "
    "cooperative_groups::this_cluster ().block_rank (); }\n",
    "", "a CPU has no clusters; LEAT_HAS_CLUSTERS says where there are any", FALSE },
  { "__global__ void k (const int *x, int *y, float a = sqrtf (2)) { y[0] = x[0]; }\n", "",
    "parameter \"a\" (float) of k is not set; give it a value, as in a=VALUE on the node", TRUE },
  /* what C++ makes another number of */
  { "__global__ void k (const int *x, int *y, float a = 1u - 2) { y[0] = x[0]; }\n", "",
    "parameter \"a\" (float) of k is not set", TRUE },
  { "__global__ void k (const int *x, int *y, int a = -7 / 2u) { y[0] = x[0]; }\n", "",
    "parameter \"a\" (int) of k is not set", TRUE },
  { "constexpr unsigned char b = 255, c = b + 2;\n__global__ void k (const int *x, int *y, int a = c) { y[0] = x[0]; "
    "}\n",
    "", "parameter \"a\" (int) of k is not set", TRUE },
  { "#define R 2\n__constant__ float mask[(2 * R + 1)];\n__global__ void k (const int *x, int *y) { y[0] = x[0] * "
    "mask[1]; }\n",
    "", "kernel k reads \"mask\", and nothing gives it a value", TRUE },
};

static void
test_programs_refused (void)
{
  static const gint32 x[] = { 1, 2 };
  const char *device = g_getenv ("LEAT_DEVICE");
  gboolean on_gpu = device != NULL && g_str_has_prefix (device, "cuda");

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) result = NULL;

      if (on_gpu && !refused[i].on_gpu_too)
        continue;
      result = program_run (refused[i].text, refused[i].properties, x, G_N_ELEMENTS (x), &error);
      g_test_message ("%s", refused[i].text);
      g_assert_null (result);
      if (strstr (error->message, refused[i].says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, refused[i].says);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  programs_write_mask ();
  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/programs/", programs[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_programs_row);
    }
  g_test_add_func ("/leat/programs/refused", test_programs_refused);
  status = g_test_run ();
  leat_harness_remove_files ();
  return status;
}
