/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* leat_report () for NVRTC: put before kernels that use it, behind leat-dialect-cuda.h and leat-report-block.h.
 *
 * Where to write is a parameter of the wrapper, and whoever the kernel calls has to find it: functions of any form,
 * called through pointers too.  So each thread leaves it in a word of its block's shared memory as the kernel begins.
 * All of them leave the same and each has done so before it reads, so that no barrier is needed. */

static __shared__ LeatReportBlock *leat_reports_of_block;

__device__ __forceinline__ void
leat_report_begin (LeatReportBlock *reports)
{
  *(LeatReportBlock *volatile *) &leat_reports_of_block = reports;
}

/* The block may be in the host's memory, where an addition costs a way over the link: the threads of a warp that report
 * the same at the same time go there together.  Gives each its place.  Which threads those are is for the hardware to say
 * (they may be in a branch), and all that it names come to each of the steps below, as nothing between them parts them. */
static __device__ inline uint64_t
leat_report_take_place (uint64_t *count, unsigned int row)
{
#if __CUDA_ARCH__ >= 700
  unsigned int lane = (threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z)) % 32;
  unsigned int same = __match_any_sync (__activemask (), row);
  int first = __ffs ((int) same) - 1;
  uint64_t place = 0;

  if (lane == (unsigned int) first)
    place = atomicAdd (count, (uint64_t) __popc (same));
  return __shfl_sync (same, place, first) + (uint64_t) __popc (same & ((1u << lane) - 1));
#else
  return atomicAdd (count, (uint64_t) 1);
#endif
}

/* A kernel that is launched by its own name has nowhere to report to.  No fence stands between the count, the record and
 * the words: the host looks at none of them before the launch has ended, which is what makes all of them seen. */
static __device__ inline void
leat_report_at (unsigned int code, uint64_t index, leat_reported what)
{
  LeatReportBlock *block = *(LeatReportBlock *volatile *) &leat_reports_of_block;
  unsigned int row = code < LEAT_REPORT_CODES ? code : LEAT_REPORT_CODES;
  uint64_t place;

  if (block == nullptr)
    return;
  place = leat_report_take_place (&block->counts[row], row);
  if (place < LEAT_REPORT_KEPT)
    {
      LeatReportRecord *record = &block->records[row][place];

      record->index = index;
      record->value = what.value;
      record->code = code;
      record->kind = what.kind;
    }
  if (place == 0)
    {
      *(volatile uint64_t *) block->own = 1;
      *(volatile uint64_t *) block->any = 1;
    }
}

__device__ __forceinline__ void
leat_report (unsigned int code, leat_reported what)
{
  leat_report_at (code, leat_grid_rank (), what);
}
