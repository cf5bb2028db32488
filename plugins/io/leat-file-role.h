/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Common to the nodes that stand for a file: a source when `out` is linked, a sink when `in` is. */

/* The file that `path` means: "-" and "" as they are, others against the folder of the pipeline file. */
char *leat_file_role_dup_path (LeatNode *node, const char *path);
/* The fixed spec of the linked port, once planned. (transfer none) */
LeatSpec *leat_file_role_get_spec (LeatNode *node);

G_END_DECLS
