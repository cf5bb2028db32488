/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Keeps, in order, the rows that a predicate selects: one kernel that reads what the predicate looks at once.
 *
 * Behind a text that leat-primitives-compact-text.c writes, which knows the predicate and the columns:
 *
 *   COMPACT_THREADS, COMPACT_PACK, COMPACT_RUNS   a thread loads PACK neighbouring rows at once, RUNS times, for a tile
 *   COMPACT_IN_PLACE                              what is written lies in the memory that is read
 *   CompactFrom, CompactLook, CompactTo           what is read; what is loaded of PACK rows; where to
 *   CompactStage                                  what waits in shared memory for its place: an item, or a row's number
 *                                                 in its tile
 *   compact_load (), compact_load_some ()         PACK rows, or the first few of them
 *   compact_keeps (), compact_keeps_at ()         the predicate on what is loaded, and on a row
 *   compact_stage (), compact_give (), compact_give_on_host (), compact_tell ()
 *
 * Tiles are scanned by decoupled look-back (Merrill and Garland, 2016): a tile publishes how many rows it keeps, later
 * how many are kept up to its end.  What is done about the time that this takes:
 *
 * - A block that is at work on a tile has the rows of the next one under way already.
 * - It publishes the sum of a tile before it looks back for the tile before that one, so that sums are there early and
 *   places are asked for late: by then the tiles before have nearly always told theirs.
 * - Its look back is one load by one warp, of the 32 tiles before.  More at once only take longer: a load is answered
 *   behind all that the multiprocessor has asked for before, which is the rows of the next tiles.
 *
 * Blocks take tiles by a ticket, so that a tile is only ever waited for when its block runs already: it does not matter
 * how many blocks run at once, or what else is on the device.  Where there is a block for each tile its number serves
 * as the ticket, as a device starts blocks in that order; CUDA does not promise it, yet all single-pass scans live by it.
 * Not in a launch of many lanes: in which order those begin that differ in z, nobody says.
 *
 * What the tiles publish lies in one of two sets of words.  A launch uses one, which is all zeros, and clears what the
 * launch before has used of the other; the last block to end lets them change places.  So nothing needs to be cleared
 * in between, and nothing counts up. */

#define COMPACT_WARPS (COMPACT_THREADS / 32)
#define COMPACT_WARP_ROWS (32 * COMPACT_PACK * COMPACT_RUNS)

/* Words of `control`; those that are written most have a line of the cache for themselves. */
#define COMPACT_TURN 0 /* which set is this launch's */
#define COMPACT_USED 1 /* how many words of each set the last launch that used it has written */
#define COMPACT_TICKET 16
#define COMPACT_DONE 32
#define COMPACT_SETS 48

/* What is in a set, by tile: a sum in the upper 62 bits, and below it what that is. */
#define COMPACT_NOTHING 0u /* not there yet */
#define COMPACT_OF_TILE 1u
#define COMPACT_UP_TO_END 2u

/* Each thread has a field for each run, in which the prefix sum of a warp has room: at most 32 * PACK. */
#if COMPACT_PACK <= 4
#define COMPACT_FIELD 8
#else
#define COMPACT_FIELD 16
#endif
#if COMPACT_RUNS * COMPACT_FIELD <= 32
typedef uint32_t CompactFields;
#else
typedef uint64_t CompactFields;
#endif

#ifdef LEAT_WIDE
#define COMPACT_TICKETS 1
#else
#define COMPACT_TICKETS 0
#endif

struct CompactSets
{
  uint64_t *control;
  uint64_t *mine;   /* of this launch */
  uint64_t *former; /* of the one before */
  uint64_t n_former;
};

struct CompactJob
{
  uint64_t rows, tiles;
  bool alone;   /* one block, no sets */
  bool tickets; /* else the tile is the block's number */
};

static __device__ __forceinline__ CompactSets
compact_open_sets (uint64_t *control, uint64_t set_words)
{
  uint64_t turn = control[COMPACT_TURN];
  CompactSets sets;

  sets.control = control;
  sets.mine = control + COMPACT_SETS + turn * set_words;
  sets.former = control + COMPACT_SETS + (1 - turn) * set_words;
  sets.n_former = control[COMPACT_USED + 1 - turn];
  return sets;
}

static __device__ __forceinline__ uint32_t
compact_get_field (CompactFields fields, uint32_t run)
{
  return (uint32_t) (fields >> (COMPACT_FIELD * run)) & ((1u << COMPACT_FIELD) - 1);
}

