/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-source-private.h"
#include "kernel/leat-kernel-variable-private.h"

#include <math.h>
#include <string.h>

/* Variables that are filled, in files that ask what they are compiled for.  tests/plugins/test-kernel-file.c has what
 * kernels see of them. */

static const gfloat test_items[2] = { 1, -0.5 };

static LeatKernelSource *
test_variable_fill (const char *text)
{
  GError *error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
  LeatKernelSource *filled;

  g_assert_no_error (error);
  filled = leat_kernel_source_new_filled (source, "k", test_items, 2, &error);
  g_assert_no_error (error);
  return filled;
}

/* The values are of the type that the variable has here.  Where a GPU has a larger one, no bytes behind them become
 * values, and its compiler is told that the sizes differ. */
static void
test_kernel_variable_other_type (void)
{
  GError *error = NULL;
  g_autoptr (LeatKernelSource) filled = test_variable_fill ("#ifdef LEAT_CUDA\n__constant__ double k[2];\n#else\n"
                                                            "__constant__ float k[2];\n#endif\n"
                                                            "__global__ void m (float *y) { y[0] = k[0] + k[1]; }\n");
  const char *text = leat_kernel_source_get_cuda_text (filled, &error);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (text, "double k[2] = { 0x1p+0f, -0x1p-1f, }"));
  g_assert_nonnull (strstr (text, "static_assert (sizeof (k) == 8,"));
}

/* A mistake that only the text for a GPU has is told, and nothing else is compiled in its place. */
static void
test_kernel_variable_mistake_elsewhere (void)
{
  static const char *const rows[][2] = {
    { "__constant__ float k[2];\n#ifdef LEAT_CUDA\n__global__ void m (float *y, int more) { y[0] = k[0]; }\n#else\n"
      "__global__ void m (float *y) { y[0] = k[0]; }\n#endif\n",
      "the kernel \"m\" takes 1 parameters, and 2 where it is compiled for a GPU" },
    { "__constant__ float k[2];\n#ifdef LEAT_CUDA\n#error not there\n#endif\n"
      "__global__ void m (float *y) { y[0] = k[0]; }\n",
      "t.cu:3:2: #error not there" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (LeatKernelSource) filled = test_variable_fill (rows[i][0]);
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_kernel_source_get_cuda_text (filled, &error));
      g_assert_nonnull (error);
      if (strstr (error->message, rows[i][1]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][1]);
    }
}

/* What a device may change before the kernel reads it needs no value from a host program. */
#define FUNCTIONS                                                                                                      \
  "__device__ int look (const int *v) { return *v; }\n__device__ int look (int a, const int *v) { return a + *v; }\n"  \
  "__device__ int look_at (const int &v) { return v; }\n__device__ int take (int v) { return v; }\n"                   \
  "__device__ void copy (const int *v, int *w) { *w = *v; }\n__device__ void copy_to (const int &v, int &w) { w = v; " \
  "}\n"                                                                                                                \
  "__device__ void put (int *v) { *v = 1; }\n__device__ void put_to (int &v) { v = 1; }\n"                             \
  "__device__ int often (const int *v) { return *v; }\n__device__ int often (float *v) { return 1; }\n"                \
  "template <class T> __device__ T any (T v) { return v; }\n"                                                          \
  "template <class T> __device__ void any_to (T &v) { v = 1; }\n"

#define VARIABLES                                                                                                      \
  "struct point { int x, c[2]; };\nstruct given { int x = 3; };\nstruct built { int x; __device__ built (); };\n"      \
  "typedef given same_given;\nusing real = float;\ntypedef point same_point;\nstruct holds { given g; };\n"            \
  "template <class T> struct of { T x; };\nstruct __align__ (16) wide { int x; };\n"                                   \
  "__device__ int n, t[4], u[2][2]; __device__ point p; __device__ given g; __device__ built b; __constant__ int c;\n" \
  "__device__ same_given sg; __device__ same_point sp; __constant__ real r; __device__ holds h; __device__ of<int> "   \
  "o;\n"                                                                                                               \
  "__device__ int one = 1, two, *three, four[1] = { 4 }; __device__ wide w; __managed__ int m;\n"                      \
  "static __constant__ int at16 __attribute__ ((aligned (16))); int of_host; __device__ constexpr int fixed = 2;\n"

