/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* Results found by trying, in the first run, and remembered on disk. */

void leat_session_plan_calibration (LeatSession *self);
/* Median time of a replay, in microseconds; negative after an error.  The time spent is taken off @left_us; where that
 * is used up, few replays do. */
double leat_session_time_trial (LeatSession *self, LeatLane *lane, double *left_us, GError **error);
gboolean leat_session_calibrate (LeatSession *self, LeatFlight *flight, GError **error);
gboolean leat_session_recall_ways (LeatSession *self);
/* @ways: by op index */
gboolean leat_session_recall_ways_of_band (LeatSession *self, guint *ways);
/* Does what is found out depend on how full inputs are? */
gboolean leat_session_has_bands (LeatSession *self);
/* Of the inputs that are in place. (transfer full) */
char *leat_session_dup_band (LeatSession *self, const LeatFlight *flight);
/* Of the plan and the device, without the contents of data. */
guint64 leat_session_hash_geometry (LeatSession *self);
/* Where what sessions learn of @kind is kept; NULL: nowhere. */
char *leat_session_dup_learned_folder (const char *kind);
void leat_session_recall_learned (LeatSession *self);
void leat_session_remember_learned (LeatSession *self);
gboolean leat_session_bind_likewise (LeatSession *self, LeatPlan *plan, GError **error);
void leat_session_remember_ways (LeatSession *self, const guint *ways, double us);

G_END_DECLS
