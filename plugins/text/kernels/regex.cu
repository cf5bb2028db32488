/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Regular expressions, line by line.
 *
 * The text of a run is cut into tiles.  A line belongs to the tile with the line's end before it, the line that the
 * runs before left unfinished to the first tile; each line is one thread's.  The thread whose line the text of this run
 * does not end leaves in `tail` how far it came, so that the next run goes on there: an automaton's state is all that
 * has to be kept of a line.  To tell where matches are, text is looked at again from where a match ended or an attempt
 * failed, and so much of it as may be needed is kept in a ring.
 *
 *   count_hits     hits and line ends of each tile
 *   place_hits     exclusive sums of both: where a tile's hits are to be written, and the number of its first line
 *   write_hits     does the work of count_hits again where there are hits, and writes them
 *   advance_text   takes over the tail, and what must be kept
 *
 * Offsets are those in the stream.  An automaton is words: distance of rows, where it starts after a line's end, after
 * a byte of no word and after one of a word, the first row of a match, its own table's number of words; then the class
 * of each byte, four a word; then the rows, each with the row for each class and, last, the regex that it matches.  Row 0
 * leads nowhere before the line ends. */

#define TILE 8192
#define THREADS 128
#define LINE_END 10

#define OFFSETS 0
#define LINES 1
#define COUNTS 2

/* progress */
#define AT_BASE 0  /* offset of the text of this run */
#define AT_LINES 1 /* lines that have ended */
#define AT_FOUND 2 /* hits so far */
#define AT_TAIL 3  /* what `tail` holds: */
#define TAIL_LINE 0  /* where the line begins */
#define TAIL_ROW 1   /* where the automaton is */
#define TAIL_START 2 /* where the attempt began */
#define TAIL_BEST 3  /* where its longest match so far ends; 0 for none */
#define TAIL_REGEX 4
#define TAIL_WORDS 5

/* Steps beyond what is in the line that a thread may go to find where matches end. */
#define WASTE_MAX (1ull << 26)

LEAT_REPORT (FAR = 0, error, "an attempt at a match, begun in an earlier run, is longer than `longest` allows")
LEAT_REPORT (SLOW = 1, error, "to look again and again for where matches end takes too long in the line")

struct Automaton
{
  const uint32_t *rows;
  const uint8_t *classes;
  uint32_t stride, after_end, after_other, after_word, match_from;
};

static __device__ Automaton
automaton_open (const uint32_t *words)
{
  Automaton a;

  a.stride = words[0];
  a.after_end = words[1];
  a.after_other = words[2];
  a.after_word = words[3];
  a.match_from = words[4];
  a.classes = (const uint8_t *) (words + 6);
  a.rows = words + 6 + 64;
  return a;
}

/* What a run sees of the stream. */
struct Stream
{
  const uint8_t *text;
  const uint8_t *ring;
  uint64_t base, end; /* of the text */
  uint64_t ring_mask;
  const uint8_t *tile; /* a copy of some of the text */
  uint64_t tile_base, tile_bytes;
  bool is_ending;
};

static __device__ Stream
stream_open (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
             const uint64_t *progress, const uint64_t *ending)
{
  Stream s;

  s.text = text;
  s.ring = ring;
  s.base = progress[AT_BASE];
  s.end = s.base + text_count;
  s.ring_mask = ring_size - 1;
  s.tile = text;
  s.tile_base = 0;
  s.tile_bytes = 0;
  s.is_ending = *ending != 0;
  return s;
}

static __device__ uint32_t
stream_get (const Stream &s, uint64_t at)
{
  if (at - s.tile_base < s.tile_bytes)
    return s.tile[at - s.tile_base];
  return at >= s.base ? s.text[at - s.base] : s.ring[at & s.ring_mask];
}

/* A line or what is known of it. */
struct Line
{
  uint64_t begin, at, end; /* `at`: from where on it has not been looked at */
  bool is_closed;          /* it ends at `end`; else it goes on in the next run */
  bool is_new;             /* nothing of it was in an earlier run */
};

/* Where an automaton stands. */
struct Tail
{
  uint64_t start, best;
  uint32_t row, regex;
};

