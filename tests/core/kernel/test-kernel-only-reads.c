/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"

/* Whether all that a kernel does with an array that is no `const T *` is to look at it: then it is an input. */

static void
check_rows (const char *const *bodies, gsize n, gboolean reads)
{
  static const char functions[] =
    "struct S { int *p; };\nstruct pair { int a, b; };\n"
    "__device__ int look (int *p, int i) { return p[i]; }\n__device__ int look_on (int i, int *w) { return look "
    "(&w[i], "
    "0); }\n__device__ int again (int *p, int i) { return i < 0 ? again (p, i + 1) : *p; }\n"
    "template <class T> __device__ T any (T *p, int i) { return p[i]; }\n__device__ int take (int v) { return v; }\n"
    "__device__ int see (const int &v) { return v; }\n"
    "__device__ void put (int *p, int i) { p[i] = 1; }\n__device__ void put_on (int *p, int i) { int *q = p; *q++ = i; "
    "}\n__device__ void put_to (int &p) { p = 1; }\n__device__ int *same (int *p) { return p; }\n"
    "__device__ void other (int *p) { *p = 1; }\n__device__ int other (float *p) { return *p; }\n"
    "__device__ void by_address (int *&p) { p[0] = 1; }\ntemplate <class T> __device__ void any_put (T p) { p[0] = 1; "
    "}\n";

  for (gsize i = 0; i < n; i++)
    {
      g_autofree char *text = g_strdup_printf (
        "%s__global__ void first (int *x, int *y) { y[0] = x[0]; }\n"
        "__global__ void k (int *x, int *y, int n) { %s }\n__device__ void y2 (int *y) { y[0] = 1; }\n",
        functions, bodies[i]);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const LeatPrototype *prototype;

      g_assert_no_error (error);
      g_test_message ("%s", bodies[i]);
      prototype = leat_kernel_source_get_prototype (source, "k", &error);
      g_assert_no_error (error);
      g_assert_cmpstr (prototype->params[1].name, ==, "y");
      g_assert_cmpint (prototype->params[1].kind == LEAT_PARAM_INPUT, ==, reads);
    }
}

static void
test_only_reads_input (void)
{
  static const char *const rows[] = {
    "x[0] = y[0];",
    "x[0] = __ldg (y);",
    "x[0] = __ldg (y + 1);",
    "q.y[0] = 3; x[0] = y[0];",
    "if (y == nullptr) return; x[0] = y[0];",
    /* The item at the address. */
    "x[0] = *y + *(y + 1) * 2 + (*y) * 3 + -*y;",
    "x[0] = max (*y, 3) + take (*y) + take (*(y + 1));",
    "x[0] = see (y[1]);",
    /* Another address. */
    "y += n; x[0] = *y;",
    "int *e = y + n; while (y < e) x[0] += *y++;",
    "for (int *p = y; p != y + n; ++p) x[0] += *p;",
    /* Another name. */
    "int *p = y + n; x[0] = p[1];",
    "int *__restrict__ p = &y[n]; x[0] = *p;",
    "auto p = y; const auto q = p; x[0] = q[1];",
    /* Another type. */
    "x[0] = reinterpret_cast<pair *> (y)[n].a;",
    "x[0] = ((pair *) y)[n].b;",
    "pair *p = (pair *) y; x[0] = p->a;",
    "const pair *p = reinterpret_cast<const pair *> (y); x[0] = p[n].a;",
    /* Functions. */
    "x[0] = look (y, n) + look (y + 1, n) + look_on (n, y);",
    "x[0] = again (y, n);",
    "x[0] = any (y, n);",
  };

  check_rows (rows, G_N_ELEMENTS (rows), TRUE);
}

static void
test_only_reads_output (void)
{
  static const char *const rows[] = {
    "",
    "y[0] = x[0];",
    "x[0] = y[0]; y[1] = 3;",
    "x[0] = q.y;",
    "x[0] = q->y + 1;",
    "n[y] = 1;",
    "(y)[n] = 1;",
    "(y + 1)[n] = 1;",
    /* The item at the address. */
    "*y = 1;",
    "(*y) = 1;",
    "(*y)++;",
    "++*y;",
    "*y++ = 1;",
    "*(y + 1) += 2;",
    "y += n; *y = 1;",
    /* Another name. */
    "int *p = y; p[n] = 1;",
    "int *p; p = y; p[n] = 1;",
    "const auto p = y; p[n] = 1;",
    "auto *p = y + 3; *p = 1;",
    "int *a = x, *p = y; p[n] = 1;",
    "volatile int *p = y; p[n] = 1;",
    "int *t = y; y = x; x = t; x[0] = 1;",
    "for (int *p = y; p < y + n; p++) *p = 1;",
    "int *p = n ? y : x; p[n] = 1;",
    "int *a[2] = { y, x }; a[0][n] = 1;",
    "S s { y }; s.p[n] = 1;",
    "S s; s.p = y; s.p[n] = 1;",
    /* References. */
    "int &r = y[n]; r = 1;",
    "auto &r = *y; r = 1;",
    "int *&r = y; r[0] = 1;",
    /* Another type. */
    "((float *) y)[n] = 1;",
    "*(float *) y = 1;",
    "reinterpret_cast<pair *> (y)[n].a = 1;",
    "pair *p = (pair *) y; p->a = 1;",
    "auto p = reinterpret_cast<pair *> (y); p[n].b++;",
    "pair &p = reinterpret_cast<pair *> (y)[n]; p.a = 1;",
    /* Functions. */
    "put (y, n);",
    "put (y + 1, n);",
    "put (&y[1], n);",
    "put_on (y, n);",
    "put_to (y[n]);",
    "put_to (*y);",
    "put_to (*(y + 1));",
    "same (y)[n] = 1;",
    "other (y);",
    "by_address (y);",
    "any_put (y);",
    "x[0] = any<int> (y, n);", /* not followed */
    "unknown (y, n);",
    "atomicAdd (&y[1], 3);",
    "atomicAdd (y + 1, 3);",
    "auto f = [=] (int j) { y[j] = 1; }; f (n);",
    "auto f = [] (int *p) { p[0] = 1; }; f (y);",
    "asm (\"st.global.u32 [%0], 0;\" : : \"l\"(y));",
  };

  check_rows (rows, G_N_ELEMENTS (rows), FALSE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/only-reads/input", test_only_reads_input);
  g_test_add_func ("/leat/kernel/only-reads/output", test_only_reads_output);
  return g_test_run ();
}
