/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Settings of the engine. */

#include "leat-cpu-engine.h"

#include "leat-cpu-profile.h"
#include "leat-cpu-sanitizer.h"

#define LEAT_CPU_STACK_DEFAULT   (64u << 10)
#define LEAT_CPU_STACK_SANITIZED (256u << 10) /* instrumented frames are several times as large */
#define LEAT_CPU_STACK_LEAST     (16u << 10)
#define LEAT_CPU_STACK_MOST      (64u << 20)

static gsize leat_cpu_engine_stack_size; /* that an application has asked for, or 0 */

/* The stack size that LEAT_CPU_STACK asks for, else the default. */
static gsize
leat_cpu_engine_get_first_stack_size (void)
{
  static gsize first;

  if (g_once_init_enter (&first))
    {
      const char *text = g_getenv ("LEAT_CPU_STACK");
      gsize size = leat_cpu_sanitized ? LEAT_CPU_STACK_SANITIZED : LEAT_CPU_STACK_DEFAULT;
      guint64 asked;

      if (text != NULL && leat_cpu_profile_parse_bytes (text, &asked) && asked >= LEAT_CPU_STACK_LEAST
          && asked <= LEAT_CPU_STACK_MOST)
        size = (asked + 4095) / 4096 * 4096;
      else if (text != NULL)
        g_printerr ("cpu driver: LEAT_CPU_STACK=%s ignored: give bytes from %uK to %uM\n", text,
                    LEAT_CPU_STACK_LEAST >> 10, LEAT_CPU_STACK_MOST >> 20);
      g_once_init_leave (&first, size);
    }
  return first;
}

gsize
leat_cpu_engine_get_stack_size (void)
{
  gsize size = __atomic_load_n (&leat_cpu_engine_stack_size, __ATOMIC_RELAXED);

  return size != 0 ? size : leat_cpu_engine_get_first_stack_size ();
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
