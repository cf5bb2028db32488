/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib.h>

G_BEGIN_DECLS

/**
 * LeatWorkFunc:
 * @part: which part: 0 to one less than there are
 * @user_data: what was given to leat_work_share ()
 *
 * Does one part of some work.  It is called from several threads at the same time, each with another part.
 */
typedef void (*LeatWorkFunc) (guint part, gpointer user_data);

/**
 * LeatWork: (skip)
 *
 * Work in parts that leat_workers_begin() has begun.
 */
typedef struct _LeatWork LeatWork;

void leat_work_share (guint n_parts, guint n_threads, LeatWorkFunc func, gpointer user_data);

G_END_DECLS
