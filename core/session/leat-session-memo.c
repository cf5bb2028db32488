/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs whose result is known already.  The cost of looking is weighed against what it saves, in windows of runs: where
 * it does not pay, the memo turns itself off and says so. */

#include "leat-session-private.h"
#include "leat-session-setup-private.h"

#define LEAT_MEMO_WINDOW   128
#define LEAT_MEMO_TIMED    8 /* one look of so many is timed */
#define LEAT_MEMO_PATIENCE 2 /* windows in a row: one may have met a busy machine */

GType
leat_memo_mode_get_type (void)
{
  static gsize type = 0;
  static const GEnumValue values[] = { { LEAT_MEMO_OFF, "LEAT_MEMO_OFF", "off" },
                                       { LEAT_MEMO_EXACT, "LEAT_MEMO_EXACT", "exact" },
                                       { 0, NULL, NULL } };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type, g_enum_register_static ("LeatMemoMode", values));
  return type;
}

static gboolean
leat_session_refuse_memo (const char *why, const char *what, GError **error)
{
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO,
               "memo=exact needs runs whose results follow from their inputs alone, but %s%s: leave memo=off", what,
               why);
  return FALSE;
}

gboolean
leat_session_check_memo (LeatPlan *plan, GError **error)
{
  if (plan->users->len > 0)
    return leat_session_refuse_memo (" has memory of the program, at which the session does not look",
                                     leat_node_get_name (plan->first_user), error);
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (plan, i);

      if (buffer->kind == LEAT_BUFFER_STATE && !buffer->is_learned)
        return leat_session_refuse_memo (" is kept from run to run", buffer->name, error);
    }
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_FOREIGN)
        return leat_session_refuse_memo (" may keep something from run to run", op->name, error);
    }
  return TRUE;
}

gboolean
leat_session_make_memo (LeatSession *self, GError **error)
{
  if (self->options.memo_mode == LEAT_MEMO_OFF)
    return TRUE;
  if (self->ends.inputs->len == 0)
    return leat_session_refuse_memo ("there are no inputs", "", error);
  if (!leat_session_check_memo (self->plan, error))
    return FALSE;
  self->recall.memo = leat_memo_new (self->options.memo_entries, self->options.memo_bytes);
  self->recall.spans = g_new0 (LeatSpan, self->ends.inputs->len + self->ends.outputs->len);
  memset (&self->recall.memo_costs, 0, sizeof self->recall.memo_costs);
  return TRUE;
}

void
leat_session_drop_memo (LeatSession *self)
{
  g_clear_pointer (&self->recall.memo, leat_memo_free);
  g_clear_pointer (&self->recall.spans, g_free);
}

/* The live part of a staging buffer, its count included. */
static void
leat_session_set_span (const LeatStaging *staging, LeatSpan *span)
{
  LeatView view;

  leat_staging_view (staging, &view);
  span->data = staging->count != NULL ? (gpointer) staging->count : view.data;
  span->bytes = staging->count != NULL
                  ? LEAT_BUFFER_HEADER + MIN (leat_staging_get_live_bytes (staging, &view), view.capacity)
                  : view.capacity;
}

static LeatSpan *
leat_session_set_input_spans (LeatSession *self, const LeatFlight *flight)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_session_set_span (&flight->inputs[i], &self->recall.spans[i]);
  return self->recall.spans;
}

static LeatSpan *
leat_session_set_output_spans (LeatSession *self, const LeatFlight *flight)
{
  LeatSpan *spans = self->recall.spans + self->ends.inputs->len;

  for (guint i = 0; i < self->ends.outputs->len; i++)
    leat_session_set_span (&flight->outputs[i], &spans[i]);
  return spans;
}

static G_NO_INLINE void
leat_session_turn_memo_off (LeatSession *self, double saved_us)
{
  const LeatMemoCosts *costs = &self->recall.memo_costs;
  g_autoptr (GError) warning = g_error_new (
    LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMO,
    "the memo is turned off: of the last %u runs it knew %u, which saved %.0f us, and looking took %.0f us",
    LEAT_MEMO_WINDOW, costs->hits, saved_us, costs->spent_ns / 1e3);

  leat_bus_post (leat_pipeline_get_bus (self->pipeline), leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, NULL));
  leat_session_drop_memo (self);
}

