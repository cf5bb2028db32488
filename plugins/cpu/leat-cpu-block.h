/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <setjmp.h>

#include "leat-cpu-fiber.h"
#include "leat-cpu-overflow.h"
#include "leat-cpu-run.h"

G_BEGIN_DECLS

/* One CUDA thread of the running block.  A power of two in size: with a thousand of them the nearest cache is full. */
typedef struct _LeatCpuStrand LeatCpuStrand;

struct _LeatCpuStrand
{
  LeatCpuStrand *next; /* in a queue */
  void *sp;            /* where it was left */
  LeatCpuFiber *fiber; /* whose stack it is on */
  guint32 linear;
};

typedef struct
{
  LeatCpuStrand *head;
  LeatCpuStrand **end; /* where the next one is written */
} LeatCpuQueue;

/* Lanes of a warp that wait for the others of one mask. */
typedef struct
{
  guint32 mask;
  guint32 arrived;
  LeatHostWarpOp op;
  guint32 place; /* of LEAT_HOST_WARP_MEET */
  char *key;     /* ThreadSanitizer's */
} LeatCpuWarpGroup;

/* A lane's operands for a warp operation, and its result. */
typedef struct
{
  guint64 value;
  guint64 result;
  guint32 arg;
  guint32 width;
} LeatCpuWarpValue;

typedef struct
{
  guint32 ended; /* lanes that have returned, and those that the block does not have */
  guint n_groups;
  LeatCpuWarpGroup groups[32];
  guint phase;
  LeatCpuWarpValue values[32]; /* by lane */
} LeatCpuWarp;

typedef struct
{
  LeatCpuQueue waiting;
  guint32 n_arrived;
  guint32 n_true;
  guint32 phase;
  guint32 result_n_true; /* of the last opening; all threads read it before the next */
  guint32 result_all;
} LeatCpuBarrier;

/* Where one OS thread runs blocks, one after the other.  Stacks and tables are kept from block to block. */
typedef struct _LeatCpuBlock LeatCpuBlock;

struct _LeatCpuBlock
{
  LeatHostBlock host; /* what the kernel sees; first */
  LeatCpuRun *run;
  const LeatHostKernel *kernel;
  const void *params;

  LeatCpuStrand *current; /* NULL where the block runs without strands */
  guint32 n_threads;
  guint32 n_started;
  guint32 n_alive;     /* begun or not, but not returned */
  LeatHostDim3 cursor; /* index of the next thread to start */
  LeatCpuQueue ready;
  LeatCpuBarrier barrier;
  LeatCpuBarrier grid_barrier;
  gboolean failed;

  LeatCpuBlock *next_kept; /* where it is no thread's */

  LeatCpuFiber home;
  LeatCpuFiber *free_fibers;
  LeatCpuFiber **fibers;
  guint n_fibers;
  GPtrArray *stacks;
  LeatCpuSignalStack *signal_stack; /* NULL where the OS thread has another */
  gsize stack_size;
  LeatCpuStrand *strands;
  LeatCpuWarp *warps;
  guint n_strands; /* allocated */

  char *arena;
  gsize arena_size;
  char *keys; /* ThreadSanitizer's: the block barrier's two, then two for each thread; of this block only */

  guint n_sleeps;
  guint n_idle;      /* yields in a row with nothing else to do */
  gint64 idle_since; /* end of the last one */

  jmp_buf escape; /* out of a block that runs without strands */
};

/* The calling OS thread's own. */
LeatCpuBlock *leat_cpu_block_get_own (void);

/* NULL before the first get_own (). */
#define LEAT_CPU_BLOCK_TLS __attribute__ ((tls_model ("initial-exec"), visibility ("hidden")))
extern __thread LeatCpuBlock *leat_cpu_block_own LEAT_CPU_BLOCK_TLS;
void **leat_cpu_block_get_image_own (void);

/* Whose kernel calls.  @host comes from the kernel's stack, so what is found by way of it is known only when the switch
 * to that stack is through; the next switch, which depends on it, would wait for this one.  Found by way of the OS
 * thread, the block is known at any time, and the processor works on several switches at once. */
static inline LeatCpuBlock *
leat_cpu_block_from_host (LeatHostBlock *host)
{
  return leat_cpu_block_own;
}

