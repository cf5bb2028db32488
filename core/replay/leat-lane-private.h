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
#include "kernel/device/leat-report-block.h"
#include "leat-repeater-private.h"
#include "leat-store-private.h"
#include "plan/leat-plan-private.h"
#include "replay/leat-session.h"

G_BEGIN_DECLS

/* One set of inputs and outputs in flight: the memory, the launches and the graph of a bound plan.  Constants and
 * loaded kernels belong to the session and are lent (LeatProgram). */

/* What became of a persistent kernel (leat-persistent-private.h). */
typedef struct _LeatPersistent LeatPersistent;

typedef struct
{
  guint64 signals;  /* runs */
  guint64 launches; /* launches of the kernel */
  guint64 leaves;   /* times that it was asked to leave */
  guint64 faults;   /* runs that took too long */
} LeatPersistentCounts;

/* What all lanes of a session share. */
typedef struct
{
  gatomicrefcount refs;
  LeatDevice *device;
  gboolean measured;                /* runs may be: the lanes have clocks */
  LeatPlan *plan;                   /* not owned */
  GPtrArray *blocks;                /* LeatBlock or NULL, by buffer id: CONST buffers */
  GHashTable *modules;              /* LeatKernelSource -> LeatModule */
  GHashTable *wide;                 /* likewise, of wide images, */
  GHashTable *enclosed;             /* and of those for bodies of loops */
  LeatModule **op_modules;          /* by op index; NULL but for kernels; of @modules */
  const LeatFunction **functions;   /* by op index; NULL but for kernels */
  const LeatFunction **timed;       /* likewise, those that tell when they ran; NULL where none does */
  const LeatPrototype **prototypes; /* by op index: what @functions has is of; transfers come to have another */
  LeatPersistent *persistent;       /* NULL where runs are launched */
} LeatProgram;

typedef struct _LeatTiming LeatTiming;

#define LEAT_SLOT_TAG                                                                                                  \
  1 /* in the address of a slot, where a kernel may be given that or an address (LeatImageTarget)                      \
     */

/* Memory that the program brought for one port. */
typedef struct
{
  guint64 given;       /* its address as the program has it; 0 where nothing is bound */
  CUdeviceptr address; /* and as the device has it */
  guint64 bytes;
  guint64 count; /* of an input */
  guint64 serial;
  gboolean on_device;
} LeatBinding;

/* The address may be one of the device. @counts: the count is the program's too */
static inline void
leat_binding_view (const LeatBinding *self, LeatView *view, gboolean counts)
{
  view->data = (gpointer) (guintptr) self->given;
  if (counts)
    view->count = self->count;
}

#define LEAT_PARAM_SLOT 48 /* bytes a parameter may take, and a multiple of its alignment */

/* A kernel's parameters as the driver takes them: pointers into one block of storage. */
typedef struct
{
  void **params;
  guint8 *storage;
  guint n_params;
  void *handle; /* of them, that of the loop; NULL where it is no test of one */
} LeatLaunch;

/* What one run may be: all of the plan, or all but the uploads of inputs that are on the device already. */
typedef enum
{
  LEAT_PATH_FULL,
  LEAT_PATH_REUSED,
  LEAT_PATH_TIMED, /* all of the plan, with a clock at every op */
  LEAT_PATH_FIRST, /* without readbacks: a run that others follow with nothing in between */
  LEAT_PATH_STEP,  /* without uploads and readbacks */
  LEAT_N_PATHS
} LeatPath;

/* What crosses the link, one way and the other. */
typedef struct
{
  guint64 uploads, readbacks; /* copies */
  guint64 up_bytes, back_bytes;
} LeatTraffic;

/* A loop in a graph. */
typedef struct
{
  CUgraphConditionalHandle handle;
  CUgraph body; /* the outer graph's */
} LeatLoopGraph;

