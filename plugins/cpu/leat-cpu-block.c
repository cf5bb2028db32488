/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How a block runs: its threads are started in order on one stack, one after the other.  A thread that has to wait
 * keeps the stack, and the next threads are started on another.  So a thread that never waits costs no more than a
 * call, and one that waits costs a switch. */

#include "leat-cpu-block.h"

#include <pthread.h>
#include <stdlib.h>

#define LEAT_CPU_ARENA_ALIGN    128
#define LEAT_CPU_ARENA_RED_ZONE 64 /* between static and dynamic shared memory, under AddressSanitizer */

static pthread_key_t leat_cpu_block_key;
static pthread_mutex_t leat_cpu_block_lock = PTHREAD_MUTEX_INITIALIZER;
static LeatCpuBlock *leat_cpu_block_kept; /* under the lock: those of threads that have ended */
__thread LeatCpuBlock *leat_cpu_block_own LEAT_CPU_BLOCK_TLS;
/* See leat-host-module.h. */
static __thread void *leat_cpu_block_image_own __attribute__ ((tls_model ("initial-exec")));

void **
leat_cpu_block_get_image_own (void)
{
  return &leat_cpu_block_image_own;
}

static void
leat_cpu_block_clear_fibers (LeatCpuBlock *self)
{
  for (guint i = 0; i < self->n_fibers; i++)
    leat_cpu_fiber_clear (self->fibers[i]);
  for (guint i = 0; i < self->n_fibers; i += LEAT_CPU_STACKS_PER_CHUNK)
    g_free (self->fibers[i]);
  g_clear_pointer (&self->fibers, g_free);
  self->n_fibers = 0;
  self->free_fibers = NULL;
  g_ptr_array_set_size (self->stacks, 0);
}

static void
leat_cpu_block_free (LeatCpuBlock *self)
{
  leat_cpu_block_clear_fibers (self);
  g_ptr_array_unref (self->stacks);
  leat_cpu_sanitizer_unpoison (self->arena, self->arena_size);
  free (self->arena);
  free (self->strands);
  free (self->warps);
  g_free (self);
}

/* Under ThreadSanitizer a block has a fiber for each of its threads, which take it milliseconds each to make: there the
 * block of a thread that ends is kept for one that comes. */
static void
leat_cpu_block_part (void *data)
{
  LeatCpuBlock *self = data;

  leat_cpu_overflow_unwatch (self->signal_stack);
  leat_cpu_block_own = NULL;
  if (!leat_cpu_tsan)
    {
      leat_cpu_block_free (self);
      return;
    }
  pthread_mutex_lock (&leat_cpu_block_lock);
  self->next_kept = leat_cpu_block_kept;
  leat_cpu_block_kept = self;
  pthread_mutex_unlock (&leat_cpu_block_lock);
}

/* NULL: there is none. */
static LeatCpuBlock *
leat_cpu_block_take_kept (void)
{
  LeatCpuBlock *self;

  pthread_mutex_lock (&leat_cpu_block_lock);
  self = leat_cpu_block_kept;
  if (self != NULL)
    leat_cpu_block_kept = self->next_kept;
  pthread_mutex_unlock (&leat_cpu_block_lock);
  return self;
}

static LeatCpuBlock *
leat_cpu_block_new (void)
{
  LeatCpuBlock *self = g_new0 (LeatCpuBlock, 1);

  self->host.engine = self;
  self->stacks = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_cpu_stacks_free);
  return self;
}

static void
leat_cpu_block_make_key (void)
{
  pthread_key_create (&leat_cpu_block_key, leat_cpu_block_part);
}

LeatCpuBlock *
leat_cpu_block_get_own (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  LeatCpuBlock *self = leat_cpu_block_own;

  if (G_LIKELY (self != NULL))
    return self;
  pthread_once (&once, leat_cpu_block_make_key);
  self = leat_cpu_block_take_kept ();
  if (self == NULL)
    self = leat_cpu_block_new ();
  self->signal_stack = leat_cpu_overflow_watch ();
  leat_cpu_fiber_init_home (&self->home);
  pthread_setspecific (leat_cpu_block_key, self);
  leat_cpu_block_own = self;
  return self;
}

