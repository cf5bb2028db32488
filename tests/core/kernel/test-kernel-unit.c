/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "fuse/leat-kernel-fuse-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* What is read of a kernel file's text, without a compiler: the names of what it declares, how large its blocks may be,
 * behind which types a reference hides, which guards end a loop over threads, and what each form of it has. */

static LeatKernelSource *
unit_make_source (const char *text)
{
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new ("t.cu", text, &error);

  if (source == NULL)
    g_error ("%s: %s", text, error->message);
  return source;
}

static const LeatPrototype *
unit_get_prototype (LeatKernelSource *source)
{
  g_autoptr (GError) error = NULL;
  const LeatPrototype *prototype = leat_kernel_source_get_prototype (source, "f", &error);

  g_assert_no_error (error);
  return prototype;
}

#pragma GCC diagnostic ignored "-Wparentheses"

/* What C makes of it. */
#define BOUND(...)                                                                                                     \
  {                                                                                                                    \
#__VA_ARGS__, (__VA_ARGS__)                                                                                        \
  }

/* The same for C and for the kernel. */
#define UNIT_CONSTANTS                                                                                                 \
  enum                                                                                                                 \
  {                                                                                                                    \
    FIRST,                                                                                                             \
    WIDE = 128,                                                                                                        \
    NARROW = WIDE / 4 + 1,                                                                                             \
    LAST = (NARROW - 1) * 2                                                                                            \
  };
#define UNIT_TEXT(...)  UNIT_QUOTE (__VA_ARGS__)
#define UNIT_QUOTE(...) #__VA_ARGS__
UNIT_CONSTANTS

static const struct
{
  const char *words;
  gint64 value;
} bounds[] = {
  BOUND (64),
  BOUND (0x40),
  BOUND (0100),
  BOUND (64u),
  BOUND (64UL),
  BOUND (64ull),
  BOUND (1),
  BOUND (3 + 4 * 5),
  BOUND (3 * 4 + 5),
  BOUND (100 - 10 - 5),
  BOUND (100 - (10 - 5)),
  BOUND (100 / 10 / 5),
  BOUND (100 / (10 / 5)),
  BOUND (100 / 7 % 5),
  BOUND (1 + 17 % 7 * 3),
  BOUND (1 << 2 + 3),
  BOUND ((1 << 2) + 3),
  BOUND (2 << 2 << 3),
  BOUND (1024 >> 2 >> 1),
  BOUND (256 >> 1 + 1),
  BOUND (1 + 3 << 2 * 2),
  BOUND (8 << 0),
  BOUND (1 << 30),
  BOUND (1073741824 >> 30),
  BOUND (10 + (2 - 8) / 2),
  BOUND (10 + (2 - 8) % 4),
  BOUND (10 + (2 - 8 >> 1)),
  BOUND ((2 - 8) * (1 - 4)),
  BOUND ((0 << 3) + 5),
  BOUND (5 - 0 % 3 - 0 / 3),
  BOUND (2147483647),
  BOUND (2147483646 + 1),
  BOUND (2147483647 - 1),
  BOUND (64 + 0 * (0 - 2147483646 - 1)),
  BOUND (+64),
  BOUND (WIDE),
  BOUND (NARROW),
  BOUND (LAST),
  BOUND ((LAST) + WIDE * 2),
  { "ONE", 4 },
  { "TWO + ONE", 36 },
  { "THREE", 33 },
  { "FOUR", 7 },
  { "64, 2", 64 },
  { "(64), 2", 64 },
  { "min_of<1, 2>::value, 3", 0 },
  /* No number of threads. */
  { "", 0 },
  { "0", 0 },
  { "1 - 1", 0 },
  { "1 - 2", 0 },
  { "5 / 0", 0 },
  { "5 % (3 - 3)", 0 },
  { "1 << (1 - 2)", 0 },
  { "64 >> (1 - 2)", 0 },
  { "(1 - 2) << 1", 0 },
  { "1 << 31", 0 },
  { "64 + (1 >> 31)", 0 },
  { "2147483648", 0 },
  { "2147483647 + 1", 0 },
  { "64 + 2147483647", 0 },
  /* Not read. */
  { "64.0", 0 },
  { "64f", 0 },
  { "089", 0 },
  { "64 +", 0 },
  { "64 65", 0 },
  { "(64 65)", 0 },
  { "64 > 2", 0 },
  { "64 & 127", 0 },
  { "sizeof (int)", 0 },
  { "FIRST", 0 },
  { "OPEN", 0 },
  { "INNER", 0 },
  { "LATE", 0 },
  { "ITSELF", 0 },
  { "EACH", 0 },
  { "f", 0 },
  { "NOWHERE", 0 },
};

