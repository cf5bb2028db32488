/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets properties, arguments and ports of a node from text, and writes them as text.  One name means one of the
 * three. */

#include "leat-graph-error-private.h"
#include "leat-node-arg-private.h"
#include "leat-node-private.h"

#include <string.h>

#define LEAT_NODE_ARG_PREFIX  "arg."
#define LEAT_NODE_PORT_PREFIX "port."

/* The meaning of a name on a node.  Properties, arguments and ports share one space of names; a property hides the
 * others and an argument a port, which a prefix reaches all the same. */
typedef struct
{
  const LeatProp *prop;
  LeatNodeArg *arg;
  LeatPort *port;
} LeatNodeTerm;

/* An argument's own name. */
static const char *
leat_node_skip_prefix (const char *name)
{
  return g_str_has_prefix (name, LEAT_NODE_ARG_PREFIX) ? name + strlen (LEAT_NODE_ARG_PREFIX) : name;
}

/* A name that is known to be no property's. */
static gboolean
leat_node_look_up_dynamic (LeatNode *self, const char *name, LeatNodeTerm *term)
{
  *term = (LeatNodeTerm){ 0 };
  if (g_str_has_prefix (name, LEAT_NODE_ARG_PREFIX))
    term->arg = leat_node_peek_arg (self, name + strlen (LEAT_NODE_ARG_PREFIX));
  else if (g_str_has_prefix (name, LEAT_NODE_PORT_PREFIX))
    term->port = leat_node_peek_port (self, name + strlen (LEAT_NODE_PORT_PREFIX));
  else
    {
      term->arg = leat_node_peek_arg (self, name);
      if (term->arg == NULL)
        term->port = leat_node_peek_port (self, name);
    }
  return term->arg != NULL || term->port != NULL;
}

static gboolean
leat_node_look_up (LeatNode *self, const char *name, LeatNodeTerm *term)
{
  const LeatProp *prop = leat_node_find_prop (self, name);

  if (prop == NULL)
    return leat_node_look_up_dynamic (self, name, term);
  *term = (LeatNodeTerm){ .prop = prop };
  return TRUE;
}

/* A required property has no default, so one that was given is told whatever its value. */
static gboolean
leat_node_holds_default (LeatNode *self, const LeatProp *prop)
{
  if ((prop->flags & LEAT_PROP_REQUIRED) != 0)
    return !leat_node_was_given (self, prop);
  return leat_prop_holds_default (prop, self);
}

static void
leat_node_set_unknown_error (LeatNode *self, const char *name, GError **error)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree GParamSpec **pspecs = NULL;
  g_autofree char *title = leat_node_dup_title (self);
  g_autofree char *hint = NULL;
  guint n;

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (self), &n);
  for (guint i = 0; i < n; i++)
    if (leat_prop_from_pspec (pspecs[i]) != NULL)
      g_ptr_array_add (names, (gpointer) pspecs[i]->name);
  for (guint i = 0; i < priv->args->len; i++)
    g_ptr_array_add (names, ((LeatNodeArg *) priv->args->pdata[i])->name);
  for (guint i = 0; i < priv->ports->len; i++)
    g_ptr_array_add (names, (gpointer) leat_port_get_name (priv->ports->pdata[i]));
  g_ptr_array_add (names, NULL);
  hint = leat_graph_error_hint (name, (const char *const *) names->pdata, "properties");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, "%s has no property \"%s\"%s", title, name,
               hint);
}

static gboolean
leat_node_set_prop_from_string (LeatNode *self, GParamSpec *pspec, const LeatProp *prop, const char *text,
                                GError **error)
{
  g_auto (GValue) value = G_VALUE_INIT;

  if (!leat_node_check_may_set (self, prop, error))
    return FALSE;
  g_value_init (&value, G_PARAM_SPEC_VALUE_TYPE (pspec));
  if (!leat_prop_parse (prop, text, &value, error))
    {
      g_autofree char *title = leat_node_dup_title (self);

      g_prefix_error (error, "%s: ", title);
      return FALSE;
    }
  leat_node_put_prop (self, pspec, prop, &value);
  return TRUE;
}

/* @owner: the node that has the argument, or the arguments that @name is the first part of: @self or a draft. @details:
 * (out): of the signals, GQuark */
