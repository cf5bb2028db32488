/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-endpoint.h"
#include "leat-graph-error.h"
#include "leat-node-private.h"
#include "leat-pipeline-private.h"

#include <string.h>

/**
 * LeatNode:
 *
 * One step of a pipeline: something that reads its input ports and writes its output ports.
 *
 * A node is made by a plugin's factory, set up with properties and, for a kernel, arguments, linked by its ports and
 * added to a pipeline.  It describes its work and never does it: a plan is made from the descriptions, and a session
 * runs the plan.  Subclasses are described by constant data, see leat_node_class_describe().
 *
 * Since: 0.1
 */

enum
{
  PROP_0,
  PROP_NAME,
  N_PROPS
};
enum
{
  SIGNAL_ARG_CHANGED,
  N_SIGNALS
};

static gpointer leat_node_parent_class;
static gint leat_node_private_offset;
static GParamSpec *leat_node_pspecs[N_PROPS];
static guint leat_node_signals[N_SIGNALS];

LeatNodePrivate *
leat_node_get_private (LeatNode *self)
{
  return G_STRUCT_MEMBER_P (self, leat_node_private_offset);
}

static void
leat_node_dispose (GObject *object)
{
  LeatNodePrivate *priv = leat_node_get_private (LEAT_NODE (object));

  for (guint i = 0; i < priv->ports->len; i++)
    leat_port_detach (priv->ports->pdata[i]);
  g_ptr_array_set_size (priv->ports, 0);
  G_OBJECT_CLASS (leat_node_parent_class)->dispose (object);
}

static void
leat_node_finalize (GObject *object)
{
  LeatNode *self = LEAT_NODE (object);
  LeatNodePrivate *priv = leat_node_get_private (self);

  leat_node_clear_fields (self);
  g_clear_pointer (&priv->ports, g_ptr_array_unref);
  g_clear_pointer (&priv->args, g_ptr_array_unref);
  g_clear_pointer (&priv->given, g_ptr_array_unref);
  g_clear_error (&priv->prepare_error);
  g_free (priv->name);
  g_free (priv->base_path);
  g_free (priv->origin);
  g_free (priv->blamed);
  g_clear_pointer (&priv->places, g_array_unref);
  G_OBJECT_CLASS (leat_node_parent_class)->finalize (object);
}

void
leat_node_rename (LeatNode *self, const char *name)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  if (g_strcmp0 (priv->name, name) == 0)
    return;
  g_free (priv->name);
  priv->name = g_strdup (name);
  g_object_notify_by_pspec (G_OBJECT (self), leat_node_pspecs[PROP_NAME]);
}

static void
leat_node_set_name_property (LeatNode *self, const char *name)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  if (priv->pipeline != NULL)
    g_warning ("%s is in a pipeline, which knows it by its name: it cannot be renamed", leat_node_get_label (self));
  else
    leat_node_rename (self, name);
}

void
leat_node_lock (LeatNode *self)
{
  LeatPipeline *pipeline = leat_node_get_private (self)->pipeline;

  if (pipeline != NULL)
    leat_changes_lock (leat_pipeline_get_changes (pipeline));
}

void
leat_node_unlock (LeatNode *self)
{
  LeatPipeline *pipeline = leat_node_get_private (self)->pipeline;

  if (pipeline != NULL)
    leat_changes_unlock (leat_pipeline_get_changes (pipeline));
}

/* What an endpoint reads in the middle of its stream cannot be taken away under it. */
gboolean
leat_node_check_may_set (LeatNode *self, const LeatProp *prop, GError **error)
{
  if ((prop->flags & (LEAT_PROP_LIVE | LEAT_PROP_REPLANS)) != 0 || !LEAT_IS_ENDPOINT (self))
    return TRUE;
  return leat_node_check_idle (self, "set property", prop->name, error);
}

static void
leat_node_note_given (LeatNodePrivate *priv, const LeatProp *prop, gboolean given)
{
  g_ptr_array_remove_fast (priv->given, (gpointer) prop);
  if (given)
    g_ptr_array_add (priv->given, (gpointer) prop);
}

