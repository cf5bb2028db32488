/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Functions that know the thread or go to memory.  Each thread tells what it found true, a bit each. */

__device__ int place_variable;

__global__ void
spaces (unsigned int *seen, float *memory)
{
  __shared__ int still[8];
  extern __shared__ int moving[];
  int own[4] = { 1, 2, 3, 4 };
  unsigned int flags = 0;

  own[threadIdx.x % 4] = (int) threadIdx.x;
  flags |= (__isShared (still + 2) && !__isGlobal (still + 2) && !__isLocal (still + 2)) << 0;
  flags |= (__isShared (moving + 3) && !__isGlobal (moving + 3) && !__isLocal (moving + 3)) << 1;
  flags |= (__isGlobal (memory + 5) && !__isShared (memory + 5) && !__isLocal (memory + 5)) << 2;
  flags |= (__isLocal (own + 1) && !__isShared (own + 1) && !__isGlobal (own + 1)) << 3;
  flags |= (__isGlobal (&place_variable) && !__isLocal (&place_variable)) << 4;
  flags |= (__cvta_shared_to_generic (__cvta_generic_to_shared (still + 2)) == still + 2) << 5;
  flags |= (__cvta_generic_to_shared (still + 2) - __cvta_generic_to_shared (still) == 2 * sizeof (int)) << 6;
  flags |= (__cvta_global_to_generic (__cvta_generic_to_global (memory)) == memory) << 7;
  flags |= (__cvta_local_to_generic (__cvta_generic_to_local (own)) == own) << 8;
  __prof_trigger (1);
  seen[blockIdx.x * blockDim.x + threadIdx.x] = own[threadIdx.x % 4] == (int) threadIdx.x ? flags : 0;
}

/* 64 threads */
__global__ void
meetings (unsigned int *seen)
{
  __shared__ unsigned int all[64];
  unsigned int t = threadIdx.x, flags = 0;

  all[t] = t * 3;
  __barrier_sync (0);
  flags |= (all[63 - t] == (63 - t) * 3) << 0;
  flags |= (syncthreads_count (t % 4 == 0) == 16) << 1;
  flags |= (syncthreads_and (t < 64) && !syncthreads_and (t < 63)) << 2;
  flags |= (syncthreads_or (t == 5) && !syncthreads_or (t == 64)) << 3;
  flags |= (__uni_sync (0xffffffffu, t < 32) != 0) << 4;
  flags |= (__uni_sync (0xffffffffu, t % 2) == 0) << 5;
  seen[t] = flags;
}

/* Each type by each function: 16 bytes for each, and how many of them are its. */
template <class T>
__device__ void
note (int *sizes, int *k)
{
  sizes[(*k)++] = sizeof (T);
}
#define LOADED(load, T)                                                                                                \
  *(T *) (to + k * 16) = load ((const T *) (from + k * 16));                                                           \
  note<T> (sizes, &k);
#define STORED(store, T)                                                                                               \
  store ((T *) (to + k * 16), *(const T *) (from + k * 16));                                                           \
  note<T> (sizes, &k);
#define OF_ALL(F, name)                                                                                                \
  F (name, char) F (name, signed char) F (name, unsigned char) F (name, short) F (name, unsigned short) F (name, int)  \
  F (name, unsigned int) F (name, long) F (name, unsigned long) F (name, long long) F (name, unsigned long long)       \
  F (name, float) F (name, double) F (name, char2) F (name, char4) F (name, uchar2) F (name, uchar4) F (name, short2)  \
  F (name, short4) F (name, ushort2) F (name, ushort4) F (name, int2) F (name, int4) F (name, uint2) F (name, uint4)   \
  F (name, longlong2) F (name, ulonglong2) F (name, float2) F (name, float4) F (name, double2)

__global__ void
cached (const unsigned char *from, unsigned char *to, int *sizes)
{
  int k = 0;

  OF_ALL (LOADED, __ldg)
  OF_ALL (LOADED, __ldca)
  OF_ALL (LOADED, __ldcg)
  OF_ALL (LOADED, __ldcs)
  OF_ALL (LOADED, __ldcv)
  OF_ALL (LOADED, __ldlu)
  OF_ALL (STORED, __stcg)
  OF_ALL (STORED, __stcs)
  OF_ALL (STORED, __stwb)
  OF_ALL (STORED, __stwt)
}

/* What was there goes to @before. */
#define CHANGED(call)                                                                                                  \
  before[k] = call;                                                                                                    \
  k++;
#define CHANGED_IN(scope)                                                                                              \
  CHANGED (atomicAdd##scope (cells + k, 5u))                                                                           \
  CHANGED (atomicSub##scope (cells + k, 5u))                                                                           \
  CHANGED (atomicExch##scope (cells + k, 5u))                                                                          \
  CHANGED (atomicMin##scope (cells + k, 5u))                                                                           \
  CHANGED (atomicMax##scope (cells + k, 500u))                                                                         \
  CHANGED (atomicInc##scope (cells + k, 12u))                                                                          \
  CHANGED (atomicDec##scope (cells + k, 5u))                                                                           \
  CHANGED (atomicAnd##scope (cells + k, 6u))                                                                           \
  CHANGED (atomicOr##scope (cells + k, 3u))                                                                            \
  CHANGED (atomicXor##scope (cells + k, 5u))                                                                           \
  CHANGED (atomicCAS##scope (cells + k, 12u, 7u))

__global__ void
changed (unsigned int *cells, unsigned int *before)
{
  int k = 0;

  CHANGED_IN ()
  CHANGED_IN (_block)
  CHANGED_IN (_system)
}

__global__ void
aligned (unsigned int *seen)
{
  double4_32a d = make_double4_32a (1, 2, 3, 4);
  double4_16a e = make_double4_16a (5, 6, 7, 8);
  longlong4_32a l = make_longlong4_32a (1, 2, 3, 4);
  ulonglong4_16a u = make_ulonglong4_16a (1, 2, 3, 4);

  seen[0] = (alignof (double4_32a) == 32 && alignof (double4_16a) == 16 && sizeof (ulonglong4_16a) == 32) << 0
            | (d.x == 1 && d.w == 4 && e.y == 6 && l.z == 3 && u.w == 4) << 1
            | (!__isnanl (1.0) && __finitel (1.0) && !__isinfl (1.0) && __signbitl (-1.0) != 0) << 2;
}

__global__ void
quotients (const float *x, const float *y, float *z, int n)
{
  GRID_FOR (i, n)
    z[i] = __fdividef (x[i], y[i]);
}
