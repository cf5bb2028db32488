/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Regular expressions, line by line.  First part of regex.cu, which is regex-line.cu, regex-tile.cu, regex-cpu.cu and
 * regex-kernels.cu in a row: a line, by a thread.
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

/* Steps beyond what is in the line that a thread may go to find where matches end: some seconds' worth, of which a thread
 * of a GPU, that waits for memory in each of them, goes a fraction. */
#ifdef LEAT_HOST
#define WASTE_MAX (1ull << 26)
#else
#define WASTE_MAX (1ull << 22)
#endif
#define WASTE_EACH 64 /* and for each byte of the line */

/* Bytes between two places of which facts are kept, and how many are. */
#define FACT_BYTES 16
#define FACTS 16

LEAT_REPORT (FAR = 0, error, "an attempt at a match, begun at {index} in an earlier run, needs {value} bytes kept, more than `longest` "
                       "allows")
LEAT_REPORT (SLOW = 1, error, "in the line of {value} bytes at {index} it takes too long to tell where matches end: ask for "
                              "lines (emit=line), or for a regex that can begin in fewer places")
LEAT_REPORT (RETURNS = 2, warning, "a line ends in \\r\\n at byte {index} of the run, where $ does not match; write \\r?$ if it is to")

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

/* Where hits go, or only how many there are. */
struct Rows
{
  uint64_t *first; /* null to count */
  uint64_t room;
  uint32_t width, n;
};

static __device__ Rows
rows_open (uint32_t mode, uint64_t *first, uint64_t room, uint64_t before)
{
  Rows r;

  r.width = mode == OFFSETS ? 3 : 2;
  r.first = first != nullptr && before < room ? first + r.width * before : nullptr;
  r.room = room - before;
  r.n = 0;
  return r;
}

/* The third number is left out of rows of two. */
static __device__ void
rows_add (Rows &r, uint64_t one, uint64_t two, uint64_t three)
{
  if (r.first != nullptr && r.n < r.room)
    {
      uint64_t *row = r.first + r.width * r.n;

      row[0] = one;
      row[1] = two;
      if (r.width == 3)
        row[2] = three;
    }
  r.n++;
}

/* What comes of being in a row at a place of the line, as an attempt has found out: where the longest match from there
 * ends, 0 for none. */
struct Fact
{
  uint64_t at, best;
  uint32_t row, regex;
};

/* Attempts that begin one after the other and all go far are soon in the same row at the same place, and what follows is
 * then the same.  Places are multiples of FACT_BYTES; of those that can be halved n times more, the first behind where
 * attempts begin is kept for each n.  So the next is never farther than what an attempt has gone already, and all that is
 * looked at again is some log2 (FACTS) times the line. */
struct Facts
{
  Fact of[FACTS];
  uint32_t known; /* of them */
  uint32_t mine;  /* those of the attempt that is being made, whose end is to come */
};

/* Whether it is known how the attempt ends: it is then told in @t. */
static __device__ bool
facts_meet (Facts &f, uint64_t at, Tail &t)
{
  uint32_t level = (uint32_t) __ffsll ((long long) (at / FACT_BYTES | 1u << (FACTS - 1))) - 1, bit = 1u << level;
  Fact &fact = f.of[level];

  if ((f.known & bit) != 0 && fact.at > t.start && fact.at != at)
    return false;
  if ((f.known & bit) != 0 && fact.at == at && fact.row == t.row)
    {
      if (fact.best > 0)
        {
          t.best = fact.best;
          t.regex = fact.regex;
        }
      return true;
    }
  fact.at = at;
  fact.row = t.row;
  f.known |= bit;
  f.mine |= bit;
  return false;
}

/* The attempt has ended. */
static __device__ void
facts_settle (Facts &f, const Tail &t)
{
  for (; f.mine != 0; f.mine &= f.mine - 1)
    {
      Fact &fact = f.of[__ffs ((int) f.mine) - 1];

      fact.best = t.best >= fact.at ? t.best : 0;
      fact.regex = t.regex;
    }
}

/* The longest matches of a line, from left to right. */
static __device__ void
line_find (const Automaton &a, const Stream &s, const Line &line, Tail *tail, Rows &rows)
{
  uint64_t at = line.at, next, waste = 0, allowed = WASTE_MAX + WASTE_EACH * (line.end - line.at);
  Tail t = *tail;
  Facts facts;

  facts.known = facts.mine = 0;
  while (at < line.end || line.is_closed)
    {
      if (at % FACT_BYTES != 0 || !facts_meet (facts, at, t))
        {
          t.row = a.rows[t.row + a.classes[at < line.end ? stream_get (s, at) : LINE_END]];
          if (t.row >= a.match_from)
            {
              t.best = at;
              t.regex = a.rows[t.row + a.stride - 1];
            }
          if (t.row != 0 && at++ < line.end)
            continue;
        }
      facts_settle (facts, t);
      if (t.best > t.start)
        rows_add (rows, t.start, t.regex, t.best - t.start);
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
}

/* What both automata make of a line.  The one that looks anywhere goes first, as most lines have no match. */
struct Job
{
  Automaton line, match;
  const uint64_t *progress;
  uint64_t *tail; /* null where nothing is to be left */
  uint32_t mode;
};

static __device__ void
job_find (const Job &job, const Stream &s, const Line &line, Rows &rows)
{
  const uint64_t *before = job.progress + AT_TAIL;
  uint32_t row = job.line.after_end;
  Tail t;

  if (line.is_new && line.is_closed && !line_matches (job.line, s, line, &row))
    return;
  t = tail_begin (job.match, s, line.at, line.at);
  if (!line.is_new)
    {
      t.start = before[TAIL_START];
      t.best = before[TAIL_BEST];
      t.row = (uint32_t) before[TAIL_ROW];
      t.regex = (uint32_t) before[TAIL_REGEX];
    }
  line_find (job.match, s, line, &t, rows);
  if (line.is_closed || job.tail == nullptr)
    return;
  job.tail[TAIL_ROW] = t.row;
  job.tail[TAIL_START] = t.start;
  job.tail[TAIL_BEST] = t.best;
  job.tail[TAIL_REGEX] = t.regex;
}

static __device__ void
job_test (const Job &job, const Stream &s, const Line &line, uint64_t number, Rows &rows)
{
  uint32_t before = line.is_new ? job.line.after_end : (uint32_t) job.progress[AT_TAIL + TAIL_ROW], row = before;
  bool matches = line_matches (job.line, s, line, &row);

  if (!line.is_closed && job.tail != nullptr)
    job.tail[TAIL_ROW] = row;
  if (matches && before < job.line.match_from) /* else an earlier run has told of it */
    rows_add (rows, line.begin, number, 0);
}

/* Hits of one line; @number counts from 1. */
static __device__ void
job_run (const Job &job, const Stream &s, const Line &line, uint64_t number, Rows &rows)
{
  if (line.end == s.end && job.tail != nullptr) /* the last one, in the run that ends the stream too */
    job.tail[TAIL_LINE] = line.begin;
  if (job.mode == OFFSETS)
    job_find (job, s, line, rows);
  else
    job_test (job, s, line, number, rows);
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

