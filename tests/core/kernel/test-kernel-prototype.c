/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#pragma GCC diagnostic ignored "-Wtype-limits"

/* What a kernel's parameters are by the conventions.  test-kernel-source.c has what is refused of them. */

/* A prototype as one line: kind name:port dtype*lanes/bytes. */
static char *
test_prototype_to_string (const LeatPrototype *prototype)
{
  static const char *const kinds[] = { "in", "out", "arg", "in-count", "out-count", "capacity", "dim" };
  GString *out = g_string_new (prototype->entry);

  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *p = &prototype->params[i];

      g_string_append_printf (out, "; %s %s", kinds[p->kind], p->name);
      if (p->port != NULL && g_strcmp0 (p->port, p->name) != 0)
        g_string_append_printf (out, ":%s", p->port);
      if (p->kind == LEAT_PARAM_DIM)
        g_string_append_printf (out, "[%u]", p->dim);
      g_string_append_printf (out, " %s", p->dtype);
      if (p->item_lanes > 1)
        g_string_append_printf (out, "*%u", p->item_lanes);
      g_string_append_printf (out, "/%" G_GSIZE_FORMAT, p->item_bytes);
    }
  return g_string_free (out, FALSE);
}

static const struct
{
  const char *text;
  const char *expected;
} prototypes[] = {
  { "__global__ void f (const float *x, float *y, int n) {}", "f; in x f32/4; out y f32/4; arg n i32/4" },
  { "extern \"C\" __global__ void f(const float* __restrict__ x, float*__restrict__ y) {}",
    "f; in x f32/4; out y f32/4" },
  { "extern \"C\" { __global__ void f (float const *x, double *const y) {} }", "f; in x f32/4; out y f64/8" },
  { "__global__ void f (const unsigned char *x, unsigned char *y, uint64_t x_count, uint64_t *y_count) {}",
    "f; in x u8/1; out y u8/1; in-count x_count:x u64/8; out-count y_count:y u64/8" },
  { "__global__ void f (const uint8_t *x, uint32_t *y, int x_count, unsigned long long y_capacity) {}",
    "f; in x u8/1; out y u32/4; in-count x_count:x i32/4; capacity y_capacity:y u64/8" },
  { "__global__ void f (const uchar3 *img, float4 *out, int img_dim0, int img_dim1, int out_dim7) {}",
    "f; in img u8*3/3; out out f32*4/16; dim img_dim0:img[0] i32/4; dim img_dim1:img[1] i32/4; dim out_dim7:out[7] "
    "i32/4" },
  { "__global__ void f (unsigned int a, unsigned b, long unsigned int c, short d, size_t e, bool g) {}",
    "f; arg a u32/4; arg b u32/4; arg c u64/8; arg d i16/2; arg e u64/8; arg g bool/1" },
  { "typedef unsigned short u16;\nusing real = float;\n#define pixel uchar4\n"
    "__global__ void f (const u16 *a, real *b, pixel *c) {}",
    "f; in a u16/2; out b f32/4; out c u8*4/4" },
  { "__global__ void f ([[maybe_unused]] const float *x, double *y __attribute__ ((unused)), int n [[maybe_unused]],\n"
    "  const short z[[maybe_unused]][4], __attribute__ ((unused)) bool g) {}",
    "f; in x f32/4; out y f64/8; arg n i32/4; in z i16/2; arg g bool/1" },
  { "typedef double r\303\251el;\n__global__ void f (r\303\251el *y, float \316\273) {}",
    "f; out y f64/8; arg \316\273 f32/4" },
  { "__global__ void __launch_bounds__ (256, 2) f (const int x[], int y[16]) {}", "f; in x i32/4; out y i32/4" },
  { "static __device__ int g (int x) { return x; }\ntemplate <int N> __global__ void t (int *x) {}\n"
    "__global__ void f (void) {}",
    "f" },
  { "// count of nothing\n__global__ void f (const float *x, int y_count, int x_dimension) {}",
    "f; in x f32/4; arg y_count i32/4; arg x_dimension i32/4" },
  { "__global__ void f (volatile unsigned int *flag, const volatile int *in, int n = 3) {}",
    "f; out flag u32/4; in in i32/4; arg n i32/4" },
  { "#if 0\n__global__ void g ( {\n#endif\n__global__ void f (float *x) { const char *s = \"}\"; char c = '{'; /* } */ "
    "}",
    "f; out x f32/4" },
  { "#ifdef LEAT_CUDA\n__global__ void f (int *x) { x[0] = 1; }\n#else\n__global__ void f (int *x) { x[0] = 2; }\n"
    "#endif\n",
    "f; out x i32/4" },
  { "__global__ void f (int *x);\n__global__ void f (int *x) {}", "f; out x i32/4" },
  { "#ifdef D\ntypedef double real;\n#else\ntypedef float real;\n#endif\n__global__ void f (real *y, real a) {}",
    "f; out y f32/4; arg a f32/4" },
  { "#ifdef D\n#define real double\n#else\n#define real float\n#endif\n__global__ void f (const real *x, real *y) {}",
    "f; in x f32/4; out y f32/4" },
  { "#define WIDE 1\n#if WIDE && defined(__CUDACC__)\nusing real = double;\n#elif WIDE\nusing real = float;\n#endif\n"
    "__global__ void f (real *y) {}",
    "f; out y f64/8" },
  { "__global__ void f (const void *a, void *b, clock_t c) { ((int *) b)[0] = ((const int *) a)[1]; }",
    "f; in a u8/1; out b u8/1; arg c i64/8" },
  { "__global__ void f (float *a, float *b, float *c, int n) { float4 v = *((float4 *) &a[n]); (*((float4 *) &b[n])).x "
    "= v.x; (*(float2 *) &c[0]) = make_float2 (v.y, a[1]); }",
    "f; in a f32/4; out b f32/4; out c f32/4; arg n i32/4" },
  { "__device__ void g (float &sum, float a, const float *b, float *c) { sum += a + b[0]; c[0] = 1; }\n__device__ "
    "float "
    "h (float a, ...) { return a; }\n"
    "__global__ void f (float *y, float *a, float *b, float *c, float *d) { g (y[0], a[1], b, &c[2]); h (1, d); }",
    "f; out y f32/4; in a f32/4; in b f32/4; out c f32/4; out d f32/4" },
  { "#define MOST 300\nconstexpr int two = 2;\nenum { three = 3 };\nstruct node { short keys[MOST + 1]; double "
    "v[two][three * 2]; };\nstruct pair { int v[two]; };\n"
    "__global__ void f (const node *n, float *y, pair p) { y[0] = n[0].keys[0]; }",
    "f; in n {keys:i16[301],v:f64[2,6]@608}/704; out y f32/4; arg p.v.0 i32/4; arg p.v.1 i32/4" },
  { "#define VEC(T, n) T##n\n__global__ void f (VEC (float, 4) *y, VEC (u, int) a) {}",
    "f; out y f32*4/16; arg a u32/4" },
  { "typedef unsigned short uint;\n__global__ void f (uint *y) {}", "f; out y u16/2" },
  { "\n__glo\\\nbal__ void f (int *x) {}", "f; out x i32/4" },
  { "__global__ void \\\n f (int *x) {}", "f; out x i32/4" },
  { "#pragma nothing \"}\" // {\n# /* { */ pragma nothing /* {\n */\n__global__ void f (int *x) {}", "f; out x i32/4" },
  { "__device__ double a = 1'000 + 1e+5 + 0x1p-3; __device__ char c = '\\'', *d = L\"{\" u8R\"x(\")x\";\n"
    "__global__ void f (int *x) {}",
    "f; out x i32/4" },
  { "__global__ void f (\n  const long long int *a, /* b */\n  const signed char *c, // d\n  unsigned char e)\n{\n}",
    "f; in a i64/8; in c i8/1; arg e u8/1" },
  { "__global__ void f (const uint64_t *rows, float *cells, uint32_t rows_dim0, uint64_t rows_capacity, size_t "
    "cells_dim2)\n{}",
    "f; in rows u64/8; out cells f32/4; dim rows_dim0:rows[0] u32/4; capacity rows_capacity:rows u64/8; "
    "dim cells_dim2:cells[2] u64/8" },
};

