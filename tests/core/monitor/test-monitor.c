/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "session-fixture.h"

#include "monitor/leat-monitor-private.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <json-glib/json-glib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAP "app name=source spec=f32[256] -> upload -> map expr=2*x -> readback -> app name=sink"
#define N   256

typedef struct
{
  char *folder, *path;
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  self->folder = g_dir_make_tmp ("leat-monitor-XXXXXX", &error);
  g_assert_no_error (error);
  self->path = g_build_filename (self->folder, "socket", NULL);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  leat_monitor_stop ();
  g_unlink (self->path);
  g_assert_cmpint (g_rmdir (self->folder), ==, 0);
  g_free (self->folder);
  g_free (self->path);
}

static void
start (const char *path)
{
  g_autoptr (GError) error = NULL;

  leat_monitor_start (path, &error);
  g_assert_no_error (error);
}

static GSocket *
connect_to (const char *path)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  g_autoptr (GError) error = NULL;
  GSocket *socket = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, &error);

  g_assert_no_error (error);
  g_socket_set_timeout (socket, 20);
  g_socket_connect (socket, address, NULL, &error);
  g_assert_no_error (error);
  return socket;
}

static void
send_text (GSocket *socket, const char *text)
{
  g_autoptr (GError) error = NULL;

  g_assert_cmpint (g_socket_send (socket, text, strlen (text), NULL, &error), ==, strlen (text));
  g_assert_no_error (error);
}

/* With its line feed; what came before the end where the other side closes first. */
static char *
receive_line (GSocket *socket)
{
  GString *line = g_string_new (NULL);
  char byte;

  while (g_socket_receive (socket, &byte, 1, NULL, NULL) == 1)
    {
      g_string_append_c (line, byte);
      if (byte == '\n')
        break;
    }
  return g_string_free (line, FALSE);
}

static JsonObject *
ask (GSocket *socket)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *line = NULL;

  send_text (socket, "snapshot\n");
  line = receive_line (socket);
  json_parser_load_from_data (parser, line, -1, &error);
  g_assert_no_error (error);
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

static guint
count_sessions (void)
{
  g_autoptr (GVariant) snapshot = leat_monitor_dup_snapshot ();
  g_autoptr (GVariant) sessions = g_variant_lookup_value (snapshot, "sessions", G_VARIANT_TYPE ("aa{sv}"));

  return (guint) g_variant_n_children (sessions);
}

static void
assert_recent (guint wanted)
{
  g_autoptr (GVariant) snapshot = leat_monitor_dup_snapshot ();
  g_autoptr (GVariant) sessions = g_variant_lookup_value (snapshot, "sessions", NULL);
  g_autoptr (GVariant) session = g_variant_get_child_value (sessions, 0);
  guint recent = 0, p50 = G_MAXUINT, p99 = 0;

  g_assert_true (g_variant_lookup (session, "recent-runs", "u", &recent));
  g_assert_true (g_variant_lookup (session, "p50-us", "u", &p50));
  g_assert_true (g_variant_lookup (session, "p99-us", "u", &p99));
  g_assert_cmpuint (recent, ==, wanted);
  g_assert_cmpuint (p50, <=, p99);
}

/* Times are kept of the last 512 runs, however many times these have gone round. */
static void
test_monitor_recent_runs (Fixture *self, gconstpointer data)
{
  static const guint until[] = { 511, 512, 513, 1023, 1024, 1025, 1600 };
  SessionFixture fixture;
  float x[N] = { 0 };
  guint runs = 0;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_GRAPH);
  for (guint i = 0; i < G_N_ELEMENTS (until); i++)
    {
      for (; runs < until[i]; runs++)
        g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
      assert_recent (MIN (runs, 512));
    }
  session_fixture_close (&fixture);
}

