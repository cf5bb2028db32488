/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "texture-fixture.h"

#include <math.h>
#include <string.h>

/* Surfaces of the node `kernel`: read, written, changed in place and cleared, in every form, and beyond their edges;
 * and textures and surfaces in sessions of every kind. */

#define ITEMS 105

/* Each texel of `from` goes to the place opposite in `to`. */
static const char turn_text[] =
  "#if FORM == 1\n#define READ surf1Dread<T> (from, x * S)\n#define WRITE(v) surf1Dwrite (v, to, (W - 1 - x) * S)\n"
  "#elif FORM == 2\n#define READ surf2Dread<T> (from, x * S, y)\n"
  "#define WRITE(v) surf2Dwrite<T> (v, to, (W - 1 - x) * S, H - 1 - y)\n"
  "#elif FORM == 3\n#define READ surf3Dread<T> (from, x * S, y, z)\n"
  "#define WRITE(v) surf3Dwrite (v, to, (W - 1 - x) * S, H - 1 - y, D - 1 - z)\n"
  "#elif FORM == 4\n#define READ surf1DLayeredread<T> (from, x * S, z)\n"
  "#define WRITE(v) surf1DLayeredwrite (v, to, (W - 1 - x) * S, D - 1 - z)\n"
  "#else\n#define READ surf2DLayeredread<T> (from, x * S, y, z)\n"
  "#define WRITE(v) surf2DLayeredwrite (v, to, (W - 1 - x) * S, H - 1 - y, D - 1 - z)\n#endif\n"
  "#define S (int) sizeof (T)\n"
  "__global__ void f (cudaSurfaceObject_t from, cudaSurfaceObject_t to)\n{\n"
  "  GRID_FOR (i, W * H * D)\n    {\n      int x = i % W, y = i / W % H, z = i / W / H;\n      T v = READ;\n"
  "      WRITE (v);\n    }\n}\n";

static const struct
{
  const char *name, *shape;
  guint form, sizes[3];
} shapes[] = {
  { "1d", "[105]", 1, { 105, 1, 1 } },         { "2d", "[7,15]", 2, { 15, 7, 1 } },
  { "3d", "[3,7,5]", 3, { 5, 7, 3 } },         { "1d-layered", "[7,15]", 4, { 15, 1, 7 } },
  { "2d-layered", "[3,7,5]", 5, { 5, 7, 3 } },
};

static const struct
{
  const char *dtype, *type;
  guint channels, bytes;
} texels[] = {
  { "u8", "unsigned char", 1, 1 }, { "i16", "short2", 2, 4 },  { "u32", "uint4", 4, 16 },
  { "f32", "float", 1, 4 },        { "f32", "float4", 4, 16 }, { "u8", "uchar4", 4, 4 },
};

static void
test_turn (gconstpointer data)
{
  guint shape = GPOINTER_TO_UINT (data);
  const guint *sizes = shapes[shape].sizes;

  for (guint k = 0; k < G_N_ELEMENTS (texels); k++)
    {
      g_autofree double *values = g_new (double, ITEMS * 4);
      g_autoptr (GBytes) bytes = texture_make_data (texels[k].dtype, ITEMS * texels[k].channels, FALSE, values);
      g_autofree char *spec =
        texels[k].channels > 1 ? g_strdup_printf ("%s%.*s,%u]", texels[k].dtype, (int) strlen (shapes[shape].shape) - 1,
                                                  shapes[shape].shape, texels[k].channels)
                               : g_strconcat (texels[k].dtype, shapes[shape].shape, NULL);
      g_autofree char *node = g_strdup_printf ("defines=\"T=%s,FORM=%u,W=%u,H=%u,D=%u\" grid=2", texels[k].type,
                                               shapes[shape].form, sizes[0], sizes[1], sizes[2]);
      const TextureInput input = { "from", spec, bytes };
      GBytes *found = NULL;
      const char *from = g_bytes_get_data (bytes, NULL), *to;

      texture_run (turn_text, node, &input, 1, "to", &found);
      to = g_bytes_get_data (found, NULL);
      g_assert_cmpuint (g_bytes_get_size (found), ==, ITEMS * texels[k].bytes);
      for (guint i = 0; i < ITEMS; i++)
        g_assert_cmpmem (to + (ITEMS - 1 - i) * texels[k].bytes, texels[k].bytes, from + i * texels[k].bytes,
                         texels[k].bytes);
      g_bytes_unref (found);
    }
}

