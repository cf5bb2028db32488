/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-cpu-engine.h"

G_BEGIN_DECLS

#define LEAT_CPU_RUN_KEYS (2 + 2 * 1024) /* two for the block's barrier, two for each thread */

typedef enum
{
  LEAT_CPU_HOW_FLAT,    /* all threads of a block in one call */
  LEAT_CPU_HOW_STRANDS, /* each thread on its own, able to wait */
  LEAT_CPU_HOW_VARIANT  /* the plain C form */
} LeatCpuHow;

/* Where blocks of a cooperative launch wait for each other.  ThreadSanitizer is told what that orders; it must not see
 * this lock, which would order more. */
typedef struct
{
  GMutex mutex;
  GCond opened;
  guint64 n_waiting;
  guint64 n_ended;
  guint phase; /* read without the mutex */
} LeatCpuGridBarrier;

/* One launch in progress; lives on the stack of leat_cpu_launch_run (). */
typedef struct
{
  const LeatCpuLaunch *launch;
  const LeatHostKernel *kernel;
  LeatCpuHow how;
  guint64 n_blocks;
  guint64 n_per_claim;
  guint64 next; /* first block that nobody has started; atomic */
  gint stop;    /* a block failed: the others need not go on; atomic */
  CUresult result;
  LeatCpuGridBarrier grid;
  /* Under ThreadSanitizer blocks share no arena, or reuse of one would look like a race.  Behind the shared memory lie
   * the keys of the block's barriers. */
  char *arenas;
  guint64 n_arenas;
  gsize arena_size; /* with keys */
  gsize keys_offset;
  /* Addresses that ThreadSanitizer ties happens-before edges to. */
  char begin_key, end_key, grid_keys[2];
} LeatCpuRun;

/* The first failure decides the result and is the only one that is told. */
void leat_cpu_run_fail (LeatCpuRun *self, CUresult code, const char *text);

static inline gboolean
leat_cpu_run_is_stopped (LeatCpuRun *self)
{
  return __atomic_load_n (&self->stop, __ATOMIC_RELAXED) != 0;
}

/* A spinning block found no other thread of its own to run: other threads of the host should, and where blocks have not
 * begun that it may be waiting for, one more OS thread takes them. */
void leat_cpu_run_ask_for_more (LeatCpuRun *self);

/* Exported: which kernel this thread is in, or NULL.  May be called in a signal handler. */
const char *leat_cpu_get_running_kernel (void);

void leat_cpu_grid_barrier_init (LeatCpuGridBarrier *self);
void leat_cpu_grid_barrier_clear (LeatCpuGridBarrier *self);
/* FALSE when the launch stopped meanwhile, or when it can never open because blocks have ended. */
gboolean leat_cpu_grid_barrier_wait (LeatCpuRun *run);
void leat_cpu_grid_barrier_end_block (LeatCpuRun *run);

G_END_DECLS
