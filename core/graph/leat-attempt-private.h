/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-pipeline.h"

G_BEGIN_DECLS

/* The properties that were set while a session is open, put into their nodes to see whether a plan can be made of them.
 * Between leat_pipeline_begin_planning () and leat_pipeline_end_planning (), or under the lock of the changes. */
typedef struct _LeatAttempt LeatAttempt;

LeatAttempt *leat_attempt_begin (LeatPipeline *pipeline);
/* The nodes are what they were, arguments that went away or were converted included. */
void leat_attempt_undo (LeatAttempt *self);
void leat_attempt_free (LeatAttempt *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatAttempt, leat_attempt_free)

G_END_DECLS
