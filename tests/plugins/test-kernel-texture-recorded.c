/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-harness.h"
#include "texture-fixture.h"

#include <string.h>

/* Textures with a linear filter beside what a GPU gave for the same texels and coordinates, byte for byte:
 * texture-recorded.txt, which tells what its lines mean. */

static const char text[] =
  "#if FORM == 1\n#define C 1\n#define FETCH tex1D<float> (t, at[i])\n"
  "#elif FORM == 2\n#define C 2\n#define FETCH tex2D<float> (t, at[2 * i], at[2 * i + 1])\n"
  "#elif FORM == 3\n#define C 3\n#define FETCH tex3D<float> (t, at[3 * i], at[3 * i + 1], at[3 * i + 2])\n"
  "#else\n#define C 3\n#define FETCH tex2DLayered<float> (t, at[3 * i], at[3 * i + 1], (int) at[3 * i + 2])\n#endif\n"
  "__global__ void f (cudaTextureObject_t t, const float *at, uint64_t at_count, float *out)\n{\n"
  "  GRID_FOR (i, at_count / C)\n    out[i] = FETCH;\n}\n";

static const struct
{
  const char *name;
  guint form, coordinates, axes;
} forms[] = { { "1d", 1, 1, 1 }, { "2d", 2, 2, 2 }, { "3d", 3, 3, 3 }, { "2d-layered", 4, 3, 2 } };

/* A case of the file: its first line, and the data that the others hold. */
typedef struct
{
  char **words; /* case NAME TYPE FORM WIDTH HEIGHT DEPTH COORDINATES ADDRESS ... */
  guint form;   /* of `forms` */
  GByteArray *texels, *places, *results;
} Recorded;

static void
recorded_free (gpointer data)
{
  Recorded *self = data;

  g_strfreev (self->words);
  g_byte_array_unref (self->texels);
  g_byte_array_unref (self->places);
  g_byte_array_unref (self->results);
  g_free (self);
}

static Recorded *
recorded_new (const char *line)
{
  Recorded *self = g_new0 (Recorded, 1);

  self->words = g_strsplit (line, " ", -1);
  while (!g_str_equal (forms[self->form].name, self->words[3]))
    self->form++;
  self->texels = g_byte_array_new ();
  self->places = g_byte_array_new ();
  self->results = g_byte_array_new ();
  return self;
}

/* The lower bytes of a number, which come first in memory. */
static void
append_bits (GByteArray *to, const char *digits, guint size)
{
  guint32 bits = (guint32) g_ascii_strtoull (digits, NULL, 16);

  g_byte_array_append (to, (const guint8 *) &bits, size);
}

static void
recorded_add_ramp (Recorded *self, const char *step)
{
  guint64 n = g_ascii_strtoull (self->words[4], NULL, 10);

  for (guint i = 0; i < n; i++)
    {
      float texel = (float) i * (float) g_ascii_strtod (step, NULL);

      g_byte_array_append (self->texels, (const guint8 *) &texel, sizeof texel);
    }
}

static void
recorded_add_line (Recorded *self, const char *line)
{
  g_auto (GStrv) words = g_strsplit (line, " ", -1);
  guint coordinates = forms[self->form].coordinates;

  if (g_str_equal (words[0], "ramp"))
    recorded_add_ramp (self, words[1]);
  else if (g_str_equal (words[0], "hold"))
    for (guint i = 1; words[i] != NULL; i++)
      append_bits (self->texels, words[i], texture_dtype_get_size (self->words[2]));
  else
    {
      g_assert_cmpstr (words[0], ==, "at");
      g_assert_cmpstr (words[coordinates + 1], ==, "=");
      for (guint i = 0; i < coordinates; i++)
        append_bits (self->places, words[i + 1], 4);
      append_bits (self->results, words[coordinates + 2], 4);
    }
}

/* The sizes of the texture as a spec has them, the longest way first. */
static char *
recorded_dup_spec (const Recorded *self)
{
  const char *width = self->words[4], *height = self->words[5], *depth = self->words[6];

  switch (forms[self->form].coordinates)
    {
    case 1:
      return g_strdup_printf ("%s[%s]", self->words[2], width);
    case 2:
      return g_strdup_printf ("%s[%s,%s]", self->words[2], height, width);
    default:
      return g_strdup_printf ("%s[%s,%s,%s]", self->words[2], depth, height, width);
    }
}

static char *
recorded_dup_node (const Recorded *self)
{
  static const char *const axes[] = { ".x", ".y", ".z" };
  GString *node = g_string_new (NULL);
  guint n = forms[self->form].axes;

  g_string_append_printf (node, "defines=FORM=%u grid=4 out=f32[%u] t.filter=linear t.normalized=%s",
                          forms[self->form].form, self->results->len / 4,
                          g_str_equal (self->words[7], "normalized") ? "true" : "false");
  for (guint axis = 0; axis < n; axis++)
    g_string_append_printf (node, " t.address%s=%s", n > 1 ? axes[axis] : "", self->words[8 + axis]);
  return g_string_free (node, FALSE);
}

static void
test_recorded (gconstpointer data)
{
  const Recorded *self = data;
  guint coordinates = forms[self->form].coordinates;
  g_autofree char *spec = recorded_dup_spec (self), *node = recorded_dup_node (self);
  g_autofree char *places_spec = g_strdup_printf ("f32[%u]", self->places->len / 4);
  g_autoptr (GBytes) texels = g_bytes_new_static (self->texels->data, self->texels->len);
  g_autoptr (GBytes) places = g_bytes_new_static (self->places->data, self->places->len);
  const TextureInput inputs[] = { { "t", spec, texels }, { "at", places_spec, places } };
  const guint32 *wanted = (const guint32 *) self->results->data, *has;
  const float *at = (const float *) self->places->data;
  GBytes *found = NULL;

  g_assert_cmpuint (self->places->len, ==, self->results->len * coordinates);
  texture_run (text, node, inputs, G_N_ELEMENTS (inputs), "out", &found);
  g_assert_cmpuint (g_bytes_get_size (found), ==, self->results->len);
  has = g_bytes_get_data (found, NULL);
  for (guint i = 0; i < self->results->len / 4; i++)
    if (has[i] != wanted[i])
      g_test_fail_printf ("sample %u, at %.9g ...: 0x%08x, not 0x%08x", i, at[coordinates * i], has[i], wanted[i]);
  g_bytes_unref (found);
}

int
main (int argc, char **argv)
{
  g_autofree char *path = NULL, *file = NULL;
  g_auto (GStrv) lines = NULL;
  Recorded *last = NULL;
  GError *error = NULL;

  g_test_init (&argc, &argv, NULL);
  path = g_test_build_filename (G_TEST_DIST, "plugins", "texture-recorded.txt", NULL);
  g_file_get_contents (path, &file, NULL, &error);
  g_assert_no_error (error);
  lines = g_strsplit (file, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    if (g_str_has_prefix (lines[i], "case "))
      {
        g_autofree char *name = NULL;

        last = recorded_new (lines[i]);
        name = g_strconcat ("/leat/kernel-texture/recorded/", last->words[1], NULL);
        g_test_add_data_func_full (name, last, test_recorded, recorded_free);
      }
    else if (lines[i][0] != '\0' && lines[i][0] != '#')
      recorded_add_line (last, lines[i]);
  return g_test_run ();
}
