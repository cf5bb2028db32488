/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "planted-source.h"

#include "allocation-watch.h"

#define PLANTED_SOURCE_BEFORE 10
#define PLANTED_SOURCE_ALL    (PLANTED_SOURCE_BEFORE + PLANTED_SOURCE_WATCHED + 2)

typedef struct
{
  LeatEndpoint parent_instance;
  gboolean planted;
  guint n_runs;
  char *last;
} PlantedSource;

typedef struct
{
  LeatEndpointClass parent_class;
} PlantedSourceClass;

static GType planted_source_get_type (void);
G_DEFINE_TYPE (PlantedSource, planted_source, LEAT_TYPE_ENDPOINT)

static const LeatPortInfo planted_source_ports[] = {
  { sizeof (LeatPortInfo), "out", LEAT_PORT_OUTPUT, LEAT_PORT_HOST, "any", "Nothing much" },
};

static const LeatNodeInfo planted_source_info = {
  .size = sizeof (LeatNodeInfo),
  .id = "planted:source",
  .summary = "for tests",
  .ports = planted_source_ports,
  .n_ports = G_N_ELEMENTS (planted_source_ports),
};

static gboolean
planted_source_negotiate (LeatNode *node, LeatNegotiation *negotiation, GError **error)
{
  g_autoptr (LeatSpec) spec = leat_spec_parse ("f32[64]", error);

  return spec != NULL && leat_negotiation_set_output (negotiation, "out", spec, error);
}

static LeatFlow
planted_source_fill (LeatEndpoint *endpoint, LeatView *view, gboolean wait, GCancellable *cancellable, GError **error)
{
  PlantedSource *self = (PlantedSource *) endpoint;

  self->n_runs++;
  if (self->n_runs == PLANTED_SOURCE_BEFORE)
    allocation_watch_start ();
  if (self->n_runs == PLANTED_SOURCE_BEFORE + PLANTED_SOURCE_WATCHED)
    allocation_watch_stop ();
  g_usleep (30000);
  if (self->planted)
    {
      g_free (self->last);
      self->last = g_malloc (100);
    }
  return self->n_runs < PLANTED_SOURCE_ALL ? LEAT_FLOW_DATA : LEAT_FLOW_END;
}

static void
planted_source_finalize (GObject *object)
{
  g_free (((PlantedSource *) object)->last);
  G_OBJECT_CLASS (planted_source_parent_class)->finalize (object);
}

static void
planted_source_class_init (PlantedSourceClass *klass)
{
  G_OBJECT_CLASS (klass)->finalize = planted_source_finalize;
  LEAT_NODE_CLASS (klass)->negotiate = planted_source_negotiate;
  LEAT_ENDPOINT_CLASS (klass)->fill = planted_source_fill;
  leat_node_class_describe (LEAT_NODE_CLASS (klass), &planted_source_info);
}

static void
planted_source_init (PlantedSource *self)
{
}

static void
planted_source_link (LeatPipeline *pipeline, const char *output, const char *input)
{
  g_autoptr (GError) error = NULL;

  leat_pipeline_link (pipeline, output, input, &error);
  g_assert_no_error (error);
}

LeatPipeline *
planted_source_make_pipeline (gboolean planted)
{
  LeatPipeline *pipeline = leat_pipeline_new ();
  LeatNode *node = g_object_new (planted_source_get_type (), "name", "source", NULL);
  g_autoptr (GError) error = NULL;

  ((PlantedSource *) node)->planted = planted;
  leat_pipeline_add (pipeline, node, &error);
  g_assert_no_error (error);
  g_assert_nonnull (leat_pipeline_make (pipeline, "upload", "up", NULL));
  g_assert_nonnull (leat_pipeline_make (pipeline, "readback", "down", NULL));
  g_assert_nonnull (leat_pipeline_make (pipeline, "discard", "sink", NULL));
  planted_source_link (pipeline, "source.out", "up.in");
  planted_source_link (pipeline, "up.out", "down.in");
  planted_source_link (pipeline, "down.out", "sink.in");
  return pipeline;
}
