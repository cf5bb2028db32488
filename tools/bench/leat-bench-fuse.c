/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The cases of leat-bench for fused chains.  Each has sessions of its own, one for each way to launch the chain. */

#include "leat-bench-subject.h"
#include "session/leat-session-bare-private.h"

/* A chain as one kernel, against the graph of its kernels one by one as an application would launch it by hand.  Other
 * ops bring the numbers and take a few of them away, before and after both; they are measured by themselves too.
 * Numbers come from the host's memory as the first kernel asks for them.  Or a kernel of a few blocks takes them over
 * first, so that all others find them on the device. */

#define SETTLE  50
#define SEED    1024
#define WARM_UP 8 /* rounds before a session has made its graph */

typedef enum
{
  LEAT_BENCH_FUSE_ONE,   /* the chain as one kernel */
  LEAT_BENCH_FUSE_PLAIN, /* one by one, each when the one before it has ended */
  LEAT_BENCH_FUSE_EARLY, /* one by one, as early as each may begin */
  LEAT_BENCH_FUSE_ENDS,  /* without the chain */
  LEAT_BENCH_N_FUSE
} LeatBenchFuseSide;

typedef struct
{
  LeatBenchSubject subject;
  LeatBareReplay bare;
  LeatBenchSeries times;
  double us;
} LeatBenchFuseEntry;

typedef struct
{
  LeatBenchFuseEntry sides[LEAT_BENCH_N_FUSE];
  LeatBenchSeries ratio, early_ratio;
  LeatBenchSeries alone_ratio; /* to the early graph, of what both take more than the ends */
  gboolean on_device;
} LeatBenchFuse;

static void
leat_bench_fuse_clear (LeatBenchFuse *self)
{
  for (guint i = 0; i < LEAT_BENCH_N_FUSE; i++)
    {
      leat_bench_subject_close (&self->sides[i].subject);
      leat_bench_series_clear (&self->sides[i].times);
    }
  leat_bench_series_clear (&self->ratio);
  leat_bench_series_clear (&self->early_ratio);
  leat_bench_series_clear (&self->alone_ratio);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatBenchFuse, leat_bench_fuse_clear)

/* @mode: what a stage is: "map", or what access= says of the kernel `step`, for stencils `near` */
static void
leat_bench_fuse_write_chain (GString *text, const LeatBench *bench, const LeatBenchCase *kind, const char *lead)
{
  for (guint i = 0; i < kind->n; i++)
    if (g_str_equal (kind->mode, "map"))
      g_string_append_printf (text, "%ss%u = map expr=x+1\n", lead, i);
    else
      g_string_append_printf (text, "%ss%u = kernel source=\"%s\" entry=%s a=1 b=1 block=256 access=%s\n", lead, i,
                              bench->kernels, g_str_has_prefix (kind->mode, "stencil") ? "near" : "step", kind->mode);
}

static void
leat_bench_fuse_write_links (GString *text, const LeatBenchCase *kind)
{
  for (guint i = 0; i < kind->n; i++)
    g_string_append_printf (text, "%ss%u", i > 0 ? " -> " : "", i);
}

static void
leat_bench_fuse_write_source (const LeatBenchFuse *self, GString *text, const LeatBench *bench)
{
  if (self->on_device)
    g_string_append_printf (text, "c = kernel source=\"%s\" entry=step a=1 b=0 block=256\n", bench->kernels);
  g_string_append_printf (text, "app name=source spec=f32[%u] -> upload mode=mapped%s -> w\n", SEED,
                          self->on_device ? " -> c" : "");
}

