/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* compact's kernel for `x < limit` on u32, by the parameters that are defined where this is included: once for each set
 * of them, in the namespace VARIANT.  What the node writes around its two files is written by hand here. */

#define COMPACT_PACK 4
#define COMPACT_BY_BITS 0

namespace VARIANT
{
#include "compact-store.cu"

struct CompactFrom
{
  const uint32_t *x;
  uint32_t limit;
};
struct __align__ (16) CompactPack_x
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
compact_tell (const CompactTo &to, uint64_t sum)
{
  *to.out_count = sum;
}

#include "compact.cu"

__global__ void __launch_bounds__ (COMPACT_THREADS, COMPACT_BLOCKS)
  compact (const uint32_t *x, uint64_t n, uint32_t limit, uint32_t *out, uint64_t *out_count, uint64_t room,
           uint64_t *control, uint64_t set_words)
{
  extern __shared__ uint4 stages[];
  CompactFrom from = { x, limit };
  CompactTo to = { out, out_count, room };

  compact_run (from, to, n, control, set_words, (CompactStage *) stages);
}

static const Variant variant = { TEXT_OF (VARIANT), (const void *) compact, COMPACT_THREADS, COMPACT_TILE,
                                 2 * COMPACT_TILE * sizeof (CompactStage) + 16, COMPACT_IN_PLACE };
}

#undef COMPACT_PACK
#undef COMPACT_BY_BITS
#undef COMPACT_THREADS
#undef COMPACT_RUNS
#undef COMPACT_ROWS
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