static const struct
{
  const char *body, *unfilled; /* NULL: nothing */
} reads[] = {
  { "", NULL },
  { "y[0] = n;", "n" },
  { "y[0] = c;", "c" },
  { "y[0] = two;", "two" },
  { "y[0] = one + four[0] + fixed;", NULL },
  { "y[0] = *three;", "three" },
  { "y[0] = w.x;", "w" },
  { "y[0] = m;", "m" },
  { "y[0] = at16;", "at16" },
  { "y[0] = of_host;", NULL },
  { "y[0] = y[n];", "n" },
  { "y[0] = q.n + q->n;", NULL },
  { "int n = 3; y[0] = n;", NULL },
  /* Values that types give. */
  { "y[0] = g.x;", NULL },
  { "y[0] = b.x;", NULL },
  { "y[0] = p.x;", "p" },
  { "y[0] = sg.x;", NULL },
  { "y[0] = sp.x;", "sp" },
  { "y[0] = h.g.x;", NULL },
  { "y[0] = o.x;", "o" },
  { "y[0] = r;", "r" },
  /* Addresses. */
  { "const int *q = &n; y[0] = *q;", "n" },
  { "const auto q = &n; y[0] = *q;", "n" },
  { "int const *q = t; y[0] = *q;", "t" },
  { "const int *const q = t; y[0] = *q;", "t" },
  { "const auto *q = t; y[0] = *q;", "t" },
  { "int *const q = t; y[0] = *q;", NULL },
  { "const int k = 1; int *q = t; *q = k; y[0] = t[0];", NULL },
  { "int *q = (const int *) t; y[0] = t[0];", NULL },
  { "int *q = (int *) &n; *q = 5; y[0] = n;", NULL },
  { "{ int k = (3) & n; y[0] = k; }", "n" },
  { "y[0] = y[1] & n;", "n" },
  { "y[0] = 3 & n;", "n" },
  { "y[0] = y[1] && n;", "n" },
  { "y[0] = n & 3;", "n" },
  { "y[0] = *(t + 1);", "t" },
  { "y[0] = *(u[1] + 1) + 1;", "u" },
  { "y[0] = u[1][0];", "u" },
  { "int *q = u[1]; y[0] = u[1][0];", NULL },
  { "if (take (1)) { const int *q = t; y[0] = *q; }", "t" },
  { "y[0] = sizeof (t);", "t" },
  /* Calls. */
  { "y[0] = take (n);", "n" },
  { "y[0] = look (&n);", "n" },
  { "y[0] = look (t);", "t" },
  { "y[0] = look (1, t);", "t" },
  { "y[0] = look ((const int *) t);", "t" },
  { "y[0] = look (take (1) + t);", "t" },
  { "y[0] = take (1) + look_at (n);", "n" },
  { "copy (t, y); y[0] = 1;", "t" },
  { "copy_to (n, y[0]);", "n" },
  { "copy_to (n, y[0]); y[0] = take (n);", "n" },
  { "put (&n); y[0] = n;", NULL },
  { "put (t); y[0] = t[0];", NULL },
  { "put ((int *) t); y[0] = t[0];", NULL },
  { "put (u[1]); y[0] = u[1][0];", NULL },
  { "put (&t[1]); y[0] = t[1];", NULL },
  { "put (&p.c[1]); y[0] = p.c[1];", NULL },
  { "put_to (n); y[0] = n;", NULL },
  { "put_to (p.x); y[0] = p.x;", NULL },
  { "put_to (t[1]); y[0] = t[1];", NULL },
  { "put (y); y[0] = n;", "n" },
  { "y[0] = often (t);", NULL },
  { "y[0] = any (t)[0];", NULL },
  { "y[0] = any (n);", "n" },
  { "any_to (n); y[0] = n;", NULL },
  { "other (&n); y[0] = n;", NULL },
  { "other (n); y[0] = n;", "n" },
  { "other (t); y[0] = t[1];", NULL },
  { "p (5); y[0] = p.x;", NULL },
  { "p.c (5); y[0] = p.x;", NULL },
  /* No kernel can write it. */
  { "c = 5; y[0] = c;", "c" },
};

