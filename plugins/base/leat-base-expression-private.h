/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-base-expression.h"
#include "leat-base-token.h"

G_BEGIN_DECLS

struct _LeatExpression
{
  char *text;
  GArray *tokens;   /* LeatToken, of an expression that was checked */
  GPtrArray *names; /* without fields */
  gboolean has_fields;
};

G_END_DECLS
