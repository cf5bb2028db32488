/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../session/leat-session.h"

G_BEGIN_DECLS

#define LEAT_SCHEDULER_ERROR (leat_scheduler_error_quark ())

/**
 * LeatSchedulerError:
 * @LEAT_SCHEDULER_ERROR_CLOSED: the scheduler or the session was closed, or the session taken out, before the run's
 * turn
 * @LEAT_SCHEDULER_ERROR_MEMBER: a session that is not in the scheduler, or that cannot be: it is in another, or on
 * another device
 * @LEAT_SCHEDULER_ERROR_DEADLINE: the deadline had passed when the run was submitted
 * @LEAT_SCHEDULER_ERROR_LATE: the deadline had passed when it was the run's turn, and late runs are dropped
 * (#LeatScheduler:drop-late); in warnings, it had passed when the run ended
 * @LEAT_SCHEDULER_ERROR_FULL: as many runs of the session wait as may (#LeatScheduler:queue-limit)
 * @LEAT_SCHEDULER_ERROR_BUDGET: there is no room for the session; the message has what it takes, what is in use and
 * what is allowed
 *
 * Errors of runs that are not begun, and of sessions that join others.
 */
typedef enum
{
  LEAT_SCHEDULER_ERROR_CLOSED,
  LEAT_SCHEDULER_ERROR_MEMBER,
  LEAT_SCHEDULER_ERROR_DEADLINE,
  LEAT_SCHEDULER_ERROR_LATE,
  LEAT_SCHEDULER_ERROR_FULL,
  LEAT_SCHEDULER_ERROR_BUDGET,
} LeatSchedulerError;

GQuark leat_scheduler_error_quark (void);

#define LEAT_TYPE_SCHEDULER_ERROR (leat_scheduler_error_get_type ())
GType leat_scheduler_error_get_type (void) G_GNUC_CONST;

/**
 * LeatShare:
 * @LEAT_SHARE_TIME: of the device's time, as it was measured
 * @LEAT_SHARE_RUNS: of the runs, however long each takes
 *
 * The resource that sessions of one priority share, equally or by their weight.
 */
typedef enum
{
  LEAT_SHARE_TIME,
  LEAT_SHARE_RUNS,
} LeatShare;

#define LEAT_TYPE_SHARE (leat_share_get_type ())
GType leat_share_get_type (void) G_GNUC_CONST;

#define LEAT_TYPE_SCHEDULER (leat_scheduler_get_type ())
G_DECLARE_FINAL_TYPE (LeatScheduler, leat_scheduler, LEAT, SCHEDULER, GObject)

LeatScheduler *leat_scheduler_new (LeatDevice *device);
gboolean leat_scheduler_add (LeatScheduler *self, LeatSession *session, GError **error);
gboolean leat_scheduler_remove (LeatScheduler *self, LeatSession *session, GError **error);
gboolean leat_scheduler_set_group (LeatScheduler *self, LeatSession *session, const char *group, GError **error);
void leat_scheduler_submit_async (LeatScheduler *self, LeatSession *session, GPtrArray *inputs, gint64 deadline,
                                  GCancellable *cancellable, GAsyncReadyCallback callback, gpointer user_data);
LeatFlow leat_scheduler_submit_finish (LeatScheduler *self, GAsyncResult *result, GPtrArray **results, GError **error);
LeatFlow leat_scheduler_replay (LeatScheduler *self, LeatSession *session, GPtrArray *inputs, gint64 deadline,
                                GPtrArray **results, GCancellable *cancellable, GError **error);
void leat_scheduler_pause (LeatScheduler *self, LeatSession *session);
void leat_scheduler_resume (LeatScheduler *self, LeatSession *session);
void leat_scheduler_close (LeatScheduler *self);
GVariant *leat_scheduler_dup_stats (LeatScheduler *self, LeatSession *session);
char *leat_scheduler_to_prometheus (LeatScheduler *self, const char *name);

G_END_DECLS
