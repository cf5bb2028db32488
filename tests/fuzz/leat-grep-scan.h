/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-grep-case.h"

G_BEGIN_DECLS

/* The rows that the node text:scan gives for a case, as the three of LeatGrepPrint would print them.  @emit: offset,
 * line or count; @chunk: how many bytes of the text a run has. (transfer full) */
GString *leat_grep_scan (const LeatGrepCase *c, const char *emit, gsize chunk);

G_END_DECLS
