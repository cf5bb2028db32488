/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Kernels of the kinds that programs have, for wrapped.py, which compiles this file twice: as it is, by NVRTC, and as
 * Leat's image.  All take the same arguments, so that one table launches them. */

#include <cuda_fp16.h>

#define ARGUMENTS const float *x, const float *z, float *y, int n
#define ITEM                                                                                                           \
  int i = blockIdx.x * blockDim.x + threadIdx.x;                                                                       \
  if (i >= n)                                                                                                          \
  return
#define SIDE 2048 /* of a picture */
#define TILE 16

/* One item in, one out. */
extern "C" __global__ void
copy (ARGUMENTS)
{
  ITEM;
  y[i] = x[i];
}
extern "C" __global__ void
scale (ARGUMENTS)
{
  ITEM;
  y[i] = 1.5f * x[i];
}
extern "C" __global__ void
add (ARGUMENTS)
{
  ITEM;
  y[i] = x[i] + z[i];
}
extern "C" __global__ void
triad (ARGUMENTS)
{
  ITEM;
  y[i] = x[i] + 3.f * z[i];
}
extern "C" __global__ void
relu (ARGUMENTS)
{
  ITEM;
  y[i] = x[i] > 0.f ? x[i] : 0.f;
}
extern "C" __global__ void
gelu (ARGUMENTS)
{
  ITEM;
  y[i] = .5f * x[i] * (1.f + tanhf (.79788456f * (x[i] + .044715f * x[i] * x[i] * x[i])));
}
extern "C" __global__ void
sigmoid (ARGUMENTS)
{
  ITEM;
  y[i] = 1.f / (1.f + expf (-x[i]));
}
extern "C" __global__ void
softplus (ARGUMENTS)
{
  ITEM;
  y[i] = log1pf (expf (x[i]));
}
extern "C" __global__ void
length (ARGUMENTS)
{
  ITEM;
  y[i] = sqrtf (x[i] * x[i] + z[i] * z[i]);
}
extern "C" __global__ void
direction (ARGUMENTS)
{
  ITEM;
  y[i] = x[i] * rsqrtf (x[i] * x[i] + z[i] * z[i] + 1.f);
}
extern "C" __global__ void
wave (ARGUMENTS)
{
  ITEM;
  y[i] = sinf (x[i]) * cosf (z[i]);
}
extern "C" __global__ void
doubles (ARGUMENTS)
{
  ITEM;
  double a = x[i], b = z[i];
  y[i] = (float) (a * b + a / (b * b + 1.0));
}

extern "C" __global__ void
polynomial (ARGUMENTS)
{
  ITEM;
  float sum = 0.f;
#pragma unroll
  for (int k = 0; k < 16; k++)
    sum = sum * x[i] + (float) k;
  y[i] = sum;
}

extern "C" __global__ void
logistic (ARGUMENTS)
{
  ITEM;
  float v = .5f + .25f * x[i];
  for (int k = 0; k < 256; k++)
    v = 3.7f * v * (1.f - v);
  y[i] = v;
}

extern "C" __global__ void
mandelbrot (ARGUMENTS)
{
  ITEM;
  float a = 0.f, b = 0.f, re = x[i] * 2.f, im = z[i];
  int k = 0;
  while (k < 128 && a * a + b * b < 4.f)
    {
      float t = a * a - b * b + re;
      b = 2.f * a * b + im;
      a = t;
      k++;
    }
  y[i] = (float) k;
}

extern "C" __global__ void
black_scholes (ARGUMENTS)
{
  ITEM;
  float s = 50.f + 40.f * x[i], k = 50.f + 40.f * z[i], root = .3f * sqrtf (2.f);
  float d = (logf (s / k) + (.02f + .045f) * 2.f) / root;
  y[i] = s * normcdff (d) - k * expf (-.04f) * normcdff (d - root);
}

extern "C" __global__ void
hash (ARGUMENTS)
{
  ITEM;
  unsigned v = __float_as_uint (x[i]);
  for (int k = 0; k < 8; k++)
    v = (v ^ (v >> 16)) * 0x45d9f3bu + (unsigned) k;
  y[i] = (float) (v >> 8);
}

extern "C" __global__ void
xorshift (ARGUMENTS)
{
  ITEM;
  unsigned v = (unsigned) i + 1u;
  for (int k = 0; k < 64; k++)
    v ^= v << 13, v ^= v >> 17, v ^= v << 5;
  y[i] = (float) (v >> 8);
}

/* Vectors, structures, templates. */
extern "C" __global__ void
copy_4 (ARGUMENTS)
{
  ITEM;
  ((float4 *) y)[i] = ((const float4 *) x)[i];
}

extern "C" __global__ void
halves (ARGUMENTS)
{
  ITEM;
  __half2 a = ((const __half2 *) x)[i], b = ((const __half2 *) z)[i];
  ((__half2 *) y)[i] = __hfma2 (a, b, a);
}

struct complex_number
{
  float re, im;
  __device__ complex_number operator* (complex_number o) const
  {
    return { re * o.re - im * o.im, re * o.im + im * o.re };
  }
};

