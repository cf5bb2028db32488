/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs whose result is known already.  The cost of looking is weighed against what it saves, in windows of runs: where
 * it does not pay, the memo turns itself off and says so. */

#include "leat-recall-private.h"

#define LEAT_MEMO_WINDOW   128
#define LEAT_MEMO_TIMED    8 /* one look of so many is timed */
#define LEAT_MEMO_PATIENCE 2 /* windows in a row: one may have met a busy machine */

static gboolean
leat_recall_refuse (const char *why, const char *what, GError **error)
{
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO,
               "memo=exact needs runs whose results follow from their inputs alone, but %s%s: leave memo=off", what,
               why);
  return FALSE;
}

static gboolean
leat_plan_has_sources (LeatPlan *self)
{
  for (guint i = 0; i < self->ops->len; i++)
    if (leat_plan_get_op (self, i)->kind == LEAT_OP_SOURCE)
      return TRUE;
  return FALSE;
}

gboolean
leat_recall_check (LeatPlan *plan, GError **error)
{
  if (!leat_plan_has_sources (plan))
    return leat_recall_refuse ("there are no inputs", "", error);
  if (plan->users->len > 0)
    return leat_recall_refuse (" has memory of the program, at which the session does not look",
                               leat_node_get_name (plan->first_user), error);
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (plan, i);

      if (buffer->kind == LEAT_BUFFER_STATE && !buffer->is_learned)
        return leat_recall_refuse (" is kept from run to run", buffer->name, error);
    }
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_FOREIGN)
        return leat_recall_refuse (" may keep something from run to run", op->name, error);
    }
  return TRUE;
}

void
leat_recall_begin (LeatRecall *self, guint entries, guint64 bytes, guint n_inputs, guint n_outputs)
{
  *self = (LeatRecall){ .memo = leat_memo_new (entries, bytes),
                        .spans = g_new0 (LeatSpan, n_inputs + n_outputs),
                        .n_inputs = n_inputs,
                        .n_outputs = n_outputs };
}

void
leat_recall_clear (LeatRecall *self)
{
  g_clear_pointer (&self->memo, leat_memo_free);
  g_clear_pointer (&self->spans, g_free);
}

/* The live part of a staging buffer, its count included. */
static void
leat_staging_get_span (const LeatStaging *staging, LeatSpan *span)
{
  LeatView view;

  leat_staging_view (staging, &view);
  span->data = staging->count != NULL ? (gpointer) staging->count : view.data;
  span->bytes = staging->count != NULL
                  ? LEAT_BUFFER_HEADER + MIN (leat_staging_get_live_bytes (staging, &view), view.capacity)
                  : view.capacity;
}

static LeatSpan *
leat_recall_set_inputs (LeatRecall *self, const LeatFlight *flight)
{
  for (guint i = 0; i < self->n_inputs; i++)
    leat_staging_get_span (&flight->inputs[i], &self->spans[i]);
  return self->spans;
}

static LeatSpan *
leat_recall_set_outputs (LeatRecall *self, const LeatFlight *flight)
{
  LeatSpan *spans = self->spans + self->n_inputs;

  for (guint i = 0; i < self->n_outputs; i++)
    leat_staging_get_span (&flight->outputs[i], &spans[i]);
  return spans;
}

static G_NO_INLINE void
leat_recall_turn_off (LeatRecall *self, LeatTold *told, double saved_us)
{
  const LeatMemoCosts *costs = &self->costs;
  g_autoptr (GError) warning = g_error_new (
    LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO,
    "the memo is turned off: of the last %u runs it knew %u, which saved %.0f us, and looking took %.0f us",
    LEAT_MEMO_WINDOW, costs->hits, saved_us, costs->spent_ns / 1e3);

  leat_bus_post (told->bus, leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, NULL));
  leat_recall_clear (self);
}

static void
leat_recall_weigh (LeatRecall *self, LeatTold *told)
{
  LeatMemoCosts *costs = &self->costs;
  guint64 timed = told->ledger.stats.runs_timed;
  double saved_us = timed > 0 ? costs->hits * (double) told->ledger.stats.device_us / timed : 0;

  /* Where nobody saw a run end, what a hit saves is not known. */
  if (costs->hits > 0 && (timed == 0 || costs->spent_ns / 1e3 <= saved_us))
    costs->losses = 0;
  else if (++costs->losses == LEAT_MEMO_PATIENCE)
    leat_recall_turn_off (self, told, saved_us);
  costs->looked = costs->hits = 0;
  costs->spent_ns = 0;
}

static gboolean
leat_recall_look (LeatRecall *self, const LeatFlight *flight)
{
  return leat_memo_find (self->memo, leat_recall_set_inputs (self, flight), self->n_inputs,
                         self->spans + self->n_inputs, self->n_outputs);
}

static gboolean
leat_recall_look_by_the_clock (LeatRecall *self, const LeatFlight *flight)
{
  gint64 begin = leat_run_now_ns ();
  gboolean found = leat_recall_look (self, flight);

  self->costs.spent_ns += LEAT_MEMO_TIMED * (leat_run_now_ns () - begin);
  return found;
}

/* TRUE: the outputs hold what the inputs give, and nothing need be run. */
gboolean
leat_recall_find (LeatRecall *self, LeatTold *told, const LeatFlight *flight)
{
  gboolean found;

  if (self->memo == NULL)
    return FALSE;
  if (G_UNLIKELY (self->costs.looked >= LEAT_MEMO_WINDOW))
    leat_recall_weigh (self, told);
  if (self->memo == NULL)
    return FALSE;
  leat_recall_set_outputs (self, flight);
  found = self->costs.looked++ % LEAT_MEMO_TIMED == 0 ? leat_recall_look_by_the_clock (self, flight)
                                                      : leat_recall_look (self, flight);
  self->costs.hits += found;
  told->ledger.stats.memo_hits += found;
  told->ledger.stats.memo_lookups++;
  return found;
}

void
leat_recall_note_equal (LeatRecall *self, LeatTold *told)
{
  self->costs.looked++;
  self->costs.hits++;
  told->ledger.stats.memo_hits++;
  told->ledger.stats.memo_lookups++;
}

void
leat_recall_keep_spans (LeatRecall *self)
{
  gint64 begin = leat_run_now_ns ();

  leat_memo_return_to (self->memo, self->spans, self->n_inputs);
  leat_memo_store (self->memo, self->spans, self->n_inputs, self->spans + self->n_inputs, self->n_outputs);
  self->costs.spent_ns += leat_run_now_ns () - begin;
}

/* After a run that was not known. */
void
leat_recall_keep (LeatRecall *self, const LeatFlight *flight)
{
  gint64 begin;

  if (self->memo == NULL)
    return;
  begin = leat_run_now_ns ();
  /* Others may have been looked for since this one was, or the memo been cleared. */
  if (flight->run.streamed || flight->run.done_again)
    leat_memo_return_to (self->memo, leat_recall_set_inputs (self, flight), self->n_inputs);
  leat_memo_store (self->memo, self->spans, self->n_inputs, leat_recall_set_outputs (self, flight), self->n_outputs);
  self->costs.spent_ns += leat_run_now_ns () - begin;
}
