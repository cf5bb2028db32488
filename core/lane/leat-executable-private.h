/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "driver/leat-cuda.h"
#include "bind/leat-bound-plan-private.h"

G_BEGIN_DECLS

/* The path of a run: all of the plan, or all but the uploads of inputs that are on the device already. */
typedef enum
{
  LEAT_PATH_FULL,
  LEAT_PATH_REUSED,
  LEAT_PATH_TIMED, /* all of the plan, with a clock at every op */
  LEAT_PATH_FIRST, /* without readbacks: a run that others follow with nothing in between */
  LEAT_PATH_STEP,  /* without uploads and readbacks */
  LEAT_N_PATHS
} LeatPath;

/* The traffic on the link, one way and the other. */
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
typedef struct _LeatExecutorClass LeatExecutorClass;
struct _LeatExecutable
{
  const LeatExecutorClass *executor; /* of the path; in its first piece; NULL where it is not built */
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

/* The graph nodes that a graph node comes after. */
typedef struct
{
  CUgraphNode *nodes;
  CUgraphEdgeData *data; /* NULL: of all it waits for the end */
  gsize n;
} LeatEdges;

/* The totals of runs, counted where each call is made. */
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

/* Loops (leat-lane-loop.c).  The graph that an op is in: of a piece, or of a body. */
CUgraph leat_executable_get_graph (const LeatExecutable *self, const LeatOp *op);
/* Remembers what the node of a copy was given. */
void leat_executable_note_copy (LeatExecutable *self, const LeatOp *op, const CUDA_MEMCPY3D *copy);
/* Does a path leave an op out?  The host's are in none. */
gboolean leat_path_skips (LeatPath path, const LeatOp *op);
void leat_edges_clear (LeatEdges *self);
void leat_executable_list_edges (const LeatExecutable *self, const LeatOp *op, gboolean apart, LeatEdges *edges);
/* A copy that was made, or that a node is there for. */
void leat_traffic_add_copy (LeatTraffic *self, gboolean from_host, gboolean to_host, guint64 bytes);
/* All of @more, @times over. */
void leat_traffic_add (LeatTraffic *self, const LeatTraffic *more, guint64 times);
void leat_traffic_take_out (LeatTraffic *self, const LeatTraffic *less);

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatEdges, leat_edges_clear)

G_END_DECLS
