/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-memory-private.h"

G_BEGIN_DECLS

/* For the files of this folder only. */

struct _LeatMemory
{
  LeatDevice *device; /* owned while in use */
  LeatMemoryKind kind;
  guint64 bytes;
  guint64 block_bytes; /* as the pool rounded it */
  CUdeviceptr address;
  gpointer host;
  gboolean in_doubt;          /* a copy to it that failed may still be under way */
  LeatMemoryAccount *account; /* NULL: nobody's */
  LeatMemoryUse use;          /* in it */
  LeatMemory *next;           /* in its bucket while cached */
};

/* Blocks of one kind by size.  Guarded by the device's lock. */
typedef struct
{
  GHashTable *buckets; /* block_bytes (guint64*, owned) -> LeatMemory*, the first of a list */
  guint64 cap_bytes;   /* kept at most */
  LeatMemoryCounts counts;
} LeatMemoryPool;

struct _LeatDevice
{
  GObject parent_instance;

  LeatDriver *driver;
  const LeatDriverTable *table;
  LeatDeviceFacts facts;
  char *id;
  const char *note;
  CUcontext context;

  GMutex lock;
  guint64 budgets[LEAT_MEMORY_N_KINDS];
  LeatMemoryPool pools[LEAT_MEMORY_N_KINDS];
  GSList *quarantine;     /* LeatQuarantined; under the lock */
  GSList *idle_streams;   /* CUstream; under the lock */
  gint persistent_blocks; /* atomic: of persistent kernels */
  gint is_dead;           /* atomic; set after the reason */
  gint is_hung;           /* atomic; set before is_dead */
  char *dead_reason;      /* set once, under the lock */
};

gboolean leat_device_take_context (LeatDevice *self, GError **error);
void leat_device_let_go_of_context (LeatDevice *self);
void leat_memory_pool_init (LeatMemoryPool *self, guint64 cap_bytes);
void leat_memory_pool_clear (LeatDevice *device, LeatMemoryKind kind);
/* Counts the size as live and gives a cached block that fits, or NULL: one is then to be allocated. FALSE when that is
 * over the budget. */
gboolean leat_memory_pool_take (LeatDevice *device, LeatMemoryKind kind, guint64 block_bytes, LeatMemory **block);
/* A block that take counted was not allocated after all. */
void leat_memory_pool_forget (LeatDevice *device, LeatMemoryKind kind, guint64 block_bytes);
/* Counts as live what is no block, and not any more.  FALSE where it is over the budget. */
gboolean leat_memory_pool_reserve (LeatDevice *device, LeatMemoryKind kind, guint64 bytes);
void leat_memory_pool_let_go (LeatDevice *device, LeatMemoryKind kind, guint64 bytes);
/* FALSE when the cache is full: the caller then gives the block back to the driver. */
gboolean leat_memory_pool_keep (LeatDevice *device, LeatMemory *block);
/* Gives cached blocks back until at most @keep_bytes stay; none where the context cannot be made current. */
void leat_memory_pool_trim (LeatDevice *device, LeatMemoryKind kind, guint64 keep_bytes);

void leat_memory_account_enter (LeatMemoryAccount *self, const LeatMemory *memory);
void leat_memory_account_leave (LeatMemoryAccount *self, const LeatMemory *memory);
void leat_memory_account_note_written (LeatMemoryAccount *self, guint64 bytes);

/* Gives a block that nobody uses back to the driver, with the context current, and frees it. */
void leat_memory_destroy (LeatDevice *device, LeatMemory *block);

/* When nobody has the device any more. */
void leat_device_destroy_idle_streams (LeatDevice *self);

/* From the environment, or the default. */
gboolean leat_device_init_budgets (LeatDevice *self, GError **error);
/* Under the lock. */
gboolean leat_device_fits_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes);
/* Always FALSE. */
gboolean leat_device_set_over_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes, const char *what,
                                      GError **error);
gboolean leat_device_parse_budget (LeatMemoryKind kind, const char *text, guint64 total, guint64 *budget,
                                   GError **error);

G_END_DECLS