/* Whether a line that is closed, and of which nothing is there, is one at all. */
static __device__ bool
line_is_missing (const Line &line, const Stream &s)
{
  return line.begin == line.end && line.end == s.end;
}

/* Goes through the line up to a match. */
static __device__ bool
line_matches (const Automaton &a, const Stream &s, const Line &line, uint32_t *row)
{
  uint32_t r = *row;
  uint64_t at = line.at;

  for (; at < line.end && r - 1 < a.match_from - 1; at++)
    r = a.rows[r + a.classes[stream_get (s, at)]];
  if (r < a.match_from && line.is_closed && !line_is_missing (line, s))
    r = a.rows[r + a.classes[LINE_END]];
  *row = r;
  return r >= a.match_from;
}

static __device__ uint32_t
byte_is_word (uint32_t byte)
{
  return byte - '0' < 10 || (byte | 0x20) - 'a' < 26 || byte == '_';
}

static __device__ Tail
tail_begin (const Automaton &a, const Stream &s, uint64_t at, uint64_t line_begin)
{
  Tail t;

  t.start = at;
  t.best = 0;
  t.regex = 0;
  if (at == line_begin)
    t.row = a.after_end;
  else
    t.row = a.after_other == a.after_word || !byte_is_word (stream_get (s, at - 1)) ? a.after_other : a.after_word;
  return t;
}

/* The longest matches of a line, from left to right; how many, and written where @rows is not null. */
static __device__ uint32_t
line_find (const Automaton &a, const Stream &s, const Line &line, Tail *tail, uint64_t *rows, uint64_t room)
{
  uint64_t at = line.at, next, waste = 0, allowed = WASTE_MAX + 16 * (line.end - line.at);
  uint32_t hits = 0;
  Tail t = *tail;

  while (at < line.end || line.is_closed)
    {
      t.row = a.rows[t.row + a.classes[at < line.end ? stream_get (s, at) : LINE_END]];
      if (t.row >= a.match_from)
        {
          t.best = at;
          t.regex = a.rows[t.row + a.stride - 1];
        }
      if (t.row != 0 && at++ < line.end)
        continue;
      if (t.best > t.start)
        {
          if (rows != nullptr && hits < room)
            {
              rows[3 * hits] = t.start;
              rows[3 * hits + 1] = t.regex;
              rows[3 * hits + 2] = t.best - t.start;
            }
          hits++;
        }
      next = t.best > t.start ? t.best : t.start + 1;
      waste += at > next ? at - next : 0;
      if (waste > allowed)
        {
          leat_report_at (SLOW, line.begin, line.end - line.begin);
          next = line.end;
        }
      at = next;
      if (at >= line.end && line.is_closed)
        break; /* nothing is left but the empty match, which counts for none */
      t = tail_begin (a, s, at, line.begin);
    }
  *tail = t;
  return hits;
}

/* What both automata make of a line.  The one that looks anywhere goes first, as most lines have no match. */
struct Job
{
  Automaton line, match;
  const uint64_t *progress;
  uint64_t *tail; /* null where nothing is to be left */
  uint32_t mode;
};

static __device__ uint32_t
job_find (const Job &job, const Stream &s, const Line &line, uint64_t *rows, uint64_t room)
{
  const uint64_t *before = job.progress + AT_TAIL;
  uint32_t row = job.line.after_end, hits;
  Tail t;

  if (line.is_new && line.is_closed && !line_matches (job.line, s, line, &row))
    return 0;
  t = tail_begin (job.match, s, line.at, line.at);
  if (!line.is_new)
    {
      t.start = before[TAIL_START];
      t.best = before[TAIL_BEST];
      t.row = (uint32_t) before[TAIL_ROW];
      t.regex = (uint32_t) before[TAIL_REGEX];
    }
  hits = line_find (job.match, s, line, &t, rows, room);
  if (!line.is_closed && job.tail != nullptr)
    {
      job.tail[TAIL_ROW] = t.row;
      job.tail[TAIL_START] = t.start;
      job.tail[TAIL_BEST] = t.best;
      job.tail[TAIL_REGEX] = t.regex;
    }
  return hits;
}

