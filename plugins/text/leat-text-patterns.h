/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Byte strings to look for, as `patterns=WORD,WORD` gives them. */
typedef struct _LeatPatterns LeatPatterns;

#define LEAT_PATTERN_MAX_BYTES 4096
#define LEAT_PATTERNS_MAX      65536

/* Commas separate; \\, \\\\ \\n \\r \\t \\0 and \\xHH stand for what they stand for in C.  @fold:
 * capitals become small letters.  Errors: LEAT_GRAPH_ERROR_TYPE, _RANGE. */
LeatPatterns *leat_patterns_parse (const char *text, gboolean fold, GError **error);
void leat_patterns_free (LeatPatterns *self);

guint leat_patterns_get_count (LeatPatterns *self);
/* (transfer none) */
GBytes *leat_patterns_get (LeatPatterns *self, guint index);
guint leat_patterns_get_longest (LeatPatterns *self);

/* The most occurrences that @starts successive positions can hold; G_MAXUINT64 for more than a number can be. */
guint64 leat_patterns_get_bound (LeatPatterns *self, guint64 starts);

/* The data that kernels/scan.cu reads. */
GBytes *leat_patterns_dup_bytes (LeatPatterns *self);
GBytes *leat_patterns_dup_tables (LeatPatterns *self);
/* The distinct first two bytes of all patterns, at most @max pairs; empty when there are more, or a pattern of one
 * byte. */
GBytes *leat_patterns_dup_pairs (LeatPatterns *self, guint max);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatPatterns, leat_patterns_free)

G_END_DECLS
