/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-kernel-source-private.h"
#include "megakernel-fixture.h"
#include "bind/leat-bound-plan-private.h"

#include <string.h>

/* One kernel out of several gives the bytes that they give one by one, and those that C gives. */

static void
megakernel_check_plan (Megakernel *self, guint barriers, guint kept)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (self->session);
  g_autofree char *text = leat_plan_to_text (plan);
  g_autofree char *said = g_strdup_printf (", %u barrier%s; ", barriers, barriers == 1 ? "" : "s");
  g_autofree char *registers = g_strdup_printf (", %u buffer%s in registers", kept, kept == 1 ? "" : "s");

  if (strstr (text, said) == NULL || (strstr (text, registers) != NULL) != (kept > 0))
    g_error ("%s does not say \"%s\" and \"%s\"", text, said, registers);
}

/* What the driver has done, by the nodes of the graph that was made. */
static void
megakernel_check_counts (Megakernel *self, guint runs)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GVariant) counts = leat_session_stop_counting (self->session, &error);
  guint64 kernels = 0, copies = 0, fills = 1;

  g_assert_no_error (error);
  g_assert_true (g_variant_lookup (counts, "kernels", "t", &kernels));
  g_assert_true (g_variant_lookup (counts, "copies", "t", &copies));
  g_assert_true (g_variant_lookup (counts, "fills", "t", &fills));
  g_assert_cmpuint (kernels, ==, runs);
  g_assert_cmpuint (fills, ==, 0);
}

typedef void (*Oracle) (const float *x, float *y, guint n);

static void
run_checked (const char *body, const char *spec, Oracle oracle, guint barriers, guint kept, const char *check)
{
  g_autofree char *text =
    g_strdup_printf (MEGAKERNEL_HEAD "m = megakernel check=%s {\n%s}\n" MEGAKERNEL_TAIL ("%s"), check, body, spec);
  g_autofree float *x = g_new (float, MEGAKERNEL_ITEMS), *y = g_new0 (float, MEGAKERNEL_ITEMS);
  gboolean bounded = strchr (spec, '<') != NULL;
  g_autoptr (GError) fault = NULL;
  Megakernel one;

  megakernel_open (&one, text);
  megakernel_check_plan (&one, barriers, kept);
  g_assert_true (leat_session_start_counting (one.session, &fault));
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = NULL;
      guint n = bounded ? MEGAKERNEL_ITEMS - 700 * round : MEGAKERNEL_ITEMS;
      gsize size;
      gconstpointer data;

      for (guint i = 0; i < n; i++)
        x[i] = (i * 7 + round * 31) % 1024;
      bytes = megakernel_run (&one, x, n, &error);
      g_assert_no_error (error);
      oracle (x, y, n);
      data = g_bytes_get_data (bytes, &size);
      g_assert_cmpmem (data, size, y, n * sizeof *y);
    }
  megakernel_check_counts (&one, 3);
  megakernel_close (&one);
}

static void
run_body (const char *body, const char *spec, Oracle oracle, guint barriers, guint kept)
{
  run_checked (body, spec, oracle, barriers, kept, "false");
}

static void
oracle_guard (const float *x, float *y, guint n, float k)
{
  for (guint i = 0; i < n; i++)
    y[i] = x[i] * 0.5f + k + 3 + 2;
}

static void
oracle_tile (const float *x, float *y, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint other = i / 256 * 256 + 255 - i % 256;

      y[i] = x[i] + (other < n ? x[other] : 0);
    }
}

static void
oracle_turn (const float *x, float *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = x[n - 1 - i] + 1;
}

static void
oracle_chain (const float *x, float *y, guint n)
{
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);

  for (guint i = 0; i < n; i++)
    a[i] = x[i] * 2;
  oracle_guard (a, b, n, 7);
  oracle_tile (b, a, n);
  oracle_turn (a, b, n);
  for (guint i = 0; i < n; i++)
    y[i] = (b[i] + 1) * 3 * 4;
}

static const char chain_text[] = "  a = map expr=x*2\n"
                                 "  b = kernel source=KERNELS entry=guard k=7\n"
                                 "  c = kernel source=KERNELS entry=tile\n"
                                 "  d = kernel source=KERNELS entry=turn\n"
                                 "  e = map expr=x+1\n"
                                 "  f = map expr=x*3\n"
                                 "  g = kernel source=OTHER\n"
                                 "  in.x -> a -> b -> c -> d -> e -> f -> g -> out.y\n";

