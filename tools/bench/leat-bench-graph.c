/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A pipeline from a file for a contest, with `app` nodes in the place of its sources and sinks.  The file itself is
 * left alone. */

#include "leat-bench-graph.h"

/* (nullable) */
static LeatPort *
leat_bench_graph_find_port (LeatNode *node)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint i = 0; i < ports->len; i++)
    if (leat_port_is_linked (ports->pdata[i]))
      return ports->pdata[i];
  return NULL;
}

static LeatNode *
leat_bench_graph_make_app (LeatPipeline *pipeline, const char *name, LeatSpec *spec, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  LeatNode *app = leat_pipeline_make (pipeline, "app", name, error);

  return app != NULL && leat_node_set_from_string (app, "spec", text, error) ? app : NULL;
}

static gboolean
leat_bench_graph_link (LeatPort *from, LeatPort *to, GError **error)
{
  return from != NULL && to != NULL && leat_port_link (from, to, error);
}

static gboolean
leat_bench_graph_replace_source (LeatPipeline *pipeline, LeatNode *node, LeatPort *port, LeatSpec *spec, GError **error)
{
  g_autoptr (GPtrArray) peers = leat_port_list_peers (port);
  g_autofree char *name = g_strdup (leat_node_get_name (node));
  LeatNode *app;

  for (guint i = 0; i < peers->len; i++)
    leat_port_unlink (peers->pdata[i]);
  leat_pipeline_remove (pipeline, node);
  app = leat_bench_graph_make_app (pipeline, name, spec, error);
  for (guint i = 0; app != NULL && i < peers->len; i++)
    if (!leat_bench_graph_link (leat_node_get_port (app, "out", error), peers->pdata[i], error))
      return FALSE;
  return app != NULL;
}

static gboolean
leat_bench_graph_replace_sink (LeatPipeline *pipeline, LeatNode *node, LeatPort *port, GError **error)
{
  LeatPort *peer = leat_port_get_peer (port);
  g_autofree char *name = g_strdup (leat_node_get_name (node));
  LeatNode *app;

  leat_port_unlink (port);
  leat_pipeline_remove (pipeline, node);
  app = leat_pipeline_make (pipeline, "app", name, error);
  return app != NULL && leat_bench_graph_link (peer, leat_node_get_port (app, "in", error), error);
}

static gboolean
leat_bench_graph_replace (LeatPipeline *pipeline, LeatNode *node, GError **error)
{
  LeatPort *port = leat_bench_graph_find_port (node);
  g_autoptr (LeatSpec) spec = NULL;

  if (port != NULL && leat_port_get_spec (port) != NULL)
    spec = leat_spec_ref (leat_port_get_spec (port));
  if (spec == NULL)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "\"%s\" has no link whose data could be given to it",
                   leat_node_get_name (node));
      return FALSE;
    }
  if (leat_endpoint_is_source (LEAT_ENDPOINT (node)))
    return leat_bench_graph_replace_source (pipeline, node, port, spec, error);
  return leat_bench_graph_replace_sink (pipeline, node, port, error);
}

LeatPipeline *
leat_bench_graph_load (const char *path, GError **error)
{
  g_autoptr (LeatPipeline) pipeline = leat_parse_file (path, NULL, error);
  g_autoptr (LeatPlan) plan = NULL;
  g_autoptr (GPtrArray) nodes = NULL;

  /* The plan fixes the specs of all ports. */
  plan = pipeline != NULL ? leat_plan_new (pipeline, error) : NULL;
  if (plan == NULL)
    return NULL;
  g_clear_object (&plan);
  nodes = leat_pipeline_list_nodes (pipeline);
  for (guint i = 0; i < nodes->len; i++)
    if (LEAT_IS_ENDPOINT (nodes->pdata[i]) && !leat_bench_graph_replace (pipeline, nodes->pdata[i], error))
      return NULL;
  return g_steal_pointer (&pipeline);
}
