/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-node-private.h"

G_BEGIN_DECLS

/* A number as the argument's own type holds it, or FALSE with TYPE or RANGE. */
gboolean leat_node_arg_take (LeatNodeArg *arg, LeatNumber *number, GError **error);
gboolean leat_node_arg_convert (LeatNodeArg *arg, GVariant *value, LeatNumber *number, GError **error);
gboolean leat_node_arg_parse (LeatNodeArg *arg, const char *text, LeatNumber *number, GError **error);

typedef struct
{
  LeatNodeArg *arg;
  LeatNumber number; /* one of its type */
} LeatArgValue;

/* Whether there are arguments "@name.MEMBER". */
gboolean leat_node_has_members (LeatNode *self, const char *name);
/* Reads the values of such arguments from JSON; appends LeatArgValue to @values and sets nothing. */
gboolean leat_node_parse_args (LeatNode *self, const char *name, const char *text, GArray *values, GError **error);

/* The value that leat_node_dup_arg () gives. */
GVariant *leat_node_arg_dup_value (LeatNodeArg *arg);
void leat_node_arg_clear (LeatNodeArg *arg);
/* Under the lock of the node; @number is one of its type.  An argument of a draft waits. */
void leat_node_put_arg (LeatNode *self, LeatNodeArg *arg, const LeatNumber *number);
/* Under the lock: a node with the properties of @self as they are to be, where some wait for a session; else NULL.  Not
 * prepared. (transfer full) */
LeatNode *leat_node_new_draft (LeatNode *self);
char *leat_node_arg_print (LeatNodeArg *arg);

G_END_DECLS