static guint
unit_read_bounds (const char *words)
{
  g_autofree char *text = g_strdup_printf (
    UNIT_TEXT (UNIT_CONSTANTS) "\nconstexpr int ONE = 4, TWO = ONE * 8; const unsigned THREE = TWO + 1;\n"
                               "enum kind : int { KIND, FOUR = 7 };\nint OPEN = 64; int later = 3, LATE = 5;\n"
                               "constexpr int ITSELF = ITSELF + 1; constexpr int EACH = OTHER + 0, OTHER = EACH + 0;\n"
                               "__device__ int g () { const int INNER = 64, more = 1; return INNER; }\n"
                               "__global__ void __launch_bounds__ (%s) f (int *y) {}",
    words);
  g_autoptr (LeatKernelSource) source = unit_make_source (text);

  return unit_get_prototype (source)->launch_bounds;
}

static void
test_unit_bounds (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bounds); i++)
    {
      guint read = unit_read_bounds (bounds[i].words);

      if (read != bounds[i].value)
        g_error ("__launch_bounds__ (%s) is read as %u", bounds[i].words, read);
    }
}

/* Brackets, and names that are made of names, are followed so far; beyond, the compiler is left to know. */
static void
test_unit_bounds_deep (void)
{
  for (guint depth = 0; depth < 40; depth++)
    {
      g_autofree char *open = g_strnfill (depth, '('), *close = g_strnfill (depth, ')');
      g_autofree char *words = g_strconcat (open, "64", close, NULL);

      g_assert_cmpuint (unit_read_bounds (words), ==, depth < 16 ? 64 : 0);
    }
}

#define PLACE "__device__ int at () { return threadIdx.y; }"