/* In place a tile's rows are overwritten by tiles behind it, once these know that it has published its sum.  Releasing
 * the sum puts the loads of the whole block, which are before the barrier and so before this, in front of it; who
 * acquires it writes later.  Otherwise the word itself is all that is handed over. */
static __device__ __forceinline__ void
compact_publish (uint64_t *word, uint64_t told)
{
#if COMPACT_IN_PLACE
  leat_store_release (word, told);
#else
  leat_store_relaxed (word, told);
#endif
}

/* For a whole warp, all of whose threads have the sum. */
static __device__ __forceinline__ uint32_t
compact_sum_lanes (uint32_t sum)
{
#if defined(LEAT_CUDA) && defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_add_sync (0xffffffffu, sum);
#else
#pragma unroll
  for (uint32_t step = 16; step > 0; step /= 2)
    sum += __shfl_xor_sync (0xffffffffu, sum, (int) step);
  return sum;
#endif
}

/* Likewise, by pieces of which 32 add up to a word. */
static __device__ __forceinline__ uint64_t
compact_sum_lanes (uint64_t sum)
{
  const uint32_t piece = (1u << 27) - 1;

  return compact_sum_lanes ((uint32_t) sum & piece)
         + ((uint64_t) compact_sum_lanes ((uint32_t) (sum >> 27) & piece) << 27)
         + ((uint64_t) compact_sum_lanes ((uint32_t) (sum >> 54)) << 54);
}

/* Of a tile, once it has published something. */
static __device__ __forceinline__ uint64_t
compact_await (const uint64_t *word)
{
  uint64_t seen;

  while (((seen = leat_load_relaxed (word)) & 3) == COMPACT_NOTHING)
    __nanosleep (20);
  return seen;
}

/* Rows kept in all tiles before @tile; for a whole warp.  Its threads look at 32 tiles at a time, the nearest first. */
static __device__ __forceinline__ uint64_t
compact_look_back (const uint64_t *set, uint64_t tile)
{
  uint64_t back = threadIdx.x % 32 + 1, sum = 0;
  bool found = tile == 0;

  for (uint64_t end = tile; !found; end -= 32)
    {
      /* before the first tile nothing is kept */
      uint64_t seen = back <= end ? compact_await (set + (end - back)) : (uint64_t) COMPACT_UP_TO_END;
      uint32_t ends = __ballot_sync (0xffffffffu, (seen & 3) == COMPACT_UP_TO_END);

      found = ends != 0;
      sum += !found || back <= (uint32_t) __ffs ((int) ends) ? seen >> 2 : 0;
    }
#if COMPACT_IN_PLACE
  __threadfence (); /* with the release in compact_publish () */
#endif
  return compact_sum_lanes (sum);
}

/* Called by each block when it will look at no set any more, by one thread.  The last one of all tells how many rows are
 * kept, which in place must not be before all have read how many there were, and makes the words what the next launch
 * expects.  Before it is counted a block's sums are there: its fence and the last block's make that so. */
static __device__ __forceinline__ void
compact_leave (const CompactSets &sets, const CompactJob &job, const CompactTo &to)
{
  uint64_t turn, total;

  __threadfence ();
  if (atomicAdd (sets.control + COMPACT_DONE, (uint64_t) 1) != gridDim.x - 1)
    return;
  __threadfence ();
  total = job.tiles > 0 ? leat_load_relaxed (sets.mine + job.tiles - 1) >> 2 : 0;
  turn = sets.control[COMPACT_TURN];
  sets.control[COMPACT_USED + turn] = job.tiles;
  sets.control[COMPACT_USED + 1 - turn] = 0;
  sets.control[COMPACT_TURN] = 1 - turn;
  sets.control[COMPACT_TICKET] = 0;
  sets.control[COMPACT_DONE] = 0;
  compact_tell (to, total);
}

/* One block has it all, and none has to be told anything.  In place the others may still read how many rows there are. */
static __device__ __forceinline__ bool
compact_is_alone (uint64_t tiles)
{
  return tiles <= 1 && (!COMPACT_IN_PLACE || gridDim.x == 1);
}

/* The first row of run @run of a thread in @tile. */
static __device__ __forceinline__ uint64_t
compact_get_first (uint64_t tile, uint32_t run)
{
  return tile * COMPACT_TILE + threadIdx.x / 32 * COMPACT_WARP_ROWS + (run * 32 + threadIdx.x % 32) * COMPACT_PACK;
}

