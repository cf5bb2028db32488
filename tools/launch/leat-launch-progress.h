/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A line on standard error for each pipeline that says how far it is, where the runs are long. */
typedef struct _LeatProgress LeatProgress;

/* @force: also where standard error is not a terminal; then every line stays.  @names: what each line begins with, or
 * NULL; not copied */
LeatProgress *leat_progress_new (gboolean force, guint n_lines, const char *const *names);
void leat_progress_free (LeatProgress *self);
/* @details: of LEAT_MESSAGE_PROGRESS */
void leat_progress_update (LeatProgress *self, guint line, GVariant *details);
/* It has come to its end. */
void leat_progress_end (LeatProgress *self, guint line);
/* Removes what is shown, so that something else can be said. */
void leat_progress_clear (LeatProgress *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatProgress, leat_progress_free)

G_END_DECLS
