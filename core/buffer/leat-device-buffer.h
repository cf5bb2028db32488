/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../device/leat-device.h"
#include "../graph/leat-spec.h"

G_BEGIN_DECLS

#define LEAT_DEVICE_BUFFER_ERROR (leat_device_buffer_error_quark ())

/**
 * LeatDeviceBufferError:
 * @LEAT_DEVICE_BUFFER_ERROR_RANGE: bytes outside a buffer, or a copy onto itself
 * @LEAT_DEVICE_BUFFER_ERROR_RELEASED: the buffer's memory has been given back
 * @LEAT_DEVICE_BUFFER_ERROR_DEVICE: buffers of different devices in one request
 * @LEAT_DEVICE_BUFFER_ERROR_BUSY: somebody uses the buffer just now in a way that excludes this
 * @LEAT_DEVICE_BUFFER_ERROR_SPEC: a spec that no buffer can have, or a count that its spec does not allow
 *
 * Errors of requests to a #LeatDeviceBuffer.
 */
typedef enum
{
  LEAT_DEVICE_BUFFER_ERROR_RANGE,
  LEAT_DEVICE_BUFFER_ERROR_RELEASED,
  LEAT_DEVICE_BUFFER_ERROR_DEVICE,
  LEAT_DEVICE_BUFFER_ERROR_BUSY,
  LEAT_DEVICE_BUFFER_ERROR_SPEC,
} LeatDeviceBufferError;

GQuark leat_device_buffer_error_quark (void);

#define LEAT_TYPE_DEVICE_BUFFER_ERROR (leat_device_buffer_error_get_type ())
GType leat_device_buffer_error_get_type (void) G_GNUC_CONST;

#define LEAT_TYPE_DEVICE_BUFFER (leat_device_buffer_get_type ())
G_DECLARE_FINAL_TYPE (LeatDeviceBuffer, leat_device_buffer, LEAT, DEVICE_BUFFER, GObject)

LeatDeviceBuffer *leat_device_buffer_new (LeatDevice *device, guint64 bytes, GError **error);
LeatDeviceBuffer *leat_device_buffer_new_for_spec (LeatDevice *device, LeatSpec *spec, GError **error);
LeatDevice *leat_device_buffer_get_device (LeatDeviceBuffer *self);
LeatSpec *leat_device_buffer_get_spec (LeatDeviceBuffer *self);
guint64 leat_device_buffer_get_bytes (LeatDeviceBuffer *self);
gboolean leat_device_buffer_is_in_flight (LeatDeviceBuffer *self);
gboolean leat_device_buffer_upload (LeatDeviceBuffer *self, guint64 offset, GBytes *bytes, GError **error);
GBytes *leat_device_buffer_download (LeatDeviceBuffer *self, guint64 offset, guint64 bytes, GError **error);
gboolean leat_device_buffer_fill (LeatDeviceBuffer *self, guint64 offset, guint64 bytes, guint8 value, GError **error);
gboolean leat_device_buffer_copy (LeatDeviceBuffer *self, guint64 offset, LeatDeviceBuffer *from, guint64 from_offset,
                                  guint64 bytes, GError **error);
gboolean leat_device_buffer_set_count (LeatDeviceBuffer *self, guint64 count, GError **error);
gboolean leat_device_buffer_get_count (LeatDeviceBuffer *self, guint64 *count, GError **error);
gboolean leat_device_buffer_release (LeatDeviceBuffer *self, GError **error);
GVariant *leat_device_buffer_dup_stats (LeatDeviceBuffer *self);

G_END_DECLS
