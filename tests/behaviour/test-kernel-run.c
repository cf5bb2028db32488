/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-harness.h"

#include "kernel/leat-kernel-source-private.h"

#include <glib/gstdio.h>
#include <string.h>

/* What a kernel file may contain, told by running it: each text has a kernel `f (uint32_t *out, int n)` that leaves the
 * expected items behind when 64 threads of two blocks run it with n = 10. */

#define I "blockIdx.x * blockDim.x + threadIdx.x"

static const struct
{
  const char *what;
  const char *text;
  guint32 expected[4];
} run_cases[] = {
  { "plain",
    "__global__ void f (uint32_t *out, int n)\n{\n  int i = " I ";\n  out[i] = n + i;\n}",
    { 10, 11, 12, 13 } },
  { "extern-c", "extern \"C\" __global__ void f (uint32_t *out, int n) { out[" I "] = n; }", { 10, 10, 10, 10 } },
  { "extern-c-block",
    "extern \"C\" {\n__device__ int one () { return 1; }\n__global__ void f (uint32_t *out, int n) { out[" I
    "] = n + one (); }\n}",
    { 11, 11, 11, 11 } },
  { "static",
    "static __global__ void __launch_bounds__ (64) f (uint32_t *out, int n) { out[" I "] = n; }",
    { 10, 10, 10, 10 } },
  { "attributes",
    "[[maybe_unused]] static __attribute__ ((cold)) __global__ void __launch_bounds__ (64) f ([[maybe_unused]] "
    "uint32_t "
    "*out, int n [[maybe_unused]]) { out[" I "] = n; }",
    { 10, 10, 10, 10 } },
  { "cluster",
    "__global__ void LEAT_CLUSTER (2) __launch_bounds__ (64) f (uint32_t *out, int n)\n{\n"
    "#if LEAT_HAS_CLUSTERS\n  __shared__ unsigned int told;\n  leat_cluster_arrive ();\n  leat_cluster_wait ();\n"
    "  if (threadIdx.x == 0)\n    leat_cluster_store (&told, 1 - blockIdx.x, 7 + n * blockIdx.x);\n"
    "  leat_cluster_arrive ();\n  leat_cluster_wait ();\n  out[" I "] = told;\n"
    "#else\n  out[" I "] = 7 + n * (1 - blockIdx.x);\n#endif\n}",
    { 17, 17, 17, 17 } },
  { "object-macro",
    "#define BASE 5\n#define NEXT (BASE + 1)\n__global__ void f (uint32_t *out, int n) { out[" I "] = NEXT; }",
    { 6, 6, 6, 6 } },
  { "function-macro",
    "#define CLAMP(v, hi) ((v) > (hi) ? (hi) : (v))\n#define HERE " I
    "\n__global__ void f (uint32_t *out, int n) { int i = HERE; out[i] = CLAMP (i, 2); }",
    { 0, 1, 2, 2 } },
  { "macro-over-lines",
    "#define STORE(at, value) \\\n  do { \\\n    out[at] = value; \\\n  } while (0)\n"
    "__global__ void f (uint32_t *out, int n) { STORE (" I ", 4); }",
    { 4, 4, 4, 4 } },
  { "macro-with-a-long-comment",
    "#define FIVE 5 /* which\n * is more than \"four\" */\n#define URL \"a//b/*\" // */ and\n#define SIX /* a\n */ 6\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = FIVE + SIX + sizeof (URL); }",
    { 18, 18, 18, 18 } },
  { "macro-that-waits",
    "#define MEET __syncthreads ()\n__global__ void f (uint32_t *out, int n)\n{\n  __shared__ int v[32];\n"
    "  v[threadIdx.x] = threadIdx.x;\n  MEET;\n  out[" I "] = v[31 - threadIdx.x];\n}",
    { 31, 30, 29, 28 } },
  { "conditional",
    "#if defined(LEAT_HOST) == defined(LEAT_CUDA)\n#error one of the two\n#elif 0\n#define V 2\n#else\n"
    "#define V 3\n#endif\n#if 0\nthis is { no code\n#endif\n__global__ void f (uint32_t *out, int n) { out[" I
    "] = V; }",
    { 3, 3, 3, 3 } },
  { "type-behind-a-condition",
    "#ifdef WIDE\ntypedef double num;\n#else\ntypedef int num;\n#endif\n"
    "__global__ void f (uint32_t *out, num n) { out[" I "] = n + 1; }",
    { 11, 11, 11, 11 } },
  { "skipped",
    "#ifdef NEVER\nextern int stats[];\n#include <vector>\nnamespace host { void go (); }\n"
    "void launch () { f<<<1, 1>>> (0); }\n#endif\n#ifndef __CUDACC_RTC__\n#include <iostream>\nint main () { "
    "}\n#endif\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = n; }",
    { 10, 10, 10, 10 } },
  { "runtime-version",
    "__global__ void f (uint32_t *out, int n)\n{\n#if CUDART_VERSION < 9000 || __CUDACC_VER_MAJOR__ < 9\n"
    "  out[" I "] = __any (1);\n#else\n  out[" I "] = __any_sync (0xffffffffu, 1) + n;\n#endif\n}",
    { 11, 11, 11, 11 } },
  { "host-and-device",
    "__host__ __device__ inline int side ()\n{\n#ifdef __CUDA_ARCH__\n  return threadIdx.x;\n#else\n  return "
    "-1;\n#endif\n}\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = side (); }",
    { 0, 1, 2, 3 } },
  { "architecture",
    "#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ < 300\n#error too old\n#elif __CUDA_ARCH__ >= 700\n#define V "
    "7\n#endif\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = V + (__CUDA_ARCH__ > 0); }",
    { 8, 8, 8, 8 } },
  { "stride-macro",
    "#define ADD(v) sum += (v)\n__global__ void f (uint32_t *out, int n)\n{\n  int sum = 0;\n"
    "  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < 100; i += blockDim.x * gridDim.x)\n    ADD (i);\n"
    "  out[" I "] = sum;\n}",
    { 64, 66, 68, 70 } },
  { "kernel-by-macro",
    "#define KERNEL extern \"C\" __global__ void\n#define PARAMS uint32_t *out, int n\n#define MAKE(name, v) KERNEL "
    "name (PARAMS) \\\n"
    "  { out[" I "] = v; }\nMAKE (g, 1)\nMAKE (f, n + 5)\n",
    { 15, 15, 15, 15 } },
  { "braces-behind-conditions",
    "#define FAST 1\n__global__ void f (uint32_t *out, int n)\n#if FAST\n{\n  if (n > 3) {\n#else\n{ {\n#endif\n"
    "    out[" I "] = 4;\n  }\n}",
    { 4, 4, 4, 4 } },
  { "undefined-constant",
    "#undef M_PI\n#undef INFINITY\n#define INFINITY 3\n__device__ const int M_PI = 2;\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = M_PI + INFINITY; }",
    { 5, 5, 5, 5 } },
  { "qualifier-with-more",
    "#define __device__ static __device__\n#define M_PI (M_PI + 1)\n__device__ int pi () { return (int) M_PI; }\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = pi (); }",
    { 4, 4, 4, 4 } },
  { "joined-words",
    "#define JOIN(a, b) a##b\n#define NAME(a, b) JOIN (a, b)\n__device__ int NAME (helper_, __LINE__) (int v) { return "
    "v; }\n"
    "__global__ void f (uint32_t *out, int n) { o\\\nut[" I "] = helper_3 (n); }",
    { 10, 10, 10, 10 } },
  { "template",
    "template <typename T, int N> __device__ T times (T v) { return v * N; }\n"
    "template <int N> struct pick { static __device__ int get () { return N; } };\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = times<int, 3> (n) + pick<2>::get (); }",
    { 32, 32, 32, 32 } },
  { "template-kernel-beside",
    "template <typename T> __global__ void g (T *x) { x[0] = 1; }\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = 8; }",
    { 8, 8, 8, 8 } },
  { "overloaded-device",
    "__device__ int v (int) { return 1; }\n__device__ int v (float) { return 2; }\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = v (n) * 10 + v (1.0f); }",
    { 12, 12, 12, 12 } },
  { "declared-before",
    "__device__ int later (int);\n__global__ void f (uint32_t *out, int n) { out[" I "] = later (n); }\n"
    "__device__ int later (int v) { return v + 1; }",
    { 11, 11, 11, 11 } },
  { "recursion",
    "__device__ int down (int v) { return v <= 0 ? 0 : v + down (v - 1); }\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = down (4); }",
    { 10, 10, 10, 10 } },
  { "reference-and-pointer",
    "__device__ void both (int &a, int *b) { a += 1; *b += 2; }\n"
    "__global__ void f (uint32_t *out, int n) { int a = 1, b = 1; both (a, &b); out[" I "] = a * 10 + b; }",
    { 23, 23, 23, 23 } },
  { "constant-memory",
    "__constant__ int table[4] = { 3, 1, 4, 1 };\nconstexpr int size = 4;\nstatic const int shift = 2;\n"
    "__global__ void f (uint32_t *out, int n) { int i = " I "; out[i] = table[i % size] << shift; }",
    { 12, 4, 16, 4 } },
  { "variable-words",
    "static __device__ int a = 3;\ninline __device__ int b = 4;\nstatic constexpr int c = 5;\nconstexpr static int "
    "d[2] = "
    "{ 6, 7 };\nstatic __constant__ const int e = 8;\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = a + b * c + d[1] * e; }",
    { 79, 79, 79, 79 } },
  { "device-variable",
    "__device__ unsigned int count;\n__device__ int from[2] = { 5, 6 };\n"
    "__global__ void f (uint32_t *out, int n)\n{\n  int i = " I
    ";\n  atomicAdd (&count, 1u);\n  out[i] = from[i % 2];\n}",
    { 5, 6, 5, 6 } },
  { "types",
    "typedef struct { int a; float b; } pair;\nenum kind { FIRST = 3, SECOND };\nunion view { float f; unsigned u; };\n"
    "using word = unsigned int;\n__global__ void f (uint32_t *out, int n)\n{\n  pair p = { 1, 2.5f };\n  view v;\n"
    "  v.f = 1.0f;\n  word w = SECOND;\n  out[" I "] = p.a + (int) (p.b * 2) + w + (v.u >> 29);\n}",
    { 11, 11, 11, 11 } },
  { "comments",
    "/* __global__ void g (int *x) { */\n// } __global__ void h (int x) {\n__global__ void /* here */ f (uint32_t "
    "*out, "
    "/* const */ int n) // }\n{ /* { */ out[" I "] = n /* / 2 */; // { \\\n }\n}",
    { 10, 10, 10, 10 } },
  { "strings",
    "__device__ int length (const char *s) { int n = 0; while (s[n]) n++; return n; }\n"
    "__global__ void f (uint32_t *out, int n)\n{\n  char c = '}', d = '\\'', e = '\"';\n"
    "  out[" I "] = length (\"} /* { \\\" // __syncthreads ()\") + (c == '}') + (d == 39) + (e == 34);\n}",
    { 31, 31, 31, 31 } },
  { "raw-string",
    "__device__ int length (const char *s) { int n = 0; while (s[n]) n++; return n; }\n"
    "__global__ void f (uint32_t *out, int n) { out[" I "] = length (R\"x(}\")\" { \\)x\"); }",
    { 8, 8, 8, 8 } },
  { "line-continuation", "__global__ void \\\nf (uint32_t *out, int \\\n n) { out[" I "] = n; }", { 10, 10, 10, 10 } },
  { "windows-line-ends",
    "#define V 2\r\n__global__ void f (uint32_t *out, int n)\r\n{\r\n  out[" I "] = V; // two\r\n}\r\n",
    { 2, 2, 2, 2 } },
  { "byte-order-mark", "\xef\xbb\xbf__global__ void f (uint32_t *out, int n) { out[" I "] = n; }", { 10, 10, 10, 10 } },
  { "lambda",
    "__global__ void f (uint32_t *out, int n) { auto more = [=] (int v) { return v + n; }; out[" I "] = more (1); }",
    { 11, 11, 11, 11 } },
  { "member-function",
    "struct span { int low, high; __device__ int size () const { return high - low; } };\n"
    "__global__ void f (uint32_t *out, int n) { span s = { 2, n }; out[" I "] = s.size (); }",
    { 8, 8, 8, 8 } },
  { "operator",
    "struct point { int x, y; };\n__device__ point operator+ (point a, point b) { return { a.x + b.x, a.y + b.y }; }\n"
    "__device__ int3 operator- (int3 a) { return make_int3 (-a.x, -a.y, -a.z); }\n"
    "__global__ void f (uint32_t *out, int n) { point p = point{ 1, 2 } + point{ 3, 4 }; int3 q = -make_int3 (-1, 0, "
    "0); "
    "out[" I "] = p.x * 10 + p.y + q.x; }",
    { 47, 47, 47, 47 } },
  { "shared-static",
    "__global__ void f (uint32_t *out, int n)\n{\n  __shared__ int a[32], b;\n  __shared__ struct { int low; } c;\n"
    "  a[threadIdx.x] = threadIdx.x;\n  if (threadIdx.x == 0) { b = 100; c.low = 5; }\n  __syncthreads ();\n"
    "  out[" I "] = a[(threadIdx.x + 1) % 32] + b + c.low;\n}",
    { 106, 107, 108, 109 } },
  { "shared-in-callee",
    "__device__ int turn (int v)\n{\n  __shared__ int a[32];\n  a[threadIdx.x] = v;\n  __syncthreads ();\n"
    "  return a[threadIdx.x ^ 1];\n}\n__global__ void f (uint32_t *out, int n)\n{\n  __shared__ int own[32];\n"
    "  own[threadIdx.x] = 50;\n  out[" I "] = turn (threadIdx.x) + own[threadIdx.x];\n}",
    { 51, 50, 53, 52 } },
  { "shared-dynamic",
    "extern __shared__ int room[];\n__global__ void f (uint32_t *out, int n)\n{\n  room[threadIdx.x] = threadIdx.x;\n"
    "  __syncthreads ();\n  out[" I "] = room[31 - threadIdx.x];\n}",
    { 31, 30, 29, 28 } },
  { "warp",
    "__global__ void f (uint32_t *out, int n)\n{\n  int v = __shfl_down_sync (0xffffffffu, threadIdx.x, 2);\n"
    "  unsigned odd = __ballot_sync (0xffffffffu, threadIdx.x & 1);\n  out[" I
    "] = v + (odd == 0xaaaaaaaau ? 100 : 0);\n}",
    { 102, 103, 104, 105 } },
  { "atomics",
    "__device__ unsigned int total;\n__global__ void f (uint32_t *out, int n)\n{\n  __shared__ unsigned int here;\n"
    "  if (threadIdx.x == 0) here = 0;\n  __syncthreads ();\n  atomicAdd (&here, 2u);\n  __syncthreads ();\n"
    "  out[" I "] = here;\n}",
    { 64, 64, 64, 64 } },
  { "grid-for", "__global__ void f (uint32_t *out, int n) { GRID_FOR (i, n) out[i] = i + 1; }", { 1, 2, 3, 4 } },
  { "grid-for-nested-names",
    "__global__ void f (uint32_t *out, int n) { GRID_FOR (k, (uint64_t) n * 2) { int k2 = k; GRID_FOR (k, 0) out[99] = "
    "1; "
    "out[k2] = 5; } }",
    { 5, 5, 5, 5 } },
  { "stride-loop",
    "__global__ void f (uint32_t *out, int n) { for (int i = " I
    "; i < n * 100; i += blockDim.x * gridDim.x) out[i] = i * 2; }",
    { 0, 2, 4, 6 } },
  { "standard-includes",
    "#include <stdint.h>\n#include <stddef.h>\n#include <math.h>\n#include <float.h>\n#include <limits.h>\n"
    "#include <cuda_runtime.h>\n__global__ void f (uint32_t *out, int n) { out[" I
    "] = (FLT_MAX > 1) + (INT_MAX > 1) + (int) sqrtf (4.0f); }",
    { 4, 4, 4, 4 } },
  { "early-return-and-barrier",
    "__global__ void f (uint32_t *out, int n)\n{\n  if (blockIdx.x == 1) return;\n  __syncthreads ();\n"
    "  out[threadIdx.x] = 3;\n}",
    { 3, 3, 3, 3 } },
};