/* Under the lock. */
static void
leat_node_set_prop (LeatNode *self, const LeatProp *prop, const GValue *value)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  if ((prop->flags & LEAT_PROP_LIVE) == 0 && leat_node_is_frozen (self))
    {
      leat_changes_put_prop (leat_pipeline_get_changes (priv->pipeline), self, prop, value);
      return;
    }
  leat_prop_set_field (prop, self, value);
  leat_node_note_given (priv, prop, TRUE);
  priv->dirty = TRUE;
}

/* Exchanges the value of a property with that of @change. */
void
leat_node_swap_prop (LeatNode *self, LeatPropChange *change)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  gboolean given = leat_node_was_given (self, change->prop);
  GValue old = G_VALUE_INIT;

  g_value_init (&old, G_VALUE_TYPE (&change->value));
  leat_prop_get_field (change->prop, self, &old);
  leat_prop_set_field (change->prop, self, &change->value);
  g_value_unset (&change->value);
  change->value = old;
  leat_node_note_given (priv, change->prop, change->given);
  change->given = given;
  priv->dirty = TRUE;
}

static void
leat_node_set_property (GObject *object, guint id, const GValue *value, GParamSpec *pspec)
{
  LeatNode *self = LEAT_NODE (object);
  const LeatProp *prop = leat_prop_from_pspec (pspec);
  g_autoptr (GError) error = NULL;

  if (prop == NULL && id == PROP_NAME)
    leat_node_set_name_property (self, g_value_get_string (value));
  else if (prop == NULL)
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
  else if (!leat_node_check_may_set (self, prop, &error))
    g_warning ("%s", error->message);
  else
    {
      leat_node_lock (self);
      leat_node_set_prop (self, prop, value);
      leat_node_unlock (self);
    }
}

/* What was set last, be it that a session has yet to take it over. */
static void
leat_node_get_prop (LeatNode *self, const LeatProp *prop, GValue *value)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (self);
  const GValue *waiting = NULL;

  leat_node_lock (self);
  if (pipeline != NULL)
    waiting = leat_changes_peek_prop (leat_pipeline_get_changes (pipeline), self, prop);
  if (waiting != NULL)
    g_value_copy (waiting, value);
  else
    leat_prop_get_field (prop, self, value);
  leat_node_unlock (self);
}

static void
leat_node_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  LeatNode *self = LEAT_NODE (object);
  const LeatProp *prop = leat_prop_from_pspec (pspec);

  if (prop != NULL)
    leat_node_get_prop (self, prop, value);
  else if (id == PROP_NAME)
    g_value_set_string (value, leat_node_get_name (self));
  else
    G_OBJECT_WARN_INVALID_PROPERTY_ID (object, id, pspec);
}

void
leat_node_class_install_accessors (GObjectClass *klass)
{
  klass->set_property = leat_node_set_property;
  klass->get_property = leat_node_get_property;
}

static void
leat_node_class_init (gpointer g_class, gpointer data)
{
  GObjectClass *object_class = G_OBJECT_CLASS (g_class);

  leat_node_parent_class = g_type_class_peek_parent (g_class);
  g_type_class_adjust_private_offset (g_class, &leat_node_private_offset);
  object_class->dispose = leat_node_dispose;
  object_class->finalize = leat_node_finalize;
  leat_node_class_install_accessors (object_class);
  leat_node_class_install_vfuncs (LEAT_NODE_CLASS (g_class));

  /**
   * LeatNode:name:
   *
   * The name in the pipeline, unique there.  It cannot change while the node is in one.
   *
   * Since: 0.1
   */
  leat_node_pspecs[PROP_NAME] =
    g_param_spec_string ("name", NULL, "Name of the node in its pipeline", NULL,
                         G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, N_PROPS, leat_node_pspecs);

  /**
   * LeatNode::arg-changed:
   * @self: the node
   * @name: which argument
   *
   * An argument has got another value.  The detail is the argument's name.
   *
   * Since: 0.1
   */
  leat_node_signals[SIGNAL_ARG_CHANGED] =
    g_signal_new ("arg-changed", LEAT_TYPE_NODE, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0, NULL, NULL, NULL,
                  G_TYPE_NONE, 1, G_TYPE_STRING);
}

