/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* States from one session to another, lane by lane: by copies on the device where both lanes are there. */

#include "leat-session-state-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"

static gboolean
leat_session_match_states (LeatSession *self, LeatSession *from, GArray *ids, GArray *from_ids, GError **error)
{
  gboolean same = ids->len == from_ids->len;

  for (guint i = 0; i < ids->len && same; i++)
    {
      const LeatBuffer *to = leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i));
      const LeatBuffer *is = leat_plan_get_buffer (from->plan, g_array_index (from_ids, LeatBufferId, i));

      same = g_str_equal (to->name, is->name) && to->bytes == is->bytes && to->header == is->header
             && (to->spec == NULL) == (is->spec == NULL)
             && (to->spec == NULL || leat_spec_get_dtype (to->spec) == leat_spec_get_dtype (is->spec));
    }
  if (!same)
    g_set_error_literal (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_PIPELINE,
                         "cannot take over the state of the other session: its pipeline keeps other things from run to "
                         "run, or of other sizes or types");
  return same;
}

/* One state, in both. */
typedef struct
{
  LeatSession *to, *from;
  LeatBufferId id, from_id;
  guint n_lanes; /* of the other session, with contents of their own */
} LeatFork;

static gboolean
leat_fork_check_lanes (const LeatFork *self, GError **error)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->to->plan, self->id);
  const guint most = leat_session_get_most_state_lanes (self->to);

  if (leat_buffer_is_of_lane (buffer) ? self->n_lanes <= most : self->n_lanes == 1)
    return TRUE;
  if (!leat_buffer_is_of_lane (buffer))
    g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_LANES,
                 "cannot take over the state of the other session: %s is of %u lanes there, and one for all here; give "
                 "the node scope=lane",
                 buffer->name, self->n_lanes);
  else
    g_set_error (
      error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_LANES,
      "cannot take over the state of the other session: %s is of %u lanes there, and this one has %u; open it "
      "with lanes=%u or more",
      buffer->name, self->n_lanes, most, self->n_lanes);
  return FALSE;
}

/* @lane: one that is there in this session */
static LeatRequest
leat_fork_fill_lane (const LeatFork *self, guint lane)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->to->plan, self->id);
  gboolean on_device = lane < MIN (self->n_lanes, self->from->lanes->len);
  LeatRequest request =
    leat_session_make_request (self->to, on_device ? LEAT_REQUEST_COPY : LEAT_REQUEST_UPLOAD, lane, self->id);

  if (on_device)
    request.from = leat_session_borrow_state (self->from, lane, self->from_id);
  else if (lane < self->n_lanes)
    request.data = leat_session_dup_away (self->from, lane, leat_plan_get_buffer (self->from->plan, self->from_id));
  else
    request.data = leat_buffer_dup_initial (buffer);
  return request;
}

static void
leat_fork_add_requests (const LeatFork *self, GArray *requests)
{
  const guint here =
    leat_buffer_is_of_lane (leat_plan_get_buffer (self->to->plan, self->id)) ? self->to->lanes->len : 1;

  for (guint lane = 0; lane < here; lane++)
    {
      LeatRequest request = leat_fork_fill_lane (self, lane);

      g_array_append_val (requests, request);
    }
  for (guint lane = here; lane < MIN (self->n_lanes, self->from->lanes->len); lane++)
    {
      LeatRequest request = leat_session_make_request (self->from, LEAT_REQUEST_DOWNLOAD, lane, self->from_id);

      g_array_append_val (requests, request);
    }
}

/* @next: the first request of the next state */
static void
leat_fork_set_away (const LeatFork *self, GArray *requests, guint *next)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->to->plan, self->id);
  const guint here = leat_buffer_is_of_lane (buffer) ? self->to->lanes->len : 1;

  *next += here;
  for (guint lane = here; lane < self->n_lanes; lane++)
    if (lane < self->from->lanes->len)
      leat_session_take_away (self->to, lane, buffer,
                              g_steal_pointer (&g_array_index (requests, LeatRequest, (*next)++).result));
    else
      leat_session_take_away (
        self->to, lane, buffer,
        leat_session_dup_away (self->from, lane, leat_plan_get_buffer (self->from->plan, self->from_id)));
}

static GArray *
leat_session_list_forks (LeatSession *self, LeatSession *from, GArray *ids, GArray *from_ids)
{
  const guint n_lanes = leat_session_count_state_lanes (from);
  GArray *forks = g_array_new (FALSE, FALSE, sizeof (LeatFork));

  for (guint i = 0; i < ids->len; i++)
    {
      LeatFork fork = { self, from, g_array_index (ids, LeatBufferId, i), g_array_index (from_ids, LeatBufferId, i),
                        1 };

      if (leat_buffer_is_of_lane (leat_plan_get_buffer (from->plan, fork.from_id)))
        fork.n_lanes = n_lanes;
      g_array_append_val (forks, fork);
    }
  return forks;
}

static gboolean
leat_forks_run (GArray *forks, GArray *requests, GError **error)
{
  LeatTransferCounts counts = { 0 };

  for (guint i = 0; i < forks->len; i++)
    if (!leat_fork_check_lanes (&g_array_index (forks, LeatFork, i), error))
      return FALSE;
  for (guint i = 0; i < forks->len; i++)
    leat_fork_add_requests (&g_array_index (forks, LeatFork, i), requests);
  return leat_requests_run (requests, &counts, error);
}

static gboolean
leat_session_copy_states (LeatSession *self, LeatSession *from, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  g_autoptr (GArray) from_ids = leat_session_dup_states (from);
  g_autoptr (GArray) forks = NULL;
  g_autoptr (GArray) requests = leat_session_new_requests ();
  guint next = 0;

  if (!leat_session_match_states (self, from, ids, from_ids, error))
    return FALSE;
  forks = leat_session_list_forks (self, from, ids, from_ids);
  if (!leat_forks_run (forks, requests, error))
    return FALSE;
  leat_session_forget_away (self);
  for (guint i = 0; i < forks->len; i++)
    leat_fork_set_away (&g_array_index (forks, LeatFork, i), requests, &next);
  self->states.given = TRUE;
  return TRUE;
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
      good = leat_session_copy_states (self, from, error);
      leat_session_let_go (from);
    }
  leat_session_let_go (self);
  return good;
}
