/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Common to `gather` and `scatter`, which find rows by number. */

/* How rows are moved: as the widest words that divide them, for which each row begins well enough aligned. */
const char *leat_primitive_rows_get_word (guint64 row_bytes, guint64 *word_bytes);
/* FALSE, with an error, unless @at has whole numbers. */
gboolean leat_primitive_rows_check_index (LeatNode *node, LeatSpec *at, GError **error);
/* Appends Index and tell_outside (). */
void leat_primitive_rows_write_index (LeatSpec *at, gboolean reports, const char *text, GString *head);
/* Blocks for @words to be moved. */
guint64 leat_primitive_rows_count_blocks (guint64 words);

#define LEAT_PRIMITIVE_ROWS_THREADS 256

G_END_DECLS
