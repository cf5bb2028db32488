/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Has a helper process examine plugins, and starts it anew where one of them crashes or hangs.  Touches what is known
 * of those plugins only. */

#include "leat-graph-error.h"
#include "leat-plugin-entry-private.h"

#include <dlfcn.h>
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define LEAT_PLUGIN_HELPER     "leat-plugin-scan"
#define LEAT_PLUGIN_MAX_ANSWER (64 * 1024 * 1024)
#define LEAT_PLUGIN_LOOK_MS    20 /* how often a silent helper is looked after */

/* One helper process that is at work. */
typedef struct
{
  GPid pid;
  int fd;
  GByteArray *answer; /* what it said and was not taken yet */
  gboolean greeted;
} LeatPluginHelper;

typedef enum
{
  LEAT_HELPER_SAID,
  LEAT_HELPER_ENDED,
  LEAT_HELPER_SILENT
} LeatHelperState;

static char *
leat_plugin_dup_beside_library (const char *way)
{
  Dl_info info;
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;

  if (dladdr ((gconstpointer) leat_plugin_find_helper, &info) == 0 || info.dli_fname == NULL)
    return NULL;
  folder = g_path_get_dirname (info.dli_fname);
  path = g_build_filename (folder, way, LEAT_PLUGIN_HELPER, NULL);
  return g_file_test (path, G_FILE_TEST_IS_EXECUTABLE) ? g_steal_pointer (&path) : NULL;
}

/* By environment, in a build folder, in the installation, and in one that was moved as a whole. */
char *
leat_plugin_find_helper (GError **error)
{
  const char *given = g_getenv ("LEAT_PLUGIN_SCANNER");
  char *beside;

  if (given != NULL && *given != '\0')
    {
      if (g_file_test (given, G_FILE_TEST_IS_EXECUTABLE))
        return g_strdup (given);
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
                   "the scan helper %s, which LEAT_PLUGIN_SCANNER names, is not a program", given);
      return NULL;
    }
  beside = leat_plugin_dup_beside_library (".");
  if (beside != NULL)
    return beside;
  if (g_file_test (LEAT_SCANNER_DIR "/" LEAT_PLUGIN_HELPER, G_FILE_TEST_IS_EXECUTABLE))
    return g_strdup (LEAT_SCANNER_DIR "/" LEAT_PLUGIN_HELPER);
  beside = leat_plugin_dup_beside_library (LEAT_SCANNER_FROM_LIBRARY);
  if (beside == NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_PLUGIN,
                 "the scan helper %s is not in %s, so that no plugin can be looked at: install it, or name it in "
                 "LEAT_PLUGIN_SCANNER",
                 LEAT_PLUGIN_HELPER, LEAT_SCANNER_DIR);
  return beside;
}

static gboolean
leat_plugin_helper_start (LeatPluginHelper *self, const char *program, GPtrArray *entries, guint first, GError **error)
{
  g_autoptr (GPtrArray) argv = g_ptr_array_new ();

  g_ptr_array_add (argv, (gpointer) program);
  for (guint i = first; i < entries->len; i++)
    g_ptr_array_add (argv, ((LeatPluginEntry *) entries->pdata[i])->path);
  g_ptr_array_add (argv, NULL);
  if (!g_spawn_async_with_pipes (NULL, (char **) argv->pdata, NULL,
                                 G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES | G_SPAWN_STDERR_TO_DEV_NULL, NULL,
                                 NULL, &self->pid, NULL, &self->fd, NULL, error))
    return FALSE;
  self->answer = g_byte_array_new ();
  self->greeted = FALSE;
  return TRUE;
}

/* Waits for the end, which is near; one that does not come is brought about.  Gets the status of waitpid (), -1 when
 * somebody else has taken it. */
