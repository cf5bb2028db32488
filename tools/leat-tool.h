/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "graph/leat-output-file.h"

G_BEGIN_DECLS

/* Common to leat-launch and leat-inspect: how they end, and how they speak. */

/* The tools' exit codes, as their manual pages say. */
typedef enum
{
  LEAT_EXIT_OK = 0,
  LEAT_EXIT_FAILED = 1,
  LEAT_EXIT_USAGE = 2,
  LEAT_EXIT_PIPELINE = 3,
  LEAT_EXIT_DEVICE = 4,
  LEAT_EXIT_KERNEL = 5,
  LEAT_EXIT_INTERRUPTED = 130,
} LeatExit;

/* First of all: the tool has its name, three descriptors that are nobody else's, and some that it may open.  Ends the
 * process where it cannot have them. */
void leat_tool_start (const char *name);

LeatExit leat_tool_exit_from_error (const GError *error);

/* On standard error, with what a terminal would take for a command made visible: so does all that follows. */
void leat_tool_say (const char *text);
/* A line on standard output; made visible likewise where that is a terminal. */
void leat_tool_print_line (const char *format, ...) G_GNUC_PRINTF (1, 2);
/* The limit that an errno comes from, and how to have more; nothing of others. */
void leat_tool_hint (int code);

/* Nothing where the program that reads standard output has gone away, as it knows that.  Else one line on standard
 * error.  A message that begins with a place ("file:line:column: ") is printed as it is, so that editors find it;
 * others begin with the tool's name. */
void leat_tool_report (const GError *error);
/* Every error (element-type GError), and how many there were when there are several. The exit code is the first's. */
LeatExit leat_tool_report_all (const GPtrArray *errors);
/* Says what is wrong with the command line, and where help is. Always LEAT_EXIT_USAGE. */
LeatExit leat_tool_report_usage (const char *format, ...) G_GNUC_PRINTF (1, 2);
void leat_tool_note (const char *format, ...) G_GNUC_PRINTF (1, 2);

/* From now on the library's notes are said as leat_tool_note () says them, or with @quiet not at all. */
void leat_tool_take_notes (gboolean quiet);

/* All that a tool has to say, as a sink writes its result; the output is complete then.  For a terminal as above. */
gboolean leat_tool_write (LeatOutputFile *output, const char *text, GError **error);
/* The same to standard output. */
gboolean leat_tool_print (const char *text, GError **error);
/* For the end of main: output that could not be written must not pass as success. */
LeatExit leat_tool_finish_output (LeatExit code);

/* Folders that --plugin-path named; NULL-terminated or NULL. */
void leat_tool_add_plugin_paths (char **folders);
/* A dictionary (a{sv}) as JSON for people and programs, with a line feed at the end. */
char *leat_tool_variant_to_json (GVariant *variant);

G_END_DECLS
