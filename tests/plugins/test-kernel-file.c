/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "leat-npy-header.h"
#include "bind/leat-bound-plan-private.h"

#include <string.h>

/* What a kernel file asks of its node and of the device, and what is said where it does not get it.  Each text has a
 * kernel `k (int *y)`, or one that its properties name, of which one block of 4 threads is run unless they say more. */

static LeatPipeline *
test_file_parse (const char *text, const char *properties, GError **error)
{
  g_autofree char *path = leat_harness_dup_path ("file.cu");
  g_autofree char *graph = g_strdup_printf ("leat 1\nk = kernel source=file.cu y=i32[4] %s %s\nb = app\n"
                                            "k.y -> readback -> b\n",
                                            strstr (properties, "grid=") == NULL ? "grid=1" : "", properties);
  g_autofree char *graph_path = leat_harness_dup_path ("file.leat");

  leat_harness_write_file (path, text, strlen (text));
  leat_harness_write_file (graph_path, graph, strlen (graph));
  return leat_parse_file (graph_path, NULL, error);
}

/* The result of one run; NULL and an error where it is refused, at any step. */
static GBytes *
test_file_run (const char *text, const char *properties, GError **error)
{
  g_autoptr (LeatPipeline) pipeline = test_file_parse (text, properties, error);
  g_autoptr (LeatSession) session = pipeline != NULL ? leat_session_new (pipeline, NULL) : NULL;
  GBytes *result = NULL;

  if (session == NULL || !leat_session_open (session, NULL, error))
    return NULL;
  if (leat_session_run (session, NULL, error))
    result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, error);
  leat_session_close (session);
  return result;
}

static void
test_file_assert (const char *text, const char *properties, const gint32 wanted[4])
{
  GError *error = NULL;
  g_autoptr (GBytes) result = test_file_run (text, properties, &error);

  g_test_message ("%s: %s", properties, text);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, 4 * sizeof *wanted);
}

static void
test_file_assert_refused (const char *text, const char *properties, const char *says)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) result = test_file_run (text, properties, &error);

  g_test_message ("%s: %s: %s", properties, text, error != NULL ? error->message : "no error");
  g_assert_null (result);
  if (error == NULL || strstr (error->message, says) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error != NULL ? error->message : "", says);
}

