/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the areas in which a block does its neighbours' items again instead of waiting for them, and their shared
 * memory.  Touches the areas, windows and slots of the fuser only. */

#include "leat-fuse-private.h"

/* Units that do items of others again rather than wait for them: "overlapped tiling".
 *
 * At the end of a chain of stencils a tile needs its own items and, the further before the end, the more beside them.
 * So a block does them all, from data that nobody in the area writes, and hands on the results in shared memory.  N
 * stages of stencil:1 take N items more to either side in the first of them, and nobody waits for another block.  The
 * same numbers are computed from the same numbers, so that results are the same too.
 *
 * It is done where every unit of an area goes item by item over the same items, and what they hand on is written by
 * one of them and used as NAME[...] alone; where no more than half of a tile is done again to either side; and where
 * shared memory is enough.  Else they wait (leat-fuse-neighbours.c). */

#define LEAT_WINDOW_MOST_BYTES 16384

static LeatFuseStage *
leat_fuser_at (LeatFuser *self, guint index)
{
  return &g_array_index (self->stages, LeatFuseStage, index);
}

static gboolean
leat_fuser_is_in_area (LeatFuser *self, guint index, guint area)
{
  const LeatFuseStage *stage = leat_fuser_at (self, index);

  return !stage->alone && self->tiles[stage->unit].tiled && self->tiles[stage->unit].area == area;
}

/* A unit that overwrites data which another block may still have to read has to wait for it. */
static gboolean
leat_fuser_overwrites (LeatFuser *self, guint before, guint index)
{
  const LeatOp *a = leat_fuser_at (self, before)->op, *b = leat_fuser_at (self, index)->op;

  for (guint i = 0; i < a->n_touches; i++)
    for (guint k = 0; k < b->n_touches; k++)
      if ((b->touches[k].access & LEAT_ACCESS_WRITE)
          && leat_plan_follow_memory (self->plan, a->touches[i].buffer)
               == leat_plan_follow_memory (self->plan, b->touches[k].buffer))
        return TRUE;
  return FALSE;
}

LeatAccess
leat_stage_get_access (const LeatFuseStage *stage, LeatBufferId id)
{
  LeatAccess access = 0;

  for (guint t = 0; t < stage->op->n_touches; t++)
    access |= stage->op->touches[t].buffer == id ? stage->op->touches[t].access : 0;
  return access;
}

static gboolean
leat_fuser_is_even (LeatFuser *self, guint area)
{
  const LeatFuseStage *first = leat_fuser_at (self, area);
  const LeatOp *a = first->op;

  for (guint i = area; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);

      if (stage->traits.has_shared)
        return FALSE;
      if (leat_fuser_is_in_area (self, i, area)
          && (!leat_fuser_is_per_item (self, stage->unit) || !leat_fuser_has_same_items (self, first, stage)
              || memcmp (a->grid, stage->op->grid, sizeof a->grid) != 0
              || memcmp (a->block, stage->op->block, sizeof a->block) != 0))
        return FALSE;
      for (guint k = area; k < i && leat_fuser_is_in_area (self, i, area); k++)
        if (leat_fuser_is_in_area (self, k, area) && leat_fuser_overwrites (self, k, i))
          return FALSE;
    }
  return a->grid[1] * a->grid[2] * a->block[1] * a->block[2] == 1;
}

/* If a unit reads items of one in an earlier phase, the earlier one does the items around too. */
static void
leat_fuser_widen (LeatFuser *self, guint area, guint index)
{
  const LeatFuseStage *stage = leat_fuser_at (self, index);

  for (guint i = 0; i < index; i++)
    {
      const LeatFuseStage *before = leat_fuser_at (self, i);
      LeatFuseTiles *tiles = &self->tiles[before->unit];

      if (leat_fuser_is_in_area (self, i, area) && before->unit != stage->unit
          && leat_fuser_conflict (self, before->op, stage->op))
        tiles->halo = MAX (tiles->halo, self->tiles[stage->unit].halo + leat_op_get_reach (stage->op));
    }
}

static guint64
leat_fuser_find_halos (LeatFuser *self, guint area)
{
  guint64 most = 0;

  for (guint phase = leat_fuser_count_phases (self); phase-- > 0;)
    for (guint i = 0; i < self->stages->len; i++)
      if (leat_fuser_is_in_area (self, i, area) && leat_fuser_at (self, i)->phase == phase)
        leat_fuser_widen (self, area, i);
  for (guint i = 0; i < self->stages->len; i++)
    if (leat_fuser_is_in_area (self, i, area))
      most = MAX (most, self->tiles[leat_fuser_at (self, i)->unit].halo);
  return most;
}

/* Is a buffer that stage @writer writes made by it alone, and of plain items?  Else nobody may keep it elsewhere. */
static const char *
leat_fuser_get_window_type (LeatFuser *self, guint writer, LeatBufferId id, guint area)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  const char *type = leat_stage_get_type (leat_fuser_at (self, writer), id);
  const LeatOp *op = leat_fuser_at (self, writer)->op;

  if (buffer->spec == NULL || leat_spec_get_items (buffer->spec) > (guint64) op->grid[0] * op->block[0])
    return NULL;
  if (buffer->kind != LEAT_BUFFER_DEVICE || buffer->carried || buffer->is_marks || leat_fuser_has_alias (self, id)
      || leat_stage_get_access (leat_fuser_at (self, writer), id) != LEAT_ACCESS_WRITE)
    return NULL;
  for (guint i = 0; i < self->stages->len && type != NULL; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);
      LeatAccess access = stage->alone ? 0 : leat_stage_get_access (stage, id);

      if (i != writer && ((access & LEAT_ACCESS_WRITE) || (access != 0 && i < writer)))
        return NULL;
      if (access != 0 && leat_fuser_is_in_area (self, i, area)
          && g_strcmp0 (leat_stage_get_type (stage, id), type) != 0)
        return NULL;
    }
  return type;
}

