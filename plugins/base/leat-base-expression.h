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
/* The same, where a name may be followed by a field of it: `x.pos.1`. */
LeatExpression *leat_expression_parse_with_fields (const char *text, GError **error);
void leat_expression_free (LeatExpression *self);
/* Names in the order they first occur, functions left out. NULL-terminated, owned by the expression. */
const char *const *leat_expression_list_names (LeatExpression *self);
/* The text for a kernel: each name that is in @inputs (NULL-terminated) becomes the value of `name[i]`, or of
 * what @items (nullable) has in its place, an item of the type that @dtypes (nullable) has for it; with @single,
 * numbers with a fraction are floats. */
char *leat_expression_to_c (LeatExpression *self, const char *const *inputs, const LeatDtype *dtypes,
                            const char *const *items, gboolean single);

/* Whether there are no other names than @known (NULL-terminated).  Errors are LEAT_GRAPH_ERROR_TYPE with the column,
 * and end with @hint. */
gboolean leat_expression_check_names (LeatExpression *self, const char *const *known, const char *hint, GError **error);

/* The types of the names in an expression. */
typedef struct
{
  const char *const *names; /* NULL-terminated */
  const LeatDtype *dtypes;  /* of each */
  LeatDtype others;         /* of all other names */
  gboolean single;          /* as for leat_expression_to_c () */
  LeatDtype result;         /* what the value is for; ANY: anything */
} LeatExpressionTypes;

/* Whether operators and functions have what they take: whole numbers, real or complex ones; and whether the value is
 * none that the result has no room for.  Errors are LEAT_GRAPH_ERROR_TYPE with the column. */
gboolean leat_expression_check_types (LeatExpression *self, const LeatExpressionTypes *types, GError **error);

/* The same, and whether each name that is not among them is an argument of @node with a value: LEAT_GRAPH_ERROR_MISSING
 * with near names.  Errors name the node, and have the place of its property @prop. */
gboolean leat_expression_check (LeatExpression *self, LeatNode *node, const char *prop,
                                const LeatExpressionTypes *types, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatExpression, leat_expression_free)

G_END_DECLS
