/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The tool leat-top: options, the terminal, and when to ask whom. */

#include "leat-tool.h"
#include "leat-top-source.h"
#include "leat-top-table.h"

#include "driver/leat-plain.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#define DELAY_LEAST_S 0.1
#define DELAY_MOST_S  3600

typedef struct
{
  double delay_s;
  gboolean once, json, version;
  char **words;
} LeatTopOptions;

/* A process, as it was when it was last asked. */
typedef struct
{
  char *path;
  LeatTopSample *before, *now; /* NULL: it has not answered */
  GError *error;               /* why it did not, the last time */
} LeatTopTarget;

typedef struct
{
  const LeatTopOptions *options;
  GPtrArray *targets; /* LeatTopTarget */
  gboolean screen;    /* standard output is a terminal that is drawn on */
  gboolean keys;      /* standard input is one, and is asked for keys */
  struct termios before;
} LeatTop;

static volatile sig_atomic_t leat_top_ended;

static void
leat_top_target_free (gpointer data)
{
  LeatTopTarget *self = data;

  g_free (self->path);
  g_clear_pointer (&self->before, leat_top_sample_free);
  g_clear_pointer (&self->now, leat_top_sample_free);
  g_clear_error (&self->error);
  g_free (self);
}

static void
leat_top_add_target (LeatTop *self, const char *path)
{
  LeatTopTarget *target;

  for (guint i = 0; i < self->targets->len; i++)
    if (g_str_equal (((LeatTopTarget *) self->targets->pdata[i])->path, path))
      return;
  target = g_new0 (LeatTopTarget, 1);
  target->path = g_strdup (path);
  g_ptr_array_add (self->targets, target);
}

/* Those that are named; else all that there are at the moment. */
static void
leat_top_find_targets (LeatTop *self)
{
  g_autoptr (GPtrArray) paths = NULL;

  if (self->options->words != NULL)
    return;
  paths = leat_top_list_sockets ();
  for (guint i = 0; i < paths->len; i++)
    leat_top_add_target (self, paths->pdata[i]);
}

static void
leat_top_target_ask (LeatTopTarget *self)
{
  g_clear_pointer (&self->before, leat_top_sample_free);
  g_clear_error (&self->error);
  self->before = g_steal_pointer (&self->now);
  self->now = leat_top_ask (self->path, &self->error);
}

/* Of processes that nobody named, those that have gone are forgotten. */
static void
leat_top_ask_all (LeatTop *self)
{
  leat_top_find_targets (self);
  for (guint i = self->targets->len; i > 0; i--)
    {
      LeatTopTarget *target = self->targets->pdata[i - 1];

      leat_top_target_ask (target);
      if (target->now == NULL && self->options->words == NULL
          && (g_error_matches (target->error, G_IO_ERROR, G_IO_ERROR_CONNECTION_REFUSED)
              || g_error_matches (target->error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND)))
        g_ptr_array_remove_index (self->targets, i - 1);
    }
}

static guint
leat_top_get_width (LeatTop *self)
{
  struct winsize size = { 0 };

  return self->screen && ioctl (STDOUT_FILENO, TIOCGWINSZ, &size) == 0 ? size.ws_col : 0;
}

static void
leat_top_append_table (LeatTop *self, GString *text)
{
  guint width = leat_top_get_width (self);

  for (guint i = 0; i < self->targets->len; i++)
    {
      const LeatTopTarget *target = self->targets->pdata[i];

      if (text->len > 0)
        g_string_append_c (text, '\n');
      if (target->now != NULL)
        leat_top_append_process (text, target->before, target->now, width);
      else
        {
          leat_plain_append (text, target->error->message, -1);
          g_string_append_c (text, '\n');
        }
    }
  if (self->targets->len == 0)
    g_string_append (text,
                     "No process tells what it does.  leat-launch --monitor does, and LEAT_MONITOR=1 makes any.\n");
}

/* One object on a line. */
static void
leat_top_append_json (LeatTop *self, GString *text)
{
  g_autoptr (JsonNode) root = json_node_new (JSON_NODE_OBJECT);
  JsonObject *object = json_object_new ();
  JsonArray *processes = json_array_new ();
  g_autofree char *line = NULL;

  for (guint i = 0; i < self->targets->len; i++)
    if (((LeatTopTarget *) self->targets->pdata[i])->now != NULL)
      json_array_add_element (processes, json_node_copy (((LeatTopTarget *) self->targets->pdata[i])->now->root));
  json_object_set_array_member (object, "processes", processes);
  json_node_take_object (root, object);
  line = json_to_string (root, FALSE);
  g_string_append_printf (text, "%s\n", line);
}

/* On a screen what was there before is drawn over, and what is left of it taken away. */
static void
leat_top_show (LeatTop *self)
{
  g_autoptr (GString) text = g_string_new (NULL);

  if (self->options->json)
    leat_top_append_json (self, text);
  else
    leat_top_append_table (self, text);
  if (self->screen)
    {
      g_string_replace (text, "\n", "\033[K\n", 0);
      printf ("\033[H%s\033[J", text->str);
    }
  else
    fputs (text->str, stdout);
  fflush (stdout);
}

static void
leat_top_take_signal (int number)
{
  leat_top_ended = 1;
}

static void
leat_top_look_again (int number)
{
}

static void
leat_top_take_signals (void)
{
  static const int ending[] = { SIGINT, SIGTERM, SIGHUP };
  struct sigaction action = { .sa_handler = leat_top_take_signal };

  sigemptyset (&action.sa_mask);
  for (guint i = 0; i < G_N_ELEMENTS (ending); i++)
    sigaction (ending[i], &action, NULL);
  action.sa_handler = leat_top_look_again;
  sigaction (SIGWINCH, &action, NULL);
}

