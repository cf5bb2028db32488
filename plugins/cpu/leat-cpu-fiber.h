/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

#include "leat-cpu-sanitizer.h"

G_BEGIN_DECLS

/* A stack that can be left and come back to, always on the same OS thread.  The OS thread's own stack is one too, so
 * that fibers can switch to it. */
typedef struct _LeatCpuFiber LeatCpuFiber;

struct _LeatCpuFiber
{
  void *sp;           /* where it was left, unless a strand is on it */
  LeatCpuFiber *next; /* in its owner's list of free ones */
  void *owner;
  char *stack; /* lowest usable byte */
  char *floor; /* of the nearest guard below */
  gsize size;
  guint colour;
  void *fake_stack; /* AddressSanitizer's */
  void *tsan;       /* ThreadSanitizer's */
};

typedef void (*LeatCpuFiberFunc) (LeatCpuFiber *self); /* must not return */

/* A block of stacks with a guard page below each, or below all where a process has very many. */
typedef struct _LeatCpuStacks LeatCpuStacks;

#define LEAT_CPU_STACKS_PER_CHUNK 32

LeatCpuStacks *leat_cpu_stacks_new (gsize stack_size);
void leat_cpu_stacks_free (LeatCpuStacks *self);
char *leat_cpu_stacks_get (LeatCpuStacks *self, guint n);
/* The lowest byte of the guard that a thread runs into which leaves that stack. */
char *leat_cpu_stacks_get_floor (LeatCpuStacks *self, guint n);

void leat_cpu_fiber_init (LeatCpuFiber *self, void *owner, LeatCpuStacks *stacks, guint n, gsize size, guint colour);
void leat_cpu_fiber_init_home (LeatCpuFiber *self);
void leat_cpu_fiber_clear (LeatCpuFiber *self);
/* Makes the next switch to it begin @func on an empty stack, whatever was on it. */
void leat_cpu_fiber_prepare (LeatCpuFiber *self, LeatCpuFiberFunc func);
/* To be called first thing in a LeatCpuFiberFunc. */
void leat_cpu_fiber_arrive (LeatCpuFiber *self);
int leat_cpu_fiber_switch_checked (LeatCpuFiber *from, void **save, LeatCpuFiber *to, void *sp);

/* Per architecture: leaves the current stack, noting in *save how to come back, and goes on at @to.  Returns 0, later,
 * so that a caller who has nothing left to do can end with it and keep nothing on the stack. */
int leat_cpu_fiber_swap (void **save, void *to);
void *leat_cpu_fiber_frame (char *bottom, char *top, LeatCpuFiberFunc func, LeatCpuFiber *fiber);

/* Leaves @from, which is the current one, for @to; where they were left is kept by the caller. */
static inline int
leat_cpu_fiber_switch (LeatCpuFiber *from, void **save, LeatCpuFiber *to, void *sp)
{
  if (G_UNLIKELY (leat_cpu_sanitized))
    return leat_cpu_fiber_switch_checked (from, save, to, sp);
  return leat_cpu_fiber_swap (save, sp);
}

G_END_DECLS
