/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-base-expression.h"

G_BEGIN_DECLS

/* The operation that combines items, as text for a kernel. */
typedef enum
{
  LEAT_OPERATION_SUM,
  LEAT_OPERATION_MIN,
  LEAT_OPERATION_MAX,
  LEAT_OPERATION_ARGMIN,
  LEAT_OPERATION_ARGMAX,
  LEAT_OPERATION_COUNT,
  LEAT_OPERATION_EXPR,
} LeatOperationKind;

typedef struct
{
  LeatOperationKind kind;
  LeatDtype item;
  LeatDtype result;
  LeatExpression *expression; /* EXPR: of a and b */
  char *identity;             /* EXPR: an expression, `lowest` or `greatest` */
} LeatOperation;

/* The names of the kinds, NULL-terminated, by their numbers. */
extern const char *const leat_operation_names[];

/* The type of results where nobody names one. */
LeatDtype leat_operation_get_result (LeatOperationKind kind, LeatDtype item);
/* Whether properties fit each other: an expression is for EXPR, a type for that and for SUM. */
gboolean leat_operation_check (LeatOperationKind kind, const char *expression, gboolean has_type, GError **error);
/* Of a and b, with @identity, which is a number, `lowest` or `greatest`. */
gboolean leat_operation_set_expression (LeatOperation *self, const char *expression, const char *identity,
                                        GError **error);
/* Whether it can be of items of `result`. */
gboolean leat_operation_check_types (const LeatOperation *self, LeatNode *node, GError **error);
void leat_operation_clear (LeatOperation *self);
/* Whether another order of the same items may give another result. */
gboolean leat_operation_is_ordered (const LeatOperation *self);
/* Whether what is combined is a complex number. */
gboolean leat_operation_has_pairs (const LeatOperation *self);
/* Appends Item, Acc, Out, identity (), take (), combine (), shuffle () and give (); kernels/reduce.cu says what they
 * are.
 */
void leat_operation_write (const LeatOperation *self, GString *head);

G_END_DECLS
