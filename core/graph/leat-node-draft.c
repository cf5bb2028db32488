/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* While a session is open, properties that are set wait for it, and what follows from them is not there before the next
 * run begins.  An argument that only they bring can be set all the same: a node of the same kind, in no pipeline, is
 * given the properties and says what its arguments are. */

#include "leat-node-arg-private.h"
#include "leat-pipeline-private.h"

static gboolean
leat_node_has_waiting_prop (LeatNode *self, const LeatProp *prop)
{
  return leat_changes_peek_prop (leat_pipeline_get_changes (leat_node_get_pipeline (self)), self, prop) != NULL;
}

static gboolean
leat_node_copy_props (LeatNode *self, LeatNode *draft)
{
  g_autofree GParamSpec **pspecs = NULL;
  gboolean waits = FALSE;
  guint n;

  pspecs = g_object_class_list_properties (G_OBJECT_GET_CLASS (self), &n);
  for (guint i = 0; i < n; i++)
    {
      const LeatProp *prop = leat_prop_from_pspec (pspecs[i]);
      gboolean is_waiting = prop != NULL && leat_node_has_waiting_prop (self, prop);
      g_auto (GValue) value = G_VALUE_INIT;

      waits |= is_waiting;
      if (prop == NULL || !(is_waiting || leat_node_was_given (self, prop)))
        continue;
      g_value_init (&value, pspecs[i]->value_type);
      g_object_get_property (G_OBJECT (self), prop->name, &value);
      g_object_set_property (G_OBJECT (draft), prop->name, &value);
    }
  return waits;
}

LeatNode *
leat_node_new_draft (LeatNode *self)
{
  g_autoptr (LeatNode) draft = NULL;

  if (!leat_node_is_frozen (self)
      || !leat_changes_have_props (leat_pipeline_get_changes (leat_node_get_pipeline (self))))
    return NULL;
  draft = g_object_new (G_OBJECT_TYPE (self), "name", leat_node_get_name (self), NULL);
  leat_node_set_base_path (draft, leat_node_get_private (self)->base_path);
  return leat_node_copy_props (self, draft) ? g_steal_pointer (&draft) : NULL;
}
