/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"

#include <string.h>

/* CUDA files as programs have them: each construct in a kernel of its own, held against plain C over three sizes, and
 * once with a mistake, which has to show. */

#define GUARD "int i = blockIdx.x * blockDim.x + threadIdx.x; if (i >= x_count) return; "
#define HEAD  "__global__ void k (const int *x, int *y, int x_count) { "

typedef gint32 (*StrangerOracle) (const gint32 *x, gsize i, gsize n);

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

static gint32
oracle_square (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * (guint32) x[i]);
}

/* The neighbour within blocks of 32; itself behind the end. */
static gint32
oracle_neighbour (const gint32 *x, gsize i, gsize n)
{
  gsize other = i ^ 1;

  return other < n ? x[other] : 0;
}

/* The sum over the block of 32 items. */
static gint32
oracle_block_sum (const gint32 *x, gsize i, gsize n)
{
  guint32 sum = 0;

  for (gsize k = i / 32 * 32; k < MIN (i / 32 * 32 + 32, n); k++)
    sum += (guint32) x[k];
  return (gint32) sum;
}

static gint32
oracle_fields (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] * 3u + 100u + 1000u);
}

static gint32
oracle_place (const gint32 *x, gsize i, gsize n)
{
  return (gint32) ((guint32) x[i] + (guint32) (i % 32));
}

