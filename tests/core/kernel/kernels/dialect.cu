/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * Everything that the kernel dialect offers, once: must compile for the CPU and for CUDA.  Results of what is exact are
 * hashed into out[thread], so that devices can be compared.
 */
#include <cuda_runtime.h>
#include <math.h>
#include <stdint.h>

#define SIZE 4
enum mode { MODE_A, MODE_B = 7 };
typedef struct { float x, y; } point;
struct box
{
  int low, high;
  __device__ int span () const { return high - low; }
};
union bits { float f; unsigned int u; };
using count_t = unsigned int;

static const int file_constant = SIZE * 2;
constexpr int table_size = 3;
constexpr __device__ int twice (int v) { return 2 * v; }
__constant__ float weights[table_size] = { 0.25f, 0.5f, 0.25f };
__constant__ const int primes[] = { 2, 3, 5, 7 };
__device__ unsigned int global_counter;
__device__ int pair_a = 1, pair_b[2] = { 2, 3 };
static __device__ const point origin = { 1.5f, -2.5f };
extern __shared__ unsigned char file_dynamic[];
__shared__ int file_shared[file_constant];

static __device__ unsigned int later (unsigned int v);

/* On the host these leave the struct: an operator with two operands is no member. */
__device__ inline float3 operator+ (float3 a, float3 b) { return make_float3 (a.x + b.x, a.y + b.y, a.z + b.z); }
__device__ inline point operator* (point p, float s) { point r = { p.x * s, p.y * s }; return r; }

template <typename T, int N>
__device__ T
sum_of (const T *v)
{
  T s = 0;
#pragma unroll
  for (int i = 0; i < N; i++)
    s += v[i];
  return s;
}

template <typename T>
__device__ T
shared_scratch (T v)
{
  __shared__ T scratch[32];

  scratch[threadIdx.x % 32] = v;
  __syncthreads ();
  return scratch[(threadIdx.x + 1) % 32];
}

/* Plain C: no qualifier. */
static int
plain_helper (int a, int b)
{
  return a * 10 + b;
}

__device__ __noinline__ void
by_reference (int &v, int *w)
{
  v += 1;
  *w += 2;
}

static __device__ unsigned int
later (unsigned int v)
{
  return v ^ 0x9e3779b9u;
}

__device__ unsigned int
mix (unsigned int h, unsigned int v)
{
  return (h ^ v) * 16777619u;
}
__device__ unsigned int mix (unsigned int h, int v) { return mix (h, (unsigned int) v); }
__device__ unsigned int mix (unsigned int h, float v) { return mix (h, __float_as_uint (v)); }
__device__ unsigned int mix (unsigned int h, double v)
{
  long long b = __double_as_longlong (v);
  return mix (mix (h, (unsigned int) b), (unsigned int) (b >> 32));
}
__device__ unsigned int mix (unsigned int h, unsigned long long v) { return mix (mix (h, (unsigned int) v), (unsigned int) (v >> 32)); }
__device__ unsigned int mix (unsigned int h, long long v) { return mix (h, (unsigned long long) v); }

