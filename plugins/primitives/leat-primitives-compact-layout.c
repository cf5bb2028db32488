/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The numbers of one `compact`: threads, rows of a tile, blocks, bytes of memory.  They follow from its rows and
 * columns; no device is asked. */

#include "leat-primitives-compact-layout.h"

#define LEAT_COMPACT_THREADS       512
#define LEAT_COMPACT_THREADS_MANY  768
#define LEAT_COMPACT_MANY          ((guint64) 1 << 23) /* rows; beyond them more warps are quicker than more blocks */
#define LEAT_COMPACT_FIXED_WORDS   48                  /* COMPACT_SETS in kernels/compact.cu */
#define LEAT_COMPACT_LOADED_BYTES  64                  /* that a thread has under way for the next tile */
#define LEAT_COMPACT_LOADED_ROWS   32
#define LEAT_COMPACT_TILE_BYTES    131072 /* of rows that one block copies at most, where there are larger ones too */
#define LEAT_COMPACT_SMALL_TILES   32     /* below that many, smaller ones that more multiprocessors share */
#define LEAT_COMPACT_BITS_PER_LOAD 16
#define LEAT_COMPACT_PUT_LOOKED_AT 8 /* bytes of a row, so that a thread has room for all of its rows */
#define LEAT_COMPACT_PUT_KEPT      64

static void
leat_compact_column_free (gpointer data)
{
  LeatCompactColumn *self = data;

  g_free (self->name);
  g_free (self->output);
  g_free (self);
}

LeatCompactLayout *
leat_compact_layout_new (void)
{
  LeatCompactLayout *self = g_new0 (LeatCompactLayout, 1);

  self->columns = g_ptr_array_new_with_free_func (leat_compact_column_free);
  self->number_bytes = sizeof (guint32);
  return self;
}

void
leat_compact_layout_free (LeatCompactLayout *self)
{
  g_ptr_array_unref (self->columns);
  g_free (self->numbers);
  g_free (self->predicate);
  g_strfreev (self->args);
  g_free (self);
}

LeatCompactColumn *
leat_compact_layout_add (LeatCompactLayout *self, const char *name)
{
  LeatCompactColumn *column = g_new0 (LeatCompactColumn, 1);

  column->name = g_strdup (name);
  g_ptr_array_add (self->columns, column);
  return column;
}

LeatCompactColumn *
leat_compact_layout_get (const LeatCompactLayout *self, guint index)
{
  return g_ptr_array_index (self->columns, index);
}

const char *
leat_compact_get_word (guint64 row_bytes, guint64 *words)
{
  static const struct
  {
    guint bytes;
    const char *name;
  } types[] = { { 16, "uint4" }, { 8, "uint64_t" }, { 4, "uint32_t" }, { 2, "uint16_t" }, { 1, "uint8_t" } };
  guint i = 0;

  while (row_bytes % types[i].bytes != 0)
    i++;
  *words = row_bytes / types[i].bytes;
  return types[i].name;
}

/* Only an item that was loaded for the predicate is at hand to be staged, and only one of it. */
static gboolean
leat_compact_layout_may_stage_items (const LeatCompactLayout *self)
{
  guint n_kept = 0;
  gboolean looked_at = FALSE;

  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);

      n_kept += column->output != NULL;
      looked_at = looked_at || (column->output != NULL && column->looked_at);
    }
  return n_kept == 1 && looked_at && self->numbers == NULL;
}

/* A row that is kept is stored by the thread that has looked at it: all that belongs to it is a word or what was loaded
 * already. */
static gboolean
leat_compact_layout_may_put (const LeatCompactLayout *self, guint64 looked_at, guint64 kept)
{
  for (guint i = 0; i < self->columns->len; i++)
    {
      guint64 words;

      leat_compact_get_word (leat_compact_layout_get (self, i)->row_bytes, &words);
      if (words != 1)
        return FALSE;
    }
  return self->by != LEAT_COMPACT_BY_BITS && looked_at <= LEAT_COMPACT_PUT_LOOKED_AT && kept <= LEAT_COMPACT_PUT_KEPT;
}

/* Bytes that the predicate looks at, of a row in all and of its largest item, which has 8 at most, and one where
 * nothing is looked at; and those of a row that are kept. */
static void
leat_compact_layout_measure (const LeatCompactLayout *self, guint64 *looked_at, guint64 *largest, guint64 *kept)
{
  *looked_at = *kept = 0;
  *largest = 1;
  for (guint i = 0; i < self->columns->len; i++)
    {
      const LeatCompactColumn *column = leat_compact_layout_get (self, i);

      *looked_at += column->looked_at && self->by != LEAT_COMPACT_BY_BITS ? column->row_bytes : 0;
      *largest = column->looked_at ? MAX (*largest, column->row_bytes) : *largest;
      *kept += column->output != NULL ? column->row_bytes : 0;
    }
}

