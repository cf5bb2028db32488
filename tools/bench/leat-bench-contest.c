/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A contest for evidence: a session and the same work orchestrated from the host, in turns.  Times both, counts their
 * driver calls and compares their results. */

#include "leat-bench-contest.h"

#include "leat-bench-host.h"
#include "leat-bench-port.h"

#include "device/leat-device-private.h"
#include "session/leat-session-private.h"
#include "session/leat-session-told-private.h"

#include <stdio.h>

#define WARM_UP_RUNS 64
#define CLOCK_LOOKS  1000

typedef struct
{
  LeatBenchSeries times;
  LeatEvidenceSide found; /* but what the times say */
} LeatBenchTally;

struct _LeatBenchContest
{
  LeatBench *bench;
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatBenchHost *host;
  GArray *ports; /* LeatBenchPort */
  LeatBenchTally tallies[LEAT_BENCH_N_SIDES];
  GChecksum *checksum;
  guint64 runs; /* so far, those that warm up too */
  guint64 output_bytes;
  double delayed_us;
  gboolean measuring;
};

static const LeatDriverEntry leat_bench_allocating[] = {
  LEAT_DRIVER_ENTRY_cuMemAlloc,
  LEAT_DRIVER_ENTRY_cuMemAllocPitch,
  LEAT_DRIVER_ENTRY_cuMemAllocHost,
  LEAT_DRIVER_ENTRY_cuMemHostAlloc,
  LEAT_DRIVER_ENTRY_cuMemHostRegister,
  LEAT_DRIVER_ENTRY_cuMemAllocAsync,
  LEAT_DRIVER_ENTRY_cuMemAllocFromPoolAsync,
};
static const LeatDriverEntry leat_bench_uploading[] = { LEAT_DRIVER_ENTRY_cuMemcpyHtoD,
                                                        LEAT_DRIVER_ENTRY_cuMemcpyHtoDAsync };
static const LeatDriverEntry leat_bench_reading_back[] = { LEAT_DRIVER_ENTRY_cuMemcpyDtoH,
                                                           LEAT_DRIVER_ENTRY_cuMemcpyDtoHAsync };
static const LeatDriverEntry leat_bench_launching[] = { LEAT_DRIVER_ENTRY_cuLaunchKernel,
                                                        LEAT_DRIVER_ENTRY_cuLaunchCooperativeKernel,
                                                        LEAT_DRIVER_ENTRY_cuGraphLaunch };
static const LeatDriverEntry leat_bench_waiting[] = { LEAT_DRIVER_ENTRY_cuStreamSynchronize,
                                                      LEAT_DRIVER_ENTRY_cuEventSynchronize,
                                                      LEAT_DRIVER_ENTRY_cuCtxSynchronize };

void
leat_bench_contest_free (LeatBenchContest *self)
{
  g_clear_pointer (&self->host, leat_bench_host_free);
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  g_clear_pointer (&self->ports, g_array_unref);
  g_clear_pointer (&self->checksum, g_checksum_free);
  for (guint i = 0; i < LEAT_BENCH_N_SIDES; i++)
    leat_bench_series_clear (&self->tallies[i].times);
  g_free (self);
}

static LeatDriver *
leat_bench_contest_get_driver (LeatBenchContest *self)
{
  return leat_device_get_driver (leat_session_get_device (self->session));
}

static guint64
leat_bench_contest_count (LeatBenchContest *self, const LeatDriverEntry *entries, guint n)
{
  guint64 sum = 0;

  for (guint i = 0; i < n; i++)
    sum += leat_driver_trace_get_count (leat_bench_contest_get_driver (self), entries[i]);
  return sum;
}

#define COUNT(self, entries) leat_bench_contest_count (self, entries, G_N_ELEMENTS (entries))

/* The same session twice: the images of its kernels are made the first time. */
static gboolean
leat_bench_contest_open (LeatBenchContest *self, GError **error)
{
  double begin = 0;

  for (guint i = 0; i < 2; i++)
    {
      if (self->session != NULL)
        leat_session_close (self->session);
      g_clear_object (&self->session);
      begin = leat_bench_now_us ();
      self->session = leat_session_new (self->pipeline, self->bench->selector);
      g_object_set (self->session, "wait", self->bench->wait, NULL);
      if (!leat_session_open (self->session, NULL, error))
        return FALSE;
    }
  self->tallies[LEAT_BENCH_RESIDENT].found.setup_us = leat_bench_now_us () - begin;
  for (guint i = 0; i < 2; i++)
    {
      g_clear_pointer (&self->host, leat_bench_host_free);
      begin = leat_bench_now_us ();
      self->host = leat_bench_host_new (self->session, error);
      if (self->host == NULL)
        return FALSE;
    }
  self->tallies[LEAT_BENCH_HOST].found.setup_us = leat_bench_now_us () - begin;
  return TRUE;
}

