/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-monitored-private.h"
#include "leat-session-stats-private.h"
#include "leat-trace-private.h"

G_BEGIN_DECLS

/* Room that an output was given since the session is open, because a run needed it. */
typedef struct
{
  char *output;
  guint64 needed, from, to;
} LeatGrowth;

/* One set of ways that calibration measured. */
typedef struct
{
  char *ways; /* "upload0=copy readback0=mapped" */
  double us;  /* median of a replay */
} LeatTrial;

/* Results found by trying. */
typedef struct
{
  GArray *trials;        /* LeatTrial */
  GArray *former_trials; /* LeatTrial, of the session that found the ways out, where another one did */
  gboolean to_calibrate; /* the first run has to find out how data go best */
  double trials_us;      /* for all trials together, once the first is over */
  GError *trial_error;   /* what it fails with where a loop ran away meanwhile */
  gboolean ways_known;   /* it did, or an earlier session */
  char *band;            /* that they are known for */
} LeatTuning;

/* Many runs, until the sources end. */
typedef struct
{
  const LeatPlan *not_wide; /* not owned: one that is known not to be streamed with many runs in a launch */
  gint64 last_progress_us;
} LeatStreaming;

/* Counts, by the owner of the session. */
typedef struct
{
  LeatSessionStats stats;
  gboolean levels_changed; /* graphs, or what is kept of them, since the stats were told */
  guint lanes_most;        /* that there have been since it was opened */
  guint64 n_quick;         /* runs that were done the short way, since the session was made */
  gint64 open_since_us;
  GArray *kernel_transfers; /* guint: ops that are kernels which move data between host and device */
  gint64 counted_seen_from; /* LeatGraphCounts.unseen_waits when start_counting () was called */
  LeatPrediction predicted; /* by the plans of all launches since the session was opened, summed up */
} LeatLedger;

/* Which runs have clocks. */
typedef struct
{
  gboolean is_on;                    /* runs may be: as timing_mode was when it was opened */
  guint n;                           /* runs that were */
  guint64 next;                      /* the run that is to be, once the first ones were */
  gint64 measured_us, unmeasured_us; /* the least that a run took that was, and one that was not */
} LeatMeasuring;

typedef struct
{
  LeatTrace *trace; /* NULL where none is written */
  guint n;          /* runs that were */
  GArray *widths;   /* guint, by lane: tracks of the device so far */
} LeatTracing;

/* Data that any thread may see: under the lock, or atomic. */
typedef struct
{
  GMutex lock;
  LeatSessionStats stats; /* as they were told last */
  char *name;
  char *device;           /* the id of the last device; NULL before the first */
  char *reason;           /* why an executable was built for the last plan that needed one; or NULL */
  LeatSessionTimes times; /* under the lock while the session is open */
  GPtrArray *growths;     /* LeatGrowth, likewise */
  GPtrArray *looping;     /* LeatLane: loops are under way in them */
  GPtrArray *reported;    /* LeatReportTold: by kernels in the last run in which any did */
  GVariant *queues;       /* of kernels, as somebody had them last; NULL before */
  GVariant *refusal;      /* what the run that was refused last failed with; or NULL */
  GArray *report_totals;  /* by node and code */
  GArray *loop_totals;    /* by loop of the plan */
  LeatMonitored monitored;
  guint64 id;      /* no other session of the process has it */
  GPtrArray *apps; /* LeatApp, from open to close */
} LeatTold;

G_END_DECLS
