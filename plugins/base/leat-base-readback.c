/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its property, and the transfer that it records. */

#include "leat-base-readback.h"

#include "leat-base-transfer.h"

/**
 * LeatBaseReadback:
 *
 * The way of results from the device to the host, the node `readback`.
 */
struct _LeatBaseReadback
{
  LeatNode parent_instance;

  int mode;
};

G_DEFINE_FINAL_TYPE (LeatBaseReadback, leat_base_readback, LEAT_TYPE_NODE)

static gboolean
leat_base_readback_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_base_transfer_record (recorder, LEAT_BASE_READBACK (node)->mode);
  return TRUE;
}

static const LeatProp leat_base_readback_props[] = {
  { sizeof (LeatProp), "mode", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseReadback, mode), .def.i = LEAT_TRANSFER_AUTO,
    .choices = leat_base_transfer_modes,
    .blurb = "copy: the copy engine copies; mapped: the device writes to host memory itself; "
             "kernel: a kernel moves the live data; auto: the session measures and takes the "
             "fastest" },
};

static const LeatPortInfo leat_base_readback_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, 0, "any", "Data in device memory" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST, "any", "The same data in host memory" },
};

const LeatNodeInfo leat_base_readback_info = {
  sizeof (LeatNodeInfo),
  "readback",
  NULL,
  "Moves results from the device to the host",
  "Nodes before it work on the device, nodes behind it in host memory; the spec stays "
  "the same.  With mode=auto the first run of a session measures how to move the data, "
  "or the kind of device decides.  The plan of the open session tells the choice and "
  "the reason: the data is copied, moved by a kernel, or written to host memory by the "
  "device itself.  The last is fast if the length of a result is not known "
  "beforehand.  Any other mode= is binding.\n\nExample: io:npy path=in.npy + upload + "
  "map expr=2*x + readback mode=copy + io:npy path=out.npy",
  leat_base_readback_props,
  G_N_ELEMENTS (leat_base_readback_props),
  leat_base_readback_ports,
  G_N_ELEMENTS (leat_base_readback_ports),
  leat_base_readback_get_type,
};

static void
leat_base_readback_class_init (LeatBaseReadbackClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = leat_base_transfer_negotiate;
  LEAT_NODE_CLASS (klass)->record = leat_base_readback_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_base_readback_info);
}

static void
leat_base_readback_init (LeatBaseReadback *self)
{
}
