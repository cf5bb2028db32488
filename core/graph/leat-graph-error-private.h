/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-graph-error.h"

G_BEGIN_DECLS

/* "a, b and c" */
char *leat_graph_error_join (const char *const *names);

G_END_DECLS
