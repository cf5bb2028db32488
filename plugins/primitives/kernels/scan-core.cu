/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Prefixes of any number of items, behind prefix-once.cu and before the kernels.  What stands before all this, beside
 * what prefix.cu names:
 *
 *   INCLUSIVE     whether an item counts in its own prefix
 *   Source        what the items are and where results go
 *   look (s, i)   the Part of item i
 *   put (s, i, a) what is done with its prefix
 *
 * One kernel does it, unless order counts and there are more than LEAT_PREFIX_ONCE tiles.  Then there are two: the first
 * leaves the sum of each tile, and its last block makes of these what lies before each tile; the second looks at the
 * items again and gives each its prefix.  Look-back would read them once; but which sums it finds is chance, so that
 * prefixes of floats would not be the same in every run. */

/* In shared memory, where neighbours are a thread's or of different threads: no two of those that are stored or loaded
 * at once lie in one bank. */
#define PLACE(i) ((i) + (i) / (sizeof (Part) > 4 ? EACH : 32))

/* Shared memory for a tile. */
static __device__ __forceinline__ Part *
get_stage ()
{
  __shared__ uint64_t memory[(PLACE (TILE) * sizeof (Part) + 7) / 8];

  return (Part *) memory;
}

/* The tile's items, each of which a thread loads beside its neighbours'.  All loads are under way before the first is
 * needed: behind the end the last item is loaded again, so that no branch stands between them. */
static __device__ __forceinline__ void
load_items (const Source &s, uint64_t first, uint64_t n, Part *some)
{
#pragma unroll
  for (int j = 0; j < EACH; j++)
    {
      uint64_t i = first + (uint32_t) j * THREADS + threadIdx.x;
      Part p = look (s, i < n ? i : n - 1);

      some[j] = i < n ? p : make_nothing ();
    }
}

/* Makes neighbours of those that a thread has. */
static __device__ __forceinline__ void
turn_tile (const Part *some, Part *stage, Part *mine)
{
#pragma unroll
  for (int j = 0; j < EACH; j++)
    stage[PLACE ((uint32_t) j * THREADS + threadIdx.x)] = some[j];
  __syncthreads ();
#pragma unroll
  for (int j = 0; j < EACH; j++)
    mine[j] = stage[PLACE (threadIdx.x * EACH + (uint32_t) j)];
  __syncthreads ();
}

static __device__ __forceinline__ void
load_tile (const Source &s, uint64_t first, uint64_t n, Part *stage, Part *mine)
{
  Part some[EACH];

  load_items (s, first, n, some);
  turn_tile (some, stage, mine);
}

/* The first of two kernels. */
static __device__ void
sum_tiles (const Source &s, uint64_t n, Part *parts, uint32_t *arrived)
{
  uint64_t tiles = (n + TILE - 1) / TILE;

  for (uint64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x)
    {
      Part mine[EACH], all;

      load_tile (s, tile * TILE, n, get_stage (), mine);
      find_in_block (fold_mine (mine), &all);
      if (threadIdx.x == 0)
        parts[tile] = join (make_nothing (), all);
    }
  if (arrive_last (arrived, gridDim.x))
    scan_parts (parts, tiles);
}

/* Gives the items of a tile, from @first on, their prefixes.  @p: what lies before this thread's */
static __device__ __forceinline__ void
give_tile (const Source &s, uint64_t first, uint64_t n, Part *stage, const Part *mine, Part p)
{
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

      if (first + at < n)
        put (s, first + at, stage[PLACE (at)].value);
    }
  __syncthreads ();
}

/* The second. */
static __device__ void
give_tiles (const Source &s, uint64_t n, const Part *parts)
{
  Part *stage = get_stage ();

  for (uint64_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x)
    {
      Part mine[EACH], all, p;

      load_tile (s, tile * TILE, n, stage, mine);
      p = find_in_block (fold_mine (mine), &all);
      give_tile (s, tile * TILE, n, stage, mine, join (parts[tile], p));
    }
}

/* Whether a thread has registers for the items of the next tile too. */
#define LOADS_AHEAD (LOOKS_BACK && sizeof (Part) <= 4)

/* Both in one.  While the place of a tile is looked for, the items of the next one are under way. */
static __device__ void
give_once (const Source &s, uint64_t n, Part *parts, uint64_t *control)
{
  __shared__ uint64_t next, number;
  uint64_t tiles = (n + TILE - 1) / TILE, tile = take_first (control, tiles), ahead = tiles;
  Part *stage = get_stage (), some[EACH];

  if (threadIdx.x == 0)
    ahead = take_next (control, tiles);
  if (LOADS_AHEAD && tile < tiles)
    load_items (s, tile * TILE, n, some);
  while (tile < tiles)
    {
      uint64_t after, launch = 0;
      Part mine[EACH], all, p, before = make_nothing ();

      if (!LOADS_AHEAD)
        load_items (s, tile * TILE, n, some);
      if (threadIdx.x == 0)
        {
          launch = get_launch (control);
          next = ahead;
        }
      turn_tile (some, stage, mine);
      if (threadIdx.x == 0)
        number = launch;
      after = next;
      p = find_in_block (fold_mine (mine), &all);
      launch = number;
      all = join (before, all);
      if (threadIdx.x == 0 && tile + 1 < tiles)
        publish_tile (parts, control, launch, tiles, tile, all);
      if (threadIdx.x == 0 && after < tiles)
        ahead = take_next (control, tiles);
      if (LOADS_AHEAD && after < tiles)
        load_items (s, after * TILE, n, some);
      if (tile > 0)
        before = find_place (parts, control, launch, tiles, tile);
      if (threadIdx.x == 0)
        end_tile (control, launch, tiles, tile, join (before, all));
      give_tile (s, tile * TILE, n, stage, mine, join (before, p));
      tile = after;
    }
  __syncthreads (); /* all have looked */
  if (takes_tickets (tiles) && threadIdx.x == 0)
    end_launch (control, get_launch (control), tiles);
}

#ifdef LEAT_HOST
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

/* Those of a tile, from @first on, before which @before lies. */
static __device__ void
host_give_tile (const Source &s, uint64_t first, uint64_t n, Part before)
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

static __device__ void
host_give_tiles (const Source &s, uint64_t n, const Part *parts)
{
  for (uint64_t tile = blockIdx.x; tile * TILE < n; tile += gridDim.x)
    host_give_tile (s, tile * TILE, n, parts[tile]);
}

static __device__ void
host_give_once (const Source &s, uint64_t n, Part *parts, uint64_t *control)
{
  uint64_t tiles = (n + TILE - 1) / TILE, launch = get_launch (control), tile;

  if (tiles == 1 && blockIdx.x == 0)
    host_give_tile (s, 0, n, make_nothing ());
  while (tiles > 1 && (tile = leat_take_ticket (control + ONCE_TICKET)) < tiles)
    {
      Part sum = host_sum_tile (s, tile * TILE, n), before = make_nothing ();

      publish_sum (parts, control, launch, tile, sum);
      if (tile > 0)
        {
          before = host_find_place (parts, control, launch, tile);
          publish_end (control, launch, tile, join (before, sum));
        }
      host_give_tile (s, tile * TILE, n, before);
    }
  end_launch (control, launch, tiles);
}
#endif
