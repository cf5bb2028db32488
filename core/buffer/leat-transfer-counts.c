/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sums of what transfers came to, and the form in which an application gets them. */

#include "leat-device-buffer-private.h"

void
leat_transfer_counts_add (LeatTransferCounts *self, const LeatTransferCounts *more)
{
  self->requests += more->requests;
  self->transfers += more->transfers;
  self->fused += more->fused;
  self->bytes_up += more->bytes_up;
  self->bytes_down += more->bytes_down;
  self->bytes_filled += more->bytes_filled;
  self->bytes_copied += more->bytes_copied;
}

GVariant *
leat_transfer_counts_to_variant (const LeatTransferCounts *self)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "requests", "t", self->requests);
  g_variant_dict_insert (&dict, "transfers", "t", self->transfers);
  g_variant_dict_insert (&dict, "fused", "t", self->fused);
  g_variant_dict_insert (&dict, "bytes-up", "t", self->bytes_up);
  g_variant_dict_insert (&dict, "bytes-down", "t", self->bytes_down);
  g_variant_dict_insert (&dict, "bytes-filled", "t", self->bytes_filled);
  g_variant_dict_insert (&dict, "bytes-copied", "t", self->bytes_copied);
  return g_variant_ref_sink (g_variant_dict_end (&dict));
}
