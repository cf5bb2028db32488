/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The cases of leat-bench written by hand against the CUDA driver, as fast as we know how: graphs of explicit nodes,
 * pinned memory that the device sees, a wait that asks the stream again and again.  Same kernels, same geometry, same
 * changes of the input before each run and the same look at the results after it, outside the time that is taken.
 *
 *   driver [--block] IMAGE REPEAT      prints JSON; --block waits with cuStreamSynchronize
 *   driver --once IMAGE FILE           the process that the case "start" starts
 */

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHAIN_NUMBERS (132 * 256)
#define BRANCH_STEPS  2000

/* mode: "copy", "mapped", "copy-mapped" (in by copy, out in place), "mapped-copy" */
static void
run_round_trip (const char *size, size_t bytes, const char *mode, int divisor)
{
  int copy_in = strncmp (mode, "copy", 4) == 0;
  int copy_out = strcmp (mode, "copy") == 0 || strcmp (mode, "mapped-copy") == 0;
  Subject self = subject_new (bytes / sizeof (float));
  char name[64];
  Series series, unchanged;

  if (copy_in)
    subject_add_copy (&self, 0, self.device[0]);
  subject_add_axpb (&self, copy_in ? self.device[0] : self.in_there, copy_out ? self.device[1] : self.out_there);
  if (copy_out)
    subject_add_copy (&self, 1, self.device[1]);
  subject_instantiate (&self);
  series = subject_measure (&self, runs_of (divisor), 2, 1, NULL);
  unchanged = subject_measure_unchanged (&self, runs_of (divisor));
  snprintf (name, sizeof name, "round-trip-%s-%s", size, mode);
  case_begin (name);
  series_print (&series, "replay", 1);
  series_print (&unchanged, "unchanged", 0);
  case_end ();
  subject_free (&self);
}

/* The input lies on the device; another one each time, brought there outside the time. */
static void
run_resident (const char *size, size_t bytes, int divisor)
{
  Subject self = subject_new (bytes / sizeof (float));
  int runs = runs_of (divisor);
  Series series = series_new (runs), unchanged;
  char name[64];

  subject_add_axpb (&self, self.device[0], self.device[1]);
  subject_add_copy (&self, 1, self.device[1]);
  subject_instantiate (&self);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double us;

      subject_stir (&self, round);
      MUST (cuMemcpyHtoDAsync (self.device[0], self.in, bytes, stream));
      MUST (cuStreamSynchronize (stream));
      us = subject_replay (&self, NULL);
      subject_look (&self, round % self.step, self.step, round, 2, 1);
      if (round >= SETTLE)
        series.samples[series.n++] = us;
    }
  unchanged = subject_measure_unchanged (&self, runs);
  snprintf (name, sizeof name, "reused-%s", size);
  case_begin (name);
  series_print (&series, "replay", 1);
  series_print (&unchanged, "unchanged", 0);
  case_end ();
  subject_free (&self);
}

static void
run_chain (int length, int divisor, int early)
{
  Subject self = subject_new (CHAIN_NUMBERS);
  Series launches = series_new (runs_of (divisor)), series;
  char name[64];

  subject_add_chain (&self, length, self.in_there, self.out_there, early);
  subject_instantiate (&self);
  series = subject_measure (&self, runs_of (divisor), 1, length, &launches);
  snprintf (name, sizeof name, "%schain-%d", early ? "early-" : "", length);
  case_begin (name);
  series_print (&series, "replay", 1);
  series_print (&launches, "launch", 0);
  case_end ();
  subject_free (&self);
}

/* Kernels on device memory alone: what programs that look for the floor of a chain measure. */
static void
run_bare_chain (int length, int divisor)
{
  Subject self = subject_new (CHAIN_NUMBERS);
  Series series;
  char name[64];

  subject_add_chain (&self, length, self.device[0], self.device[length % 2], 0);
  subject_instantiate (&self);
  series = subject_measure_unchanged (&self, runs_of (divisor));
  snprintf (name, sizeof name, "bare-chain-%d", length);
  case_print_one (name, "replay", &series);
  subject_free (&self);
}

static void
run_fan_out (int divisor)
{
  Subject self = subject_new (256);
  CUgraphNode branches[BRANCHES];
  uint64_t n = self.n;
  void *sum[BRANCHES + 2] = { &self.device[1], &n };
  CUDA_KERNEL_NODE_PARAMS launch;
  Series series;

  subject_add_copy (&self, 0, self.device[0]);
  for (int i = 0; i < BRANCHES; i++)
    {
      float one = 1, plus = i + 1;
      uint32_t steps = BRANCH_STEPS;
      void *params[] = { &self.device[0], &n, &self.device[1 + i], &one, &plus, &steps };

      launch = describe_launch (find ("work"), n, 256, params);
      branches[i] = subject_add_kernel (&self, &launch, &self.last, 1);
    }
  for (int i = 1; i < BRANCHES; i++)
    sum[i + 1] = &self.device[1 + i];
  sum[BRANCHES + 1] = &self.out_there;
  launch = describe_launch (find ("sum8"), n, 256, sum);
  self.last = subject_add_kernel (&self, &launch, branches, BRANCHES);
  subject_instantiate (&self);
  series = subject_measure (&self, runs_of (divisor), BRANCHES, BRANCH_STEPS * BRANCHES * (BRANCHES + 1) / 2.0, NULL);
  case_print_one ("fan-out-8", "replay", &series);
  subject_free (&self);
}

