/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "tool-run.h"

#include <glib/gstdio.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>

static GSubprocess *
tool_spawn (const char *const *env, const char *const *words)
{
  g_autoptr (GSubprocessLauncher) launcher =
    g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE | G_SUBPROCESS_FLAGS_STDERR_PIPE);
  g_autoptr (GError) error = NULL;
  GSubprocess *process;

  for (guint i = 0; env != NULL && env[i] != NULL; i++)
    {
      g_auto (GStrv) parts = g_strsplit (env[i], "=", 2);

      g_subprocess_launcher_setenv (launcher, parts[0], parts[1], TRUE);
    }
  process = g_subprocess_launcher_spawnv (launcher, words, &error);
  g_assert_no_error (error);
  return process;
}

ToolResult *
tool_collect (GSubprocess *process)
{
  ToolResult *self = g_new0 (ToolResult, 1);
  g_autoptr (GError) error = NULL;

  g_subprocess_communicate_utf8 (process, NULL, NULL, &self->out, &self->err, &error);
  g_assert_no_error (error);
  self->code = g_subprocess_get_if_exited (process) ? g_subprocess_get_exit_status (process)
                                                    : 128 + g_subprocess_get_term_sig (process);
  return self;
}

ToolResult *
tool_run (const char *const *env, const char *const *words)
{
  g_autoptr (GSubprocess) process = tool_spawn (env, words);

  return tool_collect (process);
}

GSubprocess *
tool_start (const char *const *words)
{
  return tool_spawn (NULL, words);
}

void
tool_result_free (ToolResult *self)
{
  g_free (self->out);
  g_free (self->err);
  g_free (self);
}

/* Without what test harnesses set to make the C library fill, or GLib hand out, each piece of memory anew: a user has
 * neither, and filling a buffer of many megabytes that a run hardly touches is all that would be measured. */
static char **
tool_dup_user_environment (void)
{
  char **env = g_environ_unsetenv (g_get_environ (), "MALLOC_PERTURB_");

  return g_environ_unsetenv (env, "G_SLICE");
}

/* How long the main thread of a process stood ready while others had the processors, as the system counts it; 0 where
 * it does not. */
static double
tool_get_delay_ms (pid_t pid)
{
  g_autofree char *path = g_strdup_printf ("/proc/%d/schedstat", (int) pid);
  g_autofree char *text = NULL;
  guint64 ran, waited;

  if (!g_file_get_contents (path, &text, NULL, NULL)
      || sscanf (text, "%" G_GUINT64_FORMAT " %" G_GUINT64_FORMAT, &ran, &waited) != 2)
    return 0;
  return waited / 1e6;
}

/* The process has ended and is still there to be asked.  What it lost to whatever else runs on the machine is no cost
 * of its; what we lose before we see its end stays in the time, since it may be the same time. */
static double
tool_await_delay_ms (pid_t pid)
{
  siginfo_t info;

  g_assert_cmpint (waitid (P_PID, pid, &info, WEXITED | WNOWAIT), ==, 0);
  return tool_get_delay_ms (pid);
}

ToolCost
tool_measure (const char *const *words)
{
  g_auto (GStrv) env = tool_dup_user_environment ();
  ToolCost cost = { 0 };
  posix_spawn_file_actions_t actions;
  gint64 begin = g_get_monotonic_time ();
  struct rusage usage;
  int status;
  pid_t pid;

  posix_spawn_file_actions_init (&actions);
  posix_spawn_file_actions_addopen (&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen (&actions, 2, "/dev/null", O_WRONLY, 0);
  g_assert_cmpint (posix_spawnp (&pid, words[0], &actions, NULL, (char **) words, env), ==, 0);
  posix_spawn_file_actions_destroy (&actions);
  cost.delay_ms = tool_await_delay_ms (pid);
  cost.wall_ms = (g_get_monotonic_time () - begin) / 1000.0 - cost.delay_ms;
  g_assert_cmpint (wait4 (pid, &status, 0, &usage), ==, pid);
  cost.peak_kib = usage.ru_maxrss;
  cost.code = WIFEXITED (status) ? WEXITSTATUS (status) : 128 + WTERMSIG (status);
  return cost;
}

const char *
tool_why_not_measure (void)
{
  return LEAT_TEST_SANITIZED ? "sanitizers take time and memory of their own" : NULL;
}

JsonObject *
tool_parse_json (const char *text)
{
  g_autoptr (JsonParser) parser = json_parser_new ();
  g_autoptr (GError) error = NULL;

  json_parser_load_from_data (parser, text, -1, &error);
  g_assert_no_error (error);
  g_assert_true (JSON_NODE_HOLDS_OBJECT (json_parser_get_root (parser)));
  return json_object_ref (json_node_get_object (json_parser_get_root (parser)));
}

char *
tool_make_folder (void)
{
  g_autoptr (GError) error = NULL;
  char *folder = g_dir_make_tmp ("leat-tool-XXXXXX", &error);

  g_assert_no_error (error);
  return folder;
}

char *
tool_write (const char *folder, const char *name, const char *text)
{
  g_autoptr (GError) error = NULL;
  char *path = g_build_filename (folder, name, NULL);

  g_file_set_contents (path, text, -1, &error);
  g_assert_no_error (error);
  return path;
}

static int
tool_compare_names (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

static GPtrArray *
tool_list_names (const char *folder)
{
  GPtrArray *names = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    g_ptr_array_add (names, g_strdup (name));
  g_ptr_array_sort (names, tool_compare_names);
  return names;
}

char *
tool_list_folder (const char *folder)
{
  g_autoptr (GPtrArray) names = tool_list_names (folder);
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < names->len; i++)
    g_string_append_printf (text, "%s%s", i > 0 ? " " : "", (char *) names->pdata[i]);
  return g_string_free (text, FALSE);
}

void
tool_remove_folder (const char *folder)
{
  g_autoptr (GPtrArray) names = tool_list_names (folder);

  for (guint i = 0; i < names->len; i++)
    {
      g_autofree char *path = g_build_filename (folder, names->pdata[i], NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR) && !g_file_test (path, G_FILE_TEST_IS_SYMLINK))
        tool_remove_folder (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

void
tool_files_make (ToolFiles *self, const char *name, const char *text)
{
  g_autofree char *path = NULL;

  self->folder = tool_make_folder ();
  path = tool_write (self->folder, name, text);
  self->in = g_strconcat ("path=", path, NULL);
  self->out = g_strdup_printf ("path=%s/out.bin", self->folder);
}

void
tool_files_remove (ToolFiles *self, gconstpointer unused)
{
  tool_remove_folder (self->folder);
  g_free (self->folder);
  g_free (self->in);
  g_free (self->out);
}
