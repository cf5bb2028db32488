/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Writes the units of a kernel that go by the blocks of their own grid, "tiles": what they wait for and say, and the
 * areas in which nobody waits (leat-fuse-windows.c). */

#include "leat-fuse-writer-private.h"

static const char *
leat_fuse_writer_get_words (LeatFuseWriter *self)
{
  return leat_fuse_writer_get_items (self, self->fuser->words);
}

static void
leat_fuse_writer_write_waits (LeatFuseWriter *self, guint unit)
{
  gboolean any = FALSE;

  for (guint i = 0; i < self->fuser->waits->len; i++)
    {
      const LeatFuseWait *wait = &g_array_index (self->fuser->waits, LeatFuseWait, i);

      if (wait->unit != unit)
        continue;
      leat_kernel_fuse_add_wait (self->text, leat_fuse_writer_get_words (self), self->fuser->tiles[wait->on].first_word,
                                 wait->blocks);
      any = TRUE;
    }
  if (any)
    leat_kernel_fuse_add_meeting (self->text);
}

/* The unit with the most tiles: whoever has a tile of another one has one of it. */
static void
leat_fuse_writer_begin_turns (LeatFuseWriter *self)
{
  guint most = 0, word = 0;

  for (guint i = 0; i < self->fuser->stages->len; i++)
    {
      const LeatFuseTiles *tiles = &self->fuser->tiles[i];
      const LeatOp *op = g_array_index (self->fuser->stages, LeatFuseStage, i).op;
      guint n = tiles->told ? leat_op_count_blocks (op) : 0;

      word = n > most ? tiles->first_word : word;
      most = MAX (most, n);
    }
  if (most > 0)
    leat_kernel_fuse_begin_turns (self->text, leat_fuse_writer_get_words (self), word, most);
}

void
leat_fuse_writer_begin_tiles (LeatFuseWriter *self)
{
  if (self->fuser->n_slots > 0)
    leat_fuse_writer_state (self, "__shared__ uint64_t leat_cells[%u][%u];", self->fuser->n_slots,
                            self->fuser->slot_words);
  leat_fuse_writer_begin_turns (self);
}

static void
leat_fuse_writer_write_tile_items (LeatFuseWriter *self, guint unit)
{
  g_autofree char *n = leat_fuse_writer_dup_items (self, &g_array_index (self->fuser->stages, LeatFuseStage, unit));

  leat_kernel_fuse_begin_tile_items (self->text, n, 0);
  leat_fuse_writer_declare_locals (self, unit);
  leat_fuse_writer_write_calls (self, unit, TRUE);
  leat_kernel_fuse_end_tile_items (self->text);
}

void
leat_fuse_writer_write_tiles (LeatFuseWriter *self, guint unit)
{
  const LeatOp *op = g_array_index (self->fuser->stages, LeatFuseStage, unit).op;
  const LeatFuseTiles *tiles = &self->fuser->tiles[unit];

  leat_kernel_fuse_begin_tile (self->text, op->grid, op->block);
  leat_fuse_writer_write_waits (self, unit);
  leat_fuse_writer_begin_marks (self, unit);
  if (leat_fuser_is_per_item (self->fuser, unit))
    leat_fuse_writer_write_tile_items (self, unit);
  else
    {
      leat_kernel_fuse_begin_blocks (self->text, op->grid, op->block);
      if (self->fuser->turns_of[unit] > 0)
        leat_kernel_fuse_add_local (self->text, "uint64_t", "leat_wrong");
      leat_fuse_writer_write_calls (self, unit, FALSE);
    }
  leat_fuse_writer_end_marks (self, unit);
  if (tiles->told)
    leat_kernel_fuse_add_tell (self->text, leat_fuse_writer_get_words (self), tiles->first_word);
  leat_kernel_fuse_end (self->text);
}

/* Stores the part of shared memory that is needed elsewhere: the tile's own items. */
static void
leat_fuse_writer_store_windows (LeatFuseWriter *self, guint unit)
{
  const LeatFuser *fuser = self->fuser;
  const LeatOp *op = g_array_index (fuser->stages, LeatFuseStage, unit).op;
  g_autofree char *n = leat_fuse_writer_dup_items (self, &g_array_index (fuser->stages, LeatFuseStage, unit));

  for (guint id = 0; id < fuser->n_buffers; id++)
    if (fuser->windows[id].slot > 0 && fuser->windows[id].is_stored && fuser->windows[id].unit == unit)
      leat_fuse_writer_state (
        self,
        "    for (uint64_t i = (uint64_t) leat_tile * %uu + threadIdx.x; i < %s && i < (uint64_t) "
        "(leat_tile + 1) * %uu; i += blockDim.x) ((%s *) %s)[i] = ((%s *) leat_cells[%u])"
        "[(unsigned int) i - leat_first];",
        op->block[0], n, op->block[0], fuser->windows[id].type, leat_fuse_writer_get_items (self, id),
        fuser->windows[id].type, fuser->windows[id].slot - 1);
}

static void
leat_fuse_writer_write_area_unit (LeatFuseWriter *self, guint unit)
{
  g_autofree char *n = leat_fuse_writer_dup_items (self, &g_array_index (self->fuser->stages, LeatFuseStage, unit));

  leat_kernel_fuse_begin_tile_items (self->text, n, (guint) self->fuser->tiles[unit].halo);
  leat_fuse_writer_declare_locals (self, unit);
  leat_fuse_writer_write_calls (self, unit, TRUE);
  leat_kernel_fuse_end_tile_items (self->text);
  leat_kernel_fuse_add_meeting (self->text);
  leat_fuse_writer_store_windows (self, unit);
}

void
leat_fuse_writer_write_area (LeatFuseWriter *self, guint area)
{
  const LeatFuser *fuser = self->fuser;
  const LeatOp *op = g_array_index (fuser->stages, LeatFuseStage, area).op;
  guint n_phases = leat_fuser_count_phases (self->fuser);

  leat_kernel_fuse_begin_tile (self->text, op->grid, op->block);
  leat_fuse_writer_state (self, "    const unsigned int leat_first = leat_tile * %uu - %uu;", op->block[0],
                          (guint) fuser->tiles[area].most_halo);
  for (guint phase = 0; phase < n_phases; phase++)
    for (guint i = 0; i < fuser->stages->len; i++)
      {
        const LeatFuseStage *stage = &g_array_index (fuser->stages, LeatFuseStage, i);

        if (stage->unit == i && stage->phase == phase && fuser->tiles[i].windowed && fuser->tiles[i].area == area)
          leat_fuse_writer_write_area_unit (self, i);
      }
  leat_kernel_fuse_end (self->text);
}
