/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds which blocks of one unit wait for which of another, so that not all of them meet at a barrier.  Touches the
 * tiles and waits of the fuser only. */

#include "leat-fuse-private.h"

/* Which units of one kernel wait for blocks of which others.
 *
 * A unit that waits, or is waited for, goes by the blocks of its own grid, "tiles": a block of the launch does each
 * tile whose number is its own, or that and a multiple of the number of blocks.  Tiles of units with grids of one size
 * are so always done by the same block.  When it is done with one, it says so in a word of the unit's and of the tile;
 * who waits looks at the words of the tiles around its own.
 *
 * Nobody waits in a circle: a block does its units phase by phase, all its tiles of one before the first of the next,
 * and waits only for tiles of earlier phases.  All blocks run at once (the launch is cooperative), so the tiles of the
 * first phase are done some time, and by them those of the next.
 *
 * The words need not be cleared.  Every tile says that it is done once in every launch, by the number of the launch;
 * which that is, a block reads from the word of a tile of its own, which nobody else writes.  Launches with the same
 * words are one after the other. */

static LeatFuseStage *
leat_fuser_at (LeatFuser *self, guint index)
{
  return &g_array_index (self->stages, LeatFuseStage, index);
}

static LeatFuseWait *
leat_fuser_get_wait (GArray *waits, guint index)
{
  return &g_array_index (waits, LeatFuseWait, index);
}

static LeatFuseWait *
leat_fuser_find_wait (LeatFuser *self, guint unit, guint on)
{
  for (guint i = 0; i < self->waits->len; i++)
    if (leat_fuser_get_wait (self->waits, i)->unit == unit && leat_fuser_get_wait (self->waits, i)->on == on)
      return leat_fuser_get_wait (self->waits, i);
  return NULL;
}

static void
leat_fuser_add_wait (LeatFuser *self, guint unit, guint on, const LeatBorder *border)
{
  LeatFuseWait *wait = leat_fuser_find_wait (self, unit, on);
  LeatFuseWait one = { unit, on, { border->blocks[0], border->blocks[1], border->blocks[2] } };

  if (wait == NULL)
    g_array_append_val (self->waits, one);
  for (guint axis = 0; axis < 3 && wait != NULL; axis++)
    wait->blocks[axis] = MAX (wait->blocks[axis], border->blocks[axis]);
}

static void
leat_fuser_connect (LeatFuser *self, guint one, guint other)
{
  guint from = MAX (self->tiles[one].area, self->tiles[other].area);
  guint to = MIN (self->tiles[one].area, self->tiles[other].area);

  for (guint i = 0; i < self->stages->len; i++)
    if (self->tiles[i].area == from)
      self->tiles[i].area = to;
}

static void
leat_fuser_relate (LeatFuser *self, guint before, guint index)
{
  const LeatFuseStage *a = leat_fuser_at (self, before), *b = leat_fuser_at (self, index);
  LeatBorder border;

  if (a->alone || b->alone || a->layer != b->layer || a->unit == b->unit || !leat_fuser_conflict (self, a->op, b->op))
    return;
  self->tiles[a->unit].tiled = self->tiles[b->unit].tiled = TRUE;
  leat_fuser_connect (self, a->unit, b->unit);
  border = leat_fuser_find_border (self, a, b);
  if (border.kind == LEAT_BORDER_NEIGHBOURS)
    leat_fuser_add_wait (self, b->unit, a->unit, &border);
}

static gboolean
leat_fuser_has_same_grid (LeatFuser *self, guint unit, guint other)
{
  const LeatOp *a = leat_fuser_at (self, unit)->op, *b = leat_fuser_at (self, other)->op;

  return memcmp (a->grid, b->grid, sizeof a->grid) == 0 && memcmp (a->block, b->block, sizeof a->block) == 0;
}

/* Has whoever a unit has come behind, its own block in an earlier phase or one that it waits for, waited for it
 * already?  What a block has seen before it says that it is done is seen by who waits for it. */
static gboolean
leat_fuser_implies_wait (LeatFuser *self, const LeatFuseWait *wait)
{
  for (guint i = 0; i < self->waits->len; i++)
    {
      const LeatFuseWait *first = leat_fuser_get_wait (self->waits, i), *then;
      gboolean enough = first->on == wait->on && first->unit != wait->unit
                        && leat_fuser_at (self, first->unit)->phase < leat_fuser_at (self, wait->unit)->phase
                        && leat_fuser_has_same_grid (self, first->unit, wait->unit);

      if (!enough)
        continue;
      then = leat_fuser_find_wait (self, wait->unit, first->unit);
      for (guint axis = 0; axis < 3; axis++)
        enough = enough && first->blocks[axis] + (then != NULL ? then->blocks[axis] : 0) >= wait->blocks[axis];
      if (enough)
        return TRUE;
    }
  return FALSE;
}

static void
leat_fuser_prune_waits (LeatFuser *self)
{
  GArray *left = g_array_new (FALSE, FALSE, sizeof (LeatFuseWait));

  for (guint i = 0; i < self->waits->len; i++)
    if (!self->tiles[leat_fuser_get_wait (self->waits, i)->unit].windowed
        && !leat_fuser_implies_wait (self, leat_fuser_get_wait (self->waits, i)))
      g_array_append_val (left, *leat_fuser_get_wait (self->waits, i));
  g_array_unref (self->waits);
  self->waits = left;
}

guint
leat_op_count_blocks (const LeatOp *op)
{
  return op->grid[0] * op->grid[1] * op->grid[2];
}

void
leat_fuser_find_waits (LeatFuser *self)
{
  self->waits = g_array_new (FALSE, FALSE, sizeof (LeatFuseWait));
  self->tiles = g_new0 (LeatFuseTiles, self->stages->len + 1);
  for (guint i = 0; i < self->stages->len; i++)
    self->tiles[i].area = i;
  for (guint i = 1; i < self->stages->len; i++)
    for (guint k = 0; k < i; k++)
      leat_fuser_relate (self, k, i);
  leat_fuser_find_areas (self);
  leat_fuser_prune_waits (self);
  for (guint i = 0; i < self->waits->len; i++)
    {
      guint on = leat_fuser_get_wait (self->waits, i)->on;
      LeatFuseTiles *tiles = &self->tiles[on];

      if (!tiles->told)
        {
          tiles->told = TRUE;
          tiles->first_word = self->n_words;
          self->n_words += leat_op_count_blocks (leat_fuser_at (self, on)->op);
        }
    }
}
