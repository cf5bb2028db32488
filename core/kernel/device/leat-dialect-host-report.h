/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* leat_report () on the CPU: put before kernels that use it, behind leat-dialect-host-thread.h and
 * leat-report-block.h.  Where to write is a member of the thread. */

namespace {

/* Out of the way, so that the loop around it stays small. */
__attribute__ ((noinline, cold)) void
leat_report_store (LeatReportBlock *block, unsigned int code, uint64_t index, uint64_t value, uint32_t kind)
{
  unsigned int row = code < LEAT_REPORT_CODES ? code : LEAT_REPORT_CODES;
  uint64_t place = __atomic_fetch_add (&block->counts[row], 1, __ATOMIC_RELAXED);

  if (place < LEAT_REPORT_KEPT)
    block->records[row][place] = LeatReportRecord{ index, value, code, kind };
  if (place == 0)
    {
      __atomic_store_n (block->own, 1, __ATOMIC_RELAXED);
      __atomic_store_n (block->any, 1, __ATOMIC_RELAXED);
    }
}

struct leat_reporter : leat_thread
{
  LeatReportBlock *leat_reports; /* NULL where the kernel is launched by its own name */

  LEAT_MEMBER void leat_report_at (unsigned int code, uint64_t index, leat_reported what)
  {
    if (leat_reports != nullptr)
      leat_report_store (leat_reports, code, index, what.value, what.kind);
  }
  LEAT_MEMBER void leat_report (unsigned int code, leat_reported what)
  {
    uint64_t block = blockIdx.x + (uint64_t) gridDim.x * (blockIdx.y + (uint64_t) gridDim.y * blockIdx.z);
    unsigned int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);

    leat_report_at (code, block * (blockDim.x * blockDim.y * blockDim.z) + thread, what);
  }
};

} // namespace
