/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "schedule/leat-heap-private.h"

/* Things that are put in, moved and taken out at random: the first is the least of all that are there, as found by
 * looking at each. */

#define N_ITEMS 40

typedef struct
{
  gint key;
  guint place;
} Item;

static gboolean
item_goes_before (gconstpointer item, gconstpointer other)
{
  return ((const Item *) item)->key < ((const Item *) other)->key;
}

static void
check_first (const LeatHeap *heap, const Item *items)
{
  const Item *first = leat_heap_peek (heap);
  gint least = G_MAXINT;

  for (guint i = 0; i < N_ITEMS; i++)
    if (items[i].place > 0)
      least = MIN (least, items[i].key);
  if (least == G_MAXINT)
    g_assert_null (first);
  else
    g_assert_cmpint (first->key, ==, least);
}

static void
test_heap_as_list (void)
{
  LeatHeap heap;
  Item items[N_ITEMS] = { 0 };

  leat_heap_init (&heap, item_goes_before, G_STRUCT_OFFSET (Item, place));
  check_first (&heap, items);
  for (guint step = 0; step < 20000; step++)
    {
      Item *item = &items[g_test_rand_int_range (0, N_ITEMS)];

      if (g_test_rand_int_range (0, 3) > 0)
        {
          item->key = g_test_rand_int_range (0, 100);
          leat_heap_put (&heap, item);
          g_assert_cmpuint (item->place, >, 0);
        }
      else
        {
          leat_heap_take (&heap, item);
          g_assert_cmpuint (item->place, ==, 0);
        }
      check_first (&heap, items);
    }
  leat_heap_clear (&heap);
}

/* In order, and in few comparisons. */
static void
test_heap_sorts (void)
{
  Item items[1024] = { 0 };
  LeatHeap heap;
  gint last = G_MININT;

  leat_heap_init (&heap, item_goes_before, G_STRUCT_OFFSET (Item, place));
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    {
      items[i].key = g_test_rand_int_range (0, 10000);
      leat_heap_put (&heap, &items[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (items); i++)
    {
      Item *first = leat_heap_peek (&heap);

      g_assert_cmpint (first->key, >=, last);
      last = first->key;
      leat_heap_take (&heap, first);
    }
  g_assert_null (leat_heap_peek (&heap));
  /* At most one for each of ten levels on the way up, and two on the way down, and one more that it does not rise. */
  g_assert_cmpuint (heap.looks, <=, G_N_ELEMENTS (items) * (10 + 2 * 10 + 2));
  leat_heap_clear (&heap);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/heap/as-list", test_heap_as_list);
  g_test_add_func ("/leat/heap/sorts", test_heap_sorts);
  return g_test_run ();
}
