/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-node-private.h"
#include "leat-spec-private.h"

G_BEGIN_DECLS

struct _LeatNegotiation
{
  LeatNode *node;
  GHashTable *names; /* of the templates: char* -> guint64*, their values so far */
  gboolean told;     /* the error names the ports that it is about */
};

/* Adds what would make the output's spec fit the input. */
void leat_negotiation_add_hint (LeatPort *output, LeatSpec *spec, LeatPort *input, GError **error);
/* Adds what gave a name in the port's template another value. */
void leat_negotiation_explain_name (LeatNegotiation *self, LeatPort *port, LeatSpec *spec, GError **error);

G_END_DECLS