static char *
leat_bench_fuse_dup_text (const LeatBenchFuse *self, const LeatBench *bench, const LeatBenchCase *kind,
                          LeatBenchFuseSide side)
{
  guint numbers = (guint) (kind->bytes / sizeof (float));
  GString *text = g_string_new ("leat 1\n");

  if (side == LEAT_BENCH_FUSE_ONE)
    {
      g_string_append (text, "m = megakernel {\n");
      leat_bench_fuse_write_chain (text, bench, kind, "  ");
      g_string_append (text, "  in.x -> ");
      leat_bench_fuse_write_links (text, kind);
      g_string_append (text, " -> out.y\n}\n");
    }
  else if (side != LEAT_BENCH_FUSE_ENDS)
    leat_bench_fuse_write_chain (text, bench, kind, "");
  g_string_append_printf (text,
                          "w = kernel source=\"%s\" entry=widen y=f32[%u] block=256\n"
                          "h = kernel source=\"%s\" entry=head y=f32[%u] block=256\n",
                          bench->kernels, numbers, bench->kernels, SEED);
  leat_bench_fuse_write_source (self, text, bench);
  if (side == LEAT_BENCH_FUSE_ONE)
    g_string_append (text, "w -> m.x\nm.y");
  else
    {
      g_string_append (text, side == LEAT_BENCH_FUSE_ENDS ? "w" : "w -> ");
      if (side != LEAT_BENCH_FUSE_ENDS)
        leat_bench_fuse_write_links (text, kind);
    }
  g_string_append (text, " -> h -> readback mode=mapped -> app name=sink\n");
  return g_string_free (text, FALSE);
}

