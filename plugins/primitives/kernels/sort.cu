/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sorts by digits of 8 bits, the lowest first, and keeps the order of what is equal.  What stands before this text, by
 * leat-primitives-sort.c:
 *
 *   Key             a whole number without a sign, of the bits of a key
 *   flip (k)        the bits in an order in which a key is less where they are
 *   CARRIES         1 where it is wanted which item each was, else 0
 *   Word, ROW       rows that are carried along are ROW of these
 *
 * For each digit:
 *
 *   sort_count      how often each value of the digit occurs in each tile
 *   sort_place      from that, where in the output those of each tile begin, relative to the value's
 *   sort_move       in each tile, ranks keys by warps that look who else has their digit, brings them in order in shared
 *                   memory and writes them out, so that neighbours go to neighbours
 *
 * Up to one tile of keys is sorted by one block, which does all digits in shared memory. */

#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH 16
#define TILE (THREADS * EACH)
#define VALUES 256
#define DIGITS ((int) sizeof (Key))
#define VALUES_OF_BLOCK 8 /* in sort_place: 32 bytes of counts, which memory gives at once */
#define GROUPS (THREADS / VALUES_OF_BLOCK)

static __device__ __forceinline__ uint32_t
get_digit (Key key, uint32_t shift)
{
  return (uint32_t) (flip (key) >> shift) & (VALUES - 1);
}

/* Number of key @j of the thread in its tile: a warp has neighbours. */
static __device__ __forceinline__ uint32_t
get_number (int j)
{
  return threadIdx.x / 32 * (32 * EACH) + (uint32_t) j * 32 + threadIdx.x % 32;
}

/* The sum over the threads before this one.  All threads must come here; parts: WARPS words that nobody uses. */
static __device__ uint32_t
sum_before (uint32_t mine, uint32_t *parts)
{
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, sum = mine, before = 0;

  for (uint32_t step = 1; step < 32; step *= 2)
    {
      uint32_t other = __shfl_up_sync (0xffffffffu, sum, step);

      sum += lane >= step ? other : 0;
    }
  if (lane == 31)
    parts[warp] = sum;
  __syncthreads ();
  for (uint32_t w = 0; w < warp; w++)
    before += parts[w];
  __syncthreads ();
  return before + sum - mine;
}

struct Ranks
{
  uint32_t counts[WARPS][VALUES]; /* then where the keys of a warp begin among those of a value */
  uint32_t begins[VALUES];        /* where those of a value begin in the tile */
  uint32_t parts[WARPS];
};

/* Which threads of the warp have the digit of this one; of threads without a key, anything.  A ballot for each bit takes
 * less time than __match_any_sync (), which asks for one value after the other. */
static __device__ __forceinline__ uint32_t
find_same (bool there, uint32_t digit)
{
  uint32_t same = __ballot_sync (0xffffffffu, there);

#pragma unroll
  for (uint32_t bit = 0; bit < 8; bit++)
    {
      uint32_t set = __ballot_sync (0xffffffffu, digit >> bit & 1);

      same &= digit >> bit & 1 ? set : ~set;
    }
  return same;
}

/* Where each of the thread's keys goes in its tile, of which @n are there. */
static __device__ __forceinline__ void
rank_keys (const Key *keys, uint32_t n, uint32_t shift, Ranks *ranks, uint32_t *places)
{
  uint32_t warp = threadIdx.x / 32, lane = threadIdx.x % 32, sum = 0;

  for (uint32_t w = 0; w < WARPS; w++)
    ranks->counts[w][threadIdx.x] = 0;
  __syncthreads ();
#pragma unroll
  for (int j = 0; j < EACH; j++)
    {
      bool there = get_number (j) < n;
      uint32_t digit = get_digit (keys[j], shift), same = find_same (there, digit), before = 0;
      int leader = (__ffs ((int) same) - 1) & 31; /* there is one where there is a key */

      if (there && (int) lane == leader)
        {
          before = ranks->counts[warp][digit];
          ranks->counts[warp][digit] = before + (uint32_t) __popc (same);
        }
      before = __shfl_sync (0xffffffffu, before, leader);
      places[j] = before + (uint32_t) __popc (same & ((1u << lane) - 1));
      __syncwarp ();
    }
  __syncthreads ();
  for (uint32_t w = 0; w < WARPS; w++)
    {
      uint32_t count = ranks->counts[w][threadIdx.x];

      ranks->counts[w][threadIdx.x] = sum;
      sum += count;
    }
  ranks->begins[threadIdx.x] = sum_before (sum, ranks->parts);
  __syncthreads ();
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (get_number (j) < n)
      {
        uint32_t digit = get_digit (keys[j], shift);

        places[j] += ranks->begins[digit] + ranks->counts[warp][digit];
      }
}