/* Variables that a host program fills. */
static const struct
{
  const char *text, *says; /* NULL: nothing */
} unfilled[] = {
  { "__constant__ int mask[2];\n__global__ void k (int *y) { y[threadIdx.x] = mask[threadIdx.x % 2]; }",
    "file.cu:1:18: kernel k reads \"mask\", and nothing gives it a value" },
  { "__device__ int gain;\n__global__ void k (int *y) { y[threadIdx.x] = gain; }", "reads \"gain\"" },
  { "__device__ int a = 1, b;\n__global__ void k (int *y) { y[threadIdx.x] = a + b; }", "reads \"b\"" },
  { "__constant__ int mask[2];\n__device__ int at (int i) { return mask[i % 2]; }\n"
    "__global__ void k (int *y) { y[threadIdx.x] = at (threadIdx.x); }",
    "reads \"mask\"" },
  { "struct p { int a, b; };\n__constant__ p c;\n__global__ void k (int *y) { y[threadIdx.x] = c.b; }",
    "reads \"c\", and nothing gives it a value: a CUDA program would copy one there; write an initialiser, or make" },
  { "__device__ int *table;\n__global__ void k (int *y) { y[threadIdx.x] = table[0]; }", "reads \"table\"" },
  { "__device__ int (*rows)[2];\n__global__ void k (int *y) { y[threadIdx.x] = rows[0][1]; }",
    "file.cu:1:18: kernel k reads \"rows\"" },
  { "__device__ int (*const *rows)[2];\n__global__ void k (int *y) { y[threadIdx.x] = rows[0][0][1]; }",
    "file.cu:1:25: kernel k reads \"rows\"" },
  { "static __constant__ float2 m[3][2];\n__global__ void k (int *y) { y[threadIdx.x] = (int) m[0][1].x; }",
    "reads \"m\"" },
  { "__constant__ int mask[2];\nstruct s { __device__ int get () { return mask[0]; } };\n"
    "__global__ void k (int *y) { s a; y[threadIdx.x] = a.get (); }",
    "reads \"mask\"" },
  { "__constant__ int mask[2];\ntemplate <class T> struct s { __device__ T get () { return mask[0]; } };\n"
    "__global__ void k (int *y) { s<int> a; y[threadIdx.x] = a.get (); }",
    "reads \"mask\"" },
  { "__constant__ int mask[2];\nstruct s { int i; };\n__device__ int operator+ (s a, int b) { return mask[a.i] + b; "
    "}\n"
    "__global__ void k (int *y) { s a = { 0 }; y[threadIdx.x] = a + 1; }",
    "reads \"mask\"" },
  { "__constant__ int mask[2];\n__device__ const int *at = mask;\n"
    "__global__ void k (int *y) { y[threadIdx.x] = at[0]; }",
    "reads \"mask\"" },
  { "__device__ int t[4];\n__global__ void k (int *y) { y[threadIdx.x] = __ldg (&t[threadIdx.x]); }", "reads \"t\"" },
  { "__device__ int t[4];\n__global__ void k (int *y) { y[threadIdx.x] = *(t + threadIdx.x); }", "reads \"t\"" },
  { "__device__ int t[4];\n__global__ void k (int *y) { const int *p = t; y[threadIdx.x] = p[0]; }", "reads \"t\"" },
  { "__device__ int t[2][2];\n__global__ void k (int *y) { const int *p = t[1]; y[threadIdx.x] = p[0]; }",
    "reads \"t\"" },
  { "__device__ int t[4];\n__device__ int sum (const int *v, int n) { return v[0] + v[n]; }\n"
    "__global__ void k (int *y) { y[threadIdx.x] = sum (t, 1); }",
    "reads \"t\"" },
  { "__device__ int n;\n__device__ int same (const int &v) { return v; }\n"
    "__global__ void k (int *y) { y[threadIdx.x] = same (n); }",
    "reads \"n\"" },
  { "__device__ int n;\n__global__ void k (int *y) { y[threadIdx.x] = threadIdx.x & n; }", "reads \"n\"" },
  /* Another of that name. */
  { "__constant__ int mask[2];\n__global__ void k (int *y) { int mask = 5; y[threadIdx.x] = mask; }", NULL },
  { "__constant__ int mask[2];\n__device__ int same (int mask) { return mask; }\n"
    "__global__ void k (int *y) { y[threadIdx.x] = same (5); }",
    NULL },
  { "__constant__ int mask[2];\nstruct s { int mask; __device__ int get () { return mask; } };\n"
    "__global__ void k (int *y) { s a = { 5 }; y[threadIdx.x] = a.get (); }",
    NULL },
  { "__device__ int t[4];\n__global__ void k (int *y) { *(t + threadIdx.x) = 5; y[threadIdx.x] = t[threadIdx.x]; }",
    NULL },
  { "__device__ int t[4];\n__global__ void k (int *y) { int *p = t; p[threadIdx.x] = 5; y[threadIdx.x] = "
    "t[threadIdx.x]; }",
    NULL },
  { "__device__ int n;\nstruct s { __device__ void set () { n = 5; } };\n"
    "__global__ void k (int *y) { s a; a.set (); y[threadIdx.x] = n; }",
    NULL },
  { "__constant__ int mask[2] = { 5, 6 };\n__global__ void k (int *y) { y[threadIdx.x] = mask[0]; }", NULL },
  { "__constant__ int five { 5 };\n__global__ void k (int *y) { y[threadIdx.x] = five; }", NULL },
  { "__constant__ int mask[2];\n__global__ void k (int *y) { y[threadIdx.x] = 5; }", NULL },
  { "__constant__ int mask[2];\n__global__ void other (int *y) { y[0] = mask[0]; }\n"
    "__global__ void k (int *y) { y[threadIdx.x] = 5; }",
    NULL },
  { "__device__ int t[4];\n__global__ void k (int *y) { t[threadIdx.x] = 5; y[threadIdx.x] = t[threadIdx.x]; }", NULL },
  { "__device__ int n;\n__global__ void k (int *y) { atomicMax (&n, 5); y[threadIdx.x] = n; }", NULL },
  { "__device__ int n;\n__device__ void set (int &v) { v = 5; }\n"
    "__global__ void k (int *y) { set (n); y[threadIdx.x] = n; }",
    NULL },
  { "__device__ int t[4];\n__device__ void set (int *v) { v[threadIdx.x] = 5; }\n"
    "__global__ void k (int *y) { set (t); y[threadIdx.x] = t[threadIdx.x]; }",
    NULL },
};