static void
leat_node_init (GTypeInstance *instance, gpointer g_class)
{
  LeatNode *self = (LeatNode *) instance;
  LeatNodePrivate *priv = leat_node_get_private (self);

  priv->ports = g_ptr_array_new_with_free_func (g_object_unref);
  priv->args = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_node_arg_free);
  priv->given = g_ptr_array_new ();
  priv->dirty = TRUE;
  leat_node_init_fields (self, g_class);
  leat_node_init_ports (self, g_class);
}

/* Registered by hand, since the defaults come from the class of the instance that is made, which an initializer gets
 * only as its second argument. */
GType
leat_node_get_type (void)
{
  static gsize type_once = 0;

  if (g_once_init_enter (&type_once))
    {
      const GTypeInfo info = {
        .class_size = sizeof (LeatNodeClass),
        .class_init = leat_node_class_init,
        .instance_size = sizeof (LeatNode),
        .instance_init = leat_node_init,
      };
      GType type =
        g_type_register_static (G_TYPE_OBJECT, g_intern_static_string ("LeatNode"), &info, G_TYPE_FLAG_ABSTRACT);

      leat_node_private_offset = g_type_add_instance_private (type, sizeof (LeatNodePrivate));
      g_once_init_leave (&type_once, type);
    }
  return type_once;
}

void
leat_node_emit_arg_changed (LeatNode *self, GQuark detail)
{
  g_signal_emit (self, leat_node_signals[SIGNAL_ARG_CHANGED], detail, g_quark_to_string (detail));
}

/**
 * leat_node_get_info: (skip)
 * @self: a node
 *
 * Gets the description of the node's class.
 *
 * Returns: (transfer none) (nullable): constant data
 *
 * Since: 0.1
 */
const LeatNodeInfo *
leat_node_get_info (LeatNode *self)
{
  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  return LEAT_NODE_GET_CLASS (self)->info;
}

/**
 * leat_node_get_id:
 * @self: a node
 *
 * Gets the id that nodes of this kind are made by, such as `text:scan`.
 *
 * Returns: (transfer none): the id
 *
 * Since: 0.1
 */
const char *
leat_node_get_id (LeatNode *self)
{
  const LeatNodeInfo *info;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  info = LEAT_NODE_GET_CLASS (self)->info;
  return info != NULL ? info->id : G_OBJECT_TYPE_NAME (self);
}

/**
 * leat_node_get_name:
 * @self: a node
 *
 * Gets the node's name.
 *
 * Returns: (transfer none) (nullable): the name; %NULL while it has none and is in no pipeline
 *
 * Since: 0.1
 */
const char *
leat_node_get_name (LeatNode *self)
{
  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  return leat_node_get_private (self)->name;
}

const char *
leat_node_get_label (LeatNode *self)
{
  const char *name = leat_node_get_name (self);

  return name != NULL ? name : leat_node_get_id (self);
}

char *
leat_node_dup_title (LeatNode *self)
{
  const char *name = leat_node_get_name (self);

  return name != NULL ? g_strdup_printf ("%s \"%s\"", leat_node_get_id (self), name)
                      : g_strdup (leat_node_get_id (self));
}

/**
 * leat_node_get_pipeline:
 * @self: a node
 *
 * Gets the pipeline that the node is in.
 *
 * Returns: (transfer none) (nullable): the pipeline
 *
 * Since: 0.1
 */
LeatPipeline *
leat_node_get_pipeline (LeatNode *self)
{
  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  return leat_node_get_private (self)->pipeline;
}

void
leat_node_set_pipeline (LeatNode *self, LeatPipeline *pipeline)
{
  leat_node_get_private (self)->pipeline = pipeline;
}

gboolean
leat_node_is_frozen (LeatNode *self)
{
  LeatPipeline *pipeline = leat_node_get_private (self)->pipeline;

  return pipeline != NULL && leat_pipeline_is_frozen (pipeline);
}

gboolean
leat_node_check_idle (LeatNode *self, const char *verb, const char *what, GError **error)
{
  g_autofree char *title = NULL;

  if (!leat_node_is_frozen (self))
    return TRUE;
  title = leat_node_dup_title (self);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY,
               "cannot %s \"%s\" of %s while a session is open on its pipeline: close the session first", verb, what,
               title);
  return FALSE;
}

