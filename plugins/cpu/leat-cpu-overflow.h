/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <stddef.h>

#include <glib.h>

G_BEGIN_DECLS

/* A CUDA thread that needs more stack than it has touches the guard page below it.  The signal is taken on a stack of
 * its own, which each OS thread that runs blocks gets unless it has one. */
typedef struct _LeatCpuSignalStack LeatCpuSignalStack;

/* For the calling OS thread; NULL where it has one already.  The first call makes the driver the one that tells, unless
 * the application has a handler. */
LeatCpuSignalStack *leat_cpu_overflow_watch (void);
/* On the same OS thread; @stack may be NULL. */
void leat_cpu_overflow_unwatch (LeatCpuSignalStack *stack);

/* Exported: a line that says which CUDA thread of the calling OS thread overflowed its stack, when that is what a
 * signal at @address means; else 0.  May be called in a signal handler on a signal stack. */
size_t leat_cpu_describe_overflow (const void *address, char *text, size_t size);

G_END_DECLS
