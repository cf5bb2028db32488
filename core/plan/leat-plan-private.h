/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-buffer-private.h"
#include "leat-plan.h"
#include "leat-plan-loop-private.h"

G_BEGIN_DECLS

/* The plan's tables.  Ops stand in an order in which they may run one after the other.  Nobody writes into a plan once
 * it is recorded: what each op truly waits for, and all else that binding chooses, is a LeatBoundPlan's. */

/* The data that come to @input become the contents of buffer @state in the next run. */
typedef struct
{
  LeatNode *node; /* not owned */
  LeatPort *input;
  LeatBufferId state;
  LeatBufferId from; /* NONE where nothing is linked */
  gboolean in_place; /* @from is written in the memory of the state */
} LeatDelay;

/* The result of a pass over the plan, to be told. */
typedef struct
{
  const char *pass;
  LeatNode *node; /* not owned; that had ops */
  LeatNode *into; /* (nullable), not owned: whose ops stand for them, or which loop they left */
} LeatPassNote;

struct _LeatPlan
{
  GObject parent_instance;

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
  GArray *pass_notes;  /* LeatPassNote */
  LeatPlan *folded;    /* (nullable): what is done once, before the first run, with the same buffers */
  gboolean flush;
  gboolean grows;       /* some buffer of it does */
  GArray *users;        /* LeatBufferId, by slot: those that are `user` */
  LeatNode *first_user; /* not owned */
  LeatBufferId table;   /* of the slots; LEAT_BUFFER_NONE where there are none */

  gint64 negotiate_us; /* what it took to check and sort the nodes and to fix the specs */
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

/* The buffer that a port gives or takes. */
void leat_plan_set_port_buffer (LeatPlan *self, LeatPort *port, LeatBufferId id);
/* The port of that name at an end of the body of the group that records; NULL where there is none. */
LeatPort *leat_recorder_peek_inside (LeatRecorder *self, gboolean begin, const char *port);
/* Of a loop: before what goes on is taken over, and when all is recorded. */
void leat_recorder_keep_results (LeatRecorder *self);
void leat_recorder_pass_outputs (LeatRecorder *self, const LeatPlanLoop *loop);

/* Makes the plan fail where the node is in a body: it cannot be there, because of @why. */
gboolean leat_recorder_refuse_in_body (LeatRecorder *self, const char *why);

/* A count that one op on the device wrote and another reads there: should it be above the capacity, the reader says so
 * at its place in pinned memory. */
typedef struct
{
  const LeatOp *op;
  guint arg;
} LeatCounted;

/* All of them, in the order of the ops. (element-type LeatCounted) (transfer full) */
GArray *leat_plan_list_counted (LeatPlan *self);
guint leat_plan_count_reporting (LeatPlan *self);
/* (nullable) */
LeatNode *leat_plan_find_writer (LeatPlan *self, LeatBufferId id);
/* The buffer that copies brought the data of another one from, as far back as they go; and that of each buffer.
 * (transfer full) */
const LeatBuffer *leat_plan_get_origin (LeatPlan *self, LeatBufferId id);
LeatBufferId *leat_plan_list_origins (LeatPlan *self);

/* Where an output may grow, a run may have to be done again: can what it changes be undone? */
gboolean leat_plan_check_growing (LeatPlan *self, GError **error);
/* The output, at @id or on the way there, that had to have more room for @count items to come to @id; NULL where none
 * may grow. */
const LeatBuffer *leat_plan_find_short (LeatPlan *self, LeatBufferId id, guint64 count);

LeatOp *leat_plan_get_op (LeatPlan *self, guint index);
LeatBuffer *leat_plan_get_buffer (LeatPlan *self, LeatBufferId id);
LeatBufferId leat_plan_follow_memory (LeatPlan *self, LeatBufferId id);
LeatBufferId leat_plan_get_port_buffer (LeatPlan *self, LeatPort *port);
LeatBufferId leat_plan_add_buffer (LeatPlan *self, LeatBufferKind kind, const char *name, LeatSpec *spec,
                                   guint64 bytes);
LeatOp *leat_plan_add_op (LeatPlan *self, LeatOpKind kind, LeatNode *node);

/* negotiation: order and specs */
GPtrArray *leat_plan_sort_nodes (LeatPipeline *pipeline, GError **error);
gboolean leat_plan_negotiate (GPtrArray *nodes, GError **error);

/* After all nodes have recorded: adds what makes each state what it becomes. */
gboolean leat_plan_record_delays (LeatPlan *self, GArray *delays, GError **error);
/* Does @output become the state that @state holds? */
gboolean leat_plan_feeds_back (LeatPlan *self, LeatBufferId state, LeatPort *output);

/* The plan that the nodes record; others may add to it until it is finished. (transfer full) */
LeatPlan *leat_plan_record_all (LeatPipeline *pipeline, GError **error);
/* What all nodes together come to. */
gboolean leat_plan_finish (LeatPlan *self, GError **error);
/* All that @from, which is finished, has beside its ops, buffers, loops and fusibles. */
void leat_plan_share (LeatPlan *self, LeatPlan *from);
/* A plan without ops, with the buffers of @self.  (transfer full) */
LeatPlan *leat_plan_new_beside (LeatPlan *self);

/* Of the table of what the application binds. */
#define LEAT_PLAN_SLOT_BYTES 16  /* address, count */
#define LEAT_PLAN_HEAD_MOST  240 /* slots that fit into the parameters of one kernel */

gboolean leat_plan_add_users (LeatPlan *self, GError **error);

G_END_DECLS
