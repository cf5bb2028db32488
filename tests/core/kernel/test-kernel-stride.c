/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-harness.h"

#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* Grid-stride loops on the CPU: one that is taken for a loop over items in any order has the results that it has with
 * its stride.  Each body is compiled twice, once with its loop (LOOP) in a form that nobody takes for such, and 8
 * threads in two blocks run both with n = 100. */

#define LOOP   "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)"
#define OPAQUE "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i = i + blockDim.x * gridDim.x)"
#define TOP    "for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < "
#define STEP   "; i += blockDim.x * gridDim.x)"
#define ME     "blockIdx.x * blockDim.x + threadIdx.x"

static const char stride_prelude[] =
  "struct Count { int n; __device__ Count (int v = 0) : n (v) {} __device__ void add (int v) { n += v; }\n"
  "  __device__ int next () { return ++n; } __device__ int &operator[] (int) { return n; }\n"
  "  __device__ void operator() (int v) { n += v; } __device__ Count &operator<< (int v) { n += v; return *this; } };\n"
  "template <class T> struct Sum { T n; __device__ Sum (T v) : n (v) {} __device__ void add (T v) { n += v; } };\n"
  "struct Acc { int v[4]; int n; };\n"
  "struct Ref { int &n; };\n"
  "struct Mix { int k; __device__ void into (int &to, int v) const { to += v * k; } };\n"
  "struct Put { int &to; __device__ Put (int &where) : to (where) {} __device__ void add (int v) { to += v; } };\n"
  "template <class T> struct PutAny { T &to; __device__ PutAny (T &where) : to (where) {} "
  "__device__ void add (T v) { to += v; } };\n"
  "typedef int &other_name; using another_name = int &;\n"
  "template <class T> using name_of = T &;\n"
  "struct Pair { int a, b; };\n"
  "__device__ Count make () { Count c; c.n = 0; return c; }\n"
  "__device__ void bump (int &to, int v) { to += v; }\n"
  "template <class T> __device__ void bump_any (T &&to, int v) { to += v; }\n"
  "__device__ void bump_named (other_name to, int v) { to += v; }\n"
  "template <class T> __device__ void bump_as (T to, int v) { to += v; }\n"
  "template <class T> __device__ void bump_kept (T kept, int v) { kept.n += v; }\n"
  "template <class T> __device__ void bump_of (name_of<T> to, int v) { to += v; }\n"
  "__device__ void bump_at (int *to, int v) { *to += v; }\n"
  "__device__ int twice (int v) { return 2 * v; }\n"
  "__device__ int sum_of (Pair p) { return p.a + p.b; }\n"
  "__device__ int mine () { return threadIdx.x; }\n"
  "__device__ int *table () { __shared__ int t[4]; return t; }\n"
  "template <class F> __device__ void apply (F f, int v) { f (v); }\n"
  "__device__ int count_of_file, other_of_file;\n"
  "__device__ void note (int v) { atomicAdd (&count_of_file, v); }\n"
  "__shared__ int shared_of_file[4];\n"
  "__constant__ int weights[4] = { 1, 2, 3, 4 };\n"
  "typedef int whole; enum { THREE = 3 };\n";