/* From open to close, with what they do. */
static void
test_monitor_tells_of_sessions (Fixture *self, gconstpointer data)
{
  SessionFixture fixture;
  g_autoptr (GVariant) snapshot = NULL, sessions = NULL, session = NULL, counters = NULL, queues = NULL, devices = NULL;
  g_autoptr (GVariant) queue = NULL;
  g_autoptr (GBytes) more = NULL;
  const char *name = NULL, *state = NULL, *device = NULL;
  guint64 runs = 0;
  guint recent = 0, p50 = 0, p99 = 0, length = 0;
  float x[N] = { 0 };

  g_assert_cmpuint (count_sessions (), ==, 0);
  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_AUTO);
  g_object_set (fixture.session, "name", "the one", NULL);
  for (guint i = 0; i < 5; i++)
    g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
  more = g_bytes_new (x, sizeof x);
  g_assert_true (leat_app_push_bytes (fixture.source, more, NULL));
  snapshot = leat_monitor_dup_snapshot ();
  sessions = g_variant_lookup_value (snapshot, "sessions", NULL);
  g_assert_cmpuint (g_variant_n_children (sessions), ==, 1);
  session = g_variant_get_child_value (sessions, 0);
  g_assert_true (g_variant_lookup (session, "name", "&s", &name));
  g_assert_true (g_variant_lookup (session, "state", "&s", &state));
  g_assert_true (g_variant_lookup (session, "device", "&s", &device));
  g_assert_cmpstr (name, ==, "the one");
  g_assert_cmpstr (state, ==, "idle");
  g_assert_cmpstr (device, ==, leat_device_get_id (leat_session_get_device (fixture.session)));
  counters = g_variant_lookup_value (session, "counters", NULL);
  g_assert_true (g_variant_lookup (counters, "runs", "t", &runs));
  g_assert_cmpuint (runs, ==, 5);
  g_assert_true (g_variant_lookup (session, "recent-runs", "u", &recent));
  g_assert_true (g_variant_lookup (session, "p50-us", "u", &p50));
  g_assert_true (g_variant_lookup (session, "p99-us", "u", &p99));
  g_assert_cmpuint (recent, >, 0);
  g_assert_cmpuint (recent, <=, 5);
  g_assert_cmpuint (p50, <=, p99);
  queues = g_variant_lookup_value (session, "queues", NULL);
  g_assert_cmpuint (g_variant_n_children (queues), ==, 2);
  queue = g_variant_get_child_value (queues, 0);
  g_assert_true (g_variant_lookup (queue, "length", "u", &length));
  g_assert_cmpuint (length, ==, 1);
  devices = g_variant_lookup_value (snapshot, "devices", NULL);
  g_assert_cmpuint (g_variant_n_children (devices), ==, 1);
  session_fixture_close (&fixture);
  g_assert_cmpuint (count_sessions (), ==, 0);
}

static void
test_monitor_answers (Fixture *self, gconstpointer data)
{
  g_autofree char *path = NULL;
  g_autoptr (GSocket) socket = NULL;
  g_autoptr (JsonObject) first = NULL, second = NULL;
  struct stat info;

  g_assert_null (leat_monitor_dup_path ());
  start (self->path);
  path = leat_monitor_dup_path ();
  g_assert_cmpstr (path, ==, self->path);
  g_assert_cmpint (g_stat (path, &info), ==, 0);
  g_assert_cmpuint (info.st_mode & 0777, ==, 0600);
  socket = connect_to (path);
  first = ask (socket);
  second = ask (socket);
  g_assert_cmpint (json_object_get_int_member (first, "pid"), ==, getpid ());
  g_assert_cmpint (json_object_get_int_member (second, "time-us"), >=, json_object_get_int_member (first, "time-us"));
  leat_monitor_stop ();
  g_assert_null (leat_monitor_dup_path ());
  g_assert_false (g_file_test (self->path, G_FILE_TEST_EXISTS));
}

