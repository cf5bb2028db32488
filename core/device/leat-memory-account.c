/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The memory that one session takes.  It is counted where blocks are given and taken back, so it says what is taken and
 * not what was meant to be. */

#include "leat-device-object-private.h"

struct _LeatMemoryAccount
{
  gatomicrefcount refs;
  guint64 budget;
  GMutex lock; /* of the tally */
  LeatMemoryTally tally;
};

LeatMemoryAccount *
leat_memory_account_new (guint64 budget)
{
  LeatMemoryAccount *self = g_new0 (LeatMemoryAccount, 1);

  g_atomic_ref_count_init (&self->refs);
  g_mutex_init (&self->lock);
  self->budget = budget;
  return self;
}

LeatMemoryAccount *
leat_memory_account_ref (LeatMemoryAccount *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_memory_account_unref (LeatMemoryAccount *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_mutex_clear (&self->lock);
  g_free (self);
}

void
leat_memory_account_get (LeatMemoryAccount *self, LeatMemoryTally *tally)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  *tally = self->tally;
}

guint64
leat_memory_account_get_written (LeatMemoryAccount *self)
{
  LeatMemoryTally tally;

  leat_memory_account_get (self, &tally);
  return tally.written_bytes;
}

void
leat_memory_account_leave_out (LeatMemoryAccount *self, const LeatMemoryTally *before)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  memcpy (self->tally.allocations, before->allocations, sizeof before->allocations);
  self->tally.written_bytes = before->written_bytes;
  memcpy (self->tally.most_bytes, self->tally.live_bytes, sizeof self->tally.live_bytes);
  memcpy (self->tally.use_most_bytes, self->tally.use_live_bytes, sizeof self->tally.use_live_bytes);
}

gboolean
leat_memory_account_check (LeatMemoryAccount *self, LeatMemoryKind kind, guint64 block_bytes, const char *what,
                           GError **error)
{
  g_autofree char *needed = NULL, *budget = NULL, *used = NULL;
  LeatMemoryTally tally;

  leat_memory_account_get (self, &tally);
  if (self->budget == 0 || kind != LEAT_MEMORY_DEVICE
      || (tally.live_bytes[kind] <= self->budget && block_bytes <= self->budget - tally.live_bytes[kind]))
    return TRUE;
  needed = leat_device_format_bytes (block_bytes);
  budget = leat_device_format_bytes (self->budget);
  used = leat_device_format_bytes (tally.live_bytes[kind]);
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY,
               "no room for %s: %s is needed, and of the session's budget of %s, %s is in use", what, needed, budget,
               used);
  return FALSE;
}

void
leat_memory_account_enter (LeatMemoryAccount *self, const LeatMemory *memory)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);
  LeatMemoryTally *tally = &self->tally;
  LeatMemoryKind kind = memory->kind;

  tally->allocations[kind]++;
  tally->live_bytes[kind] += memory->block_bytes;
  tally->most_bytes[kind] = MAX (tally->most_bytes[kind], tally->live_bytes[kind]);
  if (kind != LEAT_MEMORY_DEVICE)
    return;
  tally->use_live_bytes[memory->use] += memory->block_bytes;
  tally->use_most_bytes[memory->use] = MAX (tally->use_most_bytes[memory->use], tally->use_live_bytes[memory->use]);
}

void
leat_memory_account_leave (LeatMemoryAccount *self, const LeatMemory *memory)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->tally.live_bytes[memory->kind] -= memory->block_bytes;
  if (memory->kind == LEAT_MEMORY_DEVICE)
    self->tally.use_live_bytes[memory->use] -= memory->block_bytes;
}

void
leat_memory_account_note_written (LeatMemoryAccount *self, guint64 bytes)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&self->lock);

  self->tally.written_bytes += bytes;
}
