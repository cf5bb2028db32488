/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Threads that read parts of a regular file, and go from one stretch of it to the next without waiting for each other
 * in between. */
typedef struct _LeatInputParts LeatInputParts;

/* As many threads as read one regular file together where none is asked for. */
guint leat_input_parts_get_readers (void);

LeatInputParts *leat_input_parts_new (guint n_readers);
/* When all that was begun has ended. */
void leat_input_parts_free (LeatInputParts *self);
/* Begins to read @size bytes from @offset of @fd on, and does not wait.  FALSE: they are too few for several threads.
 */
gboolean leat_input_parts_begin (LeatInputParts *self, int fd, guint64 offset, gpointer to, gsize size);
/* Waits for the first stretch that was begun and has not ended, and returns how many bytes of it came without a gap.
 * Fewer are no error: who reads on from there sees the end or the error itself. */
gsize leat_input_parts_end (LeatInputParts *self);
guint leat_input_parts_get_n_begun (LeatInputParts *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatInputParts, leat_input_parts_free)

G_END_DECLS
