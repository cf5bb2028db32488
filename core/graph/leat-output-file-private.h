/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-output-file.h"

G_BEGIN_DECLS

/* Waits for a pipe's first reader, until it is called off. */
gboolean leat_output_file_await (LeatOutputFile *self, GCancellable *cancellable, GError **error);
/* Before a commit that must hold also where the machine stops: else the name could be there and the contents not. */
gboolean leat_output_file_sync (LeatOutputFile *self, GError **error);

/* The descriptor of this process that @path stands for, or -1.  It may lead to a file that somebody else has opened
 * and perhaps written to, so that file must not be replaced. */
int leat_output_file_find_descriptor (const char *path);
/* Through symbolic links, so that they stay: also those to something that is yet to be made. */
char *leat_output_file_dup_target (const char *path);

G_END_DECLS
