/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A file or a pipe that is read from front to back, into memory of the caller's.  All errors are LEAT_GRAPH_ERROR_IO
 * and name the path. */
typedef struct _LeatInputFile LeatInputFile;

/* "-" is standard input. */
LeatInputFile *leat_input_file_open (const char *path, GError **error);
void leat_input_file_free (LeatInputFile *self);
/* Is there something at @path that open () would accept?  Nothing is opened: a pipe's writer notices nothing. */
gboolean leat_input_file_check (const char *path, GError **error);

/* Reads until @size bytes are there.  Fewer are LEAT_FLOW_DATA too: at the end, or when a pipe has no more now and
 * @wait is FALSE or leat_input_file_wake () was called.  EMPTY and END mean that not one byte came. */
LeatFlow leat_input_file_read (LeatInputFile *self, gpointer to, gsize size, gsize *got, gboolean wait,
                               GCancellable *cancellable, GError **error);
/* Begins to read the @size bytes behind those that were begun before, and does not wait.  FALSE: that cannot be, as
 * they are few or a great many, nobody knows whether they are there, or no other thread would read them; then they are
 * read when all before them is complete. */
gboolean leat_input_file_begin (LeatInputFile *self, gpointer to, gsize size);
/* Waits for the first that was begun and is not complete; fewer than @size are there at the end alone. */
gboolean leat_input_file_complete (LeatInputFile *self, gpointer to, gsize size, gsize *got, GError **error);
/* Between two reads: how many threads read a regular file together; 0 is for the processors to say. */
void leat_input_file_set_readers (LeatInputFile *self, guint n_readers);
/* To where a regular file begins. */
gboolean leat_input_file_rewind (LeatInputFile *self, GError **error);
/* How many of @size bytes at @offset of a regular file could be read; what is read next stays what it is. */
gsize leat_input_file_peek (LeatInputFile *self, guint64 offset, gpointer to, gsize size);
/* Whether a regular file has the size that it had when it was opened.  LEAT_GRAPH_ERROR_DATA */
gboolean leat_input_file_check_size (LeatInputFile *self, GError **error);
/* From any thread: makes a read that waits for a pipe return. */
void leat_input_file_wake (LeatInputFile *self);

const char *leat_input_file_get_path (LeatInputFile *self);
gboolean leat_input_file_is_regular (LeatInputFile *self);
guint64 leat_input_file_get_size (LeatInputFile *self); /* of a regular file, from where reading began; else 0 */
gboolean leat_input_file_is_at_end (LeatInputFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatInputFile, leat_input_file_free)

G_END_DECLS
