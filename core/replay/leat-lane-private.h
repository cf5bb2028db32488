/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "device/leat-device-private.h"
#include "device/leat-memory-private.h"
#include "device/leat-module-private.h"
#include "device/leat-stream-private.h"
#include "driver/leat-driver-error.h"
#include "graph/leat-endpoint.h"
#include "graph/leat-node-private.h"
#include "leat-store-private.h"
#include "plan/leat-plan-private.h"
#include "replay/leat-session.h"

G_BEGIN_DECLS

/* One set of inputs and outputs in flight: the memory, the launches and the graph of a bound plan.  Constants and
 * loaded kernels belong to the session and are lent (LeatResident). */

/* What all lanes of a session share. */
typedef struct
{
  gatomicrefcount refs;
  LeatDevice *device;
  gboolean measured;              /* runs may be: the lanes have clocks */
  LeatPlan *plan;                 /* not owned */
  GPtrArray *blocks;              /* LeatBlock or NULL, by buffer id: CONST buffers */
  GHashTable *modules;            /* LeatKernelSource -> LeatModule */
  LeatModule **op_modules;        /* by op index; NULL but for kernels; of @modules */
  const LeatFunction **functions; /* by op index; NULL but for kernels */
  const LeatFunction **timed;     /* likewise, those that tell when they ran; NULL where none does */
} LeatResident;

typedef struct _LeatTiming LeatTiming;

#define LEAT_PARAM_SLOT 16 /* bytes a parameter may take, and its alignment */

/* A kernel's parameters as the driver takes them: pointers into one block of storage. */
typedef struct
{
  void **params;
  guint8 *storage;
  guint n_params;
} LeatLaunch;

/* What one run may be: all of the plan, or all but the uploads of inputs that are on the device already. */
typedef enum
{
  LEAT_PATH_FULL,
  LEAT_PATH_RESIDENT,
  LEAT_PATH_TIMED, /* all of the plan, with a clock at every op */
  LEAT_N_PATHS
} LeatPath;

/* A graph, instantiated: a path, or a piece of one where the plan has several. */
typedef struct _LeatExecutable LeatExecutable;
struct _LeatExecutable
{
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode *ends;    /* what others wait for: the nodes, or the events behind them; one table likewise */
  CUgraphNode *nodes;   /* by op index, NULL where the path leaves the op out; one table for all pieces of a path */
  guint64 launches;     /* of the path; in its first piece */
  guint first, end;     /* the ops that are in it */
  guint64 device_bytes; /* of all pieces of the path; in its first */
  gboolean is_built;    /* in the first piece: all of them are there */
  LeatExecutable *next;
};

/* How often what. */
typedef struct
{
  guint64 updates;        /* nodes given other values in place */
  guint64 graph_updates;  /* executables given another graph in place */
  guint64 instantiations; /* executables made */
  gint64 instantiate_us;  /* what that took, with their upload */
} LeatGraphCounts;

typedef struct _LeatLane LeatLane;
struct _LeatLane
{
  LeatPlan *plan;
  LeatResident *resident;
  LeatGraphCounts *counts; /* not owned */
  const LeatDriverTable *table;
  LeatStream *stream;
  LeatEvent *ended;   /* recorded behind a run where a thread is to sleep until its end */
  gint64 recent_ns;   /* how long the last runs took, the newer the more it counts; 0: not known */
  guint64 seen_ended; /* waits that ended by looking */

  LeatBlock *arena;
  GPtrArray *blocks;      /* LeatBlock or NULL, by buffer id: STATE and STAGING buffers */
  CUdeviceptr *addresses; /* by buffer id: first byte, header included */
  guint8 **hosts;         /* by buffer id: the same for the host, NULL where it cannot see it */
  LeatLaunch *launches;   /* by op index */

  LeatStore *store;  /* not owned: of its memory */
  GArray *counted;   /* LeatCounted */
  LeatMemory *overs; /* pinned: for each of them 0, or a count above the capacity; NULL where there are none */

  LeatTiming *timing; /* NULL where no run is to be measured */

  LeatExecutable executables[LEAT_N_PATHS]; /* all zeros where not built */
  guint64 reserved_bytes;                   /* for graphs of the process, when the last one was built */
  gboolean is_cut_anew;                     /* while graphs are built: the plan has other pieces now */
  LeatLane *donor;                          /* while graphs are built: whose executables may be updated */
  char *refusal;                            /* and why the driver did not */
};

/* @measured: runs may be.  Modules that @lender, which may be NULL, has loaded for the same nodes are taken from there.
 */
LeatResident *leat_resident_new (LeatPlan *plan, LeatStore *store, LeatDevice *device, gboolean measured,
                                 LeatResident *lender, GError **error);
