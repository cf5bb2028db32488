/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <gio/gunixsocketaddress.h>
#include <glib/gstdio.h>
#include <signal.h>
#include <string.h>

#define WORDS(...) ((const char *const[]){ "leat-top", __VA_ARGS__, NULL })
#define ENDLESS    "io:file", "path=/dev/zero", "chunk=4096", "+", "upload", "+", "readback", "+", "discard"

/* leat-top beside leat-launch, in a runtime folder of the test's own. */
typedef struct
{
  char *folder; /* of the sockets */
} Fixture;

static void
fixture_set_up (Fixture *self, gconstpointer data)
{
  self->folder = g_build_filename (g_getenv ("XDG_RUNTIME_DIR"), "leat", NULL);
  g_assert_cmpint (g_mkdir (self->folder, 0700), ==, 0);
}

static void
fixture_tear_down (Fixture *self, gconstpointer data)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
}

/* Returns when it answers; one that ends before is told with what it said. */
static GSubprocess *
start_watched (const char *const *words)
{
  GSubprocess *process = tool_start (words);
  g_autoptr (ToolResult) result = NULL;

  for (guint i = 0; i < 500 && g_subprocess_get_identifier (process) != NULL; i++)
    {
      g_autofree char *name = g_strconcat (g_subprocess_get_identifier (process), ".sock", NULL);
      g_autofree char *path = g_build_filename (g_getenv ("XDG_RUNTIME_DIR"), "leat", name, NULL);

      if (g_file_test (path, G_FILE_TEST_EXISTS))
        return process;
      g_usleep (10000);
    }
  g_subprocess_force_exit (process);
  result = tool_collect (process);
  g_error ("%s does not tell what it does: %s%s", words[0], result->out, result->err);
}

static void
end_watched (GSubprocess *process, int number)
{
  g_autoptr (ToolResult) result = NULL;

  g_subprocess_send_signal (process, number);
  result = tool_collect (process);
  g_assert_cmpint (result->code, ==, number == SIGINT ? 130 : 128 + number);
}

static void
await_runs (void)
{
  for (guint i = 0; i < 100; i++)
    {
      g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("--once", "--json"));

      if (result->code == 0 && strstr (result->out, "\"p50-us\"") != NULL)
        return;
      g_usleep (50000);
    }
  g_error ("no runs were told of");
}

static void
test_top_shows_sessions (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process =
    start_watched ((const char *const[]){ "leat-launch", "-q", "--monitor", ENDLESS, "//", ENDLESS, NULL });
  g_autoptr (ToolResult) result = NULL;
  g_autofree char *left = NULL, *title = NULL;

  await_runs ();
  result = tool_run (NULL, WORDS ("--once", "--delay=0.3"));
  g_test_message ("%s%s", result->out, result->err);
  g_assert_cmpint (result->code, ==, 0);
  title = g_strdup_printf ("leat-launch %s, up ", g_subprocess_get_identifier (process));
  tool_assert_contains (result->out, title);
  tool_assert_contains (result->out, "RUNS/S");
  tool_assert_contains (result->out, "pipeline 1 ");
  tool_assert_contains (result->out, "pipeline 2 ");
  tool_assert_contains (result->out, " running ");
  end_watched (process, SIGINT);
  left = tool_list_folder (self->folder);
  g_assert_cmpstr (left, ==, "");
}

/* Of a long name the end is shown, and that it is an end. */
static void
test_top_cuts_names (Fixture *self, gconstpointer data)
{
  g_autofree char *folder = tool_make_folder (), *file = NULL;
  g_autoptr (GSubprocess) process = NULL;
  g_autoptr (ToolResult) result = NULL;

  file = tool_write (folder, "of-which-nobody-knows.leat",
                     "leat 1\nio:file path=/dev/zero chunk=4096 -> upload -> readback -> discard\n");
  process = start_watched ((const char *const[]){ "leat-launch", "-q", "--monitor", file, NULL });
  await_runs ();
  result = tool_run (NULL, WORDS ("--once", "--delay=0.1"));
  g_test_message ("%s%s", result->out, result->err);
  tool_assert_contains (result->out, "\n...ich-nobody-knows.leat ");
  end_watched (process, SIGINT);
  tool_remove_folder (folder);
}

static void
test_top_shows_turns (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process = start_watched (
    (const char *const[]){ "leat-launch", "-q", "--monitor", "--priority=high,low", ENDLESS, "//", ENDLESS, NULL });
  g_autoptr (ToolResult) result = NULL, json = NULL;
  g_autoptr (JsonObject) all = NULL;
  JsonObject *one, *scheduler;

  await_runs ();
  result = tool_run (NULL, WORDS ("--once", "--delay=0.1"));
  g_test_message ("%s%s", result->out, result->err);
  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, "turns 1 on ");
  tool_assert_contains (result->out, ": 2 sessions, ");
  tool_assert_contains (result->out, "; 0 deadlines missed, 0 evictions\n");
  tool_assert_contains (result->out, "pipeline 1               high ");
  tool_assert_contains (result->out, "pipeline 2               low ");
  json = tool_run (NULL, WORDS ("--once", "--json"));
  all = tool_parse_json (json->out);
  one = json_array_get_object_element (json_object_get_array_member (all, "processes"), 0);
  scheduler = json_array_get_object_element (json_object_get_array_member (one, "schedulers"), 0);
  g_assert_cmpint (json_object_get_int_member (scheduler, "allowed-bytes"), >, 0);
  g_assert_true (json_object_has_member (scheduler, "admitted-bytes"));
  end_watched (process, SIGINT);
}

