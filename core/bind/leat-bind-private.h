/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bound-plan-private.h"

G_BEGIN_DECLS

/* The bytes that a kernel moves at once where the memory is Leat's; the header of bounded data goes with the items. */
#define LEAT_TRANSFER_CHUNK 16

/* The passes of leat_plan_bind (), in their order (leat-bind.c). */
void leat_bind_choose_loops (LeatBoundPlan *bound);
void leat_bind_choose_fusibles (LeatBoundPlan *bound);
void leat_bind_choose_blocks (LeatBoundPlan *bound);
void leat_bind_choose_transfers (LeatBoundPlan *bound);
void leat_bind_find_slots (LeatBoundPlan *bound);
void leat_bind_find_reusable (LeatBoundPlan *bound);
void leat_bind_find_dependencies (LeatBoundPlan *bound);
void leat_bind_widen (LeatBoundPlan *bound);
void leat_bind_lay_out (LeatBoundPlan *bound);
void leat_bind_pack_transfers (LeatBoundPlan *bound);
/* In a body there are the dependencies within it alone, and outside a loop stands for its ops. */
void leat_bind_lift_dependencies (LeatBoundPlan *bound);
void leat_bind_find_pieces (LeatBoundPlan *bound);
void leat_bind_predict (LeatBoundPlan *bound);
/* Once kernels are loaded. @loaded: by op index */
void leat_bind_find_early (LeatBoundPlan *bound, const LeatLoadedKernel *loaded);

/* Whether measuring may settle that it is done so. */
gboolean leat_plan_may_loop (LeatPlan *self, const LeatPlanLoop *loop, LeatLoopMethod method);
/* Is there a kernel with several sizes of a block? */
gboolean leat_plan_has_blocks (LeatPlan *self);
/* Of the kernels that move data; one for the process, so that a session loads it once. (transfer none) */
LeatKernelSource *leat_transfer_get_source (void);
void leat_plan_note_block_gain (LeatPlan *self, LeatOp *op, double gain);
/* Which sizes of a block a kernel may have, or why it has that one; nothing of others. */
void leat_op_describe_block (const LeatOp *op, GString *text);
/* An op that can be done in several ways: a transfer (LeatTransferMode), a loop (LeatLoopMethod), a stretch
 * (LeatFusionChoice), a kernel with several sizes of a block (their numbers, from 1).  0: it is not known which is
 * best. */
gboolean leat_op_has_ways (const LeatOp *op);
guint leat_op_get_way (const LeatOp *op);
/* The way that measuring chose; 0 where nothing was measured. */
guint leat_op_get_measured (const LeatOp *op);
const char *leat_op_get_way_name (const LeatOp *op, guint way);
/* 0 where it is the name of none. */
guint leat_op_parse_way (const LeatOp *op, const char *name);
/* A plan that is recorded and bound to nothing yet, for who binds it to a device at once.  @persistent: a persistent
 * kernel may have to do it. (transfer full) */
LeatPlan *leat_plan_new_unbound (LeatPipeline *pipeline, gboolean persistent, GError **error);
/* @recorded: (transfer full): finished. (transfer full) */
LeatPlan *leat_bound_plan_new (LeatPlan *recorded);
gboolean leat_plan_has_slots_for (LeatPlan *self, LeatKernelSource *source);

/* Is there an op that is done once for each entry?  And one that is done in their order? */
gboolean leat_plan_spreads (LeatPlan *self);
gboolean leat_plan_is_ordered (LeatPlan *self);
/* Bytes for all entries. */
guint64 leat_buffer_get_room (const LeatBuffer *self);

void leat_plan_bind (LeatPlan *self, const LeatTraits *traits);
/* An op that is left, other than @but, that writes the memory of @root; NULL where there is none. */
const LeatOp *leat_plan_find_other_writer (LeatPlan *self, LeatBufferId root, const LeatOp *but);
/* Is op @first surely over before op @second begins? */
gboolean leat_plan_is_before (const LeatAncestors *self, guint first, guint second);
/* Adds the ops of the set of @op. (element-type guint) */
void leat_ancestors_list (const LeatAncestors *self, guint op, GArray *ops);
/* For every op, the set of ops that it is surely over before; to be cleared likewise. */
void leat_ancestors_invert (const LeatAncestors *self, guint n_ops, LeatAncestors *inverse);
void leat_ancestors_clear (LeatAncestors *self);
/* The kernels for it, which use those of one transfer. */
void leat_pack_append_kernels (GString *text);
/* Is it in a graph? */
gboolean leat_plan_is_captured (LeatPlan *self, const LeatOp *op);
/* Of a launch for so many lanes, which may be fewer than there are. */
void leat_plan_predict_entries (LeatPlan *self, guint lanes, LeatPrediction *sum);
/* As leat_plan_dup_prediction (). (transfer full) */
GVariant *leat_prediction_to_variant (const LeatPrediction *self);
/* The calls of one more run that the driver can count. */
void leat_prediction_add (LeatPrediction *self, const LeatPrediction *run);
/* Memory that the program brings counts as the host's. */
gboolean leat_plan_is_on_host (LeatPlan *self, LeatBufferId id);
guint leat_plan_count_graphs (LeatPlan *self);
gboolean leat_plan_settle (LeatPlan *self, const LeatLoadedKernel *loaded);
void leat_plan_cut_at (LeatPlan *self, LeatOp *op, const char *why, const LeatLoadedKernel *loaded);
void leat_plan_note_captured (LeatPlan *self, LeatOp *op, guint n_nodes);
void leat_plan_allow_early (LeatPlan *self, const char *why, const LeatLoadedKernel *loaded);
void leat_plan_take_early (LeatPlan *self, LeatPlan *other);
gboolean leat_plan_may_overlap (LeatPlan *self);
gboolean leat_plan_has_same_early (LeatPlan *self, LeatPlan *other);
/* As leat_plan_to_dot (), each box with its note at the end of its label. (nullable notes) (transfer full) */
char *leat_plan_draw (LeatPlan *self, const char *const *notes);
/* comparison */
typedef enum
{
  LEAT_PLANS_DIFFER, /* in their topology */
  LEAT_PLANS_ALIKE,  /* ops of the same kinds with the same dependencies */
  LEAT_PLANS_MATCH, /* and the same kernels over the same buffers: their graphs differ in what single nodes are given */
} LeatPlanLikeness;

LeatPlanLikeness leat_plan_compare (LeatPlan *self, LeatPlan *other, char **why);
gboolean leat_plan_has_shape_of (LeatPlan *self, LeatPlan *other);
guint64 leat_plan_hash (LeatPlan *self);

G_END_DECLS
