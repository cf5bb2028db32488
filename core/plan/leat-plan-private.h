/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-foreign.h"
#include "leat-plan.h"
#include "leat-recorder.h"

G_BEGIN_DECLS

/* The plan's tables.  Ops stand in an order in which they may run one after the other; `after` holds what each truly
 * waits for.  Everything from `place` on is the bound half: leat_plan_bind () makes it anew from what a device is. */

typedef enum
{
  LEAT_OP_SOURCE, /* host: a source fills a staging buffer */
  LEAT_OP_KERNEL,
  LEAT_OP_COPY,     /* `from` to `to`, `bytes` of them from the start */
  LEAT_OP_FILL,     /* the first `bytes` of `to` with `value` */
  LEAT_OP_TRANSFER, /* upload or readback: a copy, or nothing where the memory is mapped */
  LEAT_OP_FOREIGN,  /* a callback puts work on the stream */
  LEAT_OP_LOOP,     /* the ops behind it, up to the end of its loop, again and again */
  LEAT_OP_SINK,     /* host: a sink takes a staging buffer */
} LeatOpKind;

typedef struct
{
  LeatBufferId buffer;
  LeatAccess access;
} LeatTouch;

typedef struct
{
  LeatArgKind kind;
  LeatBufferId buffer;
  GBytes *value;
  char *name;
  LeatNode *node; /* not owned; NODE_ARG: whose, where it is not the op's */
} LeatOpArg;

/* The use of a kernel's parameter in one launch.  The prototype tells how the file declares it.  Only this says what it
 * is given, to all code that launches the kernel, joins it with others or lists what it reads. */
typedef enum
{
  LEAT_ROLE_ITEMS,    /* the address of a buffer's items; of no buffer: nothing */
  LEAT_ROLE_COUNT_AT, /* the address of a buffer's count, by whatever name the file has it */
  LEAT_ROLE_COUNT,    /* the count of a buffer itself */
  LEAT_ROLE_VALUE,    /* bytes that the plan knows */
  LEAT_ROLE_NODE_ARG,
  LEAT_ROLE_QUEUE,
  LEAT_ROLE_LOOP,
} LeatRole;

/* What became of several ops that are one kernel now (leat-plan-fuse.c). */
typedef struct
{
  guint n_ops;
  guint n_syncs;
  guint n_waits;      /* of blocks for those around them, in other stages */
  guint n_kept;       /* buffers of which registers are left */
  guint n_windows;    /* buffers that are handed on in shared memory */
  guint64 kept_bytes; /* that would have been written to those of which no memory is left, and read from them */
  GPtrArray *lines;   /* char*: its stages and the borders between them, in order */
  char *kernels;      /* of its nodes, each by name */
  gboolean is_chain;  /* of nodes that are in no group together */
  GPtrArray *doubts;  /* char*: what check=true cannot tell of them */
} LeatFusion;

typedef struct _LeatOp LeatOp;

/* Ops that are done again and again: a LEAT_OP_LOOP, the body, and the kernel that tests, which is the last. */
typedef struct _LeatPlanLoop LeatPlanLoop;
struct _LeatPlanLoop
{
  LeatNode *node;       /* not owned */
  LeatPlanLoop *parent; /* (nullable): in whose body it is; not owned */
  guint index;
  guint first, last; /* ops: the LEAT_OP_LOOP, and the test */
  guint64 most;
  LeatLoopMethod asked;
  gboolean is_tested;
  guint64 budget_ns;
  char **operands;     /* (nullable): of the test, whose values are in the report */
  char *fused_test;    /* (nullable): what does the work of the test in the kernel that the loop may become */
  gboolean is_kernel;  /* it became one: `first` is that kernel, and `last` too */
  LeatOp *fused;       /* (nullable): or it may, and this stands before what it would take the place of; not owned */
  char *why_not_fused; /* AUTO: then */
  LeatBufferId memory, report;
  GArray *delays; /* LeatDelay: what goes on from one iteration to the next */

