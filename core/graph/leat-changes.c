/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-changes-private.h"

#include <pthread.h>

struct _LeatChanges
{
  pthread_mutex_t lock; /* pthread's own, because the thread sanitizer knows it */
  GPtrArray *nodes;     /* LeatNode, not owned: the pipeline holds them while a session is open */
  gint there;           /* atomic */
};

LeatChanges *
leat_changes_new (void)
{
  LeatChanges *self = g_new0 (LeatChanges, 1);

  pthread_mutex_init (&self->lock, NULL);
  self->nodes = g_ptr_array_sized_new (16);
  return self;
}

void
leat_changes_free (LeatChanges *self)
{
  pthread_mutex_destroy (&self->lock);
  g_ptr_array_unref (self->nodes);
  g_free (self);
}

void
leat_changes_lock (LeatChanges *self)
{
  pthread_mutex_lock (&self->lock);
}

void
leat_changes_unlock (LeatChanges *self)
{
  pthread_mutex_unlock (&self->lock);
}

gboolean
leat_changes_are_there (LeatChanges *self)
{
  return g_atomic_int_get (&self->there);
}

void
leat_changes_note (LeatChanges *self, LeatNode *node)
{
  if (!g_ptr_array_find (self->nodes, node, NULL))
    g_ptr_array_add (self->nodes, node);
  g_atomic_int_set (&self->there, TRUE);
}

guint
leat_changes_get_n (LeatChanges *self)
{
  return self->nodes->len;
}

LeatNode *
leat_changes_get (LeatChanges *self, guint index)
{
  return g_ptr_array_index (self->nodes, index);
}

void
leat_changes_clear (LeatChanges *self)
{
  g_ptr_array_set_size (self->nodes, 0);
  g_atomic_int_set (&self->there, FALSE);
}