extern "C" __global__ void
complex_product (ARGUMENTS)
{
  ITEM;
  ((complex_number *) y)[i] = ((const complex_number *) x)[i] * ((const complex_number *) z)[i];
}

template <class T, int N>
__device__ T
power (T v)
{
  T p = v;
#pragma unroll
  for (int k = 1; k < N; k++)
    p *= v;
  return p;
}

extern "C" __global__ void
powers (ARGUMENTS)
{
  ITEM;
  y[i] = power<float, 7> (x[i]) + power<float, 3> (z[i]);
}

/* Neighbours. */
extern "C" __global__ void
gather (ARGUMENTS)
{
  ITEM;
  y[i] = x[(unsigned) i * 2654435761u % (unsigned) n];
}
extern "C" __global__ void
scatter (ARGUMENTS)
{
  ITEM;
  y[(unsigned) i * 17u % (unsigned) n] = x[i];
}

extern "C" __global__ void
stencil_7 (ARGUMENTS)
{
  ITEM;
  float sum = 0.f;
  for (int k = -3; k <= 3; k++)
    sum += x[min (max (i + k, 0), n - 1)];
  y[i] = sum / 7.f;
}

extern "C" __global__ void
stencil_shared (ARGUMENTS)
{
  __shared__ float near[256 + 6];
  int i = blockIdx.x * 256 + threadIdx.x, at = threadIdx.x + 3;
  near[at] = i < n ? x[i] : 0.f;
  if (threadIdx.x < 3)
    {
      near[threadIdx.x] = i >= 3 ? x[i - 3] : 0.f;
      near[at + 256] = i + 256 < n ? x[i + 256] : 0.f;
    }
  __syncthreads ();
  if (i >= n)
    return;
  float sum = 0.f;
  for (int k = -3; k <= 3; k++)
    sum += near[at + k];
  y[i] = sum;
}

#define PIXEL                                                                                                          \
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y;                            \
  if (c >= SIDE || r >= SIDE)                                                                                          \
  return

extern "C" __global__ void
stencil_2d (ARGUMENTS)
{
  PIXEL;
  int left = max (c - 1, 0), right = min (c + 1, SIDE - 1), up = max (r - 1, 0), down = min (r + 1, SIDE - 1);
  y[r * SIDE + c] =
    .2f * (x[r * SIDE + c] + x[r * SIDE + left] + x[r * SIDE + right] + x[up * SIDE + c] + x[down * SIDE + c]);
}

__constant__ float weights[25] = { 1, 2, 3, 2, 1, 2, 4, 6, 4, 2, 3, 6, 9, 6, 3, 2, 4, 6, 4, 2, 1, 2, 3, 2, 1 };

extern "C" __global__ void
convolve (ARGUMENTS)
{
  PIXEL;
  float sum = 0.f;
  for (int a = -2; a <= 2; a++)
    for (int b = -2; b <= 2; b++)
      sum += weights[(a + 2) * 5 + b + 2] * x[min (max (r + a, 0), SIDE - 1) * SIDE + min (max (c + b, 0), SIDE - 1)];
  y[r * SIDE + c] = sum / 81.f;
}

extern "C" __global__ void
transpose (ARGUMENTS)
{
  PIXEL;
  y[c * SIDE + r] = x[r * SIDE + c];
}

