/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel-fixture.h"

/* A graph of kernels of a fixture, built, instantiated and run through the driver's calls. */
typedef struct
{
  KernelFixture *fixture;
  const LeatDriverTable *table;
  CUgraph graph;
  CUgraphExec exec;
} KernelGraph;

/* Makes the device's context current until it is closed. */
void kernel_graph_open (KernelGraph *self, KernelFixture *fixture);
void kernel_graph_close (KernelGraph *self);
CUDA_KERNEL_NODE_PARAMS kernel_graph_get_params (KernelGraph *self, const char *kernel, guint blocks, guint threads,
                                                 void **params);
/* @after: NULL for a first one. */
CUgraphNode kernel_graph_add (KernelGraph *self, CUgraphNode after, const char *kernel, guint blocks, guint threads,
                              void **params);
CUgraphNode kernel_graph_add_to (KernelGraph *self, CUgraph graph, CUgraphNode after, const char *kernel, guint blocks,
                                 guint threads, void **params);
CUgraphConditionalHandle kernel_graph_make_handle (KernelGraph *self, guint initial, guint flags);
/* @bodies: room for @n_bodies graphs. */
CUgraphNode kernel_graph_add_conditional (KernelGraph *self, CUgraph graph, CUgraphNode after,
                                          CUgraphConditionalHandle handle, CUgraphConditionalNodeType type,
                                          guint n_bodies, CUgraph *bodies);
void kernel_graph_instantiate (KernelGraph *self);
/* Once, to the end. */
void kernel_graph_run (KernelGraph *self);
