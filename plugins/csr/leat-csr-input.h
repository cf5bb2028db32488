/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* The graph that comes to the inputs `offsets` and `indices` of a node, as far as it is known before it runs. */
typedef struct
{
  guint64 vertices;
  guint64 edges; /* for how many there is room */
  gboolean wide; /* offsets are u64 */
} LeatCsrInput;

/* @prefix: "" or "back_". */
gboolean leat_csr_input_find (LeatCsrInput *self, LeatNode *node, LeatNegotiation *negotiation, const char *prefix,
                              GError **error);
/* An input of whole numbers below 2^32, of one dimension. */
gboolean leat_csr_input_check_numbers (LeatNode *node, const char *port, LeatSpec *spec, GError **error);
/* A GPU's warps are whole. */
gboolean leat_csr_input_check_threads (LeatNode *node, guint64 threads, GError **error);
/* Every kernel text of this plugin begins with this.  @edges: what there is one of for each edge: "indices" */
void leat_csr_input_write (const LeatCsrInput *self, const char *edges, GString *head);

G_END_DECLS
