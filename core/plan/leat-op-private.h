/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-foreign.h"
#include "leat-recorder.h"

G_BEGIN_DECLS

typedef struct _LeatOp LeatOp;
typedef struct _LeatPlanLoop LeatPlanLoop;
typedef struct _LeatFusible LeatFusible;
typedef struct _LeatBuffer LeatBuffer;

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
  LEAT_ROLE_TEXTURE, /* or a surface */
} LeatRole;

/* A fusion: several ops that are one kernel now (leat-fuse.c). */
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
  LeatBlockChoice *choices; /* (nullable): the blocks and grids that it may have, the usual one first */
  guint n_choices;
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
  char *why_not_on_cpu; /* NULL: it can be done there */
  char *why_eager;      /* as it was recorded: why it must not be captured; or NULL */

  /* KERNEL that writes the table of what is bound (leat-plan-users.c) */
  gboolean is_head;
  guint first_slot, n_slots;
  gboolean has_counts; /* some slot of it has a count that is not always the same */
};

/* Has it a block to report to, itself or for its queues?  See leat-report-block.h. */
gboolean leat_op_reports (const LeatOp *op);
/* The buffer of its queue number @number; NULL where it has not so many. */
const LeatBuffer *leat_op_get_queue (const LeatOp *op, LeatPlan *plan, guint number);
gboolean leat_op_has_texture (const LeatOp *self);
gboolean leat_op_takes_counts (const LeatOp *self);
LeatRole leat_op_get_role (const LeatOp *self, guint arg);
/* A whole number by value, which may have been given as a shorter one; 1 where there is none. */
guint64 leat_op_arg_get_number (const LeatOpArg *self);
/* Items of a buffer, or their number where it lies: is it only read there? */
gboolean leat_op_only_reads (const LeatOp *self, guint arg);
void leat_op_free (LeatOp *op);
void leat_op_touch (LeatOp *op, LeatBufferId buffer, LeatAccess access);
void leat_op_set_value (LeatOpArg *arg, guint64 value);
void leat_op_clear_args (LeatOp *op);
gboolean leat_op_is_of_count (LeatPlan *plan, const LeatOp *op);
guint leat_op_count_threads (const LeatOp *op);
const char *leat_op_kind_get_name (LeatOpKind kind);
const char *leat_transfer_mode_get_name (LeatTransferMode mode);
gboolean leat_param_is_pointer (const LeatParam *param);
/* Whether an integer parameter of a kernel can hold a number. */
gboolean leat_param_fits (const LeatParam *param, guint64 number);

G_END_DECLS
