/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-call.h"

G_BEGIN_DECLS

/* The data that a search begins with; kernels take the number. */
typedef enum
{
  LEAT_CSR_COLD,   /* nothing */
  LEAT_CSR_KNOWN,  /* what was found before edges were added */
  LEAT_CSR_CHANGED /* and from which vertices these are */
} LeatCsrWarmth;

/* The ports `known` and `changed` of @node; @dtype, @vertices: of what it finds. */
gboolean leat_csr_warm_find (LeatCsrWarmth *self, LeatNode *node, LeatNegotiation *negotiation, LeatDtype dtype,
                             guint64 vertices, GError **error);
/* Four parameters: known, the warmth, changed and how many.  @instead: what stands for those that are not linked. */
void leat_csr_warm_add (LeatCsrWarmth self, LeatCsrCall *call, LeatBufferId instead);

G_END_DECLS