void leat_cpu_block_begin (LeatCpuBlock *self, LeatCpuRun *run);
void leat_cpu_block_set_index (LeatCpuBlock *self, guint64 linear);
LeatHostDim3 leat_cpu_block_get_thread (const LeatCpuBlock *self, const LeatCpuStrand *strand);
/* FALSE when the block failed. */
gboolean leat_cpu_block_run_strands (LeatCpuBlock *self);

/* Leaves the block for good; the launch has failed or stops. */
void leat_cpu_block_leave (LeatCpuBlock *self) G_GNUC_NORETURN;
void leat_cpu_block_fail (LeatCpuBlock *self, CUresult code, const char *format, ...) G_GNUC_NORETURN
  G_GNUC_PRINTF (3, 4);
char *leat_cpu_block_describe_deadlock (LeatCpuBlock *self);

void leat_cpu_warp_begin (LeatCpuWarp *self, guint32 n_lanes);
/* A lane has been marked as ended, a thread counted out: whoever waited for it goes on. */
void leat_cpu_warp_end_strand (LeatCpuBlock *self, LeatCpuWarp *warp);
void leat_cpu_barrier_end_strand (LeatCpuBlock *self);
/* Where nobody else can go on: lanes that wait for what others of their warp do next go on without those.  FALSE where
 * there are none. */
gboolean leat_cpu_warp_let_meet (LeatCpuBlock *self);

extern const LeatHostRuntime leat_cpu_runtime;
int leat_cpu_barrier_wait (LeatHostBlock *host, LeatHostBarrierOp op, int predicate);
void leat_cpu_barrier_wait_grid (LeatHostBlock *host);
uint64_t leat_cpu_warp_run (LeatHostBlock *host, LeatHostWarpOp op, uint32_t mask, uint64_t value, uint32_t arg,
                            uint32_t width);
uint32_t leat_cpu_warp_get_active_mask (LeatHostBlock *host);
void leat_cpu_nanosleep (LeatHostBlock *host, uint32_t ns);

static inline void
leat_cpu_queue_init (LeatCpuQueue *self)
{
  self->head = NULL;
  self->end = &self->head;
}

static inline void
leat_cpu_queue_push (LeatCpuQueue *self, LeatCpuStrand *strand)
{
  strand->next = NULL;
  *self->end = strand;
  self->end = &strand->next;
}

/* @self is not empty; @next is who comes first then, or NULL. */
static inline void
leat_cpu_queue_drop_first (LeatCpuQueue *self, LeatCpuStrand *next)
{
  self->head = next;
  if (next == NULL)
    self->end = &self->head;
}

static inline void
leat_cpu_queue_take_all (LeatCpuQueue *self, LeatCpuQueue *from)
{
  if (from->head == NULL)
    return;
  *self->end = from->head;
  self->end = from->end;
  leat_cpu_queue_init (from);
}

int leat_cpu_block_wait_slowly (LeatCpuBlock *self);

/* @from waits, and @to, the first of those that are ready, runs. */
static inline int
leat_cpu_block_run_ready (LeatCpuBlock *self, LeatCpuStrand *from, LeatCpuStrand *to)
{
  LeatCpuStrand *next = to->next;

  self->current = to;
  leat_cpu_queue_drop_first (&self->ready, next);
  /* With many threads the stacks are not in the nearest cache. */
  if (next != NULL)
    {
      char *sp = next->sp;
      __builtin_prefetch (sp);
      __builtin_prefetch (sp + 64);
    }
  return leat_cpu_fiber_swap (&from->sp, to->sp);
}

/* Runs others until the current strand, which the caller has queued somewhere, is run again.  Returns 0.  All strands
 * having begun and one of them being ready is what happens nearly always, and worth a way without a frame. */
static inline int
leat_cpu_block_wait (LeatCpuBlock *self)
{
  LeatCpuStrand *from = self->current;
  LeatCpuStrand *to = self->ready.head;

  if (G_UNLIKELY (to == NULL || to == from || self->n_started < self->n_threads || leat_cpu_sanitized))
    return leat_cpu_block_wait_slowly (self);
  return leat_cpu_block_run_ready (self, from, to);
}

G_END_DECLS
