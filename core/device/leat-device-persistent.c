/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Multiprocessors that persistent kernels have: one block each, which would not begin without. */

#include "leat-device-object-private.h"

/* A quarter, as long as half of the device is left to other work; one in any case.  A number that was asked for is
 * bounded only by what there is. */
guint
leat_device_share_multiprocessors (guint all, guint taken, guint asked)
{
  const guint rest = taken < all ? all - taken : 0, half = taken < all / 2 ? all / 2 - taken : 0;

  return MAX (asked != 0 ? MIN (asked, rest) : MIN (all / 4, half), 1);
}

guint
leat_device_get_persistent_share (LeatDevice *self, guint asked)
{
  const guint taken = (guint) g_atomic_int_get (&self->persistent_blocks);

  return leat_device_share_multiprocessors (self->facts.multiprocessors, taken, asked);
}

void
leat_device_note_persistent (LeatDevice *self, gint blocks)
{
  g_atomic_int_add (&self->persistent_blocks, blocks);
}