static void
test_megakernel_runs_chain (void)
{
  run_body (chain_text, "f32[5000]", oracle_chain, 5, 1);
}

static void
test_megakernel_runs_bounded (void)
{
  run_body (chain_text, "f32[<=5000]", oracle_chain, 5, 1);
}

static void
oracle_elementwise (const float *x, float *y, guint n)
{
  g_autofree float *a = g_new (float, n);

  oracle_guard (x, a, n, 7);
  for (guint i = 0; i < n; i++)
    y[i] = (a[i] * 2 + 1) * 4;
}

static void
oracle_names (const float *x, float *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = x[i] * 4 + 2;
}

/* Names of one file are not those of another, wherever they stand in a declaration, and what is not needed is not
 * there. */
static void
test_megakernel_keeps_names_apart (void)
{
  run_body ("  g = kernel source=OTHER\n"
            "  n = kernel source=NAMES entry=names\n"
            "  in.x -> g -> n -> out.y\n",
            "f32[5000]", oracle_names, 1, 0);
}

/* What says that it touches its own items alone needs no barrier, whether it goes by items or by blocks. */
static void
test_megakernel_joins_elementwise (void)
{
  run_body ("  b = kernel source=KERNELS entry=guard k=7 access=elementwise\n"
            "  e = map expr=x*2\n"
            "  f = map expr=x+1\n"
            "  g = kernel source=OTHER access=elementwise\n"
            "  in.x -> b -> e -> f -> g -> out.y\n",
            "f32[5000]", oracle_elementwise, 0, 3);
}

static void
oracle_blocks (const float *x, float *y, guint n)
{
  g_autofree float *a = g_new (float, n);

  oracle_tile (x, a, n);
  oracle_tile (a, y, n);
  oracle_guard (y, a, n, 1);
  oracle_tile (a, y, n);
}

static void
test_megakernel_joins_blocks (void)
{
  static const char *const checks[] = { "false", "true" };

  for (guint i = 0; i < G_N_ELEMENTS (checks); i++)
    run_checked ("  a = kernel source=KERNELS entry=tile access=block\n"
                 "  b = kernel source=KERNELS entry=tile access=block\n"
                 "  c = kernel source=KERNELS entry=guard k=1 access=elementwise\n"
                 "  d = kernel source=KERNELS entry=tile access=block\n"
                 "  in.x -> a -> b -> c -> d -> out.y\n",
                 "f32[5000]", oracle_blocks, 0, 0, checks[i]);
}

static void
oracle_map_chain (const float *x, float *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = (x[i] + 1) * 2 - 3 + x[i];
}

static void
oracle_bounded_chain (const float *x, float *y, guint n)
{
  for (guint i = 0; i < n; i++)
    y[i] = (x[i] + 1) * 2 - 3;
}

/* Nothing is left of what only the next one reads. */
static void
test_megakernel_keeps_items (void)
{
  static const char body[] = "  a = map expr=x+1\n"
                             "  b = map expr=x*2\n"
                             "  c = map expr=x-3\n"
                             "  d = map expr=p+q inputs=p,q\n"
                             "  in.x -> a -> b -> c -> d.p\n"
                             "  in.x -> d.q\n"
                             "  d -> out.y\n";

  run_body (body, "f32[5000]", oracle_map_chain, 0, 3);
  run_body ("  a = map expr=x+1\n  b = map expr=x*2\n  c = map expr=x-3\n  in.x -> a -> b -> c -> out.y\n",
            "f32[<=5000]", oracle_bounded_chain, 0, 2);
}

static void
oracle_shapes (const float *x, float *y, guint n)
{
  for (guint i = 0; i < n; i++)
    {
      guint other = i ^ 1;

      y[i] = x[i] * 2 + (other < n ? x[other] * 2 : 0);
    }
}

/* Threads in two axes, and dynamic shared memory. */
static void
test_megakernel_runs_other_shapes (void)
{
  run_body ("  a = map expr=x*2\n"
            "  b = kernel source=KERNELS entry=sums block=16x16 grid=20x1 shared=1K\n"
            "  in.x -> a -> b -> out.y\n",
            "f32[5000]", oracle_shapes, 1, 0);
}