static __device__ __forceinline__ uint32_t
compact_get_most (uint64_t first, uint64_t rows)
{
  return first >= rows ? 0 : rows - first < COMPACT_PACK ? (uint32_t) (rows - first) : COMPACT_PACK;
}

static __device__ __forceinline__ void
compact_load_tile (const CompactFrom &from, const CompactJob &job, uint64_t tile, CompactLook *look)
{
  if ((tile + 1) * COMPACT_TILE <= job.rows)
    {
#pragma unroll
      for (uint32_t run = 0; run < COMPACT_RUNS; run++)
        compact_load (from, compact_get_first (tile, run), look[run]);
      return;
    }
#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    {
      uint64_t first = compact_get_first (tile, run);

      compact_load_some (from, first, compact_get_most (first, job.rows), look[run]);
    }
}

/* For each run of the thread, which of its rows are kept. */
static __device__ __forceinline__ void
compact_choose (const CompactFrom &from, const CompactJob &job, uint64_t tile, const CompactLook *look, uint32_t *kept)
{
  bool whole = (tile + 1) * COMPACT_TILE <= job.rows;

#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    {
      uint32_t most = whole ? COMPACT_PACK : compact_get_most (compact_get_first (tile, run), job.rows);

      kept[run] = 0;
#pragma unroll
      for (uint32_t i = 0; i < COMPACT_PACK; i++)
        if (i < most && compact_keeps (from, look[run], i))
          kept[run] |= 1u << i;
    }
}

/* How many rows the warp keeps; in @before, for each run, how many of them lie before the thread's. */
#if COMPACT_PACK * COMPACT_RUNS <= 8 || COMPACT_PACK == 1
static __device__ __forceinline__ uint32_t
compact_rank (const uint32_t *kept, uint32_t *before)
{
  uint32_t lower = (1u << threadIdx.x % 32) - 1, sum = 0;

#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    {
      uint32_t all = 0;

      before[run] = sum;
#pragma unroll
      for (uint32_t i = 0; i < COMPACT_PACK; i++)
        {
          uint32_t lanes = __ballot_sync (0xffffffffu, kept[run] >> i & 1);

          before[run] += (uint32_t) __popc (lanes & lower);
          all += (uint32_t) __popc (lanes);
        }
      sum += all;
    }
  return sum;
}
#else
static __device__ __forceinline__ uint32_t
compact_rank (const uint32_t *kept, uint32_t *before)
{
  uint32_t lane = threadIdx.x % 32, sum = 0;
  CompactFields mine = 0, fields, all;

#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    mine |= (CompactFields) __popc (kept[run]) << (COMPACT_FIELD * run);
  fields = mine;
#pragma unroll
  for (uint32_t step = 1; step < 32; step *= 2)
    {
      CompactFields other = __shfl_up_sync (0xffffffffu, fields, step);

      fields += lane >= step ? other : 0;
    }
  all = __shfl_sync (0xffffffffu, fields, 31);
  fields -= mine;
#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    {
      before[run] = sum + compact_get_field (fields, run);
      sum += compact_get_field (all, run);
    }
  return sum;
}
#endif

/* From what the warps keep, what lies before this one; in @sum what all keep. */
static __device__ __forceinline__ uint32_t
compact_sum_warps (const uint32_t *sums, uint32_t *sum)
{
  uint32_t lane = threadIdx.x % 32, mine = lane < COMPACT_WARPS ? sums[lane] : 0;

  *sum = compact_sum_lanes (mine);
  return compact_sum_lanes (lane < threadIdx.x / 32 ? mine : 0);
}

static __device__ __forceinline__ void
compact_stage_tile (const CompactLook *look, const uint32_t *kept, const uint32_t *before, uint32_t base,
                    CompactStage *stage)
{
#pragma unroll
  for (uint32_t run = 0; run < COMPACT_RUNS; run++)
    {
      uint32_t at = base + before[run];

      if (kept[run] == 0)
        continue;
#pragma unroll
      for (uint32_t i = 0; i < COMPACT_PACK; i++)
        if (kept[run] >> i & 1)
          stage[at++] = compact_stage (look[run], compact_get_first (0, run), i);
    }
}

/* What the launch before has left in its set. */
static __device__ __forceinline__ void
compact_clear_former (const CompactSets &sets)
{
  for (uint64_t i = (uint64_t) blockIdx.x * blockDim.x + threadIdx.x; i < sets.n_former;
       i += (uint64_t) gridDim.x * blockDim.x)
    sets.former[i] = 0;
}

