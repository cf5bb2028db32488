/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A session with the inputs and results of a whole batch, for the cases about batches.  Fills the inputs and checks the
 * results. */

#include "leat-bench-lanes.h"

#include "leat-bench-series.h"

static float
leat_bench_lanes_number (guint lane, guint i)
{
  return (float) ((lane * 131 + i * 7) % 4093);
}

float *
leat_bench_lanes_get_in (LeatBenchLanes *self, guint lane)
{
  return (float *) ((guint8 *) self->in.data + lane * self->in_stride);
}

const float *
leat_bench_lanes_get_out (LeatBenchLanes *self, guint lane)
{
  return (const float *) ((const guint8 *) self->out.data + lane * self->out_stride);
}

gboolean
leat_bench_lanes_open (LeatBenchLanes *self, LeatBench *bench, const char *text, guint n, guint n_in, GError **error)
{
  self->n = n;
  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  if (!leat_session_open (self->session, NULL, error)
      || !leat_session_map_batch (self->session, "source", n, &self->in, &self->in_stride, error)
      || !leat_session_map_batch (self->session, "sink", n, &self->out, &self->out_stride, error))
    return FALSE;
  for (guint lane = 0; lane < n; lane++)
    for (guint i = 0; i < n_in; i++)
      leat_bench_lanes_get_in (self, lane)[i] = leat_bench_lanes_number (lane, i);
  return TRUE;
}

void
leat_bench_lanes_clear (LeatBenchLanes *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

gboolean
leat_bench_lanes_check (const char *who, const float *out, guint lane, guint n_out, float more, GError **error)
{
  for (guint i = 0; i < n_out; i++)
    if (out[i] != leat_bench_lanes_number (lane, i) + more)
      {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "%s: number %u of lane %u is wrong", who, i, lane);
        return FALSE;
      }
  return TRUE;
}

double
leat_bench_lanes_replay (LeatBenchLanes *self, GPtrArray *inputs, GError **error)
{
  double begin = leat_bench_now_us ();
  gboolean good = leat_session_replay_batch (self->session, self->n, inputs, NULL, NULL, error);

  return good ? leat_bench_now_us () - begin : -1;
}
