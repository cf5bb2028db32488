/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "fuse/leat-fusible-private.h"
#include "plan/leat-plan-private.h"

G_BEGIN_DECLS

/* A recorded plan, bound to a device.  It is a LeatPlan with ops, buffers, loops and fusibles of its own: each is what
 * was recorded, with what binding chose for it behind.  The recorded plan stays as it is. */

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

/* For a persistent kernel. */
typedef struct
{
  guint64 idle_us;       /* without a run: it leaves */
  guint64 limit_us;      /* that one run may take */
  guint multiprocessors; /* that it takes at the most; 0: what suits */
} LeatPersistentLimits;

/* The facts that binding needs about a device, and about how it is to be used. */
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
  gboolean repeated;   /* many runs follow on the same inputs, of which the last alone gives results */
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

/* What is known of a kernel only when it is loaded: by op index, in LeatProgram. */
typedef struct
{
  guint grid[3];     /* that it is launched with */
  guint block[3];    /* that it was loaded for */
  gboolean wrapped;  /* it is launched by its wrapper, as it takes counts or addresses from the device, or reports */
  gboolean waits;    /* its first instruction can wait for what it began before */
  gboolean is_small; /* all its blocks run at once */
  guint shared_need; /* bytes of shared memory that a block of it takes, its own and what it asks for */
  guint shared_room; /* that a block of another may take while it runs, and still be begun beside any of its blocks */
} LeatLoadedKernel;

/* The launch of an op (source, prototype, grid, args) is the bound one: a transfer by kernel has that kernel's. */
typedef struct
{
  LeatOp op;

  LeatTransferMode way; /* TRANSFER: what `mode` came to, never AUTO */
  gboolean choosable;   /* TRANSFER: nobody insists on a way */
  gboolean mappable;    /* TRANSFER: it could be mapped */
  guint block_way;      /* KERNEL with choices: which it has, from 1 */
  guint block_measured; /* and which was measured to be best; 0: nobody has */
  double block_gain;    /* then: how many times as fast a run is as with the first; 0: unknown */
  gboolean elided;      /* a transfer through mapped memory: no op is left of it; a head that nobody needs; hidden */
  gboolean hidden;      /* of two ways in which a loop or a stretch may be done, it belongs to the other one */
  LeatOp *packed_with;  /* TRANSFER that is elided as another one's launch does it too; NULL */
  gboolean by_slot;     /* it finds memory of the program through the table of what is bound */
  const char *reason;   /* why a transfer is done as it is */
  gboolean gives_back;  /* brings results to the host, and does nothing else */
  gboolean kept;        /* an upload that may be left out while its input is what it was (leat_bind_find_reusable ()) */
  guint *after;         /* indices of ops, none implied by another that every run has */
  guint n_after;
  guint8 *early; /* for each of them, whether this op, which waits by itself, may begin before that one has ended */
  guint n_early; /* of how many that is so */
  gboolean waits_itself; /* it begins early, or another one during it */

  /* of a plan for several lanes; not NULL: it is done once for each of them, and why */
  const char *why_spread;
  gboolean wide;     /* a kernel that is launched once for all lanes, which are the grid's z */
  gboolean by_rows;  /* a copy or a fill of a part of each lane's memory */
  gboolean in_order; /* spread, and one lane after the other */

  /* FOREIGN, found out by trying; binding anew keeps it */
  char *why_cut;          /* why it cannot be captured; NULL: nothing was found that the recorder had not said */
  gboolean tried;         /* it was found out that it can be */
  guint n_captured_nodes; /* then: what became of it */
} LeatBoundOp;

typedef enum
{
  LEAT_PLACE_ARENA,   /* at `offset` of the lane's device arena */
  LEAT_PLACE_OWN,     /* device memory of its own: state, const */
  LEAT_PLACE_STAGING, /* pinned host memory of its own */
  LEAT_PLACE_ALIAS,   /* the memory of buffer `root` */
  LEAT_PLACE_USER,    /* where the program says, in each run */
  LEAT_PLACE_MARKS,   /* at `offset` of what the lane keeps from run to run */
  LEAT_PLACE_NOWHERE, /* no op touches it: it has no memory */
  LEAT_PLACE_ARRAY,   /* an array of texels of its own */
} LeatPlace;

typedef struct
{
  LeatBuffer buffer;

  LeatPlace place;
  LeatBufferId root; /* whose memory it has */
  guint64 offset;
  guint64 zone;            /* bytes behind it that are nobody's */
  gboolean kept;           /* holds after a run what was uploaded before it */
  gboolean by_slot;        /* of a user: some op finds it through the table */
  guint64 stride;          /* from one lane's to the next one's; 0: there is one for all */
  guint n_entries;         /* that there is room for; with a stride */
  guint first_op, last_op; /* G_MAXUINT where no op touches it */
  guint n_writers;         /* of a root: ops that are left and write its memory, once for each buffer that they name */
} LeatBoundBuffer;