/* Independent branches wait at the same barriers. */
static void
oracle_branches (const float *x, float *y, guint n)
{
  g_autofree float *a = g_new (float, n), *b = g_new (float, n);

  oracle_turn (x, a, n);
  oracle_turn (a, b, n);
  oracle_turn (b, a, n);
  for (guint i = 0; i < n; i++)
    y[i] = a[i] - b[n - 1 - i];
}

static void
test_megakernel_shares_barriers (void)
{
  run_body ("  a1 = kernel source=KERNELS entry=turn\n"
            "  a2 = kernel source=KERNELS entry=turn\n"
            "  a3 = kernel source=KERNELS entry=turn\n"
            "  b1 = kernel source=KERNELS entry=turn\n"
            "  b2 = kernel source=KERNELS entry=turn\n"
            "  b3 = kernel source=KERNELS entry=turn\n"
            "  b4 = map expr=x-1\n"
            "  d = map expr=p-q inputs=p,q\n"
            "  in.x -> a1 -> a2 -> a3 -> d.p\n"
            "  in.x -> b1 -> b2 -> b3 -> b4 -> d.q\n"
            "  d -> out.y\n",
            "f32[5000]", oracle_branches, 3, 0);
}

static int
float_compare (gconstpointer a, gconstpointer b)
{
  return *(const float *) a < *(const float *) b ? -1 : *(const float *) a > *(const float *) b;
}

/* Fills are part of it: counts that are cleared, and outputs. */
static void
test_megakernel_takes_fills (void)
{
  g_autofree float *x = g_new (float, MEGAKERNEL_ITEMS), *expected = g_new (float, MEGAKERNEL_ITEMS), *found = NULL;
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) kept = NULL, bins = NULL;
  guint32 counts[16] = { 0 };
  guint n = 0;
  gsize size;
  Megakernel one;

  megakernel_open (&one, MEGAKERNEL_HEAD "m = megakernel {\n"
                                         "  a = map expr=x+1\n"
                                         "  k = kernel source=KERNELS entry=keep kept=f32:max5000\n"
                                         "  h = kernel source=KERNELS entry=hist bins=u32[16] clear=bins\n"
                                         "  in.x -> a -> k -> out.kept\n"
                                         "  a -> h -> out.bins\n"
                                         "}\n"
                                         "app name=in spec=f32[5000] -> upload mode=copy -> m.x\n"
                                         "m.kept -> readback mode=copy -> app name=out\n"
                                         "m.bins -> readback mode=copy -> app name=bins\n");
  for (guint i = 0; i < MEGAKERNEL_ITEMS; i++)
    {
      x[i] = i % 777;
      if ((guint) (x[i] + 1) % 2 == 0)
        expected[n++] = x[i] + 1;
      counts[(guint) (x[i] + 1) % 16]++;
    }
  g_assert_true (leat_session_start_counting (one.session, &error));
  for (guint round = 0; round < 2; round++)
    {
      g_clear_pointer (&kept, g_bytes_unref);
      g_clear_pointer (&bins, g_bytes_unref);
      kept = megakernel_run (&one, x, MEGAKERNEL_ITEMS, &error);
      g_assert_no_error (error);
      bins = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (one.pipeline, "bins", NULL)), 0, &error);
      g_assert_no_error (error);
    }
  megakernel_check_counts (&one, 2);
  g_assert_cmpmem (g_bytes_get_data (bins, NULL), g_bytes_get_size (bins), counts, sizeof counts);
  found = g_memdup2 (g_bytes_get_data (kept, &size), g_bytes_get_size (kept));
  qsort (found, size / sizeof *found, sizeof *found, float_compare);
  qsort (expected, n, sizeof *expected, float_compare);
  g_assert_cmpmem (found, size, expected, n * sizeof *expected);
  megakernel_close (&one);
}

