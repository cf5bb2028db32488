/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The live bytes of the memory that an endpoint is lent. */

#include "leat-endpoint.h"

/**
 * leat_view_get_bytes: (skip)
 * @self: a view
 *
 * Gets the live bytes: all of the spec's, or, for a bounded spec, as many steps of the leading dimension as the count
 * says.
 *
 * Returns: bytes, from @self's data on
 */
guint64
leat_view_get_bytes (const LeatView *self)
{
  if (!leat_spec_is_bounded (self->spec))
    return leat_spec_get_bytes (self->spec);
  return MIN (self->count, leat_spec_get_dim (self->spec, 0)) * leat_spec_get_row_bytes (self->spec);
}