static void
test_prototype_table (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (prototypes); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", prototypes[i].text, &error);
      const LeatPrototype *prototype;
      g_autofree char *text = NULL;

      g_assert_no_error (error);
      prototype = leat_kernel_source_get_prototype (source, NULL, &error);
      g_assert_no_error (error);
      text = test_prototype_to_string (prototype);
      g_assert_cmpstr (text, ==, prototypes[i].expected);
    }
}

/* One parameter of a type, as its place in memory is described; NULL where it is refused. */
static char *
dup_described (const char *declares, const char *type)
{
  g_autofree char *text = g_strdup_printf ("%s\n__global__ void f (const %s *x) {}", declares, type);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
  const LeatPrototype *prototype;

  g_assert_no_error (error);
  prototype = leat_kernel_source_get_prototype (source, NULL, &error);
  return prototype != NULL ? g_strdup_printf ("%s*%u/%" G_GSIZE_FORMAT, prototype->params[0].dtype,
                                              prototype->params[0].item_lanes, prototype->params[0].item_bytes)
                           : NULL;
}

/* The types of C are what this program's compiler makes of them. */
#define TYPE(type)                                                                                                     \
  {                                                                                                                    \
#type, (type) 0.5 != 0 ? 'f' : (type) -1 < (type) 0 ? 'i' : 'u', sizeof(type)                                      \
  }