  /* bound */
  LeatLoopMethod measured; /* AUTO where nobody has */
  LeatLoopMethod method;   /* never AUTO */
  const char *why;
  guint64 kernels, copies, fills, foreign, loops; /* in an iteration, those of loops in the body left out */
};

/* What measuring may say of kernels that could be one. */
typedef enum
{
  LEAT_FUSION_AUTO,
  LEAT_FUSION_SEPARATE,
  LEAT_FUSION_FUSED,
} LeatFusionChoice;

/* Kernels that follow each other and that may be one (leat-plan-fusible.c); one such stretch may stand in another. */
typedef struct
{
  LeatOp *fused; /* that one, which stands before them; not owned, as are these: */
  LeatOp *first, *last;
  gboolean is_free;          /* nothing is waited for within it: it is one where nobody has measured */
  gboolean is_asked;         /* by the pipeline; else it is there for a persistent kernel, which is made of one file */
  LeatFusionChoice measured; /* AUTO where nobody has */

  /* bound */
  LeatFusionChoice way; /* never AUTO */
  gboolean is_gone;     /* it stands in what is one kernel otherwise */
  const char *why;
} LeatFusible;

struct _LeatOp
{
  LeatOpKind kind;
  guint index;
  LeatPlanLoop *loop;   /* (nullable): in whose body it is; a LEAT_OP_LOOP is outside of its own */
  LeatPlanLoop *runs;   /* LOOP, or the KERNEL that it became */
  LeatPlanLoop *starts; /* (nullable): KERNEL that tells it to begin */
  LeatNode *node;       /* not owned: the plan's nodes hold it, in the pipeline or not */
  LeatTouch *touches;
  guint n_touches;

  /* KERNEL */
  LeatKernelSource *source;
  const LeatPrototype *prototype;
  guint grid[3];
  guint block[3];
  guint shared_bytes;
  gboolean cooperative;
  gboolean grid_by_occupancy;
  guint grid_most; /* then: blocks that there is work for; 0: for any number */
  LeatPattern pattern;
  guint64 reach;        /* STENCIL */
  LeatFusion *fusion;   /* (nullable) */
  LeatFusible *fusible; /* (nullable): that it may take the place of; not owned */
  char *why_separate;   /* (nullable): why it is not fused with what stands before it, where that is looked for */
  LeatOpArg *args;
  guint n_args;
  LeatBufferId counts_like; /* each count that it writes is that of this buffer; NONE: who knows */

  /* COPY, FILL, TRANSFER */
  LeatBufferId to, from;
  guint64 bytes;
  guint8 value;
  LeatTransferMode mode;

  /* FOREIGN */
  char *name;
  LeatForeignFunc func;
  gpointer user_data;
  GDestroyNotify destroy;
  char *why_not_on_cpu;   /* NULL: it can be done there */
  char *why_eager;        /* NULL: it may be captured, as far as is known */
  gboolean tried;         /* and it was found out that it can be */
  guint n_captured_nodes; /* then: what became of it */

  /* KERNEL that writes the table of what is bound (leat-plan-users.c) */
  gboolean is_head;
  guint first_slot, n_slots;
  gboolean has_counts; /* some slot of it has a count that is not always the same */

  /* bound */
  LeatTransferMode way; /* TRANSFER: what `mode` came to, never AUTO; KERNEL fills the fields of a kernel above */
  gboolean choosable;   /* TRANSFER: nobody insists on a way */
  gboolean mappable;    /* TRANSFER: it could be mapped */
  gboolean elided;      /* a transfer through mapped memory: no op is left of it; a head that nobody needs; or hidden */
  gboolean hidden;      /* of two ways in which a loop or a stretch may be done, it belongs to the other one */
  struct _LeatOp *packed_with; /* TRANSFER that is elided as another one's launch does it too; NULL */
  gboolean by_slot;            /* it finds memory of the program through the table of what is bound */
  const char *reason;          /* why a transfer is done as it is */
  gboolean gives_back;         /* brings results to the host, and does nothing else */
  gboolean kept; /* an upload that may be left out while its input is what it was (leat_plan_find_reusable ()) */
  guint *after;  /* indices of ops, none implied by another that every run has */
  guint n_after;
  guint8 *early; /* for each of them, whether this op, which waits by itself, may begin before that one has ended */
  guint n_early; /* of how many that is so */

