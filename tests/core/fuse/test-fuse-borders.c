/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat.h"

#include <string.h>

/* What stands between two kernels of one: who reads what others write, and who writes over what others read, waits for
 * as many blocks as the stencil among them reaches; for nothing else is waited.  A node records the kernels of a row,
 * as the nodes of plugins may. */

#define N       1000
#define BLOCK   64
#define KERNELS 3

typedef struct
{
  LeatPattern pattern;
  guint reach;
  char x, z, y;     /* what it reads, and what it writes: `i` comes in, `o` and `p` go out, `s` is neither */
  const char *said; /* behind its name; NULL: nothing is waited for */
} BordersKernel;

typedef struct
{
  const char *name;
  BordersKernel kernels[KERNELS]; /* up to one that writes nothing */
  gboolean fits;                  /* no more items are named than there are threads */
  guint spare;                    /* blocks without an item */
} BordersRow;

#define EACH    LEAT_PATTERN_ELEMENTWISE, 0
#define NEAR(n) LEAT_PATTERN_STENCIL, (n)

static const BordersRow rows[] = {
  { "written-and-read", { { EACH, 'i', 'i', 'o' }, { EACH, 'o', 'i', 'p' } } },
  { "stencil-reads", { { EACH, 'i', 'i', 'o' }, { NEAR (1), 'o', 'i', 'p', "the 1 block to either side" } } },
  { "stencil-reads-a-block-away", { { EACH, 'i', 'i', 'o' }, { NEAR (64), 'i', 'o', 'p', "the 1 block to either" } } },
  { "stencil-reads-further", { { EACH, 'i', 'i', 'o' }, { NEAR (65), 'o', 'o', 'p', "the 2 blocks to either side" } } },
  { "stencil-wrote", { { NEAR (1), 'i', 'i', 'o' }, { EACH, 'o', 'i', 'p' } } },
  /* What a stencil has read is written over: nobody may do that before the blocks around have read it. */
  { "written-over",
    { { EACH, 'i', 'i', 'o' },
      { NEAR (1), 'o', 'i', 'p', "the 1 block to either side" },
      { EACH, 'p', 'i', 'o', "the 1 block to either side" } } },
  { "written-over-further",
    { { EACH, 'i', 'i', 'o' },
      { NEAR (200), 'i', 'o', 'p', "the 4 blocks to either side" },
      { EACH, 'i', 'i', 'o', "the 4 blocks to either side" } } },
  { "written-over-by-one-that-reaches-further",
    { { EACH, 'i', 'i', 'o' },
      { NEAR (64), 'i', 'o', 'p', "the 1 block to either side" },
      { NEAR (130), 'p', 'i', 'o', "the 3 blocks to either side" } } },
  { "written-over-by-one-that-reaches-less",
    { { EACH, 'i', 'i', 'o' },
      { NEAR (130), 'i', 'o', 'p', "the 3 blocks to either side" },
      { NEAR (64), 'p', 'i', 'o', "the 3 blocks to either side" } } },
  /* Each item of what both write is written by the thread with its number, whatever else they read. */
  { "written-twice-then-by-a-stencil", { { EACH, 'i', 'i', 'o' }, { NEAR (1), 'i', 'i', 'o' } } },
  { "written-twice-first-by-a-stencil", { { NEAR (1), 'i', 'i', 'o' }, { EACH, 'i', 'i', 'o' } } },
  { "written-twice-by-stencils", { { NEAR (1), 'i', 'i', 'o' }, { NEAR (70), 'i', 'i', 'o' } } },
  { "read-twice", { { NEAR (1), 'i', 'i', 'o' }, { NEAR (1), 'i', 'i', 'p' } } },
  /* Nothing is known of the items of other memory. */
  { "in-memory-of-its-own", { { EACH, 'i', 'i', 's' }, { EACH, 's', 'i', 'o' } } },
  { "stencil-reads-memory-of-its-own",
    { { EACH, 'i', 'i', 's' }, { NEAR (1), 's', 'i', 'o', "there are more items than threads" } } },
  { "anything-is-read", { { EACH, 'i', 'i', 'o' }, { LEAT_PATTERN_ANY, 0, 'o', 'i', 'p', "it may read anything" } } },
  { "anything-was-written",
    { { LEAT_PATTERN_ANY, 0, 'i', 'i', 'o' }, { EACH, 'o', 'i', 'p', "what it follows may write anything" } } },
  /* A thread for each item: the second has what it reads from the first without a wait. */
  { "stencil-reads-shared-memory",
    { { EACH, 'i', 'i', 'o' }, { NEAR (1), 'o', 'i', 'p', "from shared memory" } },
    TRUE },
  { "block-wrote",
    { { LEAT_PATTERN_BLOCK, 9, 'i', 'i', 'o' }, { NEAR (1), 'o', 'o', 'p', "the 1 block to either side" } } },
  { "block-wrote-with-spare-blocks",
    { { LEAT_PATTERN_BLOCK, 9, 'i', 'i', 'o' },
      { NEAR (1), 'o', 'o', 'p', "with access=block there is no item for each thread" } },
    FALSE,
    1 },
  { "block-writes-over",
    { { EACH, 'i', 'i', 'o' },
      { NEAR (1), 'o', 'o', 'p', "the 1 block to either side" },
      { LEAT_PATTERN_BLOCK, 9, 'p', 'i', 'o', "the 1 block to either side" } } },
  { "block-writes-over-with-spare-blocks",
    { { EACH, 'i', 'i', 'o' },
      { NEAR (1), 'o', 'o', 'p', "the 1 block to either side" },
      { LEAT_PATTERN_BLOCK, 9, 'p', 'i', 'o', "with access=block there is no item for each thread" } },
    FALSE,
    1 },
  { "blocks-read", { { EACH, 'i', 'i', 'o' }, { LEAT_PATTERN_BLOCK, 9, 'o', 'i', 'p' } } },
};

