/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Gives every buffer of a plan its place, and sums up the memory that a lane needs.  Touches the places of buffers and
 * the plan's sums of bytes, and no op. */

#include "leat-bind-layout-private.h"
#include "leat-bind-private.h"
#include "leat-slots-private.h"

/* Guarded plans have this behind each buffer that kernels may write: enough to see where one went on too far. */
#define LEAT_ZONE_BYTES LEAT_ALIGNMENT

/* Where buffers lie.  Two buffers that live within a run may share memory when every op that touches the one is surely
 * over before any that touches the other begins; since the ops are ordered already, sharing adds no dependency and
 * takes no parallelism away.  Placement is greedy, largest first, at the lowest offset that is free. */

/* @enter: FALSE only counts them */
static void
leat_layout_pass (LeatLayout *self, LeatPlan *plan, gboolean enter)
{
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->elided; t++)
        {
          LeatBufferId root = leat_plan_get_root (plan, op->touches[t].buffer)->id;

          if (enter)
            self->ops[self->first[root]++] = i;
          else
            self->first[root + 1]++;
        }
    }
}

static void
leat_layout_init (LeatLayout *self, LeatPlan *plan, const LeatAncestors *ancestors)
{
  guint n = plan->buffers->len;

  self->ancestors = ancestors;
  self->first = g_new0 (guint, n + 1);
  leat_layout_pass (self, plan, FALSE);
  for (guint i = 0; i < n; i++)
    self->first[i + 1] += self->first[i];
  self->ops = g_new (guint, self->first[n]);
  leat_layout_pass (self, plan, TRUE);
  /* To enter them has moved each beginning to the next one's. */
  memmove (self->first + 1, self->first, n * sizeof *self->first);
  self->first[0] = 0;
}

static void
leat_layout_clear (LeatLayout *self)
{
  g_free (self->first);
  g_free (self->ops);
}

static int
leat_buffer_compare_sizes (gconstpointer a, gconstpointer b)
{
  const LeatBuffer *first = *(LeatBuffer *const *) a;
  const LeatBuffer *second = *(LeatBuffer *const *) b;

  if (first->bytes != second->bytes)
    return first->bytes < second->bytes ? 1 : -1;
  return first->id < second->id ? -1 : 1;
}

static void
leat_plan_set_zone (LeatPlan *self, LeatBuffer *buffer)
{
  LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  gboolean ours =
    bound->place != LEAT_PLACE_ALIAS && bound->place != LEAT_PLACE_USER && bound->place != LEAT_PLACE_NOWHERE;

  bound->zone =
    LEAT_BOUND_PLAN (self)->traits.guarded && ours && buffer->kind != LEAT_BUFFER_CONST ? LEAT_ZONE_BYTES : 0;
}

static void
leat_plan_set_place (LeatBuffer *buffer, const LeatLayout *layout)
{
  LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  guint begin = layout->first[buffer->id], end = layout->first[buffer->id + 1];

  if (bound->root != buffer->id)
    bound->place = LEAT_PLACE_ALIAS;
  else if (buffer->user)
    bound->place = LEAT_PLACE_USER;
  else if (buffer->kind == LEAT_BUFFER_STAGING)
    bound->place = LEAT_PLACE_STAGING;
  else if (buffer->is_marks)
    bound->place = LEAT_PLACE_MARKS;
  else if (buffer->kind == LEAT_BUFFER_DEVICE || buffer->kind == LEAT_BUFFER_CONST)
    bound->place = begin == end                         ? LEAT_PLACE_NOWHERE
                   : buffer->kind == LEAT_BUFFER_DEVICE ? LEAT_PLACE_ARENA
                                                        : LEAT_PLACE_OWN;
  else
    bound->place = LEAT_PLACE_OWN;
  if (begin < end)
    {
      bound->first_op = layout->ops[begin];
      bound->last_op = layout->ops[end - 1];
    }
}

static void
leat_plan_add_up (LeatPlan *self, GPtrArray *arena)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  g_autoptr (GArray) counted = leat_plan_list_counted (self);

  bound->arena_bytes = bound->marks_bytes = bound->own_bytes = bound->staging_bytes = 0;
  for (guint i = 0; i < arena->len; i++)
    {
      LeatBuffer *buffer = g_ptr_array_index (arena, i);

      bound->arena_bytes = MAX (bound->arena_bytes, LEAT_BOUND_BUFFER (buffer)->offset + leat_buffer_get_span (buffer));
    }
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN)
        bound->own_bytes += leat_buffer_get_span (buffer);
      else if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_STAGING)
        bound->staging_bytes += leat_buffer_get_span (buffer);
      else if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_MARKS)
        {
          LEAT_BOUND_BUFFER (buffer)->offset = bound->marks_bytes;
          bound->marks_bytes += leat_buffer_get_span (buffer);
        }
    }
  bound->own_bytes += bound->marks_bytes;
  bound->staging_bytes += leat_align (counted->len * MAX (bound->traits.entries_most, 1) * sizeof (guint64))
                          + leat_align (leat_plan_get_told_bytes (self));
  bound->own_bytes += leat_align (leat_plan_get_report_bytes (self));
}

const LeatBuffer *
leat_plan_find_largest (LeatPlan *self, guint places)
{
  const LeatBuffer *largest = NULL;

  for (guint i = 0; i < self->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if ((places & (1u << LEAT_BOUND_BUFFER (buffer)->place)) && (largest == NULL || buffer->bytes > largest->bytes))
        largest = buffer;
    }
  return largest;
}

/* Gives every buffer its place and sums up what a lane needs. */
void
leat_bind_lay_out (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;
  g_autoptr (GPtrArray) waiting = g_ptr_array_new ();
  LeatLayout layout;
  LeatSlots *slots;

  leat_layout_init (&layout, self, &bound->ancestors);
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      leat_plan_set_place (buffer, &layout);
      leat_plan_set_zone (self, buffer);
      if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_ARENA)
        g_ptr_array_add (waiting, buffer);
    }
  g_ptr_array_sort (waiting, leat_buffer_compare_sizes);
  slots = leat_slots_new (self, &layout);
  for (guint i = 0; i < waiting->len; i++)
    leat_slots_place (slots, g_ptr_array_index (waiting, i));
  leat_slots_free (slots);
  leat_layout_clear (&layout);
  leat_plan_add_up (self, waiting);
}
