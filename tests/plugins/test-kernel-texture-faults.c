/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "texture-fixture.h"

#include <string.h>

/* Mistakes with textures and surfaces: in the kernel, on the node, in the data; and sizes that no device has. */

#define K "__global__ void f ("

static const struct
{
  const char *name;
  const char *text; /* with `t`, and an output `out` */
  const char *spec; /* of `t` */
  const char *node;
  const char *says;
} cases[] = {
  { "reference", "texture<float, 2> image;\n" K "const float *t, float *out) { out[0] = tex2D (image, 1, 2) + t[0]; }",
    "f32[7,15]", "", "f.cu:1:19: \"image\" is a texture reference" },
  { "surface-reference", "surface<void, 2> image;\n" K "const float *t, float *out) { surf2Dread (out, image, 1, 2); }",
    "f32[7,15]", "", "write surf2Dread<float> (...) in place of surf2Dread (...)" },
  { "pointer", K "const cudaTextureObject_t *t, float *out) { out[0] = tex2D<float> (t[0], 1, 2); }", "f32[7,15]", "",
    "a pointer to texture objects" },
  { "two-forms", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2) + tex1Dfetch<float> (t, 1); }",
    "f32[7,15]", "", "give the kernel a parameter for each" },
  { "open", K "cudaTextureObject_t t, float *out) { auto u = t; out[0] = tex2D<float> (u, 1, 2); }", "f32[7,15]", "",
    "set t.form=2d on the node" },
  { "no-such-form", K "cudaTextureObject_t t, float *out) { auto u = t; out[0] = tex2D<float> (u, 1, 2); }",
    "f32[7,15]", "t.form=4d", "one of open, linear, 1d, 2d, 3d, 1d-layered, 2d-layered, not \"4d\"" },
  { "filter", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f32[7,15]",
    "t.filter=cubic", "one of point, linear, not \"cubic\"" },
  { "address", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f32[7,15]",
    "t.address=repeat", "one of clamp, border, wrap, mirror" },
  { "axis", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f32[7,15]",
    "t.address.z=wrap", "has no property \"t.address.z\"" },
  { "wraps-texels", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f32[7,15]",
    "t.address.y=wrap", "set t.normalized=true" },
  { "linear-fetch", K "cudaTextureObject_t t, float *out) { out[0] = tex1Dfetch<float> (t, 1); }", "f32[7,15]",
    "t.filter=linear", "has no property \"t.filter\"" },
  { "mixes-numbers", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<unsigned char> (t, 1, 2); }", "u8[7,15]",
    "t.filter=linear", "only floats can be mixed" },
  { "floats-of-words", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "i32[7,15]", "",
    "only whole numbers of 8 and 16 bits can be read as floats" },
  { "element", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "u8[7,15]",
    "t.read=element", "the kernel takes the texels of \"t\" for f32" },
  { "normalized", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<unsigned char> (t, 1, 2); }", "u8[7,15]",
    "t.read=normalized", "for u8" },
  { "unknown-type",
    "template <class T> __device__ T get (cudaTextureObject_t t) { return tex2D<T> (t, 1, 2); }\n" K
    "cudaTextureObject_t t, float *out) { out[0] = get<float> (t); }",
    "u8[7,15]", "", "set t.read=element, or t.read=normalized" },
  { "doubles", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f64[7,15]", "",
    "holds no f64" },
  { "other-type", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<short> (t, 1, 2); }", "u8[7,15]", "", "i16" },
  { "rank", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f32[105]", "",
    "give it data such as f32[h,w]" },
  { "three", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<uchar4> (t, 1, 2).x; }", "u8[7,15,3]", "",
    "a texel has 1, 2 or 4 numbers, not 3" },
  { "five", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }", "f32[7,15,5]", "",
    "or with 2 or 4 numbers to each texel" },
  { "channels", K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float4> (t, 1, 2).x; }", "f32[7,15,2]", "",
    "so a texel has 2 numbers, and the kernel takes 4" },
  { "layers", K "cudaTextureObject_t t, float *out) { out[0] = tex2DLayered<float> (t, 1, 2, 0); }", "f32[7,15]", "",
    "as 2d-layered: give it data such as f32[layers,h,w]" },
  { "bounded", K "cudaTextureObject_t t, float *out) { out[0] = tex1D<float> (t, 1); }", "f32[<=105]", "",
    "a texture has one size" },
};

