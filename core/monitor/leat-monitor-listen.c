/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Opens the monitor's socket in a folder that is this user's alone, and removes one that an ended process left.
 * Touches that folder and the socket in it. */

#include "leat-monitor-private.h"

#include <errno.h>
#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#define BACKLOG 64 /* who comes while it is full is refused */

/* Where the socket is, and that it is this user's alone. */

char *
leat_monitor_dup_folder (void)
{
  return g_build_filename (g_get_user_runtime_dir (), "leat", NULL);
}

static gboolean
leat_monitor_refuse (const char *path, const char *why, GError **error)
{
  g_set_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_PATH, "cannot listen at \"%s\": %s", path, why);
  return FALSE;
}

/* Whoever could write there could put a socket of theirs in the place of ours. */
static gboolean
leat_monitor_make_folder (const char *folder, GError **error)
{
  struct stat info;

  if (g_mkdir_with_parents (folder, 0700) != 0)
    return leat_monitor_refuse (folder, g_strerror (errno), error);
  if (g_lstat (folder, &info) != 0)
    return leat_monitor_refuse (folder, g_strerror (errno), error);
  if (!S_ISDIR (info.st_mode) || info.st_uid != geteuid ())
    return leat_monitor_refuse (folder, "it is no folder of this user's", error);
  if ((info.st_mode & 0077) != 0)
    return leat_monitor_refuse (folder, "others may use the folder; chmod 700 makes it private", error);
  return TRUE;
}

/* (transfer full) */
static char *
leat_monitor_choose_path (GError **error)
{
  g_autofree char *folder = leat_monitor_dup_folder (), *name = g_strdup_printf ("%d.sock", (int) getpid ());

  return leat_monitor_make_folder (folder, error) ? g_build_filename (folder, name, NULL) : NULL;
}

/* Does anybody listen? */
static gboolean
leat_monitor_is_live (GSocketAddress *address)
{
  g_autoptr (GSocket) socket =
    g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL);
  g_autoptr (GError) error = NULL;

  if (socket == NULL)
    return FALSE;
  g_socket_set_blocking (socket, FALSE); /* a queue that is full is somebody's */
  return g_socket_connect (socket, address, NULL, &error)
         || !g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED);
}

/* Removes the socket of a process that ended before it could do so; anything else stays. */
static gboolean
leat_monitor_remove_stale (const char *path, GSocketAddress *address, GError **error)
{
  struct stat info;

  if (g_lstat (path, &info) != 0)
    return TRUE;
  if (!S_ISSOCK (info.st_mode))
    return leat_monitor_refuse (path, "there is something else of that name", error);
  if (leat_monitor_is_live (address))
    {
      g_set_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_BUSY,
                   "cannot listen at \"%s\": another process does; name another socket", path);
      return FALSE;
    }
  return g_unlink (path) == 0 || leat_monitor_refuse (path, g_strerror (errno), error);
}

/* At @aside; @path is what it will be called.  Clients are checked again when they connect. */
static gboolean
leat_monitor_bind_aside (GSocket *socket, const char *aside, const char *path, GError **error)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (aside);
  g_autoptr (GError) reason = NULL;

  if (!leat_monitor_remove_stale (aside, address, error))
    return FALSE;
  if (!g_socket_bind (socket, address, FALSE, &reason))
    return leat_monitor_refuse (path, reason->message, error);
  g_socket_set_listen_backlog (socket, BACKLOG);
  if (g_chmod (aside, 0600) == 0 && g_socket_listen (socket, &reason))
    return TRUE;
  g_set_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_FAILED, "cannot listen at \"%s\": %s", path,
               reason != NULL ? reason->message : g_strerror (errno));
  g_unlink (aside);
  return FALSE;
}

/* One that does not listen yet would look like one that was left behind, so it is at its place only when it does. */
static gboolean
leat_monitor_bind (GSocket *socket, const char *aside, const char *path, GError **error)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  gboolean done;

  if (!leat_monitor_remove_stale (path, address, error) || !leat_monitor_bind_aside (socket, aside, path, error))
    return FALSE;
  done = link (aside, path) == 0 || leat_monitor_refuse (path, g_strerror (errno), error);
  g_unlink (aside);
  return done;
}

/* (transfer full) */
static char *
leat_monitor_dup_aside (const char *path)
{
  g_autofree char *folder = g_path_get_dirname (path), *name = g_strdup_printf (".%d", (int) getpid ());

  return g_build_filename (folder, name, NULL);
}

GSocket *
leat_monitor_listen (const char *path, char **chosen, GError **error)
{
  g_autoptr (GSocket) socket = NULL;
  g_autofree char *at = path != NULL ? g_canonicalize_filename (path, NULL) : leat_monitor_choose_path (error);
  g_autofree char *aside = at != NULL ? leat_monitor_dup_aside (at) : NULL;

  if (at == NULL)
    return NULL;
  if (MAX (strlen (at), strlen (aside)) >= sizeof ((struct sockaddr_un *) NULL)->sun_path)
    {
      leat_monitor_refuse (at, "the name is too long for a socket", error);
      return NULL;
    }
  socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, error);
  if (socket == NULL || !leat_monitor_bind (socket, aside, at, error))
    return NULL;
  *chosen = g_steal_pointer (&at);
  return g_steal_pointer (&socket);
}