/* A graph, instantiated: a path, or a piece of one where the plan has several. */
typedef struct _LeatExecutable LeatExecutable;
struct _LeatExecutable
{
  CUgraph graph;
  CUgraphExec exec;
  CUgraphNode *ends;      /* what others wait for: the nodes, or the events behind them; one table likewise */
  CUgraphNode turn;       /* waits for the lanes before; NULL where nothing in it has to */
  CUgraphNode *nodes;     /* by op index, NULL where the path leaves the op out; one table for all pieces of a path */
  LeatLoopGraph *loops;   /* by loop index; one table likewise */
  CUgraphNode **unrolled; /* by op index: in an unrolled loop, those of all iterations; NULL else; one table likewise */
  guint64 launches;       /* of the path; in its first piece */
  guint64 counted_from;   /* launches when start_counting () was called; likewise */
  guint first, end;       /* the ops that are in it */
  LeatTraffic *copies;    /* by op index: what its nodes bring, as they were added or updated; one table likewise */
  LeatTraffic traffic;    /* of all copies in it */
  guint64 device_bytes;   /* of all pieces of the path; in its first */
  guint64 bound;          /* serial of the last binding that the path knows; in its first piece */
  guint64 made_with;      /* that serial when its graph was made, whose nodes stay as they are; likewise */
  gboolean is_built;      /* in the first piece: all of them are there */
  LeatExecutable *next;
};

/* What a node of a graph comes after. */
typedef struct
{
  CUgraphNode *nodes;
  CUgraphEdgeData *data; /* NULL: of all it waits for the end */
  gsize n;
} LeatEdges;

/* What runs have come to, counted where each call is made. */
typedef struct
{
  LeatTraffic traffic;
  guint64 launches; /* of graphs, and of single ops */
  guint64 waits;    /* for the end of a run */
} LeatWorkCounts;

/* The work that graphs did, by the nodes that the driver says they have. */
typedef struct
{
  guint64 kernels, copies, fills, early_starts;
  guint64 uploads, readbacks; /* of the copies */
} LeatGraphCount;

/* How often what. */
typedef struct
{
  guint64 updates;               /* nodes given other values in place */
  guint64 graph_updates;         /* executables given another graph in place */
  guint64 instantiations;        /* executables made */
  gint64 instantiate_us;         /* what that took, with their upload */
  guint64 on_device;             /* runs that a loop on the device did */
  guint64 unrolled;              /* runs that were children of one graph */
  const char *why_not_on_device; /* static: why those that were repeated last were not; NULL: they were */
  LeatWorkCounts work;
  gint64 unseen_waits;  /* that ended by looking, less calls that waited and were not for a run */
  gboolean is_counting; /* between start_counting () and stop_counting (): */
  LeatGraphCount gone;  /* what graphs did that are gone */
} LeatGraphCounts;

/* How runs of which only the last gives results are repeated. */
typedef enum
{
  LEAT_REPEAT_ON_DEVICE, /* by a loop on the device: one graph for any number */
  LEAT_REPEAT_UNROLLED,  /* as children of a graph, one behind the other */
  LEAT_REPEAT_ALONE,     /* by a launch each */
} LeatRepeatWay;

/* A graph in which that of a path comes several times. */
typedef struct
{
  LeatPath path;
  guint n; /* children, or LEAT_REPEAT_ANY; 0: not built */
  CUgraph graph;
  CUgraphExec exec;
} LeatRepeatGraph;

/* Whose turn it is with what lanes share, such as state: an event, recorded behind the last op of a run that touches
 * any of it, and waited for before the first one of the next run. */
typedef struct
{
  gatomicrefcount refs;
  LeatEvent *event;
} LeatTurn;

/* What one op reported with one code, in one run. */
typedef struct
{
  const LeatOp *op;
  guint entry; /* of a batch; 0 in other runs */
  guint64 run; /* counted from 1 */
  guint code;  /* LEAT_REPORT_CODES for all that a file cannot declare */
  guint64 count;
  guint n_records; /* of the first that came, in the order of their indices */
  LeatReportRecord records[LEAT_REPORT_KEPT];
  const LeatBuffer *queue; /* NULL; or it is no report of the kernel's own but of what became of this queue: */
  LeatQueueTotals totals;
  const GError *error; /* not owned: that was made of it, for the lane of a batch; NULL: none */
} LeatReport;