static __device__ uint32_t
job_test (const Job &job, const Stream &s, const Line &line, uint64_t number, uint64_t *rows, uint64_t room)
{
  uint32_t before = line.is_new ? job.line.after_end : (uint32_t) job.progress[AT_TAIL + TAIL_ROW], row = before;
  bool matches = line_matches (job.line, s, line, &row);

  if (!line.is_closed && job.tail != nullptr)
    job.tail[TAIL_ROW] = row;
  if (!matches || before >= job.line.match_from) /* an earlier run has told of it */
    return 0;
  if (rows != nullptr && room > 0)
    {
      rows[0] = line.begin;
      rows[1] = number;
    }
  return 1;
}

/* Hits of one line; @number counts from 1. */
static __device__ uint32_t
job_run (const Job &job, const Stream &s, const Line &line, uint64_t number, uint64_t *rows, uint64_t room)
{
  if (!line.is_closed && job.tail != nullptr)
    job.tail[TAIL_LINE] = line.begin;
  return job.mode == OFFSETS ? job_find (job, s, line, rows, room) : job_test (job, s, line, number, rows, room);
}

static __device__ Job
job_open (const uint32_t *line_automaton, const uint32_t *match_automaton, const uint64_t *progress, uint64_t *tail,
          uint32_t mode)
{
  Job job;

  job.line = automaton_open (line_automaton);
  job.match = automaton_open (match_automaton);
  job.progress = progress;
  job.tail = tail;
  job.mode = mode;
  return job;
}

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
  uint32_t width = job.mode == OFFSETS ? 3 : 2, hits = 0;
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
      uint32_t n = first + threadIdx.x, mine = 0, sum, before;
      Line line;

      if (n < tile.lines)
        {
          line = tile_get_line (tile, s, job.progress, marks, ends_before, n);
          mine = job_run (job, s, line, 0, nullptr, 0);
        }
      before = hits + block_sum_before (mine, sums, &sum);
      if (rows != nullptr && mine > 0 && before < room)
        job_run (job, s, line, first_number + n, rows + width * before, room - before);
      hits += sum;
    }
  return hits;
}

#ifdef LEAT_HOST
/* On a CPU most text is passed without the automaton: a filter knows bytes of which every line with a match has one.
 *
 * filter: kind, number, then for KEYS of each key six words: eight bytes, bits to set in the text before it is compared,
 * bytes that count; for BYTES of each range its first byte and how many more there are. */
#define KEYS 1
#define BYTES 2
#define MAX_KEYS 8

struct Hunt
{
  const uint8_t *text;
  uint64_t size;
  uint32_t kind, n;
  uint64_t value[MAX_KEYS], fold[MAX_KEYS], mask[MAX_KEYS]; /* for BYTES: first byte, how many more */
  uint64_t block, marks; /* candidates in the 64 bytes at `block` */
};

static __device__ Hunt
hunt_open (const uint32_t *filter, const uint8_t *text, uint64_t size)
{
  Hunt h;

  h.text = text;
  h.size = size;
  h.kind = filter[0];
  h.n = filter[1];
  h.block = size;
  h.marks = 0;
  for (uint32_t i = 0; i < h.n; i++)
    if (h.kind == BYTES)
      {
        h.value[i] = filter[2 + 2 * i];
        h.mask[i] = filter[3 + 2 * i];
      }
    else
      {
        const uint32_t *key = filter + 2 + 6 * i;

        h.value[i] = key[0] | (uint64_t) key[1] << 32;
        h.fold[i] = key[2] | (uint64_t) key[3] << 32;
        h.mask[i] = key[4] | (uint64_t) key[5] << 32;
      }
  return h;
}

/* By one or two bytes. */
static __device__ bool
hunt_is_candidate (const Hunt &h, uint64_t at)
{
  uint32_t one = h.text[at], other = at + 1 < h.size ? h.text[at + 1] : LINE_END;
  bool is = false;

  for (uint32_t i = 0; i < h.n; i++)
    if (h.kind == BYTES)
      is |= one - h.value[i] <= h.mask[i];
    else
      is |= (((one | other << 8 | h.fold[i]) ^ h.value[i]) & h.mask[i] & 0xffff) == 0;
  return is;
}

