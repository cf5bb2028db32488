/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Opens a session and closes it: plans, binds, makes the setup, starts the nodes, and takes all of it down again.
 * Touches all parts of the session. */

#include "leat-session-private.h"
#include "leat-session-plan-private.h"

#include "graph/leat-node-private.h"
#include "graph/leat-pipeline-private.h"
#include "kernel/leat-image-private.h"
#include "lane/leat-lane-graph-private.h"
#include "lane/leat-nvtx-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-told-private.h"
#include "leat-session-run-private.h"

/* Adds the time since @since to one part of the opening, and begins the next. */
static void
leat_session_note_time (gint64 *part, gint64 *since)
{
  gint64 now = g_get_monotonic_time ();

  *part = now - *since;
  *since = now;
}

/* Not frozen yet: what was set since the last time is in the nodes, and prepared. */
gboolean
leat_session_plan (LeatSession *self, GError **error)
{
  gint64 since = self->told.ledger.open_since_us;

  g_autoptr (LeatPlan) plan = leat_plan_new_unbound (self->pipeline, leat_session_wants_persistent (self), error);

  if (plan == NULL)
    return FALSE;
  leat_session_set_plan (self, plan);
  leat_session_note_time (&self->told.ledger.stats.plan_us, &since);
  self->told.ledger.stats.negotiate_us = self->plan->negotiate_us;
  return TRUE;
}

static gboolean
leat_session_check_device (LeatSession *self, GError **error)
{
  for (guint i = 0; i < self->plan->ops->len && leat_device_is_cpu (self->device); i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (op->why_not_on_cpu == NULL)
        continue;
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_DEVICE, "the device is the CPU: %s",
                   op->why_not_on_cpu);
      leat_node_prefix_error (op->node, error);
      return FALSE;
    }
  return TRUE;
}

/* The traits of the device, with the options of the session. */
static LeatTraits
leat_session_get_traits (LeatSession *self)
{
  static const LeatCaptureMode captures[] = { [LEAT_EXECUTOR_AUTO] = LEAT_CAPTURE_AUTO,
                                              [LEAT_EXECUTOR_GRAPH] = LEAT_CAPTURE_ALL,
                                              [LEAT_EXECUTOR_EAGER] = LEAT_CAPTURE_NONE,
                                              [LEAT_EXECUTOR_PERSISTENT] = LEAT_CAPTURE_NONE,
                                              [LEAT_EXECUTOR_PERSISTENT_AUTO] = LEAT_CAPTURE_NONE };
  static const LeatEarlyMode earlies[] = { [LEAT_EARLY_START_AUTO] = LEAT_EARLY_AUTO,
                                           [LEAT_EARLY_START_OFF] = LEAT_EARLY_NONE,
                                           [LEAT_EARLY_START_ON] = LEAT_EARLY_ALL };
  const LeatDriverTable *table = leat_device_get_table (self->device);
  LeatTraits traits = { .bound = TRUE,
                        .capture = captures[self->options.executor],
                        .early = earlies[self->options.early_start],
                        .integrated = leat_device_get_facts (self->device)->integrated,
                        .whiles = table->cuGraphConditionalHandleCreate != NULL && table->cuGraphAddNode != NULL,
                        .repeated = self->options.repeat > 1 && self->options.readback == LEAT_READBACK_FINAL,
                        .urgent = leat_session_get_priority (self) == LEAT_PRIORITY_HIGH };

  traits.guarded = leat_poison_is_asked () || leat_device_closes_memory (self->device);
  leat_session_want_persistent (self, &traits);
  return traits;
}

/* To the device, which is opened, with the ways for data that are known to be best. */
gboolean
leat_session_bind_plan (LeatSession *self, GError **error)
{
  LeatTraits traits;
  gint64 since = g_get_monotonic_time ();

  self->device = leat_device_open (self->options.selector, error);
  if (self->device == NULL)
    return FALSE;
  if (!leat_session_check_device (self, error))
    return FALSE;
  leat_device_settle (self->device);
  leat_session_note_time (&self->told.ledger.stats.attach_us, &since);
  traits = leat_session_get_traits (self);
  if (!leat_plan_bind_persistent (self->plan, self->device, leat_pipeline_get_bus (self->pipeline),
                                  self->options.executor == LEAT_EXECUTOR_PERSISTENT, &traits, error))
    return FALSE;
  leat_session_begin_tuning (self);
  leat_session_note_time (&self->told.ledger.stats.bind_us, &since);
  return TRUE;
}

