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
} LeatReach;

/* leat-kernel-reach-names.c */
void leat_reach_list_names (LeatReach *self);
gboolean leat_reach_is_function (const LeatDecl *decl);
/* The type before `::` of a member that is defined at file scope, with its name at @token; @token for others. */
guint leat_reach_find_owner (LeatReach *self, guint token, guint first);

G_END_DECLS
