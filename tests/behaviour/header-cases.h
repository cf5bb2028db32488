/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "kernel-harness.h"

#define HEADER_THREADS 96

/* A kernel `void k (uint32_t *out, uint32_t n)` of a file in kernels/, run with some random n from 1 to @most, in
 * blocks of HEADER_THREADS threads. */
typedef struct
{
  const char *kernel;
  void (*expect) (guint32 *out, guint32 n); /* all items are 0 before */
  guint blocks, most;
  gboolean cooperative;
} HeaderCase;

/* What kernels/mix.cuh has: data, and the same with 0 from @n on. */
guint32 header_mix (guint32 i);
guint32 header_item (guint32 i, guint32 n);

LeatKernelSource *header_cases_open (const char *file);
/* A test for each, @prefix/KERNEL. */
void header_cases_add (const char *prefix, const char *file, const HeaderCase *cases, guint n);