static gboolean
leat_bench_fuse_open (LeatBenchFuse *self, const LeatBench *bench, const LeatBenchCase *kind, LeatBenchFuseSide side,
                      GError **error)
{
  g_autofree char *text = leat_bench_fuse_dup_text (self, bench, kind, side);
  const LeatBenchRule rule = { 1, side == LEAT_BENCH_FUSE_ENDS ? 0 : kind->n };
  LeatEarlyStart early = side == LEAT_BENCH_FUSE_PLAIN ? LEAT_EARLY_START_OFF : LEAT_EARLY_START_AUTO;
  LeatBenchFuseEntry *entry = &self->sides[side];

  if (!leat_bench_subject_open (&entry->subject, bench, text, error, "early-start", early, NULL))
    return FALSE;
  for (guint i = 0; i < WARM_UP; i++)
    if (!leat_bench_subject_try (&entry->subject, &rule, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_bench_fuse_launch (LeatBenchFuseEntry *entry, gboolean spin, GError **error)
{
  double begin = leat_bench_now_us ();
  CUresult result = (*entry->bare.table->cuGraphLaunch) (entry->bare.exec, entry->bare.stream);

  while (result == CUDA_SUCCESS && spin
         && (result = (*entry->bare.table->cuStreamQuery) (entry->bare.stream)) == CUDA_ERROR_NOT_READY)
    result = CUDA_SUCCESS;
  if (result == CUDA_SUCCESS)
    result = (*entry->bare.table->cuStreamSynchronize) (entry->bare.stream);
  entry->us = leat_bench_now_us () - begin;
  if (result == CUDA_SUCCESS)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "a graph that is launched by hand returned %d", result);
  return FALSE;
}

static void
leat_bench_fuse_compare (LeatBenchFuse *self)
{
  double one = self->sides[LEAT_BENCH_FUSE_ONE].us, early = self->sides[LEAT_BENCH_FUSE_EARLY].us;
  double ends = self->sides[LEAT_BENCH_FUSE_ENDS].us;

  leat_bench_series_add (&self->ratio, one / self->sides[LEAT_BENCH_FUSE_PLAIN].us);
  leat_bench_series_add (&self->early_ratio, one / early);
  leat_bench_series_add (&self->alone_ratio, early > ends ? (one - ends) / (early - ends) : 0);
}

static gboolean
leat_bench_fuse_take_turns (LeatBenchFuse *self, GError **error)
{
  gboolean spin = !leat_device_is_cpu (leat_session_get_device (self->sides[0].subject.session));

  for (guint round = 0; round < SETTLE + self->ratio.most; round++)
    {
      for (guint i = 0; i < LEAT_BENCH_N_FUSE; i++)
        if (!leat_bench_fuse_launch (&self->sides[(round + i) % LEAT_BENCH_N_FUSE], spin, error))
          return FALSE;
      if (round < SETTLE)
        continue;
      for (guint i = 0; i < LEAT_BENCH_N_FUSE; i++)
        leat_bench_series_add (&self->sides[i].times, self->sides[i].us);
      leat_bench_fuse_compare (self);
    }
  return TRUE;
}

static gboolean
leat_bench_compare_fused (LeatBench *bench, const LeatBenchCase *kind, gboolean on_device, GError **error)
{
  static const char *const names[] = { "fused", "graph", "graph-early", "ends" };
  g_auto (LeatBenchFuse) fuse = { .on_device = on_device };
  guint runs = leat_bench_case_get_runs (kind, bench);
  LeatBenchSummary ratio, early, alone;

  leat_bench_series_init (&fuse.ratio, runs);
  leat_bench_series_init (&fuse.early_ratio, runs);
  leat_bench_series_init (&fuse.alone_ratio, runs);
  for (guint i = 0; i < LEAT_BENCH_N_FUSE; i++)
    {
      leat_bench_series_init (&fuse.sides[i].times, runs);
      if (!leat_bench_fuse_open (&fuse, bench, kind, i, error))
        return FALSE;
      if (!leat_session_get_bare (fuse.sides[i].subject.session, &fuse.sides[i].bare))
        {
          leat_bench_report_add_note (bench->report, "a session made no graph, so there is nothing to launch by hand");
          return TRUE;
        }
    }
  if (!leat_bench_fuse_take_turns (&fuse, error))
    return FALSE;
  for (guint i = 0; i < LEAT_BENCH_N_FUSE; i++)
    leat_bench_report_add_times (bench->report, names[i], &fuse.sides[i].times);
  leat_bench_series_summarize (&fuse.ratio, &ratio);
  leat_bench_series_summarize (&fuse.early_ratio, &early);
  leat_bench_series_summarize (&fuse.alone_ratio, &alone);
  leat_bench_report_add_value (bench->report, "fused against graph", 100 * ratio.median, "%");
  leat_bench_report_add_value (bench->report, "fused against graph-early", 100 * early.median, "%");
  leat_bench_report_add_value (bench->report, "the same, less ends", 100 * alone.median, "%");
  return TRUE;
}

static gboolean
leat_bench_run_fuse (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  return leat_bench_compare_fused (bench, kind, FALSE, error);
}

static gboolean
leat_bench_run_fuse_on_device (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  return leat_bench_compare_fused (bench, kind, TRUE, error);
}

/* clang-format off */
const LeatBenchCase leat_bench_fuses[] = {
  { "chain-64-fused", "64 elementwise stages as one kernel, against the graph of 64", leat_bench_run_fuse, 4 << 20, 64,
    "map", 10, FALSE },
  { "chain-64-fused-kernels", "the same of a kernel of the user's own", leat_bench_run_fuse, 4 << 20, 64, "elementwise",
    10, FALSE },
  { "chain-64-blocks", "64 stages that need what their own block has written", leat_bench_run_fuse,
    132 * 256 * sizeof (float), 64, "block", 10, FALSE },
  { "chain-64-stencil", "64 stages that need what is beside their items too", leat_bench_run_fuse,
    132 * 256 * sizeof (float), 64, "stencil:1", 10, FALSE },
  { "chain-64-grid", "64 stages that need what any block has written", leat_bench_run_fuse, 132 * 256 * sizeof (float),
    64, "any", 10, FALSE },
  { "chain-64-fused-device", "chain-64-fused, its numbers on the device already", leat_bench_run_fuse_on_device,
    4 << 20, 64, "map", 10, FALSE },
  { "chain-64-blocks-device", "chain-64-blocks, its numbers on the device already", leat_bench_run_fuse_on_device,
    132 * 256 * sizeof (float), 64, "block", 10, FALSE },
  { "chain-64-stencil-device", "chain-64-stencil, its numbers on the device already", leat_bench_run_fuse_on_device,
    132 * 256 * sizeof (float), 64, "stencil:1", 10, FALSE },
  { NULL },
};
/* clang-format on */
