/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * A plugin with one node, whose work is not Leat's: two copies that it makes itself through the driver.
 */
#include <leat/leat.h>

typedef struct
{
  LeatNode parent_instance;
  guint64 by;
} Rotate;

typedef struct
{
  LeatNodeClass parent_class;
} RotateClass;

GType rotate_get_type (void);
G_DEFINE_TYPE (Rotate, rotate, LEAT_TYPE_NODE)

/* What the callback needs: the plan has it until it goes. */
typedef struct
{
  LeatBufferId in, out;
  guint64 bytes, by;
} RotateWork;

/* As cuda.h has it: `CUresult cuMemcpyDtoDAsync (CUdeviceptr, CUdeviceptr, size_t, CUstream)`. */
typedef int (*CopyFunc) (guint64 to, guint64 from, gsize bytes, gpointer stream);

static gboolean
rotate_put (LeatForeign *foreign, gpointer user_data, GError **error)
{
  const RotateWork *work = user_data;
  CopyFunc copy = (CopyFunc) leat_foreign_find_call (foreign, "cuMemcpyDtoDAsync");
  gpointer stream = leat_foreign_get_stream (foreign);
  guint64 in = leat_foreign_get_items (foreign, work->in), out = leat_foreign_get_items (foreign, work->out);
  guint64 rest = work->bytes - work->by;

  return leat_foreign_check (foreign, "cuMemcpyDtoDAsync", copy (out, in + work->by, rest, stream), error)
         && (work->by == 0
             || leat_foreign_check (foreign, "cuMemcpyDtoDAsync", copy (out + rest, in, work->by, stream), error));
}

static gboolean
rotate_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  static const LeatAccess access[] = { LEAT_ACCESS_READ, LEAT_ACCESS_WRITE };
  LeatBufferId buffers[] = { leat_recorder_get_input (recorder, "in"), leat_recorder_get_output (recorder, "out") };
  RotateWork *work = g_new0 (RotateWork, 1);
  LeatForeignCall call = { .name = "two copies",
                           .func = rotate_put,
                           .user_data = work,
                           .destroy = g_free,
                           .buffers = buffers,
                           .access = access,
                           .n_buffers = G_N_ELEMENTS (buffers) };

  work->in = buffers[0];
  work->out = buffers[1];
  work->bytes = leat_spec_get_bytes (leat_recorder_get_spec (recorder, work->in));
  work->by = work->bytes > 0 ? ((Rotate *) node)->by % work->bytes : 0;
  leat_recorder_add_foreign (recorder, &call);
  return TRUE;
}

static gboolean
rotate_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  return leat_negotiation_set_output (negotiation, "out", leat_negotiation_get_input (negotiation, "in"), error);
}

static const LeatPortInfo rotate_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, "u8[n]", "Bytes" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "u8[n]", "The same, the first ones last" },
};

static const LeatProp rotate_props[] = {
  { sizeof (LeatProp), "by", LEAT_PROP_UINT, 0, G_STRUCT_OFFSET (Rotate, by), .blurb = "how many go to the end" },
};

static const LeatNodeInfo rotate_info = {
  sizeof (LeatNodeInfo),
  "example:rotate",
  NULL,
  "Move the first bytes to the end",
  "An example of a node with work of its own.",
  rotate_props,
  G_N_ELEMENTS (rotate_props),
  rotate_ports,
  G_N_ELEMENTS (rotate_ports),
  rotate_get_type,
};

static void
rotate_class_init (RotateClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = rotate_negotiate;
  LEAT_NODE_CLASS (klass)->record = rotate_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &rotate_info);
}

static void
rotate_init (Rotate *self)
{
}

static const LeatNodeInfo *const rotate_nodes[] = { &rotate_info };

LEAT_PLUGIN_EXPORT const LeatPluginInfo leat_plugin = {
  sizeof (LeatPluginInfo),     LEAT_PLUGIN_ABI, "example", "1", "LGPL-2.1-or-later", rotate_nodes,
  G_N_ELEMENTS (rotate_nodes),
};