/* What ends early what the host launches again and again: repeated runs, and loops. */
typedef struct
{
  const gint *closing;       /* the session is being closed where it is not 0 */
  GCancellable *cancellable; /* (nullable) */
} LeatStop;

typedef struct _LeatLane LeatLane;
struct _LeatLane
{
  LeatPlan *plan;
  LeatProgram *program;
  LeatGraphCounts *counts; /* not owned */
  const LeatDriverTable *table;
  LeatStream *stream;
  const LeatStop *stop; /* (nullable): of the run that is being launched */
  LeatEvent *ended;     /* recorded behind a run where a thread is to sleep until its end */
  gint64 recent_ns;     /* how long the last runs took, the newer the more it counts; 0: not known */
  guint64 other_waits;  /* calls that waited and were not for a run: a graph built on the way, the word that data end */
  gboolean on_host;     /* the device is the CPU */

  LeatBlock *arena;
  LeatMemory *marks;      /* NULL where no kernel has any */
  GPtrArray *blocks;      /* LeatBlock or NULL, by buffer id: STATE and STAGING buffers */
  CUdeviceptr *addresses; /* by buffer id: first byte, header included */
  guint8 **hosts;         /* by buffer id: the same for the host, NULL where it cannot see it */
  LeatLaunch *launches;   /* by op index */

  LeatBinding *bindings;    /* by slot */
  guint64 bound;            /* serial of the last one */
  guint64 checked;          /* and of the last one that all were held against each other with */
  gboolean is_kind_changed; /* a copy has another kind of memory at its end than its node */

  LeatStore *store;  /* not owned: of its memory */
  GArray *counted;   /* LeatCounted */
  LeatMemory *overs; /* pinned: for each of them 0, or a count above the capacity; NULL where there are none */

  LeatLane *first; /* of the setup, whose state this one uses too; NULL in the first.  Not owned, and for allocate () */
  LeatTurn *turn;  /* NULL where nothing has to be done lane after lane */
  guint turn_first, turn_last; /* the ops from which to which it is the lane's; the first is after the last: none */

  /* of a plan for several lanes (leat-lane-wide.c) */
  guint live;          /* of them, those that the next launch is for */
  guint shift;         /* the lane whose memory `addresses` and `hosts` have; 0 but for a moment */
  LeatLaunch **spread; /* by op index: one for each lane; NULL but for kernels that are launched so */

  LeatMemory
    *report_blocks;   /* on the device, one for each op that may report; NULL where none does or they are mapped */
  GArray *gaps;       /* of guarded memory, as last listed (leat_lane_guard ()); or NULL */
  GPtrArray *guarded; /* LeatBuffer, likewise; lent while they are listed */
  LeatMemory *told;   /* pinned: 1 where any has, then for each of them likewise; mapped blocks */
  guint n_reporting;  /* ops that may report */

  LeatTiming *timing; /* NULL where no run is to be measured */

  LeatPersistent *persistent; /* not owned: that it has signalled, in which its number is: */
  guint param_lane;
  guint64 signalled; /* number of the run that it has under way there; 0: none */
  gboolean ran_away; /* the last one took too long and was ended, wherever its blocks were */

  LeatExecutable executables[LEAT_N_PATHS]; /* all zeros where not built */
  LeatRepeatGraph repeats[3];               /* a large one, one for the rest, and one on the device */
  LeatRepeatWay least_way;                  /* those before it the driver does not do with this graph */
  LeatRepeater *repeater;                   /* NULL before there was a loop on the device */
  guint64 counted_repeater_from;            /* kernels of it when start_counting () was called */
  LeatEvent *held[2];                       /* recorded among many launches by turns; NULL before there were many */
  guint64 reserved_bytes;                   /* for graphs of the process, when the last one was built */
  gboolean is_cut_anew;                     /* while graphs are built: the plan has other pieces now */
  LeatLane *donor;                          /* while graphs are built: whose executables may be updated */
  char *refusal;                            /* and why the driver did not */
};

