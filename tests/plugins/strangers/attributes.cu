// SPDX-License-Identifier: LGPL-2.1-or-later
#define THREADS 64
constexpr int kWarps = THREADS / 32;
struct alignas (16) Params { int gain; int bias[2]; };
enum [[maybe_unused]] { none };

[[nodiscard]] static __device__ __noinline__ int scaled [[gnu::unused]] (int v, const Params &p) { return v * p.gain + p.bias[kWarps - 1]; }

[[deprecated ("none")]] __device__ inline int unused (int);

static __global__ void __launch_bounds__ (kWarps * 32, 1024 / THREADS)
k (const int *__restrict__ const x, int *const __restrict__ y, const int x_count, const __grid_constant__ Params p)
{
  [[maybe_unused]] const auto warp = threadIdx.x / warpSize;
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i < x_count) [[likely]]
    y[i] = scaled (x[i], p);
}
