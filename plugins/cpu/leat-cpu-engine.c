/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-cpu-engine.h"

#include "leat-cpu-sanitizer.h"

/* Settings of the engine. */

#define LEAT_CPU_STACK_DEFAULT   (64u << 10)
#define LEAT_CPU_STACK_SANITIZED (256u << 10) /* instrumented frames are several times as large */
#define LEAT_CPU_STACK_LEAST     (16u << 10)
#define LEAT_CPU_STACK_MOST      (64u << 20)

static gsize leat_cpu_engine_stack_size;

gsize
leat_cpu_engine_get_stack_size (void)
{
  gsize size = __atomic_load_n (&leat_cpu_engine_stack_size, __ATOMIC_RELAXED);

  if (G_LIKELY (size != 0))
    return size;
  return leat_cpu_sanitized ? LEAT_CPU_STACK_SANITIZED : LEAT_CPU_STACK_DEFAULT;
}

void
leat_cpu_engine_set_stack_size (gsize bytes)
{
  gsize pages = (CLAMP (bytes, LEAT_CPU_STACK_LEAST, LEAT_CPU_STACK_MOST) + 4095) / 4096;
  __atomic_store_n (&leat_cpu_engine_stack_size, pages * 4096, __ATOMIC_RELAXED);
}

gboolean
leat_cpu_engine_get_variants (void)
{
  static gsize variants; /* 1: no, 2: yes */

  if (g_once_init_enter (&variants))
    g_once_init_leave (&variants, g_strcmp0 (g_getenv ("LEAT_CPU_VARIANTS"), "0") == 0 ? 1 : 2);
  return variants == 2;
}