/* Of any length: each byte is zero before something is added to it, in each run. */
static void
test_megakernel_fills_each_byte (void)
{
  static const guint sizes[] = { 1, 7, 8, 9, 16, 23, 1000003 };
  g_autofree float *x = g_new0 (float, MEGAKERNEL_ITEMS);
  g_autoptr (GString) body =
    g_string_new (MEGAKERNEL_HEAD "m = megakernel {\n  in.x -> map name=a expr=x+1 -> out.y\n");
  g_autoptr (GString) links = g_string_new ("}\n" MEGAKERNEL_TAIL ("f32[5000]"));
  Megakernel one;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      g_string_append_printf (body,
                              "  k%u = kernel source=KERNELS entry=mark y=u8[%u] n=%u clear=y\n"
                              "  a -> k%u -> out.y%u\n",
                              i, sizes[i], sizes[i], i, i);
      g_string_append_printf (links, "m.y%u -> readback mode=copy -> app name=out%u\n", i, i);
    }
  g_string_append (body, links->str);
  megakernel_open (&one, body->str);
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) bytes = megakernel_run (&one, x, MEGAKERNEL_ITEMS, &error);

      g_assert_no_error (error);
      for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
        {
          g_autofree char *name = g_strdup_printf ("out%u", i);
          g_autoptr (GBytes) marked =
            leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (one.pipeline, name, NULL)), 0, &error);
          const guint8 *y;
          gsize size;

          g_assert_no_error (error);
          y = g_bytes_get_data (marked, &size);
          g_assert_cmpuint (size, ==, sizes[i]);
          for (guint k = 0; k < size; k++)
            if (y[k] != 1)
              g_error ("run %u: byte %u of %u is %u", round, k, sizes[i], y[k]);
        }
    }
  megakernel_close (&one);
}

/* A kernel's macros are its own text: what they ask for it asks for itself. */
static void
test_megakernel_takes_macros (void)
{
  g_autofree float *x = g_new (float, MEGAKERNEL_ITEMS), *expected = g_new (float, MEGAKERNEL_ITEMS);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Megakernel one;

  megakernel_open (&one, MEGAKERNEL_HEAD "m = megakernel {\n"
                                         "  a = map expr=x+1\n"
                                         "  k = kernel source=MACROS\n"
                                         "  in.x -> a -> k -> out.y\n"
                                         "}\n" MEGAKERNEL_TAIL ("f32[5000]"));
  for (guint i = 0; i < MEGAKERNEL_ITEMS; i++)
    {
      x[i] = i % 777;
      expected[i] = 2 * (x[i] + 1);
    }
  bytes = megakernel_run (&one, x, MEGAKERNEL_ITEMS, &error);
  g_assert_no_error (error);
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected,
                   MEGAKERNEL_ITEMS * sizeof *expected);
  megakernel_close (&one);
}

/* The text of a megakernel has for each device what its files have for that. */
static void
test_megakernel_asks_for_the_device (void)
{
  g_autoptr (LeatPipeline) pipeline = megakernel_parse (MEGAKERNEL_HEAD "m = megakernel {\n"
                                                                        "  a = map expr=x+1\n"
                                                                        "  k = kernel source=DEVICES\n"
                                                                        "  in.x -> a -> k -> out.y\n"
                                                                        "}\n" MEGAKERNEL_TAIL ("f32[5000]"));
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = leat_plan_new (pipeline, &error);
  guint n = 0;

  g_assert_no_error (error);
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);
      const char *host, *cuda;

      if (op->kind != LEAT_OP_KERNEL)
        continue;
      host = leat_kernel_source_get_host_text (op->source, &error);
      g_assert_no_error (error);
      cuda = leat_kernel_source_get_cuda_text (op->source, &error);
      g_assert_no_error (error);
      g_assert_true (strstr (host, "7777") != NULL && strstr (host, "8888") == NULL);
      g_assert_true (strstr (cuda, "8888") != NULL && strstr (cuda, "7777") == NULL);
      n++;
    }
  g_assert_cmpuint (n, ==, 1);
}

/* An argument of a node in the body changes between runs. */
static void
test_megakernel_takes_changed_arguments (void)
{
  const float x[4] = { 1, 2, 3, 4 };
  g_autoptr (GError) error = NULL;
  Megakernel one;

  megakernel_open (&one, MEGAKERNEL_HEAD "m = megakernel {\n"
                                         "  a = map expr=x*gain gain=2\n"
                                         "  b = map expr=x+gain gain=1\n"
                                         "  in.x -> a -> b -> out.y\n"
                                         "}\n" MEGAKERNEL_TAIL ("f32[4]"));
  for (guint round = 0; round < 3; round++)
    {
      g_autoptr (GBytes) bytes = NULL;
      float expected[4];

      if (round > 0)
        {
          g_assert_true (leat_node_set_arg (leat_pipeline_get_node (one.pipeline, round == 1 ? "a" : "b", NULL), "gain",
                                            g_variant_new_double (10), &error));
          g_assert_no_error (error);
        }
      bytes = megakernel_run (&one, x, 4, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < 4; i++)
        expected[i] = x[i] * (round > 0 ? 10 : 2) + (round > 1 ? 10 : 1);
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), expected, sizeof expected);
    }
  megakernel_close (&one);
}

