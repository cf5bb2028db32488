/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How the blocks of a launch are shared out.  Blocks start in index order and stay on their OS thread, so a block may
 * wait for one with a lower index.  The caller works too; helpers are woken when that pays, which is judged by how long
 * a block of the function took last time.  A cooperative launch has a thread for every block. */

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "leat-cpu-block.h"
#include "leat-cpu-exports.h"
#include "leat-cpu-function.h"
#include "leat-cpu-crew.h"
#include "leat-cpu-profile.h"

#define LEAT_CPU_RUN_INLINE_NS    20000 /* about twice what it costs to wake a helper */
#define LEAT_CPU_RUN_HURRY_NS     5000  /* below, looking at the clock again costs more than it saves */
#define LEAT_CPU_RUN_MAX_PER_CALL 64
#define LEAT_CPU_RUN_ARENAS_SIZE  (256u << 20)

typedef struct
{
  LeatCpuRun run; /* first */
  LeatCpuCrewRequest request;
  guint n_extra; /* OS threads added because a block waited; atomic */
} LeatCpuRunning;

/* The static model, because a signal handler reads it, which must not be what makes it. */
static __thread const char *leat_cpu_run_kernel __attribute__ ((tls_model ("initial-exec")));

LEAT_CPU_EXPORT const char *
leat_cpu_get_running_kernel (void)
{
  return leat_cpu_run_kernel;
}

