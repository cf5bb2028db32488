/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "toy-nodes.h"

/* Faults that the author of a node makes in record () and negotiate (): each is an error of the plan that names the
 * node, the call and what to write. */

typedef gboolean (*FaultyFunc) (LeatNode *node, LeatRecorder *recorder, GError **error);

typedef struct
{
  LeatNode parent_instance;
  FaultyFunc record;
  gboolean fails_negotiate, tells, names_port;
} FaultyNode;

typedef struct
{
  LeatNodeClass parent_class;
} FaultyNodeClass;

typedef FaultyNode SilentNode;
typedef FaultyNodeClass SilentNodeClass;

GType faulty_node_get_type (void);
GType silent_node_get_type (void);

G_DEFINE_TYPE (FaultyNode, faulty_node, LEAT_TYPE_NODE)
/* It has no record (). */
G_DEFINE_TYPE (SilentNode, silent_node, LEAT_TYPE_NODE)

static const LeatNodeInfo faulty_info = { .size = sizeof (LeatNodeInfo), .id = "toy:faulty", .summary = "for tests" };
static const LeatNodeInfo silent_info = { .size = sizeof (LeatNodeInfo), .id = "toy:silent", .summary = "for tests" };

static gboolean
faulty_node_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  return ((FaultyNode *) node)->record (node, recorder, error);
}

static gboolean
faulty_node_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  FaultyNode *self = (FaultyNode *) node;
  LeatSpec *in = leat_negotiation_get_input (negotiation, "in");

  if (self->names_port)
    return leat_negotiation_set_output (negotiation, "output", in, error);
  if (self->tells)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "the moon is full; wait a day");
  return !self->fails_negotiate && leat_negotiation_set_output (negotiation, "out", in, error);
}

static void
faulty_node_class_init (FaultyNodeClass *klass)
{
  LEAT_NODE_CLASS (klass)->record = faulty_node_record;
  LEAT_NODE_CLASS (klass)->negotiate = faulty_node_negotiate;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &faulty_info);
}

static void
silent_node_class_init (SilentNodeClass *klass)
{
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &silent_info);
}

static void
faulty_node_init (FaultyNode *self)
{
}

static void
silent_node_init (SilentNode *self)
{
}

static FaultyNode *
faulty_node_new (GType type, FaultyFunc record)
{
  g_autoptr (LeatSpec) any = leat_spec_new_any ();
  FaultyNode *self = g_object_new (type, "name", "bad", NULL);

  leat_node_add_port (LEAT_NODE (self), "in", LEAT_PORT_INPUT, 0, any, NULL);
  leat_node_add_port (LEAT_NODE (self), "spare", LEAT_PORT_INPUT, LEAT_PORT_OPTIONAL, any, NULL);
  leat_node_add_port (LEAT_NODE (self), "out", LEAT_PORT_OUTPUT, 0, any, NULL);
  self->record = record;
  return self;
}

