/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

/* Where buffers lie.  Two buffers that live within a run may share memory when every op that touches the one is surely
 * over before any that touches the other begins; since the ops are ordered already, sharing adds no dependency and
 * takes no parallelism away.  Placement is greedy, largest first, at the lowest offset that is free. */

#define LEAT_ALIGNMENT 256

static guint64
leat_align (guint64 bytes)
{
  return (bytes + LEAT_ALIGNMENT - 1) / LEAT_ALIGNMENT * LEAT_ALIGNMENT;
}

/* Which ops touch the memory of a buffer: those of all buffers, one behind the other. */
typedef struct
{
  const LeatAncestors *ancestors;
  guint *first; /* by buffer: where its ops begin in `ops`; the next one's is where they end */
  guint *ops;
} LeatLayout;

/* @enter: FALSE only counts them */
static void
leat_layout_pass (LeatLayout *self, LeatPlan *plan, gboolean enter)
{
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      for (guint t = 0; t < op->n_touches && !op->elided; t++)
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

static gboolean
leat_layout_is_before (const LeatLayout *self, LeatBufferId first, LeatBufferId second)
{
  for (guint i = self->first[first]; i < self->first[first + 1]; i++)
    for (guint j = self->first[second]; j < self->first[second + 1]; j++)
      if (!leat_plan_is_before (self->ancestors, self->ops[i], self->ops[j]))
        return FALSE;
  return TRUE;
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

/* Ops are in an order in which none comes before what it waits for, so that only one of the two can be first. */
static gboolean
leat_plan_may_share (const LeatBuffer *one, const LeatBuffer *other, const LeatLayout *layout)
{
  const LeatBuffer *first = one->last_op < other->first_op ? one : other;
  const LeatBuffer *second = first == one ? other : one;

  if (one->kept || other->kept)
    return FALSE;
  if (one->first_op == G_MAXUINT || other->first_op == G_MAXUINT)
    return TRUE;
  return first->last_op < second->first_op && leat_layout_is_before (layout, first->id, second->id);
}

/* Buffers that begin at one offset.  They share, so they live one after the other, and are kept in that order. */
typedef struct
{
  guint64 offset, end;
  GPtrArray *members; /* LeatBuffer, by their first ops */
} LeatSlot;

static void
leat_slot_free (LeatSlot *self)
{
  g_ptr_array_unref (self->members);
  g_free (self);
}

/* The first member that begins after @buffer does. */
static guint
leat_slot_find (const LeatSlot *self, const LeatBuffer *buffer)
{
  guint low = 0, high = self->members->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (((LeatBuffer *) g_ptr_array_index (self->members, middle))->first_op <= buffer->first_op)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Where the member at @i ends when @buffer may not share with it, else @offset. */
static guint64
leat_slot_pass_member (const LeatSlot *self, guint i, const LeatBuffer *buffer, guint64 offset,
                       const LeatLayout *layout)
{
  const LeatBuffer *other = i < self->members->len ? g_ptr_array_index (self->members, i) : NULL;

  if (other == NULL || other->offset + leat_align (leat_buffer_get_room (other)) <= offset
      || leat_plan_may_share (buffer, other, layout))
    return offset;
  return other->offset + leat_align (leat_buffer_get_room (other));
}

/* From @offset on, where @buffer is clear of the members that it may not share with.  What is before the member before
 * @buffer is before @buffer too, and so on: where it may share with both its neighbours, it may share with all. */
static guint64
leat_slot_pass (const LeatSlot *self, const LeatBuffer *buffer, guint64 offset, const LeatLayout *layout)
{
  guint next = leat_slot_find (self, buffer);
  guint64 begin = offset;

  offset = leat_slot_pass_member (self, next, buffer, offset, layout);
  if (next > 0)
    offset = leat_slot_pass_member (self, next - 1, buffer, offset, layout);
  /* A neighbour that ends before @begin says nothing of the others. */
  if (offset == begin && self->offset == begin)
    return offset;
  for (guint i = 0; i < self->members->len && offset < self->end; i++)
    offset = leat_slot_pass_member (self, i, buffer, offset, layout);
  return offset;
}

static void
leat_plan_add_placed (LeatBuffer *buffer, GPtrArray *slots)
{
  LeatSlot *slot = NULL;
  guint i = 0;

  while (i < slots->len && ((LeatSlot *) g_ptr_array_index (slots, i))->offset < buffer->offset)
    i++;
  if (i < slots->len && ((LeatSlot *) g_ptr_array_index (slots, i))->offset == buffer->offset)
    slot = g_ptr_array_index (slots, i);
  if (slot == NULL)
    {
      slot = g_new0 (LeatSlot, 1);
      slot->offset = buffer->offset;
      slot->members = g_ptr_array_new ();
      g_ptr_array_insert (slots, i, slot);
    }
  slot->end = MAX (slot->end, buffer->offset + leat_align (leat_buffer_get_room (buffer)));
  g_ptr_array_insert (slot->members, leat_slot_find (slot, buffer), buffer);
}

/* @slots: in the order of their offsets */
static void
leat_plan_place (LeatBuffer *buffer, GPtrArray *slots, const LeatLayout *layout)
{
  guint64 bytes = leat_align (leat_buffer_get_room (buffer)), offset = 0;

  for (guint i = 0; i < slots->len; i++)
    {
      const LeatSlot *slot = g_ptr_array_index (slots, i);

      /* What is further on begins no earlier. */
      if (slot->offset >= offset + bytes)
        break;
      if (slot->end > offset)
        offset = leat_slot_pass (slot, buffer, offset, layout);
    }
  buffer->offset = offset;
  /* What no op touches is in nobody's way. */
  if (buffer->kept || buffer->first_op != G_MAXUINT)
    leat_plan_add_placed (buffer, slots);
}

static void
leat_plan_set_place (LeatBuffer *buffer, const LeatLayout *layout)
{
  guint begin = layout->first[buffer->id], end = layout->first[buffer->id + 1];

  if (buffer->root != buffer->id)
    buffer->place = LEAT_PLACE_ALIAS;
  else if (buffer->user)
    buffer->place = LEAT_PLACE_USER;
  else if (buffer->kind == LEAT_BUFFER_STAGING)
    buffer->place = LEAT_PLACE_STAGING;
  else
    buffer->place = buffer->kind == LEAT_BUFFER_DEVICE ? LEAT_PLACE_ARENA : LEAT_PLACE_OWN;
  if (begin < end)
    {
      buffer->first_op = layout->ops[begin];
      buffer->last_op = layout->ops[end - 1];
    }
}

static void
leat_plan_add_up (LeatPlan *self, GPtrArray *arena)
{
  g_autoptr (GArray) counted = leat_plan_list_counted (self);

  self->arena_bytes = self->own_bytes = self->staging_bytes = 0;
  for (guint i = 0; i < arena->len; i++)
    {
      LeatBuffer *buffer = g_ptr_array_index (arena, i);

      self->arena_bytes = MAX (self->arena_bytes, buffer->offset + leat_align (leat_buffer_get_room (buffer)));
    }
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if (buffer->place == LEAT_PLACE_OWN)
        self->own_bytes += leat_align (leat_buffer_get_room (buffer));
      else if (buffer->place == LEAT_PLACE_STAGING)
        self->staging_bytes += leat_align (leat_buffer_get_room (buffer));
    }
  self->staging_bytes += leat_align (counted->len * MAX (self->traits.lanes_most, 1) * sizeof (guint64))
                         + leat_align (leat_plan_get_told_bytes (self));
  self->own_bytes += leat_align (leat_plan_get_report_bytes (self));
}

const LeatBuffer *
leat_plan_find_largest (LeatPlan *self, guint places)
{
  const LeatBuffer *largest = NULL;

  for (guint i = 0; i < self->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      if ((places & (1u << buffer->place)) && (largest == NULL || buffer->bytes > largest->bytes))
        largest = buffer;
    }
  return largest;
}

/* Gives every buffer its place and sums up what a lane needs. */
void
leat_plan_lay_out (LeatPlan *self, const LeatAncestors *ancestors)
{
  g_autoptr (GPtrArray) waiting = g_ptr_array_new ();
  g_autoptr (GPtrArray) slots = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_slot_free);
  LeatLayout layout;

  leat_layout_init (&layout, self, ancestors);
  for (guint i = 0; i < self->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self, i);

      leat_plan_set_place (buffer, &layout);
      if (buffer->place == LEAT_PLACE_ARENA)
        g_ptr_array_add (waiting, buffer);
    }
  g_ptr_array_sort (waiting, leat_buffer_compare_sizes);
  for (guint i = 0; i < waiting->len; i++)
    leat_plan_place (g_ptr_array_index (waiting, i), slots, &layout);
  leat_layout_clear (&layout);
  leat_plan_add_up (self, waiting);
}
