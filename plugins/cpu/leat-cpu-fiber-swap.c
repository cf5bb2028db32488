/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The switch from one stack to another, for fibers: in assembly where there is some, else by ucontext.  Touches
 * registers and the two stacks only. */

#include "leat-cpu-fiber.h"

/* The switch between stacks.  It is a plain function that saves what its caller may expect to survive a call, so the
 * compiler needs to know nothing, and it comes back by a return: threads of one block wait at the same place, so the
 * processor's guess at the return address is right although the stack is another one.
 *
 * Both names are global within the library: with -Db_lto=true this text and what uses it may come into different
 * objects. */

#if defined(__x86_64__) && !defined(LEAT_CPU_FIBER_UCONTEXT)

__asm__(".text\n"
        ".p2align 4\n"
        ".globl leat_cpu_fiber_swap\n"
        ".hidden leat_cpu_fiber_swap\n"
        ".type leat_cpu_fiber_swap, @function\n"
        "leat_cpu_fiber_swap:\n"
        "  pushq %rbp\n"
        "  pushq %rbx\n"
        "  pushq %r12\n"
        "  pushq %r13\n"
        "  pushq %r14\n"
        "  pushq %r15\n"
        "  movq %rsp, (%rdi)\n"
        "  movq %rsi, %rsp\n"
        "  popq %r15\n"
        "  popq %r14\n"
        "  popq %r13\n"
        "  popq %r12\n"
        "  popq %rbx\n"
        "  popq %rbp\n"
        "  ret\n"
        ".size leat_cpu_fiber_swap, . - leat_cpu_fiber_swap\n"
        ".p2align 4\n"
        ".globl leat_cpu_fiber_first\n"
        ".hidden leat_cpu_fiber_first\n"
        ".type leat_cpu_fiber_first, @function\n"
        "leat_cpu_fiber_first:\n"
        "  movq %r12, %rdi\n"
        "  callq *%r13\n"
        "  ud2\n"
        ".size leat_cpu_fiber_first, . - leat_cpu_fiber_first\n");

void leat_cpu_fiber_first (void) __attribute__ ((visibility ("hidden")));

void *
leat_cpu_fiber_frame (char *bottom, char *top, LeatCpuFiberFunc func, LeatCpuFiber *fiber)
{
  void **sp = (void **) ((guintptr) top & ~(guintptr) 15);
  *--sp = NULL; /* keeps the stack aligned at the call, and ends backtraces */
  *--sp = NULL;
  *--sp = (void *) leat_cpu_fiber_first;
  *--sp = NULL;          /* rbp */
  *--sp = NULL;          /* rbx */
  *--sp = fiber;         /* r12 */
  *--sp = (void *) func; /* r13 */
  *--sp = NULL;          /* r14 */
  *--sp = NULL;          /* r15 */
  return sp;
}

#elif defined(__aarch64__) && !defined(LEAT_CPU_FIBER_UCONTEXT)

__asm__(".text\n"
        ".p2align 4\n"
        ".globl leat_cpu_fiber_swap\n"
        ".hidden leat_cpu_fiber_swap\n"
        ".type leat_cpu_fiber_swap, %function\n"
        "leat_cpu_fiber_swap:\n"
        "  sub sp, sp, #160\n"
        "  stp x19, x20, [sp, #0]\n"
        "  stp x21, x22, [sp, #16]\n"
        "  stp x23, x24, [sp, #32]\n"
        "  stp x25, x26, [sp, #48]\n"
        "  stp x27, x28, [sp, #64]\n"
        "  stp x29, x30, [sp, #80]\n"
        "  stp d8, d9, [sp, #96]\n"
        "  stp d10, d11, [sp, #112]\n"
        "  stp d12, d13, [sp, #128]\n"
        "  stp d14, d15, [sp, #144]\n"
        "  mov x9, sp\n"
        "  str x9, [x0]\n"
        "  mov sp, x1\n"
        "  ldp x19, x20, [sp, #0]\n"
        "  ldp x21, x22, [sp, #16]\n"
        "  ldp x23, x24, [sp, #32]\n"
        "  ldp x25, x26, [sp, #48]\n"
        "  ldp x27, x28, [sp, #64]\n"
        "  ldp x29, x30, [sp, #80]\n"
        "  ldp d8, d9, [sp, #96]\n"
        "  ldp d10, d11, [sp, #112]\n"
        "  ldp d12, d13, [sp, #128]\n"
        "  ldp d14, d15, [sp, #144]\n"
        "  add sp, sp, #160\n"
        "  ret\n"
        ".size leat_cpu_fiber_swap, . - leat_cpu_fiber_swap\n"
        ".p2align 4\n"
        ".globl leat_cpu_fiber_first\n"
        ".hidden leat_cpu_fiber_first\n"
        ".type leat_cpu_fiber_first, %function\n"
        "leat_cpu_fiber_first:\n"
        "  mov x0, x19\n"
        "  blr x20\n"
        "  brk #1\n"
        ".size leat_cpu_fiber_first, . - leat_cpu_fiber_first\n");

void leat_cpu_fiber_first (void) __attribute__ ((visibility ("hidden")));

void *
leat_cpu_fiber_frame (char *bottom, char *top, LeatCpuFiberFunc func, LeatCpuFiber *fiber)
{
  void **sp = (void **) ((guintptr) top & ~(guintptr) 15) - 20;
  for (guint i = 0; i < 20; i++)
    sp[i] = NULL;
  sp[0] = fiber;                          /* x19 */
  sp[1] = (void *) func;                  /* x20 */
  sp[11] = (void *) leat_cpu_fiber_first; /* x30 */
  return sp;
}

#else

#include <ucontext.h>

/* Thirty times slower, for it saves the signal mask by a system call, but right on every machine. */

int
leat_cpu_fiber_swap (void **save, void *to)
{
  ucontext_t here;
  *save = &here;
  return swapcontext (&here, to);
}

/* makecontext passes integers only. */
static void
leat_cpu_fiber_first (guint func_high, guint func_low, guint fiber_high, guint fiber_low)
{
  LeatCpuFiberFunc func = (LeatCpuFiberFunc) (guintptr) ((guint64) func_high << 32 | func_low);
  func ((LeatCpuFiber *) (guintptr) ((guint64) fiber_high << 32 | fiber_low));
}

void *
leat_cpu_fiber_frame (char *bottom, char *top, LeatCpuFiberFunc func, LeatCpuFiber *fiber)
{
  gsize room = (sizeof (ucontext_t) + 63) / 64 * 64;
  ucontext_t *context = (ucontext_t *) (((guintptr) top - room) & ~(guintptr) 63);
  guint64 f = (guintptr) func, d = (guintptr) fiber;

  getcontext (context);
  context->uc_link = NULL;
  context->uc_stack.ss_sp = bottom;
  context->uc_stack.ss_size = (gsize) ((char *) context - bottom);
  makecontext (context, (void (*) (void)) leat_cpu_fiber_first, 4, (guint) (f >> 32), (guint) f, (guint) (d >> 32),
               (guint) d);
  return context;
}

#endif
