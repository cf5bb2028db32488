/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The arguments of a node: found, set and asked for, from any thread.  Touches their values under the lock that an open
 * session takes too. */

#include "leat-graph-error-private.h"
#include "leat-node-arg-private.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

#include <string.h>

/**
 * leat_node_list_args:
 * @self: a node
 *
 * Lists the names of the arguments, in the order of the kernel's prototype.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 *
 * Since: 0.1
 */
char **
leat_node_list_args (LeatNode *self)
{
  GPtrArray *args;
  GPtrArray *names;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  leat_node_lock (self);
  leat_node_prepare (self, NULL);
  args = leat_node_get_private (self)->args;
  names = g_ptr_array_new ();
  for (guint i = 0; i < args->len; i++)
    g_ptr_array_add (names, g_strdup (((LeatNodeArg *) args->pdata[i])->name));
  g_ptr_array_add (names, NULL);
  leat_node_unlock (self);
  return (char **) g_ptr_array_free (names, FALSE);
}

static void
leat_node_set_arg_error (LeatNode *self, const char *name, GError **error)
{
  g_auto (GStrv) names = leat_node_list_args (self);
  g_autofree char *title = leat_node_dup_title (self);
  g_autofree char *hint = leat_graph_error_hint (name, (const char *const *) names, "arguments");

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "%s has no argument \"%s\"%s", title, name,
               hint);
}

/* The one place where an argument gets another value, under the lock; a session that is open hears of it. */
void
leat_node_put_arg (LeatNode *self, LeatNodeArg *arg, const LeatNumber *number)
{
  LeatChanges *changes = leat_node_is_frozen (self) ? leat_pipeline_get_changes (leat_node_get_pipeline (self)) : NULL;

  leat_node_arg_clear (arg);
  arg->number = *number;
  arg->is_set = TRUE;
  if (changes != NULL && leat_node_peek_arg (self, arg->name) != arg)
    leat_changes_put_arg (changes, self, arg);
  else if (changes != NULL)
    leat_changes_note (changes, self);
}

/* Under the lock, which keeps a session that plans the pipeline anew from taking the argument away. @draft: (out): the
 * node that has it, where properties bring it that wait */
static LeatNodeArg *
leat_node_find_arg (LeatNode *self, const char *name, LeatNode **draft, GError **error)
{
  LeatNodeArg *arg;

  if (!leat_node_is_frozen (self) && !leat_node_prepare (self, error))
    return NULL;
  arg = leat_node_peek_arg (self, name);
  if (arg == NULL && (*draft = leat_node_new_draft (self)) != NULL)
    {
      if (!leat_node_prepare (*draft, error))
        return NULL;
      arg = leat_node_peek_arg (*draft, name);
    }
  if (arg == NULL)
    leat_node_set_arg_error (*draft != NULL ? *draft : self, name, error);
  return arg;
}

gboolean
leat_node_arg_check_may_set (LeatNode *self, const LeatNodeArg *arg, GError **error)
{
  return arg->choices == NULL || leat_node_check_idle (self, "set argument", arg->name, error);
}

/* @value: the value, or NULL where @number is it. */
static gboolean
leat_node_set_number (LeatNode *self, const char *name, GVariant *value, LeatNumber *number, GError **error)
{
  g_autoptr (LeatNode) draft = NULL;
  LeatNodeArg *arg;
  GQuark detail = 0;

  leat_node_lock (self);
  arg = leat_node_find_arg (self, name, &draft, error);
  if (arg != NULL && leat_node_arg_check_may_set (self, arg, error)
      && ((value != NULL ? leat_node_arg_convert (arg, value, number, error) : leat_node_arg_take (arg, number, error))
          || leat_node_prefix_title (self, error)))
    {
      leat_node_put_arg (self, arg, number);
      detail = arg->detail;
    }
  leat_node_unlock (self);
  if (detail != 0)
    leat_node_emit_arg_changed (self, detail);
  return detail != 0;
}

