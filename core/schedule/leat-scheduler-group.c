/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-scheduler-private.h"

/* Sessions of one group take turns, so what lives within a run is there once for all of them. */

static void
leat_group_free (LeatGroup *self)
{
  leat_scratch_unref (self->scratch);
  g_free (self->name);
  g_free (self);
}

static LeatGroup *
leat_scheduler_have_group (LeatScheduler *self, const char *name)
{
  LeatGroup *group;

  for (guint i = 0; i < self->groups->len; i++)
    if (g_str_equal (((LeatGroup *) g_ptr_array_index (self->groups, i))->name, name))
      return g_ptr_array_index (self->groups, i);
  group = g_new0 (LeatGroup, 1);
  group->name = g_strdup (name);
  group->scratch = leat_scratch_new (self->device);
  g_ptr_array_add (self->groups, group);
  return group;
}

static void
leat_scheduler_forget_group (LeatScheduler *self, LeatGroup *group)
{
  if (group->n_members > 0 || group->running)
    return;
  g_ptr_array_remove_fast (self->groups, group);
  leat_group_free (group);
}

void
leat_member_join (LeatScheduler *self, LeatMember *member, LeatGroup *group)
{
  LeatGroup *former = member->group;

  if (former == group)
    return;
  member->group = group;
  leat_session_set_scratch (member->session, group != NULL ? group->scratch : NULL);
  if (group != NULL)
    group->n_members++;
  if (former == NULL)
    return;
  former->n_members--;
  leat_scheduler_forget_group (self, former);
}

void
leat_group_begin (LeatMember *member)
{
  member->running_from = member->group;
  if (member->group != NULL)
    member->group->running = TRUE;
}

void
leat_group_end (LeatScheduler *self, LeatMember *member)
{
  LeatGroup *group = g_steal_pointer (&member->running_from);

  if (group == NULL)
    return;
  group->running = FALSE;
  leat_scheduler_forget_group (self, group);
}

/**
 * leat_scheduler_set_group:
 * @self: a scheduler
 * @session: a session that is in it
 * @group: (nullable): a name; %NULL for none
 * @error: return location for an error
 *
 * Lets sessions share the device's memory for what lives within a run: there is as much of it as the largest of the
 * group needs.  Their runs are never at the same time then.
 *
 * What is kept from run to run, constants, and the memory of inputs and results stay each session's own (constants of
 * the same bytes are shared anyway), and so does the memory of several lanes and of batches.  It holds from the
 * session's next run on.  A run by hand while another session of the group runs is refused with
 * %LEAT_SESSION_ERROR_BUSY.
 *
 * Returns: whether it was done; %LEAT_SCHEDULER_ERROR_MEMBER where the session is not in the scheduler
 */
gboolean
leat_scheduler_set_group (LeatScheduler *self, LeatSession *session, const char *group, GError **error)
{
  LeatMember *member;

  g_return_val_if_fail (LEAT_IS_SCHEDULER (self), FALSE);
  g_return_val_if_fail (LEAT_IS_SESSION (session), FALSE);

  g_mutex_lock (&self->lock);
  member = leat_scheduler_find (self, session, error);
  if (member != NULL)
    leat_member_join (self, member, group != NULL ? leat_scheduler_have_group (self, group) : NULL);
  g_mutex_unlock (&self->lock);
  return member != NULL;
}