static int
leat_plugin_helper_stop (LeatPluginHelper *self, guint grace_ms)
{
  gint64 end = g_get_monotonic_time () + grace_ms * 1000;
  pid_t waited;
  int status = -1;

  close (self->fd);
  g_byte_array_unref (self->answer);
  while ((waited = waitpid (self->pid, &status, WNOHANG)) == 0 && g_get_monotonic_time () < end)
    g_usleep (1000);
  if (waited == 0)
    {
      kill (self->pid, SIGKILL);
      do
        waited = waitpid (self->pid, &status, 0);
      while (waited < 0 && errno == EINTR);
    }
  g_spawn_close_pid (self->pid);
  return waited == self->pid ? status : -1;
}

/* Takes @size bytes off the front of what the helper said. */
static gboolean
leat_plugin_helper_take (LeatPluginHelper *self, gpointer data, gsize size)
{
  if (self->answer->len < size)
    return FALSE;
  memcpy (data, self->answer->data, size);
  g_byte_array_remove_range (self->answer, 0, size);
  return TRUE;
}

static gboolean
leat_plugin_helper_greet (LeatPluginHelper *self)
{
  char hello[sizeof LEAT_PLUGIN_SCAN_HELLO - 1];

  if (!self->greeted && leat_plugin_helper_take (self, hello, sizeof hello))
    self->greeted = memcmp (hello, LEAT_PLUGIN_SCAN_HELLO, sizeof hello) == 0;
  return self->greeted;
}

/* The next whole answer, if it has arrived. */
static GVariant *
leat_plugin_helper_take_answer (LeatPluginHelper *self)
{
  guint32 size;
  char *data;

  if (!leat_plugin_helper_greet (self) || self->answer->len < sizeof size)
    return NULL;
  memcpy (&size, self->answer->data, sizeof size);
  if (self->answer->len - sizeof size < size)
    return NULL;
  leat_plugin_helper_take (self, &size, sizeof size);
  data = g_malloc (size + 1);
  leat_plugin_helper_take (self, data, size);
  return g_variant_ref_sink (
    g_variant_new_from_data (G_VARIANT_TYPE (LEAT_PLUGIN_ANSWER_VARIANT), data, size, FALSE, g_free, data));
}