static const struct
{
  const char *name, *text, *properties;
  StrangerOracle oracle;
  const char *from, *to; /* the mistake */
} strangers[] = {
  { "program",
    "#include <iostream>\n#include <vector>\n#include <cuda_runtime.h>\n#include \"helper_cuda.h\"\n"
    "#define CHECK(e) do { cudaError_t c = (e); if (c != cudaSuccess) { std::cerr << c; exit (1); } } while (0)\n"
    "using namespace std;\nclass Timer : public Base { public: Timer () : start (0), v{ 1 } {} double start; int v; "
    "};\n"
    "template <class T> std::vector<T> make (int n) { return std::vector<T> (n); }\n" HEAD GUARD "y[i] = x[i] * 2; }\n"
    "int main (int argc, char **argv)\n{\n  vector<int> a = make<int> (10);\n  Timer t;\n  k<<<1, 10>>> (nullptr, "
    "nullptr, "
    "10);\n  CHECK (cudaDeviceSynchronize ());\n  cout << R\"(done \" { )\" << endl;\n}\n",
    "", oracle_twice, "* 2", "* 3" },
  { "template",
    "template <typename T, int N> __global__ void k (const T *x, T *y, int x_count) { " GUARD "y[i] = x[i] * N; }\n",
    "entry=\"k<int, 2>\"", oracle_twice, "* N", "* N * N" },
  { "template-defaults",
    "template <typename T, typename V = T, V N = 2> __global__ void k (const T *x, V *y, int x_count) { " GUARD
    "y[i] = x[i] * N; }\nint main () { k<int><<<1, 1>>> (0, 0, 0); }\n",
    "entry=\"k<int>\"", oracle_twice, "N = 2", "N = 3" },
  { "template-words",
    "template <class T> __global__ void k (const T *x, T *y, int x_count) { " GUARD "y[i] = T (x[i]) * T (2); }\n",
    "entry=\"k<signed int>\"", oracle_twice, "T (2)", "T (4)" },
  { "template-specialised",
    "template <class T> __global__ void k (const T *x, T *y, int x_count) { " GUARD "y[i] = 7; }\n"
    "template <> __global__ void k<int> (const int *x, int *y, int x_count) { " GUARD "y[i] = x[i] * 2; }\n",
    "entry=\"k<int>\"", oracle_twice, "* 2", "* 5" },
  { "template-constant-condition",
    "template <class T, int N> __global__ void k (const T *x, T *y, int x_count)\n{ " GUARD
    "if constexpr (N > 1) y[i] = x[i] * 2; else y[i] = x[i].missing; }\n",
    "entry=\"k<int, 3>\"", oracle_twice, "* 2", "* 6" },
  { "specialisations",
    "template <class T> struct f { static __device__ int of (T v) { return 0; } };\n"
    "template <> struct f<int> { static __device__ int of (int v) { return v * 2; } };\n"
    "template <class T> __device__ T one () { return 0; }\ntemplate <> __device__ int one<int> () { return 1; }\n" HEAD
      GUARD "y[i] = f<int>::of (x[i]) * one<int> (); }\n",
    "", oracle_twice, "v * 2", "v * 7" },
  { "namespace",
    "namespace a { namespace { __device__ int gain = 2; }\nnamespace b { typedef int item; __device__ item two (item "
    "v) { "
    "return v * gain; }\n__global__ void k (const item *x, item *y, int x_count) { " GUARD "y[i] = two (x[i]); } } }\n"
    "namespace c { __global__ void k (const int *x, int *y) { } }\n",
    "entry=a::b::k", oracle_twice, "gain = 2", "gain = 4" },
  { "namespace-using",
    "namespace math { struct num { int v; }; inline __device__ num operator* (num a, int b) { return num{ a.v * b }; } "
    "}\n"
    "using namespace math;\n" HEAD GUARD "num a = { x[i] }; y[i] = (a * 2).v; }\n",
    "", oracle_twice, "a * 2", "a * 3" },
  { "extern-c",
    "extern \"C\" { " HEAD GUARD "y[i] = x[i] * 2; } }\nextern \"C\" void launch () { k<<<1, 1>>> (0, 0, 0); }\n", "",
    oracle_twice, "* 2", "* 9" },
  { "macro-made",
    "#define KERNEL(name, op) __global__ void name (const int *x, int *y, int x_count) { " GUARD "y[i] = x[i] op; }\n"
    "KERNEL (k, * 2)\nKERNEL (other, + 1)\n",
    "entry=k", oracle_twice, "* 2", "* 1" },
  { "split-braces",
    "#ifdef WIDE\n__global__ void k (const long *x, long *y, int x_count) {\n#else\n" HEAD "\n#endif\n" GUARD
    "y[i] = x[i] * 2; }\n",
    "", oracle_twice, "* 2", "* 8" },
  { "default-arguments",
    "__device__ int add (int a, int b = 5);\n__device__ int add (int a, int b) { return a + b; }\n" HEAD GUARD
    "y[i] = add (x[i]); }\n",
    "", oracle_plus_5, "b = 5", "b = 6" },
  { "lambda",
    "__device__ int half (int v) { return v; }\n" HEAD GUARD
    "auto f = [] (int v) { return half (v) + (int) (threadIdx.x - threadIdx.x); }; auto g = [x] (int at) { return half "
    "(x[at]); };"
    " y[i] = f (x[i]) + g (i); }\n",
    "", oracle_twice, "f (x[i])", "f (x[i] + 1)" },
  { "function-pointers",
    "__device__ int twice (int v) { return v * 2; }\n__device__ int same (int v) { return v; }\ntypedef int (*op) "
    "(int);\n"
    "__device__ op table[] = { same, twice };\ntemplate <op F> __device__ int call (int v) { return F (v); }\n" HEAD
      GUARD "op f = table[1]; y[i] = i % 2 ? f (x[i]) : call<twice> (x[i]); }\n",
    "", oracle_twice, "table[1]", "table[0]" },
  { "members-know-threads",
    "struct place { int bias; __device__ int operator() (int v) const { return v + threadIdx.x + bias; } };\n" HEAD
      GUARD "place p = { 0 }; y[i] = p (x[i]); }\n",
    "block=32", oracle_place, "+ bias", "+ bias + 1" },
  { "functions-know-threads",
    "__device__ int lane () { return threadIdx.x; }\ntemplate <class T> __device__ T shifted (T v) { return v + lane "
    "(); }\n" HEAD GUARD "y[i] = shifted<int> (x[i]); }\n",
    "block=32", oracle_place, "v + lane ()", "v + lane () * 2" },
  { "shared-in-members",
    "template <class T> struct Shared { __device__ operator T * () { extern __shared__ int raw[]; return (T *) raw; } "
    "};\n"
    "struct sum { __device__ int of (int v) { int *s = Shared<int> (); s[threadIdx.x] = v; __syncthreads (); int all = "
    "0;\n"
    "for (int t = 0; t < 32; t++) all += s[t]; __syncthreads (); return all; } };\n"
    "__global__ void k (const int *x, int *y, int x_count) { int i = blockIdx.x * blockDim.x + threadIdx.x; sum s;\n"
    "int all = s.of (i < x_count ? x[i] : 0); if (i < x_count) y[i] = all; }\n",
    "block=32 shared=128", oracle_block_sum, "t < 32", "t < 31" },
  { "shuffle-in-members",
    "struct warp { static __device__ int swap (int v) { return __shfl_xor_sync (0xffffffffu, v, 1); } };\n"
    "__global__ void k (const int *x, int *y, int x_count) { int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "int v = warp::swap (i < x_count ? x[i] : 0); if (i < x_count) y[i] = v; }\n",
    "block=32", oracle_neighbour, "v, 1)", "v, 2)" },
  { "overloads",
    "struct big { int v; };\n__device__ big max (big a, big b) { return a.v > b.v ? a : b; }\n"
    "__device__ int atomicAdd (big *a, int v) { return atomicAdd (&a->v, v); }\n" HEAD GUARD
    "big a = { x[i] }, b = { x[i] }; big *m = (big *) y + i; *m = max (a, b); atomicAdd (m, max (x[i], x[i])); }\n",
    "", oracle_twice, "max (x[i], x[i])", "max (x[i], x[i] + 1)" },
  { "structure-by-value",
    "struct inner { int w[2]; unsigned char flag; };\ntypedef struct { int gain; inner in; int3 dir; } params;\n"
    "__global__ void k (const int *x, int *y, const params p, int x_count, int2 v) { " GUARD
    "y[i] = x[i] * p.gain + p.in.w[1] + v.y + p.dir.z * p.in.flag; }\n",
    "p.gain=3 p.in.w.0=7 p.in.w.1=100 p.in.flag=0 p.dir.x=1 p.dir.y=1 p.dir.z=1 v.x=1 v.y=1000", oracle_fields,
    "p.in.w[1]", "p.in.w[0]" },
  { "constructed-by-value",
    "struct params { int gain, bias; __device__ params (int g, int b) : gain (g), bias (b) {} };\n"
    "__global__ void k (const int *x, int *y, params p, int x_count) { " GUARD "y[i] = x[i] * p.gain + p.bias; }\n",
    "p.gain=3 p.bias=1100", oracle_fields, "p.gain +", "p.bias +" },
  { "enumeration",
    "enum mode { add, mul = 2 };\nenum class size : int { small = 5 };\n"
    "__global__ void k (const int *x, int *y, int x_count, mode m) { " GUARD
    "y[i] = m == mul ? x[i] * m : x[i] + (int) size::small; }\n",
    "m=0", oracle_plus_5, "small = 5", "small = 4" },
  { "rows", "__global__ void k (const int (*x)[1], int y[][1], int x_count) { " GUARD "y[i][0] = x[i][0] * 2; }\n", "",
    oracle_twice, "* 2", "* 4" },
  { "reads-without-const", "__global__ void k (int *x, int *y, int x_count) { " GUARD "y[i] = x[i] * x[i]; }\n", "",
    oracle_square, "x[i] * x[i]", "x[i] * x[0]" },
  { "recursion",
    "__device__ int power (int v, int n) { return n == 0 ? 1 : v * power (v, n - 1); }\n" HEAD GUARD
    "y[i] = power (x[i], 2); }\n",
    "", oracle_square, ", 2)", ", 3)" },
  { "launch-bounds",
    "__global__ void __launch_bounds__ (64, 2) k (const int *__restrict__ x, int *__restrict__ y, const int "
    "x_count) { " GUARD "y[i] = x[i] * 2; }\n",
    "block=64", oracle_twice, "* 2", "* 11" },
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
    "__global__ void k (const int *x, int *y, int x_count, int a = half + most - STEP, float b = (float) (10 * gain), "
    "bool c = true, double d = -1e-3, unsigned e = 1) { " GUARD
    "y[i] = x[i] + (c && d == -1e-3 ? a : 0) * (int) (b * 2) - (int) e; }\n",
    "e=5", oracle_plus_5, "STEP, float", "STEP + 1, float" },
  { "members-of-host-code",
    "#include <cstring>\nstruct work { cudaStream_t stream; cudaEvent_t begin, end; int gain; };\n" HEAD GUARD
    "work w; w.gain = 2; int v; std::memcpy (&v, &x[i], sizeof v); y[i] = v * w.gain; }\n",
    "", oracle_twice, "gain = 2", "gain = 4" },
  { "another-does-not-compile",
    "__global__ void other (const int *x, int *y) { y[0] = missing (x[0]); }\n" HEAD GUARD "y[i] = x[i] * 2; }\n",
    "entry=k", oracle_twice, "* 2", "* 12" },
};