static __device__ __forceinline__ CompactJob
compact_plan (uint64_t rows, uint64_t tile_rows)
{
  CompactJob job;

  job.rows = rows;
  job.tiles = rows / tile_rows + (rows % tile_rows != 0);
  job.alone = compact_is_alone (job.tiles);
  job.tickets = !job.alone && (COMPACT_TICKETS || job.tiles > gridDim.x);
  return job;
}

/* Where a tile's rows go, for the first warp, whose first thread leaves it in @place. */
static __device__ __forceinline__ void
compact_place (const CompactSets &sets, const CompactJob &job, uint64_t tile, uint32_t sum, uint64_t *place)
{
  uint64_t before = job.alone ? 0 : compact_look_back (sets.mine, tile);

  if (threadIdx.x != 0)
    return;
  if (!job.alone)
    compact_publish (sets.mine + tile, (before + sum) << 2 | COMPACT_UP_TO_END);
  *place = before;
}

/* The first tile of a block with tickets; its first thread has the second one at hand. */
static __device__ __forceinline__ uint64_t
compact_take_first (uint64_t *control, uint64_t *shared, uint64_t *ahead)
{
  if (threadIdx.x == 0)
    {
      *shared = leat_take_ticket (control + COMPACT_TICKET);
      *ahead = leat_take_ticket (control + COMPACT_TICKET);
    }
  __syncthreads ();
  return *shared;
}

/* The kernel, for a block.  @stages: room for two tiles and 16 bytes, at a multiple of 16
 *
 * Between the two barriers of a round the stage of its tile is filled and the place of the tile before is found; behind
 * them that tile is stored from the other stage, which the next round's first barrier keeps from being filled again. */
static __device__ __forceinline__ void
compact_run (const CompactFrom &from, const CompactTo &to, uint64_t rows, uint64_t *control, uint64_t set_words,
             CompactStage *stages)
{
  __shared__ uint32_t sums[COMPACT_WARPS];
  __shared__ uint64_t next, places[2];
  CompactJob job = compact_plan (rows, COMPACT_TILE);
  CompactLook look[COMPACT_RUNS];
  CompactSets sets = {};
  uint64_t tile = blockIdx.x, ahead = job.tiles, pending = job.tiles;
  uint32_t pending_sum = 0, turn = 0;
  bool leads = threadIdx.x == 0;

  if (job.alone && blockIdx.x > 0)
    return;
  if (job.tickets)
    tile = compact_take_first (control, &places[0], &ahead);
  if (tile < job.tiles)
    compact_load_tile (from, job, tile, look);
  if (!job.alone)
    {
      sets = compact_open_sets (control, set_words);
      compact_clear_former (sets);
      __syncthreads (); /* all have looked before the first thread says that the block is done */
    }
  while (tile < job.tiles)
    {
      uint32_t kept[COMPACT_RUNS], before[COMPACT_RUNS], base, sum;
      uint64_t after;

      compact_choose (from, job, tile, look, kept);
      sum = compact_rank (kept, before);
      if (threadIdx.x % 32 == 0)
        sums[threadIdx.x / 32] = sum;
      if (leads)
        next = ahead;
      __syncthreads ();
      after = next;
      base = compact_sum_warps (sums, &sum);
      if (leads && !job.alone)
        compact_publish (sets.mine + tile, (uint64_t) sum << 2 | (tile == 0 ? COMPACT_UP_TO_END : COMPACT_OF_TILE));
      if (leads && job.tickets)
        ahead = leat_take_ticket (control + COMPACT_TICKET); /* for the round after the next */
      compact_stage_tile (look, kept, before, base, stages + turn * COMPACT_TILE);
      if (after < job.tiles)
        compact_load_tile (from, job, after, look);
      if (pending < job.tiles && threadIdx.x < 32)
        compact_place (sets, job, pending, pending_sum, &places[turn]);
      __syncthreads ();
      turn ^= 1;
      if (pending < job.tiles)
        compact_give (from, to, pending * COMPACT_TILE, stages + turn * COMPACT_TILE, places[turn ^ 1], pending_sum);
      pending = tile;
      pending_sum = sum;
      tile = after;
    }
  if (pending < job.tiles && threadIdx.x < 32)
    compact_place (sets, job, pending, pending_sum, &places[turn]);
  __syncthreads ();
  /* Not who has just placed the last tile, so that both are under way. */
  if (threadIdx.x == COMPACT_THREADS - 1 && job.alone)
    compact_tell (to, pending_sum);
  else if (threadIdx.x == COMPACT_THREADS - 1)
    compact_leave (sets, job, to);
  if (pending < job.tiles)
    compact_give (from, to, pending * COMPACT_TILE, stages + (turn ^ 1) * COMPACT_TILE, places[turn], pending_sum);
}

