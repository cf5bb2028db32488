/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sixteen inputs in memory of the application's, another one for each run, against runs on the same memory.  Sixteen
 * chains of as many kernels; the first of each reads the application's memory and the last writes the session's. */

#include "leat-bench-case.h"

#include "device/leat-memory-private.h"

#define SETTLE  50
#define PORTS   16
#define NUMBERS 256
#define BYTES   (NUMBERS * sizeof (float))

typedef struct
{
  LeatPipeline *pipeline;
  LeatSession *session;
  LeatMemory *sets[2]; /* memory for all inputs */
  const float *out[PORTS];
  char names[PORTS][16];
  LeatBenchSeries same, other;       /* replays, and those with other memory */
  LeatBenchSeries bind, bind_singly; /* the binding alone, with one call and with one for each input */
} LeatBenchRebind;

static void
leat_bench_rebind_clear (LeatBenchRebind *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  for (guint i = 0; i < G_N_ELEMENTS (self->sets); i++)
    g_clear_pointer (&self->sets[i], leat_memory_free);
  g_clear_object (&self->session);
  g_clear_object (&self->pipeline);
  leat_bench_series_clear (&self->same);
  leat_bench_series_clear (&self->other);
  leat_bench_series_clear (&self->bind);
  leat_bench_series_clear (&self->bind_singly);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchRebind, leat_bench_rebind_clear)

static char *
leat_bench_rebind_dup_text (const LeatBench *bench, guint nodes)
{
  GString *text = g_string_new ("leat 1\n");

  for (guint i = 0; i < PORTS; i++)
    {
      g_string_append_printf (text, "app name=in%u memory=user spec=f32[%u] -> upload\n", i, NUMBERS);
      for (guint j = 0; j < nodes / PORTS; j++)
        g_string_append_printf (text, "  -> kernel source=\"%s\" entry=step a=1 b=1 block=256\n", bench->kernels);
      g_string_append_printf (text, "  -> readback mode=mapped -> app name=out%u\n", i);
    }
  return g_string_free (text, FALSE);
}

static gboolean
leat_bench_rebind_open (LeatBenchRebind *self, const LeatBench *bench, guint nodes, GError **error)
{
  g_autofree char *text = leat_bench_rebind_dup_text (bench, nodes);

  self->pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, error);
  if (self->pipeline == NULL)
    return FALSE;
  self->session = leat_session_new (self->pipeline, bench->selector);
  g_object_set (self->session, "wait", bench->wait, NULL);
  if (!leat_session_open (self->session, NULL, error))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (self->sets); i++)
    {
      self->sets[i] = leat_memory_new (leat_session_get_device (self->session), LEAT_MEMORY_PINNED, PORTS * BYTES,
                                       "the inputs", error);
      if (self->sets[i] == NULL)
        return FALSE;
    }
  for (guint i = 0; i < PORTS; i++)
    {
      g_autofree char *name = g_strdup_printf ("out%u", i);
      LeatView view;

      if (!leat_session_map_output (self->session, name, &view, error))
        return FALSE;
      self->out[i] = view.data;
      g_snprintf (self->names[i], sizeof self->names[i], "in%u", i);
    }
  return TRUE;
}

static float
leat_bench_rebind_number (guint i, guint round)
{
  return (float) ((i * 13 + round * 7) % 8191);
}

static void
leat_bench_rebind_fill (LeatBenchRebind *self, guint set, guint round)
{
  float *in = leat_memory_get_host (self->sets[set]);

  for (guint i = 0; i < PORTS * NUMBERS; i++)
    in[i] = leat_bench_rebind_number (i, round);
}

static gboolean
leat_bench_rebind_check (LeatBenchRebind *self, guint nodes, guint round, GError **error)
{
  for (guint i = 0; i < PORTS * NUMBERS; i++)
    {
      float right = leat_bench_rebind_number (i, round) + (float) (nodes / PORTS);

      if (self->out[i / NUMBERS][i % NUMBERS] == right)
        continue;
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "number %u of output %u is %g and should be %g", i % NUMBERS,
                   i / NUMBERS, self->out[i / NUMBERS][i % NUMBERS], right);
      return FALSE;
    }
  return TRUE;
}

static gboolean
leat_bench_rebind_bind (LeatBenchRebind *self, guint set, GError **error)
{
  LeatPortMemory memories[PORTS];

  for (guint i = 0; i < PORTS; i++)
    memories[i] =
      (LeatPortMemory){ self->names[i], leat_memory_get_address (self->sets[set]) + i * BYTES, BYTES, NUMBERS };
  return leat_session_bind_inputs (self->session, memories, PORTS, error);
}

