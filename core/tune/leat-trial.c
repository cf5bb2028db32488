/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* One trial of calibration: some replays as a program has them, filled before and read after, of which the device's
 * share is timed.  Short runs are repeated until there are enough of them to tell two ways apart. */

#include "leat-tuning-private.h"

#include <stdlib.h>

#define LEAT_TRIAL_SETTLE_US 300.0 /* and three runs at least */
#define LEAT_TRIAL_SETTLE    3
#define LEAT_TRIAL_US        2000.0
#define LEAT_TRIAL_LEAST     11
#define LEAT_TRIAL_MOST      256
#define LEAT_TRIAL_FEWEST    3         /* where there is no time left, */
#define LEAT_TRIAL_LONG_US   100000.0  /* but of runs that take so long: to tell two of them apart one is enough */
#define LEAT_TRIAL_TOUCHED   (1 << 20) /* bytes; more do not stay in the host's caches */
#define LEAT_TRIAL_LINE      64

static int
leat_trial_compare (gconstpointer a, gconstpointer b)
{
  const double *x = a, *y = b;

  return *x < *y ? -1 : *x > *y;
}

/* None where the program brings the memory, which may be the device's, and for a sink that takes it there. */
static gsize
leat_trial_count_bytes (const LeatStaging *staging)
{
  LeatView view;

  if (staging->binding != NULL || staging->view.data == NULL)
    return 0;
  leat_staging_view (staging, &view);
  return MIN (leat_view_get_bytes (&view), LEAT_TRIAL_TOUCHED);
}

/* The host's caches hold what a program has just written, which the device then reads through the link or the host
 * copies from there. */
static void
leat_trial_fill (const LeatFlight *flight)
{
  for (guint i = 0; i < flight->n_inputs; i++)
    {
      const LeatStaging *staging = &flight->inputs[i];
      gsize bytes = leat_trial_count_bytes (staging);
      volatile guint8 *data = staging->view.data;

      for (gsize at = 0; at < bytes; at += LEAT_TRIAL_LINE)
        data[at] = data[at];
    }
}

static void
leat_trial_read (const LeatFlight *flight)
{
  for (guint i = 0; i < flight->n_outputs; i++)
    {
      const LeatStaging *staging = &flight->outputs[i];
      gsize bytes = leat_trial_count_bytes (staging);
      volatile const guint8 *data = staging->view.data;

      for (gsize at = 0; at < bytes; at += LEAT_TRIAL_LINE)
        (void) data[at];
    }
}

static gboolean
leat_trial_is_over (guint n, double spent_us, double left_us)
{
  if (n == LEAT_TRIAL_MOST || (n >= LEAT_TRIAL_LEAST && spent_us >= LEAT_TRIAL_US))
    return TRUE;
  return left_us <= 0 && n > 0 && (n >= LEAT_TRIAL_FEWEST || spent_us / n >= LEAT_TRIAL_LONG_US);
}

/* In microseconds; negative after an error. */
static double
leat_trial_replay (LeatFlight *flight, GError **error)
{
  LeatLane *lane = flight->lane;
  gint64 begin;
  double us;

  leat_trial_fill (flight);
  leat_lane_forget_runaways (lane);
  if (!leat_lane_poison (lane, LEAT_PATH_FULL, error))
    return -1;
  begin = leat_run_now_ns ();
  if (!leat_lane_launch (lane, LEAT_PATH_FULL, error) || !leat_lane_wait (lane, LEAT_WAIT_SPIN, error))
    return -1;
  us = (leat_run_now_ns () - begin) / 1e3;
  lane->executables[LEAT_PATH_FULL].counted_from++; /* a trial is no run */
  leat_trial_read (flight);
  return us;
}

double
leat_flight_time_trial (LeatFlight *flight, double *left_us, GError **error)
{
  double times[LEAT_TRIAL_MOST], settled_us = 0, spent_us = 0;
  guint n_settled = 0, n = 0;

  while (!leat_trial_is_over (n, spent_us, *left_us))
    {
      double us = leat_trial_replay (flight, error);

      if (us < 0 || leat_lane_has_runaway (flight->lane))
        return us;
      *left_us -= us;
      if (us < LEAT_TRIAL_LONG_US && (n_settled < LEAT_TRIAL_SETTLE || settled_us < LEAT_TRIAL_SETTLE_US))
        {
          n_settled++;
          settled_us += us;
          continue;
        }
      spent_us += us;
      times[n++] = us;
    }
  qsort (times, n, sizeof *times, leat_trial_compare);
  return times[n / 2];
}
