/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory that a thread allocates ahead of its use.  All of it goes to the device's pool, where any allocation finds
 * it. */

#include "leat-reserve-private.h"

#include "driver/leat-thread-private.h"

typedef struct
{
  LeatMemoryKind kind;
  guint64 bytes;
} LeatReserved;

struct _LeatReserve
{
  LeatDevice *device;
  GArray *list;
  GThread *thread; /* NULL before it is begun, and where there is nothing to do */
  gint done;       /* atomic */
};

LeatReserve *
leat_reserve_new (LeatDevice *device)
{
  LeatReserve *self = g_new0 (LeatReserve, 1);

  self->device = g_object_ref (device);
  self->list = g_array_new (FALSE, FALSE, sizeof (LeatReserved));
  return self;
}

void
leat_reserve_add (LeatReserve *self, LeatMemoryKind kind, guint64 bytes)
{
  const LeatReserved reserved = { kind, bytes };

  g_array_append_val (self->list, reserved);
}

/* All is there before any of it goes to the pool: blocks of one size would be the same block otherwise. */
static gpointer
leat_reserve_allocate (gpointer data)
{
  LeatReserve *self = data;
  g_autoptr (GPtrArray) blocks = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_memory_free);
  gboolean good = TRUE;

  for (guint i = 0; i < self->list->len && good; i++)
    {
      const LeatReserved *reserved = &g_array_index (self->list, LeatReserved, i);
      LeatMemory *memory = leat_memory_new (self->device, reserved->kind, reserved->bytes, "what will be needed", NULL);

      good = memory != NULL;
      if (good)
        g_ptr_array_add (blocks, memory);
    }
  g_ptr_array_set_size (blocks, 0);
  g_atomic_int_set (&self->done, TRUE);
  return NULL;
}

void
leat_reserve_begin (LeatReserve *self)
{
  if (self->list->len > 0)
    self->thread = leat_thread_start ("leat-reserve", leat_reserve_allocate, self, NULL);
  /* Without one it is made when it is needed. */
  if (self->thread == NULL)
    g_atomic_int_set (&self->done, TRUE);
}

gboolean
leat_reserve_is_done (LeatReserve *self)
{
  return g_atomic_int_get (&self->done);
}

void
leat_reserve_free (LeatReserve *self)
{
  if (self->thread != NULL)
    g_thread_join (self->thread);
  g_array_unref (self->list);
  g_object_unref (self->device);
  g_free (self);
}