/* Integer and bit operations. */
__global__ void
integers (const uint32_t *in, uint32_t *out, int in_count)
{
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x, h = 2166136261u;

  if (i >= in_count)
    return;
  unsigned int a = in[i], b = in[(i + 1) % in_count];
  unsigned long long w = (unsigned long long) a << 32 | b;
  h = mix (h, __popc (a)), h = mix (h, __popcll (w)), h = mix (h, __clz (a)), h = mix (h, __clzll (w));
  h = mix (h, __ffs (a)), h = mix (h, __ffsll (w)), h = mix (h, __brev (a)), h = mix (h, __brevll (w));
  h = mix (h, __byte_perm (a, b, 0x3715)), h = mix (h, __funnelshift_l (a, b, 7)), h = mix (h, __funnelshift_r (a, b, 9));
  h = mix (h, __funnelshift_lc (a, b, 40)), h = mix (h, __funnelshift_rc (a, b, 32));
  h = mix (h, __mul24 (a, b)), h = mix (h, __umul24 (a, b)), h = mix (h, __mulhi ((int) a, (int) b)), h = mix (h, __umulhi (a, b));
  h = mix (h, __mul64hi (w, ~w)), h = mix (h, __umul64hi (w, ~w));
  h = mix (h, __hadd (a, b)), h = mix (h, __rhadd (a, b)), h = mix (h, __uhadd (a, b)), h = mix (h, __urhadd (a, b));
  h = mix (h, __sad (a, b, 3u)), h = mix (h, __usad (a, b, 5u));
  h = mix (h, __dp4a ((int) a, (int) b, 1)), h = mix (h, __dp4a (a, b, 1u));
  h = mix (h, min (a, b)), h = mix (h, max ((int) a, (int) b)), h = mix (h, min ((long long) w, 3ll)), h = mix (h, max (a, 3)), h = mix (h, abs ((int) (a / 2)));
  h = mix (h, __ldg (in + i)), h = mix (h, later (a)), h = mix (h, twice (a & 255)), h = mix (h, plain_helper (3, a & 15));
  h = mix (h, primes[a & 3]), h = mix (h, sum_of<int, 4> (primes)), h = mix (h, (int) MODE_B + file_constant);
  int v = 1, u = 2;
  by_reference (v, &u);
  box range = { v, u };
  h = mix (h, range.span ()), h = mix (h, pair_a + pair_b[1]);
  count_t c = warpSize;
  h = mix (h, c);
  out[i] = h;
}

/* Floating point that IEEE fixes: sums, products, quotients, roots, conversions. */
__global__ void
floats (const float *in, uint32_t *out, int in_count)
{
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned int h = 2166136261u;

  if (i >= in_count)
    return;
  float x = in[i], y = in[(i + 1) % in_count];
  double d = (double) x * y;
  h = mix (h, x * y + 1.0f), h = mix (h, x / (y + 3.0f)), h = mix (h, sqrtf (fabsf (x))), h = mix (h, sqrt (fabs (d)));
  h = mix (h, fmaf (x, y, 0.5f)), h = mix (h, fma (d, 2.0, 1.0)), h = mix (h, __fmaf_rn (x, y, x)), h = mix (h, __fma_rn (d, d, 1.0));
  h = mix (h, __fadd_rn (x, y)), h = mix (h, __fsub_rn (x, y)), h = mix (h, __fmul_rn (x, y)), h = mix (h, __fdiv_rn (x, y + 3.0f));
  h = mix (h, __frcp_rn (x + 3.0f)), h = mix (h, __fsqrt_rn (x + 3.0f)), h = mix (h, __dadd_rn (d, 1.0)), h = mix (h, __dmul_rn (d, d)), h = mix (h, __ddiv_rn (d, 3.0));
  h = mix (h, floorf (x)), h = mix (h, ceilf (x)), h = mix (h, truncf (x)), h = mix (h, rintf (x)), h = mix (h, roundf (x)), h = mix (h, fmodf (x, 0.75f));
  h = mix (h, fminf (x, y)), h = mix (h, fmaxf (x, y)), h = mix (h, min (x, y)), h = mix (h, max (d, 1.0)), h = mix (h, copysignf (x, y)), h = mix (h, abs (x));
  h = mix (h, __float2int_rn (x)), h = mix (h, __float2int_rz (x)), h = mix (h, __float2int_ru (x)), h = mix (h, __float2int_rd (x));
  h = mix (h, __float2uint_rn (fabsf (x))), h = mix (h, __double2int_rn (d)), h = mix (h, __double2ll_rz (d * 1e6)), h = mix (h, __int2float_rn (i)), h = mix (h, __uint2float_rn (i));
  h = mix (h, __double2float_rn (d)), h = mix (h, __double2float_rz (d)), h = mix (h, __double2hiint (d)), h = mix (h, __double2loint (d)), h = mix (h, __hiloint2double (3, 4));
  h = mix (h, __int_as_float (0x3f800000 + i)), h = mix (h, __saturatef (x)), h = mix (h, __float2ll_rn (x)), h = mix (h, __ll2float_rn (i));
  h = mix (h, (int) isnan (x)), h = mix (h, (int) isinf (x)), h = mix (h, (int) isfinite (d)), h = mix (h, (int) signbit (x));
  float3 f = make_float3 (x, y, 1.0f) + make_float3 (1.0f, 2.0f, 3.0f);
  point p = origin * x;
  union bits b;
  b.f = p.y;
  h = mix (h, f.x), h = mix (h, f.z), h = mix (h, b.u), h = mix (h, weights[1] * x), h = mix (h, ldexpf (x, 3)), h = mix (h, scalbnf (x, -2));
  int e;
  h = mix (h, frexpf (x, &e)), h = mix (h, e), h = mix (h, lrintf (x) == llrintf (x) ? 1 : 0);
  out[i] = h;
}

