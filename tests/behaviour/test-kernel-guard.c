/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-harness.h"

#include <string.h>

/* Kernels with a guard, and with what looks like one and is not.  Each body is C as well as CUDA: the kernel must leave
 * behind what the same statements leave behind when they are run for one thread after another. */

#pragma GCC diagnostic ignored "-Wsign-compare"
#pragma GCC diagnostic ignored "-Wunused-value"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wshadow"
#pragma GCC diagnostic ignored "-Wmisleading-indentation"
#pragma GCC diagnostic ignored "-Wtype-limits"
#pragma GCC diagnostic ignored "-Wdangling-else"

typedef struct
{
  unsigned int x, y, z;
} Dim;

typedef struct
{
  Dim threadIdx, blockIdx, blockDim, gridDim;
} Place;

/* What the texts use: the macros stand for the same words in the kernels. */
#define INDEX     blockIdx.x *blockDim.x + threadIdx.x
#define INDEX_Y   blockIdx.y *blockDim.y + threadIdx.y
#define INDEX_Z   blockIdx.z *blockDim.z + threadIdx.z
#define threadIdx (place->threadIdx)
#define blockIdx  (place->blockIdx)
#define blockDim  (place->blockDim)
#define gridDim   (place->gridDim)

static unsigned int
atomicAdd (unsigned int *where, unsigned int value)
{
  *where += value;
  return *where - value;
}

