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
void leat_memory_free (LeatMemory *self);
guint64 leat_memory_get_bytes (LeatMemory *self);       /* as asked for */
CUdeviceptr leat_memory_get_address (LeatMemory *self); /* on the device; also of pinned memory; 256-byte aligned */
gpointer leat_memory_get_host (LeatMemory *self);       /* NULL for device memory */
LeatMemoryKind leat_memory_get_kind (LeatMemory *self);

/* For set-up and tests: when they return, the bytes are where they belong for every stream. */
gboolean leat_memory_clear (LeatMemory *self, GError **error); /* all of it to zeros */
gboolean leat_memory_write (LeatMemory *self, guint64 offset, gconstpointer data, guint64 bytes, GError **error);
gboolean leat_memory_read (LeatMemory *self, guint64 offset, gpointer data, guint64 bytes, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatMemory, leat_memory_free)

G_END_DECLS
