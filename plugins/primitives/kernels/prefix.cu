/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Prefixes of what tiles sum up to, for kernels that stand behind this text.  What stands before it:
 *
 *   Acc, identity (), combine ()   as in reduce.cu
 *   Part                           an Acc in `value` and, with SEGMENTED, in `begins` whether a segment begins in it
 *   shuffle_up (p, by)             p of the thread of the warp that is `by` before
 *   ORDERED                        1 where another order may give another result
 *
 * The order: a thread's EACH items one after the other; the threads of a warp by doubling distances; the warps and then
 * the tiles' sums likewise, with one tile's sum for an item. */

#define THREADS 256
#define WARPS (THREADS / 32)
#define EACH (sizeof (Part) > 8 ? 8 : 16)
#define TILE (THREADS * EACH)
/* What a multiprocessor has registers for: 64 for each thread, or 80 where a Part takes several. */
#define BUSY_BLOCKS (sizeof (Part) > 4 ? 3 : 4)

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

/* What lies in the block before the items of this thread, whose Part is @mine; *all: what lies in the block.  Others may
 * come here again at once. */
static __device__ Part
find_in_block (Part mine, Part *all)
{
  __shared__ uint64_t memory[WARPS * sizeof (Part) / 8 + 1];
  Part *warps = (Part *) memory, left = make_nothing ();
  int lane = (int) threadIdx.x % 32, warp = (int) threadIdx.x / 32;

  *all = left;
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
        left = *all;
      *all = join (*all, warps[w]);
    }
  __syncthreads ();
  return join (left, lane > 0 ? mine : make_nothing ());
}

/* From sums of tiles to what lies before each; the sum of all stands behind the last. */
static __device__ void
scan_parts (Part *parts, uint64_t tiles)
{
  Part before = make_nothing ();

  for (uint64_t first = 0; first < tiles; first += TILE)
    {
      Part mine[EACH], all, p;

#pragma unroll
      for (int j = 0; j < EACH; j++)
        mine[j] = first + threadIdx.x * EACH + j < tiles ? parts[first + threadIdx.x * EACH + j] : make_nothing ();
      p = join (before, find_in_block (fold_mine (mine), &all));
#pragma unroll
      for (int j = 0; j < EACH; j++)
        if (first + threadIdx.x * EACH + j < tiles)
          {
            parts[first + threadIdx.x * EACH + j] = p;
            p = join (p, mine[j]);
          }
      before = join (before, all);
    }
  if (threadIdx.x == 0)
    parts[tiles] = before;
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
#endif