LeatBenchContest *
leat_bench_contest_new (LeatBench *bench, LeatPipeline *pipeline, guint runs, GError **error)
{
  g_autoptr (LeatBenchContest) self = g_new0 (LeatBenchContest, 1);
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);

  self->bench = bench;
  self->pipeline = g_object_ref (pipeline);
  self->ports = g_array_new (FALSE, TRUE, sizeof (LeatBenchPort));
  g_array_set_clear_func (self->ports, (GDestroyNotify) leat_bench_port_clear);
  self->checksum = g_checksum_new (G_CHECKSUM_SHA256);
  for (guint i = 0; i < LEAT_BENCH_N_SIDES; i++)
    leat_bench_series_init (&self->tallies[i].times,
                            (runs + LEAT_BENCH_TURN_RUNS - 1) / LEAT_BENCH_TURN_RUNS * LEAT_BENCH_TURN_RUNS);
  if (!leat_bench_contest_open (self, error))
    return NULL;
  for (guint i = 0; i < nodes->len; i++)
    {
      LeatBenchPort port;

      if (!LEAT_IS_APP (nodes->pdata[i]))
        continue;
      if (!leat_bench_port_init (&port, self->session, self->host, nodes->pdata[i], error))
        return NULL;
      g_array_append_val (self->ports, port);
      self->output_bytes += port.source ? 0 : port.bytes;
    }
  return g_steal_pointer (&self);
}

static void
leat_bench_contest_fill (LeatBenchContest *self, guint64 run)
{
  for (guint i = 0; i < self->ports->len; i++)
    if (g_array_index (self->ports, LeatBenchPort, i).source)
      leat_bench_port_fill (&g_array_index (self->ports, LeatBenchPort, i), self->bench->seed, run, i);
}

static gboolean
leat_bench_contest_replay (LeatBenchContest *self, guint at, GError **error)
{
  LeatBenchPort *ports = (LeatBenchPort *) (gpointer) self->ports->data;

  for (guint i = 0; i < self->ports->len; i++)
    if (ports[i].source && !leat_bench_port_give (&ports[i], self->session, error))
      return FALSE;
  if (leat_session_replay (self->session, FALSE, NULL, error) == LEAT_FLOW_ERROR)
    return FALSE;
  for (guint i = 0; i < self->ports->len; i++)
    if (!ports[i].source && !leat_bench_port_take (&ports[i], self->session, at, error))
      return FALSE;
  return TRUE;
}

static void
leat_bench_contest_keep (LeatBenchContest *self, guint at)
{
  for (guint i = 0; i < self->ports->len; i++)
    if (!g_array_index (self->ports, LeatBenchPort, i).source)
      leat_bench_port_keep (&g_array_index (self->ports, LeatBenchPort, i), at);
}

static gboolean
leat_bench_contest_run_once (LeatBenchContest *self, LeatBenchSide side, guint at, GError **error)
{
  LeatBenchTally *tally = &self->tallies[side];
  double begin, us;
  gboolean good;

  leat_bench_contest_fill (self, self->runs + at);
  begin = leat_bench_now_us ();
  good =
    side == LEAT_BENCH_HOST ? leat_bench_host_run (self->host, error) : leat_bench_contest_replay (self, at, error);
  us = leat_bench_now_us () - begin;
  if (good && side == LEAT_BENCH_HOST)
    leat_bench_contest_keep (self, at);
  if (good && self->measuring)
    {
      leat_bench_series_add (&tally->times, us);
      tally->found.total_us += us;
    }
  return good;
}

/* How long this thread has stood ready while others had the processors; 0 where the system does not say. */
static double
leat_bench_get_delay_us (void)
{
  g_autofree char *text = NULL;
  guint64 ran, waited;

  if (!g_file_get_contents ("/proc/thread-self/schedstat", &text, NULL, NULL)
      || sscanf (text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &ran, &waited) != 2)
    return 0;
  return waited / 1e3;
}

static gboolean
leat_bench_contest_stop_counting (LeatBenchContest *self, LeatBenchSide side, GError **error)
{
  LeatBenchTally *tally = &self->tallies[side];
  g_autoptr (GVariant) counts = NULL;
  guint64 uploads = 0, readbacks = 0, waits = 0;

  if (side == LEAT_BENCH_HOST)
    {
      leat_driver_trace_stop (leat_bench_contest_get_driver (self));
      uploads = COUNT (self, leat_bench_uploading);
      readbacks = COUNT (self, leat_bench_reading_back);
      waits = COUNT (self, leat_bench_waiting);
    }
  else
    {
      counts = leat_session_stop_counting (self->session, error);
      if (counts == NULL)
        return FALSE;
      g_variant_lookup (counts, "uploads", "t", &uploads);
      g_variant_lookup (counts, "readbacks", "t", &readbacks);
      g_variant_lookup (counts, "waits", "t", &waits);
    }
  if (!self->measuring)
    return TRUE;
  tally->found.uploads += uploads;
  tally->found.readbacks += readbacks;
  tally->found.waits += waits;
  tally->found.allocations += COUNT (self, leat_bench_allocating);
  tally->found.launches += COUNT (self, leat_bench_launching);
  return TRUE;
}

