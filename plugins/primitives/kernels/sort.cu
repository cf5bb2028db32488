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
      uint32_t digit = there ? get_digit (keys[j], shift) : VALUES;
      uint32_t same = __match_any_sync (0xffffffffu, digit), before = 0;
      int leader = __ffs ((int) same) - 1;

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

/* counts: for each value of the digit, for each tile.  Tiles behind the last key have none. */
__global__ void __launch_bounds__ (THREADS)
sort_count (const Key *keys, uint64_t keys_count, uint64_t shift, uint64_t tiles, uint32_t *counts)
{
  __shared__ uint32_t found[WARPS][VALUES];

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      uint32_t n = get_tile_length (keys_count, tile), sum = 0;

      for (uint32_t w = 0; w < WARPS; w++)
        found[w][threadIdx.x] = 0;
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          atomicAdd (&found[threadIdx.x / 32][get_digit (keys[tile * TILE + get_number (j)], (uint32_t) shift)], 1u);
      __syncthreads ();
      for (uint32_t w = 0; w < WARPS; w++)
        sum += found[w][threadIdx.x];
      counts[threadIdx.x * tiles + tile] = sum;
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
        counts[value * tiles + tile] = found[value];
    }
}

/* A block for each value: its counts become sums over the tiles before, and *total of all. */
__global__ void __launch_bounds__ (THREADS)
sort_place (uint64_t tiles, uint32_t *counts, uint32_t *totals)
{
  __shared__ uint32_t parts[WARPS], shared_sum;
  uint32_t *mine = counts + blockIdx.x * tiles, sum = 0;

  for (uint64_t first = 0; first < tiles; first += THREADS)
    {
      uint64_t i = first + threadIdx.x;
      uint32_t count = i < tiles ? mine[i] : 0, before = sum + sum_before (count, parts);

      if (i < tiles)
        mine[i] = before;
      if (threadIdx.x == THREADS - 1)
        shared_sum = before + count;
      __syncthreads ();
      sum = shared_sum;
      __syncthreads ();
    }
  if (threadIdx.x == 0)
    totals[blockIdx.x] = sum;
}

LEAT_HOST_VARIANT void
sort_place (uint64_t tiles, uint32_t *counts, uint32_t *totals)
{
  uint32_t *mine = counts + blockIdx.x * tiles, sum = 0;

  for (uint64_t i = 0; i < tiles; i++)
    {
      uint32_t count = mine[i];

      mine[i] = sum;
      sum += count;
    }
  totals[blockIdx.x] = sum;
}

/* first: items are still where they were, so that their numbers need not be read.  from: which item each was. */
__global__ void __launch_bounds__ (THREADS)
sort_move (const Key *keys, uint64_t keys_count, const uint32_t *from, uint64_t first, uint64_t shift, uint64_t tiles,
           const uint32_t *counts, const uint32_t *totals, Key *sorted, uint32_t *sorted_from, uint64_t *live,
           uint64_t *from_live)
{
  __shared__ Ranks ranks;
  __shared__ uint32_t targets[VALUES]; /* where those of a value go, less where they begin in the tile */
  __shared__ Key stage[TILE];
  uint32_t before = sum_before (totals[threadIdx.x], ranks.parts);

  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = *from_live = keys_count;
  for (uint64_t tile = blockIdx.x; tile * TILE < keys_count; tile += gridDim.x)
    {
      uint32_t n = get_tile_length (keys_count, tile), places[EACH], to[EACH];
      Key mine[EACH];

#pragma unroll
      for (int j = 0; j < EACH; j++)
        mine[j] = get_number (j) < n ? keys[tile * TILE + get_number (j)] : 0;
      rank_keys (mine, n, (uint32_t) shift, &ranks, places);
      targets[threadIdx.x] = before + counts[threadIdx.x * tiles + tile] - ranks.begins[threadIdx.x];
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (get_number (j) < n)
          stage[places[j]] = mine[j];
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < EACH; j++)
        {
          uint32_t i = (uint32_t) j * THREADS + threadIdx.x;

          if (i < n)
            {
              to[j] = targets[get_digit (stage[i], (uint32_t) shift)] + i;
              sorted[to[j]] = stage[i];
            }
        }
      __syncthreads ();
#if CARRIES
      uint32_t *numbers = sizeof (Key) >= 4 ? (uint32_t *) stage : &ranks.counts[0][0];

      /* Small keys leave no room for numbers, which then go where the counts were, a part at a time. */
      for (uint32_t part = 0; part < n; part += sizeof (Key) >= 4 ? TILE : WARPS * VALUES)
        {
          uint32_t room = sizeof (Key) >= 4 ? TILE : WARPS * VALUES;

#pragma unroll
          for (int j = 0; j < EACH; j++)
            if (get_number (j) < n && places[j] - part < room)
              {
                uint64_t i = tile * TILE + get_number (j);

                numbers[places[j] - part] = first != 0 ? (uint32_t) i : from[i];
              }
          __syncthreads ();
#pragma unroll
          for (int j = 0; j < EACH; j++)
            {
              uint32_t i = (uint32_t) j * THREADS + threadIdx.x;

              if (i < n && i - part < room)
                sorted_from[to[j]] = numbers[i - part];
            }
          __syncthreads ();
        }
#endif
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
          uint32_t to = before[value] + counts[value * tiles + tile], begin = ends[value] - found[value];

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
sort_tile (const Key *keys, uint64_t keys_count, Key *sorted, uint32_t *sorted_from, uint64_t *live, uint64_t *from_live)
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
sort_tile (const Key *keys, uint64_t keys_count, Key *sorted, uint32_t *sorted_from, uint64_t *live, uint64_t *from_live)
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
sort_carry (const Word *values, const Key *keys, uint64_t keys_count, const uint32_t *from, Word *carried, uint64_t *live)
{
  GRID_FOR (i, keys_count * ROW)
    carried[i] = values[(uint64_t) from[i / ROW] * ROW + i % ROW];
  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = keys_count;
}
