/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a texture gives, in plain C and doubles: CUDA's programming guide, and for what it leaves open the rules of an
 * H200, found by measurements.  Places are never moved to the texture: where they are beyond the edges, it is the
 * numbers of texels that are mapped. */

typedef enum
{
  ORACLE_CLAMP,
  ORACLE_BORDER,
  ORACLE_WRAP,
  ORACLE_MIRROR,
} OracleAddress;

/* What the numbers of the texels are, and what becomes of them. */
typedef enum
{
  ORACLE_WHOLE, /* nothing */
  ORACLE_F32,
  ORACLE_F16,
  ORACLE_U8, /* these become floats from 0 or -1 to 1 */
  ORACLE_I8,
  ORACLE_U16,
  ORACLE_I16,
} OracleNumber;

typedef struct
{
  const double *values; /* of all texels */
  guint channels;
  gint64 sizes[3]; /* along x, y and z; 1 where there is no such axis */
  gboolean is_layered;
  gboolean is_linear, is_normalized;
  OracleAddress address[3];
  guint axes; /* that are mixed along */
  OracleNumber number;
} OracleTexture;

/* Number @channel of what the texture gives at @at; the last axis of one with layers is the layer. */
double oracle_sample (const OracleTexture *self, const float at[3], guint channel);
/* Number @channel of one of the four texels round a place of a plane: @right and @below the first. */
double oracle_gather (const OracleTexture *self, const float at[2], gboolean right, gboolean below, guint channel);

G_END_DECLS