static gboolean
leat_node_set_args_from_string (LeatNode *self, LeatNode *owner, const char *name, LeatNodeArg *arg, const char *text,
                                GArray *details, GError **error)
{
  g_autoptr (GArray) values = g_array_new (FALSE, FALSE, sizeof (LeatArgValue));
  LeatArgValue one = { .arg = arg };
  g_autofree char *title = NULL;

  if (arg != NULL ? !leat_node_arg_parse (arg, text, &one.number, error)
                  : !leat_node_parse_args (owner, name, text, values, error))
    {
      title = leat_node_dup_title (self);
      g_prefix_error (error, "%s: ", title);
      return FALSE;
    }
  if (arg != NULL)
    g_array_append_val (values, one);
  for (guint i = 0; i < values->len; i++)
    {
      const LeatArgValue *value = &g_array_index (values, LeatArgValue, i);

      g_array_append_val (details, value->arg->detail);
      leat_node_put_arg (self, value->arg, &value->number);
    }
  return TRUE;
}

static gboolean
leat_node_set_port_from_string (LeatNode *self, LeatPort *port, const char *text, GError **error)
{
  g_autoptr (LeatSpec) spec = leat_spec_parse (text, error);
  g_autofree char *title = NULL;

  if (spec != NULL)
    return leat_port_constrain (port, spec, error);
  title = leat_node_dup_title (self);
  g_prefix_error (error, "%s: port \"%s\": ", title, leat_port_get_name (port));
  return FALSE;
}

/* Under the lock, since a session that plans the pipeline anew may take arguments and ports away. @details: of the
 * signals where arguments were set */
static gboolean
leat_node_set_dynamic_from_string (LeatNode *self, const char *name, const char *text, GArray *details, GError **error)
{
  const char *bare = leat_node_skip_prefix (name);
  g_autoptr (LeatNode) draft = NULL;
  LeatNode *owner = self;
  LeatNodeTerm term;

  if (!leat_node_prepare (self, error))
    return FALSE;
  if (!leat_node_look_up_dynamic (self, name, &term) && !leat_node_has_members (self, bare)
      && (draft = leat_node_new_draft (self)) != NULL)
    {
      if (!leat_node_prepare (draft, error))
        return FALSE;
      leat_node_look_up_dynamic (draft, name, &term);
      owner = draft;
    }
  if (term.arg == NULL && term.port != NULL)
    return leat_node_check_idle (self, "narrow port", name, error)
           && leat_node_set_port_from_string (self, term.port, text, error);
  if (term.arg != NULL || leat_node_has_members (owner, bare))
    return leat_node_set_args_from_string (self, owner, bare, term.arg, text, details, error);
  leat_node_set_unknown_error (owner, name, error);
  return FALSE;
}

/**
 * leat_node_set_from_string:
 * @self: a node
 * @name: a property, an argument or a port
 * @text: the value; for a port a spec, which narrows what the port accepts
 * @error: return location
 *
 * Sets something of a node from text, as the languages and tools do.
 *
 * Arguments that are the numbers of a structure, such as `p.gain` and `p.clip.0`, can be set by one text of JSON, which
 * is for `p`: `{"gain": 2, "clip": [0, 255]}`.  What it does not name stays; an array has all its values.
 *
 * A property hides an argument of the same name, and an argument a port; `arg.NAME` and `port.NAME` reach them.  Ports
 * and arguments that follow from properties are known only once these are set, so set properties first.
 *
 * While a session is open, properties and arguments may be set from any thread; the next run that begins takes them, or
 * reports what a plan finds wrong with them and goes on with the old values.  Ports cannot be narrowed then, and
 * sources and sinks keep the properties that they have in the middle of their streams.
 *
 * Returns: %FALSE with %LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY, %LEAT_GRAPH_ERROR_TYPE, %LEAT_GRAPH_ERROR_RANGE,
 *   %LEAT_GRAPH_ERROR_SPEC, or %LEAT_GRAPH_ERROR_BUSY for what cannot change while a session is open
 *
 * Since: 0.1
 */