/* Loads what kernels of a plan bound anew are not there yet. */
gboolean leat_resident_load_kernels (LeatResident *self, LeatResident *lender, GError **error);
/* Each lane has one: what its graphs use stays as long as they do. */
LeatResident *leat_resident_ref (LeatResident *self);
void leat_resident_unref (LeatResident *self);
/* Constants whose memory does not hold their bytes are written. */
gboolean leat_resident_write_constants (LeatResident *self, GError **error);

/* For messages: those with kernels, any of which may be the one at fault. (transfer full) */
char *leat_lane_list_nodes (LeatPlan *plan);
LeatLane *leat_lane_new (LeatPlan *plan, LeatResident *resident, LeatStore *store, LeatGraphCounts *counts,
                         GError **error);
/* Where it is not certain that its last run has ended, it is kept until it is (leat_device_settle ()). */
void leat_lane_free (LeatLane *self);
gboolean leat_lane_allocate (LeatLane *self, GError **error);
/* What is kept from run to run begins anew, but for the memory that @before (or NULL), which ran until now, has too. */
gboolean leat_lane_begin (LeatLane *self, LeatLane *before, GError **error);
/* From here on the lane does @plan, which matches its own: kernels that are launched otherwise are updated in every
 * graph.  After an error it is what it was, unless @broken says that some are updated and some are not. */
gboolean leat_lane_adjust (LeatLane *self, LeatPlan *plan, LeatResident *resident, gboolean *broken, GError **error);
/* After the plan was bound anew: all but the staging memory, which programs may hold, is made again; state begins as at
 * first. */
gboolean leat_lane_rebuild (LeatLane *self, GError **error);
gboolean leat_lane_pack_launches (LeatLane *self, GError **error);
gboolean leat_lane_build_graph (LeatLane *self, LeatPath path, GError **error);
/* The same, with the executable of @donor, whose plan is alike, updated where the driver does so: it has none then.
 * @why: (transfer full): where not, the reason; NULL where it did. */
gboolean leat_lane_take_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error);
/* Gives the kernel node of @op what its launch is packed with. */
gboolean leat_lane_update_kernel (LeatLane *self, LeatPath path, const LeatOp *op, GError **error);
void leat_lane_destroy_path (LeatLane *self, LeatPath path);
void leat_lane_destroy_graphs (LeatLane *self);
/* What a path launches for the kernel of @op. */
CUfunction leat_lane_get_function (LeatLane *self, LeatPath path, const LeatOp *op);
/* With the context current. */
guint64 leat_lane_get_unused_bytes (LeatLane *self);
void leat_lane_note_graph_bytes (LeatLane *self, LeatPath path, guint64 unused_before);
guint64 leat_lane_get_graph_bytes (LeatLane *self);
guint64 leat_lane_get_reserved_bytes (LeatLane *self);
void leat_lane_trim_graph_memory (LeatLane *self);
/* Does a path leave an op out?  The host's are in none. */
gboolean leat_path_skips (LeatPath path, const LeatOp *op);

/* For who builds them piece by piece.  FALSE without an error where the lane is cut anew. */
gboolean leat_lane_fill_graph (LeatLane *self, LeatPath path, LeatExecutable *to, GError **error);
LeatExecutable *leat_lane_find_executable (LeatLane *self, LeatPath path, const LeatOp *op);

/* All of a path, graphs and ops between them. */
gboolean leat_lane_launch (LeatLane *self, LeatPath path, GError **error);
gboolean leat_lane_launch_graph (LeatLane *self, LeatExecutable *executable, GError **error);
/* The ops from @first to before @end, one by one; the device's context must be current. */
gboolean leat_lane_launch_ops (LeatLane *self, LeatPath path, guint first, guint end, GError **error);
gboolean leat_lane_synchronize (LeatLane *self, GError **error);
/* For a run, in the way that the session says. */
gboolean leat_lane_wait (LeatLane *self, LeatWait wait, GError **error);
void leat_lane_note_wait (LeatLane *self, gint64 us);
/* For another thread to wait: the event behind what was launched, and what its wait gave. */
gboolean leat_lane_record_end (LeatLane *self, GError **error);
gboolean leat_lane_check_wait (LeatLane *self, CUresult result, GError **error);

/* The host's view of a staging buffer. */
void leat_lane_view (LeatLane *self, LeatBufferId buffer, LeatView *view);
void leat_lane_set_count (LeatLane *self, LeatBufferId buffer, guint64 count);
/* Tells the kernels that the run to come ends the stream. */
gboolean leat_lane_set_ending (LeatLane *self, GError **error);

gboolean leat_lane_allocate_overs (LeatLane *self, GError **error);
/* Where a kernel says that its argument @arg is a count above the capacity. */
CUdeviceptr leat_lane_get_over (LeatLane *self, const LeatOp *op, guint arg);
/* After a run: was every count that a kernel took one that its buffer has room for? */
gboolean leat_lane_check_overs (LeatLane *self, GError **error);

void leat_launch_clear (LeatLaunch *self);
gboolean leat_launch_pack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatResident, leat_resident_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLane, leat_lane_free)

G_END_DECLS
