/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The sums of a session, over the buffers and ops of its bound plan.  Nothing here looks at a counter: what is counted
 * is held against it by leat_session_dup_accounting (). */

#include "leat-session-plan-private.h"

#include "lane/leat-lane-timing-private.h"
#include "bind/leat-bind-private.h"

/* Two constants of the same bytes in one plan are one, too. */
static gboolean
leat_sums_is_shared (const LeatSums *self, guint index, const LeatBuffer *buffer)
{
  for (guint i = 0; i < index; i++)
    {
      const LeatBuffer *other = leat_plan_get_buffer (self->plan, i);

      if (LEAT_BOUND_BUFFER (other)->place == LEAT_PLACE_OWN && other->kind == LEAT_BUFFER_CONST
          && other->initial != NULL && other->header == buffer->header
          && g_bytes_equal (other->initial, buffer->initial))
        return TRUE;
    }
  return leat_shared_is_there (self->device, buffer->initial, buffer->header);
}

/* The bytes written into memory that begins with contents of its own. */
static guint64
leat_buffer_get_written_bytes (const LeatBuffer *self)
{
  return self->initial != NULL ? g_bytes_get_size (self->initial) + (self->header ? sizeof (guint64) : 0) : 0;
}

static void
leat_constants_add (LeatConstantBytes *self, const LeatBuffer *buffer, gboolean is_shared)
{
  guint64 bytes = buffer->bytes;

  if (buffer->initial != NULL)
    bytes = g_bytes_get_size (buffer->initial) + (buffer->header ? LEAT_BUFFER_HEADER : 0);
  if (buffer->initial != NULL && is_shared)
    {
      self->shared_bytes += bytes;
      return;
    }
  self->n_own++;
  self->own_bytes += leat_memory_pool_round (bytes);
  self->written_bytes += leat_buffer_get_written_bytes (buffer);
}

static gboolean
leat_buffer_is_constant (const LeatBuffer *self)
{
  return LEAT_BOUND_BUFFER (self)->place == LEAT_PLACE_OWN && self->kind == LEAT_BUFFER_CONST;
}

void
leat_sums_get_constants (const LeatSums *self, LeatConstantBytes *constants)
{
  *constants = (LeatConstantBytes){ 0 };
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);

      if (leat_buffer_is_constant (buffer))
        leat_constants_add (constants, buffer, buffer->initial != NULL && leat_sums_is_shared (self, i, buffer));
    }
}

/* Others come and go between the plan and the moment at which a constant is asked for: how it was then is what is
 * planned with from here on. */
void
leat_program_sum_constants (const LeatProgram *program, LeatPlan *plan, LeatConstantBytes *constants)
{
  *constants = (LeatConstantBytes){ 0 };
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (plan, i);
      const LeatBlock *block = g_ptr_array_index (program->blocks, i);

      if (!leat_buffer_is_constant (buffer) || block == NULL)
        continue;
      leat_constants_add (constants, buffer, block->was_there);
      constants->was_lost = constants->was_lost || block->was_lost;
    }
}

/* @n: blocks of it. */
static void
leat_sums_add_block (guint64 bytes, guint64 n, guint64 *sum, guint64 *allocations)
{
  if (bytes == 0)
    return;
  *sum += n * leat_memory_pool_round (bytes);
  *allocations += n;
}

static void
leat_sums_add_device (const LeatSums *self, LeatSessionPlan *plan)
{
  gboolean has_clocks = self->options->timing_mode == LEAT_TIMING_NODES && !leat_device_is_cpu (self->device);

  leat_sums_add_block (LEAT_BOUND_PLAN (self->plan)->arena_bytes, plan->lanes, &plan->scratch_bytes,
                       &plan->allocations);
  leat_sums_add_block (LEAT_BOUND_PLAN (self->plan)->marks_bytes, plan->lanes, &plan->scratch_bytes,
                       &plan->allocations);
  leat_sums_add_block (leat_plan_get_report_bytes (self->plan), plan->lanes, &plan->report_bytes, &plan->allocations);
  leat_sums_add_block (has_clocks ? leat_timing_get_clock_bytes (self->plan) : 0, plan->lanes, &plan->clock_bytes,
                       &plan->allocations);
  plan->lane_bytes = (plan->scratch_bytes + plan->report_bytes + plan->clock_bytes) / plan->lanes;
  plan->once_bytes += plan->lanes * leat_plan_get_report_bytes (self->plan);
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      gboolean of_each = buffer->scope == LEAT_STATE_LANE;
      guint64 n = of_each ? plan->lanes : 1;

      if (LEAT_BOUND_BUFFER (buffer)->place != LEAT_PLACE_OWN || buffer->kind == LEAT_BUFFER_CONST)
        continue;
      leat_sums_add_block (buffer->bytes + LEAT_BOUND_BUFFER (buffer)->zone, n, &plan->state_bytes, &plan->allocations);
      plan->once_bytes += n * leat_buffer_get_written_bytes (buffer);
      plan->lane_bytes += of_each ? leat_memory_pool_round (buffer->bytes) : 0;
    }
}

