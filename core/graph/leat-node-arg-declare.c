/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Which arguments a node has, and of which types, as its class says. */

#include "leat-node-arg-private.h"

#include <string.h>

#define LEAT_NODE_ARG_TYPES "bynqiuxtdf*"

/* A type string that stays. */
static const char *
leat_node_arg_keep_type (const char *type)
{
  static const char kept[][2] = { "b", "y", "n", "q", "i", "u", "x", "t", "d", "f", "*", "s" };
  guint i = 0;

  while (*kept[i] != *type)
    i++;
  return kept[i];
}

static void
leat_node_declare_arg (LeatNode *self, const char *name, const char *type, const char *const *choices,
                       const char *blurb)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  LeatNodeArg *arg = leat_node_peek_arg (self, name);
  guint index;

  if (arg == NULL)
    {
      arg = g_new0 (LeatNodeArg, 1);
      arg->name = g_strdup (name);
      arg->detail = g_quark_from_string (name);
    }
  else if (g_ptr_array_find (priv->args, arg, &index))
    g_ptr_array_steal_index (priv->args, index); /* the order is that of the calls */
  if (arg->is_initial || (g_strcmp0 (arg->type, type) != 0 && *type != '*'))
    leat_node_arg_clear (arg);
  g_free (arg->blurb);
  arg->type = leat_node_arg_keep_type (type);
  arg->choices = choices;
  arg->blurb = g_strdup (blurb);
  arg->stale = FALSE;
  g_ptr_array_add (priv->args, arg);
}

/**
 * leat_node_add_arg:
 * @self: a node
 * @name: the argument's name
 * @type: one of the type strings `b y n q i u x t d`, `f` for a 32-bit float, or `*` for any number, kept as it was
 *   given until leat_node_set_arg_type() says more
 * @blurb: (nullable): what it is for
 *
 * Adds an argument; for implementations of prepare ().
 *
 * One that is there already with this type stays, and so does its value; `*` takes any.
 *
 * Since: 0.1
 */
void
leat_node_add_arg (LeatNode *self, const char *name, const char *type, const char *blurb)
{
  g_return_if_fail (LEAT_IS_NODE (self));
  g_return_if_fail (name != NULL);
  g_return_if_fail (type != NULL && strlen (type) == 1 && strchr (LEAT_NODE_ARG_TYPES, *type) != NULL);

  leat_node_declare_arg (self, name, type, NULL, blurb);
}

/**
 * leat_node_add_choice: (skip)
 * @self: a node
 * @name: the argument's name
 * @choices: (array zero-terminated=1): the words that it may be, which stay; the first is what it is while it is not
 * set
 * @blurb: (nullable): what it is for
 *
 * Adds an argument that is one of several words; for implementations of prepare ().
 *
 * A plan is made with it, so it cannot be set while a session is open.
 *
 * Since: 0.1
 */
void
leat_node_add_choice (LeatNode *self, const char *name, const char *const *choices, const char *blurb)
{
  g_return_if_fail (LEAT_IS_NODE (self));
  g_return_if_fail (name != NULL && choices != NULL);

  leat_node_declare_arg (self, name, "s", choices, blurb);
}

/**
 * leat_node_get_choice: (skip)
 * @self: a node
 * @name: the name of an argument of leat_node_add_choice()
 *
 * Gets which of its words an argument is.
 *
 * Returns: the word's index; 0 where there is no such argument
 *
 * Since: 0.1
 */
guint
leat_node_get_choice (LeatNode *self, const char *name)
{
  const LeatNodeArg *arg;

  g_return_val_if_fail (LEAT_IS_NODE (self), 0);
  g_return_val_if_fail (name != NULL, 0);

  arg = leat_node_peek_arg (self, name);
  return arg != NULL && arg->choices != NULL && arg->is_set ? (guint) arg->number.u : 0;
}

/**
 * leat_node_set_arg_initial:
 * @self: a node
 * @name: an argument's name
 * @value: a value as a pipeline's text has it
 *
 * Gives an argument the value that it has where none is set; for implementations of prepare ().
 *
 * A value that was set stays.  One that the argument's type cannot hold is none.
 *
 * Since: 0.1
 */
void
leat_node_set_arg_initial (LeatNode *self, const char *name, const char *value)
{
  LeatNodeArg *arg;
  LeatNumber number;

  g_return_if_fail (LEAT_IS_NODE (self));
  g_return_if_fail (name != NULL && value != NULL);

  arg = leat_node_peek_arg (self, name);
  g_return_if_fail (arg != NULL);
  if (arg->is_set || !leat_node_arg_parse (arg, value, &number, NULL))
    return;
  leat_node_arg_clear (arg);
  arg->number = number;
  arg->is_initial = TRUE;
}

/**
 * leat_node_set_arg_type:
 * @self: a node
 * @name: an argument's name
 * @type: a type string, as for leat_node_add_arg()
 * @error: return location
 *
 * Gives an argument another type; for implementations of negotiate (), where types become known, and of prepare ().
 *
 * Its value is converted.  From here on only what the new type can hold may be set.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_TYPE or %LEAT_GRAPH_ERROR_RANGE, and nothing is changed, when the type cannot
 *   hold the argument's value
 *
 * Since: 0.1
 */
gboolean
leat_node_set_arg_type (LeatNode *self, const char *name, const char *type, GError **error)
{
  LeatNodeArg wanted = { 0 };
  LeatNumber number;
  LeatNodeArg *arg;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (type != NULL && strlen (type) == 1 && strchr (LEAT_NODE_ARG_TYPES, *type) != NULL, FALSE);

  arg = leat_node_peek_arg (self, name);
  g_return_val_if_fail (arg != NULL, FALSE);
  wanted.name = arg->name;
  wanted.type = type;
  number = arg->number;
  if ((arg->is_set || arg->is_initial) && !leat_node_arg_take (&wanted, &number, error))
    return leat_node_prefix_title (self, error);
  arg->number = number;
  g_clear_pointer (&arg->value, g_variant_unref);
  arg->type = leat_node_arg_keep_type (type);
  return TRUE;
}

/**
 * leat_node_get_arg_type: (skip)
 * @self: a node
 * @name: an argument's name
 *
 * Gets the type that an argument was added with.
 *
 * Returns: (transfer none) (nullable): the type string, or %NULL when there is no such argument
 *
 * Since: 0.1
 */
const char *
leat_node_get_arg_type (LeatNode *self, const char *name)
{
  LeatNodeArg *arg;
  const char *type;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  leat_node_lock (self);
  leat_node_prepare (self, NULL);
  arg = leat_node_peek_arg (self, name);
  type = arg != NULL ? arg->type : NULL;
  leat_node_unlock (self);
  return type;
}

/**
 * leat_node_remove_args:
 * @self: a node
 *
 * Removes all arguments; for implementations of prepare (), before they add the new ones.
 *
 * In prepare () an argument goes only at the end, if it was not added again, so that values stay.
 *
 * Since: 0.1
 */
void
leat_node_remove_args (LeatNode *self)
{
  LeatNodePrivate *priv;

  g_return_if_fail (LEAT_IS_NODE (self));

  priv = leat_node_get_private (self);
  for (guint i = 0; i < priv->args->len; i++)
    ((LeatNodeArg *) priv->args->pdata[i])->stale = TRUE;
  if (!priv->preparing)
    leat_node_drop_stale_args (self);
}
