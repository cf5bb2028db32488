/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

#include <glib/gstdio.h>
#include <string.h>

/* Stages of one kernel whose blocks wait for those around them alone: what comes out is what C gives, and what the
 * kernels give one by one. */

#define MOST 3000

static char *folder, *kernels_path;

/* `near` has a thread for each item, `sweep` a loop over them, `window` what is around its block in shared memory,
 * `mirror` needs its block alone and `turn` everything; `cross` is about both axes. */
static const char kernels_text[] =
  "__device__ uint64_t at (uint64_t i, int64_t by, uint64_t n)\n"
  "{\n"
  "  int64_t k = (int64_t) i + by;\n"
  "  return k < 0 ? 0 : k >= (int64_t) n ? n - 1 : k;\n"
  "}\n"
  "__global__ void near (const float *x, float *y, uint64_t x_count, int r)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = x[at (i, -r, x_count)] + x[i] * 0.5f - x[at (i, r, x_count)];\n"
  "}\n"
  "__global__ void sweep (const float *x, float *y, uint64_t x_count, int r)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[at (i, -r, x_count)] * 0.25f + x[at (i, r, x_count)] + 1;\n"
  "}\n"
  "__global__ void blend (const float *p, const float *q, float *y, uint64_t p_count)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < p_count)\n"
  "    y[i] = p[at (i, 1, p_count)] - q[at (i, -1, p_count)];\n"
  "}\n"
  "__global__ void window (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  __shared__ float cells[32 + 6];\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x + 3] = i < x_count ? x[i] : 0;\n"
  "  if (threadIdx.x < 3)\n"
  "    cells[threadIdx.x] = i >= 3 && i - 3 < x_count ? x[i - 3] : 0;\n"
  "  if (threadIdx.x >= 29)\n"
  "    cells[threadIdx.x + 6] = i + 3 < x_count ? x[i + 3] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[threadIdx.x] + cells[threadIdx.x + 3] - cells[threadIdx.x + 6];\n"
  "}\n"
  "__global__ void apart (const float *x, float *y, uint64_t x_count, int by)\n"
  "{\n"
  "  __shared__ float cells[32];\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x] = i < x_count ? x[(i + by) % x_count] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[i] = cells[threadIdx.x];\n"
  "}\n"
  "__global__ void aside (const float *x, float *y, uint64_t x_count, int by)\n"
  "{\n"
  "  __shared__ float cells[32];\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  cells[threadIdx.x] = i < x_count ? x[i] : 0;\n"
  "  __syncthreads ();\n"
  "  if (i < x_count)\n"
  "    y[(i + by) % x_count] = cells[threadIdx.x];\n"
  "}\n"
  "__global__ void jump (const float *x, float *y, uint64_t x_dim0, uint64_t x_dim1, int by)\n"
  "{\n"
  "  uint64_t r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (r < x_dim0 && c < x_dim1)\n"
  "    y[r * x_dim1 + c] = x[at (r, by, x_dim0) * x_dim1 + c];\n"
  "}\n"
  "__global__ void mirror (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  uint64_t first = blockIdx.x * blockDim.x, i = first + threadIdx.x;\n"
  "  uint64_t n = first + blockDim.x < x_count ? blockDim.x : x_count - first;\n"
  "  if (i < x_count)\n"
  "    y[i] = x[first + n - 1 - threadIdx.x] + 2;\n"
  "}\n"
  "__global__ void scale (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[i] * 0.75f - 3;\n"
  "}\n"
  "__global__ void turn (const float *x, float *y, uint64_t x_count)\n"
  "{\n"
  "  GRID_FOR (i, x_count)\n"
  "    y[i] = x[x_count - 1 - i];\n"
  "}\n"
  "__global__ void parts (const float *x, float *y, uint64_t x_count, uint64_t y_dim0)\n"
  "{\n"
  "  uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (threadIdx.x == 0 && blockIdx.x < y_dim0)\n"
  "    y[blockIdx.x] = i < x_count ? x[i] : 0;\n"
  "}\n"
  "__global__ void cross (const float *x, float *y, uint64_t x_dim0, uint64_t x_dim1)\n"
  "{\n"
  "  uint64_t r = blockIdx.y * blockDim.y + threadIdx.y, c = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (r < x_dim0 && c < x_dim1)\n"
  "    y[r * x_dim1 + c] = x[at (r, -1, x_dim0) * x_dim1 + at (c, -1, x_dim1)]\n"
  "                        - x[at (r, 1, x_dim0) * x_dim1 + at (c, 1, x_dim1)];\n"
  "}\n";

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} Neighbours;

