/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Where data of one output, of two runs that should be alike, are not. */
typedef struct
{
  guint64 n_items[2];  /* that there are */
  guint64 n_differing; /* of those that both have */
  char *place;         /* (nullable): of the first of these, as "[3,5].x" */
  char *values[2];     /* (nullable): there */
} LeatDifference;

void leat_difference_clear (LeatDifference *self);
/* Holds two sets of live items of @spec against each other.  FALSE: they are alike, and @self holds nothing. */
gboolean leat_difference_find (LeatDifference *self, LeatSpec *spec, GBytes *a, GBytes *b, double tolerance);
/* "3 of 1000 items differ, first [17]: 35 and 34"; @ways: what each of the two is called (transfer full) */
char *leat_difference_to_text (const LeatDifference *self, const char *const *ways);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatDifference, leat_difference_clear)

G_END_DECLS
