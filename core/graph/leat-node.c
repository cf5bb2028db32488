/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its name, and the pipeline that it is in. */

#include "leat-node-private.h"

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

static gpointer leat_node_parent_class;
static GParamSpec *leat_node_pspecs[LEAT_NODE_PROP_NAME + 1];

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
  leat_node_pspecs[LEAT_NODE_PROP_NAME] =
    g_param_spec_string ("name", NULL, "Name of the node in its pipeline", NULL,
                         G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | G_PARAM_EXPLICIT_NOTIFY);
  g_object_class_install_properties (object_class, G_N_ELEMENTS (leat_node_pspecs), leat_node_pspecs);

  /**
   * LeatNode::arg-changed:
   * @self: the node
   * @name: which argument
   *
   * An argument has got another value.  The detail is the argument's name.
   *
   * Since: 0.1
   */
  leat_node_arg_changed_signal = g_signal_new ("arg-changed", LEAT_TYPE_NODE, G_SIGNAL_RUN_LAST | G_SIGNAL_DETAILED, 0,
                                               NULL, NULL, NULL, G_TYPE_NONE, 1, G_TYPE_STRING);
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
