/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How long the runs of one session take that somebody waits for, among many that nobody does: with a scheduler, and
 * with each session run by a thread that knows nothing of the others. */

#include "leat-bench-case.h"

#define SESSIONS 64 /* the first is the one that is waited for; of the others every other one is low */
#define WARM_UP  50

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} LeatBenchSession;

typedef struct
{
  LeatBench *bench;
  gsize n; /* numbers in and out */
  guint n_kernels;
  LeatBenchSession all[SESSIONS];
  LeatScheduler *scheduler;
  LeatBenchSeries alone, alone_scheduled, scheduled, unscheduled;
  double others_scheduled, others_unscheduled; /* runs a second */
} LeatBenchSessions;

/* A thread that runs one of the other sessions, again and again. */
typedef struct
{
  LeatBenchSessions *all;
  LeatSession *session;
  LeatScheduler *scheduler; /* NULL: by itself */
  gint *stopping;           /* atomic */
  guint64 runs;
  GError *error;
  GThread *thread;
} LeatBenchOther;

static void
leat_bench_sessions_clear (LeatBenchSessions *self)
{
  if (self->scheduler != NULL)
    leat_scheduler_close (self->scheduler);
  for (guint i = 0; i < SESSIONS; i++)
    {
      if (self->all[i].session != NULL)
        leat_session_close (self->all[i].session);
      g_clear_object (&self->all[i].session);
      g_clear_object (&self->all[i].pipeline);
    }
  g_clear_object (&self->scheduler);
  leat_bench_series_clear (&self->alone);
  leat_bench_series_clear (&self->alone_scheduled);
  leat_bench_series_clear (&self->scheduled);
  leat_bench_series_clear (&self->unscheduled);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchSessions, leat_bench_sessions_clear)

static LeatPriority
leat_bench_sessions_get_priority (guint index)
{
  return index == 0 ? LEAT_PRIORITY_HIGH : index % 2 == 0 ? LEAT_PRIORITY_LOW : LEAT_PRIORITY_NORMAL;
}

static char *
leat_bench_sessions_dup_text (LeatBenchSessions *self)
{
  GString *text = g_string_new ("leat 1\n");

  g_string_append_printf (text, "app name=source spec=f32[%" G_GSIZE_FORMAT "] -> upload\n", self->n);
  for (guint i = 0; i < self->n_kernels; i++)
    g_string_append_printf (text, "  -> kernel source=\"%s\" entry=step a=1 b=1 block=128\n", self->bench->kernels);
  g_string_append (text, "  -> readback -> app name=sink\n");
  return g_string_free (text, FALSE);
}

static gboolean
leat_bench_sessions_open_one (LeatBenchSessions *self, guint index, GError **error)
{
  g_autofree char *text = leat_bench_sessions_dup_text (self);
  LeatBenchSession *one = &self->all[index];
  LeatView view;

  one->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (one->pipeline == NULL)
    return FALSE;
  one->session = leat_session_new (one->pipeline, self->bench->selector);
  g_object_set (one->session, "wait", self->bench->wait, "priority", leat_bench_sessions_get_priority (index), NULL);
  if (!leat_session_open (one->session, NULL, error) || !leat_session_map_input (one->session, "source", &view, error))
    return FALSE;
  for (gsize i = 0; i < self->n; i++)
    ((float *) view.data)[i] = (float) (i % 4093 + index);
  return leat_session_map_output (one->session, "sink", &view, error)
         && leat_scheduler_add (self->scheduler, one->session, error);
}

static gboolean
leat_bench_sessions_open (LeatBenchSessions *self, GError **error)
{
  self->scheduler = leat_scheduler_new (self->bench->device);
  for (guint i = 0; i < SESSIONS; i++)
    if (!leat_bench_sessions_open_one (self, i, error))
      return FALSE;
  return TRUE;
}

/* With its upload. */
static gboolean
leat_bench_sessions_run (LeatSession *session, LeatScheduler *scheduler, GError **error)
{
  LeatView view;

  if (!leat_session_map_input (session, "source", &view, error))
    return FALSE;
  if (scheduler != NULL)
    return leat_scheduler_replay (scheduler, session, NULL, 0, NULL, NULL, error) == LEAT_FLOW_DATA;
  return leat_session_replay (session, FALSE, NULL, error) == LEAT_FLOW_DATA;
}

/* Each has its graph, and has settled how it waits, before any of them is looked at. */
static gboolean
leat_bench_sessions_warm_up (LeatBenchSessions *self, GError **error)
{
  for (guint i = 0; i < SESSIONS; i++)
    for (guint run = 0; run < WARM_UP; run++)
      if (!leat_bench_sessions_run (self->all[i].session, NULL, error))
        return FALSE;
  return TRUE;
}

static gpointer
leat_bench_other_work (gpointer data)
{
  LeatBenchOther *self = data;

  while (!g_atomic_int_get (self->stopping) && leat_bench_sessions_run (self->session, self->scheduler, &self->error))
    self->runs++;
  return NULL;
}

