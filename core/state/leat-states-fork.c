/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* States from one session to another, lane by lane: by copies on the device where both lanes are there. */

#include "leat-states-private.h"

static gboolean
leat_states_match (LeatStates *self, LeatStates *from, GArray *ids, GArray *from_ids, GError **error)
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
  LeatStates *to, *from;
  LeatBufferId id, from_id;
  guint n_lanes; /* of the other session, with contents of their own */
  guint most;    /* that this one may have */
} LeatFork;

static gboolean
leat_fork_check_lanes (const LeatFork *self, GError **error)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->to->plan, self->id);

  if (leat_buffer_is_of_lane (buffer) ? self->n_lanes <= self->most : self->n_lanes == 1)
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
      buffer->name, self->n_lanes, self->most, self->n_lanes);
  return FALSE;
}

/* @lane: one that is there in this session */
static LeatRequest
leat_fork_fill_lane (const LeatFork *self, guint lane)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->to->plan, self->id);
  gboolean on_device = lane < MIN (self->n_lanes, self->from->lanes->len);
  LeatRequest request =
    leat_states_make_request (self->to, on_device ? LEAT_REQUEST_COPY : LEAT_REQUEST_UPLOAD, lane, self->id);

  if (on_device)
    request.from = leat_states_borrow (self->from, lane, self->from_id);
  else if (lane < self->n_lanes)
    request.data = leat_states_dup_away (self->from, lane, leat_plan_get_buffer (self->from->plan, self->from_id));
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
      LeatRequest request = leat_states_make_request (self->from, LEAT_REQUEST_DOWNLOAD, lane, self->from_id);

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
      leat_states_take_away (self->to, lane, buffer,
                             g_steal_pointer (&g_array_index (requests, LeatRequest, (*next)++).result));
    else
      leat_states_take_away (
        self->to, lane, buffer,
        leat_states_dup_away (self->from, lane, leat_plan_get_buffer (self->from->plan, self->from_id)));
}

static GArray *
leat_states_list_forks (LeatStates *self, LeatStates *from, GArray *ids, GArray *from_ids, guint most)
{
  const guint n_lanes = leat_states_count_lanes (from);
  GArray *forks = g_array_new (FALSE, FALSE, sizeof (LeatFork));

  for (guint i = 0; i < ids->len; i++)
    {
      LeatFork fork = { self, from, g_array_index (ids, LeatBufferId, i), g_array_index (from_ids, LeatBufferId, i),
                        1,    most };

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

gboolean
leat_states_copy (LeatStates *self, LeatStates *from, guint most, GError **error)
{
  g_autoptr (GArray) ids = leat_states_list (self);
  g_autoptr (GArray) from_ids = leat_states_list (from);
  g_autoptr (GArray) forks = NULL;
  g_autoptr (GArray) requests = leat_requests_new ();
  guint next = 0;

  if (!leat_states_match (self, from, ids, from_ids, error))
    return FALSE;
  forks = leat_states_list_forks (self, from, ids, from_ids, most);
  if (!leat_forks_run (forks, requests, error))
    return FALSE;
  leat_states_forget_away (self);
  for (guint i = 0; i < forks->len; i++)
    leat_fork_set_away (&g_array_index (forks, LeatFork, i), requests, &next);
  self->given = TRUE;
  return TRUE;
}
