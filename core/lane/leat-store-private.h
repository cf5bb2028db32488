/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-memory-private.h"
#include "leat-shared-constants-private.h"
#include "bind/leat-bound-plan-private.h"

G_BEGIN_DECLS

/* The memory that outlives one plan of a session: staging, state and constants are found again by kind, name and size
 * when the pipeline is planned anew, and arenas by size.  A block lives as long as a lane or a program has a
 * reference.  Requests are made by one thread at a time, but a lane that was kept until the device was quiet may give
 * its blocks back in any (leat_device_settle ()). */

typedef struct _LeatStore LeatStore;

typedef struct
{
  guint refs;
  LeatStore *store;
  char *key; /* NULL: an arena */
  LeatMemory *memory;
  LeatShared *shared; /* of a CONST buffer: whose memory it is */
  gboolean was_there; /* others had it when it was asked for */
  gboolean was_lost;  /* or while it was made */
  GBytes *contents;   /* what was written last: of a CONST buffer; NULL: nothing yet */
  guint64 user;       /* the last round of requests that got it */
} LeatBlock;

/* All that is made for it is in @account. */
LeatStore *leat_store_new (LeatDevice *device, LeatMemoryAccount *account);
/* State is that of @other, which it refers to, and so is the account. */
LeatStore *leat_store_new_beside (LeatStore *other);
LeatStore *leat_store_ref (LeatStore *self);
void leat_store_unref (LeatStore *self);

/* (transfer none) */
LeatMemoryAccount *leat_store_get_account (LeatStore *self);

/* Requests of one lane or program get different blocks, those of two rounds may get the same. */
void leat_store_begin_round (LeatStore *self);
/* Contents are undefined in a new block, but for the count of staging memory, which is 0. (transfer full) */
LeatBlock *leat_store_get (LeatStore *self, const LeatBuffer *buffer, GError **error);
/* At least @bytes, and not much more. (transfer full) */
LeatBlock *leat_store_get_arena (LeatStore *self, guint64 bytes, GError **error);
/* From here on, what lives within a run is in an arena of @commons (nullable), the largest one, together with that of
 * others whose runs are never at the same time. */
void leat_store_set_commons (LeatStore *self, LeatStore *commons);
/* That one, or where there are no commons one of its own. (transfer full) */
LeatBlock *leat_store_get_common_arena (LeatStore *self, guint64 bytes, GError **error);
/* Is it the one that would be given now? */
gboolean leat_store_has_common_arena (LeatStore *self, const LeatBlock *arena);
/* The memory that all blocks take, of the device and of the host. */
guint64 leat_store_get_bytes (LeatStore *self);

LeatBlock *leat_block_ref (LeatBlock *self);
void leat_block_unref (LeatBlock *self);
/* The requests of this round get other blocks. */
void leat_block_hold (LeatBlock *self);
/* First contents: zeros where the buffer has none of its own. */
gboolean leat_block_write (LeatBlock *self, const LeatBuffer *buffer, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatStore, leat_store_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatBlock, leat_block_unref)

G_END_DECLS