  /* of a plan for several lanes; not NULL: it is done once for each of them, and why */
  const char *why_spread;
  gboolean wide;     /* a kernel that is launched once for all lanes, which are the grid's z */
  gboolean by_rows;  /* a copy or a fill of a part of each lane's memory */
  gboolean in_order; /* spread, and one lane after the other */

  /* loaded: kernels only */
  gboolean wrapped;  /* it is launched by its wrapper, as it takes counts or addresses from the device, or reports */
  gboolean waits;    /* its first instruction waits for what it began before */
  gboolean is_small; /* all its blocks run at once */
  guint shared_need; /* bytes of shared memory that a block of it takes, its own and what it asks for */
  guint shared_room; /* that a block of another may take while it runs, and still be begun beside any of its blocks */
};

typedef enum
{
  LEAT_BUFFER_STAGING, /* pinned host memory that sources fill and sinks read */
  LEAT_BUFFER_DEVICE,  /* lives within one run */
  LEAT_BUFFER_STATE,   /* survives from run to run */
  LEAT_BUFFER_CONST,   /* uploaded once */
} LeatBufferKind;

typedef enum
{
  LEAT_PLACE_ARENA,   /* at `offset` of the lane's device arena */
  LEAT_PLACE_OWN,     /* device memory of its own: state, const */
  LEAT_PLACE_STAGING, /* pinned host memory of its own */
  LEAT_PLACE_ALIAS,   /* the memory of buffer `root` */
  LEAT_PLACE_USER,    /* where the program says, in each run */
  LEAT_PLACE_MARKS,   /* at `offset` of what the lane keeps from run to run */
} LeatPlace;

typedef struct
{
  LeatBufferId id;
  char *name;
  LeatBufferKind kind;
  LeatSpec *spec;           /* NULL for scratch and the like */
  guint64 bytes;            /* header included */
  gboolean header;          /* begins with LEAT_BUFFER_HEADER bytes that hold the count */
  GBytes *initial;          /* STATE, CONST: first contents of the items */
  LeatStateScope scope;     /* STATE */
  gboolean is_marks;        /* DEVICE: what a lane's run leaves in it is there in the lane's next */
  LeatPlanLoop *loop;       /* (nullable): in whose body it was made, or which carries it on */
  gboolean carried;         /* DEVICE: goes on from one iteration of its loop to the next */
  gboolean is_learned;      /* STATE: no result follows from it; the next session begins with what this one found */
  gboolean tells_flush;     /* STATE: the session writes 1 into it before the run that ends the stream */
  LeatBufferId in_place_of; /* LEAT_BUFFER_NONE, or the input that it overwrites */
  gboolean user;            /* STAGING: the program brings the memory of the items, as LeatBinding number `slot` */
  guint slot;
  GBytes *queue;         /* LeatQueueView without addresses; NULL: it is no queue */
  gboolean loses;        /* of a queue: to overflow is no error */
  LeatPort *grows;       /* not owned; NULL, or the output whose room a session may make larger */
  LeatBufferId count_in; /* of a user's output: the staging memory with its count; LEAT_BUFFER_NONE where none */

  /* bound */
  LeatPlace place;
  LeatBufferId root;
  guint64 offset;
  guint64 zone;            /* bytes behind it that are nobody's */
  gboolean kept;           /* holds after a run what was uploaded before it */
  gboolean by_slot;        /* of a user: some op finds it through the table */
  guint64 stride;          /* from one lane's to the next one's; 0: there is one for all */
  guint n_entries;         /* that there is room for; with a stride */
  guint first_op, last_op; /* G_MAXUINT where no op touches it */
  guint n_writers;         /* of a root: ops that are left and write its memory, once for each buffer that they name */
} LeatBuffer;

