/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "paced-node.h"

typedef struct
{
  LeatEndpointClass parent_class;
} PacedNodeClass;

typedef PacedNode PacedSource;
typedef PacedNodeClass PacedSourceClass;
typedef PacedNode PacedSink;
typedef PacedNodeClass PacedSinkClass;

static GType paced_source_get_type (void);
static GType paced_sink_get_type (void);
G_DEFINE_TYPE (PacedSource, paced_source, LEAT_TYPE_ENDPOINT)
G_DEFINE_TYPE (PacedSink, paced_sink, LEAT_TYPE_ENDPOINT)

static const LeatPortInfo paced_source_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST, "any", "Numbers" },
};

static const LeatPortInfo paced_sink_ports[] = {
  { sizeof (LeatPortInfo), "in", LEAT_PORT_INPUT, LEAT_PORT_HOST, "any", "Whatever" },
};

static const LeatNodeInfo paced_source_info = {
  .size = sizeof (LeatNodeInfo),
  .id = "paced:source",
  .summary = "for tests",
  .ports = paced_source_ports,
  .n_ports = G_N_ELEMENTS (paced_source_ports),
};

static const LeatNodeInfo paced_sink_info = {
  .size = sizeof (LeatNodeInfo),
  .id = "paced:sink",
  .summary = "for tests",
  .ports = paced_sink_ports,
  .n_ports = G_N_ELEMENTS (paced_sink_ports),
};

static gboolean
paced_source_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  g_autoptr (LeatSpec) spec = leat_spec_parse ("u32[64]", error);

  return spec != NULL && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static void
paced_node_spend (PacedNode *self, gint us)
{
  gint64 until = g_get_monotonic_time () + us;

  if (us > 0 && !self->busy)
    g_usleep (us);
  while (self->busy && g_get_monotonic_time () < until)
    ;
}

/* FALSE: the call fails. */
static gboolean
paced_node_call (PacedNode *self, GError **error)
{
  gint call = self->calls++;

  self->mixed = self->mixed || (self->thread != NULL && self->thread != g_thread_self ());
  self->thread = g_thread_self ();
  if (call != self->fails_at)
    return TRUE;
  while (self->hangs && !g_atomic_int_get (&self->unblocked))
    g_usleep (200);
  g_set_error (error, G_IO_ERROR, self->hangs ? G_IO_ERROR_CANCELLED : G_IO_ERROR_FAILED, "planted at %d", call);
  return FALSE;
}

/* The run that is next. */
static LeatFlow
paced_source_give (PacedNode *self, const LeatView *view, GError **error)
{
  guint32 *items = view->data;
  guint32 value = (guint32) self->calls;

  if (self->calls == self->n)
    return LEAT_FLOW_END;
  if (!paced_node_call (self, error))
    return LEAT_FLOW_ERROR;
  for (guint i = 0; i < PACED_ITEMS; i++)
    items[i] = value;
  return LEAT_FLOW_DATA;
}

static LeatFlow
paced_source_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  PacedNode *self = (PacedNode *) endpoint;

  g_assert_cmpint (self->begun, ==, self->completed);
  paced_node_spend (self, g_atomic_int_get (&self->us));
  return paced_source_give (self, view, error);
}

/* It does not look whether there is an end. */
static gboolean
paced_source_begin (LeatEndpoint *endpoint, LeatView *view)
{
  PacedNode *self = (PacedNode *) endpoint;

  if (self->begun - self->completed >= self->ahead)
    return FALSE;
  self->lent[self->begun % PACED_AHEAD] = view->data;
  self->begun_us[self->begun % PACED_AHEAD] = g_get_monotonic_time ();
  self->begun++;
  self->begun_most = MAX (self->begun_most, self->begun - self->completed);
  return TRUE;
}

static LeatFlow
paced_source_complete (LeatEndpoint *endpoint, LeatView *view, GError **error)
{
  PacedNode *self = (PacedNode *) endpoint;
  gint i = self->completed % PACED_AHEAD;
  gint64 us = self->begun_us[i] + g_atomic_int_get (&self->us) - g_get_monotonic_time ();

  g_assert_cmpint (self->completed, <, self->begun);
  g_assert_true (view->data == self->lent[i]);
  if (self->completed == self->empty_at && self->empties > 0 && !g_atomic_int_get (&self->unblocked))
    {
      self->empties--;
      return LEAT_FLOW_EMPTY;
    }
  self->completed++;
  paced_node_spend (self, (gint) MAX (us, 0));
  return paced_source_give (self, view, error);
}

static gboolean
paced_sink_drain (LeatEndpoint *endpoint, const LeatView *view, GCancellable *cancellable, GError **error)
{
  PacedNode *self = (PacedNode *) endpoint;
  const guint32 *items = view->data;
  gboolean late = self->us_from > 0 && self->calls >= self->us_from;

  paced_node_spend (self, late ? self->us_later : g_atomic_int_get (&self->us));
  if (!paced_node_call (self, error))
    return FALSE;
  g_array_append_val (self->got, items[0]);
  return TRUE;
}

static void
paced_node_unblock (LeatEndpoint *endpoint)
{
  g_atomic_int_set (&((PacedNode *) endpoint)->unblocked, TRUE);
}

static void
paced_sink_finalize (GObject *object)
{
  g_array_unref (((PacedNode *) object)->got);
  G_OBJECT_CLASS (paced_sink_parent_class)->finalize (object);
}

static void
paced_source_class_init (PacedNodeClass *klass)
{
  LEAT_NODE_CLASS (klass)->negotiate = paced_source_negotiate;
  LEAT_ENDPOINT_CLASS (klass)->fill = paced_source_fill;
  LEAT_ENDPOINT_CLASS (klass)->begin = paced_source_begin;
  LEAT_ENDPOINT_CLASS (klass)->complete = paced_source_complete;
  LEAT_ENDPOINT_CLASS (klass)->unblock = paced_node_unblock;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &paced_source_info);
}

static void
paced_sink_class_init (PacedNodeClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = paced_sink_finalize;
  LEAT_ENDPOINT_CLASS (klass)->drain = paced_sink_drain;
  LEAT_ENDPOINT_CLASS (klass)->unblock = paced_node_unblock;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &paced_sink_info);
}

static void
paced_source_init (PacedNode *self)
{
  self->empty_at = -1;
  self->fails_at = -1;
}

static void
paced_sink_init (PacedNode *self)
{
  self->fails_at = -1;
  self->got = g_array_new (FALSE, FALSE, sizeof (guint32));
}

PacedNode *
paced_node_new (const char *name, gboolean source)
{
  return g_object_new (source ? paced_source_get_type () : paced_sink_get_type (), "name", name, NULL);
}
