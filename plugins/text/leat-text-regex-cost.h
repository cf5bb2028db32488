/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex-dfa.h"

G_BEGIN_DECLS

/* Adds to @error, that a list is too large, which of its regexes take how much by themselves: the largest few. */
void leat_regex_cost_explain (GPtrArray *list, LeatRegexDfaKind kind, GError **error);

G_END_DECLS
