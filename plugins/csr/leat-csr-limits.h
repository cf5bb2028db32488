/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The words of a node's report where `max-iterations` or `budget` ends it. */
typedef struct
{
  const char *steps; /* what its iterations are: "levels" */
  const char *left;  /* how far it was from its end, with {value} */
  const char *raise; /* what to do where it needs more iterations */
} LeatCsrLimits;

/* The reports ITERATIONS_SPENT, ITERATIONS_SPENT_TOLD (a warning) and TIME_SPENT, of which the index is the number of
 * iterations that were done. */
void leat_csr_limits_write (const LeatCsrLimits *self, GString *head);

G_END_DECLS