static void
test_fault (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *node = g_strconcat ("out=f32[4] grid=1 ", cases[i].node, NULL);
  const TextureInput input = { "t", cases[i].spec, NULL };
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = texture_make_pipeline (cases[i].text, node, &input, 1, "out", &error);
  g_autoptr (LeatPlan) plan = pipeline != NULL ? leat_plan_new (pipeline, &error) : NULL;

  g_assert_null (plan);
  g_assert_nonnull (error);
  if (strstr (error->message, cases[i].says) == NULL)
    g_error ("\"%s\" does not say \"%s\"", error->message, cases[i].says);
  g_clear_error (&error);
}

/* Known only to the device. */
static void
test_too_large (gconstpointer data)
{
  const char *const *parts = data;
  const TextureInput input = { "t", parts[0], NULL };
  g_autofree char *text = g_strdup_printf (K "cudaTextureObject_t t, float *out) { out[0] = %s; }", parts[1]);
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = texture_make_pipeline (text, "out=f32[4] grid=1", &input, 1, "out", &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  session = leat_session_new (pipeline, NULL);
  g_assert_false (leat_session_open (session, NULL, &error));
  leat_harness_assert_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_INVALID, parts[2]);
}

/* A choice is planned with: no open session takes another, and a closed one does. */
static void
test_choice (void)
{
  const TextureInput input = { "t", "f32[7,15]", NULL };
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline =
    texture_make_pipeline (K "cudaTextureObject_t t, float *out) { out[0] = tex2D<float> (t, 1, 2); }",
                           "out=f32[4] grid=1", &input, 1, "out", &error);
  g_autoptr (LeatSession) session = NULL;
  g_autoptr (GVariant) value = NULL;
  g_autofree char *text = NULL;
  LeatNode *node;

  g_assert_no_error (error);
  node = leat_pipeline_get_node (pipeline, "k", NULL);
  g_assert_null (leat_node_dup_arg (node, "t.filter"));
  g_assert_true (leat_node_set_arg (node, "t.filter", g_variant_new_string ("linear"), &error));
  g_assert_true (leat_node_set_arg (node, "t.normalized", g_variant_new_boolean (TRUE), &error));
  g_assert_true (leat_node_set_from_string (node, "t.address", "mirror", &error));
  g_assert_no_error (error);
  value = leat_node_dup_arg (node, "t.filter");
  g_assert_cmpstr (g_variant_get_string (value, NULL), ==, "linear");
  text = leat_node_dup_as_string (node, "t.normalized");
  g_assert_cmpstr (text, ==, "true");
  g_assert_false (leat_node_set_arg (node, "t.filter", g_variant_new_int32 (1), &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "one of point, linear, not 1");
  g_assert_false (leat_node_set_arg_double (node, "t.filter", 1, &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "one of point, linear");
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  g_assert_false (leat_node_set_from_string (node, "t.filter", "point", &error));
  leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY, "t.filter");
  leat_session_close (session);
  g_assert_true (leat_node_set_from_string (node, "t.filter", "point", &error));
  g_assert_no_error (error);
}

int
main (int argc, char **argv)
{
  static const char *const large[][3] = {
    { "u8[131073]", "tex1D<unsigned char> (t, 1)", "131073 texels in a row" },
    { "u8[65537,1]", "tex2D<unsigned char> (t, 1, 2)", "65537 rows" },
    { "u8[2049,1,1]", "tex2DLayered<unsigned char> (t, 1, 2, 0)", "2049 layers" },
    { "u8[16385,1,1]", "tex3D<unsigned char> (t, 1, 2, 0)", "16385 slices" },
  };

  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/kernel-texture/faults/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_fault);
    }
  for (guint i = 0; i < G_N_ELEMENTS (large); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/kernel-texture/faults/large-%u", i);

      g_test_add_data_func (path, large[i], test_too_large);
    }
  g_test_add_func ("/leat/kernel-texture/choice", test_choice);
  return g_test_run ();
}
