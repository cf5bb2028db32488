/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-base-token.h"

G_BEGIN_DECLS

/* Whether no comparison among @tokens, those of the complete expression @text, has the result of another as its operand
 * without parentheses: `0 < x < 5` compares 0 or 1 with 5.  Errors are LEAT_GRAPH_ERROR_TYPE with the column. */
gboolean leat_comparison_check (GArray *tokens, const char *text, GError **error);

G_END_DECLS
