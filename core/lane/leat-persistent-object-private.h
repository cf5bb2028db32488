/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-driver-guest-private.h"
#include "kernel/device/leat-run-signal.h"
#include "leat-persistent-private.h"

G_BEGIN_DECLS

/* For leat-persistent*.c only. */

/* A run that took too long, and where it was. */
typedef struct
{
  guint64 number; /* 0: none */
  guint64 stage, block, ticks;
  guint64 behind; /* runs that had been signalled after it */
} LeatPersistentFault;

struct _LeatPersistent
{
  LeatDevice *device;
  LeatPlan *plan; /* not owned */
  LeatModule *module;
  const LeatFunction *function;
  CUstream stream;
  LeatMemory *signal_memory, *grid_memory, *args_memory;
  LeatRunSignal *signal;       /* as the host has it */
  LeatPersistentParams params; /* what the kernel is launched with */
  LeatLaunchShape shape;
  guint blocks_fixed; /* that a kernel whose blocks wait for each other has; 0: as many as suit */
  guint noted_blocks; /* that the device counts as taken */
  guint64 grid_bytes;
  const LeatOp *ops[LEAT_PERSISTENT_STAGES]; /* by stage */
  guint n_params[LEAT_PERSISTENT_STAGES];
  LeatDriverGuest guest;
  gboolean is_guest;

  GMutex lock;       /* all that follows; taken after the house of the driver's guests */
  guint8 *args;      /* what the device has, of all lanes */
  guint n_lanes;     /* that have signalled */
  guint64 signalled; /* number of the last run */
  gboolean is_asked; /* to leave */
  LeatPersistentFault faults[LEAT_RUN_SIGNAL_SLOTS]; /* by number of the run, modulo theirs */
  LeatPersistentCounts counts;
};

/* With the lock held; others read it without. */
static inline void
leat_persistent_count (guint64 *counter)
{
  __atomic_store_n (counter, *counter + 1, __ATOMIC_RELAXED);
}

#define LEAT_PERSISTENT_LOOKS    32     /* at the run signal for one at the clock */
#define LEAT_PERSISTENT_CHECK_US 200000 /* between looks at the driver, once a run takes that long */

/* For no answer at all, before the device counts as hung. */
gint64 leat_persistent_get_patience_us (LeatPersistent *self);
/* A run took too long: the kernel is ending, and is waited for. */
gboolean leat_persistent_settle_fault (LeatPersistent *self, GError **error);
void leat_persistent_fail_run (LeatPersistent *self, const LeatPersistentFault *fault, GError **error);

/* Lists the stages (leat-persistent-stages.c). */
gboolean leat_persistent_list_stages (LeatPersistent *self, const LeatLoadedKernel *loaded, GError **error);
/* Are the parameters of a lane what they were when it rang last?  Where not, takes them over. */
gboolean leat_persistent_take_params (LeatPersistent *self, LeatLane *lane);
/* Once the number of blocks is known: kernels for as many blocks as there are get that many. */
void leat_persistent_fit_stages (LeatPersistent *self);
LeatKernelSource *leat_persistent_find_source (LeatPlan *plan);

G_END_DECLS
