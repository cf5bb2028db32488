/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  LEAT_SOURCE_FILE,     /* a file: "path:line:column" */
  LEAT_SOURCE_TEXT,     /* a string: "line 1, column 2" */
  LEAT_SOURCE_ARGS,     /* an argument vector: "argument 5, column 3" */
  LEAT_SOURCE_PIPELINE, /* made from a pipeline: nowhere */
} LeatSourceKind;

/* Where text comes from. */
typedef struct
{
  LeatSourceKind kind;
  guint index;      /* place in the order of reading, for sorting errors */
  GRefString *name; /* as the user wrote it; NULL unless a file */
  char *real;       /* absolute, symbolic links followed; NULL unless a file, and for standard input */
  char *folder;     /* absolute: relative paths written here are read against it; NULL: the current folder */
} LeatSource;

/* A place in it; columns count characters and begin at 1.  For arguments the line is the argument's number. */
typedef struct
{
  const LeatSource *source;
  guint line;
  guint column;
} LeatSourcePos;

LeatSource *leat_source_new (LeatSourceKind kind);
LeatSource *leat_source_new_file (const char *path);
/* Standard input, a file in the current folder. */
LeatSource *leat_source_new_input (void);
void leat_source_free (LeatSource *self);

/* Reads all of the file, @max_bytes at most.  The errors have no position. */
char *leat_source_read (const LeatSource *self, gsize max_bytes, gsize *length, GError **error);

/* Of a file that is not there: " (did you mean "graphs/scan.leat"?)", the folder as the user wrote it; "" when no name
 * is near. */
char *leat_source_dup_hint (const LeatSource *self);

/* "graphs/a.leat:12:7", "argument 5, column 3"; NULL for nowhere. */
char *leat_source_pos_to_string (const LeatSourcePos *self);
int leat_source_pos_compare (const LeatSourcePos *self, const LeatSourcePos *other);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatSource, leat_source_free)

G_END_DECLS
