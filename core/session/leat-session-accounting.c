/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The figures that a session's plan predicts, beside those that were counted.  The plan is summed up in
 * leat-sums.c, the counters count where things happen; here the two only meet. */

#include "leat-session-plan-private.h"
#include "leat-session-run-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-told-private.h"

/* How a figure that was counted stands to the one that was planned. */
typedef enum
{
  LEAT_FIGURE_SETUP,
  LEAT_FIGURE_SHARED, /* which constants others have may change while the session is off the device */
  LEAT_FIGURE_MEMORY,
  LEAT_FIGURE_ALLOCATIONS,
  LEAT_FIGURE_TRAFFIC,
  LEAT_FIGURE_MOST,  /* the plan has what is allowed */
  LEAT_FIGURE_LANES, /* likewise, but of batches, which have lanes of their own */
} LeatFigureKind;

typedef struct
{
  const char *name;
  LeatFigureKind kind;
  glong planned; /* in LeatSessionPlan */
  glong counted; /* in LeatSessionStats; -1: nothing to count */
} LeatFigure;

#define FIGURE(name, kind, planned, counted)                                                                           \
  {                                                                                                                    \
    name, LEAT_FIGURE_##kind, G_STRUCT_OFFSET (LeatSessionPlan, planned), G_STRUCT_OFFSET (LeatSessionStats, counted)  \
  }
#define PLANNED(name, planned)                                                                                         \
  {                                                                                                                    \
    name, LEAT_FIGURE_SETUP, G_STRUCT_OFFSET (LeatSessionPlan, planned), -1                                            \
  }

static const LeatFigure leat_figures[] = {
  PLANNED ("runs", runs),
  PLANNED ("run-upload-bytes", run_up_bytes),
  PLANNED ("run-readback-bytes", run_back_bytes),
  PLANNED ("lane-bytes", lane_bytes),
  FIGURE ("lanes", LANES, lanes, lanes),
  FIGURE ("once-bytes", SETUP, once_bytes, once_bytes),
  FIGURE ("shared-bytes", SHARED, shared_bytes, shared_bytes),
  FIGURE ("upload-bytes", TRAFFIC, up_bytes, graphs.work.traffic.up_bytes),
  FIGURE ("readback-bytes", TRAFFIC, back_bytes, graphs.work.traffic.back_bytes),
  FIGURE ("waits", TRAFFIC, waits, graphs.work.waits),
  FIGURE ("device-bytes", MEMORY, device_bytes, memory.most_bytes[LEAT_MEMORY_DEVICE]),
  FIGURE ("scratch-bytes", MEMORY, scratch_bytes, memory.use_most_bytes[LEAT_MEMORY_SCRATCH]),
  FIGURE ("state-bytes", MEMORY, state_bytes, memory.use_most_bytes[LEAT_MEMORY_STATE]),
  FIGURE ("constant-bytes", MEMORY, constant_bytes, memory.use_most_bytes[LEAT_MEMORY_CONSTANT]),
  FIGURE ("report-bytes", MEMORY, report_bytes, memory.use_most_bytes[LEAT_MEMORY_REPORTS]),
  FIGURE ("clock-bytes", MEMORY, clock_bytes, memory.use_most_bytes[LEAT_MEMORY_CLOCKS]),
  FIGURE ("pinned-bytes", MEMORY, pinned_bytes, memory.most_bytes[LEAT_MEMORY_PINNED]),
  FIGURE ("allocations", ALLOCATIONS, allocations, memory.allocations[LEAT_MEMORY_DEVICE]),
  FIGURE ("pinned-allocations", ALLOCATIONS, pinned_allocations, memory.allocations[LEAT_MEMORY_PINNED]),
  FIGURE ("memo-bytes", MOST, memo_bytes, memo_bytes),
};

static guint64
leat_figure_get_planned (const LeatFigure *self, const LeatSessionPlan *plan)
{
  return G_STRUCT_MEMBER (guint64, plan, self->planned);
}

static GVariant *
leat_session_plan_to_variant (const LeatSessionPlan *plan)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{st}"));
  for (guint i = 0; i < G_N_ELEMENTS (leat_figures); i++)
    g_variant_builder_add (&builder, "{st}", leat_figures[i].name, leat_figure_get_planned (&leat_figures[i], plan));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/* For one that is not open all of planning is done, and undone. */
