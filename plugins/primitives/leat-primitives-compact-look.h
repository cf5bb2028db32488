/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-primitives-compact-layout.h"

G_BEGIN_DECLS

/* The text that loads the columns: its types, and the functions that kernels/compact.cu expects. */

gboolean leat_compact_column_is_bits (const LeatCompactLayout *self, const LeatCompactColumn *column);
/* The type that a pointer to its rows points to. */
const char *leat_compact_column_get_type (const LeatCompactLayout *self, const LeatCompactColumn *column);

/* CompactPack_NAME, of as many rows as a thread loads at once. */
void leat_compact_column_write_pack (const LeatCompactLayout *self, const LeatCompactColumn *column, GString *text);
/* compact_load () and compact_load_some () */
void leat_compact_layout_write_loads (const LeatCompactLayout *self, GString *text);
/* compact_keeps (), compact_keeps_at () and compact_stage () */
void leat_compact_layout_write_choice (const LeatCompactLayout *self, GString *text);

G_END_DECLS
