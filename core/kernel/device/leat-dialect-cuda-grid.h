/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

/* Work that the blocks of a grid share on a GPU: items, loads and stores in order, clusters, the barrier of all
 * blocks.  Behind leat-dialect-cuda.h. */

/* Gives each of the items 0 to n - 1 to one thread of the grid; which one is open, and every thread must come here. */
#define GRID_FOR(i, n) for (auto i = leat_grid_first (n); i < (n); i += leat_grid_step (n))

template <class T>
__device__ __forceinline__ T
leat_load_relaxed (const T *p)
{
  return *(const volatile T *) p;
}

template <class T>
__device__ __forceinline__ void
leat_store_relaxed (T *p, T v)
{
  *(volatile T *) p = v;
}

/* The bits of a T, as instructions take them. */
template <class T>
union LeatBits
{
  T v;
  unsigned int b32;
  unsigned long b64;
};

/* Types of four and eight bytes are loaded and stored in order by one instruction each; a fence, which all others need,
 * takes several times as long. */
template <class T>
__device__ __forceinline__ T
leat_load_acquire (const T *p)
{
  LeatBits<T> bits;

  if (sizeof (T) == 4)
    asm volatile ("ld.acquire.gpu.b32 %0, [%1];" : "=r"(bits.b32) : "l"(p) : "memory");
  else if (sizeof (T) == 8)
    asm volatile ("ld.acquire.gpu.b64 %0, [%1];" : "=l"(bits.b64) : "l"(p) : "memory");
  else
    {
      bits.v = *(const volatile T *) p;
      __threadfence ();
    }
  return bits.v;
}

template <class T>
__device__ __forceinline__ void
leat_store_release (T *p, T v)
{
  LeatBits<T> bits;

  bits.v = v;
  if (sizeof (T) == 4)
    asm volatile ("st.release.gpu.b32 [%0], %1;" ::"l"(p), "r"(bits.b32) : "memory");
  else if (sizeof (T) == 8)
    asm volatile ("st.release.gpu.b64 [%0], %1;" ::"l"(p), "l"(bits.b64) : "memory");
  else
    {
      __threadfence ();
      *(volatile T *) p = v;
    }
}

/* How many have been here before, in order with what stands before and after: what they have written before they came is
 * there for who comes later. */
__device__ __forceinline__ unsigned int
leat_arrive (unsigned int *count)
{
  unsigned int before;

  asm volatile ("atom.acq_rel.gpu.add.u32 %0, [%1], 1;" : "=r"(before) : "l"(count) : "memory");
  return before;
}

/* Blocks of a cluster, which a kernel asks for by LEAT_CLUSTER (N) in front of its name: so many blocks, as the grid's x
 * goes on, run at the same time and see each other's shared memory.  Before compute capability 9.0 there are none. */
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define LEAT_HAS_CLUSTERS 1
#define LEAT_CLUSTER(blocks) __cluster_dims__ (blocks)

/* Threads that come back from leat_cluster_wait () see all that this thread wrote before, also to shared memory of
 * other blocks.  They come back when all threads of the cluster have come here. */
__device__ __forceinline__ void
leat_cluster_arrive ()
{
  asm volatile ("barrier.cluster.arrive.release.aligned;" ::: "memory");
}

__device__ __forceinline__ void
leat_cluster_wait ()
{
  asm volatile ("barrier.cluster.wait.acquire.aligned;" ::: "memory");
}

/* Stores what is @p in this block's shared memory in that of block @block of the cluster, which has to be there: its
 * threads have come to leat_cluster_arrive () once, and this one back from leat_cluster_wait (). */
__device__ __forceinline__ void
leat_cluster_store (unsigned int *p, unsigned int block, unsigned int v)
{
  unsigned int there;

  asm volatile ("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(there) : "r"((unsigned int) __cvta_generic_to_shared (p)), "r"(block));
  asm volatile ("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(v) : "memory");
}
#else
#define LEAT_HAS_CLUSTERS 0
#define LEAT_CLUSTER(blocks)
#endif

/* A number for who asks, the blocks of a grid for instance, in the order in which they do.  Whoever waits only for those
 * with lower numbers waits for none that has not begun.  Others know by this name that a kernel waits so. */
template <class T>
__device__ __forceinline__ T
leat_take_ticket (T *counter)
{
  return atomicAdd (counter, (T) 1);
}

/* The barrier's memory lies in the module, so two launches of one module that use it must not overlap.  All blocks
 * together add 2^31: between barriers all bits but the highest are 0, and that one changes when the last has come. */
__device__ unsigned int leat_grid_barrier;

/* A barrier of all blocks, which all run at once: each adds to a word and waits for it to change, so that nobody has to
 * be told by another one (as cooperative groups do it). */
__device__ inline void
leat_grid_sync ()
{
  __syncthreads ();
  if (threadIdx.x + threadIdx.y + threadIdx.z == 0)
    {
      unsigned int blocks = gridDim.x * gridDim.y * gridDim.z, before;
      unsigned int mine = blockIdx.x + blockIdx.y + blockIdx.z == 0 ? 0x80000000u - (blocks - 1) : 1;

      asm volatile ("atom.release.gpu.add.u32 %0, [%1], %2;" : "=r"(before) : "l"(&leat_grid_barrier), "r"(mine) : "memory");
      while (((leat_load_acquire (&leat_grid_barrier) ^ before) & 0x80000000u) == 0)
        ;
    }
  __syncthreads ();
}
