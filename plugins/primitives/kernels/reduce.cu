/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reduces rows of items to one result each.  What stands before this text, by leat-primitives-reduce.c:
 *
 *   Item, Acc, Out          types of an item, of what is combined, of a result
 *   identity ()             the Acc of nothing
 *   take (x, i)             the Acc of item number i of its row
 *   combine (a, b)          what it says
 *   shuffle (a, other)      a of the thread of the warp whose number differs in the bit `other`
 *   give (a)                the result
 *   IN_ORDER                whether another order may change something
 *   CHAINS                  then WIDTH, else 1
 *   when_empty ()           called once where there is nothing to reduce
 *
 * Where order matters, as for sums of floats, it is the same on every device and in every run: it follows from the length
 * of a row alone.
 *
 *   up to 32 items    one after the other
 *   up to 512         32 chains, chain c of the items c, c+32, c+64, ...; then chain c joins c+16, c+8, ... c+1
 *   more              tiles of 16 KiB.  In a tile, chain p of THREADS * WIDTH has every so manieth item; of the
 *                     WIDTH chains of a thread, c joins c+WIDTH/2, ... c+1; of the 32 threads of a warp likewise, and of the warps likewise.
 *                     More tiles than one: their results are reduced as a tile of any length, with one chain a thread */

#define THREADS 256
#define WARPS (THREADS / 32)
#define ROUNDS 4
#define TILE (THREADS * WIDTH * ROUNDS)

union Pack
{
  uint4 raw;
  Item item[WIDTH];
};

static __device__ Acc
join_chains (Acc *chains, int n)
{
#pragma unroll
  for (int half = n / 2; half > 0; half /= 2)
#pragma unroll
    for (int c = 0; c < half; c++)
      chains[c] = combine (chains[c], chains[c + half]);
  return chains[0];
}

static __device__ Acc
join_warp (Acc a, int n)
{
  for (int other = n / 2; other > 0; other /= 2)
    a = combine (a, shuffle (a, other));
  return a;
}

/* The first thread has the result.  Others may come here again at once. */
static __device__ Acc
join_block (Acc a)
{
  __shared__ Acc parts[WARPS];

  a = join_warp (a, 32);
  if (threadIdx.x % 32 == 0)
    parts[threadIdx.x / 32] = a;
  __syncthreads ();
  if (threadIdx.x < 32)
    a = join_warp (parts[threadIdx.x % WARPS], WARPS);
  __syncthreads ();
  return a;
}

/* What one thread makes of a whole tile: all loads, 16 bytes each, are under way before the first is needed. */
static __device__ Acc
fold_full_tile (const Item *x, uint64_t first)
{
  Pack packs[ROUNDS];
  Acc chains[CHAINS];

#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
    packs[k].raw = ((const uint4 *) (x + first))[k * THREADS + threadIdx.x];
#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    chains[c] = identity ();
#pragma unroll
  for (int k = 0; k < ROUNDS; k++)
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
      chains[j % CHAINS] =
        combine (chains[j % CHAINS], take (packs[k].item[j], first + (uint64_t) (k * THREADS + threadIdx.x) * WIDTH + j));
  return join_chains (chains, CHAINS);
}

/* The same where the tile ends early, or is not aligned. */
static __device__ Acc
fold_tile (const Item *x, uint64_t first, uint64_t length)
{
  Acc chains[CHAINS];

#pragma unroll
  for (int c = 0; c < CHAINS; c++)
    chains[c] = identity ();
  for (int k = 0; k < ROUNDS; k++)
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
      {
        uint64_t i = first + (uint64_t) (k * THREADS + threadIdx.x) * WIDTH + j;

        if (i < length)
          chains[j % CHAINS] = combine (chains[j % CHAINS], take (x[i], i));
      }
  return join_chains (chains, CHAINS);
}

static __device__ Acc
fold_any_tile (const Item *x, uint64_t first, uint64_t length)
{
  bool whole = first + TILE <= length && (uint64_t) x % 16 == 0;

  return join_block (whole ? fold_full_tile (x, first) : fold_tile (x, first, length));
}

static __device__ Acc
fold_parts (const Acc *parts, uint64_t tiles)
{
  Acc a = identity ();

  for (uint64_t i = threadIdx.x; i < tiles; i += THREADS)
    a = combine (a, parts[i]);
  return join_block (a);
}

/* Blocks share the tiles of a row by x and the rows by y.  parts_memory: an Acc for each tile of each row; arrived: a zero for
 * each row.  row: items of one, or 0 for a single row of all that is live.  step_rows: rows to a step of the output's
 * leading dimension, of which *live tells. */
