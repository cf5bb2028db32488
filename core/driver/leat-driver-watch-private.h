/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-driver-private.h"

G_BEGIN_DECLS

/* Watches the calls of other people's code while its work is captured.  Its functions look at a call before the driver
 * does: a call whose work would not be in the graph is not let through.  The first call that the driver refuses is
 * remembered, since the end of the capture only tells that there was one. */
typedef struct
{
  LeatDriver *driver;
  CUstream stream; /* of the capture */

  const char *refused_why; /* NULL: every call was let through */
  LeatDriverEntry refused;
  CUresult failure; /* CUDA_SUCCESS: no call failed */
  LeatDriverEntry failed;
  gboolean forked; /* another stream was brought in */
} LeatDriverWatch;

/* For this thread, until the end; they do not nest. */
void leat_driver_watch_begin (LeatDriverWatch *self, LeatDriver *driver, CUstream stream);
void leat_driver_watch_end (LeatDriverWatch *self);

/* Does a call that failed so say that a capture is why? */
static inline gboolean
leat_driver_result_is_about_capture (CUresult result)
{
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED && result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

/* The function of that name (as in the list of entries, or as the library exports it) that the thread's watch, if there
 * is one, looks at.  A function that is in no list is the driver's own.  NULL where the driver has none. */
gpointer leat_driver_find_watched (LeatDriver *self, const char *name);

G_END_DECLS