/* What mathematics libraries may round differently. */
__global__ void
transcendentals (const float *in, float *out, int in_count)
{
  GRID_FOR (i, in_count)
    {
      float x = in[i], s, c, r = 0;
      double d = x;

      sincosf (x, &s, &c);
      r += sinf (x) + cosf (x) + tanf (x) + asinf (x / 10) + acosf (x / 10) + atanf (x) + sinhf (x) + coshf (x) + tanhf (x) + asinhf (x);
      r += expf (x) + exp2f (x) + exp10f (x / 10) + expm1f (x) + logf (x + 9) + log2f (x + 9) + log10f (x + 9) + log1pf (x + 9) + cbrtf (x);
      r += powf (x + 9, 0.3f) + atan2f (x, 2.0f) + hypotf (x, 3.0f) + rsqrtf (x + 9) + erff (x) + erfcf (x) + tgammaf (x + 9.5f) + lgammaf (x + 9.5f);
      r += __sinf (x) + __cosf (x) + __expf (x) + __logf (x + 9) + __powf (x + 9, 0.2f) + __fdividef (x, 3.0f) + sinpif (x) + cospif (x) + normcdff (x);
      r += (float) (sin (d) + exp (d) + log (d + 9) + pow (d + 9, 0.3) + rsqrt (d + 9) + atan2 (d, 2.0)) + s + c + sin (x) + exp (x) + pow (x + 9, 0.5f);
      out[i] = r + M_PI * 0 + CUDART_PI_F * 0 + (INFINITY > FLT_MAX ? 0 : 1) + (isnan (NAN) ? 0 : 1);
    }
}

/* Every thread of a full block: barriers, warp operations, shared memory of all sorts. */
__global__ void __launch_bounds__ (128)
together (const uint32_t *in, uint32_t *out)
{
  __shared__ unsigned int tile[128], hits, extra[2][3];
  __shared__ struct { int a; float b; } one;
  extern __shared__ uint32_t dynamic[];
  unsigned int t = threadIdx.x, lane = t & 31, i = blockIdx.x * blockDim.x + t, v = in[i], h = 2166136261u, all = 0xffffffffu;
  int same;

  if (t == 0)
    {
      hits = 0;
      extra[1][2] = 40;
      one.a = 2;
    }
  if (t < file_constant)
    file_shared[t] = t;
  tile[t] = v;
  dynamic[t] = v + 1;
  file_dynamic[4 * 128 + t] = (unsigned char) v;
  __syncthreads ();
  atomicAdd (&hits, v & 1);
  atomicMax (&tile[0], v);
  h = mix (h, tile[(t + 1) % 128 ? (t + 1) % 128 : 1]), h = mix (h, dynamic[127 - t]), h = mix (h, (int) file_dynamic[4 * 128 + (t ^ 5)]);
  __syncthreads ();
  h = mix (h, hits), h = mix (h, tile[0]), h = mix (h, extra[1][2] + one.a + file_shared[t % file_constant]);
  h = mix (h, __syncthreads_count (v & 1)), h = mix (h, (int) (__syncthreads_and (1) != 0)), h = mix (h, (int) (__syncthreads_or (v & 4) != 0));
  h = mix (h, __shfl_sync (all, v, 3)), h = mix (h, __shfl_up_sync (all, v, 2)), h = mix (h, __shfl_down_sync (all, v, 1, 16)), h = mix (h, __shfl_xor_sync (all, v, 8));
  h = mix (h, __shfl_sync (all, (float) lane, 5)), h = mix (h, __shfl_xor_sync (all, (double) lane, 1)), h = mix (h, __shfl_down_sync (all, (long long) v << 20, 4));
  h = mix (h, __ballot_sync (all, v & 1)), h = mix (h, __any_sync (all, v & 2)), h = mix (h, __all_sync (all, v | 1)), h = mix (h, __popc (__activemask ()));
  h = mix (h, __match_any_sync (all, v & 3)), h = mix (h, __match_all_sync (all, 7, &same)), h = mix (h, same);
  h = mix (h, __reduce_add_sync (all, v & 15)), h = mix (h, __reduce_min_sync (all, v)), h = mix (h, __reduce_max_sync (all, (int) v)), h = mix (h, __reduce_xor_sync (all, v));
  __syncwarp ();
  h = mix (h, shared_scratch<unsigned int> (v)), h = mix (h, shared_scratch<double> ((double) lane));
  __threadfence_block ();
  out[i] = h;
}

