/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Flags that say whether AddressSanitizer or ThreadSanitizer watches the process.  They are set once, before the first
 * module is loaded. */

#include "leat-cpu-sanitizer.h"

gboolean leat_cpu_asan;
gboolean leat_cpu_tsan;
gboolean leat_cpu_sanitized;

void
leat_cpu_sanitizer_probe (void)
{
  leat_cpu_asan = __sanitizer_start_switch_fiber != NULL && __asan_poison_memory_region != NULL;
  leat_cpu_tsan = __tsan_create_fiber != NULL && __tsan_acquire != NULL;
  leat_cpu_sanitized = leat_cpu_asan || leat_cpu_tsan;
}
