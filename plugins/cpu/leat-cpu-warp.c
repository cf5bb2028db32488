/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Warp operations: each lane leaves its value and waits; the last lane of the mask computes the results of all and goes
 * on, the others are made ready.  Lanes with disjoint masks, or with masks that overlap over time, form groups of their
 * own.  A lane that has returned is not waited for. */

#include "leat-cpu-block.h"

#include <string.h>

void
leat_cpu_warp_begin (LeatCpuWarp *self, guint32 n_lanes)
{
  self->ended = n_lanes >= 32 ? 0 : ~0u << n_lanes;
  self->n_groups = 0;
  self->phase = 0;
}

/* Where a shuffle's lane reads from, as PTX defines shfl: the last lane of the segment bounds, for UP the first. */
static inline guint32
leat_cpu_warp_get_source (LeatHostWarpOp op, guint32 lane, guint32 arg, guint32 width)
{
  guint32 segment = lane & ~(width - 1);
  guint32 last = segment + width - 1;
  guint32 source;

  switch (op)
    {
    case LEAT_HOST_WARP_SHFL_IDX:
      return segment + (arg & (width - 1));
    case LEAT_HOST_WARP_SHFL_UP:
      source = lane - (arg & 31);
      return (gint32) source < (gint32) segment ? lane : source;
    case LEAT_HOST_WARP_SHFL_DOWN:
      source = lane + (arg & 31);
      return source > last ? lane : source;
    default:
      source = lane ^ (arg & 31);
      return source > last ? lane : source;
    }
}

static void
leat_cpu_warp_shuffle (LeatCpuWarp *self, const LeatCpuWarpGroup *group)
{
  for (guint32 left = group->arrived; left != 0; left &= left - 1)
    {
      guint32 lane = (guint32) __builtin_ctz (left);
      guint32 source = leat_cpu_warp_get_source (group->op, lane, self->values[lane].arg, self->values[lane].width);
      /* Reading a lane that takes no part is undefined in CUDA; here it yields the reader's own value. */
      self->values[lane].result = self->values[group->arrived >> (source & 31) & 1 ? source & 31 : lane].value;
    }
}

static void
leat_cpu_warp_match (LeatCpuWarp *self, const LeatCpuWarpGroup *group)
{
  for (guint32 left = group->arrived; left != 0; left &= left - 1)
    {
      guint32 lane = (guint32) __builtin_ctz (left);
      guint32 equal = 0;
      for (guint32 others = group->arrived; others != 0; others &= others - 1)
        {
          guint32 other = (guint32) __builtin_ctz (others);
          equal |= (guint32) (self->values[other].value == self->values[lane].value) << other;
        }
      self->values[lane].result = equal;
    }
}

static guint32
leat_cpu_warp_ballot (const LeatCpuWarp *self, guint32 lanes)
{
  guint32 ballot = 0;
  for (guint32 left = lanes; left != 0; left &= left - 1)
    {
      guint32 lane = (guint32) __builtin_ctz (left);
      ballot |= (guint32) (self->values[lane].value != 0) << lane;
    }
  return ballot;
}

static inline guint32
leat_cpu_warp_combine (LeatHostWarpOp op, guint32 a, guint32 b)
{
  switch (op)
    {
    case LEAT_HOST_WARP_REDUCE_MIN:
      return MIN (a, b);
    case LEAT_HOST_WARP_REDUCE_MAX:
      return MAX (a, b);
    case LEAT_HOST_WARP_REDUCE_AND:
      return a & b;
    case LEAT_HOST_WARP_REDUCE_OR:
      return a | b;
    case LEAT_HOST_WARP_REDUCE_XOR:
      return a ^ b;
    case LEAT_HOST_WARP_REDUCE_MIN_SIGNED:
      return (guint32) MIN ((gint32) a, (gint32) b);
    case LEAT_HOST_WARP_REDUCE_MAX_SIGNED:
      return (guint32) MAX ((gint32) a, (gint32) b);
    default:
      return a + b;
    }
}

static guint64
leat_cpu_warp_reduce (const LeatCpuWarp *self, const LeatCpuWarpGroup *group)
{
  guint32 left = group->arrived;
  guint32 sum = (guint32) self->values[__builtin_ctz (left)].value;
  for (left &= left - 1; left != 0; left &= left - 1)
    sum = leat_cpu_warp_combine (group->op, sum, (guint32) self->values[__builtin_ctz (left)].value);
  return sum;
}

static void
leat_cpu_warp_give (LeatCpuWarp *self, guint32 lanes, guint64 result)
{
  for (; lanes != 0; lanes &= lanes - 1)
    self->values[__builtin_ctz (lanes)].result = result;
}

static void
leat_cpu_warp_compute (LeatCpuWarp *self, const LeatCpuWarpGroup *group)
{
  guint32 lanes = group->arrived;

  switch (group->op)
    {
    case LEAT_HOST_WARP_SHFL_IDX:
    case LEAT_HOST_WARP_SHFL_UP:
    case LEAT_HOST_WARP_SHFL_DOWN:
    case LEAT_HOST_WARP_SHFL_XOR:
      leat_cpu_warp_shuffle (self, group);
      break;
    case LEAT_HOST_WARP_BALLOT:
      leat_cpu_warp_give (self, lanes, leat_cpu_warp_ballot (self, lanes));
      break;
    case LEAT_HOST_WARP_ANY:
      leat_cpu_warp_give (self, lanes, leat_cpu_warp_ballot (self, lanes) != 0);
      break;
    case LEAT_HOST_WARP_ALL:
      leat_cpu_warp_give (self, lanes, leat_cpu_warp_ballot (self, lanes) == lanes);
      break;
    case LEAT_HOST_WARP_MATCH_ANY:
      leat_cpu_warp_match (self, group);
      break;
    case LEAT_HOST_WARP_SYNC:
      break;
    case LEAT_HOST_WARP_MEET:
      leat_cpu_warp_give (self, lanes, lanes);
      break;
    default:
      leat_cpu_warp_give (self, lanes, leat_cpu_warp_reduce (self, group));
      break;
    }
}

