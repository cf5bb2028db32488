/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Third part of regex.cu: a tile and its lines, by a CPU. */

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

static __device__ Line
text_get_line (const Stream &s, uint64_t begin, uint64_t end, bool is_closed)
{
  Line line;

  line.begin = line.at = s.base + begin;
  line.end = s.base + end;
  line.is_closed = is_closed;
  line.is_new = true;
  return line;
}

/* Whole lines, from one that begins at @at and has @number. */
static __device__ void
text_run (const Job &job, const Stream &s, const uint32_t *filter, uint64_t at, uint64_t end, uint64_t number,
          Rows &rows)
{
  Hunt h = hunt_open (filter, s.text, s.end - s.base);

  while (at < end)
    {
      uint64_t found = h.kind == KEYS ? text_find_match_by_key (job.line, h, at, end)
                                      : text_find_match (job.line, h, at, end);
      uint64_t begin;
      Line line;

      if (found >= end)
        return;
      begin = text_find_begin (s.text, at, found);
      line = text_get_line (s, begin, text_find_end (s.text, found, end), true);
      if (job.mode == OFFSETS)
        {
          Tail t = tail_begin (job.match, s, line.at, line.at);

          line_find (job.match, s, line, &t, rows);
        }
      else
        {
          /* Who only counts does not ask for the number. */
          number += rows.first != nullptr ? text_count_ends (s.text, at, begin) : 0;
          rows_add (rows, line.begin, number++, 0);
        }
      at = line.end - s.base + 1;
    }
}

/* The line that runs before this one have begun. */
static __device__ void
text_run_older (const Job &job, const Stream &s, uint64_t end, uint64_t number, Rows &rows)
{
  Line line = text_get_line (s, 0, end, s.base + end < s.end || s.is_ending);

  line.begin = job.progress[AT_TAIL + TAIL_LINE];
  line.is_new = false;
  job_run (job, s, line, number, rows);
}

/* The lines of a tile.  Those that the text of this run does not both begin and end are looked at alone. */
static __device__ void
text_run_tile (const Job &job, const Stream &s, const uint32_t *filter, uint64_t number, Rows &rows)
{
  uint64_t size = s.end - s.base, begin = (uint64_t) blockIdx.x * TILE, end, last, last_end;

  if (begin >= size && blockIdx.x > 0)
    return;
  end = size - begin < TILE ? size : begin + TILE;
  /* Each tile of a line that goes through many would look for its end. */
  begin = text_find_end (s.text, begin, blockIdx.x == 0 ? size : end);
  if (blockIdx.x == 0)
    text_run_older (job, s, begin, number++, rows);
  if (begin++ >= end)
    return; /* no line of its own */
  last = text_find_begin (s.text, begin, end);
  last_end = text_find_end (s.text, last, size);
  text_run (job, s, filter, begin, last_end < size ? last_end + 1 : last, number, rows);
  if (last_end < size)
    return;
  number += rows.first != nullptr ? text_count_ends (s.text, begin, last) : 0;
  job_run (job, s, text_get_line (s, last, size, s.is_ending), number, rows);
}
#endif