static void
test_kernel_run_case (gconstpointer data)
{
  static const KernelShape shape = { { 2, 1, 1 }, { 32, 1, 1 }, 128 };
  guint index = GPOINTER_TO_UINT (data);
  KernelHarness kernels;

  if (!kernel_harness_init_text (&kernels, "case.cu", run_cases[index].text))
    return;
  /* Twice: device variables and shared memory are found again as they should be. */
  for (guint round = 0; round < 2; round++)
    {
      const guint32 *out = kernel_harness_run (&kernels, "f", &shape, 10);

      for (guint i = 0; i < 4; i++)
        g_assert_cmpuint (out[i], ==, run_cases[index].expected[i]);
    }
  kernel_harness_clear (&kernels);
}

static void
test_kernel_run_several (void)
{
  static const KernelShape shape = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
  KernelHarness kernels;

  if (!kernel_harness_init_text (
        &kernels, "several.cu",
        "__device__ int both (int v) { return v * 2; }\n"
        "__global__ void first (uint32_t *out, int n) { out[threadIdx.x] = both (n); }\n"
        "__global__ void second (uint32_t *out, int n) { out[threadIdx.x] = both (n) + 1; }\n"))
    return;
  g_assert_cmpuint (kernel_harness_run (&kernels, "first", &shape, 4)[31], ==, 8);
  g_assert_cmpuint (kernel_harness_run (&kernels, "second", &shape, 4)[31], ==, 9);
  kernel_harness_clear (&kernels);
}

