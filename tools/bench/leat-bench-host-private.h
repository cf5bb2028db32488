/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bench-host.h"

#include "device/leat-module-private.h"
#include "bind/leat-bound-plan-private.h"

G_BEGIN_DECLS

/* Memory of the application, and while a kernel needs it, of the device. */
typedef struct
{
  gpointer data;
  guint64 bytes;
  gboolean kept;    /* from run to run: all of it counts from the beginning */
  gboolean written; /* in this run */
  CUdeviceptr address;
} LeatBenchBlock;

/* A kernel's use of a block.  The kernel may name several buffers of the block. */
typedef struct
{
  LeatBenchBlock *block;
  guint access;
} LeatBenchUse;

typedef struct
{
  const LeatFunction *function; /* NULL: no kernel */
  LeatBenchUse *uses;
  guint n_uses;
} LeatBenchStep;

struct _LeatBenchHost
{
  LeatDevice *device;
  const LeatDriverTable *table;
  LeatPlan *plan;
  GPtrArray *blocks;    /* LeatBenchBlock */
  LeatBenchBlock **of;  /* by buffer */
  GHashTable *modules;  /* LeatKernelSource -> LeatModule */
  LeatBenchStep *steps; /* by op */
  guint64 bytes_up;
  gboolean pushed;
};

gboolean leat_bench_host_refuse (LeatNode *node, const char *what, GError **error);
gboolean leat_bench_host_check (LeatBenchHost *self, const LeatOp *op, const char *call, CUresult result,
                                GError **error);
LeatBenchBlock *leat_bench_host_get_block (LeatBenchHost *self, LeatBufferId id);
/* The kernel of an op whose blocks are on the device. */
gboolean leat_bench_host_launch (LeatBenchHost *self, const LeatOp *op, CUstream stream, GError **error);

G_END_DECLS
