/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

/* Headers of families of functions come before a text that names one of them and before no other.  Results of the
 * functions are held against a GPU's in tests/plugins/cpu. */

static const struct
{
  const char *words;  /* of a kernel */
  const char *header; /* leat-dialect-host-NAME.h; NULL: none of them */
} family_cases[] = {
  { "y[0] = 1;", NULL },
  { "y[0] = sinf (y[0]) + __float2int_rd (y[1]) + __double2ll_rz (y[2]) + __fadd_rn (y[0], y[1]);", NULL },
  { "float normal = 1, jnt = 2, __very = 3; y[0] = normal + jnt + __very;", NULL },
  { "y[0] = __fadd_rd (y[0], y[1]);", "directed" },
  { "y[0] = __ll2float_ru (3);", "directed" },
  { "y[0] = __frsqrt_rn (y[0]);", "rounded" },
  { "y[0] = dadd (y[0], y[1]);", "modes" },
  { "y[0] = __vadd2 (1, 2);", "lanes" },
  { "y[0] = __viaddmax_s32 (1, 2, 3);", "dpx" },
  { "y[0] = erfinvf (y[0]);", "special" },
  { "y[0] = make_double4_32a (1, 2, 3, 4).x;", "vectors" },
  { "y[0] = __isShared (y);", "member" },
  { "y[0] = tex2D<float> (0, 1, 2);", "texture" },
  { "y[0] = surf2Dread<float> (0, 1, 2);", "surface" },
  { "asm (\"add.f32 %0, %0, %0;\" : \"+f\"(y[0]));", "ptx-member" },
};

static void
test_families_put (void)
{
  static const char *const all[] = { "rounded", "directed", "modes",      "lanes",      "dpx",     "special", "vectors",
                                     "refused", "member",   "ptx-member", "ptx-memory", "texture", "surface" };

  for (guint i = 0; i < G_N_ELEMENTS (family_cases); i++)
    {
      g_autofree char *text = g_strdup_printf ("__global__ void f (float *y) { %s }", family_cases[i].words);
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("a.cu", text, &error);
      const char *host = source != NULL ? leat_kernel_source_get_host_text (source, &error) : NULL;

      g_assert_no_error (error);
      for (guint k = 0; k < G_N_ELEMENTS (all); k++)
        {
          g_autofree char *line = g_strdup_printf ("#line 1 \"leat-dialect-host-%s.h\"", all[k]);
          gboolean put = strstr (host, line) != NULL;

          if (family_cases[i].header == NULL || g_str_equal (family_cases[i].header, all[k]))
            g_assert_cmpint (put, ==, family_cases[i].header != NULL);
        }
    }
}

/* Those that a CPU cannot have say what to do. */
static const struct
{
  const char *words, *message;
} family_refused[] = {
  { "y[0] = __shfl (y[0], 1);", "__shfl_sync () is told which lanes take part" },
  { "y[0] = __shfl_xor (y[0], 1);", "__shfl_xor_sync () is told which lanes take part" },
  { "y[0] = __any (y[0] > 1);", "__any_sync () is told which lanes take part" },
  { "y[0] = __ballot (y[0] > 1);", "__ballot_sync () is told which lanes take part" },
  { "y[0] = all (y[0] > 1);", "__all_sync () is told which lanes take part" },
  { "y[0] = __pm1 ();", "a CPU has no counters for profilers of GPUs; clock64 () tells the time" },
  { "__barrier_sync_count (1, 32);", "__syncthreads () is one for all of it" },
  { "y[0] = __isConstant (y);", "constants and parameters have no memory of their own on a CPU" },
  { "__cluster_barrier_wait ();", "a CPU has no clusters; LEAT_HAS_CLUSTERS says where there are any" },
};

static void
test_families_refused (gconstpointer data)
{
  guint i = GPOINTER_TO_UINT (data);
  g_autofree char *text = g_strdup_printf ("__global__ void f (float *y)\n{\n%s\n}\n", family_refused[i].words);
  LeatImageTarget target = { LEAT_IMAGE_HOST, "native", 0 };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("a.cu", text, &error);
  g_autoptr (GBytes) image = source != NULL ? leat_image_get (source, &target, &error) : NULL;

  g_assert_null (image);
  if (g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    {
      g_test_skip (error->message);
      return;
    }
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE);
  if (strstr (error->message, family_refused[i].message) == NULL || strstr (error->message, "a.cu:3") == NULL)
    g_error ("\"%s\" is said, and at a.cu:3 \"%s\" is expected", error->message, family_refused[i].message);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/kernel/families/put", test_families_put);
  for (guint i = 0; i < G_N_ELEMENTS (family_refused); i++)
    {
      g_autofree char *path = g_strdup_printf ("/leat/kernel/families/refused/%u", i);

      g_test_add_data_func (path, GUINT_TO_POINTER (i), test_families_refused);
    }
  return g_test_run ();
}