/* Declarations of `named`, at whose end the kernel is one that asks for threadIdx.y. */
static const char *const declared[] = {
  /* types */
  "struct named { " PLACE " };",
  "class named { public: " PLACE " };",
  "union named { int a; " PLACE " };",
  "struct __align__ (8) named { " PLACE " };",
  "struct alignas (8) named { " PLACE " };",
  "struct alignas (8) __align__ (16) named { " PLACE " };",
  "struct __attribute__ ((aligned (8))) named { " PLACE " };",
  "struct [[maybe_unused]] named { " PLACE " };",
  "struct [[maybe_unused]] alignas (8) named { " PLACE " };",
  "enum class named { A = sizeof (threadIdx.y) };",
  "enum named { A = sizeof (threadIdx.y) };",
  "template <int N> struct named { " PLACE " };",
  "template <class T, class U> struct named { " PLACE " };",
  "template <class T = box<int>> struct named { " PLACE " };",
  "template <class T = box<box<int>>> struct named { " PLACE " };",
  "template <int N = (2 > 1)> struct named { " PLACE " };",
  "template <class T> template <class U> struct named { " PLACE " };",
  "template <template <class> class T> struct named { " PLACE " };",
  "typedef struct { " PLACE " } named;",
  "typedef struct other { " PLACE " } named;",
  "struct base { " PLACE " }; struct named : base { };",
  "struct base { " PLACE " }; typedef base named;",
  "struct base { " PLACE " }; typedef base named[4];",
  "struct base { " PLACE " }; typedef base (*named) (int);",
  "struct base { " PLACE " }; using named = base;",
  /* variables */
  "int named = threadIdx.y;",
  "static const int named { threadIdx.y };",
  "int *const named = threadIdx.y;",
  "int named[4] = { threadIdx.y };",
  "int named[N] = { threadIdx.y };",
  "int named[N][M] { threadIdx.y };",
  "int (*named) = threadIdx.y;",
  "int (*const named) (int) = threadIdx.y;",
  "int (**named)[3] = threadIdx.y;",
  "int (*const volatile *__restrict__ named)[3] = threadIdx.y;",
  "int (*(*named)) () = threadIdx.y;",
  "__align__ (8) int named = threadIdx.y;",
  "alignas (8) int named = threadIdx.y;",
  "int named __attribute__ ((unused)) = threadIdx.y;",
  "int named [[maybe_unused]] = threadIdx.y;",
  "decltype (other) named = threadIdx.y;",
  "int first, named = threadIdx.y;",
  "int named = threadIdx.y, last = 0;",
  "int first[2] = { 1, 2 }, *named = threadIdx.y;",
  "int named = twice (threadIdx.y);",
  "int named = [] { return threadIdx.y; } ();",
  "box<int, int> first, named = threadIdx.y;",
  "box<box<int>> named = threadIdx.y, last;",
  "box<box<box<int>>> named = threadIdx.y, last;",
  "int first = 1024 >> 2, named = threadIdx.y;",
  "extern \"C\" int named = threadIdx.y;",
  "extern \"C\" { int named = threadIdx.y; }",
  "; extern \"C\" { ; } int named = threadIdx.y;",
  /* functions */
  "__device__ int named () { return threadIdx.y; }",
  "__device__ int named (); __device__ int named () { return threadIdx.y; }",
  "__device__ auto named () -> int { return threadIdx.y; }",
  "template <class T> __device__ T named (T v) { return threadIdx.y; }",
  "__device__ __attribute__ ((noinline)) int named (int v) { return threadIdx.y; }",
  "[[nodiscard]] __device__ int named (int (*f) (int)) { return threadIdx.y; }",
  "__device__ int inner () { return threadIdx.y; } __device__ int named () { return inner (); }",
  "__device__ int named () { return inner (); } __device__ int inner () { return threadIdx.y; }",
  "__device__ int named () { return outer (); } __device__ int outer () { return inner (); }"
  "__device__ int inner () { return threadIdx.y; }",
};

static guint
unit_count_axes (const char *declaration, const char *word)
{
  g_autofree char *text = g_strdup_printf ("%s\n__global__ void f (int *y) { y[0] = %s (0); }", declaration, word);
  g_autoptr (LeatKernelSource) source = unit_make_source (text);

  return unit_get_prototype (source)->n_axes;
}

static void
test_unit_names (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (declared); i++)
    if (unit_count_axes (declared[i], "named") != 2 || unit_count_axes (declared[i], "unnamed") != 1)
      g_error ("what is declared here is not found: %s", declared[i]);
}

