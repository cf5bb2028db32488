/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory that outlives one plan of a session, found again by kind, name and size, and arenas by size.  Touches the
 * blocks of one session, under the store's lock. */

#include "leat-store-private.h"
#include "graph/leat-endpoint.h"

struct _LeatStore
{
  gatomicrefcount refs;
  LeatDevice *device;
  LeatMemoryAccount *account;
  LeatStore *beside;  /* NULL, or whose state is used */
  LeatStore *commons; /* NULL, or whose largest arena is used */
  GMutex lock;        /* of all below, and of how often each block is referred to */
  GHashTable *blocks; /* by key; LeatBlock, which takes itself out when it goes */
  GPtrArray *arenas;  /* likewise */
  guint64 round;
  guint64 bytes;
};

LeatStore *
leat_store_new (LeatDevice *device, LeatMemoryAccount *account)
{
  LeatStore *self = g_new0 (LeatStore, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->device = g_object_ref (device);
  self->account = leat_memory_account_ref (account);
  self->blocks = g_hash_table_new (g_str_hash, g_str_equal);
  self->arenas = g_ptr_array_new ();
  return self;
}

LeatStore *
leat_store_new_beside (LeatStore *other)
{
  LeatStore *self = leat_store_new (other->device, other->account);

  self->beside = leat_store_ref (other);
  return self;
}

LeatStore *
leat_store_ref (LeatStore *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_store_unref (LeatStore *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->beside, leat_store_unref);
  g_clear_pointer (&self->commons, leat_store_unref);
  g_hash_table_unref (self->blocks);
  g_ptr_array_unref (self->arenas);
  g_mutex_clear (&self->lock);
  leat_memory_account_unref (self->account);
  g_object_unref (self->device);
  g_free (self);
}

LeatMemoryAccount *
leat_store_get_account (LeatStore *self)
{
  return self->account;
}

void
leat_store_begin_round (LeatStore *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (self->beside != NULL)
    leat_store_begin_round (self->beside);
  self->round++;
}

guint64
leat_store_get_bytes (LeatStore *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  return self->bytes;
}

static void
leat_store_note (LeatStore *self, LeatBlock *block)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  block->user = self->round;
  self->bytes += block->was_there ? 0 : leat_memory_get_bytes (block->memory);
  if (block->key != NULL)
    g_hash_table_insert (self->blocks, block->key, block);
  else
    g_ptr_array_add (self->arenas, block);
}

/* Takes @key over.  Not under the lock: to find room, memory may make lanes give back what they have of this store. */
static LeatBlock *
leat_store_add (LeatStore *self, LeatMemoryUse use, LeatMemoryKind kind, guint64 bytes, guint64 zone, const char *what,
                char *key, GError **error)
{
  LeatMemory *memory = leat_memory_new_in (self->account, use, self->device, kind, bytes + zone, what, error);
  LeatBlock *block;

  if (memory == NULL)
    {
      g_free (key);
      return NULL;
    }
  leat_memory_shorten (memory, zone);
  block = g_new0 (LeatBlock, 1);
  block->refs = 1;
  block->store = leat_store_ref (self);
  block->memory = memory;
  block->key = key;
  leat_store_note (self, block);
  return block;
}

/* FALSE: others have it. */
static gboolean
leat_store_forget (LeatStore *self, LeatBlock *block)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  if (--block->refs > 0)
    return FALSE;
  if (block->key != NULL)
    g_hash_table_remove (self->blocks, block->key);
  else
    g_ptr_array_remove (self->arenas, block);
  self->bytes -= block->was_there ? 0 : leat_memory_get_bytes (block->memory);
  return TRUE;
}

LeatBlock *
leat_block_ref (LeatBlock *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->store->lock);

  self->refs++;
  return self;
}

void
leat_block_hold (LeatBlock *self)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->store->lock);

  self->user = self->store->round;
}

void
leat_block_unref (LeatBlock *self)
{
  LeatStore *store = self->store;

  if (!leat_store_forget (store, self))
    return;
  if (self->shared != NULL)
    leat_shared_unref (self->shared);
  else
    leat_memory_free (self->memory);
  g_clear_pointer (&self->contents, g_bytes_unref);
  g_free (self->key);
  g_free (self);
  leat_store_unref (store);
}

