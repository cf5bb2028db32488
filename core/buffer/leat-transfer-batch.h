/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-device-buffer.h"

G_BEGIN_DECLS

#define LEAT_TYPE_TRANSFER_BATCH (leat_transfer_batch_get_type ())
G_DECLARE_FINAL_TYPE (LeatTransferBatch, leat_transfer_batch, LEAT, TRANSFER_BATCH, GObject)

LeatTransferBatch *leat_transfer_batch_new (void);
void leat_transfer_batch_upload (LeatTransferBatch *self, LeatDeviceBuffer *to, guint64 offset, GBytes *bytes);
guint leat_transfer_batch_download (LeatTransferBatch *self, LeatDeviceBuffer *from, guint64 offset, guint64 bytes);
void leat_transfer_batch_fill (LeatTransferBatch *self, LeatDeviceBuffer *to, guint64 offset, guint64 bytes,
                               guint8 value);
void leat_transfer_batch_copy (LeatTransferBatch *self, LeatDeviceBuffer *to, guint64 offset, LeatDeviceBuffer *from,
                               guint64 from_offset, guint64 bytes);
gboolean leat_transfer_batch_run (LeatTransferBatch *self, GError **error);
guint leat_transfer_batch_get_n_downloads (LeatTransferBatch *self);
GBytes *leat_transfer_batch_get_download (LeatTransferBatch *self, guint index);
void leat_transfer_batch_clear (LeatTransferBatch *self);
GVariant *leat_transfer_batch_dup_stats (LeatTransferBatch *self);

G_END_DECLS
