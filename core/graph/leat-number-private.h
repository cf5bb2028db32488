/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A number as it was given.  Whole ones are told apart by sign, since no one type holds them all. */
typedef struct
{
  enum
  {
    LEAT_NUMBER_NEGATIVE,
    LEAT_NUMBER_POSITIVE,
    LEAT_NUMBER_REAL, /* only `d` says anything */
    LEAT_NUMBER_BOOL
  } kind;
  gint64 i;
  guint64 u;
  double d;
} LeatNumber;

static inline void
leat_number_set_int (LeatNumber *self, gint64 value)
{
  self->kind = value < 0 ? LEAT_NUMBER_NEGATIVE : LEAT_NUMBER_POSITIVE;
  self->i = value;
  self->u = (guint64) value;
  self->d = (double) value;
}

static inline void
leat_number_set_uint (LeatNumber *self, guint64 value)
{
  self->kind = LEAT_NUMBER_POSITIVE;
  self->i = (gint64) value;
  self->u = value;
  self->d = (double) value;
}

static inline void
leat_number_set_bool (LeatNumber *self, gboolean value)
{
  leat_number_set_uint (self, value != FALSE);
  self->kind = LEAT_NUMBER_BOOL;
}

static inline void
leat_number_set_real (LeatNumber *self, double value)
{
  *self = (LeatNumber){ .kind = LEAT_NUMBER_REAL, .d = value };
}

G_END_DECLS
