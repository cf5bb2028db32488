/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The reports of max-iterations= and budget=, as a part of a kernel's text. */

#include "leat-csr-limits.h"

void
leat_csr_limits_write (const LeatCsrLimits *self, GString *head)
{
  g_string_append_printf (
    head,
    "LEAT_REPORT (ITERATIONS_SPENT = 4, error, \"max-iterations={index} %s were done, %s: %s, or set "
    "on-limit=stop or warn to take what was found by then\")\n",
    self->steps, self->left, self->raise);
  g_string_append_printf (head,
                          "LEAT_REPORT (ITERATIONS_SPENT_TOLD = 5, warning, \"max-iterations={index} %s were done, %s; "
                          "what was found by then is given: for the rest %s\")\n",
                          self->steps, self->left, self->raise);
  g_string_append_printf (
    head,
    "LEAT_REPORT (TIME_SPENT = 7, error, \"budget={budget} seconds were over after {index} %s, %s: "
    "raise budget= (0: no limit), or set max-iterations= and on-limit=stop to take what is found by "
    "then; if these are more %s than there should be, look at the edges of the graph\")\n",
    self->steps, self->left, self->steps);
}
