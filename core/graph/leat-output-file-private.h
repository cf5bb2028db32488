/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <gio/gio.h>

G_BEGIN_DECLS

/* A file that appears whole or not at all.  All bytes go to a file without a name in the same folder, or with a
 * hidden one where the file system knows no such files.  leat_output_file_commit () gives it its name.  Freed without
 * a commit it is gone, and the former file of that name is as it was: owner, mode and symbolic links are kept.  Pipes,
 * devices, standard output ("-") and all that the process has open already ("/dev/stdout", "/dev/fd/3") have no such
 * way and are written directly.  Errors are LEAT_GRAPH_ERROR_IO and name the path. */
typedef struct _LeatOutputFile LeatOutputFile;

/* Waits for nobody: a pipe without a reader is opened when it is written to. */
LeatOutputFile *leat_output_file_open (const char *path, GError **error);
/* Waits for a pipe's first reader, until it is called off. */
gboolean leat_output_file_await (LeatOutputFile *self, GCancellable *cancellable, GError **error);
/* Finds what open () would refuse, without opening, making or waiting for anything. */
gboolean leat_output_file_check (const char *path, GError **error);
void leat_output_file_free (LeatOutputFile *self);
gboolean leat_output_file_commit (LeatOutputFile *self, GError **error);
/* Before a commit that must hold also where the machine stops: else the name could be there and the contents not. */
gboolean leat_output_file_sync (LeatOutputFile *self, GError **error);

gboolean leat_output_file_write (LeatOutputFile *self, gconstpointer data, gsize size, GCancellable *cancellable,
                                 GError **error);
/* Writes over what is there; only when is_seekable (). */
gboolean leat_output_file_write_at (LeatOutputFile *self, guint64 offset, gconstpointer data, gsize size,
                                    GError **error);
/* From any thread: makes a write that is under way and waits for a pipe's reader end, with G_IO_ERROR_CANCELLED. */
void leat_output_file_wake (LeatOutputFile *self);

const char *leat_output_file_get_path (LeatOutputFile *self);
gboolean leat_output_file_is_seekable (LeatOutputFile *self);
gboolean leat_output_file_is_terminal (LeatOutputFile *self);

/* The descriptor of this process that @path stands for, or -1.  It may lead to a file that somebody else has opened
 * and perhaps written to, so that file must not be replaced. */
int leat_output_file_find_descriptor (const char *path);
/* Through symbolic links, so that they stay: also those to something that is yet to be made. */
char *leat_output_file_dup_target (const char *path);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatOutputFile, leat_output_file_free)

G_END_DECLS
