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

G_END_DECLS
