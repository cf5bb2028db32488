// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cassert>
#include <cmath>
#ifdef __CUDACC__
#define HD __host__ __device__ __forceinline__
#else
#define HD inline
#endif

typedef struct __align__(8) { int lo, hi; } range;

HD int clamped (int v, range r) { return v < r.lo ? r.lo : v > r.hi ? r.hi : v; }
constexpr HD int limit (int bits) { return (1 << bits) - 1; }
static_assert (limit (4) == 15, "limit");

struct Clamp
{
  range r;
  HD Clamp (int lo, int hi) : r{ lo, hi } {}
  HD int operator() (int v) const
  {
#ifdef __CUDA_ARCH__
    return clamped (v, r);
#else
    return (int) std::fmin (std::fmax (v, r.lo), r.hi);
#endif
  }
};

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  y[i] = Clamp (-limit (12), limit (13)) (x[i]);
}

__host__ static int reference (int v) { return Clamp (-4095, 8191) (v); }

int main () { int y[3]; k<<<1, 3>>> (0, y, 3); assert (y[0] == reference (0)); }
