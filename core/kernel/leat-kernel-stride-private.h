/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-locals-private.h"

G_BEGIN_DECLS

/* A look at one grid-stride loop of a kernel. */
typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  LeatKernelCalls *calls;
  LeatLocals *locals;
  LeatStrideLoop *loop;
  GHashTable *outer; /* char*: the kernel's variables that the loop sees, its parameters left out */
} LeatStrideFinder;

/* Whether the token is a name in its own right, and no member of something. */
gboolean leat_stride_is_name (LeatStrideFinder *self, guint index);
/* The first token of the body that is not known to be harmless, or G_MAXUINT. */
guint leat_stride_check_body (LeatStrideFinder *self);
/* Gives loops of @loops (LeatStrideLoop) a blocker where threads meet again in memory what they left there. */
void leat_stride_check_memory (LeatStrideFinder *self, GArray *loops);

G_END_DECLS
