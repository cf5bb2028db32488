/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Values of vertices, which edges carry on until nothing changes.  Behind frontier.cu and
 *
 *   Value         of a vertex
 *   RELAX_FIRST   what every vertex has before the sources have theirs
 *   relax_begin (p, i)                gives source number i its value, and others of the same vertex
 *   relax_offer (p, v, e, weights)    offers v along edge e to the vertex whose value is at p; whether that has changed
 *   FEW_WEIGHTS   whether there may be fewer weights than indices
 *   TUNES_ALONE   whether it is measured up to how large a list block 0 goes on alone (tune.cu)
 *
 * Values go one way only, and an offer depends on nothing but the value and the edge: so what they are in the end does not
 * depend on who is faster.  How many rounds that takes does.
 *
 * A round takes the vertices that changed in the one before from a list, which has each once: there is a bit for that, one
 * for each of two rounds.  Who changes a value again while a round takes it puts the vertex into the next list. */

#define RELAX_ALONE_EDGES 16 /* for each vertex, of a list with which block 0 goes on alone */
#define RELAX_LONG 1024 /* edges of a row that are too many for one warp; all warps share it */

struct Relax
{
  Graph graph;
  const float *weights;
  Value *values;
  uint32_t *lists, *long_lists, *queued; /* of two rounds, one behind the other */
  uint64_t room, long_room;              /* of one */
  uint64_t most;
  uint64_t alone; /* vertices of a list, up to which block 0 goes on alone */
  Budget budget;
};

/* Who does rounds and where they count: all blocks in `control`, or block 0 in its shared memory.  A tail has how many
 * vertices are in a list and above it units of their edges; the word behind it has how many are in the list of long rows.
 * Block 0's last word is the round at whose beginning time is over. */
struct RelaxCrew
{
  uint64_t *tails; /* three, 16 words apart */
  uint64_t turn, blocks, block;
};

struct RelaxRound
{
  uint64_t number, counts, long_rows;
  uint64_t came_to; /* vertices of the rounds before that this block was at */
  bool late;        /* time is over */
};

/* An edge has both.  Where specs say that there are as many, no register is spent on it. */
static __device__ __forceinline__ uint64_t
relax_count_edges (uint64_t indices, uint64_t weights)
{
  return FEW_WEIGHTS && weights < indices ? weights : indices;
}

static __device__ __forceinline__ uint64_t *
relax_tail (const RelaxCrew &crew, uint64_t ahead)
{
  return crew.tails + 16 * ((crew.turn + ahead) % 3);
}

static __device__ __forceinline__ uint32_t *
relax_queued (const Relax &relax, uint64_t round)
{
  return relax.queued + round % 2 * ((relax.graph.vertices + 31) / 32);
}

/* All lanes come here: those that are `changed` put their vertex into the list of @round, if it is not there. */
static __device__ void
relax_push (const Relax &relax, uint64_t *tail, uint64_t round, uint32_t v, bool changed)
{
  bool fresh = changed && leat_bits_add (relax_queued (relax, round), v);
  Offset begin = 0, end = 0;
  uint32_t mask, units, at = 0;

  if (!__any_sync (0xffffffffu, fresh))
    return;
  if (fresh)
    graph_find_row (relax.graph, v, &begin, &end);
  if (end - begin > RELAX_LONG)
    {
      uint64_t number = atomicAdd (tail + 1, (uint64_t) 1);

      if (number < relax.long_room)
        relax.long_lists[round % 2 * relax.long_room + number] = v;
      else
        graph_tell (NO_ROOM, round, number);
      fresh = false;
    }
  mask = __ballot_sync (0xffffffffu, fresh);
  units = frontier_sum_of_warp (frontier_count_units (end - begin));
  if (frontier_lane () == 0)
    at = (uint32_t) atomicAdd (tail, (uint64_t) units << 32 | (uint32_t) __popc (mask));
  at = __shfl_sync (0xffffffffu, at, 0) + (uint32_t) __popc (mask & ((1u << frontier_lane ()) - 1));
  if (fresh)
    relax.lists[round % 2 * relax.room + at] = v;
}

