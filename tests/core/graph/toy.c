/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "toy.h"

#include <stddef.h>
#include <string.h>

typedef struct
{
  LeatNode parent_instance;
  gboolean loud;
  gint64 shift;
  guint64 radius;
  guint64 memory;
  gdouble gain;
  char *title;
  char *table;
  int mode;
} ToyFilter;
typedef LeatNodeClass ToyFilterClass;

static const char *const toy_modes[] = { "fast", "small", "exact", NULL };
static const LeatProp toy_filter_props[] = {
  { sizeof (LeatProp), "loud", LEAT_PROP_BOOL, LEAT_PROP_LIVE, offsetof (ToyFilter, loud), .def.i = 1,
    .blurb = "Loud" },
  { sizeof (LeatProp), "shift", LEAT_PROP_INT, 0, offsetof (ToyFilter, shift), .def.i = -2, .min.i = -8, .max.i = 8,
    .blurb = "Shift" },
  { sizeof (LeatProp), "radius", LEAT_PROP_UINT, 0, offsetof (ToyFilter, radius), .def.u = 3, .min.u = 1, .max.u = 64,
    .blurb = "Radius" },
  { sizeof (LeatProp), "memory", LEAT_PROP_BYTES, 0, offsetof (ToyFilter, memory), .def.u = 4096, .min.u = 16,
    .blurb = "Memory" },
  { sizeof (LeatProp), "gain", LEAT_PROP_DOUBLE, LEAT_PROP_LIVE, offsetof (ToyFilter, gain), .def.d = 0.5, .min.d = 0,
    .max.d = 1, .blurb = "Gain" },
  { sizeof (LeatProp), "title", LEAT_PROP_STRING, 0, offsetof (ToyFilter, title), .def.s = "toy", .blurb = "Title" },
  { sizeof (LeatProp), "table", LEAT_PROP_PATH, 0, offsetof (ToyFilter, table), .blurb = "Table" },
  { sizeof (LeatProp), "mode", LEAT_PROP_CHOICE, 0, offsetof (ToyFilter, mode), .def.i = 1, .choices = toy_modes,
    .blurb = "Mode" },
};
static const LeatPortInfo toy_filter_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, "f32[n]", "Numbers" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "f32[n]", "The same numbers" },
  { sizeof (LeatPortInfo), "mask", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, "u8[n]", "Which of them" },
};
static const char *const toy_aliases[] = { "toy:sieve", NULL };
const LeatNodeInfo toy_filter_info = {
  sizeof (LeatNodeInfo),
  "toy:filter",
  toy_aliases,
  "Passes numbers on",
  "Nothing changes.",
  toy_filter_props,
  G_N_ELEMENTS (toy_filter_props),
  toy_filter_ports,
  G_N_ELEMENTS (toy_filter_ports),
  toy_filter_get_type,
};

G_DEFINE_TYPE (ToyFilter, toy_filter, LEAT_TYPE_NODE)

static void
toy_filter_class_init (ToyFilterClass *klass)
{
  leat_node_class_describe (klass, &toy_filter_info);
}

static void
toy_filter_init (ToyFilter *self)
{
}

typedef struct
{
  LeatEndpoint parent_instance;
  guint64 count;
} ToySource;
typedef LeatEndpointClass ToySourceClass;

static const LeatProp toy_source_props[] = {
  { sizeof (LeatProp), "count", LEAT_PROP_UINT, LEAT_PROP_REQUIRED, offsetof (ToySource, count), .min.u = 1,
    .blurb = "How many numbers" },
};
static const LeatPortInfo toy_source_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST, "any", "Numbers" },
};
const LeatNodeInfo toy_source_info = {
  sizeof (LeatNodeInfo),
  "toy:source",
  NULL,
  "Gives numbers",
  "",
  toy_source_props,
  G_N_ELEMENTS (toy_source_props),
  toy_source_ports,
  G_N_ELEMENTS (toy_source_ports),
  toy_source_get_type,
};

G_DEFINE_TYPE (ToySource, toy_source, LEAT_TYPE_ENDPOINT)

static void
toy_source_class_init (ToySourceClass *klass)
{
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &toy_source_info);
}

static void
toy_source_init (ToySource *self)
{
}

typedef struct
{
  LeatEndpoint parent_instance;
} ToySink;
typedef LeatEndpointClass ToySinkClass;

