/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-node-private.h"

G_BEGIN_DECLS

/* The value in the argument's own type (transfer full), or NULL with TYPE or RANGE. */
GVariant *leat_node_arg_convert (LeatNodeArg *arg, GVariant *value, GError **error);
GVariant *leat_node_arg_parse (LeatNodeArg *arg, const char *text, GError **error);
/* (transfer full) of @value */
void leat_node_take_arg (LeatNode *self, LeatNodeArg *arg, GVariant *value);
char *leat_node_arg_print (LeatNodeArg *arg);

G_END_DECLS
