/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-plain-private.h"

G_BEGIN_DECLS

/* What kernels come to, as it is found out. */
typedef struct
{
  const LeatKernelUnit *unit;
  const LeatTokens *tokens;
  GHashTable *by_name; /* char* -> GArray of decls */
  GHashTable *loose;   /* char* -> GArray of members */
  GArray *members;     /* LeatLooseMember */
  GQueue todo;         /* decls that are kept, and not looked through; members behind them */
  guint8 *kept;
  GPtrArray **names;   /* in step with decls: (nullable): char*, the keys of by_name that lead to one */
  GHashTable *waiting; /* char* -> GArray of decls that come along with what has the name */
} LeatReach;

/* leat-kernel-reach-names.c */
void leat_reach_list_names (LeatReach *self);
/* Notes in @names that the word at @token leads to @index; the key. */
const char *leat_reach_add_name (LeatReach *self, GHashTable *names, guint token, guint index);
gboolean leat_reach_is_function (const LeatDecl *decl);
/* The type before `::` of a member that is defined at file scope, with its name at @token; @token for others. */
guint leat_reach_find_owner (LeatReach *self, guint token, guint first);

G_END_DECLS
