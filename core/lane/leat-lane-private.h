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
#include "leat-executable-private.h"
#include "leat-lane-report-private.h"
#include "leat-lane-params-private.h"
#include "leat-program-private.h"
#include "leat-repeater-private.h"
#include "leat-store-private.h"
#include "bind/leat-bound-plan-private.h"
#include "leat-session-error.h"
#include "leat-wait.h"

G_BEGIN_DECLS

/* One set of inputs and outputs in flight: the memory, the launches and the graph of a bound plan.  Constants and
 * loaded kernels belong to the session and are lent (LeatProgram). */

typedef struct _LeatTiming LeatTiming;

/* How runs of which only the last gives results are repeated. */
typedef enum
{
  LEAT_REPEAT_ON_DEVICE, /* by a loop on the device: one graph for any number */
  LEAT_REPEAT_UNROLLED,  /* as children of a graph, one behind the other */
  LEAT_REPEAT_ALONE,     /* by a launch each */
} LeatRepeatMethod;

/* A graph in which that of a path comes several times. */
typedef struct
{
  LeatPath path;
  guint n; /* children, or LEAT_REPEAT_ANY; 0: not built */
  CUgraph graph;
  CUgraphExec exec;
} LeatRepeatGraph;

/* The turn of a lane with data that lanes share, such as state: an event, recorded behind the last op of a run that
 * touches any of it.  The first such op of the next run waits for it. */
typedef struct
{
  gatomicrefcount refs;
  LeatEvent *event;
} LeatTurn;

/* Ends early the work that the host launches again and again: repeated runs, and loops. */
typedef struct
{
  const gint *closing;       /* the session is being closed where it is not 0 */
  GCancellable *cancellable; /* (nullable) */
} LeatStop;

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

  GPtrArray *arrays; /* LeatLaneArray, by buffer id: what textures and surfaces lie in; NULL while there is no memory */
  GArray *textures;  /* LeatLaneTexture */

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

  const LeatExecutorClass *running; /* of the run that is waited for next */
  LeatPersistent *persistent;       /* not owned: that it has signalled, in which its number is: */
  guint param_lane;
  guint64 signalled; /* number of the run that it has under way there; 0: none */
  gboolean ran_away; /* the last one took too long and was ended, wherever its blocks were */

  LeatExecutable executables[LEAT_N_PATHS]; /* all zeros where not built */
  LeatRepeatGraph repeats[3];               /* a large one, one for the rest, and one on the device */
  LeatRepeatMethod least_method;            /* those before it the driver does not do with this graph */
  LeatRepeater *repeater;                   /* NULL before there was a loop on the device */
  guint64 counted_repeater_from;            /* kernels of it when start_counting () was called */
  LeatEvent *held[2];                       /* recorded among many launches by turns; NULL before there were many */
  guint64 reserved_bytes;                   /* for graphs of the process, when the last one was built */
  gboolean is_cut_anew;                     /* while graphs are built: the plan has other pieces now */
  LeatLane *donor;                          /* while graphs are built: whose executables may be updated */
  char *refusal;                            /* and why the driver did not */
};

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
/* The lane's memory goes to no other lane in this round of its store. */
void leat_lane_hold_memory (LeatLane *self);

/* Of a first lane, to where its store has it now; the graphs are built anew then.  Its contents are lost. */
gboolean leat_lane_move_arena (LeatLane *self, GError **error);

/* Work that is done lane after lane (leat-lane-turn.c). */
LeatTurn *leat_turn_new (LeatDevice *device, GError **error);
void leat_turn_unref (LeatTurn *self);
/* Does any op use what lanes share? */
gboolean leat_plan_takes_turns (LeatPlan *self);
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

/* Arrays, textures and surfaces (leat-lane-textures.c). */
gboolean leat_lane_allocate_textures (LeatLane *self, GError **error);
void leat_lane_free_textures (LeatLane *self);
/* What the kernel is given for its parameter @arg. */
guint64 leat_lane_get_texture (LeatLane *self, const LeatOp *op, guint arg);
/* Changes a copy with an array at one end to one of rows. */
void leat_lane_copy_by_array (LeatLane *self, const LeatOp *op, CUDA_MEMCPY3D *copy);

/* Memory that the program brings (leat-lane-binding.c). */
void leat_lane_place_users (LeatLane *self);
void leat_lane_bind (LeatLane *self, guint slot, const LeatBinding *to);
void leat_lane_take_bindings (LeatLane *self, LeatLane *from);
/* Before a launch, and before the path is built: the path goes by what is bound now.  It may have to be built after
 * this. */
