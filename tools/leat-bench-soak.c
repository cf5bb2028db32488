/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-bench-subject.h"
#include "device/leat-device-private.h"

#include <math.h>
#include <unistd.h>

/* Many replays of one session: is the memory of the process and of the device what it was after the first tenth, and
 * how long do the slowest take?  The inputs change from run to run; every sixteenth run keeps them, and every 1024th
 * has another argument. */

#define HOST_SLACK     (256 << 10) /* bytes that a C library may take at any time */
#define DEVICE_SLACK   (2 << 20)   /* what a driver takes from the device at once */
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
  gint64 host, device; /* in use */
} LeatBenchMemory;

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
  self->device = total - unused;
  return TRUE;
}

static gboolean
leat_bench_soak_some (LeatBenchSubject *subject, guint64 from, guint64 to, LeatBenchRule *rule,
                      LeatBenchHistogram *times, GError **error)
{
  LeatNode *node = leat_pipeline_get_node (subject->pipeline, "k", error);
  guint round = (guint) (from / 16);

  for (guint64 run = from; run < to; run++)
    {
      gboolean keeps = run % 16 == 15;
      double us;

      if (run % 1024 == 0)
        rule->times = 2 + run / 1024 % 32;
      if (run % 1024 == 0 && !leat_node_set_arg (node, "a", g_variant_new_double (rule->times), error))
        return FALSE;
      if (!keeps)
        leat_bench_subject_stir (subject, round = (guint) run);
      us = leat_bench_subject_replay (subject, !keeps, error);
      if (us < 0 || !leat_bench_subject_check (subject, round, rule, error))
        return FALSE;
      leat_bench_histogram_add (times, us);
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

static gboolean
leat_bench_soak (LeatBench *bench, LeatBenchSubject *subject, LeatBenchHistogram *times, GError **error)
{
  LeatBenchRule rule = { 2, 1 };
  LeatBenchMemory before, after;
  guint64 settle = MAX (bench->replays / 10, 1024);
  double begin;

  if (!leat_bench_soak_some (subject, 0, settle, &rule, times, error))
    return FALSE;
  *times = (LeatBenchHistogram){ 0 };
  if (!leat_bench_memory_read (&before, bench->device, error))
    return FALSE;
  begin = leat_bench_now_us ();
  if (!leat_bench_soak_some (subject, settle, settle + bench->replays, &rule, times, error))
    return FALSE;
  leat_bench_report_add_value (bench->report, "seconds", (leat_bench_now_us () - begin) / 1e6, "s");
  if (!leat_bench_memory_read (&after, bench->device, error))
    return FALSE;
  leat_bench_report_add_value (bench->report, "host-growth", after.host - before.host, "bytes");
  leat_bench_report_add_value (bench->report, "device-growth", after.device - before.device, "bytes");
  return leat_bench_check_growth ("process", after.host - before.host, HOST_SLACK, bench->replays, error)
         && leat_bench_check_growth ("device", after.device - before.device, DEVICE_SLACK, bench->replays, error);
}

static gboolean
leat_bench_run_soak (LeatBench *bench, const LeatBenchCase *kind, GError **error)
{
  g_autofree LeatBenchHistogram *times = g_new0 (LeatBenchHistogram, 1);
  g_autofree char *text = g_strdup_printf ("leat 1\nk = kernel source=\"%s\" entry=axpb a=2 b=1 block=128\n"
                                           "app name=source spec=f32[%" G_GSIZE_FORMAT
                                           ",4] -> upload mode=copy -> k -> readback mode=copy -> app name=sink\n",
                                           bench->kernels, kind->bytes / 16);
  g_auto (LeatBenchSubject) subject = { 0 };

  leat_bench_report_add_value (bench->report, "replays", bench->replays, "");
  if (!leat_bench_subject_open (&subject, bench, text, LEAT_MEMO_OFF, error)
      || !leat_bench_soak (bench, &subject, times, error))
    return FALSE;
  leat_bench_report_add_value (bench->report, "p50", leat_bench_histogram_get (times, 0.5), "us");
  leat_bench_report_add_value (bench->report, "p99", leat_bench_histogram_get (times, 0.99), "us");
  leat_bench_report_add_value (bench->report, "p99.9", leat_bench_histogram_get (times, 0.999), "us");
  leat_bench_report_add_value (bench->report, "most", times->most_us, "us");
  return TRUE;
}

/* clang-format off */
const LeatBenchCase leat_bench_soaks[] = {
  { "soak", "--replays of one session: memory must not grow (only when named)", leat_bench_run_soak, 4096, 1, NULL, 1,
    TRUE },
  { NULL },
};
/* clang-format on */
