/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-recorder.h"

G_BEGIN_DECLS

/* Two inputs of a node of which row i of one goes with row i of the other. */
typedef struct
{
  LeatNode *node; /* not owned */
  char *names[2];
  LeatBufferId buffers[2];
  LeatBufferId origins[2]; /* what was copied there; NONE while nobody has asked */
  gboolean told;
} LeatAligned;

void leat_aligned_clear (LeatAligned *self);
/* Runs write into these: a bound plan has its own. */
void leat_plan_copy_aligned (LeatPlan *self, const LeatPlan *from);
void leat_plan_find_aligned (LeatPlan *self, LeatAligned *aligned);

G_END_DECLS