/* @measured: runs may be.  Modules that @lender, which may be NULL, has loaded for the same nodes are taken from there.
 */
LeatProgram *leat_program_new (LeatPlan *plan, LeatStore *store, LeatDevice *device, gboolean measured,
                               LeatProgram *lender, GError **error);
/* Loads what kernels of a plan bound anew are not there yet. */
gboolean leat_program_load_kernels (LeatProgram *self, LeatProgram *lender, GError **error);
/* Each lane has one: what its graphs use stays as long as they do. */
LeatProgram *leat_program_ref (LeatProgram *self);
void leat_program_unref (LeatProgram *self);
/* Their memory is given back, and found or made again; modules stay, for what kernels keep in variables of theirs. */
void leat_program_drop_constants (LeatProgram *self);
gboolean leat_program_find_constants (LeatProgram *self, LeatStore *store, GError **error);
/* Constants whose memory does not hold their bytes are written. */
gboolean leat_program_write_constants (LeatProgram *self, GError **error);

/* For messages: those with kernels, any of which may be the one at fault. (transfer full) */
char *leat_lane_list_nodes (LeatPlan *plan);
/* @first: (nullable): the lane whose state this one shares; then the store's round goes on */
LeatLane *leat_lane_new (LeatPlan *plan, LeatProgram *program, LeatStore *store, LeatGraphCounts *counts,
                         LeatLane *first, GError **error);
/* Memory of its own, in the account of its store. */
LeatMemory *leat_lane_new_memory (LeatLane *self, LeatMemoryUse use, LeatMemoryKind kind, guint64 bytes,
                                  const char *what, GError **error);
/* As before the first run.  With nothing of this lane under way. */
gboolean leat_lane_clear_marks (LeatLane *self, GError **error);
/* What the lane has goes to no other lane in this round of its store. */
void leat_lane_hold_memory (LeatLane *self);

/* Of a first lane, to where its store has it now; the graphs are built anew then.  What it held is not there any more.
 */
gboolean leat_lane_move_arena (LeatLane *self, GError **error);

/* What is done lane after lane (leat-lane-turn.c). */
LeatTurn *leat_turn_new (LeatDevice *device, GError **error);
LeatTurn *leat_turn_ref (LeatTurn *self);
void leat_turn_unref (LeatTurn *self);
/* Does any op use what lanes share? */
gboolean leat_plan_takes_turns (LeatPlan *self);
gboolean leat_plan_has_turn (LeatPlan *self, const LeatOp *op);
/* From the next graph on. */
void leat_lane_set_turn (LeatLane *self, LeatTurn *turn);
void leat_lane_find_turn (LeatLane *self);
/* Within a graph, where all that takes turns is in it: the node before, the edge to an op, and the node behind. */
gboolean leat_lane_begin_turn (LeatLane *self, LeatExecutable *to, GError **error);
void leat_lane_add_turn_edge (LeatLane *self, const LeatExecutable *to, const LeatOp *op, LeatEdges *edges);
gboolean leat_lane_end_turn (LeatLane *self, LeatPath path, LeatExecutable *to, GError **error);
/* Outside of graphs: before the launch of the ops from @first to before @end, and behind it. */
gboolean leat_lane_await_turn (LeatLane *self, guint first, guint end, GError **error);
gboolean leat_lane_pass_turn (LeatLane *self, guint first, guint end, GError **error);
/* Where it is not certain that its last run has ended, it is kept until it is (leat_device_settle ()). */
void leat_lane_free (LeatLane *self);
gboolean leat_lane_allocate (LeatLane *self, GError **error);

