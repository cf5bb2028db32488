/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A value says by its bits which of 64 sources a vertex can be reached from. */
typedef uint64_t Value;
#define RELAX_FIRST 0

static __device__ __forceinline__ void
relax_begin (uint64_t *value, uint64_t number)
{
  atomicOr (value, (uint64_t) 1 << number % 64);
}

/* Most offers bring nothing new, which a load tells at less cost than an atomic operation. */
static __device__ __forceinline__ bool
relax_offer (uint64_t *value, uint64_t offered, uint64_t, const float *)
{
  return (offered & ~leat_load_relaxed (value)) != 0 && (offered & ~atomicOr (value, offered)) != 0;
}
