/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The barrier between the blocks of a cooperative launch, each on its own OS thread. */

#include "leat-cpu-run.h"

#include <sched.h>

#include "leat-cpu-sanitizer.h"

#define LEAT_CPU_GRID_SPINS 500

void
leat_cpu_grid_barrier_init (LeatCpuGridBarrier *self)
{
  g_mutex_init (&self->mutex);
  g_cond_init (&self->opened);
  self->n_waiting = self->n_ended = 0;
  self->phase = 0;
}

void
leat_cpu_grid_barrier_clear (LeatCpuGridBarrier *self)
{
  g_cond_clear (&self->opened);
  g_mutex_clear (&self->mutex);
}

static gboolean
leat_cpu_grid_barrier_is_closed (LeatCpuRun *run, guint phase)
{
  return __atomic_load_n (&run->grid.phase, __ATOMIC_ACQUIRE) == phase && !leat_cpu_run_is_stopped (run);
}

/* With the mutex held. */
static void
leat_cpu_grid_barrier_check_ended (LeatCpuRun *run)
{
  LeatCpuGridBarrier *self = &run->grid;
  g_autofree char *text = NULL;

  if (self->n_waiting == 0 || self->n_ended == 0 || self->n_waiting + self->n_ended < run->n_blocks)
    return;
  text = g_strdup_printf ("kernel %s: deadlock: %" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                          " blocks at the grid barrier, the others have returned",
                          run->kernel->name, self->n_waiting, run->n_blocks);
  leat_cpu_run_fail (run, CUDA_ERROR_LAUNCH_FAILED, text);
  g_cond_broadcast (&self->opened);
}

static void
leat_cpu_grid_barrier_sleep (LeatCpuRun *run, guint phase)
{
  LeatCpuGridBarrier *self = &run->grid;

  for (guint i = 0; i < LEAT_CPU_GRID_SPINS && leat_cpu_grid_barrier_is_closed (run, phase); i++)
    sched_yield ();
  if (!leat_cpu_grid_barrier_is_closed (run, phase))
    return;
  g_mutex_lock (&self->mutex);
  while (leat_cpu_grid_barrier_is_closed (run, phase))
    g_cond_wait (&self->opened, &self->mutex);
  g_mutex_unlock (&self->mutex);
}

gboolean
leat_cpu_grid_barrier_wait (LeatCpuRun *run)
{
  LeatCpuGridBarrier *self = &run->grid;
  guint phase;

  if (run->n_blocks == 1)
    return TRUE;
  g_mutex_lock (&self->mutex);
  phase = self->phase;
  if (++self->n_waiting == run->n_blocks)
    {
      self->n_waiting = 0;
      __atomic_store_n (&self->phase, phase + 1, __ATOMIC_RELEASE);
      g_cond_broadcast (&self->opened);
    }
  else
    leat_cpu_grid_barrier_check_ended (run);
  g_mutex_unlock (&self->mutex);
  leat_cpu_grid_barrier_sleep (run, phase);
  return !leat_cpu_run_is_stopped (run);
}

void
leat_cpu_grid_barrier_end_block (LeatCpuRun *run)
{
  LeatCpuGridBarrier *self = &run->grid;

  g_mutex_lock (&self->mutex);
  self->n_ended++;
  leat_cpu_grid_barrier_check_ended (run);
  if (leat_cpu_run_is_stopped (run))
    g_cond_broadcast (&self->opened);
  g_mutex_unlock (&self->mutex);
}
