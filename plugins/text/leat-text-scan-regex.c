/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The part of `text:scan` that runs regexes: the buffers of its kernels, and their launches.  Touches the node's
 * recorder only. */

#include "leat-text-scan-regex.h"

#include "leat-text-call.h"

#define LEAT_REGEX_TILE           8192
#define LEAT_REGEX_THREADS        128
#define LEAT_REGEX_PROGRESS_WORDS 8
#define LEAT_REGEX_ROW_WORD       4
#define LEAT_REGEX_TAIL_WORDS     5

const char *const leat_text_emit_choices[] = { "offset", "line", "count", NULL };

/* Matches do not overlap, and lines have their end between them.  One more may have begun in earlier runs, and one may
 * not have ended. */
gboolean
leat_regex_scan_measure (const LeatRegexScan *self, guint64 n, guint64 dims[2])
{
  /* All hits may be in one line, and those of a line are counted in 32 bits. */
  if (n / LEAT_REGEX_TILE >= G_MAXINT32 || (self->emit == LEAT_TEXT_EMIT_OFFSET && n > G_MAXUINT32 - self->longest))
    return FALSE;
  dims[1] = 2;
  switch (self->emit)
    {
    case LEAT_TEXT_EMIT_OFFSET:
      dims[0] = (n + self->longest) / MAX (self->regex->least, 1) + 2;
      dims[1] = 3;
      break;
    case LEAT_TEXT_EMIT_LINE:
      dims[0] = n / ((guint64) self->regex->least + 1) + 2;
      break;
    default:
      dims[0] = 1;
      break;
    }
  return TRUE;
}

/* One run's buffers and sizes. */
typedef struct
{
  LeatBufferId text, hits, ring, progress, ending, line, match, filter;
  LeatBufferId hits_in_tile, ends_in_tile, hits_before, ends_before, totals, tail;
  guint64 ring_size, tiles, room;
  guint32 mode;
} LeatRegexParts;

static GBytes *
leat_regex_scan_new_progress (const LeatRegexScan *self)
{
  guint64 words[LEAT_REGEX_PROGRESS_WORDS] = { 0 };
  GBytes *first = self->emit == LEAT_TEXT_EMIT_OFFSET ? self->regex->match : self->regex->line;

  words[LEAT_REGEX_ROW_WORD] = leat_regex_get_first_row (first);
  return g_bytes_new (words, sizeof words);
}

/* A power of two, and not much where nothing needs it. */
static guint64
leat_regex_scan_get_ring_size (const LeatRegexScan *self)
{
  guint64 size = 16;

  while (self->emit == LEAT_TEXT_EMIT_OFFSET && size < self->longest)
    size *= 2;
  return size;
}

static void
leat_regex_scan_add_buffers (const LeatRegexScan *self, LeatRecorder *recorder, LeatRegexParts *parts)
{
  g_autoptr (GBytes) progress = leat_regex_scan_new_progress (self);
  guint64 n;

  parts->text = leat_recorder_get_input (recorder, "text");
  parts->hits = leat_recorder_get_output (recorder, "hits");
  parts->mode = self->emit;
  parts->room = leat_spec_get_dim (leat_recorder_get_spec (recorder, parts->hits), 0);
  n = leat_spec_get_dim (leat_recorder_get_spec (recorder, parts->text), 0);
  parts->tiles = n / LEAT_REGEX_TILE + 1;
  parts->ring_size = leat_regex_scan_get_ring_size (self);
  parts->ring = leat_recorder_add_state (recorder, "ring", parts->ring_size, NULL);
  parts->progress = leat_recorder_add_state (recorder, "progress", g_bytes_get_size (progress), progress);
  parts->line = leat_recorder_add_const (recorder, "line", self->regex->line);
  parts->match =
    self->emit == LEAT_TEXT_EMIT_OFFSET ? leat_recorder_add_const (recorder, "match", self->regex->match) : parts->line;
  parts->filter = leat_recorder_add_const (recorder, "filter", self->regex->filter);
  parts->hits_in_tile = leat_recorder_add_scratch (recorder, "hits-in-tile", parts->tiles * sizeof (guint32));
  parts->ends_in_tile = leat_recorder_add_scratch (recorder, "ends-in-tile", parts->tiles * sizeof (guint32));
  parts->hits_before = leat_recorder_add_scratch (recorder, "hits-before", parts->tiles * sizeof (guint64));
  parts->ends_before = leat_recorder_add_scratch (recorder, "ends-before", parts->tiles * sizeof (guint64));
  parts->totals = leat_recorder_add_scratch (recorder, "totals", 2 * sizeof (guint64));
  parts->tail = leat_recorder_add_scratch (recorder, "tail", LEAT_REGEX_TAIL_WORDS * sizeof (guint64));
  parts->ending = leat_recorder_request_flush (recorder);
}

