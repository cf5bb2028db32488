/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "../driver/leat-driver-private.h"
#include "leat-device.h"

G_BEGIN_DECLS

LeatDriver *leat_device_get_driver (LeatDevice *self);
const LeatDriverTable *leat_device_get_table (LeatDevice *self);
const LeatDeviceFacts *leat_device_get_facts (LeatDevice *self);
CUcontext leat_device_get_context (LeatDevice *self);

/* Makes the device's context current on this thread until the matching pop.  They nest, and a push inside a push of the
 * same device makes no driver call.  Everything in this folder does it by itself.  Changes that others' code makes
 * to the current context in between must be undone there. */
gboolean leat_device_push (LeatDevice *self, GError **error);
void leat_device_pop (LeatDevice *self);
/* For giving something back, which is to be done whether the context can be made current or not: most handles know
 * theirs. Tells whether there is something to pop. */
gboolean leat_device_push_anyhow (LeatDevice *self);

/* FALSE with DEVICE_LOST and the first failure's words when the device is dead. */
gboolean leat_device_check (LeatDevice *self, GError **error);
/* As leat_driver_set_error; a result that poisons the context marks the device dead. Always FALSE. */
gboolean leat_device_set_error (LeatDevice *self, GError **error, const char *call, CUresult result, const char *format,
                                ...) G_GNUC_PRINTF (5, 6);
/* Only the first reason is kept. For a wait that found a kernel hung, too. */
void leat_device_mark_dead (LeatDevice *self, const char *reason);
/* Dead, but what was under way may still be: nothing of it is ever freed. */
void leat_device_mark_hung (LeatDevice *self, const char *reason);

/* Work that failed half way may still be under way, and what it uses must not be used for anything else.  Keeps @thing
 * until it is certain that nothing is, and then calls @release with it. */
void leat_device_quarantine (LeatDevice *self, gpointer thing, GDestroyNotify release);
/* Calls @release with @thing while the context is current.  Where it cannot be made current, handles that do not know
 * theirs would be lost, so @thing waits in quarantine until it can, or the device is dead.  On one that hangs it stays
 * there. */
void leat_device_release (LeatDevice *self, gpointer thing, GDestroyNotify release);
/* Where something is in quarantine, waits for all work of the context, and releases it.  FALSE: still in there; the
 * next opening or closing of a session tries again. */
gboolean leat_device_settle (LeatDevice *self);

/* How many multiprocessors a persistent kernel may have, beside those that others have; @asked: 0 for a
 * fair share.  Its share is noted, and the note is taken back when it is gone for good. */
guint leat_device_get_persistent_share (LeatDevice *self, guint asked);
void leat_device_note_persistent (LeatDevice *self, gint blocks);
/* The rule, of @all with @taken. */
guint leat_device_share_multiprocessors (guint all, guint taken, guint asked);

/* A stream of its own for as long as it is borrowed, never ordered with the default stream.  Only one whose work has
 * ended is given back. */
gboolean leat_device_borrow_stream (LeatDevice *self, CUstream *stream, GError **error);
void leat_device_return_stream (LeatDevice *self, CUstream stream);

typedef struct
{
  guint64 live_bytes;   /* in use, as the pools round it */
  guint64 cached_bytes; /* freed blocks kept for reuse */
  guint64 peak_bytes;   /* greatest live + cached so far */
  guint64 live_count;
  guint64 driver_allocations; /* calls that reached the driver */
  guint64 driver_frees;
} LeatMemoryCounts;

typedef enum
{
  LEAT_MEMORY_DEVICE,
  LEAT_MEMORY_PINNED, /* host memory that the device reads and writes in place */
} LeatMemoryKind;

#define LEAT_MEMORY_N_KINDS 2

/* Bytes against the budget of their kind.  Check before a batch of allocations, so that none is made when not all fit;
 * @what is for the message.  LeatMemory checks for itself. */
gboolean leat_device_check_budget (LeatDevice *self, LeatMemoryKind kind, guint64 bytes, const char *what,
                                   GError **error);
/* "3.0 MiB" */
char *leat_device_format_bytes (guint64 bytes);

void leat_device_get_memory_counts (LeatDevice *self, LeatMemoryKind kind, LeatMemoryCounts *counts);
/* Gives cached blocks back to the driver until at most @keep_bytes stay. */
void leat_device_trim (LeatDevice *self, guint64 keep_bytes);

G_END_DECLS
