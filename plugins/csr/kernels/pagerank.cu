/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Ranks: behind frontier.cu, of which it takes the rows and the barrier.  Each vertex sums up what the vertices before it
 * give, rank over number of edges, so nothing is added to by several at once.
 *
 * The sums are the same on every device, whatever its blocks and threads.  They are in double: a row of at most SHORT
 * edges is summed from its begin on; of a longer one, sum number i of 32 takes each 32nd edge from number i on, and these
 * are added as a tree.  One of more than PIECE edges is cut into pieces of so many, each summed so, and their sums again
 * so.  What is summed over all vertices, the change and the rank of those without edges, are whole numbers of 2^-60, which
 * do not care for their order. */

#define PAGERANK_SHORT 32
#define PAGERANK_PIECE 2048 /* leat-csr-pagerank.c */
#define PAGERANK_UNIT 1152921504606846976.0 /* 2^60 */

/* Words of `control`. */
#define PAGERANK_PIECES FRONTIER_REBUILT
#define PAGERANK_LONG FRONTIER_REACHED

struct Pagerank
{
  Graph graph, back; /* of `graph` the offsets alone */
  double damping;
  uint32_t *long_rows, *long_pieces; /* the vertex, and its first piece */
  uint64_t *begins, *ends;           /* of pieces: edges */
  double *partials;                  /* likewise */
  uint64_t room;                     /* of each list */
  float *ranks;
  float *even_gifts, *odd_gifts; /* what each vertex gives along an edge, by iteration */
};

/* What one thread adds to the sums of an iteration. */
struct PagerankSums
{
  uint64_t change, idle;
};

/* Of an iteration: the change, the rank of those without edges, and whether time is over.  It is written in the one before,
 * and cleared in the one before that, so that whoever is late at a barrier still finds what the others went on with. */
static __device__ __forceinline__ uint64_t *
pagerank_sums (uint64_t *control, uint64_t iteration)
{
  return control + FRONTIER_TAILS + 16 * (iteration % 3);
}

static __device__ __forceinline__ float *
pagerank_gifts (const Pagerank &self, uint64_t iteration)
{
  return iteration % 2 ? self.odd_gifts : self.even_gifts;
}

/* Of at most 1; a signed number, which a CPU has an instruction for. */
static __device__ __forceinline__ uint64_t
pagerank_count_units (double part)
{
  return (uint64_t) (int64_t) (part * PAGERANK_UNIT);
}

static __device__ __forceinline__ void
pagerank_set (const Pagerank &self, uint64_t v, float rank, float *gifts, PagerankSums *sums)
{
  Offset begin, end;

  graph_find_row (self.graph, v, &begin, &end);
  self.ranks[v] = rank;
  gifts[v] = end > begin ? rank / (float) (end - begin) : 0.0f;
  if (end == begin)
    sums->idle += pagerank_count_units ((double) rank);
}

/* @base: what every vertex gets */
static __device__ __forceinline__ void
pagerank_settle (const Pagerank &self, uint64_t v, float base, double sum, float *gifts, PagerankSums *sums)
{
  float was = self.ranks[v], rank = (float) (base + self.damping * sum);

  sums->change += pagerank_count_units (fabs ((double) rank - (double) was));
  pagerank_set (self, v, rank, gifts, sums);
}

static __device__ __forceinline__ float
pagerank_base (const Pagerank &self, uint64_t idle)
{
  return (float) ((1.0 - self.damping + self.damping * ((double) idle / PAGERANK_UNIT)) / (double) self.graph.vertices);
}

static __device__ __forceinline__ float
pagerank_take (const Pagerank &self, const float *gifts, uint64_t edge)
{
  uint32_t from = self.back.indices[edge];

  if (from < self.graph.vertices)
    return gifts[from];
  graph_tell (CORRUPT_INDEX, edge, from);
  return 0.0f;
}

/* By a whole warp; all lanes get it. */
static __device__ __forceinline__ double
pagerank_add_lanes (double mine)
{
  for (int step = 16; step > 0; step /= 2)
    mine += __shfl_down_sync (0xffffffffu, mine, step);
  return __shfl_sync (0xffffffffu, mine, 0);
}

static __device__ double
pagerank_sum_of_warp (const Pagerank &self, const float *gifts, uint64_t begin, uint64_t end)
{
  double mine = 0;

  for (uint64_t e = begin + frontier_lane (); e < end; e += 32)
    mine += pagerank_take (self, gifts, e);
  return pagerank_add_lanes (mine);
}

