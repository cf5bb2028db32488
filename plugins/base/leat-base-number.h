/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Number types in kernels that are written for a node: what an item is in memory, and what one computes with. */

/* C's word for an item in memory: "uint16_t" of f16, "leat_c64" of c64.  NULL where nobody computes with it. */
const char *leat_number_get_storage (LeatDtype dtype);
/* C's word for its value: "float" of f16. */
const char *leat_number_get_value (LeatDtype dtype);
/* The type whose rules its values follow: f32 of f16, bf16 and f8, else itself. */
LeatDtype leat_number_get_rules (LeatDtype dtype);
gboolean leat_number_is_narrow (LeatDtype dtype);
gboolean leat_number_is_complex (LeatDtype dtype);
/* Of f32 and f64, and what follows their rules. */
gboolean leat_number_is_real (LeatDtype dtype);

/* FALSE, with the way to a field, where items at the input @port are records. */
gboolean leat_number_check (LeatNode *node, const char *port, LeatSpec *spec, GError **error);

/* The value of the item @item, and the item of the value @value, each an expression in C. (transfer full) */
char *leat_number_dup_read (LeatDtype dtype, const char *item);
char *leat_number_dup_write (LeatDtype dtype, const char *value);
/* `#include` of what reading and writing take, for any of @dtypes. */
void leat_number_append_includes (GString *text, const LeatDtype *dtypes, guint n);

G_END_DECLS
