/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A value is the bits of a distance, a float that is not negative: these are in the same order as the floats.  A sum is
 * rounded the same way everywhere and never less than its parts, so that distances are what a search in their order gives. */
typedef uint32_t Value;
#define RELAX_FIRST 0x7f800000u /* infinity */

LEAT_REPORT (NEGATIVE_WEIGHT = 6, error, "a weight that is negative or no number")

static __device__ __forceinline__ void
relax_begin (uint32_t *value, uint64_t)
{
  atomicMin (value, 0u);
}

static __device__ __forceinline__ bool
relax_offer (uint32_t *value, uint32_t offered, uint64_t edge, const float *weights)
{
  float weight = weights[edge];
  uint32_t sum = __float_as_uint (__uint_as_float (offered) + weight);

  if (!(weight >= 0))
    {
      leat_report_at (NEGATIVE_WEIGHT, edge, weight);
      return false;
    }
  return sum < leat_load_relaxed (value) && sum < atomicMin (value, sum);
}
