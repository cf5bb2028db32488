/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-graph.h"

G_BEGIN_DECLS

/* A graph that is rows already, in .npy files.  Any integers will do for @offsets and @indices, and any numbers for
 * @weights (nullable).  All of it is checked: errors name the file and the place.  @vertices: how many there are at
 * least; those that the files have no rows for have no edges.  @rounding gets the weights that f32 does not hold. */
LeatCsrGraph *leat_csr_arrays_read (const char *offsets, const char *indices, const char *weights, guint64 vertices,
                                    LeatCsrRounding *rounding, GError **error);

G_END_DECLS