static gboolean
leat_session_predict_closed (LeatSession *self, guint64 runs, LeatSessionPlan *plan, GError **error)
{
  gboolean good;

  if (!leat_session_check_may_open (self, error))
    return FALSE;
  good = leat_session_plan (self, error) && leat_session_bind_plan (self, error);
  if (good)
    {
      const LeatSums sums = leat_session_get_sums (self);

      leat_sums_get_constants (&sums, &self->constants);
      leat_sums_fill (&sums, &self->constants, leat_session_plan_lanes (self), runs, plan);
    }
  leat_session_set_plan (self, NULL);
  g_clear_object (&self->device);
  return good;
}

/**
 * leat_session_predict:
 * @self: a session that is not running
 * @runs: how many runs there will be, the one that ends a stream counted
 * @error: return location for an error
 *
 * Predicts what the session will take, with its present properties, before anything is allocated. For an open session
 * it uses the plan that the session has.
 *
 * The work of runs depends on #LeatSession:repeat and #LeatSession:readback: @runs are so many on each set of inputs.
 * Memory of kernels' code, graphs and batches is not in it.
 *
 * Returns: (transfer full): a dictionary (a{st}): runs; lanes (the most; with `auto` what #LeatSession:budget allows);
 *   once-bytes (written to the device for all runs: constants, first contents of states, blocks of reports) and
 *   shared-bytes (constants that are there already); run-upload-bytes and run-readback-bytes of a single run, and
 *   upload-bytes and readback-bytes of all; waits; lane-bytes (of the device's memory, for each lane) and device-bytes
 *   (all), which is scratch-bytes, state-bytes, constant-bytes, report-bytes and clock-bytes; pinned-bytes; allocations
 *   and pinned-allocations; memo-bytes (of the host, the most).  %NULL on error, as leat_session_open () but for
 *   %LEAT_SESSION_ERROR_BUDGET
 */
GVariant *
leat_session_predict (LeatSession *self, guint64 runs, GError **error)
{
  LeatSessionPlan plan;
  gboolean good = TRUE;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  if (!leat_session_take (self, error))
    return NULL;
  if (self->hold.is_open)
    {
      const LeatSums sums = leat_session_get_sums (self);

      leat_sums_fill (&sums, &self->constants, leat_session_plan_lanes (self), runs, &plan);
    }
  else
    good = leat_session_predict_closed (self, runs, &plan, error);
  leat_session_let_go (self);
  return good ? leat_session_plan_to_variant (&plan) : NULL;
}

/* Were there runs of which the plan cannot know how much they do? */
static gboolean
leat_session_moves_less (LeatSession *self)
{
  if (self->options.memo_mode != LEAT_MEMO_OFF || self->plan->users->len > 0)
    return TRUE;
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (leat_session_get_input (self, i)->direct)
      return TRUE;
  for (guint i = 0; i < self->told.ledger.kernel_transfers->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, g_array_index (self->told.ledger.kernel_transfers, guint, i));

      if (leat_plan_get_buffer (self->plan, op->from)->header)
        return TRUE;
    }
  return FALSE;
}

/* Did it take more than a plan knows of? */
static gboolean
leat_session_takes_more (LeatSession *self, LeatFigureKind kind)
{
  if (self->batch != NULL || self->told.ledger.stats.batch_launches > 0)
    return TRUE;
  if (self->constants.was_lost && (kind == LEAT_FIGURE_ALLOCATIONS || kind == LEAT_FIGURE_MEMORY))
    return TRUE;
  if (kind == LEAT_FIGURE_ALLOCATIONS)
    return self->tuning.trials->len > 0 || self->told.ledger.stats.evictions > 0;
  return kind == LEAT_FIGURE_MEMORY && self->told.ledger.stats.evictions > 0 && self->constants.shared_bytes > 0;
}

