/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Buffers of a session lie in one block of memory, where a write behind the end of one goes unseen.  On the CPU driver
 * under AddressSanitizer what lies between them can be closed while the session is open, so that kernels which are
 * compiled with it find out; elsewhere these do nothing. */

/* Before any kernel is compiled. */
void memory_gaps_watch (void);
void memory_gaps_close (LeatSession *session);
/* Before the session is closed. */
void memory_gaps_open (LeatSession *session);

G_END_DECLS
