/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Tells AddressSanitizer and ThreadSanitizer about fibers and barriers.  The symbols are weak: kernels may be
 * instrumented while this library is not, and then the runtime in the executable answers.  Every use is behind one of
 * the two flags, which leat_cpu_sanitizer_probe () sets. */

#define LEAT_CPU_TSAN_NO_SYNC 1u

extern gboolean leat_cpu_asan;
extern gboolean leat_cpu_tsan;
extern gboolean leat_cpu_sanitized; /* either */

void leat_cpu_sanitizer_probe (void);

void __sanitizer_start_switch_fiber (void **fake_stack_save, const void *bottom, size_t size) __attribute__ ((weak));
void __sanitizer_finish_switch_fiber (void *fake_stack_save, const void **bottom, size_t *size) __attribute__ ((weak));
void __asan_poison_memory_region (const volatile void *address, size_t size) __attribute__ ((weak));
void __asan_unpoison_memory_region (const volatile void *address, size_t size) __attribute__ ((weak));
void __asan_handle_no_return (void) __attribute__ ((weak));
void *__tsan_get_current_fiber (void) __attribute__ ((weak));
void *__tsan_create_fiber (unsigned flags) __attribute__ ((weak));
void __tsan_destroy_fiber (void *fiber) __attribute__ ((weak));
void __tsan_switch_to_fiber (void *fiber, unsigned flags) __attribute__ ((weak));
void __tsan_acquire (void *address) __attribute__ ((weak));
void __tsan_release (void *address) __attribute__ ((weak));

static inline void
leat_cpu_sanitizer_acquire (void *key)
{
  if (G_UNLIKELY (leat_cpu_tsan))
    __tsan_acquire (key);
}

static inline void
leat_cpu_sanitizer_release (void *key)
{
  if (G_UNLIKELY (leat_cpu_tsan))
    __tsan_release (key);
}

static inline void
leat_cpu_sanitizer_poison (void *address, gsize size)
{
  if (G_UNLIKELY (leat_cpu_asan))
    __asan_poison_memory_region (address, size);
}

static inline void
leat_cpu_sanitizer_unpoison (void *address, gsize size)
{
  if (G_UNLIKELY (leat_cpu_asan))
    __asan_unpoison_memory_region (address, size);
}

G_END_DECLS
