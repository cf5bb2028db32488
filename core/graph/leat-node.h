/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "leat-plugin.h"
#include "leat-port.h"

G_BEGIN_DECLS

#define LEAT_TYPE_NODE (leat_node_get_type ())
G_DECLARE_DERIVABLE_TYPE (LeatNode, leat_node, LEAT, NODE, GObject)

/**
 * LeatNodeClass:
 * @prepare: makes what follows from properties (a kernel's ports and arguments from its source); called before ports
 *   are looked at and again after a property changed; must be cheap when nothing did
 * @negotiate: given the fixed specs of the inputs, states those of the outputs; the default gives every output the
 *   first input's spec
 * @record: describes the node's work as ops; never calls the driver
 *
 * The methods of a node.
 */
struct _LeatNodeClass
{
  GObjectClass parent_class;

  gboolean (*prepare) (LeatNode *self, GError **error);
  gboolean (*negotiate) (LeatNode *self, LeatNegotiation *negotiation, GError **error);
  gboolean (*record) (LeatNode *self, LeatRecorder *recorder, GError **error);

  /*< private >*/
  const LeatNodeInfo *info;
  gpointer padding[11];
};

void leat_node_class_describe (LeatNodeClass *klass, const LeatNodeInfo *info);

const LeatNodeInfo *leat_node_get_info (LeatNode *self);
const char *leat_node_get_id (LeatNode *self);
const char *leat_node_get_name (LeatNode *self);
LeatPipeline *leat_node_get_pipeline (LeatNode *self);
char *leat_node_to_string (LeatNode *self);

gboolean leat_node_prepare (LeatNode *self, GError **error);
LeatPort *leat_node_get_port (LeatNode *self, const char *name, GError **error);
GPtrArray *leat_node_list_ports (LeatNode *self);
/* For prepare () */
LeatPort *leat_node_add_port (LeatNode *self, const char *name, LeatDirection direction, guint flags, LeatSpec *spec,
                              const char *blurb);
void leat_node_remove_dynamic_ports (LeatNode *self);

gboolean leat_node_set_from_string (LeatNode *self, const char *name, const char *text, GError **error);
char *leat_node_dup_as_string (LeatNode *self, const char *name);
char **leat_node_list_set (LeatNode *self);

/* Arguments: the scalars of a kernel's prototype. */
gboolean leat_node_set_arg (LeatNode *self, const char *name, GVariant *value, GError **error);
gboolean leat_node_set_arg_double (LeatNode *self, const char *name, double value, GError **error);
gboolean leat_node_set_arg_int64 (LeatNode *self, const char *name, gint64 value, GError **error);
GVariant *leat_node_dup_arg (LeatNode *self, const char *name);
gboolean leat_node_has_arg_value (LeatNode *self, const char *name);
char **leat_node_list_args (LeatNode *self);
void leat_node_add_arg (LeatNode *self, const char *name, const char *type, const char *blurb);
void leat_node_add_choice (LeatNode *self, const char *name, const char *const *choices, const char *blurb);
guint leat_node_get_choice (LeatNode *self, const char *name);
void leat_node_set_arg_initial (LeatNode *self, const char *name, const char *value);
gboolean leat_node_set_arg_type (LeatNode *self, const char *name, const char *type, GError **error);
const char *leat_node_get_arg_type (LeatNode *self, const char *name);
void leat_node_remove_args (LeatNode *self);

void leat_node_blame (LeatNode *self, const char *name);
gboolean leat_node_prefix_title (LeatNode *self, GError **error);

void leat_node_set_base_path (LeatNode *self, const char *folder);
char *leat_node_dup_path (LeatNode *self, const char *property);
char *leat_node_resolve_path (LeatNode *self, const char *path);

/* A negotiation in progress: what the planner lends to negotiate (). */
LeatSpec *leat_negotiation_get_input (LeatNegotiation *self, const char *port);
guint64 leat_negotiation_let_grow (LeatNegotiation *self, const char *port);
LeatSpec *leat_negotiation_get_allowed (LeatNegotiation *self, const char *port);
gboolean leat_negotiation_set_output (LeatNegotiation *self, const char *port, LeatSpec *spec, GError **error);

G_END_DECLS
