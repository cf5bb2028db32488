/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A tap makes the data of an output seen on the host.  It is made of nodes and links that a person could write, so that
 * the output is kept by all that would leave it out: a reader is there. */

/* The output that NODE, or NODE.PORT, names. (transfer none) (nullable) */
LeatPort *leat_tap_find (LeatPipeline *pipeline, const char *name, GError **error);
/* Brings the data of @output out of all bodies and to the host.  From a loop comes what its last iteration left.
 * Returns: (transfer none) (nullable): the output in host memory, to be linked to a sink */
LeatPort *leat_tap_add (LeatPipeline *pipeline, LeatPort *output, GError **error);

G_END_DECLS
