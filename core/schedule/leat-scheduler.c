/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its members, and what sessions tell it as their overseer. */

#include "leat-scheduler-private.h"

#include "plan/leat-plan-private.h"

/**
 * LeatScheduler:
 *
 * Decides which of many sessions on one device runs next.
 *
 * A program makes one for a device (or several, which know nothing of each other), adds sessions and submits runs
 * instead of calling leat_session_replay ().  Runs begin in the order of the sessions' #LeatSession:priority, then of
 * deadlines, then so that each session has its share (#LeatSession:weight); how they run is the sessions' affair.
 * Every run that was submitted ends in one result, error or cancellation.  All calls may come from any thread.
 *
 * While a session has runs that wait or are under way, it is the scheduler's: a run by hand meanwhile may be refused
 * with %LEAT_SESSION_ERROR_BUSY, or have that come to one of those.
 */
G_DEFINE_FINAL_TYPE (LeatScheduler, leat_scheduler, G_TYPE_OBJECT)

static LeatMember *
leat_member_new (LeatSession *session)
{
  LeatMember *self = g_new0 (LeatMember, 1);

  g_atomic_ref_count_init (&self->refs);
  self->session = g_object_ref (session);
  g_queue_init (&self->waiting);
  leat_member_init_order (self);
  return self;
}

static gboolean
leat_scheduler_check_device (LeatScheduler *self, LeatDevice *device, GError **error)
{
  if (device == NULL || device == self->device)
    return TRUE;
  g_set_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER,
               "the session is for %s, and the scheduler for %s", leat_device_get_id (device),
               leat_device_get_id (self->device));
  return FALSE;
}

static gboolean
leat_scheduler_admit (GObject *overseer, LeatSession *session, LeatDevice *device, guint64 bytes, GError **error)
{
  return leat_scheduler_check_device (LEAT_SCHEDULER (overseer), device, error)
         && leat_scheduler_make_room (LEAT_SCHEDULER (overseer), session, bytes, FALSE, error);
}

/* @closing: nothing is begun from now on, and what waits is given up */
static void
leat_scheduler_set_closing (LeatScheduler *self, LeatSession *session, gboolean closing)
{
  LeatMember *member;

  g_mutex_lock (&self->lock);
  member = leat_scheduler_find (self, session, NULL);
  if (member != NULL)
    {
      member->closing = closing;
      leat_scheduler_rank (self, member);
      leat_scheduler_give_up_waiting (self, member, "the session was closed before the run's turn");
      leat_scheduler_dispatch (self);
    }
  leat_scheduler_unlock (self);
}

static void
leat_scheduler_session_settled (GObject *overseer, LeatSession *session)
{
  leat_scheduler_end_admission (LEAT_SCHEDULER (overseer), session);
}

static void
leat_scheduler_session_closing (GObject *overseer, LeatSession *session)
{
  leat_scheduler_set_closing (LEAT_SCHEDULER (overseer), session, TRUE);
}

static void
leat_scheduler_session_closed (GObject *overseer, LeatSession *session)
{
  leat_scheduler_set_closing (LEAT_SCHEDULER (overseer), session, FALSE);
}

static void
leat_scheduler_session_parted (GObject *overseer, LeatSession *session)
{
  LeatScheduler *self = LEAT_SCHEDULER (overseer);
  LeatMember *member;

  g_mutex_lock (&self->lock);
  member = leat_scheduler_find (self, session, NULL);
  if (member != NULL)
    {
      leat_member_settle_group (member);
      leat_scheduler_rank (self, member);
    }
  leat_scheduler_dispatch (self);
  leat_scheduler_unlock (self);
}

static void
leat_scheduler_session_ranked (GObject *overseer, LeatSession *session)
{
  LeatScheduler *self = LEAT_SCHEDULER (overseer);
  LeatMember *member;

  g_mutex_lock (&self->lock);
  member = leat_scheduler_find (self, session, NULL);
  if (member != NULL)
    leat_member_change_level (self, member, leat_session_get_priority (session));
  leat_scheduler_dispatch (self);
  leat_scheduler_unlock (self);
}

static const LeatOverseerClass leat_scheduler_overseer = {
  leat_scheduler_admit,          leat_scheduler_session_settled, leat_scheduler_session_closing,
  leat_scheduler_session_closed, leat_scheduler_session_parted,  leat_scheduler_session_ranked
};

/**
 * leat_scheduler_new:
 * @device: what the sessions run on, as leat_session_get_device () of one that is open gives it
 *
 * Makes a scheduler with no sessions in it.
 *
 * Returns: (transfer full): a scheduler
 */
