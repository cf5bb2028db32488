// SPDX-License-Identifier: LGPL-2.1-or-later
#include <cooperative_groups.h>
#include <cuda/pipeline>

/* Batches come to shared memory, two stages ahead of their use. */
#define STAGES 2
__global__ void k (const int *x, int *y, int x_count)
{
  constexpr auto scope = cuda::thread_scope_block;
  __shared__ cuda::pipeline_shared_state<scope, STAGES> state;
  __shared__ int room[STAGES][32];
  auto block = cooperative_groups::this_thread_block ();
  auto pipe = cuda::make_pipeline (block, &state);
  const int t = block.thread_rank (), first = blockIdx.x * 128, batches = 4;

  for (int batch = 0, next = 0; batch < batches; ++batch)
    {
      for (; next < batches && next < batch + STAGES; ++next)
        {
          int at = first + next * 32 + t;
          pipe.producer_acquire ();
          if (at < x_count) cuda::memcpy_async (&room[next % STAGES][t], x + at, sizeof (int), pipe);
          pipe.producer_commit ();
        }
      pipe.consumer_wait ();
      int at = first + batch * 32 + t;
      if (at < x_count) y[at] = room[batch % STAGES][t] + batch;
      pipe.consumer_release ();
    }
}