/* The wrapper takes a count as a value, or as the address of a count of rows and how many items a row has; more rows
 * than there may be are cut and told. */
static void
test_kernel_run_wrapper (void)
{
  static const KernelShape shape = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
  g_autofree char *symbol = leat_image_dup_symbol ("f");
  g_autoptr (LeatMemory) count = NULL;
  KernelHarness kernels;
  CUdeviceptr where = 0, over = 0, in;
  guint64 value = 7, most = 12;
  gpointer rest[] = { &in, &where, &value, &most, &over, NULL };
  guint64 *cells;

  if (!kernel_harness_init_text (
        &kernels, "count.cu",
        "__global__ void f (uint32_t *out, const int *in, int in_count) { out[threadIdx.x] = in_count; }"))
    return;
  count = leat_memory_new (kernels.device, LEAT_MEMORY_PINNED, 2 * sizeof *cells, "a count", NULL);
  cells = leat_memory_get_host (count);
  cells[0] = 12;
  cells[1] = 0;
  in = leat_memory_get_address (count);
  g_assert_cmpuint (kernel_harness_launch (&kernels, symbol, &shape, rest)[31], ==, 7);
  where = leat_memory_get_address (count);
  g_assert_cmpuint (kernel_harness_launch (&kernels, symbol, &shape, rest)[31], ==, 12 * 7);
  over = where + sizeof *cells;
  g_assert_cmpuint (kernel_harness_launch (&kernels, symbol, &shape, rest)[31], ==, 12 * 7);
  g_assert_cmpuint (cells[1], ==, 0);
  cells[0] = G_GUINT64_CONSTANT (1) << 63; /* which no sum or product may wrap */
  g_assert_cmpuint (kernel_harness_launch (&kernels, symbol, &shape, rest)[31], ==, 12 * 7);
  g_assert_cmpuint (cells[1], ==, G_GUINT64_CONSTANT (1) << 63);
  over = 0;
  g_assert_cmpuint (kernel_harness_launch (&kernels, symbol, &shape, rest)[31], ==, 12 * 7);
  g_clear_pointer (&count, leat_memory_free);
  kernel_harness_clear (&kernels);
}

