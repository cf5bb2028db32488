/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Calibrates: measures the ways of transfers, loops and fusions with the first run's inputs, and keeps the fastest.
 * Touches the plan's ways and what follows from them.  State is as before when it has ended. */

#include "bind/leat-bind-private.h"
#include "plan/leat-op-private.h"
#include "fuse/leat-fusible-private.h"
#include "leat-tuning-private.h"

#include <string.h>

/* How data enters and leaves, who does loops and what is one kernel, by measuring: the first run's own inputs go
 * through the pipeline with each way of each transfer, and the fastest set is kept.  It is done with the real inputs,
 * because kernels may rely on what their data are, and before the first run proper: memory on the device, state too, is
 * made anew after it, so nothing of it is seen.  First one way for all, then one transfer at a time: two transfers need
 * at most nine trials, and ten not 59049. Sets that were nearly the fastest are tried again, in turns with it.  Times
 * change by the moment, and one moment is not enough to tell two that are close. */

#define LEAT_CALIBRATE_GAIN   0.97 /* of the time so far; less is noise */
#define LEAT_CALIBRATE_CLOSE  1.35 /* of the least time: what is tried again, */
#define LEAT_CALIBRATE_FINAL  4    /* so many at most, */
#define LEAT_CALIBRATE_ROUNDS 4    /* so often at most */

#define LEAT_CALIBRATE_LAUNCH_US 25.0 /* at most, that it takes longer where the host launches an iteration */

/* A set of ways that was tried. */
typedef struct
{
  guint *ways;                             /* by op index */
  double us[1 + LEAT_CALIBRATE_ROUNDS];    /* of each trial */
  double median_us, least_us, greatest_us; /* of these */
  guint n;
} LeatCandidate;

typedef struct
{
  LeatTuning *tuning;
  LeatTold *told;
  LeatFlight *flight;
  LeatLane *lane;
  LeatPlan *plan;
  guint *ways;        /* by op index */
  GArray *candidates; /* LeatCandidate, in the order of the session's trials */
  double best_us, left_us;
  gboolean away;    /* a loop was ended in a trial: the next session is to find out */
  gboolean settled; /* the trait of the plan, which is TRUE for trials */
} LeatCalibration;

static void
leat_candidate_clear (gpointer data)
{
  g_free (((LeatCandidate *) data)->ways);
}

static void
leat_candidate_note (LeatCandidate *self, double us)
{
  guint at = self->n++;

  for (; at > 0 && self->us[at - 1] > us; at--)
    self->us[at] = self->us[at - 1];
  self->us[at] = us;
  self->least_us = self->us[0];
  self->greatest_us = self->us[self->n - 1];
  self->median_us = self->n % 2 ? self->us[self->n / 2] : (self->us[self->n / 2 - 1] + self->us[self->n / 2]) / 2;
}

static LeatCandidate *
leat_calibrate_get (LeatCalibration *self, guint index)
{
  return &g_array_index (self->candidates, LeatCandidate, index);
}

/* Binds the plan to a set of ways, and makes the lane follow. */
static gboolean
leat_calibrate_apply (LeatCalibration *self, gboolean settled, GError **error)
{
  LeatTraits traits = LEAT_BOUND_PLAN (self->plan)->traits;

  traits.ways = self->ways;
  traits.settled = settled;
  leat_plan_bind (self->plan, &traits);
  return leat_program_load_kernels (self->lane->program, NULL, error) && leat_lane_rebuild (self->lane, error);
}

/* "upload0=copy readback0=mapped loop0=host map1=fused" */
static char *
leat_calibrate_print (LeatCalibration *self)
{
  LeatPlan *plan = self->plan;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (plan, i);

      if (leat_op_has_ways (op))
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", leat_node_get_name (op->node),
                                leat_op_get_way_name (op, self->ways[i]));
    }
  return g_string_free (text, FALSE);
}

static gboolean
leat_calibrate_was_tried (LeatCalibration *self)
{
  g_autofree char *ways = leat_calibrate_print (self);

  for (guint i = 0; i < self->tuning->trials->len; i++)
    if (g_str_equal (g_array_index (self->tuning->trials, LeatTrial, i).ways, ways))
      return TRUE;
  return FALSE;
}

