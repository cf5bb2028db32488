/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Memory that the driver gives out, and the books on all memory that it knows, for every call that takes an address.
 * The books are sorted by address and have a lock of their own. */

#include "leat-cpu-allocation.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "leat-cpu-count.h"
#include "leat-cpu-profile.h"
#include "leat-cpu-sanitizer.h"

#define LEAT_CPU_ALIGNMENT 256
#define LEAT_CPU_HUGE_PAGE ((gsize) 2 << 20)
#define LEAT_CPU_PAGE      ((gsize) 64 << 10) /* a multiple of every system's */

/* Sorted by address.  A lock of its own, because copies look up their ends while they are being prepared. */
static pthread_mutex_t leat_cpu_allocation_lock = PTHREAD_MUTEX_INITIALIZER;
static LeatCpuAllocation *leat_cpu_allocations;
static guint leat_cpu_n_allocations;
static guint leat_cpu_allocation_capacity;
static guint64 leat_cpu_allocation_next_id = 1;
static guint64 leat_cpu_device_bytes;
static guint64 leat_cpu_pool_bytes;
static guint64 leat_cpu_pool_bytes_high;

gboolean
leat_cpu_allocation_is_device (LeatCpuAllocationKind kind)
{
  return kind == LEAT_CPU_ALLOCATION_DEVICE || kind == LEAT_CPU_ALLOCATION_POOL || kind == LEAT_CPU_ALLOCATION_GLOBAL;
}

static gboolean
leat_cpu_allocation_is_counted (LeatCpuAllocationKind kind)
{
  return kind == LEAT_CPU_ALLOCATION_DEVICE || kind == LEAT_CPU_ALLOCATION_POOL;
}

