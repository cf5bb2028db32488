/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Has every one of @blocks, those of a row of the grid, been here?  All threads learn it, and then see what the first thread of each of
 * the others has written before it came: it has arrived in order with that, and the barrier hands on what it has seen.
 * Where other threads have written too, a barrier stands before the call. */
static __device__ bool
arrive_last (uint32_t *arrived, unsigned int blocks)
{
  __shared__ bool last;

  if (threadIdx.x == 0)
    {
      last = leat_arrive (arrived) == blocks - 1;
      if (last)
        *arrived = 0; /* nobody else comes before the next run */
    }
  __syncthreads ();
  return last;
}
