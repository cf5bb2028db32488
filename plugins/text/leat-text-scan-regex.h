/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex.h"

G_BEGIN_DECLS

/* The rows that `text:scan` and `text:report` may give and take, as kernels/regex.cu numbers them. */
typedef enum
{
  LEAT_TEXT_EMIT_OFFSET,
  LEAT_TEXT_EMIT_LINE,
  LEAT_TEXT_EMIT_COUNT,
} LeatTextEmit;

extern const char *const leat_text_emit_choices[];

/* How `text:scan` runs regexes.  kernels/regex.cu says how it works; here its four kernels get their buffers. */
typedef struct
{
  LeatRegex *regex;
  LeatTextEmit emit;
  guint64 longest; /* bytes that are kept from run to run */
} LeatRegexScan;

/* Rows that a run over @n bytes can give, and numbers in a row; FALSE for more than there can be. */
gboolean leat_regex_scan_measure (const LeatRegexScan *self, guint64 n, guint64 dims[2]);
void leat_regex_scan_record (const LeatRegexScan *self, LeatKernelSource *source, LeatRecorder *recorder);

G_END_DECLS