/* Each line has an answer, in whatever pieces it comes. */
static void
test_monitor_answers_lines (Fixture *self, gconstpointer data)
{
  g_autoptr (GSocket) socket = NULL;

  start (self->path);
  socket = connect_to (self->path);
  send_text (socket, "snap");
  g_usleep (20000);
  send_text (socket, "shot\r\nnonsense\n\nsnapshot\n");
  for (guint i = 0; i < 4; i++)
    {
      g_autofree char *line = receive_line (socket);

      g_assert_true (g_str_has_suffix (line, "\n"));
      g_assert_cmpint (strstr (line, "\"error\"") != NULL, ==, i == 1 || i == 2);
      g_assert_cmpint (strstr (line, "\"sessions\"") != NULL, ==, i == 0 || i == 3);
    }
}

/* A request without an end, clients that say nothing and some that never read: others are served, and sessions run. */
static void
test_monitor_is_not_disturbed (Fixture *self, gconstpointer data)
{
  g_autofree char *flood = g_strnfill (4 * LEAT_MONITOR_REQUEST_BYTES, 'x'), *answer = NULL;
  g_autoptr (GSocket) silent = NULL, greedy = NULL, wild = NULL, good = NULL;
  g_autoptr (GString) many = g_string_new (NULL);
  g_autoptr (JsonObject) told = NULL;
  SessionFixture fixture;
  float x[N] = { 0 };

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_AUTO);
  start (self->path);
  silent = connect_to (self->path);
  greedy = connect_to (self->path);
  wild = connect_to (self->path);
  g_socket_set_blocking (greedy, FALSE);
  for (guint i = 0; i < 20000; i++)
    g_string_append (many, "snapshot\n");
  g_socket_send (greedy, many->str, many->len, NULL, NULL); /* and reads nothing */
  g_socket_send (wild, flood, strlen (flood), NULL, NULL);
  answer = receive_line (wild);
  g_assert_cmpstr (answer, ==, "");
  good = connect_to (self->path);
  for (guint i = 0; i < 10; i++)
    {
      g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
      g_clear_pointer (&told, json_object_unref);
      told = ask (good);
      g_assert_cmpuint (json_array_get_length (json_object_get_array_member (told, "sessions")), ==, 1);
    }
  session_fixture_close (&fixture);
}

/* Who comes when there are too many is sent away, and who comes later is not. */
static void
test_monitor_limits_clients (Fixture *self, gconstpointer data)
{
  GSocket *clients[20];
  g_autoptr (GSocket) later = NULL;
  g_autoptr (JsonObject) told = NULL;
  guint answered = 0;

  start (self->path);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    clients[i] = connect_to (self->path);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    {
      g_autofree char *line = NULL;

      g_socket_send (clients[i], "snapshot\n", strlen ("snapshot\n"), NULL, NULL);
      line = receive_line (clients[i]);
      answered += *line != '\0';
    }
  g_assert_cmpuint (answered, ==, 16);
  for (guint i = 0; i < G_N_ELEMENTS (clients); i++)
    {
      g_socket_close (clients[i], NULL);
      g_object_unref (clients[i]);
    }
  g_usleep (200000);
  later = connect_to (self->path);
  told = ask (later);
  g_assert_true (json_object_has_member (told, "sessions"));
}

/* With clients at all stages. */
static void
test_monitor_stops_at_once (Fixture *self, gconstpointer data)
{
  g_autoptr (GSocket) silent = NULL, half = NULL, greedy = NULL;
  g_autoptr (GString) many = g_string_new (NULL);
  gint64 begin_us;

  for (guint i = 0; i < 5000; i++)
    g_string_append (many, "snapshot\n");
  start (self->path);
  silent = connect_to (self->path);
  half = connect_to (self->path);
  send_text (half, "snap");
  greedy = connect_to (self->path);
  g_socket_set_blocking (greedy, FALSE);
  g_socket_send (greedy, many->str, many->len, NULL, NULL);
  g_usleep (50000);
  begin_us = g_get_monotonic_time ();
  leat_monitor_stop ();
  g_assert_cmpint (g_get_monotonic_time () - begin_us, <, 3 * G_USEC_PER_SEC);
  leat_monitor_stop ();
}