static __device__ __forceinline__ uint32_t
get_tile_length (uint64_t keys_count, uint64_t tile)
{
  uint64_t first = tile * TILE;

  return first >= keys_count ? 0 : keys_count - first < TILE ? (uint32_t) (keys_count - first) : TILE;
}

/* All loads are under way before the first key is needed: behind the end the last one is loaded again, so that no branch
 * stands between them.  @n: how many are there, not 0 */
template <class T>
static __device__ __forceinline__ void
load_tile (const T *from, uint32_t n, T *mine)
{
#pragma unroll
  for (int j = 0; j < EACH; j++)
    mine[j] = from[get_number (j) < n ? get_number (j) : n - 1];
}

/* counts: for each tile, for each value of the digit.  Tiles behind the last key have none. */
__global__ void __launch_bounds__ (THREADS)
sort_count (const Key *keys, uint64_t keys_count, uint64_t shift, uint64_t tiles, uint32_t *counts)
{
  __shared__ uint32_t found[WARPS][VALUES];

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      uint32_t n = get_tile_length (keys_count, tile), sum = 0;
      Key mine[EACH];

      if (n > 0)
        load_tile (keys + tile * TILE, n, mine);
      for (uint32_t w = 0; w < WARPS; w++)
        found[w][threadIdx.x] = 0;
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          atomicAdd (&found[threadIdx.x / 32][get_digit (mine[j], (uint32_t) shift)], 1u);
      __syncthreads ();
      for (uint32_t w = 0; w < WARPS; w++)
        sum += found[w][threadIdx.x];
      counts[tile * VALUES + threadIdx.x] = sum;
      __syncthreads ();
    }
}

LEAT_HOST_VARIANT void
sort_count (const Key *keys, uint64_t keys_count, uint64_t shift, uint64_t tiles, uint32_t *counts)
{
  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      uint32_t n = get_tile_length (keys_count, tile), found[VALUES] = { 0 };

      for (uint32_t i = 0; i < n; i++)
        found[get_digit (keys[tile * TILE + i], (uint32_t) shift)]++;
      for (uint32_t value = 0; value < VALUES; value++)
        counts[tile * VALUES + value] = found[value];
    }
}

/* A block for each VALUES_OF_BLOCK values: their counts become sums over the tiles before, and *total of all.  GROUPS
 * threads share a value, each with neighbouring tiles, and look at these twice: for their sum, then for each. */
__global__ void __launch_bounds__ (THREADS)
sort_place (uint64_t tiles, uint32_t *counts, uint32_t *totals)
{
  __shared__ uint32_t sums[GROUPS][VALUES_OF_BLOCK];
  uint32_t column = threadIdx.x % VALUES_OF_BLOCK, group = threadIdx.x / VALUES_OF_BLOCK, sum = 0, before = 0, all = 0;
  uint64_t share = (tiles + GROUPS - 1) / GROUPS, first = group * share, end = first + share < tiles ? first + share : tiles;
  uint32_t *mine = counts + blockIdx.x * VALUES_OF_BLOCK + column, some[EACH];

  for (uint64_t tile = first; tile < end; tile += EACH)
    {
#pragma unroll
      for (int j = 0; j < EACH; j++)
        some[j] = mine[(tile + j < end ? tile + j : end - 1) * VALUES];
#pragma unroll
      for (int j = 0; j < EACH; j++)
        sum += tile + j < end ? some[j] : 0;
    }
  sums[group][column] = sum;
  __syncthreads ();
#pragma unroll
  for (uint32_t g = 0; g < GROUPS; g++)
    {
      before += g < group ? sums[g][column] : 0;
      all += sums[g][column];
    }
  for (uint64_t tile = first; tile < end; tile += EACH)
    {
#pragma unroll
      for (int j = 0; j < EACH; j++)
        some[j] = mine[(tile + j < end ? tile + j : end - 1) * VALUES];
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (tile + j < end)
          {
            mine[(tile + j) * VALUES] = before;
            before += some[j];
          }
    }
  if (group == 0)
    totals[blockIdx.x * VALUES_OF_BLOCK + column] = all;
}