typedef enum
{
  LEAT_CAPTURE_AUTO, /* what pays */
  LEAT_CAPTURE_ALL,  /* what can be */
  LEAT_CAPTURE_NONE,
} LeatCaptureMode;

typedef enum
{
  LEAT_EARLY_AUTO, /* kernels whose blocks all run at once */
  LEAT_EARLY_NONE,
  LEAT_EARLY_ALL, /* whatever their size */
} LeatEarlyMode;

/* What comes to @input is what buffer @state holds in the next run. */
typedef struct
{
  LeatNode *node; /* not owned */
  LeatPort *input;
  LeatBufferId state;
  LeatBufferId from; /* NONE where nothing is linked */
  gboolean in_place; /* @from is written in the memory of the state */
} LeatDelay;

/* For a persistent kernel. */
typedef struct
{
  guint64 idle_us;       /* without a run: it leaves */
  guint64 limit_us;      /* that one run may take */
  guint multiprocessors; /* that it takes at the most; 0: what suits */
} LeatPersistentLimits;

/* What binding must know of a device, and of how it is to be used. */
typedef struct
{
  gboolean bound;      /* FALSE: the logical plan, for no device */
  gboolean integrated; /* device memory is host memory: a copy gains nothing */
  const guint *ways;   /* by op index, what was measured to be best (leat_op_get_way ()); 0 or NULL where nobody has */
  LeatCaptureMode capture;
  LeatEarlyMode early;
  gboolean settled;    /* it has run so often that the smallest graph pays */
  guint entries;       /* inputs at once; 0: one, and nothing of it is made for more */
  guint entries_most;  /* that there is memory for */
  gboolean urgent;     /* its streams go before those of others */
  gboolean whiles;     /* the driver has nodes of graphs that do a body again and again */
  gboolean persistent; /* runs are stages of a persistent kernel */
  LeatPersistentLimits persistent_limits;
  gboolean guarded; /* no two buffers share memory, and behind each lies some that no kernel is to touch */
} LeatTraits;

/* Ops from `first` to before `end` that are launched together as one graph, or else one by one. */
typedef struct
{
  guint first, end;
  guint n_ops; /* on the device */
  gboolean captured;
  const char *why_not; /* of the plan, or of one of its ops */
} LeatPiece;

/* Per run in steady state, and once at open; filled from the bound ops alone. */
typedef struct
{
  guint64 kernels, copies, fills;
  guint64 foreign; /* ops of which it is not known what they are */
  guint64 loops;   /* how often what is in them is done is not known; it is not in the sums, but here: */
  guint64 iteration_kernels, iteration_copies, iteration_fills;
  guint64 early_starts; /* dependencies for whose end a kernel waits by itself */
  guint64 upload_bytes, readback_bytes, device_copy_bytes, fill_bytes;
  guint64 graph_launches, waits;
  guint64 allocations, pinned_allocations; /* at open */
  guint entries;                           /* that the run is for */
} LeatPrediction;

struct _LeatPlan
{
  GObject parent_instance;

