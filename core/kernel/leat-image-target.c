/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The targets of images as text, and the text and form of a source for each. */

#include "leat-image-internal-private.h"
#include "leat-kernel-source-private.h"

#include <string.h>
#include <sys/auxv.h>
#ifdef __x86_64__
#include <cpuid.h>
#endif

/* The target that an image is made for, and the one that this CPU is. */

static gboolean
leat_image_target_parse_capability (const char *digits, LeatImageTarget *target)
{
  guint64 value;

  if (!g_ascii_string_to_unsigned (digits, 10, 50, 999, &value, NULL))
    return FALSE;
  target->capability = value;
  return TRUE;
}

gboolean
leat_image_target_parse (const char *text, LeatImageTarget *target, GError **error)
{
  static const char *const levels[] = { "native", "x86-64", "x86-64-v3", "x86-64-v4", NULL };

  g_return_val_if_fail (text != NULL && target != NULL, FALSE);
  memset (target, 0, sizeof *target);
  if (g_str_equal (text, "host"))
    text = "native";
  if (g_strv_contains (levels, text))
    {
      g_strlcpy (target->level, text, sizeof target->level);
      return TRUE;
    }
  target->kind = g_str_has_prefix (text, "sm_") ? LEAT_IMAGE_CUBIN : LEAT_IMAGE_PTX;
  if ((target->kind == LEAT_IMAGE_CUBIN && leat_image_target_parse_capability (text + strlen ("sm_"), target))
      || (g_str_has_prefix (text, "compute_")
          && leat_image_target_parse_capability (text + strlen ("compute_"), target)))
    return TRUE;
  g_set_error (
    error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_FAILED,
    "no kernel target \"%s\"; there are host, x86-64, x86-64-v3, x86-64-v4, sm_90 and compute_75 (any number)", text);
  return FALSE;
}

char *
leat_image_target_to_string (const LeatImageTarget *target)
{
  if (target->kind == LEAT_IMAGE_HOST)
    return g_strdup (target->level);
  return g_strdup_printf ("%s_%u", target->kind == LEAT_IMAGE_CUBIN ? "sm" : "compute", target->capability);
}

LeatKernelForm
leat_image_target_get_form (const LeatImageTarget *target)
{
  return (target->timed ? LEAT_KERNEL_TIMED : 0) | (target->indirect ? LEAT_KERNEL_INDIRECT : 0)
         | (target->wide ? LEAT_KERNEL_WIDE : 0) | (target->persistent ? LEAT_KERNEL_PERSISTENT : 0)
         | (target->enclosed ? LEAT_KERNEL_ENCLOSED : 0) | (target->whole ? LEAT_KERNEL_WHOLE : 0);
}

/* The driver refuses machine code then. */
static gboolean
leat_image_forces_ptx (void)
{
  const char *forced = g_getenv ("CUDA_FORCE_PTX_JIT");

  return forced != NULL && *forced != '\0' && !g_str_equal (forced, "0");
}

gboolean
leat_image_target_runs (const LeatImageTarget *made, const LeatImageTarget *target)
{
  if (target->kind == LEAT_IMAGE_HOST)
    return made->kind == LEAT_IMAGE_HOST && leat_image_get_sanitizer () == NULL
           && (g_str_equal (made->level, target->level)
               || (g_str_equal (target->level, "native") && leat_image_cpu_runs (made->level)));
  if (target->kind == LEAT_IMAGE_PTX || made->kind == LEAT_IMAGE_HOST)
    return made->kind == target->kind && made->capability == target->capability;
  if (made->kind == LEAT_IMAGE_PTX)
    return made->capability <= target->capability;
  return made->capability <= target->capability && made->capability / 10 == target->capability / 10
         && !leat_image_forces_ptx ();
}

LeatImageTarget
leat_image_target_get_compiled (const LeatImageTarget *target)
{
  LeatImageTarget asked = *target;

  if (target->kind == LEAT_IMAGE_CUBIN && leat_image_forces_ptx ())
    asked.kind = LEAT_IMAGE_PTX;
  return asked;
}

LeatImageTarget
leat_image_target_with_code (const LeatImageTarget *target, const LeatImageTarget *made)
{
  LeatImageTarget both = *target;

  both.kind = made->kind;
  both.capability = made->capability;
  g_strlcpy (both.level, made->level, sizeof both.level);
  return both;
}

LeatKernelSource *
leat_image_target_get_source (const LeatImageTarget *target, LeatKernelSource *source, GError **error)
{
  LeatKernelTarget wanted = { target->kind != LEAT_IMAGE_HOST, target->capability * 10, target->wide };

  return leat_kernel_source_get_for (source, &wanted, error);
}

char *
leat_image_dup_text (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  LeatKernelForm form = leat_image_target_get_form (target);
  LeatKernelSource *made = leat_image_target_get_source (target, source, error);
  gboolean is_host = target->kind == LEAT_IMAGE_HOST;

  if (made == NULL)
    return NULL;
  if (is_host)
    form &= (LeatKernelForm) ~LEAT_KERNEL_TIMED;
  if (form == LEAT_KERNEL_PLAIN)
    return g_strdup (is_host ? leat_kernel_source_get_host_text (made, error)
                             : leat_kernel_source_get_cuda_text (made, error));
  return is_host ? leat_kernel_source_dup_host_text (made, form, error)
                 : leat_kernel_source_dup_cuda_text (made, form, error);
}

gboolean
leat_image_cpu_runs (const char *level)
{
#ifdef __x86_64__
  gboolean third = __builtin_cpu_supports ("avx2") && __builtin_cpu_supports ("bmi") && __builtin_cpu_supports ("bmi2")
                   && __builtin_cpu_supports ("fma");

  if (g_str_equal (level, "x86-64-v3"))
    return third;
  if (g_str_equal (level, "x86-64-v4"))
    return third && __builtin_cpu_supports ("avx512f") && __builtin_cpu_supports ("avx512bw")
           && __builtin_cpu_supports ("avx512cd") && __builtin_cpu_supports ("avx512dq")
           && __builtin_cpu_supports ("avx512vl");
  return g_str_equal (level, "x86-64") || g_str_equal (level, "native");
#else
  return g_str_equal (level, "native");
#endif
}

char *
leat_image_dup_cpu (void)
{
  GString *text = g_string_new (NULL);

#ifdef __x86_64__
  static const guint leaves[][2] = { { 0, 0 }, { 1, 0 }, { 7, 0 }, { 7, 1 }, { 0x80000001, 0 } };

  for (guint i = 0; i < G_N_ELEMENTS (leaves); i++)
    {
      guint a = 0, b = 0, c = 0, d = 0;

      __get_cpuid_count (leaves[i][0], leaves[i][1], &a, &b, &c, &d);
      /* Bits that say which core asked, and whether the system has switched features on, do not change code. */
      if (leaves[i][0] == 1)
        b = 0;
      g_string_append_printf (text, "%x.%x.%x.%x ", a, b, c & ~(1u << 27), d);
    }
#endif
  g_string_append_printf (text, "%lx %lx", getauxval (AT_HWCAP), getauxval (AT_HWCAP2));
  return g_string_free (text, FALSE);
}