gboolean leat_lane_bring_bindings (LeatLane *self, LeatPath path, GError **error);
/* Would a graph have a copy without an address? */
gboolean leat_lane_lacks_bindings (LeatLane *self);
/* The argument of a kernel for the items of a buffer: their address, or where it finds it. */
CUdeviceptr leat_lane_get_items (LeatLane *self, LeatBufferId id);
/* The address of one end of a copy.  Of memory that the application brings, only transfers copy the items.  @host:
 * NULL for memory of the device */
void leat_lane_get_end (LeatLane *self, const LeatOp *op, LeatBufferId id, CUdeviceptr *device, void **host);

/* Data kept from run to run begin anew, but for memory that @before (or NULL), which ran until now, has too. */
gboolean leat_lane_begin (LeatLane *self, LeatLane *before, GError **error);
/* From here on the lane does @plan, which matches its own: kernels that are launched otherwise are updated in every
 * graph.  After an error it is what it was, but where @broken says so, its graphs are neither the one nor the other. */
gboolean leat_lane_adjust (LeatLane *self, LeatPlan *plan, LeatProgram *program, gboolean *broken, GError **error);
/* After the plan was bound anew: all but the staging memory, which applications may hold, is made again; state begins
 * as at first. */
gboolean leat_lane_rebuild (LeatLane *self, GError **error);
/* All of it but the staging memory.  The stream is idle. */
void leat_lane_free_device_half (LeatLane *self);
/* Is it the first lane's? */
gboolean leat_lane_borrows (const LeatLane *self, const LeatBuffer *buffer);
/* The memory of a lane without others leaves the device and comes back (leat-lane-evict.c).  Its own data that survive
 * from run to run, by buffer id: GBytes or NULL. (transfer full) */
GPtrArray *leat_lane_read_kept (LeatLane *self, GCancellable *cancellable, GError **error);
/* Nothing can fail: graphs, launches and all memory of the device go. */
void leat_lane_evict (LeatLane *self);
/* With constants in place.  After an error it is evicted as before. */
gboolean leat_lane_restore (LeatLane *self, GPtrArray *kept, GCancellable *cancellable, GError **error);
gboolean leat_lane_pack_launches (LeatLane *self, GError **error);
/* The outcome of the loop in the last run, which has ended. */
void leat_lane_get_loop_report (LeatLane *self, const LeatPlanLoop *loop, LeatLoopReport *report);
/* Has any of its loops been ended by its budget? */
gboolean leat_lane_has_runaway (LeatLane *self);
void leat_lane_forget_runaways (LeatLane *self);
/* From any thread, of what is launched: the iterations that are under way are the last. */
void leat_lane_end_loops (LeatLane *self);
/* The data that go from one iteration to the next, and the number of items where that is still known: after a
 * run, with the device's context current.  (transfer full) */
char *leat_lane_dup_loop_state (LeatLane *self, const LeatPlanLoop *loop, gboolean counts);
/* FALSE with the reason, when what is on the stream has ended: it reads memory that is filled anew for the next run. */
gboolean leat_lane_may_go_on (LeatLane *self, const LeatStop *stop, GError **error);
/* A path @n times, with nothing waited for: in one launch where the device can do the loop, in few where it is one
 * graph.  @stop: looked at between launches.  @on_device: whether it is the device's loop, which ends early by the word
 * of leat_repeater_get_stop () and nothing else. */
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

/* A wait for a run that ended by looking, which is no call of its own; a call that waits and is not for a run. */
void leat_lane_note_seen (LeatLane *self);
void leat_lane_note_other_wait (LeatLane *self);

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
/* Checks the result of a wait for an event that is not the end of a run. */
gboolean leat_lane_check_end (LeatLane *self, CUresult result, GError **error);

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
/* The bytes that an op moves in one piece: for all live lanes, or for one where it is spread or goes by rows. */
guint64 leat_lane_get_moved_bytes (LeatLane *self, const LeatOp *op);
guint leat_lane_get_depth (LeatLane *self, const LeatOp *op);
LeatLaunch *leat_lane_get_launch (LeatLane *self, const LeatOp *op);
void leat_lane_free_spread (LeatLane *self);
/* Is it called lane by lane, where ops go to the stream one by one? */
static inline gboolean
leat_op_goes_by_entry (const LeatOp *op)
{
  return LEAT_BOUND_OP (op)->why_spread != NULL || LEAT_BOUND_OP (op)->by_rows;
}
/* From here on the staging memory begins at these (by buffer id; NULL for others) plus @at lanes, and @live lanes are
 * in use.  Graphs that are built follow. */
gboolean leat_lane_set_entries (LeatLane *self, LeatMemory *const *staging, guint at, guint live, GError **error);
/* Kernels are packed with the arguments that nodes have now. */
gboolean leat_lane_take_arguments (LeatLane *self, GError **error);
gboolean leat_lane_check_overs_of (LeatLane *self, guint entry, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLane, leat_lane_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatTurn, leat_turn_unref)

G_END_DECLS