static __device__ uint64_t
hunt_mark (const Hunt &h, uint64_t block)
{
  const uint8_t *at = h.text + block;
  uint8_t flags[64] = { 0 };
  uint64_t marks = 0, words[8];

  for (uint32_t k = 0; k < h.n; k++)
    if (h.kind == BYTES)
      {
        uint8_t first = (uint8_t) h.value[k], more = (uint8_t) h.mask[k];

        for (uint32_t i = 0; i < 64; i++)
          flags[i] |= (uint8_t) ((uint8_t) (at[i] - first) <= more);
      }
    else
      {
        uint8_t first = (uint8_t) h.value[k], first_fold = (uint8_t) h.fold[k];
        uint8_t any = (h.mask[k] & 0xff00) == 0 ? 0xff : 0; /* a key of one byte */
        uint8_t second = (uint8_t) (h.value[k] >> 8) | any, second_fold = (uint8_t) (h.fold[k] >> 8) | any;

        for (uint32_t i = 0; i < 64; i++)
          flags[i] |= (uint8_t) (((at[i] | first_fold) == first) & ((at[i + 1] | second_fold) == second));
      }
  __builtin_memcpy (words, flags, 64);
  for (uint32_t i = 0; i < 8; i++)
    marks |= (words[i] * 0x0102040810204080u >> 56) << 8 * i;
  return marks;
}

/* A candidate may differ from every key behind the second byte. */
static __device__ bool
hunt_holds (const Hunt &h, uint64_t at)
{
  uint64_t word;

  if (h.kind == BYTES || at + 8 > h.size)
    return true;
  __builtin_memcpy (&word, h.text + at, 8);
  for (uint32_t i = 0; i < h.n; i++)
    if ((((word | h.fold[i]) ^ h.value[i]) & h.mask[i]) == 0)
      return true;
  return false;
}

/* The first candidate from @at on; @end where there is none before. */
static __device__ uint64_t
hunt_next (Hunt &h, uint64_t at, uint64_t end)
{
  while (at < end)
    {
      uint64_t left;

      if (at - h.block >= 64)
        {
          if (at + 65 > h.size)
            {
              if (hunt_is_candidate (h, at) && hunt_holds (h, at))
                return at;
              at++;
              continue;
            }
          h.block = at;
          h.marks = hunt_mark (h, at);
        }
      left = h.marks >> (at - h.block);
      if (left == 0)
        {
          at = h.block + 64;
          continue;
        }
      at += (uint64_t) __builtin_ctzll (left);
      if (at >= end)
        return end;
      if (hunt_holds (h, at))
        return at;
      at++;
    }
  return end;
}

static __device__ uint64_t
text_find_end (const uint8_t *text, uint64_t from, uint64_t to)
{
  const void *found = __builtin_memchr (text + from, LINE_END, to - from);

  return found != nullptr ? (uint64_t) ((const uint8_t *) found - text) : to;
}

/* Where the line begins that @at is in, if not before @from. */
static __device__ uint64_t
text_find_begin (const uint8_t *text, uint64_t from, uint64_t at)
{
  while (at > from && text[at - 1] != LINE_END)
    at--;
  return at;
}

static __device__ uint32_t
text_count_ends (const uint8_t *text, uint64_t from, uint64_t to)
{
  uint32_t n = 0;

  while (to - from >= 128)
    {
      uint8_t few = 0;

      for (uint32_t i = 0; i < 128; i++)
        few += text[from + i] == LINE_END;
      n += few;
      from += 128;
    }
  for (; from < to; from++)
    n += text[from] == LINE_END;
  return n;
}

/* Where in [@at, @end), whole lines, a match is known of: at most one in a line.  @at begins a line; @end for none.
 * Without a filter, or where the automaton leaves its first row, that automaton alone says it. */