/* The variant says that it ran; a GPU, and a CPU driver told to, run the kernel. */
static void
test_kernel_run_variant (void)
{
  static const KernelShape shape = { { 3, 1, 1 }, { 32, 1, 1 }, 0 };
  gboolean wanted = g_strcmp0 (g_getenv ("LEAT_CPU_VARIANTS"), "0") != 0;
  KernelHarness kernels;
  const guint32 *out;

  if (!kernel_harness_init_text (
        &kernels, "variant.cu",
        "#define ADD 1\n__device__ int more (int v) { return v + ADD; }\n"
        "__global__ void f (uint32_t *out, int n) { out[blockIdx.x * blockDim.x + threadIdx.x] = more (n); }\n"
        "LEAT_HOST_VARIANT void\nf (uint32_t *out, int n)\n{\n"
        "  for (unsigned int t = 0; t < blockDim.x; t++)\n    out[blockIdx.x * blockDim.x + t] = more (n) + 100;\n}\n"))
    return;
  wanted = wanted && leat_device_is_cpu (kernels.device);
  out = kernel_harness_run (&kernels, "f", &shape, 4);
  for (guint i = 0; i < 96; i++)
    g_assert_cmpuint (out[i], ==, wanted ? 105 : 5);
  g_assert_cmpuint (out[96], ==, 0);
  kernel_harness_clear (&kernels);
}