/* A surface that is changed in place, and one that begins with zeros. */
static void
test_kept (gconstpointer data)
{
  static const char kept_text[] = "__global__ void f (cudaSurfaceObject_t s, cudaSurfaceObject_t from)\n{\n"
                                  "  GRID_FOR (i, 105)\n    if (i % 2 == 0)\n      {\n"
                                  "        float v; surf2Dread (&v, s, (i % 15) * 4, i / 15);\n"
                                  "        float w = surf2Dread<float> (from, (i % 15) * 4, i / 15);\n"
                                  "        surf2Dwrite (v + w, s, (i % 15) * 4, i / 15);\n      }\n}\n";
  gboolean updates = data != NULL;
  double a[ITEMS], b[ITEMS];
  g_autoptr (GBytes) first = texture_make_data ("f32", ITEMS, FALSE, a),
                     second = texture_make_data ("f32", ITEMS, FALSE, b);
  const TextureInput inputs[] = { { "from", "f32[7,15]", second }, { "s_in", "f32[7,15]", first } };
  GBytes *found = NULL;
  const float *to;

  texture_run (kept_text, updates ? "update=s grid=2" : "clear=s grid=2", inputs, updates ? 2 : 1, "s", &found);
  to = g_bytes_get_data (found, NULL);
  for (guint i = 0; i < ITEMS; i++)
    g_assert_cmpfloat (to[i], ==, (float) ((updates ? a[i] : 0) + (i % 2 == 0 ? b[i] : 0)));
  g_bytes_unref (found);
}

/* Zeros are read beyond the edge and nothing is written there, or the nearest texel is meant. */
static void
test_edges (void)
{
  static const char read_text[] =
    "__global__ void f (cudaSurfaceObject_t from, float2 *out)\n{\n"
    "  GRID_FOR (i, 15 * 7)\n    {\n      int x = i % 15, y = i / 15;\n"
    "      out[i].x = surf2Dread<float> (from, (x - 4) * 4, y * 2, cudaBoundaryModeZero);\n"
    "      out[i].y = surf2Dread<float> (from, (x + 3) * 4, y - 2, cudaBoundaryModeClamp);\n    }\n}\n";
  static const char write_text[] =
    "__global__ void f (cudaSurfaceObject_t to)\n{\n  GRID_FOR (i, 15 * 7)\n"
    "    surf2Dwrite ((float) i, to, (i % 15 - 4) * 4, i / 15, cudaBoundaryModeZero);\n}\n";
  double a[ITEMS];
  g_autoptr (GBytes) data = texture_make_data ("f32", ITEMS, FALSE, a);
  const TextureInput input = { "from", "f32[7,15]", data };
  GBytes *found[2] = { NULL };
  const float *out, *to;

  texture_run (read_text, "out=f32[105,2] grid=2", &input, 1, "out", &found[0]);
  texture_run (write_text, "to=f32[7,15] clear=to grid=2", NULL, 0, "to", &found[1]);
  out = g_bytes_get_data (found[0], NULL);
  to = g_bytes_get_data (found[1], NULL);
  for (gint i = 0; i < ITEMS; i++)
    {
      gint x = i % 15, y = i / 15;

      g_assert_cmpfloat (out[2 * i], ==, x < 4 || y * 2 > 6 ? 0 : (float) a[y * 2 * 15 + x - 4]);
      g_assert_cmpfloat (out[2 * i + 1], ==, (float) a[MAX (y - 2, 0) * 15 + MIN (x + 3, 14)]);
      g_assert_cmpfloat (to[i], ==, x > 10 ? 0 : (float) (i + 4));
    }
  g_bytes_unref (found[0]);
  g_bytes_unref (found[1]);
}

/* The usual mode ends the kernel, and with it what the process has of the device. */
static void
test_trap (void)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;
  g_autoptr (LeatSession) session = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 60 * G_USEC_PER_SEC, G_TEST_SUBPROCESS_DEFAULT);
      g_test_trap_assert_passed ();
      return;
    }
  pipeline = texture_make_pipeline ("__global__ void f (cudaSurfaceObject_t s) { surf2Dwrite (1.0f, s, 60, 7); }\n",
                                    "s=f32[7,15] grid=1 block=1", NULL, 0, "s", &error);
  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpint (leat_session_replay (session, TRUE, NULL, &error), ==, LEAT_FLOW_ERROR);
  g_assert_nonnull (error);
  g_clear_error (&error);
  leat_session_close (session);
}

