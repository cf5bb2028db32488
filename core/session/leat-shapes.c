/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Setups for other shapes than the one that runs are kept as long as they fit. */

#include "leat-shapes-private.h"

#include "bind/leat-bind-private.h"

/* That are kept beside the one that runs: each has a stream and executables, which take memory that nobody measures. */
#define LEAT_SESSION_MOST_SHAPES 64

LeatSetup *
leat_shapes_find (LeatShapes *self, LeatPlan *plan)
{
  guint64 key = leat_plan_hash (plan);

  for (guint i = 0; i < self->setups->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (self->setups, i);
      g_autofree char *why = NULL;

      if (setup->key != key)
        continue;
      if (LEAT_BOUND_PLAN (plan)->traits.settled)
        leat_setup_settle (setup);
      if (leat_plan_compare (setup->plan, plan, &why) == LEAT_PLANS_MATCH)
        return setup;
    }
  return NULL;
}

static LeatSetup *
leat_shapes_find_oldest (LeatShapes *self, const LeatSetup *current)
{
  LeatSetup *oldest = NULL;

  for (guint i = 0; i < self->setups->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (self->setups, i);

      if (setup != current && (oldest == NULL || setup->used < oldest->used))
        oldest = setup;
    }
  return oldest;
}

guint64
leat_shapes_get_bytes (LeatShapes *self, const LeatSetup *current)
{
  guint64 sum = 0;

  for (guint i = 0; i < self->setups->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (self->setups, i);

      sum += setup != current ? leat_setup_get_bytes (setup) : 0;
    }
  return sum;
}

LeatSetup *
leat_shapes_steal (LeatShapes *self, LeatSetup *setup)
{
  guint index;

  g_ptr_array_find (self->setups, setup, &index);
  return g_ptr_array_steal_index (self->setups, index);
}

/* So that @bytes more may be kept; FALSE: they may not.  @out takes what goes. */
gboolean
leat_shapes_make_room (LeatShapes *self, const LeatSetup *current, guint64 most, guint64 bytes, GPtrArray *out)
{
  LeatSetup *oldest;

  while ((leat_shapes_get_bytes (self, current) + bytes > most || self->setups->len > LEAT_SESSION_MOST_SHAPES)
         && (oldest = leat_shapes_find_oldest (self, current)) != NULL)
    g_ptr_array_add (out, leat_shapes_steal (self, oldest));
  return bytes <= most;
}

void
leat_shapes_drop_others (LeatShapes *self, const LeatSetup *current)
{
  for (guint i = self->setups->len; i > 0; i--)
    if (g_ptr_array_index (self->setups, i - 1) != current)
      g_ptr_array_remove_index (self->setups, i - 1);
}
