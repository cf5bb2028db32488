/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Constants that sessions of the process share where device and bytes are the same.  Touches the process's table of
 * them, under its lock. */

#include "leat-shared-constants-private.h"

#include "plan/leat-recorder.h"
#include "graph/leat-endpoint.h"

#include <xxhash.h>

struct _LeatShared
{
  guint refs;
  LeatDevice *device; /* not owned: the memory has it */
  LeatMemory *memory;
  GBytes *contents;
  gboolean header;
  guint64 hash;
  gboolean known; /* others may find it */
};

static GMutex leat_shared_lock;    /* of all below, and of all that is in it */
static GPtrArray *leat_shared_all; /* LeatShared, not owned */

/* The hash finds it, the bytes decide. */
static gboolean
leat_shared_is (const LeatShared *self, LeatDevice *device, GBytes *contents, gboolean header, guint64 hash)
{
  return self->hash == hash && self->device == device && self->header == header
         && g_bytes_equal (self->contents, contents);
}

/* Under the lock. */
static LeatShared *
leat_shared_look_up (LeatDevice *device, GBytes *contents, gboolean header, guint64 hash)
{
  for (guint i = 0; leat_shared_all != NULL && i < leat_shared_all->len; i++)
    {
      LeatShared *shared = g_ptr_array_index (leat_shared_all, i);

      if (!leat_shared_is (shared, device, contents, header, hash))
        continue;
      shared->refs++;
      return shared;
    }
  return NULL;
}

static LeatShared *
leat_shared_find (LeatDevice *device, GBytes *contents, gboolean header, guint64 hash)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_shared_lock);

  return leat_shared_look_up (device, contents, header, hash);
}

/* NULL; or another thread was faster with the same, and this is to be used. */
static LeatShared *
leat_shared_publish (LeatShared *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_shared_lock);
  LeatShared *other = leat_shared_look_up (self->device, self->contents, self->header, self->hash);

  if (other != NULL)
    return other;
  if (leat_shared_all == NULL)
    leat_shared_all = g_ptr_array_new ();
  g_ptr_array_add (leat_shared_all, self);
  self->known = TRUE;
  return NULL;
}

static gboolean
leat_shared_write (LeatShared *self, guint64 count, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (self->contents, &size);

  return (size == 0 || leat_memory_write (self->memory, self->header ? LEAT_BUFFER_HEADER : 0, data, size, error))
         && (!self->header || leat_memory_write (self->memory, 0, &count, sizeof count, error));
}

/* Not under the lock: to find room, memory may make others give back what they have here. */
static LeatShared *
leat_shared_new (LeatDevice *device, LeatMemoryAccount *account, GBytes *contents, gboolean header, guint64 count,
                 const char *what, GError **error)
{
  guint64 bytes = g_bytes_get_size (contents) + (header ? LEAT_BUFFER_HEADER : 0);
  LeatMemory *memory =
    leat_memory_new_in (account, LEAT_MEMORY_CONSTANT, device, LEAT_MEMORY_DEVICE, bytes, what, error);
  LeatShared *self;

  if (memory == NULL)
    return NULL;
  self = g_new0 (LeatShared, 1);
  self->refs = 1;
  self->device = device;
  self->memory = memory;
  self->contents = g_bytes_ref (contents);
  self->header = header;
  if (leat_shared_write (self, count, error))
    return self;
  leat_shared_unref (self);
  return NULL;
}

LeatShared *
leat_shared_get (LeatDevice *device, LeatMemoryAccount *account, GBytes *contents, gboolean header, guint64 count,
                 const char *what, gboolean *was_there, gboolean *was_lost, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (contents, &size);
  guint64 hash = XXH3_64bits (data, size);
  LeatShared *shared = leat_shared_find (device, contents, header, hash), *other;

  *was_there = shared != NULL;
  *was_lost = FALSE;
  if (shared != NULL)
    return shared;
  shared = leat_shared_new (device, account, contents, header, count, what, error);
  if (shared == NULL)
    return NULL;
  shared->hash = hash;
  other = leat_shared_publish (shared);
  if (other == NULL)
    return shared;
  *was_there = *was_lost = TRUE;
  leat_shared_unref (shared);
  return other;
}

gboolean
leat_shared_is_there (LeatDevice *device, GBytes *contents, gboolean header)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (contents, &size);
  LeatShared *shared = leat_shared_find (device, contents, header, XXH3_64bits (data, size));

  if (shared != NULL)
    leat_shared_unref (shared);
  return shared != NULL;
}

static gboolean
leat_shared_forget (LeatShared *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_shared_lock);

  if (--self->refs > 0)
    return FALSE;
  if (self->known)
    g_ptr_array_remove_fast (leat_shared_all, self);
  if (leat_shared_all != NULL && leat_shared_all->len == 0)
    g_clear_pointer (&leat_shared_all, g_ptr_array_unref);
  return TRUE;
}

void
leat_shared_unref (LeatShared *self)
{
  if (!leat_shared_forget (self))
    return;
  leat_memory_free (self->memory);
  g_bytes_unref (self->contents);
  g_free (self);
}

LeatMemory *
leat_shared_get_memory (LeatShared *self)
{
  return self->memory;
}

gboolean
leat_shared_take_out (LeatShared *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_shared_lock);

  if (self->refs > 1)
    return FALSE;
  if (self->known)
    g_ptr_array_remove_fast (leat_shared_all, self);
  self->known = FALSE;
  return TRUE;
}
