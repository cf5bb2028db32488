/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sessions that share what lives within a run: of their memory there is as much as the largest of them needs.  A run
 * has it from before its launch until its results are there; a session that wants to run meanwhile is refused, so who
 * lets them run sees to it that they take turns. */

#include "leat-session-private.h"
#include "leat-session-setup-private.h"

struct _LeatScratch
{
  gatomicrefcount refs;
  LeatStore *store; /* of the arenas */
  gpointer user;    /* atomic: the session whose run it is; NULL: none */
  gpointer former;  /* the last one that it was, never looked into; of the user */
};

LeatScratch *
leat_scratch_new (LeatDevice *device)
{
  LeatScratch *self = g_new0 (LeatScratch, 1);
  g_autoptr (LeatMemoryAccount) account = leat_memory_account_new (0);

  g_atomic_ref_count_init (&self->refs);
  self->store = leat_store_new (device, account);
  return self;
}

static LeatScratch *
leat_scratch_ref (LeatScratch *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_scratch_unref (LeatScratch *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  leat_store_unref (self->store);
  g_free (self);
}

void
leat_session_set_scratch (LeatSession *self, LeatScratch *scratch)
{
  LeatScratch *former;

  if (scratch != NULL)
    leat_scratch_ref (scratch);
  g_mutex_lock (&self->told.lock);
  former = self->scratch.wanted;
  g_atomic_pointer_set (&self->scratch.wanted, scratch);
  g_mutex_unlock (&self->told.lock);
  if (former != NULL)
    leat_scratch_unref (former);
}

/* (transfer full) (nullable) */
static LeatScratch *
leat_session_get_wanted_scratch (LeatSession *self)
{
  LeatScratch *scratch;

  g_mutex_lock (&self->told.lock);
  scratch = self->scratch.wanted != NULL ? leat_scratch_ref (self->scratch.wanted) : NULL;
  g_mutex_unlock (&self->told.lock);
  return scratch;
}

void
leat_session_choose_scratch (LeatSession *self)
{
  g_clear_pointer (&self->scratch.used, leat_scratch_unref);
  self->scratch.used = leat_session_get_wanted_scratch (self);
  leat_store_set_commons (self->store, self->scratch.used != NULL ? self->scratch.used->store : NULL);
}

/* Those of former shapes are in memory that others may run in from now on, or have left. */
static void
leat_session_change_scratch (LeatSession *self)
{
  leat_shapes_drop_others (&self->shapes, self->setup);
  leat_session_choose_scratch (self);
}

static gboolean
leat_scratch_take (LeatScratch *self, LeatSession *session, GError **error)
{
  if (g_atomic_pointer_compare_and_exchange (&self->user, NULL, session))
    return TRUE;
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
               "another session runs in the memory that this one shares with it");
  return FALSE;
}

/* If another session used the scratch memory last, inputs of this one are not on the device any more. */
static gboolean
leat_session_move_to_scratch (LeatSession *self, GError **error)
{
  for (guint i = 0; i < self->ends.inputs->len && (self->scratch.used == NULL || self->scratch.used->former != self);
       i++)
    leat_session_get_input (self, i)->on_device = 0;
  if (self->scratch.used != NULL)
    self->scratch.used->former = self;
  return leat_lane_move_arena (g_ptr_array_index (self->lanes, 0), error);
}

gboolean
leat_session_enter_scratch (LeatSession *self, GError **error)
{
  LeatScratch *wanted = g_atomic_pointer_get (&self->scratch.wanted);

  if (G_LIKELY (wanted == NULL && self->scratch.used == NULL))
    return TRUE;
  if (wanted != self->scratch.used)
    leat_session_change_scratch (self);
  if (self->scratch.used != NULL && !leat_scratch_take (self->scratch.used, self, error))
    return FALSE;
  if (leat_session_move_to_scratch (self, error))
    return TRUE;
  self->hold.failed = TRUE;
  leat_session_leave_scratch (self);
  return FALSE;
}

static void
leat_scratch_give_back (LeatScratch *self, LeatSession *session)
{
  g_atomic_pointer_compare_and_exchange (&self->user, session, NULL);
}

/* A run that nobody could wait for may still write there: then others have to wait until the session is closed. */
void
leat_session_leave_scratch (LeatSession *self)
{
  if (G_UNLIKELY (self->scratch.used != NULL) && !leat_session_get_flight (self, 0)->run.launched)
    leat_scratch_give_back (self->scratch.used, self);
}

void
leat_session_drop_scratch (LeatSession *self)
{
  if (self->scratch.used != NULL)
    leat_scratch_give_back (self->scratch.used, self);
  g_clear_pointer (&self->scratch.used, leat_scratch_unref);
}