static void
test_file_variables_unfilled (void)
{
  static const gint32 fives[4] = { 5, 5, 5, 5 };

  for (guint i = 0; i < G_N_ELEMENTS (unfilled); i++)
    if (unfilled[i].says != NULL)
      test_file_assert_refused (unfilled[i].text, "entry=k block=4", unfilled[i].says);
    else
      test_file_assert (unfilled[i].text, "entry=k block=4", fives);
}

/* Two of each type, the least and the greatest and what is between. */
static void
test_file_variables_filled (void)
{
  static const struct
  {
    const char *type, *given, *as_bits;
    guint64 wanted[4]; /* 32 bits of a[0], of a[1], and the same of `s` and of `b` */
  } table[] = {
    { "int", "s=-7", "(unsigned) ", { 0x80000000u, 0x7fffffffu, (guint32) -7, 0 } },
    { "unsigned char", "s=255, b=true", "(unsigned) ", { 0, 255, 255, 1 } },
    { "short", "s=-32768,b=1", "(unsigned) ", { 0xffff8000u, 0x7fff, 0xffff8000u, 1 } },
    { "float", "s=-0.1", "(unsigned) __float_as_int ", { 0x80000000u, 0x00000001u, 0xbdcccccdu, 0 } },
    { "long long", "s=-9223372036854775808", "(unsigned) ", { 1, 0xffffffffu, 0, 0 } },
  };
  static const gint32 ints[2] = { G_MININT32, G_MAXINT32 };
  static const guint8 bytes[2] = { 0, 255 };
  static const gint16 shorts[2] = { G_MININT16, G_MAXINT16 };
  static const guint32 floats[2] = { 0x80000000u, 0x00000001u };
  static const gint64 longs[2] = { G_MININT64 + 1, -1 };
  static const LeatDtype dtypes[] = { LEAT_DTYPE_I32, LEAT_DTYPE_U8, LEAT_DTYPE_I16, LEAT_DTYPE_F32, LEAT_DTYPE_I64 };
  static const guint64 two = 2;
  const void *items[] = { ints, bytes, shorts, floats, longs };
  static const gsize sizes[] = { sizeof ints, sizeof bytes, sizeof shorts, sizeof floats, sizeof longs };
  g_autofree char *npy = leat_harness_dup_path ("a.npy"), *raw = leat_harness_dup_path ("a.bin");

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    for (guint is_raw = 0; is_raw < 2; is_raw++)
      {
        g_autofree char *text =
          g_strdup_printf ("__constant__ %s a[2], s; __constant__ bool b%s;\n"
                           "__global__ void k (int *y) { unsigned v[4] = { %s(a[0]), %s(a[1]), %s(s), b };\n"
                           "  y[threadIdx.x] = (int) v[threadIdx.x]; }",
                           table[i].type, strstr (table[i].given, "b=") != NULL ? "" : " = false", table[i].as_bits,
                           table[i].as_bits, table[i].as_bits);
        g_autofree char *properties =
          g_strdup_printf ("block=4 variables=\"a=%s, %s\"", is_raw ? "a.bin" : "a.npy", table[i].given);
        guint8 file[LEAT_NPY_HEADER_BYTES + 16];
        gint32 wanted[4];

        leat_harness_format_npy (dtypes[i], &two, 1, file);
        memcpy (file + LEAT_NPY_HEADER_BYTES, items[i], sizes[i]);
        leat_harness_write_file (npy, file, LEAT_NPY_HEADER_BYTES + sizes[i]);
        leat_harness_write_file (raw, items[i], sizes[i]);
        for (guint k = 0; k < 4; k++)
          wanted[k] = (gint32) table[i].wanted[k];
        test_file_assert (text, properties, wanted);
      }
}

