/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-memo-private.h"
#include "tell/leat-told-private.h"

G_BEGIN_DECLS

/* In the window of runs that is under way. */
typedef struct
{
  guint looked, hits;
  guint losses; /* windows in a row that did not pay */
  gint64 spent_ns;
} LeatMemoCosts;

/* Results that are remembered. */
typedef struct
{
  LeatMemo *memo;  /* NULL while nothing is remembered */
  LeatSpan *spans; /* for it: of the inputs, then of the outputs */
  guint n_inputs, n_outputs;
  LeatMemoCosts costs;
} LeatRecall;

/* Why a plan can have no memo. */
gboolean leat_recall_check (LeatPlan *plan, GError **error);
void leat_recall_begin (LeatRecall *self, guint entries, guint64 bytes, guint n_inputs, guint n_outputs);
void leat_recall_clear (LeatRecall *self);
/* TRUE: the outputs hold what the inputs give, and nothing need be run. */
gboolean leat_recall_find (LeatRecall *self, LeatTold *told, const LeatFlight *flight);
/* After a run that was not known. */
void leat_recall_keep (LeatRecall *self, const LeatFlight *flight);
/* Remembers the inputs and results at the spans, where other inputs were looked for last. */
void leat_recall_keep_spans (LeatRecall *self);
/* A lane of a batch has the inputs of another one. */
void leat_recall_note_equal (LeatRecall *self, LeatTold *told);

G_END_DECLS
