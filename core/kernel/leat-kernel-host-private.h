/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-entry-private.h"

G_BEGIN_DECLS

/* The threads that the loop over a block leaves out, where the block never waits. */
typedef struct
{
  char *limits[3]; /* along x, y, z: an expression for the first thread that does nothing, or NULL */
} LeatFlatPlan;

void leat_flat_plan_free (LeatFlatPlan *self);

/* Data gathered while the file is rewritten for the host. */
typedef struct
{
  const LeatKernelUnit *unit;
  LeatKernelCalls *calls;
  GPtrArray *entries; /* LeatEntry */
  GArray *edits;
  GArray *slots;      /* guint: for each static shared variable the place of its function in owners */
  GArray *owners;     /* guint: index of the function's declaration */
  GPtrArray *globals; /* char*: names */
  GHashTable *flat;   /* LeatDecl -> LeatFlatPlan: kernels that never wait */
  LeatKernelForm form;
} LeatHostWriter;

/* Turns the `__shared__` declarations of a function, and those at file scope that it mentions, into references. */
gboolean leat_host_writer_edit_shared (LeatHostWriter *self, guint decl, GError **error);
/* Edits the guards of a kernel that never waits. */
LeatFlatPlan *leat_host_writer_plan_flat (LeatHostWriter *self, guint decl);
/* The entry functions, the tables and leat_host_module. */
char *leat_host_writer_dup_tables (LeatHostWriter *self);
/* The edited text in which functions know their thread. @anywhere: set if some code finds it by itself (leat_running).
 */
char *leat_kernel_dup_with_selves (LeatHostWriter *self, const char *text, gboolean *anywhere, GError **error);

G_END_DECLS
