/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "texture-fixture.h"
#include "texture-oracle.h"

#include <math.h>
#include <string.h>

/* Textures of the node `kernel`: every form, filter, address mode, type and number of channels, with normalized
 * coordinates and without, on sizes that are no powers of two, held against the formulas of CUDA's programming guide in
 * plain C.  On a GPU a linear filter may be wrong in the last bits. */

#define PLACES 331

static const char text[] =
  "#if FORM == 1\n#define FETCH tex1Dfetch<T> (t, (int) floorf (at[3 * i]))\n"
  "#elif FORM == 2\n#define FETCH tex1D<T> (t, at[3 * i])\n"
  "#elif FORM == 3\n#define FETCH tex2D<T> (t, at[3 * i], at[3 * i + 1])\n"
  "#elif FORM == 4\n#define FETCH tex3D<T> (t, at[3 * i], at[3 * i + 1], at[3 * i + 2])\n"
  "#elif FORM == 5\n#define FETCH tex1DLayered<T> (t, at[3 * i], (int) at[3 * i + 2])\n"
  "#else\n#define FETCH tex2DLayered<T> (t, at[3 * i], at[3 * i + 1], (int) at[3 * i + 2])\n#endif\n"
  "__global__ void f (cudaTextureObject_t t, const float *at, uint64_t at_count, T *out)\n{\n"
  "  GRID_FOR (i, at_count / 3)\n    out[i] = FETCH;\n}\n";

/* In the order of FORM. */
static const struct
{
  const char *name;
  gint64 sizes[3];
  gboolean layered;
} forms[] = {
  { "linear", { 37, 1, 1 }, FALSE }, { "1d", { 37, 1, 1 }, FALSE },        { "2d", { 13, 7, 1 }, FALSE },
  { "3d", { 5, 7, 3 }, FALSE },      { "1d-layered", { 13, 1, 5 }, TRUE }, { "2d-layered", { 5, 7, 3 }, TRUE },
};

typedef struct
{
  guint form;
  const char *dtype; /* of the data */
  guint channels;
  gboolean floats; /* whether the kernel reads floats */
} Case;

/* Coordinates of which a float holds all, whose products with the sizes too; far beyond the edges on both sides.  With
 * a linear filter they are multiples of 1/256 of a texel or near to one, so that what is rounded does not matter. */
static void
choose_places (const OracleTexture *oracle, float *at)
{
  for (guint i = 0; i < PLACES; i++)
    for (guint axis = 0; axis < 3; axis++)
      {
        gboolean layer = oracle->is_layered && axis == 2;
        gint32 step = g_random_int_range (-512, 1024);
        double place = oracle->is_linear ? step / 256.0 : (2 * step + 1) / 1024.0 * 2;

        if (!oracle->is_normalized)
          place = g_random_int_range (-3, (gint32) oracle->sizes[axis] + 3)
                  + (oracle->is_linear ? (step & 255) / 256.0 + (i % 3 == 0 ? 1 / 1024.0 : 0) : (step & 255) / 300.0);
        at[3 * i + axis] = layer ? (float) g_random_int_range (-1, (gint32) oracle->sizes[2] + 1) : (float) place;
      }
}

static void
set_dimension (GString *spec, const Case *it)
{
  const gint64 *sizes = forms[it->form].sizes;

  g_string_append_printf (spec, "%s[", it->dtype);
  for (guint axis = 3; axis-- > 1;)
    if (sizes[axis] > 1)
      g_string_append_printf (spec, "%" G_GINT64_FORMAT ",", sizes[axis]);
  g_string_append_printf (spec, "%" G_GINT64_FORMAT, sizes[0]);
  g_string_append_printf (spec, it->channels > 1 ? ",%u]" : "]", it->channels);
}

static void
check (const Case *it, const OracleTexture *oracle, const float *at, GBytes *found, const char *what)
{
  const char *result = it->floats ? "f32" : it->dtype;
  guint size = texture_dtype_get_size (result);
  const guint8 *bytes = g_bytes_get_data (found, NULL);

  g_assert_cmpuint (g_bytes_get_size (found), ==, (gsize) PLACES * it->channels * size);
  for (guint i = 0; i < PLACES; i++)
    for (guint c = 0; c < it->channels; c++)
      {
        const double place[3] = { at[3 * i], at[3 * i + 1], at[3 * i + 2] };
        double wanted = oracle_sample (oracle, place, c);
        double has = texture_read (result, bytes + ((gsize) i * it->channels + c) * size);

        if (it->floats)
          wanted = (float) wanted;
        if (has == wanted
            || (texture_is_on_gpu () && it->floats && fabs (has - wanted) <= texture_tolerance (it->dtype)))
          continue;
        g_test_fail_printf ("%s at %g %g %g, number %u: %.9g, not %.9g", what, place[0], place[1], place[2], c, has,
                            wanted);
        return;
      }
}