static void
test_file_variables_refused (void)
{
  static const char text[] = "__constant__ int a[2]; __constant__ unsigned char c; __constant__ float f[2];\n"
                             "struct p { int a; }; __constant__ p s;\n"
                             "__constant__ int d = 3;\n__global__ void k (int *y) { y[threadIdx.x] = a[0]; }";
  static const struct
  {
    const char *variables, *says;
  } table[] = {
    { "a", "variables=a: expected NAME=FILE or NAME=NUMBER" },
    { "q=1", "has no __constant__ or __device__ variable \"q\" without an initialiser" },
    { "d=1", "has no __constant__ or __device__ variable \"d\" without an initialiser" },
    { "a=none.npy", "variables=a=none.npy: cannot read \"" },
    { "c=256", "variables=c=256: u8 does not hold that number" },
    { "s=1", "\"s\" is neither a number nor an array of numbers" },
    { "a=three.bin", "variable a takes from 1 to 65536 bytes of i32 from a regular file, and here are 3" },
    { "a=f.npy", "variables=a=f.npy: it holds f32, and variable a is of i32" },
    { "a=1", "variable a is not of the size of the 1 values for it" },
    { "f=f.npy", "the values of \"f\" are not all finite numbers" },
  };
  static const guint32 floats[2] = { 0x7f800000u, 0 };
  static const guint64 two = 2;
  g_autofree char *npy = leat_harness_dup_path ("f.npy"), *raw = leat_harness_dup_path ("three.bin");
  guint8 file[LEAT_NPY_HEADER_BYTES + sizeof floats];

  leat_harness_format_npy (LEAT_DTYPE_F32, &two, 1, file);
  memcpy (file + LEAT_NPY_HEADER_BYTES, floats, sizeof floats);
  leat_harness_write_file (npy, file, sizeof file);
  leat_harness_write_file (raw, "abc", 3);
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autofree char *properties = g_strdup_printf ("block=4 variables=\"%s\"", table[i].variables);

      test_file_assert_refused (text, properties, table[i].says);
    }
}

/* Two nodes with one file, and values of their own. */
static void
test_file_variables_of_nodes (void)
{
  static const char text[] = "__constant__ int gain;\n__global__ void k (const int *x, int *y) "
                             "{ y[threadIdx.x] = gain * x[threadIdx.x]; }";
  static const gint32 data[4] = { 1, 2, 3, 4 }, wanted[4] = { 15, 30, 45, 60 };
  g_autofree char *path = leat_harness_dup_path ("file.cu"), *graph_path = leat_harness_dup_path ("file.leat");
  static const char *const graphs[] = {
    "leat 1\na = app spec=i32[4]\nb = app\na -> upload -> kernel source=file.cu block=4 variables=gain=3 -> "
    "kernel source=file.cu block=4 variables=gain=5 -> readback -> b\n",
    "leat 1\na = app spec=i32[4]\nb = app\nm = megakernel {\n  f = kernel source=file.cu block=4 variables=gain=3\n"
    "  g = kernel source=file.cu block=4 variables=gain=5\n  in.x -> f.x\n  f.y -> g.x\n  g.y -> out.y\n}\n"
    "a -> upload -> m.x\nm.y -> readback -> b\n",
  };

  leat_harness_write_file (path, text, strlen (text));
  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatPipeline) pipeline = NULL;
      g_autoptr (LeatSession) session = NULL;
      g_autoptr (GBytes) bytes = g_bytes_new (data, sizeof data), result = NULL;

      leat_harness_write_file (graph_path, graphs[i], strlen (graphs[i]));
      pipeline = leat_parse_file (graph_path, NULL, &error);
      g_assert_no_error (error);
      session = leat_session_new (pipeline, NULL);
      leat_session_open (session, NULL, &error);
      g_assert_no_error (error);
      leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)), bytes, &error);
      leat_app_end (LEAT_APP (leat_pipeline_get_node (pipeline, "a", NULL)));
      leat_session_run (session, NULL, &error);
      g_assert_no_error (error);
      result = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "b", NULL)), 0, &error);
      g_assert_no_error (error);
      g_assert_cmpmem (g_bytes_get_data (result, NULL), g_bytes_get_size (result), wanted, sizeof wanted);
      leat_session_close (session);
    }
}

