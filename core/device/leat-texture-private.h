/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-device-private.h"

G_BEGIN_DECLS

/* A texture object, or a surface object where there is no sampling. */
typedef struct _LeatTexture LeatTexture;

/* @sampling: (nullable) */
LeatTexture *leat_texture_new (LeatDevice *device, const CUDA_RESOURCE_DESC *resource,
                               const CUDA_TEXTURE_DESC *sampling, const char *what, GError **error);
/* What a kernel is given. */
guint64 leat_texture_get (LeatTexture *self);
void leat_texture_free (LeatTexture *self);

G_END_DECLS