static void
test_prototype_types (void)
{
  static const struct
  {
    const char *name;
    char kind;
    gsize bytes;
  } types[] = {
    TYPE (signed char), TYPE (unsigned char), TYPE (char signed), TYPE (char unsigned), TYPE (short), TYPE (short int),
    TYPE (signed short), TYPE (unsigned short), TYPE (unsigned short int), TYPE (short unsigned), TYPE (int),
    TYPE (signed),
    TYPE (signed int), TYPE (unsigned), TYPE (unsigned int), TYPE (int unsigned), TYPE (long), TYPE (long int),
    TYPE (signed long), TYPE (unsigned long), TYPE (unsigned long int), TYPE (long unsigned int), TYPE (long long),
    TYPE (long long int), TYPE (unsigned long long), TYPE (long unsigned long int), TYPE (float), TYPE (double),
    TYPE (int8_t), TYPE (uint8_t), TYPE (int16_t), TYPE (uint16_t), TYPE (int32_t), TYPE (uint32_t), TYPE (int64_t),
    TYPE (uint64_t), TYPE (size_t), TYPE (ssize_t), TYPE (ptrdiff_t), TYPE (intptr_t), TYPE (uintptr_t), TYPE (ushort),
    TYPE (uint), TYPE (ulong),
  }, vectors[] = {
    { "char", 'i', 1 }, { "uchar", 'u', 1 }, TYPE (short), TYPE (ushort), TYPE (int), TYPE (uint), TYPE (long),
    TYPE (ulong),
    { "longlong", 'i', 8 }, { "ulonglong", 'u', 8 }, TYPE (float), TYPE (double),
  };
  static const char *const refused[] = {
    "signed unsigned",
    "unsigned unsigned",
    "signed signed",
    "long long long",
    "short short",
    "short long",
    "short char",
    "long char",
    "char char",
    "char int",
    "int int",
    "unsigned float",
    "long double",
    "unsigned half",
    "half",
    "float0",
    "float5",
    "half2",
    "floats2",
    "floa2",
    "bool2",
    "size_t2",
    "4",
    "f4",
  };

  for (guint i = 0; i < G_N_ELEMENTS (types); i++)
    {
      g_autofree char *found = dup_described ("", types[i].name);
      g_autofree char *wanted =
        g_strdup_printf ("%c%u*1/%u", types[i].kind, (guint) types[i].bytes * 8, (guint) types[i].bytes);

      g_test_message ("%s", types[i].name);
      g_assert_cmpstr (found, ==, wanted);
    }
  for (guint i = 0; i < G_N_ELEMENTS (vectors); i++)
    for (guint lanes = 1; lanes <= 4; lanes++)
      {
        g_autofree char *name = g_strdup_printf ("%s%u", vectors[i].name, lanes), *found = dup_described ("", name);
        guint bytes = vectors[i].bytes;
        g_autofree char *wanted = g_strdup_printf ("%c%u*%u/%u", vectors[i].kind, bytes * 8, lanes, bytes * lanes);

        g_test_message ("%s", name);
        g_assert_cmpstr (found, ==, wanted);
      }
  for (guint i = 0; i < G_N_ELEMENTS (refused); i++)
    {
      g_autofree char *found = dup_described ("", refused[i]);

      g_test_message ("%s", refused[i]);
      g_assert_cmpstr (found, ==, NULL);
    }
}