#ifdef LEAT_HOST
/* For the CPU: what is kept is a bit for each row, and which of three ways stores 64 rows follows from how many of them
 * are kept.  A tile is what stays in the cache of a processor between the two. */
#define COMPACT_HOST_TILE 65536

/* Which of the 64 rows from @first on are kept. */
static __device__ inline uint64_t
compact_choose_64 (const CompactFrom &from, uint64_t first)
{
  uint8_t keeps[64];
  uint64_t bits = 0;

  for (uint32_t i = 0; i < 64; i++)
    keeps[i] = compact_keeps_at (from, first + i);
  for (uint32_t i = 0; i < 8; i++)
    {
      uint64_t bytes;

      /* the lowest bits of eight bytes come together in the highest byte of the product */
      __builtin_memcpy (&bytes, keeps + 8 * i, 8);
      bits |= (bytes * 0x0102040810204080u >> 56) << (8 * i);
    }
  return bits;
}

static __device__ inline uint64_t
compact_choose_on_host (const CompactFrom &from, uint64_t first, uint64_t n, uint64_t *kept)
{
  uint64_t sum = 0;

  for (uint64_t i = 0; i < n / 64; i++)
    sum += (uint64_t) __builtin_popcountll (kept[i] = compact_choose_64 (from, first + 64 * i));
  if (n % 64 > 0)
    kept[n / 64] = 0;
  for (uint64_t i = n / 64 * 64; i < n; i++)
    if (compact_keeps_at (from, first + i))
      {
        kept[n / 64] |= (uint64_t) 1 << i % 64;
        sum++;
      }
  return sum;
}

#define COMPACT_ENOUGH (COMPACT_IN_PLACE ? COMPACT_UP_TO_END : COMPACT_OF_TILE)

/* Rows kept before @tile.  In place a tile may be stored when all before it are, which is when the one before tells what
 * is kept up to its end. */
static __device__ inline uint64_t
compact_look_back_on_host (const uint64_t *set, uint64_t tile)
{
  uint64_t sum = 0, seen = 0;

  while (tile-- > 0 && (seen & 3) != COMPACT_UP_TO_END)
    {
      while (((seen = leat_load_acquire (set + tile)) & 3) < COMPACT_ENOUGH)
        __nanosleep (20);
      sum += seen >> 2;
    }
  return sum;
}

/* A block takes tile after tile, as long as there are any. */
static __device__ inline void
compact_run_on_host (const CompactFrom &from, const CompactTo &to, uint64_t rows, uint64_t *control, uint64_t set_words)
{
  CompactJob job = compact_plan (rows, COMPACT_HOST_TILE);
  CompactSets sets = {};
  uint64_t kept[COMPACT_HOST_TILE / 64], sum = 0, tile = 0;

  if (job.alone && blockIdx.x > 0)
    return;
  if (!job.alone)
    {
      sets = compact_open_sets (control, set_words);
      for (uint64_t i = blockIdx.x; i < sets.n_former; i += gridDim.x)
        sets.former[i] = 0;
    }
  while ((tile = job.alone ? tile : leat_take_ticket (control + COMPACT_TICKET)) < job.tiles)
    {
      uint64_t first = tile * COMPACT_HOST_TILE, n = rows - first < COMPACT_HOST_TILE ? rows - first : COMPACT_HOST_TILE;
      uint64_t place = 0;

      sum = compact_choose_on_host (from, first, n, kept);
      if (!job.alone)
        {
          leat_store_release (sets.mine + tile, sum << 2 | COMPACT_OF_TILE);
          place = compact_look_back_on_host (sets.mine, tile);
          if (!COMPACT_IN_PLACE)
            leat_store_release (sets.mine + tile, (place + sum) << 2 | COMPACT_UP_TO_END);
        }
      compact_give_on_host (from, to, first, n, kept, place, sum, COMPACT_IN_PLACE ? 0 : rows);
      if (!job.alone && COMPACT_IN_PLACE)
        leat_store_release (sets.mine + tile, (place + sum) << 2 | COMPACT_UP_TO_END);
      if (job.alone)
        break;
    }
  if (job.alone)
    compact_tell (to, sum);
  else
    compact_leave (sets, job, to);
}
#endif
