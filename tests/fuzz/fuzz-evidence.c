/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-evidence.h"
#include "leat-fuzz.h"

#include <string.h>

const char *const leat_fuzz_words[] = {
  ",",
  "\"",
  "\"\"",
  "\n",
  "\r\n",
  "0",
  "-1",
  "1.000",
  "18446744073709551615",
  "99999999999999999999.999",
  "equal",
  "nan",
  "1e9",
  "us",
  "2026-11-22T12:00:00Z",
  "\xff",
  NULL,
};

/* Rows that are read can be written and read again, and are the same then; every fault has a place in the text. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autoptr (GPtrArray) faults = leat_evidence_faults_new ();
  g_autoptr (GPtrArray) rows = leat_evidence_parse ((const char *) data, size, faults);

  leat_evidence_check (rows, faults);
  g_assert_true (size > 0 || faults->len > 0);
  for (guint i = 0; i < faults->len; i++)
    {
      const LeatEvidenceFault *fault = faults->pdata[i];

      g_assert_cmpuint (fault->line, <=, size + 1);
      g_assert_cmpuint (fault->column, <=, size + 1);
      g_assert_true (fault->line > 0 && fault->column > 0 && *fault->text != '\0');
    }
  for (guint i = 0; i < rows->len; i++)
    {
      g_autofree char *header = leat_evidence_dup_header (), *line = leat_evidence_to_line (rows->pdata[i]);
      g_autofree char *text = g_strconcat (header, line, NULL), *again = NULL;
      g_autoptr (GPtrArray) more = leat_evidence_faults_new ();
      g_autoptr (GPtrArray) same = leat_evidence_parse (text, strlen (text), more);

      g_assert_cmpuint (same->len, ==, 1);
      again = leat_evidence_to_line (same->pdata[0]);
      g_assert_cmpstr (again, ==, line);
    }
  return 0;
}
