/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include <time.h>

/* How data enters and leaves, by measuring: the first run's own inputs go through the pipeline with each way of each
 * transfer, and the fastest set is kept.  It is done with the real inputs, because kernels may rely on what their data
 * are, and before the first run proper: memory on the device, state too, is made anew after it, so nothing of it is
 * seen.  One transfer is changed at a time, so that two of them need seven trials and not nine. */

#define LEAT_CALIBRATE_SETTLE  3
#define LEAT_CALIBRATE_RUNS    11
#define LEAT_CALIBRATE_MOST_US 250000.0 /* for all trials together, once the first is over */
#define LEAT_CALIBRATE_GAIN    0.97     /* of the time so far; less is noise */

typedef struct
{
  LeatSession *session;
  LeatLane *lane;
  LeatTransferMode *ways; /* by op index */
  double best_us, spent_us;
} LeatCalibration;

static double
leat_calibrate_now_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static int
leat_calibrate_compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* Binds the plan to a set of ways, and makes the lane follow. */
static gboolean
leat_calibrate_apply (LeatCalibration *self, GError **error)
{
  LeatSession *session = self->session;
  LeatTraits traits = session->plan->traits;

  traits.ways = self->ways;
  leat_plan_bind (session->plan, &traits);
  return leat_resident_load_kernels (session->resident, NULL, error) && leat_lane_rebuild (self->lane, error);
}

/* Median of a few replays in microseconds; negative after an error. */
static double
leat_calibrate_time (LeatCalibration *self, GError **error)
{
  double times[LEAT_CALIBRATE_RUNS];
  guint n = 0;

  for (guint i = 0; i < LEAT_CALIBRATE_SETTLE + LEAT_CALIBRATE_RUNS; i++)
    {
      double begin = leat_calibrate_now_us ();

      if (!leat_lane_launch (self->lane, LEAT_PATH_FULL, error) || !leat_lane_wait (self->lane, LEAT_WAIT_SPIN, error))
        return -1;
      times[n] = leat_calibrate_now_us () - begin;
      self->spent_us += times[n];
      n += i >= LEAT_CALIBRATE_SETTLE;
      if (n >= 3 && self->spent_us > LEAT_CALIBRATE_MOST_US)
        break;
    }
  qsort (times, n, sizeof *times, leat_calibrate_compare);
  return times[n / 2];
}

static void
leat_calibrate_note (LeatCalibration *self, double us)
{
  LeatSession *session = self->session;
  g_autoptr (GString) text = g_string_new (NULL);
  LeatTrial trial = { .us = us };

  for (guint i = 0; i < session->plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (session->plan, i);

      if (op->kind == LEAT_OP_TRANSFER)
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", leat_node_get_name (op->node),
                                leat_transfer_mode_get_name (op->way));
    }
  trial.ways = g_string_free (g_steal_pointer (&text), FALSE);
  g_mutex_lock (&session->told_lock);
  g_array_append_val (session->trials, trial);
  g_mutex_unlock (&session->told_lock);
}

/* One transfer another way; kept when it is faster. */
static gboolean
leat_calibrate_try (LeatCalibration *self, const LeatOp *op, LeatTransferMode way, GError **error)
{
  LeatTransferMode before = self->ways[op->index];
  double us;

  if ((way == LEAT_TRANSFER_MAPPED && !op->mappable) || self->spent_us > LEAT_CALIBRATE_MOST_US)
    return TRUE;
  self->ways[op->index] = way;
  if (!leat_calibrate_apply (self, error))
    return FALSE;
  us = leat_calibrate_time (self, error);
  if (us < 0)
    return FALSE;
  leat_calibrate_note (self, us);
  if (us < self->best_us * LEAT_CALIBRATE_GAIN)
    self->best_us = us;
  else
    self->ways[op->index] = before;
  return TRUE;
}

static gboolean
leat_calibrate_try_others (LeatCalibration *self, const LeatOp *op, GError **error)
{
  LeatTransferMode first = self->ways[op->index];

  for (LeatTransferMode way = LEAT_TRANSFER_COPY; way <= LEAT_TRANSFER_KERNEL; way++)
    if (way != first && !leat_calibrate_try (self, op, way, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_calibrate_search (LeatCalibration *self, GError **error)
{
  LeatPlan *plan = self->session->plan;

  for (guint i = 0; i < plan->ops->len; i++)
    self->ways[i] =
      leat_plan_get_op (plan, i)->kind == LEAT_OP_TRANSFER ? leat_plan_get_op (plan, i)->way : LEAT_TRANSFER_AUTO;
  self->best_us = leat_calibrate_time (self, error);
  if (self->best_us < 0)
    return FALSE;
  leat_calibrate_note (self, self->best_us);
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_TRANSFER && op->choosable && !leat_calibrate_try_others (self, op, error))
        return FALSE;
    }
  return TRUE;
}

/* Whose callback is called in every run: it may count them. */
static gboolean
leat_session_has_outside (LeatSession *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    if (leat_plan_get_op (self->plan, i)->why_eager != NULL)
      return TRUE;
  return FALSE;
}

static gboolean
leat_session_has_choice (LeatSession *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    if (leat_plan_get_op (self->plan, i)->kind == LEAT_OP_TRANSFER && leat_plan_get_op (self->plan, i)->choosable)
      return TRUE;
  return FALSE;
}

/* Whether there is anything to find out, and nobody has before: then the first run does. */
void
leat_session_plan_calibration (LeatSession *self)
{
  g_mutex_lock (&self->told_lock);
  g_array_set_size (self->trials, 0);
  g_mutex_unlock (&self->told_lock);
  self->ways_known = FALSE;
  self->to_calibrate = self->calibrate && self->executor != LEAT_EXECUTOR_EAGER && !self->plan->traits.integrated
                       && leat_session_has_choice (self) && !leat_session_recall_ways (self);
}

/* With the inputs of the first run in place. */
gboolean
leat_session_calibrate (LeatSession *self, LeatLane *lane, GError **error)
{
  g_autofree LeatTransferMode *ways = g_new0 (LeatTransferMode, self->plan->ops->len + 1);
  LeatCalibration calibration = { .session = self, .lane = lane, .ways = ways };
  gboolean good;

  self->to_calibrate = FALSE;
  if (leat_session_has_outside (self))
    return TRUE;
  if (!leat_device_push (self->device, error))
    return FALSE;
  good = leat_calibrate_search (&calibration, error) && leat_calibrate_apply (&calibration, error);
  leat_device_pop (self->device);
  self->setup->key = leat_plan_hash (self->plan);
  self->ways_known = good;
  leat_session_count_copies (self, lane);
  if (good)
    leat_session_remember_ways (self, ways, calibration.best_us);
  return good;
}
