/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib-object.h>

G_BEGIN_DECLS

#define LEAT_MONITOR_ERROR (leat_monitor_error_quark ())

/**
 * LeatMonitorError:
 * @LEAT_MONITOR_ERROR_FAILED: the socket cannot be made
 * @LEAT_MONITOR_ERROR_STATE: there is one already
 * @LEAT_MONITOR_ERROR_PATH: no socket can be there: the name is too long, something else has it, or others can write to
 * the folder
 * @LEAT_MONITOR_ERROR_BUSY: another process listens there
 *
 * Errors of a process that lets its sessions be watched.
 */
typedef enum
{
  LEAT_MONITOR_ERROR_FAILED,
  LEAT_MONITOR_ERROR_STATE,
  LEAT_MONITOR_ERROR_PATH,
  LEAT_MONITOR_ERROR_BUSY,
} LeatMonitorError;

GQuark leat_monitor_error_quark (void);

#define LEAT_TYPE_MONITOR_ERROR (leat_monitor_error_get_type ())
GType leat_monitor_error_get_type (void) G_GNUC_CONST;

gboolean leat_monitor_start (const char *path, GError **error);
void leat_monitor_stop (void);
char *leat_monitor_dup_path (void);
GVariant *leat_monitor_dup_snapshot (void);

G_END_DECLS
