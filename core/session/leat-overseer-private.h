/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-scratch-private.h"
#include "leat-session.h"

G_BEGIN_DECLS

/* An overseer has a session run when others are to run as well.  Calls come from the thread that has or wants the
 * session. */
typedef struct
{
  /* It is being opened, or brought back, and needs so much memory of @device: FALSE refuses. */
  gboolean (*admit) (GObject *overseer, LeatSession *session, LeatDevice *device, guint64 bytes, GError **error);
  /* That has been done, well or not. */
  void (*settled) (GObject *overseer, LeatSession *session);
  /* It will be closed: nothing is begun with it from now on. */
  void (*closing) (GObject *overseer, LeatSession *session);
  void (*closed) (GObject *overseer, LeatSession *session);
  /* The run that a former overseer had under way has ended. */
  void (*parted) (GObject *overseer, LeatSession *session);
  /* It has another priority (leat_session_get_priority ()). */
  void (*ranked) (GObject *overseer, LeatSession *session);
} LeatOverseerClass;

/* At most one, which is not kept alive.  FALSE where there is another. */
gboolean leat_session_set_overseer (LeatSession *self, const LeatOverseerClass *klass, GObject *overseer);
void leat_session_drop_overseer (LeatSession *self, GObject *overseer);
/* (transfer full) (nullable) */
GObject *leat_session_get_overseer (LeatSession *self, const LeatOverseerClass **klass);

/* An overseer that it has no more still has a run of it under way: whoever oversees it now begins none until then.  Any
 * thread. */
void leat_session_set_parting (LeatSession *self, gboolean parting);
gboolean leat_session_is_parting (LeatSession *self);

void leat_session_set_priority (LeatSession *self, LeatPriority priority);

/* One run with data that the call brings and results that it gives, past queues: @inputs (GBytes) for each source in
 * the order of the plan.  Data at fault fail this run alone. */
gboolean leat_session_replay_given (LeatSession *self, GPtrArray *inputs, GPtrArray **results,
                                    GCancellable *cancellable, GError **error);
/* From its next run on, what lives within a run is where others have it too (nullable); from any thread. */
void leat_session_set_scratch (LeatSession *self, LeatScratch *scratch);
/* How long the device had the last run; for who has had the session run it. */
gint64 leat_session_get_last_device_us (LeatSession *self);
/* The class of its runs among those of other sessions, and how much it is to have among equals. */
LeatPriority leat_session_get_priority (LeatSession *self);
guint leat_session_get_weight (LeatSession *self);
/* Of the device's memory, by the plan; 0 where it has none there: it is not open, or evicted.  Any thread. */
guint64 leat_session_get_planned_bytes (LeatSession *self);
/* The number that the monitor knows it by; 0 before it was opened. */
guint64 leat_session_get_monitored_id (LeatSession *self);

G_END_DECLS