/* What is said of the launch is what is planned. */
static void
test_file_launch (void)
{
  static const char text[] = "__global__ void k (int *y) { y[threadIdx.x % 4] = 2; }";
  static const struct
  {
    const char *properties, *says;
  } table[] = {
    { "block=4", " k grid 1x1x1 block 4x1x1\n" },
    { "block=4x3x2 grid=7x6x5", " k grid 7x6x5 block 4x3x2\n" },
    { "block=64 grid=occupancy", " k grid by occupancy block 64x1x1\n" },
    { "block=4 shared=100", " k grid 1x1x1 block 4x1x1 shared 100\n" },
    { "block=4 grid=occupancy cooperative=true", " k grid by occupancy block 4x1x1 cooperative\n" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = test_file_parse (text, table[i].properties, &error);
      g_autoptr (LeatPlan) plan = NULL;
      g_autofree char *planned = NULL;

      g_assert_no_error (error);
      plan = leat_plan_new (pipeline, &error);
      g_assert_no_error (error);
      planned = leat_plan_to_text (plan);
      if (strstr (planned, table[i].says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", planned, table[i].says);
    }
}

/* More shared memory than a block can have. */
static void
test_file_shared_too_large (void)
{
  static const char text[] = "__global__ void k (int *y) { __shared__ int s[13000]; s[threadIdx.x] = 2; __syncthreads "
                             "(); y[threadIdx.x] = s[3 - "
                             "threadIdx.x]; }";
  static const char *const graphs[] = { "block=4", "block=4 grid=occupancy", "block=4 cooperative=true" };

  for (guint i = 0; i < G_N_ELEMENTS (graphs); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) result = test_file_run (text, graphs[i], &error);

      g_test_message ("%s", error != NULL ? error->message : "no error");
      g_assert_null (result);
      g_assert_nonnull (
        strstr (error->message, "kernel \"k\" declares 52000 bytes of __shared__ memory, and a block on "));
    }
}

#define BOUNDED(bounds)                                                                                                \
  "constexpr int WARPS = 2, WIDE = WARPS * (16 << 1);\nenum { NARROW = WIDE / 2 };\n"                                  \
  "__global__ void __launch_bounds__ (" bounds ") k (int *y) { if (threadIdx.x < 4) y[threadIdx.x] = blockDim.x; }"

/* A kernel that is compiled for blocks of some size. */
static void
test_file_bounds (void)
{
  static const struct
  {
    const char *bounds, *properties;
    gint32 threads;   /* of the block */
    const char *says; /* where it is refused */
  } table[] = {
    { BOUNDED ("64"), "", 64, NULL },
    { BOUNDED ("64, 2"), "block=64", 64, NULL },
    { BOUNDED ("64"), "block=32", 32, NULL },
    { BOUNDED ("64"), "block=65", 0, "block=65 is 65 threads, and kernel k is compiled for at most 64" },
    { BOUNDED ("64"), "block=16x8", 0, "block=16x8 is 128 threads" },
    { BOUNDED ("WIDE"), "", 64, NULL },
    { BOUNDED ("WIDE"), "block=128", 0, "compiled for at most 64" },
    { BOUNDED ("(NARROW + 2 * 3u) - 6"), "", 32, NULL },
    { BOUNDED ("512"), "", 256, NULL },
    { BOUNDED ("512"), "block=1024", 0, "compiled for at most 512" },
    /* Not read before it is compiled. */
    { BOUNDED ("sizeof (double) * 8"), "block=128", 0, "is compiled for at most 64" },
    { BOUNDED ("sizeof (double) * 8"), "block=64", 64, NULL },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      gint32 wanted[4] = { table[i].threads, table[i].threads, table[i].threads, table[i].threads };

      if (table[i].says != NULL)
        test_file_assert_refused (table[i].bounds, table[i].properties, table[i].says);
      else
        test_file_assert (table[i].bounds, table[i].properties, wanted);
    }
}

/* A barrier of the grid by hand hangs where not all blocks run at once. */
static void
test_file_grid_barrier (void)
{
  static const char text[] = "__device__ unsigned int arrived;\n"
                             "__global__ void k (int *y)\n{\n  if (threadIdx.x == 0) atomicAdd (&arrived, 1u);\n"
                             "  while (atomicAdd (&arrived, 0u) < gridDim.x) ;\n  y[threadIdx.x] = 7;\n}";
  static const char looks[] =
    "__device__ volatile int arrived;\n"
    "__global__ void k (int *y)\n{\n  if (threadIdx.x == 0) atomicAdd ((int *) &arrived, 1);\n"
    "  while (arrived < gridDim.x) ;\n  y[threadIdx.x] = 7;\n}";
  static const gint32 sevens[4] = { 7, 7, 7, 7 };

  test_file_assert_refused (text, "block=4 grid=8",
                            "file.cu:5:3: this loop waits for all blocks of the grid, and only a "
                            "cooperative launch is sure to run them all at once");
  test_file_assert_refused (text, "block=4 grid=occupancy", "set cooperative=true");
  test_file_assert_refused (looks, "block=4 grid=8", "file.cu:5:3: this loop waits for all blocks of the grid");
  test_file_assert (text, "block=4", sevens);
  test_file_assert (text, "block=4 grid=1 cooperative=true", sevens);
}

/* What a kernel only reads is an input, whether or not its prototype says const. */
static void
test_file_only_read (void)
{
  static const char text[] = "__global__ void k (int *in, int *y) { y[threadIdx.x] = 3 * in[threadIdx.x]; }";
  g_autofree char *path = leat_harness_dup_path ("read.cu");
  g_autofree char *graph = g_strdup_printf ("leat 1\na = app spec=i32[4]\nk = kernel source=%s block=4\n"
                                            "a -> upload -> k.in\nk.y -> discard\n",
                                            path);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatPlan) plan = NULL;

  leat_harness_write_file (path, text, strlen (text));
  pipeline = leat_parse_text (graph, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_no_error (error);
  g_assert_null (leat_bus_pop (leat_pipeline_get_bus (pipeline), 0));
}

/* Links that a kernel's prototype, or the body of a loop, does not let be. */
static void
test_file_links (void)
{
  static const char text[] = "__global__ void k (int *in, int *y) { y[threadIdx.x] = in[threadIdx.x]++; }";
  static const struct
  {
    const char *graph, *says;
  } table[] = {
    { "leat 1\na = app spec=i32[4]\nk = kernel source=read.cu\na -> upload -> k.in\nk.y -> discard\n",
      "both are outputs; what a kernel only reads is an input if it is const T *NAME in its file, and update=NAME on" },
    { "leat 1\na = app spec=i32[4]\nl = loop max-iterations=2 {\n  m = map expr=x+1\n  r = readback\n  u = upload\n"
      "  in.x -> m -> u -> out.x\n}\na -> upload -> l.x\nl.x -> readback -> app\n",
      "which a body has none of: link what comes out of the body to it" },
  };
  g_autofree char *path = leat_harness_dup_path ("read.cu"), *graph_path = leat_harness_dup_path ("links.leat");

  leat_harness_write_file (path, text, strlen (text));
  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPipeline) pipeline = NULL;

      leat_harness_write_file (graph_path, table[i].graph, strlen (table[i].graph));
      pipeline = leat_parse_file (graph_path, NULL, &error);
      g_test_message ("%s", error != NULL ? error->message : "no error");
      g_assert_null (pipeline);
      g_assert_nonnull (strstr (error->message, table[i].says));
    }
}