/* The quickest of many shapes on an H200 (tests/bench/peers/select.cu). */
static gboolean
leat_compact_layout_choose_few (LeatCompactLayout *self, guint64 looked_at, guint64 kept)
{
  static const struct
  {
    guint64 most;
    guint threads, runs, cluster;
  } shapes[] = {
    { 1024, 256, 4, 1 },  { 4096, 256, 2, 8 },   { 16384, 256, 4, 1 },
    { 65536, 512, 4, 1 }, { 262144, 512, 8, 1 }, { 1048576, 512, 16, 1 },
  };
  guint i = 0;

  while (i < G_N_ELEMENTS (shapes) && self->most > shapes[i].most)
    i++;
  self->few = i < G_N_ELEMENTS (shapes) && leat_compact_layout_may_put (self, looked_at, kept);
  self->cluster = self->few ? shapes[i].cluster : 1;
  if (!self->few)
    return FALSE;
  self->pack = 1;
  self->threads = shapes[i].threads;
  self->runs = shapes[i].runs;
  return TRUE;
}

/* Threads of large blocks have 40 registers: enough where they look at one column, a few rows of it at once, and stage
 * its items. */
static guint
leat_compact_layout_choose_threads (const LeatCompactLayout *self)
{
  gboolean one = self->columns->len == 1 && self->stages_items && self->pack <= 4;

  return one && self->most > LEAT_COMPACT_MANY ? LEAT_COMPACT_THREADS_MANY : LEAT_COMPACT_THREADS;
}

/* Long enough tiles to hide how long it takes to know their place, and short enough for several to be at work. */
void
leat_compact_layout_choose (LeatCompactLayout *self)
{
  guint64 looked_at, largest, kept;

  leat_compact_layout_measure (self, &looked_at, &largest, &kept);
  self->stages_items = leat_compact_layout_may_stage_items (self);
  if (leat_compact_layout_choose_few (self, looked_at, kept))
    return;
  self->pack = self->by == LEAT_COMPACT_BY_BITS ? LEAT_COMPACT_BITS_PER_LOAD : (guint) (16 / largest);
  self->threads = leat_compact_layout_choose_threads (self);
  self->runs = 4;
  while (self->runs > 1
         && (looked_at * self->pack * self->runs > LEAT_COMPACT_LOADED_BYTES
             || self->pack * self->runs > LEAT_COMPACT_LOADED_ROWS))
    self->runs /= 2;
  /* One tile needs to wait for no other. */
  while (self->runs > 1 && leat_compact_layout_get_tiles (self) > 1
         && leat_compact_layout_get_tiles (self) < LEAT_COMPACT_SMALL_TILES)
    self->runs /= 2;
  while (self->threads > 64 && kept > 64 && kept * leat_compact_layout_get_tile (self) > LEAT_COMPACT_TILE_BYTES)
    if (self->runs > 1)
      self->runs /= 2;
    else
      self->threads /= 2;
}

guint64
leat_compact_layout_get_tile (const LeatCompactLayout *self)
{
  return (guint64) self->threads * self->pack * self->runs;
}

guint64
leat_compact_layout_get_tiles (const LeatCompactLayout *self)
{
  guint64 tile = leat_compact_layout_get_tile (self);

  return self->most / tile + (self->most % tile != 0);
}

guint
leat_compact_layout_get_shared_bytes (const LeatCompactLayout *self)
{
  guint64 item = sizeof (guint16);

  if (self->few)
    return 0;
  for (guint i = 0; i < self->columns->len && self->stages_items; i++)
    if (leat_compact_layout_get (self, i)->output != NULL)
      item = leat_compact_layout_get (self, i)->row_bytes;
  return (guint) (2 * leat_compact_layout_get_tile (self) * item + 16);
}

guint
leat_compact_layout_get_blocks (const LeatCompactLayout *self, guint most)
{
  guint64 tiles = leat_compact_layout_get_tiles (self);

  return self->cluster > 1 ? self->cluster : (guint) CLAMP (tiles, 1, most);
}

/* A cluster has all of its blocks where there are no clusters too, and each tells what it keeps, be it nothing. */
guint64
leat_compact_layout_get_set_words (const LeatCompactLayout *self)
{
  return MAX (leat_compact_layout_get_tiles (self), self->cluster);
}

/* Two sets whatever the shape: one run's and those of the run before, which kernels/compact-few.cu alone does without,
 * and that is not what a CPU runs. */
guint64
leat_compact_layout_get_control_bytes (const LeatCompactLayout *self)
{
  return (LEAT_COMPACT_FIXED_WORDS + 2 * leat_compact_layout_get_set_words (self)) * sizeof (guint64);
}