static void
leat_regex_scan_add_count (LeatRecorder *recorder, LeatKernelSource *source, const LeatRegexParts *p)
{
  const LeatArg args[] = { LEAT_TEXT_ITEMS (p->text),         LEAT_TEXT_COUNT (p->text),
                           LEAT_TEXT_ITEMS (p->ring),         LEAT_TEXT_VALUE (p->ring_size),
                           LEAT_TEXT_ITEMS (p->progress),     LEAT_TEXT_ITEMS (p->ending),
                           LEAT_TEXT_ITEMS (p->line),         LEAT_TEXT_ITEMS (p->match),
                           LEAT_TEXT_ITEMS (p->filter),       LEAT_TEXT_VALUE (p->mode),
                           LEAT_TEXT_ITEMS (p->hits_in_tile), LEAT_TEXT_ITEMS (p->ends_in_tile),
                           LEAT_TEXT_ITEMS (p->tail) };

  leat_text_call (recorder, source, "count_hits", p->tiles, LEAT_REGEX_THREADS, args, "rrr-rrrrr-www");
}

static void
leat_regex_scan_add_place (LeatRecorder *recorder, LeatKernelSource *source, const LeatRegexParts *p)
{
  const LeatArg args[] = { LEAT_TEXT_ITEMS (p->hits_in_tile), LEAT_TEXT_ITEMS (p->ends_in_tile),
                           LEAT_TEXT_VALUE (p->tiles),        LEAT_TEXT_ITEMS (p->hits_before),
                           LEAT_TEXT_ITEMS (p->ends_before),  LEAT_TEXT_ITEMS (p->totals) };

  leat_text_call (recorder, source, "place_hits", 1, LEAT_REGEX_THREADS, args, "rr-www");
}

static void
leat_regex_scan_add_write (LeatRecorder *recorder, LeatKernelSource *source, const LeatRegexParts *p)
{
  const LeatArg args[] = {
    LEAT_TEXT_ITEMS (p->text),        LEAT_TEXT_COUNT (p->text),         LEAT_TEXT_ITEMS (p->ring),
    LEAT_TEXT_VALUE (p->ring_size),   LEAT_TEXT_ITEMS (p->progress),     LEAT_TEXT_ITEMS (p->ending),
    LEAT_TEXT_ITEMS (p->line),        LEAT_TEXT_ITEMS (p->match),        LEAT_TEXT_ITEMS (p->filter),
    LEAT_TEXT_VALUE (p->mode),        LEAT_TEXT_ITEMS (p->hits_in_tile), LEAT_TEXT_ITEMS (p->hits_before),
    LEAT_TEXT_ITEMS (p->ends_before), LEAT_TEXT_VALUE (p->room),         LEAT_TEXT_ITEMS (p->hits)
  };

  leat_text_call (recorder, source, "write_hits", p->tiles, LEAT_REGEX_THREADS, args, "rrr-rrrrr-rrr-w");
}

static void
leat_regex_scan_add_advance (LeatRecorder *recorder, LeatKernelSource *source, const LeatRegexParts *p)
{
  const LeatArg args[] = { LEAT_TEXT_ITEMS (p->text),      LEAT_TEXT_COUNT (p->text),     LEAT_TEXT_ITEMS (p->ring),
                           LEAT_TEXT_VALUE (p->ring_size), LEAT_TEXT_ITEMS (p->progress), LEAT_TEXT_ITEMS (p->ending),
                           LEAT_TEXT_ITEMS (p->match),     LEAT_TEXT_VALUE (p->mode),     LEAT_TEXT_ITEMS (p->totals),
                           LEAT_TEXT_ITEMS (p->tail),      LEAT_TEXT_ITEMS (p->hits),     LEAT_TEXT_COUNT (p->hits) };

  leat_text_call (recorder, source, "advance_text", 1, LEAT_REGEX_THREADS, args, "rrb-brr-rrbb");
}

static void
leat_regex_scan_add_returns (LeatRecorder *recorder, LeatKernelSource *source, const LeatRegexParts *p)
{
  const LeatArg args[] = { LEAT_TEXT_ITEMS (p->text), LEAT_TEXT_COUNT (p->text) };

  leat_text_call (recorder, source, "tell_returns", p->tiles, LEAT_REGEX_THREADS, args, "rr");
}

void
leat_regex_scan_record (const LeatRegexScan *self, LeatKernelSource *source, LeatRecorder *recorder)
{
  LeatRegexParts parts = { 0 };

  leat_regex_scan_add_buffers (self, recorder, &parts);
  leat_regex_scan_add_count (recorder, source, &parts);
  leat_regex_scan_add_place (recorder, source, &parts);
  /* The one row of a count is written by the last kernel. */
  if (self->emit != LEAT_TEXT_EMIT_COUNT)
    leat_regex_scan_add_write (recorder, source, &parts);
  leat_regex_scan_add_advance (recorder, source, &parts);
  if (self->regex->wants_plain_ends)
    leat_regex_scan_add_returns (recorder, source, &parts);
}
