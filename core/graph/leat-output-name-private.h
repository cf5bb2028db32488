/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Hidden names that output files have until they get their own, ".NAME.XXXXXX" beside it.  While there is one it is
 * known to the process, so that quick_exit () takes the file away.  Functions that fail leave the reason in errno. */

/* A new file beside @target, open for reading and writing in *@fd; NULL when that fails. */
char *leat_output_name_create (const char *target, int *fd);
/* A name beside @target for the open file @handle, which has none; NULL when that fails. */
char *leat_output_name_link (const char *target, const char *handle);
/* Frees @self when it succeeds. */
gboolean leat_output_name_rename (char *self, const char *target);
/* Takes the file away and frees @self. */
void leat_output_name_remove (char *self);

/* A path by which this process finds an open file. (transfer full) */
char *leat_output_name_from_fd (int fd);

G_END_DECLS
