/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The object, which is made by leat-launch and is no node that a pipeline can name. */

#include "leat-tap-sink.h"

struct _LeatTapSink
{
  LeatEndpoint parent_instance;

  GQueue runs; /* GBytes */
};

G_DEFINE_FINAL_TYPE (LeatTapSink, leat_tap_sink, LEAT_TYPE_ENDPOINT)

static gboolean
leat_tap_sink_start (LeatEndpoint *endpoint, GError **error)
{
  return TRUE;
}

static gboolean
leat_tap_sink_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  g_queue_push_tail (&LEAT_TAP_SINK (endpoint)->runs, g_bytes_new (view->data, leat_view_get_bytes (view)));
  return TRUE;
}

static gboolean
leat_tap_sink_finish (LeatEndpoint *endpoint, GError **error)
{
  return TRUE;
}

static void
leat_tap_sink_stop (LeatEndpoint *endpoint)
{
}

static const LeatPortInfo leat_tap_sink_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "any", "Data to look at" },
};

static const LeatNodeInfo leat_tap_sink_info = {
  sizeof (LeatNodeInfo),
  "tap",
  NULL,
  "Keeps data of each run",
  "Made by leat-launch.",
  NULL,
  0,
  leat_tap_sink_ports,
  G_N_ELEMENTS (leat_tap_sink_ports),
  leat_tap_sink_get_type,
};

static void
leat_tap_sink_finalize (GObject *object)
{
  g_queue_clear_full (&LEAT_TAP_SINK (object)->runs, (GDestroyNotify) g_bytes_unref);
  G_OBJECT_CLASS (leat_tap_sink_parent_class)->finalize (object);
}

static void
leat_tap_sink_class_init (LeatTapSinkClass *klass)
{
  LeatEndpointClass *endpoint_class = LEAT_ENDPOINT_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = leat_tap_sink_finalize;
  endpoint_class->start = leat_tap_sink_start;
  endpoint_class->drain = leat_tap_sink_drain;
  endpoint_class->finish = leat_tap_sink_finish;
  endpoint_class->stop = leat_tap_sink_stop;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &leat_tap_sink_info);
}

static void
leat_tap_sink_init (LeatTapSink *self)
{
  g_queue_init (&self->runs);
}

LeatTapSink *
leat_tap_sink_add (LeatPipeline *pipeline, LeatPort *host, GError **error)
{
  g_autoptr (LeatTapSink) self = g_object_new (LEAT_TYPE_TAP_SINK, NULL);

  if (!leat_pipeline_add (pipeline, LEAT_NODE (self), error)
      || !leat_port_link (host, leat_node_get_port (LEAT_NODE (self), "in", NULL), error))
    return NULL;
  return self; /* the pipeline holds it */
}

GBytes *
leat_tap_sink_take (LeatTapSink *self)
{
  return g_queue_pop_head (&self->runs);
}

LeatSpec *
leat_tap_sink_get_spec (LeatTapSink *self)
{
  return leat_port_get_spec (leat_node_get_port (LEAT_NODE (self), "in", NULL));
}
