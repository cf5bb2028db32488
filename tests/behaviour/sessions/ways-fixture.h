/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* What the first runs of sessions measure, and the file that it is kept in, of this program alone. */

/* In place of g_test_init (). (transfer full): the folder that the cache is in */
char *ways_fixture_init (int *argc, char ***argv);
/* (transfer full) (nullable): the file; none where nothing was measured */
char *ways_fixture_dup_path (void);
void ways_fixture_drop (void);
/* However long they take, all ways are tried: of a session that has not run yet. */
void ways_fixture_be_patient (LeatSession *session);
/* @key: "trials" or "former-trials"; @with: NULL for any. The sets that were tried with what @with says. */
guint ways_fixture_count (LeatSession *session, const char *key, const char *with);

G_END_DECLS
