/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Every occurrence of any of a set of patterns, in order of offset and, at one offset, of pattern.
 *
 * The bytes looked at in one run are the window: what the last run carried over, then the text.  Only starts whose
 * longest possible match lies inside the window are taken; the rest is carried to the next run.  In the run that ends
 * the stream, which *ending tells, every start that is left is taken.  A run without text is nothing special.
 *
 *   find      each block looks at one tile of starts and leaves its hits, in order, in its own part of `found`
 *   place     exclusive sum of the tiles' counts: where each tile's hits begin in the output
 *   gather    moves them there
 *   advance   carries the end of the window over
 *
 * tables: uint32_t words, in this order: bucket[257] (by first byte, into `order`), then for each entry of `order`:
 * pattern, offset into bytes, length.  pairs: the distinct first two bytes, when they are few (for the CPU). */

#define TILE 4096
#define THREADS 256
#define PLACED 16
#define PER_THREAD (TILE / THREADS)
#define CARRY_MAX 4096

struct Window
{
  const uint8_t *carry;
  const uint8_t *text;
  uint64_t carried; /* bytes in carry */
  uint64_t total;   /* bytes in the window */
  uint64_t starts;  /* starts to look at in this run */
  uint64_t base;    /* offset in the stream of the window's first byte */
  uint32_t fold;    /* a bit that capitals get, so that they are small letters; or none */
};

static __device__ Window
window_open (const uint8_t *text, uint64_t text_count, const uint8_t *carry, const uint64_t *progress, uint32_t longest,
             uint32_t fold, const uint64_t *ending)
{
  Window w;
  uint64_t keep = longest - 1;

  w.carry = carry;
  w.text = text;
  w.fold = fold;
  w.carried = progress[0];
  w.base = progress[1];
  w.total = w.carried + text_count;
  if (*ending != 0)
    w.starts = w.total;
  else
    w.starts = w.total > keep ? w.total - keep : 0;
  return w;
}

static __device__ uint8_t
window_get (const Window &w, uint64_t at)
{
  return at < w.carried ? w.carry[at] : w.text[at - w.carried];
}

/* As patterns have it. */
static __device__ uint8_t
window_get_folded (const Window &w, uint64_t at)
{
  uint32_t byte = window_get (w, at);

  return (uint8_t) (byte - 'A' < 26 ? byte | w.fold : byte);
}

static __device__ bool
window_match (const Window &w, uint64_t start, const uint8_t *pattern, uint32_t length)
{
  if (start + length > w.total)
    return false;
  for (uint32_t i = 1; i < length; i++)
    if (window_get_folded (w, start + i) != pattern[i])
      return false;
  return true;
}

/* Hits that begin at @start, written to @found where it is not null. */
static __device__ uint32_t
window_find (const Window &w, uint64_t start, const uint8_t *bytes, const uint32_t *tables, uint64_t *found)
{
  uint8_t first = window_get_folded (w, start);
  uint32_t hits = 0;

  for (uint32_t k = tables[first]; k < tables[first + 1]; k++)
    {
      const uint32_t *entry = tables + 257 + 3 * k;

      if (!window_match (w, start, bytes + entry[1], entry[2]))
        continue;
      if (found != nullptr)
        {
          found[2 * hits] = w.base + start;
          found[2 * hits + 1] = entry[0];
        }
      hits++;
    }
  return hits;
}

/* Sum of @value over the threads before this one; the block's sum in *sum. One slot a thread in @slots. */
static __device__ uint32_t
block_sum_before (uint32_t value, uint32_t *slots, uint32_t *sum)
{
  uint32_t mine = value;

  slots[threadIdx.x] = value;
  __syncthreads ();
  for (uint32_t step = 1; step < blockDim.x; step *= 2)
    {
      uint32_t other = threadIdx.x >= step ? slots[threadIdx.x - step] : 0;

      __syncthreads ();
      mine += other;
      slots[threadIdx.x] = mine;
      __syncthreads ();
    }
  *sum = slots[blockDim.x - 1];
  __syncthreads ();
  return mine - value;
}

__global__ void
find (const uint8_t *text, uint64_t text_count, const uint8_t *carry, const uint64_t *progress, const uint8_t *bytes,
      const uint32_t *tables, const uint8_t *pairs, uint32_t n_pairs, uint32_t longest, uint32_t fold,
      uint64_t tile_capacity, const uint64_t *ending, uint64_t *found, uint32_t *found_in_tile)
{
  __shared__ uint32_t slots[THREADS];
  Window w = window_open (text, text_count, carry, progress, longest, fold, ending);
  uint64_t begin = (uint64_t) blockIdx.x * TILE + threadIdx.x * PER_THREAD;
  uint64_t end = begin + PER_THREAD < w.starts ? begin + PER_THREAD : w.starts;
  uint32_t hits = 0, sum, before;
  uint64_t *place;

  for (uint64_t start = begin; start < end; start++)
    hits += window_find (w, start, bytes, tables, nullptr);
  before = block_sum_before (hits, slots, &sum);
  place = found + 2 * (blockIdx.x * tile_capacity + before);
  for (uint64_t start = begin; start < end && hits > 0; start++)
    {
      uint32_t here = window_find (w, start, bytes, tables, place);

      place += 2 * here;
      hits -= here;
    }
  if (threadIdx.x == 0)
    found_in_tile[blockIdx.x] = sum;
}