/* The rows of 32 vertices, but for those that are in pieces. */
static __device__ void
pagerank_do_rows (const Pagerank &self, uint64_t v, const float *gifts, float *next, float base, PagerankSums *sums)
{
  Offset begin = 0, end = 0;
  uint64_t length;
  double sum = 0;
  uint32_t wide;

  if (v < self.graph.vertices)
    graph_find_row (self.back, v, &begin, &end);
  length = (uint64_t) (end - begin);
  for (uint64_t e = begin; length <= PAGERANK_SHORT && e < end; e++)
    sum += pagerank_take (self, gifts, e);
  wide = __ballot_sync (0xffffffffu, length > PAGERANK_SHORT && length <= PAGERANK_PIECE);
  while (wide != 0)
    {
      int owner = __ffs (wide) - 1;
      Offset from = __shfl_sync (0xffffffffu, begin, owner), upto = __shfl_sync (0xffffffffu, end, owner);
      double its = pagerank_sum_of_warp (self, gifts, from, upto);

      sum = (int) frontier_lane () == owner ? its : sum;
      wide &= wide - 1;
    }
  if (v < self.graph.vertices && length <= PAGERANK_PIECE)
    pagerank_settle (self, v, base, sum, next, sums);
}

/* Warp by warp over n things; all lanes are in the body together. */
#define PAGERANK_FOR(i, n)                                                                                             \
  for (uint64_t i = (uint64_t) (threadIdx.x / 32) * gridDim.x + blockIdx.x; i < (n);                                   \
       i += (uint64_t) gridDim.x * (blockDim.x / 32))

static __device__ void
pagerank_do_pieces (const Pagerank &self, uint64_t pieces, const float *gifts)
{
  PAGERANK_FOR (i, pieces)
    {
      double sum = pagerank_sum_of_warp (self, gifts, self.begins[i], self.ends[i]);

      if (frontier_lane () == 0)
        self.partials[i] = sum;
    }
}

static __device__ void
pagerank_do_long_rows (const Pagerank &self, uint64_t n, float *next, float base, PagerankSums *sums)
{
  PAGERANK_FOR (i, n)
    {
      uint32_t v = self.long_rows[i];
      Offset begin, end;
      double mine = 0;

      graph_find_row (self.back, v, &begin, &end);
      for (uint64_t k = frontier_lane (); k < ((uint64_t) (end - begin) + PAGERANK_PIECE - 1) / PAGERANK_PIECE; k += 32)
        mine += leat_load_relaxed (self.partials + self.long_pieces[i] + k);
      mine = pagerank_add_lanes (mine);
      if (frontier_lane () == 0)
        pagerank_settle (self, v, base, mine, next, sums);
    }
}

/* Which list a long row is in first, and where its pieces are, is another matter in each run; what comes of them is not. */
static __device__ void
pagerank_cut (const Pagerank &self, uint64_t *control, uint64_t v)
{
  Offset begin, end;
  uint64_t pieces, first, at;

  graph_find_row (self.back, v, &begin, &end);
  if ((uint64_t) (end - begin) <= PAGERANK_PIECE)
    return;
  pieces = ((uint64_t) (end - begin) + PAGERANK_PIECE - 1) / PAGERANK_PIECE;
  first = atomicAdd (control + PAGERANK_PIECES, pieces);
  if (first + pieces > self.room)
    {
      leat_report_at (NO_ROOM, v, first);
      return;
    }
  at = atomicAdd (control + PAGERANK_LONG, (uint64_t) 1);
  self.long_rows[at] = (uint32_t) v;
  self.long_pieces[at] = (uint32_t) first;
  for (uint64_t k = 0; k < pieces; k++)
    {
      self.begins[first + k] = (uint64_t) begin + k * PAGERANK_PIECE;
      self.ends[first + k] = k + 1 < pieces ? (uint64_t) begin + (k + 1) * PAGERANK_PIECE : (uint64_t) end;
    }
}

static __device__ void
pagerank_add_up (const PagerankSums &sums, uint64_t *to)
{
  uint64_t change = sums.change, idle = sums.idle;

  for (int step = 16; step > 0; step /= 2)
    {
      change += __shfl_down_sync (0xffffffffu, change, step);
      idle += __shfl_down_sync (0xffffffffu, idle, step);
    }
  if (frontier_lane () != 0)
    return;
  atomicAdd (to, change);
  atomicAdd (to + 1, idle);
}