LeatScheduler *
leat_scheduler_new (LeatDevice *device)
{
  g_return_val_if_fail (LEAT_IS_DEVICE (device), NULL);
  return g_object_new (LEAT_TYPE_SCHEDULER, "device", device, NULL);
}

static void
leat_scheduler_put (LeatScheduler *self, LeatSession *session)
{
  LeatMember *member = leat_member_new (session);

  member->number = ++self->n_added;
  member->used = ++self->clock;
  g_ptr_array_add (self->members, member);
  g_hash_table_insert (self->by_session, session, member);
}

static gboolean
leat_scheduler_refuse_adding (gboolean closed, GError **error)
{
  if (closed)
    g_set_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_CLOSED, "the scheduler is closed");
  else
    g_set_error (error, LEAT_SCHEDULER_ERROR, LEAT_SCHEDULER_ERROR_MEMBER, "the session is in a scheduler already");
  return FALSE;
}

/* Asked before others go for it. */
static gboolean
leat_scheduler_may_add (LeatScheduler *self, LeatSession *session, GError **error)
{
  const LeatOverseerClass *klass;
  g_autoptr (GObject) overseer = leat_session_get_overseer (session, &klass);
  gboolean closed;

  g_mutex_lock (&self->lock);
  closed = self->closed;
  g_mutex_unlock (&self->lock);
  return (!closed && overseer == NULL) || leat_scheduler_refuse_adding (closed, error);
}

/* One that is open has its memory already; others may have to go for it. */
static gboolean
leat_scheduler_check_open (LeatScheduler *self, LeatSession *session, GError **error)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (session);

  if (!leat_scheduler_check_device (self, leat_session_get_device (session), error))
    return FALSE;
  return plan == NULL || leat_session_is_evicted (session)
         || leat_scheduler_make_room (self, session, leat_plan_get_device_bytes (plan), TRUE, error);
}

/**
 * leat_scheduler_add:
 * @self: a scheduler
 * @session: a session, open or not
 * @error: return location for an error
 *
 * Takes a session among those whose runs the scheduler begins.  It keeps a reference until leat_scheduler_remove ().
 *
 * Returns: whether it is in now; %LEAT_SCHEDULER_ERROR_MEMBER where it is in already, in another scheduler, or open on
 *   another device, %LEAT_SCHEDULER_ERROR_BUDGET where it is open and takes too much of it,
 * %LEAT_SCHEDULER_ERROR_CLOSED
 */
gboolean
leat_scheduler_add (LeatScheduler *self, LeatSession *session, GError **error)
{
  gboolean added, closed;

  g_return_val_if_fail (LEAT_IS_SCHEDULER (self), FALSE);
  g_return_val_if_fail (LEAT_IS_SESSION (session), FALSE);

  if (!leat_scheduler_may_add (self, session, error) || !leat_scheduler_check_open (self, session, error))
    return FALSE;
  g_mutex_lock (&self->lock);
  closed = self->closed;
  added = !closed && leat_session_set_overseer (session, &leat_scheduler_overseer, G_OBJECT (self));
  if (added)
    leat_scheduler_put (self, session);
  g_mutex_unlock (&self->lock);
  return added || leat_scheduler_refuse_adding (closed, error);
}

/* It is a member no more; what it counted stays.  A run that goes on is told of before another scheduler may have it.
 */
static void
leat_scheduler_retire (LeatScheduler *self, LeatMember *member)
{
  if (member->running != NULL)
    leat_session_set_parting (member->session, TRUE);
  leat_session_drop_overseer (member->session, G_OBJECT (self));
  leat_member_join (self, member, NULL);
  g_mutex_lock (&self->accounts);
  leat_member_stats_add (&self->former, &member->stats);
  member->removed = TRUE;
  g_mutex_unlock (&self->accounts);
  leat_scheduler_rank (self, member);
}

/**
 * leat_scheduler_remove:
 * @self: a scheduler
 * @session: a session that is in it
 * @error: return location for an error
 *
 * Takes a session out.  Its runs that wait end with %LEAT_SCHEDULER_ERROR_CLOSED; one that is under way goes on, and
 * where the session is put into a scheduler meanwhile, this one or another, its next run begins when that has ended.
 *
 * Returns: whether it was in; else %LEAT_SCHEDULER_ERROR_MEMBER
 */
gboolean
leat_scheduler_remove (LeatScheduler *self, LeatSession *session, GError **error)
{
  g_autoptr (LeatMember) member = NULL;

  g_return_val_if_fail (LEAT_IS_SCHEDULER (self), FALSE);
  g_return_val_if_fail (LEAT_IS_SESSION (session), FALSE);

  g_mutex_lock (&self->lock);
  member = leat_scheduler_find (self, session, error);
  if (member != NULL)
    {
      leat_member_ref (member);
      leat_scheduler_give_up_waiting (self, member, "the session was taken out of the scheduler before the run's turn");
      leat_scheduler_retire (self, member);
      g_hash_table_remove (self->by_session, session);
      g_ptr_array_remove (self->members, member);
      leat_scheduler_dispatch (self);
    }
  leat_scheduler_unlock (self);
  return member != NULL;
}

