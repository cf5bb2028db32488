/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The socket, in a thread of its own: whatever clients do, no session waits for it.  A client sends lines and gets a
 * line for each; one that is silent, or does not read, for some seconds is dropped. */

#include "leat-monitor-private.h"

#include "driver/leat-thread-private.h"

#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define CLIENTS_MOST 16
#define PATIENCE_S   5

typedef struct
{
  GThread *thread;
  GMainContext *context;
  GSocket *socket;
  GCancellable *cancellable; /* of all that clients wait for */
  GSource *source;           /* the socket's */
  char *path;
  struct stat made; /* the socket as it was made */
  gint stopping;    /* atomic */
  guint n_clients;
} LeatMonitor;

typedef struct
{
  LeatMonitor *monitor;
  GSocketConnection *connection;
  char request[LEAT_MONITOR_REQUEST_BYTES];
  gsize n; /* bytes of it */
  char *answer;
} LeatMonitorClient;

static GMutex leat_monitor_lock;
static LeatMonitor *leat_monitor; /* under the lock; NULL: there is none */

static void
leat_monitor_client_free (LeatMonitorClient *self)
{
  self->monitor->n_clients--;
  g_io_stream_close (G_IO_STREAM (self->connection), NULL, NULL);
  g_object_unref (self->connection);
  g_free (self->answer);
  g_free (self);
}

static void leat_monitor_client_go_on (LeatMonitorClient *self);

static void
leat_monitor_client_written (GObject *source, GAsyncResult *result, gpointer data)
{
  LeatMonitorClient *self = data;

  g_clear_pointer (&self->answer, g_free);
  if (g_output_stream_write_all_finish (G_OUTPUT_STREAM (source), result, NULL, NULL))
    leat_monitor_client_go_on (self);
  else
    leat_monitor_client_free (self);
}

static void
leat_monitor_client_read (GObject *source, GAsyncResult *result, gpointer data)
{
  LeatMonitorClient *self = data;
  gssize n = g_input_stream_read_finish (G_INPUT_STREAM (source), result, NULL);

  if (n <= 0)
    {
      leat_monitor_client_free (self);
      return;
    }
  self->n += (gsize) n;
  leat_monitor_client_go_on (self);
}

/* Answers the line that has come, or reads on. */
static void
leat_monitor_client_go_on (LeatMonitorClient *self)
{
  GIOStream *stream = G_IO_STREAM (self->connection);
  char *feed = memchr (self->request, '\n', self->n);

  if (feed != NULL)
    {
      gsize size = (gsize) (feed - self->request);

      self->answer = leat_monitor_answer (self->request, size);
      self->n -= size + 1;
      memmove (self->request, feed + 1, self->n);
      g_output_stream_write_all_async (g_io_stream_get_output_stream (stream), self->answer, strlen (self->answer),
                                       G_PRIORITY_DEFAULT, self->monitor->cancellable, leat_monitor_client_written,
                                       self);
      return;
    }
  if (self->n == sizeof self->request)
    {
      leat_monitor_client_free (self);
      return;
    }
  g_input_stream_read_async (g_io_stream_get_input_stream (stream), self->request + self->n,
                             sizeof self->request - self->n, G_PRIORITY_DEFAULT, self->monitor->cancellable,
                             leat_monitor_client_read, self);
}

/* Of this user, or root's. */
static gboolean
leat_monitor_may_see (GSocket *socket)
{
  g_autoptr (GCredentials) credentials = g_socket_get_credentials (socket, NULL);
  uid_t user = credentials != NULL ? g_credentials_get_unix_user (credentials, NULL) : (uid_t) -1;

  return user == geteuid () || user == 0;
}

static gboolean
leat_monitor_accept (GSocket *socket, GIOCondition condition, gpointer data)
{
  LeatMonitor *self = data;
  g_autoptr (GSocket) accepted = g_socket_accept (socket, NULL, NULL);
  LeatMonitorClient *client;

  if (accepted == NULL)
    {
      /* Such as no file descriptor being left, which may take a while. */
      g_usleep (10 * G_TIME_SPAN_MILLISECOND);
      return G_SOURCE_CONTINUE;
    }
  if (self->n_clients >= CLIENTS_MOST || !leat_monitor_may_see (accepted))
    return G_SOURCE_CONTINUE;
  g_socket_set_timeout (accepted, PATIENCE_S);
  client = g_new0 (LeatMonitorClient, 1);
  client->monitor = self;
  client->connection = g_socket_connection_factory_create_connection (accepted);
  self->n_clients++;
  leat_monitor_client_go_on (client);
  return G_SOURCE_CONTINUE;
}

