/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_TYPE_DEVICE (leat_device_get_type ())
G_DECLARE_FINAL_TYPE (LeatDevice, leat_device, LEAT, DEVICE, GObject)

LeatDevice *leat_device_open (const char *selector, GError **error);

const char *leat_device_get_id (LeatDevice *self);
const char *leat_device_get_name (LeatDevice *self);
const char *leat_device_get_note (LeatDevice *self);
guint64 leat_device_get_memory_bytes (LeatDevice *self);
gboolean leat_device_is_cpu (LeatDevice *self);
gboolean leat_device_is_dead (LeatDevice *self);

gboolean leat_device_pin (LeatDevice *self, guint64 address, guint64 bytes, GError **error);
gboolean leat_device_unpin (LeatDevice *self, guint64 address, GError **error);

guint64 leat_device_get_budget (LeatDevice *self);
void leat_device_set_budget (LeatDevice *self, guint64 bytes);
guint64 leat_device_get_pinned_budget (LeatDevice *self);
void leat_device_set_pinned_budget (LeatDevice *self, guint64 bytes);

G_END_DECLS
