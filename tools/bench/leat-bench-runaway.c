/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Work that would never end, planted again and again: each time it has to be ended by its limit, named, and followed by
 * a run whose results are right.  How long it took by the limit is the figure. */

#include "leat-bench-case.h"
#include "leat-bench-series.h"

#include <string.h>

#define LIMIT_MS 20

/* The work ends at once for the small number, and never for the large one. */
#define ENDS    4
#define ENDURES 1000000

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
} LeatBenchRunaway;

static void
leat_bench_runaway_clear (LeatBenchRunaway *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchRunaway, leat_bench_runaway_clear)

static gboolean
leat_bench_runaway_is_persistent (const LeatBenchCase *kind)
{
  return strcmp (kind->mode, "persistent") == 0;
}

/* The result is the input and one. */
static char *
leat_bench_runaway_dup_text (const LeatBench *bench, const LeatBenchCase *kind)
{
  if (leat_bench_runaway_is_persistent (kind))
    return g_strdup_printf (
      "leat 1\napp name=source spec=u64[1] -> upload -> kernel name=away source=\"%s\" entry=climb "
      "grid=1 block=1 y=u64[1] -> readback -> app name=sink\n",
      bench->kernels);
  return g_strdup_printf ("leat 1\naway = loop until=\"y < 1000\" carry=x:y budget=%g method=%s {\n"
                          "  in.x -> map expr=x+1 -> out.y\n}\n"
                          "app name=source spec=u64[1] -> upload -> away.x\naway.y -> readback -> app name=sink\n",
                          LIMIT_MS / 1e3, kind->mode);
}

static gboolean
leat_bench_runaway_open (LeatBenchRunaway *self, const LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = leat_bench_runaway_dup_text (bench, kind);

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, "persistent-limit-ms", LIMIT_MS, NULL);
  if (leat_bench_runaway_is_persistent (kind))
    g_object_set (self->session, "executor", LEAT_EXECUTOR_PERSISTENT, NULL);
  return leat_session_open (self->session, NULL, error);
}

static LeatFlow
leat_bench_runaway_run (LeatBenchRunaway *self, guint64 x, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new (&x, sizeof x);

  if (!leat_app_push_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "source", NULL)), bytes, error))
    return LEAT_FLOW_ERROR;
  return leat_session_replay (self->session, FALSE, NULL, error);
}

static gboolean
leat_bench_runaway_check (LeatBenchRunaway *self, GError **error)
{
  g_autoptr (GBytes) bytes = NULL;
  guint64 y = 0;

  if (leat_bench_runaway_run (self, ENDS, error) != LEAT_FLOW_DATA)
    return FALSE;
  bytes = leat_app_pull_bytes (LEAT_APP (leat_pipeline_get_node (self->pipeline, "sink", NULL)), 0, error);
  if (bytes == NULL)
    return FALSE;
  memcpy (&y, g_bytes_get_data (bytes, NULL), sizeof y);
  if (y != ENDS + 1)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "wrong result: %" G_GUINT64_FORMAT ", not %d", y,
                 ENDS + 1);
  return y == ENDS + 1;
}

/* Microseconds; negative where it ended otherwise. */
static double
leat_bench_runaway_plant (LeatBenchRunaway *self, const LeatBenchCase *kind, GError **error)
{
  gint code = leat_bench_runaway_is_persistent (kind) ? LEAT_SESSION_ERROR_RUNAWAY : LEAT_SESSION_ERROR_REPORTED;
  double begin = leat_bench_now_us (), end;
  g_autoptr (GError) local = NULL;
  LeatFlow flow = leat_bench_runaway_run (self, ENDURES, &local);

  end = leat_bench_now_us ();
  if (flow == LEAT_FLOW_ERROR && g_error_matches (local, LEAT_SESSION_ERROR, code)
      && strstr (local->message, "\"away\"") != NULL)
    return end - begin;
  if (local == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_INVALID_DATA, "what has no end came to one");
  else
    g_propagate_prefixed_error (error, g_steal_pointer (&local), "not ended as it should be: ");
  return -1;
}

static gboolean
leat_bench_run_runaway (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_auto (LeatBenchRunaway) self = { 0 };
  g_auto (LeatBenchSeries) ended = { 0 };
  guint runs = leat_bench_case_get_runs (kind, bench);
  double most = 0;

  leat_bench_series_init (&ended, runs);
  if (!leat_bench_runaway_open (&self, bench, kind, error) || !leat_bench_runaway_check (&self, error))
    return FALSE;
  for (guint i = 0; i < runs; i++)
    {
      double us = leat_bench_runaway_plant (&self, kind, error);

      if (us < 0 || !leat_bench_runaway_check (&self, error))
        return FALSE;
      leat_bench_series_add (&ended, us);
      most = MAX (most, us);
    }
  leat_bench_report_add_times (bench->report, "ended", &ended);
  leat_bench_report_add_value (bench->report, "longest-by-limit", most / (LIMIT_MS * 1e3) * 100, "%");
  return TRUE;
}

#define RUNAWAY(name, who)                                                                                             \
  {                                                                                                                    \
    "runaway-" name, "work without an end is ended, after 20 ms, and a run follows", leat_bench_run_runaway, 8, 0,     \
      who, 10, TRUE                                                                                                    \
  }

/* clang-format off */
const LeatBenchCase leat_bench_runaways[] = {
  RUNAWAY ("persistent", "persistent"),
  RUNAWAY ("while", "while"),
  RUNAWAY ("fused", "fused"),
  RUNAWAY ("host", "host"),
  { NULL },
};
/* clang-format on */
