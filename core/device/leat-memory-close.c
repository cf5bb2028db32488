/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Where a program has AddressSanitizer in it and the device is the CPU, the sanitizer is told what nobody asked for:
 * what the pool rounded up, and blocks that the pool keeps.  Its own zones lie behind the whole block only.  The
 * symbols are weak, since the runtime may be the program's alone. */

#include "leat-memory-private.h"

#include "leat-device-object-private.h"

void __asan_poison_memory_region (const volatile void *address, size_t size) __attribute__ ((weak));
void __asan_unpoison_memory_region (const volatile void *address, size_t size) __attribute__ ((weak));

gboolean
leat_device_closes_memory (LeatDevice *self)
{
  return G_UNLIKELY (__asan_poison_memory_region != NULL) && leat_device_is_cpu (self);
}

void
leat_memory_close (LeatDevice *device, LeatMemory *self, guint64 offset, guint64 bytes)
{
  if (leat_device_closes_memory (device))
    __asan_poison_memory_region ((void *) (guintptr) (self->address + offset), bytes);
}

void
leat_memory_open (LeatDevice *device, LeatMemory *self, guint64 offset, guint64 bytes)
{
  if (leat_device_closes_memory (device))
    __asan_unpoison_memory_region ((void *) (guintptr) (self->address + offset), bytes);
}
