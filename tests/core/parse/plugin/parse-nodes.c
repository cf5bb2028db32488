/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"

/* Nodes for the tests of the language: a port and a property of every kind, and no work at all. */

typedef struct
{
  LeatNode parent_instance;
  char *path;
  char *patterns;
  char *title;
  char *source;
  guint64 chunk;
  guint64 radius;
  gint64 level;
  double rate;
  gboolean fast;
  int mode;
} TestNode;

typedef LeatNodeClass TestNodeClass;

static const char *const modes[] = { "auto", "copy", "mapped", NULL };
static const char *const lift_aliases[] = { "t:lift", NULL };

#define PROP(field, ...)                                                                                               \
  {                                                                                                                    \
    .size = sizeof (LeatProp), .name = #field, .offset = offsetof (TestNode, field), .blurb = "A " #field, __VA_ARGS__ \
  }
#define PORT(port, way, more, what)                                                                                    \
  {                                                                                                                    \
    .size = sizeof (LeatPortInfo), .name = port, .direction = LEAT_PORT_##way, .flags = more, .spec = what,            \
    .blurb = "A port"                                                                                                  \
  }

static const LeatProp source_props[] = { PROP (path, .type = LEAT_PROP_PATH, .flags = LEAT_PROP_REQUIRED) };
static const LeatPortInfo source_ports[] = { PORT ("out", OUTPUT, LEAT_PORT_HOST, "any") };

static const LeatProp sink_props[] = { PROP (title, .type = LEAT_PROP_STRING), PROP (path, .type = LEAT_PROP_PATH) };
static const LeatPortInfo sink_ports[] = { PORT ("in", INPUT, LEAT_PORT_HOST, "any") };

static const LeatPortInfo up_ports[] = { PORT ("in", INPUT, LEAT_PORT_HOST, "any"), PORT ("out", OUTPUT, 0, "any") };
static const LeatPortInfo down_ports[] = { PORT ("in", INPUT, 0, "any"), PORT ("out", OUTPUT, LEAT_PORT_HOST, "any") };

static const LeatProp scan_props[] = {
  PROP (patterns, .type = LEAT_PROP_STRING, .flags = LEAT_PROP_REQUIRED),
  PROP (chunk, .type = LEAT_PROP_BYTES, .def.u = 4 << 20, .min.u = 1, .max.u = 1 << 30),
  PROP (radius, .type = LEAT_PROP_UINT, .def.u = 3, .min.u = 1, .max.u = 64),
  PROP (level, .type = LEAT_PROP_INT, .def.i = 0, .min.i = -5, .max.i = 5),
  PROP (rate, .type = LEAT_PROP_DOUBLE, .def.d = 0.5, .min.d = 0, .max.d = 1),
  PROP (fast, .type = LEAT_PROP_BOOL),
  PROP (mode, .type = LEAT_PROP_CHOICE, .choices = modes, .max.i = 2),
};
static const LeatPortInfo scan_ports[] = { PORT ("in", INPUT, 0, "u8[<=n]"), PORT ("out", OUTPUT, 0, "u32[<=m]") };

static const LeatPortInfo join_ports[] = { PORT ("left", INPUT, 0, "any"), PORT ("right", INPUT, 0, "any"),
                                           PORT ("out", OUTPUT, 0, "any") };
static const LeatPortInfo split_ports[] = { PORT ("in", INPUT, 0, "any"),
                                            PORT ("low", OUTPUT, LEAT_PORT_OPTIONAL, "any"),
                                            PORT ("high", OUTPUT, LEAT_PORT_OPTIONAL, "any") };
static const LeatProp kernel_props[] = { PROP (source, .type = LEAT_PROP_STRING, .flags = LEAT_PROP_REQUIRED) };

