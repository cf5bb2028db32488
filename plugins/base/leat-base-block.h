/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* For block=measured: the sizes of a block that the first run is to choose among, in @choices; @call has the usual one.
 * @threads: how many the grid has to cover; 0 where it does not follow from data.  FALSE where results might differ
 * between them. */
gboolean leat_block_offer (LeatKernelCall *call, const LeatPrototype *prototype, const char *grid,
                           const guint64 threads[3], LeatBlockChoice choices[LEAT_BLOCK_MOST_CHOICES], GError **error);

G_END_DECLS