static const guint32 *
test_kernel_run_of (KernelHarness *kernels, const char *entry)
{
  static const KernelShape shape = { { 2, 1, 1 }, { 32, 1, 1 }, 0 };

  return kernel_harness_run (kernels, entry, &shape, 4);
}

/* What is made for a CPU that runs variants has of such kernels nothing else, and of others all. */
static void
test_kernel_run_whole (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new (
    "whole.cu",
    "__global__ void f (uint32_t *out, int n) { __syncthreads (); out[blockIdx.x * 32 + threadIdx.x] = n; }\n"
    "__global__ void g (uint32_t *out, int n) { __syncthreads (); out[blockIdx.x * 32 + threadIdx.x] = n + 1; }\n"
    "LEAT_HOST_VARIANT void\nf (uint32_t *out, int n)\n{\n"
    "  for (unsigned int t = 0; t < 32; t++)\n    out[blockIdx.x * 32 + t] = n + 100;\n}\n",
    &error);
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;
  KernelHarness kernels;

  g_assert_no_error (error);
  g_assert_true (leat_kernel_source_has_variants (source));
  if (!kernel_harness_init (&kernels, source))
    return;
  target = kernel_harness_get_target (kernels.device);
  target.whole = leat_device_is_cpu (kernels.device);
  image = leat_image_compile (source, &target, &error);
  g_assert_no_error (error);
  g_clear_pointer (&kernels.module, leat_module_unref);
  kernels.module = leat_module_load (kernels.device, image, "whole.cu", &error);
  if (target.whole && !leat_image_host_runs_variants ())
    {
      g_assert_nonnull (error);
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "CUDA_ERROR_NO_BINARY_FOR_GPU"));
    }
  else
    {
      g_assert_no_error (error);
      g_assert_cmpuint (test_kernel_run_of (&kernels, "f")[63], ==, target.whole ? 104 : 4);
      g_assert_cmpuint (test_kernel_run_of (&kernels, "g")[63], ==, 5);
    }
  kernel_harness_clear (&kernels);
}

