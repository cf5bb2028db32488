/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "peer.h"

#include <stdio.h>
#include <stdlib.h>

/* The same as driver-rebind.c, by one update for all inputs. */

#define PORTS   16 /* and kernels behind each */
#define NUMBERS 256

/* Sixteen chains of sixteen kernels.  The first of each finds its input through a table on the device, which a kernel
 * at the root of the graph writes from its parameters: these are set once for all sixteen. */
typedef struct
{
  float *sets[2], *out;
  CUdeviceptr sets_there[2], out_there, table, between;
  CUDA_KERNEL_NODE_PARAMS head;
  CUdeviceptr addresses[PORTS];
  void *params[PORTS + 1];
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode root;
} RebindTable;

static void
table_add_chain (RebindTable *self, int port)
{
  uint64_t count = NUMBERS;
  CUdeviceptr slot = self->table + port * sizeof (CUdeviceptr), to = 0, from = 0;
  CUdeviceptr out = self->out_there + port * NUMBERS * sizeof (float);
  CUdeviceptr halves = self->between + port * 2 * NUMBERS * sizeof (float);
  float a = 1, b = 1;
  CUgraphNode node = self->root;

  for (int i = 0; i < PORTS; i++)
    {
      void *params[] = { i == 0 ? &slot : &from, &count, &to, &a, &b };
      CUDA_KERNEL_NODE_PARAMS launch = describe_launch (find (i == 0 ? "step_by_slot" : "step"), NUMBERS, 256, params);
      CUgraphNode after = node;

      to = i == PORTS - 1 ? out : halves + i % 2 * NUMBERS * sizeof (float);
      MUST (cuGraphAddKernelNode (&node, self->graph, &after, 1, &launch));
      from = to;
    }
}

static void
table_open (RebindTable *self)
{
  size_t bytes = PORTS * NUMBERS * sizeof (float);
  void *host[3];
  CUdeviceptr there[3];

  for (int i = 0; i < 3; i++)
    {
      MUST (cuMemHostAlloc (&host[i], bytes, CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_PORTABLE));
      MUST (cuMemHostGetDevicePointer (&there[i], host[i], 0));
    }
  self->sets[0] = host[0], self->sets[1] = host[1], self->out = host[2];
  self->sets_there[0] = there[0], self->sets_there[1] = there[1], self->out_there = there[2];
  MUST (cuMemAlloc (&self->table, sizeof self->addresses));
  MUST (cuMemAlloc (&self->between, 2 * bytes));
  self->params[0] = &self->table;
  for (int i = 0; i < PORTS; i++)
    self->params[1 + i] = &self->addresses[i];
  MUST (cuGraphCreate (&self->graph, 0));
  self->head = describe_launch (find ("head16"), 1, 1, self->params);
  MUST (cuGraphAddKernelNode (&self->root, self->graph, NULL, 0, &self->head));
  for (int i = 0; i < PORTS; i++)
    table_add_chain (self, i);
  MUST (cuGraphInstantiateWithFlags (&self->exec, self->graph, 0));
  MUST (cuGraphUpload (self->exec, stream));
}

static void
table_close (RebindTable *self)
{
  MUST (cuGraphExecDestroy (self->exec));
  MUST (cuGraphDestroy (self->graph));
  MUST (cuMemFree (self->table));
  MUST (cuMemFree (self->between));
  MUST (cuMemFreeHost (self->sets[0]));
  MUST (cuMemFreeHost (self->sets[1]));
  MUST (cuMemFreeHost (self->out));
}

static void
table_fill (RebindTable *self, int set, unsigned round)
{
  for (unsigned i = 0; i < PORTS * NUMBERS; i++)
    self->sets[set][i] = (float) ((i * 13 + round * 7) % 8191);
}

static void
table_look (RebindTable *self, unsigned round)
{
  for (unsigned i = 0; i < PORTS * NUMBERS; i++)
    if (self->out[i] != (float) ((i * 13 + round * 7) % 8191) + PORTS)
      {
        fprintf (stderr, "driver: rebind-table: number %u is %g\n", i, self->out[i]);
        exit (1);
      }
}

/* @set: -1 for the memory that it has */
static double
table_replay (RebindTable *self, int set)
{
  double begin = now_us ();

  for (int i = 0; set >= 0 && i < PORTS; i++)
    self->addresses[i] = self->sets_there[set] + i * NUMBERS * sizeof (float);
  if (set >= 0)
    MUST (cuGraphExecKernelNodeSetParams (self->exec, self->root, &self->head));
  MUST (cuGraphLaunch (self->exec, stream));
  await_stream ();
  return now_us () - begin;
}

void
run_rebind_table (int divisor)
{
  int runs = runs_of (divisor);
  Series same = series_new (runs), other = series_new (runs);
  RebindTable self = { 0 };

  table_open (&self);
  for (int round = 0; round < SETTLE + runs; round++)
    {
      double with, without;

      table_fill (&self, round % 2, 2 * round);
      with = table_replay (&self, round % 2);
      table_look (&self, 2 * round);
      table_fill (&self, round % 2, 2 * round + 1);
      without = table_replay (&self, -1);
      table_look (&self, 2 * round + 1);
      if (round < SETTLE)
        continue;
      other.samples[other.n++] = with;
      same.samples[same.n++] = without;
    }
  case_begin ("rebind-table");
  series_print (&same, "replay", 1);
  series_print (&other, "rebind-and-replay", 0);
  case_end ();
  table_close (&self);
}