/* All lanes come here; those that are `live` have an edge. */
static __device__ __forceinline__ void
relax_follow (const Relax &relax, const RelaxCrew &crew, uint64_t round, uint64_t edge, Value value, bool live)
{
  uint32_t to = live ? relax.graph.indices[edge] : 0;
  bool changed = false;

  if (live && to >= relax.graph.vertices)
    {
      graph_tell (CORRUPT_INDEX, edge, to);
      to = 0;
    }
  else if (live)
    changed = relax_offer (relax.values + to, value, edge, relax.weights);
  relax_push (relax, relax_tail (crew, 1), round + 1, to, changed);
}

/* The rows of 32 vertices, whose edges are dealt out to the lanes. */
static __device__ void
relax_do_rows (const Relax &relax, const RelaxCrew &crew, uint64_t round, bool live, uint32_t v)
{
  Offset begin = 0, end = 0;
  Value value = RELAX_FIRST;
  uint32_t mine, upto, total;

  if (live)
    {
      leat_bits_remove (relax_queued (relax, round), v);
      value = leat_load_relaxed (relax.values + v);
      graph_find_row (relax.graph, v, &begin, &end);
    }
  mine = (uint32_t) (end - begin);
  upto = frontier_scan_of_warp (mine);
  total = __shfl_sync (0xffffffffu, upto, 31);
  for (uint32_t first = 0; first < total; first += 32)
    {
      uint32_t k = first + frontier_lane (), owner;
      uint64_t edge = frontier_find_edge (k, upto, mine, begin, &owner);
      Value its = __shfl_sync (0xffffffffu, value, (int) owner);

      relax_follow (relax, crew, round, edge, its, k < total);
    }
}

static __device__ void
relax_do_long_rows (const Relax &relax, const RelaxCrew &crew, const RelaxRound &round)
{
  uint64_t step = crew.blocks * blockDim.x;

  for (uint64_t i = 0; i < round.long_rows && i < relax.long_room; i++)
    {
      uint32_t v = relax.long_lists[round.number % 2 * relax.long_room + i];
      Value value = leat_load_relaxed (relax.values + v);
      Offset begin, end;

      if (crew.block == 0 && threadIdx.x == 0)
        leat_bits_remove (relax_queued (relax, round.number), v);
      graph_find_row (relax.graph, v, &begin, &end);
      /* Whole warps come along, for the sake of those in them that have an edge. */
      for (uint64_t first = (uint64_t) begin + crew.block * blockDim.x; first < end; first += step)
        relax_follow (relax, crew, round.number, first + threadIdx.x, value, first + threadIdx.x < end);
    }
}

static __device__ void
relax_do_round (const Relax &relax, const RelaxCrew &crew, const RelaxRound &round)
{
  uint64_t warps = crew.blocks * (blockDim.x / 32), warp = (uint64_t) (threadIdx.x / 32) * crew.blocks + crew.block;
  uint64_t size = (uint32_t) round.counts;

  if (crew.block == 0 && threadIdx.x < 2)
    relax_tail (crew, 2)[threadIdx.x] = 0;
  for (uint64_t first = 0; first < size; first += 32 * warps)
    {
      uint64_t at = first + frontier_lane () * warps + warp;

      relax_do_rows (relax, crew, round.number, at < size,
                     at < size ? relax.lists[round.number % 2 * relax.room + at] : 0);
    }
  relax_do_long_rows (relax, crew, round);
}

static __device__ __forceinline__ bool
relax_is_live (const Relax &relax, const RelaxRound &round)
{
  return ((uint32_t) round.counts > 0 || round.long_rows > 0) && round.number < relax.most && !round.late;
}

static __device__ __forceinline__ bool
relax_is_small (const Relax &relax, const RelaxRound &round)
{
  return (uint32_t) round.counts <= relax.alone && (round.counts >> 32 << EDGE_SHIFT) <= relax.alone * RELAX_ALONE_EDGES
         && round.long_rows == 0;
}