__global__ void __launch_bounds__ (THREADS)
reduce_tiles (const Item *x, uint64_t x_count, uint64_t row, uint64_t step_rows, uint64_t row_tiles, uint64_t *parts_memory,
              uint32_t *arrived, Out *out, uint64_t *live)
{
  uint64_t rows = row > 0 ? x_count / row : 1, length = row > 0 ? row : x_count, tiles = (length + TILE - 1) / TILE;
  Acc *parts = (Acc *) parts_memory;

  if (blockIdx.x == 0 && blockIdx.y == 0 && threadIdx.x == 0)
    {
      *live = rows / step_rows;
      if (length == 0)
        when_empty ();
    }
  for (uint64_t r = blockIdx.y; r < rows; r += gridDim.y)
    {
      const Item *items = x + r * row;
      Acc a = identity ();

      for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        {
          a = fold_any_tile (items, tile * TILE, length);
          if (threadIdx.x == 0 && tiles > 1)
            parts[r * row_tiles + tile] = a;
        }
      if (tiles <= 1)
        {
          if (blockIdx.x == 0 && threadIdx.x == 0)
            out[r] = give (a);
        }
      else if (arrive_last (arrived + r, gridDim.x))
        {
          a = fold_parts (parts + r * row_tiles, tiles);
          if (threadIdx.x == 0)
            out[r] = give (a);
        }
    }
}

static __device__ Acc
host_join_chains (Acc *chains, int n)
{
  for (int half = n / 2; half > 0; half /= 2)
    for (int c = 0; c < half; c++)
      chains[c] = combine (chains[c], chains[c + half]);
  return chains[0];
}

/* Of THREADS values, the warps' and then the threads'. */
static __device__ Acc
host_join_block (Acc *threads)
{
  Acc warps[WARPS];

  for (int w = 0; w < WARPS; w++)
    warps[w] = host_join_chains (threads + 32 * w, 32);
  return host_join_chains (warps, WARPS);
}

static __device__ Acc
host_fold_tile (const Item *x, uint64_t first, uint64_t length)
{
  uint64_t end = first + TILE < length ? first + TILE : length;

#if !IN_ORDER
  Acc a = identity ();

  for (uint64_t i = first; i < end; i++)
    a = combine (a, take (x[i], i));
  return a;
#else
  Acc chains[THREADS * WIDTH], threads[THREADS];

  for (int p = 0; p < THREADS * WIDTH; p++)
    chains[p] = identity ();
  for (uint64_t from = first; from < end; from += THREADS * WIDTH)
    {
      int n = end - from < THREADS * WIDTH ? (int) (end - from) : THREADS * WIDTH;

      for (int p = 0; p < n; p++)
        chains[p] = combine (chains[p], take (x[from + p], from + p));
    }
  for (int t = 0; t < THREADS; t++)
    threads[t] = host_join_chains (chains + t * WIDTH, WIDTH);
  return host_join_block (threads);
#endif
}

static __device__ Acc
host_fold_parts (const Acc *parts, uint64_t tiles)
{
  Acc threads[THREADS];

  for (int t = 0; t < THREADS; t++)
    threads[t] = identity ();
  for (uint64_t i = 0; i < tiles; i++)
    threads[i % THREADS] = combine (threads[i % THREADS], parts[i]);
  return host_join_block (threads);
}

LEAT_HOST_VARIANT void
reduce_tiles (const Item *x, uint64_t x_count, uint64_t row, uint64_t step_rows, uint64_t row_tiles, uint64_t *parts_memory,
              uint32_t *arrived, Out *out, uint64_t *live)
{
  uint64_t rows = row > 0 ? x_count / row : 1, length = row > 0 ? row : x_count, tiles = (length + TILE - 1) / TILE;
  Acc *parts = (Acc *) parts_memory;

  if (blockIdx.x == 0 && blockIdx.y == 0)
    {
      *live = rows / step_rows;
      if (length == 0)
        when_empty ();
    }
  for (uint64_t r = blockIdx.y; r < rows; r += gridDim.y)
    {
      const Item *items = x + r * row;

      if (tiles <= 1)
        {
          if (blockIdx.x == 0)
            out[r] = give (host_fold_tile (items, 0, length));
          continue;
        }
      for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
        parts[r * row_tiles + tile] = host_fold_tile (items, tile * TILE, length);
      if (atomicAdd (arrived + r, 1u) != gridDim.x - 1)
        continue;
      arrived[r] = 0;
      out[r] = give (host_fold_parts (parts + r * row_tiles, tiles));
    }
}

