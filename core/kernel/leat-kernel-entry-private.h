/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-transform-private.h"

G_BEGIN_DECLS

/* A parameter as it is declared again: `const float * __restrict__ x`, and how its name is spelt. */
typedef struct
{
  char *declaration;
  char *name;
} LeatEntryParam;

/* A kernel as both transformations see it. */
typedef struct
{
  const LeatDecl *decl;
  guint index;     /* of decl */
  char *name;      /* of the symbols that are made of it */
  char *function;  /* in the file */
  char *scope;     /* before that name, from file scope: "a::b::", or "" */
  GArray *params;  /* LeatEntryParam: what the text says */
  GArray *wrapper; /* LeatEntryParam: what leat_wrap_<name> takes; NULL when a parameter cannot be bound */
  char *arguments; /* the kernel's arguments in terms of params: "x, y, n" */
  char *wrapper_arguments;
  gboolean differs;    /* the wrapper from the kernel */
  gboolean reports;    /* the last that the wrapper takes is where to; the body too, on a GPU */
  char *launch_bounds; /* "__launch_bounds__ (256)" or "" */
} LeatEntry;

/* @indirect: the wrappers find out where the items of their ports are (LeatImageTarget). */
GPtrArray *leat_kernel_unit_list_entries (const LeatKernelUnit *unit, gboolean indirect, GError **error);

/* leat-kernel-assert.c: C++ at file scope, behind the file. */
char *leat_kernel_unit_dup_assertions (const LeatKernelUnit *unit, GPtrArray *entries);

/* Is it given the address of items, which may be that of a slot? */
gboolean leat_entry_resolves (const LeatParam *param);
/* The C++ of what turns the one into the other. @qualifiers: of the function */
char *leat_entry_dup_resolver (const char *qualifiers);

/* For an image with lanes: what leat_lane_<name> takes, each pointer with its stride behind it; and how the kernel is
 * called with that. @lane: the expression for the lane. @prefix: of the names. (element-type LeatEntryParam) */
GArray *leat_entry_params_new (void);
GArray *leat_entry_list_wide_params (const LeatEntry *self);
char *leat_entry_dup_wide_arguments (const LeatEntry *self, const LeatPrototype *prototype, const char *lane,
                                     const char *prefix);
/* Likewise, where a lane's kernel reports to; empty for one that does not. */
char *leat_entry_dup_wide_reports (const LeatEntry *self, const char *lane, const char *prefix);
/* The C++ of what finds a lane's memory. */
char *leat_entry_dup_wide_helper (const char *qualifiers);

/* Takes the qualifiers (`static`, `extern "C"`, `__global__`, ...) of a function away. */
void leat_entry_strip_qualifiers (GArray *edits, const LeatKernelUnit *unit, const LeatDecl *decl,
                                  const char *const *words);
/* The token where words may be put before a function: attributes in `[[ ]]` stay first, as nothing else takes them. */
guint leat_entry_find_head (const LeatKernelUnit *unit, const LeatDecl *decl);

G_END_DECLS