/* Something tells which thread has which item. */
static const char *const kept[] = {
  "int s = 0; LOOP s += i; y[" ME "] = s;",
  "Count c = make (); LOOP c.add (i); y[" ME "] = c.n;",
  "Count c (0); LOOP c.add (i); y[" ME "] = c.n;",
  "Count c { 0 }; LOOP c.add (i); y[" ME "] = c.n;",
  "Count c; LOOP c.add (i); y[" ME "] = c.n;",
  "Count a (0), c (0); LOOP c.add (i); y[" ME "] = c.n + a.n;",
  "Sum<int> c (0); LOOP c.add (i); y[" ME "] = c.n;",
  "auto c = make (); LOOP c.add (i); y[" ME "] = c.n;",
  "auto c = Sum<int> (0); LOOP c.add (i); y[" ME "] = c.n;",
  "Count c = make (); LOOP y[i] = c.next ();",
  "Count c = make (); LOOP c[0] += i; y[" ME "] = c.n;",
  "Count c = make (); LOOP ++c[0]; y[" ME "] = c.n;",
  "Count c = make (); LOOP c (i); y[" ME "] = c.n;",
  "Count c = make (); LOOP c << i; y[" ME "] = c.n;",
  "Count cs[2] = { Count (0), Count (0) }; LOOP cs[i % 2].add (i); y[" ME "] = cs[1].n;",
  "Count c = make (); Count *p = &c; LOOP p->add (i); y[" ME "] = c.n;",
  "Count c = make (); auto &r = c; LOOP r.add (i); y[" ME "] = c.n;",
  "int s = 0; int &r = s; LOOP r += i; y[" ME "] = s;",
  "int s = 0; LOOP { int &r = s; r += i; } y[" ME "] = s;",
  "int s = 0; LOOP { auto &&r = s; r += i; } y[" ME "] = s;",
  "int s = 0; LOOP { int &r (s); r += i; } y[" ME "] = s;",
  "int s = 0; LOOP { int (&r) = s; r += i; } y[" ME "] = s;",
  "int s = 0; LOOP { Ref r { s }; r.n += i; } y[" ME "] = s;",
  "int s = 0; LOOP { Put p (s); p.add (i); } y[" ME "] = s;",
  "int s = 0; LOOP { int *p = &s; *p += i; } y[" ME "] = s;",
  "int s = 0; int *p = &s; LOOP *p += i; y[" ME "] = s;",
  "int s = 0; int *p = &s; LOOP ++p[0]; y[" ME "] = s;",
  "int s = 0; LOOP bump (s, i); y[" ME "] = s;",
  "int s = 0; LOOP bump_any (s, i); y[" ME "] = s;",
  "int s = 0; LOOP bump_at (&s, i); y[" ME "] = s;",
  "int s = 0; Mix m = { 2 }; LOOP m.into (s, i); y[" ME "] = s;",
  "int s = 0; LOOP { Mix m = { 2 }; m.into (s, i); } y[" ME "] = s;",
  "int s = 0; LOOP { { int s = 1; y[99] = s; } s += i; } y[" ME "] = s;",
  "int s = 0; LOOP { int k = i; s = k > s ? k : s; } y[" ME "] = s;",
  "int s = 0; auto add = [&] (int v) { s += v; }; LOOP add (i); y[" ME "] = s;",
  "int s = 0; auto add = [&s] (int v) { s += v; }; LOOP add (i); y[" ME "] = s;",
  "int s = 0; auto add = [&] (int v) { s += v; }; LOOP apply (add, i); y[" ME "] = s;",
  "int s = 0; auto next = [s] () mutable { return ++s; }; LOOP y[i] = next ();",
  "int s = 0; int *p = &s; auto add = [=] (int v) { *p += v; }; LOOP add (i); y[" ME "] = s;",
  "int s = 0; LOOP { auto add = [&] (int v) { s += v; }; add (i); } y[" ME "] = s;",
  "int a[4] = { 0 }; LOOP a[i % 4] += i; y[" ME "] = a[1];",
  "int a[4] = { 0 }; int *p = a; LOOP p[i % 4] += i; y[" ME "] = a[1];",
  "int a[4] = { 0 }; LOOP ++a[i % 4]; y[" ME "] = a[1];",
  "int a[4] = { 0 }; int *p = a; LOOP --p[i % 4]; y[" ME "] = a[1];",
  "int a[4] = { 0 }; LOOP bump_at (a, i); y[" ME "] = a[0];",
  "int a[2][2] = { { 0 } }; LOOP a[0][i % 2] += i; y[" ME "] = a[0][1];",
  "Acc a = { { 0 }, 0 }; LOOP a.v[i % 4] += i; y[" ME "] = a.v[1];",
  "Acc a = { { 0 }, 0 }; LOOP a.n++; y[" ME "] = a.n;",
  "auto [a, b] = Pair { 0, 1 }; LOOP a += i; y[" ME "] = a + b;",
  "int4 v = make_int4 (0, 0, 0, 0); LOOP v.y += i; y[" ME "] = v.y;",
  "int last = -1; LOOP { y[i] = last; last = i; }",
  /* In brackets, as macros write it. */
  "int s = 0; LOOP (s) += i; y[" ME "] = s;",
  "int s = 0; LOOP y[i] = ++((s));",
  "int s = 0; LOOP y[i] = 3 * (s)++;",
  "int s = 0, t = 0; LOOP (i % 16 > 7 ? s : t) += i; y[" ME "] = s - t;",
  "int s = 0; LOOP { int *p = &(s); *p += i; } y[" ME "] = s;",
  "int s = 0; LOOP *(unsigned *) &s += i; y[" ME "] = s;",
  "int4 v = make_int4 (0, 0, 0, 0); LOOP (v).y += i; y[" ME "] = v.y;",
  "int p = 1, q = 2; LOOP { y[i] = p; do { int t = (p); (p) = (q); (q) = t; } while (0); }",
  /* Another name that does not look like one. */
  "int s = 0; LOOP bump_named (s, i); y[" ME "] = s;",
  "int s = 0; LOOP bump_of<int> (s, i); y[" ME "] = s;",
  "int s = 0; LOOP bump_as<int &> (s, i); y[" ME "] = s;",
  "int s = 0; LOOP { another_name r = s; r += i; } y[" ME "] = s;",
  "int s = 0; another_name r = s; LOOP r += i; y[" ME "] = s;",
  "int s = 0; LOOP { decltype (auto) r = (s); r += i; } y[" ME "] = s;",
  "int s = 0; decltype ((s)) r = s; LOOP r += i; y[" ME "] = s;",
  "int s = 0; LOOP (unsigned &) s += i; y[" ME "] = s;",
  "int s = 0; LOOP static_cast<int &> (s) += i; y[" ME "] = s;",
  "int s = 0; Ref r = { s }; LOOP bump_kept (r, i); y[" ME "] = s;",
  "int s = 0; LOOP { PutAny<int> p (s); p.add (i); } y[" ME "] = s;",
  /* Declared in other ways. */
  "int (s) = 0; LOOP s += i; y[" ME "] = s;",
  "int (s) = threadIdx.x; LOOP y[i] = s;",
  "int LETTER = threadIdx.x; LOOP y[i] = LETTER;",
  "int s __attribute__ ((aligned (16))) = 0; LOOP s += i; y[" ME "] = s;",
  "decltype (n) s = 0; LOOP s += i; y[" ME "] = s;",
  "decltype (n) s = threadIdx.x; LOOP y[i] = s;",
  "enum { FIRST, LATER } s = FIRST; LOOP { y[i] = s; s = LATER; }",
  "struct { int a, b; } s = { 0, 0 }; LOOP s.b += i; y[" ME "] = s.b;",
  "bool first = true; LOOP { y[i] = first; first = false; }",
  "__shared__ int s[4]; if (threadIdx.x == 0) s[1] = 0; __syncthreads (); LOOP atomicAdd (&s[1], i); __syncthreads (); "
  "y[" ME "] = s[1];",
  "__shared__ int s[4]; s[threadIdx.x] = blockIdx.x; __syncthreads (); LOOP y[i] = s[i % 4];",
  "__shared__ int s[4]; int *p = s; s[threadIdx.x] = blockIdx.x; __syncthreads (); LOOP y[i] = p[i % 4];",
  "__shared__ int s; if (threadIdx.x == 0) s = blockIdx.x; __syncthreads (); LOOP y[i] = s;",
  "__shared__ int s; if (threadIdx.x == 0) s = blockIdx.x; __syncthreads (); int k = s; LOOP y[i] = k;",
  "__shared__ int s; if (threadIdx.x == 0) s = 50 * blockIdx.x; __syncthreads (); " TOP "s" STEP " y[i] = blockIdx.x;",
  "shared_of_file[threadIdx.x] = blockIdx.x; __syncthreads (); LOOP y[i] = shared_of_file[1];",
  "table ()[threadIdx.x] = blockIdx.x; __syncthreads (); LOOP y[i] = table ()[1];",
  "int *t = table (); t[threadIdx.x] = blockIdx.x; __syncthreads (); LOOP y[i] = t[1];",
  "extern __shared__ int d[]; d[threadIdx.x] = blockIdx.x; __syncthreads (); LOOP y[i] = d[1];",
  "LOOP y[i] = threadIdx.x;",
  "LOOP y[i] = mine ();",
  "int t = threadIdx.x; LOOP y[i] = t;",
  "int *row = y + 200 * blockIdx.x; LOOP row[i] = 1;",
  /* A thread looks for what it has left in memory itself. */
  "y[" ME "] = 5; LOOP y[i] += 1;",
  "LOOP y[i] = i + 1; int t = " ME "; y[t + 200] = y[t] + y[t + 88];",
  "LOOP y[i] = i + 1; " TOP "n - 30" STEP " y[i + 200] = y[i];",
  "LOOP y[i] = i + 1; { int *z = y + 200; " TOP "n - 30" STEP " z[i] = y[i]; }",
  "int *z = y; LOOP z[i] = i + 1; " TOP "n - 30" STEP " y[i + 200] = y[i];",
  "LOOP { int before = i >= 8 ? y[i - blockDim.x * gridDim.x] : 0; y[i] = before + i; }",
  "LOOP other_of_file = i; y[200] = 1; if (other_of_file < 0) y[200] = 2;",
};

