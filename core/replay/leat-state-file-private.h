/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-session-state.h"

G_BEGIN_DECLS

/* The state of a session as a file has it: a head, the table of what there is, and the memory of each, the header of
 * bounded ones included.  All numbers are little-endian. */

typedef struct
{
  char *name;
  char *spec; /* "" where there is none */
  guint64 bytes;
  GBytes *data; /* of a file that was read: a view of it */
} LeatStateEntry;

void leat_state_entry_clear (LeatStateEntry *self);
/* (element-type LeatStateEntry) (transfer full) */
GArray *leat_state_entries_new (void);

/* Of a file with these, whose data are not looked at. */
guint64 leat_state_file_get_bytes (GArray *entries);
/* @entries: with their data.  @key: of the pipeline.  NULL where the host has no room for it. */
GBytes *leat_state_file_encode (GArray *entries, guint64 key);
/* @expected: what there must be; their data are filled in. @what: for messages.  FALSE: nothing was. */
gboolean leat_state_file_decode (GBytes *file, GArray *expected, guint64 key, const char *what, GError **error);

G_END_DECLS