static const LeatPortInfo toy_sink_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "any", "Numbers" },
};
const LeatNodeInfo toy_sink_info = {
  sizeof (LeatNodeInfo),         "toy:sink",        NULL, "Takes numbers", "", NULL, 0, toy_sink_ports,
  G_N_ELEMENTS (toy_sink_ports), toy_sink_get_type,
};

G_DEFINE_TYPE (ToySink, toy_sink, LEAT_TYPE_ENDPOINT)

static void
toy_sink_class_init (ToySinkClass *klass)
{
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &toy_sink_info);
}

static void
toy_sink_init (ToySink *self)
{
}

typedef struct
{
  LeatNode parent_instance;
  char *signature;
  char *states;
  guint64 n_prepared;
} ToyKernel;
typedef LeatNodeClass ToyKernelClass;

static const LeatProp toy_kernel_props[] = {
  { sizeof (LeatProp), "signature", LEAT_PROP_STRING, 0, offsetof (ToyKernel, signature), .def.s = "",
    .blurb = "Words in:NAME=SPEC, late:NAME=SPEC, out:NAME=SPEC and arg:NAME=TYPE" },
  { sizeof (LeatProp), "states", LEAT_PROP_STRING, 0, offsetof (ToyKernel, states),
    .blurb = "What its output \"o\" is said to be when it negotiates" },
};
const LeatNodeInfo toy_kernel_info = {
  sizeof (LeatNodeInfo),
  "toy:kernel",
  NULL,
  "Has the ports that it is told to have",
  "",
  toy_kernel_props,
  G_N_ELEMENTS (toy_kernel_props),
  NULL,
  0,
  toy_kernel_get_type,
};

G_DEFINE_TYPE (ToyKernel, toy_kernel, LEAT_TYPE_NODE)

static gboolean
toy_kernel_add (LeatNode *node, const char *word, GError **error)
{
  const char *colon = strchr (word, ':');
  const char *equals = colon != NULL ? strchr (colon, '=') : NULL;
  g_autofree char *name = equals != NULL ? g_strndup (colon + 1, equals - colon - 1) : NULL;
  g_autoptr (LeatSpec) spec = NULL;

  if (name == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_FAILED, "cannot read the word \"%s\"", word);
      return FALSE;
    }
  if (g_str_has_prefix (word, "arg:"))
    {
      leat_node_add_arg (node, name, equals + 1, NULL);
      return TRUE;
    }
  spec = leat_spec_parse (equals + 1, error);
  if (spec == NULL)
    return FALSE;
  leat_node_add_port (node, name, g_str_has_prefix (word, "out:") ? LEAT_PORT_OUTPUT : LEAT_PORT_INPUT,
                      g_str_has_prefix (word, "late:") ? LEAT_PORT_DELAYED : 0, spec, NULL);
  return TRUE;
}

static gboolean
toy_kernel_prepare (LeatNode *node, GError **error)
{
  ToyKernel *self = (ToyKernel *) node;
  g_auto (GStrv) words = g_strsplit (self->signature, " ", -1);

  self->n_prepared++;
  leat_node_remove_dynamic_ports (node);
  leat_node_remove_args (node);
  for (guint i = 0; words[i] != NULL; i++)
    if (*words[i] != '\0' && !toy_kernel_add (node, words[i], error))
      return FALSE;
  return TRUE;
}

static gboolean
toy_kernel_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  ToyKernel *self = (ToyKernel *) node;
  g_autoptr (LeatSpec) spec = self->states != NULL ? leat_spec_parse (self->states, NULL) : NULL;

  if (spec != NULL)
    return leat_negotiation_set_output (negotiation, "o", spec, error);
  return LEAT_NODE_CLASS (toy_kernel_parent_class)->negotiate (node, negotiation, error);
}

guint64
toy_kernel_get_n_prepared (LeatNode *node)
{
  return ((ToyKernel *) node)->n_prepared;
}

static void
toy_kernel_class_init (ToyKernelClass *klass)
{
  klass->prepare = toy_kernel_prepare;
  klass->negotiate = toy_kernel_negotiate;
  leat_node_class_describe (klass, &toy_kernel_info);
}

static void
toy_kernel_init (ToyKernel *self)
{
}