/* Whether `kept` is, or keeps, a reference. */
static const struct
{
  const char *declaration;
  gboolean refers;
} references[] = {
  { "typedef int &kept;", TRUE },
  { "typedef int &&kept;", TRUE },
  { "typedef int (&kept)[4];", TRUE },
  { "typedef void kept (int &);", TRUE },
  { "typedef void (*kept) (int &);", TRUE },
  { "typedef struct { int &to; } kept;", TRUE },
  { "typedef struct inner { int &to; } kept;", TRUE },
  { "using kept = int &;", TRUE },
  { "using kept = decltype (n);", TRUE },
  { "template <class T> using kept = T &;", TRUE },
  { "struct kept { int &to; };", TRUE },
  { "struct kept { int n, &to; };", TRUE },
  { "struct kept { int &&to; };", TRUE },
  { "class kept { int &to; };", TRUE },
  { "struct __align__ (8) kept { int &to; };", TRUE },
  { "struct alignas (8) __align__ (8) kept { int &to; };", TRUE },
  { "struct [[maybe_unused]] kept { int &to; };", TRUE },
  { "template <class T> struct kept { T &to; };", TRUE },
  { "struct kept { void set (int n) { } int &to; };", TRUE },
  /* by another name, also one that comes later */
  { "typedef int &ref; typedef ref kept;", TRUE },
  { "typedef int &ref; using kept = ref;", TRUE },
  { "typedef int &ref; struct kept { ref to; };", TRUE },
  { "struct inner { int &to; }; struct kept { inner i; };", TRUE },
  { "struct inner { int &to; }; struct kept : inner { };", TRUE },
  { "struct kept { using ref = int &; ref to; };", TRUE },
  { "struct kept { struct inner { int &to; } i; };", TRUE },
  { "struct kept { struct inner { struct core { int &to; } c; } i; };", TRUE },
  /* none */
  { "typedef int kept;", FALSE },
  { "typedef int *kept;", FALSE },
  { "typedef int kept (int *);", FALSE },
  { "typedef struct { int *to; } kept;", FALSE },
  { "typedef struct { void set (int &to); } kept;", FALSE },
  { "using kept = int *;", FALSE },
  { "struct kept;", FALSE },
  { "struct kept { int *to; };", FALSE },
  { "struct kept { void set (int &to) { int &r = to; r = 1; } int n; };", FALSE },
  { "struct kept { int n; kept &operator= (const kept &); };", FALSE },
  { "template <class kept> struct other { int &to; };", FALSE },
  { "template <class T, class kept> struct other { int &to; };", FALSE },
  { "struct other { int &to; }; struct kept { int n; };", FALSE },
};

/* A loop that mentions such a type keeps its stride, which is told. */
static void
test_unit_references (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (references); i++)
    {
      g_autofree char *text = g_strdup_printf (
        "%s\n__global__ void f (int *y, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i "
        "< n; i += blockDim.x * gridDim.x) y[i] = sizeof (kept); }",
        references[i].declaration);
      g_autoptr (LeatKernelSource) source = unit_make_source (text);
      g_auto (GStrv) warnings = leat_kernel_source_list_entry_warnings (source, "f");

      if ((warnings[0] != NULL) != references[i].refers)
        g_error ("%s: %s", references[i].declaration, warnings[0] != NULL ? warnings[0] : "not seen");
    }
}

static guint
unit_count (const char *text, const char *word)
{
  guint n = 0;

  for (; (text = strstr (text, word)) != NULL; text += strlen (word))
    n++;
  return n;
}

#define X "int i = blockIdx.x * blockDim.x + threadIdx.x; "
#define Y "int j = blockIdx.y * blockDim.y + threadIdx.y; "
#define Z "int k = blockIdx.z * blockDim.z + threadIdx.z; "

