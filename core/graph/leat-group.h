/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-node.h"

G_BEGIN_DECLS

#define LEAT_TYPE_GROUP (leat_group_get_type ())
G_DECLARE_DERIVABLE_TYPE (LeatGroup, leat_group, LEAT, GROUP, LeatNode)

/**
 * LeatGroupClass:
 * @negotiate_end: when the specs of all nodes of the body are fixed: states those of the group's outputs
 * @record_end: when all nodes of the body have recorded: adds what comes after them, and says what the outputs are
 *
 * A node with a body.  Its own negotiate () and record () have their turn before the nodes of the body have theirs.
 */
struct _LeatGroupClass
{
  LeatNodeClass parent_class;

  gboolean (*negotiate_end) (LeatGroup *self, GError **error);
  gboolean (*record_end) (LeatGroup *self, LeatRecorder *recorder, GError **error);

  gpointer padding[6];
};

gboolean leat_group_add (LeatGroup *self, LeatNode *node, GError **error);
LeatNode *leat_group_get_begin (LeatGroup *self);
LeatNode *leat_group_get_end (LeatGroup *self);
LeatGroup *leat_node_get_group (LeatNode *self);

/* For negotiate_end () */
LeatSpec *leat_group_get_result (LeatGroup *self, const char *port);
gboolean leat_group_set_output (LeatGroup *self, const char *port, LeatSpec *spec, GError **error);

G_END_DECLS