/* A driver knows what a kernel is compiled for, by its own name and by its wrapper's. */
static void
test_kernel_run_bounds (void)
{
  static const char *const names[] = { "f", "leat_wrap_f", "g" };
  static const guint most[] = { 64, 64, 0 };
  g_autoptr (GError) error = NULL;
  KernelHarness kernels;

  if (!kernel_harness_init_text (
        &kernels, "bounds.cu",
        "constexpr int N = sizeof (double);\n"
        "__global__ void __launch_bounds__ (N * 8, 1) f (uint32_t *out, int n) { out[threadIdx.x] = n; }\n"
        "__global__ void g (uint32_t *out, int n) { out[threadIdx.x] = n; }\n"))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const LeatFunction *function = leat_module_get_function (kernels.module, names[i], &error);

      g_assert_no_error (error);
      if (most[i] > 0)
        g_assert_cmpuint (function->max_threads_per_block, ==, most[i]);
      else
        g_assert_cmpuint (function->max_threads_per_block, >, 64);
    }
  kernel_harness_clear (&kernels);
}

/* Why an image does not load is what the loader says. */
static void
test_kernel_run_unresolved (void)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source =
    leat_kernel_source_new ("unresolved.cu",
                            "__global__ void f (uint32_t *out, int n) { out[n] = 1; }\n"
                            "LEAT_HOST_VARIANT void f (uint32_t *out, int n) { out[n] = 1;\n"
                            "  asm volatile (\".pushsection .data\\n.8byte nowhere_else\\n.popsection\"); }",
                            &error);
  g_autoptr (GBytes) image = NULL;
  g_autoptr (LeatKernelSource) plain = leat_kernel_source_new ("plain.cu", run_cases[0].text, NULL);
  LeatImageTarget target;
  KernelHarness kernels;

  g_assert_no_error (error);
  if (!kernel_harness_init (&kernels, plain))
    return;
  target = kernel_harness_get_target (kernels.device);
  if (!leat_device_is_cpu (kernels.device))
    g_test_skip ("the text is a CPU's");
  else
    {
      image = leat_image_compile (source, &target, &error);
      g_assert_no_error (error);
      g_assert_null (leat_module_load (kernels.device, image, "unresolved.cu", &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, "CUDA_ERROR_SHARED_OBJECT_INIT_FAILED"));
      g_assert_nonnull (strstr (error->message, "undefined symbol: nowhere_else"));
    }
  kernel_harness_clear (&kernels);
}