/* @session: (nullable) */
static void
leat_scheduler_set_paused (LeatScheduler *self, LeatSession *session, gboolean paused)
{
  LeatMember *member;

  g_mutex_lock (&self->lock);
  member = session != NULL ? leat_scheduler_find (self, session, NULL) : NULL;
  if (session == NULL)
    self->paused = paused;
  if (member != NULL)
    {
      member->paused = paused;
      leat_scheduler_rank (self, member);
    }
  leat_scheduler_dispatch (self);
  leat_scheduler_unlock (self);
}

/**
 * leat_scheduler_pause:
 * @self: a scheduler
 * @session: (nullable): a session that is in it; %NULL for all
 *
 * Begins no runs until leat_scheduler_resume ().  Those under way go on, and more may be submitted.  One session and
 * all of them are paused independently.
 */
void
leat_scheduler_pause (LeatScheduler *self, LeatSession *session)
{
  g_return_if_fail (LEAT_IS_SCHEDULER (self));
  leat_scheduler_set_paused (self, session, TRUE);
}

/**
 * leat_scheduler_resume:
 * @self: a scheduler
 * @session: (nullable): a session that is in it; %NULL for all
 *
 * Begins runs again after leat_scheduler_pause ().
 */
void
leat_scheduler_resume (LeatScheduler *self, LeatSession *session)
{
  g_return_if_fail (LEAT_IS_SCHEDULER (self));
  leat_scheduler_set_paused (self, session, FALSE);
}

/**
 * leat_scheduler_close:
 * @self: a scheduler
 *
 * Takes all sessions out and takes no more.  All runs that wait end with %LEAT_SCHEDULER_ERROR_CLOSED, those that are
 * under way go on.  The sessions stay as they are, open or not.  The monitor shows it no longer.
 */
void
leat_scheduler_close (LeatScheduler *self)
{
  GPtrArray *members;

  g_return_if_fail (LEAT_IS_SCHEDULER (self));

  leat_schedulers_remove (self);
  g_mutex_lock (&self->lock);
  self->closed = TRUE;
  leat_scheduler_give_up_waiting (self, NULL, "the scheduler was closed before the run's turn");
  for (guint i = 0; i < self->members->len; i++)
    leat_scheduler_retire (self, g_ptr_array_index (self->members, i));
  g_hash_table_remove_all (self->by_session);
  members = self->members;
  self->members = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_member_unref);
  leat_scheduler_unlock (self);
  /* Not under the lock: sessions may go with them. */
  g_ptr_array_unref (members);
}

static void
leat_scheduler_constructed (GObject *object)
{
  G_OBJECT_CLASS (leat_scheduler_parent_class)->constructed (object);
  leat_schedulers_add (LEAT_SCHEDULER (object));
}

static void
leat_scheduler_finalize (GObject *object)
{
  LeatScheduler *self = LEAT_SCHEDULER (object);

  leat_scheduler_close (self);
  /* It may be one of its threads that is here. */
  if (self->workers != NULL)
    g_thread_pool_free (self->workers, FALSE, FALSE);
  g_ptr_array_unref (self->members);
  g_hash_table_unref (self->by_session);
  g_ptr_array_unref (self->groups);
  g_clear_object (&self->device);
  leat_scheduler_clear_order (self);
  g_mutex_clear (&self->lock);
  g_mutex_clear (&self->accounts);
  g_mutex_clear (&self->admission);
  g_cond_clear (&self->ended);
  G_OBJECT_CLASS (leat_scheduler_parent_class)->finalize (object);
}

static void
leat_scheduler_class_init (LeatSchedulerClass *klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);

  object_class->set_property = leat_scheduler_set_property;
  object_class->get_property = leat_scheduler_get_property;
  object_class->constructed = leat_scheduler_constructed;
  object_class->finalize = leat_scheduler_finalize;
  leat_scheduler_install_props (object_class);
}

static void
leat_scheduler_init (LeatScheduler *self)
{
  g_mutex_init (&self->lock);
  g_mutex_init (&self->accounts);
  g_mutex_init (&self->admission);
  leat_scheduler_init_order (self);
  self->told_end = &self->told;
  g_cond_init (&self->ended);
  self->evict_idle = TRUE;
  self->members = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_member_unref);
  self->groups = g_ptr_array_new ();
  self->by_session = g_hash_table_new (NULL, NULL);
  self->in_flight = 2;
  self->queue_limit = 1024;
}
