/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"
#include "schedule/leat-scheduler-private.h"

/* What docs/guide/scheduling.md says of the order, done in the plainest way: all sessions are looked through for each
 * decision. */

typedef struct
{
  guint session;
  gint64 deadline;
  LeatSubmissionState state;
  LeatPriority level; /* of its place */
  gint group;         /* whose turn it is; -1: none */
  gboolean brief;
  guint64 turn; /* 0: it was not begun */
} ModelRun;

typedef struct
{
  LeatPriority priority;
  guint weight;
  gint group; /* -1: none */
  gboolean paused;
  double served;
  gint64 lasted_us;
} ModelSession;

typedef struct
{
  guint n_sessions, in_flight;
  gboolean paused, drop_late;
  ModelSession *sessions;
  GArray *runs; /* ModelRun, in the order of submission */
  double reached[LEAT_N_PRIORITIES];
  guint64 n_turns;
} Model;

Model *model_new (guint n_sessions);
void model_free (Model *self);
/* Nothing begins before model_dispatch (). */
void model_submit (Model *self, guint session, gint64 deadline);
void model_cancel (Model *self, guint run);
void model_set_priority (Model *self, guint session, LeatPriority priority);
void model_end (Model *self, guint run, gint64 device_us, gint64 lasted_us);
void model_dispatch (Model *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (Model, model_free)