/* Which is what tools of others read. */
static void
test_top_prints_json (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process =
    start_watched ((const char *const[]){ "env", "LEAT_MONITOR=1", "leat-launch", "-q", ENDLESS, NULL });
  g_autoptr (ToolResult) result = NULL;
  g_autoptr (JsonObject) all = NULL;
  JsonObject *one, *session;

  await_runs ();
  result = tool_run (NULL, WORDS ("--once", "--json", g_subprocess_get_identifier (process)));
  g_assert_cmpint (result->code, ==, 0);
  all = tool_parse_json (result->out);
  one = json_array_get_object_element (json_object_get_array_member (all, "processes"), 0);
  g_assert_cmpint (json_object_get_int_member (one, "pid"), ==,
                   g_ascii_strtoll (g_subprocess_get_identifier (process), NULL, 10));
  session = json_array_get_object_element (json_object_get_array_member (one, "sessions"), 0);
  g_assert_cmpint (json_object_get_int_member (json_object_get_object_member (session, "counters"), "runs"), >, 0);
  g_assert_cmpint (json_object_get_int_member (session, "p50-us"), <=, json_object_get_int_member (session, "p99-us"));
  end_watched (process, SIGINT);
}

static void
test_top_shows_all_processes (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) first =
    start_watched ((const char *const[]){ "leat-launch", "-q", "--monitor", ENDLESS, NULL });
  g_autoptr (GSubprocess) second =
    start_watched ((const char *const[]){ "leat-launch", "-q", "--monitor", ENDLESS, NULL });
  g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("--once", "--delay=0.1"));

  g_assert_cmpint (result->code, ==, 0);
  tool_assert_contains (result->out, g_subprocess_get_identifier (first));
  tool_assert_contains (result->out, g_subprocess_get_identifier (second));
  end_watched (first, SIGINT);
  end_watched (second, SIGINT);
}

/* What it left behind is taken away. */
static void
test_top_forgets_the_dead (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process =
    start_watched ((const char *const[]){ "leat-launch", "-q", "--monitor", ENDLESS, NULL });
  g_autoptr (ToolResult) result = NULL, again = NULL;
  g_autofree char *before = NULL, *after = NULL;

  end_watched (process, SIGKILL);
  before = tool_list_folder (self->folder);
  g_assert_cmpstr (before, !=, "");
  result = tool_run (NULL, WORDS ("--once"));
  g_assert_cmpint (result->code, ==, 1);
  g_assert_cmpstr (result->out, ==, "");
  after = tool_list_folder (self->folder);
  g_assert_cmpstr (after, ==, "");
  again = tool_run (NULL, WORDS ("--once"));
  g_assert_cmpint (again->code, ==, 1);
  tool_assert_contains (again->err, "no process tells what it does");
}

/* A socket in the place of a process, which says @text to whoever asks, and no more. */
typedef struct
{
  GSocket *socket;
  const char *text;
} Impostor;

static gpointer
impostor_work (gpointer data)
{
  Impostor *self = data;
  g_autoptr (GSocket) client = g_socket_accept (self->socket, NULL, NULL);
  char request[64];

  g_socket_receive (client, request, sizeof request, NULL, NULL);
  /* Who says nothing stays until the other has given up. */
  if (self->text != NULL)
    for (gssize n = 0, left = (gssize) strlen (self->text); left > 0 && n >= 0; left -= n)
      n = g_socket_send (client, self->text + strlen (self->text) - left, (gsize) left, NULL, NULL);
  else
    g_socket_receive (client, request, sizeof request, NULL, NULL);
  return NULL;
}

static const struct
{
  const char *text, *message;
} impostors[] = {
  { "", "the answer has no end" },
  { "{\"sessions\":[]", "the answer has no end" },
  { "nonsense\n", "socket: " },
  { "[1,2]\n", "what came says nothing of sessions" },
  { "\xff\xfe\n", "what came is no text" },
  { "{\"sessions\":[\"\33]0;owned\7\",}\n", "socket: " },
  { NULL, "timed out" },
};

static void
survive (Fixture *self, const char *text, const char *message)
{
  g_autofree char *path = g_build_filename (self->folder, "socket", NULL);
  g_autoptr (GSocketAddress) address = g_unix_socket_address_new (path);
  Impostor impostor = { g_socket_new (G_SOCKET_FAMILY_UNIX, G_SOCKET_TYPE_STREAM, G_SOCKET_PROTOCOL_DEFAULT, NULL),
                        text };
  g_autoptr (ToolResult) result = NULL;
  GThread *thread;

  g_assert_true (g_socket_bind (impostor.socket, address, FALSE, NULL));
  g_assert_true (g_socket_listen (impostor.socket, NULL));
  thread = g_thread_new ("impostor", impostor_work, &impostor);
  result = tool_run (NULL, WORDS ("--once", path));
  g_test_message ("%s", result->err);
  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, message);
  g_assert_null (strpbrk (result->err, "\33\7"));
  g_thread_join (thread);
  g_object_unref (impostor.socket);
  g_unlink (path);
}

