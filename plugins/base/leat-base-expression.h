/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* An expression in C's own syntax over named values: numbers, names, operators, ?:, parentheses, and the functions in
 * leat-base-token.c. */
typedef struct _LeatExpression LeatExpression;

/* Errors are LEAT_GRAPH_ERROR_TYPE with the column, and LEAT_GRAPH_ERROR_RANGE. */
LeatExpression *leat_expression_parse (const char *text, GError **error);
void leat_expression_free (LeatExpression *self);
/* Names in the order they first occur, functions left out. NULL-terminated, owned by the expression. */
const char *const *leat_expression_list_names (LeatExpression *self);
/* The text for a kernel: each name that is in @inputs (NULL-terminated) becomes `name[i]`; with @single, numbers with
 * a fraction are floats. */
char *leat_expression_to_c (LeatExpression *self, const char *const *inputs, gboolean single);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatExpression, leat_expression_free)

G_END_DECLS