static gboolean
leat_bench_sessions_check (LeatBenchSessions *self, guint index, GError **error)
{
  LeatView view;

  if (!leat_session_map_output (self->all[index].session, "sink", &view, error))
    return FALSE;
  for (gsize i = 0; i < self->n; i++)
    if (((const float *) view.data)[i] != (float) (i % 4093 + index + self->n_kernels))
      {
        g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "number %" G_GSIZE_FORMAT " of session %u is wrong", i,
                     index);
        return FALSE;
      }
  return TRUE;
}

/* The gaps differ, so that what the others do meanwhile differs too. */
static gboolean
leat_bench_sessions_measure (LeatBenchSessions *self, LeatScheduler *scheduler, LeatBenchSeries *series, GError **error)
{
  for (guint run = 0; run < WARM_UP + series->most; run++)
    {
      double begin = leat_bench_now_us ();

      if (!leat_bench_sessions_run (self->all[0].session, scheduler, error))
        return FALSE;
      if (run >= WARM_UP)
        leat_bench_series_add (series, leat_bench_now_us () - begin);
      g_usleep (100 + run * 37 % 200);
    }
  return leat_bench_sessions_check (self, 0, error);
}

static gboolean
leat_bench_other_join (LeatBenchOther *self, guint index, guint64 *runs, GError **error)
{
  g_thread_join (self->thread);
  *runs += self->runs;
  if (self->error == NULL)
    return leat_bench_sessions_check (self->all, index, error);
  g_propagate_error (error, self->error);
  return FALSE;
}

static gboolean
leat_bench_sessions_measure_crowd (LeatBenchSessions *self, LeatScheduler *scheduler, LeatBenchSeries *series,
                                   double *others, GError **error)
{
  LeatBenchOther crowd[SESSIONS] = { 0 };
  gint stopping = FALSE;
  guint64 runs = 0;
  double begin = leat_bench_now_us (), us;
  gboolean good;

  for (guint i = 1; i < SESSIONS; i++)
    {
      crowd[i] = (LeatBenchOther){ self, self->all[i].session, scheduler, &stopping };
      crowd[i].thread = g_thread_new ("bench-session", leat_bench_other_work, &crowd[i]);
    }
  good = leat_bench_sessions_measure (self, scheduler, series, error);
  us = leat_bench_now_us () - begin;
  g_atomic_int_set (&stopping, TRUE);
  for (guint i = 1; i < SESSIONS; i++)
    good = leat_bench_other_join (&crowd[i], i, &runs, good ? error : NULL) && good;
  *others = (double) runs * 1e6 / us;
  return good;
}

static void
leat_bench_sessions_report_ratio (LeatBenchSessions *self, const char *name, LeatBenchSeries *crowd,
                                  LeatBenchSeries *alone)
{
  LeatBenchSummary in_crowd, by_itself;

  leat_bench_series_summarize (crowd, &in_crowd);
  leat_bench_series_summarize (alone, &by_itself);
  leat_bench_report_add_value (self->bench->report, name, in_crowd.p99 / by_itself.p99, "times");
}

static void
leat_bench_sessions_report (LeatBenchSessions *self)
{
  LeatBenchReport *report = self->bench->report;

  leat_bench_report_add_times (report, "alone", &self->alone);
  leat_bench_report_add_times (report, "alone-scheduled", &self->alone_scheduled);
  leat_bench_report_add_times (report, "crowd-scheduled", &self->scheduled);
  leat_bench_report_add_times (report, "crowd-unscheduled", &self->unscheduled);
  leat_bench_sessions_report_ratio (self, "p99-scheduled", &self->scheduled, &self->alone);
  leat_bench_sessions_report_ratio (self, "p99-unscheduled", &self->unscheduled, &self->alone);
  leat_bench_report_add_value (report, "others-scheduled", self->others_scheduled, "a second");
  leat_bench_report_add_value (report, "others-unscheduled", self->others_unscheduled, "a second");
}

static gboolean
leat_bench_run_sessions (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchSessions) self = { .bench = bench, .n = kind->bytes / sizeof (float), .n_kernels = kind->n };
  guint runs = leat_bench_case_get_runs (kind, bench);

  leat_bench_series_init (&self.alone, runs);
  leat_bench_series_init (&self.alone_scheduled, runs);
  leat_bench_series_init (&self.scheduled, runs);
  leat_bench_series_init (&self.unscheduled, runs);
  if (!leat_bench_sessions_open (&self, error) || !leat_bench_sessions_warm_up (&self, error)
      || !leat_bench_sessions_measure (&self, NULL, &self.alone, error)
      || !leat_bench_sessions_measure (&self, self.scheduler, &self.alone_scheduled, error)
      || !leat_bench_sessions_measure_crowd (&self, self.scheduler, &self.scheduled, &self.others_scheduled, error)
      || !leat_bench_sessions_measure_crowd (&self, NULL, &self.unscheduled, &self.others_unscheduled, error))
    return FALSE;
  leat_bench_sessions_report (&self);
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_sessions[] = {
  { "sessions-64", "One session of high priority among 64, of 64 KiB in and out and eight kernels each",
    leat_bench_run_sessions, 65536, 8, NULL, 1, TRUE },
  { NULL },
};
/* clang-format on */
