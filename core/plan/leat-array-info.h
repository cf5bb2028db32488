/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../graph/leat-spec.h"
#include "../kernel/leat-kernel-source.h"

G_BEGIN_DECLS

/**
 * LeatTextureAddress:
 * @LEAT_TEXTURE_ADDRESS_CLAMP: the nearest texel
 * @LEAT_TEXTURE_ADDRESS_BORDER: zeros
 * @LEAT_TEXTURE_ADDRESS_WRAP: the texture again
 * @LEAT_TEXTURE_ADDRESS_MIRROR: the texture again, every other time backwards
 *
 * The texels that a texture has beyond its edges.
 *
 * Since: 0.1
 */
typedef enum
{
  LEAT_TEXTURE_ADDRESS_CLAMP,
  LEAT_TEXTURE_ADDRESS_BORDER,
  LEAT_TEXTURE_ADDRESS_WRAP,
  LEAT_TEXTURE_ADDRESS_MIRROR,
} LeatTextureAddress;

/**
 * LeatSampling:
 * @is_linear: whether texels are mixed by how near they are; else the nearest is taken
 * @is_normalized: whether coordinates go from 0 to 1; else to the number of texels
 * @gives_floats: whether whole numbers become floats from 0 or -1 to 1
 * @address: what there is beyond the edges, along x, y and z
 *
 * How a texture is read.
 *
 * Since: 0.1
 */
typedef struct
{
  gboolean is_linear;
  gboolean is_normalized;
  gboolean gives_floats;
  LeatTextureAddress address[3];
} LeatSampling;

/**
 * LeatArrayInfo:
 * @name: what it is called, in messages and printed plans
 * @form: how kernels see its texels; not %LEAT_TEXTURE_OPEN
 * @dtype: the type of each number of a texel
 * @channels: numbers of a texel: 1, 2 or 4
 * @width: texels of a row
 * @height: rows; 0 for a form without
 * @depth: slices or layers; 0 for a form without
 * @is_surface: whether kernels write it, or read it as a surface
 * @gathers: whether a texture of it is given to `tex2Dgather()`
 *
 * An array of texels, for leat_recorder_add_array().
 *
 * Since: 0.1
 */
typedef struct
{
  const char *name;
  LeatTextureForm form;
  LeatDtype dtype;
  guint channels;
  guint64 width, height, depth;
  gboolean is_surface;
  gboolean gathers;
} LeatArrayInfo;

G_END_DECLS
