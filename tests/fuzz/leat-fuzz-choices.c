/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz-choices.h"

guint
leat_fuzz_choose (LeatFuzzChoices *self, guint n)
{
  return self->at < self->size ? self->data[self->at++] % n : 0;
}
