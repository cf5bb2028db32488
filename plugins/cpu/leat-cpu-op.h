/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-engine.h"
#include "leat-cpu-mark.h"
#include "leat-cpu-transfer.h"

G_BEGIN_DECLS

typedef struct _LeatCpuEvent LeatCpuEvent;
typedef struct _LeatCpuExec LeatCpuExec;

typedef enum
{
  LEAT_CPU_OP_EMPTY,
  LEAT_CPU_OP_KERNEL,
  LEAT_CPU_OP_COPY,
  LEAT_CPU_OP_SET,
  LEAT_CPU_OP_HOST,
  /* In streams only. */
  LEAT_CPU_OP_RECORD,
  LEAT_CPU_OP_WAIT_MARK,
  LEAT_CPU_OP_WAIT_STREAM,
  LEAT_CPU_OP_GRAPH,
  LEAT_CPU_OP_FREE,
  LEAT_CPU_OP_WRITE_VALUE,
  LEAT_CPU_OP_WAIT_VALUE
} LeatCpuOpKind;

typedef struct
{
  CUhostFn fn;
  void *data;
} LeatCpuHostCall;

typedef struct
{
  LeatCpuStream *stream; /* a reference */
  guint64 number;        /* how many of its items must have ended */
} LeatCpuStreamPoint;

typedef struct
{
  LeatCpuExec *exec; /* a reference */
  guint64 ticket;
  LeatCpuMark **marks; /* of its event nodes, owned by the run */
} LeatCpuGraphRun;

typedef struct
{
  void *address;
  guint64 value;
  guint bytes; /* 4 or 8 */
  guint condition;
} LeatCpuValue;

/* One piece of work, in a stream's queue or as the body of a graph's node, with everything it needs to run later. */
typedef struct
{
  LeatCpuOpKind kind;
  gboolean in_graph;
  union
  {
    LeatCpuLaunch kernel;
    LeatCpuCopy copy;
    LeatCpuSet set;
    LeatCpuHostCall host;
    LeatCpuMark *mark;
    LeatCpuStreamPoint point;
    LeatCpuGraphRun graph;
    void *memory;
    LeatCpuValue value;
  };
} LeatCpuOp;

/* Kernels, copies, sets, host calls and nothing only. */
void leat_cpu_op_copy (LeatCpuOp *to, const LeatCpuOp *from);
/* Without the lock. */
void leat_cpu_op_clear (LeatCpuOp *op);
/* Without the lock.  A result other than success is sticky. */
CUresult leat_cpu_op_run (LeatCpuOp *op);

G_END_DECLS
