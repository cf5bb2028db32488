/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-state-private.h"

#include "buffer/leat-transfer-private.h"
#include "leat-state-file-private.h"

#include <errno.h>
#include <glib/gstdio.h>

/* States to a file and back, and from one session to another. */

static LeatRequest
leat_session_make_request (LeatRequestKind kind, LeatDeviceBuffer *lent)
{
  return (LeatRequest){ .kind = kind,
                        .buffer = lent, /* taken over */
                        .bytes = leat_device_buffer_get_header (lent) + leat_device_buffer_get_bytes (lent) };
}

static GArray *
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
      LeatRequest request = leat_session_make_request (
        LEAT_REQUEST_DOWNLOAD, leat_session_lend_state (self, g_array_index (ids, LeatBufferId, i)));

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
      LeatRequest request = leat_session_make_request (
        LEAT_REQUEST_UPLOAD, leat_session_lend_state (self, g_array_index (ids, LeatBufferId, i)));

      request.data = g_bytes_ref (g_ptr_array_index (contents, i));
      g_array_append_val (requests, request);
    }
  return leat_requests_run (requests, &counts, error);
}

/* Without data. */
static GArray *
leat_session_list_entries (LeatSession *self)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  GArray *entries = leat_state_entries_new ();

  for (guint i = 0; i < ids->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i));
      LeatStateEntry entry = { g_strdup (buffer->name), NULL, buffer->bytes, NULL };

      entry.spec = buffer->spec != NULL ? leat_spec_to_string (buffer->spec, LEAT_SPEC_STYLE_FILE) : g_strdup ("");
      g_array_append_val (entries, entry);
    }
  return entries;
}

static gboolean
leat_session_write_file (LeatSession *self, const char *path, GError **error)
{
  g_autoptr (GPtrArray) contents = leat_session_read_states (self, error);
  g_autoptr (GArray) entries = leat_session_list_entries (self);
  g_autoptr (GBytes) file = NULL;
  g_autoptr (GError) inner = NULL;
  gsize size;
  const char *data;

  if (contents == NULL)
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    g_array_index (entries, LeatStateEntry, i).data = g_bytes_ref (g_ptr_array_index (contents, i));
  file = leat_state_file_encode (entries, leat_session_hash_pipeline (self));
  if (file == NULL)
    {
      g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO,
                   "cannot save the state: the host has no room for the %" G_GUINT64_FORMAT " bytes of the file",
                   leat_state_file_get_bytes (entries));
      return FALSE;
    }
  data = g_bytes_get_data (file, &size);
  /* Written beside it and renamed. */
  if (g_file_set_contents_full (path, data, (gssize) size, G_FILE_SET_CONTENTS_CONSISTENT | G_FILE_SET_CONTENTS_DURABLE,
                                0666, &inner))
    return TRUE;
  g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO, "cannot save the state: %s", inner->message);
  return FALSE;
}

/**
 * leat_session_save_state:
 * @self: an open session that is not running
 * @path: a file
 * @error: return location for an error
 *
 * Writes all that the session keeps from run to run to a file.  The file is there, with all of it, or is what it was.
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

  if (!leat_session_take_resident (self, error))
    return FALSE;
  good = leat_session_write_file (self, path, error);
  leat_session_let_go (self);
  return good;
}

static gboolean
leat_session_read_file (LeatSession *self, const char *path, GError **error)
{
  g_autoptr (GArray) entries = leat_session_list_entries (self);
  g_autoptr (GPtrArray) contents = g_ptr_array_new ();
  g_autoptr (GBytes) file = NULL;
  g_autoptr (GError) inner = NULL;
  char *data;
  gsize size;

  if (!g_file_get_contents (path, &data, &size, &inner))
    {
      g_set_error (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_IO, "cannot load the state: %s", inner->message);
      return FALSE;
    }
  file = g_bytes_new_take (data, size);
  if (!leat_state_file_decode (file, entries, leat_session_hash_pipeline (self), path, error))
    return FALSE;
  for (guint i = 0; i < entries->len; i++)
    g_ptr_array_add (contents, g_array_index (entries, LeatStateEntry, i).data);
  return leat_session_write_states (self, contents, error);
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
 * checked before anything changes.
 *
 * Returns: whether it was loaded; %LEAT_STATE_ERROR with a code of its own for a file that is no such file
 *   (%LEAT_STATE_ERROR_FORMAT), %LEAT_STATE_ERROR_VERSION, %LEAT_STATE_ERROR_TRUNCATED, %LEAT_STATE_ERROR_DAMAGED,
 *   %LEAT_STATE_ERROR_PIPELINE or %LEAT_STATE_ERROR_IO; %LEAT_DRIVER_ERROR; and what leat_session_replay () says of a
 *   session that cannot run
 */