LEAT_HOST_VARIANT void
sort_place (uint64_t tiles, uint32_t *counts, uint32_t *totals)
{
  uint32_t *mine = counts + blockIdx.x * VALUES_OF_BLOCK, sums[VALUES_OF_BLOCK] = { 0 };

  for (uint64_t tile = 0; tile < tiles; tile++)
    for (uint32_t value = 0; value < VALUES_OF_BLOCK; value++)
      {
        uint32_t count = mine[tile * VALUES + value];

        mine[tile * VALUES + value] = sums[value];
        sums[value] += count;
      }
  for (uint32_t value = 0; value < VALUES_OF_BLOCK; value++)
    totals[blockIdx.x * VALUES_OF_BLOCK + value] = sums[value];
}

/* first: items are still where they were, so that their numbers need not be read.  from: which item each was. */
__global__ void __launch_bounds__ (THREADS, sizeof (Key) > 4 ? 2 : 3)
sort_move (const Key *keys, uint64_t keys_count, const uint32_t *from, uint64_t first, uint64_t shift, uint64_t tiles,
           const uint32_t *counts, const uint32_t *totals, Key *sorted, uint32_t *sorted_from, uint64_t *live,
           uint64_t *from_live)
{
  __shared__ Ranks ranks;
  __shared__ uint32_t targets[VALUES]; /* where those of a value go, less where they begin in the tile */
  __shared__ Key stage[TILE];
  uint32_t before = 0;

  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = *from_live = keys_count;
  for (uint64_t tile = blockIdx.x; tile * TILE < keys_count; tile += gridDim.x)
    {
      uint32_t n = get_tile_length (keys_count, tile), count = counts[tile * VALUES + threadIdx.x];
      uint32_t places[EACH];
      Key mine[EACH];

      load_tile (keys + tile * TILE, n, mine);
      if (tile == blockIdx.x) /* the first: its keys are under way by now */
        before = sum_before (totals[threadIdx.x], ranks.parts);
      rank_keys (mine, n, (uint32_t) shift, &ranks, places);
      targets[threadIdx.x] = before + count - ranks.begins[threadIdx.x];
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          stage[places[j]] = mine[j];
#if CARRIES
      uint16_t *order = (uint16_t *) &ranks.counts[0][0]; /* which key of the tile is where in it */
      uint32_t numbers[EACH];

      __syncthreads (); /* nobody needs the counts any more */
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          order[places[j]] = (uint16_t) get_number (j);
#endif
      __syncthreads ();
#if CARRIES
#pragma unroll
      for (int j = 0; j < EACH; j++)
        numbers[j] = order[j * THREADS + threadIdx.x < n ? j * THREADS + threadIdx.x : n - 1];
#pragma unroll
      for (int j = 0; j < EACH; j++)
        numbers[j] = first != 0 ? (uint32_t) (tile * TILE) + numbers[j] : from[tile * TILE + numbers[j]];
#endif
#pragma unroll
      for (int j = 0; j < EACH; j++)
        {
          uint32_t i = (uint32_t) j * THREADS + threadIdx.x, to;

          if (i >= n)
            continue;
          to = targets[get_digit (stage[i], (uint32_t) shift)] + i;
          sorted[to] = stage[i];
#if CARRIES
          sorted_from[to] = numbers[j];
#endif
        }
      __syncthreads ();
    }
}

/* Keys are brought in order in the tile first: in the output the values of a digit are far apart, and to store them one
 * by one, each in a line of the cache that another has just taken the place of, is many times slower. */
LEAT_HOST_VARIANT void
sort_move (const Key *keys, uint64_t keys_count, const uint32_t *from, uint64_t first, uint64_t shift, uint64_t tiles,
           const uint32_t *counts, const uint32_t *totals, Key *sorted, uint32_t *sorted_from, uint64_t *live,
           uint64_t *from_live)
{
  uint32_t before[VALUES], sum = 0;
  Key stage[TILE];
#if CARRIES
  uint32_t numbers[TILE];
#endif

  if (blockIdx.x == 0)
    *live = *from_live = keys_count;
  for (uint32_t value = 0; value < VALUES; value++)
    {
      before[value] = sum;
      sum += totals[value];
    }
  for (uint64_t tile = blockIdx.x; tile * TILE < keys_count; tile += gridDim.x)
    {
      const Key *mine = keys + tile * TILE;
      uint32_t n = get_tile_length (keys_count, tile), found[VALUES] = { 0 }, ends[VALUES];

      for (uint32_t i = 0; i < n; i++)
        found[get_digit (mine[i], (uint32_t) shift)]++;
      for (uint32_t value = 0, end = 0; value < VALUES; value++)
        {
          ends[value] = end;
          end += found[value];
        }
      for (uint32_t i = 0; i < n; i++)
        {
          uint32_t place = ends[get_digit (mine[i], (uint32_t) shift)]++;

          stage[place] = mine[i];
#if CARRIES
          numbers[place] = first != 0 ? (uint32_t) (tile * TILE + i) : from[tile * TILE + i];
#endif
        }
      for (uint32_t value = 0; value < VALUES; value++)
        {
          uint32_t to = before[value] + counts[tile * VALUES + value], begin = ends[value] - found[value];

          for (uint32_t i = 0; i < found[value]; i++)
            sorted[to + i] = stage[begin + i];
#if CARRIES
          for (uint32_t i = 0; i < found[value]; i++)
            sorted_from[to + i] = numbers[begin + i];
#endif
        }
    }
}