static void
leat_cpu_block_end_strand (LeatCpuBlock *self)
{
  guint32 linear = self->current->linear;
  LeatCpuWarp *warp = &self->warps[linear / 32];

  self->n_alive--;
  leat_cpu_sanitizer_release (&self->run->end_key);
  /* The two checks save calls: mostly nobody waits. */
  warp->ended |= 1u << (linear & 31);
  if (warp->n_groups > 0)
    leat_cpu_warp_end_strand (self, warp);
  if (self->barrier.n_arrived + self->grid_barrier.n_arrived > 0)
    leat_cpu_barrier_end_strand (self);
}

static void
leat_cpu_block_run_next_strand (LeatCpuBlock *self, LeatCpuFiber *fiber)
{
  LeatCpuStrand *strand = &self->strands[self->n_started];
  LeatHostDim3 index = self->cursor;

  strand->fiber = fiber;
  strand->linear = self->n_started++;
  if (++self->cursor.x == self->host.block.x)
    {
      self->cursor.x = 0;
      if (++self->cursor.y == self->host.block.y)
        {
          self->cursor.y = 0;
          self->cursor.z++;
        }
    }
  self->current = strand;
  leat_cpu_sanitizer_acquire (&self->run->begin_key);
  self->kernel->thread (&self->host, self->params, index);
  leat_cpu_block_end_strand (self);
}

/* ThreadSanitizer must not see two threads on one stack: there, fiber n is for thread n. */
static inline gboolean
leat_cpu_block_may_start_on (LeatCpuBlock *self, LeatCpuFiber *fiber)
{
  return self->n_started < self->n_threads && (!leat_cpu_tsan || self->fibers[self->n_started] == fiber);
}

static void leat_cpu_block_carry (LeatCpuFiber *fiber);

static gboolean
leat_cpu_block_add_fibers (LeatCpuBlock *self)
{
  LeatCpuStacks *stacks = leat_cpu_stacks_new (self->stack_size);
  guint n = self->n_fibers;
  LeatCpuFiber *chunk;

  if (stacks == NULL)
    return FALSE;
  chunk = g_new (LeatCpuFiber, LEAT_CPU_STACKS_PER_CHUNK);
  g_ptr_array_add (self->stacks, stacks);
  self->fibers = g_renew (LeatCpuFiber *, self->fibers, n + LEAT_CPU_STACKS_PER_CHUNK);
  for (guint i = LEAT_CPU_STACKS_PER_CHUNK; i-- > 0;)
    {
      LeatCpuFiber *fiber = &chunk[i];
      leat_cpu_fiber_init (fiber, self, stacks, i, self->stack_size, n + i);
      leat_cpu_fiber_prepare (fiber, leat_cpu_block_carry);
      self->fibers[n + i] = fiber;
      fiber->next = self->free_fibers;
      self->free_fibers = fiber;
    }
  self->n_fibers = n + LEAT_CPU_STACKS_PER_CHUNK;
  return TRUE;
}

static LeatCpuFiber *
leat_cpu_block_get_fresh_fiber (LeatCpuBlock *self)
{
  LeatCpuFiber *fiber;

  if ((leat_cpu_tsan ? self->n_started >= self->n_fibers : self->free_fibers == NULL)
      && !leat_cpu_block_add_fibers (self))
    leat_cpu_block_fail (self, CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES,
                         "no memory for the stacks of the block's threads, %" G_GSIZE_FORMAT " bytes each",
                         self->stack_size);
  if (leat_cpu_tsan)
    return self->fibers[self->n_started];
  fiber = self->free_fibers;
  self->free_fibers = fiber->next;
  return fiber;
}

/* The fiber to run when nothing here can go on: a thread that has not begun, else one that is ready, else home.  Home
 * knows the end of the block from a deadlock. */
static LeatCpuFiber *
leat_cpu_block_take_next (LeatCpuBlock *self, void **sp)
{
  LeatCpuStrand *strand = self->ready.head;
  LeatCpuFiber *fiber;

  if (self->n_started == self->n_threads && strand != NULL)
    {
      leat_cpu_queue_drop_first (&self->ready, strand->next);
      self->current = strand;
      *sp = strand->sp;
      return strand->fiber;
    }
  fiber = self->n_started < self->n_threads ? leat_cpu_block_get_fresh_fiber (self) : &self->home;
  *sp = fiber->sp;
  return fiber;
}

