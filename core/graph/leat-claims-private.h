/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-types.h"

G_BEGIN_DECLS

/* The files that nodes and options read and write.  One that would be written over is refused before anything is
 * opened, made or waited for.  A file is the same by every path, symbolic and hard links included; one that is yet to
 * be made is the same by the path that it will have.  Pipes, terminals and other devices may have several writers. */
typedef struct _LeatClaims LeatClaims;

typedef enum
{
  LEAT_CLAIM_READ,
  LEAT_CLAIM_WRITE,
} LeatClaimKind;

LeatClaims *leat_claims_new (void);
void leat_claims_free (LeatClaims *self);
/* @who: for messages: an option, a node.  @path: "-" is standard input or standard output; NULL is nothing.  FALSE with
 * LEAT_GRAPH_ERROR_TWO_WRITERS: it cannot be together with what was claimed before. */
gboolean leat_claims_add (LeatClaims *self, const char *who, const char *path, LeatClaimKind kind, GError **error);
/* All that a node names by its properties. @where: (nullable): whose pipeline it is in, where there are several */
gboolean leat_claims_add_node (LeatClaims *self, LeatNode *node, const char *where, GError **error);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatClaims, leat_claims_free)

G_END_DECLS