/* What opens is never closed, in arrays and in objects. */
static void
test_top_survives_depth (Fixture *self, gconstpointer data)
{
  static const char *const openings[] = { "[", "{\"a\":", "[\"\\\"]\",", "[[],", "/*\"*/[" };

  for (guint i = 0; i < G_N_ELEMENTS (openings); i++)
    {
      g_autoptr (GString) text = g_string_new ("{\"sessions\":");

      for (gsize n = 0; n < 1000000; n += strlen (openings[i]))
        g_string_append (text, openings[i]);
      g_string_append_c (text, '\n');
      survive (self, text->str, "not JSON with at most 64 levels");
    }
}

static void
test_top_survives_impostors (Fixture *self, gconstpointer data)
{
  for (guint i = 0; i < G_N_ELEMENTS (impostors); i++)
    survive (self, impostors[i].text, impostors[i].message);
}

/* Without --once, until it is told to end: a table after each delay. */
static void
test_top_goes_on (Fixture *self, gconstpointer data)
{
  g_autoptr (GSubprocess) process =
    start_watched ((const char *const[]){ "leat-launch", "-q", "--monitor", ENDLESS, NULL });
  g_autoptr (GSubprocess) top = tool_start (WORDS ("--delay=0.1"));
  g_autoptr (ToolResult) result = NULL;
  const char *at;
  guint n = 0;

  g_usleep (G_USEC_PER_SEC);
  end_watched (process, SIGINT);
  g_usleep (G_USEC_PER_SEC / 2);
  g_subprocess_send_signal (top, SIGTERM);
  result = tool_collect (top);
  g_assert_cmpint (result->code, ==, 0);
  for (at = result->out; (at = strstr (at, "SESSION")) != NULL; at++)
    n++;
  g_assert_cmpuint (n, >=, 2);
  tool_assert_contains (result->out, "No process tells what it does.");
  g_assert_null (strchr (result->out, '\033'));
}

static void
test_top_refuses (Fixture *self, gconstpointer data)
{
  static const struct
  {
    const char *word;
    int code;
    const char *message;
  } wrong[] = { { "--delay=0", 2, "--delay" },
                { "--delay=nan", 2, "--delay" },
                { "--nonsense", 2, "nonsense" },
                { "1", 1, "1.sock: nobody tells anything there, as leat-launch --monitor" },
                { "/proc/nonexistent/socket", 1, "/proc/nonexistent/socket" } };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (ToolResult) result = tool_run (NULL, WORDS ("--once", wrong[i].word));

      g_test_message ("%s: %s", wrong[i].word, result->err);
      g_assert_cmpint (result->code, ==, wrong[i].code);
      tool_assert_contains (result->err, wrong[i].message);
    }
}

/* A run that cannot be watched as it was asked is not begun. */
static void
test_top_launch_refuses_sockets (Fixture *self, gconstpointer data)
{
  g_autofree char *letter = tool_write (self->folder, "letter", "Dear reader\n"), *after = NULL;
  g_autofree char *option = g_strconcat ("--monitor=", letter, NULL);
  g_autoptr (ToolResult) result = tool_run (NULL, ((const char *const[]){ "leat-launch", option, ENDLESS, NULL }));

  g_assert_cmpint (result->code, ==, 1);
  tool_assert_contains (result->err, "there is something else of that name");
  g_file_get_contents (letter, &after, NULL, NULL);
  g_assert_cmpstr (after, ==, "Dear reader\n");
}

#define ADD(name, func) g_test_add ("/leat/tools/top/" name, Fixture, NULL, fixture_set_up, func, fixture_tear_down)

int
main (int argc, char **argv)
{
  g_autofree char *runtime = tool_make_folder ();
  int code;

  g_setenv ("XDG_RUNTIME_DIR", runtime, TRUE);
  g_test_init (&argc, &argv, NULL);
  ADD ("shows-sessions", test_top_shows_sessions);
  ADD ("shows-turns", test_top_shows_turns);
  ADD ("cuts-names", test_top_cuts_names);
  ADD ("prints-json", test_top_prints_json);
  ADD ("shows-all-processes", test_top_shows_all_processes);
  ADD ("forgets-the-dead", test_top_forgets_the_dead);
  ADD ("survives-impostors", test_top_survives_impostors);
  ADD ("survives-depth", test_top_survives_depth);
  ADD ("goes-on", test_top_goes_on);
  ADD ("refuses", test_top_refuses);
  ADD ("launch-refuses-sockets", test_top_launch_refuses_sockets);
  code = g_test_run ();
  g_rmdir (runtime);
  return code;
}