typedef struct
{
  LeatNode parent_instance;
  const BordersRow *row;
} BordersNode;

typedef LeatNodeClass BordersNodeClass;

static GType borders_node_get_type (void);

G_DEFINE_TYPE (BordersNode, borders_node, LEAT_TYPE_NODE)

static const LeatPortInfo borders_ports[] = {
  { sizeof (LeatPortInfo), "i", LEAT_PORT_INPUT, 0, "f32[n]", "x" },
  { sizeof (LeatPortInfo), "o", LEAT_PORT_OUTPUT, 0, "f32[n]", "y" },
  { sizeof (LeatPortInfo), "p", LEAT_PORT_OUTPUT, LEAT_PORT_OPTIONAL, "f32[n]", "z" },
};

static const LeatNodeInfo borders_info = { .size = sizeof (LeatNodeInfo),
                                           .id = "toy:borders",
                                           .summary = "for tests",
                                           .ports = borders_ports,
                                           .n_ports = G_N_ELEMENTS (borders_ports) };

static const char borders_text[] =
  "__global__ void step (const float *x, const float *z, float *y, unsigned int x_count)\n"
  "{\n"
  "  unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
  "  if (i < x_count)\n"
  "    y[i] = x[i] + z[i];\n"
  "}\n";

static void
borders_node_record_kernel (LeatRecorder *recorder, LeatKernelSource *source, const BordersKernel *kernel,
                            gboolean fits, guint spare, const LeatBufferId *of)
{
  static const LeatAccess access[] = { LEAT_ACCESS_READ, LEAT_ACCESS_READ, LEAT_ACCESS_WRITE };
  const LeatBufferId all[] = { of[(guchar) kernel->x], of[(guchar) kernel->z], of[(guchar) kernel->y] };
  const LeatBufferId two[] = { all[0], all[2] };
  const guint32 n = fits ? N : G_MAXUINT32;
  gboolean once = all[0] == all[1];
  const LeatArg args[] = {
    { .kind = LEAT_ARG_ITEMS, .buffer = all[0] },
    { .kind = LEAT_ARG_ITEMS, .buffer = all[1] },
    { .kind = LEAT_ARG_ITEMS, .buffer = all[2] },
    { .kind = LEAT_ARG_VALUE, .buffer = LEAT_BUFFER_NONE, .value = &n, .size = sizeof n },
  };
  const LeatKernelCall call = { .source = source,
                                .entry = "step",
                                .grid = { (N + BLOCK - 1) / BLOCK + spare, 1, 1 },
                                .block = { BLOCK, 1, 1 },
                                .args = args,
                                .n_args = G_N_ELEMENTS (args),
                                .buffers = once ? two : all,
                                .access = once ? access + 1 : access,
                                .n_buffers = once ? 2 : 3,
                                .pattern = kernel->pattern,
                                .reach = kernel->reach };

  leat_recorder_add_kernel (recorder, &call);
}

