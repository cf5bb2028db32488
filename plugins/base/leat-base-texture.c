/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The textures and surfaces of a node `kernel`: how they are read, as its arguments say, and what lies in them, as the
 * specs of its ports say.  Both are held against what the kernel's text tells. */

#include "leat-base-texture.h"

#include <string.h>

/* In the order of LeatTextureForm from LEAT_TEXTURE_OPEN on, and of LeatTextureAddress. */
static const char *const form_choices[] = { "open", "linear", "1d", "2d", "3d", "1d-layered", "2d-layered", NULL };
static const char *const address_choices[] = { "clamp", "border", "wrap", "mirror", NULL };
static const char *const axis_choices[] = { "address", "clamp", "border", "wrap", "mirror", NULL };
static const char *const filter_choices[] = { "point", "linear", NULL };
static const char *const normalized_choices[] = { "false", "true", NULL };
static const char *const read_choices[] = { "auto", "element", "normalized", NULL };

/* What a spec has to have for a form: dimensions, the numbers of a texel not counted; 0: any. */
static const struct
{
  guint n_dims;
  gboolean layered;
  const char *spec;
} leat_texture_shapes[] = {
  [LEAT_TEXTURE_LINEAR] = { 0, FALSE, "[n]" },
  [LEAT_TEXTURE_1D] = { 1, FALSE, "[w]" },
  [LEAT_TEXTURE_2D] = { 2, FALSE, "[h,w]" },
  [LEAT_TEXTURE_3D] = { 3, FALSE, "[d,h,w]" },
  [LEAT_TEXTURE_1D_LAYERED] = { 2, TRUE, "[layers,w]" },
  [LEAT_TEXTURE_2D_LAYERED] = { 3, TRUE, "[layers,h,w]" },
};

static void
leat_texture_add (LeatNode *node, const LeatParam *param, const char *name, const char *const *choices,
                  const char *blurb)
{
  g_autofree char *full = g_strdup_printf ("%s.%s", param->name, name);

  leat_node_add_choice (node, full, choices, blurb);
}

/* Axes along which a coordinate may lie beyond the edges. */
static guint
leat_texture_count_axes (LeatTextureForm form)
{
  return form == LEAT_TEXTURE_OPEN ? 3 : leat_texture_shapes[form].n_dims - leat_texture_shapes[form].layered;
}

void
leat_texture_expose (LeatNode *node, const LeatParam *param)
{
  static const char *const axes[] = { "address.x", "address.y", "address.z" };
  gboolean sampled = !param->is_surface && param->form != LEAT_TEXTURE_LINEAR;

  if (param->form == LEAT_TEXTURE_OPEN)
    leat_texture_add (node, param, "form", form_choices, "how the kernel sees the texels");
  if (!param->is_surface)
    leat_texture_add (node, param, "read", read_choices,
                      "whole numbers as they are (element), or as floats from 0 or -1 to 1 (normalized)");
  if (!sampled)
    return;
  leat_texture_add (node, param, "filter", filter_choices, "the nearest texel, or those around mixed");
  leat_texture_add (node, param, "normalized", normalized_choices, "whether coordinates go from 0 to 1");
  leat_texture_add (node, param, "address", address_choices, "what is beyond the edges");
  for (guint i = 0; leat_texture_count_axes (param->form) > 1 && i < leat_texture_count_axes (param->form); i++)
    leat_texture_add (node, param, axes[i], axis_choices, "the same along one axis");
}

static guint
leat_texture_get_choice (LeatNode *node, const LeatParam *param, const char *name)
{
  g_autofree char *full = g_strdup_printf ("%s.%s", param->name, name);

  return leat_node_get_choice (node, full);
}

static gboolean G_GNUC_PRINTF (4, 5)
  leat_texture_refuse (LeatNode *node, const char *blamed, GError **error, const char *format, ...)
{
  va_list args;

  va_start (args, format);
  g_propagate_error (error, g_error_new_valist (LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, format, args));
  va_end (args);
  leat_node_blame (node, blamed);
  return FALSE;
}

static gboolean
leat_texture_choose_form (LeatNode *node, const LeatParam *param, LeatTextureForm *form, GError **error)
{
  *form = param->form;
  if (param->form == LEAT_TEXTURE_OPEN)
    *form = LEAT_TEXTURE_OPEN + leat_texture_get_choice (node, param, "form");
  if (*form != LEAT_TEXTURE_OPEN)
    return TRUE;
  return leat_texture_refuse (node, param->name, error,
                              "the kernel does not tell how it sees the texels of \"%s\": it gives it to none of %s by "
                              "that name; set %s.form=2d on the node, or 1d, 3d, 1d-layered, 2d-layered%s",
                              param->name,
                              param->is_surface ? "surf2Dread (), surf2Dwrite ()" : "tex1Dfetch (), tex2D ()",
                              param->name, param->is_surface ? "" : " or linear");
}

