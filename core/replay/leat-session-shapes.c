/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Setups for other shapes than the one that runs are kept as long as they fit. */

#include "leat-session-private.h"
#include "bind/leat-bind-private.h"
#include "leat-session-setup-private.h"

/* That are kept beside the one that runs: each has a stream and executables, which take memory that nobody measures. */
#define LEAT_SESSION_MOST_SHAPES 64

/* The lanes go with their setups. */
void
leat_session_drop_setups (LeatSession *self)
{
  g_ptr_array_unref (self->lanes);
  self->lanes = g_ptr_array_new ();
  g_array_set_size (self->flights, 0);
  self->setup = NULL;
  self->program = NULL;
  g_ptr_array_set_size (self->shapes.setups, 0);
  g_clear_pointer (&self->store, leat_store_unref);
  g_clear_pointer (&self->bindings.address_map, leat_address_map_free);
}

LeatSetup *
leat_session_find_setup (LeatSession *self, LeatPlan *plan)
{
  guint64 key = leat_plan_hash (plan);

  for (guint i = 0; i < self->shapes.setups->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (self->shapes.setups, i);
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
leat_session_find_oldest (LeatSession *self)
{
  LeatSetup *oldest = NULL;

  for (guint i = 0; i < self->shapes.setups->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (self->shapes.setups, i);

      if (setup != self->setup && (oldest == NULL || setup->used < oldest->used))
        oldest = setup;
    }
  return oldest;
}

guint64
leat_session_get_cached_bytes (LeatSession *self)
{
  guint64 sum = 0;

  for (guint i = 0; i < self->shapes.setups->len; i++)
    {
      LeatSetup *setup = g_ptr_array_index (self->shapes.setups, i);

      sum += setup != self->setup ? leat_setup_get_bytes (setup) : 0;
    }
  return sum;
}

LeatSetup *
leat_session_steal_setup (LeatSession *self, LeatSetup *setup)
{
  guint index;

  g_ptr_array_find (self->shapes.setups, setup, &index);
  return g_ptr_array_steal_index (self->shapes.setups, index);
}

/* So that @bytes more may be kept; FALSE: they may not.  @out takes what goes. */
gboolean
leat_session_make_room (LeatSession *self, guint64 bytes, GPtrArray *out)
{
  LeatSetup *oldest;

  while ((leat_session_get_cached_bytes (self) + bytes > self->options.cache_bytes
          || self->shapes.setups->len > LEAT_SESSION_MOST_SHAPES)
         && (oldest = leat_session_find_oldest (self)) != NULL)
    g_ptr_array_add (out, leat_session_steal_setup (self, oldest));
  return bytes <= self->options.cache_bytes;
}
