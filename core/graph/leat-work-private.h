/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-work.h"

G_BEGIN_DECLS

/* Threads that go from one work to the next: where one has no part left that nobody has taken, they begin the one
 * after it, and do not wait for each other in between. */
typedef struct _LeatWorkers LeatWorkers;
typedef struct _LeatWork LeatWork;

/* @n_threads: how many are at it at most, whoever ends a work among them */
LeatWorkers *leat_workers_new (guint n_threads);
/* When every work has been ended. */
void leat_workers_free (LeatWorkers *self);
/* Does not wait.  @func and @user_data are as with leat_work_share (); parts are taken in the order of the
 * works.
 */
LeatWork *leat_workers_begin (LeatWorkers *self, guint n_parts, LeatWorkFunc func, gpointer user_data);
/* Does parts that nobody has taken, and waits for the others: all are done then.  @work is gone. */
void leat_workers_end (LeatWorkers *self, LeatWork *work);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatWorkers, leat_workers_free)

G_END_DECLS