/* The axes along which the guard of a kernel ends the loop over the threads of a block. */
static const struct
{
  const char *body, *axes;
} guards[] = {
  { X "if (i < n) y[i] = 1;", "x" },
  { X "if (n > i) y[i] = 1;", "x" },
  { X "if (i >= n) return; y[i] = 1;", "x" },
  { X "if (n <= i) return; y[i] = 1;", "x" },
  { X "if (((i >= n))) { return; } y[i] = 1;", "x" },
  { X Y "if (i < n && j < m) y[i] = 1;", "xy" },
  { X Y "if (i >= n || j >= m) return; y[i] = 1;", "xy" },
  { X Y "if ((i >= n) || (m <= j)) return; y[i] = 1;", "xy" },
  { X Y Z "if (k < n && j < n && i < n) y[i] = 1;", "xyz" },
  { X Y Z "if (i >= n) return; if (j >= n) return; if (k >= n) return; y[i] = 1;", "xyz" },
  { X "if (i & 1) return; if (i >= n) return; y[i] = 1;", "x" },
  { X "if (i < n && (i & 1)) y[i] = 1;", "x" },
  { X "int v[4] = { 0 }; if (i < n) y[i] = v[0];", "" },
  { X "int v = (int) (i * 2); if (i < n) y[i] = v;", "x" },
  { X "int v = int (i); if (i < n) y[i] = v;", "x" },
  { X "int v = twice (i); if (i < n) y[i] = v;", "" },
  { X "y[0] = 1; if (i < n) y[i] = 1;", "" },
  { X "if (i < n) y[i] = 1; else y[i] = 2;", "" },
  { X "if (i < n) y[i] = 1; y[0] = 2;", "" },
  { X "if (i < n || j) y[i] = 1;", "" },
  { X "if (i >= n && j) return; y[i] = 1;", "" },
  { X "if (i <= n) y[i] = 1;", "" },
  { X "if (i < n + 1) y[i] = 1;", "" },
  { X "if (i < n) return; y[i] = 1;", "" },
  { X "if (y[0]++) return; if (i >= n) return; y[i] = 1;", "" },
  { X "if (y[0]--) return; if (i >= n) return; y[i] = 1;", "" },
  { X "if (twice (i)) return; if (i >= n) return; y[i] = 1;", "" },
  { X "n = 3; if (i < n) y[i] = 1;", "" },
  { X "if (i < real) y[i] = 1;", "" },
  { X "if (i < 100) y[i] = 1;", "" },
  { "short i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;", "" },
  { "unsigned i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;", "x" },
  { "unsigned long long i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) y[i] = 1;", "x" },
};

static void
test_unit_guards (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (guards); i++)
    {
      g_autofree char *text = g_strdup_printf ("__device__ int twice (int v) { return 2 * v; }\n"
                                               "__global__ void f (int *y, int n, int m, float real) { %s }",
                                               guards[i].body);
      g_autoptr (LeatKernelSource) source = unit_make_source (text);
      const char *host = leat_kernel_source_get_host_text (source, NULL);

      for (const char *axis = "xyz"; *axis != '\0'; axis++)
        {
          g_autofree char *end =
            g_strdup_printf ("leat_b.index.%c * leat_b.block.%c, leat_b.block.%c)", *axis, *axis, *axis);
          guint expected = strchr (guards[i].axes, *axis) != NULL;

          if (unit_count (host, end) != expected)
            g_error ("along %c: %s", *axis, guards[i].body);
        }
    }
}

/* Each form has what it is for, and nothing else has: texts are compiled each time that they are another. */
static void
test_unit_forms (void)
{
  static const struct
  {
    LeatKernelForm form;
    const char *word;
  } has[] = { { LEAT_KERNEL_INDIRECT, "*leat_resolve (" },
              { LEAT_KERNEL_INDIRECT, "leat_resolve (p.y)" },
              { LEAT_KERNEL_WIDE, "*leat_at_lane (" },
              { LEAT_KERNEL_WIDE, "\"leat_wide_f\"" },
              { LEAT_KERNEL_WIDE, "\"leat_wide_g\"" },
              { LEAT_KERNEL_PERSISTENT, "\"leat_persistent\"" },
              { LEAT_KERNEL_PERSISTENT, "leat_stage_f (" },
              { LEAT_KERNEL_PERSISTENT, "leat_persistent_run_stage (" },
              { LEAT_KERNEL_PERSISTENT, "leat_kernels[i].static_shared > leat_kernels[" } };
  static const LeatKernelForm forms =
    LEAT_KERNEL_INDIRECT | LEAT_KERNEL_WIDE | LEAT_KERNEL_PERSISTENT | LEAT_KERNEL_WHOLE;
  g_autoptr (LeatKernelSource) source = unit_make_source (
    "__global__ void f (int *y, const int *x, int x_count) { __shared__ int s; s = x[0]; y[0] = s; }\n"
    "__global__ void g (int *y, int n) { y[threadIdx.x] = n; }\n"
    "LEAT_HOST_VARIANT void g (int *y, int n) { for (int i = 0; i < 32; i++) y[i] = n; }\n");

  for (LeatKernelForm form = 0; form <= forms; form++)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *text = NULL;

      if (form & ~forms)
        continue;
      text = leat_kernel_source_dup_host_text (source, form, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (has); i++)
        if ((strstr (text, has[i].word) != NULL) != ((form & has[i].form) != 0))
          g_error ("%s in the form %u", has[i].word, form);
      g_assert_nonnull (strstr (text, "void leat_thread_f ("));
      g_assert_nonnull (strstr (text, "void leat_whole_g ("));
      g_assert_cmpint (strstr (text, "void leat_thread_g (") == NULL, ==, (form & LEAT_KERNEL_WHOLE) != 0);
    }
}