static void
leat_session_weigh_memo (LeatSession *self)
{
  LeatMemoCosts *costs = &self->recall.memo_costs;
  guint64 timed = self->told.ledger.stats.runs_timed;
  double saved_us = timed > 0 ? costs->hits * (double) self->told.ledger.stats.device_us / timed : 0;

  /* Where nobody saw a run end, what a hit saves is not known. */
  if (costs->hits > 0 && (timed == 0 || costs->spent_ns / 1e3 <= saved_us))
    costs->losses = 0;
  else if (++costs->losses == LEAT_MEMO_PATIENCE)
    leat_session_turn_memo_off (self, saved_us);
  costs->looked = costs->hits = 0;
  costs->spent_ns = 0;
}

static gboolean
leat_session_look (LeatSession *self, const LeatFlight *flight)
{
  return leat_memo_find (self->recall.memo, leat_session_set_input_spans (self, flight), self->ends.inputs->len,
                         self->recall.spans + self->ends.inputs->len, self->ends.outputs->len);
}

static gboolean
leat_session_look_by_the_clock (LeatSession *self, const LeatFlight *flight)
{
  gint64 begin = leat_run_now_ns ();
  gboolean found = leat_session_look (self, flight);

  self->recall.memo_costs.spent_ns += LEAT_MEMO_TIMED * (leat_run_now_ns () - begin);
  return found;
}

/* TRUE: the outputs hold what the inputs give, and nothing need be run. */
gboolean
leat_session_recall (LeatSession *self, const LeatFlight *flight)
{
  gboolean found;

  if (self->recall.memo == NULL)
    return FALSE;
  if (G_UNLIKELY (self->recall.memo_costs.looked >= LEAT_MEMO_WINDOW))
    leat_session_weigh_memo (self);
  if (self->recall.memo == NULL)
    return FALSE;
  leat_session_set_output_spans (self, flight);
  found = self->recall.memo_costs.looked++ % LEAT_MEMO_TIMED == 0 ? leat_session_look_by_the_clock (self, flight)
                                                                  : leat_session_look (self, flight);
  self->recall.memo_costs.hits += found;
  self->told.ledger.stats.memo_hits += found;
  self->told.ledger.stats.memo_lookups++;
  return found;
}

void
leat_session_note_equal (LeatSession *self)
{
  self->recall.memo_costs.looked++;
  self->recall.memo_costs.hits++;
  self->told.ledger.stats.memo_hits++;
  self->told.ledger.stats.memo_lookups++;
}

void
leat_session_remember_spans (LeatSession *self)
{
  gint64 begin = leat_run_now_ns ();

  leat_memo_return_to (self->recall.memo, self->recall.spans, self->ends.inputs->len);
  leat_memo_store (self->recall.memo, self->recall.spans, self->ends.inputs->len,
                   self->recall.spans + self->ends.inputs->len, self->ends.outputs->len);
  self->recall.memo_costs.spent_ns += leat_run_now_ns () - begin;
}

/* After a run that was not known. */
void
leat_session_remember (LeatSession *self, const LeatFlight *flight)
{
  gint64 begin;

  if (self->recall.memo == NULL)
    return;
  begin = leat_run_now_ns ();
  /* Others may have been looked for since this one was, or the memo been cleared. */
  if (flight->run.streamed || flight->run.done_again)
    leat_memo_return_to (self->recall.memo, leat_session_set_input_spans (self, flight), self->ends.inputs->len);
  leat_memo_store (self->recall.memo, self->recall.spans, self->ends.inputs->len,
                   leat_session_set_output_spans (self, flight), self->ends.outputs->len);
  self->recall.memo_costs.spent_ns += leat_run_now_ns () - begin;
}
