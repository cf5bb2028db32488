/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Behind pagerank.cu, in plain C: a block is a thread of the host, with vertices of its own. */
#ifdef LEAT_HOST
static __device__ inline double
pagerank_tree_on_host (double *sums)
{
  for (int step = 16; step > 0; step /= 2)
    for (int i = 0; i < step; i++)
      sums[i] += sums[i + step];
  return sums[0];
}

/* Not inlined: clearing the sums would take as long as a short row does. */
static __device__ __noinline__ double
pagerank_sum_long_on_host (const Pagerank &self, const float *gifts, uint64_t begin, uint64_t end)
{
  double sums[32] = {};

  if (end - begin <= PAGERANK_PIECE)
    for (uint64_t e = begin; e < end; e++)
      sums[(e - begin) % 32] += pagerank_take (self, gifts, e);
  else
    for (uint64_t e = begin, k = 0; e < end; e += PAGERANK_PIECE, k++)
      {
        double piece[32] = {};
        uint64_t upto = end - e > PAGERANK_PIECE ? e + PAGERANK_PIECE : end;

        for (uint64_t i = e; i < upto; i++)
          piece[(i - e) % 32] += pagerank_take (self, gifts, i);
        sums[k % 32] += pagerank_tree_on_host (piece);
      }
  return pagerank_tree_on_host (sums);
}

static __device__ __forceinline__ double
pagerank_sum_on_host (const Pagerank &self, const float *gifts, uint64_t begin, uint64_t end)
{
  double sum = 0;

  if (end - begin > PAGERANK_SHORT)
    return pagerank_sum_long_on_host (self, gifts, begin, end);
  for (uint64_t e = begin; e < end; e++)
    sum += pagerank_take (self, gifts, e);
  return sum;
}

LEAT_HOST_VARIANT void
pagerank_run (const Offset *offsets, const Offset *back_offsets, const uint32_t *back_indices, uint64_t vertices,
              uint64_t back_indices_count, uint64_t damping, uint64_t tolerance, uint64_t most, uint64_t tells, uint64_t budget,
              uint64_t *control, uint32_t *long_rows, uint32_t *long_pieces, uint64_t *begins, uint64_t *ends,
              double *partials, uint64_t room, float *even_gifts, float *odd_gifts, float *ranks, float *residuals,
              uint64_t *residuals_count, uint64_t *report)
{
  const Pagerank self = PAGERANK_INIT;
  uint64_t first = vertices * blockIdx.x / gridDim.x, last = vertices * (blockIdx.x + 1) / gridDim.x;
  uint64_t began = leat_clock_now (), iteration = 0, change = ~0ull;
  PagerankSums sums = { 0, 0 };
  bool late = false;

  for (uint64_t v = first; v < last; v++)
    pagerank_set (self, v, (float) (1.0 / (double) vertices), even_gifts, &sums);
  atomicAdd (pagerank_sums (control, 0) + 1, sums.idle);
  leat_grid_sync ();
  while (change >= tolerance && iteration < most && !late)
    {
      const float *gifts = pagerank_gifts (self, iteration);
      uint64_t *now = pagerank_sums (control, iteration + 1);
      float base =
        pagerank_base (self, leat_load_relaxed (pagerank_sums (control, iteration) + 1));

      if (blockIdx.x == 0)
        pagerank_look_at_clock (control, iteration, budget, began);
      sums.change = sums.idle = 0;
      for (uint64_t v = first; v < last; v++)
        {
          Offset begin, end;

          graph_find_row (self.back, v, &begin, &end);
          pagerank_settle (self, v, base, pagerank_sum_on_host (self, gifts, begin, end),
                           pagerank_gifts (self, iteration + 1), &sums);
        }
      atomicAdd (now, sums.change);
      atomicAdd (now + 1, sums.idle);
      leat_grid_sync ();
      iteration++;
      change = leat_load_relaxed (now);
      late = leat_load_relaxed (now + 2) != 0;
      if (blockIdx.x == 0)
        residuals[iteration - 1] = (float) ((double) change / PAGERANK_UNIT);
    }
  if (blockIdx.x != 0)
    return;
  *residuals_count = iteration;
  pagerank_tell (iteration, change, change < tolerance, late, tells, report);
}
#endif