static void
leat_calibrate_note (LeatCalibration *self, double us)
{
  LeatTrial trial = { .ways = leat_calibrate_print (self), .us = us };
  LeatCandidate candidate = { .ways = g_memdup2 (self->ways, self->plan->ops->len * sizeof *self->ways) };

  leat_candidate_note (&candidate, us);
  g_array_append_val (self->candidates, candidate);
  g_mutex_lock (&self->tuning->lock);
  g_array_append_val (self->tuning->trials, trial);
  g_mutex_unlock (&self->tuning->lock);
}

/* A loop that was ended by its budget tells nothing of who does it fastest. */
static double
leat_calibrate_time (LeatCalibration *self, GError **error)
{
  double us = leat_flight_time_trial (self->flight, &self->left_us, error);

  self->away = self->away || (us >= 0 && leat_lane_has_runaway (self->lane));
  self->left_us = self->away ? 0 : self->left_us;
  return us;
}

static gboolean
leat_calibrate_fits (LeatCalibration *self)
{
  LeatTraits traits = LEAT_BOUND_PLAN (self->plan)->traits;

  traits.ways = self->ways;
  return self->tuning->fits (self->tuning->session, &traits);
}

/* The ways as they are now; those of @before come back where they are not faster than the best so far. */
static gboolean
leat_calibrate_try (LeatCalibration *self, const guint *before, GError **error)
{
  gsize bytes = self->plan->ops->len * sizeof *before;
  double us = G_MAXDOUBLE;

  if (self->left_us > 0 && !leat_calibrate_was_tried (self) && leat_calibrate_fits (self))
    {
      if (!leat_calibrate_apply (self, TRUE, error) || (us = leat_calibrate_time (self, error)) < 0)
        return FALSE;
      leat_calibrate_note (self, us);
    }
  if (us < self->best_us * LEAT_CALIBRATE_GAIN)
    self->best_us = us;
  else
    memcpy (self->ways, before, bytes);
  return TRUE;
}

static gboolean
leat_calibrate_may (const LeatOp *op, LeatTransferMode way)
{
  return op->kind == LEAT_OP_TRANSFER && LEAT_BOUND_OP (op)->choosable
         && (way != LEAT_TRANSFER_MAPPED || LEAT_BOUND_OP (op)->mappable);
}

/* One way for every transfer that can go it: two that share the link may gain only together. */
static gboolean
leat_calibrate_try_everywhere (LeatCalibration *self, LeatTransferMode way, GError **error)
{
  LeatPlan *plan = self->plan;
  g_autofree guint *before = g_memdup2 (self->ways, plan->ops->len * sizeof *before);

  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_calibrate_may (leat_plan_get_op (plan, i), way))
      self->ways[i] = way;
  return leat_calibrate_try (self, before, error);
}

static gboolean
leat_calibrate_try_others (LeatCalibration *self, const LeatOp *op, GError **error)
{
  for (LeatTransferMode way = LEAT_TRANSFER_COPY; way <= LEAT_TRANSFER_KERNEL; way++)
    {
      g_autofree guint *before = g_memdup2 (self->ways, self->plan->ops->len * sizeof *before);

      if (!leat_calibrate_may (op, way))
        continue;
      self->ways[op->index] = way;
      if (!leat_calibrate_try (self, before, error))
        return FALSE;
    }
  return TRUE;
}

