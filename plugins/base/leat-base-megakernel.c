/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its property, and the fusion of its body, which the recorder does. */

#include "leat-base-megakernel.h"

/**
 * LeatBaseMegakernel:
 *
 * Its body as one kernel: the node `megakernel`.
 */
struct _LeatBaseMegakernel
{
  LeatGroup parent_instance;

  gboolean check;
  guint first;
};

G_DEFINE_FINAL_TYPE (LeatBaseMegakernel, leat_base_megakernel, LEAT_TYPE_GROUP)

static const LeatProp leat_base_megakernel_props[] = {
  { sizeof (LeatProp), "check", LEAT_PROP_BOOL, 0, offsetof (LeatBaseMegakernel, check),
    .blurb = "true: a run fails if a kernel touches items that its access= excludes; the check "
             "takes time and memory" },
};

const LeatNodeInfo leat_base_megakernel_info = {
  sizeof (LeatNodeInfo),
  "megakernel",
  NULL,
  "Fuses its body into one kernel",
  "The kernels of the nodes between { and } become one kernel, which is launched "
  "once.  In the body, in.NAME is the data of the node's input NAME, and a link to "
  "out.NAME gives its output NAME.  If a kernel needs data that others wrote, all "
  "blocks meet at a barrier.  If access= says that the same thread or block wrote the "
  "data, nothing waits.  If neighbouring blocks wrote it, a block waits for those.  "
  "Data that no other node reads stays in registers.\n\nExample: megakernel begin in.x "
  "+ map expr=x*2 + map expr=x+1 + out.y end",
  leat_base_megakernel_props,
  G_N_ELEMENTS (leat_base_megakernel_props),
  NULL,
  0,
  leat_base_megakernel_get_type,
};

static gboolean
leat_base_megakernel_negotiate_end (LeatGroup *group, GError **error)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (leat_group_get_end (group));

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);

      if (leat_port_get_spec (port) != NULL
          && !leat_group_set_output (group, leat_port_get_name (port), leat_port_get_spec (port), error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_base_megakernel_record (LeatNode *node, LeatRecorder *recorder, GError **error)
{
  LEAT_BASE_MEGAKERNEL (node)->first = leat_recorder_begin_fusion (recorder);
  return TRUE;
}

static gboolean
leat_base_megakernel_record_end (LeatGroup *group, LeatRecorder *recorder, GError **error)
{
  LeatBaseMegakernel *self = LEAT_BASE_MEGAKERNEL (group);
  const LeatFuseCall call = { .is_checked = self->check };

  return leat_recorder_end_fusion (recorder, self->first, &call, error);
}

static void
leat_base_megakernel_class_init (LeatBaseMegakernelClass *klass)
{
  LeatNodeClass *node_class = LEAT_NODE_CLASS (klass);

  node_class->record = leat_base_megakernel_record;
  LEAT_GROUP_CLASS (klass)->negotiate_end = leat_base_megakernel_negotiate_end;
  LEAT_GROUP_CLASS (klass)->record_end = leat_base_megakernel_record_end;
  leat_node_class_describe (node_class, &leat_base_megakernel_info);
}

static void
leat_base_megakernel_init (LeatBaseMegakernel *self)
{
}