static void
test_monitor_is_one (Fixture *self, gconstpointer data)
{
  g_autoptr (GError) error = NULL;

  start (self->path);
  g_assert_false (leat_monitor_start (NULL, &error));
  g_assert_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_STATE);
  leat_monitor_stop ();
  start (self->path);
}

/* What a process that was killed left. */
static void
test_monitor_replaces_a_stale_socket (Fixture *self, gconstpointer data)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (self->path);
  g_autoptr (GSocket) left = g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL);
  g_autoptr (GSocket) socket = NULL;
  g_autoptr (JsonObject) told = NULL;

  g_assert_true (g_socket_bind (left, address, FALSE, NULL));
  g_socket_close (left, NULL);
  g_assert_true (g_file_test (self->path, G_FILE_TEST_EXISTS));
  start (self->path);
  socket = connect_to (self->path);
  told = ask (socket);
  g_assert_true (json_object_has_member (told, "pid"));
}

typedef struct
{
  const char *path;
  gint ended;   /* atomic */
  gint unlinks; /* atomic: twice the number of them, and one more while one is under way */
  guint n_refused, n_answered;
} Watcher;

/* Who has found the socket before it was unlinked is refused when it is closed then, and finds nothing there any more.
 */
static gboolean
watcher_saw_unlink (Watcher *self, gint before)
{
  return before % 2 != 0 || g_atomic_int_get (&self->unlinks) != before;
}

static gpointer
watcher_work (gpointer data)
{
  Watcher *self = data;
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (self->path);

  while (!g_atomic_int_get (&self->ended))
    {
      g_autoptr (GSocket) socket =
        g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL);
      g_autoptr (GError) error = NULL;
      gint before = g_atomic_int_get (&self->unlinks);

      if (g_socket_connect (socket, address, NULL, &error))
        self->n_answered++;
      else if (g_error_matches (error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED) && !watcher_saw_unlink (self, before))
        self->n_refused++;
    }
  return NULL;
}

/* A socket that refuses is one that a process left: whoever sees it may take it away. */
static void
test_monitor_never_looks_stale (Fixture *self, gconstpointer data)
{
  Watcher watcher = { .path = self->path };
  g_autofree char *folder = g_path_get_dirname (self->path), *aside = NULL;
  GThread *thread = g_thread_new ("watcher", watcher_work, &watcher);

  aside = g_strdup_printf ("%s/.%d", folder, (int) getpid ());
  for (guint i = 0; i < 2000; i++)
    {
      start (self->path);
      g_assert_false (g_file_test (aside, G_FILE_TEST_EXISTS));
      /* Gone before it is closed, as closing refuses. */
      g_atomic_int_inc (&watcher.unlinks);
      g_assert_cmpint (g_unlink (self->path), ==, 0);
      g_atomic_int_inc (&watcher.unlinks);
      leat_monitor_stop ();
    }
  g_atomic_int_set (&watcher.ended, 1);
  g_thread_join (thread);
  g_assert_cmpuint (watcher.n_refused, ==, 0);
  g_test_message ("%u times answered", watcher.n_answered);
}

static void
test_monitor_leaves_a_live_socket (Fixture *self, gconstpointer data)
{
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (self->path);
  g_autoptr (GSocket) other =
    g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL);
  g_autoptr (GError) error = NULL;

  g_assert_true (g_socket_bind (other, address, FALSE, NULL));
  g_assert_true (g_socket_listen (other, NULL));
  g_assert_false (leat_monitor_start (self->path, &error));
  g_assert_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_BUSY);
  g_assert_true (g_file_test (self->path, G_FILE_TEST_EXISTS));
}

static void
test_monitor_refuses_paths (Fixture *self, gconstpointer data)
{
  g_autofree char *name = g_strnfill (200, 'n'), *longest = g_build_filename (self->folder, name, NULL), *after = NULL;
  const char *const paths[] = { "/proc/nonexistent/folder/socket", longest, self->path };

  g_assert_true (g_file_set_contents (self->path, "a letter", -1, NULL));
  for (guint i = 0; i < G_N_ELEMENTS (paths); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_false (leat_monitor_start (paths[i], &error));
      g_test_message ("%s", error->message);
      g_assert_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_PATH);
    }
  g_assert_true (g_file_get_contents (self->path, &after, NULL, NULL));
  g_assert_cmpstr (after, ==, "a letter");
}

