/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#pragma once

#include "leat-kernel-source-internal-private.h"

G_BEGIN_DECLS

/* An instance of a template kernel. */
typedef struct
{
  LeatKernelSource *from;
  char *entry;
  char *path; /* what stands before the arguments: `ns::scale` */
  char **arguments;
  char *takes; /* (nullable): the types of its parameters, where they say which template of the name is meant */
} LeatInstance;

/* leat-kernel-instance-choose.c: the template that it is an instance of. */
const LeatDecl *leat_instance_choose (const LeatInstance *self, const LeatKernelUnit *unit, GError **error);
/* The types of the parameters that @decl has for these arguments; NULL if it cannot take them. */
char *leat_instance_dup_signature (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl);

/* Puts the instance behind its template @decl. */
gboolean leat_instance_edit (const LeatInstance *self, const LeatKernelUnit *unit, const LeatDecl *decl, GArray *edits,
                             GError **error);

/* `scale<float, 256>`, as an example of how the template @decl can be named. */
char *leat_kernel_unit_dup_likely_instance (const LeatKernelUnit *unit, const LeatDecl *decl, const char *name);

G_END_DECLS
