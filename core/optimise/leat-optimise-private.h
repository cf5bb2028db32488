/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "plan/leat-plan-private.h"

G_BEGIN_DECLS

/* One way to make a recorded plan do less for the same results.  @run is done again until no pass changes anything. */
typedef struct
{
  const char *name;
  const char *blurb;
  gboolean (*run) (LeatPlan *plan); /* whether it changed the plan */
} LeatPass;

const LeatPass *leat_plan_list_passes (guint *n);

/* Runs the passes, and holds the plan against the rules before the first and after each. */
gboolean leat_plan_optimise (LeatPlan *self, GError **error);

/* The rules of a recorded plan.  (nullable) (transfer full): the first that is broken, in words; NULL where none is */
char *leat_plan_find_broken_rule (LeatPlan *self);

gboolean leat_plan_remove_dead (LeatPlan *self);
gboolean leat_plan_merge_equal (LeatPlan *self);
gboolean leat_plan_forward_copies (LeatPlan *self);
gboolean leat_plan_hoist (LeatPlan *self);
gboolean leat_plan_fold (LeatPlan *self);

/* Beside its outputs a run could tell whether the op was done: it reports, prints, keeps something from run to run, or
 * is a callback. */
gboolean leat_op_has_effects (LeatPlan *plan, const LeatOp *op);
/* The argument is the same in every run: nobody sets it later, and it names memory or bytes of the plan. */
gboolean leat_op_arg_is_fixed (const LeatOpArg *self);

/* Made within a run, in memory of its own that no other buffer has, and by nobody who remembers it by number: foreign
 * work does. */
gboolean leat_plan_buffer_is_plain (LeatPlan *self, LeatBufferId id);
/* Of the same size and spec. */
gboolean leat_buffers_are_alike (const LeatBuffer *self, const LeatBuffer *other);

/* What the op does with the memory, by whatever buffer. */
LeatAccess leat_op_get_access (LeatPlan *plan, const LeatOp *self, LeatBufferId memory);
/* Does one of the ops from @first to before @end write the memory?  @but: (nullable): not this one */
gboolean leat_plan_writes_between (LeatPlan *self, guint first, guint end, LeatBufferId memory, const LeatOp *but);

/* Changes to a plan (leat-optimise-edit.c).  Loops follow. */
void leat_plan_remove_op (LeatPlan *self, guint index);
void leat_plan_hand_over_op (LeatPlan *self, guint index, LeatPlan *to);
void leat_plan_move_op (LeatPlan *self, guint index, guint to);
/* All that names @from names @to. */
void leat_plan_replace_buffer (LeatPlan *self, LeatBufferId from, LeatBufferId to);
/* The result of a pass for what is told; @into: (nullable): the node whose ops stand for it now */
void leat_plan_note_pass (LeatPlan *self, const char *pass, LeatNode *node, LeatNode *into);

G_END_DECLS