int
leat_cpu_block_wait_slowly (LeatCpuBlock *self)
{
  LeatCpuStrand *strand = self->current;
  void *sp;
  LeatCpuFiber *to = leat_cpu_block_take_next (self, &sp);

  if (to == strand->fiber)
    return 0;
  return leat_cpu_fiber_switch (strand->fiber, &strand->sp, to, sp);
}

/* The life of a fiber: it starts threads as long as there are any, then waits for the next block to need it. */
static void
leat_cpu_block_carry (LeatCpuFiber *fiber)
{
  LeatCpuBlock *self = fiber->owner;
  LeatCpuFiber *to;
  void *sp;

  leat_cpu_fiber_arrive (fiber);
  for (;;)
    {
      if (leat_cpu_block_may_start_on (self, fiber))
        {
          leat_cpu_block_run_next_strand (self, fiber);
          continue;
        }
      fiber->next = self->free_fibers;
      self->free_fibers = fiber;
      to = leat_cpu_block_take_next (self, &sp);
      leat_cpu_fiber_switch (fiber, &fiber->sp, to, sp);
    }
}

static void
leat_cpu_block_reserve_strands (LeatCpuBlock *self, guint n)
{
  gsize warps_size = (n + 31) / 32 * sizeof (LeatCpuWarp);

  if (n <= self->n_strands)
    return;
  free (self->strands);
  free (self->warps);
  self->strands = aligned_alloc (64, (n * sizeof (LeatCpuStrand) + 63) / 64 * 64);
  self->warps = aligned_alloc (64, (warps_size + 63) / 64 * 64);
  self->n_strands = n;
}

/* Exactly as large as the launch asked for, so that AddressSanitizer sees the first byte beyond. */
static void
leat_cpu_block_reserve_arena (LeatCpuBlock *self, gsize size)
{
  gsize room = (size + LEAT_CPU_ARENA_ALIGN - 1) / LEAT_CPU_ARENA_ALIGN * LEAT_CPU_ARENA_ALIGN + LEAT_CPU_ARENA_ALIGN;

  if (room > self->arena_size)
    {
      leat_cpu_sanitizer_unpoison (self->arena, self->arena_size);
      free (self->arena);
      self->arena = aligned_alloc (LEAT_CPU_ARENA_ALIGN, room);
      self->arena_size = room;
      if (self->arena == NULL)
        g_error ("cpu driver: no memory for %" G_GSIZE_FORMAT " bytes of shared memory", room);
    }
  if (G_UNLIKELY (leat_cpu_asan))
    {
      __asan_unpoison_memory_region (self->arena, size);
      __asan_poison_memory_region (self->arena + size, self->arena_size - size);
      __asan_poison_memory_region (self->arena + self->kernel->static_shared,
                                   self->host.dynamic_offset - self->kernel->static_shared);
    }
  self->host.shared = (unsigned char *) self->arena;
}

void
leat_cpu_block_begin (LeatCpuBlock *self, LeatCpuRun *run)
{
  const LeatCpuLaunch *launch = run->launch;
  guint32 gap = leat_cpu_asan ? LEAT_CPU_ARENA_RED_ZONE : 0;

  self->run = run;
  self->kernel = run->kernel;
  self->params = launch->params;
  self->host.grid = launch->grid;
  self->host.block = launch->block;
  self->host.dynamic_offset = (run->kernel->static_shared + 15) / 16 * 16 + gap;
  self->host.dynamic_bytes = launch->dynamic_shared;
  self->current = NULL;
  self->grid_barrier.phase = 0;
  self->failed = FALSE;
  if (run->arenas == NULL && self->host.dynamic_offset + launch->dynamic_shared > 0)
    leat_cpu_block_reserve_arena (self, self->host.dynamic_offset + launch->dynamic_shared);
  if (run->how != LEAT_CPU_HOW_STRANDS)
    return;
  self->n_threads = launch->block.x * launch->block.y * launch->block.z;
  leat_cpu_block_reserve_strands (self, self->n_threads);
  if (self->stack_size != leat_cpu_engine_get_stack_size ())
    {
      leat_cpu_block_clear_fibers (self);
      self->stack_size = leat_cpu_engine_get_stack_size ();
    }
  /* A fiber made by one thread of the block would begin after what that thread did. */
  while (leat_cpu_tsan && self->n_fibers < self->n_threads)
    if (!leat_cpu_block_add_fibers (self))
      break;
}

