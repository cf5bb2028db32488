/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Many replays of one session: is the memory of the process and of the device what it was after the first ones, and how
 * long do the slowest take?  The inputs change from run to run; every sixteenth run keeps them, and every 1024th has
 * another argument. */

#include "leat-bench-subject.h"
#include "device/leat-device-private.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#define HOST_SLACK     (256 << 10) /* bytes that a C library may take at any time */
#define DEVICE_SLACK   (2 << 20)   /* what a driver takes from the device at once */
#define MOST_SETTLE    100000      /* replays before memory is looked at for the first time */
#define PROGRESS_US    5e6
#define BINS_AN_OCTAVE 64
#define N_BINS         (BINS_AN_OCTAVE * 40) /* of nanoseconds */

typedef struct
{
  guint64 bins[N_BINS];
  guint64 n;
  double most_us;
} LeatBenchHistogram;

typedef struct
{
  gint64 host;   /* resident */
  gint64 device; /* free, on the whole device */
} LeatBenchMemory;

typedef struct
{
  const char *name;
  guint64 replays;
  double begin_us, said_us;
  LeatBenchSubject subject;
  LeatBenchRule rule;
  LeatBenchHistogram times;
} LeatBenchSoak;

static void
leat_bench_histogram_add (LeatBenchHistogram *self, double us)
{
  double bin = log2 (MAX (us * 1000, 1)) * BINS_AN_OCTAVE;

  self->bins[MIN ((guint) bin, N_BINS - 1)]++;
  self->n++;
  self->most_us = MAX (self->most_us, us);
}

/* To about one percent. */
static double
leat_bench_histogram_get (const LeatBenchHistogram *self, double share)
{
  guint64 below = 0;
  guint bin = 0;

  while (bin < N_BINS - 1 && below + self->bins[bin] < share * self->n)
    below += self->bins[bin++];
  return MIN (exp2 ((bin + 0.5) / BINS_AN_OCTAVE) / 1000, self->most_us);
}

static gboolean
leat_bench_memory_read (LeatBenchMemory *self, LeatDevice *device, GError **error)
{
  g_autofree char *text = NULL;
  g_auto (GStrv) words = NULL;
  gsize unused = 0, total = 0;
  CUresult result;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, error) || !leat_device_push (device, error))
    return FALSE;
  result = (*leat_device_get_table (device)->cuMemGetInfo) (&unused, &total);
  leat_device_pop (device);
  if (result != CUDA_SUCCESS)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED, "cuMemGetInfo returned %d", result);
      return FALSE;
    }
  words = g_strsplit (text, " ", 3);
  self->host = g_ascii_strtoll (words[1], NULL, 10) * sysconf (_SC_PAGESIZE);
  self->device = unused;
  return TRUE;
}

/* On standard error, which no table and no JSON goes to. */
static void
leat_bench_soak_say (LeatBenchSoak *self, guint64 done)
{
  double now = leat_bench_now_us ();

  if (now - self->said_us < PROGRESS_US)
    return;
  self->said_us = now;
  fprintf (stderr, "%s: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT " replays in %.0f s, p99.9 %.2f us\n", self->name,
           done, self->replays, (now - self->begin_us) / 1e6, leat_bench_histogram_get (&self->times, 0.999));
}

static gboolean
leat_bench_soak_some (LeatBenchSoak *self, guint64 from, guint64 to, GError **error)
{
  LeatNode *node = leat_pipeline_get_node (self->subject.pipeline, "k", error);
  guint round = (guint) (from / 16);

  for (guint64 run = from; run < to; run++)
    {
      gboolean keeps = run % 16 == 15;
      double us;

      if (run % 1024 == 0)
        self->rule.times = 2 + run / 1024 % 32;
      if (run % 1024 == 0 && !leat_node_set_arg (node, "a", g_variant_new_double (self->rule.times), error))
        return FALSE;
      if (!keeps)
        leat_bench_subject_stir (&self->subject, round = (guint) run);
      us = leat_bench_subject_replay (&self->subject, !keeps, error);
      if (us < 0 || !leat_bench_subject_check (&self->subject, round, &self->rule, error))
        return FALSE;
      leat_bench_histogram_add (&self->times, us);
      if (run % 1024 == 0)
        leat_bench_soak_say (self, run - from);
    }
  return TRUE;
}