/* A kernel, and why it cannot be a stage of one that stays; or what its text is then. */
static const struct
{
  const char *text, *why, *has;
} stages[] = {
  { "__global__ void f (int *y, int n) { for (int i = 0; i < n; i++) y[i] = 1; }", NULL,
    "for (int i = 0; leat_me (leat_self)->leat_tick (leat_ticks) && ( i < n); i++) y[i] = 1;" },
  { "__global__ void f (int *y, int n) { for (int i = 0;; i++) y[i] = 1; }", NULL,
    "for (int i = 0; leat_me (leat_self)->leat_tick (leat_ticks); i++) y[i] = 1;" },
  { "__global__ void f (int *y, int n) { for (;;) y[0] = 1; }", NULL,
    "for (; leat_me (leat_self)->leat_tick (leat_ticks);) y[0] = 1;" },
  { "__global__ void f (int *y, int n) { for (auto g = [&] { ; }; (n > 1); y[(n)] = 0) y[0] = 1; }", NULL,
    "{ ; }; leat_me (leat_self)->leat_tick (leat_ticks) && ( (n > 1)); y[(n)] = 0)" },
  { "__global__ void f (int *y, int n) { for (int v : t) y[v] = 1; }", NULL, "for (int v : t) y[v] = 1;" },
  { "__global__ void f (int *y, int n) { while (n > 0 || n < 9) n--; }", NULL,
    "while (leat_me (leat_self)->leat_tick (leat_ticks) && (n > 0 || n < 9)) n--;" },
  { "__global__ void f (int *y, int n) { do n--; while (n); }", NULL,
    "do n--; while (leat_me (leat_self)->leat_tick (leat_ticks) && (n));" },
  { "__global__ void f (int *y, int n) { for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * "
    "gridDim.x) y[i] = 1; }",
    NULL, "!leat_me (leat_self)->leat_tick (leat_ticks) && ( i" },
  { "__device__ void g (int n) { while (n) n--; }\n__global__ void f (int *y, int n) { g (n); }", NULL,
    "void g (leat_module *leat_self, int n) { unsigned int leat_ticks = 0; (void) leat_ticks; while (leat_me "
    "(leat_self)->leat_tick (leat_ticks) && (n)) n--; }" },
  { "__global__ void f (int *y, int n) { auto g = [&] { while (n) n--; }; g (); }", NULL,
    "[&] { while (leat_me (leat_self)->leat_tick (leat_ticks) && (n)) n--; }" },
  { "__global__ void f (int *y, int n) { auto g = [&, n] { while (y[0]) y[0]--; }; g (); }", NULL,
    "{ while (leat_me (leat_self)->leat_tick (leat_ticks) && (y[0])) y[0]--; }" },
  { "__global__ void f (int *y, int n) { auto g = [=] { y[0] = 1; }; while (n) n--; }", NULL,
    "while (leat_me (leat_self)->leat_tick (leat_ticks) && (n)) n--;" },
  { "__global__ void f (int *y, int n) { leat_grid_sync (); while (y[0]) __nanosleep (20); }", NULL, "leat_stage_f (" },
  { "constexpr __device__ int g (int n) { return n; }\n__global__ void f (int *y, int n) { y[0] = g (n); }", NULL,
    "!g (int n) { unsigned int leat_ticks" },
  { "struct s { int v; }; __device__ s operator+ (s a, s b) { return b; }\n__global__ void f (int *y, int n) { }", NULL,
    "!s b) { unsigned int leat_ticks" },
  { "__global__ void f (int *y, int n) { }\nLEAT_HOST_VARIANT void f (int *y, int n) { while (n) n--; }", NULL,
    "{ while (n) n--; }" },
  { "constexpr int g (int n) { return n; }\n__global__ void f (int *y, int n) { y[0] = g (n); }", NULL,
    "!g (int n) { unsigned int leat_ticks" },
  /* cannot be ended, or is more than a stage */
  { "__global__ void f (int *y, int n) { auto g = [=] { while (y[0]) y[0]--; }; g (); }",
    "there is a loop in a lambda" },
  { "__global__ void f (int *y, int n) { auto g = [&n] { for (;;) n--; }; g (); }", "there is a loop in a lambda" },
  { "__global__ void f (int *y, int n) { auto g = [y] { do y[0]--; while (y[0]); }; g (); }", "a loop in a lambda" },
  { "struct s { __device__ void g (int n) { while (n) n--; } };\n__global__ void f (int *y, int n) { s a; a.g (n); }",
    "a type of its file has a loop" },
  { "struct s { __device__ void g (int n) { for (;;) n--; } };\n__global__ void f (int *y, int n) { s a; a.g (n); }",
    "a type of its file has a loop" },
  { "__device__ int g (int n) { return n ? g (n - 1) : 0; }\n__global__ void f (int *y, int n) { y[0] = g (n); }",
    "a function that it calls calls itself" },
  { "__device__ int h (int n); __device__ int g (int n) { return h (n); } __device__ int h (int n) { return g (n); }\n"
    "__global__ void f (int *y, int n) { y[0] = g (n); }",
    "a function that it calls calls itself" },
  { "__device__ int g (int n) { return n ? g (n - 1) : 0; }\n__global__ void f (int *y, int n) { }", NULL,
    "leat_stage_f (" },
  { "namespace a { __global__ void f (int *y, int n) { } }", "it is in a namespace" },
  { "__global__ void f (int *y, int n) { again: n--; if (n) goto again; }", "there is a goto in it" },
  { "__device__ void g (int n) { again: n--; if (n) goto again; }\n__global__ void f (int *y, int n) { g (n); }",
    "there is a goto in it" },
  { "constexpr int g (int n) { while (n) n--; return n; }\n__global__ void f (int *y, int n) { y[0] = g (n); }",
    "a loop in an operator or constexpr function" },
  { "struct s { int v; }; __device__ s operator+ (s a, s b) { for (;;) ; }\n__global__ void f (int *y, int n) { }",
    NULL, "leat_stage_f (" },
  { "__global__ void f (int *y, int n) { asm (\"\"); }", "there is assembly in it" },
  { "__global__ void f (int *y, int n) { while (y[0]) __nanosleep (20); }", "its blocks may wait for each other" },
  { "__global__ void f (int *y, int n) { if (n > 3) return; __syncthreads (); }", "it may return before a barrier",
    "!leat_stage_f (" },
  { "__global__ void f (int *y, int n) { if (threadIdx.x > 3) return; __syncthreads (); }",
    "it may return before a barrier" },
  { "__device__ int kept;\n__global__ void f (int *y, int n) { }", "its file has variables on the device" },
  { "__constant__ int fixed;\n__global__ void f (int *y, int n) { }", NULL, "leat_stage_f (" },
};

