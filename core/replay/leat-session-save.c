/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* States to a file; leat-session-load.c has the way back.  Each lane's go with it: of lanes that are there from the
 * device, of others from what the host has for them (leat-session-away.c). */

#include "leat-session-state-private.h"

#include "leat-state-file-private.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"

LeatRequest
leat_session_make_request (LeatSession *self, LeatRequestKind kind, guint lane, LeatBufferId id)
{
  LeatDeviceBuffer *state = leat_session_borrow_state (self, lane, id);

  return (LeatRequest){ .kind = kind,
                        .buffer = state, /* taken over */
                        .bytes = leat_device_buffer_get_header (state) + leat_device_buffer_get_bytes (state) };
}

GArray *
leat_session_new_requests (void)
{
  GArray *requests = g_array_new (FALSE, FALSE, sizeof (LeatRequest));

  g_array_set_clear_func (requests, (GDestroyNotify) leat_request_clear);
  return requests;
}

GPtrArray *
leat_session_read_states (LeatSession *self, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  g_autoptr (GArray) requests = leat_session_new_requests ();
  g_autoptr (GPtrArray) contents = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  LeatTransferCounts counts = { 0 };

  for (guint i = 0; i < ids->len; i++)
    {
      LeatRequest request =
        leat_session_make_request (self, LEAT_REQUEST_DOWNLOAD, 0, g_array_index (ids, LeatBufferId, i));

      g_array_append_val (requests, request);
    }
  if (!leat_requests_run (requests, &counts, error))
    return NULL;
  for (guint i = 0; i < requests->len; i++)
    g_ptr_array_add (contents, g_steal_pointer (&g_array_index (requests, LeatRequest, i).result));
  return g_steal_pointer (&contents);
}

gboolean
leat_session_write_states (LeatSession *self, GPtrArray *contents, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  g_autoptr (GArray) requests = leat_session_new_requests ();
  LeatTransferCounts counts = { 0 };

  for (guint i = 0; i < ids->len; i++)
    {
      LeatRequest request =
        leat_session_make_request (self, LEAT_REQUEST_UPLOAD, 0, g_array_index (ids, LeatBufferId, i));

      request.data = g_bytes_ref (g_ptr_array_index (contents, i));
      g_array_append_val (requests, request);
    }
  return leat_requests_run (requests, &counts, error);
}

guint
leat_session_get_most_state_lanes (LeatSession *self)
{
  return self->options.n_lanes > 0 ? self->options.n_lanes : LEAT_SESSION_MOST_LANES;
}

GArray *
leat_session_list_entries (LeatSession *self, guint n_lanes)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  GArray *entries = leat_state_entries_new ();

  for (guint i = 0; i < ids->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i));
      LeatStateEntry entry = { .name = g_strdup (buffer->name),
                               .bytes = buffer->bytes,
                               .by_lane = leat_buffer_is_of_lane (buffer) };

      entry.n_lanes = entry.by_lane ? n_lanes : 1;
      entry.spec = buffer->spec != NULL ? leat_spec_to_string (buffer->spec, LEAT_SPEC_STYLE_FILE) : g_strdup ("");
      g_array_append_val (entries, entry);
    }
  return entries;
}

typedef struct
{
  LeatSession *session;
  GArray *ids;
} LeatSaving;

static GBytes *
leat_session_read_piece (LeatSession *self, guint lane, LeatBufferId id, guint64 offset, guint64 bytes, GError **error)
{
  g_autoptr (GArray) requests = leat_session_new_requests ();
  LeatRequest request = leat_session_make_request (self, LEAT_REQUEST_DOWNLOAD, lane, id);
  LeatTransferCounts counts = { 0 };

  request.offset = offset;
  request.bytes = bytes;
  g_array_append_val (requests, request);
  if (!leat_requests_run (requests, &counts, error))
    return NULL;
  return g_steal_pointer (&g_array_index (requests, LeatRequest, 0).result);
}

static GBytes *
leat_session_feed_piece (gpointer data, guint entry, guint lane, guint64 offset, guint64 bytes, GError **error)
{
  const LeatSaving *saving = data;
  LeatSession *self = saving->session;
  LeatBufferId id = g_array_index (saving->ids, LeatBufferId, entry);
  g_autoptr (GBytes) away = NULL;

  if (lane < self->lanes->len)
    return leat_session_read_piece (self, lane, id, offset, bytes, error);
  away = leat_session_dup_away (self, lane, leat_plan_get_buffer (self->plan, id));
  return g_bytes_new_from_bytes (away, offset, bytes);
}

static gboolean
leat_session_write_file (LeatSession *self, const char *path, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  g_autoptr (GArray) entries = leat_session_list_entries (self, leat_session_count_state_lanes (self));
  LeatSaving saving = { self, ids };

  return leat_state_file_write (path, entries, leat_session_hash_pipeline (self), leat_session_feed_piece, &saving,
                                error);
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
  good = leat_session_write_file (self, path, error);
  leat_session_let_go (self);
  return good;
}