static LeatPipeline *
neighbours_parse (const char *text)
{
  g_autoptr (GString) whole = g_string_new (text);
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline;

  g_string_replace (whole, "KERNELS", kernels_path, 0);
  pipeline = leat_parse_text (whole->str, LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_assert_no_error (error);
  return pipeline;
}

/* @spec: of what comes in. @body: ends with what `out` takes */
static void
neighbours_open (Neighbours *self, const char *body, const char *spec, const char *property)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  if (property != NULL)
    {
      g_autoptr (GString) deeper = g_string_new (body);

      g_string_replace (deeper, "\n", "\n  ", 0);
      text = g_strdup_printf ("leat 1\nm = megakernel %s {\n  %s -> out.y\n}\n"
                              "app name=in spec=%s -> upload mode=copy -> m.x\n"
                              "m.y -> readback mode=copy -> app name=out\n",
                              property, deeper->str, spec);
    }
  else
    {
      g_autoptr (GString) plain = g_string_new (body);

      g_string_replace (plain, "in.x", "up", 0);
      text = g_strdup_printf ("leat 1\nup = upload mode=copy\napp name=in spec=%s -> up\n"
                              "%s -> readback mode=copy -> app name=out\n",
                              spec, plain->str);
    }
  self->pipeline = neighbours_parse (text);
  self->session = leat_session_new (self->pipeline, NULL);
  leat_session_open (self->session, NULL, &error);
  g_assert_no_error (error);
}

static void
neighbours_close (Neighbours *self)
{
  leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

static GBytes *
neighbours_run (Neighbours *self, const float *x, guint n, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (x, n * sizeof *x);

  g_assert_true (leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "in", NULL)), bytes, error));
  if (leat_session_replay (self->session, FALSE, NULL, error) != LEAT_FLOW_DATA)
    return NULL;
  return leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "out", NULL)), 0, error);
}

static char *
neighbours_dup_plan (Neighbours *self)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);

  return leat_plan_to_text (plan);
}

static void
neighbours_check_plan (Neighbours *self, const char *said)
{
  g_autofree char *text = neighbours_dup_plan (self);

  if (strstr (text, said) == NULL)
    g_error ("%s does not say \"%s\"", text, said);
}

static void
fill_numbers (float *x, guint n, guint round)
{
  for (guint i = 0; i < n; i++)
    x[i] = (float) ((i * 7 + round * 31) % 1024);
}

static guint
at (guint i, gint by, guint n)
{
  return (guint) CLAMP ((gint) i + by, 0, (gint) n - 1);
}

static void
oracle_near (float *x, guint n, guint n_stages, gint r)
{
  g_autofree float *y = g_new (float, n);

  for (guint s = 0; s < n_stages; s++)
    {
      for (guint i = 0; i < n; i++)
        y[i] = x[at (i, -r, n)] + x[i] * 0.5f - x[at (i, r, n)];
      memcpy (x, y, n * sizeof *x);
    }
}

static char *
dup_chain (guint n_stages, const char *entry, guint reach, guint said, guint block)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_stages; i++)
    g_string_append_printf (text, "s%u = kernel source=KERNELS entry=%s r=%u block=%u access=stencil:%u\n", i, entry,
                            reach, block, said);
  g_string_append (text, "in.x");
  for (guint i = 0; i < n_stages; i++)
    g_string_append_printf (text, " -> s%u", i);
  return g_string_free (text, FALSE);
}