static gboolean
leat_texture_is_whole (LeatDtype dtype)
{
  return dtype != LEAT_DTYPE_F32 && dtype != LEAT_DTYPE_F16;
}

static gboolean
leat_texture_check_dtype (LeatNode *node, const LeatParam *param, LeatSpec *spec, GError **error)
{
  static const LeatDtype known[] = { LEAT_DTYPE_U8,  LEAT_DTYPE_I8,  LEAT_DTYPE_U16, LEAT_DTYPE_I16,
                                     LEAT_DTYPE_U32, LEAT_DTYPE_I32, LEAT_DTYPE_F16, LEAT_DTYPE_F32 };
  LeatDtype dtype = leat_spec_get_dtype (spec);
  gboolean is_known = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    is_known = is_known || dtype == known[i];
  if (!is_known)
    return leat_texture_refuse (node, param->name, error,
                                "\"%s\" is a %s, which holds no %s; it holds u8, i8, u16, i16, u32, i32, f16 and f32",
                                param->name, param->is_surface ? "surface" : "texture", leat_dtype_get_name (dtype));
  if (param->dtype == NULL || g_str_equal (param->dtype, leat_dtype_get_name (dtype))
      || (!param->is_surface && g_str_equal (param->dtype, "f32")))
    return TRUE;
  return leat_texture_refuse (node, param->name, error,
                              "the kernel takes the texels of \"%s\" for %s, and its data are %s", param->name,
                              param->dtype, leat_dtype_get_name (dtype));
}

/* How many numbers a texel has: as many as T of the kernel, or else what the spec has beyond the form's dimensions. */
static gboolean
leat_texture_choose_channels (LeatNode *node, const LeatParam *param, LeatTextureForm form, LeatSpec *spec,
                              guint *channels, GError **error)
{
  guint n_dims = leat_spec_get_n_dims (spec), wanted = leat_texture_shapes[form].n_dims;
  guint64 last = n_dims > 0 ? leat_spec_get_dim (spec, n_dims - 1) : 1;
  gboolean fits = n_dims == wanted || n_dims == wanted + 1;
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  if (form == LEAT_TEXTURE_LINEAR)
    *channels = param->item_lanes;
  else
    *channels = fits && n_dims > wanted && last <= 4 ? (guint) last : 1;
  if (form == LEAT_TEXTURE_LINEAR ? leat_spec_get_items (spec) % *channels != 0
                                  : !fits || (n_dims > wanted && last > 4))
    return leat_texture_refuse (
      node, param->name, error,
      "\"%s\" is %s, and the kernel sees it as %s: give it data such as f32%s, or with 2 or 4 "
      "numbers to each texel in one more dimension",
      param->name, text, leat_texture_form_get_name (form), leat_texture_shapes[form].spec);
  if (*channels == 3)
    return leat_texture_refuse (
      node, param->name, error,
      "\"%s\" is %s, and a texel has 1, 2 or 4 numbers, not 3: add a fourth, or take the data "
      "as a pointer",
      param->name, text);
  if (param->texel_is_open || param->item_lanes == *channels)
    return TRUE;
  return leat_texture_refuse (node, param->name, error,
                              "\"%s\" is %s, so a texel has %u number%s, and the kernel takes %u", param->name, text,
                              *channels, *channels == 1 ? "" : "s", param->item_lanes);
}

static gboolean
leat_texture_describe (LeatNode *node, const LeatParam *param, LeatSpec *spec, LeatArrayInfo *info, GError **error)
{
  guint64 sizes[3] = { 0 };
  guint n;

  if (!leat_texture_choose_form (node, param, &info->form, error)
      || !leat_texture_check_dtype (node, param, spec, error)
      || !leat_texture_choose_channels (node, param, info->form, spec, &info->channels, error))
    return FALSE;
  if (leat_spec_is_bounded (spec))
    return leat_texture_refuse (
      node, param->name, error,
      "the data of \"%s\" are as many as a run brings, and a %s has one size; give it data of a "
      "fixed spec, or take them as a pointer",
      param->name, param->is_surface ? "surface" : "texture");
  n = leat_texture_shapes[info->form].n_dims;
  for (guint i = 0; i < n; i++)
    sizes[i] = leat_spec_get_dim (spec, n - 1 - i);
  info->name = param->name;
  info->dtype = leat_spec_get_dtype (spec);
  info->is_surface = param->is_surface;
  info->gathers = param->gathers;
  info->width = n > 0 ? sizes[0] : leat_spec_get_items (spec) / info->channels;
  info->height = n - leat_texture_shapes[info->form].layered > 1 ? sizes[1] : 0;
  info->depth = n == 3 ? sizes[2] : leat_texture_shapes[info->form].layered ? sizes[1] : 0;
  if (info->width == 0 || (n > 1 && sizes[1] == 0) || (n > 2 && sizes[2] == 0))
    return leat_texture_refuse (node, param->name, error, "\"%s\" has no texels, and an array has one at least",
                                param->name);
  return TRUE;
}

