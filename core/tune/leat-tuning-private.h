/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "lane/leat-run-private.h"
#include "state/leat-states-private.h"
#include "tell/leat-told-private.h"

G_BEGIN_DECLS

/* For all trials of a first run together. */
#define LEAT_TUNING_TRIALS_US 250000.0

/* One set of ways that calibration measured. */
typedef struct
{
  char *ways; /* "upload0=copy readback0=mapped" */
  double us;  /* median of a replay */
} LeatTrial;

/* Is there room for the plan of @session with these?  Where that is limited, the plan is bound to them. */
typedef gboolean (*LeatTuningFits) (gpointer session, const LeatTraits *traits);

/* Results found by trying.  Any thread may look at the trials, under the lock. */
typedef struct
{
  GMutex lock;
  GArray *trials;        /* LeatTrial */
  GArray *former_trials; /* LeatTrial, of the session that found the ways out, where another one did */
  gboolean to_calibrate; /* the first run has to find out how data go best */
  double trials_us;      /* for all trials together, once the first is over */
  GError *trial_error;   /* what the first run fails with where a loop ran away meanwhile */
  gboolean ways_known;   /* the first run found the ways out, or an earlier session did */
  char *band;            /* that they are known for */
  LeatTuningFits fits;
  gpointer session; /* for it */
} LeatTuning;

/* @fits: called with @session */
void leat_tuning_init (LeatTuning *self, LeatTuningFits fits, gpointer session);
void leat_tuning_clear (LeatTuning *self);
/* When a session opens.  Where @wanted, there is anything to find out, and nobody has before, or for other inputs: the
 * first run is to. */
void leat_tuning_begin (LeatTuning *self, LeatPlan *plan, LeatDevice *device, gboolean wanted);
/* With the inputs of the first run in place: finds the fastest ways, and binds the plan to them.  A loop that runs away
 * in the first trial ends the run, which fails when it is waited for. */
gboolean leat_tuning_calibrate (LeatTuning *self, LeatTold *told, LeatFlight *flight, GError **error);
/* To the band of the inputs that are there. FALSE: it is what it was, and the ways are known */
gboolean leat_tuning_take_band (LeatTuning *self, const LeatFlight *flight);
/* The ways that @from has, by op index, as far as @to has the same ops. @ways: as many as @to has ops */
void leat_plan_list_measured (LeatPlan *from, LeatPlan *to, guint *ways);
/* For the statistics: "trials" and "former-trials". */
void leat_tuning_fill_stats (LeatTuning *self, GVariantDict *dict);

/* Median time of a replay, in microseconds; negative after an error.  The time spent is taken off @left_us; where that
 * is used up, few replays do. */
double leat_flight_time_trial (LeatFlight *flight, double *left_us, GError **error);
/* Does what is found out depend on how full inputs are? */
gboolean leat_plan_has_bands (LeatPlan *plan);
/* Of the inputs that are in place. (transfer full) */
char *leat_flight_dup_band (const LeatFlight *flight);

/* Ways that were found out before (leat-known-ways.c). */
gboolean leat_tuning_recall_ways (LeatTuning *self, LeatPlan *plan, LeatDevice *device);
/* @ways: by op index */
gboolean leat_tuning_recall_ways_of_band (LeatTuning *self, LeatPlan *plan, LeatDevice *device, guint *ways);
void leat_tuning_remember_ways (LeatTuning *self, LeatPlan *plan, LeatDevice *device, const guint *ways, double us);
/* Of the plan and the device, without the contents of data. */
guint64 leat_plan_hash_geometry (LeatPlan *plan, LeatDevice *device);
/* Where what sessions learn of @kind is kept; NULL: nowhere. */
char *leat_learned_dup_folder (const char *kind);
/* One of them, of at most @most bytes: on disk, else in an artifact that is open. */
gboolean leat_learned_load (GKeyFile *file, const char *path, goffset most);

/* Findings of kernels about the device (leat-learned.c): read before memory is made for the plan, written after runs.
 */
void leat_plan_recall_learned (LeatPlan *plan, LeatDevice *device);
void leat_states_remember_learned (LeatStates *states, LeatDevice *device);

G_END_DECLS