  /* Of what a session that is open enters: who prints the plan meanwhile may be another thread. */
  GRecMutex lock;
  LeatPipeline *pipeline;
  GPtrArray *nodes;    /* LeatNode, owned, in topological order */
  GPtrArray *ops;      /* LeatOp */
  GPtrArray *buffers;  /* LeatBuffer */
  GHashTable *ports;   /* LeatPort -> LeatBufferId + 1 */
  GArray *delays;      /* LeatDelay */
  GArray *aligned;     /* LeatAligned */
  GPtrArray *loops;    /* LeatPlanLoop */
  GPtrArray *fusibles; /* LeatFusible, those that have others within them first */
  LeatPlanLoop *loop;  /* while nodes record: in whose body */
  gboolean flush;
  gboolean grows;       /* some buffer of it does */
  GArray *users;        /* LeatBufferId, by slot: those that are `user` */
  LeatNode *first_user; /* not owned */
  GArray *user_copies;  /* guint: ops that copy between their memory and Leat's */
  LeatBufferId table;   /* of the slots; LEAT_BUFFER_NONE where there are none */

  gint64 negotiate_us; /* what it took to check and sort the nodes and to fix the specs */
  LeatTraits traits;
  GArray *pieces;            /* LeatPiece */
  gboolean holds_back;       /* one of them would be a graph if the plan were settled */
  const char *why_in_turn;   /* lanes cannot be done together at all, static; NULL: they can */
  char *why_not_reusable;    /* NULL: the ops with `kept` may be left out of a run */
  const char *why_not_early; /* no kernel begins before what it depends on has ended; static; NULL: some may */
  guint64 arena_bytes;
  guint64 marks_bytes;
  guint64 own_bytes;
  guint64 staging_bytes;
  LeatPrediction prediction, resident_prediction;
};

struct _LeatRecorder
{
  LeatPlan *plan;
  LeatNode *node;
  GError *error; /* first fault of the node's record () */
};

/* Refusals of calls that record () may not make. @call: the function that it calls.  The first fault is kept.
 * The checks say whether the call is right; they say FALSE where there is a fault already. */
void leat_recorder_refuse_call (LeatRecorder *self, const char *call, const char *format, ...) G_GNUC_PRINTF (3, 4);
gboolean leat_recorder_check_buffer (LeatRecorder *self, const char *call, const char *argument, LeatBufferId id);
gboolean leat_recorder_check_sizes (LeatRecorder *self, const char *call, LeatBufferId to, LeatBufferId from);
gboolean leat_recorder_check_counted (LeatRecorder *self, const char *call, const char *argument, LeatBufferId id);
gboolean leat_recorder_check_initial (LeatRecorder *self, const char *call, LeatBufferId id, GBytes *initial);
gboolean leat_recorder_check_touches (LeatRecorder *self, const char *call, const LeatBufferId *buffers,
                                      const LeatAccess *access, guint n_buffers);
gboolean leat_recorder_check_launch (LeatRecorder *self, const LeatPrototype *prototype, const LeatKernelCall *launch);

/* What a port gives or takes. */
void leat_plan_set_port_buffer (LeatPlan *self, LeatPort *port, LeatBufferId id);
/* The port of that name at an end of the body of the group that records; NULL where there is none. */
LeatPort *leat_recorder_peek_inside (LeatRecorder *self, gboolean begin, const char *port);
/* Of a loop: before what goes on is taken over, and when all is recorded. */
void leat_recorder_keep_results (LeatRecorder *self);
void leat_recorder_pass_outputs (LeatRecorder *self, const LeatPlanLoop *loop);

/* Makes the plan fail where the node is in a body: it cannot be there, because of @why. */
gboolean leat_recorder_refuse_in_body (LeatRecorder *self, const char *why);

/* The greatest buffer in one of @places (bits: 1 << LeatPlace); NULL where there is none.  For messages that say where
 * the room goes. */
const LeatBuffer *leat_plan_find_largest (LeatPlan *self, guint places);

/* A count that one op on the device wrote and another reads there: should it be above the capacity, the reader says so
 * at its place in pinned memory. */
typedef struct
{
  const LeatOp *op;
  guint arg;
} LeatCounted;

