/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "tally-node.h"

#include <stddef.h>

#define TALLY_TEXT                                                                                                     \
  "__global__ void tally (const float *x, const float *table, float *sum, float *y, unsigned int x_count, float "      \
  "step)\n"                                                                                                            \
  "{\n"                                                                                                                \
  "  if (blockIdx.x == 0 && threadIdx.x == 0)\n"                                                                       \
  "    {\n"                                                                                                            \
  "      sum[0] += step;\n"                                                                                            \
  "      for (unsigned int i = 0; i < x_count; i++)\n"                                                                 \
  "        y[i] = x[i] + sum[0] + table[0];\n"                                                                         \
  "    }\n"                                                                                                            \
  "}\n"

typedef struct
{
  LeatNode parent_instance;
  double step, table;
} TallyNode;

typedef struct
{
  LeatNodeClass parent_class;
} TallyNodeClass;

static GType tally_node_get_type (void);

G_DEFINE_TYPE (TallyNode, tally_node, LEAT_TYPE_NODE)

static const LeatProp props[] = {
  { sizeof (LeatProp), "step", LEAT_PROP_DOUBLE, 0, offsetof (TallyNode, step), .def.d = 1, .blurb = "of each run" },
  { sizeof (LeatProp), "table", LEAT_PROP_DOUBLE, 0, offsetof (TallyNode, table), .blurb = "what is added" },
};

static const LeatPortInfo ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, "f32[n]", "x" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "f32[n]", "y" },
};

static const LeatNodeInfo tally_node_info = {
  sizeof (LeatNodeInfo), "test:tally",        NULL, "Adds up", "Adds up.", props, G_N_ELEMENTS (props), ports,
  G_N_ELEMENTS (ports),  tally_node_get_type,
};

static gboolean
tally_node_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  TallyNode *self = (TallyNode *) node;
  const float table = (float) self->table, step = (float) self->step;
  g_autoptr (GBytes) bytes = g_bytes_new (&table, sizeof table);
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("tally.cu", TALLY_TEXT, error);
  const LeatBufferId buffers[] = {
    leat_recorder_get_input (recorder, "in"),
    leat_recorder_add_const (recorder, "table", bytes),
    leat_recorder_add_state (recorder, "sum", sizeof (float), NULL),
    leat_recorder_get_output (recorder, "out"),
  };
  const LeatAccess access[] = { LEAT_ACCESS_READ, LEAT_ACCESS_READ, LEAT_ACCESS_READ_WRITE, LEAT_ACCESS_WRITE };
  const guint32 n = (guint32) leat_spec_get_items (leat_recorder_get_spec (recorder, buffers[0]));
  const LeatArg args[] = {
    { .kind = LEAT_ARG_ITEMS, .buffer = buffers[0] },
    { .kind = LEAT_ARG_ITEMS, .buffer = buffers[1] },
    { .kind = LEAT_ARG_ITEMS, .buffer = buffers[2] },
    { .kind = LEAT_ARG_ITEMS, .buffer = buffers[3] },
    { .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &n, .size = sizeof n },
    { .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &step, .size = sizeof step },
  };
  const LeatKernelCall call = {
    .source = source,
    .entry = "tally",
    .grid = { 1, 1, 1 },
    .block = { 1, 1, 1 },
    .args = args,
    .n_args = G_N_ELEMENTS (args),
    .buffers = buffers,
    .access = access,
    .n_buffers = G_N_ELEMENTS (buffers),
  };

  if (source == NULL)
    return FALSE;
  leat_recorder_add_kernel (recorder, &call);
  return TRUE;
}

static void
tally_node_class_init (TallyNodeClass *klass)
{
  LEAT_NODE_CLASS (klass)->record = tally_node_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &tally_node_info);
}

static void
tally_node_init (TallyNode *self)
{
}

LeatNode *
tally_node_new (const char *name)
{
  return g_object_new (tally_node_get_type (), "name", name, NULL);
}

LeatPipeline *
tally_node_make_pipeline (const char *spec)
{
  g_autofree char *text = g_strdup_printf ("leat 1\napp name=source spec=\"%s\" -> upload name=u mode=copy "
                                           "-> readback name=r mode=copy -> app name=sink\n",
                                           spec);
  g_autoptr (LeatNode) tally = tally_node_new ("tally");
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text (text, LEAT_TEXT_STYLE_FILE, NULL, &error);

  g_assert_no_error (error);
  leat_port_unlink (leat_node_get_port (leat_pipeline_get_node (pipeline, "r", NULL), "in", NULL));
  leat_pipeline_add (pipeline, tally, &error);
  g_assert_no_error (error);
  leat_pipeline_link (pipeline, "u", "tally", &error);
  g_assert_no_error (error);
  leat_pipeline_link (pipeline, "tally", "r", &error);
  g_assert_no_error (error);
  return pipeline;
}