/* By their numbers in tune.cu.  With the first most graphs do well. */
static __device__ __forceinline__ uint64_t
relax_get_alone (uint32_t number)
{
  return number == 0 ? 512 : number == 1 ? 256 : number == 2 ? 128 : number == 3 ? 1024 : number == 4 ? 2048 : 32;
}

static __device__ __forceinline__ uint64_t
relax_get_key (const Relax &relax, uint64_t sources, uint64_t warm, uint64_t alone)
{
  return tune_get_key (relax.graph, sources, warm, TUNES ? 0 : alone);
}

static __device__ __forceinline__ void
relax_go_on (RelaxCrew *crew, RelaxRound *round)
{
  crew->turn++;
  round->number++;
  round->came_to += (uint32_t) round->counts + round->long_rows;
  round->counts = leat_load_relaxed (relax_tail (*crew, 0));
  round->long_rows = leat_load_relaxed (relax_tail (*crew, 0) + 1);
}

/* Rounds while they are small.  Only block 0 is here, and tells the others. */
static __device__ void
relax_go_alone (const Relax &relax, const Frontier &frontier, uint64_t *tails, RelaxRound *round, uint64_t epoch)
{
  RelaxCrew crew = { tails, 0, 1, 0 };

  for (uint32_t i = threadIdx.x; i < 48; i += blockDim.x)
    tails[i] = 0;
  __syncthreads ();
  while (relax_is_live (relax, *round) && relax_is_small (relax, *round))
    {
      relax_do_round (relax, crew, *round);
      if (threadIdx.x == 0 && round->number % 32 == 0 && tails[47] == 0 && budget_is_over (relax.budget))
        tails[47] = round->number + 1;
      __syncthreads ();
      relax_go_on (&crew, round);
      round->late = tails[47] != 0 && tails[47] <= round->number;
    }
  __syncthreads ();
  if (threadIdx.x == 0)
    {
      frontier.control[FRONTIER_STATE] = round->number;
      frontier.control[FRONTIER_STATE + 1] = round->counts;
      frontier.control[FRONTIER_STATE + 2] = round->long_rows;
      frontier.control[FRONTIER_STATE + 4] = round->late;
      leat_store_release (frontier.control + FRONTIER_WAKE, epoch);
    }
  __syncthreads ();
}

static __device__ void
relax_wait (const Frontier &frontier, RelaxRound *round, uint64_t epoch)
{
  const uint64_t *state = frontier_await_state (frontier, epoch);

  round->number = state[0];
  round->counts = state[1];
  round->long_rows = state[2];
  round->late = state[4] != 0;
}

/* The sources' values, and the first list. */
static __device__ void
relax_begin_all (const Relax &relax, const RelaxCrew &crew, const uint32_t *sources, uint64_t n)
{
  uint64_t step = crew.blocks * blockDim.x;

  for (uint64_t first = crew.block * blockDim.x; first < n; first += step)
    {
      uint64_t i = first + threadIdx.x;
      uint32_t v = i < n ? sources[i] : 0;
      bool live = i < n && v < relax.graph.vertices;

      if (i < n && !live)
        graph_tell (NO_SUCH_SOURCE, i, v);
      if (live)
        relax_begin (relax.values + v, i);
      relax_push (relax, relax_tail (crew, 0), 0, live ? v : 0, live);
    }
}

/* What was known goes on along the rows that have changed, or along all. */
static __device__ void
relax_begin_warm (const Relax &relax, const RelaxCrew &crew, uint64_t warm, const uint32_t *changed, uint64_t n)
{
  uint64_t step = crew.blocks * blockDim.x, all = warm == WARM_KNOWN ? relax.graph.vertices : n;

  for (uint64_t first = crew.block * blockDim.x; first < all; first += step)
    {
      uint64_t i = first + threadIdx.x;
      uint32_t v = i >= all ? 0 : warm == WARM_KNOWN ? (uint32_t) i : changed[i];
      bool live = i < all && v < relax.graph.vertices;

      if (i < all && !live)
        graph_tell (NO_SUCH_CHANGED, i, v);
      live = live && leat_load_relaxed (relax.values + v) != RELAX_FIRST;
      relax_push (relax, relax_tail (crew, 0), 0, live ? v : 0, live);
    }
}