static gboolean
borders_node_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  const BordersRow *row = ((BordersNode *) node)->row;
  g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("borders.cu", borders_text, error);
  LeatBufferId of[256];

  of['i'] = leat_recorder_get_input (recorder, "i");
  of['o'] = leat_recorder_get_output (recorder, "o");
  of['p'] = leat_recorder_get_output (recorder, "p");
  of['s'] = leat_recorder_add_scratch (recorder, "spare", N * sizeof (float));
  for (guint k = 0; k < KERNELS && row->kernels[k].y != 0; k++)
    borders_node_record_kernel (recorder, source, &row->kernels[k], row->fits, row->spare, of);
  return source != NULL;
}

static void
borders_node_class_init (BordersNodeClass *klass)
{
  klass->record = borders_node_record;
  leat_node_class_describe (klass, &borders_info);
}

static void
borders_node_init (BordersNode *self)
{
}

/* In the body of a megakernel, in place of the node that the text has there. */
static LeatPipeline *
borders_make_pipeline (const BordersRow *row)
{
  g_autoptr (GError) error = NULL;
  LeatPipeline *pipeline = leat_parse_text ("leat 1\nm = megakernel {\n  in.x -> map name=place expr=x -> out.y\n}\n"
                                            "app name=source spec=f32[1000] -> upload -> m.x\n"
                                            "m.y -> readback -> app name=sink\n",
                                            LEAT_TEXT_STYLE_FILE, NULL, &error);
  g_autoptr (LeatNode) node = g_object_new (borders_node_get_type (), "name", "k", NULL);
  LeatGroup *group;

  g_assert_no_error (error);
  group = LEAT_GROUP (leat_pipeline_get_node (pipeline, "m", NULL));
  leat_pipeline_remove (pipeline, leat_pipeline_get_node (pipeline, "place", NULL));
  ((BordersNode *) node)->row = row;
  leat_pipeline_add (pipeline, node, &error);
  g_assert_no_error (error);
  leat_group_add (group, node, &error);
  g_assert_no_error (error);
  leat_port_link (leat_node_get_port (leat_group_get_begin (group), "x", NULL), leat_node_get_port (node, "i", NULL),
                  &error);
  g_assert_no_error (error);
  leat_port_link (leat_node_get_port (node, "o", NULL), leat_node_get_port (leat_group_get_end (group), "y", NULL),
                  &error);
  g_assert_no_error (error);
  return pipeline;
}

static void
test_borders_of (gconstpointer data)
{
  const BordersRow *row = data;
  g_autoptr (LeatPipeline) pipeline = borders_make_pipeline (row);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatPlan) plan = leat_plan_new (pipeline, &error);
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;
  guint k = 0;

  g_assert_no_error (error);
  text = leat_plan_to_text (plan);
  g_test_message ("%s", text);
  lines = g_strsplit (text, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      const char *said = strstr (lines[i], "toy:borders \"k\" step");

      if (said == NULL || strstr (lines[i], "layer") == NULL)
        continue;
      g_assert_cmpuint (k, <, KERNELS);
      if (row->kernels[k].said != NULL && strstr (said, row->kernels[k].said) == NULL)
        g_error ("kernel %u does not wait for %s: %s", k, row->kernels[k].said, lines[i]);
      if (row->kernels[k].said == NULL && (strstr (said, "wait") != NULL || strstr (said, "meets") != NULL))
        g_error ("kernel %u waits: %s", k, lines[i]);
      k++;
    }
  g_assert_true (k == KERNELS || row->kernels[k].y == 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *path = g_strconcat ("/leat/fuse/borders/", rows[i].name, NULL);

      g_test_add_data_func (path, &rows[i], test_borders_of);
    }
  return g_test_run ();
}
