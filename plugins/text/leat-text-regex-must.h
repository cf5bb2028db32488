/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex-ast.h"

G_BEGIN_DECLS

/* Bytes that every line with a match must hold, so that lines without them need no automaton. */

/* Up to eight bytes that stand in a row, the first in the lowest bits. */
typedef struct
{
  guint64 value;
  guint64 fold; /* bits that are set in the text's bytes before they are compared */
  guint64 mask; /* bytes that count */
} LeatRegexKey;

#define LEAT_REGEX_MAX_KEYS 8

/* One of the keys is in each line that has a match; 0 where nothing is known. */
guint leat_regex_find_keys (GPtrArray *list, LeatRegexKey keys[LEAT_REGEX_MAX_KEYS]);
/* How often a byte is met in texts: 0 for hardly, 40 and above for the most common. */
guint leat_regex_get_frequency (guint8 byte);

G_END_DECLS
