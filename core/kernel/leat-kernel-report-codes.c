/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The codes that a kernel file gives its reports, as they stand in its text. */

#include "leat-kernel-report-private.h"

void
leat_report_code_clear (gpointer data)
{
  LeatReportCode *self = data;

  g_free (self->name);
  g_free (self->text);
}

GArray *
leat_report_codes_new (void)
{
  GArray *codes = g_array_new (FALSE, TRUE, sizeof (LeatReportCode));

  g_array_set_clear_func (codes, leat_report_code_clear);
  return codes;
}

gboolean
leat_kernel_unit_skip_report (const LeatKernelUnit *self, guint first, guint *last)
{
  if (!leat_tokens_is (self->tokens, first, LEAT_REPORT_WORD) || !leat_tokens_is (self->tokens, first + 1, "("))
    return FALSE;
  *last = leat_tokens_at (self->tokens, first + 1)->match;
  if (leat_tokens_is (self->tokens, *last + 1, ";"))
    (*last)++;
  return TRUE;
}
