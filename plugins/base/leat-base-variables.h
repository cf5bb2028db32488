/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* @source with what @text says of its variables, `mask=mask.npy, gain=2.5`; files are looked for where @node's are.
 * Takes @source over and gives another. */
LeatKernelSource *leat_variables_fill (LeatNode *node, LeatKernelSource *source, const char *text, GError **error);

G_END_DECLS
