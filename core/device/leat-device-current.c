/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which devices this thread has pushed, so that a push inside another of the same device costs no driver call: a
 * session pushes once around a run, and what it calls pushes for its own sake. */

#include "leat-device-object-private.h"

#define LEAT_CURRENT_DEPTH 16

typedef struct
{
  LeatDevice *device;
  guint depth;
} LeatCurrentFrame;

static __thread LeatCurrentFrame leat_current_frames[LEAT_CURRENT_DEPTH];
static __thread guint leat_current_n_frames;

gboolean
leat_device_push (LeatDevice *self, GError **error)
{
  LeatCurrentFrame *top = leat_current_n_frames > 0 ? &leat_current_frames[leat_current_n_frames - 1] : NULL;
  CUresult result;

  if (top != NULL && top->device == self)
    {
      top->depth++;
      return TRUE;
    }
  g_return_val_if_fail (leat_current_n_frames < LEAT_CURRENT_DEPTH, FALSE);

  result = (*self->table->cuCtxPushCurrent) (self->context);
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (self, error, "cuCtxPushCurrent", result, "%s", self->id);
  leat_current_frames[leat_current_n_frames++] = (LeatCurrentFrame){ self, 1 };
  return TRUE;
}

gboolean
leat_device_push_anyhow (LeatDevice *self)
{
  return leat_device_push (self, NULL) || leat_device_push (self, NULL);
}

void
leat_device_pop (LeatDevice *self)
{
  LeatCurrentFrame *top = leat_current_n_frames > 0 ? &leat_current_frames[leat_current_n_frames - 1] : NULL;
  CUcontext popped = NULL;

  g_return_if_fail (top != NULL && top->device == self);

  if (--top->depth > 0)
    return;
  leat_current_n_frames--;
  (*self->table->cuCtxPopCurrent) (&popped);
}