static gboolean
stranger_push (LeatPipeline *pipeline, const gint32 *x, gsize n, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, n * sizeof *x);

  LeatApp *app = LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL));

  if (!leat_app_push_bytes (app, bytes, error))
    return FALSE;
  leat_app_end (app);
  return TRUE;
}

static GBytes *
stranger_run (const char *text, const char *properties, const gint32 *x, gsize n, GError **error)
{
  g_autofree char *path = leat_harness_dup_path ("stranger.cu"), *graph_path = leat_harness_dup_path ("stranger.leat");
  g_autofree char *graph =
    g_strdup_printf ("leat 1\na = app spec=i32[%" G_GSIZE_FORMAT "]\nk = kernel source=stranger.cu %s\nb = app\n"
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
  if (stranger_push (pipeline, x, n, error) && leat_session_run (session, NULL, error))
    result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, error);
  leat_session_close (session);
  return result;
}

/* Whether the kernel gives what the oracle does. */
static gboolean
stranger_agrees (const char *text, guint row, gsize n)
{
  g_autofree gint32 *x = g_new (gint32, n);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) result = NULL;
  const gint32 *y;

  for (gsize i = 0; i < n; i++)
    x[i] = g_test_rand_int_range (-30000, 30000) | 1;
  result = stranger_run (text, strangers[row].properties, x, n, &error);
  if (result == NULL)
    g_error ("%s: %s", strangers[row].name, error->message);
  g_assert_cmpuint (g_bytes_get_size (result), ==, n * sizeof *x);
  y = g_bytes_get_data (result, NULL);
  for (gsize i = 0; i < n; i++)
    if (y[i] != strangers[row].oracle (x, i, n))
      return FALSE;
  return TRUE;
}