static void
check_unfilled (const char *text, const char *unfilled)
{
  GError *error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
  g_autofree char *says = g_strdup_printf ("kernel k reads \"%s\", and nothing gives it a value: ", unfilled);
  gboolean filled;

  g_assert_no_error (error);
  filled = leat_kernel_source_check_filled (source, "k", &error);
  if (filled != (error == NULL) || filled != (unfilled == NULL)
      || (error != NULL && strstr (error->message, says) == NULL))
    g_error ("\"%s\" instead of \"%s\":\n%s", error != NULL ? error->message : "", unfilled, text);
  g_clear_error (&error);
}

static void
check_body (const char *body, const char *unfilled)
{
  g_autofree char *text = g_strdup_printf (VARIABLES FUNCTIONS "__global__ void k (int *y) { %s }\n", body);

  check_unfilled (text, unfilled);
}

static void
test_kernel_variable_reads (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (reads); i++)
    check_body (reads[i].body, reads[i].unfilled);
}

/* With @form wherever V stands. */
static void
check_form (const char *form, const char *before, const char *pattern, const char *behind, const char *unfilled)
{
  g_autofree char *body = g_strconcat (before, pattern, behind, NULL);
  g_auto (GStrv) pieces = g_strsplit (body, "V", -1);
  g_autofree char *named = g_strjoinv (form, pieces);

  check_body (named, unfilled);
}

/* Each operator, and each function that reads through a pointer, with each form that a variable is named in. */
static void
test_kernel_variable_operators (void)
{
  static const char *const changes[] = { "V = 5;",  "V += 5;", "V -= 5;", "V *= 5;",  "V /= 5;",  "V %= 5;",
                                         "V &= 5;", "V |= 5;", "V ^= 5;", "V <<= 5;", "V >>= 5;", "V++;",
                                         "V--;",    "++V;",    "--V;",    "put (&V);" };
  static const char *const looks[] = { "V + 5;",  "V - 5;",  "V * 5;",  "V / 5;",  "V % 5;",  "V | 5;",
                                       "V ^ 5;",  "V << 5;", "V >> 5;", "V == 5;", "V != 5;", "V <= 5;",
                                       "V >= 5;", "V < 5;",  "V > 5;",  "V && 5;", "V || 5;", "V ? 5 : 6;",
                                       "-V;",     "!V;",     "~V;",     "(V);" };
  static const char *const readers[] = { "__ldg",
                                         "__ldca",
                                         "__ldcg",
                                         "__ldcs",
                                         "__ldcv",
                                         "__ldlu",
                                         "sizeof",
                                         "leat_load_relaxed",
                                         "leat_load_acquire",
                                         "leat_load_plainly" };
  static const char *const forms[] = { "n", "t[1]", "u[1][0]", "p.x", "p.c[1]" };

  for (guint f = 0; f < G_N_ELEMENTS (forms); f++)
    {
      const char name[] = { forms[f][0], '\0' };

      for (guint i = 0; i < G_N_ELEMENTS (changes); i++)
        {
          check_form (forms[f], "", changes[i], " y[0] = V;", NULL);
          check_form (forms[f], "y[0] = V; y[1] = 1; ", changes[i], "", NULL);
        }
      for (guint i = 0; i < G_N_ELEMENTS (looks); i++)
        check_form (forms[f], "y[0] = ", looks[i], "", name);
      for (guint i = 0; i < G_N_ELEMENTS (readers); i++)
        check_form (forms[f], "y[0] = ", readers[i], " (&V);", name);
    }
  for (guint i = 0; i < 13; i++)
    check_form ("*(t + 1)", "", changes[i], " y[0] = t[1];", NULL);
}

