/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* What the text of a kernel tells of its textures and surfaces, and that both compilers take it. */

static const struct
{
  const char *name;
  const char *text; /* with the kernel `f`, whose first parameter is looked at */
  LeatParamKind kind;
  LeatTextureForm form;
  const char *dtype;
  guint lanes; /* 0: it does not tell */
  gboolean reads;
} cases[] = {
  { "fetch", "__global__ void f (cudaTextureObject_t t, float *y) { y[0] = tex1Dfetch<float4> (t, 1).x; }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_LINEAR, "f32", 4, FALSE },
  { "1d", "__global__ void f (const cudaTextureObject_t t, float *y) { y[0] = tex1D<float2> (t, 1).x; }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_1D, "f32", 2, FALSE },
  { "typedef",
    "typedef cudaTextureObject_t Tex;\n__global__ void f (Tex t, int *y) { y[0] = tex2D<uchar4> (t, 1, 2).x; }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D, "u8", 4, FALSE },
  { "driver", "#include <cuda.h>\n__global__ void f (CUtexObject t, int *y) { y[0] = tex3D<short> (t, 1, 2, 3); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_3D, "i16", 1, FALSE },
  { "gather", "__global__ void f (cudaTextureObject_t t, float *y) { y[0] = tex2Dgather<float4> (t, 1, 2, 1).x; }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D, "f32", 0, FALSE },
  { "3d", "__global__ void f (cudaTextureObject_t t, int *y) { y[0] = tex3D<short> (t, 1, 2, 3); }", LEAT_PARAM_INPUT,
    LEAT_TEXTURE_3D, "i16", 1, FALSE },
  { "1d-layered", "__global__ void f (cudaTextureObject_t t, int *y) { y[0] = tex1DLayered<int> (t, 1, 2); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_1D_LAYERED, "i32", 1, FALSE },
  { "2d-layered", "__global__ void f (cudaTextureObject_t t, int *y) { y[0] = tex2DLayered<uint> (t, 1, 2, 3); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D_LAYERED, "u32", 1, FALSE },
  { "through-functions",
    "__device__ float b (int n, cudaTextureObject_t v) { return tex2D<float> (v, n, 2); }\n"
    "__device__ float a (cudaTextureObject_t u, int n) { return b (n, u); }\n"
    "__global__ void f (cudaTextureObject_t t, float *y) { y[0] = a (t, 3); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D, "f32", 1, FALSE },
  { "through-a-template",
    "template <class T> __device__ T a (cudaTextureObject_t u) { return tex2D<T> (u, 1, 2); }\n"
    "__global__ void f (cudaTextureObject_t t, float *y) { y[0] = a<float> (t); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D, NULL, 0, FALSE },
  { "recursion",
    "__device__ float a (cudaTextureObject_t u, int n) { return n > 0 ? a (u, n - 1) : tex1D<float> (u, n); }\n"
    "__global__ void f (cudaTextureObject_t t, float *y) { y[0] = a (t, 3); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_1D, "f32", 1, FALSE },
  { "copied", "__global__ void f (cudaTextureObject_t t, float *y) { auto u = t; y[0] = tex2D<float> (u, 1, 2); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_OPEN, NULL, 0, FALSE },
  { "surface-read", "__global__ void f (cudaSurfaceObject_t s, float *y) { y[0] = surf2Dread<float> (s, 4, 1); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D, "f32", 1, FALSE },
  { "surface-written", "__global__ void f (cudaSurfaceObject_t s, float *y) { surf1Dwrite (y[0], s, 4); }",
    LEAT_PARAM_OUTPUT, LEAT_TEXTURE_1D, NULL, 0, FALSE },
  { "surface-written-as",
    "__global__ void f (cudaSurfaceObject_t s, float *y) { surf3Dwrite<float> (y[0], s, 4, 1, 2); }", LEAT_PARAM_OUTPUT,
    LEAT_TEXTURE_3D, "f32", 1, FALSE },
  { "surface-changed",
    "__global__ void f (cudaSurfaceObject_t s, float *y)\n{\n"
    "  surf2DLayeredwrite (surf2DLayeredread<float> (s, 4, 1, 2), s, 4, 1, 2);\n"
    "  surf2DLayeredwrite (y[0], s, 0, 0, 0, cudaBoundaryModeClamp);\n}",
    LEAT_PARAM_OUTPUT, LEAT_TEXTURE_2D_LAYERED, "f32", 1, TRUE },
  { "dimensions",
    "__global__ void f (cudaTextureObject_t t, float *y, int t_dim0, int t_dim1)\n"
    "{ y[0] = tex2D<float> (t, t_dim0 - 0.5f, t_dim1 - 0.5f); }",
    LEAT_PARAM_INPUT, LEAT_TEXTURE_2D, "f32", 1, FALSE },
};

static void
compile (LeatKernelSource *source, const char *name, gboolean indirect)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  g_assert_true (leat_image_target_parse (name, &target, NULL));
  target.indirect = indirect;
  image = leat_image_compile (source, &target, &error);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    g_test_message ("not compiled for %s: %s", name, error->message);
  else
    g_assert_no_error (error);
}

static void
test_texture (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("a.cu", cases[i].text, &error);
  const LeatPrototype *prototype = source != NULL ? leat_kernel_source_get_prototype (source, "f", &error) : NULL;
  const LeatParam *param;

  g_assert_no_error (error);
  param = &prototype->params[0];
  g_assert_cmpint (param->kind, ==, cases[i].kind);
  g_assert_cmpstr (leat_texture_form_get_name (param->form), ==, leat_texture_form_get_name (cases[i].form));
  g_assert_cmpstr (param->dtype, ==, cases[i].dtype);
  g_assert_cmpint (param->texel_is_open, ==, cases[i].lanes == 0);
  g_assert_cmpuint (param->item_lanes, ==, MAX (cases[i].lanes, 1));
  g_assert_cmpuint (param->item_bytes, ==, 8);
  g_assert_cmpstr (param->port, ==, param->name);
  g_assert_cmpint (param->reads_line > 0, ==, cases[i].reads);
  for (guint k = 2; k < prototype->n_params; k++)
    g_assert_cmpint (prototype->params[k].kind, ==, LEAT_PARAM_DIM);
  g_assert_cmpstr (leat_kernel_source_why_not_wide (source, "f"), ==, "it has a texture or a surface");
  compile (source, "host", FALSE);
  compile (source, "sm_90", TRUE);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/kernel/texture/%s", cases[i].name);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_texture);
    }
  return g_test_run ();
}