gboolean
leat_node_was_given (LeatNode *self, const LeatProp *prop)
{
  return g_ptr_array_find (leat_node_get_private (self)->given, prop, NULL);
}

gboolean
leat_node_name_is_valid (const char *name)
{
  if (!g_ascii_isalpha (*name) && *name != '_')
    return FALSE;
  for (; *name != '\0'; name++)
    if (!g_ascii_isalnum (*name) && *name != '_' && *name != '-')
      return FALSE;
  return TRUE;
}

/**
 * leat_node_to_string:
 * @self: a node
 *
 * Writes the node for people: `<text:scan words>`.
 *
 * Returns: (transfer full): the text
 *
 * Since: 0.1
 */
char *
leat_node_to_string (LeatNode *self)
{
  const char *name;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);

  name = leat_node_get_name (self);
  return g_strdup_printf ("<%s%s%s>", leat_node_get_id (self), name != NULL ? " " : "", name != NULL ? name : "");
}

/* A property that takes a linked port away would change the topology. */
static gboolean
leat_node_keep_linked_ports (LeatNode *self, GError **error)
{
  GPtrArray *ports = leat_node_get_private (self)->ports;
  const char *lost = NULL;

  for (guint i = 0; i < ports->len && leat_node_is_frozen (self); i++)
    {
      LeatPort *port = ports->pdata[i];

      if (!port->stale || !leat_port_is_linked (port))
        continue;
      lost = port->name;
      port->stale = FALSE;
    }
  if (lost == NULL)
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_BUSY,
               "what was set would take away the port \"%s\", which is linked, while a session is open: close the "
               "session first",
               lost);
  return FALSE;
}

static gboolean
leat_node_run_prepare (LeatNode *self, GError **error)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  LeatNodeClass *klass = LEAT_NODE_GET_CLASS (self);
  gboolean done;

  leat_node_blame (self, NULL);
  priv->preparing = TRUE;
  done = klass->prepare == NULL || klass->prepare (self, error);
  priv->preparing = FALSE;
  if (!leat_node_keep_linked_ports (self, done ? error : NULL))
    done = FALSE;
  leat_node_drop_stale_ports (self);
  leat_node_drop_stale_args (self);
  if (done && priv->prepare_error != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&priv->prepare_error));
      done = FALSE;
    }
  g_clear_error (&priv->prepare_error);
  if (done)
    leat_node_blame (self, NULL);
  return done;
}

/**
 * leat_node_prepare:
 * @self: a node
 * @error: return location
 *
 * Makes what follows from the properties: the ports and arguments of a kernel, say.
 *
 * It does something only when a property changed since the last time, or when the last time failed.  The functions that
 * look for ports and arguments call it.
 *
 * Returns: %FALSE with an error that names the node
 *
 * Since: 0.1
 */
