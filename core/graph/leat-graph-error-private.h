/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-graph-error.h"

G_BEGIN_DECLS

/* The tail of a message about an unknown @word: ` (did you mean "x"?)`, else ` (there are a, b and c)` when the list is
 * short, else nothing.  @what is the plural of what @names are, for an empty list: ` (it has no ports)`. */
char *leat_graph_error_hint (const char *word, const char *const *names, const char *what);

/* "a, b and c" */
char *leat_graph_error_join (const char *const *names);

G_END_DECLS
