/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

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
    .blurb =
      "whether kernels that say access= are held to it, which takes time and memory; what they touch else fails the "
      "run" },
};

const LeatNodeInfo leat_base_megakernel_info = {
  sizeof (LeatNodeInfo),
  "megakernel",
  NULL,
  "Does its body as one kernel",
  "The kernels of the nodes between { and } become one, launched once.  In the body in.NAME is what comes to the "
  "node's "
  "input NAME, and what goes to out.NAME is its output NAME.  Where a kernel needs what others have written, all "
  "blocks "
  "meet at a barrier, unless access= says that its own block or thread has written it, or the blocks around: then "
  "nothing waits, or a block for those around it, and what nobody else reads stays in registers.\n\n"
  "Example: megakernel begin in.x + map expr=x*2 + map expr=x+1 + out.y end",
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
