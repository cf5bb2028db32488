/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Things that may still be in use by work that was begun and went wrong.  They hold references on the device, so it
 * stays until they are released; a session that is opened or closed on it tries to release them. */

#include "leat-device-object-private.h"

typedef struct
{
  gpointer thing;
  GDestroyNotify release;
} LeatQuarantined;

void
leat_device_quarantine (LeatDevice *self, gpointer thing, GDestroyNotify release)
{
  LeatQuarantined *entry = g_new (LeatQuarantined, 1);

  *entry = (LeatQuarantined){ thing, release };
  g_mutex_lock (&self->lock);
  self->quarantine = g_slist_prepend (self->quarantine, entry);
  g_mutex_unlock (&self->lock);
}

/* To give back what a hung device may still use, its code too, waits for it. */
void
leat_device_release (LeatDevice *self, gpointer thing, GDestroyNotify release)
{
  g_autoptr (LeatDevice) kept = g_object_ref (self);
  gboolean hung = g_atomic_int_get (&kept->is_hung), pushed = !hung && leat_device_push_anyhow (kept);

  if (!pushed && (hung || !leat_device_is_dead (kept)))
    {
      leat_device_quarantine (kept, thing, release);
      return;
    }
  (*release) (thing);
  if (pushed)
    leat_device_pop (kept);
}

/* A context that failed for good runs nothing any more.  One whose work does not end is waited for by nobody. */
static gboolean
leat_device_is_quiet (LeatDevice *self)
{
  CUresult result;

  if (g_atomic_int_get (&self->is_hung))
    return FALSE;
  if (leat_device_is_dead (self))
    return TRUE;
  if (!leat_device_push_anyhow (self))
    return FALSE;
  result = (*self->table->cuCtxSynchronize) ();
  leat_device_pop (self);
  if (result != CUDA_SUCCESS)
    leat_device_set_error (self, NULL, "cuCtxSynchronize", result, "%s", self->id);
  return result == CUDA_SUCCESS || leat_device_is_dead (self);
}

static GSList *
leat_device_take_quarantine (LeatDevice *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return g_steal_pointer (&self->quarantine);
}

static void
leat_device_return_quarantine (LeatDevice *self, GSList *entries)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->quarantine = g_slist_concat (entries, self->quarantine);
}

static void
leat_device_release_all (LeatDevice *self, GSList *entries)
{
  for (GSList *at = entries; at != NULL; at = at->next)
    {
      LeatQuarantined *entry = at->data;

      leat_device_release (self, entry->thing, entry->release);
    }
  g_slist_free_full (entries, g_free);
}

gboolean
leat_device_settle (LeatDevice *self)
{
  g_autoptr (LeatDevice) kept = g_object_ref (self);
  GSList *entries;

  /* Taken before the wait: what comes in during it is not proven to have ended.  And what is released may bring in
   * parts of its own. */
  while ((entries = leat_device_take_quarantine (kept)) != NULL)
    {
      if (!leat_device_is_quiet (kept))
        {
          leat_device_return_quarantine (kept, entries);
          return FALSE;
        }
      leat_device_release_all (kept, entries);
    }
  return TRUE;
}
