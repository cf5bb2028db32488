/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* y = x + sum + table: `sum` is kept from run to run and grows by the property `step` in each, `table` is a constant,
 * the property `table`.  `step` is a value of the launch. */
LeatNode *tally_node_new (const char *name);

/* app "source" of @spec -> upload -> "tally" -> readback -> app "sink". (transfer full) */
LeatPipeline *tally_node_make_pipeline (const char *spec);

G_END_DECLS
