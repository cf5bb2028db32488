/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common part of all tools: exit codes, messages, output, JSON of a variant. */

#include "leat-tool.h"

#include "leat.h"
#include "driver/leat-driver-error.h"
#include "driver/leat-plain.h"
#include "parse/leat-parse.h"

#include <errno.h>
#include <json-glib/json-glib.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static LeatExit
leat_tool_exit_from_driver (int code)
{
  switch (code)
    {
    case LEAT_DRIVER_ERROR_SELECTOR:
      return LEAT_EXIT_USAGE;
    case LEAT_DRIVER_ERROR_NO_DRIVER:
    case LEAT_DRIVER_ERROR_NO_DEVICE:
    case LEAT_DRIVER_ERROR_TOO_OLD:
    case LEAT_DRIVER_ERROR_OUT_OF_MEMORY:
      return LEAT_EXIT_DEVICE;
    default:
      return LEAT_EXIT_FAILED;
    }
}

/* Errors in the data are no fault of the pipeline. */
static LeatExit
leat_tool_exit_from_graph (int code)
{
  return code == LEAT_GRAPH_ERROR_IO || code == LEAT_GRAPH_ERROR_DATA ? LEAT_EXIT_FAILED : LEAT_EXIT_PIPELINE;
}

/* A file that is not there and variables that it does not have are mistakes on the command line, whatever is in it. */
static LeatExit
leat_tool_exit_from_parse (int code)
{
  switch (code)
    {
    case LEAT_PARSE_ERROR_IO:
    case LEAT_PARSE_ERROR_VARIABLE_OVERRIDE:
    case LEAT_PARSE_ERROR_VALUE:
      return LEAT_EXIT_USAGE;
    default:
      return LEAT_EXIT_PIPELINE;
    }
}

LeatExit
leat_tool_exit_from_error (const GError *error)
{
  if (error->domain == LEAT_DRIVER_ERROR)
    return leat_tool_exit_from_driver (error->code);
  if (error->domain == LEAT_GRAPH_ERROR)
    return leat_tool_exit_from_graph (error->code);
  if (error->domain == LEAT_KERNEL_ERROR)
    return error->code == LEAT_KERNEL_ERROR_SOURCE || error->code == LEAT_KERNEL_ERROR_ENTRY ? LEAT_EXIT_PIPELINE
                                                                                             : LEAT_EXIT_KERNEL;
  if (error->domain == LEAT_PARSE_ERROR)
    return leat_tool_exit_from_parse (error->code);
  if (error->domain == LEAT_SESSION_ERROR && error->code == LEAT_SESSION_ERROR_BUDGET)
    return LEAT_EXIT_DEVICE;
  if (error->domain == LEAT_ARTIFACT_ERROR)
    return error->code == LEAT_ARTIFACT_ERROR_IO       ? LEAT_EXIT_FAILED
           : error->code == LEAT_ARTIFACT_ERROR_TARGET ? LEAT_EXIT_KERNEL
                                                       : LEAT_EXIT_PIPELINE;
  return error->domain == LEAT_PLAN_ERROR ? LEAT_EXIT_PIPELINE : LEAT_EXIT_FAILED;
}

static gboolean
leat_tool_skip_number (const char **at)
{
  const char *begin = *at;

  while (g_ascii_isdigit (**at))
    (*at)++;
  return *at > begin;
}

/* Does @message begin with "file:line:column: "? */
static gboolean
leat_tool_has_place (const char *message)
{
  for (const char *at = strchr (message, ':'); at != NULL; at = strchr (at + 1, ':'))
    {
      const char *end = at + 1;

      if (leat_tool_skip_number (&end) && *end == ':' && (end++, leat_tool_skip_number (&end)) && *end == ':')
        return TRUE;
    }
  return FALSE;
}

void
leat_tool_say (const char *text)
{
  g_autofree char *plain = leat_plain_dup (text);

  fputs (plain, stderr);
}

void
leat_tool_print_line (const char *format, ...)
{
  g_autofree char *text = NULL, *plain = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  plain = isatty (STDOUT_FILENO) ? leat_plain_dup (text) : NULL;
  puts (plain != NULL ? plain : text);
}