/* A texture and a surface in one pipeline, called as the driver does: the next run has other data, whatever does the
 * runs. */
static const char both_text[] = "#include <cuda.h>\n__global__ void f (CUtexObject t, CUsurfObject s)\n{\n"
                                "  GRID_FOR (i, 105)\n    {\n"
                                "      float v;\n      tex2D (&v, t, i % 15 + 0.5f, i / 15 + 0.5f);\n"
                                "      surf2Dwrite (2 * v, s, (i % 15) * 4, i / 15);\n    }\n}\n";

static void
check_twice (GBytes *found, const double *values)
{
  const float *to = g_bytes_get_data (found, NULL);

  for (guint i = 0; i < ITEMS; i++)
    g_assert_cmpfloat (to[i], ==, (float) (2 * values[i]));
}

static void
test_session (gconstpointer data)
{
  const char *how = data;
  GError *error = NULL;
  TextureInput input = { "t", "f32[7,15]", NULL };
  g_autoptr (LeatPipeline) pipeline = texture_make_pipeline (both_text, "s=f32[7,15] grid=2", &input, 1, "s", &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  if (g_str_equal (how, "eager"))
    g_object_set (session, "executor", LEAT_EXECUTOR_EAGER, NULL);
  if (g_str_equal (how, "lanes"))
    g_object_set (session, "lanes", 3, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  for (guint run = 0; run < 5; run++)
    {
      double values[ITEMS];
      g_autoptr (GBytes) found = NULL;

      input.data = texture_make_data ("f32", ITEMS, FALSE, values);
      texture_push (pipeline, &input);
      leat_session_replay (session, TRUE, NULL, &error);
      g_assert_no_error (error);
      found = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "result", NULL)), 0, &error);
      g_assert_no_error (error);
      check_twice (found, values);
      g_bytes_unref (input.data);
      if (g_str_equal (how, "evicted") && run == 2)
        {
          leat_session_evict (session, NULL, &error);
          g_assert_no_error (error);
        }
    }
  leat_session_close (session);
}

/* One after the other, since there is one array. */
static void
test_batch (void)
{
  GError *error = NULL;
  TextureInput input = { "t", "f32[7,15]", NULL };
  g_autoptr (LeatPipeline) pipeline = texture_make_pipeline (both_text, "s=f32[7,15] grid=2", &input, 1, "s", &error);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);
  g_autoptr (GPtrArray) inputs = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autoptr (GPtrArray) results = NULL;
  double values[3][ITEMS];

  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    g_ptr_array_add (inputs, texture_make_data ("f32", ITEMS, FALSE, values[i]));
  g_object_set (session, "batch", 4, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_replay_batch (session, inputs->len, inputs, &results, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (results->len, ==, inputs->len);
  for (guint i = 0; i < results->len; i++)
    check_twice (g_ptr_array_index (results, i), values[i]);
  leat_session_close (session);
}

static void
test_persistent (void)
{
  GError *error = NULL;
  TextureInput input = { "t", "f32[7,15]", NULL };
  g_autoptr (LeatPipeline) pipeline = texture_make_pipeline (both_text, "s=f32[7,15] grid=2", &input, 1, "s", &error);
  g_autoptr (LeatSession) session = leat_session_new (pipeline, NULL);

  g_object_set (session, "executor", LEAT_EXECUTOR_PERSISTENT, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  leat_harness_assert_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_PERSISTENT, "it has a texture or a surface");
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (shapes); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/kernel-surface/turn/%s", shapes[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_turn);
    }
  g_test_add_data_func ("/leat/kernel-surface/cleared", NULL, test_kept);
  g_test_add_data_func ("/leat/kernel-surface/updated", "", test_kept);
  g_test_add_func ("/leat/kernel-surface/edges", test_edges);
  g_test_add_func ("/leat/kernel-surface/trap", test_trap);
  g_test_add_data_func ("/leat/kernel-surface/session/graph", "graph", test_session);
  g_test_add_data_func ("/leat/kernel-surface/session/eager", "eager", test_session);
  g_test_add_data_func ("/leat/kernel-surface/session/lanes", "lanes", test_session);
  g_test_add_data_func ("/leat/kernel-surface/session/evicted", "evicted", test_session);
  g_test_add_func ("/leat/kernel-surface/session/batch", test_batch);
  g_test_add_func ("/leat/kernel-surface/session/persistent", test_persistent);
  return g_test_run ();
}
