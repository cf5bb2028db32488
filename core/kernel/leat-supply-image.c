/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds an image in an artifact that is open before anything else is asked, and tells who makes an artifact. */

#include "leat-image-internal-private.h"
#include "leat-supply-private.h"

/* Who has neither an image nor a compiler is told what the artifact has. */
static void
leat_image_advise (const LeatImageTarget *target, GError **error)
{
  const LeatSupply *supply = leat_supply_get ();
  g_autofree char *advice = NULL, *said = NULL;

  if (supply == NULL || error == NULL || !g_error_matches (*error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILER))
    return;
  advice = supply->dup_image_advice (target);
  if (advice == NULL)
    return;
  said = g_steal_pointer (&(*error)->message);
  (*error)->message = g_strconcat (said, advice, NULL);
}

static void
leat_image_tell (LeatKernelSource *source, const LeatImageTarget *target, GBytes *image, const GError *error)
{
  const LeatSupplyTaker *taker = leat_supply_get_taker ();

  if (taker != NULL && (image != NULL || g_error_matches (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE)))
    taker->take_image (source, target, image);
}

GBytes *
leat_image_get (LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  const LeatSupply *supply = leat_supply_get ();
  gboolean is_known = FALSE;
  GError *local = NULL;
  GBytes *image = NULL;

  g_return_val_if_fail (source != NULL && target != NULL, NULL);
  if (supply != NULL)
    image = supply->find_image (source, target, &is_known, &local);
  if (image == NULL && !is_known)
    image = leat_image_get_here (source, target, &local);
  leat_image_tell (source, target, image, local);
  if (image != NULL)
    return image;
  leat_image_advise (target, &local);
  g_propagate_error (error, local);
  return NULL;
}

GBytes *
leat_image_get_shipped (LeatKernelSource *source, const LeatImageTarget *target)
{
  GBytes *image = leat_image_get_shipped_here (source, target);

  leat_image_tell (source, target, image, NULL);
  return image;
}
