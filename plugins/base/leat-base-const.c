/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its properties, its spec, and the constant that it gives the plan. */

#include "leat-base-const.h"

#include "leat-base-contents.h"

/**
 * LeatBaseConst:
 *
 * Data that is uploaded once and stays, the node `const`: a table, weights, a picture's mask.
 *
 * It reads a file when the pipeline is planned and gives its contents, in device memory, to every run.
 */
struct _LeatBaseConst
{
  LeatNode parent_instance;

  char *path;
  char *spec;
};

G_DEFINE_FINAL_TYPE (LeatBaseConst, leat_base_const, LEAT_TYPE_NODE)

static LeatContents
leat_base_const_get_contents (LeatBaseConst *self)
{
  return (LeatContents){ LEAT_NODE (self), self->path, self->spec };
}

static gboolean
leat_base_const_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  const LeatContents contents = leat_base_const_get_contents (LEAT_BASE_CONST (node));
  g_autoptr (LeatSpec) allowed = leat_negotiation_get_allowed (negotiation, "out");
  g_autoptr (LeatSpec) spec = leat_contents_find_spec (&contents, allowed, error);

  return spec != NULL && leat_contents_check_spec (&contents, spec, error)
         && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static gboolean
leat_base_const_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LeatSpec *spec = leat_recorder_get_spec (recorder, leat_recorder_get_output (recorder, "out"));
  const LeatContents contents = leat_base_const_get_contents (LEAT_BASE_CONST (node));
  g_autoptr (GBytes) bytes = leat_contents_read (&contents, spec, error);

  if (bytes == NULL)
    return FALSE;
  leat_recorder_set_output_const (recorder, "out", bytes);
  return TRUE;
}

static const LeatProp leat_base_const_props[] = {
  { sizeof (LeatProp), "path", LEAT_PROP_PATH, LEAT_PROP_REQUIRED, offsetof (LeatBaseConst, path),
    .blurb = "File with the data: an .npy array, or raw bytes" },
  { sizeof (LeatProp), "spec", LEAT_PROP_STRING, 0, offsetof (LeatBaseConst, spec),
    .blurb = "Spec of raw bytes, such as f32[256]; without it, u8 as long as the file" },
};

static const LeatPortInfo leat_base_const_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, 0, "any", "Contents of the file" },
};

const LeatNodeInfo leat_base_const_info = {
  sizeof (LeatNodeInfo),
  "const",
  NULL,
  "Data from a file that stays on the device",
  "The session reads and uploads the file once, when it opens; every run finds the "
  "data on the device.  An .npy file states its type and shape.  Any other file is raw "
  "bytes, with the type and shape of spec=, of the node's out= or of its link, or "
  "u8.\n\nExample: const path=weights.npy",
  leat_base_const_props,
  G_N_ELEMENTS (leat_base_const_props),
  leat_base_const_ports,
  G_N_ELEMENTS (leat_base_const_ports),
  leat_base_const_get_type,
};

static void
leat_base_const_class_init (LeatBaseConstClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = leat_base_const_negotiate;
  LEAT_NODE_CLASS (klass)->record = leat_base_const_record;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_base_const_info);
}

static void
leat_base_const_init (LeatBaseConst *self)
{
}
