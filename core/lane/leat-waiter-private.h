/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A thread that waits until the device is done, and a file descriptor that can be read from then on.  One for a
 * session, started by the first wait; it allocates nothing after that. */
typedef struct _LeatWaiter LeatWaiter;

LeatWaiter *leat_waiter_new (GError **error);
void leat_waiter_unref (LeatWaiter *self);
int leat_waiter_get_fd (LeatWaiter *self);
gboolean leat_waiter_is_told (LeatWaiter *self);

/* Waits for the end of something, in the thread; FALSE with an error where that failed. */
typedef gboolean (*LeatWaiterFunc) (gpointer data, GError **error);

/* One at a time: @data is the thread's until collect (). */
gboolean leat_waiter_watch (LeatWaiter *self, LeatWaiterFunc await, gpointer data, GError **error);
/* There was nothing to wait for. */
void leat_waiter_tell (LeatWaiter *self);
/* Waits for the end of what is watched, with what came of it; the descriptor is as before. */
gboolean leat_waiter_collect (LeatWaiter *self, gint64 *ended_us, GError **error);
/* The descriptor cannot be read any more. */
void leat_waiter_reset (LeatWaiter *self);
/* Ends the thread.  Nothing must be watched. */
void leat_waiter_stop (LeatWaiter *self);

/* Ready while the descriptor can be read; its callback is a #GSourceFunc. */
GSource *leat_waiter_create_source (LeatWaiter *self, const char *name);

G_END_DECLS
