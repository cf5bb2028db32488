/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib.h>

G_BEGIN_DECLS

void leat_plain_append (GString *self, const char *text, gssize size);
char *leat_plain_dup (const char *text);

G_END_DECLS
