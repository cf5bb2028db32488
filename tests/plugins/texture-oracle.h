/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What CUDA's programming guide says that a texture gives, in plain C and doubles.  Coordinates are never moved: where
 * they are beyond the edges, it is the numbers of texels that are mapped. */

typedef enum
{
  ORACLE_CLAMP,
  ORACLE_BORDER,
  ORACLE_WRAP,
  ORACLE_MIRROR,
} OracleAddress;

typedef struct
{
  const double *values; /* of all texels, as the kernel is to see them */
  guint channels;
  gint64 sizes[3]; /* along x, y and z; 1 where there is no such axis */
  gboolean is_layered;
  gboolean is_linear, is_normalized;
  OracleAddress address[3];
} OracleTexture;

/* Number @channel of what the texture gives at @at; the last axis of one with layers is the layer. */
double oracle_sample (const OracleTexture *self, const double at[3], guint channel);
/* The texel, or 0 beyond the edges. */
double oracle_get (const OracleTexture *self, gint64 x, gint64 y, gint64 z, guint channel);

G_END_DECLS
