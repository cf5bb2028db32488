/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A session that nobody runs at the moment gives the device's memory to others, and takes some again when it is run.
 * It stays open: its files, its place in the stream and the memory that programs fill and read are what they were. */

#include "leat-session-private.h"

#include "state/leat-states-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-plan-private.h"
#include "leat-session-told-private.h"
#include "leat-session-run-private.h"

static LeatLane *
leat_session_get_first_lane (LeatSession *self)
{
  return g_ptr_array_index (self->lanes, 0);
}

/* Of a state that is lent. (nullable) */
static const char *
leat_session_find_lent_name (LeatSession *self, LeatDeviceBuffer *lent)
{
  g_autoptr (GArray) ids = leat_states_list (&self->states);

  for (guint i = 0; i < ids->len; i++)
    {
      LeatBufferId id = g_array_index (ids, LeatBufferId, i);

      if (leat_device_buffer_is_lent_from (lent, g_ptr_array_index (leat_session_get_first_lane (self)->blocks, id)))
        return leat_plan_get_buffer (self->plan, id)->name;
    }
  return NULL;
}

/* A program that has a state may read and write it at any time.  Nobody can get one but from the session, which is
 * ours now, so a count of one stays one. */
static gboolean
leat_session_check_lent (LeatSession *self, GError **error)
{
  for (guint i = 0; i < self->states.lent->len; i++)
    {
      GObject *lent = g_ptr_array_index (self->states.lent, i);

      if (g_atomic_int_get ((gint *) &lent->ref_count) == 1)
        continue;
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_EVICTION,
                   "the session cannot leave the device: the program has its state %s; let go of what "
                   "leat_session_get_state () gave",
                   leat_session_find_lent_name (self, LEAT_DEVICE_BUFFER (lent)));
      return FALSE;
    }
  return TRUE;
}

/* Lanes beyond the first are made when they are needed again; what they kept waits for them. */
static void
leat_session_drop_lanes (LeatSession *self)
{
  if (self->lanes->len == 1)
    return;
  g_ptr_array_set_size (self->lanes, 1);
  leat_session_make_flights (self);
}

static void
leat_session_forget_device (LeatSession *self)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_session_get_input (self, i)->on_device = 0;
  for (guint i = 0; i < self->states.lent->len; i++)
    leat_device_buffer_call_in (g_ptr_array_index (self->states.lent, i));
  g_ptr_array_set_size (self->states.lent, 0);
}

/* Nothing here can fail.  Memory that others have cached stays. */
static void
leat_session_leave_device (LeatSession *self)
{
  LeatMemoryCounts counts;

  leat_device_get_memory_counts (self->device, LEAT_MEMORY_DEVICE, &counts);
  leat_session_forget_device (self);
  if (self->batch != NULL)
    leat_batch_leave_device (self->batch);
  leat_shapes_drop_others (&self->shapes, self->setup);
  leat_session_drop_lanes (self);
  leat_lane_evict (leat_session_get_first_lane (self));
  leat_program_drop_constants (self->program);
  self->setup->bytes = leat_store_get_bytes (self->store);
  leat_device_trim (self->device, counts.cached_bytes);
}

static guint64
leat_session_sum_kept (const GPtrArray *kept)
{
  guint64 sum = 0;

  for (guint i = 0; i < kept->len; i++)
    sum += g_ptr_array_index (kept, i) != NULL ? g_bytes_get_size (g_ptr_array_index (kept, i)) : 0;
  return sum;
}

static gboolean
leat_session_evict_taken (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gint64 begin = g_get_monotonic_time ();
  GPtrArray *kept;

  if (self->states.evicted != NULL)
    return TRUE;
  if (g_cancellable_set_error_if_cancelled (cancellable, error) || !leat_session_check_lent (self, error))
    return FALSE;
  kept = leat_lane_read_kept (leat_session_get_first_lane (self), cancellable, error);
  if (kept == NULL || !leat_states_put_lanes_away (&self->states, cancellable, error))
    {
      g_clear_pointer (&kept, g_ptr_array_unref);
      return FALSE;
    }
  leat_session_leave_device (self);
  g_atomic_pointer_set (&self->states.evicted, kept);
  self->told.ledger.stats.evictions++;
  self->told.ledger.stats.evicted_bytes = leat_session_sum_kept (kept) + leat_states_sum_away (&self->states);
  self->told.ledger.stats.evict_us += g_get_monotonic_time () - begin;
  self->told.ledger.levels_changed = TRUE;
  leat_session_tell_stats (self);
  return TRUE;
}