/* Within a loop the launch is done again and again. */
static void
test_megakernel_runs_in_loop (void)
{
  float x[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = NULL;
  Megakernel one;

  megakernel_open (&one, MEGAKERNEL_HEAD "l = loop max-iterations=20 method=while {\n"
                                         "  m = megakernel {\n"
                                         "    a = kernel source=KERNELS entry=turn\n"
                                         "    b = kernel source=KERNELS entry=turn\n"
                                         "    in.x -> a -> b -> out.y\n"
                                         "  }\n"
                                         "  in.x -> m.x\n"
                                         "  m.y -> out.y\n"
                                         "}\n"
                                         "app name=in spec=f32[8] -> upload -> l.x\n"
                                         "l.y -> readback -> app name=out\n");
  bytes = megakernel_run (&one, x, 8, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < 8; i++)
    x[i] += 40;
  g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), x, sizeof x);
  megakernel_close (&one);
}

/* Chains become one without being asked for, and what is beside them stays as it is. */
static void
test_megakernel_fuses_by_itself (void)
{
  static const struct
  {
    LeatFuseMode mode;
    guint64 kernels;
  } rows[] = { { LEAT_FUSE_MODE_OFF, 8 }, { LEAT_FUSE_MODE_AUTO, 4 } };

  for (guint r = 0; r < G_N_ELEMENTS (rows); r++)
    {
      g_autofree float *x = g_new (float, MEGAKERNEL_ITEMS), *y = g_new (float, MEGAKERNEL_ITEMS);
      g_autoptr (GBytes) bytes = NULL;
      g_autoptr (GError) error = NULL;
      Megakernel one;

      one.pipeline =
        megakernel_parse (MEGAKERNEL_HEAD "a = map expr=x+1\nb = map expr=x*2\n"
                                          "t = kernel source=KERNELS entry=turn\n"
                                          "c = map expr=x-3\nd = map expr=x/2\n"
                                          "u = kernel source=KERNELS entry=turn\n"
                                          "e = map expr=x*4\nf = map expr=x+5\n"
                                          "app name=in spec=f32[<=5000] -> upload mode=copy -> a -> b -> t -> c -> d "
                                          "-> u -> readback mode=copy -> app name=out\n"
                                          "d -> e -> f -> readback mode=copy -> discard\n");
      leat_pipeline_set_fuse (one.pipeline, rows[r].mode);
      g_assert_cmpint (leat_pipeline_get_fuse (one.pipeline), ==, rows[r].mode);
      one.session = leat_session_new (one.pipeline, NULL);
      leat_session_open (one.session, NULL, &error);
      g_assert_no_error (error);
      {
        g_autoptr (LeatPlan) plan = leat_session_dup_plan (one.session);
        g_autoptr (GVariant) prediction = leat_plan_dup_prediction (plan);
        guint64 n = 0;

        g_assert_true (g_variant_lookup (prediction, "kernels", "t", &n));
        if (rows[r].mode == LEAT_FUSE_MODE_OFF)
          g_assert_cmpuint (n, ==, rows[r].kernels);
        else
          g_assert_cmpuint (n, <=, 5);
      }
      for (guint i = 0; i < MEGAKERNEL_ITEMS; i++)
        x[i] = i % 333;
      bytes = megakernel_run (&one, x, 4321, &error);
      g_assert_no_error (error);
      for (guint i = 0; i < 4321; i++)
        y[i] = ((x[i] + 1) * 2 + 1 - 3) / 2 + 1;
      g_assert_cmpmem (g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), y, 4321 * sizeof *y);
      megakernel_close (&one);
    }
}