/* Under the lock. */
static LeatBlock *
leat_store_lend (LeatStore *self, LeatBlock *block)
{
  block->user = self->round;
  block->refs++;
  return block;
}

/* A constant that others have too is not written again. */
static gboolean
leat_store_may_hold (LeatBlock *block, const LeatBuffer *buffer)
{
  return block->shared == NULL || (block->contents != NULL && g_bytes_equal (block->contents, buffer->initial))
         || leat_shared_take_out (block->shared);
}

/* A state of another type is another one, though it may be as large. */
static guint
leat_store_get_type (const LeatBuffer *buffer)
{
  return buffer->kind == LEAT_BUFFER_STATE && buffer->spec != NULL ? (guint) leat_spec_get_dtype (buffer->spec) : 0;
}

/* Two buffers of one plan may have the same name: the second gets a block of its own.  @key: (transfer full): where
 * there is none, what it is to be found by. */
static LeatBlock *
leat_store_find (LeatStore *self, const LeatBuffer *buffer, char **key)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  for (guint again = 0;; again++)
    {
      g_autofree char *tried = g_strdup_printf ("%u %s %" G_GUINT64_FORMAT " %u %u", buffer->kind, buffer->name,
                                                buffer->bytes, leat_store_get_type (buffer), again);
      LeatBlock *block = g_hash_table_lookup (self->blocks, tried);

      if (block == NULL)
        {
          *key = g_steal_pointer (&tried);
          return NULL;
        }
      if (block->user != self->round && leat_store_may_hold (block, buffer))
        return leat_store_lend (self, block);
    }
}

/* With its contents. */
static LeatBlock *
leat_store_add_constant (LeatStore *self, const LeatBuffer *buffer, char *key, GError **error)
{
  gboolean was_there, was_lost;
  guint64 count = buffer->header ? leat_spec_get_dim (buffer->spec, 0) : 0;
  LeatShared *shared = leat_shared_get (self->device, self->account, buffer->initial, buffer->header, count,
                                        buffer->name, &was_there, &was_lost, error);
  LeatBlock *block;

  if (shared == NULL)
    {
      g_free (key);
      return NULL;
    }
  block = g_new0 (LeatBlock, 1);
  block->refs = 1;
  block->store = leat_store_ref (self);
  block->shared = shared;
  block->was_there = was_there;
  block->was_lost = was_lost;
  block->memory = leat_shared_get_memory (shared);
  block->contents = g_bytes_ref (buffer->initial);
  block->key = key;
  leat_store_note (self, block);
  return block;
}

LeatBlock *
leat_store_get (LeatStore *self, const LeatBuffer *buffer, GError **error)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  gboolean staging = bound->place == LEAT_PLACE_STAGING;
  char *key = NULL;
  LeatBlock *block;

  if (self->beside != NULL && buffer->kind == LEAT_BUFFER_STATE)
    return leat_store_get (self->beside, buffer, error);
  block = leat_store_find (self, buffer, &key);
  if (block != NULL)
    return block;
  if (buffer->kind == LEAT_BUFFER_CONST && bound->place == LEAT_PLACE_OWN && buffer->initial != NULL)
    return leat_store_add_constant (self, buffer, key, error);
  block = leat_store_add (self, buffer->kind == LEAT_BUFFER_CONST ? LEAT_MEMORY_CONSTANT : LEAT_MEMORY_STATE,
                          staging ? LEAT_MEMORY_PINNED : LEAT_MEMORY_DEVICE, buffer->bytes, bound->zone, buffer->name,
                          key, error);
  if (block != NULL && staging)
    memset (leat_memory_get_host (block->memory), 0, buffer->header ? LEAT_BUFFER_HEADER : 0);
  return block;
}