/* A kernel that the device cannot run is no way. */
static gboolean
leat_calibrate_try_kernel (LeatCalibration *self, const LeatOp *op, guint way, GError **error)
{
  gsize bytes = self->plan->ops->len * sizeof *self->ways;
  g_autofree guint *before = g_memdup2 (self->ways, bytes);
  g_autoptr (GError) local = NULL;

  self->ways[op->index] = way;
  if (leat_calibrate_try (self, before, &local))
    return TRUE;
  memcpy (self->ways, before, bytes);
  if (!leat_device_is_dead (self->lane->program->device) && leat_calibrate_apply (self, TRUE, NULL))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

/* By what the last trial has shown of it. */
static gboolean
leat_calibrate_may_drive (LeatCalibration *self, const LeatPlanLoop *loop)
{
  LeatLoopReport report;

  leat_lane_get_loop_report (self->lane, loop, &report);
  return (double) report.iterations * LEAT_CALIBRATE_LAUNCH_US <= self->left_us;
}

/* A node of the graph is not among them: one kernel took 0.1 to 0.8 of its time wherever both were measured, and a
 * driver may end such a node, and the process's context with it, where other programs have the device too. */
static gboolean
leat_calibrate_try_methods (LeatCalibration *self, const LeatOp *op, GError **error)
{
  static const LeatLoopMethod methods[] = { LEAT_LOOP_HOST, LEAT_LOOP_UNROLLED, LEAT_LOOP_FUSED };

  for (guint i = 0; i < G_N_ELEMENTS (methods); i++)
    if (leat_plan_may_loop (self->plan, op->runs, methods[i])
        && (methods[i] != LEAT_LOOP_HOST || leat_calibrate_may_drive (self, op->runs))
        && !leat_calibrate_try_kernel (self, op, methods[i], error))
      return FALSE;
  return TRUE;
}

/* Those within others first, which is where they stand in nobody's way. */
static gboolean
leat_calibrate_try_fusions (LeatCalibration *self, GError **error)
{
  GPtrArray *chains = self->plan->fusibles;

  for (guint i = chains->len; i > 0; i--)
    {
      const LeatOp *joint = ((const LeatFusible *) g_ptr_array_index (chains, i - 1))->fused;
      guint other = self->ways[joint->index] == LEAT_FUSION_FUSED ? LEAT_FUSION_SEPARATE : LEAT_FUSION_FUSED;

      if (leat_op_has_ways (joint) && !leat_calibrate_try_kernel (self, joint, other, error))
        return FALSE;
    }
  return TRUE;
}

/* Kernels that stay apart, once it is known which do.  A block that the device cannot run is no way. */
static gboolean
leat_calibrate_try_blocks (LeatCalibration *self, GError **error)
{
  if (leat_plan_has_blocks (self->plan) && !leat_calibrate_apply (self, TRUE, error))
    return FALSE;
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      for (guint way = 1; way <= op->n_choices && !LEAT_BOUND_OP (op)->hidden; way++)
        if (!leat_calibrate_try_kernel (self, op, way, error))
          return FALSE;
    }
  return TRUE;
}

/* The fastest run with the usual size of a block, beside the fastest of all. */
static void
leat_calibrate_note_gains (LeatCalibration *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self->plan, i);
      double usual_us = G_MAXDOUBLE;

      if (op->n_choices == 0)
        continue;
      for (guint k = 0; k < self->candidates->len; k++)
        if (leat_calibrate_get (self, k)->ways[i] == 1)
          usual_us = MIN (usual_us, leat_calibrate_get (self, k)->median_us);
      leat_plan_note_block_gain (self->plan, op,
                                 usual_us < G_MAXDOUBLE && self->best_us > 0 ? usual_us / self->best_us : 0);
    }
}

/* As the plan is bound by the rule, but loops that can be one kernel are, unless they are unrolled or the device cannot
 * run that.
 * A set of ways that leaves one kernel is launched without a graph at first, which takes longer than what it will be in
 * all runs but these: what is measured is what it comes to. */
static gboolean
leat_calibrate_begin (LeatCalibration *self, GError **error)
{
  LeatPlan *plan = self->plan;
  gsize bytes = plan->ops->len * sizeof *self->ways;
  g_autofree guint *rule = NULL;
  gboolean joins = FALSE;

  for (guint i = 0; i < plan->ops->len; i++)
    self->ways[i] = leat_op_get_way (leat_plan_get_op (plan, i));
  if (LEAT_BOUND_PLAN (plan)->traits.integrated)
    return !LEAT_BOUND_PLAN (plan)->holds_back || leat_calibrate_apply (self, TRUE, error);
  rule = g_memdup2 (self->ways, bytes);
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->kind == LEAT_OP_LOOP && leat_op_has_ways (leat_plan_get_op (plan, i))
        && rule[i] != LEAT_LOOP_UNROLLED)
      {
        self->ways[i] = LEAT_LOOP_FUSED;
        joins = TRUE;
      }
  if (joins && leat_calibrate_apply (self, TRUE, NULL))
    return TRUE;
  memcpy (self->ways, rule, bytes);
  return (!joins && !LEAT_BOUND_PLAN (plan)->holds_back) || leat_calibrate_apply (self, TRUE, error);
}

