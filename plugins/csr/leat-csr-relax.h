/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-csr-input.h"
#include "leat-csr-warm.h"

G_BEGIN_DECLS

/* Common to the nodes that carry values along edges until nothing changes; kernels/relax.cu says how. */
typedef struct
{
  guint64 max_iterations;
  int on_limit;
  double budget; /* seconds */
  guint64 threads;
  guint64 alone; /* 0: measured */

  LeatCsrInput graph;
  LeatCsrWarmth warm;
  LeatKernelSource *text;
} LeatCsrRelax;

/* @rule: what stands before relax.cu; @dtype: of the output @port */
gboolean leat_csr_relax_negotiate (LeatCsrRelax *self, LeatNode *node, LeatNegotiation *negotiation, const char *rule,
                                   const char *port, LeatDtype dtype, GError **error);
/* @weighted: whether there is an input `weights` */
void leat_csr_relax_record (LeatCsrRelax *self, LeatNode *node, LeatRecorder *recorder, gboolean weighted,
                            const char *port);

G_END_DECLS