/* Who mentions a variable, and who has another of its name. */
static void
test_kernel_variable_mentions (void)
{
  static const struct
  {
    const char *text, *unfilled;
  } rows[] = {
    { "__device__ int n;\nstruct s { int n; __device__ int get () { return n; } };\n", NULL },
    { "__device__ int n;\nstruct s { int n, m; __device__ int get () { return n; } };\n", NULL },
    { "__device__ int n;\nstruct s { int n = 3; __device__ int get () { return n; } };\n", NULL },
    { "__device__ int n;\nstruct s { int n { 3 }; __device__ int get () { return n; } };\n", NULL },
    { "__device__ int n;\nstruct s { int n[2]; __device__ int get () { return n[1]; } };\n", NULL },
    { "__device__ int n;\nstruct s { __device__ int get (int n = 1) { return n; } };\n", NULL },
    { "__device__ int n;\nstruct s { __device__ int get2 (int n) { return n; } __device__ int get () { return 1; } "
      "};\n",
      NULL },
    { "__device__ int n;\nstruct s { __device__ int get () { return n; } };\n", "n" },
    { "__device__ int n;\nstruct s { int m; __device__ int get () { return m + n; } };\n", "n" },
    { "__device__ int n;\nstruct s { __device__ int get () { return n; } __device__ void set () { n = 3; } };\n",
      NULL },
    { "__device__ int n, *m = &n;\nstruct s { __device__ int get () { return n; } };\n", "n" },
    { "struct n { int x; };\n__device__ struct n n;\nstruct s { __device__ int get () { return n.x; } };\n", "n" },
    { "struct n { int x; };\n__device__ struct n n[2];\nstruct s { __device__ int get () { return n[1].x; } };\n",
      "n" },
    { "__device__ int n;\n__device__ int *at () { return &n; }\nstruct s { __device__ int get () { at (); return n; } "
      "};\n",
      NULL },
    { "__device__ int n;\n__device__ void put (int n) { n = 3; }\nstruct s { __device__ int get () { return n; } };\n",
      "n" },
    { "__device__ int n;\n__device__ void nobody () { n = 3; }\nstruct s { __device__ int get () { return n; } };\n",
      "n" },
    { "__device__ int n;\n__device__ int nobody () { return n; }\nstruct s { __device__ int get () { return 1; } };\n",
      NULL },
    { "__device__ int n;\ntemplate <class T> __device__ T n2;\nstruct s { __device__ int get () { return n2<int>; } "
      "};\n",
      NULL },
    { "extern __device__ __shared__ int n[];\nstruct s { __device__ int get () { return n[0]; } };\n", NULL },
    { "__device__ int n;\nstruct s { int m, n; __device__ int get () { return n; } };\n", NULL },
    { "__device__ int n;\n__device__ int sum (int a, int b) { return a + b; }\n"
      "struct s { __device__ int get () { return sum (1, n); } };\n",
      "n" },
    { "__device__ int n, l;\nstruct s { __device__ int get () { return l + n; } };\n", "n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
        g_strconcat (rows[i].text, "__global__ void k (int *y) { s a; y[0] = a.get (); }\n", NULL);

      check_unfilled (text, rows[i].unfilled);
    }
}

/* Where a variable lies, and whether it may change, is no part of its type. */
static void
test_kernel_variable_types (void)
{
  static const struct
  {
    const char *declares, *name, *dtype; /* NULL: none that is filled */
  } rows[] = {
    { "__constant__ int v;", "v", "i32" },
    { "__device__ unsigned int v[2];", "v", "u32" },
    { "__managed__ long long int v;", "v", "i64" },
    { "static __constant__ const volatile unsigned char v[2][2];", "v", "u8" },
    { "__device__ float *v, w;", "v", NULL },
    { "__device__ float *v, w;", "w", "f32" },
    { "__device__ short a, v;", "v", "i16" },
    { "struct point { int x; }; __device__ point v;", "v", NULL },
    { "using real = double; __device__ real v;", "v", "f64" },
    { "typedef signed char small; __device__ small v;", "v", "i8" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text =
        g_strdup_printf ("%s\n__global__ void k (int *y) { y[0] = sizeof (%s); }\n", rows[i].declares, rows[i].name);
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      LeatKernelType type;

      g_assert_no_error (error);
      g_test_message ("%s", text);
      g_assert_false (leat_kernel_source_check_filled (source, "k", &error));
      g_assert_cmpint (strstr (error->message, "set variables=") != NULL, ==, rows[i].dtype != NULL);
      g_clear_error (&error);
      g_assert_cmpint (leat_kernel_source_find_variable (source, rows[i].name, &type, &error), ==,
                       rows[i].dtype != NULL);
      if (rows[i].dtype != NULL)
        g_assert_cmpstr (type.dtype, ==, rows[i].dtype);
      else
        g_assert_nonnull (strstr (error->message, "is neither a number nor an array of numbers"));
    }
}

/* Values of each type as an initialiser. */
static void
test_kernel_variable_values (void)
{
  static const struct
  {
    const char *type;
    LeatKernelNumber items[2];
    gsize bytes;
    const char *text; /* NULL: refused */
  } rows[] = {
    { "bool", { { .u = 0 }, { .u = 2 } }, 1, "{ false, true, }" },
    { "signed char", { { .i = -128 }, { .i = 127 } }, 1, "{ (int) 18446744073709551488ull, (int) 127ull, }" },
    { "unsigned char", { { .u = 0 }, { .u = 255 } }, 1, "{ 0u, 255u, }" },
    { "short", { { .i = -32768 }, { .i = 32767 } }, 2, "{ (int) 18446744073709518848ull, (int) 32767ull, }" },
    { "unsigned short", { { .u = 65535 }, { .u = 1 } }, 2, "{ 65535u, 1u, }" },
    { "int", { { .i = G_MININT32 }, { .i = 7 } }, 4, "{ (int) 18446744071562067968ull, (int) 7ull, }" },
    { "unsigned int", { { .u = G_MAXUINT32 }, { .u = 0 } }, 4, "{ 4294967295u, 0u, }" },
    { "long long",
      { { .i = G_MININT64 }, { .i = 1 } },
      8,
      "{ (long long) 9223372036854775808ull, (long long) 1ull, }" },
    { "unsigned long long", { { .u = G_MAXUINT64 }, { .u = 3 } }, 8, "{ 18446744073709551615ull, 3ull, }" },
    { "float", { { .f = -0.0f }, { .f = 1.5f } }, 4, "{ -0x0p+0f, 0x1.8p+0f, }" },
    { "double", { { .d = 0.1 }, { .d = -2 } }, 8, "{ 0x1.999999999999ap-4, -0x1p+1, }" },
    { "float", { { .f = 1 }, { .f = -INFINITY } }, 4, NULL },
    { "double", { { .d = NAN }, { .d = 1 } }, 8, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      GError *error = NULL;
      g_autofree char *text =
        g_strdup_printf ("__constant__ %s v[2];\n__global__ void k (int *y) { y[0] = v[1] > v[0]; }\n", rows[i].type);
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error), filled = NULL;
      g_autofree char *wanted =
        g_strdup_printf ("v[2] = %s; static_assert (sizeof (v) == %u,", rows[i].text, (guint) rows[i].bytes * 2);
      guint8 items[16];

      g_assert_no_error (error);
      leat_kernel_source_set_floats (source, i % 2 ? LEAT_FLOATS_FLUSH : LEAT_FLOATS_STRICT);
      for (guint k = 0; k < 2; k++)
        memcpy (items + k * rows[i].bytes, &rows[i].items[k], rows[i].bytes);
      filled = leat_kernel_source_new_filled (source, "v", items, 2, &error);
      g_assert_cmpint (filled == NULL, ==, rows[i].text == NULL);
      if (filled != NULL && strstr (leat_kernel_source_get_cuda_text (filled, NULL), wanted) == NULL)
        g_error ("no \"%s\" in\n%s", wanted, leat_kernel_source_get_cuda_text (filled, NULL));
      if (filled != NULL)
        g_assert_cmpuint (leat_kernel_source_get_floats (filled), ==, leat_kernel_source_get_floats (source));
      else
        g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SOURCE);
      g_clear_error (&error);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/variable/other-type", test_kernel_variable_other_type);
  g_test_add_func ("/leat/kernel/variable/mistake-elsewhere", test_kernel_variable_mistake_elsewhere);
  g_test_add_func ("/leat/kernel/variable/reads", test_kernel_variable_reads);
  g_test_add_func ("/leat/kernel/variable/operators", test_kernel_variable_operators);
  g_test_add_func ("/leat/kernel/variable/mentions", test_kernel_variable_mentions);
  g_test_add_func ("/leat/kernel/variable/types", test_kernel_variable_types);
  g_test_add_func ("/leat/kernel/variable/values", test_kernel_variable_values);
  return g_test_run ();
}