/* Requests that clients wait for are called off at the end, so that nobody has to be waited for. */
static gpointer
leat_monitor_work (gpointer data)
{
  LeatMonitor *self = data;

  g_main_context_push_thread_default (self->context);
  while (!g_atomic_int_get (&self->stopping))
    g_main_context_iteration (self->context, TRUE);
  g_source_destroy (self->source);
  g_cancellable_cancel (self->cancellable);
  while (self->n_clients > 0)
    g_main_context_iteration (self->context, TRUE);
  g_main_context_pop_thread_default (self->context);
  return NULL;
}

/* Not another's that has taken its place. */
static void
leat_monitor_remove_socket (LeatMonitor *self)
{
  struct stat info;

  if (g_lstat (self->path, &info) == 0 && info.st_ino == self->made.st_ino && info.st_dev == self->made.st_dev)
    g_unlink (self->path);
}

/* Once nobody can find it. */
static void
leat_monitor_free (LeatMonitor *self)
{
  leat_monitor_remove_socket (self);
  g_atomic_int_set (&self->stopping, TRUE);
  g_main_context_wakeup (self->context);
  if (self->thread != NULL)
    g_thread_join (self->thread);
  g_source_unref (self->source);
  g_object_unref (self->socket);
  g_object_unref (self->cancellable);
  g_main_context_unref (self->context);
  g_free (self->path);
  g_free (self);
}

/**
 * leat_monitor_start:
 * @path: (nullable) (type filename): where the socket is to be; %NULL for PID.sock in the user's runtime folder
 * (`$XDG_RUNTIME_DIR/leat`)
 * @error: return location for an error
 *
 * From now on other processes of the same user can see what the sessions of this one do: `leat-top` shows it.
 *
 * There is a Unix socket, and a thread that answers; docs/reference/monitor.md has the protocol.  Nobody but this user
 * and root may connect.  A socket of that name at which nobody listens any more is replaced.  The environment variable
 * `LEAT_MONITOR` (1, or a path) does the same when the first session is opened.
 *
 * Returns: whether it listens; %LEAT_MONITOR_ERROR else
 */
gboolean
leat_monitor_start (const char *path, GError **error)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_monitor_lock);
  LeatMonitor *self;
  g_autofree char *chosen = NULL;
  GSocket *socket;

  if (leat_monitor != NULL)
    {
      g_set_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_STATE, "this process listens at \"%s\" already",
                   leat_monitor->path);
      return FALSE;
    }
  socket = leat_monitor_listen (path, &chosen, error);
  if (socket == NULL)
    return FALSE;
  self = leat_monitor = g_new0 (LeatMonitor, 1);
  self->socket = socket;
  g_socket_set_blocking (socket, FALSE);
  self->path = g_steal_pointer (&chosen);
  if (g_lstat (self->path, &self->made) != 0)
    self->made.st_ino = 0;
  self->context = g_main_context_new ();
  self->cancellable = g_cancellable_new ();
  self->source = g_socket_create_source (socket, G_IO_IN, NULL);
  g_source_set_callback (self->source, G_SOURCE_FUNC (leat_monitor_accept), self, NULL);
  g_source_attach (self->source, self->context);
  self->thread = leat_thread_start ("leat-monitor", leat_monitor_work, self, error);
  if (self->thread != NULL)
    return TRUE;
  leat_monitor_free (g_steal_pointer (&leat_monitor));
  return FALSE;
}

/**
 * leat_monitor_stop:
 *
 * Ends leat_monitor_start (): the socket goes, and who is connected is dropped.  Nothing happens where there is none.
 */
void
leat_monitor_stop (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_monitor_lock);
  LeatMonitor *self = g_steal_pointer (&leat_monitor);

  if (self == NULL)
    return;
  leat_monitor_free (self);
}

/**
 * leat_monitor_dup_path:
 *
 * Tells where the socket of leat_monitor_start () is.
 *
 * Returns: (transfer full) (nullable) (type filename): the path; %NULL where there is none
 */
char *
leat_monitor_dup_path (void)
{
  g_autoptr (GMutexLocker) locker = g_mutex_locker_new (&leat_monitor_lock);

  return leat_monitor != NULL ? g_strdup (leat_monitor->path) : NULL;
}