static __device__ void
relax_tell (const RelaxRound &round, uint64_t alone, uint64_t tells, uint64_t *report)
{
  uint64_t left = (uint32_t) round.counts + round.long_rows;

  report[0] = round.number;
  report[1] = left == 0 ? 0 : round.late ? 2 : 1;
  report[2] = left;
  report[3] = alone;
  if (left > 0 && round.late)
    leat_report_at (TIME_SPENT, round.number, left);
  else if (left > 0 && tells == 1)
    leat_report_at (ITERATIONS_SPENT_TOLD, round.number, left);
  else if (left > 0 && tells == 2)
    leat_report_at (ITERATIONS_SPENT, round.number, left);
}

/* By block 0, which has seen all rounds.  What a limit ended is no measure. */
static __device__ void
relax_note (const Relax &relax, const RelaxRound &round, const Tune &tune, uint64_t *tuning)
{
  if (TUNES && (uint32_t) round.counts + round.long_rows == 0)
    tune_end (tuning, tune, leat_clock_now () - relax.budget.began, round.number, round.came_to);
}

/* @tells: 0: nothing where max-iterations are spent, 1: a warning, 2: an error. */
__global__ void __launch_bounds__ (1024, 1)
relax_run (const Offset *offsets, const uint32_t *indices, const float *weights, const uint32_t *sources,
           uint64_t sources_count, const Value *known, uint64_t warm, const uint32_t *changed, uint64_t changed_count,
           uint64_t vertices, uint64_t indices_count, uint64_t weights_count, uint64_t most, uint64_t alone, uint64_t tells, uint64_t budget,
           uint64_t *control, uint32_t *lists, uint32_t *long_lists, uint64_t long_room, uint32_t *queued, Value *values,
           uint64_t *tuning, uint64_t *report)
{
  __shared__ uint64_t tails[48], measured;
  __shared__ Tune tune;
  Relax relax = { { offsets, indices, vertices, relax_count_edges (indices_count, weights_count) }, weights, values, lists, long_lists, queued, vertices, long_room, most,
                  alone, { budget, leat_clock_now () } };
  Frontier frontier = { control, nullptr, nullptr, 0, nullptr, nullptr, nullptr, 0 };
  RelaxCrew crew = { control + FRONTIER_TAILS, 0, gridDim.x, blockIdx.x };
  RelaxRound round = { 0, 0, 0, 0, false };
  uint64_t epoch = 0;

  GRID_FOR (v, vertices)
    values[v] = warm != WARM_COLD ? known[v] : RELAX_FIRST;
  GRID_FOR (i, 2 * ((vertices + 31) / 32))
    queued[i] = 0;
  if (TUNES && threadIdx.x == 0)
    {
      tune = tune_begin (tuning, relax_get_key (relax, sources_count, warm, alone), ~(uint64_t) 0);
      measured = relax_get_alone (tune.numbers[TUNE_ALONE]);
    }
  frontier_sync (&frontier);
  if (TUNES)
    relax.alone = measured;
  relax_begin_all (relax, crew, sources, sources_count);
  if (warm != WARM_COLD)
    relax_begin_warm (relax, crew, warm, changed, changed_count);
  frontier_sync (&frontier);
  round.counts = leat_load_relaxed (relax_tail (crew, 0));
  round.long_rows = leat_load_relaxed (relax_tail (crew, 0) + 1);
  while (relax_is_live (relax, round))
    if (!relax_is_small (relax, round))
      {
        relax_do_round (relax, crew, round);
        frontier_look_at_clock (frontier, relax.budget, round.number + 1);
        frontier_sync (&frontier);
        relax_go_on (&crew, &round);
        round.late = frontier_is_late (frontier, round.number);
      }
    else if (++epoch, blockIdx.x == 0)
      relax_go_alone (relax, frontier, tails, &round, epoch);
    else
      relax_wait (frontier, &round, epoch);
  if (blockIdx.x == 0 && threadIdx.x == 0)
    {
      relax_note (relax, round, tune, tuning);
      relax_tell (round, relax.alone, tells, report);
    }
}