static void
test_strangers (gconstpointer data)
{
  guint row = GPOINTER_TO_UINT (data);
  g_autoptr (GString) wrong = g_string_new (strangers[row].text);

  for (guint k = 0; k < 3; k++)
    {
      gsize n = (gsize) g_test_rand_int_range (2, 3000);

      g_test_message ("%" G_GSIZE_FORMAT " items", n);
      g_assert_true (stranger_agrees (strangers[row].text, row, n));
    }
  g_assert_cmpuint (g_string_replace (wrong, strangers[row].from, strangers[row].to, 1), ==, 1);
  g_assert_false (stranger_agrees (wrong->str, row, 100));
}

/* Two instances of one template in a pipeline. */
static void
test_strangers_instances (void)
{
  static const char text[] =
    "template <class T, int N> __global__ void k (const T *x, T *y, int x_count) { " GUARD "y[i] = x[i] * N; }\n";
  static const gint32 x[] = { 1, -2, 3 };
  g_autofree char *path = leat_harness_dup_path ("two.cu"), *graph_path = leat_harness_dup_path ("two.leat");
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GBytes) result = NULL;

  leat_harness_write_file (path, text, strlen (text));
  leat_harness_write_file (
    graph_path,
    "leat 1\na = app spec=i32[3]\nb = app\na -> upload -> kernel source=two.cu entry=\"k<int, 5>\" -> "
    "kernel source=two.cu entry=\"k<int, 7>\" -> readback -> b\n",
    strlen ("leat 1\na = app spec=i32[3]\nb = app\na -> upload -> kernel source=two.cu entry=\"k<int, "
            "5>\" -> kernel source=two.cu entry=\"k<int, 7>\" -> readback -> b\n"));
  pipeline = leat_parse_file (graph_path, NULL, &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_assert_true (leat_session_open (session, NULL, &error));
  g_assert_true (stranger_push (pipeline, x, G_N_ELEMENTS (x), &error));
  g_assert_true (leat_session_run (session, NULL, &error));
  result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), ((gint32[]){ 35, -70, 105 }), 12);
  leat_session_close (session);
}