/* The same kernel again and again, each time with other numbers. */
static char *
dup_changing_chain (guint n_stages)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < n_stages; i++)
    g_string_append_printf (text, "s%u = kernel source=KERNELS entry=%s r=%u block=128 access=stencil:3\n", i,
                            i % 3 == 2 ? "sweep" : "near", 1 + i % 2);
  g_string_append (text, "in.x");
  for (guint i = 0; i < n_stages; i++)
    g_string_append_printf (text, " -> s%u", i);
  return g_string_free (text, FALSE);
}

/* One launch and no barrier, whatever is of the last block, and runs after runs. */
static void
test_neighbours_runs_chain (void)
{
  static const struct
  {
    guint n, block;
    gint reach;
    const char *said;
  } rows[] = { { 1000, 32, 1, "31 waits for blocks around" },
               { 2999, 64, 65, "waits for the 2 blocks to either side in \"s7\"" },
               { 33, 32, 5, "waits for the 1 block to either side" },
               { 20, 32, 3, "0 barriers" } };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree char *body = dup_chain (32, "near", rows[r].reach, rows[r].reach, rows[r].block);
      g_autofree char *spec = g_strdup_printf (r % 2 == 0 ? "f32[%u]" : "f32[<=%u]", rows[r].n);
      g_autofree float *x = g_new (float, MOST), *expected = g_new (float, MOST);
      Neighbours one;

      neighbours_open (&one, body, spec, "");
      neighbours_check_plan (&one, " ops, 0 barriers");
      neighbours_check_plan (&one, rows[r].said);
      for (guint round = 0; round < 4; round++)
        {
          guint n = rows[r].n - (r % 2) * round * 5;
          g_autoptr (GError) error = NULL;
          g_autoptr (GBytes) bytes = NULL;

          fill_numbers (x, n, round);
          memcpy (expected, x, n * sizeof *x);
          oracle_near (expected, n, 32, rows[r].reach);
          bytes = neighbours_run (&one, x, n, &error);
          g_assert_no_error (error);
          g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, n * sizeof *x);
        }
      neighbours_close (&one);
    }
}

static void
compare_with_plain (const char *body, const char *spec, guint n, const char *property)
{
  g_autofree float *x = g_new (float, MOST);
  Neighbours fused, plain;

  neighbours_open (&fused, body, spec, property);
  neighbours_open (&plain, body, spec, NULL);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) one = NULL, other = NULL;

      fill_numbers (x, n, round);
      one = neighbours_run (&fused, x, n, &error);
      g_assert_no_error (error);
      other = neighbours_run (&plain, x, n, &error);
      g_assert_no_error (error);
      if (!g_bytes_equal (one, other))
        {
          g_autofree char *plan = neighbours_dup_plan (&fused);

          g_error ("%u items: fused and one by one differ\n%s\n%s", n, body, plan);
        }
    }
  neighbours_close (&fused);
  neighbours_close (&plain);
}

/* Where a block does what it needs of others again, nobody waits, and what others need is there all the same. */
static void
test_neighbours_does_again (void)
{
  static const char several[] = "a = kernel source=KERNELS entry=near r=2 block=128 access=stencil:2\n"
                                "b = kernel source=KERNELS entry=scale block=128 access=elementwise\n"
                                "c = kernel source=KERNELS entry=sweep r=3 block=128 access=stencil:3\n"
                                "d = kernel source=KERNELS entry=blend block=128 access=stencil:1\n"
                                "e = kernel source=KERNELS entry=turn block=128\n"
                                "f = kernel source=KERNELS entry=blend block=128 access=stencil:1\n"
                                "in.x -> a -> b -> c -> d.p\nb -> d.q\nd -> e -> f.p\nc -> f.q\nf";
  static const guint sizes[] = { 1, 255, 1000, 2999 };
  g_autofree char *body = dup_chain (32, "near", 1, 1, 256);
  g_autofree char *sweeps = dup_chain (20, "sweep", 3, 3, 128), *changing = dup_changing_chain (15);
  Neighbours one;

  neighbours_open (&one, body, "f32[2999]", "");
  neighbours_check_plan (&one, "31 buffers in shared memory");
  neighbours_check_plan (&one, "0 barriers");
  neighbours_check_plan (&one, "from shared memory, with 31 items to either side done twice");
  neighbours_close (&one);
  neighbours_open (&one, several, "f32[2999]", "");
  neighbours_check_plan (&one, "2 buffers in shared memory");
  neighbours_close (&one);
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_autofree char *spec = g_strdup_printf (i % 2 == 0 ? "f32[%u]" : "f32[<=%u]", sizes[i]);

      compare_with_plain (body, spec, sizes[i], "");
      compare_with_plain (sweeps, spec, sizes[i], "");
      compare_with_plain (changing, spec, sizes[i], "");
      compare_with_plain (several, spec, sizes[i], "");
    }
}

