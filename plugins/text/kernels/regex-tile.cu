/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Second part of regex.cu: a tile and its lines, by a block. */

/* Sum of @value over the threads before this one; the block's sum in *sum. */
static __device__ uint32_t
block_sum_before (uint32_t value, uint32_t *sums, uint32_t *sum)
{
  uint32_t lane = threadIdx.x % 32, warp = threadIdx.x / 32, mine = value, before = 0;

  for (uint32_t step = 1; step < 32; step *= 2)
    {
      uint32_t other = __shfl_up_sync (0xffffffffu, mine, step);

      mine += lane >= step ? other : 0;
    }
  if (lane == 31)
    sums[warp] = mine;
  __syncthreads ();
  *sum = 0;
  for (uint32_t i = 0; i < THREADS / 32; i++)
    {
      before += i < warp ? sums[i] : 0;
      *sum += sums[i];
    }
  __syncthreads ();
  return before + mine - value;
}

/* The lines of one tile, as a block sees them. */
struct Tile
{
  uint64_t begin, end; /* of its bytes */
  uint64_t last_end;   /* where its last line ends, or the text does */
  bool is_last_closed;
  uint32_t n_ends; /* line ends in it */
  uint32_t lines;  /* lines that are its own */
};

/* The @n-th line end of the tile, by the ends before each word of marks. */
static __device__ uint32_t
tile_find_end (const uint64_t *marks, const uint32_t *ends_before, uint32_t n)
{
  uint32_t low = 0, high = THREADS;
  uint64_t word;

  while (high - low > 1)
    {
      uint32_t middle = (low + high) / 2;

      if (ends_before[middle] <= n)
        low = middle;
      else
        high = middle;
    }
  word = marks[low];
  for (n -= ends_before[low]; n > 0; n--)
    word &= word - 1;
  return low * 64 + (uint32_t) __ffsll ((long long) word) - 1;
}

/* Copies the tile and marks its line ends: bit i of marks[w] is byte 64 w + i. */
static __device__ void
tile_load (Tile *tile, Stream *s, uint8_t *bytes, uint64_t *marks, uint32_t *ends_before, uint32_t *sums)
{
  const uint8_t *from = s->text + (tile->begin - s->base);
  uint32_t size = (uint32_t) (tile->end - tile->begin), whole = 0;
  uint64_t mark = 0;

  if (((uintptr_t) from & 15) == 0)
    whole = size / 16;
  for (uint32_t i = threadIdx.x; i < whole; i += THREADS)
    ((uint4 *) bytes)[i] = ((const uint4 *) from)[i];
  for (uint32_t i = whole * 16 + threadIdx.x; i < TILE; i += THREADS)
    bytes[i] = i < size ? from[i] : 0;
  __syncthreads ();
  /* Neighbours begin at different words, else they would ask the same banks of shared memory. */
  for (uint32_t i = 0; i < 16; i++)
    {
      uint32_t at = (i + threadIdx.x) % 16, word = ((const uint32_t *) bytes)[threadIdx.x * 16 + at];

      for (uint32_t j = 0; j < 4; j++)
        mark |= (uint64_t) ((word >> 8 * j & 0xff) == LINE_END) << (4 * at + j);
    }
  marks[threadIdx.x] = mark;
  ends_before[threadIdx.x] = block_sum_before ((uint32_t) __popcll (mark), sums, &tile->n_ends);
  __syncthreads ();
  s->tile = bytes;
  s->tile_base = tile->begin;
  s->tile_bytes = size;
}

/* The whole block looks for where the tile's last line ends. */
static __device__ void
tile_close (Tile *tile, const Stream &s, uint32_t *found)
{
  tile->last_end = s.end;
  tile->is_last_closed = s.is_ending;
  if (tile->lines == 0)
    return;
  for (uint64_t at = tile->end; at < s.end; at += THREADS * 16)
    {
      uint64_t mine = at + threadIdx.x * 16;
      uint32_t first = 0xffffffffu;

      if (threadIdx.x == 0)
        *found = 0xffffffffu;
      __syncthreads ();
      for (uint32_t i = 16; i-- > 0;)
        if (mine + i < s.end && s.text[mine + i - s.base] == LINE_END)
          first = threadIdx.x * 16 + i;
      if (first != 0xffffffffu)
        atomicMin (found, first);
      __syncthreads ();
      first = *found;
      __syncthreads ();
      if (first == 0xffffffffu)
        continue;
      tile->last_end = at + first;
      tile->is_last_closed = true;
      return;
    }
}

/* Line @n of the tile: in the first, the unfinished line comes before those behind its line ends. */
static __device__ Line
tile_get_line (const Tile &tile, const Stream &s, const uint64_t *progress, const uint64_t *marks,
               const uint32_t *ends_before, uint32_t n)
{
  uint32_t older = blockIdx.x == 0;
  Line line;

  line.is_new = n >= older;
  if (line.is_new)
    line.begin = line.at = tile.begin + tile_find_end (marks, ends_before, n - older) + 1;
  else
    {
      line.begin = progress[AT_TAIL + TAIL_LINE];
      line.at = s.base;
    }
  line.is_closed = n + 1 < tile.lines || tile.is_last_closed;
  if (n + 1 < tile.lines)
    line.end = tile.begin + tile_find_end (marks, ends_before, n + 1 - older);
  else
    line.end = tile.last_end;
  return line;
}

/* All lines of the block's tile, in their order; the hits. */
static __device__ uint32_t
tile_run (const Job &job, Stream s, uint64_t first_number, uint64_t *rows, uint64_t room, uint32_t *n_ends)
{
  __shared__ uint4 words[TILE / 16];
  __shared__ uint64_t marks[THREADS];
  __shared__ uint32_t ends_before[THREADS], sums[THREADS / 32], found;
  uint32_t hits = 0;
  Tile tile;

  *n_ends = 0;
  tile.begin = s.base + (uint64_t) blockIdx.x * TILE;
  if (tile.begin >= s.end && blockIdx.x > 0)
    return 0;
  tile.end = s.end - tile.begin < TILE ? s.end : tile.begin + TILE;
  tile_load (&tile, &s, (uint8_t *) words, marks, ends_before, sums);
  tile.lines = tile.n_ends + (blockIdx.x == 0);
  tile_close (&tile, s, &found);
  *n_ends = tile.n_ends;
  for (uint32_t first = 0; first < tile.lines; first += THREADS)
    {
      uint32_t n = first + threadIdx.x, sum, before;
      Rows mine = rows_open (job.mode, nullptr, 0, 0);
      Line line;

      if (n < tile.lines)
        {
          line = tile_get_line (tile, s, job.progress, marks, ends_before, n);
          job_run (job, s, line, 0, mine);
        }
      before = hits + block_sum_before (mine.n, sums, &sum);
      if (rows != nullptr && mine.n > 0 && before < room)
        {
          mine = rows_open (job.mode, rows, room, before);
          job_run (job, s, line, first_number + n, mine);
        }
      hits += sum;
    }
  return hits;
}

