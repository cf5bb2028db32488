/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "texture-fixture.h"

#include "leat-harness.h"

#include <math.h>
#include <string.h>

static const struct
{
  const char *dtype, *type; /* of C, where there are vectors of it */
  guint size;
} types[] = {
  { "u8", "uchar", 1 }, { "i8", "char", 1 }, { "u16", "ushort", 2 }, { "i16", "short", 2 },
  { "u32", "uint", 4 }, { "i32", "int", 4 }, { "f16", NULL, 2 },     { "f32", "float", 4 },
};

static guint
texture_find (const char *dtype)
{
  guint i = 0;

  while (!g_str_equal (types[i].dtype, dtype))
    i++;
  return i;
}

guint
texture_dtype_get_size (const char *dtype)
{
  return types[texture_find (dtype)].size;
}

char *
texture_dup_type (const char *dtype, guint channels)
{
  static const char *const plain[][2] = {
    { "u8", "uint8_t" },   { "i8", "int8_t" },   { "u16", "uint16_t" }, { "i16", "int16_t" },
    { "u32", "uint32_t" }, { "i32", "int32_t" }, { "f32", "float" },
  };

  for (guint i = 0; channels == 1 && i < G_N_ELEMENTS (plain); i++)
    if (g_str_equal (plain[i][0], dtype))
      return g_strdup (plain[i][1]);
  return g_strdup_printf ("%s%u", types[texture_find (dtype)].type, channels);
}

/* Of 10 bits behind the point, as f16 has them. */
static double
texture_widen (guint16 half)
{
  guint exponent = half >> 10 & 31;
  double size = exponent == 0    ? ldexp (half & 1023, -24)
                : exponent == 31 ? (half & 1023 ? NAN : INFINITY)
                                 : ldexp ((half & 1023) + 1024, (int) exponent - 25);

  return half >> 15 ? -size : size;
}

double
texture_read (const char *dtype, gconstpointer at)
{
  union
  {
    guint8 u8;
    gint8 i8;
    guint16 u16;
    gint16 i16;
    guint32 u32;
    gint32 i32;
    float f32;
  } it;

  memcpy (&it, at, texture_dtype_get_size (dtype));
  switch (texture_find (dtype))
    {
    case 0:
      return it.u8;
    case 1:
      return it.i8;
    case 2:
      return it.u16;
    case 3:
      return it.i16;
    case 4:
      return it.u32;
    case 5:
      return it.i32;
    case 6:
      return texture_widen (it.u16);
    default:
      return it.f32;
    }
}

/* Most of a size that differs by 2^60 at most; the rest any bits, and those that are no numbers or not normal. */
static guint32
texture_make_wild_bits (void)
{
  static const guint32 odd[] = { 0x7f800000, 0xff800000, 0x7fc00001, 0, 0x80000000, 0x00000123, 0x807fffff };
  guint32 any = g_random_int ();

  switch (any & 63)
    {
    case 0:
      return odd[g_random_int_range (0, G_N_ELEMENTS (odd))];
    case 1:
      return g_random_int ();
    default:
      return (any & 0x807fffff) | (guint32) g_random_int_range (97, 157) << 23;
    }
}

static void
texture_make_number (const char *dtype, gboolean is_wild, guint8 *at)
{
  guint32 bits = texture_make_wild_bits ();
  float small = (float) g_random_int_range (-400, 400) / 16;

  if (g_str_equal (dtype, "f32") && !is_wild)
    memcpy (at, &small, sizeof small);
  else if (g_str_equal (dtype, "f32"))
    memcpy (at, &bits, sizeof bits);
  else
    for (guint i = 0; i < texture_dtype_get_size (dtype); i++)
      at[i] = (guint8) g_random_int ();
}

GBytes *
texture_make_data (const char *dtype, gsize n, gboolean is_wild, double *values)
{
  guint size = texture_dtype_get_size (dtype);
  guint8 *data = g_malloc (n * size);

  for (gsize i = 0; i < n; i++)
    {
      texture_make_number (dtype, is_wild, data + i * size);
      values[i] = texture_read (dtype, data + i * size);
    }
  return g_bytes_new_take (data, n * size);
}

LeatPipeline *
texture_make_pipeline (const char *text, const char *node, const TextureInput *inputs, guint n_inputs,
                       const char *output, GError **error)
{
  g_autofree char *path = leat_harness_dup_path ("f.cu");
  g_autoptr (GString) all = g_string_new ("leat 1\n");

  leat_harness_write_file (path, text, strlen (text));
  g_string_append_printf (all, "k = kernel source=%s %s\n", path, node);
  for (guint i = 0; i < n_inputs; i++)
    g_string_append_printf (all, "in_%s = app spec=%s\nin_%s -> upload -> k.%s\n", inputs[i].port, inputs[i].spec,
                            inputs[i].port, inputs[i].port);
  g_string_append_printf (all, "k.%s -> readback -> app name=result\n", output);
  return leat_parse_text (all->str, LEAT_TEXT_STYLE_FILE, NULL, error);
}

void
texture_push (LeatPipeline *pipeline, const TextureInput *input)
{
  g_autofree char *name = g_strconcat ("in_", input->port, NULL);
  GError *error = NULL;

  leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, name, NULL)), input->data, &error);
  g_assert_no_error (error);
}

void
texture_run (const char *text, const char *node, const TextureInput *inputs, guint n_inputs, const char *output,
             GBytes **found)
{
  GError *error = NULL;
  g_autoptr (LeatPipeline) pipeline = texture_make_pipeline (text, node, inputs, n_inputs, output, &error);
  g_autoptr (LeatSession) session = NULL;

  g_assert_no_error (error);
  for (guint i = 0; i < n_inputs; i++)
    texture_push (pipeline, &inputs[i]);
  session = leat_session_new (pipeline, NULL);
  leat_session_open (session, NULL, &error);
  g_assert_no_error (error);
  leat_session_replay (session, TRUE, NULL, &error);
  g_assert_no_error (error);
  *found = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (pipeline, "result", NULL)), 0, &error);
  g_assert_no_error (error);
  leat_session_close (session);
}