/* All of them, in the order of the ops. (element-type LeatCounted) (transfer full) */
GArray *leat_plan_list_counted (LeatPlan *self);
/* Has it a block to report to, itself or for its queues?  See leat-report-block.h. */
gboolean leat_op_reports (const LeatOp *op);
/* The buffer of its queue number @number; NULL where it has not so many. */
const LeatBuffer *leat_op_get_queue (const LeatOp *op, LeatPlan *plan, guint number);
guint leat_plan_count_reporting (LeatPlan *self);
guint leat_plan_count_report_blocks (LeatPlan *self);
/* Are the blocks in pinned memory, behind the words that tell of them? */
gboolean leat_plan_maps_reports (LeatPlan *self);
/* Of the device's memory, and of pinned memory. */
guint64 leat_plan_get_report_bytes (LeatPlan *self);
guint64 leat_plan_get_told_bytes (LeatPlan *self);
/* (nullable) */
LeatNode *leat_plan_find_writer (LeatPlan *self, LeatBufferId id);
/* The buffer that copies brought the data of another one from, as far back as they go; and that of each buffer.
 * (transfer full) */
const LeatBuffer *leat_plan_get_origin (LeatPlan *self, LeatBufferId id);
LeatBufferId *leat_plan_list_origins (LeatPlan *self);
gboolean leat_op_takes_counts (const LeatOp *self);
LeatRole leat_op_get_role (const LeatOp *self, guint arg);
/* A whole number by value, which may have been given as a shorter one; 1 where there is none. */
guint64 leat_op_arg_get_number (const LeatOpArg *self);
/* Items of a buffer, or their number where it lies: is it only read there? */
gboolean leat_op_only_reads (const LeatOp *self, guint arg);
/* How many bounded items a buffer has room for. */
guint64 leat_buffer_get_capacity (const LeatBuffer *self);

/* Where an output may grow, a run may have to be done again: can what it changes be undone? */
gboolean leat_plan_check_growing (LeatPlan *self, GError **error);
/* The output, at @id or on the way there, that had to have more room for @count items to come to @id; NULL where none
 * may grow. */
const LeatBuffer *leat_plan_find_short (LeatPlan *self, LeatBufferId id, guint64 count);

LeatOp *leat_plan_get_op (LeatPlan *self, guint index);
LeatBuffer *leat_plan_get_buffer (LeatPlan *self, LeatBufferId id);
/* The buffer whose memory `id` uses. */
LeatBuffer *leat_plan_get_root (LeatPlan *self, LeatBufferId id);
LeatBufferId leat_plan_follow_memory (LeatPlan *self, LeatBufferId id);
LeatBufferId leat_plan_get_port_buffer (LeatPlan *self, LeatPort *port);
LeatBufferId leat_plan_add_buffer (LeatPlan *self, LeatBufferKind kind, const char *name, LeatSpec *spec,
                                   guint64 bytes);
LeatOp *leat_plan_add_op (LeatPlan *self, LeatOpKind kind, LeatNode *node);
void leat_op_free (LeatOp *op);
gboolean leat_param_is_pointer (const LeatParam *param);
/* Whether an integer parameter of a kernel can hold a number. */
gboolean leat_param_fits (const LeatParam *param, guint64 number);
void leat_op_touch (LeatOp *op, LeatBufferId buffer, LeatAccess access);

/* negotiation: order and specs */
GPtrArray *leat_plan_sort_nodes (LeatPipeline *pipeline, GError **error);
gboolean leat_plan_negotiate (GPtrArray *nodes, GError **error);

/* After all nodes have recorded: adds what makes each state what it becomes. */
gboolean leat_plan_record_delays (LeatPlan *self, GArray *delays, GError **error);
/* Does @output become the state that @state holds? */
gboolean leat_plan_feeds_back (LeatPlan *self, LeatBufferId state, LeatPort *output);
const char *leat_state_scope_get_name (LeatStateScope scope);
/* Is it a state that each lane has for itself? */
gboolean leat_buffer_is_of_lane (const LeatBuffer *self);

