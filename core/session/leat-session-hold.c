/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Has a session for one thread at a time: takes it, gives it back, and takes it from a run that is called off.  Touches
 * LeatSessionHold. */

#include "leat-session-private.h"
#include "leat-session-run-private.h"

gboolean
leat_session_take_lightly (LeatSession *self, GError **error)
{
  if (g_atomic_int_compare_and_exchange (&self->hold.use, LEAT_SESSION_FREE, LEAT_SESSION_CHANGING))
    return TRUE;
  switch (g_atomic_int_get (&self->hold.use))
    {
    case LEAT_SESSION_LAUNCHED:
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "a run of the session is launched and under way: leat_session_complete () gives its results");
      break;
    case LEAT_SESSION_RUNNING:
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "the session is running in another thread; wait until it is done, or close it");
      break;
    default:
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BUSY,
                   "the session is being opened or closed by another thread");
    }
  return FALSE;
}

gboolean
leat_session_take (LeatSession *self, GError **error)
{
  if (!leat_session_take_lightly (self, error))
    return FALSE;
  self->hold.settled = FALSE;
  return TRUE;
}

/* Nothing that comes after need wait until others have seen it, as it would with g_atomic_int_set (). */
void
leat_session_give (LeatSession *self, LeatSessionUse use)
{
  __atomic_store_n (&self->hold.use, (gint) use, __ATOMIC_RELEASE);
}

void
leat_session_let_go (LeatSession *self)
{
  leat_session_give (self, LEAT_SESSION_FREE);
}

/* The run that another thread has under way ends as if it had been cancelled.  While it is under way, only who has
 * closing can make the session anything but open, so its endpoints stay. */
void
leat_session_take_over (LeatSession *self)
{
  while (!g_atomic_int_compare_and_exchange (&self->hold.closing, FALSE, TRUE))
    g_usleep (500);
  while (!leat_session_take (self, NULL))
    {
      if (g_atomic_int_compare_and_exchange (&self->hold.use, LEAT_SESSION_LAUNCHED, LEAT_SESSION_CHANGING))
        {
          leat_session_drop_flight (self);
          break;
        }
      if (g_atomic_int_get (&self->hold.use) == LEAT_SESSION_RUNNING)
        leat_session_unblock_endpoints (self);
      leat_repeating_call_off (&self->repeating);
      leat_told_call_off_loops (&self->told);
      g_usleep (500);
    }
}

void
leat_session_let_go_over (LeatSession *self)
{
  g_atomic_int_set (&self->hold.closing, FALSE);
  leat_session_let_go (self);
}

gboolean
leat_session_check_may_run (LeatSession *self, GError **error)
{
  if (!self->hold.is_open)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "the session is not open");
  else if (!leat_device_check (self->device, error))
    return FALSE;
  else if (self->hold.failed)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_FAILED,
                 "an earlier run of this session failed; close it and open it again");
  return self->hold.is_open && !self->hold.failed;
}

/* As take_open, with take_lightly. */
gboolean
leat_session_take_open_lightly (LeatSession *self, GError **error)
{
  if (!leat_session_take_lightly (self, error))
    return FALSE;
  if (leat_session_check_may_run (self, error))
    return TRUE;
  leat_session_let_go (self);
  return FALSE;
}

gboolean
leat_session_take_open (LeatSession *self, GError **error)
{
  if (!leat_session_take_open_lightly (self, error))
    return FALSE;
  self->hold.settled = FALSE;
  return TRUE;
}