static gboolean
leat_bench_rebind_bind_singly (LeatBenchRebind *self, guint set, GError **error)
{
  CUdeviceptr address = leat_memory_get_address (self->sets[set]);

  for (guint i = 0; i < PORTS; i++)
    if (!leat_session_bind_input (self->session, self->names[i], address + i * BYTES, BYTES, NUMBERS, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_bench_rebind_replay (LeatBenchRebind *self, GError **error)
{
  return leat_session_replay (self->session, FALSE, NULL, error) != LEAT_FLOW_ERROR;
}

/* A run on other memory, bound with one call or with one for each input. */
static gboolean
leat_bench_rebind_time_other (LeatBenchRebind *self, guint round, guint number, gboolean singly, GError **error)
{
  LeatBenchSeries *bind = singly ? &self->bind_singly : &self->bind, *other = singly ? NULL : &self->other;
  guint set = singly ? (round + 1) % 2 : round % 2;
  double begin, bound;

  leat_bench_rebind_fill (self, set, number);
  begin = leat_bench_now_us ();
  if (!(singly ? leat_bench_rebind_bind_singly : leat_bench_rebind_bind) (self, set, error))
    return FALSE;
  bound = leat_bench_now_us ();
  if (!leat_bench_rebind_replay (self, error))
    return FALSE;
  if (round >= SETTLE && other != NULL)
    leat_bench_series_add (other, leat_bench_now_us () - begin);
  if (round >= SETTLE)
    leat_bench_series_add (bind, bound - begin);
  return TRUE;
}

static gboolean
leat_bench_rebind_time_same (LeatBenchRebind *self, guint round, guint number, GError **error)
{
  double begin;

  leat_bench_rebind_fill (self, (round + 1) % 2, number);
  begin = leat_bench_now_us ();
  if (!leat_bench_rebind_replay (self, error))
    return FALSE;
  if (round >= SETTLE)
    leat_bench_series_add (&self->same, leat_bench_now_us () - begin);
  return TRUE;
}

/* Two runs on other memory, and one on the same. */
static gboolean
leat_bench_rebind_take_turn (LeatBenchRebind *self, guint nodes, guint round, GError **error)
{
  guint number = 3 * round;

  return leat_bench_rebind_time_other (self, round, number, FALSE, error)
         && leat_bench_rebind_check (self, nodes, number, error)
         && leat_bench_rebind_time_other (self, round, number + 1, TRUE, error)
         && leat_bench_rebind_check (self, nodes, number + 1, error)
         && leat_bench_rebind_time_same (self, round, number + 2, error)
         && leat_bench_rebind_check (self, nodes, number + 2, error);
}

static guint64
leat_bench_rebind_get_stat (LeatBenchRebind *self, const char *name)
{
  g_autoptr (GVariant) stats = leat_session_dup_stats (self->session);
  guint64 value = 0;

  g_variant_lookup (stats, name, "t", &value);
  return value;
}

static gboolean
leat_bench_run_rebind (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  guint runs = leat_bench_case_get_runs (kind, bench);
  g_auto (LeatBenchRebind) self = { 0 };
  LeatBenchSummary other, same;

  leat_bench_series_init (&self.same, runs);
  leat_bench_series_init (&self.other, runs);
  leat_bench_series_init (&self.bind, runs);
  leat_bench_series_init (&self.bind_singly, runs);
  if (!leat_bench_rebind_open (&self, bench, kind->n, error))
    return FALSE;
  for (guint round = 0; round < SETTLE + runs; round++)
    if (!leat_bench_rebind_take_turn (&self, kind->n, round, error))
      return FALSE;
  leat_bench_report_add_times (bench->report, "replay", &self.same);
  leat_bench_report_add_times (bench->report, "rebind-and-replay", &self.other);
  leat_bench_report_add_times (bench->report, "bind", &self.bind);
  leat_bench_report_add_times (bench->report, "bind-one-by-one", &self.bind_singly);
  leat_bench_series_summarize (&self.other, &other);
  leat_bench_series_summarize (&self.same, &same);
  leat_bench_report_add_value (bench->report, "over", other.median - same.median, "us");
  leat_bench_report_add_value (bench->report, "updates",
                               leat_bench_rebind_get_stat (&self, "updates") / (2.0 * (SETTLE + runs)), "a rebinding");
  leat_bench_report_add_value (bench->report, "instantiations",
                               (double) leat_bench_rebind_get_stat (&self, "instantiations"), "in all");
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_rebinds[] = {
  { "rebind", "16 inputs of 256 kernels have other memory for each replay", leat_bench_run_rebind, 0, 256, NULL, 5,
    FALSE },
  { NULL },
};
/* clang-format on */
