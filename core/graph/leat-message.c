/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The type: messages for the bus, with details that are made when somebody asks for them. */

#include "leat-message-private.h"

/**
 * LeatMessage:
 *
 * Something that a running pipeline has to tell.
 *
 * Immutable and reference-counted.
 *
 * Since: 0.1
 */
struct _LeatMessage
{
  gatomicrefcount ref_count;
  LeatMessageType type;
  char *source;
  GError *error;
  GVariant *details;
  LeatMessageDetails later; /* NULL, or what gives the details; its data: */
  gpointer data;
  GDestroyNotify free_data;
};

G_DEFINE_BOXED_TYPE (LeatMessage, leat_message, leat_message_ref, leat_message_unref)

/**
 * leat_message_new:
 * @type: what kind
 * @source: (nullable): the name of the node that it is about
 * @error: (nullable): what went wrong, for errors and warnings
 * @details: (nullable): more, an `a{sv}`; consumed if floating
 *
 * Makes a message.
 *
 * Returns: (transfer full): the message
 *
 * Since: 0.1
 */
LeatMessage *
leat_message_new (LeatMessageType type, const char *source, const GError *error, GVariant *details)
{
  LeatMessage *self = g_new0 (LeatMessage, 1);

  g_atomic_ref_count_init (&self->ref_count);
  self->type = type;
  self->source = g_strdup (source);
  self->error = error != NULL ? g_error_copy (error) : NULL;
  self->details = details != NULL ? g_variant_ref_sink (details) : NULL;
  return self;
}

/* @error: (transfer full); @later: gives the details of @data, which keeps them, when somebody asks */
LeatMessage *
leat_message_new_later (LeatMessageType type, const char *source, GError *error, LeatMessageDetails later,
                        gpointer data, GDestroyNotify free_data)
{
  LeatMessage *self = leat_message_new (type, source, NULL, NULL);

  self->error = error;
  self->later = later;
  self->data = data;
  self->free_data = free_data;
  return self;
}

/**
 * leat_message_ref: (skip)
 * @self: a message
 *
 * Adds a reference.
 *
 * Returns: (transfer full): @self
 *
 * Since: 0.1
 */
LeatMessage *
leat_message_ref (LeatMessage *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  g_atomic_ref_count_inc (&self->ref_count);
  return self;
}

/**
 * leat_message_unref: (skip)
 * @self: (transfer full): a message
 *
 * Drops a reference; with the last one the message goes.
 *
 * Since: 0.1
 */
void
leat_message_unref (LeatMessage *self)
{
  g_return_if_fail (self != NULL);

  if (!g_atomic_ref_count_dec (&self->ref_count))
    return;
  g_free (self->source);
  g_clear_error (&self->error);
  g_clear_pointer (&self->details, g_variant_unref);
  if (self->free_data != NULL)
    self->free_data (self->data);
  g_free (self);
}

/**
 * leat_message_get_kind:
 * @self: a message
 *
 * Gets what kind of message it is.
 *
 * Returns: the kind
 *
 * Since: 0.1
 */
LeatMessageType
leat_message_get_kind (LeatMessage *self)
{
  g_return_val_if_fail (self != NULL, LEAT_MESSAGE_ERROR);

  return self->type;
}

/**
 * leat_message_get_source:
 * @self: a message
 *
 * Gets the name of the node that the message is about.
 *
 * Returns: (transfer none) (nullable): the name, or %NULL when it is about the whole pipeline
 *
 * Since: 0.1
 */
const char *
leat_message_get_source (LeatMessage *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->source;
}

/**
 * leat_message_get_error:
 * @self: a message
 *
 * Gets what went wrong.
 *
 * Returns: (transfer none) (nullable): the error of an error or warning message
 *
 * Since: 0.1
 */
const GError *
leat_message_get_error (LeatMessage *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->error;
}

/**
 * leat_message_get_details:
 * @self: a message
 *
 * Gets what there is beside the error: the numbers of progress and statistics.
 *
 * Returns: (transfer none) (nullable): an `a{sv}`
 *
 * Since: 0.1
 */
GVariant *
leat_message_get_details (LeatMessage *self)
{
  g_return_val_if_fail (self != NULL, NULL);

  return self->later != NULL ? self->later (self->data) : self->details;
}