/* Atomics on memory: counts in out[0..15], order does not matter. */
__global__ void
atomics (uint32_t *out, unsigned long long *wide, float *reals, double *doubles, uint64_t *sums)
{
  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;

  atomicAdd (&out[0], 1u), atomicSub (&out[1], 1u), atomicMin (&out[2], i), atomicMax (&out[3], i), atomicOr (&out[4], 1u << (i & 31));
  atomicAnd (&out[5], ~(1u << (i & 31))), atomicXor (&out[6], i), atomicInc (&out[7], 1000u), atomicDec (&out[8], 1000u), atomicExch (&out[9], 5u);
  atomicAdd ((int *) &out[10], -1), atomicAdd_system (&out[11], 2u), atomicMax ((int *) &out[12], (int) i - 50);
  for (unsigned int old = out[13], seen;; old = seen)
    {
      seen = atomicCAS (&out[13], old, old + 3);
      if (seen == old)
        break;
    }
  atomicAdd (&wide[0], 1ull << 33), atomicMax (&wide[1], (unsigned long long) i << 32), atomicCAS (&wide[2], 0ull, 9ull);
  atomicAdd (&reals[0], 1.0f), atomicExch (&reals[1], 2.0f), atomicAdd (&doubles[0], 0.5);
  atomicAdd (&sums[0], 1), atomicAdd (&sums[0], (uint64_t) 2), atomicMax (&sums[1], (uint64_t) i);
  atomicAdd (&global_counter, 1u);
  __threadfence ();
  __threadfence_system ();
  if (leat_load_relaxed (&out[14]) == 77 || leat_load_acquire (&out[14]) == 77)
    leat_store_release (&out[15], 1u);
  if (out[14] == 78)
    {
      leat_store_relaxed (&out[15], 2u);
      printf ("%d %f\n", (int) i, 1.0f);
      assert (i < 100);
      __trap ();
      __nanosleep (20);
      out[15] = (uint32_t) clock64 ();
    }
}

/* Vector types and indices in three dimensions. */
__global__ void
vectors (const float4 *in, float4 *out, uchar4 *bytes, const uint2 *pairs, ushort3 *shorts, longlong2 *longs, int in_count)
{
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y, z = blockIdx.z * blockDim.z + threadIdx.z;
  int i = (z * gridDim.y * blockDim.y + y) * gridDim.x * blockDim.x + x;

  if (i >= in_count)
    return;
  float4 v = in[i];
  uint2 p = pairs[i];
  dim3 whole (gridDim.x * blockDim.x, gridDim.y * blockDim.y);
  out[i] = make_float4 (v.w, v.z, v.y, v.x + (float) whole.x);
  bytes[i] = make_uchar4 (x, y, z, whole.z);
  shorts[i] = make_ushort3 (p.x, p.y, 1);
  longs[i] = make_longlong2 (p.x, -(long long) p.y);
}

/* All blocks meet. */
__global__ void
rounds (unsigned int *cells, int n)
{
  unsigned int blocks = gridDim.x;

  for (int r = 0; r < n; r++)
    {
      if (threadIdx.x == 0)
        cells[(r & 1) * blocks + blockIdx.x] = cells[((r + 1) & 1) * blocks + (blockIdx.x + 1) % blocks] + 1;
      leat_grid_sync ();
    }
}
