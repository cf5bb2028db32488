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

/* One declarator of a declaration at file scope. */
typedef struct
{
  const LeatDecl *decl;
  guint name, last;
  guint type_end; /* the name of the first declarator */
} LeatKernelVariable;

/* (element-type LeatKernelVariable): those without an initialiser. (transfer full) */
GArray *leat_kernel_unit_list_bare (const LeatKernelUnit *unit);
/* Whether the mention at @index of a variable with @n_dims dimensions may give it a value. */
gboolean leat_kernel_unit_may_set (const LeatKernelUnit *unit, guint index, guint n_dims);

G_END_DECLS