/* Nothing does. */
static const char *const taken[] = {
  "LOOP y[i] = i * 2;",
  "float f = 1.5f, g = f * 2; LOOP y[i] = (int) (f * i + g);",
  "int k = n / 2; LOOP { int v = i + k; if (v > 70) continue; y[i] = v; }",
  "LOOP { int s = 0; for (int k = 0; k < 4; k++) { if (k == 3) break; s += k * i; } y[i] = s; }",
  "LOOP { Count c (i); c.add (1); y[i] = c.n; }",
  "LOOP { int s = 0; int *p = &s; *p += i; bump_at (&s, 1); y[i] = s; }",
  "LOOP { int a[4] = { 0 }; a[i % 4] = i; y[i] = a[1]; }",
  "LOOP { int &to = y[i]; to = i; }",
  "LOOP { const int &from = x[i]; y[i] = from + 1; }",
  "LOOP y[i] = twice (i) + weights[i % 4];",
  "const int low[4] = { 4, 3, 2, 1 }; LOOP y[i] = low[i % 4];",
  "constexpr int K = 3; LOOP y[i] = i * K;",
  "whole k = 3; LOOP y[i] = i * k;",
  "struct { int a, b; } k = { 1, 2 }; LOOP y[i] = i * k.b;",
  "struct both { int a, b; } k = { 1, 2 }; LOOP y[i] = i * k.b;",
  "int k = 3; LOOP y[i] = (7) & k;",
  "int k = 3; LOOP y[i] = twice (THREE) & k;",
  "int k = 3; LOOP y[i] = static_cast<int> (THREE) & k;",
  "auto k = n * 2; auto *p = x + 1; LOOP y[i] = p[i] + k;",
  "auto k = min (n, 3); LOOP y[i] = i * k;",
  "Pair p = { 1, 2 }; LOOP y[i] = sum_of (p) * i + p.a;",
  "int3 v = make_int3 (1, 2, 3); LOOP y[i] = v.x * i + v.z;",
  "auto half = [=] (int v) { return v / 2 + n; }; LOOP y[i] = half (i);",
  "int *z = y + 10; LOOP z[i] = x[i];",
  "LOOP atomicAdd (&y[i % 4], i);",
  "LOOP note (i); ",
  "LOOP { int k = i; y[i] = k; } LOOP { int k = i + 1; y[i + 200] = k; }",
  "LOOP y[i] = i; LOOP y[i] += 1;",
  "LOOP y[i] = x[i] + x[0];",
  "LOOP { int s = 0; (s) += i; y[(i)] = (s); }",
  "LOOP if (i % 3) *(y + i) = i;",
  "LOOP (*(y + i)) += i;",
  "LOOP y[i] = (i) & n;",
  "for (auto i = " ME "; i < n" STEP " y[i] = (i - 100u) >> 20;",
  TOP "n / 8.0f" STEP " y[i] = i + 1;", /* 12.5, which are 13 items */
  TOP "-0.5" STEP " y[i] = i + 1;",
  "float m = INFINITY; LOOP y[i] = (float) i < m ? (int) fminf (i, 40.0f) : INT_MAX;",
  "LOOP switch (i % 3) { case 0: y[i] = 1; break; case 1: y[i] = 2; break; default: y[i] = i; }",
  "LOOP { if (i % 2) y[i] = i; else y[i] = -i; }",
  /* What is asked in brackets does not change with what is behind them. */
  "int k = n / 2; LOOP if (i < k) ++y[i];",
  "int k = n / 2; LOOP while (y[i] < k) ++y[i];",
  "int k = n / 30; LOOP for (int j = 0; j < k; j++) --y[i];",
};

