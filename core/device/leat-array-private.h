/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-memory-private.h"

G_BEGIN_DECLS

/* An array of texels in the device's own order, which textures and surfaces lie in.  Counts for the budgets of the
 * device and of the account as memory of the device does.  Freeing it is for when nothing uses it any more. */
typedef struct _LeatArray LeatArray;

/* @what: for messages */
LeatArray *leat_array_new_in (LeatMemoryAccount *account, LeatDevice *device,
                              const CUDA_ARRAY3D_DESCRIPTOR *description, const char *what, GError **error);
CUarray leat_array_get (LeatArray *self);
void leat_array_free (LeatArray *self);

G_END_DECLS
