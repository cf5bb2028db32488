/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Results of earlier runs, by the exact bytes of their inputs.  Entries are found by hashes of the inputs (XXH3, of a
 * sample and, where that is not enough, of all) and only when all the bytes are equal too.  Bounded by entries and by
 * bytes (inputs and outputs), the oldest goes first.  Results that could never fit are refused before anything is
 * copied. */

typedef struct
{
  gpointer data;
  gsize bytes;
} LeatSpan;

typedef struct _LeatMemo LeatMemo;

LeatMemo *leat_memo_new (guint most_entries, guint64 most_bytes);
void leat_memo_free (LeatMemo *self);
void leat_memo_clear (LeatMemo *self);
/* Copies what is kept for @inputs to @outputs; the sizes of the outputs are set, at most what they were. */
gboolean leat_memo_find (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, LeatSpan *outputs, guint n_outputs);
/* Keeps @outputs for the inputs that leat_memo_find () was last asked for. */
/* Where other inputs were looked for since: what is stored next is of these. */
void leat_memo_return_to (LeatMemo *self, const LeatSpan *inputs, guint n_inputs);
void leat_memo_store (LeatMemo *self, const LeatSpan *inputs, guint n_inputs, const LeatSpan *outputs, guint n_outputs);
guint leat_memo_get_n_entries (LeatMemo *self);
guint64 leat_memo_get_bytes (LeatMemo *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMemo, leat_memo_free)

G_END_DECLS
