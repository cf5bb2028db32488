/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* Data that a call brings (leat-session-given.c).  Between begin and end, queues are left alone, and what is in the
 * memory of inputs otherwise is there again after it. @before: from begin */
typedef struct _LeatGivenBefore LeatGivenBefore;

LeatGivenBefore *leat_session_begin_given (LeatSession *self);
void leat_session_end_given (LeatSession *self, LeatGivenBefore *before);

G_END_DECLS
