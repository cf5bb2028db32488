/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* PTX that knows the thread or goes to memory.  Each thread tells what it found true, a bit each. */

#define REGISTER(name)                                                                                                 \
  __device__ unsigned int of_##name ()                                                                                 \
  {                                                                                                                    \
    unsigned int r;                                                                                                    \
    asm volatile ("mov.u32 %0, %%" #name ";" : "=r"(r));                                                               \
    return r;                                                                                                          \
  }
REGISTER (laneid)
REGISTER (warpid)
REGISTER (nwarpid)
REGISTER (smid)
REGISTER (nsmid)
REGISTER (lanemask_eq)
REGISTER (lanemask_lt)
REGISTER (lanemask_le)
REGISTER (lanemask_gt)
REGISTER (lanemask_ge)

__global__ void
registers (unsigned int *seen)
{
  unsigned int thread = threadIdx.x + blockDim.x * threadIdx.y, lane = thread % 32, flags = 0, x, y, z, w;
  unsigned long long before, after;

  asm volatile ("mov.u64 %0, %%clock64;" : "=l"(before)::"memory");
  asm ("mov.u32 %0, %%tid.x; mov.u32 %1, %%tid.y; mov.u32 %2, %%ntid.x; mov.u32 %3, %%ctaid.x;"
       : "=r"(x), "=r"(y), "=r"(z), "=r"(w));
  flags |= (x == threadIdx.x && y == threadIdx.y && z == blockDim.x && w == blockIdx.x) << 0;
  flags |= (of_laneid () == lane && of_warpid () < of_nwarpid ()) << 1;
  flags |= (of_smid () < of_nsmid ()) << 2;
  flags |= (of_lanemask_eq () == 1u << lane && of_lanemask_lt () == (1u << lane) - 1) << 3;
  flags |= (of_lanemask_le () == (of_lanemask_lt () | of_lanemask_eq ())) << 4;
  flags |= (of_lanemask_gt () == ~of_lanemask_le () && of_lanemask_ge () == ~of_lanemask_lt ()) << 5;
  asm volatile ("mov.u64 %0, %%clock64;" : "=l"(after)::"memory");
  flags |= (after >= before) << 6;
  seen[thread + blockDim.x * blockDim.y * blockIdx.x] = flags;
}

__device__ __forceinline__ unsigned int
shared_place (const void *p)
{
  return (unsigned int) __cvta_generic_to_shared (p);
}

/* 64 threads; @items has four words for each, @cells eight. */
__global__ void
memory (unsigned int *seen, uint4 *items, unsigned int *cells)
{
  __shared__ uint2 part[64];
  unsigned int t = threadIdx.x, a, b, c, d, old, flags = 0, mine = shared_place (part + t), lanes;
  unsigned long long wide;
  size_t place;

  asm ("ld.global.nc.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(items + t));
  flags |= (a == t && b == t + 1 && c == t + 2 && d == t + 3) << 0;
  asm volatile ("ld.global.ca.u32 %0, [%1 + 4];" : "=r"(b) : "l"(items + t));
  asm volatile ("ld.relaxed.gpu.global.u32 %0, [%1+8];" : "=r"(c) : "l"(items + t));
  flags |= (b == t + 1 && c == t + 2) << 1;
  asm volatile ("st.shared.v2.u32 [%0], {%1, %2};" ::"r"(mine), "r"(a), "r"(b) : "memory");
  asm volatile ("bar.sync 0;" ::: "memory");
  asm volatile ("ld.shared.u32 %0, [%1];" : "=r"(c) : "r"(shared_place (part + (63 - t))));
  flags |= (c == 63 - t && part[t].y == t + 1) << 2;
  asm volatile ("barrier.sync 0;" ::: "memory");
  asm ("cvta.to.shared.u64 %0, %1;" : "=l"(place) : "l"(part + t));
  flags |= ((unsigned int) place == mine) << 3;
  asm volatile ("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(cells), "r"(2) : "memory");
  flags |= (old % 2 == 0 && old < 128) << 4;
  asm volatile ("red.global.max.u32 [%0], %1;" ::"l"(cells + 1), "r"(t) : "memory");
  asm volatile ("atom.shared.exch.b32 %0, [%1], %2;" : "=r"(old) : "r"(mine), "r"(77) : "memory");
  flags |= (old == t && part[t].x == 77) << 5;
  asm volatile ("atom.cas.b32 %0, [%1], 0, 9;" : "=r"(old) : "l"(cells + 2) : "memory");
  flags |= (old == 0 || old == 9) << 6;
  asm volatile ("membar.gl;\n\tprefetch.global.L2 [%0];\n\tfence.acq_rel.gpu;" ::"l"(items));
  asm volatile ("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, 0xffffffff; }" : "=r"(lanes) : "r"(t % 2));
  flags |= (lanes == 0xaaaaaaaau) << 7;
  asm volatile ("st.global.cg.u64 [%0 + 16], %1;" ::"l"(cells), "l"(0x123456789abcdef0ull) : "memory");
  asm volatile ("ld.volatile.global.u64 %0, [%1 + 16];" : "=l"(wide) : "l"(cells));
  flags |= (wide == 0x123456789abcdef0ull) << 8;
  seen[t] = flags;
}

/* A number of 64 bits in two halves, whose functions carry between statements. */
struct Halves
{
  unsigned int low, high;

  __device__ void add (const Halves &other)
  {
    asm volatile ("add.cc.u32 %0, %0, %1;" : "+r"(low) : "r"(other.low));
    asm volatile ("addc.u32 %0, %0, %1;" : "+r"(high) : "r"(other.high));
  }
};

__global__ void
halves (const uint64_t *a, const uint64_t *b, uint64_t *y, int n)
{
  GRID_FOR (i, n)
  {
    Halves x = { (unsigned int) a[i], (unsigned int) (a[i] >> 32) };
    Halves z = { (unsigned int) b[i], (unsigned int) (b[i] >> 32) };

    x.add (z);
    y[i] = (uint64_t) x.high << 32 | x.low;
  }
}

/* Values that are read and changed, in one statement and in several. */
__global__ void
in_place (int *values)
{
  asm ("add.s32 %0, %0, %1;" : "+r"(values[0]) : "r"(10));
  asm ("" ::: "memory");
  asm ("{\n\t"
       ".reg .s32 t; // twice\n\t"
       "add.s32 t, %0, %0;\n\t"
       "mov.s32 %0, t;\n\t"
       "}"
       : "+r"(values[1]));
  /* A sum of 96 bits in three statements. */
  asm volatile ("add.cc.u32 %0, %1, %2;" : "=r"(values[2]) : "r"(values[2]), "r"(-1));
  asm volatile ("addc.cc.u32 %0, %1, %2;" : "=r"(values[3]) : "r"(values[3]), "r"(-1));
  asm volatile ("addc.u32 %0, %1, %2;" : "=r"(values[4]) : "r"(values[4]), "r"(0));
}