/* Memory that the program brings (leat-lane-bind.c). */
void leat_lane_place_users (LeatLane *self);
void leat_lane_bind (LeatLane *self, guint slot, const LeatBinding *to);
void leat_lane_take_bindings (LeatLane *self, LeatLane *from);
/* Before a launch, and before the path is built: the path goes by what is bound now.  It may have to be built after
 * this. */
gboolean leat_lane_bring_bindings (LeatLane *self, LeatPath path, GError **error);
/* Would a graph have a copy without an address? */
gboolean leat_lane_lacks_bindings (LeatLane *self);
/* What a kernel is given for the items of a buffer: their address, or where it finds it. */
CUdeviceptr leat_lane_get_items (LeatLane *self, LeatBufferId id);
/* What a copy is given for one end; of memory that the program brings, others than transfers copy counts alone. @host:
 * NULL for memory of the device */
void leat_lane_get_end (LeatLane *self, const LeatOp *op, LeatBufferId id, CUdeviceptr *device, void **host);

/* What is kept from run to run begins anew, but for the memory that @before (or NULL), which ran until now, has too. */
gboolean leat_lane_begin (LeatLane *self, LeatLane *before, GError **error);
/* From here on the lane does @plan, which matches its own: kernels that are launched otherwise are updated in every
 * graph.  After an error it is what it was, but where @broken says so, its graphs are neither the one nor the other. */
gboolean leat_lane_adjust (LeatLane *self, LeatPlan *plan, LeatProgram *program, gboolean *broken, GError **error);
/* After the plan was bound anew: all but the staging memory, which programs may hold, is made again; state begins as at
 * first. */
gboolean leat_lane_rebuild (LeatLane *self, GError **error);
/* All of it but the staging memory.  The stream is idle. */
void leat_lane_free_device_half (LeatLane *self);
/* Is it the first lane's? */
gboolean leat_lane_borrows (const LeatLane *self, const LeatBuffer *buffer);
/* The memory of a lane without others leaves the device and comes back (leat-lane-evict.c).  What survives from run to
 * run and is its own, by buffer id: GBytes or NULL. (transfer full) */
GPtrArray *leat_lane_read_kept (LeatLane *self, GCancellable *cancellable, GError **error);
/* Nothing can fail: graphs, launches and all memory of the device go. */
void leat_lane_evict (LeatLane *self);
/* With constants in place.  After an error it is evicted as before. */
gboolean leat_lane_restore (LeatLane *self, GPtrArray *kept, GCancellable *cancellable, GError **error);
gboolean leat_lane_pack_launches (LeatLane *self, GError **error);
gboolean leat_lane_build_graph (LeatLane *self, LeatPath path, GError **error);
/* Adds an op to the graph that is being built. */
gboolean leat_lane_add_node (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op, GError **error);
gboolean leat_lane_add_work (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op,
                             const LeatEdges *edges, GError **error);
/* Loops (leat-lane-loop.c).  The graph that an op is in: of a piece, or of a body. */
CUgraph leat_executable_get_graph (const LeatExecutable *self, const LeatOp *op);
gboolean leat_lane_make_loop_handle (LeatLane *self, LeatExecutable *to, const LeatPlanLoop *loop, GError **error);
void leat_lane_set_loop_handle (LeatLane *self, LeatPath path, const LeatOp *op, gboolean in_graph);
gboolean leat_lane_add_while (LeatLane *self, LeatExecutable *to, const LeatOp *op, const LeatEdges *edges,
                              GError **error);
gboolean leat_lane_add_unrolled (LeatLane *self, LeatPath path, LeatExecutable *to, const LeatOp *op,
                                 const LeatEdges *edges, GError **error);
/* Outside of graphs. */
gboolean leat_lane_drive_loop (LeatLane *self, LeatPath path, const LeatPlanLoop *loop, GError **error);
/* What became of it in the last run, which has ended. */
void leat_lane_get_loop_report (LeatLane *self, const LeatPlanLoop *loop, LeatLoopReport *report);
/* Has any of its loops been ended by its budget? */
gboolean leat_lane_has_runaway (LeatLane *self);
void leat_lane_forget_runaways (LeatLane *self);
/* From any thread, of what is launched: the iterations that are under way are the last. */
void leat_lane_end_loops (LeatLane *self);
/* What goes on from one iteration to the next, and how many items of it there are where that is still known: after a
 * run, with the device's context current.  (transfer full) */