/* Where in the order in which they are written a unit stands; phases come first. */
static guint
leat_fuser_get_turn (LeatFuser *self, guint unit)
{
  return leat_fuser_at (self, unit)->phase * self->stages->len + unit;
}

/* Finds which part of it others need, and until when the area needs it. */
static gboolean
leat_fuser_describe_window (LeatFuser *self, guint writer, LeatBufferId id, guint area, LeatFuseWindow *window)
{
  guint unit = leat_fuser_at (self, writer)->unit;
  gboolean crosses = self->tiles[unit].halo > 0;

  *window = (LeatFuseWindow){ .unit = unit, .is_stored = !leat_fuser_is_inside (self, id) };
  window->until = leat_fuser_get_turn (self, unit);
  for (guint i = 0; i < self->stages->len; i++)
    {
      const LeatFuseStage *stage = leat_fuser_at (self, i);

      if (i == writer || stage->alone || leat_stage_get_access (stage, id) == 0)
        continue;
      if (!leat_fuser_is_in_area (self, i, area))
        window->is_stored = TRUE;
      else if (stage->unit != unit)
        {
          crosses = TRUE;
          window->until = MAX (window->until, leat_fuser_get_turn (self, stage->unit));
        }
    }
  return crosses;
}

/* A slot is free when the last unit that reads it has been left behind, where the threads of the block meet.  A stored
 * window is read there by threads that nobody waits for yet, so its slot stays its own. */
static void
leat_fuser_take_slot (LeatFuser *self, LeatFuseWindow *window, GArray *until)
{
  guint turn = leat_fuser_get_turn (self, window->unit), slot = 0;

  while (slot < until->len && g_array_index (until, guint, slot) >= turn)
    slot++;
  if (slot == until->len)
    g_array_set_size (until, slot + 1);
  g_array_index (until, guint, slot) = window->is_stored ? G_MAXUINT : window->until;
  window->slot = slot + 1;
}

/* By the order in which the units are written. */
static gboolean
leat_fuser_place_windows (LeatFuser *self, guint area, LeatFuseWindow *windows, guint *n_slots)
{
  g_autoptr (GArray) until = g_array_new (FALSE, TRUE, sizeof (guint));
  gboolean good = TRUE;

  for (guint phase = 0; phase < leat_fuser_count_phases (self); phase++)
    for (guint unit = 0; unit < self->stages->len; unit++)
      for (guint i = unit; i < self->stages->len && good; i++)
        {
          const LeatFuseStage *stage = leat_fuser_at (self, i);

          if (!leat_fuser_is_in_area (self, i, area) || stage->phase != phase || stage->unit != unit)
            continue;
          for (guint t = 0; t < stage->op->n_touches && good; t++)
            {
              LeatBufferId id = stage->op->touches[t].buffer;

              if (!(stage->op->touches[t].access & LEAT_ACCESS_WRITE) || leat_fuser_is_kept (self, id)
                  || windows[id].slot > 0 || !leat_fuser_describe_window (self, i, id, area, &windows[id]))
                continue;
              windows[id].type = leat_fuser_get_window_type (self, i, id, area);
              good = windows[id].type != NULL;
              leat_fuser_take_slot (self, &windows[id], until);
            }
        }
  *n_slots = until->len;
  return good;
}

static void
leat_fuser_try_area (LeatFuser *self, guint area)
{
  g_autofree LeatFuseWindow *windows = g_memdup2 (self->windows, self->n_buffers * sizeof *windows);
  guint64 halo = leat_fuser_find_halos (self, area), items = leat_fuser_at (self, area)->op->block[0] + 2 * halo;
  guint n_slots;

  if (halo == 0 || 2 * halo > leat_fuser_at (self, area)->op->block[0]
      || !leat_fuser_place_windows (self, area, windows, &n_slots)
      || n_slots * items * sizeof (guint64) > LEAT_WINDOW_MOST_BYTES)
    return;
  for (guint i = 0; i < self->stages->len; i++)
    if (leat_fuser_is_in_area (self, i, area))
      {
        self->tiles[leat_fuser_at (self, i)->unit].windowed = TRUE;
        self->tiles[leat_fuser_at (self, i)->unit].most_halo = halo;
      }
  memcpy (self->windows, windows, self->n_buffers * sizeof *windows);
  self->n_slots = MAX (self->n_slots, n_slots);
  self->slot_words = MAX (self->slot_words, (guint) items);
}

void
leat_fuser_find_areas (LeatFuser *self)
{
  self->windows = g_new0 (LeatFuseWindow, self->n_buffers + 1);
  for (guint i = 0; i < self->stages->len && !self->call->is_checked; i++)
    if (leat_fuser_is_in_area (self, i, i) && leat_fuser_at (self, i)->unit == i && leat_fuser_is_even (self, i))
      leat_fuser_try_area (self, i);
}

gboolean
leat_fuser_is_dropped (LeatFuser *self, LeatBufferId id)
{
  return leat_fuser_is_kept (self, id)
         || (id < self->n_buffers && self->windows[id].slot > 0 && !self->windows[id].is_stored);
}

gboolean
leat_fuser_has_window (LeatFuser *self, const LeatFuseStage *stage, LeatBufferId id)
{
  const LeatFuseTiles *tiles = &self->tiles[stage->unit];

  return id < self->n_buffers && self->windows[id].slot > 0 && tiles->windowed
         && tiles->area == self->tiles[self->windows[id].unit].area;
}
