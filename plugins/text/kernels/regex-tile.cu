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

/* What the threads of a block share. */
struct Shared
{
  uint4 bytes[TILE / 16];
  uint64_t marks[THREADS];       /* bit i of word w: byte 64 w + i is a line end */
  uint32_t ends_before[THREADS]; /* line ends before each word */
  uint32_t sums[THREADS / 32];
  uint32_t found;
};

/* The lines of one tile, as a block sees them. */
struct Tile
{
  uint64_t begin, end; /* of its bytes */
  uint64_t last_end;   /* where its last line ends, or the text does */
  bool is_last_closed;
  uint32_t n_ends; /* line ends in it */
  uint32_t lines;  /* lines that are its own */
};

/* The @n-th line end of the tile. */
static __device__ uint32_t
tile_find_end (const Shared &shared, uint32_t n)
{
  uint32_t low = 0, high = THREADS;
  uint64_t word;

  while (high - low > 1)
    {
      uint32_t middle = (low + high) / 2;

      if (shared.ends_before[middle] <= n)
        low = middle;
      else
        high = middle;
    }
  word = shared.marks[low];
  for (n -= shared.ends_before[low]; n > 0; n--)
    word &= word - 1;
  return low * 64 + (uint32_t) __ffsll ((long long) word) - 1;
}

/* Copies the tile and marks its line ends. */
static __device__ void
tile_load (Tile *tile, Stream *s, Shared &shared)
{
  const uint8_t *from = s->text + (tile->begin - s->base);
  uint8_t *bytes = (uint8_t *) shared.bytes;
  uint32_t size = (uint32_t) (tile->end - tile->begin), whole = 0;
  uint64_t mark = 0;

  if (((uintptr_t) from & 15) == 0)
    whole = size / 16;
  for (uint32_t i = threadIdx.x; i < whole; i += THREADS)
    shared.bytes[i] = ((const uint4 *) from)[i];
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
  shared.marks[threadIdx.x] = mark;
  shared.ends_before[threadIdx.x] = block_sum_before ((uint32_t) __popcll (mark), shared.sums, &tile->n_ends);
  __syncthreads ();
  s->tile = bytes;
  s->tile_base = tile->begin;
  s->tile_bytes = size;
}

/* The first line end in what the threads look at, @each bytes a thread from @at on; ~0 for none. */
static __device__ uint32_t
tile_find_end_from (const Stream &s, Shared &shared, uint64_t at, uint32_t each)
{
  uint32_t mine = threadIdx.x * each, found;

  if (threadIdx.x == 0)
    shared.found = 0xffffffffu;
  __syncthreads ();
  for (uint32_t i = mine; i < mine + each && at + i < s.end; i++)
    if (s.text[at + i - s.base] == LINE_END)
      {
        atomicMin (&shared.found, i);
        break;
      }
  __syncthreads ();
  found = shared.found;
  __syncthreads (); /* the next call clears it */
  return found;
}

/* The whole block looks for where the tile's last line ends: a few bytes at first, since most lines are short. */
static __device__ void
tile_close (Tile *tile, const Stream &s, Shared &shared)
{
  uint32_t each = 1, step;

  tile->last_end = s.end;
  tile->is_last_closed = s.is_ending;
  for (uint64_t at = tile->end; tile->lines > 0 && at < s.end; at += step)
    {
      uint32_t found = tile_find_end_from (s, shared, at, each);

      step = THREADS * each;
      each = each < 16 ? each * 4 : each;
      if (found == 0xffffffffu)
        continue;
      tile->last_end = at + found;
      tile->is_last_closed = true;
      return;
    }
}

/* Line @n of the tile: in the first, the unfinished line comes before those behind its line ends. */
static __device__ Line
tile_get_line (const Tile &tile, const Stream &s, const uint64_t *progress, const Shared &shared, uint32_t n)
{
  uint32_t older = blockIdx.x == 0;
  Line line;

  line.is_new = n >= older;
  if (line.is_new)
    line.begin = line.at = tile.begin + tile_find_end (shared, n - older) + 1;
  else
    {
      line.begin = progress[AT_TAIL + TAIL_LINE];
      line.at = s.base;
    }
  line.is_closed = n + 1 < tile.lines || tile.is_last_closed;
  if (n + 1 < tile.lines)
    line.end = tile.begin + tile_find_end (shared, n + 1 - older);
  else
    line.end = tile.last_end;
  return line;
}

/* FALSE where there is no text for a tile. */
static __device__ bool
tile_open (Tile *tile, Stream *s, Shared &shared)
{
  tile->begin = s->base + (uint64_t) blockIdx.x * TILE;
  if (tile->begin >= s->end && blockIdx.x > 0)
    return false;
  tile->end = s->end - tile->begin < TILE ? s->end : tile->begin + TILE;
  tile_load (tile, s, shared);
  tile->lines = tile->n_ends + (blockIdx.x == 0);
  tile_close (tile, *s, shared);
  return true;
}

/* Hits of the block's tile.  No thread waits for others before it is done with all its lines. */
static __device__ uint32_t
tile_count (const Job &job, Stream s, Shared &shared, uint32_t *n_ends)
{
  Rows mine = rows_open (job.mode, nullptr, 0, 0);
  uint32_t sum;
  Tile tile;

  *n_ends = 0;
  if (!tile_open (&tile, &s, shared))
    return 0;
  *n_ends = tile.n_ends;
  for (uint32_t n = threadIdx.x; n < tile.lines; n += THREADS)
    job_run (job, s, tile_get_line (tile, s, job.progress, shared, n), 0, mine);
  block_sum_before (mine.n, shared.sums, &sum);
  return sum;
}

/* Writes them in the order of the lines: THREADS lines are counted, then written behind those before. */
static __device__ void
tile_write (const Job &job, Stream s, Shared &shared, uint64_t first_number, uint64_t *rows, uint64_t room)
{
  uint64_t before = 0;
  Tile tile;

  if (!tile_open (&tile, &s, shared))
    return;
  for (uint32_t first = 0; first < tile.lines; first += THREADS)
    {
      uint32_t n = first + threadIdx.x, place, sum;
      Rows mine = rows_open (job.mode, nullptr, 0, 0);
      Line line;

      if (n < tile.lines)
        {
          line = tile_get_line (tile, s, job.progress, shared, n);
          job_run (job, s, line, 0, mine);
        }
      place = block_sum_before (mine.n, shared.sums, &sum);
      if (mine.n > 0)
        {
          mine = rows_open (job.mode, rows, room, before + place);
          job_run (job, s, line, first_number + n, mine);
        }
      before += sum;
    }
}
