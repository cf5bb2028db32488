/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* The items of @spec, each the number that @text is. (transfer full) */
GBytes *leat_fill_new (LeatSpec *spec, const char *text, GError **error);

G_END_DECLS