static const struct
{
  const char *text, *properties, *says;
} refused[] = {
  { "template <class T, int N> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\nint main () { k<int, 8><<<1, "
    "1>>> (0, "
    "0); }\n",
    "", "kernel \"k\" is a template; name an instance of it, such as entry=\"k<int, 8>\"" },
  { "template <class T, int N> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\n", "entry=\"k<int>\"",
    "stranger.cu:1:43: \"k<int>\" cannot be made: the template is k<T, N>, and 1 of its parameters are given" },
  { "template <class... T> __global__ void k (const int *x, int *y, T... t) { y[0] = x[0]; }\n", "entry=\"k<int>\"",
    "its template takes a pack or a template" },
  { "template <class T> __global__ void k (const T *x, T *y) { y[0] = x[0]; }\n", "entry=\"q<int>\"",
    "no template kernel \"q\"" },
  { "namespace a { __global__ void k (const int *x, int *y) { y[0] = x[0]; } }\nnamespace b { __global__ void k (const "
    "int "
    "*x, int *y) { y[0] = x[0]; } }\n",
    "entry=k", "there are: a::k, b::k" },
  { "__global__ void c (int *y) {}\n__global__ void k (const int *x, int *y) { c<<<1, 1>>> (y); y[0] = x[0]; }\n",
    "entry=k", "stranger.cu:2:45: device code cannot launch kernels here; make a node of each kernel instead" },
  { "__global__ void k (const int *x, int *y) { y[0] = x[0]; }\n__global__ void k (const float *x, float *y, int n) "
    "{ y[0] = x[0]; }\n",
    "entry=k",
    "kernels called \"k\" differ in their parameters; name one with its types, as in "
    "entry=\"k(const int *, int *)\" (line 1), \"k(const float *, float *, int)\" (line 2)" },
  { "__global__ void c (int *y) {}\n__device__ void go (int *y) { c<<<1, 1>>> (y); }\n"
    "__global__ void k (const int *x, int *y) { go (y); y[0] = x[0]; }\n",
    "entry=k", "stranger.cu:2:32: device code cannot launch kernels here; make a node of each kernel instead" },
  { "__global__ void __cluster_dims__ (2) k (const int *x, int *y) { y[0] = x[0]; }\n", "grid=3",
    "grid=3x1x1: kernel k runs in clusters of 2x1x1 blocks (__cluster_dims__), so the blocks along x are a multiple of "
    "2" },
  { "#include <cooperative_groups.h>\n__global__ void k (const int *x, int *y) { y[0] = "
    "cooperative_groups::this_cluster ().block_rank (); }\n",
    "", "a CPU has no clusters; LEAT_HAS_CLUSTERS says where there are any" },
  { "__global__ void k (const int *x, int *y, float a = sqrtf (2)) { y[0] = x[0]; }\n", "",
    "parameter \"a\" (float) of k is not set; give it a value, as in a=VALUE on the node" },
  { "struct p { int *a; };\n__global__ void k (const int *x, int *y, p v) { y[0] = x[0]; }\n", "",
    "\"v\" has the type \"p\", which an argument cannot have" },
};

static void
test_strangers_refused (void)
{
  static const gint32 x[] = { 1, 2 };

  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) result = stranger_run (refused[i].text, refused[i].properties, x, G_N_ELEMENTS (x), &error);

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
  for (guint i = 0; i < G_N_ELEMENTS (strangers); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/strangers/", strangers[i].name, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_strangers);
    }
  g_test_add_func ("/leat/strangers/instances", test_strangers_instances);
  g_test_add_func ("/leat/strangers/refused", test_strangers_refused);
  status = g_test_run ();
  leat_harness_remove_files ();
  return status;
}
