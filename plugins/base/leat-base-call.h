/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-base-queue.h"

G_BEGIN_DECLS

/* From a kernel's prototype to a node's ports and arguments, and from those to a recorded call. */

/* @updated below: (nullable) names of outputs that the kernel changes.  Each has an input beside it, with the contents
 * from before.  That input is named after it with "_in" behind. */

/* The first parameter of @kind, with @port (NULL: any); NULL where there is none. */
const LeatParam *leat_call_find (const LeatPrototype *prototype, LeatParamKind kind, const char *port);
/* Items of @spec, which flows at the port of @param, in one of its values: the 4 of a float4, the bytes of a structure
 * that is linked to bytes; of numbers and records 1. */
guint64 leat_call_get_lanes (const LeatParam *param, LeatSpec *spec);
/* Gives the node the ports and arguments that the prototype declares, and no other dynamic ones. */
void leat_call_expose (LeatNode *node, const LeatPrototype *prototype, const char *const *updated);
/* Outputs without a spec of their own take the shape of the first input; bounded when it is, or when the kernel counts.
 */
gboolean leat_call_negotiate (LeatNode *node, const LeatPrototype *prototype, const char *const *updated,
                              gboolean grows, LeatNegotiation *negotiation, GError **error);
/* Threads that cover a port (NULL: the first output, else the first input). */
gboolean leat_call_cover (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, const char *port,
                          guint n_axes, guint64 threads[3], GError **error);
/* Completes @call with arguments and buffers and records it, with what its counts need around it.  The outputs named in
 * @cleared (NULL: none) are filled with zeros before. @queues: how large they are, and what becomes of them */
gboolean leat_call_record (LeatNode *node, const LeatPrototype *prototype, LeatRecorder *recorder, LeatKernelCall *call,
                           const char *const *cleared, const char *const *updated, const LeatQueueChoice *queues,
                           GError **error);

G_END_DECLS