/* source -> upload -> the node -> readback -> sink; @words: what the error has to say, one after the other. */
static void
check_refused (FaultyNode *node, gint code, const char *const *words)
{
  g_autoptr (LeatPipeline) pipeline = leat_pipeline_new ();
  LeatNode *nodes[] = { toy_source_new ("source", "f32[64]"), toy_upload_new ("up", LEAT_TRANSFER_COPY),
                        LEAT_NODE (node), toy_readback_new ("back", LEAT_TRANSFER_COPY), toy_sink_new ("sink") };
  static const char *const links[][2] = {
    { "source.out", "up.in" }, { "up.out", "bad.in" }, { "bad.out", "back.in" }, { "back.out", "sink.in" }
  };
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  const char *at;

  for (guint i = 0; i < G_N_ELEMENTS (nodes); i++)
    {
      leat_pipeline_add (pipeline, nodes[i], &error);
      g_object_unref (nodes[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (links); i++)
    leat_pipeline_link (pipeline, links[i][0], links[i][1], &error);
  g_assert_no_error (error);
  plan = leat_plan_new (pipeline, &error);
  g_assert_null (plan);
  g_assert_error (error, LEAT_GRAPH_ERROR, code);
  g_test_message ("%s", error->message);
  at = error->message;
  for (guint i = 0; words[i] != NULL; i++)
    {
      const char *found = strstr (at, words[i]);

      if (found == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, words[i]);
      at = found + strlen (words[i]);
    }
}

static void
check_record (FaultyFunc record, const char *call, const char *said, const char *remedy)
{
  const char *words[] = { "toy:faulty \"bad\": its record () calls ", call, said, remedy, NULL };

  check_refused (faulty_node_new (faulty_node_get_type (), record), LEAT_GRAPH_ERROR_PLUGIN, words);
}

static LeatKernelSource *
make_source (void)
{
  static const char text[] = "__global__ void scale (const float *x, float *y, unsigned int x_count, float by)\n"
                             "{\n"
                             "  GRID_FOR (i, x_count)\n"
                             "    y[i] = x[i] * by;\n"
                             "}\n";
  g_autoptr (GError) error = NULL;
  LeatKernelSource *source = leat_kernel_source_new ("scale.cu", text, &error);

  g_assert_no_error (error);
  return source;
}

/* A launch that is right but for what each of the tests changes in it. */
typedef struct
{
  LeatArg args[4];
  LeatBufferId buffers[2];
  LeatAccess access[2];
  guint n_args, n_buffers;
  float by;
  double wide;
} Launch;

static void
launch_init (Launch *self, LeatRecorder *recorder)
{
  LeatBufferId in = leat_recorder_get_input (recorder, "in"), out = leat_recorder_get_output (recorder, "out");
  static const guint64 n = 64;

  self->by = 3;
  self->wide = 3;
  self->buffers[0] = in, self->access[0] = LEAT_ACCESS_READ;
  self->buffers[1] = out, self->access[1] = LEAT_ACCESS_WRITE;
  self->args[0] = (LeatArg){ .kind = LEAT_ARG_ITEMS, .buffer = in };
  self->args[1] = (LeatArg){ .kind = LEAT_ARG_ITEMS, .buffer = out };
  self->args[2] = (LeatArg){ .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &n, .size = sizeof n };
  self->args[3] =
    (LeatArg){ .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &self->by, .size = sizeof self->by };
  self->n_args = 4;
  self->n_buffers = 2;
}

static gboolean
launch_record (Launch *self, LeatRecorder *recorder)
{
  g_autoptr (LeatKernelSource) source = make_source ();
  const LeatKernelCall call = { .source = source,
                                .entry = "scale",
                                .args = self->args,
                                .n_args = self->n_args,
                                .buffers = self->buffers,
                                .access = self->access,
                                .n_buffers = self->n_buffers };

  leat_recorder_add_kernel (recorder, &call);
  return TRUE;
}

static gboolean
record_too_few (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.n_args = 3;
  return launch_record (&launch, recorder);
}

static gboolean
record_undeclared (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.n_buffers = 1;
  return launch_record (&launch, recorder);
}

static gboolean
record_double (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.args[3].value = &launch.wide;
  launch.args[3].size = sizeof launch.wide;
  return launch_record (&launch, recorder);
}

static gboolean
record_keep_without_kernel (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_keep_count (recorder, leat_recorder_get_input (recorder, "in"));
  return TRUE;
}

static gboolean
record_no_value (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.args[3].value = NULL;
  return launch_record (&launch, recorder);
}

static gboolean
record_items_for_scalar (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.args[3] = launch.args[0];
  return launch_record (&launch, recorder);
}

static gboolean
record_no_such_buffer (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.args[1].buffer = launch.buffers[1] = 4711;
  return launch_record (&launch, recorder);
}

static gboolean
record_odd_access (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  Launch launch;

  launch_init (&launch, recorder);
  launch.access[1] = (LeatAccess) 4;
  return launch_record (&launch, recorder);
}

static void
test_misuse_of_kernels (void)
{
  const char *call = "leat_recorder_add_kernel () of scale ";

  check_record (record_too_few, call, "with 3 arguments", "4 parameters");
  check_record (record_undeclared, call, "does not say that it uses \"bad.out\", which \"y\" is given",
                "LEAT_ACCESS_WRITE");
  check_record (record_double, call, "with 8 bytes for \"by\", a float of 4", "a variable of that type");
  check_record (record_no_value, call, "without a value for \"by\"", "a float");
  check_record (record_keep_without_kernel, "leat_recorder_keep_count ()", "with no kernel before it",
                "leat_recorder_add_kernel () first");
  check_record (record_items_for_scalar, call, "for \"by\", a float", "LEAT_ARG_ITEMS is for pointers");
  check_record (record_no_such_buffer, "leat_recorder_add_kernel ()", "with 4711", "leat_recorder_get_output ()");
  check_record (record_odd_access, "leat_recorder_add_kernel ()", "with 4 as access", "LeatAccess");
}

static gboolean
record_unknown_input (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_add_copy (recorder, leat_recorder_get_output (recorder, "out"),
                          leat_recorder_get_input (recorder, "inn"));
  return TRUE;
}

static gboolean
record_unknown_alias (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_alias (recorder, "out", "inn");
  return TRUE;
}

static gboolean
record_output_as_input (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_get_input (recorder, "out");
  return TRUE;
}

static gboolean
record_unlinked (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_add_copy (recorder, leat_recorder_get_output (recorder, "out"),
                          leat_recorder_get_input (recorder, "spare"));
  return TRUE;
}

static gboolean
record_unequal_copy (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_add_copy (recorder, leat_recorder_get_output (recorder, "out"),
                          leat_recorder_add_scratch (recorder, "few", 8));
  return TRUE;
}

static gboolean
record_count_of_fixed (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_clear_count (recorder, leat_recorder_get_output (recorder, "out"));
  return TRUE;
}

static gboolean
record_short_const (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  g_autoptr (GBytes) bytes = g_bytes_new_static ("abc", 3);

  leat_recorder_set_output_const (recorder, "out", bytes);
  return TRUE;
}

static gboolean
record_delay_of_input (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_recorder_delay (recorder, "in", "out");
  return TRUE;
}

static gboolean
record_empty_queue (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  const LeatQueueInfo info = { .name = "work", .item_bytes = 4 };

  leat_recorder_add_queue (recorder, &info);
  return TRUE;
}

static gboolean
record_no_callback (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  const LeatForeignCall call = { .name = "nothing" };

  leat_recorder_add_foreign (recorder, &call);
  return TRUE;
}

static void
test_misuse_of_ports (void)
{
  check_record (record_unknown_input, "leat_recorder_get_input () for \"inn\"", "has no port", "\"in\"");
  check_record (record_unknown_alias, "leat_recorder_alias () for \"inn\"", "has no port", "\"in\"");
  check_record (record_output_as_input, "leat_recorder_get_input () for \"out\"", "which is an output",
                "name an input");
  check_record (record_unlinked, "leat_recorder_add_copy ()", "with no buffer as \"from\"", "LEAT_BUFFER_NONE");
}

static void
test_misuse_of_buffers (void)
{
  check_record (record_unequal_copy, "leat_recorder_add_copy ()", "from 8 bytes to 256", "negotiate ()");
  check_record (record_count_of_fixed, "leat_recorder_clear_count ()", "\"bad.out\"", "only bounded specs");
  check_record (record_short_const, "leat_recorder_set_output_const ()", "with 3 bytes for \"bad.out\"", "256");
  check_record (record_delay_of_input, "leat_recorder_delay ()", "\"in\", which is no delayed port",
                "LEAT_PORT_DELAYED");
  check_record (record_empty_queue, "leat_recorder_add_queue ()", "a capacity of 0", "room");
  check_record (record_no_callback, "leat_recorder_add_foreign ()", "without a func", "callback");
}

static gboolean
record_false (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  return FALSE;
}

static void
test_misuse_of_record (void)
{
  const char *silent[] = { "toy:silent \"bad\": its class has no record ()", "LeatNodeClass", NULL };
  const char *failed[] = { "toy:faulty \"bad\": its record () returned FALSE", "g_set_error ()", NULL };

  check_refused (faulty_node_new (silent_node_get_type (), NULL), LEAT_GRAPH_ERROR_PLUGIN, silent);
  check_refused (faulty_node_new (faulty_node_get_type (), record_false), LEAT_GRAPH_ERROR_PLUGIN, failed);
}

static void
test_misuse_of_negotiate (void)
{
  const char *untold[] = { "toy:faulty \"bad\": its negotiate () returned FALSE", "g_set_error ()", NULL };
  const char *told[] = { "toy:faulty \"bad\": the moon is full", NULL };
  const char *unknown[] = { "toy:faulty \"bad\": its negotiate () calls leat_negotiation_set_output () for \"output\"",
                            "no such output", NULL };
  FaultyNode *node = faulty_node_new (faulty_node_get_type (), record_false);

  node->fails_negotiate = TRUE;
  check_refused (node, LEAT_GRAPH_ERROR_PLUGIN, untold);
  node = faulty_node_new (faulty_node_get_type (), record_false);
  node->fails_negotiate = node->tells = TRUE;
  check_refused (node, LEAT_GRAPH_ERROR_RANGE, told);
  node = faulty_node_new (faulty_node_get_type (), record_false);
  node->names_port = TRUE;
  check_refused (node, LEAT_GRAPH_ERROR_PLUGIN, unknown);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plan/misuse/kernels", test_misuse_of_kernels);
  g_test_add_func ("/leat/plan/misuse/ports", test_misuse_of_ports);
  g_test_add_func ("/leat/plan/misuse/buffers", test_misuse_of_buffers);
  g_test_add_func ("/leat/plan/misuse/record", test_misuse_of_record);
  g_test_add_func ("/leat/plan/misuse/negotiate", test_misuse_of_negotiate);
  return g_test_run ();
}
