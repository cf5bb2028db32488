// Leat - dataflow for GPU work that repeats
// SPDX-License-Identifier: LGPL-2.1-or-later

// Adds how often each byte occurs in this piece to what was counted before.
__global__ void counts (const uint8_t *in, uint64_t in_count, uint32_t *hist)
{
  GRID_FOR (i, in_count)
    atomicAdd (&hist[in[i]], 1u);
}