/* clang-format off */
#define CASES(CASE)                                                                                                    \
  CASE (leaves, int, int i = INDEX; if (i >= n) return; out[i] = i + 1;)                                               \
  CASE (leaves_in_braces, int, const int i = INDEX; if ((i >= n)) { return; } out[i] = i + 1;)                         \
  CASE (leaves_turned, int, int i = threadIdx.x + blockDim.x * blockIdx.x; if (n <= i) return; out[i] = i + 1;)        \
  CASE (holds, int, int i = INDEX; if (i < n) { out[i] = i + 1; })                                                     \
  CASE (holds_bare, int, int i = (int) (INDEX); if (n > i) out[i] = i + 1;)                                            \
  CASE (unsigned_index, int, unsigned int i = INDEX; if (i >= n) return; out[i] = i + 1;)                              \
  CASE (unsigned_index_wide, long long, unsigned int i = INDEX; if (i >= n) return; out[i] = i + 1;)                   \
  CASE (unsigned_bound, unsigned int, int i = INDEX; if (i < n) out[i] = i + 1;)                                       \
  CASE (size_index, int, uint64_t i = INDEX; if (i < n) out[i] = i + 1;)                                               \
  CASE (long_index, int, long long i = INDEX; if (i < n) out[i] = i + 1;)                                              \
  CASE (byte_bound, unsigned char, int i = INDEX; if (i < n) out[i] = i + 1;)                                          \
  CASE (signed_byte_bound, signed char, int i = INDEX; if (i < n) out[i] = i + 1;)                                     \
  CASE (short_bound, const short, int i = INDEX; if (i < n) out[i] = i + 1;)                                           \
  CASE (written_out, int, if (INDEX < n) out[INDEX] = 7;)                                                              \
  CASE (less_equal, int, int i = INDEX; if (i <= n) out[i] = i + 1;)                                                   \
  CASE (greater, int, int i = INDEX; if (i > n) return; out[i] = i + 1;)                                               \
  CASE (equal, int, int i = INDEX; if (i == n) return; out[i] = i + 1;)                                                \
  CASE (inside_out, int, int i = INDEX; if (i < n) return; out[i] = i + 1;)                                            \
  CASE (holds_not, int, int i = INDEX; if (!(i < n)) out[i] = i + 1;)                                                  \
  CASE (and_odd, int, int i = INDEX; if (i < n && (i & 1)) out[i] = i + 1;)                                            \
  CASE (odd_and, int, int i = INDEX; if ((i & 1) && i < n) out[i] = i + 1;)                                            \
  CASE (or_odd, int, int i = INDEX; if (i < n || (i & 1)) out[i] = i + 1;)                                             \
  CASE (leaves_or_odd, int, int i = INDEX; if (i >= n || (i & 1)) return; out[i] = i + 1;)                             \
  CASE (leaves_and_odd, int, int i = INDEX; if (i >= n && (i & 1)) return; out[i] = i + 1;)                            \
  CASE (twice, int, int i = INDEX; if (i >= n) return; if (i >= n - 5) return; out[i] = i + 1;)                        \
  CASE (leaves_then_holds, int, int i = INDEX; if (i & 2) return; if (i < n) out[i] = i + 1;)                          \
  CASE (other_branch, int, int i = INDEX; if (i < n) out[i] = i + 1; else out[i] = 9;)                                 \
  CASE (leaves_or_writes, int, int i = INDEX; if (i >= n) return; else out[i] = 9;)                                    \
  CASE (goes_on, int, int i = INDEX; if (i < n) out[i] = i + 1; out[i] += 3;)                                          \
  CASE (writes_before, int, int i = INDEX; out[i] = 5; if (i >= n) return; out[i] = i + 1;)                            \
  CASE (counts_before, int, int i = INDEX; atomicAdd (&out[4095], 1u); if (i >= n) return; out[i] = i + 1;)            \
  CASE (counts_in_value, int, int i = INDEX; unsigned int before = atomicAdd (&out[4095], 1u);                         \
        if (i >= n) return; out[i] = i + 1;)                                                                           \
  CASE (writes_in_value, int, int i = INDEX; int v = (out[i] = 3); if (i >= n) return; out[i] = i + v;)                \
  CASE (adds_in_value, int, int i = INDEX; int v = out[i] += 3; if (i >= n) return; out[i] = i + v;)                   \
  CASE (steps_in_value, int, int i = INDEX; unsigned int *p = out + i; unsigned int v = (*p)++;                        \
        if (i >= n) return; out[i] = i + v;)                                                                           \
  CASE (reads_before, int, int i = INDEX; unsigned int v = out[i] + 4; if (i >= n) return; out[i] = i + v;)            \
  CASE (counts_in_guard, int, int i = INDEX; if (atomicAdd (&out[4095], 1u) > 999u || i >= n) return;                  \
        out[i] = i + 1;)                                                                                               \
  CASE (counts_in_first, int, int i = INDEX; if (atomicAdd (&out[4095], 1u) > 999u) return; if (i >= n) return;        \
        out[i] = i + 1;)                                                                                               \
  CASE (writes_in_guard, int, int i = INDEX; if ((out[i] = 3) > 5 || i >= n) return; out[i] = i + 1;)                  \
  CASE (steps_in_guard, int, int i = INDEX; if (i++ >= n) return; out[i] = i + 1;)                                     \
  CASE (steps_at_end, int, int i = INDEX; if (out[i]++) return; if (i >= n) return; out[i] = i + 5;)                   \
  CASE (steps_down_at_end, int, int i = INDEX; if (out[i]--) return; if (i >= n) return; out[i] = i + 5;)              \
  CASE (comma_in_guard, int, int i = INDEX; if (i < n, i & 1) out[i] = i + 1;)                                         \
  CASE (choice_in_guard, int, int i = INDEX; if (i < n ? i & 1 : i & 2) out[i] = i + 1;)                               \
  CASE (bound_changes, int, int i = INDEX; n /= 2; if (i >= n) return; out[i] = i + 1;)                                \
  CASE (bound_changes_later, int, int i = INDEX; if (i >= n) return; n += 7; out[i] = n;)                              \
  CASE (index_changes, int, int i = INDEX; i += 3; if (i >= n) return; out[i] = i + 1;)                                \
  CASE (index_changes_later, int, int i = INDEX; if (i >= n) return; i += 3; out[i] = i + 1;)                          \
  CASE (bound_is_hidden, int, { int n = 70; int i = INDEX; if (i < n) out[i] = i + 1; })                               \
  CASE (bound_is_local, int, int i = INDEX, m = n - 3; if (i < m) out[i] = i + 1;)                                     \
  CASE (bound_is_own_local, int, int m = n - 3; int i = INDEX; if (i < m) out[i] = i + 1;)                             \
  CASE (narrow_index, int, unsigned char i = INDEX; if (i < n) out[i] += 1;)                                           \
  CASE (narrow_cast, int, int i = (unsigned char) (INDEX); if (i < n) out[i] += 1;)                                    \
  CASE (narrow_part, int, unsigned char b = INDEX; int i = b; if (i < n) out[i] += 1;)                                 \
  CASE (fraction, int, float i = INDEX; if (i < n) out[(int) i] += 1;)                                                 \
  CASE (block_only, int, int i = threadIdx.x; if (i < n) out[INDEX] = i + 1;)                                          \
  CASE (backwards, int, int i = n - 1 - (INDEX); if (i < 0) return; out[i] = i + 1;)                                   \
  CASE (second_of_list, int, unsigned int *p = out, k = 3; int j = 4, i = INDEX; if (i >= n) return; p[i] = k + j;)    \
  CASE (plane, int, int x = INDEX; int y = INDEX_Y; if (x >= n || y >= n - 2) return; out[y * 64 + x] = x + 1;)        \
  CASE (plane_holds, int, int x = INDEX, y = INDEX_Y; if (x < n && y < n && ((x ^ y) & 1)) out[y * 64 + x] = x + 1;)   \
  CASE (space, int, int x = INDEX; int z = INDEX_Z; if (z >= n) return; out[z * 512 + x] += x + 1;)                    \
  CASE (strides, int, for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) out[i] = i + 1;)                         \
  CASE (strides_and_sums, int, int s = 0; for (int i = INDEX; i < n; i += gridDim.x * blockDim.x) s += i;              \
        out[INDEX] = s;)                                                                                               \
  CASE (strides_guarded, int, int i = INDEX; if (i >= n) return;                                                       \
        for (int k = INDEX; k < n; k += gridDim.x * blockDim.x) out[k] = k + i;)                                       \
  CASE (loop_in_guard, int, int i = INDEX; if (i < n) for (int k = 0; k < 3; k++) { if (k == 2) break; out[i] += k + i; })
