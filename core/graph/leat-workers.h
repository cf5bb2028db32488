/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-work.h"

G_BEGIN_DECLS

/**
 * LeatWorkers: (skip)
 *
 * Threads that go from one work to the next.
 *
 * Where one has no part left that nobody has taken, they begin the one after it, and do not wait for each other in
 * between.  For one work alone leat_work_share() is enough.
 */
typedef struct _LeatWorkers LeatWorkers;

LeatWorkers *leat_workers_new (guint n_threads);
void leat_workers_free (LeatWorkers *self);
LeatWork *leat_workers_begin (LeatWorkers *self, guint n_parts, LeatWorkFunc func, gpointer user_data);
void leat_workers_end (LeatWorkers *self, LeatWork *work);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatWorkers, leat_workers_free)

G_END_DECLS
