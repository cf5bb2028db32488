/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its property, and the transfer that it records. */

#include "leat-base-upload.h"

#include "leat-base-transfer.h"

/**
 * LeatBaseUpload:
 *
 * The way of data from the host to the device, the node `upload`.
 */
struct _LeatBaseUpload
{
  LeatNode parent_instance;

  int mode;
};

G_DEFINE_FINAL_TYPE (LeatBaseUpload, leat_base_upload, LEAT_TYPE_NODE)

static gboolean
leat_base_upload_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  leat_base_transfer_record (recorder, LEAT_BASE_UPLOAD (node)->mode);
  return TRUE;
}

static const LeatProp leat_base_upload_props[] = {
  { sizeof (LeatProp), "mode", LEAT_PROP_CHOICE, 0, offsetof (LeatBaseUpload, mode), .def.i = LEAT_TRANSFER_AUTO,
    .choices = leat_base_transfer_modes,
    .blurb = "copy: the copy engine copies; mapped: the device works on host memory in place; "
             "kernel: a kernel moves the live data; auto: the session measures and takes the "
             "fastest" },
};

static const LeatPortInfo leat_base_upload_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "any", "Data in host memory" },
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "The same data in device memory" },
};

const LeatNodeInfo leat_base_upload_info = {
  sizeof (LeatNodeInfo),
  "upload",
  NULL,
  "Moves data from the host to the device",
  "Nodes before it work in host memory, nodes behind it on the device; the spec stays "
  "the same.  With mode=auto the first run of a session measures how to move the data, "
  "or the kind of device decides.  The plan of the open session tells the choice and "
  "the reason: the data is copied, moved by a kernel, or not moved at all.  Any other "
  "mode= is binding.\n\nExample: io:file path=words.txt + upload + text:scan "
  "patterns=GPU + readback + text:report",
  leat_base_upload_props,
  G_N_ELEMENTS (leat_base_upload_props),
  leat_base_upload_ports,
  G_N_ELEMENTS (leat_base_upload_ports),
  leat_base_upload_get_type,
};

static void
leat_base_upload_class_init (LeatBaseUploadClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = leat_base_transfer_negotiate;
  LEAT_NODE_CLASS (klass)->record = leat_base_upload_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_base_upload_info);
}

static void
leat_base_upload_init (LeatBaseUpload *self)
{
}
