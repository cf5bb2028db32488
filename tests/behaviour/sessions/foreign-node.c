/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "foreign-node.h"

typedef struct
{
  LeatNodeClass parent_class;
} ForeignNodeClass;

GType foreign_node_get_type (void);
G_DEFINE_TYPE (ForeignNode, foreign_node, LEAT_TYPE_NODE)

typedef struct
{
  ForeignNode *node; /* owned */
  LeatBufferId in, out;
  guint64 bytes;
} ForeignWork;

static const LeatNodeInfo foreign_node_info = { .size = sizeof (LeatNodeInfo),
                                                .id = "toy:foreign",
                                                .summary = "for tests" };

static void
foreign_work_free (ForeignWork *work)
{
  work->node->destroyed++;
  g_object_unref (work->node);
  g_free (work);
}

static gboolean
foreign_work_find_calls (LeatForeign *foreign, LeatDriverTable *calls)
{
#define LEAT_ENTRY(group, need, name, exported, version, params, args)                                                 \
  *(gpointer *) &calls->name = leat_foreign_find_call (foreign, #name);
#include "driver/leat-driver-entries.h"
  return calls->cuMemAlloc != NULL;
}

static gboolean
foreign_work_do (ForeignWork *work, LeatForeign *foreign, GError **error)
{
  Planted *planted = &work->node->planted;
  gboolean careless = work->node->careless;
  CUdeviceptr out = leat_foreign_get_items (foreign, work->out);
  g_autoptr (GVariant) stamp = leat_foreign_dup_arg (foreign, "stamp");
  CUresult result;

  result =
    (*planted->call.cuMemcpyDtoDAsync) (out, leat_foreign_get_items (foreign, work->in), work->bytes, planted->stream);
  if (!careless && !leat_foreign_check (foreign, "cuMemcpyDtoDAsync", result, error))
    return FALSE;
  result =
    (*planted->call.cuMemsetD8Async) (out, stamp != NULL ? g_variant_get_byte (stamp) : 0x5a, 4, planted->stream);
  return careless || leat_foreign_check (foreign, "cuMemsetD8Async", result, error);
}

static gboolean
foreign_work_call (LeatForeign *foreign, gpointer data, GError **error)
{
  ForeignWork *work = data;
  ForeignNode *node = work->node;
  Planted *planted = &node->planted;
  CUresult result = CUDA_SUCCESS;

  planted->foreign = foreign;
  planted->capturing = leat_foreign_is_capturing (foreign);
  planted->stream = leat_foreign_get_stream (foreign);
  *(planted->capturing ? &node->captures : &node->calls) += 1;
  g_assert_true (foreign_work_find_calls (foreign, &planted->call));
  g_assert_nonnull (leat_foreign_get_context (foreign));
  g_assert_cmpuint (leat_foreign_get_count (foreign, work->in), ==, 0);
  if (node->plant != NULL && !node->late)
    result = (*node->plant) (planted);
  if (result != CUDA_SUCCESS && !node->careless)
    return leat_foreign_check (foreign, "what was planted", result, error);
  if (!node->idle && !foreign_work_do (work, foreign, error))
    return FALSE;
  if (node->plant != NULL && node->late)
    result = (*node->plant) (planted);
  return node->careless || leat_foreign_check (foreign, "what was planted", result, error);
}

static gboolean
foreign_node_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  static const LeatAccess access[] = { LEAT_ACCESS_READ, LEAT_ACCESS_WRITE };
  LeatBufferId buffers[] = { leat_recorder_get_input (recorder, "in"), leat_recorder_get_output (recorder, "out") };
  ForeignWork *work = g_new0 (ForeignWork, 1);
  LeatForeignCall call = { .name = "stamp",
                           .func = foreign_work_call,
                           .user_data = work,
                           .destroy = (GDestroyNotify) foreign_work_free,
                           .why_not_captured = ((ForeignNode *) node)->why_not_captured,
                           .buffers = buffers,
                           .access = access,
                           .n_buffers = G_N_ELEMENTS (buffers),
                           .why_not_on_cpu = ((ForeignNode *) node)->why_not_on_cpu };

  work->node = (ForeignNode *) g_object_ref (node);
  work->in = buffers[0];
  work->out = buffers[1];
  work->bytes = leat_spec_get_bytes (leat_recorder_get_spec (recorder, work->in));
  leat_recorder_add_foreign (recorder, &call);
  return TRUE;
}

static gboolean
foreign_node_prepare (LeatNode *node, GError **error)
{
  leat_node_add_arg (node, "stamp", "y", NULL);
  return TRUE;
}

static void
foreign_node_class_init (ForeignNodeClass *klass)
{
  LEAT_NODE_CLASS (klass)->prepare = foreign_node_prepare;
  LEAT_NODE_CLASS (klass)->record = foreign_node_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &foreign_node_info);
}

static void
foreign_node_init (ForeignNode *self)
{
}

ForeignNode *
foreign_node_new (const char *name)
{
  LeatNode *node = g_object_new (foreign_node_get_type (), "name", name, NULL);
  g_autoptr (LeatSpec) any = leat_spec_new_any ();

  leat_node_add_port (node, "in", LEAT_PORT_INPUT, 0, any, NULL);
  leat_node_add_port (node, "out", LEAT_PORT_OUTPUT, 0, any, NULL);
  return (ForeignNode *) node;
}
