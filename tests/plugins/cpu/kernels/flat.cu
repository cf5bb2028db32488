// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <cuda_runtime.h>
#include <stdint.h>

// Kernels whose threads never wait for each other.

#define IDX2(x, y, pitch) ((y) * (pitch) + (x))

struct Ray
{
  float3 origin;
  float length;
  const float *nowhere; /* a value with a pointer is taken as it is */
};

enum Mode { MODE_KEEP, MODE_NEGATE, MODE_SQUARE };

__constant__ float weights[4] = { 0.5f, 1.0f, 2.0f, 4.0f };
__device__ unsigned int calls;

template <typename T>
__device__ __forceinline__ T
clamp_to (T v, T low, T high)
{
  return v < low ? low : (v > high ? high : v);
}

__device__ static float apply (float x, Mode mode);

extern "C" __global__ void
saxpy (int n, float a, const float *__restrict__ x, float *__restrict__ y)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    y[i] = a * x[i] + y[i];
}

__global__ void
stride_int (int n, const float *x, float *y)
{
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    y[i] = x[i] * 2.0f + 1.0f;
}

__global__ void
stride_named (size_t n, const float *x, float *y)
{
  size_t index = blockIdx.x * blockDim.x + threadIdx.x;
  size_t stride = blockDim.x * gridDim.x;
  for (size_t i = index; i < n; i += stride)
    y[i] = x[i] * 2.0f + 1.0f;
}

// What each thread does is seen: the loop must not be taken apart.
__global__ void
stride_owner (unsigned n, unsigned *owner, unsigned *trips)
{
  unsigned me = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned passed = 0;
  for (unsigned i = me; i < n; i += gridDim.x * blockDim.x)
    {
      owner[i] = me;
      passed++;
    }
  trips[me] = passed;
}

__global__ void
guard_2d (const uchar4 *in, uchar4 *out, int width, int height)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  int y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height)
    return;
  uchar4 p = in[IDX2 (x, y, width)];
  unsigned char luma = (unsigned char) ((p.x * 77 + p.y * 150 + p.z * 29) >> 8);
  out[IDX2 (x, y, width)] = make_uchar4 (luma, luma, luma, p.w);
}

__global__ void
indices_3d (uint32_t *out)
{
  dim3 at (blockIdx.x * blockDim.x + threadIdx.x, blockIdx.y * blockDim.y + threadIdx.y,
           blockIdx.z * blockDim.z + threadIdx.z);
  uint32_t width = gridDim.x * blockDim.x, height = gridDim.y * blockDim.y;

  out[(at.z * height + at.y) * width + at.x] =
    threadIdx.x | threadIdx.y << 4 | threadIdx.z << 8 | blockIdx.x << 12 | blockIdx.y << 16 | blockIdx.z << 20;
}

__device__ static float
apply (float x, Mode mode)
{
  switch (mode)
    {
    case MODE_NEGATE:
      return -x;
    case MODE_SQUARE:
      return x * x;
    default:
      return x;
    }
}

// Returns early, then does the rest without waiting for anyone.
__global__ void
early_return (const float *in, float *out, int n)
{
  const int i = threadIdx.x + blockIdx.x * blockDim.x;

  if (i >= n)
    return;
  if (in[i] < 0.0f)
    {
      out[i] = apply (in[i], MODE_NEGATE);
      return;
    }
  float v = apply (in[i], i & 1 ? MODE_SQUARE : MODE_KEEP);
#pragma unroll
  for (int k = 0; k < 4; k++)
    v += weights[k] * (float) k;
  out[i] = clamp_to<float> (v, 0.0f, 100.0f);
}

__global__ void
by_value (Ray ray, float4 *out, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    {
      float t = ray.length * (float) i;
      out[i] = make_float4 (ray.origin.x + t, ray.origin.y, ray.origin.z - t, 1.0f);
    }
  if (i == 0)
    atomicAdd (&calls, 1u);
}

__global__ void
get_calls (unsigned int *out)
{
  if (threadIdx.x == 0)
    *out = calls;
}

__global__ void
collatz (const unsigned long long *start, int *steps, int n)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n)
    return;
  unsigned long long v = start[i];
  int count = 0;
  while (v != 1)
    {
      v = v % 2 == 0 ? v / 2 : 3 * v + 1;
      count++;
    }
  steps[i] = count;
}

__global__ void
say (int n)
{
  if (threadIdx.x < n)
    printf ("thread %d of block %u says %.2f\n", threadIdx.x, blockIdx.x, 1.5 * threadIdx.x);
}

__global__ void
trap_below (const int *in, int least)
{
  if (in[threadIdx.x] < least)
    __trap ();
}
