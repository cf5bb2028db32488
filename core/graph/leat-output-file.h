/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <gio/gio.h>

G_BEGIN_DECLS

/**
 * LeatOutputFile: (skip)
 *
 * A file that appears whole or not at all.
 *
 * All bytes go to a file without a name in the same folder, or with a hidden one where the file system knows no such
 * files.  leat_output_file_commit() gives it its name.  Freed without a commit it is gone, and the former file of that
 * name is as it was.  Owner, mode and symbolic links are kept.
 *
 * Pipes, devices, standard output (`-`) and all that the process has open already (`/dev/stdout`, `/dev/fd/3`) have no
 * such way and are written directly.  Errors are %LEAT_GRAPH_ERROR_IO and name the path.
 */
typedef struct _LeatOutputFile LeatOutputFile;

LeatOutputFile *leat_output_file_open (const char *path, GError **error);
gboolean leat_output_file_check (const char *path, GError **error);
void leat_output_file_free (LeatOutputFile *self);
gboolean leat_output_file_commit (LeatOutputFile *self, GError **error);

gboolean leat_output_file_write (LeatOutputFile *self, gconstpointer data, gsize size, GCancellable *cancellable,
                                 GError **error);
gboolean leat_output_file_write_at (LeatOutputFile *self, guint64 offset, gconstpointer data, gsize size,
                                    GError **error);
void leat_output_file_wake (LeatOutputFile *self);

const char *leat_output_file_get_path (LeatOutputFile *self);
gboolean leat_output_file_is_seekable (LeatOutputFile *self);
gboolean leat_output_file_is_terminal (LeatOutputFile *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatOutputFile, leat_output_file_free)

G_END_DECLS