/* Many inputs at once, each with its words and its numbers. */
static void
check_batch (guint block)
{
  enum
  {
    LANES = 5,
    ITEMS = 700
  };
  g_autofree char *body = dup_chain (6, "near", 1, 1, block);
  g_autofree float *x = g_new (float, ITEMS);
  Neighbours one;

  neighbours_open (&one, body, "f32[700]", "");
  for (guint round = 0; round < 2; round++)
    {
      g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref), results = NULL;
      g_autoptr (GError) error = NULL;

      for (guint lane = 0; lane < LANES; lane++)
        {
          fill_numbers (x, ITEMS, LANES * round + lane);
          g_ptr_array_add (inputs, g_bytes_new (x, ITEMS * sizeof *x));
        }
      g_assert_true (leat_session_replay_batch (one.session, LANES, inputs, &results, NULL, &error));
      g_assert_no_error (error);
      for (guint lane = 0; lane < LANES; lane++)
        {
          GBytes *bytes = g_ptr_array_index (results, lane);

          fill_numbers (x, ITEMS, LANES * round + lane);
          oracle_near (x, ITEMS, 6, 1);
          g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), x, ITEMS * sizeof *x);
        }
    }
  neighbours_close (&one);
}

/* With blocks of 8 threads each waits, with 64 none. */
static void
test_neighbours_runs_batches (void)
{
  check_batch (8);
  check_batch (64);
}

/* The words are written again and again in one launch of the graph. */
static void
test_neighbours_runs_in_loop (void)
{
  static const char text[] = "leat 1\n"
                             "l = loop max-iterations=15 method=while {\n"
                             "  m = megakernel {\n"
                             "    a = kernel source=KERNELS entry=near r=20 block=32 access=stencil:20\n"
                             "    b = kernel source=KERNELS entry=near r=20 block=32 access=stencil:20\n"
                             "    in.x -> a -> b -> out.y\n"
                             "  }\n"
                             "  in.x -> m.x\n"
                             "  m.y -> out.y\n"
                             "}\n"
                             "app name=in spec=f32[400] -> upload -> l.x\n"
                             "l.y -> readback -> app name=out\n";
  float x[400];
  g_autoptr (GError) error = NULL;
  Neighbours one = { neighbours_parse (text), NULL };

  one.session = leat_session_new (one.pipeline, NULL);
  leat_session_open (one.session, NULL, &error);
  g_assert_no_error (error);
  neighbours_check_plan (&one, "1 wait for blocks around");
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GBytes) bytes = NULL;

      fill_numbers (x, G_N_ELEMENTS (x), round);
      bytes = neighbours_run (&one, x, G_N_ELEMENTS (x), &error);
      g_assert_no_error (error);
      oracle_near (x, G_N_ELEMENTS (x), 30, 20);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), x, sizeof x);
    }
  neighbours_close (&one);
}

/* A node that reads some of the last values before it.  @waits: among those whose threads wait for each other, which
 * all need blocks of one size */