char *leat_lane_dup_loop_state (LeatLane *self, const LeatPlanLoop *loop, gboolean counts);
/* What a node of a graph is given now. */
CUDA_MEMCPY3D leat_lane_get_copy (LeatLane *self, const LeatOp *op);
CUDA_KERNEL_NODE_PARAMS leat_lane_get_kernel (LeatLane *self, LeatPath path, const LeatOp *op);
/* Remembers what the node of a copy was given. */
void leat_executable_note_copy (LeatExecutable *self, const LeatOp *op, const CUDA_MEMCPY3D *copy);
gboolean leat_lane_fail (LeatLane *self, const LeatOp *op, const char *call, CUresult result, GError **error);
/* The same, with the executable of @donor, whose plan is alike, updated where the driver does so: it has none then.
 * @why: (transfer full): where not, the reason; NULL where it did. */
gboolean leat_lane_take_graph (LeatLane *self, LeatPath path, LeatLane *donor, char **why, GError **error);
/* Gives the kernel node of @op what its launch is packed with.  The context must be current: the driver crashes where
 * none is, whatever the parameters say. */
gboolean leat_lane_update_kernel (LeatLane *self, LeatPath path, const LeatOp *op, GError **error);
/* Gives the node of a copy the addresses that its ends have now. */
gboolean leat_lane_update_copy (LeatLane *self, LeatPath path, const LeatOp *op, GError **error);
void leat_lane_drop_graph (LeatLane *self, CUgraphExec exec, CUgraph graph); /* either may be NULL */
void leat_lane_destroy_path (LeatLane *self, LeatPath path);
void leat_lane_destroy_graphs (LeatLane *self);
/* Before its session goes, which counts for it. */
void leat_lane_leave_counts (LeatLane *self);
/* What a path launches for the kernel of @op. */
CUfunction leat_lane_get_function (LeatLane *self, LeatPath path, const LeatOp *op);
/* With the context current. */
guint64 leat_lane_get_unused_bytes (LeatLane *self);
void leat_lane_note_graph_bytes (LeatLane *self, LeatPath path, guint64 unused_before);
guint64 leat_lane_get_graph_bytes (LeatLane *self);
guint64 leat_lane_get_reserved_bytes (LeatLane *self);
void leat_lane_trim_graph_memory (LeatLane *self);
/* FALSE with the reason, when what is on the stream has ended: it reads memory that is filled anew for the next run. */
gboolean leat_lane_may_go_on (LeatLane *self, const LeatStop *stop, GError **error);
/* A path @n times, with nothing waited for: in one launch where the device can do the loop, in few where it is one
 * graph.  @stop: looked at between launches.  @looped: whether it is the device's loop, which ends early by the word of
 * leat_repeater_get_stop () and nothing else. */
gboolean leat_lane_launch_repeated (LeatLane *self, LeatPath path, guint64 n, const LeatStop *stop, gboolean *on_device,
                                    GError **error);
/* Before it is built and launched so often: where it was made with other memory of the program's, it goes. */
void leat_lane_renew_repeated (LeatLane *self, LeatPath path, guint64 n);
/* After its end: runs that were not done, and which @path counted as done. */
guint64 leat_lane_take_back_runs (LeatLane *self, LeatPath path);
/* With the context current: those made of @path, whose graph goes. */
void leat_lane_drop_repeats_of (LeatLane *self, LeatPath path);
/* The paths of repeated runs, which are made anew when they are needed: a kernel has other arguments, and a loop takes
 * those that its graph was made with. */
void leat_lane_drop_repeats (LeatLane *self);
/* Does a path leave an op out?  The host's are in none. */
gboolean leat_path_skips (LeatPath path, const LeatOp *op);

