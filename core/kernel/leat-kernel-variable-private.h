/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-unit-private.h"

G_BEGIN_DECLS

/* A number of any type that such a variable can hold. */
typedef union
{
  guint64 u;
  gint64 i;
  float f;
  double d;
} LeatKernelNumber;

G_END_DECLS