/* Floats of whole numbers: where the kernel asks for floats, or, if it does not tell, where the node does. */
static gboolean
leat_texture_choose_read (LeatNode *node, const LeatParam *param, LeatDtype dtype, LeatSampling *sampling,
                          GError **error)
{
  guint read = leat_texture_get_choice (node, param, "read");
  g_autofree char *name = g_strdup_printf ("%s.read", param->name);
  gboolean asks_floats = g_strcmp0 (param->dtype, "f32") == 0;

  sampling->gives_floats = leat_texture_is_whole (dtype) && (read == 2 || (read == 0 && asks_floats));
  if (!leat_texture_is_whole (dtype))
    return TRUE;
  if (sampling->gives_floats && leat_dtype_get_size (dtype) > 2)
    return leat_texture_refuse (
      node, read == 2 ? name : param->name, error,
      "the data of \"%s\" are %s, and only whole numbers of 8 and 16 bits can be read as floats; "
      "read them as whole numbers in the kernel, or convert them before",
      param->name, leat_dtype_get_name (dtype));
  if (param->dtype == NULL && read == 0 && leat_dtype_get_size (dtype) <= 2)
    return leat_texture_refuse (
      node, param->name, error,
      "the data of \"%s\" are %s, and the kernel does not tell whether it reads them as floats: "
      "T of its tex2D<T> (...) is not there or is a parameter of a template; set %s=element, or "
      "%s=normalized for floats from 0 or -1 to 1",
      param->name, leat_dtype_get_name (dtype), name, name);
  if (param->dtype == NULL || sampling->gives_floats == asks_floats)
    return TRUE;
  return leat_texture_refuse (node, name, error, "%s=%s: the kernel takes the texels of \"%s\" for %s", name,
                              read_choices[read], param->name, param->dtype);
}

/* A device mixes texels along all axes.  Along one that there is not, its coordinate is at the edge: anything but the
 * edge again would be mixed in. */
static gboolean
leat_texture_choose_address (LeatNode *node, const LeatParam *param, const LeatArrayInfo *info, LeatSampling *sampling,
                             GError **error)
{
  static const char *const axes[] = { "address.x", "address.y", "address.z" };
  guint all = leat_texture_get_choice (node, param, "address");

  for (guint i = 0; i < leat_texture_count_axes (info->form); i++)
    {
      guint own = leat_texture_get_choice (node, param, axes[i]);
      g_autofree char *name = g_strdup_printf ("%s.%s", param->name, own > 0 ? axes[i] : "address");

      sampling->address[i] = own > 0 ? own - 1 : all;
      if (!sampling->is_normalized && sampling->address[i] >= LEAT_TEXTURE_ADDRESS_WRAP)
        return leat_texture_refuse (node, name, error,
                                    "%s=%s: a texture repeats only where its coordinates are normalized, and would be "
                                    "clamped; set %s.normalized=true, and give the kernel's coordinates from 0 to 1",
                                    name, address_choices[sampling->address[i]], param->name);
    }
  return TRUE;
}

static gboolean
leat_texture_choose_sampling (LeatNode *node, const LeatParam *param, const LeatArrayInfo *info, LeatSampling *sampling,
                              GError **error)
{
  g_autofree char *name = g_strdup_printf ("%s.filter", param->name);

  *sampling = (LeatSampling){ .is_linear = leat_texture_get_choice (node, param, "filter") == 1,
                              .is_normalized = leat_texture_get_choice (node, param, "normalized") == 1 };
  if (!leat_texture_choose_read (node, param, info->dtype, sampling, error)
      || !leat_texture_choose_address (node, param, info, sampling, error))
    return FALSE;
  if (!sampling->is_linear || sampling->gives_floats || !leat_texture_is_whole (info->dtype))
    return TRUE;
  return leat_texture_refuse (
    node, name, error,
    "%s=linear: the texels are read as whole numbers (%s), and only floats can be mixed; read "
    "them as floats in the kernel, as in tex2D<float> (...)",
    name, leat_dtype_get_name (info->dtype));
}

gboolean
leat_texture_record (LeatNode *node, const LeatParam *param, LeatRecorder *recorder, LeatBufferId port, LeatArg *arg,
                     LeatSampling *sampling, GError **error)
{
  LeatArrayInfo info = { 0 };

  if (!leat_texture_describe (node, param, leat_recorder_get_spec (recorder, port), &info, error))
    return FALSE;
  if (!param->is_surface && !leat_texture_choose_sampling (node, param, &info, sampling, error))
    return FALSE;
  *arg = (LeatArg){ .kind = param->is_surface ? LEAT_ARG_SURFACE : LEAT_ARG_TEXTURE,
                    .buffer = leat_recorder_add_array (recorder, &info) };
  if (!param->is_surface)
    {
      arg->value = sampling;
      arg->size = sizeof *sampling;
    }
  return TRUE;
}
