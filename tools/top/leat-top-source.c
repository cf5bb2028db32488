/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The sockets of watched processes, for leat-top: listed, found and asked.  A socket in the user's folder that nobody
 * answers is removed. */

#include "leat-top-source.h"

#include "monitor/leat-monitor-private.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/un.h>

#define PATIENCE_S  2
#define ANSWER_MOST (4 << 20) /* bytes */
#define ENDING      ".sock"

static int
leat_top_compare_paths (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

GPtrArray *
leat_top_list_sockets (void)
{
  GPtrArray *paths = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *folder = leat_monitor_dup_folder ();
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    if (g_str_has_suffix (name, ENDING))
      g_ptr_array_add (paths, g_build_filename (folder, name, NULL));
  g_ptr_array_sort (paths, leat_top_compare_paths);
  return paths;
}

char *
leat_top_find_socket (const char *word)
{
  g_autofree char *folder = leat_monitor_dup_folder (), *name = g_strconcat (word, ENDING, NULL);

  return strspn (word, "0123456789") == strlen (word) ? g_build_filename (folder, name, NULL) : g_strdup (word);
}

/* @out: what came, without the line feed.  Each piece must come in time, and all of it too. */
static gboolean
leat_top_receive (GSocket *socket, GString *out, GError **error)
{
  gint64 end_us = g_get_monotonic_time () + 2 * PATIENCE_S * G_USEC_PER_SEC;
  char piece[16384];

  for (;;)
    {
      gssize n = g_socket_receive (socket, piece, sizeof piece, NULL, error);
      const char *feed = n > 0 ? memchr (piece, '\n', (gsize) n) : NULL;

      if (n < 0)
        return FALSE;
      g_string_append_len (out, piece, feed != NULL ? feed - piece : n);
      if (feed != NULL)
        return TRUE;
      if (n > 0 && out->len <= ANSWER_MOST && g_get_monotonic_time () < end_us)
        continue;
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_PARTIAL_INPUT, "the answer has no end");
      return FALSE;
    }
}

static GSocket *
leat_top_connect (const char *path, GError **error)
{
  g_autoptr (GSocketAddress) address = NULL;
  g_autoptr (GSocket) socket = NULL;

  if (strlen (path) >= sizeof ((struct sockaddr_un *) NULL)->sun_path)
    {
      g_set_error_literal (error, G_IO_ERROR, G_IO_ERROR_FILENAME_TOO_LONG, "the name is too long for a socket");
      return NULL;
    }
  address = g_unix_socket_address_new (path);
  socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, error);
  if (socket == NULL)
    return NULL;
  g_socket_set_timeout (socket, PATIENCE_S);
  return g_socket_connect (socket, address, NULL, error) ? g_steal_pointer (&socket) : NULL;
}

static gboolean
leat_top_is_in_folder (const char *path)
{
  g_autofree char *folder = leat_monitor_dup_folder (), *its = g_path_get_dirname (path);

  return g_str_equal (folder, its);
}

LeatTopSample *
leat_top_ask (const char *path, GError **error)
{
  static const char request[] = "snapshot\n";
  g_autoptr (GError) reason = NULL;
  g_autoptr (GSocket) socket = leat_top_connect (path, &reason);
  g_autoptr (GString) text = g_string_new (NULL);
  LeatTopSample *sample = NULL;

  if (socket == NULL && g_error_matches (reason, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED)
      && leat_top_is_in_folder (path))
    g_unlink (path);
  if (socket != NULL && g_socket_send (socket, request, strlen (request), NULL, &reason) == (gssize) strlen (request)
      && leat_top_receive (socket, text, &reason))
    sample = leat_top_sample_parse (text->str, text->len, &reason);
  if (socket == NULL)
    g_prefix_error_literal (&reason, "nobody tells anything there, as leat-launch --monitor and LEAT_MONITOR=1 do: ");
  if (sample == NULL)
    g_propagate_prefixed_error (error, g_steal_pointer (&reason), "%s: ", path);
  return sample;
}
