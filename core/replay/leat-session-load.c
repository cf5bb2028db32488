/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* States from a file, piece by piece: what has been read is put on its way to the device when there is enough of it.
 * Those that fit into a piece go all at once. */

#include "leat-session-state-private.h"

#include "leat-state-form-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"

typedef struct
{
  LeatSession *session;
  LeatStateReader *reader;
  GArray *requests; /* LeatRequest: uploads that wait */
  guint64 bytes;    /* of them */
  gboolean begun;   /* some are done */
  GArray *away;     /* LeatAway: for lanes that are not there */
} LeatLoading;

typedef struct
{
  guint lane;
  const LeatBuffer *buffer;
  GBytes *contents;
} LeatAway;

static void
leat_away_clear (gpointer data)
{
  g_clear_pointer (&((LeatAway *) data)->contents, g_bytes_unref);
}

static gboolean
leat_loading_flush (LeatLoading *self, GError **error)
{
  LeatTransferCounts counts = { 0 };

  if (self->requests->len == 0)
    return TRUE;
  if (!leat_requests_run (self->requests, &counts, error))
    return FALSE;
  g_array_set_size (self->requests, 0);
  self->bytes = 0;
  self->begun = TRUE;
  return TRUE;
}

/* @data: (transfer full) (nullable): NULL with @error set */
static gboolean
leat_loading_add (LeatLoading *self, guint lane, LeatBufferId id, guint64 offset, GBytes *data, GError **error)
{
  LeatRequest request;

  if (data == NULL)
    return FALSE;
  request = leat_session_make_request (self->session, LEAT_REQUEST_UPLOAD, lane, id);
  request.offset = offset;
  request.bytes = g_bytes_get_size (data);
  request.data = data;
  self->bytes += request.bytes;
  g_array_append_val (self->requests, request);
  return self->bytes < LEAT_STATE_PIECE || leat_loading_flush (self, error);
}

/* Lanes that the file says nothing of begin anew, whatever was in them. */
static gboolean
leat_loading_put (LeatLoading *self, const LeatStateEntry *entry, guint lane, LeatBufferId id, GError **error)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->session->plan, id);
  gboolean good = TRUE;

  for (guint64 done = 0, n; done < entry->bytes && good; done += n)
    {
      n = MIN (entry->bytes - done, LEAT_STATE_PIECE);
      good = leat_loading_add (self, lane, id, done,
                               lane < entry->n_lanes ? leat_state_reader_get (self->reader, entry, lane, done, n, error)
                                                     : leat_buffer_dup_initial_range (buffer, done, n),
                               error);
    }
  return good;
}

/* The host keeps what is of a lane that is not there. */
static gboolean
leat_loading_keep (LeatLoading *self, const LeatStateEntry *entry, guint lane, LeatBufferId id, GError **error)
{
  LeatAway away = { lane, leat_plan_get_buffer (self->session->plan, id), NULL };
  g_autofree guint8 *contents = g_malloc (entry->bytes + 1);

  for (guint64 done = 0, n; done < entry->bytes; done += n)
    {
      g_autoptr (GBytes) piece = NULL;

      n = MIN (entry->bytes - done, LEAT_STATE_PIECE);
      piece = leat_state_reader_get (self->reader, entry, lane, done, n, error);
      if (piece == NULL)
        return FALSE;
      memcpy (contents + done, g_bytes_get_data (piece, NULL), n);
    }
  away.contents = g_bytes_new_take (g_steal_pointer (&contents), entry->bytes);
  g_array_append_val (self->away, away);
  return TRUE;
}

static gboolean
leat_loading_do_entry (LeatLoading *self, const LeatStateEntry *entry, LeatBufferId id, GError **error)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->session->plan, id);
  const guint n = leat_buffer_is_of_lane (buffer) ? self->session->lanes->len : 1;

  for (guint lane = 0; lane < MAX (n, entry->n_lanes); lane++)
    if (lane < n ? !leat_loading_put (self, entry, lane, id, error) : !leat_loading_keep (self, entry, lane, id, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_loading_do_all (LeatLoading *self, GArray *entries, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self->session);

  for (guint i = 0; i < ids->len; i++)
    if (!leat_loading_do_entry (self, &g_array_index (entries, LeatStateEntry, i), g_array_index (ids, LeatBufferId, i),
                                error))
      return FALSE;
  return leat_loading_flush (self, error) && leat_state_reader_finish (self->reader, error);
}

static void
leat_loading_take_away (LeatLoading *self)
{
  leat_session_forget_away (self->session);
  for (guint i = 0; i < self->away->len; i++)
    {
      LeatAway *away = &g_array_index (self->away, LeatAway, i);

      leat_session_take_away (self->session, away->lane, away->buffer, g_steal_pointer (&away->contents));
    }
  self->session->states.given = TRUE;
}

/* Where it fails between two pieces, what is kept is neither the one nor the other. */
static gboolean
leat_session_write_entries (LeatSession *self, LeatStateReader *reader, GArray *entries, GError **error)
{
  g_autoptr (GArray) requests = leat_session_new_requests (), away = g_array_new (FALSE, FALSE, sizeof (LeatAway));
  LeatLoading loading = { .session = self, .reader = reader, .requests = requests, .away = away };
  gboolean good;

  g_array_set_clear_func (away, leat_away_clear);
  good = leat_loading_do_all (&loading, entries, error);
  if (good)
    leat_loading_take_away (&loading);
  self->hold.failed = self->hold.failed || (!good && loading.begun);
  return good;
}

static gboolean
leat_session_read_file (LeatSession *self, const char *path, GError **error)
{
  g_autoptr (GArray) entries = leat_session_list_entries (self, leat_session_get_most_state_lanes (self));
  g_autoptr (LeatStateReader) reader = leat_state_reader_new (path, entries, leat_session_hash_pipeline (self), error);

  return reader != NULL && leat_session_write_entries (self, reader, entries, error);
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
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  if (!leat_session_take_program (self, error))
    return FALSE;
  good = leat_session_read_file (self, path, error);
  leat_session_let_go (self);
  return good;
}
