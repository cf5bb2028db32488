// SPDX-License-Identifier: LGPL-2.1-or-later
/* What programs write for CUDA's vectors, and names of CUDA's functions for types of their own. */
inline __host__ __device__ float4 operator+ (float4 a, float4 b) { return make_float4 (a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }
inline __host__ __device__ float4 operator* (float4 a, float s) { return make_float4 (a.x * s, a.y * s, a.z * s, a.w * s); }
inline __host__ __device__ void operator+= (float4 &a, const float4 &b) { a = a + b; }
inline __host__ __device__ float4 make_float4 (float s) { return make_float4 (s, s, s, s); }
inline __host__ __device__ float dot (float4 a, float4 b) { return a.x * b.x + a.y * b.y + a.z * b.z + a.w * b.w; }
inline __device__ __host__ int clamp (int f, int a, int b) { return max (a, min (f, b)); }
inline __device__ int3 abs (int3 v) { return make_int3 (abs (v.x), abs (v.y), abs (v.z)); }
struct Fixed
{
  int raw;
  __device__ explicit Fixed (int r = 0) : raw (r) {}
  __device__ Fixed operator- () const { return Fixed (-raw); }
  __device__ Fixed &operator<<= (int by) { raw *= 1 << by; return *this; }
  __device__ friend bool operator< (Fixed a, Fixed b) { return a.raw < b.raw; }
  __device__ operator int () const { return raw; }
  __device__ int operator[] (int bit) const { return raw >> bit & 1; }
};
__device__ Fixed min (Fixed a, Fixed b) { return b < a ? b : a; }
__device__ Fixed operator"" _fix (unsigned long long v) { return Fixed ((int) v); }

__global__ void k (const int *x, int *y, int x_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;

  if (i >= x_count)
    return;
  float4 v = make_float4 ((float) (x[i] % 64)) + make_float4 (1, 2, 3, 4) * 2.0f;
  v += make_float4 (1);
  Fixed f = min (-Fixed (x[i]), 100_fix);
  f <<= 1;
  y[i] = (int) dot (v, make_float4 (1, 1, 1, 2)) + clamp (x[i], -50, 50) + abs (make_int3 (-1, x[i], 0)).y + (int) f + Fixed (x[i])[0];
}