/* One that is far too large would outlive those who need all of it. */
static LeatBlock *
leat_store_find_arena (LeatStore *self, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  for (guint i = 0; i < self->arenas->len; i++)
    {
      LeatBlock *block = g_ptr_array_index (self->arenas, i);
      guint64 room = leat_memory_get_bytes (block->memory);

      if (room >= bytes && room / 2 <= bytes && block->user != self->round)
        return leat_store_lend (self, block);
    }
  return NULL;
}

/* On a GPU it is all zeros at first: small results are brought back with the room behind their rows, where nothing may
 * have been written yet.  Memory of the host is that from the system, and to touch all of it would take long. */
static LeatBlock *
leat_store_add_arena (LeatStore *self, guint64 bytes, GError **error)
{
  LeatBlock *block =
    leat_store_add (self, LEAT_MEMORY_SCRATCH, LEAT_MEMORY_DEVICE, bytes, 0, "the buffers of a lane", NULL, error);

  if (block == NULL || leat_device_is_cpu (self->device) || leat_memory_clear (block->memory, error))
    return block;
  leat_block_unref (block);
  return NULL;
}

LeatBlock *
leat_store_get_arena (LeatStore *self, guint64 bytes, GError **error)
{
  LeatBlock *block = leat_store_find_arena (self, bytes);

  return block != NULL ? block : leat_store_add_arena (self, bytes, error);
}

void
leat_store_set_commons (LeatStore *self, LeatStore *commons)
{
  g_clear_pointer (&self->commons, leat_store_unref);
  self->commons = commons != NULL ? leat_store_ref (commons) : NULL;
}

/* Under the lock. */
static LeatBlock *
leat_store_find_largest_arena (LeatStore *self)
{
  LeatBlock *largest = NULL;

  for (guint i = 0; i < self->arenas->len; i++)
    {
      LeatBlock *block = g_ptr_array_index (self->arenas, i);

      if (largest == NULL || leat_memory_get_bytes (block->memory) > leat_memory_get_bytes (largest->memory))
        largest = block;
    }
  return largest;
}

static LeatBlock *
leat_store_lend_largest_arena (LeatStore *self, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  LeatBlock *block = leat_store_find_largest_arena (self);

  return block != NULL && leat_memory_get_bytes (block->memory) >= bytes ? leat_store_lend (self, block) : NULL;
}

LeatBlock *
leat_store_get_common_arena (LeatStore *self, guint64 bytes, GError **error)
{
  LeatBlock *block;

  if (self->commons == NULL)
    return leat_store_get_arena (self, bytes, error);
  block = leat_store_lend_largest_arena (self->commons, bytes);
  return block != NULL ? block : leat_store_add_arena (self->commons, bytes, error);
}

gboolean
leat_store_has_common_arena (LeatStore *self, const LeatBlock *arena)
{
  g_autoptr (GMutexLocker) locker = NULL;

  if (self->commons == NULL)
    return arena->store == self;
  locker = g_mutex_locker_new (&self->commons->lock);
  return leat_store_find_largest_arena (self->commons) == arena;
}

static gboolean
leat_block_write_count (LeatBlock *self, const LeatBuffer *buffer, GError **error)
{
  guint64 count = leat_spec_get_dim (buffer->spec, 0);

  return leat_memory_write (self->memory, 0, &count, sizeof count, error);
}

static gboolean
leat_block_write_initial (LeatBlock *self, const LeatBuffer *buffer, GError **error)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (buffer->initial, &size);

  if (size > 0 && !leat_memory_write (self->memory, buffer->header ? LEAT_BUFFER_HEADER : 0, data, size, error))
    return FALSE;
  return !buffer->header || leat_block_write_count (self, buffer, error);
}

gboolean
leat_block_write (LeatBlock *self, const LeatBuffer *buffer, GError **error)
{
  g_clear_pointer (&self->contents, g_bytes_unref);
  if (buffer->initial == NULL)
    {
      if (leat_memory_clear (self->memory, error))
        return TRUE;
      g_prefix_error (error, "%s: ", buffer->name);
      return FALSE;
    }
  if (!leat_block_write_initial (self, buffer, error))
    return FALSE;
  self->contents = g_bytes_ref (buffer->initial);
  return TRUE;
}
