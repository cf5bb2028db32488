/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-engine.h"

G_BEGIN_DECLS

struct _LeatCpuFunction
{
  LeatCpuModule *module;
  const LeatHostKernel *kernel;
  gint max_dynamic_shared; /* atomic */
  gint carveout;           /* atomic; kept, without effect */
  gint64 block_ns;         /* how long a block took in the last launch; 0: not known; atomic */
};

void leat_cpu_function_init (LeatCpuFunction *self, LeatCpuModule *module, const LeatHostKernel *kernel);

/* The most that a launch may ask for now. */
guint32 leat_cpu_function_get_max_dynamic_shared (LeatCpuFunction *self);
/* How many threads a block may have, by the device and by the kernel's __launch_bounds__. */
guint leat_cpu_function_get_max_threads (LeatCpuFunction *self);

static inline gint64
leat_cpu_function_get_block_ns (LeatCpuFunction *self)
{
  return __atomic_load_n (&self->block_ns, __ATOMIC_RELAXED);
}

static inline void
leat_cpu_function_note_block_ns (LeatCpuFunction *self, gint64 ns)
{
  __atomic_store_n (&self->block_ns, MAX (ns, 1), __ATOMIC_RELAXED);
}

G_END_DECLS
