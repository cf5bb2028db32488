/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* One line on standard error that says how far a long run is. */
typedef struct _LeatProgress LeatProgress;

/* @force: also where standard error is not a terminal; then every line stays. */
LeatProgress *leat_progress_new (gboolean force);
void leat_progress_free (LeatProgress *self);
/* @details: of LEAT_MESSAGE_PROGRESS */
void leat_progress_update (LeatProgress *self, GVariant *details);
/* Removes the line, so that something else can be said. */
void leat_progress_clear (LeatProgress *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatProgress, leat_progress_free)

G_END_DECLS