static double
change_and_replay (Subject *self, float a)
{
  uint64_t n = self->n / 4;
  float b = 1;
  void *params[] = { &self->in_there, &n, &self->out_there, &a, &b };
  CUDA_KERNEL_NODE_PARAMS launch = describe_launch (find ("axpb"), n, 128, params);
  double begin = now_us ();

  MUST (cuGraphExecKernelNodeSetParams (self->exec, self->kernel, &launch));
  subject_replay (self, NULL);
  return now_us () - begin;
}

static void
run_argument (void)
{
  Subject self = subject_new (1024);
  int runs = runs_of (1);
  Series same = series_new (runs), changed = series_new (runs);

  subject_add_axpb (&self, self.in_there, self.out_there);
  subject_instantiate (&self);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double with, without, a = 2 + round % 32;

      subject_stir (&self, round);
      with = change_and_replay (&self, a);
      subject_look (&self, 0, 1, round, a, 1);
      subject_stir (&self, round + 1);
      without = subject_replay (&self, NULL);
      subject_look (&self, 0, 1, round + 1, a, 1);
      if (round < SETTLE)
        continue;
      changed.samples[changed.n++] = with;
      same.samples[same.n++] = without;
    }
  case_begin ("argument");
  series_print (&same, "replay", 1);
  series_print (&changed, "set-and-replay", 0);
  case_end ();
  subject_free (&self);
}

static int
can_begin_early (void)
{
  CUdevice device;
  int major;

  MUST (cuCtxGetDevice (&device));
  MUST (cuDeviceGetAttribute (&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
  return major >= 9;
}

static void
run_all (const char *program, const char *image_path)
{
  static const char *const modes[] = { "copy", "mapped", "copy-mapped", "mapped-copy" };
  static const struct
  {
    const char *size;
    size_t bytes;
    int divisor;
  } sizes[] = { { "4k", 4096, 1 }, { "64k", 65536, 1 }, { "1m", 1 << 20, 2 }, { "16m", 16 << 20, 20 } };

  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    {
      for (size_t m = 0; m < sizeof modes / sizeof *modes; m++)
        run_round_trip (sizes[i].size, sizes[i].bytes, modes[m], sizes[i].divisor);
      run_resident (sizes[i].size, sizes[i].bytes, sizes[i].divisor);
    }
  run_chain (1, 1, 0);
  run_chain (32, 2, 0);
  run_chain (512, 10, 0);
  if (can_begin_early ())
    {
      run_chain (32, 2, 1);
      run_chain (512, 10, 1);
    }
  run_bare_chain (1, 1);
  run_bare_chain (16, 2);
  run_bare_chain (256, 10);
  run_fan_out (10);
  run_argument ();
  run_rebind (10);
  run_rebind_table (10);
  run_open (10, 20);
  run_open (100, 40);
  run_open (1000, 100);
  run_start (program, image_path, 100);
}

static void
take_device (char *name, int size)
{
  CUdevice device;

  MUST (cuInit (0));
  MUST (cuDeviceGet (&device, 0));
  MUST (cuDeviceGetName (name, size, device));
  MUST (cuDevicePrimaryCtxRetain (&context, device));
  MUST (cuCtxSetCurrent (context));
  MUST (cuStreamCreate (&stream, CU_STREAM_NON_BLOCKING));
  MUST (cuModuleLoadData (&module, image));
}

int
main (int argc, char **argv)
{
  int once = argc > 1 && strcmp (argv[1], "--once") == 0;
  char name[128] = "";

  block = argc > 1 && strcmp (argv[1], "--block") == 0;
  if (argc - block - once != 3)
    {
      fprintf (stderr, "usage: driver [--block] IMAGE REPEAT\n");
      return 2;
    }
  read_image (argv[1 + block + once]);
  take_device (name, sizeof name);
  if (once)
    return run_once (argv[3]);
  repeat = atoi (argv[2 + block]);
  printf ("{\"peer\": \"driver\", \"device-name\": \"%s\", \"repeat\": %d, \"cases\": [", name, repeat);
  run_all (argv[0], argv[1 + block]);
  printf ("]}\n");
  return 0;
}
