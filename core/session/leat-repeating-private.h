/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "tell/leat-told-private.h"

G_BEGIN_DECLS

/* Repeated runs that are under way on the device. */
typedef struct
{
  GMutex lock;
  guint64 *stop_word;    /* under the lock: ends their loop; or NULL */
  GCancellable *stopper; /* that does so too, and the number of its signal; or NULL */
  gulong stopper_id;
  gboolean is_long; /* so many were asked for in a call that the plan was bound for them */
} LeatRepeating;

/* The paths of runs without results before the one that has them: of the first, of the others, and of that one. */
typedef struct
{
  LeatPath first, others, last;
} LeatStepPaths;

void leat_repeating_init (LeatRepeating *self);
void leat_repeating_clear (LeatRepeating *self);
/* @path: that the run would go alone.  @reused: inputs stay on the device */
LeatStepPaths leat_step_paths_choose (LeatPath path, gboolean reused);
/* @n of them, whose paths are built. */
gboolean leat_repeating_launch (LeatRepeating *self, LeatTold *told, LeatFlight *flight, const LeatStepPaths *paths,
                                guint64 n, GError **error);
/* When the device has ended, or it is not known: nobody can call them off any more. */
void leat_repeating_forget (LeatRepeating *self, LeatFlight *flight);
/* The same after they have: CANCELLED where not all of them were done. */
gboolean leat_repeating_check (LeatRepeating *self, LeatTold *told, LeatFlight *flight, GError **error);
/* From any thread: those that are under way on the device end, as far as there are any. */
void leat_repeating_call_off (LeatRepeating *self);

G_END_DECLS
