/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The public functions for what a session keeps from run to run.  Each takes the session, and its LeatStates does the
 * rest. */

#include "leat-session-private.h"

#include "leat-session-run-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-state.h"
#include "state/leat-states-private.h"

/* As many as may be put into it. */
static guint
leat_session_get_most_state_lanes (LeatSession *self)
{
  return self->options.n_lanes > 0 ? self->options.n_lanes : LEAT_SESSION_MOST_LANES;
}

/**
 * leat_session_list_states:
 * @self: a session
 *
 * Lists what the session keeps from run to run: `mean.out` of a node `state` called "mean", and what other nodes keep,
 * such as `scan.carry`.
 *
 * Returns: (transfer full): the names; none while the session is not open
 */
char **
leat_session_list_states (LeatSession *self)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);

  if (leat_session_take_open (self, NULL))
    {
      g_autoptr (GArray) ids = leat_states_list (&self->states);

      for (guint i = 0; i < ids->len; i++)
        g_ptr_array_add (names,
                         g_strdup (leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i))->name));
      leat_session_let_go (self);
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&names), FALSE);
}

/**
 * leat_session_get_state:
 * @self: an open session that is not running
 * @name: a `state` node, or one of leat_session_list_states ()
 * @error: return location for an error
 *
 * Lends the memory of a state, so that ranges of it can be read, changed and copied as those of any resident buffer.
 *
 * It can be used between runs; while one is under way %LEAT_DEVICE_BUFFER_ERROR_BUSY is given, and a run that begins
 * waits for transfers that another thread has under way.  When the session is closed, or has made the state anew
 * because a property that was set gave it another size, the buffer counts as released.
 *
 * Returns: (transfer full): the memory; %NULL with %LEAT_STATE_ERROR_UNKNOWN_NAME, and what leat_session_replay () says
 *   of a session that cannot run
 */
LeatDeviceBuffer *
leat_session_get_state (LeatSession *self, const char *name, GError **error)
{
  LeatDeviceBuffer *lent = NULL;
  LeatBufferId id;

  g_return_val_if_fail (LEAT_IS_SESSION (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  if (!leat_session_take_program (self, error))
    return NULL;
  if (leat_states_find (&self->states, name, &id, error))
    lent = leat_states_lend (&self->states, id);
  leat_session_let_go (self);
  return lent;
}

/**
 * leat_session_save_state:
 * @self: an open session that is not running
 * @path: a file
 * @error: return location for an error
 *
 * Writes all that the session keeps from run to run to a file, with that of each lane where a state has `scope=lane`.
 * The file is there, with all of it, or is what it was; a few MiB of the host's memory do for it.
 *
 * Returns: whether it was written; %LEAT_STATE_ERROR_IO if not, %LEAT_DRIVER_ERROR, and what leat_session_replay ()
 * says of a session that cannot run
 */
gboolean
leat_session_save_state (LeatSession *self, const char *path, GError **error)
{
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  if (!leat_session_take_program (self, error))
    return FALSE;
  good = leat_states_save (&self->states, path, error);
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_load_state:
 * @self: an open session that is not running
 * @path: a file of leat_session_save_state ()
 * @error: return location for an error
 *
 * Makes all that the session keeps from run to run what it was when the file was written.
 *
 * The file must be of a pipeline with the same nodes, names, links and sizes of states; properties may differ.  All is
 * checked before anything changes: the file is read twice, some MiB at a time, and one of no more than 8 MiB once.
 * Where the second reading fails, or finds other contents, or the device fails, and some of a large state is written,
 * the session must be closed and opened again: until then runs say %LEAT_SESSION_ERROR_FAILED.
 *
 * Data of a single lane (`scope=lane`) goes to the lane of the same number, at once or, where that is not there yet,
 * when a stream makes it.  The session may have more lanes than there are in the file, and those begin as `init` or
 * `path` says; where #LeatSession:lanes is a number and there are more in the file, it is refused.
 *
 * Returns: whether it was loaded; %LEAT_STATE_ERROR with a code of its own for a file that is no such file
 *   (%LEAT_STATE_ERROR_FORMAT), %LEAT_STATE_ERROR_VERSION, %LEAT_STATE_ERROR_TRUNCATED, %LEAT_STATE_ERROR_DAMAGED,
 *   %LEAT_STATE_ERROR_PIPELINE, %LEAT_STATE_ERROR_LANES or %LEAT_STATE_ERROR_IO; %LEAT_DRIVER_ERROR; and what
 *   leat_session_replay () says of a session that cannot run
 */
gboolean
leat_session_load_state (LeatSession *self, const char *path, GError **error)
{
  gboolean good, broken;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  if (!leat_session_take_program (self, error))
    return FALSE;
  good = leat_states_load (&self->states, path, leat_session_get_most_state_lanes (self), &broken, error);
  self->hold.failed = self->hold.failed || broken;
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_copy_state:
 * @self: an open session that is not running
 * @from: another one, on the same device
 * @error: return location for an error
 *
 * Copies all data that the session keeps from run to run from another session. Both continue from the same point.  It
 * is copied on the device.  Data of a single lane (`scope=lane`) goes to the lane of the same number, as with
 * leat_session_load_state ().  Where one of the sessions lacks that lane at the moment, the data goes by the host.
 *
 * Returns: whether it was copied; %LEAT_STATE_ERROR_PIPELINE when the two do not keep the same,
 * %LEAT_STATE_ERROR_LANES, %LEAT_DEVICE_BUFFER_ERROR_DEVICE, %LEAT_DRIVER_ERROR, and what leat_session_replay () says
 * of sessions that cannot run
 */
gboolean
leat_session_copy_state (LeatSession *self, LeatSession *from, GError **error)
{
  gboolean good = FALSE;

  g_return_val_if_fail (LEAT_IS_SESSION (self) && LEAT_IS_SESSION (from), FALSE);
  g_return_val_if_fail (self != from, FALSE);

  if (!leat_session_take_program (self, error))
    return FALSE;
  if (leat_session_take_program (from, error))
    {
      good = leat_states_copy (&self->states, &from->states, leat_session_get_most_state_lanes (self), error);
      leat_session_let_go (from);
    }
  leat_session_let_go (self);
  return good;
}
