/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-image-internal-private.h"

#include <string.h>

/* The freedoms of a compiler with floating point, from the text of a property to the instructions of an image. */

static LeatFloatFlags
parse (const char *text)
{
  g_autoptr (GError) error = NULL;
  LeatFloatFlags flags;

  g_assert_true (leat_float_flags_parse (text, &flags, &error));
  g_assert_no_error (error);
  return flags;
}

static void
test_kernel_floats_names (void)
{
  static const struct
  {
    const char *text;
    guint flags;
    const char *printed;
  } rows[] = {
    { "strict", 0, "strict" },
    { "fast", LEAT_FLOATS_CONTRACT, "contract" },
    { "contract", LEAT_FLOATS_CONTRACT, "contract" },
    { "flush", LEAT_FLOATS_FLUSH, "flush" },
    { "sqrt, div", LEAT_FLOATS_DIV | LEAT_FLOATS_SQRT, "div,sqrt" },
    { "fast,intrinsics", LEAT_FLOATS_CONTRACT | LEAT_FLOATS_INTRINSICS, "contract,intrinsics" },
    { "all", 31, "contract,flush,div,sqrt,intrinsics" },
    { "flush,flush", LEAT_FLOATS_FLUSH, "flush" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *printed = leat_float_flags_to_string (parse (rows[i].text));

      g_assert_cmpuint (parse (rows[i].text), ==, rows[i].flags);
      g_assert_cmpstr (printed, ==, rows[i].printed);
      g_assert_cmpuint (parse (printed), ==, rows[i].flags);
    }
}

static void
test_kernel_floats_refuses (void)
{
  static const struct
  {
    const char *text, *says;
  } rows[] = {
    { "fats", "there is no \"fats\" (did you mean \"fast\"?)" },
    { "sloppy", "it is strict, fast, all, or some of contract, flush, div, sqrt and intrinsics" },
    { "", "there is no \"\"" },
    { "div,", "there is no \"\"" },
    { "div,,sqrt", "there is no \"\"" },
    { "Flush", "there is no \"Flush\"" },
    { "strict,div", "strict allows nothing" },
    { "div,strict", "strict allows nothing" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      LeatFloatFlags flags = LEAT_FLOATS_SQRT;

      g_assert_false (leat_float_flags_parse (rows[i].text, &flags, &error));
      g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED);
      g_assert_cmpuint (flags, ==, LEAT_FLOATS_SQRT);
      if (strstr (error->message, rows[i].says) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i].says);
    }
}

#define FLOATS_TEXT                                                                                                    \
  "__global__ void f (const float *x, uint64_t x_count, float *y)\n"                                                   \
  "{ GRID_FOR (i, x_count) y[i] = sqrtf (x[i]) + sinf (x[i]) / x[0] * x[1] - 1.5f; }\n"

static LeatKernelSource *
make_source (const char *fp)
{
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new ("floats.cu", FLOATS_TEXT, &error);

  g_assert_no_error (error);
  leat_kernel_source_set_floats (source, parse (fp));
  g_assert_cmpuint (leat_kernel_source_get_floats (source), ==, parse (fp));
  return source;
}

static LeatImageKey
make_key (const char *fp, const LeatImageTarget *target)
{
  g_autoptr (LeatKernelSource) source = make_source (fp);
  LeatImageKey key;

  leat_image_make_key (source, target, "compiler", &key);
  return key;
}

static gboolean
has_same_image (const char *one, const char *other, const LeatImageTarget *target)
{
  LeatImageKey a = make_key (one, target), b = make_key (other, target);

  return memcmp (&a, &b, sizeof a) == 0;
}

/* A CPU has one image for all that only GPUs know; a GPU has one for each set. */
static void
test_kernel_floats_images (void)
{
  static const char *const sets[] = { "strict", "contract", "flush", "div", "sqrt", "intrinsics", "all", "flush,div" };
  const LeatImageTarget cpu = { LEAT_IMAGE_HOST, "x86-64", 0 }, gpu = { LEAT_IMAGE_CUBIN, "", 90 };

  for (guint i = 0; i < G_N_ELEMENTS (sets); i++)
    for (guint k = 0; k < G_N_ELEMENTS (sets); k++)
      {
        gboolean joins = (parse (sets[i]) ^ parse (sets[k])) & LEAT_FLOATS_CONTRACT;

        g_assert_cmpint (has_same_image (sets[i], sets[k], &gpu), ==, i == k);
        g_assert_cmpint (has_same_image (sets[i], sets[k], &cpu), ==, !joins);
      }
}

/* By NVRTC itself: each name brings its own instructions, and none of another. */
static void
test_kernel_floats_instructions (void)
{
  static const struct
  {
    const char *fp, *has[4], *lacks[4];
  } rows[] = {
    { "strict", { "sqrt.rn.f32", "div.rn.f32" }, { ".ftz.f32 ", "sin.approx", "div.full", "sqrt.approx" } },
    { "flush", { "sqrt.rn.ftz.f32", "div.rn.ftz.f32" }, { "sqrt.rn.f32", "sin.approx" } },
    { "div", { "div.full.f32", "sqrt.rn.f32" }, { "div.rn.f32", "sin.approx" } },
    { "sqrt", { "sqrt.approx.f32", "div.rn.f32" }, { "sqrt.rn.f32", "sin.approx" } },
    { "intrinsics", { "sin.approx.f32", "sqrt.rn.f32", "div.rn.f32" }, { ".ftz", "fma.rn" } },
    { "all", { "sin.approx.ftz.f32", "sqrt.approx.ftz.f32", "fma.rn.ftz.f32" }, { "sqrt.rn", "div.rn" } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      const LeatImageTarget target = { LEAT_IMAGE_PTX, "", 90 };
      g_autoptr (LeatKernelSource) source = make_source (rows[i].fp);
      g_autoptr (GError) error = NULL;
      g_autoptr (GBytes) image = leat_image_compile (source, &target, &error);
      const char *ptx;

      if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
        {
          g_test_skip ("no NVRTC here");
          return;
        }
      g_assert_no_error (error);
      ptx = g_bytes_get_data (image, NULL);
      for (guint k = 0; k < G_N_ELEMENTS (rows[i].has) && rows[i].has[k] != NULL; k++)
        if (strstr (ptx, rows[i].has[k]) == NULL)
          g_error ("with fp=%s there is no %s in:\n%s", rows[i].fp, rows[i].has[k], ptx);
      for (guint k = 0; k < G_N_ELEMENTS (rows[i].lacks) && rows[i].lacks[k] != NULL; k++)
        if (strstr (ptx, rows[i].lacks[k]) != NULL)
          g_error ("with fp=%s there is %s in:\n%s", rows[i].fp, rows[i].lacks[k], ptx);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/floats/names", test_kernel_floats_names);
  g_test_add_func ("/leat/kernel/floats/refuses", test_kernel_floats_refuses);
  g_test_add_func ("/leat/kernel/floats/images", test_kernel_floats_images);
  g_test_add_func ("/leat/kernel/floats/instructions", test_kernel_floats_instructions);
  return g_test_run ();
}
