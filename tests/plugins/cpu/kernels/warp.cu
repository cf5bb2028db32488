// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Operations of 32 threads.

#define FULL 0xffffffffu

__device__ int
lane_of (void)
{
  return threadIdx.x & 31;
}

__inline__ __device__ float
warp_sum (float val)
{
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync (FULL, val, offset);
  return val;
}

// The sum of a block: warps, then the warps' sums.
__global__ void
block_sum (const float *in, float *out, int n)
{
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float val = i < n ? in[i] : 0.0f;

  val = warp_sum (val);
  if (lane == 0)
    shared[wid] = val;
  __syncthreads ();
  val = threadIdx.x < blockDim.x / warpSize ? shared[lane] : 0.0f;
  if (wid == 0)
    val = warp_sum (val);
  if (threadIdx.x == 0)
    atomicAdd (out, val);
}

__global__ void
warp_scan (const int *in, int *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];
#pragma unroll
  for (int d = 1; d < 32; d <<= 1)
    {
      int up = __shfl_up_sync (FULL, v, d);
      if (lane_of () >= d)
        v += up;
    }
  out[i] = v;
}

// All four shuffles, whole warps and groups of eight, and types of every size.
__global__ void
shuffles (const int *in, int *idx, int *up, int *down, int *exor, int *group, double *wide, unsigned char *narrow)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];

  idx[i] = __shfl_sync (FULL, v, (lane_of () * 7 + 3) & 31);
  up[i] = __shfl_up_sync (FULL, v, 5);
  down[i] = __shfl_down_sync (FULL, v, 9);
  exor[i] = __shfl_xor_sync (FULL, v, 17);
  group[i] = __shfl_down_sync (FULL, v, 3, 8) + __shfl_sync (FULL, v, 2, 8);
  wide[i] = __shfl_sync (FULL, (double) v + 0.25, 31 - lane_of ());
  narrow[i] = (unsigned char) __shfl_xor_sync (FULL, v & 0xff, 1);
}

__global__ void
ballots (const int *in, unsigned *ballot, int *any, int *all, int *rank)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int odd = in[i] & 1;
  unsigned b = __ballot_sync (FULL, odd);

  ballot[i] = b;
  any[i] = __any_sync (FULL, odd) != 0;
  all[i] = __all_sync (FULL, odd) != 0;
  rank[i] = __popc (b & ((1u << lane_of ()) - 1));
}

// The two halves of a warp go different ways and wait for their own.
__global__ void
halves (const int *in, int *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int v = in[i];

  if (lane_of () < 16)
    {
      for (int d = 8; d > 0; d /= 2)
        v += __shfl_xor_sync (0x0000ffffu, v, d);
    }
  else
    {
      for (int d = 8; d > 0; d /= 2)
        v = max (v, __shfl_xor_sync (0xffff0000u, v, d));
    }
  out[i] = v;
}

// Twelve lanes work, the others have returned.
__global__ void
few_lanes (const int *in, int *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  out[i] = -1;
  if (lane_of () >= 12)
    return;
  unsigned mask = __ballot_sync (0xfffu, in[i] > 0);
  out[i] = __popc (mask) * 100 + __shfl_sync (0xfffu, in[i], 11);
}

// A last warp that is not full: only its own lanes are in the mask.
__global__ void
short_warp (const int *in, int *out)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int first = threadIdx.x & ~31;
  int lanes = min (32, (int) blockDim.x - first);
  unsigned mask = lanes == 32 ? FULL : (1u << lanes) - 1;
  int v = in[i], sum = 0;

  for (int k = 0; k < lanes; k++)
    sum += __shfl_sync (mask, v, k);
  out[i] = sum;
}

// Neighbours exchange through shared memory with no more than __syncwarp.
__global__ void
exchange (const int *in, int *out)
{
  __shared__ int box[256];
  int t = threadIdx.x;
  int i = blockIdx.x * blockDim.x + t;

  box[t] = in[i];
  __syncwarp ();
  int other = box[t ^ 1];
  __syncwarp ();
  box[t] = other * 2;
  __syncwarp ();
  out[i] = box[t ^ 3];
}

// Writes what passes behind each other, one atomic a warp.
__global__ void
compact (const int *in, int *out, int n, int *total)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int keep = i < n && in[i] % 3 == 0;
  unsigned mask = __ballot_sync (FULL, keep);
  int leader = __ffs (mask) - 1;
  int base = 0;

  if (mask == 0)
    return;
  if (lane_of () == leader)
    base = atomicAdd (total, __popc (mask));
  base = __shfl_sync (FULL, base, leader);
  if (keep)
    out[base + __popc (mask & ((1u << lane_of ()) - 1))] = in[i];
}