/* What cannot be part of it is named, with what to do. */
static void
test_megakernel_refuses (void)
{
  static const struct
  {
    const char *body, *said;
  } rows[] = {
    { "  k = kernel source=KERNELS entry=meet cooperative=true\n  in.x -> k -> out.y\n",
      "kernel \"k\" cannot be in the body: it is cooperative" },
    { "  k = kernel source=KERNELS entry=lost\n  in.x -> k -> out.y\n", "where asks for blockIdx or gridDim" },
    { "  k = kernel source=KERNELS entry=tell\n  in.x -> k -> out.y\n", "it reports" },
    { "  k = kernel source=KERNELS entry=once block=64\n  a = map expr=x*2\n  in.x -> k -> a -> out.y\n",
      "the 64 threads of its block wait for each other, and a block of another kernel has 256" },
    { "  k = kernel source=KERNELS entry=turn fp=fast\n  a = map expr=x*2\n  in.x -> k -> a -> out.y\n", "its fp=" },
    { "  k = kernel source=KERNELS entry=keep kept=f32:max9\n  a = map expr=x*2\n  in.x -> k -> a -> out.y\n",
      "k.kept is counted in the body by kernel \"k\", and how much there is of it is needed there when the kernel "
      "begins: "
      "end the body before what takes it" },
    { "  k = kernel source=KEEPS\n  in.x -> k -> out.y\n", "calls of its file outlives a launch" },
    { "  l = loop max-iterations=2 {\n    a = map expr=x*2\n    in.x -> a -> out.y\n  }\n  in.x -> l.x\n  l.y -> "
      "out.y\n",
      "a loop is not part of one kernel" },
    { "  k = kernel source=KERNELS entry=turn grid=65536x32768\n  a = map expr=x*2\n  in.x -> k -> a -> out.y\n",
      "its grid has more than 2147483647 blocks" },
    { "  k = kernel source=KERNELS entry=turn access=near\n  in.x -> k -> out.y\n", "access=near" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text =
        g_strdup_printf (MEGAKERNEL_HEAD "m = megakernel {\n%s}\n" MEGAKERNEL_TAIL ("f32[4]"), rows[i].body);
      g_autoptr (LeatPipeline) pipeline = megakernel_parse (text);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatPlan) plan = leat_plan_new (pipeline, &error);

      g_assert_null (plan);
      g_assert_nonnull (error);
      if (strstr (error->message, rows[i].said) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i].said);
    }
}

int
main (int argc, char **argv)
{
  int status;

  g_test_init (&argc, &argv, NULL);
  megakernel_files_make ();
  g_test_add_func ("/leat/session/megakernel/runs-chain", test_megakernel_runs_chain);
  g_test_add_func ("/leat/session/megakernel/runs-bounded", test_megakernel_runs_bounded);
  g_test_add_func ("/leat/session/megakernel/keeps-names-apart", test_megakernel_keeps_names_apart);
  g_test_add_func ("/leat/session/megakernel/joins-elementwise", test_megakernel_joins_elementwise);
  g_test_add_func ("/leat/session/megakernel/joins-blocks", test_megakernel_joins_blocks);
  g_test_add_func ("/leat/session/megakernel/keeps-items", test_megakernel_keeps_items);
  g_test_add_func ("/leat/session/megakernel/runs-other-shapes", test_megakernel_runs_other_shapes);
  g_test_add_func ("/leat/session/megakernel/shares-barriers", test_megakernel_shares_barriers);
  g_test_add_func ("/leat/session/megakernel/takes-fills", test_megakernel_takes_fills);
  g_test_add_func ("/leat/session/megakernel/fills-each-byte", test_megakernel_fills_each_byte);
  g_test_add_func ("/leat/session/megakernel/takes-macros", test_megakernel_takes_macros);
  g_test_add_func ("/leat/session/megakernel/asks-for-the-device", test_megakernel_asks_for_the_device);
  g_test_add_func ("/leat/session/megakernel/takes-changed-arguments", test_megakernel_takes_changed_arguments);
  g_test_add_func ("/leat/session/megakernel/runs-in-loop", test_megakernel_runs_in_loop);
  g_test_add_func ("/leat/session/megakernel/fuses-by-itself", test_megakernel_fuses_by_itself);
  g_test_add_func ("/leat/session/megakernel/refuses", test_megakernel_refuses);
  status = g_test_run ();
  megakernel_files_remove ();
  return status;
}
