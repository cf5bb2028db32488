/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Builds the graph that does the graph of one run again and again on the device.  Touches its own kernels and words of
 * memory, and the graph that it fills. */

#include "leat-repeater-private.h"

#include "kernel/leat-image-private.h"

/* In pinned memory, for both sides. */
typedef struct
{
  guint64 runs; /* that there are to be: the host's */
  guint64 left; /* that were not done when the loop ended: the device's */
  guint64 stop; /* atomic: not 0: the run that is under way is the last */
} LeatRepeatWords;

struct _LeatRepeater
{
  LeatDevice *device;
  LeatModule *module;
  const LeatFunction *begin, *count;
  LeatMemory *counter; /* on the device: runs that are left; when the word was looked at */
  LeatMemory *memory;
  LeatRepeatWords *words;
  guint64 kernels;
};

/* A look at the host's memory takes the device longer than many a run does, so there is none before the last one is
 * 50 us old: what calls off short runs waits as long, what calls off long ones for the end of one. */
static const char leat_repeater_text[] =
  "__global__ void repeat_begin (uint64_t *leat_home, uint64_t *leat_words, uint64_t leat_handle)\n"
  "{\n"
  "  if (blockIdx.x > 0 || threadIdx.x > 0)\n"
  "    return;\n"
  "  leat_home[0] = leat_words[0];\n"
  "  leat_home[1] = leat_clock_now ();\n"
  "  if (leat_load_relaxed (leat_words + 2) != 0)\n"
  "    leat_graph_set_conditional (leat_handle, 0);\n"
  "}\n"
  "__global__ void repeat_count (uint64_t *leat_home, uint64_t *leat_words, uint64_t leat_handle)\n"
  "{\n"
  "  uint64_t left, now;\n"
  "  bool stops = false;\n"
  "\n"
  "  if (blockIdx.x > 0 || threadIdx.x > 0)\n"
  "    return;\n"
  "  left = --leat_home[0];\n"
  "  now = leat_clock_now ();\n"
  "  if (now - leat_home[1] >= 50000)\n"
  "    {\n"
  "      leat_home[1] = now;\n"
  "      stops = leat_load_relaxed (leat_words + 2) != 0;\n"
  "    }\n"
  "  if (left > 0 && !stops)\n"
  "    return;\n"
  "  leat_words[1] = left;\n"
  "  leat_graph_set_conditional (leat_handle, 0);\n"
  "}\n";

LeatKernelSource *
leat_repeater_get_source (void)
{
  static gsize source = 0;

  if (g_once_init_enter (&source))
    g_once_init_leave (&source, (gsize) leat_kernel_source_new ("repeated runs", leat_repeater_text, NULL));
  return (LeatKernelSource *) source;
}

static gboolean
leat_repeater_load (LeatRepeater *self, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  LeatKernelSource *source = leat_repeater_get_source ();
  g_autofree char *name = leat_device_is_cpu (self->device)
                            ? g_strdup ("host")
                            : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  if (!leat_image_target_parse (name, &target, error))
    return FALSE;
  image = leat_image_get (source, &target, error);
  if (image == NULL)
    return FALSE;
  self->module = leat_module_load (self->device, image, leat_kernel_source_get_name (source), error);
  if (self->module != NULL)
    self->begin = leat_module_get_function (self->module, "repeat_begin", error);
  if (self->begin != NULL)
    self->count = leat_module_get_function (self->module, "repeat_count", error);
  return self->count != NULL;
}

LeatRepeater *
leat_repeater_new (LeatDevice *device, GError **error)
{
  g_autoptr (LeatRepeater) self = g_new0 (LeatRepeater, 1);

  self->device = g_object_ref (device);
  if (!leat_repeater_load (self, error))
    return NULL;
  self->counter =
    leat_memory_new (device, LEAT_MEMORY_DEVICE, 2 * sizeof (guint64), "the count of repeated runs", error);
  if (self->counter == NULL)
    return NULL;
  self->memory =
    leat_memory_new (device, LEAT_MEMORY_PINNED, sizeof (LeatRepeatWords), "the words of repeated runs", error);
  if (self->memory == NULL)
    return NULL;
  self->words = leat_memory_get_host (self->memory);
  *self->words = (LeatRepeatWords){ 0 };
  return g_steal_pointer (&self);
}

