/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* PTX that knows the thread: its registers, the carry, addresses of shared memory, barriers.  Members of a struct between
 * leat_thread and the kernel's text. */

unsigned int leat_ptx_carry = 0;

#define LEAT_PTX_REGISTER(T, name, value)                                                                              \
  LEAT_MEMBER T leat_ptx_##name () { return (T) (value); }
#define LEAT_PTX_REGISTERS(name, member)                                                                               \
  LEAT_PTX_REGISTER (unsigned int, name##_x, this->member.x)                                                           \
  LEAT_PTX_REGISTER (unsigned int, name##_y, this->member.y)                                                           \
  LEAT_PTX_REGISTER (unsigned int, name##_z, this->member.z)
LEAT_PTX_REGISTERS (tid, threadIdx)
LEAT_PTX_REGISTERS (ntid, blockDim)
LEAT_PTX_REGISTERS (ctaid, blockIdx)
LEAT_PTX_REGISTERS (nctaid, gridDim)
#undef LEAT_PTX_REGISTERS
LEAT_PTX_REGISTER (unsigned int, number,
                   this->threadIdx.x + this->blockDim.x * (this->threadIdx.y + this->blockDim.y * this->threadIdx.z))
LEAT_PTX_REGISTER (unsigned int, threads, this->blockDim.x * this->blockDim.y * this->blockDim.z)
LEAT_PTX_REGISTER (unsigned int, laneid, leat_ptx_number () % 32)
LEAT_PTX_REGISTER (unsigned int, warpid, leat_ptx_number () / 32)
LEAT_PTX_REGISTER (unsigned int, nwarpid, (leat_ptx_threads () + 31) / 32)
/* All runs on one. */
LEAT_PTX_REGISTER (unsigned int, smid, 0)
LEAT_PTX_REGISTER (unsigned int, nsmid, 1)
LEAT_PTX_REGISTER (unsigned int, lanemask_eq, 1u << leat_ptx_laneid ())
LEAT_PTX_REGISTER (unsigned int, lanemask_lt, leat_ptx_lanemask_eq () - 1)
LEAT_PTX_REGISTER (unsigned int, lanemask_le, leat_ptx_lanemask_lt () | leat_ptx_lanemask_eq ())
LEAT_PTX_REGISTER (unsigned int, lanemask_gt, ~leat_ptx_lanemask_le ())
LEAT_PTX_REGISTER (unsigned int, lanemask_ge, ~leat_ptx_lanemask_lt ())
LEAT_PTX_REGISTER (unsigned long long, clock64, this->clock64 ())
LEAT_PTX_REGISTER (unsigned int, clock, this->clock64 ())
LEAT_PTX_REGISTER (unsigned int, clock_hi, this->clock64 () >> 32)
LEAT_PTX_REGISTER (unsigned long long, globaltimer, this->clock64 ())
LEAT_PTX_REGISTER (unsigned int, globaltimer_lo, this->clock64 ())
LEAT_PTX_REGISTER (unsigned int, globaltimer_hi, this->clock64 () >> 32)
LEAT_PTX_REGISTER (unsigned int, dynamic_smem_size, this->leat_block->dynamic_bytes)
LEAT_PTX_REGISTER (unsigned int, total_smem_size, this->leat_block->dynamic_offset + this->leat_block->dynamic_bytes)
#undef LEAT_PTX_REGISTER

/* An address in shared memory counts from the block's. */
LEAT_MEMBER size_t leat_ptx_shared (size_t at) { return (size_t) this->leat_block->shared + (unsigned int) at; }
template <class T> LEAT_MEMBER T leat_ptx_cvta_shared (T at) { return (T) leat_ptx_shared ((size_t) at); }
template <class T>
LEAT_MEMBER T
leat_ptx_cvta_to_shared (T at)
{
  return (T) ((size_t) at - (size_t) this->leat_block->shared);
}

LEAT_MEMBER void leat_ptx_bar_sync (unsigned int = 0) { this->__syncthreads (); }
LEAT_MEMBER void leat_ptx_bar_warp_sync (unsigned int mask) { this->__syncwarp (mask); }
LEAT_MEMBER void leat_ptx_nanosleep (unsigned int ns) { this->__nanosleep (ns); }
LEAT_MEMBER void leat_ptx_trap () { this->leat_trap ("trap", nullptr, 0); }
template <class T> LEAT_MEMBER unsigned int leat_ptx_activemask () { return this->__activemask (); }
template <class T> LEAT_MEMBER unsigned int leat_ptx_vote_ballot (bool p, unsigned int mask) { return this->__ballot_sync (mask, p); }
template <class T> LEAT_MEMBER bool leat_ptx_vote_any (bool p, unsigned int mask) { return this->__any_sync (mask, p) != 0; }
template <class T> LEAT_MEMBER bool leat_ptx_vote_all (bool p, unsigned int mask) { return this->__all_sync (mask, p) != 0; }