/* For who builds them piece by piece.  FALSE without an error where the lane is cut anew. */
gboolean leat_lane_fill_graph (LeatLane *self, LeatPath path, LeatExecutable *to, GError **error);
LeatExecutable *leat_lane_find_executable (LeatLane *self, LeatPath path, const LeatOp *op);

void leat_edges_clear (LeatEdges *self);
void leat_executable_list_edges (const LeatExecutable *self, const LeatOp *op, gboolean apart, LeatEdges *edges);
CUresult leat_lane_add_kernel_node (LeatLane *self, CUgraph graph, CUgraphNode *node,
                                    const CUDA_KERNEL_NODE_PARAMS *kernel, const LeatEdges *edges, const char **call);
/* Whether a refusal ends with graphs being built anew in which no kernel begins early. */
gboolean leat_lane_does_without_early (LeatLane *self, CUresult result);

/* A copy that was made, or that a node is there for. */
void leat_traffic_add_copy (LeatTraffic *self, gboolean from_host, gboolean to_host, guint64 bytes);
/* A wait for a run that ended by looking, which is no call of its own; a call that waits and is not for a run. */
void leat_lane_note_seen (LeatLane *self);
void leat_lane_note_other_wait (LeatLane *self);
/* Adds what the driver says of the graphs of a path, since counting began. */
gboolean leat_lane_count_graphs (LeatLane *self, LeatPath path, LeatGraphCount *sum, GError **error);
/* All of @more, @times over. */
void leat_traffic_add (LeatTraffic *self, const LeatTraffic *more, guint64 times);
void leat_traffic_take_out (LeatTraffic *self, const LeatTraffic *less);

/* For tests, before a run that is to be launched, while none of the lane is under way: see LEAT_POISON in
 * docs/reference/debugging.md. */
gboolean leat_lane_poison (LeatLane *self, LeatPath path, GError **error);
gboolean leat_poison_is_asked (void);
/* In a guarded plan, before a run and after it: what lies behind the lane's buffers is filled, and has to be the same
 * then. LEAT_SESSION_ERROR_OVERRUN names the first of them that was not the last to be written. */
gboolean leat_lane_guard (LeatLane *self, GError **error);
gboolean leat_lane_check_guard (LeatLane *self, GError **error);
/* All of a path, graphs and ops between them. */
gboolean leat_lane_launch (LeatLane *self, LeatPath path, GError **error);
/* The ops from @first to before @end, one by one; the device's context must be current. */
gboolean leat_lane_launch_ops (LeatLane *self, LeatPath path, guint first, guint end, GError **error);
gboolean leat_lane_synchronize (LeatLane *self, GError **error);
/* For a run, in the way that the session says. */
gboolean leat_lane_wait (LeatLane *self, LeatWait wait, GError **error);
/* One look at the device. */
gboolean leat_lane_is_busy (LeatLane *self);
void leat_lane_note_wait (LeatLane *self, gint64 us);
/* For another thread to wait, which has the lane meanwhile: what was launched so far, and the wait for it.  @lane: a
 * LeatLane */
gboolean leat_lane_mark_end (LeatLane *self, GError **error);
gboolean leat_lane_await_mark (gpointer lane, GError **error);
/* What a wait for an event gave that is not the end of a run. */
gboolean leat_lane_check_end (LeatLane *self, CUresult result, GError **error);
/* A graph of one or more runs that was not launched, or found that one before it had failed. Always FALSE. */
gboolean leat_lane_fail_launch (LeatLane *self, CUresult result, guint64 runs, GError **error);

/* The host's view of a staging buffer. */
void leat_lane_view (const LeatLane *self, LeatBufferId buffer, LeatView *view);
void leat_lane_set_count (LeatLane *self, LeatBufferId buffer, guint64 count);
/* Tells the kernels that the run to come ends the stream. */
gboolean leat_lane_set_ending (LeatLane *self, GError **error);

