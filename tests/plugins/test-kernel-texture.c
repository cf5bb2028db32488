/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "texture-fixture.h"
#include "texture-oracle.h"

#include <math.h>
#include <string.h>

/* Textures of the node `kernel`: every form, filter, address mode, type and number of channels, with normalized
 * coordinates and without, on sizes that are no powers of two and on long ones, held against texture-oracle.c.  The
 * texels are numbers of any size and sort, and so are the coordinates. */

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

static const struct
{
  const char *name;
  guint fetch; /* FORM */
  gint64 sizes[3];
  guint axes; /* that have coordinates */
  gboolean layered;
} forms[] = {
  { "linear", 1, { 37, 1, 1 }, 1, FALSE },      { "1d", 2, { 37, 1, 1 }, 1, FALSE },
  { "2d", 3, { 13, 7, 1 }, 2, FALSE },          { "3d", 4, { 5, 7, 3 }, 3, FALSE },
  { "1d-layered", 5, { 13, 1, 5 }, 1, TRUE },   { "2d-layered", 6, { 5, 7, 3 }, 2, TRUE },
  { "1d-4096", 2, { 4096, 1, 1 }, 1, FALSE },   { "1d-16384", 2, { 16384, 1, 1 }, 1, FALSE },
  { "1d-70000", 2, { 70000, 1, 1 }, 1, FALSE }, { "2d-1000", 3, { 1000, 3, 1 }, 2, FALSE },
};

typedef struct
{
  guint form;
  const char *dtype; /* of the data */
  guint channels;
  gboolean floats; /* whether the kernel reads floats */
} Case;

/* A coordinate in texels: on or between the steps of a filter, anywhere, far beyond the edges, or no number. */
static double
choose_place (gint64 n)
{
  static const double odd[] = { NAN, INFINITY, -INFINITY, 1e30, -1e30, 1e-40, -1e-40, 16777217, -8388609, 3e9, -0.0 };
  gint32 step = g_random_int_range (-512, (gint32) n * 256 + 512);

  switch (g_random_int_range (0, 8))
    {
    case 0:
      return step / 256.0;
    case 1:
      return (step + 0.5) / 256;
    case 2:
      return g_random_double_range (-20, 20) * (double) n;
    case 3:
      return g_random_int_range (0, 4) > 0 ? g_random_double_range (-4e6, 4e6)
                                           : odd[g_random_int_range (0, G_N_ELEMENTS (odd))];
    default:
      return g_random_double_range (-1, (double) n + 1);
    }
}

