/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-bus.h"

G_BEGIN_DECLS

/* Returns: (transfer none): an `a{sv}`; may be called by several threads at once */
typedef GVariant *(*LeatMessageDetails) (gpointer data);

LeatMessage *leat_message_new_later (LeatMessageType type, const char *source, GError *error, LeatMessageDetails later,
                                     gpointer data, GDestroyNotify free_data);

G_END_DECLS
