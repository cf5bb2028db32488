/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Threads that need not be had: a user, and a container, may have only so many, and GLib ends the process then.  Errors
 * are G_THREAD_ERROR and name the limit. */

/* NULL where there is none. */
GThread *leat_thread_start (const char *name, GThreadFunc func, gpointer data, GError **error);
/* Before a call that starts one by itself: is there one more? */
gboolean leat_thread_check (GError **error);

G_END_DECLS
