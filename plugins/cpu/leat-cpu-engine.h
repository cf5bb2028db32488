/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "driver/leat-cuda.h"
#include "kernel/device/leat-host-module.h"

G_BEGIN_DECLS

/* The half of the CPU driver that runs kernels: modules, functions, launches.  Memory, streams, capture and graphs are
 * the other half; they hold launches and run them when their turn comes.  Nothing here knows of contexts or streams. */

typedef struct _LeatCpuModule LeatCpuModule;     /* what a CUmodule points at */
typedef struct _LeatCpuFunction LeatCpuFunction; /* what a CUfunction points at; lives as long as its module */

/* A kernel with everything that one launch of it needs.  Made by init or copy, freed by clear, run any number of times.
 */
typedef struct
{
  LeatCpuFunction *function;
  LeatHostDim3 grid;
  LeatHostDim3 block;
  guint32 dynamic_shared;
  gboolean cooperative;
  GPtrArray *conditions; /* of LeatCpuCondition, which the kernel may set: those of the graph that runs it, or NULL */
  void *params;          /* packed as LeatHostKernel.params says, params_size bytes, owned by the launch */
} LeatCpuLaunch;

/* Images: LeatHostImageHeader, then the shared object.  Anything else: CUDA_ERROR_INVALID_IMAGE. */
/* @text, where given, says what is wrong with the image; free it. */
CUresult leat_cpu_module_load (const void *image, LeatCpuModule **out, char **text);
CUresult leat_cpu_module_load_file (const char *path, LeatCpuModule **out, char **text);
void leat_cpu_module_unload (LeatCpuModule *module);
LeatCpuFunction *leat_cpu_module_find_function (LeatCpuModule *module, const char *name);
LeatCpuFunction *leat_cpu_module_get_nth_function (LeatCpuModule *module, guint n);
guint leat_cpu_module_count_functions (LeatCpuModule *module);
gboolean leat_cpu_module_find_global (LeatCpuModule *module, const char *name, void **address, gsize *size);
const LeatHostModule *leat_cpu_module_get_table (LeatCpuModule *module);

const LeatHostKernel *leat_cpu_function_get_kernel (LeatCpuFunction *function);
LeatCpuModule *leat_cpu_function_get_module (LeatCpuFunction *function);
CUresult leat_cpu_function_get_attribute (LeatCpuFunction *function, CUfunction_attribute attribute, int *value);
CUresult leat_cpu_function_set_attribute (LeatCpuFunction *function, CUfunction_attribute attribute, int value);

/* Checks the geometry against the function and the profile and copies the parameters, which are given as cuLaunchKernel
 * takes them: either an array of addresses or the extra list, never both.  On failure @launch needs no clear. */
CUresult leat_cpu_launch_init (LeatCpuLaunch *launch, LeatCpuFunction *function, LeatHostDim3 grid, LeatHostDim3 block,
                               guint32 dynamic_shared, gboolean cooperative, void **kernel_params, void **extra);
void leat_cpu_launch_copy (LeatCpuLaunch *to, const LeatCpuLaunch *from);
void leat_cpu_launch_clear (LeatCpuLaunch *launch);

/* Runs every block and returns when the last one has ended.  Any number of threads may be in here at once: the caller
 * works on its own launch, so launches that wait for each other all make progress.  A result other than CUDA_SUCCESS
 * came from inside the kernel and is sticky for the context; its text has been written to stderr once. */
CUresult leat_cpu_launch_run (const LeatCpuLaunch *launch);

/* How many blocks of this shape one multiprocessor of the profile holds. */
guint leat_cpu_occupancy_get_blocks (LeatCpuFunction *function, guint threads_per_block, gsize dynamic_shared);

/* Cores, or LEAT_CPU_WORKERS. */
guint leat_cpu_engine_get_workers (void);

/* Whether plain C forms of kernels are used where there are any; not with LEAT_CPU_VARIANTS=0. */
gboolean leat_cpu_engine_get_variants (void);

/* Bytes of stack that a waiting CUDA thread gets (CU_LIMIT_STACK_SIZE); for launches that begin later. */
gsize leat_cpu_engine_get_stack_size (void);
void leat_cpu_engine_set_stack_size (gsize bytes);

G_END_DECLS
