/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-op-private.h"

G_BEGIN_DECLS

/* Ops that are done again and again: a LEAT_OP_LOOP, the body, and the kernel that tests, which is the last. */
struct _LeatPlanLoop
{
  LeatNode *node;       /* not owned */
  LeatPlanLoop *parent; /* (nullable): in whose body it is; not owned */
  guint index;
  guint first, last; /* ops: the LEAT_OP_LOOP, and the test */
  guint64 most;
  LeatLoopMethod asked;
  gboolean is_tested;
  guint64 budget_ns;
  char **operands;     /* (nullable): of the test, whose values are in the report */
  char *fused_test;    /* (nullable): what does the work of the test in the kernel that the loop may become */
  gboolean is_kernel;  /* it became one: `first` is that kernel, and `last` too */
  LeatOp *fused;       /* (nullable): or it may, and this stands before what it would take the place of; not owned */
  char *why_not_fused; /* AUTO: then */
  LeatBufferId memory, report;
  GArray *delays; /* LeatDelay: what goes on from one iteration to the next */
};

/* loops (leat-plan-loop.c) */
void leat_plan_loop_free (LeatPlanLoop *self);
const char *leat_loop_method_get_name (LeatLoopMethod executor);
/* After @n_more ops came, or went, before the op that was number @first. */
void leat_plan_renumber (LeatPlan *self, guint first, gint n_more);

G_END_DECLS