static __device__ uint64_t
text_find_match (const Automaton &a, Hunt &h, uint64_t at, uint64_t end)
{
  uint32_t low = h.kind == BYTES ? a.after_end : 0, span = a.match_from - low - 1, row = a.after_end;

  while (at < end)
    {
      if (h.kind != 0 && row == a.after_end)
        {
          at = hunt_next (h, at, end);
          if (at == end)
            return end;
        }
      do
        row = a.rows[row + a.classes[h.text[at++]]];
      while (row - low - 1 < span && at < end);
      if (row >= a.match_from)
        return at - 1;
      if (row == 0 && h.text[at - 1] != LINE_END)
        at = text_find_end (h.text, at, end);
    }
  return end;
}

/* The same by keys, which may stand anywhere in a line. */
static __device__ uint64_t
text_find_match_by_key (const Automaton &a, Hunt &h, uint64_t at, uint64_t end)
{
  while ((at = hunt_next (h, at, end)) < end)
    {
      uint64_t stop = text_find_end (h.text, at, end) + 1;
      uint32_t row = a.after_end;

      for (uint64_t i = text_find_begin (h.text, 0, at); i < stop && row - 1 < a.match_from - 1; i++)
        row = a.rows[row + a.classes[h.text[i]]];
      if (row >= a.match_from)
        return at;
      at = stop;
    }
  return end;
}

/* Whole lines, from one that begins at @at; hits, written where @rows is not null.  @number is that of the line. */
static __device__ uint32_t
text_run (const Job &job, const Stream &s, const uint32_t *filter, uint64_t at, uint64_t end, uint64_t number,
          uint64_t *rows, uint64_t room)
{
  Hunt h = hunt_open (filter, s.text, s.end - s.base);
  uint32_t hits = 0, width = job.mode == OFFSETS ? 3 : 2;
  uint64_t counted = at;

  while (at < end)
    {
      uint64_t *place = rows != nullptr && hits < room ? rows + width * hits : nullptr;
      uint64_t found = h.kind == KEYS ? text_find_match_by_key (job.line, h, at, end)
                                      : text_find_match (job.line, h, at, end);
      Line line;

      if (found >= end)
        break;
      line.begin = line.at = s.base + text_find_begin (s.text, at, found);
      line.end = s.base + text_find_end (s.text, found, end);
      line.is_closed = true;
      line.is_new = true;
      if (job.mode == OFFSETS)
        {
          Tail t = tail_begin (job.match, s, line.at, line.at);

          hits += line_find (job.match, s, line, &t, place, room - hits);
        }
      else
        {
          if (place != nullptr)
            {
              number += text_count_ends (s.text, counted, line.begin - s.base);
              counted = line.begin - s.base;
              place[0] = line.begin;
              place[1] = number;
            }
          hits++;
        }
      at = line.end - s.base + 1;
    }
  return hits;
}

/* The lines of a tile; those that the text of this run neither begins nor ends are alone. */
static __device__ uint32_t
text_run_tile (const Job &job, const Stream &s, const uint32_t *filter, uint64_t first_number, uint64_t *rows,
               uint64_t room)
{
  uint64_t size = s.end - s.base, begin = (uint64_t) blockIdx.x * TILE, end, last;
  uint64_t tile_end = size - begin < TILE ? size : begin + TILE;
  uint32_t hits = 0, width = job.mode == OFFSETS ? 3 : 2;
  Line line;

  if (begin >= size && blockIdx.x > 0)
    return 0;
  end = text_find_end (s.text, begin, size);
  if (blockIdx.x == 0)
    {
      line.begin = job.progress[AT_TAIL + TAIL_LINE];
      line.at = s.base;
      line.end = s.base + end;
      line.is_closed = end < size || s.is_ending;
      line.is_new = false;
      hits = job_run (job, s, line, first_number, rows, room);
      first_number++;
    }
  if (end >= tile_end)
    return hits;
  last = text_find_begin (s.text, end, tile_end); /* the line behind the tile's last line end */
  begin = end + 1;
  end = text_find_end (s.text, last, size);
  if (rows != nullptr)
    rows = hits < room ? rows + width * hits : nullptr;
  if (end < size)
    return hits + text_run (job, s, filter, begin, end + 1, first_number, rows, room - hits);
  size = hits + text_run (job, s, filter, begin, last, first_number, rows, room - hits);
  if (rows != nullptr)
    rows = size < room ? rows + width * (size - hits) : nullptr;
  line.begin = line.at = s.base + last;
  line.end = s.end;
  line.is_closed = s.is_ending;
  line.is_new = true;
  first_number += rows != nullptr ? text_count_ends (s.text, begin, last) : 0;
  return (uint32_t) size + job_run (job, s, line, first_number, rows, room - size);
}
#endif