static void
append_random (GString *text, GRand *rand, guint index, gboolean waits)
{
  static const char *const kinds[] = { "near r=2 block=32 access=stencil:2",   "sweep r=40 block=32 access=stencil:40",
                                       "window block=32 access=stencil:3",     "mirror block=32 access=block",
                                       "scale block=32 access=elementwise",    "turn block=32",
                                       "near r=0 block=32 access=elementwise", "scale block=32 access=elementwise",
                                       "blend block=32 access=stencil:1",      "near r=1 block=64 access=stencil:1" };
  guint most = G_N_ELEMENTS (kinds) + (waits ? -1 : 1), drawn = (guint) g_rand_int_range (rand, 0, (gint) most);
  guint kind = drawn == 2 && !waits ? 0 : drawn;
  guint from = (guint) g_rand_int_range (rand, index > 3 ? (gint) index - 3 : 0, (gint) index + 1), other = index;
  g_autofree char *one = from > 0 ? g_strdup_printf ("s%u", from - 1) : g_strdup ("in.x");
  g_autofree char *two = other > 0 ? g_strdup_printf ("s%u", other - 1) : g_strdup ("in.x");

  if (kind == G_N_ELEMENTS (kinds))
    g_string_append_printf (text, "s%u = map expr=x*0.5+1\n%s -> s%u\n", index, two, index);
  else
    {
      g_string_append_printf (text, "s%u = kernel source=KERNELS entry=%s\n", index, kinds[kind]);
      if (g_str_has_prefix (kinds[kind], "blend"))
        g_string_append_printf (text, "%s -> s%u.p\n%s -> s%u.q\n", one, index, two, index);
      else
        g_string_append_printf (text, "%s -> s%u\n", two, index);
    }
}

static void
test_neighbours_equal_one_by_one (void)
{
  g_autoptr (GRand) rand = g_rand_new_with_seed (20261122);

  for (guint round = 0; round < 12; round++)
    {
      g_autoptr (GString) body = g_string_new (NULL);
      guint n = (guint) g_rand_int_range (rand, 1, round % 4 < 2 ? 200 : MOST);
      guint n_stages = (guint) g_rand_int_range (rand, 4, 20);
      g_autofree char *spec = g_strdup_printf (round % 3 == 0 ? "f32[<=%u]" : "f32[%u]", n);

      for (guint i = 0; i < n_stages; i++)
        append_random (body, rand, i, round % 2 == 0);
      g_string_append_printf (body, "s%u", n_stages - 1);
      compare_with_plain (body->str, spec, n, "");
      compare_with_plain (body->str, spec, n, "check=true");
    }
}

/* Neighbours along both axes. */
static void
test_neighbours_runs_in_two_axes (void)
{
  static const char body[] = "a = kernel source=KERNELS entry=cross y=f32[41,37] block=8x8 access=stencil:1\n"
                             "b = kernel source=KERNELS entry=cross y=f32[41,37] block=8x8 access=stencil:1\n"
                             "c = kernel source=KERNELS entry=cross y=f32[41,37] block=8x8 access=stencil:1\n"
                             "in.x -> a -> b -> c";
  Neighbours one;

  neighbours_open (&one, body, "f32[41,37]", "");
  neighbours_check_plan (&one, "waits for the blocks around in \"a\", 1x1x0 to either side");
  neighbours_close (&one);
  compare_with_plain (body, "f32[41,37]", 41 * 37, "");
}