static void
leat_session_tell_open_values (LeatSession *self)
{
  g_autoptr (GError) warning = leat_image_host_take_warning ();

  if (warning != NULL)
    leat_bus_post (leat_pipeline_get_bus (self->pipeline),
                   leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, NULL));
}

static gboolean
leat_session_make_first_setup (LeatSession *self, GError **error)
{
  g_autoptr (GError) why = NULL;

  if (leat_session_make_setup (self, &why))
    return TRUE;
  if (leat_session_give_up_persistent (self, &why))
    {
      leat_session_drop_setups (self);
      leat_session_drop_scratch (self);
      return leat_session_check_budgets (self, error) && leat_session_make_setup (self, error);
    }
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

/* Of measured runs: their graph, unless trials come first. */
static gboolean
leat_session_open_timing (LeatSession *self, GError **error)
{
  return self->tuning.to_calibrate
         || leat_lane_build_graph (g_ptr_array_index (self->lanes, 0), LEAT_PATH_TIMED, error);
}

static gboolean
leat_session_make_memo (LeatSession *self, GError **error)
{
  if (self->options.memo_mode == LEAT_MEMO_OFF)
    return TRUE;
  if (!leat_recall_check (self->plan, error))
    return FALSE;
  leat_recall_begin (&self->recall, self->options.memo_entries, self->options.memo_bytes, self->ends.inputs->len,
                     self->ends.outputs->len);
  return TRUE;
}

static gboolean
leat_session_make_program (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gint64 since = g_get_monotonic_time ();

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  if (!leat_session_make_first_setup (self, error) || !leat_session_make_memo (self, error))
    return FALSE;
  leat_session_tell_open_values (self);
  leat_program_sum_constants (self->program, self->plan, &self->constants);
  self->told.ledger.stats.once_bytes = leat_memory_account_get_written (self->account);
  leat_session_note_time (&self->told.ledger.stats.load_us, &since);
  if (!leat_session_build_setup (self, error))
    return FALSE;
  if (self->told.measuring.is_on && !leat_session_open_timing (self, error))
    return FALSE;
  if (!leat_told_open_trace (&self->told, self->options.trace_path, self->device, cancellable, error))
    return FALSE;
  leat_session_note_time (&self->told.ledger.stats.build_us, &since);
  if (!leat_session_start_endpoints (self, error))
    return FALSE;
  leat_session_note_time (&self->told.ledger.stats.start_us, &since);
  return TRUE;
}

gboolean
leat_session_check_may_open (LeatSession *self, GError **error)
{
  const char *why = NULL;

  if (self->pipeline == NULL)
    why = "the session was made without a pipeline";
  else if (self->hold.is_open)
    why = "the session is open already";
  else if (leat_pipeline_is_frozen (self->pipeline))
    why = "another session of this pipeline is open; close it first, or make a second pipeline from the same text";
  if (why != NULL)
    g_set_error_literal (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, why);
  return why == NULL;
}

/* The program may free them and somebody else have their memory, while a run that nobody saw end is still at them. */
static void
leat_session_leave_what_failed (LeatSession *self)
{
  if (self->states.entered->len > 0 && self->device != NULL && !leat_device_settle (self->device))
    for (guint i = 0; i < self->states.entered->len; i++)
      leat_device_buffer_doubt (g_ptr_array_index (self->states.entered, i));
  leat_states_leave_buffers (&self->states);
}

static void
leat_session_take_down (LeatSession *self)
{
  g_atomic_int_set (&self->hold.is_open, FALSE);
  leat_told_forget_loops (&self->told, NULL);
  leat_session_stop_endpoints (self);
  leat_told_close_trace (&self->told);
  leat_recall_clear (&self->recall);
  leat_session_drop_batch (self);
  leat_session_drop_evicted (self);
  leat_states_forget_away (&self->states);
  self->states.given = FALSE;
  g_clear_pointer (&self->changeable, g_hash_table_unref);
  leat_session_drop_setups (self);
  leat_session_drop_scratch (self);
  leat_session_leave_what_failed (self);
  g_clear_pointer (&self->bindings.held, g_ptr_array_unref);
  leat_states_call_in (&self->states);
  g_array_set_size (self->ends.inputs, 0);
  g_array_set_size (self->ends.outputs, 0);
  if (self->device != NULL)
    leat_device_settle (self->device);
  leat_session_set_plan (self, NULL);
  g_clear_object (&self->device);
  leat_pipeline_thaw (self->pipeline);
}

static gboolean
leat_session_build (LeatSession *self, GCancellable *cancellable, GError **error)
{
  leat_nvtx_load ();
  leat_told_begin (&self->told, leat_pipeline_get_bus (self->pipeline), self->options.timing_mode == LEAT_TIMING_NODES);
  g_clear_pointer (&self->account, leat_memory_account_unref);
  self->account = leat_memory_account_new (self->options.budget);
  self->ends.flushed = self->ends.ended = self->hold.failed = FALSE;
  self->ends.n_filled = 0;
  self->repeating.is_long = FALSE;
  if (!leat_session_plan (self, error))
    return FALSE;
  leat_pipeline_freeze (self->pipeline);
  if (!leat_session_bind_plan (self, error) || !leat_session_check_budgets (self, error)
      || !leat_session_make_program (self, cancellable, error))
    {
      leat_session_take_down (self);
      return FALSE;
    }
  self->told.ledger.stats.opened_us = g_get_monotonic_time () - self->told.ledger.open_since_us;
  leat_told_set_device (&self->told, self->device);
  self->told.ledger.levels_changed = TRUE;
  leat_session_tell_stats (self);
  g_atomic_int_set (&self->hold.is_open, TRUE);
  leat_told_enter_monitor (&self->told, self->ends.endpoints, self->device);
  return TRUE;
}

/**
 * leat_session_open:
 * @self: a session that is not open
 * @cancellable: (nullable): to give up between steps
 * @error: return location for an error
 *
 * Plans the pipeline, chooses the device, and makes everything that runs will need: memory, kernels, the graph.
 *
 * Errors of planning (%LEAT_GRAPH_ERROR, %LEAT_PLAN_ERROR, %LEAT_KERNEL_ERROR), of the device (%LEAT_DRIVER_ERROR) and
 * of sources and sinks that cannot begin; %LEAT_SESSION_ERROR_BUDGET where it would take more than #LeatSession:budget.
 * After an error nothing is left over and open () may be called again.
 *
 * Returns: whether the session is open
 */
gboolean
leat_session_open (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gboolean opened;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  if (!leat_session_take (self, error))
    return FALSE;
  opened = leat_session_check_may_open (self, error) && leat_session_build (self, cancellable, error);
  leat_session_settle_room (self);
  leat_session_let_go (self);
  return opened;
}

/**
 * leat_session_close:
 * @self: a session
 *
 * Gives back everything that open () made.  Sinks that did not finish undo what they began.  A session that is not open
 * is left as it is.  A run that another thread has under way is called off and waited for.
 */
void
leat_session_close (LeatSession *self)
{
  const LeatOverseerClass *klass;
  g_autoptr (GObject) overseer = NULL;

  g_return_if_fail (LEAT_IS_SESSION (self));
  overseer = leat_session_get_overseer (self, &klass);
  if (overseer != NULL)
    (*klass->closing) (overseer, self);
  leat_session_take_over (self);
  if (self->hold.is_open)
    {
      leat_told_leave_monitor (&self->told);
      leat_session_remember_learned (self);
      leat_session_take_down (self);
    }
  leat_session_let_go_over (self);
  if (overseer != NULL)
    (*klass->closed) (overseer, self);
}