void
leat_cpu_block_set_index (LeatCpuBlock *self, guint64 linear)
{
  const LeatHostDim3 *grid = &self->host.grid;

  if (grid->y == 1 && grid->z == 1)
    self->host.index = (LeatHostDim3){ (guint32) linear, 0, 0 };
  else
    {
      guint64 rest = linear / grid->x;
      self->host.index.x = (guint32) (linear % grid->x);
      self->host.index.y = (guint32) (rest % grid->y);
      self->host.index.z = (guint32) (rest / grid->y);
    }
  if (G_UNLIKELY (self->run->arenas != NULL))
    {
      char *arena = self->run->arenas + linear % self->run->n_arenas * self->run->arena_size;
      self->host.shared = (unsigned char *) arena;
      self->keys = arena + self->run->keys_offset;
    }
}

LeatHostDim3
leat_cpu_block_get_thread (const LeatCpuBlock *self, const LeatCpuStrand *strand)
{
  const LeatHostDim3 *size = &self->host.block;

  return (LeatHostDim3){ strand->linear % size->x, strand->linear / size->x % size->y,
                         strand->linear / size->x / size->y };
}

static void
leat_cpu_block_reset (LeatCpuBlock *self)
{
  self->n_started = 0;
  self->n_alive = self->n_threads;
  self->cursor = (LeatHostDim3){ 0, 0, 0 };
  leat_cpu_queue_init (&self->ready);
  leat_cpu_queue_init (&self->barrier.waiting);
  leat_cpu_queue_init (&self->grid_barrier.waiting);
  self->barrier.n_arrived = self->grid_barrier.n_arrived = 0;
  self->barrier.n_true = self->grid_barrier.n_true = 0;
  self->grid_barrier.phase = 0;
  self->n_sleeps = self->n_idle = 0;
  for (guint first = 0; first < self->n_threads; first += 32)
    leat_cpu_warp_begin (&self->warps[first / 32], self->n_threads - first);
}

/* Whatever was on the stacks is given up. */
static void
leat_cpu_block_abandon (LeatCpuBlock *self)
{
  self->free_fibers = NULL;
  for (guint i = self->n_fibers; i-- > 0;)
    {
      LeatCpuFiber *fiber = self->fibers[i];
      leat_cpu_fiber_prepare (fiber, leat_cpu_block_carry);
      fiber->next = self->free_fibers;
      self->free_fibers = fiber;
    }
}

gboolean
leat_cpu_block_run_strands (LeatCpuBlock *self)
{
  LeatCpuFiber *first;

  leat_cpu_block_reset (self);
  first = leat_cpu_block_get_fresh_fiber (self);
  leat_cpu_fiber_switch (&self->home, &self->home.sp, first, first->sp);
  while (G_UNLIKELY (self->n_alive > 0 && !self->failed && leat_cpu_warp_let_meet (self)))
    {
      void *sp;
      LeatCpuFiber *next = leat_cpu_block_take_next (self, &sp);

      leat_cpu_fiber_switch (&self->home, &self->home.sp, next, sp);
    }
  self->current = NULL;
  if (G_LIKELY (self->n_alive == 0 && !self->failed))
    return TRUE;
  if (!self->failed)
    {
      g_autofree char *text = leat_cpu_block_describe_deadlock (self);
      leat_cpu_run_fail (self->run, CUDA_ERROR_LAUNCH_FAILED, text);
    }
  leat_cpu_block_abandon (self);
  return FALSE;
}

void
leat_cpu_block_leave (LeatCpuBlock *self)
{
  LeatCpuFiber *from;

  if (leat_cpu_asan)
    __asan_handle_no_return ();
  self->failed = TRUE;
  if (self->current == NULL)
    _longjmp (self->escape, 1);
  from = self->current->fiber;
  leat_cpu_fiber_switch (from, &from->sp, &self->home, self->home.sp);
  g_assert_not_reached ();
}