/**
 * leat_node_set_arg:
 * @self: a node
 * @name: an argument's name
 * @value: a number or a boolean; consumed if floating
 * @error: return location
 *
 * Sets a scalar of a kernel's prototype.
 *
 * Any numeric type will do as long as the argument's type can hold the value.  While a session is open this may be
 * called from any thread; the next run that begins takes the value.  An argument that a property brings which was set
 * meanwhile, such as an expression, can be set from then on; its value goes if that run refuses the property.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, %LEAT_GRAPH_ERROR_TYPE or %LEAT_GRAPH_ERROR_RANGE
 *
 * Since: 0.1
 */
gboolean
leat_node_set_arg (LeatNode *self, const char *name, GVariant *value, GError **error)
{
  g_autoptr (GVariant) owned = NULL;
  LeatNumber number = { 0 };

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (name != NULL && value != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  owned = g_variant_ref_sink (value);
  return leat_node_set_number (self, name, owned, &number, error);
}

/**
 * leat_node_set_arg_double:
 * @self: a node
 * @name: an argument's name
 * @value: a number
 * @error: return location
 *
 * Does what leat_node_set_arg() does with a double, and asks for no memory: for arguments that change in every run.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, %LEAT_GRAPH_ERROR_TYPE or %LEAT_GRAPH_ERROR_RANGE
 *
 * Since: 0.1
 */
gboolean
leat_node_set_arg_double (LeatNode *self, const char *name, double value, GError **error)
{
  LeatNumber number;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  leat_number_set_real (&number, value);
  return leat_node_set_number (self, name, NULL, &number, error);
}

/**
 * leat_node_set_arg_int64:
 * @self: a node
 * @name: an argument's name
 * @value: a number
 * @error: return location
 *
 * Does what leat_node_set_arg() does with a whole number, and asks for no memory: for arguments that change in every
 * run.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, %LEAT_GRAPH_ERROR_TYPE or %LEAT_GRAPH_ERROR_RANGE
 *
 * Since: 0.1
 */
gboolean
leat_node_set_arg_int64 (LeatNode *self, const char *name, gint64 value, GError **error)
{
  LeatNumber number;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  leat_number_set_int (&number, value);
  return leat_node_set_number (self, name, NULL, &number, error);
}

/* Under the lock. (nullable) */
static LeatNodeArg *
leat_node_find_any_arg (LeatNode *self, const char *name)
{
  LeatNodeArg *arg;

  leat_node_prepare (self, NULL);
  arg = leat_node_peek_arg (self, name);
  if (arg == NULL && leat_node_is_frozen (self))
    arg = leat_changes_peek_arg (leat_pipeline_get_changes (leat_node_get_pipeline (self)), self, name);
  return arg;
}

/**
 * leat_node_has_arg_value:
 * @self: a node
 * @name: an argument's name
 *
 * Tells whether an argument has a value: one that was set, or the one that it has of itself.
 *
 * Returns: %FALSE where it has none, and where there is no such argument
 *
 * Since: 0.1
 */
gboolean
leat_node_has_arg_value (LeatNode *self, const char *name)
{
  const LeatNodeArg *arg;
  gboolean has;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  leat_node_lock (self);
  arg = leat_node_find_any_arg (self, name);
  has = arg != NULL && (arg->is_set || arg->is_initial || arg->value != NULL);
  leat_node_unlock (self);
  return has;
}

/**
 * leat_node_dup_arg:
 * @self: a node
 * @name: an argument's name
 *
 * Gets the value of an argument, in its own type; a 32-bit float comes as a double.  The value stays what it is when
 * the argument gets another.
 *
 * Returns: (transfer full) (nullable): the value, or %NULL while it is not set or when there is no such argument
 *
 * Since: 0.1
 */
GVariant *
leat_node_dup_arg (LeatNode *self, const char *name)
{
  LeatNodeArg *arg;
  GVariant *value;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  leat_node_lock (self);
  arg = leat_node_find_any_arg (self, name);
  value = arg != NULL ? leat_node_arg_dup_value (arg) : NULL;
  leat_node_unlock (self);
  return value;
}