void
leat_session_drop_evicted (LeatSession *self)
{
  GPtrArray *kept = self->states.evicted;

  g_atomic_pointer_set (&self->states.evicted, NULL);
  g_clear_pointer (&kept, g_ptr_array_unref);
}

static gboolean
leat_session_return (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gint64 begin = g_get_monotonic_time ();

  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    return FALSE;
  leat_device_settle (self->device);
  if (!leat_session_ask_for_room (self, leat_session_get_needed_bytes (self), error))
    return FALSE;
  if (!leat_program_find_constants (self->program, self->store, error)
      || !leat_program_write_constants (self->program, error)
      || !leat_lane_restore (leat_session_get_first_lane (self), self->states.evicted, cancellable, error))
    {
      leat_program_drop_constants (self->program);
      g_prefix_error (error, "the session stays off the device: ");
      return FALSE;
    }
  leat_session_drop_evicted (self);
  self->setup->bytes = leat_store_get_bytes (self->store);
  self->told.ledger.stats.restores++;
  self->told.ledger.stats.evicted_bytes = 0;
  self->told.ledger.stats.restore_us += g_get_monotonic_time () - begin;
  self->told.ledger.levels_changed = TRUE;
  leat_session_tell_stats (self);
  return TRUE;
}

gboolean
leat_session_bring_back (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gboolean good;

  if (G_LIKELY (self->states.evicted == NULL))
    return TRUE;
  good = leat_session_return (self, cancellable, error);
  leat_session_settle_room (self);
  return good;
}

gboolean
leat_session_take_program (LeatSession *self, GError **error)
{
  if (!leat_session_take_open (self, error))
    return FALSE;
  if (leat_session_bring_back (self, NULL, error))
    return TRUE;
  leat_session_let_go (self);
  return FALSE;
}

/**
 * leat_session_is_evicted:
 * @self: a session
 *
 * Tells whether the session is open and off the device, from any thread.
 *
 * Returns: whether leat_session_evict () took it off the device, and nothing has brought it back since
 */
gboolean
leat_session_is_evicted (LeatSession *self)
{
  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  return g_atomic_pointer_get (&self->states.evicted) != NULL;
}

/**
 * leat_session_evict:
 * @self: an open session that is not running
 * @cancellable: (nullable): to give up before anything has gone
 * @error: return location for an error
 *
 * Takes the session off the device: data that it keeps from run to run goes to host memory, and its other device
 * memory and its graphs are freed.
 *
 * The session stays open.  The next run brings it back, as does leat_session_restore (), and gives the bytes that it
 * would have given without.  Memory that the program fills, reads or has bound stays where it is, and loaded kernels
 * stay on the device, with what they keep in variables.  To evict a session again changes nothing.
 *
 * Where the device fails, or @cancellable says so, the session is on the device as before.
 *
 * Returns: whether it is off the device; %LEAT_SESSION_ERROR_BUSY while another thread has it or a run is launched,
 *   %LEAT_SESSION_ERROR_EVICTION where the program has a state of it (leat_session_get_state ()) or the host has no
 *   room, and what leat_session_replay () says of sessions that cannot run
 */
gboolean
leat_session_evict (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  if (!leat_session_take_open (self, error))
    return FALSE;
  good = leat_session_evict_taken (self, cancellable, error);
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_restore:
 * @self: an open session that is not running
 * @cancellable: (nullable): to give up between steps
 * @error: return location for an error
 *
 * Brings a session that was evicted back to the device, so that the next run need not.
 *
 * After an error it is off the device as before, with all that it keeps, and may be brought back later.  One that was
 * not evicted is left as it is.
 *
 * Returns: whether it is on the device; %LEAT_DRIVER_ERROR_OUT_OF_MEMORY where there is no room,
 * %LEAT_SESSION_ERROR_BUSY while another thread has it, and what leat_session_replay () says of sessions that cannot
 * run
 */
gboolean
leat_session_restore (LeatSession *self, GCancellable *cancellable, GError **error)
{
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  if (!leat_session_take_open (self, error))
    return FALSE;
  good = leat_session_bring_back (self, cancellable, error);
  leat_session_let_go (self);
  return good;
}
