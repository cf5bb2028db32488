/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-record-private.h"

G_BEGIN_DECLS

/* A spec larger than this is refused when it is made, so that no later sum of a few sizes can overflow. */
#define LEAT_SPEC_MAX_BYTES (G_GUINT64_CONSTANT (1) << 62)
#define LEAT_SPEC_MAX_NAME  63

typedef enum
{
  LEAT_DIM_ANY,
  LEAT_DIM_NUMBER,
  LEAT_DIM_NAME
} LeatDimKind;

typedef struct
{
  LeatDimKind kind;
  guint64 number;
  char *name;
} LeatDim;

struct _LeatSpec
{
  gatomicrefcount ref_count;
  LeatDtype dtype;
  LeatRecord *record; /* of that dtype; else NULL */
  gboolean has_shape;
  gboolean bounded;
  gboolean fixed;
  guint n_dims;
  LeatDim dims[LEAT_SPEC_MAX_DIMS];
  guint64 items, row_bytes, bytes; /* when fixed */
  GVariant *meaning;               /* (nullable) */
};

/* One side of a match, and what it is called in the message when the two disagree. */
typedef struct
{
  LeatSpec *spec;
  const char *label; /* (nullable): "up0.out" */
} LeatSpecSide;

LeatSpec *leat_spec_intersect_sides (const LeatSpecSide *first, const LeatSpecSide *second, GError **error);
gboolean leat_spec_bind_sides (const LeatSpecSide *accepted, const LeatSpecSide *given, GHashTable *names,
                               GError **error);

/* Of a template: with another leading dimension, which is any for 0.  Itself where it has none. (transfer full) */
LeatSpec *leat_spec_with_leading (LeatSpec *self, guint64 number);

LeatSpec *leat_spec_alloc (LeatDtype dtype, gboolean has_shape);
/* With the items of @like. */
LeatSpec *leat_spec_alloc_like (LeatSpec *like, gboolean has_shape);
void leat_spec_add_dim (LeatSpec *self, LeatDimKind kind, guint64 number, const char *name);
/* Works out the sizes.  FALSE when the numbers alone are beyond LEAT_SPEC_MAX_BYTES. */
gboolean leat_spec_seal (LeatSpec *self);

G_END_DECLS
