/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-driver-guest-private.h"
#include "kernel/device/leat-doorbell.h"
#include "leat-stayer-private.h"

G_BEGIN_DECLS

/* For leat-stayer*.c only. */

/* What became of a run that took too long. */
typedef struct
{
  guint64 number; /* 0: none */
  guint64 stage, block, ticks;
  guint64 behind; /* runs that had been rung for after it */
} LeatStayFault;

struct _LeatStayer
{
  LeatDevice *device;
  LeatPlan *plan; /* not owned */
  LeatModule *module;
  const LeatFunction *function;
  CUstream stream;
  LeatMemory *bell_memory, *home_memory, *args_memory;
  LeatDoorbell *bell; /* as the host has it */
  LeatStay stay;      /* what the kernel is launched with */
  LeatLaunchShape shape;
  guint blocks_fixed; /* that a kernel whose blocks wait for each other has; 0: as many as suit */
  guint noted_blocks; /* that the device counts as taken */
  guint64 home_bytes;
  const LeatOp *ops[LEAT_STAY_STAGES]; /* by stage */
  guint n_params[LEAT_STAY_STAGES];
  LeatDriverGuest guest;
  gboolean is_guest;

  GMutex lock;                               /* all that follows; taken after the house of the driver's guests */
  guint8 *args;                              /* what the device has, of all lanes */
  guint n_lanes;                             /* that have rung */
  guint64 rung;                              /* number of the last run */
  gboolean is_asked;                         /* to leave */
  LeatStayFault faults[LEAT_DOORBELL_SLOTS]; /* by number of the run, modulo theirs */
  LeatStayCounts counts;
};

/* With the lock held; others read it without. */
static inline void
leat_stayer_count (guint64 *counter)
{
  __atomic_store_n (counter, *counter + 1, __ATOMIC_RELAXED);
}

#define LEAT_STAYER_LOOKS    32     /* at the doorbell for one at the clock */
#define LEAT_STAYER_CHECK_US 200000 /* between looks at the driver, once a run takes that long */

/* For no answer at all, before the device counts as hung. */
gint64 leat_stayer_get_patience_us (LeatStayer *self);
/* With the lock held. */
gboolean leat_stayer_is_gone (LeatStayer *self);
/* A run took too long: the kernel is ending, and is waited for. */
gboolean leat_stayer_settle_fault (LeatStayer *self, GError **error);
void leat_stayer_fail_run (LeatStayer *self, const LeatStayFault *fault, GError **error);

/* What stages there are (leat-stayer-plan.c). */
gboolean leat_stayer_list_stages (LeatStayer *self, GError **error);
/* Are the parameters of a lane what they were when it rang last?  Where not, takes them over. */
gboolean leat_stayer_take_params (LeatStayer *self, LeatLane *lane);
/* Once it is known how many blocks there are: kernels that are for as many as there are have that many. */
void leat_stayer_fit_stages (LeatStayer *self);
LeatKernelSource *leat_stayer_find_source (LeatPlan *plan);

G_END_DECLS