static const char *
leat_session_get_relation (LeatSession *self, const LeatFigure *figure)
{
  const LeatSessionStats *stats = &self->told.ledger.stats;

  if (figure->kind == LEAT_FIGURE_LANES && leat_session_takes_more (self, figure->kind))
    return "other";
  if (figure->kind == LEAT_FIGURE_MOST || figure->kind == LEAT_FIGURE_LANES)
    return "at-most";
  if (stats->replans + stats->grown > 0 || (self->hold.failed && figure->kind == LEAT_FIGURE_TRAFFIC)
      || (stats->evictions > 0 && figure->kind == LEAT_FIGURE_SHARED))
    return "other";
  if (figure->kind == LEAT_FIGURE_SHARED)
    return "equal";
  if (figure->kind == LEAT_FIGURE_SETUP)
    return self->constants.was_lost ? "at-least" : "equal";
  /* Scratch that several sessions have in common is nobody's. */
  if (self->scratch.used != NULL && (figure->kind == LEAT_FIGURE_MEMORY || figure->kind == LEAT_FIGURE_ALLOCATIONS))
    return leat_session_takes_more (self, figure->kind) ? "other" : "at-most";
  if (leat_session_takes_more (self, figure->kind))
    return figure->kind == LEAT_FIGURE_TRAFFIC && leat_session_moves_less (self) ? "other" : "at-least";
  return figure->kind == LEAT_FIGURE_TRAFFIC && leat_session_moves_less (self) ? "at-most" : "equal";
}

static GVariant *
leat_session_print_report (LeatSession *self, const LeatSessionPlan *plan)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(stts)"));
  for (guint i = 0; i < G_N_ELEMENTS (leat_figures); i++)
    if (leat_figures[i].counted >= 0)
      g_variant_builder_add (&builder, "(stts)", leat_figures[i].name, leat_figure_get_planned (&leat_figures[i], plan),
                             G_STRUCT_MEMBER (guint64, &self->told.ledger.stats, leat_figures[i].counted),
                             leat_session_get_relation (self, &leat_figures[i]));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/**
 * leat_session_dup_accounting:
 * @self: an open session that is not running
 * @error: return location for an error
 *
 * Gets what leat_session_predict () predicts for the runs done, beside the counts since the session was opened:
 * copies as the driver got them, memory as it was taken and given back.
 *
 * Runs that were done to find out how data go best (#LeatSession:calibrate) are in neither.
 *
 * Returns: (transfer full): for each figure its name s, what was planned t, what was counted t, and how the two stand
 *   (a(stts)): "equal"; "at-most" where the plan has a bound, because it cannot know how much of bounded data is live,
 *   which inputs stay the same, or which results the memo has; "at-least" where batches were run, or memory was made
 *   again; "other" where both may be, the plan was another one for a while, or a run failed half way.  %NULL with
 *   %LEAT_SESSION_ERROR_STATE while the session is not open, %LEAT_SESSION_ERROR_BUSY while another thread has it
 */
GVariant *
leat_session_dup_accounting (LeatSession *self, GError **error)
{
  GVariant *report = NULL;
  LeatSessionPlan plan;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  if (!leat_session_take (self, error))
    return NULL;
  if (self->hold.is_open)
    {
      const LeatSums sums = leat_session_get_sums (self);

      leat_session_tell_stats (self);
      leat_sums_fill (&sums, &self->constants, self->told.ledger.lanes_most,
                      self->told.ledger.stats.runs - self->told.ledger.stats.batch_entries, &plan);
      plan.lanes = leat_session_plan_lanes (self);
      report = leat_session_print_report (self, &plan);
    }
  else
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE,
                 "there is nothing to report: the session is not open");
  leat_session_let_go (self);
  return report;
}

/**
 * leat_session_dup_predicted:
 * @self: a session that is not running
 *
 * Gets what the plans predict for all launches since the session was opened, to compare with
 * leat_session_stop_counting ().
 *
 * It is the sum of what leat_plan_dup_prediction() said when each run was launched: runs on inputs that are on the
 * device already do without the uploads, launches of batches have plans of their own, and a plan that becomes a graph
 * after some runs says another thing from then on.  Trials (#LeatSession:calibrate) are in neither, nor is what a
 * session does to set itself up.  Runs without results (leat_session_repeat()) are not in it.  Of a
 * loop whose iterations are launches or nodes of their own, each iteration that there was is; not of one within
 * another.
 *
 * Returns: (transfer full): a dictionary (a{st}): kernels, copies, fills, early-starts, graph-launches, waits
 */
GVariant *
leat_session_dup_predicted (LeatSession *self)
{
  const LeatPrediction *sum = &self->told.ledger.predicted;
  const struct
  {
    const char *name;
    guint64 value;
  } rows[] = { { "kernels", sum->kernels },
               { "copies", sum->copies },
               { "fills", sum->fills },
               { "early-starts", sum->early_starts },
               { "graph-launches", sum->graph_launches },
               { "waits", sum->waits } };
  GVariantBuilder builder;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a{st}"));
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    g_variant_builder_add (&builder, "{st}", rows[i].name, rows[i].value);
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}