/* The end of the pipe may come much later: a process that a plugin has forked keeps it open. */
static gboolean
leat_plugin_helper_is_over (LeatPluginHelper *self)
{
  siginfo_t info = { 0 };

  if (waitid (P_PID, (id_t) self->pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0)
    return errno == ECHILD;
  return info.si_pid == self->pid;
}

static LeatHelperState
leat_plugin_helper_listen (LeatPluginHelper *self, gint64 deadline)
{
  gboolean over = FALSE;

  for (;;)
    {
      gint64 left_us = deadline - g_get_monotonic_time ();
      struct pollfd poll_fd = { self->fd, POLLIN, 0 };
      guint8 buffer[16384];
      gssize n;

      if (left_us <= 0)
        return LEAT_HELPER_SILENT;
      n = poll (&poll_fd, 1, over ? 0 : (int) MIN (left_us / 1000 + 1, LEAT_PLUGIN_LOOK_MS));
      if (n < 0 && errno != EINTR)
        return LEAT_HELPER_ENDED;
      /* Its output from before it ended is there by then, so the pipe is looked at once more. */
      if (n == 0 && over)
        return LEAT_HELPER_ENDED;
      if (n == 0)
        over = leat_plugin_helper_is_over (self);
      if (n <= 0)
        continue;
      n = read (self->fd, buffer, sizeof buffer);
      if (n < 0 && (errno == EINTR || errno == EAGAIN))
        continue;
      if (n <= 0 || self->answer->len + n > LEAT_PLUGIN_MAX_ANSWER)
        return LEAT_HELPER_ENDED;
      g_byte_array_append (self->answer, buffer, n);
      return LEAT_HELPER_SAID;
    }
}

static void
leat_plugin_take_answer (LeatPluginEntry *entry, GVariant *answer)
{
  g_autoptr (GVariant) maybe = g_variant_get_child_value (answer, 1);
  const char *reason;

  g_variant_get_child (answer, 0, "&s", &reason);
  entry->scanned_s = g_get_real_time () / G_USEC_PER_SEC;
  entry->plugin = g_variant_is_normal_form (answer) ? g_variant_get_maybe (maybe) : NULL;
  if (entry->plugin == NULL)
    leat_plugin_entry_set_broken (entry, FALSE,
                                  g_strdup (*reason != '\0' ? reason : "its code disturbed the scan of it"));
}

static const char *
leat_plugin_name_signal (int number)
{
  static const struct
  {
    int number;
    const char *name;
  } signals[] = {
    { SIGSEGV, "SIGSEGV" }, { SIGABRT, "SIGABRT" }, { SIGBUS, "SIGBUS" },   { SIGFPE, "SIGFPE" }, { SIGILL, "SIGILL" },
    { SIGTRAP, "SIGTRAP" }, { SIGKILL, "SIGKILL" }, { SIGTERM, "SIGTERM" }, { SIGSYS, "SIGSYS" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (signals); i++)
    if (signals[i].number == number)
      return signals[i].name;
  return "a signal";
}

static char *
leat_plugin_describe_end (int status)
{
  if (status != -1 && WIFSIGNALED (status))
    {
      int number = WTERMSIG (status);

      return g_strdup_printf ("it crashed while it was being loaded: %s (%s)", leat_plugin_name_signal (number),
                              g_strsignal (number));
    }
  if (status != -1 && WIFEXITED (status))
    return g_strdup_printf ("it ended the process that was loading it, with status %d", WEXITSTATUS (status));
  return g_strdup ("the process that was loading it ended");
}

/* Lets one helper work from entry @next on, until it is through or a plugin stops it.  Gets where to go on. */
static guint
leat_plugin_scan_some (GPtrArray *entries, guint next, LeatPluginHelper *helper, guint timeout_ms)
{
  LeatHelperState state = LEAT_HELPER_SAID;
  gint64 deadline = g_get_monotonic_time () + timeout_ms * 1000;
  gboolean greeted;
  int status;

  while (next < entries->len && state == LEAT_HELPER_SAID)
    {
      GVariant *answer = leat_plugin_helper_take_answer (helper);

      if (answer == NULL)
        {
          state = leat_plugin_helper_listen (helper, deadline);
          continue;
        }
      leat_plugin_take_answer (entries->pdata[next++], answer);
      g_variant_unref (answer);
      deadline = g_get_monotonic_time () + timeout_ms * 1000;
    }
  greeted = helper->greeted;
  status = leat_plugin_helper_stop (helper, state == LEAT_HELPER_SILENT ? 0 : timeout_ms);
  if (next == entries->len)
    return next;
  if (!greeted)
    {
      for (; next < entries->len; next++)
        leat_plugin_entry_set_broken (entries->pdata[next], TRUE,
                                      g_strdup ("the scan helper itself does not work: run it by hand to see why"));
      return next;
    }
  leat_plugin_entry_set_broken (entries->pdata[next], FALSE,
                                state == LEAT_HELPER_SILENT ? g_strdup_printf (
                                  "it took longer to load than the %u ms that a scan waits", timeout_ms)
                                                            : leat_plugin_describe_end (status));
  ((LeatPluginEntry *) entries->pdata[next])->scanned_s = g_get_real_time () / G_USEC_PER_SEC;
  return next + 1;
}

void
leat_plugin_scan (GPtrArray *entries, const char *program, guint timeout_ms)
{
  guint next = 0;

  while (next < entries->len)
    {
      LeatPluginHelper helper = { 0 };
      g_autoptr (GError) error = NULL;

      if (leat_plugin_helper_start (&helper, program, entries, next, &error))
        next = leat_plugin_scan_some (entries, next, &helper, timeout_ms);
      else
        for (; next < entries->len; next++)
          leat_plugin_entry_set_broken (entries->pdata[next], TRUE,
                                        g_strdup_printf ("the scan helper does not start: %s", error->message));
    }
}