/* What is wrong is where the property stands that asks for it. */
static void
test_file_blames (void)
{
  static const char text[] = "__global__ void k (int *y) { y[threadIdx.x] = 1; }";

  test_file_assert_refused ("int none;", "", "file.leat:2:19: ");
  test_file_assert_refused (text, "entry=none", "file.leat:2:49: ");
  test_file_assert_refused (text, "entry=k update=none", "file.leat:2:58: ");
  test_file_assert_refused (text, "variables=none=3", "file.leat:2:53: ");
}

/* CUDA's heap of the device, which has 8 MiB. */
static void
test_file_heap (void)
{
  static const gint32 twos[4] = { 2, 3, 4, 5 }, yes[4] = { 1, 1, 1, 1 };

  test_file_assert ("__global__ void k (int *y) { int *p = new int[2]; p[1] = 2 + threadIdx.x; y[threadIdx.x] = p[1];\n"
                    "  delete[] p; }",
                    "block=4", twos);
  test_file_assert ("struct node { node *next; int v; __device__ node (node *n, int w) : next (n), v (w) {} };\n"
                    "__global__ void k (int *y) { node *list = nullptr;\n"
                    "  for (int i = 0; i < 3; i++) list = new node (list, i + threadIdx.x);\n"
                    "  y[threadIdx.x] = list->v;\n"
                    "  while (list) { node *next = list->next; delete list; list = next; } }",
                    "block=4", twos);
  test_file_assert ("__global__ void k (int *y) { int *p = (int *) malloc (sizeof (int)); *p = 2 + threadIdx.x;\n"
                    "  y[threadIdx.x] = *p; free (p); free (NULL); }",
                    "block=4", twos);
  /* There is an end to it, and what was given back can be had again. */
  test_file_assert ("__device__ int fill () { void *first = nullptr; int n = 0;\n"
                    "  for (void *p; (p = malloc (1 << 20)) != nullptr; n++) { *(void **) p = first; first = p; }\n"
                    "  while (first) { void *next = *(void **) first; free (first); first = next; } return n; }\n"
                    "__global__ void k (int *y) { if (threadIdx.x == 0) { int n = fill (), m = fill ();\n"
                    "  for (int i = 0; i < 4; i++) y[i] = n >= 1 && n <= 8 && n == m; } }",
                    "block=4", yes);
}