/* loops (leat-plan-loop.c) */
void leat_plan_loop_free (LeatPlanLoop *self);
const char *leat_loop_method_get_name (LeatLoopMethod executor);
/* After @n_more ops came, or went, from number @first on. */
void leat_plan_renumber (LeatPlan *self, guint first, gint n_more);
/* Who does each of them. */
void leat_plan_choose_loops (LeatPlan *self);
/* Whether measuring may settle that it is done so. */
gboolean leat_plan_may_loop (LeatPlan *self, const LeatPlanLoop *loop, LeatLoopMethod executor);
/* one kernel out of several (leat-plan-fuse.c, leat-plan-layers.c) */
/* Makes the ops from number @first on one, which is @node's. */
gboolean leat_plan_fuse (LeatPlan *self, LeatNode *node, guint first, const LeatFuseCall *call, GError **error);
/* Makes a loop one, whose test is the last op; nothing is changed where it cannot be. */
gboolean leat_plan_fuse_loop (LeatPlan *self, LeatPlanLoop *loop, GError **error);
/* Puts that kernel before the loop, so that binding can choose between the two; or says why there is none. */
void leat_plan_offer_kernel (LeatPlan *self, LeatPlanLoop *loop);
void leat_fusion_free (LeatFusion *self);
/* Finds kernels that may be one, and makes that one of them. */
void leat_plan_find_fusibles (LeatPlan *self, gboolean is_asked);
/* For a persistent kernel: where they come of several files, and nobody has asked. */
void leat_plan_find_needed_fusibles (LeatPlan *self);
/* Once who does each loop is known. */
void leat_plan_choose_fusibles (LeatPlan *self);

/* An op that can be done in several ways: a transfer (LeatTransferMode), a loop (LeatLoopMethod), a stretch
 * (LeatFusionChoice).  0: it is not known which is best. */
gboolean leat_op_has_ways (const LeatOp *op);
guint leat_op_get_way (const LeatOp *op);
/* What measuring has said; 0 where it has not. */
guint leat_op_get_measured (const LeatOp *op);
const char *leat_op_get_way_name (const LeatOp *op, guint way);
/* 0 where it is the name of none. */
guint leat_op_parse_way (const LeatOp *op, const char *name);

/* Why it cannot be in a graph; NULL where it can, as far as is known. */
const char *leat_op_get_why_eager (const LeatOp *op);
/* After all dependencies are known: in a body there are those within it alone, and outside a loop stands for its ops.
 */
void leat_plan_lift_dependencies (LeatPlan *self);

/* All of a plan but its bound half, for who binds it to a device at once. (transfer full) */
LeatPlan *leat_plan_new_unbound (LeatPipeline *pipeline, GError **error);

/* memory that the program brings */
#define LEAT_PLAN_SLOT_BYTES 16  /* address, count */
#define LEAT_PLAN_HEAD_MOST  240 /* slots that fit into the parameters of one kernel */

gboolean leat_plan_add_users (LeatPlan *self, GError **error);
void leat_plan_find_slots (LeatPlan *self);
gboolean leat_plan_has_slots_for (LeatPlan *self, LeatKernelSource *source);
/* The buffer that says whose memory `id` is, where that is the program's; else NULL. */
LeatBuffer *leat_plan_get_user (LeatPlan *self, LeatBufferId id);

/* several lanes */
void leat_plan_widen (LeatPlan *self);
/* Is there an op that is done once for each lane?  And one that is done in their order? */
gboolean leat_plan_spreads (LeatPlan *self);
gboolean leat_plan_is_ordered (LeatPlan *self);
/* Bytes for all lanes. */
guint64 leat_buffer_get_room (const LeatBuffer *self);

