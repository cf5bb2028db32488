/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>
#include <json-glib/json-glib.h>

G_BEGIN_DECLS

/* Runs the built tools as a person would, found in PATH, and keeps what they said. */
typedef struct
{
  int code; /* of exit; 128 + N for a signal */
  char *out;
  char *err;
} ToolResult;

typedef struct
{
  double wall_ms;  /* less the time that others on the machine took */
  double delay_ms; /* that time */
  gint64 peak_kib; /* most memory resident */
  int code;
} ToolCost;

/* @env: NAME=VALUE, NULL-terminated, or NULL. @words: the command line, NULL-terminated. */
ToolResult *tool_run (const char *const *env, const char *const *words);
void tool_result_free (ToolResult *self);
/* Starts it and returns at once; tool_collect () waits. */
GSubprocess *tool_start (const char *const *words);
ToolResult *tool_collect (GSubprocess *process);
/* One run with its output thrown away. */
ToolCost tool_measure (const char *const *words);
/* Why times and sizes mean nothing in this build, or NULL. */
const char *tool_why_not_measure (void);

/* The text must be one JSON object. (transfer full) */
JsonObject *tool_parse_json (const char *text);
/* (transfer full) */
char *tool_make_folder (void);
char *tool_write (const char *folder, const char *name, const char *text);
void tool_remove_folder (const char *folder);
/* Files in a folder, sorted, with spaces between. (transfer full) */
char *tool_list_folder (const char *folder);

/* What most runs of a pipeline need: a folder with a file to read, and a name for what is written. */
typedef struct
{
  char *folder, *in, *out; /* in and out: a property "path=..." */
} ToolFiles;

void tool_files_make (ToolFiles *self, const char *name, const char *text);
/* @unused: so that it is a test's tear-down. */
void tool_files_remove (ToolFiles *self, gconstpointer unused);

#define tool_assert_contains(text, part)                                                                               \
  G_STMT_START                                                                                                         \
  {                                                                                                                    \
    const char *_text = (text), *_part = (part);                                                                       \
    g_assert_nonnull (_part);                                                                                          \
    if (strstr (_text, _part) == NULL)                                                                                 \
      g_error ("%s:%d: no \"%s\" in:\n%s", __FILE__, __LINE__, _part, _text);                                          \
  }                                                                                                                    \
  G_STMT_END

G_DEFINE_AUTOPTR_CLEANUP_FUNC (ToolResult, tool_result_free)

G_END_DECLS
