/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* __nanosleep () is where a spinning thread lets others run: first those of its block, then other OS threads. */

#include <sched.h>
#include <time.h>

#include "leat-cpu-block.h"

#define LEAT_CPU_SLEEP_BREAK_NS   20000 /* that much work between two sleeps, and the wait counts as a new one */
#define LEAT_CPU_SLEEP_ASK_EVERY  64
#define LEAT_CPU_SLEEP_YIELDS     4000
#define LEAT_CPU_SLEEP_LONGEST_NS 50000

static gint64
leat_cpu_sleep_get_now (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Yielding is quick to notice a change; after some thousand times in a row it only burns a core that others need. */
static void
leat_cpu_sleep_let_host_run (LeatCpuBlock *self, guint32 ns)
{
  if (leat_cpu_sleep_get_now () - self->idle_since > LEAT_CPU_SLEEP_BREAK_NS)
    self->n_idle = 0;
  self->n_idle++;
  if (self->n_idle % LEAT_CPU_SLEEP_ASK_EVERY == 0)
    leat_cpu_run_ask_for_more (self->run);
  if (self->n_idle < LEAT_CPU_SLEEP_YIELDS)
    sched_yield ();
  else
    nanosleep (&(struct timespec){ .tv_nsec = CLAMP (ns, 1000, LEAT_CPU_SLEEP_LONGEST_NS) }, NULL);
  self->idle_since = leat_cpu_sleep_get_now ();
}

void
leat_cpu_nanosleep (LeatHostBlock *host, uint32_t ns)
{
  LeatCpuBlock *self = leat_cpu_block_from_host (host);
  gboolean others = self->current != NULL && (self->n_started < self->n_threads || self->ready.head != NULL);

  if (leat_cpu_run_is_stopped (self->run))
    leat_cpu_block_leave (self);
  /* Once every thread of the block may have slept, somebody outside of it is needed. */
  if (!others || ++self->n_sleeps % self->n_alive == 0)
    {
      if (self->current != NULL && leat_cpu_warp_let_meet (self))
        others = TRUE;
      else
        leat_cpu_sleep_let_host_run (self, ns);
    }
  if (!others)
    return;
  leat_cpu_queue_push (&self->ready, self->current);
  leat_cpu_block_wait (self);
}