void
leat_repeater_free (LeatRepeater *self)
{
  g_clear_pointer (&self->counter, leat_memory_free);
  g_clear_pointer (&self->memory, leat_memory_free);
  g_clear_pointer (&self->module, leat_module_unref);
  g_object_unref (self->device);
  g_free (self);
}

static CUresult
leat_repeater_add_kernel (LeatRepeater *self, const LeatFunction *function, CUgraphConditionalHandle handle,
                          CUgraph graph, CUgraphNode *node, const CUgraphNode *after)
{
  CUdeviceptr counter = leat_memory_get_address (self->counter), words = leat_memory_get_address (self->memory);
  gint32 waits = FALSE;
  void *params[] = { &counter, &words, &handle, &waits };
  const CUDA_KERNEL_NODE_PARAMS kernel = { .func = function->function,
                                           .gridDimX = 1,
                                           .gridDimY = 1,
                                           .gridDimZ = 1,
                                           .blockDimX = 1,
                                           .blockDimY = 1,
                                           .blockDimZ = 1,
                                           .kernelParams = params };

  return (*leat_device_get_table (self->device)->cuGraphAddKernelNode) (node, graph, after, after != NULL ? 1 : 0,
                                                                        &kernel);
}

static CUresult
leat_repeater_add_while (LeatRepeater *self, CUgraph graph, const CUgraphNode *after, CUgraphConditionalHandle handle,
                         CUgraph *body)
{
  CUgraphNodeParams params = { .type = CU_GRAPH_NODE_TYPE_CONDITIONAL };
  CUgraphNode node;
  CUresult result;

  params.conditional.handle = handle;
  params.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
  params.conditional.size = 1;
  params.conditional.ctx = leat_device_get_context (self->device);
  result = (*leat_device_get_table (self->device)->cuGraphAddNode) (&node, graph, after, NULL, 1, &params);
  if (result == CUDA_SUCCESS)
    *body = params.conditional.phGraph_out[0];
  return result;
}

CUresult
leat_repeater_fill (LeatRepeater *self, CUgraph graph, CUgraph run, const char **call)
{
  const LeatDriverTable *table = leat_device_get_table (self->device);
  CUgraphConditionalHandle handle = 0;
  CUgraphNode begin, once, count;
  CUgraph body = NULL;
  CUresult result;

  *call = "cuGraphConditionalHandleCreate";
  result = (*table->cuGraphConditionalHandleCreate) (&handle, graph, leat_device_get_context (self->device), 1,
                                                     CU_GRAPH_COND_ASSIGN_DEFAULT);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuGraphAddKernelNode";
  result = leat_repeater_add_kernel (self, self->begin, handle, graph, &begin, NULL);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuGraphAddNode";
  result = leat_repeater_add_while (self, graph, &begin, handle, &body);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuGraphAddChildGraphNode";
  result = (*table->cuGraphAddChildGraphNode) (&once, body, NULL, 0, run);
  if (result != CUDA_SUCCESS)
    return result;
  *call = "cuGraphAddKernelNode";
  return leat_repeater_add_kernel (self, self->count, handle, body, &count, &once);
}

void
leat_repeater_set_runs (LeatRepeater *self, guint64 runs)
{
  *self->words = (LeatRepeatWords){ .runs = runs, .left = runs };
  self->kernels += 1 + runs;
}

guint64
leat_repeater_take_left (LeatRepeater *self)
{
  guint64 left = self->words->left;

  self->words->left = 0;
  self->kernels -= left;
  return left;
}

guint64 *
leat_repeater_get_stop (LeatRepeater *self)
{
  return &self->words->stop;
}

guint64
leat_repeater_count_kernels (LeatRepeater *self)
{
  return self->kernels;
}
