/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Finds the lowest offset in the arena for one buffer after the other, for leat-bind-layout.c.  Touches only the offset
 * of the buffer that it places. */

#include "leat-slots-private.h"
#include "leat-bind-private.h"

/* The search for the lowest offset.  Placed buffers leave no gap from 0 up to their end, as each begins where another
 * one ends.  So a buffer comes to lie over some that it may share with, or at the end.  The first slots are looked at
 * in turn, which finds a place where most may share.  Beyond them the places of buffers that live before or after this
 * one are looked up: these are few where there are many branches. */

#define LEAT_SLOTS_IN_TURN 32

static gboolean
leat_layout_is_before (const LeatLayout *self, LeatBufferId first, LeatBufferId second)
{
  for (guint i = self->first[first]; i < self->first[first + 1]; i++)
    for (guint j = self->first[second]; j < self->first[second + 1]; j++)
      if (!leat_plan_is_before (self->ancestors, self->ops[i], self->ops[j]))
        return FALSE;
  return TRUE;
}

/* Ops are in an order in which none comes before what it waits for, so that only one of the two can be first. */
static gboolean
leat_plan_may_share (const LeatBuffer *one, const LeatBuffer *other, const LeatLayout *layout)
{
  const LeatBoundBuffer *bound_other = LEAT_BOUND_BUFFER (other);
  const LeatBoundBuffer *bound_one = LEAT_BOUND_BUFFER (one);
  const LeatBuffer *first = bound_one->last_op < bound_other->first_op ? one : other;
  const LeatBuffer *second = first == one ? other : one;

  if (bound_one->kept || bound_other->kept || bound_one->zone > 0)
    return FALSE;
  if (bound_one->first_op == G_MAXUINT || bound_other->first_op == G_MAXUINT)
    return TRUE;
  return LEAT_BOUND_BUFFER (first)->last_op < LEAT_BOUND_BUFFER (second)->first_op
         && leat_layout_is_before (layout, first->id, second->id);
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

      if (((LeatBoundBuffer *) g_ptr_array_index (self->members, middle))->first_op
          <= LEAT_BOUND_BUFFER (buffer)->first_op)
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

  if (other == NULL || LEAT_BOUND_BUFFER (other)->offset + leat_buffer_get_span (other) <= offset
      || leat_plan_may_share (buffer, other, layout))
    return offset;
  return LEAT_BOUND_BUFFER (other)->offset + leat_buffer_get_span (other);
}

/* From @offset on, where @buffer is clear of the members that it may not share with.  A buffer that lives before the
 * member before @buffer lives before @buffer too, and so on.  If it may share with both its neighbours, it may share
 * with all. */
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

struct _LeatSlots
{
  LeatPlan *plan;
  const LeatLayout *layout;
  GPtrArray *slots;    /* LeatSlot, in the order of their offsets */
  guint64 end;         /* of all of them */
  guint64 largest;     /* bytes of a buffer */
  GPtrArray **born;    /* by op: LeatBuffer, placed, that it is the first to touch; NULL: none */
  GPtrArray **gone;    /* and the last */
  LeatAncestors later; /* for each op, those that it is an ancestor of; made when first wanted */
  /* Of the buffer at hand. */
  GArray *relatives; /* guint: ops that come before it, or after it */
  GArray *stretches; /* LeatStretch */
};

/* Where something lies that a buffer may share with. */
typedef struct
{
  guint64 begin, end;
} LeatStretch;

LeatSlots *
leat_slots_new (LeatPlan *plan, const LeatLayout *layout)
{
  LeatSlots *self = g_new0 (LeatSlots, 1);

  self->plan = plan;
  self->layout = layout;
  self->slots = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_slot_free);
  self->born = g_new0 (GPtrArray *, plan->ops->len + 1);
  self->gone = g_new0 (GPtrArray *, plan->ops->len + 1);
  self->relatives = g_array_new (FALSE, FALSE, sizeof (guint));
  self->stretches = g_array_new (FALSE, FALSE, sizeof (LeatStretch));
  return self;
}

void
leat_slots_free (LeatSlots *self)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      g_clear_pointer (&self->born[i], g_ptr_array_unref);
      g_clear_pointer (&self->gone[i], g_ptr_array_unref);
    }
  g_free (self->born);
  g_free (self->gone);
  g_ptr_array_unref (self->slots);
  g_array_unref (self->relatives);
  g_array_unref (self->stretches);
  leat_ancestors_clear (&self->later);
  g_free (self);
}

static LeatSlot *
leat_slots_get (const LeatSlots *self, guint index)
{
  return g_ptr_array_index (self->slots, index);
}

