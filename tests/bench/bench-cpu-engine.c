/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "bench.h"

#include <math.h>

#include "engine-fixture.h"

/* What waiting costs on the CPU driver's block engine, in nanoseconds.  The best of many runs that are each shorter
 * than a turn on the processor, so that other programs on the machine change little. */

#define TRIES 200

static LeatCpuModule *module;
static guint64 out[1024];

typedef struct
{
  const char *kernel;
  guint blocks;
  guint threads;
  guint rounds;
  gboolean cooperative;
} BenchCase;

static double
bench_run (const BenchCase *c, guint repeats)
{
  LeatCpuFunction *function = leat_cpu_module_find_function (module, c->kernel);
  guint64 where = P (out), rounds = c->rounds;
  void *params[] = { &where, &rounds };
  double best = INFINITY;
  LeatCpuLaunch launch;

  if (leat_cpu_launch_init (&launch, function, (LeatHostDim3){ c->blocks, 1, 1 }, (LeatHostDim3){ c->threads, 1, 1 }, 0,
                            c->cooperative, params, NULL)
      != CUDA_SUCCESS)
    return NAN;
  for (guint try = 0; try < TRIES; try++)
    {
      double began = bench_now_ns ();
      for (guint i = 0; i < repeats; i++)
        if (leat_cpu_launch_run (&launch) != CUDA_SUCCESS)
          g_error ("%s failed", c->kernel);
      best = MIN (best, (bench_now_ns () - began) / repeats);
    }
  leat_cpu_launch_clear (&launch);
  return best;
}

static void
bench_print_waits (void)
{
  static const char *const kernels[] = { "barriers", "shuffles", "ballots" };
  static const guint sizes[] = { 32, 256, 1024 };

  for (guint k = 0; k < G_N_ELEMENTS (kernels); k++)
    for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
      {
        BenchCase c = { kernels[k], 1, sizes[s], 1024 * 100 / sizes[s], FALSE };
        g_print ("%-14s block %4u   %6.1f ns per thread\n", kernels[k], sizes[s],
                 bench_run (&c, 1) / c.rounds / sizes[s]);
      }
}

static void
bench_print_lives (void)
{
  static const guint sizes[] = { 32, 256, 1024 };

  for (guint s = 0; s < G_N_ELEMENTS (sizes); s++)
    {
      const BenchCase never = { "nothing_fiber", 1, sizes[s], 0, FALSE }, once = { "barriers", 1, sizes[s], 1, FALSE };
      g_print ("no barrier hit  block %4u   %6.1f ns per thread\n", sizes[s], bench_run (&never, 20) / sizes[s]);
      g_print ("one barrier     block %4u   %6.1f ns per thread\n", sizes[s], bench_run (&once, 20) / sizes[s]);
    }
}

static void
bench_print_launches (void)
{
  const BenchCase one = { "nothing_flat", 1, 32, 0, FALSE }, few = { "nothing_flat", 8, 32, 0, FALSE };
  const BenchCase many = { "nothing_flat", 10000, 32, 0, FALSE };

  g_print ("launch, 1 flat block        %7.0f ns\n", bench_run (&one, 2000));
  g_print ("launch, 8 flat blocks       %7.0f ns\n", bench_run (&few, 200));
  g_print ("launch, 10000 flat blocks   %7.0f ns\n", bench_run (&many, 1));
  for (guint blocks = 2; blocks <= 16; blocks *= 2)
    {
      const BenchCase grid = { "grid_barriers", blocks, 64, 100, TRUE };
      double ns = bench_run (&grid, 1);
      if (!isnan (ns))
        g_print ("grid barrier, %2u blocks     %7.0f ns\n", blocks, ns / grid.rounds);
    }
}

int
main (int argc, char **argv)
{
  const char *image = argc > 1 ? argv[1] : g_getenv ("ENGINE_IMAGE");

  if (image == NULL)
    {
      g_printerr ("usage: %s IMAGE\n", argv[0]);
      return 2;
    }
  module = engine_fixture_load (image);
  g_print ("%u workers\n", leat_cpu_engine_get_workers ());
  bench_print_waits ();
  bench_print_lives ();
  bench_print_launches ();
  leat_cpu_module_unload (module);
  return 0;
}