gboolean
leat_node_set_from_string (LeatNode *self, const char *name, const char *text, GError **error)
{
  GParamSpec *pspec;
  g_autoptr (GArray) details = NULL;
  const LeatProp *prop;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (name != NULL && text != NULL, FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  pspec = g_object_class_find_property (G_OBJECT_GET_CLASS (self), name);
  prop = pspec != NULL ? leat_prop_from_pspec (pspec) : NULL;
  if (prop != NULL)
    return leat_node_set_prop_from_string (self, pspec, prop, text, error);
  leat_node_lock (self);
  details = g_array_new (FALSE, FALSE, sizeof (GQuark));
  good = leat_node_set_dynamic_from_string (self, name, text, details, error);
  leat_node_unlock (self);
  for (guint i = 0; i < details->len; i++)
    leat_node_emit_arg_changed (self, g_array_index (details, GQuark, i));
  return good;
}

static char *
leat_node_print (LeatNode *self, const char *name)
{
  LeatNodeTerm term;

  if (leat_node_find_prop (self, name) == NULL)
    leat_node_prepare (self, NULL);
  leat_node_look_up (self, name, &term);
  if (term.prop != NULL && !leat_node_holds_default (self, term.prop))
    return leat_prop_print_field (term.prop, self);
  if (term.arg != NULL && term.arg->is_set)
    return leat_node_arg_print (term.arg);
  if (term.port != NULL && term.port->constraint != NULL)
    return leat_spec_to_string (term.port->constraint, LEAT_SPEC_STYLE_FILE);
  return NULL;
}

/**
 * leat_node_dup_as_string:
 * @self: a node
 * @name: a property, an argument or a port
 *
 * Writes a value as leat_node_set_from_string() would read it back.  Of a property that was set while a session is open
 * it is the one that the session runs with, until it has taken the other over.
 *
 * Returns: (transfer full) (nullable): the text; %NULL for a property that holds its default, an argument that is not
 *   set, a port that is not narrowed, and for what the node does not have
 *
 * Since: 0.1
 */
char *
leat_node_dup_as_string (LeatNode *self, const char *name)
{
  char *text;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  g_return_val_if_fail (name != NULL, NULL);

  leat_node_lock (self);
  text = leat_node_print (self, name);
  leat_node_unlock (self);
  return text;
}

static char *
leat_node_dup_free_name (LeatNode *self, const char *name, const char *prefix)
{
  gboolean is_hidden = leat_node_find_prop (self, name) != NULL
                       || (strcmp (prefix, LEAT_NODE_PORT_PREFIX) == 0 && leat_node_peek_arg (self, name) != NULL);

  return is_hidden ? g_strconcat (prefix, name, NULL) : g_strdup (name);
}

/**
 * leat_node_list_set:
 * @self: a node
 *
 * Lists what was set away from its default: properties, then arguments, then ports that were narrowed.
 *
 * Each name with its leat_node_dup_as_string() makes the node again.
 *
 * Returns: (transfer full) (array zero-terminated=1): the names
 *
 * Since: 0.1
 */
char **
leat_node_list_set (LeatNode *self)
{
  LeatNodePrivate *priv;
  g_autofree GParamSpec **pspecs = NULL;
  GPtrArray *names;
  guint n;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  leat_node_prepare (self, NULL);
  priv = leat_node_get_private (self);
  names = g_ptr_array_new ();
  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (self), &n);
  for (guint i = 0; i < n; i++)
    {
      const LeatProp *prop = leat_prop_from_pspec (pspecs[i]);

      if (prop != NULL && !leat_node_holds_default (self, prop))
        g_ptr_array_add (names, g_strdup (prop->name));
    }
  for (guint i = 0; i < priv->args->len; i++)
    {
      LeatNodeArg *arg = priv->args->pdata[i];

      if (arg->is_set)
        g_ptr_array_add (names, leat_node_dup_free_name (self, arg->name, LEAT_NODE_ARG_PREFIX));
    }
  for (guint i = 0; i < priv->ports->len; i++)
    {
      LeatPort *port = priv->ports->pdata[i];

      if (port->constraint != NULL)
        g_ptr_array_add (names, leat_node_dup_free_name (self, port->name, LEAT_NODE_PORT_PREFIX));
    }
  g_ptr_array_add (names, NULL);
  return (char **) g_ptr_array_free (names, FALSE);
}