static void
test_kernel_run_includes (void)
{
  static const KernelShape shape = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
  g_autofree char *folder = g_dir_make_tmp ("leat-kernel-XXXXXX", NULL);
  g_autofree char *path = g_build_filename (folder, "a.cu", NULL), *inner = g_build_filename (folder, "part", NULL);
  g_autofree char *header = g_build_filename (inner, "add.cuh", NULL),
                  *beside = g_build_filename (inner, "one.h", NULL);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = NULL;
  KernelHarness kernels;

  g_assert_cmpint (g_mkdir (inner, 0700), ==, 0);
  g_assert_true (g_file_set_contents (beside, "#pragma once\n#define ONE 1\n", -1, NULL));
  g_assert_true (g_file_set_contents (
    header, "#pragma once\n#include \"one.h\"\n__device__ int add (int v) { return v + ONE; }\n", -1, NULL));
  g_assert_true (g_file_set_contents (path,
                                      "#include \"part/add.cuh\"\n#include \"part/one.h\"\n__global__ void f (uint32_t "
                                      "*out, int n) { out[threadIdx.x] = add (n); }\n",
                                      -1, NULL));
  source = leat_kernel_source_new_from_file (path, &error);
  g_assert_no_error (error);
  g_unlink (header);
  g_unlink (beside);
  g_unlink (path);
  g_rmdir (inner);
  g_rmdir (folder);
  if (!kernel_harness_init (&kernels, source))
    return;
  g_assert_cmpuint (kernel_harness_run (&kernels, "f", &shape, 4)[0], ==, 5);
  kernel_harness_clear (&kernels);
}

/* Products and sums are rounded one by one, unless asked otherwise. */
static void
test_kernel_run_strict (void)
{
  static const KernelShape shape = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
  float a = 1.0f + 0x1p-12f, b = 1.0f + 0x1p-12f, c = -1.0f;
  volatile float product = a * b;
  union
  {
    float f;
    guint32 u;
  } strict = { product + c };
  gpointer rest[] = { &a, &b, &c, NULL };
  KernelHarness kernels;

  if (!kernel_harness_init_text (&kernels, "strict.cu",
                                 "__global__ void f (uint32_t *out, float a, float b, float c) { out[threadIdx.x] = "
                                 "__float_as_uint (a * b + c); "
                                 "}"))
    return;
  g_assert_cmpuint (kernel_harness_launch (&kernels, "f", &shape, rest)[0], ==, strict.u);
  kernel_harness_clear (&kernels);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (run_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/kernel/run/", run_cases[i].what, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_kernel_run_case);
    }
  g_test_add_func ("/leat/kernel/run/several-kernels", test_kernel_run_several);
  g_test_add_func ("/leat/kernel/run/wrapper-takes-counts", test_kernel_run_wrapper);
  g_test_add_func ("/leat/kernel/run/host-variant", test_kernel_run_variant);
  g_test_add_func ("/leat/kernel/run/whole-variants", test_kernel_run_whole);
  g_test_add_func ("/leat/kernel/run/launch-bounds", test_kernel_run_bounds);
  g_test_add_func ("/leat/kernel/run/unresolved", test_kernel_run_unresolved);
  g_test_add_func ("/leat/kernel/run/includes-beside", test_kernel_run_includes);
  g_test_add_func ("/leat/kernel/run/strict", test_kernel_run_strict);
  return g_test_run ();
}
