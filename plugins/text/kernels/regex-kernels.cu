/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Last part of regex.cu: what is launched. */

__global__ void
count_hits (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
            const uint64_t *progress, const uint64_t *ending, const uint32_t *line_automaton,
            const uint32_t *match_automaton, const uint32_t *filter, uint32_t mode, uint32_t *hits_in_tile,
            uint32_t *ends_in_tile, uint64_t *tail)
{
  __shared__ Shared shared;
  Stream s = stream_open (text, text_count, ring, ring_size, progress, ending);
  Job job = job_open (line_automaton, match_automaton, progress, tail, mode);
  uint32_t n_ends, hits = tile_count (job, s, shared, &n_ends);

  if (threadIdx.x == 0)
    {
      hits_in_tile[blockIdx.x] = hits;
      ends_in_tile[blockIdx.x] = n_ends;
    }
}

LEAT_HOST_VARIANT void
count_hits (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
            const uint64_t *progress, const uint64_t *ending, const uint32_t *line_automaton,
            const uint32_t *match_automaton, const uint32_t *filter, uint32_t mode, uint32_t *hits_in_tile,
            uint32_t *ends_in_tile, uint64_t *tail)
{
  Stream s = stream_open (text, text_count, ring, ring_size, progress, ending);
  Job job = job_open (line_automaton, match_automaton, progress, tail, mode);
  uint64_t begin = (uint64_t) blockIdx.x * TILE, left = begin < text_count ? text_count - begin : 0;
  Rows rows = rows_open (mode, nullptr, 0, 0);

  text_run_tile (job, s, filter, 0, rows);
  hits_in_tile[blockIdx.x] = rows.n;
  ends_in_tile[blockIdx.x] = left > 0 ? text_count_ends (text, begin, begin + (left < TILE ? left : TILE)) : 0;
}

#define PLACED 16 /* neighbouring tiles of a thread in a round */

/* By a block: from counts of tiles what lies before each; how many there are in all. */
static __device__ uint64_t
place_tiles (const uint32_t *in_tile, uint64_t tiles, uint64_t *before_tile, uint32_t *sums)
{
  uint64_t all = 0;

  for (uint64_t first = PLACED * threadIdx.x; first - PLACED * threadIdx.x < tiles; first += PLACED * THREADS)
    {
      uint32_t counts[PLACED], mine = 0, sum;
      uint64_t before;

#pragma unroll
      for (uint32_t j = 0; j < PLACED; j++)
        counts[j] = in_tile[first + j < tiles ? first + j : tiles - 1];
#pragma unroll
      for (uint32_t j = 0; j < PLACED; j++)
        mine += first + j < tiles ? counts[j] : 0;
      before = all + block_sum_before (mine, sums, &sum);
#pragma unroll
      for (uint32_t j = 0; j < PLACED; j++)
        if (first + j < tiles)
          {
            before_tile[first + j] = before;
            before += counts[j];
          }
      all += sum;
    }
  return all;
}

/* One block.  totals: hits, line ends. */
__global__ void
place_hits (const uint32_t *hits_in_tile, const uint32_t *ends_in_tile, uint64_t tiles, uint64_t *hits_before,
            uint64_t *ends_before, uint64_t *totals)
{
  __shared__ uint32_t sums[THREADS / 32];
  uint64_t hits = place_tiles (hits_in_tile, tiles, hits_before, sums);
  uint64_t ends = place_tiles (ends_in_tile, tiles, ends_before, sums);

  if (threadIdx.x == 0)
    {
      totals[0] = hits;
      totals[1] = ends;
    }
}

LEAT_HOST_VARIANT void
place_hits (const uint32_t *hits_in_tile, const uint32_t *ends_in_tile, uint64_t tiles, uint64_t *hits_before,
            uint64_t *ends_before, uint64_t *totals)
{
  uint64_t hits = 0, ends = 0;

  for (uint64_t tile = 0; tile < tiles; tile++)
    {
      hits_before[tile] = hits;
      ends_before[tile] = ends;
      hits += hits_in_tile[tile];
      ends += ends_in_tile[tile];
    }
  totals[0] = hits;
  totals[1] = ends;
}

/* Line n of the first tile has number n and 1 more than the lines before; in the others no line is older. */
static __device__ uint64_t
tile_get_first_number (const uint64_t *progress, const uint64_t *ends_before, uint32_t tile)
{
  return progress[AT_LINES] + ends_before[tile] + (tile == 0 ? 1 : 2);
}