gboolean
leat_node_prepare (LeatNode *self, GError **error)
{
  LeatNodePrivate *priv;
  g_autofree char *title = NULL;

  g_return_val_if_fail (LEAT_IS_NODE (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  priv = leat_node_get_private (self);
  if (!priv->dirty || priv->preparing
      || (leat_node_is_frozen (self) && !leat_pipeline_is_planned_here (priv->pipeline)))
    return TRUE;
  if (leat_node_run_prepare (self, error))
    {
      priv->dirty = FALSE;
      return TRUE;
    }
  title = leat_node_dup_title (self);
  g_prefix_error (error, "%s: ", title);
  return FALSE;
}

void
leat_node_set_origin (LeatNode *self, const char *origin)
{
  LeatNodePrivate *priv = leat_node_get_private (self);

  g_free (priv->origin);
  priv->origin = g_strdup (origin);
}

const char *
leat_node_get_origin (LeatNode *self)
{
  return leat_node_get_private (self)->origin;
}

/* `arg.` and `port.` reach what a property hides, and are no part of the name. */
static const char *
leat_node_skip_prefix (const char *name)
{
  return strchr (name, '.') != NULL ? strchr (name, '.') + 1 : name;
}

static void
leat_node_place_clear (gpointer data)
{
  LeatNodePlace *place = data;

  g_free (place->name);
  g_ref_string_release (place->file);
}

static const LeatNodePlace *
leat_node_find_place (LeatNode *self, const char *name)
{
  GArray *places = leat_node_get_private (self)->places;

  /* What was set last counts. */
  for (guint i = places != NULL ? places->len : 0; i > 0; i--)
    if (g_str_equal (g_array_index (places, LeatNodePlace, i - 1).name, name))
      return &g_array_index (places, LeatNodePlace, i - 1);
  return NULL;
}

void
leat_node_set_place (LeatNode *self, const char *name, const char *file, guint line, guint column)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  LeatNodePlace place = { g_strdup (leat_node_skip_prefix (name)), g_ref_string_new_intern (file), line, column };

  if (priv->places == NULL)
    {
      priv->places = g_array_new (FALSE, FALSE, sizeof place);
      g_array_set_clear_func (priv->places, leat_node_place_clear);
    }
  g_array_append_val (priv->places, place);
}

/**
 * leat_node_blame: (skip)
 * @self: a node
 * @name: (nullable): the name of a property, an argument or a port
 *
 * Says what the error that the node is about to return is about, so that its place in a file is told, not the node's.
 *
 * For implementations of prepare (), negotiate () and record ().  It holds until the next of them is called.
 *
 * Since: 0.1
 */
void
leat_node_blame (LeatNode *self, const char *name)
{
  LeatNodePrivate *priv;

  g_return_if_fail (LEAT_IS_NODE (self));

  priv = leat_node_get_private (self);
  g_free (priv->blamed);
  priv->blamed = g_strdup (name);
}

const char *
leat_node_get_blamed (LeatNode *self)
{
  return leat_node_get_private (self)->blamed;
}

void
leat_node_prefix_origin (LeatNode *self, GError **error)
{
  LeatNodePrivate *priv = leat_node_get_private (self);
  const LeatNodePlace *place = priv->blamed != NULL ? leat_node_find_place (self, priv->blamed) : NULL;

  if (place != NULL)
    g_prefix_error (error, "%s:%u:%u: ", place->file, place->line, place->column);
  else if (priv->origin != NULL)
    g_prefix_error (error, "%s: ", priv->origin);
}

void
leat_node_prefix_error (LeatNode *self, GError **error)
{
  g_autofree char *title = leat_node_dup_title (self);

  g_prefix_error (error, "%s: ", title);
  leat_node_prefix_origin (self, error);
}

/**
 * leat_node_set_base_path:
 * @self: a node
 * @folder: (nullable): a folder; %NULL is the current one
 *
 * Sets the folder against which relative PATH properties are read: that of the pipeline file which sets them.
 *
 * Since: 0.1
 */
void
leat_node_set_base_path (LeatNode *self, const char *folder)
{
  LeatNodePrivate *priv;

  g_return_if_fail (LEAT_IS_NODE (self));

  priv = leat_node_get_private (self);
  if (g_strcmp0 (priv->base_path, folder) == 0)
    return;
  g_free (priv->base_path);
  priv->base_path = g_strdup (folder);
  priv->dirty = TRUE;
}

/**
 * leat_node_dup_path:
 * @self: a node
 * @property: the name of a PATH property
 *
 * Gets a file name, resolved against the base path.
 *
 * Returns: (transfer full) (nullable): the file name, or %NULL while the property is not set
 *
 * Since: 0.1
 */
char *
leat_node_dup_path (LeatNode *self, const char *property)
{
  LeatNodePrivate *priv;
  const LeatProp *prop;
  const char *path;

  g_return_val_if_fail (LEAT_IS_NODE (self), NULL);
  prop = leat_node_find_prop (self, property);
  g_return_val_if_fail (prop != NULL && prop->type == LEAT_PROP_PATH, NULL);

  priv = leat_node_get_private (self);
  path = *(char **) ((char *) self + prop->offset);
  if (path == NULL || *path == '\0')
    return NULL;
  if (priv->base_path == NULL || g_path_is_absolute (path))
    return g_strdup (path);
  return g_build_filename (priv->base_path, path, NULL);
}