static gboolean
leat_calibrate_search (LeatCalibration *self, GError **error)
{
  LeatPlan *plan = self->plan;

  if (!leat_calibrate_begin (self, error))
    return FALSE;
  self->best_us = leat_calibrate_time (self, error);
  if (self->best_us < 0)
    return FALSE;
  leat_calibrate_note (self, self->best_us);
  /* It would in the run too, and who waits for that would wait for another budget. */
  if (self->away)
    {
      g_clear_error (&self->tuning->trial_error); /* of a run that nobody waited for */
      return leat_told_check_loops (self->told, self->flight, &self->tuning->trial_error);
    }
  /* Where the device's memory is the host's, all else is settled by that. */
  if (LEAT_BOUND_PLAN (plan)->traits.integrated)
    return leat_calibrate_try_blocks (self, error);
  for (LeatTransferMode way = LEAT_TRANSFER_COPY; way <= LEAT_TRANSFER_KERNEL; way++)
    if (!leat_calibrate_try_everywhere (self, way, error))
      return FALSE;
  for (guint i = 0; i < plan->ops->len; i++)
    if (!leat_calibrate_try_others (self, leat_plan_get_op (plan, i), error))
      return FALSE;
  /* Once the transfers are settled, since what they take is the same for each. */
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->kind == LEAT_OP_LOOP && leat_op_has_ways (leat_plan_get_op (plan, i))
        && !leat_calibrate_try_methods (self, leat_plan_get_op (plan, i), error))
      return FALSE;
  return leat_calibrate_try_fusions (self, error) && leat_calibrate_try_blocks (self, error);
}

static LeatCandidate *
leat_calibrate_find_best (LeatCalibration *self)
{
  LeatCandidate *best = leat_calibrate_get (self, 0);

  for (guint i = 1; i < self->candidates->len; i++)
    if (leat_calibrate_get (self, i)->median_us < best->median_us)
      best = leat_calibrate_get (self, i);
  return best;
}

/* Is one of fewer than so many whose times are close to the best? */
static gboolean
leat_calibrate_is_close (LeatCalibration *self, const LeatCandidate *candidate)
{
  guint before = 0;

  for (guint i = 0; i < self->candidates->len; i++)
    before += leat_calibrate_get (self, i)->median_us < candidate->median_us;
  return before < LEAT_CALIBRATE_FINAL
         && candidate->median_us <= leat_calibrate_find_best (self)->median_us * LEAT_CALIBRATE_CLOSE;
}

/* No trial of the best took longer than any of another. */
static gboolean
leat_calibrate_is_clear (LeatCalibration *self)
{
  const LeatCandidate *best = leat_calibrate_find_best (self);

  for (guint i = 0; i < self->candidates->len; i++)
    if (leat_calibrate_get (self, i) != best && leat_calibrate_get (self, i)->n > 1
        && leat_calibrate_get (self, i)->least_us <= best->greatest_us)
      return FALSE;
  return best->n > 1;
}

static gboolean
leat_calibrate_try_again (LeatCalibration *self, LeatCandidate *candidate, GError **error)
{
  double us;

  memcpy (self->ways, candidate->ways, self->plan->ops->len * sizeof *self->ways);
  if (!leat_calibrate_apply (self, TRUE, error) || (us = leat_calibrate_time (self, error)) < 0)
    return FALSE;
  leat_candidate_note (candidate, us);
  g_mutex_lock (&self->tuning->lock);
  g_array_index (self->tuning->trials, LeatTrial, candidate - leat_calibrate_get (self, 0)).us = candidate->median_us;
  g_mutex_unlock (&self->tuning->lock);
  return TRUE;
}

