/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Prefixes of any number of items, for kernels that stand behind this text.  What stands before it:
 *
 *   Acc, identity (), combine ()   as in reduce.cu
 *   Part                           an Acc in `value` and, with SEGMENTED, in `begins` whether a segment begins in it
 *   shuffle_up (p, by)             p of the thread of the warp that is `by` before
 *   ORDERED                        1 where another order may give another result
 *   INCLUSIVE                      whether an item counts in its own prefix
 *   Source                         what the items are and where results go
 *   look (s, i)                    the Part of item i
 *   put (s, i, a)                  what is done with its prefix
 *
 * Two kernels: the first leaves the sum of each tile, and its last block makes of these what lies before each tile; the
 * second looks at the items again and gives each its prefix.  One kernel with look-back would read them once; but which
 * sums it finds is chance, so that prefixes of floats would not be the same in every run, and a tile has to wait for
 * others, so that lanes could not share a launch.
 *
 * The order: a thread's EACH items one after the other; the threads of a warp by doubling distances; the warps and then
 * the tiles' sums likewise, with one tile's sum for an item. */

#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH (sizeof (Part) > 8 ? 8 : 16)
#define TILE (THREADS * EACH)
#define PLACE(i) ((i) + (i) / EACH) /* in shared memory, where neighbours are a thread's or of different threads */

static __device__ __forceinline__ Part
join (Part a, Part b)
{
  Part c;

#if SEGMENTED
  c.value = b.begins != 0 ? b.value : combine (a.value, b.value);
  c.begins = a.begins | b.begins;
#else
  c.value = combine (a.value, b.value);
#endif
  return c;
}

static __device__ __forceinline__ Part
make_nothing ()
{
  Part p;

  p.value = identity ();
#if SEGMENTED
  p.begins = 0;
#endif
  return p;
}

static __device__ __forceinline__ Part
fold_mine (const Part *mine)
{
  Part p = mine[0];

#pragma unroll
  for (int j = 1; j < EACH; j++)
    p = join (p, mine[j]);
  return p;
}

/* What lies before the items of this thread, whose Part is @mine; @before: what lies before the block's.  *sum: that
 * and all of the block's.  Others may come here again at once. */
static __device__ Part
find_before (Part mine, Part before, Part *sum)
{
  __shared__ uint64_t memory[WARPS * sizeof (Part) / 8 + 1];
  Part *warps = (Part *) memory, all = make_nothing (), left = all;
  int lane = (int) threadIdx.x % 32, warp = (int) threadIdx.x / 32;

  for (int by = 1; by < 32; by *= 2)
    {
      Part other = shuffle_up (mine, by);

      if (lane >= by)
        mine = join (other, mine);
    }
  if (lane == 31)
    warps[warp] = mine;
  mine = shuffle_up (mine, 1);
  __syncthreads ();
  for (int w = 0; w < WARPS; w++)
    {
      if (w == warp)
        left = all;
      all = join (all, warps[w]);
    }
  __syncthreads ();
  *sum = join (before, all);
  return join (before, join (left, lane > 0 ? mine : make_nothing ()));
}

/* Shared memory for a tile. */
static __device__ __forceinline__ Part *
get_stage ()
{
  __shared__ uint64_t memory[(PLACE (TILE) * sizeof (Part) + 7) / 8];

  return (Part *) memory;
}

/* The tile's items, so that each thread has neighbours, though it loads what its neighbours do. */
static __device__ __forceinline__ void
load_tile (const Source &s, uint64_t first, uint64_t n, Part *stage, Part *mine)
{
#pragma unroll
  for (int j = 0; j < EACH; j++)
    {
      uint32_t at = (uint32_t) j * THREADS + threadIdx.x;

      stage[PLACE (at)] = first + at < n ? look (s, first + at) : make_nothing ();
    }
  __syncthreads ();
#pragma unroll
  for (int j = 0; j < EACH; j++)
    mine[j] = stage[PLACE (threadIdx.x * EACH + (uint32_t) j)];
  __syncthreads ();
}

/* From sums of tiles to what lies before each; the sum of all stands behind the last. */
static __device__ void
scan_parts (Part *parts, uint64_t tiles)
{
  Part before = make_nothing ();

  for (uint64_t first = 0; first < tiles; first += TILE)
    {
      Part mine[EACH], sum, p;

#pragma unroll
      for (int j = 0; j < EACH; j++)
        mine[j] = first + threadIdx.x * EACH + j < tiles ? parts[first + threadIdx.x * EACH + j] : make_nothing ();
      p = find_before (fold_mine (mine), before, &sum);
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (first + threadIdx.x * EACH + j < tiles)
          {
            parts[first + threadIdx.x * EACH + j] = p;
            p = join (p, mine[j]);
          }
      before = sum;
    }
  if (threadIdx.x == 0)
    parts[tiles] = before;
}

/* The first kernel. */
static __device__ void
sum_tiles (const Source &s, uint64_t n, Part *parts, uint32_t *arrived)
{
  uint64_t tiles = (n + TILE - 1) / TILE;

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      Part mine[EACH], sum;

      load_tile (s, tile * TILE, n, get_stage (), mine);
      find_before (fold_mine (mine), make_nothing (), &sum);
      if (threadIdx.x == 0)
        parts[tile] = sum;
    }
  if (arrive_last (arrived))
    scan_parts (parts, tiles);
}

