/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-harness.h"

#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* What `__shared__` variables are one, told by running: each text has a kernel `f (uint32_t *out, int n)`, which 32
 * threads of one block run with n = 10. */

#define T            "threadIdx.x"
#define STORE        "a[" T "] = " T "; b[" T "] = 100 + " T "; __syncthreads (); out[" T "] = a[31 - " T "]; "
#define KERNEL(body) "__global__ void f (uint32_t *out, int n) { " body " }"

static const struct
{
  const char *what;
  const char *text;
  guint32 first; /* out[i] is this less i */
} shared_cases[] = {
  { "values",
    "template <int N> __device__ int *room () { __shared__ int s[32]; return s; }\n" //
    KERNEL ("int *a = room<0> (), *b = room<1> (); " STORE),
    31 },
  { "types",
    "struct low { }; struct high { };\n"
    "template <class K> __device__ int *room () { __shared__ int s[32]; return s; }\n" //
    KERNEL ("int *a = room<low> (), *b = room<high> (); " STORE),
    31 },
  { "same-instance",
    "template <int N> __device__ int *room () { __shared__ int s[32]; return s; }\n" //
    KERNEL ("int *a = room<2> (), *b = room<1 + 1> (); " STORE),
    131 },
  { "no-template",
    "__device__ int *room () { __shared__ int s[32]; return s; }\n" //
    KERNEL ("int *a = room (), *b = room (); " STORE),
    131 },
  { "overloads",
    "__device__ int *room (int) { __shared__ int s[32]; return s; }\n"
    "__device__ int *room (float) { __shared__ int s[32]; return s; }\n" //
    KERNEL ("int *a = room (1), *b = room (1.0f); " STORE),
    31 },
  { "nested",
    "template <int N> __device__ int *inner () { __shared__ int s[32]; return s; }\n"
    "template <int N> __device__ int *outer () { return inner<N * 2> (); }\n" //
    KERNEL ("int *a = outer<1> (), *b = outer<2> (); " STORE),
    31 },
  { "sizes",
    "template <int N> __device__ int *room () { __shared__ int s[N]; return s; }\n" //
    KERNEL ("int *a = room<32> (), *b = room<64> (), *c = room<33> (); c[32] = 9; b[63] = 8; " STORE),
    31 },
  { "several-of-one-declaration",
    "template <int N> __device__ int *room (int which) { __shared__ int s[32], t[32]; return which ? s : t; }\n" //
    KERNEL ("int *a = room<0> (1), *b = room<1> (1); room<0> (0)[" T "] = 7; room<1> (0)[" T "] = 8; " STORE),
    31 },
  { "functions",
    "struct one { __device__ int operator() () const { return 1; } };\n"
    "template <class F> __device__ int *room (F f) { __shared__ int s[32]; if (f () < 0) s[0] = 1; return s; }\n" //
    KERNEL ("int *a = room (one ()), *b = room ([] () { return 2; }); " STORE),
    31 },
  { "lambdas-of-one-form",
    "template <class F> __device__ int *room (F f) { __shared__ int s[32]; if (f () < 0) s[0] = 1; return s; }\n" //
    KERNEL ("int *a = room ([] () { return 1; }), *b = room ([] () { return 1; }); " STORE),
    31 },
  { "in-a-generic-lambda",
    KERNEL ("auto room = [&] (auto v) { __shared__ int s[32]; if (v < 0) s[0] = 1; return &s[0]; };\n"
            "int *a = room (1), *b = room (1.0f); " STORE),
    31 },
  { "blocks-of-one-function",
    KERNEL ("int *a, *b; { __shared__ int s[32]; a = s; } { __shared__ int s[32]; b = s; } " STORE), 31 },
  { "file-scope",
    "__shared__ int s[32];\ntemplate <int N> __device__ int *room () { return s; }\n" //
    KERNEL ("int *a = room<0> (), *b = room<1> (); " STORE),
    131 },
};

static void
test_kernel_shared_case (gconstpointer data)
{
  static const KernelShape shape = { { 1, 1, 1 }, { 32, 1, 1 }, 0 };
  guint index = GPOINTER_TO_UINT (data);
  KernelHarness kernels;
  const guint32 *out;

  if (!kernel_harness_init_text (&kernels, "case.cu", shared_cases[index].text))
    return;
  out = kernel_harness_run (&kernels, "f", &shape, 10);
  for (guint i = 0; i < 32; i++)
    g_assert_cmpuint (out[i], ==, shared_cases[index].first - i);
  kernel_harness_clear (&kernels);
}

