/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "peer.h"

#include <stdlib.h>
#include <string.h>

/* Sixteen inputs that lie elsewhere in each run, each read by the first of sixteen kernels in a chain: the nodes that
 * read them are given the new addresses, and the graph is launched. */

#define INPUTS        16
#define LENGTH        16
#define INPUT_NUMBERS 256

typedef struct
{
  Subject subject;
  float *in[2]; /* two sets of inputs */
  CUdeviceptr there[2];
  CUgraphNode first[INPUTS];
} Rebind;

static CUgraphNode
add_step (Rebind *self, CUdeviceptr x, CUdeviceptr y, const CUgraphNode *after)
{
  uint64_t n = INPUT_NUMBERS;
  float one = 1;
  void *params[] = { &x, &n, &y, &one, &one };
  CUDA_KERNEL_NODE_PARAMS launch = describe_launch (find ("step"), n, 256, params);

  return subject_add_kernel (&self->subject, &launch, after, after != NULL);
}

static void
rebind_init (Rebind *self)
{
  const unsigned flags = CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP;
  const size_t bytes = INPUTS * INPUT_NUMBERS * sizeof (float);

  self->subject = subject_new (INPUTS * INPUT_NUMBERS);
  self->in[0] = self->subject.in;
  self->there[0] = self->subject.in_there;
  MUST (cuMemHostAlloc ((void **) &self->in[1], bytes, flags));
  MUST (cuMemHostGetDevicePointer (&self->there[1], self->in[1], 0));
  for (size_t c = 0; c < INPUTS; c++)
    {
      size_t at = c * INPUT_NUMBERS * sizeof (float);
      CUgraphNode last;

      self->first[c] = last = add_step (self, self->there[0] + at, self->subject.device[0] + at, NULL);
      for (size_t i = 1; i < LENGTH; i++)
        last = add_step (self, self->subject.device[(i - 1) % 2] + at,
                         i == LENGTH - 1 ? self->subject.out_there + at : self->subject.device[i % 2] + at, &last);
    }
  subject_instantiate (&self->subject);
}

static double
rebind_and_replay (Rebind *self, int set)
{
  CUfunction step = find ("step");
  double begin = now_us ();

  for (size_t c = 0; c < INPUTS; c++)
    {
      CUdeviceptr x = self->there[set] + c * INPUT_NUMBERS * sizeof (float);
      CUdeviceptr y = self->subject.device[0] + c * INPUT_NUMBERS * sizeof (float);
      uint64_t n = INPUT_NUMBERS;
      float one = 1;
      void *params[] = { &x, &n, &y, &one, &one };
      CUDA_KERNEL_NODE_PARAMS launch = describe_launch (step, n, 256, params);

      MUST (cuGraphExecKernelNodeSetParams (self->subject.exec, self->first[c], &launch));
    }
  subject_replay (&self->subject, NULL);
  return now_us () - begin;
}

void
run_rebind (int divisor)
{
  int runs = runs_of (divisor);
  Series same = series_new (runs), changed = series_new (runs);
  Rebind self;

  rebind_init (&self);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double with, without;

      self.subject.in = self.in[round % 2];
      self.subject.step = 1; /* all numbers, since the other set has others */
      subject_stir (&self.subject, 2 * round);
      with = rebind_and_replay (&self, round % 2);
      subject_look (&self.subject, 0, 1, 2 * round, 1, LENGTH);
      subject_stir (&self.subject, 2 * round + 1);
      without = subject_replay (&self.subject, NULL);
      subject_look (&self.subject, 0, 1, 2 * round + 1, 1, LENGTH);
      if (round < SETTLE)
        continue;
      changed.samples[changed.n++] = with;
      same.samples[same.n++] = without;
    }
  case_begin ("rebind");
  series_print (&same, "replay", 1);
  series_print (&changed, "rebind-and-replay", 0);
  case_end ();
  self.subject.in = self.in[0];
  MUST (cuMemFreeHost (self.in[1]));
  subject_free (&self.subject);
}
