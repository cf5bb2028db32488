/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* compact's kernel for `x < limit` on u32, by the parameters that are defined where this is included: once for each set
 * of them, in the namespace VARIANT.  What the node writes around its files is written by hand here. */

#ifndef COMPACT_PACK
#define COMPACT_PACK 4
#endif
#ifndef COMPACT_BLOCKS
#define COMPACT_BLOCKS 1
#endif
#ifndef COMPACT_WIDE
#define COMPACT_WIDE 0
#endif
#ifndef COMPACT_IN_PLACE
#define COMPACT_IN_PLACE 0
#endif
#ifndef COMPACT_FEW
#define COMPACT_FEW 0
#endif
#ifndef COMPACT_CLUSTER
#define COMPACT_CLUSTER 1
#endif

namespace VARIANT
{
#include "compact-store.cu"

struct CompactFrom
{
  const uint32_t *x;
  uint32_t limit;
};
struct __align__ (4 * COMPACT_PACK) CompactPack_x
{
  uint32_t at[COMPACT_PACK];
};
struct CompactLook
{
  CompactPack_x x;
};
struct CompactTo
{
  uint32_t *out;
  uint64_t *out_count;
  uint64_t room;
};
typedef uint32_t CompactStage;

static __device__ __forceinline__ void
compact_load (const CompactFrom &from, uint64_t first, CompactLook &look)
{
  look.x = *(const CompactPack_x *) (from.x + first);
}

static __device__ __forceinline__ void
compact_load_some (const CompactFrom &from, uint64_t first, uint32_t n, CompactLook &look)
{
#pragma unroll
  for (uint32_t i = 0; i < COMPACT_PACK; i++)
    if (i < n)
      look.x.at[i] = from.x[first + i];
}

static __device__ __forceinline__ bool
compact_keeps (const CompactFrom &from, const CompactLook &look, uint32_t i)
{
  return look.x.at[i] < from.limit;
}

static __device__ __forceinline__ CompactStage
compact_stage (const CompactLook &look, uint64_t, uint32_t i)
{
  return look.x.at[i];
}

static __device__ __forceinline__ void
compact_give (const CompactFrom &, const CompactTo &to, uint64_t, const CompactStage *stage, uint64_t place, uint32_t n)
{
  compact_store_items (to.out + place, stage, compact_clip (place, n, to.room));
}

static __device__ __forceinline__ void
compact_put (const CompactFrom &, const CompactTo &to, const CompactLook &look, uint64_t, uint64_t at)
{
  if (at < to.room)
    to.out[at] = look.x.at[0];
}

static __device__ __forceinline__ void
compact_tell (const CompactTo &to, uint64_t sum)
{
  *to.out_count = sum;
}

#include "compact.cu"
#if COMPACT_FEW
#include "compact-few.cu"
#endif

__global__ void
#if COMPACT_CLUSTER > 1
LEAT_CLUSTER (COMPACT_CLUSTER)
#endif
  __launch_bounds__ (COMPACT_THREADS, COMPACT_BLOCKS)
  compact (const uint32_t *x, uint64_t n, uint32_t limit, uint32_t *out, uint64_t *out_count, uint64_t room,
           uint64_t *control, uint64_t set_words)
{
  extern __shared__ uint4 stages[];
  CompactFrom from = { x, limit };
  CompactTo to = { out, out_count, room };

  leat_wait_for_others (1);
#if COMPACT_FEW
  compact_run_few (from, to, n, control);
#else
  compact_run (from, to, n, control, set_words, (CompactStage *) stages);
#endif
}

static const Variant variant = { TEXT_OF (VARIANT), (const void *) compact, COMPACT_THREADS, COMPACT_TILE,
                                 COMPACT_FEW ? 0 : 2 * COMPACT_TILE * sizeof (CompactStage) + 16, COMPACT_IN_PLACE,
                                 COMPACT_FEW, COMPACT_CLUSTER };
}

#undef COMPACT_PACK
#undef COMPACT_FEW
#undef COMPACT_CLUSTER
#undef COMPACT_LAUNCH
#undef COMPACT_MOST_FEW
#undef COMPACT_THREADS
#undef COMPACT_RUNS
#undef COMPACT_BLOCKS
#undef COMPACT_WIDE
#undef COMPACT_IN_PLACE
#undef COMPACT_TILE
#undef COMPACT_WARPS
#undef COMPACT_WARP_ROWS
#undef COMPACT_TURN
#undef COMPACT_USED
#undef COMPACT_TICKET
#undef COMPACT_DONE
#undef COMPACT_SETS
#undef COMPACT_NOTHING
#undef COMPACT_OF_TILE
#undef COMPACT_UP_TO_END
#undef COMPACT_FIELD
#undef VARIANT
