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

G_END_DECLS
