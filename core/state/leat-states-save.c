/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* States to a file; leat-states-load.c has the way back.  Each lane's go with it: of lanes that are there from the
 * device, of others from what the host has for them (leat-states-away.c). */

#include "leat-states-private.h"

#include "leat-state-file-private.h"

LeatRequest
leat_states_make_request (LeatStates *self, LeatRequestKind kind, guint lane, LeatBufferId id)
{
  LeatDeviceBuffer *state = leat_states_borrow (self, lane, id);

  return (LeatRequest){ .kind = kind,
                        .buffer = state, /* taken over */
                        .bytes = leat_device_buffer_get_header (state) + leat_device_buffer_get_bytes (state) };
}

GArray *
leat_requests_new (void)
{
  GArray *requests = g_array_new (FALSE, FALSE, sizeof (LeatRequest));

  g_array_set_clear_func (requests, (GDestroyNotify) leat_request_clear);
  return requests;
}

GPtrArray *
leat_states_read (LeatStates *self, GError **error)
{
  g_autoptr (GArray) ids = leat_states_list (self);
  g_autoptr (GArray) requests = leat_requests_new ();
  g_autoptr (GPtrArray) contents = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  LeatTransferCounts counts = { 0 };

  for (guint i = 0; i < ids->len; i++)
    {
      LeatRequest request =
        leat_states_make_request (self, LEAT_REQUEST_DOWNLOAD, 0, g_array_index (ids, LeatBufferId, i));

      g_array_append_val (requests, request);
    }
  if (!leat_requests_run (requests, &counts, error))
    return NULL;
  for (guint i = 0; i < requests->len; i++)
    g_ptr_array_add (contents, g_steal_pointer (&g_array_index (requests, LeatRequest, i).result));
  return g_steal_pointer (&contents);
}

gboolean
leat_states_write (LeatStates *self, GPtrArray *contents, GError **error)
{
  g_autoptr (GArray) ids = leat_states_list (self);
  g_autoptr (GArray) requests = leat_requests_new ();
  LeatTransferCounts counts = { 0 };

  for (guint i = 0; i < ids->len; i++)
    {
      LeatRequest request =
        leat_states_make_request (self, LEAT_REQUEST_UPLOAD, 0, g_array_index (ids, LeatBufferId, i));

      request.data = g_bytes_ref (g_ptr_array_index (contents, i));
      g_array_append_val (requests, request);
    }
  return leat_requests_run (requests, &counts, error);
}

GArray *
leat_states_list_entries (LeatStates *self, guint n_lanes)
{
  g_autoptr (GArray) ids = leat_states_list (self);
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
  LeatStates *states;
  GArray *ids;
} LeatSaving;

static GBytes *
leat_states_read_piece (LeatStates *self, guint lane, LeatBufferId id, guint64 offset, guint64 bytes, GError **error)
{
  g_autoptr (GArray) requests = leat_requests_new ();
  LeatRequest request = leat_states_make_request (self, LEAT_REQUEST_DOWNLOAD, lane, id);
  LeatTransferCounts counts = { 0 };

  request.offset = offset;
  request.bytes = bytes;
  g_array_append_val (requests, request);
  if (!leat_requests_run (requests, &counts, error))
    return NULL;
  return g_steal_pointer (&g_array_index (requests, LeatRequest, 0).result);
}

static GBytes *
leat_states_feed_piece (gpointer data, guint entry, guint lane, guint64 offset, guint64 bytes, GError **error)
{
  const LeatSaving *saving = data;
  LeatStates *self = saving->states;
  LeatBufferId id = g_array_index (saving->ids, LeatBufferId, entry);
  g_autoptr (GBytes) away = NULL;

  if (lane < self->lanes->len)
    return leat_states_read_piece (self, lane, id, offset, bytes, error);
  away = leat_states_dup_away (self, lane, leat_plan_get_buffer (self->plan, id));
  return g_bytes_new_from_bytes (away, offset, bytes);
}

gboolean
leat_states_save (LeatStates *self, const char *path, GError **error)
{
  g_autoptr (GArray) ids = leat_states_list (self);
  g_autoptr (GArray) entries = leat_states_list_entries (self, leat_states_count_lanes (self));
  LeatSaving saving = { self, ids };

  return leat_state_file_write (path, entries, leat_plan_hash_nodes (self->plan), leat_states_feed_piece, &saving,
                                error);
}