/* A texture of random data, read at random places. */
static void
run_case (const Case *it, gboolean is_linear, gboolean is_normalized, const guint address[3])
{
  static const char *const names[] = { "clamp", "border", "wrap", "mirror" };
  const gint64 *sizes = forms[it->form].sizes;
  gsize n = (gsize) (sizes[0] * sizes[1] * sizes[2]) * it->channels;
  g_autofree double *values = g_new (double, n);
  g_autofree float *at = g_new (float, PLACES * 3);
  g_autoptr (GString) spec = g_string_new (NULL), node = g_string_new (NULL);
  g_autofree char *out = g_strdup_printf (it->channels > 1 ? "out=%s[%u,%u]" : "out=%s[%u]",
                                          it->floats ? "f32" : it->dtype, PLACES, it->channels);
  g_autofree char *type = texture_dup_type (it->floats ? "f32" : it->dtype, it->channels);
  OracleTexture oracle = { values,    it->channels,  { sizes[0], sizes[1], sizes[2] },      forms[it->form].layered,
                           is_linear, is_normalized, { address[0], address[1], address[2] } };
  g_autoptr (GBytes) data = texture_make_data (it->dtype, n, it->floats, values);
  TextureInput inputs[2] = { { "t", NULL, data }, { "at", "f32[993]", NULL } };
  g_autoptr (GBytes) places = NULL;
  GBytes *found = NULL;

  set_dimension (spec, it);
  inputs[0].spec = spec->str;
  choose_places (&oracle, at);
  places = g_bytes_new (at, PLACES * 3 * sizeof *at);
  inputs[1].data = places;
  g_string_append_printf (node, "defines=\"T=%s,FORM=%u\" %s grid=4", type, it->form + 1, out);
  if (it->form > 0)
    g_string_append_printf (node, " t.filter=%s t.normalized=%s t.address=%s", is_linear ? "linear" : "point",
                            is_normalized ? "true" : "false", names[address[0]]);
  if (it->form == 2 || it->form == 3 || it->form == 5)
    g_string_append_printf (node, " t.address.y=%s", names[address[1]]);
  if (it->form == 3)
    g_string_append_printf (node, " t.address.z=%s", names[address[2]]);
  if (it->form == 0)
    for (guint axis = 0; axis < 3; axis++)
      oracle.address[axis] = axis == 0 ? ORACLE_BORDER : ORACLE_CLAMP;
  texture_run (text, node->str, inputs, G_N_ELEMENTS (inputs), "out", &found);
  check (it, &oracle, at, found, node->str);
  g_bytes_unref (found);
}

static void
test_case (gconstpointer data)
{
  const Case *it = data;

  for (guint linear = 0; linear < (it->floats && it->form > 0 ? 2 : 1); linear++)
    for (guint normalized = 0; normalized < (it->form > 0 ? 2 : 1); normalized++)
      for (guint mode = 0; mode < (it->form == 0 ? 1 : normalized ? 4 : 2); mode++)
        {
          guint n = normalized ? 4 : 2;
          const guint address[3] = { mode, (mode + 1) % n, (mode + n - 1) % n };

          run_case (it, linear != 0, normalized != 0, address);
        }
}

static void
test_gather (void)
{
  static const char gather_text[] =
    "__global__ void f (cudaTextureObject_t t, const float *at, uint64_t at_count, T *out)\n{\n"
    "  GRID_FOR (i, at_count / 3)\n    out[i] = tex2Dgather<T> (t, at[3 * i], at[3 * i + 1], 1);\n}\n";
  const gint64 sizes[3] = { 13, 7, 1 };
  double values[13 * 7 * 2];
  float at[PLACES * 3];
  g_autoptr (GBytes) data = texture_make_data ("f32", G_N_ELEMENTS (values), TRUE, values), places = NULL;
  OracleTexture oracle = { values, 2, { sizes[0], sizes[1], sizes[2] }, FALSE, FALSE, FALSE, { ORACLE_CLAMP } };
  TextureInput inputs[2] = { { "t", "f32[7,13,2]", data }, { "at", "f32[993]", NULL } };
  GBytes *found = NULL;
  const float *has;

  choose_places (&oracle, at);
  places = g_bytes_new (at, sizeof at);
  inputs[1].data = places;
  texture_run (gather_text, "defines=T=float4 out=f32[331,4] grid=4", inputs, G_N_ELEMENTS (inputs), "out", &found);
  has = g_bytes_get_data (found, NULL);
  for (guint i = 0; i < PLACES; i++)
    {
      gint64 x = (gint64) floor (at[3 * i] - 0.5), y = (gint64) floor (at[3 * i + 1] - 0.5);
      const gint64 corners[4][2] = { { x, y + 1 }, { x + 1, y + 1 }, { x + 1, y }, { x, y } };

      for (guint k = 0; k < 4; k++)
        g_assert_cmpfloat (has[4 * i + k], ==, (float) oracle_get (&oracle, corners[k][0], corners[k][1], 0, 1));
    }
  g_bytes_unref (found);
}

static void
add_case (guint form, const char *dtype, guint channels, gboolean floats)
{
  Case *it = g_new (Case, 1);
  g_autofree char *path = g_strdup_printf ("/leat/kernel-texture/%s/%s-%u%s", forms[form].name, dtype, channels,
                                           floats && dtype[0] != 'f' ? "-normalized" : "");

  *it = (Case){ form, dtype, channels, floats };
  g_test_add_data_func_full (path, it, test_case, g_free);
}

int
main (int argc, char **argv)
{
  static const char *const whole[] = { "u8", "i8", "u16", "i16", "u32", "i32" };

  g_test_init (&argc, &argv, NULL);
  for (guint channels = 1; channels <= 4; channels *= 2)
    {
      for (guint form = 0; form < G_N_ELEMENTS (forms); form++)
        add_case (form, "f32", channels, TRUE);
      add_case (2, "f16", channels, TRUE);
      for (guint i = 0; i < G_N_ELEMENTS (whole); i++)
        {
          add_case (2, whole[i], channels, FALSE);
          if (i < 4)
            add_case (2, whole[i], channels, TRUE);
        }
    }
  add_case (0, "u8", 4, FALSE);
  add_case (0, "i16", 1, TRUE);
  add_case (3, "u16", 2, FALSE);
  add_case (5, "u8", 4, TRUE);
  g_test_add_func ("/leat/kernel-texture/gather", test_gather);
  return g_test_run ();
}
