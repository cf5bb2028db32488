/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"
#include "kernel/device/leat-host-module.h"

G_BEGIN_DECLS

/* The value behind a CUgraphConditionalHandle: kernels set it, and a conditional node looks at it.  Handles are numbers
 * and no addresses.  Each is used once, so that a kernel with a stale one is told so. */
typedef struct
{
  CUgraphConditionalHandle handle; /* 0 while nobody has it; atomic */
  guint refs;                      /* the graph's and those of executables made from it */
  guint value;                     /* atomic */
  guint initial;
  gboolean assign_initial; /* at each launch */
  gboolean used;           /* a node is steered by it */
} LeatCpuCondition;

/* With the lock.  NULL where there are too many. */
LeatCpuCondition *leat_cpu_condition_new (guint initial, gboolean assign_initial);
LeatCpuCondition *leat_cpu_condition_ref (LeatCpuCondition *condition);
void leat_cpu_condition_unref (LeatCpuCondition *condition);

static inline guint
leat_cpu_condition_get (LeatCpuCondition *condition)
{
  return __atomic_load_n (&condition->value, __ATOMIC_ACQUIRE);
}

/* Before a launch runs. */
static inline void
leat_cpu_condition_assign (LeatCpuCondition *condition)
{
  if (condition->assign_initial)
    __atomic_store_n (&condition->value, condition->initial, __ATOMIC_RELEASE);
}

/* leat_graph_set_conditional () of kernels. */
void leat_cpu_set_conditional (LeatHostBlock *host, uint64_t handle, uint32_t value);

G_END_DECLS
