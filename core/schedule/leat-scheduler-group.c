/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sessions of one group take turns, so what lives within a run is there once for all of them. */

#include "leat-scheduler-private.h"

static void
leat_member_group_free (LeatMemberGroup *self)
{
  leat_member_group_clear_order (self);
  leat_scratch_unref (self->scratch);
  g_free (self->name);
  g_free (self);
}

static LeatMemberGroup *
leat_scheduler_have_group (LeatScheduler *self, const char *name)
{
  LeatMemberGroup *group;

  for (guint i = 0; i < self->groups->len; i++)
    if (g_str_equal (((LeatMemberGroup *) g_ptr_array_index (self->groups, i))->name, name))
      return g_ptr_array_index (self->groups, i);
  group = g_new0 (LeatMemberGroup, 1);
  group->name = g_strdup (name);
  group->scratch = leat_scratch_new (self->device);
  leat_member_group_init_order (group);
  g_ptr_array_add (self->groups, group);
  return group;
}

static void
leat_scheduler_forget_group (LeatScheduler *self, LeatMemberGroup *group)
{
  if (group->n_members > 0 || group->running)
    return;
  g_ptr_array_remove_fast (self->groups, group);
  leat_member_group_free (group);
}

static void
leat_member_apply_group (LeatMember *self)
{
  leat_session_set_scratch (self->session, self->group != NULL ? self->group->scratch : NULL);
}

/* A run that is under way is no turn of the new group, and may not have looked for its memory yet; it may be one from
 * before the session was taken out and put in again. */
void
leat_member_settle_group (LeatMember *self)
{
  if (self->running == NULL && !leat_session_is_parting (self->session))
    leat_member_apply_group (self);
}

void
leat_member_join (LeatScheduler *self, LeatMember *member, LeatMemberGroup *group)
{
  LeatMemberGroup *former = member->group;

  if (former == group)
    return;
  leat_scheduler_unrank (self, member);
  member->group = group;
  leat_scheduler_rank (self, member);
  if (group == NULL)
    leat_member_apply_group (member);
  else
    leat_member_settle_group (member);
  if (group != NULL)
    group->n_members++;
  if (former == NULL)
    return;
  former->n_members--;
  leat_scheduler_forget_group (self, former);
}

void
leat_member_group_begin (LeatScheduler *self, LeatMember *member)
{
  member->running_from = member->group;
  if (member->group == NULL)
    return;
  member->group->running = TRUE;
  leat_scheduler_rank_group (self, member->group);
}

void
leat_member_group_end (LeatScheduler *self, LeatMember *member)
{
  LeatMemberGroup *group = g_steal_pointer (&member->running_from);

  if (member->group != NULL)
    leat_member_apply_group (member);
  if (group == NULL)
    return;
  group->running = FALSE;
  leat_scheduler_rank_group (self, group);
  leat_scheduler_forget_group (self, group);
}

/**
 * leat_scheduler_set_group:
 * @self: a scheduler
 * @session: a session that is in it
 * @group: (nullable): a name; %NULL for none
 * @error: return location for an error
 *
 * Lets sessions share device memory for data within a run. The group takes as much as its largest session needs.
 * Their runs are never at the same time then.
 *
 * Data kept from run to run, constants, and the memory of inputs and results stay each session's own, and so does the
 * memory of several lanes and of batches.  Constants of the same bytes are shared anyway.  The group holds from the
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
    {
      leat_member_join (self, member, group != NULL ? leat_scheduler_have_group (self, group) : NULL);
      leat_scheduler_dispatch (self);
    }
  leat_scheduler_unlock (self);
  return member != NULL;
}