#define N_CASES (G_N_ELEMENTS (kept) + G_N_ELEMENTS (taken))

/* So many cases are one file: with all of them in one, clang takes twice as long. */
#define FILE_CASES 16

static const char *
stride_get_body (guint index)
{
  return index < G_N_ELEMENTS (kept) ? kept[index] : taken[index - G_N_ELEMENTS (kept)];
}

/* NVRTC takes no name with letters that are not of ASCII. */
static const char *
stride_get_letter (void)
{
  const char *device = g_getenv ("LEAT_DEVICE");

  return device == NULL || g_str_has_prefix (device, "cpu") ? "\316\273" : "letter";
}

static char *
stride_dup_kernel (guint index, const char *name, const char *loop, const char *step)
{
  g_autoptr (GString) body = g_string_new (stride_get_body (index));

  g_string_replace (body, "LOOP", loop, 0);
  g_string_replace (body, STEP, step, 0);
  g_string_replace (body, "LETTER", stride_get_letter (), 0);
  return g_strdup_printf (
    "__global__ void %s%u (uint32_t *out, int n)\n{ int *y = (int *) out; const int *x = (const int "
    "*) (out + 1000); %s }\n",
    name, index, body->str);
}

/* Of the cases from @first on. */
static LeatKernelSource *
stride_make_source (guint first)
{
  g_autoptr (GString) text = g_string_new (stride_prelude);
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source;

  for (guint i = first; i < MIN (first + FILE_CASES, N_CASES); i++)
    {
      g_autofree char *plain = stride_dup_kernel (i, "f", LOOP, STEP);
      g_autofree char *opaque = stride_dup_kernel (i, "g", OPAQUE, "; i = i + blockDim.x * gridDim.x)");

      g_string_append (text, plain);
      g_string_append (text, opaque);
    }
  source = leat_kernel_source_new ("stride.cu", text->str, &error);
  g_assert_no_error (error);
  return source;
}

