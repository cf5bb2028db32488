/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

/* Where buffers lie.  Two buffers that live within a run may share memory when every op that touches the one is surely
 * over before any that touches the other begins; since the ops are ordered already, sharing adds no dependency and
 * takes no parallelism away.  Placement is greedy, largest first, at the lowest offset that is free. */

#define LEAT_ALIGNMENT 256

static guint64
leat_align (guint64 bytes)
{
  return (bytes + LEAT_ALIGNMENT - 1) / LEAT_ALIGNMENT * LEAT_ALIGNMENT;
}

static GPtrArray *
leat_plan_list_users (LeatPlan *self)
{
  GPtrArray *users = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);

  for (guint i = 0; i < self->buffers->len; i++)
    g_ptr_array_add (users, g_array_new (FALSE, FALSE, sizeof (guint)));
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches && !op->elided; t++)
        g_array_append_val ((GArray *) g_ptr_array_index (users, leat_plan_get_root (self, op->touches[t].buffer)->id),
                            op->index);
    }
  return users;
}

static gboolean
leat_plan_all_before (const GArray *first, const GArray *second, const gulong *ancestors, gsize words)
{
  for (guint i = 0; i < first->len; i++)
    for (guint j = 0; j < second->len; j++)
      if (!leat_plan_is_before (ancestors, words, g_array_index (first, guint, i), g_array_index (second, guint, j)))
        return FALSE;
  return TRUE;
}

static int
leat_buffer_compare_sizes (gconstpointer a, gconstpointer b)
{
  const LeatBuffer *first = *(LeatBuffer *const *) a;
  const LeatBuffer *second = *(LeatBuffer *const *) b;

  if (first->bytes != second->bytes)
    return first->bytes < second->bytes ? 1 : -1;
  return first->id < second->id ? -1 : 1;
}

static int
leat_buffer_compare_offsets (gconstpointer a, gconstpointer b)
{
  const LeatBuffer *first = *(LeatBuffer *const *) a;
  const LeatBuffer *second = *(LeatBuffer *const *) b;

  return first->offset < second->offset ? -1 : first->offset > second->offset;
}

static void
leat_plan_place (LeatBuffer *buffer, GPtrArray *placed, GPtrArray *users, const gulong *ancestors, gsize words)
{
  GArray *mine = g_ptr_array_index (users, buffer->id);
  guint64 offset = 0;

  g_ptr_array_sort (placed, leat_buffer_compare_offsets);
  for (guint i = 0; i < placed->len; i++)
    {
      LeatBuffer *other = g_ptr_array_index (placed, i);
      GArray *theirs = g_ptr_array_index (users, other->id);

      if (leat_plan_all_before (mine, theirs, ancestors, words)
          || leat_plan_all_before (theirs, mine, ancestors, words))
        continue;
      if (offset + leat_align (buffer->bytes) > other->offset && offset < other->offset + leat_align (other->bytes))
        offset = other->offset + leat_align (other->bytes);
    }
  buffer->offset = offset;
  g_ptr_array_add (placed, buffer);
}

static void
leat_plan_set_place (LeatPlan *self, LeatBuffer *buffer, GArray *users)
{
  if (buffer->root != buffer->id)
    buffer->place = LEAT_PLACE_ALIAS;
  else if (buffer->kind == LEAT_BUFFER_STAGING)
    buffer->place = LEAT_PLACE_STAGING;
  else
    buffer->place = buffer->kind == LEAT_BUFFER_DEVICE ? LEAT_PLACE_ARENA : LEAT_PLACE_OWN;
  if (users->len > 0)
    {
      buffer->first_op = g_array_index (users, guint, 0);
      buffer->last_op = g_array_index (users, guint, users->len - 1);
    }
}

static void
leat_plan_add_up (LeatPlan *self, GPtrArray *placed)
{
  g_autoptr (GArray) counted = leat_plan_list_counted (self);

  self->arena_bytes = self->own_bytes = self->staging_bytes = 0;
  for (guint i = 0; i < placed->len; i++)
    {
      LeatBuffer *buffer = g_ptr_array_index (placed, i);

      self->arena_bytes = MAX (self->arena_bytes, buffer->offset + leat_align (buffer->bytes));
    }
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if (buffer->place == LEAT_PLACE_OWN)
        self->own_bytes += leat_align (buffer->bytes);
      else if (buffer->place == LEAT_PLACE_STAGING)
        self->staging_bytes += leat_align (buffer->bytes);
    }
  self->staging_bytes += leat_align (counted->len * sizeof (guint64));
}

const LeatBuffer *
leat_plan_find_largest (LeatPlan *self, gboolean staging)
{
  const LeatBuffer *largest = NULL;

  for (guint i = 0; i < self->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if (buffer->place == LEAT_PLACE_ALIAS || (buffer->place == LEAT_PLACE_STAGING) != staging)
        continue;
      if (largest == NULL || buffer->bytes > largest->bytes)
        largest = buffer;
    }
  return largest;
}

/* Gives every buffer its place and sums up what a lane needs. */
void
leat_plan_lay_out (LeatPlan *self)
{
  g_autoptr (GPtrArray) users = leat_plan_list_users (self);
  g_autoptr (GPtrArray) waiting = g_ptr_array_new ();
  g_autoptr (GPtrArray) placed = g_ptr_array_new ();
  g_autofree gulong *ancestors = NULL;
  gsize words;

  ancestors = leat_plan_dup_ancestors (self, &words);
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      leat_plan_set_place (self, buffer, g_ptr_array_index (users, i));
      if (buffer->place == LEAT_PLACE_ARENA)
        g_ptr_array_add (waiting, buffer);
    }
  g_ptr_array_sort (waiting, leat_buffer_compare_sizes);
  for (guint i = 0; i < waiting->len; i++)
    leat_plan_place (g_ptr_array_index (waiting, i), placed, users, ancestors, words);
  leat_plan_add_up (self, placed);
}