static void
leat_cpu_warp_remove_group (LeatCpuWarp *self, LeatCpuWarpGroup *group)
{
  LeatCpuWarpGroup *last = &self->groups[--self->n_groups];
  if (group != last)
    *group = *last;
}

/* @others: the lanes that wait; the caller's own is not among them. */
static void
leat_cpu_warp_complete (LeatCpuBlock *block, LeatCpuWarp *self, LeatCpuWarpGroup *group, guint32 others)
{
  LeatCpuStrand *strands = &block->strands[(self - block->warps) * 32];

  leat_cpu_warp_compute (self, group);
  self->phase++;
  leat_cpu_warp_remove_group (self, group);
  for (; others != 0; others &= others - 1)
    leat_cpu_queue_push (&block->ready, &strands[__builtin_ctz (others)]);
}

static LeatCpuWarpGroup *
leat_cpu_warp_join_group (LeatCpuBlock *block, LeatCpuWarp *self, LeatHostWarpOp op, guint32 mask, guint32 place,
                          guint32 lane)
{
  gboolean meets = op == LEAT_HOST_WARP_MEET;
  LeatCpuWarpGroup *group;

  if (G_UNLIKELY ((mask >> lane & 1) == 0))
    leat_cpu_block_fail (block, CUDA_ERROR_LAUNCH_FAILED, "lane %u takes part in a warp operation with mask 0x%08x",
                         lane, mask);
  for (guint i = 0; i < self->n_groups; i++)
    {
      group = &self->groups[i];
      if (group->mask != mask || meets != (group->op == LEAT_HOST_WARP_MEET) || (meets && group->place != place))
        continue;
      if (G_UNLIKELY (group->op != op))
        leat_cpu_block_fail (block, CUDA_ERROR_LAUNCH_FAILED,
                             "lanes of mask 0x%08x are in different warp operations (lane %u in another than lane %d)",
                             mask, lane, __builtin_ctz (group->arrived));
      group->arrived |= 1u << lane;
      return group;
    }
  group = &self->groups[self->n_groups++];
  *group = (LeatCpuWarpGroup){ .mask = mask, .arrived = 1u << lane, .op = op, .place = place };
  if (leat_cpu_tsan)
    group->key = block->keys + 2 + (self - block->warps) * 64 + __builtin_ctz (mask) * 2 + (self->phase & 1);
  return group;
}

/* Only __syncwarp () orders memory; shuffles and votes do not. */
static void G_GNUC_NO_INLINE
leat_cpu_warp_sync_checked (LeatCpuBlock *block, LeatCpuWarp *self, LeatCpuWarpGroup *group, guint32 lane)
{
  char *key = group->key;

  leat_cpu_sanitizer_release (key);
  if (((group->arrived | self->ended) & group->mask) == group->mask)
    leat_cpu_warp_complete (block, self, group, group->arrived & ~(1u << lane));
  else
    leat_cpu_block_wait (block);
  leat_cpu_sanitizer_acquire (key);
}

uint64_t
leat_cpu_warp_run (LeatHostBlock *host, LeatHostWarpOp op, uint32_t mask, uint64_t value, uint32_t arg, uint32_t width)
{
  LeatCpuBlock *block = leat_cpu_block_from_host (host);
  guint32 linear = block->current->linear;
  guint32 lane = linear & 31;
  LeatCpuWarp *self = &block->warps[linear / 32];
  LeatCpuWarpGroup *group = leat_cpu_warp_join_group (block, self, op, mask, arg, lane);
  LeatCpuWarpValue *mine = &self->values[lane];

  mine->value = value;
  mine->arg = arg;
  mine->width = width;
  if (G_UNLIKELY (leat_cpu_tsan && op == LEAT_HOST_WARP_SYNC))
    leat_cpu_warp_sync_checked (block, self, group, lane);
  else if (((group->arrived | self->ended) & mask) == mask)
    leat_cpu_warp_complete (block, self, group, group->arrived & ~(1u << lane));
  else
    leat_cpu_block_wait (block);
  return mine->result;
}

/* The strands of a block run one at a time, so no two lanes are ever seen to be converged. */
uint32_t
leat_cpu_warp_get_active_mask (LeatHostBlock *host)
{
  LeatCpuBlock *block = leat_cpu_block_from_host (host);
  return block->current == NULL ? 1 : 1u << (block->current->linear & 31);
}

void
leat_cpu_warp_end_strand (LeatCpuBlock *block, LeatCpuWarp *self)
{
  for (guint i = self->n_groups; i-- > 0;)
    {
      LeatCpuWarpGroup *group = &self->groups[i];
      if (((group->arrived | self->ended) & group->mask) == group->mask)
        leat_cpu_warp_complete (block, self, group, group->arrived);
    }
}

gboolean
leat_cpu_warp_let_meet (LeatCpuBlock *block)
{
  gboolean met = FALSE;

  for (guint32 first = 0; first < block->n_threads; first += 32)
    {
      LeatCpuWarp *self = &block->warps[first / 32];

      for (guint i = self->n_groups; i-- > 0;)
        if (self->groups[i].op == LEAT_HOST_WARP_MEET)
          {
            leat_cpu_warp_complete (block, self, &self->groups[i], self->groups[i].arrived);
            met = TRUE;
          }
    }
  return met;
}