static void
stride_check_told (LeatKernelSource *source, guint index)
{
  g_autofree char *plain = g_strdup_printf ("f%u", index), *opaque = g_strdup_printf ("g%u", index);
  g_auto (GStrv) of_plain = leat_kernel_source_list_entry_warnings (source, plain);
  g_auto (GStrv) of_opaque = leat_kernel_source_list_entry_warnings (source, opaque);
  gboolean told = of_plain[0] != NULL && strstr (of_plain[0], "ties the items of this grid-stride loop") != NULL;

  g_assert_null (of_opaque[0]);
  if (told != (index < G_N_ELEMENTS (kept)))
    g_error ("%s: %s", told ? of_plain[0] : "taken", stride_get_body (index));
}

/* A loop that keeps its stride is told of; any other is not. */
static void
test_stride_kept (void)
{
  for (guint first = 0; first < N_CASES; first += FILE_CASES)
    {
      g_autoptr (LeatKernelSource) source = stride_make_source (first);

      for (guint i = first; i < MIN (first + FILE_CASES, N_CASES); i++)
        stride_check_told (source, i);
    }
}

static void
stride_check_results (KernelHarness *kernels, guint index)
{
  static const KernelShape shape = { { 2, 1, 1 }, { 4, 1, 1 }, 16 };
  g_autofree char *plain = g_strdup_printf ("f%u", index), *opaque = g_strdup_printf ("g%u", index);
  guint32 expected[1000];
  const guint32 *out = kernel_harness_run (kernels, opaque, &shape, 100);

  memcpy (expected, out, sizeof expected);
  out = kernel_harness_run (kernels, plain, &shape, 100);
  for (guint k = 0; k < G_N_ELEMENTS (expected); k++)
    if (out[k] != expected[k])
      g_error ("item %u is %u and not %u: %s", k, out[k], expected[k], stride_get_body (index));
}

static void
test_stride_results (void)
{
  for (guint first = 0; first < N_CASES; first += FILE_CASES)
    {
      g_autoptr (LeatKernelSource) source = stride_make_source (first);
      KernelHarness kernels;

      if (!kernel_harness_init (&kernels, source))
        return;
      for (guint i = first; i < MIN (first + FILE_CASES, N_CASES); i++)
        stride_check_results (&kernels, i);
      kernel_harness_clear (&kernels);
    }
}

/* By hand: 8 threads, and what each of them adds up of 0 ... 99. */
static void
test_stride_sums (void)
{
  static const KernelShape shape = { { 2, 1, 1 }, { 4, 1, 1 }, 0 };
  KernelHarness kernels;
  const guint32 *out;

  if (!kernel_harness_init_text (&kernels, "sums.cu",
                                 "struct Count { int n; __device__ void add (int v) { n += v; } };\n"
                                 "__device__ Count none () { Count c; c.n = 0; return c; }\n"
                                 "__global__ void f (uint32_t *out, int n)\n{\n  Count c = none ();\n  " LOOP
                                 "\n    c.add (i);\n  out[" ME "] = c.n;\n}\n"))
    return;
  out = kernel_harness_run (&kernels, "f", &shape, 100);
  for (guint t = 0; t < 8; t++)
    {
      guint32 sum = 0;

      for (guint i = t; i < 100; i += 8)
        sum += i;
      g_assert_cmpuint (out[t], ==, sum);
    }
  kernel_harness_clear (&kernels);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/stride/kept", test_stride_kept);
  g_test_add_func ("/leat/kernel/stride/results", test_stride_results);
  g_test_add_func ("/leat/kernel/stride/sums", test_stride_sums);
  return g_test_run ();
}
