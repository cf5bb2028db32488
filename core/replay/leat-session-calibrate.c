/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include <string.h>

/* How data enters and leaves, by measuring: the first run's own inputs go through the pipeline with each way of each
 * transfer, and the fastest set is kept.  It is done with the real inputs, because kernels may rely on what their data
 * are, and before the first run proper: memory on the device, state too, is made anew after it, so nothing of it is
 * seen.  First one way for all, then one transfer at a time: two transfers need at most nine trials, and ten not 59049.
 */

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
      gint64 begin = leat_session_now_ns ();

      if (!leat_lane_launch (self->lane, LEAT_PATH_FULL, error) || !leat_lane_wait (self->lane, LEAT_WAIT_SPIN, error))
        return -1;
      times[n] = (leat_session_now_ns () - begin) / 1e3;
      self->spent_us += times[n];
      n += i >= LEAT_CALIBRATE_SETTLE;
      if (n >= 3 && self->spent_us > LEAT_CALIBRATE_MOST_US)
        break;
    }
  qsort (times, n, sizeof *times, leat_calibrate_compare);
  return times[n / 2];
}

/* "upload0=copy readback0=mapped" */
static char *
leat_calibrate_print (LeatCalibration *self)
{
  LeatPlan *plan = self->session->plan;
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (plan, i);

      if (op->kind == LEAT_OP_TRANSFER)
        g_string_append_printf (text, "%s%s=%s", text->len > 0 ? " " : "", leat_node_get_name (op->node),
                                leat_transfer_mode_get_name (self->ways[i]));
    }
  return g_string_free (text, FALSE);
}

static gboolean
leat_calibrate_was_tried (LeatCalibration *self)
{
  g_autofree char *ways = leat_calibrate_print (self);

  for (guint i = 0; i < self->session->trials->len; i++)
    if (g_str_equal (g_array_index (self->session->trials, LeatTrial, i).ways, ways))
      return TRUE;
  return FALSE;
}

static void
leat_calibrate_note (LeatCalibration *self, double us)
{
  LeatSession *session = self->session;
  LeatTrial trial = { .ways = leat_calibrate_print (self), .us = us };

  g_mutex_lock (&session->told_lock);
  g_array_append_val (session->trials, trial);
  g_mutex_unlock (&session->told_lock);
}

/* The ways as they are now; those of @before come back where they are not faster than the best so far. */
static gboolean
leat_calibrate_try (LeatCalibration *self, const LeatTransferMode *before, GError **error)
{
  gsize bytes = self->session->plan->ops->len * sizeof *before;
  double us = G_MAXDOUBLE;

  if (self->spent_us <= LEAT_CALIBRATE_MOST_US && !leat_calibrate_was_tried (self))
    {
      if (!leat_calibrate_apply (self, error) || (us = leat_calibrate_time (self, error)) < 0)
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
  return op->kind == LEAT_OP_TRANSFER && op->choosable && (way != LEAT_TRANSFER_MAPPED || op->mappable);
}

/* One way for every transfer that can go it: two that share the link may gain only together. */
static gboolean
leat_calibrate_try_everywhere (LeatCalibration *self, LeatTransferMode way, GError **error)
{
  LeatPlan *plan = self->session->plan;
  g_autofree LeatTransferMode *before = g_memdup2 (self->ways, plan->ops->len * sizeof *before);

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
      g_autofree LeatTransferMode *before = g_memdup2 (self->ways, self->session->plan->ops->len * sizeof *before);

      if (!leat_calibrate_may (op, way))
        continue;
      self->ways[op->index] = way;
      if (!leat_calibrate_try (self, before, error))
        return FALSE;
    }
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
  for (LeatTransferMode way = LEAT_TRANSFER_COPY; way <= LEAT_TRANSFER_KERNEL; way++)
    if (!leat_calibrate_try_everywhere (self, way, error))
      return FALSE;
  for (guint i = 0; i < plan->ops->len; i++)
    if (!leat_calibrate_try_others (self, leat_plan_get_op (plan, i), error))
      return FALSE;
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
  good = good && leat_session_drop_reports (self, lane, error);
  self->setup->key = leat_plan_hash (self->plan);
  self->ways_known = good;
  leat_session_count_copies (self, lane);
  if (good)
    leat_session_remember_ways (self, ways, calibration.best_us);
  return good;
}