/* The same, tile by tile, in plain C: candidates are found 64 at a time by their first two bytes. */
LEAT_HOST_VARIANT void
find (const uint8_t *text, uint64_t text_count, const uint8_t *carry, const uint64_t *progress, const uint8_t *bytes,
      const uint32_t *tables, const uint8_t *pairs, uint32_t n_pairs, uint32_t longest, uint32_t fold,
      uint64_t tile_capacity, const uint64_t *ending, uint64_t *found, uint32_t *found_in_tile)
{
  Window w = window_open (text, text_count, carry, progress, longest, fold, ending);
  uint64_t start = (uint64_t) blockIdx.x * TILE;
  uint64_t end = start + TILE < w.starts ? start + TILE : w.starts;
  uint64_t *place = found + 2 * blockIdx.x * tile_capacity;
  uint32_t hits = 0;

  for (; start < end && (start < w.carried || n_pairs == 0); start++)
    hits += window_find (w, start, bytes, tables, place + 2 * hits);
  for (; start + 64 < end; start += 64)
    {
      const uint8_t *at = w.text + (start - w.carried);
      uint8_t flags[64] = { 0 };
      uint64_t marks[8];

      for (uint32_t p = 0; p < n_pairs; p++)
        {
          uint8_t first = pairs[2 * p], second = pairs[2 * p + 1];
          uint8_t first_fold = first - 'a' < 26u ? (uint8_t) fold : 0, second_fold = second - 'a' < 26u ? (uint8_t) fold : 0;

          for (uint32_t i = 0; i < 64; i++)
            flags[i] |= (uint8_t) (((at[i] | first_fold) == first) & ((at[i + 1] | second_fold) == second));
        }
      __builtin_memcpy (marks, flags, 64);
      for (uint32_t word = 0; word < 8; word++)
        for (; marks[word] != 0; marks[word] &= marks[word] - 1)
          hits += window_find (w, start + 8 * word + __builtin_ctzll (marks[word]) / 8, bytes, tables, place + 2 * hits);
    }
  for (; start < end; start++)
    hits += window_find (w, start, bytes, tables, place + 2 * hits);
  found_in_tile[blockIdx.x] = hits;
}

/* One block, whose threads have PLACED neighbouring tiles in a round. */
__global__ void
place (const uint32_t *found_in_tile, uint64_t tiles, uint64_t *tile_begin, uint64_t *total)
{
  __shared__ uint32_t slots[THREADS];
  uint64_t done = 0;

  for (uint64_t first = PLACED * threadIdx.x; first - PLACED * threadIdx.x < tiles; first += PLACED * THREADS)
    {
      uint32_t counts[PLACED], mine = 0, sum;
      uint64_t before;

#pragma unroll
      for (uint32_t j = 0; j < PLACED; j++)
        counts[j] = found_in_tile[first + j < tiles ? first + j : tiles - 1];
#pragma unroll
      for (uint32_t j = 0; j < PLACED; j++)
        mine += first + j < tiles ? counts[j] : 0;
      before = done + block_sum_before (mine, slots, &sum);
#pragma unroll
      for (uint32_t j = 0; j < PLACED; j++)
        if (first + j < tiles)
          {
            tile_begin[first + j] = before;
            before += counts[j];
          }
      done += sum;
    }
  if (threadIdx.x == 0)
    *total = done;
}

LEAT_HOST_VARIANT void
place (const uint32_t *found_in_tile, uint64_t tiles, uint64_t *tile_begin, uint64_t *total)
{
  uint64_t done = 0;

  for (uint64_t tile = 0; tile < tiles; tile++)
    {
      tile_begin[tile] = done;
      done += found_in_tile[tile];
    }
  *total = done;
}

__global__ void
gather (const uint64_t *found, const uint32_t *found_in_tile, const uint64_t *tile_begin, uint64_t tile_capacity,
        uint64_t room, uint64_t *hits)
{
  uint64_t begin = tile_begin[blockIdx.x];
  const uint64_t *from = found + 2 * blockIdx.x * tile_capacity;

  for (uint64_t i = threadIdx.x; i < 2 * (uint64_t) found_in_tile[blockIdx.x]; i += blockDim.x)
    if (begin + i / 2 < room)
      hits[2 * begin + i] = from[i];
}

/* One block.  The carry moves inside itself when the text was short, so it passes through shared memory. */
__global__ void
advance (const uint8_t *text, uint64_t text_count, uint8_t *carry, uint64_t *progress, uint32_t longest,
         const uint64_t *ending)
{
  __shared__ uint8_t kept[CARRY_MAX];
  Window w = window_open (text, text_count, carry, progress, longest, 0, ending);
  uint64_t left = w.total - w.starts;

  for (uint64_t i = threadIdx.x; i < left; i += blockDim.x)
    kept[i] = window_get (w, w.starts + i);
  __syncthreads ();
  for (uint64_t i = threadIdx.x; i < left; i += blockDim.x)
    carry[i] = kept[i];
  if (threadIdx.x == 0)
    {
      progress[0] = left;
      progress[1] = w.base + w.starts;
    }
}
