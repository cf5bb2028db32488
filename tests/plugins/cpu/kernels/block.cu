// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Shared memory and barriers.

#define TILE 32
#define ROWS 8
#define BINS 64

__global__ void
reverse_static (int *d, int n)
{
  __shared__ int s[256];
  int t = threadIdx.x;
  int base = blockIdx.x * n;

  s[t] = d[base + t];
  __syncthreads ();
  d[base + t] = s[n - t - 1];
}

__global__ void
reverse_dynamic (int *d, int n)
{
  extern __shared__ int s[];
  int t = threadIdx.x;
  int base = blockIdx.x * n;

  s[t] = d[base + t];
  __syncthreads ();
  d[base + t] = s[n - t - 1];
}

// Static and dynamic together, the dynamic part cut in two.
__global__ void
both_kinds (const float *in, float *out, int n)
{
  extern __shared__ float room[];
  __shared__ float sum;
  float *left = room;
  float *right = room + blockDim.x;
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  left[threadIdx.x] = i < n ? in[i] : 0.0f;
  right[threadIdx.x] = left[threadIdx.x] * 2.0f;
  if (threadIdx.x == 0)
    sum = 0.0f;
  __syncthreads ();
  if (threadIdx.x == 0)
    for (unsigned k = 0; k < blockDim.x; k++)
      sum += left[k];
  __syncthreads ();
  if (i < n)
    out[i] = sum + right[blockDim.x - 1 - threadIdx.x];
}

__global__ void
reduce_sum (const unsigned *in, unsigned *out, unsigned n)
{
  extern __shared__ unsigned partial[];
  unsigned tid = threadIdx.x;
  unsigned i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;
  unsigned mine = i < n ? in[i] : 0;

  if (i + blockDim.x < n)
    mine += in[i + blockDim.x];
  partial[tid] = mine;
  __syncthreads ();
  for (unsigned s = blockDim.x / 2; s > 0; s >>= 1)
    {
      if (tid < s)
        partial[tid] += partial[tid + s];
      __syncthreads ();
    }
  if (tid == 0)
    out[blockIdx.x] = partial[0];
}

__global__ void
transpose (float *odata, const float *idata, int width, int height)
{
  __shared__ float tile[TILE][TILE + 1];

  int x = blockIdx.x * TILE + threadIdx.x;
  int y = blockIdx.y * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < width && y + j < height)
      tile[threadIdx.y + j][threadIdx.x] = idata[(y + j) * width + x];

  __syncthreads ();

  x = blockIdx.y * TILE + threadIdx.x;
  y = blockIdx.x * TILE + threadIdx.y;
  for (int j = 0; j < TILE; j += ROWS)
    if (x < height && y + j < width)
      odata[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}

template <int RADIUS, int BLOCK>
__device__ void
stencil (const int *in, int *out, int n)
{
  __shared__ int temp[BLOCK + 2 * RADIUS];
  int g = threadIdx.x + blockIdx.x * blockDim.x;
  int l = threadIdx.x + RADIUS;

  temp[l] = g < n ? in[g] : 0;
  if (threadIdx.x < RADIUS)
    {
      temp[l - RADIUS] = g >= RADIUS ? in[g - RADIUS] : 0;
      temp[l + BLOCK] = g + BLOCK < n ? in[g + BLOCK] : 0;
    }
  __syncthreads ();
  int result = 0;
  for (int offset = -RADIUS; offset <= RADIUS; offset++)
    result += temp[l + offset];
  if (g < n)
    out[g] = result;
}

__global__ void
stencil_3 (const int *in, int *out, int n)
{
  stencil<3, 128> (in, out, n);
}

__global__ void
stencil_7 (const int *in, int *out, int n)
{
  stencil<7, 64> (in, out, n);
}

// Inclusive scan of each block, two barriers a step.
__global__ void
scan_block (const unsigned *in, unsigned *out)
{
  __shared__ unsigned buffer[2][512];
  int from = 0, t = threadIdx.x, i = blockIdx.x * blockDim.x + threadIdx.x;

  buffer[0][t] = in[i];
  __syncthreads ();
  for (unsigned step = 1; step < blockDim.x; step *= 2)
    {
      buffer[1 - from][t] = buffer[from][t] + (t >= step ? buffer[from][t - step] : 0);
      from = 1 - from;
      __syncthreads ();
    }
  out[i] = buffer[from][t];
}

// Blocks make different numbers of turns, and every other one stops before any barrier.
__global__ void
turns (int *out)
{
  __shared__ int token;

  if (blockIdx.x % 2 == 1)
    return;
  if (threadIdx.x == 0)
    token = 0;
  __syncthreads ();
  for (int turn = 0; turn < (int) blockIdx.x; turn++)
    {
      if (threadIdx.x == turn % blockDim.x)
        token += turn;
      __syncthreads ();
    }
  out[blockIdx.x * blockDim.x + threadIdx.x] = token;
}

__global__ void
votes (const int *in, int *count, int *all, int *any)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  int yes = in[i] > 0;
  int c = __syncthreads_count (yes);
  int a = __syncthreads_and (yes);
  int o = __syncthreads_or (yes);

  count[i] = c;
  all[i] = a != 0;
  any[i] = o != 0;
}

// Goes on until the block agrees that nothing changes.
__global__ void
settle (int *values, int *rounds)
{
  __shared__ int v[128];
  int t = threadIdx.x, passed = 0, changed;

  v[t] = values[blockIdx.x * 128 + t];
  __syncthreads ();
  do
    {
      int best = max (v[t], t > 0 ? v[t - 1] : v[t]);
      changed = best != v[t];
      __syncthreads ();
      v[t] = best;
      passed++;
    }
  while (__syncthreads_or (changed));
  values[blockIdx.x * 128 + t] = v[t];
  rounds[blockIdx.x * 128 + t] = passed;
}

__global__ void
histogram (const unsigned char *data, int n, unsigned *bins)
{
  __shared__ unsigned local[BINS];

  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    local[b] = 0;
  __syncthreads ();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    atomicAdd (&local[data[i] % BINS], 1u);
  __syncthreads ();
  for (int b = threadIdx.x; b < BINS; b += blockDim.x)
    if (local[b] > 0)
      atomicAdd (&bins[b], local[b]);
}

__global__ void
matmul (const float *A, const float *B, float *C, int n)
{
  __shared__ float As[16][16];
  __shared__ float Bs[16][16];
  int row = blockIdx.y * 16 + threadIdx.y;
  int col = blockIdx.x * 16 + threadIdx.x;
  float acc = 0.0f;

  for (int m = 0; m < (n + 15) / 16; ++m)
    {
      As[threadIdx.y][threadIdx.x] = row < n && m * 16 + threadIdx.x < n ? A[row * n + m * 16 + threadIdx.x] : 0.0f;
      Bs[threadIdx.y][threadIdx.x] = col < n && m * 16 + threadIdx.y < n ? B[(m * 16 + threadIdx.y) * n + col] : 0.0f;
      __syncthreads ();
      for (int k = 0; k < 16; ++k)
        acc += As[threadIdx.y][k] * Bs[k][threadIdx.x];
      __syncthreads ();
    }
  if (row < n && col < n)
    C[row * n + col] = acc;
}
