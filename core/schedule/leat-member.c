/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A session among others: its references, and how it is found. */

#include "leat-scheduler-private.h"

LeatMember *
leat_member_ref (LeatMember *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_member_unref (LeatMember *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  leat_heap_clear (&self->due);
  g_object_unref (self->session);
  g_free (self);
}

LeatMember *
leat_scheduler_find (LeatScheduler *self, LeatSession *session, GError **error)
{
  LeatMember *member = g_hash_table_lookup (self->by_session, session);

  if (member == NULL)
    g_set_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER,
                 "the session is not in the scheduler: leat_scheduler_add () puts it there");
  return member;
}
