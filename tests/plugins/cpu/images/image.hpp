/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Just enough to write kernels for the engine's tests by hand, in the form that the source transformation gives them.
 * Every parameter is eight bytes wide. */

#include "kernel/device/leat-host-module.h"

static const LeatHostRuntime *runtime;

struct Thread
{
  LeatHostBlock *block;
  LeatHostDim3 index;

  uint32_t
  linear () const
  {
    return index.x + block->block.x * (index.y + block->block.y * index.z);
  }
  uint32_t
  lane () const
  {
    return linear () % 32;
  }
  uint64_t
  global () const
  {
    return (uint64_t) block->index.x * block->block.x + index.x;
  }
  uint32_t
  n_threads () const
  {
    return block->block.x * block->block.y * block->block.z;
  }
  void
  sync () const
  {
    runtime->barrier (block, LEAT_HOST_BARRIER_PLAIN, 0);
  }
  int
  sync_as (LeatHostBarrierOp op, int predicate) const
  {
    return runtime->barrier (block, op, predicate);
  }
  uint64_t
  warp (LeatHostWarpOp op, uint64_t value, uint32_t arg = 0, uint32_t width = 32, uint32_t mask = 0xffffffffu) const
  {
    return runtime->warp (block, op, mask, value, arg, width);
  }
  void
  sleep () const
  {
    runtime->nanosleep (block, 100);
  }
  template <typename T>
  T *
  shared (uint32_t offset = 0) const
  {
    return (T *) (block->shared + offset);
  }
  template <typename T>
  T *
  dynamic () const
  {
    return (T *) (block->shared + block->dynamic_offset);
  }
};

template <typename P, void (*body) (const Thread &, const P &)>
static void
thread_entry (LeatHostBlock *block, const void *params, LeatHostDim3 index)
{
  Thread thread = { block, index };
  body (thread, *(const P *) params);
}

template <typename P, void (*body) (const Thread &, const P &)>
static void
flat_entry (LeatHostBlock *block, const void *params)
{
  const P copy = *(const P *) params;
  LeatHostBlock local = *block;
  for (uint32_t z = 0; z < local.block.z; z++)
    for (uint32_t y = 0; y < local.block.y; y++)
      for (uint32_t x = 0; x < local.block.x; x++)
        {
          Thread thread = { &local, { x, y, z } };
          body (thread, copy);
        }
}

static const LeatHostParam params_of_8[] = { { 0, 8 },  { 8, 8 },  { 16, 8 }, { 24, 8 },
                                             { 32, 8 }, { 40, 8 }, { 48, 8 }, { 56, 8 } };

#define PARAMS(P) (uint32_t) (sizeof (P) / 8), params_of_8, (uint32_t) sizeof (P)
#if defined __SANITIZE_THREAD__ /* which has to see the threads of a block apart */
#define FLAT(P, body) { #body, PARAMS (P), 0, 0, nullptr, thread_entry<P, body>, nullptr }
#else
#define FLAT(P, body) { #body, PARAMS (P), 0, 0, flat_entry<P, body>, thread_entry<P, body>, nullptr }
#endif
#define WAITS(P, body, shared) \
  { #body, PARAMS (P), shared, LEAT_HOST_KERNEL_MAY_WAIT, nullptr, thread_entry<P, body>, nullptr }
#define GRID_WAITS(P, body, shared)                                                                             \
  { #body, PARAMS (P), shared, LEAT_HOST_KERNEL_MAY_WAIT | LEAT_HOST_KERNEL_GRID_BARRIER, nullptr,               \
    thread_entry<P, body>, nullptr }

#define IMAGE(kernels, globals)                                                                            \
  extern "C" __attribute__ ((visibility ("default"))) const LeatHostModule leat_host_module                 \
    = { LEAT_HOST_MODULE_MAGIC, LEAT_HOST_MODULE_ABI, &runtime, sizeof kernels / sizeof *kernels,           \
        sizeof globals / sizeof *globals, kernels, globals };
