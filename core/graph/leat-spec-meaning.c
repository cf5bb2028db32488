/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The meaning of items, which goes with a spec and is no part of the comparison. */

#include "leat-spec-private.h"

/**
 * leat_spec_new_with_meaning:
 * @like: a spec
 * @meaning: what the items are, for nodes that know; a floating one is taken
 *
 * Makes a spec of the same type and shape that also carries the meaning of the items, for nodes whose results look
 * alike.
 *
 * The meaning goes with the data through nodes that hand on a spec as it is, such as `readback`; the node at the other
 * end looks for it in leat_negotiation_get_input() and must do without where there is none.  It is not part of the
 * text of a spec, and specs that differ in nothing else are equal.
 *
 * Returns: (transfer full): the spec
 *
 * Since: 0.1
 */
LeatSpec *
leat_spec_new_with_meaning (LeatSpec *like, GVariant *meaning)
{
  LeatSpec *self;

  g_return_val_if_fail (like != NULL && meaning != NULL, NULL);

  self = leat_spec_alloc_like (like, like->has_shape);
  self->bounded = like->bounded;
  for (guint i = 0; i < like->n_dims; i++)
    leat_spec_add_dim (self, like->dims[i].kind, like->dims[i].number, like->dims[i].name);
  leat_spec_seal (self); /* as it was with @like */
  self->meaning = g_variant_ref_sink (meaning);
  return self;
}

/**
 * leat_spec_get_meaning:
 * @self: a spec
 *
 * Gets what the items are, where the node that gives them has said so.
 *
 * Returns: (transfer none) (nullable): what leat_spec_new_with_meaning() was given, or %NULL
 *
 * Since: 0.1
 */
GVariant *
leat_spec_get_meaning (LeatSpec *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->meaning;
}