void
leat_tool_hint (int code)
{
  struct rlimit limit;

  if (code == EMFILE && getrlimit (RLIMIT_NOFILE, &limit) == 0)
    leat_tool_note ("this process may have %" G_GUINT64_FORMAT " files open (ulimit -n): raise the limit",
                    (guint64) limit.rlim_cur);
  else if (code == EAGAIN && getrlimit (RLIMIT_NPROC, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
    leat_tool_note ("this user may have %" G_GUINT64_FORMAT
                    " processes and threads (ulimit -u): end others, or raise the limit",
                    (guint64) limit.rlim_cur);
}

/* Which of two limits was met, and how much it is, the text of the system does not say. */
static void
leat_tool_explain (const char *message)
{
  static const int codes[] = { EMFILE, EAGAIN };

  for (guint i = 0; i < G_N_ELEMENTS (codes); i++)
    if (strstr (message, g_strerror (codes[i])) != NULL)
      leat_tool_hint (codes[i]);
}

/* Did the program that reads standard output go away?  It knows that, and needs no message. */
static gboolean
leat_tool_lost_reader (const GError *error)
{
  struct pollfd out = { STDOUT_FILENO, POLLOUT, 0 };

  return (error->domain == LEAT_GRAPH_ERROR || error->domain == G_FILE_ERROR)
         && strstr (error->message, g_strerror (EPIPE)) != NULL && poll (&out, 1, 0) > 0
         && (out.revents & POLLERR) != 0;
}

void
leat_tool_report (const GError *error)
{
  g_autofree char *line = NULL;

  if (leat_tool_lost_reader (error))
    return;
  line = leat_tool_has_place (error->message) ? g_strdup_printf ("%s\n", error->message)
                                              : g_strdup_printf ("%s: %s\n", g_get_prgname (), error->message);
  leat_tool_say (line);
  leat_tool_explain (error->message);
}

LeatExit
leat_tool_report_all (const GPtrArray *errors)
{
  for (guint i = 0; i < errors->len; i++)
    leat_tool_report (g_ptr_array_index (errors, i));
  if (errors->len > 1)
    fprintf (stderr, "%u errors\n", errors->len);
  return errors->len > 0 ? leat_tool_exit_from_error (g_ptr_array_index (errors, 0)) : LEAT_EXIT_FAILED;
}

LeatExit
leat_tool_report_usage (const char *format, ...)
{
  g_autofree char *text = NULL, *line = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strdup_printf ("%s: %s\n%s --help lists the options\n", g_get_prgname (), text, g_get_prgname ());
  leat_tool_say (line);
  return LEAT_EXIT_USAGE;
}

void
leat_tool_note (const char *format, ...)
{
  g_autofree char *text = NULL, *line = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  line = g_strdup_printf ("%s: %s\n", g_get_prgname (), text);
  leat_tool_say (line);
}

/* Mistakes in the use of the library, and what was asked for by G_MESSAGES_DEBUG, are told as GLib does. */
static GLogWriterOutput
leat_tool_write_note (GLogLevelFlags level, const GLogField *fields, gsize n_fields, gpointer quiet)
{
  const char *domain = NULL, *text = NULL;

  for (gsize i = 0; i < n_fields; i++)
    if (g_str_equal (fields[i].key, "GLIB_DOMAIN"))
      domain = fields[i].value;
    else if (g_str_equal (fields[i].key, "MESSAGE"))
      text = fields[i].value;
  if ((level & G_LOG_LEVEL_MESSAGE) == 0 || text == NULL || g_strcmp0 (domain, "Leat") != 0)
    return g_log_writer_default (level, fields, n_fields, NULL);
  if (!GPOINTER_TO_INT (quiet))
    leat_tool_note ("%s", text);
  return G_LOG_WRITER_HANDLED;
}

void
leat_tool_take_notes (gboolean quiet)
{
  g_log_set_writer_func (leat_tool_write_note, GINT_TO_POINTER (quiet), NULL);
}

static gboolean
leat_tool_fail_output (GError **error)
{
  int code = errno;

  g_set_error (error, G_FILE_ERROR, g_file_error_from_errno (code), "cannot write to standard output: %s",
               g_strerror (code));
  return FALSE;
}

gboolean
leat_tool_write (LeatOutputFile *output, const char *text, GError **error)
{
  g_autofree char *plain = leat_output_file_is_terminal (output) ? leat_plain_dup (text) : NULL;
  const char *what = plain != NULL ? plain : text;

  return leat_output_file_write (output, what, strlen (what), NULL, error) && leat_output_file_commit (output, error);
}

gboolean
leat_tool_print (const char *text, GError **error)
{
  g_autoptr (LeatOutputFile) output = leat_output_file_open ("-", error);

  return output != NULL && leat_tool_write (output, text, error);
}

LeatExit
leat_tool_finish_output (LeatExit code)
{
  g_autoptr (GError) error = NULL;

  if (fflush (stdout) == 0 && !ferror (stdout))
    return code;
  leat_tool_fail_output (&error);
  leat_tool_report (error);
  return code != LEAT_EXIT_OK ? code : LEAT_EXIT_FAILED;
}

void
leat_tool_add_plugin_paths (char **folders)
{
  g_autofree char *first = folders != NULL ? g_strjoinv (G_SEARCHPATH_SEPARATOR_S, folders) : NULL;
  const char *others = g_getenv ("LEAT_PLUGIN_PATH");
  g_autofree char *all = g_strjoin (others != NULL ? G_SEARCHPATH_SEPARATOR_S : NULL, first, others, NULL);

  /* The registry looks at what is added to it after the variable; the command line goes before both. */
  if (first != NULL)
    g_setenv ("LEAT_PLUGIN_PATH", all, TRUE);
}

char *
leat_tool_variant_to_json (GVariant *variant)
{
  g_autoptr (JsonNode) root = json_gvariant_serialize (variant);
  g_autofree char *text = json_to_string (root, TRUE);

  return g_strconcat (text, "\n", NULL);
}
