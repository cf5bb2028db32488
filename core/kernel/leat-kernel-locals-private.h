/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-transform-private.h"

G_BEGIN_DECLS

/* A name that a function declares: a parameter or a local variable. */
typedef struct
{
  guint name;
  guint init_first, init_last; /* G_MAXUINT without one */
  gboolean is_param;
  gboolean is_array;
  gboolean is_shared;
  gboolean is_changed; /* assigned, stepped, or its address taken, after its declaration */
  gboolean is_own;     /* may differ from thread to thread */
  gboolean is_pointer; /* declared with a `*` */
} LeatLocal;

typedef struct
{
  const LeatKernelUnit *unit;
  const LeatDecl *decl;
  GHashTable *names;    /* char* -> LeatLocal*; a name that is declared twice is merged */
  GHashTable *declared; /* the tokens that declare */
} LeatLocals;

LeatLocals *leat_locals_new (const LeatKernelUnit *unit, LeatKernelCalls *calls, const LeatDecl *decl);
void leat_locals_free (LeatLocals *self);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatLocals, leat_locals_free)

LeatLocal *leat_locals_find (LeatLocals *self, guint token);
/* Whether the mention at @token changes the thing named, or lets others change it. */
gboolean leat_locals_is_changed_at (LeatLocals *self, guint token);
/* Whether the identifier at @token is declared right there. */
gboolean leat_locals_is_declared_at (LeatLocals *self, guint token);

/* The type before the name declared at @token, `const` and the marks of pointers left out. */
gboolean leat_locals_lookup_type (LeatLocals *self, guint token, LeatKernelType *type);

/* Whether the expression is the thread's number in the grid along @axis, or the number of threads along x. */
gboolean leat_locals_is_grid_index (LeatLocals *self, guint first, guint last, char axis);
gboolean leat_locals_is_grid_width (LeatLocals *self, guint first, guint last);

/* The first ";" of [first, end) outside brackets, or G_MAXUINT. */
guint leat_kernel_unit_find_semicolon (const LeatKernelUnit *self, guint first, guint end);
/* One past the statement that begins at @index; @end is that of the block. */
guint leat_kernel_unit_statement_end (const LeatKernelUnit *self, guint index, guint end);

G_END_DECLS
