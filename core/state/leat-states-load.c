/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* States from a file, piece by piece: what has been read is put on its way to the device when there is enough of it.
 * Those that fit into a piece go all at once. */

#include "leat-states-private.h"

#include "leat-state-form-private.h"
#include "leat-state-reader-private.h"

typedef struct
{
  LeatStates *states;
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
  request = leat_states_make_request (self->states, LEAT_REQUEST_UPLOAD, lane, id);
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
  const LeatBuffer *buffer = leat_plan_get_buffer (self->states->plan, id);
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
  LeatAway away = { lane, leat_plan_get_buffer (self->states->plan, id), NULL };
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
  const LeatBuffer *buffer = leat_plan_get_buffer (self->states->plan, id);
  const guint n = leat_buffer_is_of_lane (buffer) ? self->states->lanes->len : 1;

  for (guint lane = 0; lane < MAX (n, entry->n_lanes); lane++)
    if (lane < n ? !leat_loading_put (self, entry, lane, id, error) : !leat_loading_keep (self, entry, lane, id, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_loading_do_all (LeatLoading *self, GArray *entries, GError **error)
{
  g_autoptr (GArray) ids = leat_states_list (self->states);

  for (guint i = 0; i < ids->len; i++)
    if (!leat_loading_do_entry (self, &g_array_index (entries, LeatStateEntry, i), g_array_index (ids, LeatBufferId, i),
                                error))
      return FALSE;
  return leat_loading_flush (self, error) && leat_state_reader_finish (self->reader, error);
}

static void
leat_loading_take_away (LeatLoading *self)
{
  leat_states_forget_away (self->states);
  for (guint i = 0; i < self->away->len; i++)
    {
      LeatAway *away = &g_array_index (self->away, LeatAway, i);

      leat_states_take_away (self->states, away->lane, away->buffer, g_steal_pointer (&away->contents));
    }
  self->states->given = TRUE;
}

/* Where it fails between two pieces, what is kept is neither the one nor the other. */
static gboolean
leat_states_write_entries (LeatStates *self, LeatStateReader *reader, GArray *entries, gboolean *broken, GError **error)
{
  g_autoptr (GArray) requests = leat_requests_new (), away = g_array_new (FALSE, FALSE, sizeof (LeatAway));
  LeatLoading loading = { .states = self, .reader = reader, .requests = requests, .away = away };
  gboolean good;

  g_array_set_clear_func (away, leat_away_clear);
  good = leat_loading_do_all (&loading, entries, error);
  if (good)
    leat_loading_take_away (&loading);
  *broken = !good && loading.begun;
  return good;
}

gboolean
leat_states_load (LeatStates *self, const char *path, guint most, gboolean *broken, GError **error)
{
  g_autoptr (GArray) entries = leat_states_list_entries (self, most);
  g_autoptr (LeatStateReader) reader = leat_state_reader_new (path, entries, leat_plan_hash_nodes (self->plan), error);

  *broken = FALSE;
  return reader != NULL && leat_states_write_entries (self, reader, entries, broken, error);
}