static gint64
leat_cpu_run_get_now (void)
{
  struct timespec now;
  clock_gettime (CLOCK_MONOTONIC, &now);
  return (gint64) now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Takes the next blocks in order; FALSE when none are left or the launch is to stop. */
static gboolean
leat_cpu_run_claim (LeatCpuRun *self, guint64 *first, guint64 *last)
{
  if (leat_cpu_run_is_stopped (self) || __atomic_load_n (&self->next, __ATOMIC_RELAXED) >= self->n_blocks)
    return FALSE;
  *first = __atomic_fetch_add (&self->next, self->n_per_claim, __ATOMIC_RELAXED);
  *last = MIN (*first + self->n_per_claim, self->n_blocks);
  return *first < self->n_blocks;
}

void
leat_cpu_run_fail (LeatCpuRun *self, CUresult code, const char *text)
{
  if (__atomic_exchange_n (&self->stop, 1, __ATOMIC_ACQ_REL) != 0)
    return;
  self->result = code;
  fflush (stdout);
  fprintf (stderr, "cpu driver: %s\n", text);
}

static void
leat_cpu_run_call_blocks (LeatCpuRun *self, LeatCpuBlock *block, guint64 first, guint64 last)
{
  void (*call) (LeatHostBlock *, const void *) =
    self->how == LEAT_CPU_HOW_FLAT ? self->kernel->flat : self->kernel->variant;
  for (guint64 i = first; i < last; i++)
    {
      leat_cpu_block_set_index (block, i);
      call (&block->host, block->params);
    }
}

static void
leat_cpu_run_strand_blocks (LeatCpuRun *self, LeatCpuBlock *block, guint64 first, guint64 last)
{
  for (guint64 i = first; i < last; i++)
    {
      leat_cpu_block_set_index (block, i);
      if (!leat_cpu_block_run_strands (block))
        return;
    }
}

static void
leat_cpu_run_blocks (LeatCpuRun *self, LeatCpuBlock *block, guint64 first, guint64 last)
{
  leat_cpu_run_kernel = self->kernel->name;
  if (self->how == LEAT_CPU_HOW_STRANDS)
    leat_cpu_run_strand_blocks (self, block, first, last);
  else
    leat_cpu_run_call_blocks (self, block, first, last);
  leat_cpu_run_kernel = NULL;
  if (G_UNLIKELY (self->launch->cooperative))
    leat_cpu_grid_barrier_end_block (self);
}

/* Runs on the caller and on every helper. */
static void
leat_cpu_run_work (gpointer data)
{
  LeatCpuRun *self = data;
  LeatCpuBlock *block = leat_cpu_block_get_own ();
  guint64 first, last;

  leat_cpu_sanitizer_acquire (&self->begin_key);
  leat_cpu_block_begin (block, self);
  if (_setjmp (block->escape) == 0)
    while (leat_cpu_run_claim (self, &first, &last))
      leat_cpu_run_blocks (self, block, first, last);
  else if (self->launch->cooperative)
    leat_cpu_grid_barrier_end_block (self);
  leat_cpu_sanitizer_release (&self->end_key);
}

/* All blocks on the caller, with nobody else to claim any. */
static void
leat_cpu_run_work_alone (LeatCpuRun *self)
{
  LeatCpuBlock *block = leat_cpu_block_get_own ();

  self->next = self->n_blocks;
  leat_cpu_sanitizer_acquire (&self->begin_key);
  leat_cpu_block_begin (block, self);
  if (_setjmp (block->escape) == 0)
    leat_cpu_run_blocks (self, block, 0, self->n_blocks);
  leat_cpu_sanitizer_release (&self->end_key);
}

/* When this thread last looked at the clock behind a block of a short launch. */
static __thread gint64 leat_cpu_run_seen_ns __attribute__ ((tls_model ("initial-exec")));

/* The same for a launch that should take hardly any time: looks at the clock once, behind the first block, and where
 * short launches follow each other that is enough to know.  FALSE where the other blocks are left, since it was not so,
 * or could not be told. */
static gboolean
leat_cpu_run_work_hurrying (LeatCpuRun *self)
{
  LeatCpuBlock *block = leat_cpu_block_get_own ();
  gint64 before = leat_cpu_run_seen_ns;

  self->next = 1;
  leat_cpu_block_begin (block, self);
  if (_setjmp (block->escape) != 0)
    return TRUE;
  leat_cpu_run_blocks (self, block, 0, 1);
  leat_cpu_run_seen_ns = leat_cpu_run_get_now ();
  if (leat_cpu_run_seen_ns - before > LEAT_CPU_RUN_HURRY_NS)
    return FALSE;
  self->next = self->n_blocks;
  leat_cpu_run_blocks (self, block, 1, self->n_blocks);
  return TRUE;
}

static gboolean
leat_cpu_run_never_waits (const LeatCpuRun *self)
{
  return self->how != LEAT_CPU_HOW_STRANDS && (self->kernel->flags & LEAT_HOST_KERNEL_MAY_WAIT) == 0
         && !self->launch->cooperative;
}

static guint
leat_cpu_run_count_helpers (LeatCpuRun *self, guint64 n_blocks, gint64 block_ns)
{
  guint64 n = MIN (leat_cpu_engine_get_workers (), n_blocks) - 1;

  if (block_ns <= 0)
    return (guint) n;
  return (guint) MIN (n, (guint64) block_ns * n_blocks / LEAT_CPU_RUN_INLINE_NS);
}

/* The caller works alone at first and looks at the clock after 1, 2, 4, ... claims, in case the blocks take longer than
 * last time. */
static void
leat_cpu_run_work_watching (LeatCpuRunning *running, gint64 began)
{
  LeatCpuRun *self = &running->run;
  LeatCpuBlock *block = leat_cpu_block_get_own ();
  guint64 n_claims = 0, first, last;

  leat_cpu_block_begin (block, self);
  if (_setjmp (block->escape) != 0)
    return;
  while (leat_cpu_run_claim (self, &first, &last))
    {
      leat_cpu_run_blocks (self, block, first, last);
      n_claims++;
      if ((n_claims & (n_claims - 1)) == 0 && !running->request.queued && last < self->n_blocks
          && leat_cpu_run_get_now () - began > LEAT_CPU_RUN_INLINE_NS)
        leat_cpu_crew_ask (&running->request, leat_cpu_run_count_helpers (self, self->n_blocks - last, 0));
    }
}

static void
leat_cpu_run_share (LeatCpuRunning *running)
{
  LeatCpuRun *self = &running->run;
  LeatCpuFunction *function = self->launch->function;
  gint64 block_ns = leat_cpu_function_get_block_ns (function);
  guint n_helpers = leat_cpu_run_count_helpers (self, self->n_blocks, block_ns);
  gint64 began, took;

  if (block_ns > 0 && block_ns * (gint64) self->n_blocks <= LEAT_CPU_RUN_HURRY_NS && leat_cpu_run_never_waits (self)
      && leat_cpu_run_work_hurrying (self))
    return;
  began = leat_cpu_run_get_now ();
  if (n_helpers > 0)
    leat_cpu_crew_ask (&running->request, n_helpers);
  leat_cpu_run_work_watching (running, began);
  leat_cpu_crew_finish (&running->request);
  took = leat_cpu_run_get_now () - began;
  leat_cpu_function_note_block_ns (function, took * (1 + n_helpers) / (gint64) self->n_blocks);
}

static void
leat_cpu_run_cooperate (LeatCpuRunning *running)
{
  LeatCpuRun *self = &running->run;

  if (self->n_blocks > 1 && !leat_cpu_crew_require (&running->request, (guint) self->n_blocks - 1))
    {
      g_autofree char *text = g_strdup_printf ("kernel %s: no OS threads for %" G_GUINT64_FORMAT " cooperating blocks",
                                               self->kernel->name, self->n_blocks);
      leat_cpu_run_fail (self, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, text);
      return;
    }
  leat_cpu_run_work (self);
  leat_cpu_crew_finish (&running->request);
}

void
leat_cpu_run_ask_for_more (LeatCpuRun *self)
{
  LeatCpuRunning *running = (LeatCpuRunning *) self;
  const LeatCpuProfile *profile = leat_cpu_profile_get ();
  guint resident = profile->multiprocessors * profile->blocks_per_multiprocessor;

  if (self->launch->cooperative || __atomic_load_n (&self->next, __ATOMIC_RELAXED) >= self->n_blocks)
    return;
  if (__atomic_add_fetch (&running->n_extra, 1, __ATOMIC_RELAXED) < resident)
    leat_cpu_crew_require (&running->request, 1);
}

static LeatCpuHow
leat_cpu_run_choose_how (const LeatCpuLaunch *launch, const LeatHostKernel *kernel)
{
  if (kernel->variant != NULL && leat_cpu_engine_get_variants ())
    return LEAT_CPU_HOW_VARIANT;
  /* A flat loop promises its compiler small indices. */
  if (kernel->flat == NULL || (guint64) launch->grid.x * launch->block.x > G_MAXINT32
      || (guint64) launch->grid.y * launch->block.y > G_MAXINT32
      || (guint64) launch->grid.z * launch->block.z > G_MAXINT32)
    return LEAT_CPU_HOW_STRANDS;
  return LEAT_CPU_HOW_FLAT;
}

static void
leat_cpu_run_make_arenas (LeatCpuRun *self)
{
  gsize shared = (self->kernel->static_shared + 15) / 16 * 16 + self->launch->dynamic_shared;

  self->keys_offset = (shared + 127) / 128 * 128;
  self->arena_size = self->keys_offset + (LEAT_CPU_RUN_KEYS + 127) / 128 * 128;
  self->n_arenas = MIN (self->n_blocks, MAX (LEAT_CPU_RUN_ARENAS_SIZE / self->arena_size, 64));
  self->arenas = aligned_alloc (128, self->n_arenas * self->arena_size);
  if (self->arenas == NULL)
    g_error ("cpu driver: no memory for the shared memory of %" G_GUINT64_FORMAT " blocks", self->n_arenas);
}

static inline void
leat_cpu_run_init (LeatCpuRunning *running, const LeatCpuLaunch *launch)
{
  LeatCpuRun *self = &running->run;
  const LeatHostKernel *kernel = leat_cpu_function_get_kernel (launch->function);

  self->launch = launch;
  self->kernel = kernel;
  self->how = leat_cpu_run_choose_how (launch, kernel);
  self->n_blocks = (guint64) launch->grid.x * launch->grid.y * launch->grid.z;
  self->n_per_claim = 1;
  /* Blocks that never wait can be taken many at a time. */
  if (leat_cpu_run_never_waits (self))
    self->n_per_claim = CLAMP (self->n_blocks / leat_cpu_engine_get_workers () / 16, 1, LEAT_CPU_RUN_MAX_PER_CALL);
  self->next = 0;
  self->stop = 0;
  self->result = CUDA_SUCCESS;
  self->arenas = NULL;
  if (G_UNLIKELY (leat_cpu_tsan))
    leat_cpu_run_make_arenas (self);
  running->n_extra = 0;
  leat_cpu_crew_request_init (&running->request, leat_cpu_run_work, self);
}

CUresult
leat_cpu_launch_run (const LeatCpuLaunch *launch)
{
  LeatCpuRunning running;
  LeatCpuRun *run = &running.run;

  leat_cpu_run_init (&running, launch);
  leat_cpu_sanitizer_release (&run->begin_key);
  if (launch->cooperative)
    {
      leat_cpu_grid_barrier_init (&run->grid);
      leat_cpu_run_cooperate (&running);
      leat_cpu_grid_barrier_clear (&run->grid);
    }
  else if (run->n_blocks == 1)
    leat_cpu_run_work_alone (run);
  else
    leat_cpu_run_share (&running);
  leat_cpu_sanitizer_acquire (&run->end_key);
  if (G_UNLIKELY (run->arenas != NULL))
    free (run->arenas);
  return run->result;
}
