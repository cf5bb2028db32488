/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The values behind conditional handles: kernels set them, and conditional graph nodes look at them.  Graphs and
 * executables hold references to them. */

#include "leat-cpu-condition.h"

#include "leat-cpu-block.h"

/* Conditions lie in chunks that are never freed: a kernel looks a handle up without a lock, and without touching memory
 * that may be gone.  A handle is the place, and above it how often the place was given out. */
#define LEAT_CPU_CONDITION_CHUNK      256
#define LEAT_CPU_CONDITION_CHUNKS     4096
#define LEAT_CPU_CONDITION_PLACE_BITS 20

G_STATIC_ASSERT (LEAT_CPU_CONDITION_CHUNK *LEAT_CPU_CONDITION_CHUNKS == 1 << LEAT_CPU_CONDITION_PLACE_BITS);

typedef struct
{
  LeatCpuCondition condition; /* first */
  guint place;
  guint64 n_given;
  gpointer next_free;
} LeatCpuConditionSlot;

static LeatCpuConditionSlot *leat_cpu_condition_chunks[LEAT_CPU_CONDITION_CHUNKS]; /* atomic */
static LeatCpuConditionSlot *leat_cpu_condition_first_free;
static guint leat_cpu_condition_n_places;

static LeatCpuConditionSlot *
leat_cpu_condition_add_place (void)
{
  guint place = leat_cpu_condition_n_places;
  LeatCpuConditionSlot **chunk;

  if (place == 1u << LEAT_CPU_CONDITION_PLACE_BITS)
    return NULL;
  leat_cpu_condition_n_places++;
  chunk = &leat_cpu_condition_chunks[place / LEAT_CPU_CONDITION_CHUNK];
  if (place % LEAT_CPU_CONDITION_CHUNK == 0)
    __atomic_store_n (chunk, g_new0 (LeatCpuConditionSlot, LEAT_CPU_CONDITION_CHUNK), __ATOMIC_RELEASE);
  (*chunk)[place % LEAT_CPU_CONDITION_CHUNK].place = place;
  return &(*chunk)[place % LEAT_CPU_CONDITION_CHUNK];
}

LeatCpuCondition *
leat_cpu_condition_new (guint initial, gboolean assign_initial)
{
  LeatCpuConditionSlot *slot = leat_cpu_condition_first_free;

  if (slot != NULL)
    leat_cpu_condition_first_free = slot->next_free;
  else
    slot = leat_cpu_condition_add_place ();
  if (slot != NULL)
    {
      CUgraphConditionalHandle handle = ++slot->n_given << LEAT_CPU_CONDITION_PLACE_BITS | slot->place;

      slot->condition.refs = 1;
      slot->condition.value = 0;
      slot->condition.initial = initial;
      slot->condition.assign_initial = assign_initial;
      slot->condition.used = FALSE;
      __atomic_store_n (&slot->condition.handle, handle, __ATOMIC_RELEASE);
    }
  return slot != NULL ? &slot->condition : NULL;
}

LeatCpuCondition *
leat_cpu_condition_ref (LeatCpuCondition *condition)
{
  condition->refs++;
  return condition;
}

void
leat_cpu_condition_unref (LeatCpuCondition *condition)
{
  LeatCpuConditionSlot *slot = (LeatCpuConditionSlot *) condition;

  if (--condition->refs > 0)
    return;
  __atomic_store_n (&condition->handle, 0, __ATOMIC_RELEASE);
  slot->next_free = leat_cpu_condition_first_free;
  leat_cpu_condition_first_free = slot;
}

static LeatCpuCondition *
leat_cpu_condition_find (CUgraphConditionalHandle handle)
{
  guint place = (guint) (handle & ((1u << LEAT_CPU_CONDITION_PLACE_BITS) - 1));
  LeatCpuConditionSlot *chunk =
    __atomic_load_n (&leat_cpu_condition_chunks[place / LEAT_CPU_CONDITION_CHUNK], __ATOMIC_ACQUIRE);
  LeatCpuCondition *condition;

  if (chunk == NULL || handle == 0)
    return NULL;
  condition = &chunk[place % LEAT_CPU_CONDITION_CHUNK].condition;
  return __atomic_load_n (&condition->handle, __ATOMIC_ACQUIRE) == handle ? condition : NULL;
}

void
leat_cpu_set_conditional (LeatHostBlock *host, uint64_t handle, uint32_t value)
{
  LeatCpuBlock *block = leat_cpu_block_from_host (host);
  GPtrArray *settable = block->run->launch->conditions;
  LeatCpuCondition *condition = leat_cpu_condition_find (handle);

  if (condition == NULL)
    leat_cpu_block_fail (block, CUDA_ERROR_ILLEGAL_ADDRESS,
                         "0x%" G_GINT64_MODIFIER "x is no handle of a conditional node", (guint64) handle);
  if (settable == NULL || !g_ptr_array_find (settable, condition, NULL))
    leat_cpu_block_fail (block, CUDA_ERROR_ILLEGAL_ADDRESS,
                         "the conditional node of handle 0x%" G_GINT64_MODIFIER
                         "x is not in the graph that runs this kernel",
                         (guint64) handle);
  __atomic_store_n (&condition->value, value, __ATOMIC_RELEASE);
}
