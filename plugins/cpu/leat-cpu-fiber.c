/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-cpu-fiber.h"

#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

struct _LeatCpuStacks
{
  char *memory;
  gsize stride;
  gsize guard;
};

gsize
leat_cpu_stacks_get_guard (void)
{
  return (gsize) sysconf (_SC_PAGESIZE);
}

LeatCpuStacks *
leat_cpu_stacks_new (gsize stack_size)
{
  gsize guard = leat_cpu_stacks_get_guard ();
  gsize stride = guard + (stack_size + guard - 1) / guard * guard;
  char *memory = mmap (NULL, stride * LEAT_CPU_STACKS_PER_CHUNK, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
  if (memory == MAP_FAILED)
    return NULL;
  /* Each guard splits a mapping and the system limits how many there are; past the limit, run without. */
  for (guint i = 0; i < LEAT_CPU_STACKS_PER_CHUNK; i++)
    if (mprotect (memory + i * stride, guard, PROT_NONE) != 0)
      break;

  LeatCpuStacks *self = g_new (LeatCpuStacks, 1);
  *self = (LeatCpuStacks){ memory, stride, guard };
  return self;
}

void
leat_cpu_stacks_free (LeatCpuStacks *self)
{
  munmap (self->memory, self->stride * LEAT_CPU_STACKS_PER_CHUNK);
  g_free (self);
}

char *
leat_cpu_stacks_get (LeatCpuStacks *self, guint n)
{
  return self->memory + n * self->stride + self->guard;
}

void
leat_cpu_fiber_init (LeatCpuFiber *self, void *owner, char *stack, gsize size, guint colour)
{
  *self = (LeatCpuFiber){ .owner = owner, .stack = stack, .size = size, .colour = colour };
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
      self->stack = stack;
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
