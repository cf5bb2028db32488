/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Methods and iterations of loops, by run and since the session was opened. */

#include "leat-reports-private.h"
#include "leat-told-private.h"
#include "bind/leat-bind-private.h"

typedef struct
{
  char *node;
  LeatLoopMethod method;
  const char *why; /* static */
  guint64 runs, total, most;
  LeatLoopReport last;
  gboolean is_told;    /* that it has ended at its cap */
  gboolean done_again; /* after it ran away: in an iteration of another one, or in the next of many runs */
} LeatLoopTotal;

static void
leat_loop_total_clear (gpointer data)
{
  g_free (((LeatLoopTotal *) data)->node);
}

GArray *
leat_loop_totals_new (void)
{
  GArray *loops = g_array_new (FALSE, TRUE, sizeof (LeatLoopTotal));

  g_array_set_clear_func (loops, leat_loop_total_clear);
  return loops;
}

static const char *
leat_loop_end_get_name (guint64 end)
{
  static const char *const names[] = { "none", "converged", "cap", "budget", "around" };

  return end < G_N_ELEMENTS (names) ? names[end] : "unknown";
}

/* A plan that was made anew has the same loops. */
static LeatLoopTotal *
leat_told_get_loop (LeatTold *self, const LeatPlan *plan, const LeatPlanLoop *loop)
{
  while (self->loop_totals->len <= loop->index)
    {
      const LeatPlanLoop *it = g_ptr_array_index (plan->loops, self->loop_totals->len);
      LeatLoopTotal total = { .node = g_strdup (leat_node_get_name (it->node)) };

      g_array_append_val (self->loop_totals, total);
    }
  return &g_array_index (self->loop_totals, LeatLoopTotal, loop->index);
}

/* How often the body is done is for the data to say; the plan says what it is. */
static void
leat_told_note_iterations (LeatTold *self, LeatPlan *plan, const LeatPlanLoop *loop, guint64 iterations)
{
  gboolean of_graph = LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_WHILE
                      && leat_plan_is_captured (plan, leat_plan_get_op (plan, loop->first));

  if (loop->parent != NULL || of_graph || LEAT_BOUND_LOOP (loop)->method == LEAT_LOOP_FUSED)
    return;
  self->ledger.predicted.kernels += iterations * LEAT_BOUND_LOOP (loop)->kernels;
  self->ledger.predicted.copies += iterations * LEAT_BOUND_LOOP (loop)->copies;
  self->ledger.predicted.fills += iterations * LEAT_BOUND_LOOP (loop)->fills;
}

static void
leat_told_note_loop (LeatTold *self, LeatLane *lane, const LeatPlanLoop *loop)
{
  LeatLoopTotal *total = leat_told_get_loop (self, lane->plan, loop);

  leat_lane_get_loop_report (lane, loop, &total->last);
  total->done_again = total->last.away > 0 && total->last.end != LEAT_LOOP_END_BUDGET;
  if (total->done_again)
    {
      total->last.end = LEAT_LOOP_END_BUDGET;
      total->last.iterations = total->last.away;
    }
  leat_told_note_iterations (self, lane->plan, loop, total->last.iterations);
  total->method = LEAT_BOUND_LOOP (loop)->method;
  total->why = LEAT_BOUND_LOOP (loop)->why;
  total->runs++;
  total->total += total->last.iterations;
  total->most = MAX (total->most, total->last.iterations);
}

static char *
leat_lane_dup_loop_text (LeatLane *lane, const LeatPlanLoop *loop, gboolean counts)
{
  LeatDevice *device = lane->program->device;
  char *state;

  if (!leat_device_push (device, NULL))
    return g_strdup ("");
  state = leat_lane_dup_loop_state (lane, loop, counts);
  leat_device_pop (device);
  return state;
}

/* Where another method might come to the end. */
static const char *
leat_plan_get_other_method (LeatPlan *plan, const LeatPlanLoop *loop)
{
  return LEAT_BOUND_LOOP (loop)->method != LEAT_LOOP_FUSED && !LEAT_BOUND_PLAN (plan)->traits.integrated
             && leat_plan_may_loop (plan, loop, LEAT_LOOP_FUSED)
           ? "; method=fused may do more of them in that time"
           : "";
}

/* Between the launch and its end.  A run that was called off by now is not
 * called off again. */
void
leat_told_watch_loops (LeatTold *self, LeatFlight *flight, gboolean called_off)
{
  if (G_LIKELY (flight->lane->plan->loops->len == 0))
    return;
  leat_lane_forget_runaways (flight->lane);
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->looping, flight->lane);
  if (called_off || g_cancellable_is_cancelled (flight->run.cancellable))
    leat_lane_end_loops (flight->lane);
  g_mutex_unlock (&self->lock);
}

void
leat_told_forget_loops (LeatTold *self, LeatLane *lane)
{
  if (G_LIKELY (lane != NULL && lane->plan->loops->len == 0))
    return;
  g_mutex_lock (&self->lock);
  if (lane == NULL)
    g_ptr_array_set_size (self->looping, 0);
  else
    g_ptr_array_remove (self->looping, lane);
  g_mutex_unlock (&self->lock);
}

void
leat_told_call_off_loops (LeatTold *self)
{
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->looping->len; i++)
    leat_lane_end_loops (g_ptr_array_index (self->looping, i));
  g_mutex_unlock (&self->lock);
}

