/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "toy-nodes.h"

typedef enum
{
  TOY_UPLOAD,
  TOY_READBACK,
  TOY_STAGE,
  TOY_STAGE_IN_PLACE,
  TOY_JOIN,
} ToyKind;

typedef struct
{
  LeatNode parent_instance;
  ToyKind kind;
  LeatTransferMode mode;
} ToyNode;

typedef struct
{
  LeatNodeClass parent_class;
} ToyNodeClass;

typedef struct
{
  LeatEndpoint parent_instance;
  LeatSpec *spec;
} ToyEndpoint;

typedef struct
{
  LeatEndpointClass parent_class;
} ToyEndpointClass;

GType toy_node_get_type (void);
GType toy_endpoint_get_type (void);

G_DEFINE_TYPE (ToyNode, toy_node, LEAT_TYPE_NODE)
G_DEFINE_TYPE (ToyEndpoint, toy_endpoint, LEAT_TYPE_ENDPOINT)

static const LeatNodeInfo toy_node_info = { .size = sizeof (LeatNodeInfo), .id = "toy:node", .summary = "for tests" };
static const LeatNodeInfo toy_endpoint_info = { .size = sizeof (LeatNodeInfo),
                                                .id = "toy:endpoint",
                                                .summary = "for tests" };

static gboolean
toy_node_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  ToyNode *self = (ToyNode *) node;
  LeatBufferId out = leat_recorder_get_output (recorder, "out");

  switch (self->kind)
    {
    case TOY_UPLOAD:
    case TOY_READBACK:
      leat_recorder_add_transfer (recorder, out, leat_recorder_get_input (recorder, "in"), self->mode);
      break;
    case TOY_STAGE:
      leat_recorder_add_copy (recorder, out, leat_recorder_get_input (recorder, "in"));
      break;
    case TOY_STAGE_IN_PLACE:
      if (leat_recorder_alias (recorder, "out", "in"))
        leat_recorder_add_fill (recorder, out, 1);
      else
        leat_recorder_add_copy (recorder, out, leat_recorder_get_input (recorder, "in"));
      break;
    case TOY_JOIN:
      leat_recorder_add_copy (recorder, out, leat_recorder_get_input (recorder, "a"));
      leat_recorder_add_copy (recorder, out, leat_recorder_get_input (recorder, "b"));
      break;
    }
  return TRUE;
}

static void
toy_node_class_init (ToyNodeClass *klass)
{
  LEAT_NODE_CLASS (klass)->record = toy_node_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &toy_node_info);
}

static void
toy_node_init (ToyNode *self)
{
}

static gboolean
toy_endpoint_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  ToyEndpoint *self = (ToyEndpoint *) node;

  return self->spec == NULL || leat_negotiation_set_output (negotiation, "out", self->spec, error);
}

static void
toy_endpoint_finalize (GObject *object)
{
  g_clear_pointer (&((ToyEndpoint *) object)->spec, leat_spec_unref);
  G_OBJECT_CLASS (toy_endpoint_parent_class)->finalize (object);
}

static void
toy_endpoint_class_init (ToyEndpointClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = toy_endpoint_finalize;
  LEAT_NODE_CLASS (klass)->negotiate = toy_endpoint_negotiate;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &toy_endpoint_info);
}

static void
toy_endpoint_init (ToyEndpoint *self)
{
}

static void
toy_add_port (LeatNode *node, const char *name, LeatDirection direction, guint flags)
{
  g_autoptr (LeatSpec) any = leat_spec_new_any ();

  leat_node_add_port (node, name, direction, flags, any, NULL);
}

LeatNode *
toy_source_new (const char *name, const char *spec)
{
  LeatNode *node = g_object_new (toy_endpoint_get_type (), "name", name, NULL);

  ((ToyEndpoint *) node)->spec = leat_spec_parse (spec, NULL);
  g_assert_nonnull (((ToyEndpoint *) node)->spec);
  toy_add_port (node, "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST);
  return node;
}

LeatNode *
toy_sink_new (const char *name)
{
  LeatNode *node = g_object_new (toy_endpoint_get_type (), "name", name, NULL);

  toy_add_port (node, "in", LEAT_PORT_INPUT, LEAT_PORT_HOST);
  return node;
}

static LeatNode *
toy_node_new (const char *name, ToyKind kind, guint in_flags, guint out_flags)
{
  LeatNode *node = g_object_new (toy_node_get_type (), "name", name, NULL);

  ((ToyNode *) node)->kind = kind;
  if (kind == TOY_JOIN)
    {
      toy_add_port (node, "a", LEAT_PORT_INPUT, in_flags);
      toy_add_port (node, "b", LEAT_PORT_INPUT, in_flags);
    }
  else
    toy_add_port (node, "in", LEAT_PORT_INPUT, in_flags);
  toy_add_port (node, "out", LEAT_PORT_OUTPUT, out_flags);
  return node;
}

LeatNode *
toy_upload_new (const char *name, LeatTransferMode mode)
{
  LeatNode *node = toy_node_new (name, TOY_UPLOAD, LEAT_PORT_HOST, 0);

  ((ToyNode *) node)->mode = mode;
  return node;
}

LeatNode *
toy_readback_new (const char *name, LeatTransferMode mode)
{
  LeatNode *node = toy_node_new (name, TOY_READBACK, 0, LEAT_PORT_HOST);

  ((ToyNode *) node)->mode = mode;
  return node;
}

LeatNode *
toy_stage_new (const char *name, gboolean in_place)
{
  return toy_node_new (name, in_place ? TOY_STAGE_IN_PLACE : TOY_STAGE, 0, 0);
}

LeatNode *
toy_join_new (const char *name)
{
  return toy_node_new (name, TOY_JOIN, 0, 0);
}