static char *
unit_dup_words (const char *text)
{
  GString *out = g_string_new (NULL);

  for (; *text != '\0'; text++)
    if (!g_ascii_isspace (*text))
      g_string_append_c (out, *text);
  return g_string_free (out, FALSE);
}

static void
test_unit_stages (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (stages); i++)
    {
      g_autoptr (LeatKernelSource) source = unit_make_source (stages[i].text);
      guint stage = 77;
      const char *why = leat_kernel_source_why_no_stage (source, "f", &stage);
      g_autofree char *text = leat_kernel_source_dup_host_text (source, LEAT_KERNEL_PERSISTENT, NULL);
      g_autofree char *words = unit_dup_words (text);

      g_assert_cmpuint (stage, ==, 0);
      if (why == NULL || stages[i].why == NULL ? why != stages[i].why : strstr (why, stages[i].why) == NULL)
        g_error ("%s: %s", stages[i].text, why);
      if (stages[i].has != NULL)
        {
          gboolean wanted = stages[i].has[0] != '!';
          g_autofree char *has = unit_dup_words (stages[i].has + !wanted);

          if ((strstr (words, has) != NULL) != wanted)
            g_error ("%s: \"%s\" is %sthere", stages[i].text, stages[i].has, wanted ? "not " : "");
        }
    }
}