/* clang-format on */

#define MODEL(name, type, ...)                                                                                         \
  static void name (const Place *place, uint32_t *out, gint64 wide)                                                    \
  {                                                                                                                    \
    type given = (type) wide;                                                                                          \
    guard_body_##name (place, out, given);                                                                             \
  }
#define BODY(name, type, ...)                                                                                          \
  static void guard_body_##name (const Place *place, uint32_t *out, type n)                                            \
  {                                                                                                                    \
    __VA_ARGS__                                                                                                        \
  }
CASES (BODY)
CASES (MODEL)

#define ROW(name, type, ...) { #name, #type, #__VA_ARGS__, name },
static const struct
{
  const char *name, *type, *body;
  void (*model) (const Place *place, uint32_t *out, gint64 n);
} guard_cases[] = { CASES (ROW) };

#undef threadIdx
#undef blockIdx
#undef blockDim
#undef gridDim

static const KernelShape guard_shapes[] = {
  { { 4, 1, 1 }, { 32, 1, 1 }, 0 },
  { { 3, 2, 2 }, { 16, 4, 2 }, 0 },
  { { 12, 1, 1 }, { 32, 1, 1 }, 0 },
};

static const gint64 guard_bounds[] = { 0, 1, 31, 32, 33, 45, 100, 127, 128, 300, -1, -100 };

static char *
guard_write_text (void)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < G_N_ELEMENTS (guard_cases); i++)
    g_string_append_printf (text, "__global__ void %s (uint32_t *out, %s n)\n{\n  %s\n}\n", guard_cases[i].name,
                            guard_cases[i].type, guard_cases[i].body);
  for (guint i = 0; i < 3; i++)
    {
      static const char *const names[] = { "INDEX_Y", "INDEX_Z", "INDEX" }, *const axes[] = { "y", "z", "x" };
      g_autofree char *index = g_strdup_printf ("blockIdx.%s * blockDim.%s + threadIdx.%s", axes[i], axes[i], axes[i]);

      g_string_replace (text, names[i], index, 0);
    }
  return g_string_free (text, FALSE);
}

/* One thread after another. */
static void
guard_run_model (guint index, const KernelShape *shape, gint64 n, uint32_t *out)
{
  Place p = { .blockDim = { shape->block[0], shape->block[1], shape->block[2] },
              .gridDim = { shape->grid[0], shape->grid[1], shape->grid[2] } };
  Dim *b = &p.blockIdx, *t = &p.threadIdx;

  for (b->z = 0; b->z < shape->grid[2]; b->z++)
    for (b->y = 0; b->y < shape->grid[1]; b->y++)
      for (b->x = 0; b->x < shape->grid[0]; b->x++)
        for (t->z = 0; t->z < shape->block[2]; t->z++)
          for (t->y = 0; t->y < shape->block[1]; t->y++)
            for (t->x = 0; t->x < shape->block[0]; t->x++)
              guard_cases[index].model (&p, out, n);
}

/* Only the first shape has one thread an item; in the others threads share items, which is fine where they write the
 * same, or one after another as the CPU driver does. */
static gboolean
guard_fits (guint index, guint shape, gboolean cpu)
{
  const char *body = guard_cases[index].body;

  return cpu || (shape == 0 && strstr (body, "[i] += 1") == NULL && strstr (body, "[(int) i] += 1") == NULL);
}