/* The finalists are chosen before the final. */
static gboolean
leat_calibrate_play_off (LeatCalibration *self, GError **error)
{
  g_autofree gboolean *is_final = g_new0 (gboolean, self->candidates->len);
  guint n_final = 0;

  for (guint i = 0; i < self->candidates->len; i++)
    n_final += is_final[i] = leat_calibrate_is_close (self, leat_calibrate_get (self, i));
  for (guint round = 0; round < LEAT_CALIBRATE_ROUNDS && n_final > 1 && !leat_calibrate_is_clear (self); round++)
    for (guint i = 0; i < self->candidates->len; i++)
      if (is_final[i] && self->left_us > 0 && !leat_calibrate_try_again (self, leat_calibrate_get (self, i), error))
        return FALSE;
  self->best_us = leat_calibrate_find_best (self)->median_us;
  memcpy (self->ways, leat_calibrate_find_best (self)->ways, self->plan->ops->len * sizeof *self->ways);
  return TRUE;
}

static gboolean
leat_plan_has_choice (LeatPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_TRANSFER ? LEAT_BOUND_OP (op)->choosable : leat_op_has_ways (op))
        return TRUE;
    }
  return FALSE;
}

void
leat_tuning_begin (LeatTuning *self, LeatPlan *plan, LeatDevice *device, gboolean wanted)
{
  g_mutex_lock (&self->lock);
  g_array_set_size (self->trials, 0);
  g_array_set_size (self->former_trials, 0);
  g_mutex_unlock (&self->lock);
  g_clear_error (&self->trial_error);
  self->ways_known = FALSE;
  self->to_calibrate =
    wanted && (LEAT_BOUND_PLAN (plan)->traits.integrated ? leat_plan_has_blocks (plan) : leat_plan_has_choice (plan))
    && (!leat_tuning_recall_ways (self, plan, device) || leat_plan_has_bands (plan));
}

/* Whether an earlier session has found out what is best for such inputs; the plan is bound to it then. */
static gboolean
leat_calibrate_recall (LeatCalibration *self, gboolean *recalled, GError **error)
{
  if (!leat_tuning_recall_ways_of_band (self->tuning, self->plan, self->lane->program->device, self->ways))
    return TRUE;
  *recalled = leat_calibrate_fits (self);
  if (!*recalled)
    memset (self->ways, 0, self->plan->ops->len * sizeof *self->ways);
  return leat_calibrate_apply (self, self->settled, error);
}

gboolean
leat_tuning_take_band (LeatTuning *self, const LeatFlight *flight)
{
  g_autofree char *band = leat_flight_dup_band (flight);
  gboolean other = !self->ways_known || !g_str_equal (band, self->band);

  g_free (self->band);
  self->band = g_steal_pointer (&band);
  return other;
}

static gboolean
leat_calibrate_do (LeatCalibration *self, gboolean *recalled, GError **error)
{
  return leat_calibrate_recall (self, recalled, error)
         && (*recalled
             || (leat_calibrate_search (self, error) && leat_calibrate_play_off (self, error)
                 && leat_calibrate_apply (self, self->settled, error)));
}

gboolean
leat_tuning_calibrate (LeatTuning *self, LeatTold *told, LeatFlight *flight, GError **error)
{
  LeatPlan *plan = flight->lane->plan;
  LeatDevice *device = flight->lane->program->device;
  g_autofree guint *ways = g_new0 (guint, plan->ops->len + 1);
  g_autoptr (GArray) candidates = g_array_new (FALSE, FALSE, sizeof (LeatCandidate));
  LeatCalibration calibration = { .tuning = self,
                                  .told = told,
                                  .flight = flight,
                                  .lane = flight->lane,
                                  .plan = plan,
                                  .ways = ways,
                                  .candidates = candidates,
                                  .left_us = self->trials_us,
                                  .settled = LEAT_BOUND_PLAN (plan)->traits.settled };
  gboolean good, recalled = FALSE;

  g_array_set_clear_func (candidates, leat_candidate_clear);
  if (!leat_device_push (device, error))
    return FALSE;
  leat_driver_trace_begin_aside ();
  good = leat_calibrate_do (&calibration, &recalled, error);
  /* Refused, as a run is: the session goes on with the next one. */
  if (flight->run.refused)
    good = leat_calibrate_apply (&calibration, calibration.settled, error);
  leat_driver_trace_end_aside ();
  leat_device_pop (device);
  self->ways_known = good && !calibration.away;
  if (good && !recalled)
    leat_calibrate_note_gains (&calibration);
  if (self->ways_known && !recalled)
    leat_tuning_remember_ways (self, plan, device, ways, calibration.best_us);
  return good;
}
