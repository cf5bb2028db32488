/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Adds the arguments by which a node says how a texture is read: `tex.filter` and the like. */
void leat_texture_expose (LeatNode *node, const LeatParam *param);
/* Adds the array that a texture or surface lies in, with the shape of @port, the buffer of its port. @arg: what the
 * kernel is given; @sampling: room for what it points to.  FALSE where the data are of another kind than the kernel
 * and the node say. */
gboolean leat_texture_record (LeatNode *node, const LeatParam *param, LeatRecorder *recorder, LeatBufferId port,
                              LeatArg *arg, LeatSampling *sampling, GError **error);

G_END_DECLS
