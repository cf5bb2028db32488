// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

#include <stdint.h>

/* Small ones, and one that is as long as its caller says. */
__global__ void
step (uint32_t *to, const uint32_t *from, uint32_t multiply, uint32_t rounds)
{
  for (uint64_t i = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x; i < 64; i += (uint64_t) blockDim.x * gridDim.x)
    {
      uint32_t x = from[i];

      for (uint32_t k = 0; k < rounds; k++)
        x = x * multiply + 1;
      to[i] = x;
    }
}

/* Says that it is here, and waits for the other. */
__global__ void
meet (volatile uint32_t *mine, volatile uint32_t *other, uint32_t *rounds)
{
  uint32_t round = ++*rounds;

  *mine = round;
  while (*other < round)
    __nanosleep (100);
}
