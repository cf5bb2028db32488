/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "parse/leat-syntax-private.h"

G_BEGIN_DECLS

/* Do both say the same?  Positions, comments and quotes do not count. */
gboolean syntax_equal (const LeatSyntax *self, const LeatSyntax *other);

G_END_DECLS