/* What a kernel is said to take is what its instances take together. */
static void
test_kernel_shared_total (void)
{
  g_autoptr (GError) error = NULL;
  const LeatFunction *function;
  KernelHarness kernels;

  if (!kernel_harness_init_text (
        &kernels, "total.cu",
        "template <int N> __device__ volatile int *room () { __shared__ volatile int s[N]; return s; }\n"
        "__global__ void f (uint32_t *out, int n)\n{\n"
        "  room<64> ()[n] = 1;\n  room<128> ()[n] = 2;\n  __syncthreads ();\n"
        "  out[threadIdx.x] = room<64> ()[9] + room<128> ()[9];\n}\n"))
    return;
  function = leat_module_get_function (kernels.module, "f", &error);
  g_assert_no_error (error);
  g_assert_cmpuint (function->static_shared_bytes, ==, (64 + 128) * sizeof (int));
  kernel_harness_clear (&kernels);
}

static void
test_kernel_shared_refused (void)
{
  static const char *const rows[][2] = {
    { "__shared__ int s = 3;", "t.cu:2:16: shared memory cannot have an initialiser; write \"s\" in the kernel" },
    { "__shared__ int s[2] = { 1, 2 };", "t.cu:2:16: shared memory cannot have an initialiser" },
    { "__shared__ int a, s[2] = { 1, 2 };", "t.cu:2:19: shared memory cannot have an initialiser" },
    { "__shared__ int a, *;", "t.cu:2:19: expected the name of a shared variable" },
    { "= w __shared__ int s[2];", "t.cu:2:1: expected the name of a shared variable" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void k (int *x) {\n%s }\n", rows[i][0]);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);

      g_assert_no_error (error);
      g_assert_null (leat_kernel_source_get_host_text (source, &error));
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX);
      if (strstr (error->message, rows[i][1]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][1]);
    }
}

#define BESIDE(bytes)                                                                                                  \
  "__global__ void f" #bytes " (uint32_t *out, int n)\n{\n"                                                            \
  "  __shared__ volatile unsigned char s[" #bytes "];\n"                                                               \
  "  uint32_t wrong = 0;\n"                                                                                            \
  "  for (int i = threadIdx.x; i < " #bytes "; i += 32) s[i] = (unsigned char) (i + 3);\n"                             \
  "  for (int i = threadIdx.x; i < n; i += 32) d[i] = 0xf0000000u + i;\n"                                              \
  "  __syncthreads ();\n"                                                                                              \
  "  for (int i = 0; i < " #bytes "; i++) wrong += s[i] != (unsigned char) (i + 3);\n"                                 \
  "  for (int i = 0; i < n; i++) wrong += d[i] != 0xf0000000u + i;\n"                                                  \
  "  out[blockIdx.x * 32 + threadIdx.x] = wrong + 1;\n}\n"

/* A kernel's own shared memory, of any size, and what a launch adds to it (the n words) lie side by side. */
static void
test_kernel_shared_beside_launch (void)
{
  static const char *const symbols[] = { "f1", "f15", "f16", "f17", "f20", "f33", "f113", "f127" };
  KernelHarness kernels;

  if (!kernel_harness_init_text (&kernels, "beside.cu",
                                 "extern __shared__ uint32_t d[];\n" BESIDE (1) BESIDE (15) BESIDE (16) BESIDE (17)
                                   BESIDE (20) BESIDE (33) BESIDE (113) BESIDE (127)))
    return;
  for (guint i = 0; i < G_N_ELEMENTS (symbols); i++)
    for (guint words = 1; words <= 97; words += 8)
      {
        const KernelShape shape = { { 3, 1, 1 }, { 32, 1, 1 }, words * 4 };
        const guint32 *out = kernel_harness_run (&kernels, symbols[i], &shape, words);

        for (guint t = 0; t < 96; t++)
          g_assert_cmpuint (out[t], ==, 1);
      }
  kernel_harness_clear (&kernels);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (shared_cases); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/kernel/shared/", shared_cases[i].what, NULL);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_kernel_shared_case);
    }
  g_test_add_func ("/leat/kernel/shared/refused", test_kernel_shared_refused);
  g_test_add_func ("/leat/kernel/shared/total", test_kernel_shared_total);
  g_test_add_func ("/leat/kernel/shared/beside-launch", test_kernel_shared_beside_launch);
  return g_test_run ();
}
