/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A number of any type but a record, as a person reads it.  (transfer full) */
char *leat_value_to_text (LeatDtype dtype, const guint8 *at);
/* Are two the same?  Byte for byte; those with a fraction also where they are no further apart than @tolerance times
 * the larger one, or times 1 where both are smaller. */
gboolean leat_value_equal (LeatDtype dtype, const guint8 *a, const guint8 *b, double tolerance);

G_END_DECLS