/* What a kernel takes becomes members and assertions of the host's text, and where it reports, one more. */
static const struct
{
  const char *text, *has;
} taken[] = {
  { "int *y", "struct leat_params_f { int * y; };" },
  { "int y[4][2]", "struct leat_params_f { int (* y)[ 2 ]; };" },
  { "int (*y)[2]", "struct leat_params_f { int ( * y) [ 2 ]; };" },
  { "float2 y", "struct leat_params_f { float y__dot__x; float y__dot__y; };" },
  { "int y __attribute__ ((unused)), int z [[maybe_unused]] [3]", "struct leat_params_f { int y; int * z; };" },
  { "const float *const __restrict__ y = nullptr, int n = 3",
    "struct leat_params_f { const float * const __restrict__ y; int n; };" },
  { "", "struct leat_params_f { };" },
  { "void", "struct leat_params_f { };" },
  { "int *y", "static_assert (sizeof (int) == 4 && (int) -1 < (int) 1 && (int) 0.5 == (int) 0, " },
  { "unsigned *y", "static_assert (sizeof (unsigned) == 4 && (unsigned) -1 > (unsigned) 1 && (unsigned) 0.5 == " },
  { "float *y", "static_assert (sizeof (float) == 4 && (float) 0.5 != (float) 0, \"\\\"y\\\" of the kernel \\\"f\\\"" },
  { "double *y", "static_assert (sizeof (double) == 8 && (double) 0.5 != (double) 0, " },
  { "bool *y", "static_assert (sizeof (bool) == 1 && (bool) 2 == (bool) 1, " },
  { "char *y", "static_assert (sizeof (char) == 1, \"" },
  { "float2 *y", "static_assert (sizeof (float2) == 8, \"" },
  { "const int *x, int x_count", "(int) leat_take_count (p.x_count_where, p.x_count_value, p.x_count_most, "
                                 "p.x_count_over)" },
  { "const int *x, int x_count",
    "struct leat_wrapped_f { const int * x; const uint64_t * x_count_where; uint64_t x_count_value; uint64_t "
    "x_count_most; uint64_t * x_count_over; };" },
};

static void
test_unit_params (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (taken); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void f (%s) { }", taken[i].text);
      g_autoptr (LeatKernelSource) source = unit_make_source (text);
      g_autofree char *words = unit_dup_words (leat_kernel_source_get_host_text (source, NULL));
      g_autofree char *has = unit_dup_words (taken[i].has);

      if (strstr (words, has) == NULL)
        g_error ("(%s): \"%s\" is not there", taken[i].text, taken[i].has);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/unit/bounds", test_unit_bounds);
  g_test_add_func ("/leat/kernel/unit/bounds-deep", test_unit_bounds_deep);
  g_test_add_func ("/leat/kernel/unit/names", test_unit_names);
  g_test_add_func ("/leat/kernel/unit/references", test_unit_references);
  g_test_add_func ("/leat/kernel/unit/guards", test_unit_guards);
  g_test_add_func ("/leat/kernel/unit/forms", test_unit_forms);
  g_test_add_func ("/leat/kernel/unit/stages", test_unit_stages);
  g_test_add_func ("/leat/kernel/unit/params", test_unit_params);
  return g_test_run ();
}