/* Names that the file gives to types, up to eight after each other. */
static void
test_prototype_type_names (void)
{
  static const char *const rows[][3] = {
    { "typedef short a;", "a", "i16*1/2" },
    { "using a = short;", "a", "i16*1/2" },
    { "using b = double;\ntypedef short a;", "a", "i16*1/2" },
    { "using a = unsigned long long;", "a", "u64*1/8" },
    { "typedef unsigned char a;", "a", "u8*1/1" },
    { "using a = float3;", "a", "f32*3/12" },
    { "typedef short uint;", "uint", "i16*1/2" },
    { "typedef int int;", "int", "i32*1/4" },
    { "struct a { int x; };", "a", "{x:i32}*1/4" },
    { "struct a { char c; double d; float2 v; };", "a", "{c:i8,d:f64@8,v:f32[2]}*1/24" },
    { "struct a { char c; int *p; short s[5]; };", "a", "u8*32/32" },
    { "struct a { virtual void f (); int x; };", "a", NULL },
    { "struct b { int x; };\nstruct a : b { int y; };", "a", NULL },
    { "template <class T> using a = T;", "a", NULL },
  };
  g_autoptr (GString) chain = g_string_new ("typedef short a1;");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *found = dup_described (rows[i][0], rows[i][1]);

      g_test_message ("%s", rows[i][0]);
      g_assert_cmpstr (found, ==, rows[i][2]);
    }
  for (guint i = 1; i <= 9; i++)
    {
      g_autofree char *name = g_strdup_printf ("a%u", i), *found = dup_described (chain->str, name);

      g_assert_cmpstr (found, ==, i <= 8 ? "i16*1/2" : NULL);
      g_string_append_printf (chain, "using a%u = a%u;", i + 1, i);
    }
}

static void
test_prototype_queues (void)
{
  static const char *const rows[][2] = {
    { "LeatQueue<unsigned> a, LeatQueue<int> b, LeatQueue<float> c, LeatQueue<uint4> d", NULL },
    { "LeatQueue<unsigned> a, LeatQueue<int> b, LeatQueue<float> c, LeatQueue<uint4> d, LeatQueue<int> e",
      "t.cu:1:116: \"e\" is one queue too many: a kernel has at most 4" },
    { "LeatQueue<unsigned> *a", "t.cu:1:41: \"a\" is a pointer to a queue; a kernel takes the queue itself: "
                                "LeatQueue<unsigned> a" },
    { "LeatQueue<half> a", "t.cu:1:36: \"a\" is a queue of \"half\", which it cannot hold" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void f (%s) {}", rows[i][0]);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
      const LeatPrototype *prototype;

      g_assert_no_error (error);
      prototype = leat_kernel_source_get_prototype (source, NULL, &error);
      g_assert_cmpint (prototype == NULL, ==, rows[i][1] != NULL);
      if (rows[i][1] != NULL && strstr (error->message, rows[i][1]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][1]);
    }
}

/* What stands before the kernel, and what of it is said of the kernel. */
static void
test_prototype_comments (void)
{
  static const char *const rows[][2] = {
    { "", NULL },
    { "/* a */\n", "a" },
    { "/* a */ ", "a" },
    { "/** a\n *  b\n */\n", "a\nb" },
    { "/* a */\n\n", NULL },
    { "/* a */ int x;\n", NULL },
    { "int x; /* a */\n", "a" },
    { "// a\n// b\n", "a\nb" },
    { "// a\n\n// b\n", "b" },
    { "/* a */\n/* b */\n", "b" },
    { "/* a */\n// b\n", "a\nb" },
    { "// a\n/* b */\n", "b" },
    { "/// a\n//\n/// b\n", "a\nb" },
    { "/* */\n", NULL },
    { "/* 1 / 2 */\n", "1 / 2" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strconcat (rows[i][0], "__global__ void f (int *x) { /* in */ }\n// behind\n", NULL);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);

      g_assert_no_error (error);
      g_assert_cmpstr (leat_kernel_source_get_prototype (source, "f", &error)->comment, ==, rows[i][1]);
    }
}

/* A pointer of no const type is an output where its items may be set, by whatever name, and else an input. */
static void
test_prototype_references (void)
{
  static const struct
  {
    const char *body;
    gboolean is_output;
  } rows[] = {
    { "cuda::atomic_ref<float, cuda::thread_scope_device> r (y[i]); r = 1;", TRUE },
    { "using R = cuda::atomic_ref<float>; R (y[i]).store (1);", TRUE },
    { "cuda::atomic_ref r{ y[i] }; r = 1;", TRUE },
    { "float &r = y[i]; r = z;", TRUE },
    { "const float &r = y[i]; z = r;", FALSE },
    { "std::swap (y[i], z);", TRUE },
    { "scan.ExclusiveSum (z, y[i]);", TRUE },
    { "z = fmaxf (y[i], z) + sqrtf (y[i]);", FALSE },
    { "float v (y[i]); z = v;", FALSE },
    { "if (i > 0) z = y[i]; else z = fabsf (y[i]);", FALSE },
    { "z = std::max (y[i], z);", FALSE },
    { "load_matrix_sync (z, y, 16);", FALSE },
    { "store_matrix_sync (y, z, 16, mem_row_major);", TRUE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "__global__ void f (float *y, float *o)\n{\n  int i = threadIdx.x;\n  float z;\n  %s\n  o[i] = z;\n}\n",
        rows[i].body);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("k.cu", text, &error);
      const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, "f", &error);

      g_assert_no_error (error);
      g_test_message ("%s", rows[i].body);
      g_assert_cmpint (prototype->params[0].kind, ==, rows[i].is_output ? LEAT_PARAM_OUTPUT : LEAT_PARAM_INPUT);
    }
}