/* One block, up to TILE keys. */
__global__ void __launch_bounds__ (THREADS)
sort_tile (const Key *keys, uint64_t keys_count, Key *sorted, uint32_t *sorted_from, uint64_t *live,
           uint64_t *from_live)
{
  __shared__ Ranks ranks;
  __shared__ uint64_t memory[TILE * (sizeof (Key) < 2 ? 2 : sizeof (Key)) / 8]; /* of keys, then of numbers */
  Key *stage = (Key *) memory;
  uint32_t n = (uint32_t) keys_count, places[EACH];
  Key mine[EACH];
#if CARRIES
  uint16_t *numbers = (uint16_t *) memory;
  uint32_t number[EACH];
#endif

#pragma unroll
  for (int j = 0; j < EACH; j++)
    mine[j] = get_number (j) < n ? keys[get_number (j)] : 0;
#if CARRIES
  for (int j = 0; j < EACH; j++)
    number[j] = get_number (j);
#endif
  for (int digit = 0; digit < DIGITS; digit++)
    {
      rank_keys (mine, n, 8 * (uint32_t) digit, &ranks, places);
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          stage[places[j]] = mine[j];
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          mine[j] = stage[get_number (j)];
      __syncthreads ();
#if CARRIES
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          numbers[places[j]] = (uint16_t) number[j];
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          number[j] = numbers[get_number (j)];
      __syncthreads ();
#endif
    }
#pragma unroll
  for (int j = 0; j < EACH; j++)
    if (get_number (j) < n)
      {
        sorted[get_number (j)] = mine[j];
#if CARRIES
        sorted_from[get_number (j)] = number[j];
#endif
      }
  if (threadIdx.x == 0)
    *live = *from_live = keys_count;
}

LEAT_HOST_VARIANT void
sort_tile (const Key *keys, uint64_t keys_count, Key *sorted, uint32_t *sorted_from, uint64_t *live,
           uint64_t *from_live)
{
  Key stages[2][TILE];
  uint16_t numbers[2][TILE];
  uint32_t n = (uint32_t) keys_count;

  for (uint32_t i = 0; i < n; i++)
    {
      stages[0][i] = keys[i];
      numbers[0][i] = (uint16_t) i;
    }
  for (int digit = 0; digit < DIGITS; digit++)
    {
      uint32_t found[VALUES] = { 0 }, sum = 0;

      for (uint32_t i = 0; i < n; i++)
        found[get_digit (stages[digit % 2][i], 8 * (uint32_t) digit)]++;
      for (uint32_t value = 0; value < VALUES; value++)
        {
          uint32_t count = found[value];

          found[value] = sum;
          sum += count;
        }
      for (uint32_t i = 0; i < n; i++)
        {
          uint32_t place = found[get_digit (stages[digit % 2][i], 8 * (uint32_t) digit)]++;

          stages[1 - digit % 2][place] = stages[digit % 2][i];
          numbers[1 - digit % 2][place] = numbers[digit % 2][i];
        }
    }
  for (uint32_t i = 0; i < n; i++)
    {
      sorted[i] = stages[DIGITS % 2][i];
#if CARRIES
      sorted_from[i] = numbers[DIGITS % 2][i];
#endif
    }
  *live = *from_live = keys_count;
}

/* The rows of what goes with the keys. */
__global__ void
sort_carry (const Word *values, uint64_t values_count, const Key *keys, uint64_t keys_count, const uint32_t *from,
            Word *carried, uint64_t *live)
{
  const Word none = {};

  GRID_FOR (i, keys_count * ROW)
    carried[i] = from[i / ROW] < values_count ? values[(uint64_t) from[i / ROW] * ROW + i % ROW] : none;
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = keys_count;
}