static guint64
leat_bench_contest_get_bytes_up (LeatBenchContest *self, LeatBenchSide side)
{
  return side == LEAT_BENCH_HOST ? leat_bench_host_get_bytes_up (self->host)
                                 : leat_session_get_number (self->session, "bytes-up");
}

static gboolean
leat_bench_contest_take_turn (LeatBenchContest *self, LeatBenchSide side, GError **error)
{
  guint64 bytes_up = leat_bench_contest_get_bytes_up (self, side);
  double delay_us = leat_bench_get_delay_us ();
  gboolean good;

  good = side == LEAT_BENCH_HOST ? leat_driver_trace_start (leat_bench_contest_get_driver (self), FALSE, error)
                                 : leat_session_start_counting (self->session, error);
  for (guint at = 0; at < LEAT_BENCH_TURN_RUNS && good; at++)
    good = leat_bench_contest_run_once (self, side, at, error);
  if (!good || !leat_bench_contest_stop_counting (self, side, error))
    return FALSE;
  if (self->measuring)
    {
      self->delayed_us += leat_bench_get_delay_us () - delay_us;
      self->tallies[side].found.bytes_up += leat_bench_contest_get_bytes_up (self, side) - bytes_up;
    }
  return TRUE;
}

static gboolean
leat_bench_contest_compare_port (LeatBenchContest *self, LeatBenchPort *port, GError **error)
{
  for (guint at = 0; at < LEAT_BENCH_TURN_RUNS; at++)
    {
      if (!leat_bench_port_is_equal (port, at))
        {
          g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA,
                       "\"%s\" in run %" G_GUINT64_FORMAT " is not what it is when it is orchestrated from the host",
                       port->name, self->runs + at);
          return FALSE;
        }
      if (self->measuring)
        g_checksum_update (self->checksum, port->data[LEAT_BENCH_HOST] + at * port->bytes,
                           (gssize) port->live[LEAT_BENCH_HOST][at]);
    }
  return TRUE;
}

/* The side that is first changes from round to round. */
static gboolean
leat_bench_contest_do_round (LeatBenchContest *self, GError **error)
{
  gboolean turned = self->runs / LEAT_BENCH_TURN_RUNS % 2 != 0;

  if (!leat_bench_contest_take_turn (self, turned ? LEAT_BENCH_HOST : LEAT_BENCH_RESIDENT, error)
      || !leat_bench_contest_take_turn (self, turned ? LEAT_BENCH_RESIDENT : LEAT_BENCH_HOST, error))
    return FALSE;
  for (guint i = 0; i < self->ports->len; i++)
    {
      LeatBenchPort *port = &g_array_index (self->ports, LeatBenchPort, i);

      if (!port->source && !leat_bench_contest_compare_port (self, port, error))
        return FALSE;
    }
  self->runs += LEAT_BENCH_TURN_RUNS;
  return TRUE;
}

gboolean
leat_bench_contest_run (LeatBenchContest *self, GError **error)
{
  const LeatBenchSeries *times = &self->tallies[LEAT_BENCH_HOST].times;

  while (times->n < times->most)
    {
      self->measuring = self->runs >= WARM_UP_RUNS;
      if (!leat_bench_contest_do_round (self, error))
        return FALSE;
    }
  return TRUE;
}

LeatBenchSeries *
leat_bench_contest_get_times (LeatBenchContest *self, LeatBenchSide side)
{
  return &self->tallies[side].times;
}

/* The least time that is seen to go by between two looks. */
static double
leat_bench_get_clock_step_us (void)
{
  double step = 1e6;

  for (guint i = 0; i < CLOCK_LOOKS; i++)
    {
      double begin = leat_bench_now_us (), end = begin;

      while (end <= begin)
        end = leat_bench_now_us ();
      step = MIN (step, end - begin);
    }
  return MAX (step, 0.001);
}

static void
leat_bench_tally_tell (LeatBenchTally *self, LeatEvidenceSide *side)
{
  LeatBenchSummary summary;

  leat_bench_series_summarize (&self->times, &summary);
  *side = self->found;
  side->median_us = summary.median;
  side->p10_us = summary.p10;
  side->p90_us = summary.p90;
  side->least_us = summary.least;
  side->most_us = summary.most;
}

/* That there are results means that all of them were equal. */
void
leat_bench_contest_tell (LeatBenchContest *self, LeatEvidence *row)
{
  leat_bench_tally_tell (&self->tallies[LEAT_BENCH_HOST], &row->host);
  leat_bench_tally_tell (&self->tallies[LEAT_BENCH_RESIDENT], &row->resident);
  row->repetitions = self->tallies[LEAT_BENCH_HOST].times.n;
  row->output_bytes = self->output_bytes;
  row->output_sha256 = g_strdup (g_checksum_get_string (self->checksum));
  row->outputs = g_strdup (LEAT_EVIDENCE_EQUAL);
  row->clock_us = leat_bench_get_clock_step_us ();
  row->delayed_us = self->delayed_us;
}
