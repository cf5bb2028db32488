/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Blocks of memory that are kept for who asks next, and the sizes that they come in.  Touches the lists and counts of
 * one pool of a device, under its lock.  leat-memory.c asks the driver. */

#include "leat-device-object-private.h"

#define LEAT_POOL_SMALLEST 256
/* From here on, rounding by a share of the size would waste too much. */
#define LEAT_POOL_LARGE      (G_GUINT64_CONSTANT (64) << 20)
#define LEAT_POOL_LARGE_STEP (G_GUINT64_CONSTANT (2) << 20)

void
leat_memory_pool_init (LeatMemoryPool *self, guint64 cap_bytes)
{
  self->buckets = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, NULL);
  self->cap_bytes = cap_bytes;
}

/* Eight sizes for each power of two, so that freed blocks fit again and at most an eighth is wasted.
 * 0 when it cannot be rounded. */
guint64
leat_memory_pool_round (guint64 bytes)
{
  guint64 step;

  if (bytes <= LEAT_POOL_SMALLEST)
    return LEAT_POOL_SMALLEST;
  if (bytes > G_MAXINT64)
    return 0;
  if (bytes >= LEAT_POOL_LARGE)
    step = LEAT_POOL_LARGE_STEP;
  else
    step = MAX (LEAT_POOL_SMALLEST, (G_GUINT64_CONSTANT (1) << (g_bit_storage (bytes - 1) - 1)) / 8);
  return (bytes + step - 1) / step * step;
}

static void
leat_memory_pool_note_peak (LeatMemoryPool *self)
{
  self->counts.peak_bytes = MAX (self->counts.peak_bytes, self->counts.live_bytes + self->counts.cached_bytes);
}

/* Under the lock. */
static LeatMemory *
leat_memory_pool_pop (LeatMemoryPool *self, guint64 block_bytes)
{
  LeatMemory *block = g_hash_table_lookup (self->buckets, &block_bytes);

  if (block == NULL)
    return NULL;
  if (block->next != NULL)
    g_hash_table_insert (self->buckets, g_memdup2 (&block_bytes, sizeof block_bytes), block->next);
  else
    g_hash_table_remove (self->buckets, &block_bytes);
  block->next = NULL;
  self->counts.cached_bytes -= block_bytes;
  return block;
}

gboolean
leat_memory_pool_take (LeatDevice *device, LeatMemoryKind kind, guint64 block_bytes, LeatMemory **block)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&device->lock);
  LeatMemoryPool *self = &device->pools[kind];

  if (!leat_device_fits_budget (device, kind, block_bytes))
    return FALSE;
  *block = leat_memory_pool_pop (self, block_bytes);
  self->counts.live_bytes += block_bytes;
  self->counts.live_count++;
  if (*block == NULL)
    self->counts.driver_allocations++;
  leat_memory_pool_note_peak (self);
  return TRUE;
}

void
leat_memory_pool_forget (LeatDevice *device, LeatMemoryKind kind, guint64 block_bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&device->lock);
  LeatMemoryPool *self = &device->pools[kind];

  self->counts.live_bytes -= block_bytes;
  self->counts.live_count--;
  self->counts.driver_allocations--;
}

gboolean
leat_memory_pool_reserve (LeatDevice *device, LeatMemoryKind kind, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&device->lock);
  LeatMemoryPool *self = &device->pools[kind];

  if (!leat_device_fits_budget (device, kind, bytes))
    return FALSE;
  self->counts.live_bytes += bytes;
  self->counts.live_count++;
  leat_memory_pool_note_peak (self);
  return TRUE;
}

void
leat_memory_pool_let_go (LeatDevice *device, LeatMemoryKind kind, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&device->lock);
  LeatMemoryPool *self = &device->pools[kind];

  self->counts.live_bytes -= bytes;
  self->counts.live_count--;
}

gboolean
leat_memory_pool_keep (LeatDevice *device, LeatMemory *block)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&device->lock);
  LeatMemoryPool *self = &device->pools[block->kind];

  self->counts.live_bytes -= block->block_bytes;
  self->counts.live_count--;
  if (self->counts.cached_bytes + block->block_bytes > self->cap_bytes)
    {
      self->counts.driver_frees++;
      return FALSE;
    }
  block->next = g_hash_table_lookup (self->buckets, &block->block_bytes);
  g_hash_table_insert (self->buckets, g_memdup2 (&block->block_bytes, sizeof block->block_bytes), block);
  self->counts.cached_bytes += block->block_bytes;
  return TRUE;
}

/* Unlinks cached blocks until at most @keep_bytes stay; returns them as a list. Under the lock. */
static LeatMemory *
leat_memory_pool_unlink (LeatMemoryPool *self, guint64 keep_bytes)
{
  LeatMemory *list = NULL;

  while (self->counts.cached_bytes > keep_bytes)
    {
      GHashTableIter iter;
      gpointer key;
      LeatMemory *block;

      g_hash_table_iter_init (&iter, self->buckets);
      if (!g_hash_table_iter_next (&iter, &key, NULL))
        break;
      block = leat_memory_pool_pop (self, *(guint64 *) key);
      block->next = list;
      list = block;
      self->counts.driver_frees++;
    }
  return list;
}

/* Nothing can be done about a failure here; a poisoned context reports itself at the next call that matters. */
void
leat_memory_destroy (LeatDevice *device, LeatMemory *block)
{
  if (block->kind == LEAT_MEMORY_PINNED)
    (*device->table->cuMemFreeHost) (block->host);
  else
    (*device->table->cuMemFree) (block->address);
  g_free (block);
}

static void
leat_memory_pool_destroy_cached (LeatDevice *device, LeatMemoryKind kind, guint64 keep_bytes)
{
  LeatMemory *list;

  g_mutex_lock (&device->lock);
  list = leat_memory_pool_unlink (&device->pools[kind], keep_bytes);
  g_mutex_unlock (&device->lock);

  while (list != NULL)
    {
      LeatMemory *block = list;

      list = block->next;
      leat_memory_destroy (device, block);
    }
}

static gboolean
leat_memory_pool_has_more (LeatDevice *device, LeatMemoryKind kind, guint64 than_bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&device->lock);

  return device->pools[kind].counts.cached_bytes > than_bytes;
}

/* Where the context cannot be made current the blocks stay: the driver would refuse them, and they would be lost. */
void
leat_memory_pool_trim (LeatDevice *device, LeatMemoryKind kind, guint64 keep_bytes)
{
  gboolean pushed;

  if (!leat_memory_pool_has_more (device, kind, keep_bytes))
    return;
  pushed = leat_device_push_anyhow (device);
  if (pushed || leat_device_is_dead (device))
    leat_memory_pool_destroy_cached (device, kind, keep_bytes);
  if (pushed)
    leat_device_pop (device);
}

/* Memory that is there now goes with the context. */
void
leat_memory_pool_clear (LeatDevice *device, LeatMemoryKind kind)
{
  leat_memory_pool_trim (device, kind, 0);
  leat_memory_pool_destroy_cached (device, kind, 0);
  g_clear_pointer (&device->pools[kind].buckets, g_hash_table_unref);
}

void
leat_device_trim (LeatDevice *self, guint64 keep_bytes)
{
  for (int kind = 0; kind < LEAT_MEMORY_N_KINDS; kind++)
    leat_memory_pool_trim (self, kind, keep_bytes);
}