/* The first slot that begins at @offset or after it. */
static guint
leat_slots_find (const LeatSlots *self, guint64 offset)
{
  guint low = 0, high = self->slots->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (leat_slots_get (self, middle)->offset < offset)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
leat_slots_note (GPtrArray **lists, guint op, LeatBuffer *buffer)
{
  if (lists[op] == NULL)
    lists[op] = g_ptr_array_new ();
  g_ptr_array_add (lists[op], buffer);
}

static void
leat_slots_add (LeatSlots *self, LeatBuffer *buffer)
{
  LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  guint64 bytes = leat_buffer_get_span (buffer);
  guint i = leat_slots_find (self, bound->offset);
  LeatSlot *slot = i < self->slots->len ? leat_slots_get (self, i) : NULL;

  if (slot == NULL || slot->offset != bound->offset)
    {
      slot = g_new0 (LeatSlot, 1);
      slot->offset = bound->offset;
      slot->members = g_ptr_array_new ();
      g_ptr_array_insert (self->slots, (int) i, slot);
    }
  slot->end = MAX (slot->end, bound->offset + bytes);
  g_ptr_array_insert (slot->members, (int) leat_slot_find (slot, buffer), buffer);
  self->end = MAX (self->end, slot->end);
  self->largest = MAX (self->largest, bytes);
  if (bound->first_op == G_MAXUINT)
    return;
  leat_slots_note (self->born, bound->first_op, buffer);
  leat_slots_note (self->gone, bound->last_op, buffer);
}

/* From @offset on, over the slots from @i to before @end: where @buffer is clear of them. */
static guint64
leat_slots_sweep (const LeatSlots *self, const LeatBuffer *buffer, guint64 offset, guint i, guint end)
{
  guint64 bytes = leat_buffer_get_span (buffer);

  for (; i < MIN (end, self->slots->len); i++)
    {
      const LeatSlot *slot = leat_slots_get (self, i);

      /* Slots further on begin no earlier. */
      if (slot->offset >= offset + bytes)
        break;
      if (slot->end > offset)
        offset = leat_slot_pass (slot, buffer, offset, self->layout);
    }
  return offset;
}

static void
leat_slots_add_stretches (LeatSlots *self, const LeatBuffer *buffer, const LeatAncestors *of, guint op,
                          GPtrArray **lists)
{
  g_array_set_size (self->relatives, 0);
  leat_ancestors_list (of, op, self->relatives);
  for (guint i = 0; i < self->relatives->len; i++)
    {
      const GPtrArray *list = lists[g_array_index (self->relatives, guint, i)];

      for (guint k = 0; list != NULL && k < list->len; k++)
        {
          const LeatBuffer *other = g_ptr_array_index (list, k);
          const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (other);
          LeatStretch stretch = { bound->offset, bound->offset + leat_buffer_get_span (other) };

          if (leat_plan_may_share (buffer, other, self->layout))
            g_array_append_val (self->stretches, stretch);
        }
    }
}

static int
leat_stretch_compare (gconstpointer a, gconstpointer b)
{
  const LeatStretch *first = a, *second = b;

  return first->begin < second->begin ? -1 : first->begin > second->begin;
}

/* Those that meet become one. */
static void
leat_slots_join_stretches (LeatSlots *self)
{
  guint n = 0;

  g_array_sort (self->stretches, leat_stretch_compare);
  for (guint i = 0; i < self->stretches->len; i++)
    {
      const LeatStretch stretch = g_array_index (self->stretches, LeatStretch, i);
      LeatStretch *last = n > 0 ? &g_array_index (self->stretches, LeatStretch, n - 1) : NULL;

      if (last != NULL && stretch.begin <= last->end)
        last->end = MAX (last->end, stretch.end);
      else
        g_array_index (self->stretches, LeatStretch, n++) = stretch;
    }
  g_array_set_size (self->stretches, n);
}

static void
leat_slots_find_stretches (LeatSlots *self, const LeatBuffer *buffer)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  const LeatAncestors *ancestors = self->layout->ancestors;

  if (self->later.bits == NULL)
    leat_ancestors_invert (ancestors, self->plan->ops->len, &self->later);
  g_array_set_size (self->stretches, 0);
  leat_slots_add_stretches (self, buffer, ancestors, bound->first_op, self->gone);
  leat_slots_add_stretches (self, buffer, &self->later, bound->last_op, self->born);
  leat_slots_join_stretches (self);
}

/* From @offset on within @stretch; where it does not fit, no less than the end of that. */
static guint64
leat_slots_try_stretch (const LeatSlots *self, const LeatBuffer *buffer, const LeatStretch *stretch, guint64 offset)
{
  guint64 bytes = leat_buffer_get_span (buffer);
  guint first;

  offset = MAX (offset, stretch->begin);
  first = leat_slots_find (self, offset);
  while (first > 0 && leat_slots_get (self, first - 1)->offset + self->largest > offset)
    first--;
  offset = leat_slots_sweep (self, buffer, offset, first, leat_slots_find (self, stretch->end));
  /* At its end begins what the buffer may not share with, or nothing. */
  return offset + bytes <= stretch->end || stretch->end == self->end ? offset : MAX (offset, stretch->end);
}

static guint64
leat_slots_look_up (LeatSlots *self, const LeatBuffer *buffer, guint64 offset)
{
  leat_slots_find_stretches (self, buffer);
  for (guint i = 0; i < self->stretches->len; i++)
    {
      const LeatStretch *stretch = &g_array_index (self->stretches, LeatStretch, i);

      if (offset < stretch->end)
        offset = leat_slots_try_stretch (self, buffer, stretch, offset);
      if (offset < stretch->end)
        return offset;
    }
  return self->end;
}

void
leat_slots_place (LeatSlots *self, LeatBuffer *buffer)
{
  LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  guint64 bytes = leat_buffer_get_span (buffer);

  bound->offset = bound->kept ? self->end : leat_slots_sweep (self, buffer, 0, 0, LEAT_SLOTS_IN_TURN);
  if (!bound->kept && self->slots->len > LEAT_SLOTS_IN_TURN
      && leat_slots_get (self, LEAT_SLOTS_IN_TURN)->offset < bound->offset + bytes)
    bound->offset = leat_slots_look_up (self, buffer, bound->offset);
  leat_slots_add (self, buffer);
}