/* The run has no results, as where a kernel reports an error. */
static void
leat_told_refuse_loop (LeatTold *self, LeatFlight *flight, const LeatPlanLoop *loop, guint64 iterations,
                       gboolean done_again, GError **error)
{
  const char *name = leat_node_get_name (loop->node);
  g_autofree char *state = leat_lane_dup_loop_text (flight->lane, loop, !done_again);
  g_autofree char *runs = flight->run.steps > 0
                            ? g_strdup_printf ("in one of %" G_GUINT64_FORMAT " runs, ", flight->run.steps + 1)
                            : g_strdup ("");
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", name);
  g_variant_dict_insert (&dict, "severity", "s", "error");
  g_variant_dict_insert (&dict, "text", "s", "the loop ran away");
  g_variant_dict_insert (&dict, "count", "t", iterations);
  leat_told_take_refusal (self, g_variant_ref_sink (g_variant_dict_end (&dict)));
  self->ledger.stats.runs_refused++;
  g_set_error (
    error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED,
    "%s%s \"%s\" had not come to its end when its time was over, after %" G_GUINT64_FORMAT
    " iterations by method=%s%s%s: set budget=SECONDS, or max-iterations= for what it is to do at most%s",
    runs, leat_node_get_id (loop->node), name, iterations, leat_loop_method_get_name (LEAT_BOUND_LOOP (loop)->method),
    *state != '\0' ? ", each of which hands on " : "", state, leat_plan_get_other_method (flight->lane->plan, loop));
}

/* "most=5 limit=3" */
static char *
leat_loop_dup_operands (const LeatPlanLoop *loop, const LeatLoopReport *report)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; loop->operands != NULL && loop->operands[i] != NULL; i++)
    {
      char number[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (number, sizeof number, "%.9g", report->values[i]);
      g_string_append_printf (text, "%s%s=%s", i > 0 ? " " : "", loop->operands[i], number);
    }
  return g_string_free (text, FALSE);
}

/* Once for each loop, as it most often is so in all runs. */
static void
leat_told_tell_cap (LeatTold *self, const LeatPlanLoop *loop, const LeatLoopReport *report)
{
  const char *name = leat_node_get_name (loop->node);
  g_autofree char *until = NULL, *values = leat_loop_dup_operands (loop, report);
  g_autoptr (GError) warning = NULL;
  GVariantDict dict;

  g_object_get (loop->node, "until", &until, NULL);
  g_set_error (&warning, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED,
               "%s \"%s\" ended at max-iterations=%" G_GUINT64_FORMAT " and until=\"%s\" was not met%s%s; "
               "leat-launch --stats tells of every loop how it ended",
               leat_node_get_id (loop->node), name, report->iterations, until, *values != '\0' ? ": " : "", values);
  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", name);
  g_variant_dict_insert (&dict, "iterations", "t", report->iterations);
  leat_bus_post (self->bus, leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, g_variant_dict_end (&dict)));
}

static void
leat_told_tell_caps (LeatTold *self, const LeatPlan *plan)
{
  for (guint i = 0; i < plan->loops->len; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (plan->loops, i);
      LeatLoopTotal *total = leat_told_get_loop (self, plan, loop);

      if (!loop->is_tested || total->is_told || total->last.end != LEAT_LOOP_END_CAP)
        continue;
      total->is_told = TRUE;
      leat_told_tell_cap (self, loop, &total->last);
    }
}

/* The values of a loop that was called off are no result. */
static gboolean
leat_flight_check_called_off (LeatFlight *flight, GError **error)
{
  const LeatPlan *plan = flight->lane->plan;

  for (guint i = 0; i < plan->loops->len; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (plan->loops, i);
      LeatLoopReport report;

      leat_lane_get_loop_report (flight->lane, loop, &report);
      if (report.ends == 0 || report.end != LEAT_LOOP_END_AROUND)
        continue;
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED,
                   "loop \"%s\" was called off after %" G_GUINT64_FORMAT " iterations", leat_node_get_name (loop->node),
                   report.iterations);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_told_check_loops (LeatTold *self, LeatFlight *flight, GError **error)
{
  LeatPlan *plan = flight->lane->plan;
  const LeatPlanLoop *away = NULL;
  gboolean done_again = FALSE;
  guint64 iterations = 0;

  if (G_LIKELY (plan->loops->len == 0))
    return TRUE;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < plan->loops->len; i++)
    {
      const LeatPlanLoop *loop = g_ptr_array_index (plan->loops, i);

      leat_told_note_loop (self, flight->lane, loop);
      if (leat_told_get_loop (self, plan, loop)->last.end != LEAT_LOOP_END_BUDGET)
        continue;
      away = loop;
      iterations = leat_told_get_loop (self, plan, loop)->last.iterations;
      done_again = leat_told_get_loop (self, plan, loop)->done_again;
    }
  g_mutex_unlock (&self->lock);
  leat_told_tell_caps (self, plan);
  if (away == NULL)
    return leat_flight_check_called_off (flight, error);
  flight->run.reported = flight->run.refused = TRUE;
  leat_told_refuse_loop (self, flight, away, iterations, done_again, error);
  return FALSE;
}

static GVariant *
leat_loop_total_describe (const LeatLoopTotal *self)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", self->node);
  g_variant_dict_insert (&dict, "method", "s", leat_loop_method_get_name (self->method));
  g_variant_dict_insert (&dict, "why", "s", self->why);
  g_variant_dict_insert (&dict, "runs", "t", self->runs);
  g_variant_dict_insert (&dict, "iterations", "t", self->last.iterations);
  g_variant_dict_insert (&dict, "end", "s", leat_loop_end_get_name (self->last.end));
  g_variant_dict_insert (&dict, "most", "t", self->most);
  g_variant_dict_insert (&dict, "total", "t", self->total);
  return g_variant_dict_end (&dict);
}

GVariant *
leat_told_dup_loops (LeatTold *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->loop_totals->len; i++)
    g_variant_builder_add_value (&builder,
                                 leat_loop_total_describe (&g_array_index (self->loop_totals, LeatLoopTotal, i)));
  g_mutex_unlock (&self->lock);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
