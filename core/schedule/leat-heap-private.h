/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A binary heap of things that know where in it they are, so that each can be moved or taken out in as many steps as
 * the heap is deep.  A thing is in one heap at the most for each place that it has. */
typedef struct
{
  GPtrArray *items; /* NULL before the first */
  gboolean (*goes_before) (gconstpointer item, gconstpointer other);
  glong place;   /* in an item: guint, its index + 1, and 0 while it is in none */
  guint64 looks; /* how often two items were compared */
} LeatHeap;

void leat_heap_init (LeatHeap *self, gboolean (*goes_before) (gconstpointer item, gconstpointer other), glong place);
void leat_heap_clear (LeatHeap *self);
/* The one that no other goes before; NULL where there is none. */
gpointer leat_heap_peek (const LeatHeap *self);
/* To where it belongs now, whether it is in there or not. */
void leat_heap_put (LeatHeap *self, gpointer item);
/* Where it is not in there, nothing. */
void leat_heap_take (LeatHeap *self, gpointer item);

G_END_DECLS
