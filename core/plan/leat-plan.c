/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, its ops and its buffers. */

#include "leat-plan-private.h"

#include "leat-plan-aligned-private.h"

/**
 * LeatPlan:
 *
 * A pipeline lowered to an ordered list of ops over a table of buffers.
 *
 * Making one needs no device and no driver, so everything that can be wrong with a pipeline is found here: specs are
 * negotiated along the links, nodes are put in order, each records what it will do, and buffers get sizes, lifetimes
 * and places.  Such a plan is *logical*.  A session binds it to its device: it decides how data enters and leaves, and
 * lays memory out anew.  Its predictions (launches, copies, bytes, waits) are what a run does; tests hold it to that.
 */

G_DEFINE_TYPE (LeatPlan, leat_plan, G_TYPE_OBJECT)

static void
leat_buffer_free (LeatBuffer *buffer)
{
  g_free (buffer->name);
  g_clear_pointer (&buffer->spec, leat_spec_unref);
  g_clear_pointer (&buffer->initial, g_bytes_unref);
  g_clear_pointer (&buffer->queue, g_bytes_unref);
  g_free (buffer);
}

static void
leat_plan_finalize (GObject *object)
{
  LeatPlan *self = LEAT_PLAN (object);

  g_ptr_array_unref (self->ops);
  g_ptr_array_unref (self->buffers);
  g_hash_table_unref (self->ports);
  g_array_unref (self->delays);
  g_array_unref (self->aligned);
  g_ptr_array_unref (self->loops);
  g_ptr_array_unref (self->fusibles);
  g_array_unref (self->users);
  g_array_unref (self->pass_notes);
  g_clear_object (&self->folded);
  g_clear_pointer (&self->nodes, g_ptr_array_unref);
  g_clear_object (&self->pipeline);
  G_OBJECT_CLASS (leat_plan_parent_class)->finalize (object);
}

static void
leat_plan_class_init (LeatPlanClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = leat_plan_finalize;
}

static void
leat_plan_init (LeatPlan *self)
{
  self->ops = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_op_free);
  self->buffers = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_buffer_free);
  self->ports = g_hash_table_new (NULL, NULL);
  self->delays = g_array_new (FALSE, FALSE, sizeof (LeatDelay));
  self->aligned = g_array_new (FALSE, FALSE, sizeof (LeatAligned));
  g_array_set_clear_func (self->aligned, (GDestroyNotify) leat_aligned_clear);
  self->loops = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_plan_loop_free);
  self->fusibles = g_ptr_array_new_with_free_func (g_free);
  self->users = g_array_new (FALSE, FALSE, sizeof (LeatBufferId));
  self->pass_notes = g_array_new (FALSE, FALSE, sizeof (LeatPassNote));
  self->table = LEAT_BUFFER_NONE;
}

void
leat_plan_share (LeatPlan *self, LeatPlan *from)
{
  g_set_object (&self->pipeline, from->pipeline);
  self->nodes = from->nodes != NULL ? g_ptr_array_ref (from->nodes) : NULL;
  g_hash_table_unref (self->ports);
  self->ports = g_hash_table_ref (from->ports);
  g_array_unref (self->delays);
  self->delays = g_array_ref (from->delays);
  leat_plan_copy_aligned (self, from);
  g_array_unref (self->users);
  self->users = g_array_ref (from->users);
  g_array_unref (self->pass_notes);
  self->pass_notes = g_array_ref (from->pass_notes);
  g_set_object (&self->folded, from->folded);
  self->first_user = from->first_user;
  self->table = from->table;
  self->flush = from->flush;
  self->grows = from->grows;
  self->negotiate_us = from->negotiate_us;
}

static LeatBuffer *
leat_buffer_copy (const LeatBuffer *self)
{
  LeatBuffer *copy = g_memdup2 (self, sizeof *self);

  copy->name = g_strdup (self->name);
  copy->spec = self->spec != NULL ? leat_spec_ref (self->spec) : NULL;
  copy->initial = self->initial != NULL ? g_bytes_ref (self->initial) : NULL;
  copy->queue = self->queue != NULL ? g_bytes_ref (self->queue) : NULL;
  copy->loop = NULL;
  return copy;
}

LeatPlan *
leat_plan_new_beside (LeatPlan *self)
{
  LeatPlan *beside = g_object_new (LEAT_TYPE_PLAN, NULL);

  g_set_object (&beside->pipeline, self->pipeline);
  beside->nodes = g_ptr_array_ref (self->nodes);
  for (guint i = 0; i < self->buffers->len; i++)
    g_ptr_array_add (beside->buffers, leat_buffer_copy (leat_plan_get_buffer (self, i)));
  return beside;
}

/**
 * leat_plan_get_n_ops:
 * @self: a plan
 *
 * Counts the ops.
 *
 * Returns: how many
 */
guint
leat_plan_get_n_ops (LeatPlan *self)
{
  return self->ops->len;
}

/**
 * leat_plan_get_n_buffers:
 * @self: a plan
 *
 * Counts the buffers.
 *
 * Returns: how many
 */
guint
leat_plan_get_n_buffers (LeatPlan *self)
{
  return self->buffers->len;
}