/* What compilers make a call of their own library of. */
static void
test_file_wide_integers (void)
{
  static const gint32 wanted[4] = { 0, 81, 324, 729 };

  test_file_assert ("__global__ void k (int *y) { unsigned __int128 v = threadIdx.x * 9 + (threadIdx.x > 9);\n"
                    "  v = v * v * 1000000007u % 1000000007000u / 1000000007u; float f = (float) (__int128) v;\n"
                    "  y[threadIdx.x] = (int) (long long) (__int128) f; }",
                    "block=4", wanted);
}

int
main (int argc, char **argv)
{
  int failed;

  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/kernel-file/variables-unfilled", test_file_variables_unfilled);
  g_test_add_func ("/leat/base/kernel-file/variables-filled", test_file_variables_filled);
  g_test_add_func ("/leat/base/kernel-file/variables-refused", test_file_variables_refused);
  g_test_add_func ("/leat/base/kernel-file/variables-of-nodes", test_file_variables_of_nodes);
  g_test_add_func ("/leat/base/kernel-file/launch", test_file_launch);
  g_test_add_func ("/leat/base/kernel-file/shared-too-large", test_file_shared_too_large);
  g_test_add_func ("/leat/base/kernel-file/bounds", test_file_bounds);
  g_test_add_func ("/leat/base/kernel-file/grid-barrier", test_file_grid_barrier);
  g_test_add_func ("/leat/base/kernel-file/only-read", test_file_only_read);
  g_test_add_func ("/leat/base/kernel-file/links", test_file_links);
  g_test_add_func ("/leat/base/kernel-file/blames", test_file_blames);
  g_test_add_func ("/leat/base/kernel-file/heap", test_file_heap);
  g_test_add_func ("/leat/base/kernel-file/wide-integers", test_file_wide_integers);
  failed = g_test_run ();
  leat_harness_remove_files ();
  return failed;
}