/* Some are next to what was chosen.  The number of a texel has to fit into an int. */
static void
choose_places (const OracleTexture *oracle, gboolean is_fetch, float *at)
{
  for (guint i = 0; i < PLACES; i++)
    for (guint axis = 0; axis < 3; axis++)
      {
        gint64 n = oracle->sizes[axis];
        double place = is_fetch ? g_random_double_range (-3, (double) n + 3) : choose_place (n);
        float it = (float) (oracle->is_normalized ? place / (double) n : place);
        guint beside = (guint) g_random_int_range (0, 6);

        if (oracle->is_layered && axis == 2)
          at[3 * i + axis] = (float) g_random_int_range (-1, (gint32) n + 1);
        else
          at[3 * i + axis] = beside < 2 ? nextafterf (it, beside == 0 ? INFINITY : -INFINITY) : it;
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

static OracleNumber
get_number (const Case *it)
{
  static const char *const names[] = { "f32", "f16", "u8", "i8", "u16", "i16" };

  for (guint i = 0; it->floats && i < G_N_ELEMENTS (names); i++)
    if (g_str_equal (names[i], it->dtype))
      return ORACLE_F32 + i;
  return ORACLE_WHOLE;
}

/* Zeros have a sign; which NaN it is, the recorded cases tell. */
static gboolean
are_same (double a, double b)
{
  return (isnan (a) && isnan (b)) || (a == b && !signbit (a) == !signbit (b));
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
        double wanted = oracle_sample (oracle, at + 3 * i, c);
        double has = texture_read (result, bytes + ((gsize) i * it->channels + c) * size);

        if (it->floats)
          wanted = (float) wanted;
        if (are_same (has, wanted))
          continue;
        g_test_fail_printf ("%s at %.9g %.9g %.9g, number %u: %.9g, not %.9g", what, at[3 * i], at[3 * i + 1],
                            at[3 * i + 2], c, has, wanted);
        return;
      }
}

static char *
dup_node (const Case *it, const OracleTexture *oracle)
{
  static const char *const modes[] = { "clamp", "border", "wrap", "mirror" };
  static const char *const axes[] = { ".x", ".y", ".z" };
  g_autofree char *type = texture_dup_type (it->floats ? "f32" : it->dtype, it->channels);
  GString *node = g_string_new (NULL);

  g_string_append_printf (node, "defines=\"T=%s,FORM=%u\" grid=4 out=%s[%u", type, forms[it->form].fetch,
                          it->floats ? "f32" : it->dtype, PLACES);
  g_string_append_printf (node, it->channels > 1 ? ",%u]" : "]", it->channels);
  if (it->form == 0)
    return g_string_free (node, FALSE);
  g_string_append_printf (node, " t.filter=%s t.normalized=%s", oracle->is_linear ? "linear" : "point",
                          oracle->is_normalized ? "true" : "false");
  for (guint axis = 0; axis < oracle->axes; axis++)
    g_string_append_printf (node, " t.address%s=%s", oracle->axes > 1 ? axes[axis] : "", modes[oracle->address[axis]]);
  return g_string_free (node, FALSE);
}

/* A texture of random data, read at random places. */
static void
run_case (const Case *it, gboolean is_linear, gboolean is_normalized, const OracleAddress address[3])
{
  const gint64 *sizes = forms[it->form].sizes;
  gsize n = (gsize) (sizes[0] * sizes[1] * sizes[2]) * it->channels;
  g_autofree double *values = g_new (double, n);
  g_autofree float *at = g_new (float, PLACES * 3);
  g_autofree char *node = NULL;
  g_autoptr (GString) spec = g_string_new (NULL);
  OracleTexture oracle = { .values = values,
                           .channels = it->channels,
                           .sizes = { sizes[0], sizes[1], sizes[2] },
                           .is_layered = forms[it->form].layered,
                           .is_linear = is_linear,
                           .is_normalized = is_normalized,
                           .axes = forms[it->form].axes,
                           .number = get_number (it) };
  g_autoptr (GBytes) data = texture_make_data (it->dtype, n, TRUE, values), places = NULL;
  TextureInput inputs[2] = { { "t", NULL, data }, { "at", "f32[993]", NULL } };
  GBytes *found = NULL;

  for (guint axis = 0; axis < oracle.axes; axis++)
    oracle.address[axis] = address[axis];
  set_dimension (spec, it);
  inputs[0].spec = spec->str;
  choose_places (&oracle, it->form == 0, at);
  places = g_bytes_new (at, PLACES * 3 * sizeof *at);
  inputs[1].data = places;
  node = dup_node (it, &oracle);
  texture_run (text, node, inputs, G_N_ELEMENTS (inputs), "out", &found);
  check (it, &oracle, at, found, node);
  g_bytes_unref (found);
}

/* Items one behind the other give 0 beyond the ends. */
static void
test_case (gconstpointer data)
{
  const Case *it = data;

  for (guint linear = 0; linear < (it->floats && it->form > 0 ? 2 : 1); linear++)
    for (guint normalized = 0; normalized < (it->form > 0 ? 2 : 1); normalized++)
      for (guint mode = 0; mode < (it->form == 0 ? 1 : normalized ? 4 : 2); mode++)
        {
          guint n = normalized ? 4 : 2;
          const OracleAddress address[3] = { it->form == 0 ? ORACLE_BORDER : mode, (mode + 1) % n, (mode + n - 1) % n };

          run_case (it, linear != 0, normalized != 0, address);
        }
}

static void
test_gather (void)
{
  static const char gather_text[] =
    "__global__ void f (cudaTextureObject_t t, const float *at, uint64_t at_count, T *out)\n{\n"
    "  GRID_FOR (i, at_count / 3)\n    out[i] = tex2Dgather<T> (t, at[3 * i], at[3 * i + 1], 1);\n}\n";
  double values[13 * 7 * 2];
  float at[PLACES * 3];
  g_autoptr (GBytes) data = texture_make_data ("f32", G_N_ELEMENTS (values), TRUE, values), places = NULL;
  OracleTexture oracle = { .values = values, .channels = 2, .sizes = { 13, 7, 1 }, .axes = 2, .number = ORACLE_F32 };
  TextureInput inputs[2] = { { "t", "f32[7,13,2]", data }, { "at", "f32[993]", NULL } };
  GBytes *found = NULL;
  const float *has;

  choose_places (&oracle, FALSE, at);
  places = g_bytes_new (at, sizeof at);
  inputs[1].data = places;
  texture_run (gather_text, "defines=T=float4 out=f32[331,4] grid=4", inputs, G_N_ELEMENTS (inputs), "out", &found);
  has = g_bytes_get_data (found, NULL);
  for (guint i = 0; i < PLACES; i++)
    for (guint k = 0; k < 4; k++)
      g_assert_true (are_same (has[4 * i + k], oracle_gather (&oracle, at + 3 * i, k == 1 || k == 2, k < 2, 1)));
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
  for (guint form = 6; form < G_N_ELEMENTS (forms); form++)
    add_case (form, "f32", 1, TRUE);
  for (guint channels = 1; channels <= 4; channels *= 2)
    {
      for (guint form = 0; form < 6; form++)
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
  add_case (3, "f16", 1, TRUE);
  for (guint i = 0; i < 4; i++)
    add_case (3, whole[i], 1, TRUE);
  add_case (4, "i8", 2, TRUE);
  add_case (5, "u8", 4, TRUE);
  g_test_add_func ("/leat/kernel-texture/gather", test_gather);
  return g_test_run ();
}
