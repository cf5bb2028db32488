/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-memory-private.h"
#include "buffer/leat-device-buffer.h"

G_BEGIN_DECLS

/* Transfers by request, and runs of sessions.  Within a kind there may be several at a time. */
typedef enum
{
  LEAT_BUFFER_USE_TRANSFER,
  LEAT_BUFFER_USE_RUN,
} LeatBufferUse;

typedef struct
{
  guint64 requests;  /* that were not empty */
  guint64 transfers; /* that the driver was asked for */
  guint64 fused;     /* uploads and downloads that needed no transfer of their own */
  guint64 bytes_up, bytes_down, bytes_filled, bytes_copied;
} LeatTransferCounts;

void leat_transfer_counts_add (LeatTransferCounts *self, const LeatTransferCounts *more);
GVariant *leat_transfer_counts_to_variant (const LeatTransferCounts *self);

/* Memory that a session has lent.  @owner keeps it, and is given to @drop when it is no longer needed. */
LeatDeviceBuffer *leat_device_buffer_new_lent (LeatDevice *device, LeatSpec *spec, guint64 header, LeatMemory *memory,
                                               gpointer owner, GDestroyNotify drop);
gboolean leat_device_buffer_is_lent_from (LeatDeviceBuffer *self, gpointer owner);
/* The session needs it for something else, or no longer: who asks for it now is told that it has been given back. */
void leat_device_buffer_call_in (LeatDeviceBuffer *self);

/* From here until leave () the memory stays and is used in this way only: FALSE with RELEASED or BUSY. A run waits for
 * transfers of other threads. Takes no reference. */
gboolean leat_device_buffer_enter (LeatDeviceBuffer *self, LeatBufferUse use, GError **error);
void leat_device_buffer_leave (LeatDeviceBuffer *self, LeatBufferUse use);
/* It is not known whether a run that entered it has ended: nobody else gets the memory before that is. */
void leat_device_buffer_doubt (LeatDeviceBuffer *self);
/* Somebody who entered it for a transfer does not know whether that has ended, or does again: what waits for it asks
 * the device (leat_device_settle ()), and is told BUSY where that does not know either. */
void leat_device_buffer_set_lost (LeatDeviceBuffer *self, gboolean lost);
/* For as long as something has the buffer's address: release () is refused. */
gboolean leat_device_buffer_bind (LeatDeviceBuffer *self, GError **error);
void leat_device_buffer_unbind (LeatDeviceBuffer *self);
/* Of the first byte: the header where there is one.  For who has entered or bound it. */
CUdeviceptr leat_device_buffer_get_address (LeatDeviceBuffer *self);
/* Bytes before the first item. */
guint64 leat_device_buffer_get_header (LeatDeviceBuffer *self);
void leat_device_buffer_count (LeatDeviceBuffer *self, const LeatTransferCounts *more);

G_END_DECLS
