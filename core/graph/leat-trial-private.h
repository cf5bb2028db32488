/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-pipeline.h"

G_BEGIN_DECLS

/* The properties that were set while a session is open, put into their nodes to see whether a plan can be made of them.
 * Between leat_pipeline_begin_planning () and leat_pipeline_end_planning (), or under the lock of the changes. */
typedef struct _LeatTrial LeatTrial;

LeatTrial *leat_trial_begin (LeatPipeline *pipeline);
guint leat_trial_get_n_props (LeatTrial *self);
/* The nodes are what they were, arguments that went away with a property included. */
void leat_trial_undo (LeatTrial *self);
void leat_trial_free (LeatTrial *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTrial, leat_trial_free)

G_END_DECLS