gboolean
leat_session_load_state (LeatSession *self, const char *path, GError **error)
{
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (path != NULL, FALSE);

  if (!leat_session_take_resident (self, error))
    return FALSE;
  good = leat_session_read_file (self, path, error);
  leat_session_let_go (self);
  return good;
}

static gboolean
leat_session_match_states (LeatSession *self, LeatSession *from, GArray *ids, GArray *from_ids, GError **error)
{
  gboolean same = ids->len == from_ids->len;

  for (guint i = 0; i < ids->len && same; i++)
    {
      const LeatBuffer *to = leat_plan_get_buffer (self->plan, g_array_index (ids, LeatBufferId, i));
      const LeatBuffer *is = leat_plan_get_buffer (from->plan, g_array_index (from_ids, LeatBufferId, i));

      same = g_str_equal (to->name, is->name) && to->bytes == is->bytes && to->header == is->header;
    }
  if (!same)
    g_set_error_literal (error, LEAT_STATE_ERROR, LEAT_STATE_ERROR_PIPELINE,
                         "cannot take over the state of the other session: its pipeline keeps other things from run to "
                         "run, or of other sizes");
  return same;
}

static gboolean
leat_session_copy_states (LeatSession *self, LeatSession *from, GError **error)
{
  g_autoptr (GArray) ids = leat_session_dup_states (self);
  g_autoptr (GArray) from_ids = leat_session_dup_states (from);
  g_autoptr (GArray) requests = leat_session_new_requests ();
  LeatTransferCounts counts = { 0 };

  if (!leat_session_match_states (self, from, ids, from_ids, error))
    return FALSE;
  for (guint i = 0; i < ids->len; i++)
    {
      LeatRequest request = leat_session_make_request (
        LEAT_REQUEST_COPY, leat_session_lend_state (self, g_array_index (ids, LeatBufferId, i)));

      request.from = leat_session_lend_state (from, g_array_index (from_ids, LeatBufferId, i));
      g_array_append_val (requests, request);
    }
  return leat_requests_run (requests, &counts, error);
}

/**
 * leat_session_copy_state:
 * @self: an open session that is not running
 * @from: another one, on the same device
 * @error: return location for an error
 *
 * Makes all that the session keeps from run to run what it is in another session: from here on both go on from the same
 * point.  It is copied on the device.
 *
 * Returns: whether it was copied; %LEAT_STATE_ERROR_PIPELINE when the two do not keep the same,
 *   %LEAT_DEVICE_BUFFER_ERROR_DEVICE, %LEAT_DRIVER_ERROR, and what leat_session_replay () says of sessions that cannot
 *   run
 */
gboolean
leat_session_copy_state (LeatSession *self, LeatSession *from, GError **error)
{
  gboolean good = FALSE;

  g_return_val_if_fail (LEAT_IS_SESSION (self) && LEAT_IS_SESSION (from), FALSE);
  g_return_val_if_fail (self != from, FALSE);

  if (!leat_session_take_resident (self, error))
    return FALSE;
  if (leat_session_take_resident (from, error))
    {
      good = leat_session_copy_states (self, from, error);
      leat_session_let_go (from);
    }
  leat_session_let_go (self);
  return good;
}