__global__ void
write_hits (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
            const uint64_t *progress, const uint64_t *ending, const uint32_t *line_automaton,
            const uint32_t *match_automaton, const uint32_t *filter, uint32_t mode, const uint32_t *hits_in_tile,
            const uint64_t *hits_before, const uint64_t *ends_before, uint64_t room, uint64_t *rows)
{
  __shared__ Shared shared;
  uint64_t before = hits_before[blockIdx.x];

  if (hits_in_tile[blockIdx.x] == 0 || before >= room)
    return;
  tile_write (job_open (line_automaton, match_automaton, progress, nullptr, mode),
              stream_open (text, text_count, ring, ring_size, progress, ending), shared,
              tile_get_first_number (progress, ends_before, blockIdx.x), rows + (mode == OFFSETS ? 3 : 2) * before,
              room - before);
}

LEAT_HOST_VARIANT void
write_hits (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
            const uint64_t *progress, const uint64_t *ending, const uint32_t *line_automaton,
            const uint32_t *match_automaton, const uint32_t *filter, uint32_t mode, const uint32_t *hits_in_tile,
            const uint64_t *hits_before, const uint64_t *ends_before, uint64_t room, uint64_t *rows)
{
  Rows place = rows_open (mode, rows, room, hits_before[blockIdx.x]);

  if (hits_in_tile[blockIdx.x] == 0 || place.first == nullptr)
    return;
  text_run_tile (job_open (line_automaton, match_automaton, progress, nullptr, mode),
                 stream_open (text, text_count, ring, ring_size, progress, ending), filter,
                 tile_get_first_number (progress, ends_before, blockIdx.x), place);
}

/* From where on bytes may be asked for again: that before the next attempt, or the next byte of all. */
static __device__ uint64_t
tail_get_kept (const uint64_t *tail)
{
  return tail[TAIL_BEST] > tail[TAIL_START] ? tail[TAIL_BEST] - 1 : tail[TAIL_START];
}

/* One block.  With COUNTS the one row comes when the stream ends. */
__global__ void
advance_text (const uint8_t *text, uint64_t text_count, uint8_t *ring, uint64_t ring_size, uint64_t *progress,
              const uint64_t *ending, const uint32_t *match_automaton, uint32_t mode, const uint64_t *totals,
              const uint64_t *tail, uint64_t *rows, uint64_t *rows_count)
{
  uint64_t base = progress[AT_BASE], end = base + text_count;
  bool goes_on = text_count > 0 && *ending == 0; /* else nobody has told where it does */
  uint64_t kept = mode == OFFSETS && goes_on ? tail_get_kept (tail) : end;
  uint32_t words = mode == OFFSETS ? TAIL_WORDS : TAIL_START; /* lines are no attempts */
  bool is_far = end - kept > ring_size;

  if (!is_far)
    for (uint64_t at = (kept > base ? kept : base) + threadIdx.x; at < end; at += THREADS)
      ring[at & (ring_size - 1)] = text[at - base];
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  for (uint32_t i = 0; i < words && goes_on; i++)
    progress[AT_TAIL + i] = tail[i];
  if (is_far)
    {
      leat_report_at (FAR, tail[TAIL_START], end - kept);
      progress[AT_TAIL + TAIL_ROW] = automaton_open (match_automaton).after_other;
      progress[AT_TAIL + TAIL_START] = end;
      progress[AT_TAIL + TAIL_BEST] = 0;
    }
  progress[AT_BASE] = end;
  progress[AT_LINES] += totals[1];
  progress[AT_FOUND] += totals[0];
  *rows_count = mode == COUNTS ? *ending != 0 : totals[0];
  if (mode == COUNTS && *ending != 0)
    {
      rows[0] = progress[AT_FOUND];
      rows[1] = progress[AT_LINES] + ((text_count > 0 ? tail[TAIL_LINE] : progress[AT_TAIL + TAIL_LINE]) < end);
    }
}

/* For regexes whose $ can only be behind other bytes than a carriage return: says where lines end in two bytes. */
__global__ void
tell_returns (const uint8_t *text, uint64_t text_count)
{
  GRID_FOR (i, text_count)
    if (text[i] == LINE_END && i > 0 && text[i - 1] == '\r')
      leat_report_at (RETURNS, i, 0);
}
