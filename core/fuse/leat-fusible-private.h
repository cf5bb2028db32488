/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "plan/leat-plan-private.h"

G_BEGIN_DECLS

/* The choices of measuring for kernels that could be one. */
typedef enum
{
  LEAT_FUSION_AUTO,
  LEAT_FUSION_SEPARATE,
  LEAT_FUSION_FUSED,
} LeatFusionChoice;

/* Kernels that follow each other and that may be one (leat-fusible.c); one such stretch may stand in another. */
struct _LeatFusible
{
  LeatOp *fused; /* that one, which stands before them; not owned, as are these: */
  LeatOp *first, *last;
  gboolean is_free;  /* nothing is waited for within it: it is one where nobody has measured */
  gboolean is_asked; /* by the pipeline; else it is there for a persistent kernel, which is made of one file */
};

/* Makes the kernel that each loop may become (leat-fuse-loop.c). */
void leat_plan_offer_kernels (LeatPlan *self);
/* Finds kernels that may be one, and makes that one of them. */
void leat_plan_find_fusibles (LeatPlan *self, gboolean is_asked);
/* For a persistent kernel: where they come of several files, and nobody has asked. */
void leat_plan_find_needed_fusibles (LeatPlan *self);

G_END_DECLS
