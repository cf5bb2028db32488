/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object: its life, and the bytes that it counts. */

#include "leat-base-discard.h"

/**
 * LeatBaseDiscard:
 *
 * A sink that takes nothing, the node `discard`.
 *
 * It ends a branch whose result nobody needs, to measure the rest, say.  Linked to device memory it reads nothing back.
 */
struct _LeatBaseDiscard
{
  LeatEndpoint parent_instance;

  gint64 bytes; /* of this session; atomic, so that it can be watched */
};

enum
{
  PROP_0,
  PROP_BYTES,
  N_PROPS
};

G_DEFINE_FINAL_TYPE (LeatBaseDiscard, leat_base_discard, LEAT_TYPE_ENDPOINT)

static gboolean
leat_base_discard_start (LeatEndpoint *endpoint, GError **error)
{
  __atomic_store_n (&LEAT_BASE_DISCARD (endpoint)->bytes, 0, __ATOMIC_RELAXED);
  return TRUE;
}

/* How much of device memory is live is not known here: its capacity is counted. */
static gboolean
leat_base_discard_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  guint64 bytes = view->data != NULL ? leat_view_get_bytes (view) : leat_spec_get_bytes (view->spec);

  __atomic_fetch_add (&LEAT_BASE_DISCARD (endpoint)->bytes, (gint64) bytes, __ATOMIC_RELAXED);
  return TRUE;
}

static void
leat_base_discard_get_property (GObject *object, guint id, GValue *value, GParamSpec *pspec)
{
  if (id == PROP_BYTES)
    g_value_set_uint64 (value, (guint64) __atomic_load_n (&LEAT_BASE_DISCARD (object)->bytes, __ATOMIC_RELAXED));
  else
    G_OBJECT_CLASS (leat_base_discard_parent_class)->get_property (object, id, value, pspec);
}

static const LeatPortInfo leat_base_discard_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_ANYWHERE, "any", "Data that is not needed" },
};

const LeatNodeInfo leat_base_discard_info = {
  sizeof (LeatNodeInfo),
  "discard",
  NULL,
  "Takes results and does nothing with them",
  "Ends a branch whose result is not needed, for instance to measure the nodes before "
  "it.  Data on the device stays there: nothing is read back.  The GObject property "
  "\"bytes\" counts the bytes that came in this session.\n\nExample: io:file "
  "path=words.txt + upload + text:scan patterns=GPU + discard",
  NULL,
  0,
  leat_base_discard_ports,
  G_N_ELEMENTS (leat_base_discard_ports),
  leat_base_discard_get_type,
};

static void
leat_base_discard_class_init (LeatBaseDiscardClass *klass)
{
  LEAT_ENDPOINT_CLASS (klass)->start = leat_base_discard_start;
  LEAT_ENDPOINT_CLASS (klass)->drain = leat_base_discard_drain;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_base_discard_info);
  /* After the description, which brings its own. */
  G_OBJECT_CLASS (klass)->get_property = leat_base_discard_get_property;
  /**
   * LeatBaseDiscard:bytes:
   *
   * Bytes that came in this session, or in the last one; the capacity counts for data that stays on the device.
   */
  g_object_class_install_property (G_OBJECT_CLASS (klass), PROP_BYTES,
                                   g_param_spec_uint64 ("bytes", NULL, "Bytes that came in this session", 0,
                                                        G_MAXUINT64, 0, G_PARAM_READABLE | G_PARAM_STATIC_STRINGS));
}

static void
leat_base_discard_init (LeatBaseDiscard *self)
{
}
