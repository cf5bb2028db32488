/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* As many threads as read one regular file together where none is asked for. */
guint leat_input_parts_get_readers (void);

/* Reads @size bytes from @offset of @fd on, by at most @n_readers threads, and returns how many of them came without
 * a gap.  Fewer are no error: who reads on from there sees the end or the error itself. */
gsize leat_input_parts_read (int fd, guint64 offset, gpointer to, gsize size, guint n_readers);

G_END_DECLS