/* Where it does not follow which block has written an item, all meet, and the plan says why. */
static void
test_neighbours_says_why_not (void)
{
  static const struct
  {
    const char *body, *said;
  } rows[] = {
    { "a = kernel source=KERNELS entry=sweep r=1 block=32 grid=4 access=stencil:1\n"
      "b = kernel source=KERNELS entry=sweep r=1 block=32 grid=4 access=stencil:1\nin.x -> a -> b",
      "meets \"a\" at a barrier: there are more items than threads" },
    { "a = kernel source=KERNELS entry=near r=1 block=64 access=stencil:1\n"
      "b = kernel source=KERNELS entry=near r=1 block=32 access=stencil:1\nin.x -> a -> b",
      "meets \"a\" at a barrier: their blocks differ in size" },
    { "a = kernel source=KERNELS entry=near r=1 block=32 access=stencil:1\n"
      "b = kernel source=KERNELS entry=near r=500 block=32 access=stencil:5000\nin.x -> a -> b",
      "meets \"a\" at a barrier: more blocks are around one than it has threads" },
    { "a = kernel source=KERNELS entry=near r=1 block=32\n"
      "b = kernel source=KERNELS entry=near r=1 block=32 access=stencil:1\nin.x -> a -> b",
      "what it follows may write anything" },
    { "a = kernel source=KERNELS entry=parts y=f32[63] block=32 grid=items:x access=block\n"
      "b = kernel source=KERNELS entry=near r=1 block=32 grid=63 access=stencil:1\nin.x -> a -> b",
      "with access=block there is no item for each thread" },
  };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      Neighbours one;

      neighbours_open (&one, rows[r].body, "f32[2000]", "");
      neighbours_check_plan (&one, rows[r].said);
      neighbours_close (&one);
      compare_with_plain (rows[r].body, "f32[2000]", 2000, "");
    }
}

/* Who touches more than said is told so, and who does not is left in peace. */
static void
test_neighbours_checks_access (void)
{
  g_autofree float *x = g_new (float, MOST), *expected = g_new (float, MOST);

  fill_numbers (x, 500, 1);
  memcpy (expected, x, 500 * sizeof *x);
  oracle_near (expected, 500, 6, 2);
  for (guint said = 1; said < 3; said++)
    {
      g_autofree char *body = dup_chain (6, "near", 2, said, 32);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;
      Neighbours one;

      neighbours_open (&one, body, "f32[500]", "check=true");
      bytes = neighbours_run (&one, x, 500, &error);
      if (said == 1)
        {
          g_assert_nonnull (error);
          g_assert_nonnull (strstr (error->message, "says access=stencil:1 and touches an item that is further away"));
        }
      else
        {
          g_assert_no_error (error);
          g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, 500 * sizeof *x);
        }
      neighbours_close (&one);
    }
}

/* There are not codes for all of very many kernels; nobody else is blamed. */
static void
test_neighbours_checks_many (void)
{
  g_autofree float *x = g_new (float, MOST);

  fill_numbers (x, 500, 1);
  for (guint wrong = 30; wrong < 40; wrong += 9)
    {
      g_autoptr (GString) body = g_string_new (NULL);
      g_autofree char *said =
        wrong == 30 ? g_strdup ("kernel \"s30\" says access=stencil:1 and touches an item that is further away")
                    : g_strdup ("a kernel is not what it says by access=; with fewer of them in the body it is told");
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;
      Neighbours one;

      for (guint i = 0; i < 40; i++)
        g_string_append_printf (body, "s%u = kernel source=KERNELS entry=near r=%u block=32 access=stencil:1\n", i,
                                i == wrong ? 2 : 1);
      g_string_append (body, "in.x");
      for (guint i = 0; i < 40; i++)
        g_string_append_printf (body, " -> s%u", i);
      neighbours_open (&one, body->str, "f32[500]", "check=true");
      bytes = neighbours_run (&one, x, 500, &error);
      if (error == NULL || strstr (error->message, said) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error != NULL ? error->message : "", said);
      neighbours_close (&one);
    }
}

/* And who has shared memory, or blocks along two axes, or writes where others should, in each run anew; a run without
 * the fault is good. */
