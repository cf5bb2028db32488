/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Stacks with guard pages, and the fibers on them, for the CUDA threads of a block.  Touches the caller's stacks and
 * fibers only. */

#include "leat-cpu-fiber.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

/* A guard takes two mappings, of which Linux allows a process 65530; half of them are left to others. */
#define LEAT_CPU_MOST_GUARDS 16000

struct _LeatCpuStacks
{
  char *memory;
  gsize stride;
  gsize guard;
  guint n_guards;
};

static guint leat_cpu_n_guards; /* of all stacks */

/* Guards below each stack, or, where all have as many as there may be, one below all of these: a device with as many
 * threads as a large GPU would otherwise have no mapping left for their stacks. */
static void
leat_cpu_stacks_guard (LeatCpuStacks *self)
{
  guint before = __atomic_fetch_add (&leat_cpu_n_guards, LEAT_CPU_STACKS_PER_CHUNK, __ATOMIC_RELAXED);
  guint n = before + LEAT_CPU_STACKS_PER_CHUNK <= LEAT_CPU_MOST_GUARDS ? LEAT_CPU_STACKS_PER_CHUNK : 1;

  while (self->n_guards < n && mprotect (self->memory + self->n_guards * self->stride, self->guard, PROT_NONE) == 0)
    self->n_guards++;
  __atomic_fetch_sub (&leat_cpu_n_guards, LEAT_CPU_STACKS_PER_CHUNK - self->n_guards, __ATOMIC_RELAXED);
}

LeatCpuStacks *
leat_cpu_stacks_new (gsize stack_size)
{
  gsize guard = (gsize) sysconf (_SC_PAGESIZE);
  gsize stride = guard + (stack_size + guard - 1) / guard * guard;
  char *memory = mmap (NULL, stride * LEAT_CPU_STACKS_PER_CHUNK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;

  LeatCpuStacks *self = g_new (LeatCpuStacks, 1);
  *self = (LeatCpuStacks){ memory, stride, guard, 0 };
  leat_cpu_stacks_guard (self);
  return self;
}

void
leat_cpu_stacks_free (LeatCpuStacks *self)
{
  munmap (self->memory, self->stride * LEAT_CPU_STACKS_PER_CHUNK);
  __atomic_fetch_sub (&leat_cpu_n_guards, self->n_guards, __ATOMIC_RELAXED);
  g_free (self);
}

char *
leat_cpu_stacks_get (LeatCpuStacks *self, guint n)
{
  return self->memory + n * self->stride + self->guard;
}

char *
leat_cpu_stacks_get_floor (LeatCpuStacks *self, guint n)
{
  return self->memory + (n < self->n_guards ? n : 0) * self->stride;
}

void
leat_cpu_fiber_init (LeatCpuFiber *self, void *owner, LeatCpuStacks *stacks, guint n, gsize size, guint colour)
{
  *self = (LeatCpuFiber){ .owner = owner, .size = size, .colour = colour };
  self->stack = leat_cpu_stacks_get (stacks, n);
  self->floor = leat_cpu_stacks_get_floor (stacks, n);
}

void
leat_cpu_fiber_init_home (LeatCpuFiber *self)
{
  *self = (LeatCpuFiber){ 0 };
  if (leat_cpu_tsan)
    self->tsan = __tsan_get_current_fiber ();
  if (leat_cpu_asan)
    {
      pthread_attr_t attributes;
      void *stack;
      size_t size;
      if (pthread_getattr_np (pthread_self (), &attributes) != 0)
        return;
      pthread_attr_getstack (&attributes, &stack, &size);
      pthread_attr_destroy (&attributes);
      self->stack = self->floor = stack;
      self->size = size;
    }
}

void
leat_cpu_fiber_clear (LeatCpuFiber *self)
{
  leat_cpu_sanitizer_unpoison (self->stack, self->size);
  if (self->tsan != NULL)
    __tsan_destroy_fiber (self->tsan);
  self->tsan = NULL;
}

void
leat_cpu_fiber_prepare (LeatCpuFiber *self, LeatCpuFiberFunc func)
{
  /* Stacks lie a whole number of pages apart, so their tops would all fall into the same sets of the first-level cache
   * and push each other out; tops five cache lines apart use all sets. */
  gsize shift = self->colour * 5 % 64 * 64;

  leat_cpu_fiber_clear (self);
  if (leat_cpu_tsan)
    self->tsan = __tsan_create_fiber (0);
  self->fake_stack = NULL;
  self->sp = leat_cpu_fiber_frame (self->stack, self->stack + self->size - shift, func, self);
}

void
leat_cpu_fiber_arrive (LeatCpuFiber *self)
{
  if (G_UNLIKELY (leat_cpu_asan))
    __sanitizer_finish_switch_fiber (NULL, NULL, NULL);
}

int
leat_cpu_fiber_switch_checked (LeatCpuFiber *from, void **save, LeatCpuFiber *to, void *sp)
{
  if (leat_cpu_asan)
    __sanitizer_start_switch_fiber (&from->fake_stack, to->stack, to->size);
  /* Barriers, not switches, order what CUDA threads do. */
  if (leat_cpu_tsan)
    __tsan_switch_to_fiber (to->tsan, LEAT_CPU_TSAN_NO_SYNC);
  leat_cpu_fiber_swap (save, sp);
  if (leat_cpu_asan)
    __sanitizer_finish_switch_fiber (from->fake_stack, NULL, NULL);
  return 0;
}