/* What an argument is unless it is set; NULL where only a compiler knows. */
static void
test_prototype_defaults (void)
{
  static const char text[] =
    "#define STEP 4\nconstexpr float third = 1.f / 3;\nenum { most = 1 << 3 };\nstatic const int back = -most;\n"
    "__global__ void f (int *y, int a, int b = STEP * most - 1, float c = third, double d = 1. / 3, bool e = !0, bool "
    "g = true, unsigned h = 0xffu, long i = back % 3, float j = -FLT_MAX, int k = (int) 2.9, float l = sqrtf (2), "
    "unsigned m = -1, float n = 0.1, short o = (7 | 8) >> 1, float p = 0x1p-3f, int q = 1 / 0, float r = third * 3) {}";
  static const char *const expected[] = { NULL,    NULL,   "31",  "0.33333334", "0.33333333333333331",
                                          NULL,    "true", "255", "-2",         "-3.4028235e+38",
                                          "2",     NULL,   NULL,  "0.1",        "7",
                                          "0.125", NULL,   "1" };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", text, &error);
  const LeatPrototype *prototype = source != NULL ? leat_kernel_source_get_prototype (source, NULL, &error) : NULL;

  g_assert_no_error (error);
  g_assert_cmpuint (prototype->n_params, ==, G_N_ELEMENTS (expected));
  for (guint i = 0; i < prototype->n_params; i++)
    {
      g_test_message ("%s", prototype->params[i].name);
      g_assert_cmpstr (prototype->params[i].initial, ==, expected[i]);
    }
}

/* Values that 64 bits cannot hold are none, and a large table before a constant costs nothing. */
static void
test_prototype_defaults_at_limits (void)
{
  g_autoptr (GString) text = g_string_new ("__constant__ int table[50000] = { 0");
  g_autoptr (LeatKernelSource) source = NULL;
  const LeatPrototype *prototype;
  g_autoptr (GError) error = NULL;

  for (guint i = 0; i < 50000; i++)
    g_string_append (text, ", 1");
  g_string_append (text,
                   " };\nconstexpr int few = 3;\n"
                   "__global__ void f (int *y, long long a = 0x8000000000000000 / -1, long long b = "
                   "0x8000000000000000 * 2, long long c = -0x8000000000000000, int d = few) { y[0] = table[d]; }");
  source = leat_kernel_source_new ("t.cu", text->str, &error);
  prototype = source != NULL ? leat_kernel_source_get_prototype (source, NULL, &error) : NULL;
  g_assert_no_error (error);
  g_assert_cmpstr (prototype->params[1].initial, ==, NULL);
  g_assert_cmpstr (prototype->params[2].initial, ==, NULL);
  g_assert_cmpstr (prototype->params[3].initial, ==, NULL);
  g_assert_cmpstr (prototype->params[4].initial, ==, "3");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/prototype/defaults", test_prototype_defaults);
  g_test_add_func ("/leat/kernel/prototype/defaults-at-limits", test_prototype_defaults_at_limits);
  g_test_add_func ("/leat/kernel/prototype/table", test_prototype_table);
  g_test_add_func ("/leat/kernel/prototype/types", test_prototype_types);
  g_test_add_func ("/leat/kernel/prototype/type-names", test_prototype_type_names);
  g_test_add_func ("/leat/kernel/prototype/references", test_prototype_references);
  g_test_add_func ("/leat/kernel/prototype/queues", test_prototype_queues);
  g_test_add_func ("/leat/kernel/prototype/comments", test_prototype_comments);
  return g_test_run ();
}