static void
test_neighbours_checks_blocks (void)
{
  static const struct
  {
    const char *body, *said;
    guint by; /* that is a fault; 0 is none */
  } rows[] = {
    { "s = kernel source=KERNELS entry=scale block=32 access=elementwise\n"
      "w = kernel source=KERNELS entry=apart by=0 block=32 access=stencil:1\nin.x -> s -> w",
      "kernel \"w\" says access=stencil:1 and reads an item that is further away from those of its block, of what "
      "kernel "
      "\"s\" hands on",
      96 },
    { "s = kernel source=KERNELS entry=window block=32 access=stencil:3\n"
      "w = kernel source=KERNELS entry=apart by=0 block=32 access=stencil:1\n"
      "t = kernel source=KERNELS entry=window block=32 access=stencil:3\nin.x -> s -> w -> t",
      "kernel \"w\" says access=stencil:1 and reads an item that is further away from those of its block, of what "
      "kernel "
      "\"s\" hands on",
      2 },
    { "s = kernel source=KERNELS entry=window block=32 access=stencil:3\n"
      "w = kernel source=KERNELS entry=aside by=0 block=32 access=elementwise\n"
      "t = kernel source=KERNELS entry=near r=1 block=32 access=stencil:1\nin.x -> s -> w -> t",
      "kernel \"w\" says access=elementwise, and an item that kernel \"t\" reads was not written by the block that has "
      "its number",
      200 },
    { "s = kernel source=KERNELS entry=cross y=f32[25,20] block=8x8 access=stencil:1\n"
      "w = kernel source=KERNELS entry=jump by=0 y=f32[25,20] block=8x8 access=stencil:1\nin.x -> s -> w",
      "kernel \"w\" says access=stencil:1 and reads an item that neither its block nor those around it have written, "
      "of what kernel \"s\" hands on",
      17 },
  };
  g_autofree float *x = g_new (float, MOST);

  fill_numbers (x, 500, 1);
  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      Neighbours one;

      neighbours_open (&one, rows[r].body, r == 3 ? "f32[25,20]" : "f32[500]", "check=true");
      neighbours_check_plan (&one, "waits for the ");
      for (guint round = 0; round < 4; round++)
        {
          g_autoptr (GError) error = NULL;
          g_autoptr (GBytes) bytes = NULL;
          gboolean good = round % 2 == 0;

          g_assert_true (leat_node_set_arg_int64 (leat_pipeline_get_node (one.pipeline, "w", NULL), "by",
                                                  good ? 0 : rows[r].by, &error));
          bytes = neighbours_run (&one, x, 500, &error);
          if (good)
            g_assert_no_error (error);
          else if (error == NULL || strstr (error->message, rows[r].said) == NULL)
            g_error ("%s: \"%s\" does not say \"%s\"", rows[r].body, error != NULL ? error->message : "", rows[r].said);
        }
      neighbours_close (&one);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  folder = g_dir_make_tmp ("leat-neighbours-XXXXXX", NULL);
  kernels_path = g_build_filename (folder, "kernels.cu", NULL);
  g_assert_true (g_file_set_contents (kernels_path, kernels_text, -1, NULL));
  g_test_add_func ("/leat/session/neighbours/runs-chain", test_neighbours_runs_chain);
  g_test_add_func ("/leat/session/neighbours/does-again", test_neighbours_does_again);
  g_test_add_func ("/leat/session/neighbours/runs-batches", test_neighbours_runs_batches);
  g_test_add_func ("/leat/session/neighbours/runs-in-loop", test_neighbours_runs_in_loop);
  g_test_add_func ("/leat/session/neighbours/equal-one-by-one", test_neighbours_equal_one_by_one);
  g_test_add_func ("/leat/session/neighbours/runs-in-two-axes", test_neighbours_runs_in_two_axes);
  g_test_add_func ("/leat/session/neighbours/says-why-not", test_neighbours_says_why_not);
  g_test_add_func ("/leat/session/neighbours/checks-access", test_neighbours_checks_access);
  g_test_add_func ("/leat/session/neighbours/checks-many", test_neighbours_checks_many);
  g_test_add_func ("/leat/session/neighbours/checks-blocks", test_neighbours_checks_blocks);
  status = g_test_run ();
  g_remove (kernels_path);
  g_rmdir (folder);
  g_free (kernels_path);
  g_free (folder);
  return status;
}