static void
leat_sums_add_pinned (const LeatSums *self, LeatSessionPlan *plan)
{
  gboolean has_clocks = self->options->timing_mode == LEAT_TIMING_NODES && !leat_device_is_cpu (self->device);
  g_autoptr (GArray) counted = leat_plan_list_counted (self->plan);
  const guint64 words[] = { counted->len * sizeof (guint64), leat_plan_get_told_bytes (self->plan),
                            has_clocks ? leat_timing_get_clock_bytes (self->plan) : 0 };

  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    leat_sums_add_block (words[i], plan->lanes, &plan->pinned_bytes, &plan->pinned_allocations);
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);

      if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_STAGING)
        leat_sums_add_block (buffer->bytes + LEAT_BOUND_BUFFER (buffer)->zone, plan->lanes, &plan->pinned_bytes,
                             &plan->pinned_allocations);
    }
}

/* Of one run that goes a path.  How often a loop does what is in it is for the data to say: it is left out here, and
 * where copies are counted. */
static void
leat_sums_add_path (const LeatSums *self, LeatPath path, guint64 times, guint64 *up, guint64 *back)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);
      gboolean from_host, to_host;

      if ((op->kind != LEAT_OP_COPY && op->kind != LEAT_OP_TRANSFER) || op->loop != NULL || leat_path_skips (path, op))
        continue;
      from_host = leat_plan_is_on_host (self->plan, op->from);
      to_host = leat_plan_is_on_host (self->plan, op->to);
      *up += from_host && !to_host ? times * op->bytes : 0;
      *back += to_host && !from_host ? times * op->bytes : 0;
    }
}

/* @n runs on one set of inputs, @times over.  Inputs that stay on the device are brought there once; a run that is
 * measured does all of the plan. */
static void
leat_sums_add_sets (const LeatSums *self, guint64 n, guint64 times, LeatSessionPlan *plan)
{
  gboolean final = self->options->readback == LEAT_READBACK_FINAL && n > 1;
  gboolean reused =
    self->options->reuse
    && (final ? LEAT_BOUND_PLAN (self->plan)->stays_in_repeat : LEAT_BOUND_PLAN (self->plan)->why_not_reusable == NULL);
  guint64 *up = &plan->up_bytes, *back = &plan->back_bytes;

  plan->waits += LEAT_BOUND_PLAN (self->plan)->prediction.waits * times * (final ? 1 : n);
  if (final)
    {
      leat_sums_add_path (self, LEAT_PATH_FIRST, times, up, back);
      leat_sums_add_path (self, reused ? LEAT_PATH_STEP : LEAT_PATH_FIRST, times * (n - 2), up, back);
      leat_sums_add_path (self, reused ? LEAT_PATH_REUSED : LEAT_PATH_FULL, times, up, back);
      return;
    }
  reused = reused && self->options->timing_mode != LEAT_TIMING_NODES;
  leat_sums_add_path (self, LEAT_PATH_FULL, times, up, back);
  leat_sums_add_path (self, reused ? LEAT_PATH_REUSED : LEAT_PATH_FULL, times * (n - 1), up, back);
}

void
leat_sums_fill (const LeatSums *self, const LeatConstantBytes *constants, guint lanes, guint64 runs,
                LeatSessionPlan *plan)
{
  *plan =
    (LeatSessionPlan){ .runs = runs,
                       .lanes = lanes,
                       .constant_bytes = constants->own_bytes,
                       .shared_bytes = constants->shared_bytes,
                       .once_bytes = constants->written_bytes,
                       .allocations = constants->n_own,
                       .memo_bytes = self->options->memo_mode == LEAT_MEMO_EXACT ? self->options->memo_bytes : 0 };
  leat_sums_add_device (self, plan);
  leat_sums_add_pinned (self, plan);
  plan->device_bytes =
    plan->scratch_bytes + plan->state_bytes + plan->constant_bytes + plan->report_bytes + plan->clock_bytes;
  leat_sums_add_path (self, LEAT_PATH_FULL, 1, &plan->run_up_bytes, &plan->run_back_bytes);
  leat_sums_add_sets (self, self->options->repeat, runs / self->options->repeat, plan);
  if (runs % self->options->repeat > 0)
    leat_sums_add_sets (self, runs % self->options->repeat, 1, plan);
}