static gboolean
leat_bench_check_growth (const char *what, gint64 grown, gint64 slack, guint64 replays, GError **error)
{
  if (grown <= slack)
    return TRUE;
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_FAILED,
               "the memory of the %s grew by %" G_GINT64_FORMAT " bytes in %" G_GUINT64_FORMAT " replays", what, grown,
               replays);
  return FALSE;
}

static void
leat_bench_soak_report_memory (LeatBenchReport *report, const LeatBenchMemory *before, const LeatBenchMemory *after)
{
  leat_bench_report_add_value (report, "host-resident-before", before->host, "bytes");
  leat_bench_report_add_value (report, "host-resident-after", after->host, "bytes");
  leat_bench_report_add_value (report, "host-growth", after->host - before->host, "bytes");
  leat_bench_report_add_value (report, "device-free-before", before->device, "bytes");
  leat_bench_report_add_value (report, "device-free-after", after->device, "bytes");
  leat_bench_report_add_value (report, "device-growth", before->device - after->device, "bytes");
}

static void
leat_bench_soak_report_times (const LeatBenchSoak *self, LeatBenchReport *report)
{
  leat_bench_report_add_value (report, "seconds", (leat_bench_now_us () - self->begin_us) / 1e6, "s");
  leat_bench_report_add_value (report, "p50", leat_bench_histogram_get (&self->times, 0.5), "us");
  leat_bench_report_add_value (report, "p99", leat_bench_histogram_get (&self->times, 0.99), "us");
  leat_bench_report_add_value (report, "p99.9", leat_bench_histogram_get (&self->times, 0.999), "us");
  leat_bench_report_add_value (report, "most", self->times.most_us, "us");
}

static gboolean
leat_bench_soak (LeatBenchSoak *self, LeatBench *bench, GError **error)
{
  guint64 settle = CLAMP (self->replays / 10, 1024, MOST_SETTLE);
  LeatBenchMemory before, after;

  self->begin_us = self->said_us = leat_bench_now_us ();
  if (!leat_bench_soak_some (self, 0, settle, error))
    return FALSE;
  self->times = (LeatBenchHistogram){ 0 };
  if (!leat_bench_memory_read (&before, bench->device, error))
    return FALSE;
  self->begin_us = leat_bench_now_us ();
  if (!leat_bench_soak_some (self, settle, settle + self->replays, error))
    return FALSE;
  leat_bench_soak_report_times (self, bench->report);
  if (!leat_bench_memory_read (&after, bench->device, error))
    return FALSE;
  leat_bench_soak_report_memory (bench->report, &before, &after);
  return leat_bench_check_growth ("process", after.host - before.host, HOST_SLACK, self->replays, error)
         && leat_bench_check_growth ("device", before.device - after.device, DEVICE_SLACK, self->replays, error);
}

static gboolean
leat_bench_run_soak (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree LeatBenchSoak *soak = g_new0 (LeatBenchSoak, 1);
  g_autofree char *text = g_strdup_printf ("leat 1\nk = kernel source=\"%s\" entry=axpb a=2 b=1 block=128\n"
                                           "app name=source spec=f32[%" G_GSIZE_FORMAT
                                           ",4] -> upload mode=%s -> k -> readback mode=%s -> app name=sink\n",
                                           bench->kernels, kind->bytes / 16, kind->mode, kind->mode);
  gboolean good;

  *soak = (LeatBenchSoak){ .name = kind->name, .replays = bench->replays, .rule = { 2, 1 } };
  leat_bench_report_add_value (bench->report, "replays", bench->replays, "");
  if (!leat_bench_subject_open (&soak->subject, bench, text, error, "memo", LEAT_MEMO_OFF, NULL))
    return FALSE;
  good = leat_bench_soak (soak, bench, error);
  leat_bench_subject_close (&soak->subject);
  return good;
}

/* clang-format off */
const LeatBenchCase leat_bench_soaks[] = {
  { "soak-copy", "--replays of one session by the copy engine: memory must not grow (only when named)",
    leat_bench_run_soak, 4096, 1, "copy", 1, TRUE },
  { "soak-mapped", "the same, the kernel reading and writing the program's memory (only when named)",
    leat_bench_run_soak, 4096, 1, "mapped", 1, TRUE },
  { NULL },
};
/* clang-format on */
