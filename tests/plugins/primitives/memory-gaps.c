/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "memory-gaps.h"

#include "replay/leat-session-private.h"

void __asan_poison_memory_region (const volatile void *address, size_t size) __attribute__ ((weak));
void __asan_unpoison_memory_region (const volatile void *address, size_t size) __attribute__ ((weak));

void
memory_gaps_watch (void)
{
  if (__asan_poison_memory_region != NULL)
    g_setenv ("LEAT_KERNEL_SANITIZE", "address", TRUE);
}

static gboolean
memory_gaps_are_seen (LeatSession *session)
{
  return __asan_poison_memory_region != NULL && leat_device_is_cpu (leat_session_get_device (session));
}

/* All of a block, then what its buffers have of it. */
static void
memory_gaps_close_block (LeatLane *lane, LeatMemory *memory, LeatPlace place)
{
  guint8 *begin = GSIZE_TO_POINTER ((gsize) leat_memory_get_address (memory));

  __asan_poison_memory_region (begin, leat_memory_get_bytes (memory));
  for (guint i = 0; i < lane->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (lane->plan, i);

      if (buffer->place == place)
        __asan_unpoison_memory_region (begin + buffer->offset, buffer->bytes);
    }
}

void
memory_gaps_close (LeatSession *session)
{
  LeatLane *lane = g_ptr_array_index (session->lanes, 0);

  if (!memory_gaps_are_seen (session))
    return;
  if (lane->arena != NULL)
    memory_gaps_close_block (lane, lane->arena->memory, LEAT_PLACE_ARENA);
  if (lane->marks != NULL)
    memory_gaps_close_block (lane, lane->marks, LEAT_PLACE_MARKS);
}

void
memory_gaps_open (LeatSession *session)
{
  LeatLane *lane = g_ptr_array_index (session->lanes, 0);
  LeatMemory *const memories[] = { lane->arena != NULL ? lane->arena->memory : NULL, lane->marks };

  for (guint i = 0; i < G_N_ELEMENTS (memories) && memory_gaps_are_seen (session); i++)
    if (memories[i] != NULL)
      __asan_unpoison_memory_region (GSIZE_TO_POINTER ((gsize) leat_memory_get_address (memories[i])),
                                     leat_memory_get_bytes (memories[i]));
}
