/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-device-private.h"

G_BEGIN_DECLS

/* A block of memory.  Freeing gives it back to the device's pool at once: nothing that still runs may use it. Holds a
 * reference on its device. Contents are undefined at first. */
typedef struct _LeatMemory LeatMemory;

LeatMemory *leat_memory_new (LeatDevice *device, LeatMemoryKind kind, guint64 bytes, const char *what, GError **error);

/* The uses of device memory; those of host memory are not told apart. */
typedef enum
{
  LEAT_MEMORY_SCRATCH, /* lives within a run */
  LEAT_MEMORY_STATE,
  LEAT_MEMORY_CONSTANT,
  LEAT_MEMORY_REPORTS,
  LEAT_MEMORY_CLOCKS,
} LeatMemoryUse;

#define LEAT_MEMORY_N_USES 5

/* Memory that somebody takes of a device, counted as blocks come and go.  Any thread. */
typedef struct _LeatMemoryAccount LeatMemoryAccount;

typedef struct
{
  guint64 live_bytes[LEAT_MEMORY_N_KINDS], most_bytes[LEAT_MEMORY_N_KINDS]; /* as the pools round them */
  guint64 allocations[LEAT_MEMORY_N_KINDS];
  guint64 use_live_bytes[LEAT_MEMORY_N_USES], use_most_bytes[LEAT_MEMORY_N_USES];
  guint64 written_bytes; /* by leat_memory_write () */
} LeatMemoryTally;

/* @budget: of the device's memory; 0: no more than the device has for all */
LeatMemoryAccount *leat_memory_account_new (guint64 budget);
LeatMemoryAccount *leat_memory_account_ref (LeatMemoryAccount *self);
void leat_memory_account_unref (LeatMemoryAccount *self);
void leat_memory_account_get (LeatMemoryAccount *self, LeatMemoryTally *tally);
/* The bytes that were written to the device for all runs. */
guint64 leat_memory_account_get_written (LeatMemoryAccount *self);
/* Allocations and bytes written since @before are left out, and the most is set to what there is now. */
void leat_memory_account_leave_out (LeatMemoryAccount *self, const LeatMemoryTally *before);

/* FALSE with OUT_OF_MEMORY where so much more is over the budget. */
gboolean leat_memory_account_check (LeatMemoryAccount *self, LeatMemoryKind kind, guint64 block_bytes, const char *what,
                                    GError **error);

/* As new, and in an account until it is freed.  More than its budget is OUT_OF_MEMORY too. */
LeatMemory *leat_memory_new_in (LeatMemoryAccount *account, LeatMemoryUse use, LeatDevice *device, LeatMemoryKind kind,
                                guint64 bytes, const char *what, GError **error);
/* The room that @bytes take: as a pool rounds them; 0 for more than any memory holds. */
guint64 leat_memory_pool_round (guint64 bytes);
void leat_memory_free (LeatMemory *self);
/* Work that uses it may still be under way: once freed, it waits until the device is known to be quiet. */
void leat_memory_doubt (LeatMemory *self);
guint64 leat_memory_get_bytes (LeatMemory *self);       /* as asked for */
CUdeviceptr leat_memory_get_address (LeatMemory *self); /* on the device; also of pinned memory; 256-byte aligned */
/* As the pool rounded it. */
guint64 leat_memory_get_block_bytes (LeatMemory *self);
/* The last @bytes are nobody's any more: as if fewer had been asked for. */
void leat_memory_shorten (LeatMemory *self, guint64 bytes);
gpointer leat_memory_get_host (LeatMemory *self); /* NULL for device memory */
LeatMemoryKind leat_memory_get_kind (LeatMemory *self);

/* Under AddressSanitizer, on the CPU: nobody is to touch these bytes, or somebody may again.  Elsewhere they do
 * nothing. */
gboolean leat_device_closes_memory (LeatDevice *self);
void leat_memory_close (LeatDevice *device, LeatMemory *self, guint64 offset, guint64 bytes);
void leat_memory_open (LeatDevice *device, LeatMemory *self, guint64 offset, guint64 bytes);

/* For set-up and tests: when they return, the bytes are where they belong for every stream. */
gboolean leat_memory_clear (LeatMemory *self, GError **error); /* all of it to zeros */
gboolean leat_memory_write (LeatMemory *self, guint64 offset, gconstpointer data, guint64 bytes, GError **error);
gboolean leat_memory_read (LeatMemory *self, guint64 offset, gpointer data, guint64 bytes, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMemory, leat_memory_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMemoryAccount, leat_memory_account_unref)

G_END_DECLS