static void
leat_top_enter_screen (LeatTop *self)
{
  struct termios raw;

  self->screen = !self->options->once && !self->options->json && isatty (STDOUT_FILENO);
  self->keys = self->screen && isatty (STDIN_FILENO) && tcgetattr (STDIN_FILENO, &self->before) == 0;
  if (self->keys)
    {
      raw = self->before;
      raw.c_lflag &= ~(tcflag_t) (ICANON | ECHO);
      tcsetattr (STDIN_FILENO, TCSANOW, &raw);
    }
  if (self->screen)
    fputs ("\033[?1049h\033[?25l", stdout);
}

static void
leat_top_leave_screen (LeatTop *self)
{
  if (self->screen)
    fputs ("\033[?25h\033[?1049l", stdout);
  fflush (stdout);
  if (self->keys)
    tcsetattr (STDIN_FILENO, TCSANOW, &self->before);
}

/* Until it is time to ask again.  FALSE: it is over. */
static gboolean
leat_top_wait (LeatTop *self)
{
  struct pollfd keys = { .fd = self->keys ? STDIN_FILENO : -1, .events = POLLIN };
  char key = 0;

  if (leat_top_ended)
    return FALSE;
  if (poll (&keys, 1, (int) (self->options->delay_s * 1000)) > 0 && read (STDIN_FILENO, &key, 1) <= 0)
    self->keys = FALSE;
  return !leat_top_ended && key != 'q' && !ferror (stdout);
}

static gboolean
leat_top_has_answer (LeatTop *self)
{
  for (guint i = 0; i < self->targets->len; i++)
    if (((LeatTopTarget *) self->targets->pdata[i])->now != NULL)
      return TRUE;
  return FALSE;
}

/* Rates take two samples; JSON has none. */
static LeatExit
leat_top_show_once (LeatTop *self)
{
  leat_top_ask_all (self);
  if (!self->options->json && leat_top_has_answer (self) && leat_top_wait (self))
    leat_top_ask_all (self);
  if (leat_top_ended)
    return LEAT_EXIT_INTERRUPTED;
  for (guint i = 0; i < self->targets->len; i++)
    if (((LeatTopTarget *) self->targets->pdata[i])->now == NULL)
      leat_tool_report (((LeatTopTarget *) self->targets->pdata[i])->error);
  if (self->targets->len == 0)
    leat_tool_note ("no process tells what it does; leat-launch --monitor does, and LEAT_MONITOR=1 makes any");
  if (!leat_top_has_answer (self))
    return LEAT_EXIT_FAILED;
  leat_top_show (self);
  return LEAT_EXIT_OK;
}

static LeatExit
leat_top_run (const LeatTopOptions *options)
{
  LeatTop self = { .options = options };
  LeatExit code = LEAT_EXIT_OK;

  self.targets = g_ptr_array_new_with_free_func (leat_top_target_free);
  for (guint i = 0; options->words != NULL && options->words[i] != NULL; i++)
    {
      g_autofree char *path = leat_top_find_socket (options->words[i]);

      leat_top_add_target (&self, path);
    }
  leat_top_take_signals ();
  leat_top_enter_screen (&self);
  if (options->once)
    code = leat_top_show_once (&self);
  else
    do
      {
        leat_top_ask_all (&self);
        leat_top_show (&self);
      }
    while (leat_top_wait (&self));
  leat_top_leave_screen (&self);
  g_ptr_array_unref (self.targets);
  return code;
}

static gboolean
leat_top_parse_options (LeatTopOptions *self, int *argc, char ***argv, GError **error)
{
  const GOptionEntry entries[] = {
    { "delay", 'd', 0, G_OPTION_ARG_DOUBLE, &self->delay_s, "Seconds between two samples (1)", "SECONDS" },
    { "once", 0, 0, G_OPTION_ARG_NONE, &self->once, "Print one sample, and end", NULL },
    { "json", 0, 0, G_OPTION_ARG_NONE, &self->json, "Print all data, one line of JSON for each sample", NULL },
    { "version", 0, 0, G_OPTION_ARG_NONE, &self->version, "Print the version", NULL },
    { G_OPTION_REMAINING, 0, 0, G_OPTION_ARG_FILENAME_ARRAY, &self->words, NULL, NULL },
    { NULL },
  };
  g_autoptr (GOptionContext) context = g_option_context_new ("[PID | SOCKET ...]");

  g_option_context_set_summary (
    context, "Shows what the sessions of running processes do.  It finds processes that were started "
             "with leat-launch --monitor or LEAT_MONITOR=1.  q ends it.");
  g_option_context_add_main_entries (context, entries, NULL);
  return g_option_context_parse (context, argc, argv, error);
}

int
main (int argc, char **argv)
{
  LeatTopOptions options = { .delay_s = 1 };
  g_autoptr (GError) error = NULL;
  LeatExit code = LEAT_EXIT_OK;

  leat_tool_start ("leat-top");
  if (!leat_top_parse_options (&options, &argc, &argv, &error))
    return leat_tool_report_usage ("%s", error->message);
  if (!(options.delay_s >= DELAY_LEAST_S && options.delay_s <= DELAY_MOST_S))
    code = leat_tool_report_usage ("--delay takes seconds, from 0.1 to 3600");
  else if (options.version)
    puts ("leat-top " LEAT_VERSION);
  else
    code = leat_top_run (&options);
  g_strfreev (options.words);
  return leat_tool_finish_output (code);
}
