/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A binary heap of items that know their places in it, for the scheduler's order.  Touches those places, and nothing
 * else of an item. */

#include "leat-heap-private.h"

void
leat_heap_init (LeatHeap *self, gboolean (*goes_before) (gconstpointer item, gconstpointer other), glong place)
{
  *self = (LeatHeap){ .goes_before = goes_before, .place = place };
}

void
leat_heap_clear (LeatHeap *self)
{
  g_clear_pointer (&self->items, g_ptr_array_unref);
}

gpointer
leat_heap_peek (const LeatHeap *self)
{
  return self->items != NULL && self->items->len > 0 ? self->items->pdata[0] : NULL;
}

static guint *
leat_heap_get_place (const LeatHeap *self, gpointer item)
{
  return (guint *) ((guint8 *) item + self->place);
}

static void
leat_heap_set (LeatHeap *self, guint index, gpointer item)
{
  self->items->pdata[index] = item;
  *leat_heap_get_place (self, item) = index + 1;
}

static gboolean
leat_heap_compare (LeatHeap *self, gconstpointer item, gconstpointer other)
{
  self->looks++;
  return (*self->goes_before) (item, other);
}

/* Returns where it stands then. */
static guint
leat_heap_rise (LeatHeap *self, guint at, gpointer item)
{
  for (; at > 0 && leat_heap_compare (self, item, self->items->pdata[(at - 1) / 2]); at = (at - 1) / 2)
    leat_heap_set (self, at, self->items->pdata[(at - 1) / 2]);
  leat_heap_set (self, at, item);
  return at;
}

static void
leat_heap_sink (LeatHeap *self, guint at, gpointer item)
{
  gpointer *items = self->items->pdata;
  guint child;

  while ((child = 2 * at + 1) < self->items->len)
    {
      if (child + 1 < self->items->len && leat_heap_compare (self, items[child + 1], items[child]))
        child++;
      if (!leat_heap_compare (self, items[child], item))
        break;
      leat_heap_set (self, at, items[child]);
      at = child;
    }
  leat_heap_set (self, at, item);
}

static void
leat_heap_settle (LeatHeap *self, guint at, gpointer item)
{
  if (leat_heap_rise (self, at, item) == at)
    leat_heap_sink (self, at, item);
}

void
leat_heap_put (LeatHeap *self, gpointer item)
{
  guint *place = leat_heap_get_place (self, item);

  if (self->items == NULL)
    self->items = g_ptr_array_new ();
  if (*place == 0)
    {
      g_ptr_array_add (self->items, item);
      *place = self->items->len;
    }
  leat_heap_settle (self, *place - 1, item);
}

void
leat_heap_take (LeatHeap *self, gpointer item)
{
  guint *place = leat_heap_get_place (self, item), at = *place;
  gpointer last;

  if (at == 0)
    return;
  *place = 0;
  last = g_ptr_array_steal_index_fast (self->items, self->items->len - 1);
  if (last != item)
    leat_heap_settle (self, at - 1, last);
}
