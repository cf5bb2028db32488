/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* CUDA's rarer functions that know the thread: which memory an address is in, barriers by other names.  Members of a
 * struct between leat_thread and the kernel's text, where that names any of them. */

/* The entry function makes the thread in its frame, below which all that is local lies. */
const char *leat_local_end;

LEAT_MEMBER leat_placer () : leat_local_end ((const char *) __builtin_frame_address (0)) {}

static __attribute__ ((noinline)) bool
leat_is_between (const char *p, const char *end)
{
  return p >= (const char *) __builtin_frame_address (0) && p < end;
}
LEAT_MEMBER unsigned int __isLocal (const void *p) { return leat_is_between ((const char *) p, leat_local_end); }
LEAT_MEMBER unsigned int
__isShared (const void *p)
{
  return (uintptr_t) p - (uintptr_t) this->leat_block->shared < this->leat_block->dynamic_offset + this->leat_block->dynamic_bytes;
}
LEAT_MEMBER unsigned int __isGlobal (const void *p) { return !__isShared (p) && !__isLocal (p); }

/* Shared memory is counted from the block's; all other addresses are what they are. */
LEAT_MEMBER size_t
__cvta_generic_to_shared (const void *p)
{
  return (size_t) ((const unsigned char *) p - this->leat_block->shared);
}
LEAT_MEMBER void *__cvta_shared_to_generic (size_t at) { return this->leat_block->shared + at; }
#define LEAT_PLACE(space)                                                                                              \
  LEAT_MEMBER static size_t __cvta_generic_to_##space (const void *p) { return (size_t) p; }                           \
  LEAT_MEMBER static void *__cvta_##space##_to_generic (size_t at) { return (void *) at; }
LEAT_PLACE (global)
LEAT_PLACE (local)
LEAT_PLACE (constant)
LEAT_PLACE (grid_constant)
#undef LEAT_PLACE

/* All threads of the block come to a barrier, whichever of its sixteen it is. */
LEAT_MEMBER void __barrier_sync (unsigned int) { this->__syncthreads (); }
LEAT_MEMBER int syncthreads_count (bool p) { return this->__syncthreads_count (p); }
LEAT_MEMBER bool syncthreads_and (bool p) { return this->__syncthreads_and (p) != 0; }
LEAT_MEMBER bool syncthreads_or (bool p) { return this->__syncthreads_or (p) != 0; }
LEAT_MEMBER int
__uni_sync (unsigned int mask, int p)
{
  int all = this->__all_sync (mask, p), none = !this->__any_sync (mask, p);

  return all | none;
}

/* A mark for a profiler, of which there is none. */
LEAT_MEMBER static void __prof_trigger (int) {}
#define __brkpt() leat_trap ("__brkpt ()", nullptr, 0)
