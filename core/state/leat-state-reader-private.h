/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-state-file-private.h"

G_BEGIN_DECLS

/* A file that has been looked at from end to end: it is whole, and of this pipeline. */
typedef struct _LeatStateReader LeatStateReader;

/* @expected: what there must be; their lanes and places are filled in.  NULL: nothing was.  No more than a few MiB are
 * in memory at a time. */
LeatStateReader *leat_state_reader_new (const char *path, GArray *expected, guint64 key, GError **error);
void leat_state_reader_free (LeatStateReader *self);
/* A piece of a lane's contents: in the order of the file, and each byte once. @entry: of those expected */
GBytes *leat_state_reader_get (LeatStateReader *self, const LeatStateEntry *entry, guint lane, guint64 offset,
                               guint64 bytes, GError **error);
/* After the last piece: were they what they had been when they were looked at?  One that fits into a piece surely. */
gboolean leat_state_reader_finish (LeatStateReader *self, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatStateReader, leat_state_reader_free)

G_END_DECLS
