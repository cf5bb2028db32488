/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-base-expression.h"

G_BEGIN_DECLS

#define LEAT_LOOP_COUNTER     "iteration" /* in the expression: how many are done */
#define LEAT_LOOP_FUSED_ENTRY "loop_fused_test"

/* The kernel at the end of a loop's body: it counts the iterations, keeps the series, and says whether there is to be
 * another one. */
typedef struct _LeatLoopTest LeatLoopTest;

/* When the specs of the body are fixed.  @expression, @until, @series: (nullable); @most, @budget (seconds): 0 where
 * there is no limit */
LeatLoopTest *leat_loop_test_new (LeatGroup *group, LeatExpression *expression, const char *until, const char *series,
                                  guint64 most, double budget, GError **error);
void leat_loop_test_free (LeatLoopTest *self);
/* (nullable): of the port series */
/* Of the expression, as far as a report has room for them; ends with NULL. */
const char *const *leat_loop_test_list_operands (LeatLoopTest *self);
LeatSpec *leat_loop_test_get_series (LeatLoopTest *self);
/* Before the body: the outputs that are the loop's own. */
void leat_loop_test_begin (LeatLoopTest *self, LeatRecorder *recorder);
/* Behind it. */
gboolean leat_loop_test_record (LeatLoopTest *self, LeatRecorder *recorder, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLoopTest, leat_loop_test_free)

G_END_DECLS