/* A socket that has taken the place of ours is not ours to remove. */
static void
test_monitor_leaves_what_is_not_its_own (Fixture *self, gconstpointer data)
{
  g_autofree char *after = NULL;

  start (self->path);
  g_unlink (self->path);
  g_assert_true (g_file_set_contents (self->path, "a letter", -1, NULL));
  leat_monitor_stop ();
  g_assert_true (g_file_get_contents (self->path, &after, NULL, NULL));
  g_assert_cmpstr (after, ==, "a letter");
}

/* The user's own folder, which is for nobody else.  The test runs with XDG_RUNTIME_DIR in its folder. */
static void
test_monitor_has_a_private_folder (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = leat_monitor_dup_folder (), *path = NULL, *expected = NULL;
  g_autoptr (GError) error = NULL;
  struct stat info;

  g_assert_true (g_str_has_prefix (folder, g_getenv ("XDG_RUNTIME_DIR")));
  start (NULL);
  path = leat_monitor_dup_path ();
  expected = g_strdup_printf ("%s/%d.sock", folder, (int) getpid ());
  g_assert_cmpstr (path, ==, expected);
  g_assert_cmpint (g_stat (folder, &info), ==, 0);
  g_assert_cmpuint (info.st_mode & 0777, ==, 0700);
  leat_monitor_stop ();
  g_assert_cmpint (g_chmod (folder, 0755), ==, 0);
  g_assert_false (leat_monitor_start (NULL, &error));
  g_assert_error (error, LEAT_MONITOR_ERROR, LEAT_MONITOR_ERROR_PATH);
  g_assert_cmpint (g_rmdir (folder), ==, 0);
}

/* Even where the file would let another user in, nothing is told. */
static void
test_monitor_tells_others_nothing (Fixture *self, gconstpointer data)
{
  pid_t pid;
  int status = -1;

  if (geteuid () != 0)
    {
      g_test_skip ("only root can be somebody else");
      return;
    }
  start (self->path);
  g_assert_cmpint (g_chmod (self->folder, 0777), ==, 0);
  g_assert_cmpint (g_chmod (self->path, 0777), ==, 0);
  pid = fork ();
  if (pid == 0)
    {
      struct sockaddr_un address = { .sun_family = AF_UNIX };
      int fd = socket (AF_UNIX, SOCK_STREAM, 0);
      char byte;

      g_strlcpy (address.sun_path, self->path, sizeof address.sun_path);
      if (setuid (65534) != 0 || connect (fd, (struct sockaddr *) &address, sizeof address) != 0)
        _exit (2);
      if (write (fd, "snapshot\n", strlen ("snapshot\n")) < 0)
        _exit (0);
      _exit (read (fd, &byte, 1) > 0 ? 1 : 0);
    }
  g_assert_cmpint (waitpid (pid, &status, 0), ==, pid);
  g_assert_true (WIFEXITED (status));
  g_assert_cmpint (WEXITSTATUS (status), ==, 0);
}

static gpointer
look_on (gpointer data)
{
  gint *ended = data;

  while (!g_atomic_int_get (ended))
    g_variant_unref (leat_monitor_dup_snapshot ());
  return NULL;
}

#define BYTES "caf\xe9 \xc3\xa9\xff \"\\\n"
#define SHOWN "caf\\xe9 \xc3\xa9\\xff \"\\\n"