/* A warp takes a row. */
__global__ void __launch_bounds__ (THREADS)
reduce_warps (const Item *x, uint64_t x_count, uint64_t row, uint64_t step_rows, Out *out, uint64_t *live)
{
  uint64_t rows = x_count / row, warps = (uint64_t) gridDim.x * WARPS;

  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = rows / step_rows;
  for (uint64_t r = (uint64_t) blockIdx.x * WARPS + threadIdx.x / 32; r < rows; r += warps)
    {
      Acc a = identity ();

      for (uint64_t i = threadIdx.x % 32; i < row; i += 32)
        a = combine (a, take (x[r * row + i], i));
      a = join_warp (a, 32);
      if (threadIdx.x % 32 == 0)
        out[r] = give (a);
    }
}

LEAT_HOST_VARIANT void
reduce_warps (const Item *x, uint64_t x_count, uint64_t row, uint64_t step_rows, Out *out, uint64_t *live)
{
  uint64_t rows = x_count / row, share = (rows + gridDim.x - 1) / gridDim.x;
  uint64_t first = blockIdx.x * share, end = first + share < rows ? first + share : rows;

  if (blockIdx.x == 0)
    *live = rows / step_rows;
  for (uint64_t r = first; r < end; r++)
    {
      Acc chains[32];

      for (int c = 0; c < 32; c++)
        chains[c] = identity ();
      for (uint64_t from = 0; from < row; from += 32)
        for (uint64_t c = 0; c < 32 && from + c < row; c++)
          chains[c] = combine (chains[c], take (x[r * row + from + c], from + c));
      out[r] = give (host_join_chains (chains, 32));
    }
}

/* A thread takes a row, which has SHORT items at most.  The rows of a block are neighbours, and it loads them together;
 * in shared memory no two threads find items of theirs in one bank then, however long a row is. */
#define SHORT 32
#define BLOCK_ROWS (sizeof (Item) > 8 ? THREADS / 4 : sizeof (Item) > 4 ? THREADS / 2 : THREADS)
#define PLACE(i) ((i) + (i) / 32)
#define MOVES 8

static __device__ __forceinline__ void
stage_rows (const Item *from, uint32_t items, Item *stage)
{
  for (uint32_t i = threadIdx.x; i < items; i += MOVES * THREADS)
    {
      Item some[MOVES];

#pragma unroll
      for (uint32_t k = 0; k < MOVES; k++)
        some[k] = from[i + k * THREADS < items ? i + k * THREADS : items - 1];
#pragma unroll
      for (uint32_t k = 0; k < MOVES; k++)
        if (i + k * THREADS < items)
          stage[PLACE (i + k * THREADS)] = some[k];
    }
}

__global__ void __launch_bounds__ (THREADS)
reduce_threads (const Item *x, uint64_t x_count, uint64_t row, uint64_t step_rows, Out *out, uint64_t *live)
{
  __shared__ Item stage[PLACE (BLOCK_ROWS * SHORT)];
  uint64_t rows = x_count / row;
  uint32_t length = (uint32_t) row;

  if (blockIdx.x == 0 && threadIdx.x == 0)
    *live = rows / step_rows;
  for (uint64_t first = (uint64_t) blockIdx.x * BLOCK_ROWS; first < rows; first += (uint64_t) gridDim.x * BLOCK_ROWS)
    {
      uint32_t n = rows - first < BLOCK_ROWS ? (uint32_t) (rows - first) : BLOCK_ROWS;

      stage_rows (x + first * row, n * length, stage);
      __syncthreads ();
      if (threadIdx.x < n)
        {
          Acc a = identity ();

          for (uint32_t i = 0; i < length; i++)
            a = combine (a, take (stage[PLACE (threadIdx.x * length + i)], i));
          out[first + threadIdx.x] = give (a);
        }
      __syncthreads ();
    }
}

LEAT_HOST_VARIANT void
reduce_threads (const Item *x, uint64_t x_count, uint64_t row, uint64_t step_rows, Out *out, uint64_t *live)
{
  uint64_t rows = x_count / row, share = (rows + gridDim.x - 1) / gridDim.x;
  uint64_t first = blockIdx.x * share, end = first + share < rows ? first + share : rows;

  if (blockIdx.x == 0)
    *live = rows / step_rows;
  for (uint64_t r = first; r < end; r++)
    {
      Acc a = identity ();

      for (uint64_t i = 0; i < row; i++)
        a = combine (a, take (x[r * row + i], i));
      out[r] = give (a);
    }
}