/* The first allocation that begins after @address. */
static guint
leat_cpu_allocation_upper_bound (guintptr address)
{
  guint low = 0;
  guint high = leat_cpu_n_allocations;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (leat_cpu_allocations[middle].base <= address)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static LeatCpuAllocation *
leat_cpu_allocation_lookup (guintptr address)
{
  guint after = leat_cpu_allocation_upper_bound (address);

  if (after == 0)
    return NULL;
  LeatCpuAllocation *allocation = &leat_cpu_allocations[after - 1];
  return address - allocation->base < allocation->size ? allocation : NULL;
}

static void
leat_cpu_allocation_insert (LeatCpuAllocation allocation)
{
  guint at = leat_cpu_allocation_upper_bound (allocation.base);

  if (leat_cpu_n_allocations == leat_cpu_allocation_capacity)
    {
      leat_cpu_allocation_capacity = MAX (64, 2 * leat_cpu_allocation_capacity);
      leat_cpu_allocations = g_renew (LeatCpuAllocation, leat_cpu_allocations, leat_cpu_allocation_capacity);
    }
  memmove (&leat_cpu_allocations[at + 1], &leat_cpu_allocations[at],
           (leat_cpu_n_allocations - at) * sizeof (LeatCpuAllocation));
  allocation.id = leat_cpu_allocation_next_id++;
  leat_cpu_allocations[at] = allocation;
  leat_cpu_n_allocations++;
}

static void
leat_cpu_allocation_remove (LeatCpuAllocation *allocation)
{
  guint at = (guint) (allocation - leat_cpu_allocations);

  leat_cpu_n_allocations--;
  memmove (allocation, allocation + 1, (leat_cpu_n_allocations - at) * sizeof (LeatCpuAllocation));
}

static void
leat_cpu_allocation_account (LeatCpuAllocationKind kind, gint64 bytes)
{
  if (!leat_cpu_allocation_is_counted (kind))
    return;
  leat_cpu_device_bytes += (guint64) bytes;
  __atomic_store_n (&leat_cpu_counters.device_bytes, leat_cpu_device_bytes, __ATOMIC_RELAXED);
  if (leat_cpu_device_bytes > __atomic_load_n (&leat_cpu_counters.device_bytes_peak, __ATOMIC_RELAXED))
    __atomic_store_n (&leat_cpu_counters.device_bytes_peak, leat_cpu_device_bytes, __ATOMIC_RELAXED);
  if (kind != LEAT_CPU_ALLOCATION_POOL)
    return;
  leat_cpu_pool_bytes += (guint64) bytes;
  leat_cpu_pool_bytes_high = MAX (leat_cpu_pool_bytes_high, leat_cpu_pool_bytes);
}

/* Big blocks come from the system, untouched: an allocator that fills what it gives out would touch all of a device's
 * memory.  AddressSanitizer needs its own allocator, for the zones round each block. */
static gboolean
leat_cpu_allocation_is_mapped (gsize size)
{
  return size >= 2 * LEAT_CPU_HUGE_PAGE && __asan_poison_memory_region == NULL;
}

static gsize
leat_cpu_allocation_round_to_page (gsize size)
{
  return (size + LEAT_CPU_PAGE - 1) & ~(LEAT_CPU_PAGE - 1);
}

/* On huge pages: first touch of 4 KiB pages would cost more than a kernel's pass over them. */
static void *
leat_cpu_allocation_map (gsize size)
{
  gsize length = leat_cpu_allocation_round_to_page (size);
  char *start = mmap (NULL, length + LEAT_CPU_HUGE_PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (start == MAP_FAILED)
    return NULL;
  gsize before = -(guintptr) start & (LEAT_CPU_HUGE_PAGE - 1);
  if (before > 0)
    munmap (start, before);
  if (before < LEAT_CPU_HUGE_PAGE)
    munmap (start + before + length, LEAT_CPU_HUGE_PAGE - before);
  madvise (start + before, length, MADV_HUGEPAGE);
  return start + before;
}

static void *
leat_cpu_allocation_get_block (gsize size)
{
  void *block = NULL;

  if (leat_cpu_allocation_is_mapped (size))
    return leat_cpu_allocation_map (size);
  return posix_memalign (&block, LEAT_CPU_ALIGNMENT, size) == 0 ? block : NULL;
}

static void
leat_cpu_allocation_put_block (void *block, gsize size)
{
  if (leat_cpu_allocation_is_mapped (size))
    munmap (block, leat_cpu_allocation_round_to_page (size));
  else
    free (block);
}

CUresult
leat_cpu_allocation_new (LeatCpuAllocationKind kind, gsize size, guint flags, void **out)
{
  gboolean counted = leat_cpu_allocation_is_counted (kind);
  guint64 limit = leat_cpu_profile_get ()->memory_bytes;
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;

  pthread_mutex_lock (&leat_cpu_allocation_lock);
  if (!counted || (size <= limit && leat_cpu_device_bytes <= limit - size))
    {
      void *block = leat_cpu_allocation_get_block (size);

      if (block != NULL)
        {
          leat_cpu_allocation_insert ((LeatCpuAllocation){ (guintptr) block, size, kind, flags, 0 });
          leat_cpu_allocation_account (kind, (gint64) size);
          *out = block;
          result = CUDA_SUCCESS;
        }
    }
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  if (result == CUDA_SUCCESS && counted)
    leat_cpu_count (device_allocations);
  else if (result == CUDA_SUCCESS)
    leat_cpu_count (host_allocations);
  return result;
}

static void
leat_cpu_allocation_count_free (LeatCpuAllocationKind kind)
{
  if (leat_cpu_allocation_is_counted (kind))
    leat_cpu_count (device_frees);
  else
    leat_cpu_count (host_frees);
}

CUresult
leat_cpu_allocation_free (LeatCpuAllocationKind kind, const void *base)
{
  CUresult result = CUDA_ERROR_INVALID_VALUE;
  gsize size = 0;

  pthread_mutex_lock (&leat_cpu_allocation_lock);
  LeatCpuAllocation *allocation = leat_cpu_allocation_lookup ((guintptr) base);
  if (allocation != NULL && allocation->base == (guintptr) base && allocation->kind == kind)
    {
      size = allocation->size;
      leat_cpu_allocation_account (kind, -(gint64) size);
      leat_cpu_allocation_remove (allocation);
      result = CUDA_SUCCESS;
    }
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  if (result != CUDA_SUCCESS)
    return result;
  leat_cpu_allocation_put_block ((void *) base, size);
  leat_cpu_allocation_count_free (kind);
  return CUDA_SUCCESS;
}

gboolean
leat_cpu_allocation_find (guintptr address, LeatCpuAllocation *out)
{
  pthread_mutex_lock (&leat_cpu_allocation_lock);
  LeatCpuAllocation *allocation = leat_cpu_allocation_lookup (address);
  if (allocation != NULL)
    *out = *allocation;
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  return allocation != NULL;
}

CUresult
leat_cpu_allocation_add_foreign (LeatCpuAllocationKind kind, const void *base, gsize size)
{
  guintptr start = (guintptr) base;
  CUresult result = CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;

  pthread_mutex_lock (&leat_cpu_allocation_lock);
  guint after = leat_cpu_allocation_upper_bound (start);
  gboolean clear_before =
    after == 0 || start - leat_cpu_allocations[after - 1].base >= leat_cpu_allocations[after - 1].size;
  gboolean clear_after = after == leat_cpu_n_allocations || leat_cpu_allocations[after].base - start >= size;
  if (clear_before && clear_after)
    {
      leat_cpu_allocation_insert ((LeatCpuAllocation){ .base = start, .size = size, .kind = kind });
      result = CUDA_SUCCESS;
    }
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  if (result == CUDA_SUCCESS && kind == LEAT_CPU_ALLOCATION_REGISTERED)
    leat_cpu_count (host_allocations);
  return result;
}

gboolean
leat_cpu_allocation_remove_foreign (LeatCpuAllocationKind kind, const void *base)
{
  gboolean found = FALSE;

  pthread_mutex_lock (&leat_cpu_allocation_lock);
  LeatCpuAllocation *allocation = leat_cpu_allocation_lookup ((guintptr) base);
  if (allocation != NULL && allocation->base == (guintptr) base && allocation->kind == kind)
    {
      leat_cpu_allocation_remove (allocation);
      found = TRUE;
    }
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  if (found && kind == LEAT_CPU_ALLOCATION_REGISTERED)
    leat_cpu_count (host_frees);
  return found;
}

guint64
leat_cpu_allocation_get_device_bytes (void)
{
  pthread_mutex_lock (&leat_cpu_allocation_lock);
  guint64 bytes = leat_cpu_device_bytes;
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  return bytes;
}

guint64
leat_cpu_allocation_get_pool_bytes (guint64 *high)
{
  pthread_mutex_lock (&leat_cpu_allocation_lock);
  guint64 bytes = leat_cpu_pool_bytes;
  *high = leat_cpu_pool_bytes_high;
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
  return bytes;
}

void
leat_cpu_allocation_reset_pool_high (void)
{
  pthread_mutex_lock (&leat_cpu_allocation_lock);
  leat_cpu_pool_bytes_high = leat_cpu_pool_bytes;
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
}

void
leat_cpu_allocation_free_all (void)
{
  guint kept = 0;

  pthread_mutex_lock (&leat_cpu_allocation_lock);
  for (guint i = 0; i < leat_cpu_n_allocations; i++)
    {
      LeatCpuAllocation *allocation = &leat_cpu_allocations[i];

      if (allocation->kind == LEAT_CPU_ALLOCATION_GLOBAL)
        {
          leat_cpu_allocations[kept++] = *allocation;
          continue;
        }
      leat_cpu_allocation_account (allocation->kind, -(gint64) allocation->size);
      leat_cpu_allocation_count_free (allocation->kind);
      leat_cpu_count (left_to_context);
      if (allocation->kind != LEAT_CPU_ALLOCATION_REGISTERED)
        leat_cpu_allocation_put_block ((void *) allocation->base, allocation->size);
    }
  leat_cpu_n_allocations = kept;
  pthread_mutex_unlock (&leat_cpu_allocation_lock);
}
