/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tries properties that were set during a session, and undoes them where no plan comes of them.  Touches the nodes'
 * properties and arguments, and the changes that wait for the session. */

#include "leat-attempt-private.h"

#include "leat-node-arg-private.h"
#include "leat-pipeline-private.h"

/* The value of an argument before.  It is lost when the property that it follows from changes, and converted when the
 * data get another type, perhaps by another node's property. */
typedef struct
{
  LeatNode *node; /* the pipeline holds it */
  char *name;
  const char *type; /* interned */
  LeatNumber number;
} LeatKeptArg;

struct _LeatAttempt
{
  GPtrArray *props; /* LeatPropChange: from begin () on with the values before */
  GPtrArray *args;  /* LeatKeptArg */
  LeatChanges *changes;
};

static void
leat_kept_arg_free (gpointer data)
{
  LeatKeptArg *self = data;

  g_free (self->name);
  g_free (self);
}

static void
leat_attempt_keep_args (LeatAttempt *self, LeatNode *node)
{
  GPtrArray *args = leat_node_get_private (node)->args;

  for (guint i = 0; i < args->len; i++)
    {
      LeatNodeArg *arg = args->pdata[i];
      LeatKeptArg *kept;

      if (!arg->is_set)
        continue;
      kept = g_new0 (LeatKeptArg, 1);
      kept->node = node;
      kept->name = g_strdup (arg->name);
      kept->type = arg->type;
      kept->number = arg->number;
      g_ptr_array_add (self->args, kept);
    }
}

/* They were checked when they were set.  Since then properties may have got other values, with which there is no such
 * argument.  The plan tells of an argument that is missing then, or a node that cannot be prepared. */
static void
leat_attempt_put_args (LeatAttempt *self)
{
  g_autoptr (GPtrArray) waiting = leat_changes_steal_args (self->changes);

  for (guint i = 0; i < waiting->len; i++)
    {
      LeatArgChange *change = waiting->pdata[i];
      LeatNodeArg *arg =
        leat_node_prepare (change->node, NULL) ? leat_node_peek_arg (change->node, change->arg->name) : NULL;

      if (arg != NULL && leat_node_arg_take (arg, &change->arg->number, NULL))
        leat_node_put_arg (change->node, arg, &change->arg->number);
    }
}

LeatAttempt *
leat_attempt_begin (LeatPipeline *pipeline)
{
  LeatAttempt *self = g_new0 (LeatAttempt, 1);
  GPtrArray *nodes = leat_pipeline_get_nodes (pipeline);

  self->changes = leat_pipeline_get_changes (pipeline);
  self->args = g_ptr_array_new_with_free_func (leat_kept_arg_free);
  self->props = leat_changes_steal_props (self->changes);
  for (guint i = 0; i < nodes->len && self->props->len > 0; i++)
    leat_attempt_keep_args (self, nodes->pdata[i]);
  for (guint i = 0; i < self->props->len; i++)
    {
      LeatPropChange *change = self->props->pdata[i];

      leat_node_swap_prop (change->node, change);
    }
  leat_attempt_put_args (self);
  return self;
}

/* A value that another thread has set since is newer. */
static void
leat_kept_arg_put_back (LeatKeptArg *self, LeatChanges *changes)
{
  LeatNodeArg *arg = leat_node_peek_arg (self->node, self->name);

  if (arg == NULL || (arg->is_set && leat_changes_has (changes, self->node)))
    return;
  g_clear_pointer (&arg->value, g_variant_unref);
  arg->number = self->number;
  arg->is_set = TRUE;
  arg->type = self->type;
}

void
leat_attempt_undo (LeatAttempt *self)
{
  for (guint i = 0; i < self->props->len; i++)
    {
      LeatPropChange *change = self->props->pdata[i];

      leat_node_swap_prop (change->node, change);
    }
  for (guint i = 0; i < self->props->len; i++)
    leat_node_prepare (((LeatPropChange *) self->props->pdata[i])->node, NULL);
  for (guint i = 0; i < self->args->len; i++)
    leat_kept_arg_put_back (self->args->pdata[i], self->changes);
}

void
leat_attempt_free (LeatAttempt *self)
{
  g_ptr_array_unref (self->props);
  g_ptr_array_unref (self->args);
  g_free (self);
}