/* The second.  alone: there was no first, and there is one tile at most. */
static __device__ void
give_tiles (const Source &s, uint64_t n, const Part *parts, bool alone)
{
  Part *stage = get_stage ();

  for (uint64_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x)
    {
      Part mine[EACH], sum, p;

      load_tile (s, tile * TILE, n, stage, mine);
      p = find_before (fold_mine (mine), alone ? make_nothing () : parts[tile], &sum);
#pragma unroll
      for (int j = 0; j < EACH; j++)
        {
          Part after = join (p, mine[j]);

#if INCLUSIVE
          p = after;
#elif SEGMENTED
          if (mine[j].begins != 0)
            p.value = identity ();
#endif
          stage[PLACE (threadIdx.x * EACH + (uint32_t) j)] = p;
          p = after;
        }
      __syncthreads ();
#pragma unroll
      for (int j = 0; j < EACH; j++)
        {
          uint32_t at = (uint32_t) j * THREADS + threadIdx.x;

          if (tile * TILE + at < n)
            put (s, tile * TILE + at, stage[PLACE (at)].value);
        }
      __syncthreads ();
    }
}

#ifdef LEAT_HOST
/* For the CPU: the same sums where their order matters, else one chain. */

/* mine: of each thread, and then what lies before its items. */
static __device__ Part
host_find_before (Part *mine, Part before)
{
  Part all = make_nothing ();

  for (int w = 0; w < WARPS; w++)
    {
      Part *warp = mine + 32 * w, last;

      for (int by = 1; by < 32; by *= 2)
        for (int lane = 31; lane >= by; lane--)
          warp[lane] = join (warp[lane - by], warp[lane]);
      last = warp[31];
      for (int lane = 31; lane > 0; lane--)
        warp[lane] = join (before, join (all, warp[lane - 1]));
      warp[0] = join (before, join (all, make_nothing ()));
      all = join (all, last);
    }
  return join (before, all);
}

static __device__ Part
host_sum_tile (const Source &s, uint64_t first, uint64_t n)
{
  uint64_t end = first + TILE < n ? first + TILE : n;

#if ORDERED
  Part mine[THREADS];

  for (int t = 0; t < THREADS; t++)
    {
      uint64_t from = first + (uint64_t) t * EACH;

      mine[t] = from < end ? look (s, from) : make_nothing ();
      for (uint64_t i = from + 1; i < from + EACH; i++)
        mine[t] = join (mine[t], i < end ? look (s, i) : make_nothing ());
    }
  return host_find_before (mine, make_nothing ());
#else
  Part sum = make_nothing ();

  for (uint64_t i = first; i < end; i++)
    sum = join (sum, look (s, i));
  return sum;
#endif
}

static __device__ void
host_scan_parts (Part *parts, uint64_t tiles)
{
  Part before = make_nothing ();

#if ORDERED
  for (uint64_t first = 0; first < tiles; first += TILE)
    {
      Part mine[THREADS], sum;

      for (int t = 0; t < THREADS; t++)
        {
          uint64_t from = first + (uint64_t) t * EACH;

          mine[t] = from < tiles ? parts[from] : make_nothing ();
          for (uint64_t i = from + 1; i < from + EACH; i++)
            mine[t] = join (mine[t], i < tiles ? parts[i] : make_nothing ());
        }
      sum = host_find_before (mine, before);
      for (uint64_t i = first; i < first + TILE && i < tiles; i++)
        {
          Part *p = &mine[(i - first) / EACH], after = join (*p, parts[i]);

          parts[i] = *p;
          *p = after;
        }
      before = sum;
    }
#else
  for (uint64_t i = 0; i < tiles; i++)
    {
      Part after = join (before, parts[i]);

      parts[i] = before;
      before = after;
    }
#endif
  parts[tiles] = before;
}

static __device__ void
host_sum_tiles (const Source &s, uint64_t n, Part *parts, uint32_t *arrived)
{
  uint64_t tiles = (n + TILE - 1) / TILE;

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    parts[tile] = host_sum_tile (s, tile * TILE, n);
  if (atomicAdd (arrived, 1u) != gridDim.x - 1)
    return;
  *arrived = 0;
  host_scan_parts (parts, tiles);
}

/* Items from @i to before @end, before which @p lies. */
static __device__ inline Part
host_give (const Source &s, uint64_t i, uint64_t end, Part p)
{
  for (; i < end; i++)
    {
      Part mine = look (s, i), after = join (p, mine);

#if INCLUSIVE
      put (s, i, after.value);
#elif SEGMENTED
      put (s, i, mine.begins != 0 ? identity () : p.value);
#else
      put (s, i, p.value);
#endif
      p = after;
    }
  return p;
}

static __device__ void
host_give_tiles (const Source &s, uint64_t n, const Part *parts, bool alone)
{
  for (uint64_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x)
    {
      uint64_t first = tile * TILE, end = first + TILE < n ? first + TILE : n;
      Part before = alone ? make_nothing () : parts[tile];

#if ORDERED
      Part mine[THREADS];

      for (int t = 0; t < THREADS; t++)
        {
          uint64_t from = first + (uint64_t) t * EACH;

          mine[t] = from < end ? look (s, from) : make_nothing ();
          for (uint64_t i = from + 1; i < from + EACH; i++)
            mine[t] = join (mine[t], i < end ? look (s, i) : make_nothing ());
        }
      host_find_before (mine, before);
      for (int t = 0; t < THREADS; t++)
        {
          uint64_t from = first + (uint64_t) t * EACH;

          host_give (s, from, from + EACH < end ? from + EACH : end, mine[t]);
        }
#else
      host_give (s, first, end, before);
#endif
    }
}
#endif
