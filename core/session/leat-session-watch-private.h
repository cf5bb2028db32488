/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session.h"

G_BEGIN_DECLS

/* What @source gave for a run that is to come, in the thread that reads; runs come in order. @view: lent for the call
 */
typedef void (*LeatInputWatch) (LeatNode *source, const LeatView *view, gpointer data);

/* Before the session is open.  Not told of what goes past sources: memory of the application's, and batches. */
void leat_session_watch_inputs (LeatSession *self, LeatInputWatch watch, gpointer data);

G_END_DECLS