/* A name may be that of a file, which is any bytes. */
static void
test_monitor_tells_of_any_name (Fixture *self, gconstpointer data)
{
  SessionFixture fixture;
  g_autoptr (LeatScheduler) scheduler = NULL;
  g_autoptr (JsonObject) answer = NULL;
  g_autoptr (GSocket) client = NULL;
  g_autofree char *program = g_strdup (g_get_prgname ()), *text = NULL;
  g_autoptr (GError) error = NULL;
  JsonObject *member;

  session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_AUTO);
  g_object_set (fixture.session, "name", BYTES, NULL);
  scheduler = leat_scheduler_new (leat_session_get_device (fixture.session));
  g_assert_true (leat_scheduler_add (scheduler, fixture.session, &error));
  g_set_prgname (BYTES);
  start (self->path);
  client = connect_to (self->path);
  answer = ask (client);
  g_set_prgname (program);
  g_assert_cmpstr (json_object_get_string_member (answer, "program"), ==, SHOWN);
  member = json_array_get_object_element (json_object_get_array_member (answer, "sessions"), 0);
  g_assert_cmpstr (json_object_get_string_member (member, "name"), ==, SHOWN);
  member = json_array_get_object_element (json_object_get_array_member (answer, "schedulers"), 0);
  member = json_array_get_object_element (json_object_get_array_member (member, "members"), 0);
  g_assert_cmpstr (json_object_get_string_member (member, "name"), ==, SHOWN);
  text = leat_session_to_prometheus (fixture.session, BYTES);
  g_assert_true (g_utf8_validate (text, -1, NULL));
  g_assert_nonnull (strstr (text, "caf\\\\xe9"));
  leat_scheduler_close (scheduler);
  session_fixture_close (&fixture);
}

/* Sessions come, run, are renamed and go while others look. */
static void
test_monitor_looks_at_any_moment (Fixture *self, gconstpointer data)
{
  gint ended = FALSE;
  GThread *watchers[2];
  float x[N] = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (watchers); i++)
    watchers[i] = g_thread_new ("watch", look_on, &ended);
  for (guint i = 0; i < 10; i++)
    {
      SessionFixture fixture;

      session_fixture_open (&fixture, MAP, LEAT_EXECUTOR_AUTO);
      for (guint run = 0; run < 10; run++)
        {
          g_bytes_unref (session_fixture_run (&fixture, x, sizeof x));
          g_object_set (fixture.session, "name", run % 2 != 0 ? "odd" : "even", NULL);
        }
      session_fixture_close (&fixture);
    }
  g_atomic_int_set (&ended, TRUE);
  for (guint i = 0; i < G_N_ELEMENTS (watchers); i++)
    g_thread_join (watchers[i]);
}

#define ADD(name, func) g_test_add ("/leat/monitor/" name, Fixture, NULL, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_autofree char *folder = g_dir_make_tmp ("leat-runtime-XXXXXX", NULL);
  int code;

  g_setenv ("XDG_RUNTIME_DIR", folder, TRUE);
  g_test_init (&argc, &argv, NULL);
  ADD ("tells-of-sessions", test_monitor_tells_of_sessions);
  ADD ("recent-runs", test_monitor_recent_runs);
  ADD ("tells-of-any-name", test_monitor_tells_of_any_name);
  ADD ("answers", test_monitor_answers);
  ADD ("answers-lines", test_monitor_answers_lines);
  ADD ("is-not-disturbed", test_monitor_is_not_disturbed);
  ADD ("limits-clients", test_monitor_limits_clients);
  ADD ("stops-at-once", test_monitor_stops_at_once);
  ADD ("is-one", test_monitor_is_one);
  ADD ("replaces-a-stale-socket", test_monitor_replaces_a_stale_socket);
  ADD ("never-looks-stale", test_monitor_never_looks_stale);
  ADD ("leaves-a-live-socket", test_monitor_leaves_a_live_socket);
  ADD ("refuses-paths", test_monitor_refuses_paths);
  ADD ("leaves-what-is-not-its-own", test_monitor_leaves_what_is_not_its_own);
  ADD ("has-a-private-folder", test_monitor_has_a_private_folder);
  ADD ("tells-others-nothing", test_monitor_tells_others_nothing);
  ADD ("looks-at-any-moment", test_monitor_looks_at_any_moment);
  code = g_test_run ();
  g_rmdir (folder);
  return code;
}