extern "C" __global__ void
transpose_tiles (ARGUMENTS)
{
  __shared__ float tile[TILE][TILE + 1];
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y;
  tile[threadIdx.y][threadIdx.x] = x[r * SIDE + c];
  __syncthreads ();
  y[(blockIdx.x * TILE + threadIdx.y) * SIDE + blockIdx.y * TILE + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

/* Many items in for one out. */
extern "C" __global__ void
matmul (ARGUMENTS)
{
  int c = blockIdx.x * blockDim.x + threadIdx.x, r = blockIdx.y * blockDim.y + threadIdx.y, side = 512;
  float sum = 0.f;
  for (int k = 0; k < side; k++)
    sum += x[r * side + k] * z[k * side + c];
  y[r * side + c] = sum;
}

extern "C" __global__ void
matmul_tiles (ARGUMENTS)
{
  __shared__ float a[TILE][TILE], b[TILE][TILE];
  int c = blockIdx.x * TILE + threadIdx.x, r = blockIdx.y * TILE + threadIdx.y, side = 512;
  float sum = 0.f;
  for (int t = 0; t < side; t += TILE)
    {
      a[threadIdx.y][threadIdx.x] = x[r * side + t + threadIdx.x];
      b[threadIdx.y][threadIdx.x] = z[(t + threadIdx.y) * side + c];
      __syncthreads ();
#pragma unroll
      for (int k = 0; k < TILE; k++)
        sum += a[threadIdx.y][k] * b[k][threadIdx.x];
      __syncthreads ();
    }
  y[r * side + c] = sum;
}

extern "C" __global__ void
bodies (ARGUMENTS)
{
  __shared__ float4 near[256];
  const float4 *all = (const float4 *) x;
  int i = blockIdx.x * 256 + threadIdx.x, count = 8192;
  float4 me = all[i];
  float ax = 0.f, ay = 0.f, az = 0.f;
  for (int t = 0; t < count; t += 256)
    {
      near[threadIdx.x] = all[t + threadIdx.x];
      __syncthreads ();
      for (int k = 0; k < 256; k++)
        {
          float4 o = near[k];
          float dx = o.x - me.x, dy = o.y - me.y, dz = o.z - me.z;
          float d = rsqrtf (dx * dx + dy * dy + dz * dz + .01f), f = o.w * d * d * d;
          ax += dx * f, ay += dy * f, az += dz * f;
        }
      __syncthreads ();
    }
  ((float4 *) y)[i] = make_float4 (ax, ay, az, 0.f);
}

extern "C" __global__ void
sums_tree (ARGUMENTS)
{
  __shared__ float part[256];
  float sum = 0.f;
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    sum += x[i];
  part[threadIdx.x] = sum;
  __syncthreads ();
  for (int step = 128; step > 0; step >>= 1)
    {
      if (threadIdx.x < step)
        part[threadIdx.x] += part[threadIdx.x + step];
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    y[blockIdx.x] = part[0];
}

extern "C" __global__ void
sums_warp (ARGUMENTS)
{
  float sum = 0.f;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    sum += x[i];
  for (int step = 16; step > 0; step >>= 1)
    sum += __shfl_down_sync (0xffffffffu, sum, step);
  if (threadIdx.x % 32 == 0)
    y[(blockIdx.x * blockDim.x + threadIdx.x) / 32] = sum;
}

extern "C" __global__ void
scan_blocks (ARGUMENTS)
{
  __shared__ float part[256];
  int i = blockIdx.x * 256 + threadIdx.x;
  float sum = part[threadIdx.x] = i < n ? x[i] : 0.f;
  for (int step = 1; step < 256; step <<= 1)
    {
      __syncthreads ();
      float before = threadIdx.x >= step ? part[threadIdx.x - step] : 0.f;
      __syncthreads ();
      part[threadIdx.x] = sum += before;
    }
  if (i < n)
    y[i] = sum;
}

/* A block for each row of 1024 items. */
__device__ float
sum_of_block (float v, float *part)
{
  for (int step = 16; step > 0; step >>= 1)
    v += __shfl_xor_sync (0xffffffffu, v, step);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    part[threadIdx.x / 32] = v;
  __syncthreads ();
  v = 0.f;
  for (int k = 0; k < 8; k++)
    v += part[k];
  return v;
}

extern "C" __global__ void
softmax (ARGUMENTS)
{
  __shared__ float part[8];
  const float *row = x + blockIdx.x * 1024;
  float v[4], sum = 0.f;
  for (int k = 0; k < 4; k++)
    sum += v[k] = expf (row[threadIdx.x + k * 256]);
  sum = sum_of_block (sum, part);
  for (int k = 0; k < 4; k++)
    y[blockIdx.x * 1024 + threadIdx.x + k * 256] = v[k] / sum;
}

extern "C" __global__ void
layer_norm (ARGUMENTS)
{
  __shared__ float part[8];
  const float *row = x + blockIdx.x * 1024;
  float v[4], sum = 0.f, squares = 0.f;
  for (int k = 0; k < 4; k++)
    sum += v[k] = row[threadIdx.x + k * 256];
  float mean = sum_of_block (sum, part) / 1024.f;
  for (int k = 0; k < 4; k++)
    squares += (v[k] - mean) * (v[k] - mean);
  float by = rsqrtf (sum_of_block (squares, part) / 1024.f + 1e-5f);
  for (int k = 0; k < 4; k++)
    y[blockIdx.x * 1024 + threadIdx.x + k * 256] = (v[k] - mean) * by;
}

extern "C" __global__ void
sort_blocks (ARGUMENTS)
{
  __shared__ float part[256];
  int t = threadIdx.x, i = blockIdx.x * 256 + t;
  part[t] = i < n ? x[i] : 1e30f;
  for (int size = 2; size <= 256; size <<= 1)
    for (int step = size >> 1; step > 0; step >>= 1)
      {
        __syncthreads ();
        int other = t ^ step;
        if (other > t && (part[t] > part[other]) == ((t & size) == 0))
          {
            float swap = part[t];
            part[t] = part[other];
            part[other] = swap;
          }
      }
  __syncthreads ();
  if (i < n)
    y[i] = part[t];
}

extern "C" __global__ void
histogram (ARGUMENTS)
{
  __shared__ unsigned bins[256];
  bins[threadIdx.x] = 0;
  __syncthreads ();
  for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256)
    atomicAdd (&bins[__float_as_uint (x[i]) >> 12 & 255], 1u);
  __syncthreads ();
  ((unsigned *) y)[blockIdx.x * 256 + threadIdx.x] = bins[threadIdx.x];
}

extern "C" __global__ void
votes (ARGUMENTS)
{
  ITEM;
  unsigned mask = __ballot_sync (__activemask (), x[i] > 0.f);
  y[i] = (float) __popc (mask & (1u << threadIdx.x % 32) - 1u);
}
