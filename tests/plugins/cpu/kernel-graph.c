/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "kernel-graph.h"

void
kernel_graph_open (KernelGraph *self, KernelFixture *fixture)
{
  *self = (KernelGraph){ fixture, leat_device_get_table (fixture->device) };
  g_assert_true (leat_device_push (fixture->device, NULL));
  g_assert_cmpint (self->table->cuGraphCreate (&self->graph, 0), ==, CUDA_SUCCESS);
}

void
kernel_graph_close (KernelGraph *self)
{
  self->table->cuGraphExecDestroy (self->exec);
  self->table->cuGraphDestroy (self->graph);
  leat_device_pop (self->fixture->device);
}

CUDA_KERNEL_NODE_PARAMS
kernel_graph_get_params (KernelGraph *self, const char *kernel, guint blocks, guint threads, void **params)
{
  const LeatFunction *function = leat_module_get_function (self->fixture->module, kernel, NULL);

  return (CUDA_KERNEL_NODE_PARAMS){ .func = function->function,
                                    .gridDimX = blocks,
                                    .gridDimY = 1,
                                    .gridDimZ = 1,
                                    .blockDimX = threads,
                                    .blockDimY = 1,
                                    .blockDimZ = 1,
                                    .kernelParams = params };
}

CUgraphNode
kernel_graph_add_to (KernelGraph *self, CUgraph graph, CUgraphNode after, const char *kernel, guint blocks,
                     guint threads, void **params)
{
  CUDA_KERNEL_NODE_PARAMS node_params = kernel_graph_get_params (self, kernel, blocks, threads, params);
  CUgraphNode node = NULL;

  g_assert_cmpint (
    self->table->cuGraphAddKernelNode (&node, graph, after != NULL ? &after : NULL, after != NULL, &node_params), ==,
    CUDA_SUCCESS);
  return node;
}

CUgraphNode
kernel_graph_add (KernelGraph *self, CUgraphNode after, const char *kernel, guint blocks, guint threads, void **params)
{
  return kernel_graph_add_to (self, self->graph, after, kernel, blocks, threads, params);
}

CUgraphConditionalHandle
kernel_graph_make_handle (KernelGraph *self, guint initial, guint flags)
{
  CUgraphConditionalHandle handle = 0;
  CUcontext context = NULL;

  g_assert_cmpint (self->table->cuCtxGetCurrent (&context), ==, CUDA_SUCCESS);
  g_assert_cmpint (self->table->cuGraphConditionalHandleCreate (&handle, self->graph, context, initial, flags), ==,
                   CUDA_SUCCESS);
  return handle;
}

CUgraphNode
kernel_graph_add_conditional (KernelGraph *self, CUgraph graph, CUgraphNode after, CUgraphConditionalHandle handle,
                              CUgraphConditionalNodeType type, guint n_bodies, CUgraph *bodies)
{
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
  CUgraphNode node = NULL;

  params.conditional.handle = handle;
  params.conditional.type = type;
  params.conditional.size = n_bodies;
  g_assert_cmpint (self->table->cuCtxGetCurrent (&params.conditional.ctx), ==, CUDA_SUCCESS);
  g_assert_cmpint (
    self->table->cuGraphAddNode (&node, graph, after != NULL ? &after : NULL, NULL, after != NULL, &params), ==,
    CUDA_SUCCESS);
  for (guint i = 0; i < n_bodies; i++)
    bodies[i] = params.conditional.phGraph_out[i];
  return node;
}

void
kernel_graph_instantiate (KernelGraph *self)
{
  g_assert_cmpint (self->table->cuGraphInstantiateWithFlags (&self->exec, self->graph, 0), ==, CUDA_SUCCESS);
}

void
kernel_graph_run (KernelGraph *self)
{
  CUstream stream = leat_stream_get (self->fixture->stream);

  g_assert_cmpint (self->table->cuGraphLaunch (self->exec, stream), ==, CUDA_SUCCESS);
  g_assert_cmpint (self->table->cuStreamSynchronize (stream), ==, CUDA_SUCCESS);
}
