/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-private.h"

G_BEGIN_DECLS

/* The costs of a session in so many runs, from its plan alone. */
typedef struct
{
  guint64 runs, lanes;
  /* Of the device's memory, as blocks are rounded. */
  guint64 lane_bytes; /* that each lane takes */
  guint64 scratch_bytes, state_bytes, constant_bytes, report_bytes, clock_bytes;
  guint64 device_bytes; /* all of these */
  guint64 shared_bytes; /* constants that are there already */
  guint64 pinned_bytes;
  guint64 memo_bytes; /* the most that may be remembered */
  guint64 allocations, pinned_allocations;
  guint64 once_bytes;                   /* written to the device for all runs */
  guint64 run_up_bytes, run_back_bytes; /* of one run, with all that it may have to do */
  guint64 up_bytes, back_bytes;         /* of all runs */
  guint64 waits;
} LeatSessionPlan;

/* The sums over a plan, on a device, with the options of its session (leat-sums.c). */
typedef struct
{
  LeatPlan *plan;
  LeatDevice *device;
  const LeatSessionOptions *options;
} LeatSums;

void leat_sums_get_constants (const LeatSums *self, LeatConstantBytes *constants);
/* Others come and go between the plan and the moment at which a constant is asked for: how it was then. */
void leat_program_sum_constants (const LeatProgram *program, LeatPlan *plan, LeatConstantBytes *constants);
/* @runs: the one that ends the stream is one of them. */
void leat_sums_fill (const LeatSums *self, const LeatConstantBytes *constants, guint lanes, guint64 runs,
                     LeatSessionPlan *plan);

/* Of a session (leat-session-budget.c). */
LeatSums leat_session_get_sums (LeatSession *self);
/* Of the plan that is bound: how many lanes there may be, with lanes=auto as many as the budget allows. */
guint leat_session_plan_lanes (LeatSession *self);
/* So many of @most as the budget allows; 0: not even one. */
guint leat_session_fit_lanes (LeatSession *self, guint most);
/* Of the device's memory, for the first lane: so much must be free that the session can be opened, or come back. */
guint64 leat_session_get_needed_bytes (LeatSession *self);
/* Does the plan fit into the session's own budget? */
gboolean leat_session_check_budget (LeatSession *self, GError **error);
/* And into what others leave, and what the device has? */
gboolean leat_session_check_budgets (LeatSession *self, GError **error);

G_END_DECLS
