/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Keeps what was set on the nodes of a pipeline while a session is open, until the session takes it over.  Touches its
 * own lists only.  The nodes' arguments are guarded by its lock. */

#include "leat-node-arg-private.h"

#include <pthread.h>

struct _LeatChanges
{
  pthread_mutex_t lock; /* pthread's own, because the thread sanitizer knows it */
  GPtrArray *nodes;     /* LeatNode, not owned: the pipeline holds them while a session is open */
  gint there;           /* atomic */
  GPtrArray *props;     /* LeatPropChange, one a property; their nodes likewise */
  gint props_there;     /* atomic */
  GPtrArray *args;      /* LeatArgChange, one an argument; likewise */
};

static void
leat_prop_change_free (gpointer data)
{
  LeatPropChange *self = data;

  g_value_unset (&self->value);
  g_free (self);
}

static void
leat_arg_change_free (gpointer data)
{
  LeatArgChange *self = data;

  leat_node_arg_free (self->arg);
  g_free (self);
}

LeatChanges *
leat_changes_new (void)
{
  LeatChanges *self = g_new0 (LeatChanges, 1);
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (&self->lock, &attributes);
  pthread_mutexattr_destroy (&attributes);
  self->nodes = g_ptr_array_sized_new (16);
  self->props = g_ptr_array_new_with_free_func (leat_prop_change_free);
  self->args = g_ptr_array_new_with_free_func (leat_arg_change_free);
  return self;
}

void
leat_changes_free (LeatChanges *self)
{
  pthread_mutex_destroy (&self->lock);
  g_ptr_array_unref (self->nodes);
  g_ptr_array_unref (self->props);
  g_ptr_array_unref (self->args);
  g_free (self);
}

void
leat_changes_lock (LeatChanges *self)
{
  pthread_mutex_lock (&self->lock);
}

void
leat_changes_unlock (LeatChanges *self)
{
  pthread_mutex_unlock (&self->lock);
}

gboolean
leat_changes_are_there (LeatChanges *self)
{
  return g_atomic_int_get (&self->there);
}

gboolean
leat_changes_has (LeatChanges *self, LeatNode *node)
{
  return leat_node_get_private (node)->is_noted;
}

void
leat_changes_note (LeatChanges *self, LeatNode *node)
{
  LeatNodePrivate *priv = leat_node_get_private (node);

  if (!priv->is_noted)
    g_ptr_array_add (self->nodes, node);
  priv->is_noted = TRUE;
  g_atomic_int_set (&self->there, TRUE);
}

guint
leat_changes_get_n (LeatChanges *self)
{
  return self->nodes->len;
}

LeatNode *
leat_changes_get (LeatChanges *self, guint index)
{
  return g_ptr_array_index (self->nodes, index);
}

void
leat_changes_clear (LeatChanges *self)
{
  for (guint i = 0; i < self->nodes->len; i++)
    leat_node_get_private (g_ptr_array_index (self->nodes, i))->is_noted = FALSE;
  g_ptr_array_set_size (self->nodes, 0);
  g_atomic_int_set (&self->there, FALSE);
}

gboolean
leat_changes_have_props (LeatChanges *self)
{
  return g_atomic_int_get (&self->props_there);
}

gboolean
leat_changes_have_props_of (LeatChanges *self, LeatNode *node)
{
  gboolean have = FALSE;

  if (!leat_changes_have_props (self))
    return FALSE;
  leat_changes_lock (self);
  for (guint i = 0; i < self->props->len && !have; i++)
    have = ((LeatPropChange *) g_ptr_array_index (self->props, i))->node == node;
  leat_changes_unlock (self);
  return have;
}

static LeatPropChange *
leat_changes_find_prop (LeatChanges *self, LeatNode *node, const LeatProp *prop)
{
  for (guint i = 0; i < self->props->len; i++)
    {
      LeatPropChange *change = g_ptr_array_index (self->props, i);

      if (change->node == node && change->prop == prop)
        return change;
    }
  return NULL;
}

void
leat_changes_put_prop (LeatChanges *self, LeatNode *node, const LeatProp *prop, const GValue *value)
{
  LeatPropChange *change = leat_changes_find_prop (self, node, prop);

  if (change == NULL)
    {
      change = g_new0 (LeatPropChange, 1);
      change->node = node;
      change->prop = prop;
      change->given = TRUE;
      g_value_init (&change->value, G_VALUE_TYPE (value));
      g_ptr_array_add (self->props, change);
    }
  g_value_copy (value, &change->value);
  g_atomic_int_set (&self->props_there, TRUE);
}

const GValue *
leat_changes_peek_prop (LeatChanges *self, LeatNode *node, const LeatProp *prop)
{
  LeatPropChange *change = leat_changes_find_prop (self, node, prop);

  return change != NULL ? &change->value : NULL;
}

GPtrArray *
leat_changes_steal_props (LeatChanges *self)
{
  GPtrArray *props = self->props;

  self->props = g_ptr_array_new_with_free_func (leat_prop_change_free);
  g_atomic_int_set (&self->props_there, FALSE);
  return props;
}

LeatNodeArg *
leat_changes_peek_arg (LeatChanges *self, LeatNode *node, const char *name)
{
  for (guint i = 0; i < self->args->len; i++)
    {
      LeatArgChange *change = g_ptr_array_index (self->args, i);

      if (change->node == node && g_str_equal (change->arg->name, name))
        return change->arg;
    }
  return NULL;
}

void
leat_changes_put_arg (LeatChanges *self, LeatNode *node, const LeatNodeArg *arg)
{
  LeatNodeArg *kept = leat_changes_peek_arg (self, node, arg->name);

  if (kept == NULL)
    {
      LeatArgChange *change = g_new0 (LeatArgChange, 1);

      change->node = node;
      change->arg = kept = g_new0 (LeatNodeArg, 1);
      kept->name = g_strdup (arg->name);
      g_ptr_array_add (self->args, change);
    }
  leat_node_arg_clear (kept);
  kept->type = arg->type;
  kept->number = arg->number;
  kept->is_set = TRUE;
}

GPtrArray *
leat_changes_steal_args (LeatChanges *self)
{
  GPtrArray *args = self->args;

  self->args = g_ptr_array_new_with_free_func (leat_arg_change_free);
  return args;
}
