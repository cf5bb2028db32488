/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The targets of an artifact, and the images for them.  Each image that a session asked for is asked for once more for
 * every target, in the same form. */

#include "leat-compile-targets.h"

#include "leat-compile-gather.h"

#include "section/leat-artifact-error.h"
#include "kernel/leat-kernel-source-private.h"

#include <string.h>

#define LEAT_COMPILE_EARLY 90

/* Machine code of this very CPU, then levels, then machine code for GPUs, then PTX. */
static int
leat_compile_target_compare (gconstpointer a, gconstpointer b)
{
  const LeatImageTarget *x = *(LeatImageTarget *const *) a, *y = *(LeatImageTarget *const *) b;

  if (x->kind != y->kind)
    return x->kind < y->kind ? -1 : 1;
  if (x->kind != LEAT_IMAGE_HOST)
    return x->capability > y->capability ? -1 : x->capability < y->capability;
  if (g_str_equal (x->level, "native") != g_str_equal (y->level, "native"))
    return g_str_equal (x->level, "native") ? -1 : 1;
  return -strcmp (x->level, y->level);
}

static char *
leat_compile_join_capabilities (GArray *known)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint i = 0; i < known->len; i++)
    g_string_append_printf (text, "%s%u", i > 0 ? ", " : "", g_array_index (known, guint, i));
  return g_string_free (g_steal_pointer (&text), FALSE);
}

/* Where NVRTC does not tell what it knows, it refuses by itself. */
static gboolean
leat_compile_target_check (const LeatImageTarget *target, const char *name, GError **error)
{
  g_autoptr (GArray) known = leat_image_nvrtc_list_capabilities ();
  g_autofree char *all = leat_compile_join_capabilities (known);

  if (target->kind == LEAT_IMAGE_HOST || known->len == 0)
    return TRUE;
  for (guint i = 0; i < known->len; i++)
    if (g_array_index (known, guint, i) == target->capability)
      return TRUE;
  g_set_error (error, LEAT_ARTIFACT_ERROR, LEAT_ARTIFACT_ERROR_TARGET,
               "cannot make images for %s: the NVRTC here compiles for %s; compute_%u is PTX for all GPUs to come",
               name, all, g_array_index (known, guint, known->len - 1));
  return FALSE;
}

static gboolean
leat_compile_targets_add (GPtrArray *targets, const char *name, GError **error)
{
  LeatImageTarget target;

  if (!leat_image_target_parse (name, &target, error) || !leat_compile_target_check (&target, name, error))
    return FALSE;
  if (!leat_compile_targets_have (targets, &target))
    g_ptr_array_add (targets, g_memdup2 (&target, sizeof target));
  return TRUE;
}

/* Machine code of the first chip of each generation runs on all of it; the newest PTX is for those to come. */
static void
leat_compile_targets_add_known (GPtrArray *targets)
{
  g_autoptr (GArray) capabilities = leat_image_nvrtc_list_capabilities ();
  guint last = 0;

  leat_compile_targets_add (targets, "native", NULL);
  for (guint i = 0; i < capabilities->len; i++)
    {
      guint capability = g_array_index (capabilities, guint, i);
      g_autofree char *name = g_strdup_printf ("sm_%u", capability);

      if (capability / 10 != last)
        leat_compile_targets_add (targets, name, NULL);
      last = capability / 10;
      if (i + 1 == capabilities->len)
        {
          g_autofree char *ptx = g_strdup_printf ("compute_%u", last * 10);

          leat_compile_targets_add (targets, ptx, NULL);
        }
    }
}

GPtrArray *
leat_compile_targets_new (const char *list, GError **error)
{
  g_autoptr (GPtrArray) targets = g_ptr_array_new_with_free_func (g_free);
  g_auto (GStrv) names = list != NULL ? g_strsplit (list, ",", -1) : NULL;

  if (names == NULL)
    leat_compile_targets_add_known (targets);
  for (guint i = 0; names != NULL && names[i] != NULL; i++)
    if (!leat_compile_targets_add (targets, names[i], error))
      return NULL;
  g_ptr_array_sort (targets, leat_compile_target_compare);
  return g_steal_pointer (&targets);
}

gboolean
leat_compile_targets_have (const GPtrArray *targets, const LeatImageTarget *target)
{
  for (guint i = 0; i < targets->len; i++)
    {
      const LeatImageTarget *other = targets->pdata[i];

      if (other->kind == target->kind && other->capability == target->capability
          && g_str_equal (other->level, target->level))
        return TRUE;
    }
  return FALSE;
}

/* Forms that one kind of device has alone are the other's plain one. */
static LeatImageTarget
leat_compile_target_make_form (const LeatImageTarget *target, const LeatGatheredImage *asked)
{
  LeatImageTarget made = asked->target;

  made.kind = target->kind;
  made.capability = target->capability;
  g_strlcpy (made.level, target->level, sizeof made.level);
  made.timed = made.enclosed = FALSE;
  made.whole = made.kind == LEAT_IMAGE_HOST && !made.persistent && leat_image_host_runs_variants ()
               && leat_kernel_source_has_variants (asked->source);
  return made;
}

/* Kernels that overlap with no other have a form of their own where kernels may begin early. */
static gboolean
leat_compile_target_make (const LeatImageTarget *target, const LeatGatheredImage *asked, GError **error)
{
  LeatImageTarget form = leat_compile_target_make_form (target, asked);
  g_autoptr (GBytes) image = leat_image_get (asked->source, &form, error), enclosed = NULL;

  if (image == NULL || form.kind == LEAT_IMAGE_HOST || form.capability < LEAT_COMPILE_EARLY || form.wide
      || form.persistent || !leat_compile_gather_is_apart (asked->source))
    return image != NULL;
  form.enclosed = TRUE;
  enclosed = leat_image_get (asked->source, &form, error);
  return enclosed != NULL;
}

gboolean
leat_compile_targets_make (const GPtrArray *targets, GError **error)
{
  /* What is made here is gathered too. */
  for (guint i = 0, n = leat_compile_gather_count_images (); i < n; i++)
    {
      const LeatGatheredImage asked = leat_compile_gather_get_image (i);

      for (guint k = 0; asked.image != NULL && k < targets->len; k++)
        if (!leat_compile_target_make (targets->pdata[k], &asked, error))
          {
            g_autofree char *name = leat_image_target_to_string (targets->pdata[k]);

            g_prefix_error (error, "cannot make images for %s: ", name);
            return FALSE;
          }
    }
  return TRUE;
}
