/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-state-error.h"

G_BEGIN_DECLS

/* The state of a session as a file has it: a head, the table of what there is, and the memory of each in each of its
 * lanes, the header of bounded ones included.  All numbers are little-endian. */

typedef struct
{
  char *name;
  char *spec;       /* "" where there is none */
  guint64 bytes;    /* in each lane */
  guint n_lanes;    /* that have one; of what is expected: the most that may be */
  gboolean by_lane; /* each has its own */
  guint64 at;       /* of the first lane's contents in a file that was looked at; the others lie behind */
} LeatStateEntry;

void leat_state_entry_clear (LeatStateEntry *self);
/* (element-type LeatStateEntry) (transfer full) */
GArray *leat_state_entries_new (void);

/* Of a file with these, whose data are not looked at. */
guint64 leat_state_file_get_bytes (GArray *entries);
/* Gives contents for the file piece by piece. (transfer full) */
typedef GBytes *(*LeatStateFeed) (gpointer data, guint entry, guint lane, guint64 offset, guint64 bytes,
                                  GError **error);
/* @key: of the pipeline.  No more than a few MiB are in memory at a time.  The file is written beside its name and
 * renamed: FALSE: what was there is what it was. */
gboolean leat_state_file_write (const char *path, GArray *entries, guint64 key, LeatStateFeed feed, gpointer data,
                                GError **error);
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
