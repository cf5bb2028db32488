/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Products of matrices by warps: each warp has factors and a summand of its own, of small whole numbers, so that no sum is
 * rounded. */

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include "mix.cuh"

using namespace nvcuda;

#define WARPS 3

/* Which item of a factor is where, from -7 to 7. */
__device__ int
small (uint32_t n, uint32_t matrix, uint32_t warp, uint32_t item)
{
  return (int) (mix (n * 7919 + matrix * 4096 + warp * 1024 + item) % 15) - 7;
}

/* Row @row of a matrix in memory follows on the one before after @columns + 8 items. */
template <class T, int Rows, int Columns>
__device__ void
fill (T *to, uint32_t n, uint32_t matrix)
{
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (uint32_t i = lane; i < Rows * Columns; i += 32)
    to[i / Columns * (Columns + 8) + i % Columns] = (T) (float) small (n, matrix, warp, i);
}

/* 2 * A * B + C, with B transposed in memory. */
template <int M, int N, int K, class T, class Kept, class Acc>
__device__ void
multiply (uint32_t *out, uint32_t n, Kept *a, Kept *b, Acc *c)
{
  wmma::fragment<wmma::matrix_a, M, N, K, T, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, M, N, K, T, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, M, N, K, Acc> sum, summand;
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  a += warp * M * (K + 8);
  b += warp * N * (K + 8);
  c += warp * M * (N + 8);
  fill<Kept, M, K> (a, n, 0);
  fill<Kept, N, K> (b, n, 1);
  fill<Acc, M, N> (c, n, 2);
  __syncwarp ();
  wmma::load_matrix_sync (fa, a, K + 8);
  wmma::load_matrix_sync (fb, b, K + 8);
  wmma::load_matrix_sync (summand, c, N + 8, wmma::mem_row_major);
  wmma::fill_fragment (sum, (Acc) 0.0f);
  wmma::mma_sync (sum, fa, fb, sum);
  for (int i = 0; i < sum.num_elements; i++)
    sum.x[i] = sum.x[i] + summand.x[i];
  wmma::mma_sync (sum, fa, fb, sum);
  wmma::store_matrix_sync (c, sum, N + 8, wmma::mem_row_major);
  __syncwarp ();
  for (uint32_t i = lane; i < M * N; i += 32)
    out[warp * M * N + i] = (uint32_t) (int) (float) c[i / N * (N + 8) + i % N];
}

__global__ void
halves (uint32_t *out, uint32_t n)
{
  __shared__ alignas (32) __half a[WARPS * 16 * 24], b[WARPS * 16 * 24];
  __shared__ alignas (32) float c[WARPS * 16 * 24];

  multiply<16, 16, 16, __half> (out, n, a, b, c);
}

__global__ void
half_sums (uint32_t *out, uint32_t n)
{
  __shared__ alignas (32) half a[WARPS * 32 * 24], b[WARPS * 8 * 24], c[WARPS * 32 * 16];

  multiply<32, 8, 16, half> (out, n, a, b, c);
}

__global__ void
bfloats (uint32_t *out, uint32_t n)
{
#if __CUDA_ARCH__ >= 800
  __shared__ alignas (32) __nv_bfloat16 a[WARPS * 16 * 24], b[WARPS * 16 * 24];
  __shared__ alignas (32) float c[WARPS * 16 * 24];

  multiply<16, 16, 16, __nv_bfloat16> (out, n, a, b, c);
#endif
}

__global__ void
tf32s (uint32_t *out, uint32_t n)
{
#if __CUDA_ARCH__ >= 800
  __shared__ alignas (32) float a[WARPS * 16 * 16], b[WARPS * 16 * 16], c[WARPS * 16 * 24];

  multiply<16, 16, 8, wmma::precision::tf32> (out, n, a, b, c);
#endif
}

__global__ void
bytes (uint32_t *out, uint32_t n)
{
  __shared__ alignas (32) signed char a[WARPS * 16 * 32], b[WARPS * 16 * 32];
  __shared__ alignas (32) int c[WARPS * 16 * 24];
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32;

  for (uint32_t i = lane; i < 256; i += 32)
    {
      a[warp * 512 + i / 16 * 32 + i % 16] = (signed char) mix (n + warp * 1024 + i);
      b[warp * 512 + i / 16 * 32 + i % 16] = (signed char) mix (n + 4096 + warp * 1024 + i);
    }
  __syncwarp ();
  wmma::load_matrix_sync (fa, a + warp * 512, 32);
  wmma::load_matrix_sync (fb, b + warp * 512, 32);
  wmma::fill_fragment (sum, 5);
  wmma::mma_sync (sum, fa, fb, sum);
  wmma::store_matrix_sync (c + warp * 384, sum, 24, wmma::mem_col_major);
  __syncwarp ();
  for (uint32_t i = lane; i < 256; i += 32)
    out[warp * 256 + i] = (uint32_t) c[warp * 384 + i / 16 * 24 + i % 16];
}
