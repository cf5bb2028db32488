/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Overflows of a CUDA thread's stack, told by a signal handler: kernel, block and thread.  Touches the process's signal
 * handlers and the signal stack of each OS thread that runs blocks. */

#include "leat-cpu-overflow.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "leat-cpu-block.h"
#include "leat-cpu-exports.h"

#define LEAT_CPU_SIGNAL_STACK (64u << 10)
#define LEAT_CPU_STACK_EDGE   (64u << 10)  /* around a stack's end: the guard, and frames that begin before it */
#define LEAT_CPU_WRAPPER      "leat_wrap_" /* what Leat calls a kernel that it has wrapped */

struct _LeatCpuSignalStack
{
  char bytes[LEAT_CPU_SIGNAL_STACK];
};

/* The calling OS thread's own stack, on which threads run that never wait; NULL before it is looked for. */
static __thread const char *leat_cpu_overflow_low;
static __thread gsize leat_cpu_overflow_size;

/* A text put together with nothing that a signal handler may not call. */
typedef struct
{
  char *text;
  gsize size;
  gsize used;
} LeatCpuSignalText;

static void
leat_cpu_signal_text_add (LeatCpuSignalText *self, const char *part)
{
  gsize size = MIN (strlen (part), self->size - self->used);

  memcpy (self->text + self->used, part, size);
  self->used += size;
}

static void
leat_cpu_signal_text_add_number (LeatCpuSignalText *self, guint64 number)
{
  char digits[24];
  char *at = digits + sizeof digits;

  *--at = '\0';
  do
    *--at = (char) ('0' + number % 10);
  while ((number /= 10) > 0);
  leat_cpu_signal_text_add (self, at);
}

static void
leat_cpu_signal_text_add_index (LeatCpuSignalText *self, const char *what, const LeatHostDim3 *index)
{
  leat_cpu_signal_text_add (self, what);
  leat_cpu_signal_text_add (self, " (");
  leat_cpu_signal_text_add_number (self, index->x);
  leat_cpu_signal_text_add (self, ",");
  leat_cpu_signal_text_add_number (self, index->y);
  leat_cpu_signal_text_add (self, ",");
  leat_cpu_signal_text_add_number (self, index->z);
  leat_cpu_signal_text_add (self, ")");
}

static void
leat_cpu_signal_text_add_kernel (LeatCpuSignalText *self, const LeatCpuBlock *block)
{
  const char *name = block->kernel->name;

  leat_cpu_signal_text_add (self, "cpu driver: kernel ");
  leat_cpu_signal_text_add (self, g_str_has_prefix (name, LEAT_CPU_WRAPPER) ? name + strlen (LEAT_CPU_WRAPPER) : name);
  leat_cpu_signal_text_add_index (self, ", block", &block->host.index);
}

static gsize
leat_cpu_overflow_describe_own (const LeatCpuBlock *block, LeatCpuSignalText *line)
{
  leat_cpu_signal_text_add_kernel (line, block);
  leat_cpu_signal_text_add (line, ": a thread overflowed the stack of ");
  leat_cpu_signal_text_add_number (line, leat_cpu_overflow_size / 1024);
  leat_cpu_signal_text_add (line, " KiB on which threads run that never wait; smaller local arrays and less recursion "
                                  "need less, and recursion without an end any\n");
  return line->used;
}

LEAT_CPU_EXPORT size_t
leat_cpu_describe_overflow (const void *address, char *text, size_t size)
{
  const LeatCpuBlock *block = leat_cpu_block_own;
  const LeatCpuStrand *strand = block != NULL ? block->current : NULL;
  LeatCpuSignalText line = { text, size, 0 };
  const char *at = address;
  LeatHostDim3 thread;
  gsize n_kib;

  if (block != NULL && block->kernel != NULL && leat_cpu_overflow_low != NULL
      && at < leat_cpu_overflow_low + LEAT_CPU_STACK_EDGE && at >= leat_cpu_overflow_low - LEAT_CPU_STACK_EDGE)
    return leat_cpu_overflow_describe_own (block, &line);
  if (strand == NULL || strand->fiber == NULL || at >= strand->fiber->stack || at < strand->fiber->floor)
    return 0;
  thread = leat_cpu_block_get_thread (block, strand);
  n_kib = block->stack_size / 1024;
  leat_cpu_signal_text_add_kernel (&line, block);
  leat_cpu_signal_text_add_index (&line, ", thread", &thread);
  leat_cpu_signal_text_add (&line, ": it overflowed its stack of ");
  leat_cpu_signal_text_add_number (&line, n_kib);
  leat_cpu_signal_text_add (&line, " KiB; LEAT_CPU_STACK=");
  leat_cpu_signal_text_add_number (&line, n_kib * 4);
  leat_cpu_signal_text_add (&line, "K gives more, smaller local arrays and less recursion need less\n");
  return line.used;
}

static void
leat_cpu_overflow_handle (int number, siginfo_t *info, void *context)
{
  char text[512];
  gsize size = leat_cpu_describe_overflow (info->si_addr, text, sizeof text);
  gssize written = size > 0 ? write (STDERR_FILENO, text, size) : 0;

  (void) written; /* nobody else could be told */
  /* The instruction is tried again when this returns, and then ends the process as it would have; what another process
   * sent is sent again. */
  signal (number, SIG_DFL);
  if (info->si_code <= 0)
    raise (number);
}

static void
leat_cpu_overflow_install (void)
{
  struct sigaction action = { .sa_sigaction = leat_cpu_overflow_handle, .sa_flags = SA_SIGINFO | SA_ONSTACK };
  struct sigaction before;

  sigemptyset (&action.sa_mask);
  if (sigaction (SIGSEGV, NULL, &before) == 0 && (before.sa_flags & SA_SIGINFO) == 0 && before.sa_handler == SIG_DFL)
    sigaction (SIGSEGV, &action, NULL);
}

static void
leat_cpu_overflow_find_stack (void)
{
  pthread_attr_t attributes;
  void *low = NULL;

  if (pthread_getattr_np (pthread_self (), &attributes) != 0)
    return;
  if (pthread_attr_getstack (&attributes, &low, &leat_cpu_overflow_size) == 0)
    leat_cpu_overflow_low = low;
  pthread_attr_destroy (&attributes);
}

LeatCpuSignalStack *
leat_cpu_overflow_watch (void)
{
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  LeatCpuSignalStack *self;
  stack_t before;

  pthread_once (&once, leat_cpu_overflow_install);
  leat_cpu_overflow_find_stack ();
  if (sigaltstack (NULL, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0)
    return NULL;
  self = g_new (LeatCpuSignalStack, 1);
  if (sigaltstack (&(stack_t){ .ss_sp = self, .ss_size = sizeof *self }, NULL) == 0)
    return self;
  g_free (self);
  return NULL;
}

void
leat_cpu_overflow_unwatch (LeatCpuSignalStack *stack)
{
  stack_t now;

  if (stack == NULL)
    return;
  if (sigaltstack (NULL, &now) == 0 && now.ss_sp == stack)
    sigaltstack (&(stack_t){ .ss_flags = SS_DISABLE }, NULL);
  g_free (stack);
}