gboolean leat_lane_allocate_overs (LeatLane *self, GError **error);
/* Where a kernel says that its argument @arg is a count above the capacity. */
CUdeviceptr leat_lane_get_over (LeatLane *self, const LeatOp *op, guint arg);
/* After a run: was every count that a kernel took one that its buffer has room for? */
gboolean leat_lane_check_overs (LeatLane *self, GError **error);
/* The first buffer whose reader found a count above its capacity, in one of several lanes; NULL where all fitted. */
const LeatBuffer *leat_lane_find_over (LeatLane *self, guint entry, guint64 *count);

/* Several lanes at once (leat-lane-wide.c). */
void leat_lane_shift (LeatLane *self, guint entry);
/* What an op moves in one piece: for all live lanes, or for one where it is spread or goes by rows. */
guint64 leat_lane_get_moved_bytes (LeatLane *self, const LeatOp *op);
guint leat_lane_get_depth (LeatLane *self, const LeatOp *op);
LeatLaunch *leat_lane_get_launch (LeatLane *self, const LeatOp *op);
gboolean leat_lane_pack_spread (LeatLane *self, const LeatOp *op, GError **error);
void leat_lane_free_spread (LeatLane *self);
/* Is it called lane by lane, where ops go to the stream one by one? */
static inline gboolean
leat_op_goes_by_entry (const LeatOp *op)
{
  return op->why_spread != NULL || op->by_rows;
}
/* From here on the staging memory begins at these (by buffer id; NULL for others) plus @at lanes, and @live lanes are
 * in use.  Graphs that are built follow. */
gboolean leat_lane_set_entries (LeatLane *self, LeatMemory *const *staging, guint at, guint live, GError **error);
/* Kernels are packed with the arguments that nodes have now. */
gboolean leat_lane_take_arguments (LeatLane *self, GError **error);
gboolean leat_lane_check_overs_of (LeatLane *self, guint entry, GError **error);

gboolean leat_lane_allocate_reports (LeatLane *self, GError **error);
/* As if nothing had run: what was reported and the sums of queues. */
gboolean leat_lane_clear_reports (LeatLane *self, GError **error);
/* Where a kernel reports to; 0 for one that does not. */
CUdeviceptr leat_lane_get_report_block (LeatLane *self, const LeatOp *op);
/* After a run: has any kernel reported?  Costs a look at a word. */
gboolean leat_lane_has_reports (LeatLane *self);
/* That lane of a plan for several? */
gboolean leat_lane_has_reports_of (LeatLane *self, guint entry);
/* The first from @first on that has, of those before @end; @end where none has. */
guint leat_lane_find_reports (LeatLane *self, guint first, guint end);
/* Adds what they reported to @reports (LeatReport), in the order of the ops; all is as before the run then. */
gboolean leat_lane_take_reports (LeatLane *self, GArray *reports, GError **error);
/* Those of one lane of a plan for several; that any has is still said. */
gboolean leat_lane_take_reports_of (LeatLane *self, guint entry, GArray *reports, GError **error);
void leat_lane_end_reports (LeatLane *self);

/* What became of the items of a queue, on this lane. */
typedef struct
{
  const LeatOp *op;
  const LeatBuffer *queue;
  LeatQueueTotals totals;
} LeatLaneQueue;

/* Between runs: adds all of them to @queues (LeatLaneQueue), in the order of the ops. */
gboolean leat_lane_read_queues (LeatLane *self, GArray *queues, GError **error);

void leat_launch_clear (LeatLaunch *self);
gboolean leat_launch_pack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error);
void leat_launch_take_args (LeatLaunch *self, const LeatOp *op, const LeatLaunch *other, const LeatOp *other_op);
gboolean leat_launch_repack (LeatLaunch *self, LeatLane *lane, const LeatOp *op, GError **error);
void leat_launch_put_binding (LeatLaunch *self, const LeatOp *head, guint slot, const LeatBinding *binding);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatProgram, leat_program_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLane, leat_lane_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTurn, leat_turn_unref)
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatEdges, leat_edges_clear)

G_END_DECLS
