/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-base-expression.h"

G_BEGIN_DECLS

/* What the names in the expression of a `map` stand for: its inputs, and fields of inputs that hold records. */
typedef struct
{
  GPtrArray *names;  /* the inputs, then the fields; NULL-terminated */
  GArray *dtypes;    /* LeatDtype; of an input that holds records RECORD */
  GPtrArray *items;  /* C's text for item i */
  GPtrArray *params; /* of the inputs: C's types of their items */
  LeatDtype target;  /* of the field that gets the result; ANY if there is none */
  char *store;       /* and C's text for it, in leat_one */
} LeatMapValues;

/* @specs: of the inputs.  NULL, with an error that shows the place in the expression, where a field is not there, or a
 * record is taken for a number. */
LeatMapValues *leat_map_values_new (LeatExpression *expression, char **inputs, LeatSpec **specs, GError **error);
void leat_map_values_free (LeatMapValues *self);
/* The result goes into field @path of the records of the first input. */
gboolean leat_map_values_set_target (LeatMapValues *self, const char *path, LeatSpec *first, GError **error);
/* The type of the target; else of the first input; if that holds records, of the first field that is taken of it. */
LeatDtype leat_map_values_get_first (const LeatMapValues *self);
LeatDtype leat_map_values_get_dtype (const LeatMapValues *self, guint index);
/* The declarations that stand before the kernel. */
void leat_map_values_append_types (const LeatMapValues *self, LeatSpec **specs, GString *text);
/* The end of the kernel: each item of the output is @value, or a record with that in it. */
void leat_map_values_append_loop (const LeatMapValues *self, const char *value, GString *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMapValues, leat_map_values_free)

G_END_DECLS