__global__ void
count_hits (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
            const uint64_t *progress, const uint64_t *ending, const uint32_t *line_automaton,
            const uint32_t *match_automaton, const uint32_t *filter, uint32_t mode, uint32_t *hits_in_tile,
            uint32_t *ends_in_tile, uint64_t *tail)
{
  Stream s = stream_open (text, text_count, ring, ring_size, progress, ending);
  Job job = job_open (line_automaton, match_automaton, progress, tail, mode);
  uint32_t n_ends, hits = tile_run (job, s, 0, nullptr, 0, &n_ends);

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

  hits_in_tile[blockIdx.x] = text_run_tile (job, s, filter, 0, nullptr, 0);
  ends_in_tile[blockIdx.x] = left > 0 ? text_count_ends (text, begin, begin + (left < TILE ? left : TILE)) : 0;
}

/* One block.  totals: hits, line ends. */
__global__ void
place_hits (const uint32_t *hits_in_tile, const uint32_t *ends_in_tile, uint64_t tiles, uint64_t *hits_before,
            uint64_t *ends_before, uint64_t *totals)
{
  __shared__ uint32_t sums[THREADS / 32];
  uint64_t hits = 0, ends = 0;

  for (uint64_t first = 0; first < tiles; first += THREADS)
    {
      uint64_t tile = first + threadIdx.x;
      uint32_t sum, before = block_sum_before (tile < tiles ? hits_in_tile[tile] : 0, sums, &sum);

      if (tile < tiles)
        hits_before[tile] = hits + before;
      hits += sum;
      before = block_sum_before (tile < tiles ? ends_in_tile[tile] : 0, sums, &sum);
      if (tile < tiles)
        ends_before[tile] = ends + before;
      ends += sum;
    }
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
  uint32_t width = mode == OFFSETS ? 3 : 2, n_ends;
  uint64_t before = hits_before[blockIdx.x];

  if (hits_in_tile[blockIdx.x] == 0 || before >= room)
    return;
  tile_run (job_open (line_automaton, match_automaton, progress, nullptr, mode),
            stream_open (text, text_count, ring, ring_size, progress, ending),
            tile_get_first_number (progress, ends_before, blockIdx.x), rows + width * before, room - before, &n_ends);
}

LEAT_HOST_VARIANT void
write_hits (const uint8_t *text, uint64_t text_count, const uint8_t *ring, uint64_t ring_size,
            const uint64_t *progress, const uint64_t *ending, const uint32_t *line_automaton,
            const uint32_t *match_automaton, const uint32_t *filter, uint32_t mode, const uint32_t *hits_in_tile,
            const uint64_t *hits_before, const uint64_t *ends_before, uint64_t room, uint64_t *rows)
{
  uint64_t before = hits_before[blockIdx.x];

  if (hits_in_tile[blockIdx.x] == 0 || before >= room)
    return;
  text_run_tile (job_open (line_automaton, match_automaton, progress, nullptr, mode),
                 stream_open (text, text_count, ring, ring_size, progress, ending), filter,
                 tile_get_first_number (progress, ends_before, blockIdx.x),
                 rows + (mode == OFFSETS ? 3 : 2) * before, room - before);
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
  uint64_t base = progress[AT_BASE], end = base + text_count, kept = tail_get_kept (tail);
  bool is_far = mode == OFFSETS && end - kept > ring_size;

  if (mode == OFFSETS && !is_far)
    for (uint64_t at = (kept > base ? kept : base) + threadIdx.x; at < end; at += THREADS)
      ring[at & (ring_size - 1)] = text[at - base];
  __syncthreads ();
  if (threadIdx.x != 0)
    return;
  for (uint32_t i = 0; i < TAIL_WORDS; i++)
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
      rows[1] = progress[AT_LINES] + (tail[TAIL_LINE] < end);
    }
}
