/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Evidence that a resident session is faster than orchestrating each step from the host, or that it is not: what a
 * contest of the two found, as figures and as a row. */

#include "leat-bench-case.h"
#include "leat-bench-commit.h"
#include "leat-bench-contest.h"
#include "leat-bench-folder.h"
#include "leat-bench-graph.h"
#include "leat-evidence.h"

#include "device/leat-device-private.h"

static char *
leat_bench_evidence_dup_resident (const LeatBench *bench)
{
  return g_strdup_printf ("leat 1\n"
                          "table = state spec=u32[262144] path=\"%s\"\n"
                          "step = kernel source=\"%s\" entry=walk block=128 y=u32[1024]\n"
                          "app name=source spec=u32[1024] -> upload mode=copy -> step.x\n"
                          "table -> step.table\n"
                          "step -> readback mode=copy -> app name=sink\n",
                          bench->table, bench->kernels);
}

static char *
leat_bench_evidence_dup_chain (const LeatBench *bench, const LeatBenchCase *kind)
{
  GString *text = g_string_new ("leat 1\n");

  g_string_append_printf (text, "app name=source spec=f32[%" G_GSIZE_FORMAT "] -> upload mode=copy\n",
                          kind->bytes / sizeof (float));
  for (guint i = 0; i < kind->n; i++)
    g_string_append_printf (text, "  -> kernel source=\"%s\" entry=step a=1 b=1 block=128\n", bench->kernels);
  g_string_append (text, "  -> readback mode=copy -> app name=sink\n");
  return g_string_free (text, FALSE);
}

/* (nullable) (transfer full) */
static LeatPipeline *
leat_bench_evidence_make_pipeline (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree char *text = NULL;

  if (kind->n == 0)
    return leat_bench_graph_load (bench->graph, error);
  if (kind->n == 1 && !leat_bench_folder_add_table (bench, error))
    return NULL;
  text = kind->n == 1 ? leat_bench_evidence_dup_resident (bench) : leat_bench_evidence_dup_chain (bench, kind);
  return leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
}

static guint64
leat_bench_evidence_count_links (LeatPipeline *pipeline, guint64 *n_nodes)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  guint64 n_links = 0;

  *n_nodes = nodes->len;
  for (guint i = 0; i < nodes->len; i++)
    {
      g_autoptr (GPtrArray) ports = leat_node_list_ports (nodes->pdata[i]);

      for (guint j = 0; j < ports->len; j++)
        n_links +=
          leat_port_get_direction (ports->pdata[j]) == LEAT_PORT_INPUT && leat_port_is_linked (ports->pdata[j]);
    }
  return n_links;
}

static void
leat_bench_evidence_describe_device (LeatEvidence *row, LeatDevice *device)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (device);

  row->device = g_strdup (leat_device_get_name (device));
  row->driver = g_strdup_printf ("%s %d.%d", leat_device_is_cpu (device) ? "cpu" : "cuda", facts->driver_version / 1000,
                                 facts->driver_version % 1000 / 10);
  row->compute = facts->compute_major + facts->compute_minor / 10.0;
  row->memory_bytes = facts->memory_bytes;
}

static void
leat_bench_evidence_describe_build (LeatEvidence *row)
{
  g_autoptr (GDateTime) now = g_date_time_new_now_utc ();

  row->date = g_date_time_format (now, "%Y-%m-%dT%H:%M:%SZ");
  row->version = g_strdup (LEAT_VERSION);
  row->commit = g_strdup (LEAT_BENCH_COMMIT);
}

/* Both sides, and their difference. */
static void
leat_bench_evidence_tell_counts (LeatBench *bench, const LeatEvidence *row)
{
  const struct
  {
    const char *name;
    guint64 host, resident;
  } counts[] = { { "uploads", row->host.uploads, row->resident.uploads },
                 { "readbacks", row->host.readbacks, row->resident.readbacks },
                 { "allocations", row->host.allocations, row->resident.allocations },
                 { "launches", row->host.launches, row->resident.launches },
                 { "waits", row->host.waits, row->resident.waits },
                 { "bytes-up", row->host.bytes_up, row->resident.bytes_up } };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    {
      g_autofree char *host = g_strconcat ("host-", counts[i].name, NULL);
      g_autofree char *resident = g_strconcat ("resident-", counts[i].name, NULL);
      g_autofree char *avoided = g_strconcat ("avoided-", counts[i].name, NULL);

      leat_bench_report_add_value (bench->report, host, (double) counts[i].host, "");
      leat_bench_report_add_value (bench->report, resident, (double) counts[i].resident, "");
      leat_bench_report_add_value (bench->report, avoided, (double) counts[i].host - (double) counts[i].resident, "");
    }
}

static void
leat_bench_evidence_tell (LeatBench *bench, LeatBenchContest *contest, const LeatEvidence *row)
{
  leat_bench_report_add_times (bench->report, "host", leat_bench_contest_get_times (contest, LEAT_BENCH_HOST));
  leat_bench_report_add_times (bench->report, "resident", leat_bench_contest_get_times (contest, LEAT_BENCH_RESIDENT));
  leat_bench_report_add_value (bench->report, "host-setup", row->host.setup_us, "us");
  leat_bench_report_add_value (bench->report, "resident-setup", row->resident.setup_us, "us");
  leat_bench_evidence_tell_counts (bench, row);
  leat_bench_report_add_value (bench->report, "resident-of-host", 100 / leat_evidence_get_speedup (row), "%");
}

static gboolean
leat_bench_run_evidence (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autoptr (LeatEvidence) row = g_new0 (LeatEvidence, 1);
  g_autoptr (LeatBenchContest) contest = NULL;
  g_autoptr (LeatPipeline) pipeline = NULL;

  if (kind->n == 0 && bench->graph == NULL)
    {
      leat_bench_report_add_note (bench->report, "no pipeline: --graph=FILE names one");
      return TRUE;
    }
  pipeline = leat_bench_evidence_make_pipeline (bench, kind, error);
  if (pipeline == NULL)
    return FALSE;
  row->name = g_strdup (kind->name);
  row->seed = bench->seed;
  row->edges = leat_bench_evidence_count_links (pipeline, &row->nodes);
  leat_bench_evidence_describe_device (row, bench->device);
  contest = leat_bench_contest_new (bench, pipeline, leat_bench_case_get_runs (kind, bench), error);
  if (contest == NULL || !leat_bench_contest_run (contest, error))
    return FALSE;
  leat_bench_contest_tell (contest, row);
  leat_bench_evidence_describe_build (row);
  leat_bench_evidence_tell (bench, contest, row);
  return bench->evidence == NULL || leat_evidence_append (row, bench->evidence, error);
}

/* clang-format off */
const LeatBenchCase leat_bench_evidences[] = {
  { "evidence-resident-1m", "4 KiB a run and 1 MiB that stays, against bringing both each time", leat_bench_run_evidence, 4096, 1, NULL, 1, TRUE },
  { "evidence-chain-8", "64 KiB through eight kernels, against orchestrating each", leat_bench_run_evidence, 65536, 8, NULL, 1, TRUE },
  { "evidence-graph", "the pipeline of --graph, against orchestrating each of its kernels", leat_bench_run_evidence, 0, 0, NULL, 5, TRUE },
  { NULL },
};
/* clang-format on */