/* As a kernel's prototype does: ports and arguments follow from a property. */
static gboolean
test_kernel_prepare (LeatNode *node, GError **error)
{
  TestNode *self = (TestNode *) node;
  g_autoptr (LeatSpec) image = leat_spec_parse ("f32[h,w]", NULL);

  leat_node_remove_dynamic_ports (node);
  leat_node_remove_args (node);
  if (self->source == NULL)
    return TRUE;
  if (g_str_equal (self->source, "bad.cu"))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "bad.cu:1: no kernel");
      return FALSE;
    }
  leat_node_add_port (node, "in", LEAT_PORT_INPUT, 0, image, "Image");
  leat_node_add_port (node, "out", LEAT_PORT_OUTPUT, 0, image, "Image");
  leat_node_add_arg (node, "threshold", "f", "Threshold");
  leat_node_add_arg (node, "source", "u", "Hidden by the property");
  return TRUE;
}

#define NODE(name, node_id, n_of_props, the_props, the_ports, n_of_ports, prepare_func, the_aliases)                   \
  static GType test_##name##_get_type (void);                                                                          \
  static const LeatNodeInfo name##_info = { .size = sizeof (LeatNodeInfo),                                             \
                                            .id = node_id,                                                             \
                                            .summary = "A " #name,                                                     \
                                            .description = "For tests",                                                \
                                            .aliases = the_aliases,                                                    \
                                            .props = the_props,                                                        \
                                            .n_props = n_of_props,                                                     \
                                            .ports = the_ports,                                                        \
                                            .n_ports = n_of_ports,                                                     \
                                            .get_type = test_##name##_get_type };                                      \
  static void test_##name##_class_init (gpointer klass, gpointer data)                                                 \
  {                                                                                                                    \
    LeatNodeClass *node_class = klass;                                                                                 \
    if (prepare_func != NULL)                                                                                          \
      node_class->prepare = prepare_func;                                                                              \
    leat_node_class_describe (node_class, &name##_info);                                                               \
  }                                                                                                                    \
  static GType test_##name##_get_type (void)                                                                           \
  {                                                                                                                    \
    static gsize type = 0;                                                                                             \
    if (g_once_init_enter (&type))                                                                                     \
      {                                                                                                                \
        GTypeInfo info = { .class_size = sizeof (TestNodeClass),                                                       \
                           .class_init = test_##name##_class_init,                                                     \
                           .instance_size = sizeof (TestNode) };                                                       \
        g_once_init_leave (&type, g_type_register_static (LEAT_TYPE_NODE, "Test_" #name, &info, 0));                   \
      }                                                                                                                \
    return type;                                                                                                       \
  }

/* clang-format off */
NODE (source, "t:source", G_N_ELEMENTS (source_props), source_props, source_ports, G_N_ELEMENTS (source_ports), NULL, NULL)
NODE (sink, "t:sink", G_N_ELEMENTS (sink_props), sink_props, sink_ports, G_N_ELEMENTS (sink_ports), NULL, NULL)
NODE (up, "t:up", 0, NULL, up_ports, G_N_ELEMENTS (up_ports), NULL, lift_aliases)
NODE (down, "t:down", 0, NULL, down_ports, G_N_ELEMENTS (down_ports), NULL, NULL)
NODE (scan, "t:scan", G_N_ELEMENTS (scan_props), scan_props, scan_ports, G_N_ELEMENTS (scan_ports), NULL, NULL)
NODE (join, "t:join", 0, NULL, join_ports, G_N_ELEMENTS (join_ports), NULL, NULL)
NODE (split, "t:split", 0, NULL, split_ports, G_N_ELEMENTS (split_ports), NULL, NULL)
NODE (kernel, "t:kernel", G_N_ELEMENTS (kernel_props), kernel_props, NULL, 0, test_kernel_prepare, NULL)
/* clang-format on */

static const LeatNodeInfo *const nodes[] = { &source_info, &sink_info, &up_info,    &down_info,
                                             &scan_info,   &join_info, &split_info, &kernel_info };

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  .size = sizeof (LeatPluginInfo),
  .abi = LEAT_PLUGIN_ABI,
  .name = "parse-nodes",
  .version = "1",
  .license = "LGPL-2.1-or-later",
  .nodes = nodes,
  .n_nodes = G_N_ELEMENTS (nodes),
};