static void
test_kernel_guard_changes_nothing (void)
{
  g_autofree char *text = guard_write_text ();
  KernelHarness kernels;
  gboolean cpu;

  if (!kernel_harness_init_text (&kernels, "guards.cu", text))
    return;
  cpu = leat_device_is_cpu (kernels.device);
  for (guint i = 0; i < G_N_ELEMENTS (guard_cases); i++)
    for (guint s = 0; s < G_N_ELEMENTS (guard_shapes); s++)
      for (guint k = 0; k < G_N_ELEMENTS (guard_bounds); k++)
        {
          gint64 n = guard_bounds[k];
          g_autofree uint32_t *expected = g_new0 (uint32_t, KERNEL_ITEMS);
          const guint32 *out;

          if (!guard_fits (i, s, cpu))
            continue;
          guard_run_model (i, &guard_shapes[s], n, expected);
          out = kernel_harness_run (&kernels, guard_cases[i].name, &guard_shapes[s], n);
          for (guint at = 0; at < KERNEL_ITEMS; at++)
            if (out[at] != expected[at])
              g_error ("%s, %u blocks of %u, n=%" G_GINT64_FORMAT ": item %u is %u instead of %u", guard_cases[i].name,
                       guard_shapes[s].grid[0], guard_shapes[s].block[0], n, at, out[at], expected[at]);
        }
  kernel_harness_clear (&kernels);
}

/* What needs the preprocessor or C++, and how many of 128 threads write their item when n is 40. */
static const struct
{
  const char *text;
  guint writes;
} guard_texts[] = {
  { "#define NEVER_SET\n__global__ void f (uint32_t *out, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "#ifndef NEVER_SET\n  if (i < n)\n#endif\n    out[i] = 1;\n}",
    128 },
  { "#define ACT out[threadIdx.x + blockIdx.x * blockDim.x] = 1\n__global__ void f (uint32_t *out, int n)\n{\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  int v = (ACT);\n  if (i >= n) return;\n  out[i] = v;\n}",
    128 },
  { "#define LIMIT n * 2\n__global__ void f (uint32_t *out, int n)\n{\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (i >= LIMIT) return;\n  out[i] = 1;\n}",
    80 },
  { "struct act { uint32_t *p; };\n__device__ int operator+ (act a, int v) { *a.p = 1; return v; }\n"
    "__global__ void f (uint32_t *out, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  act a = { out + i };\n  int v = a + 1;\n  if (i >= n) return;\n  out[i] = v;\n}",
    128 },
  { "enum act { ACT };\n__device__ int operator+ (act, uint32_t *p) { *p = 1; return 1; }\n"
    "__global__ void f (uint32_t *out, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  uint32_t *p = out + i;\n  int v = ACT + p;\n  if (i >= n) return;\n  out[i] = v;\n}",
    128 },
  { "__device__ bool raise (int &n) { n *= 2; return false; }\n__global__ void f (uint32_t *out, int n)\n{\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n  if (raise (n) || i >= n) return;\n  out[i] = 1;\n}",
    80 },
  { "__global__ void f (uint32_t *out, int n)\n{\n  int i = static_cast<int> (blockIdx.x * blockDim.x + threadIdx.x);\n"
    "#pragma unroll\n  for (int k = 0; k < 2; k++)\n    if (i < n) out[i] = 1;\n}",
    40 },
  { "__global__ void f (uint32_t *out, int n)\n{\n  auto i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n) return; // past the end\n  out[i] = 1;\n}",
    40 },
  { "__global__ void f (uint32_t *out, int n)\n{\n  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i >= n)\n    return;\n  __nanosleep (1);\n  out[i] = 1;\n}",
    40 },
  { "__global__ void f (uint32_t *out, int n)\n{\n  GRID_FOR (i, n)\n    out[i] = 1;\n}", 40 },
};

static void
test_kernel_guard_hidden (void)
{
  static const KernelShape shape = { { 4, 1, 1 }, { 32, 1, 1 }, 0 };

  for (guint i = 0; i < G_N_ELEMENTS (guard_texts); i++)
    {
      KernelHarness kernels;
      const guint32 *out;

      if (!kernel_harness_init_text (&kernels, "guard.cu", guard_texts[i].text))
        return;
      out = kernel_harness_run (&kernels, "f", &shape, 40);
      for (guint at = 0; at < KERNEL_ITEMS; at++)
        if (out[at] != (at < guard_texts[i].writes))
          g_error ("item %u is %u after\n%s", at, out[at], guard_texts[i].text);
      kernel_harness_clear (&kernels);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/guard/changes-nothing", test_kernel_guard_changes_nothing);
  g_test_add_func ("/leat/kernel/guard/hidden", test_kernel_guard_hidden);
  return g_test_run ();
}