typedef struct
{
  LeatPlanLoop loop;

  LeatLoopMethod measured; /* AUTO where nobody has */
  LeatLoopMethod method;   /* never AUTO */
  const char *why;
  guint64 kernels, copies, fills, foreign, loops; /* in an iteration, those of loops in the body left out */
} LeatBoundLoop;

typedef struct
{
  LeatFusible fusible;

  LeatFusionChoice measured; /* AUTO where nobody has */
  LeatFusionChoice way;      /* never AUTO */
  gboolean is_gone;          /* it stands in what is one kernel otherwise */
  const char *why;
} LeatBoundFusible;

/* For every op, the set of ops that are surely over when it begins. */
typedef struct
{
  gulong *bits;
  gsize words; /* of each op */
} LeatAncestors;

typedef struct
{
  LeatPlan plan;

  LeatPlan *recorded; /* of which this has its names, arguments and bytes */
  /* Of what a session that is open enters: who prints the plan meanwhile may be another thread. */
  GMutex lock;
  LeatTraits traits;
  LeatAncestors ancestors;   /* while it is bound */
  GArray *user_copies;       /* guint: ops that copy between the program's memory and Leat's */
  GArray *pieces;            /* LeatPiece */
  gboolean holds_back;       /* one of them would be a graph if the plan were settled */
  const char *why_in_turn;   /* lanes cannot be done together at all, static; NULL: they can */
  char *why_not_reusable;    /* NULL: the ops with `kept` may be left out of a run on what the program gave before */
  gboolean stays_in_repeat;  /* they may be left out of the runs of a repeat but the first */
  const char *why_not_early; /* no kernel begins before what it depends on has ended; static; NULL: some may */
  guint64 arena_bytes;
  guint64 marks_bytes;
  guint64 own_bytes;
  guint64 staging_bytes;
  LeatPrediction prediction, reused_prediction;
} LeatBoundPlan;

/* The bound one that a plan, an op, a buffer, a loop or a fusible is, which it must be: not what was recorded. */
#define LEAT_BOUND(Bound, Recorded, it)                                                                                \
  _Generic((it), const Recorded * : (const Bound *) (it), Recorded * : (Bound *) (it))
#define LEAT_BOUND_PLAN(plan)       LEAT_BOUND (LeatBoundPlan, LeatPlan, plan)
#define LEAT_BOUND_OP(op)           LEAT_BOUND (LeatBoundOp, LeatOp, op)
#define LEAT_BOUND_BUFFER(buffer)   LEAT_BOUND (LeatBoundBuffer, LeatBuffer, buffer)
#define LEAT_BOUND_LOOP(loop)       LEAT_BOUND (LeatBoundLoop, LeatPlanLoop, loop)
#define LEAT_BOUND_FUSIBLE(fusible) LEAT_BOUND (LeatBoundFusible, LeatFusible, fusible)

#define LEAT_TYPE_BOUND_PLAN (leat_bound_plan_get_type ())
GType leat_bound_plan_get_type (void);

/* Questions.  Those that take a plan, an op or a buffer take bound ones. */
/* The buffer whose memory `id` uses. */
LeatBuffer *leat_plan_get_root (LeatPlan *self, LeatBufferId id);
/* The buffer that says whose memory `id` is, where that is the program's; else NULL. */
LeatBuffer *leat_plan_get_user (LeatPlan *self, LeatBufferId id);
/* The greatest buffer in one of @places (bits: 1 << LeatPlace); NULL where there is none.  For messages that say where
 * the room goes. */
const LeatBuffer *leat_plan_find_largest (LeatPlan *self, guint places);

/* Reports: */
guint leat_plan_count_report_blocks (LeatPlan *self);
/* Are the blocks in pinned memory, behind the words that tell of them? */
gboolean leat_plan_maps_reports (LeatPlan *self);
/* Of the device's memory, and of pinned memory. */
guint64 leat_plan_get_report_bytes (LeatPlan *self);
guint64 leat_plan_get_told_bytes (LeatPlan *self);
/* Is it a state that each lane has for itself? */
gboolean leat_buffer_is_of_lane (const LeatBuffer *self);
gboolean leat_op_launches (const LeatOp *op);
gboolean leat_op_is_on_device (const LeatOp *op);
/* Why it cannot be in a graph; NULL where it can, as far as is known.  Of the op alone; and with the loops around it.
 */
const char *leat_op_get_why_alone (const LeatOp *op);
const char *leat_op_get_why_eager (const LeatOp *op);

G_END_DECLS