/* By one thread, at the end. @tells: as in bfs.cu */
static __device__ void
pagerank_tell (uint64_t iterations, uint64_t change, bool settled, bool late, uint64_t tells, uint64_t *report)
{
  double left = (double) change / PAGERANK_UNIT;

  report[0] = iterations;
  report[1] = settled ? 0 : late ? 2 : 1;
  report[2] = change;
  report[3] = 0;
  if (!settled && late)
    leat_report_at (TIME_SPENT, iterations, left);
  else if (!settled && tells == 1)
    leat_report_at (ITERATIONS_SPENT_TOLD, iterations, left);
  else if (!settled && tells == 2)
    leat_report_at (ITERATIONS_SPENT, iterations, left);
}

/* By one thread. @began: when it did */
static __device__ __forceinline__ void
pagerank_look_at_clock (uint64_t *control, uint64_t iteration, uint64_t budget, uint64_t began)
{
  uint64_t *after = pagerank_sums (control, iteration + 2);

  after[0] = after[1] = after[2] = 0;
  if (budget > 0 && leat_clock_now () - began > budget)
    pagerank_sums (control, iteration + 1)[2] = 1;
}

#define PAGERANK_INIT                                                                                                  \
  {                                                                                                                    \
    { offsets, nullptr, vertices, back_indices_count }, { back_offsets, back_indices, vertices, back_indices_count },  \
      (double) damping / PAGERANK_UNIT, long_rows, long_pieces, begins, ends, partials, room, ranks,         \
      even_gifts, odd_gifts                                                                                            \
  }

/* @damping, @tolerance: in 2^-60; @budget: in ns, 0: none */
__global__ void __launch_bounds__ (1024, 1)
pagerank_run (const Offset *offsets, const Offset *back_offsets, const uint32_t *back_indices, uint64_t vertices,
              uint64_t back_indices_count, uint64_t damping, uint64_t tolerance, uint64_t most, uint64_t tells, uint64_t budget,
              uint64_t *control, uint32_t *long_rows, uint32_t *long_pieces, uint64_t *begins, uint64_t *ends,
              double *partials, uint64_t room, float *even_gifts, float *odd_gifts, float *ranks, float *residuals,
              uint64_t *residuals_count, uint64_t *report)
{
  const Pagerank self = PAGERANK_INIT;
  Frontier frontier = { control, nullptr, nullptr, 0, nullptr, nullptr, nullptr, 0 };
  uint64_t began = leat_clock_now (), pieces, n_long, iteration = 0, change = ~0ull;
  bool late = false;
  PagerankSums first = { 0, 0 };

  GRID_FOR (v, vertices)
    {
      pagerank_set (self, v, (float) (1.0 / (double) vertices), even_gifts, &first);
      pagerank_cut (self, control, v);
    }
  pagerank_add_up (first, pagerank_sums (control, 0));
  frontier_sync (&frontier);
  pieces = leat_load_relaxed (control + PAGERANK_PIECES);
  n_long = leat_load_relaxed (control + PAGERANK_LONG);
  if (pieces > room) /* which is told, and the run fails */
    pieces = n_long = 0;
  while (change >= tolerance && iteration < most && !late)
    {
      const float *gifts = pagerank_gifts (self, iteration);
      float *next = pagerank_gifts (self, iteration + 1);
      float base = pagerank_base (self, leat_load_relaxed (pagerank_sums (control, iteration) + 1));
      PagerankSums sums = { 0, 0 };

      if (blockIdx.x == 0 && threadIdx.x == 0)
        pagerank_look_at_clock (control, iteration, budget, began);
      pagerank_do_pieces (self, pieces, gifts);
      PAGERANK_FOR (i, (vertices + 31) / 32)
        pagerank_do_rows (self, 32 * i + frontier_lane (), gifts, next, base, &sums);
      if (pieces > 0)
        frontier_sync (&frontier);
      pagerank_do_long_rows (self, n_long, next, base, &sums);
      pagerank_add_up (sums, pagerank_sums (control, iteration + 1));
      frontier_sync (&frontier);
      iteration++;
      change = leat_load_relaxed (pagerank_sums (control, iteration));
      late = leat_load_relaxed (pagerank_sums (control, iteration) + 2) != 0;
      if (blockIdx.x == 0 && threadIdx.x == 0)
        residuals[iteration - 1] = (float) ((double) change / PAGERANK_UNIT);
    }
  if (blockIdx.x != 0 || threadIdx.x != 0)
    return;
  *residuals_count = iteration;
  pagerank_tell (iteration, change, change < tolerance, late, tells, report);
}
