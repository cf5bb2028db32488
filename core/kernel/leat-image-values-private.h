/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* C++ leaves open, and a GPU defines: whole numbers of what does not fit them, shifts by the width or more, division by
 * zero.  The optimiser may make anything of them, another thing in each place, so they are settled before it runs. */

/* LLVM's text of a module that clang made without optimising it, and with floating-point exceptions seen (so that it
 * folds no constants).  (transfer full): the same, with the values that a GPU gives and with exceptions ignored. */
char *leat_image_settle_values (const char *text);

/* The settled instruction as a function of LLVM's, which replaces it: its name without '@', and its text.  NULL where
 * the instruction is defined for all values, or nothing is known of its types.
 * @operation: "fptosi", "fptoui"; @from: "float" or "double"; @to: "i8" to "i64" */
char *leat_image_values_dup_conversion (const char *operation, const char *from, const char *to, char **text);

typedef enum
{
  LEAT_VALUES_SHORT = 1 << 0, /* of a division: neither side can have more than 16 bits */
  LEAT_VALUES_PAIRED = 1 << 1 /* of a remainder: its quotient is taken too */
} LeatValuesFlags;

/* @operation: "shl", "lshr", "ashr", "sdiv", "udiv", "srem" or "urem"; @right: its second operand */
char *leat_image_values_dup_operation (const char *operation, const char *type, const char *right,
                                       LeatValuesFlags flags, char **text);

/* (transfer container): those of the @lines of a module that are LEAT_VALUES_PAIRED. */
GHashTable *leat_image_values_find_pairs (char **lines);

G_END_DECLS