/* binding */
void leat_plan_bind (LeatPlan *self, const LeatTraits *traits);
/* What a kernel that moves memory of Leat's moves at once; the header of bounded data goes with the items. */
#define LEAT_TRANSFER_CHUNK 16
void leat_plan_choose_transfers (LeatPlan *self);
void leat_op_set_value (LeatOpArg *arg, guint64 value);
gboolean leat_op_launches (const LeatOp *op);
void leat_op_clear_args (LeatOp *op);
const char *leat_transfer_mode_get_name (LeatTransferMode mode);
void leat_plan_find_reusable (LeatPlan *self);
/* An op that is left, other than @but, that writes the memory of @root; NULL where there is none. */
const LeatOp *leat_plan_find_other_writer (LeatPlan *self, LeatBufferId root, const LeatOp *but);
/* For every op, the set of ops that are surely over when it begins. */
typedef struct
{
  gulong *bits;
  gsize words; /* of each op */
} LeatAncestors;

/* @ancestors: to be cleared */
void leat_plan_find_dependencies (LeatPlan *self, LeatAncestors *ancestors);
/* Is op @first surely over before op @second begins? */
gboolean leat_plan_is_before (const LeatAncestors *self, guint first, guint second);
/* Adds the ops of the set of @op. (element-type guint) */
void leat_ancestors_list (const LeatAncestors *self, guint op, GArray *ops);
/* For every op, the set of ops that it is surely over before; to be cleared likewise. */
void leat_ancestors_invert (const LeatAncestors *self, guint n_ops, LeatAncestors *inverse);
void leat_ancestors_clear (LeatAncestors *self);
void leat_plan_lay_out (LeatPlan *self, const LeatAncestors *ancestors);
/* Makes small transfers that kernels do one launch. */
void leat_plan_pack_transfers (LeatPlan *self, const LeatAncestors *ancestors);
/* The kernels for it, which use those of one transfer. */
void leat_pack_append_kernels (GString *text);
void leat_plan_predict (LeatPlan *self);
/* Is it in a graph? */
gboolean leat_plan_is_captured (LeatPlan *self, const LeatOp *op);
/* Of a launch for so many lanes, which may be fewer than there are. */
void leat_plan_predict_entries (LeatPlan *self, guint lanes, LeatPrediction *sum);
/* The calls of one more run that the driver can count. */
void leat_prediction_add (LeatPrediction *self, const LeatPrediction *run);
/* Memory that the program brings counts as the host's. */
gboolean leat_plan_is_on_host (LeatPlan *self, LeatBufferId id);
void leat_plan_find_pieces (LeatPlan *self);
guint leat_plan_count_graphs (LeatPlan *self);
gboolean leat_plan_settle (LeatPlan *self);
void leat_plan_cut_at (LeatPlan *self, LeatOp *op, const char *why);
void leat_plan_note_captured (LeatPlan *self, LeatOp *op, guint n_nodes);
void leat_plan_find_early (LeatPlan *self);
void leat_plan_allow_early (LeatPlan *self, const char *why);
void leat_plan_take_early (LeatPlan *self, LeatPlan *other);
gboolean leat_plan_has_same_early (LeatPlan *self, LeatPlan *other);
gboolean leat_op_is_on_device (const LeatOp *op);

/* comparison */
typedef enum
{
  LEAT_PLANS_DIFFER, /* in their topology */
  LEAT_PLANS_ALIKE,  /* ops of the same kinds with the same dependencies */
  LEAT_PLANS_MATCH, /* and the same kernels over the same buffers: their graphs differ in what single nodes are given */
} LeatPlanLikeness;

LeatPlanLikeness leat_plan_compare (LeatPlan *self, LeatPlan *other, char **why);
gboolean leat_plan_has_shape_of (LeatPlan *self, LeatPlan *other);
guint64 leat_plan_hash (LeatPlan *self);

/* As leat_plan_to_dot (), each box with its note at the end of its label. (nullable notes) (transfer full) */
char *leat_plan_draw (LeatPlan *self, const char *const *notes);

const char *leat_op_kind_get_name (LeatOpKind kind);
const char *leat_buffer_kind_get_name (LeatBufferKind kind);

G_END_DECLS
