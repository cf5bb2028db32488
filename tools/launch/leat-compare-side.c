/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes a pipeline one whose outputs are looked at, and opens it. */

#include "leat-compare-side.h"

#include "leat-launch-crash.h"
#include "leat-tap-sink.h"
#include "leat-tap.h"

#include "graph/leat-group.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-private.h"

/* A second run would wait for what the first has taken, or find something else. */
static gboolean
leat_compare_check_source (LeatNode *node, GError **error)
{
  GParamSpec *property = g_object_class_find_property (G_OBJECT_GET_CLASS (node), "path");
  g_autofree char *path = property != NULL ? leat_node_dup_path (node, "path") : NULL;

  if (path == NULL || !LEAT_IS_ENDPOINT (node) || !leat_endpoint_is_source (LEAT_ENDPOINT (node))
      || g_file_test (path, G_FILE_TEST_IS_REGULAR)
      || !(g_str_equal (path, "-") || g_file_test (path, G_FILE_TEST_EXISTS)))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_IO,
               "--compare reads the input twice, and \"%s\" reads %s, which gives it once: save it to a file and name "
               "that",
               leat_node_get_name (node), path);
  return FALSE;
}

static gboolean
leat_compare_is_sink (LeatNode *node)
{
  return LEAT_IS_ENDPOINT (node) && !leat_endpoint_is_source (LEAT_ENDPOINT (node));
}

/* All that read something from outside are checked, and all that bring something there go: what they got is looked at.
 */
static GPtrArray *
leat_compare_take_sinks (LeatPipeline *pipeline, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_pipeline_list_nodes (pipeline);
  g_autoptr (GPtrArray) results = g_ptr_array_new ();

  for (guint i = 0; i < nodes->len; i++)
    {
      LeatPort *input;

      if (!leat_compare_check_source (nodes->pdata[i], error))
        return NULL;
      if (!leat_compare_is_sink (nodes->pdata[i]))
        continue;
      input = leat_node_get_port (nodes->pdata[i], "in", error);
      if (input == NULL)
        return NULL;
      g_ptr_array_add (results, leat_port_get_peer (input));
      leat_pipeline_remove (pipeline, nodes->pdata[i]);
    }
  return g_steal_pointer (&results);
}

static void
leat_compare_add_output (GPtrArray *outputs, LeatPort *port)
{
  if (!g_ptr_array_find (outputs, port, NULL))
    g_ptr_array_add (outputs, port);
}

/* Outputs that somebody reads or must read, and how often a loop went round. */
static void
leat_compare_add_outputs (GPtrArray *outputs, LeatNode *node)
{
  g_autoptr (GPtrArray) ports = leat_node_list_ports (node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = ports->pdata[i];
      gboolean counts = LEAT_IS_GROUP (node) && g_str_equal (leat_port_get_name (port), "iterations");

      if (leat_port_get_direction (port) == LEAT_PORT_OUTPUT
          && (leat_port_is_linked (port) || counts || (leat_port_get_flags (port) & LEAT_PORT_OPTIONAL) == 0))
        leat_compare_add_output (outputs, port);
    }
}

/* In the order of the plan: what a group gives comes behind its body. */
static gboolean
leat_compare_list_all (LeatPipeline *pipeline, GPtrArray *outputs, GError **error)
{
  g_autoptr (GPtrArray) nodes = leat_plan_sort_nodes (pipeline, error);

  for (guint i = 0; nodes != NULL && i < nodes->len; i++)
    {
      LeatNode *node = nodes->pdata[i];
      LeatGroup *group = leat_node_get_group (node);

      if (group != NULL && node == leat_group_get_end (group))
        leat_compare_add_outputs (outputs, LEAT_NODE (group));
      else if (!LEAT_IS_GROUP (node) && (group == NULL || node != leat_group_get_begin (group)))
        leat_compare_add_outputs (outputs, node);
    }
  return nodes != NULL;
}

static gboolean
leat_compare_side_add_taps (LeatCompareSide *self, LeatCompareKeep keep, GError **error)
{
  g_autoptr (GPtrArray) results = leat_compare_take_sinks (self->pipeline, error);

  if (results == NULL || (keep == LEAT_COMPARE_ALL && !leat_compare_list_all (self->pipeline, self->outputs, error)))
    return FALSE;
  for (guint i = 0; i < results->len; i++)
    leat_compare_add_output (self->outputs, results->pdata[i]);
  for (guint i = 0; i < self->outputs->len; i++)
    {
      LeatPort *host = leat_tap_add (self->pipeline, self->outputs->pdata[i], error);
      LeatTapSink *sink = host != NULL ? leat_tap_sink_add (self->pipeline, host, error) : NULL;

      if (sink == NULL)
        return FALSE;
      g_ptr_array_add (self->sinks, sink);
    }
  return TRUE;
}

static gboolean
leat_compare_side_read (LeatCompareSide *self, const LeatLaunchOptions *options, GError **error)
{
  g_autoptr (GPtrArray) errors = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);

  self->pipeline = leat_launch_text_read (leat_launch_options_get_text (options), errors);
  if (self->pipeline == NULL)
    g_propagate_error (error, g_error_copy (errors->pdata[0]));
  return self->pipeline != NULL;
}

static gboolean
leat_compare_side_limit (LeatCompareSide *self, const LeatCompareLimit *limit, GError **error)
{
  LeatNode *loop = limit->loop != NULL ? leat_pipeline_get_node (self->pipeline, limit->loop, error) : NULL;

  if (loop != NULL)
    g_object_set (loop, "max-iterations", limit->most, NULL);
  return limit->loop == NULL || loop != NULL;
}

gboolean
leat_compare_side_open (LeatCompareSide *self, const LeatLaunchOptions *options, const LeatCompareWay *way,
                        LeatCompareKeep keep, const LeatCompareLimit *limit, GError **error)
{
  self->outputs = g_ptr_array_new ();
  self->sinks = g_ptr_array_new ();
  if (!leat_compare_side_read (self, options, error) || !leat_compare_side_limit (self, limit, error)
      || !leat_compare_side_add_taps (self, keep, error))
    return FALSE;
  leat_pipeline_set_fuse (self->pipeline, way->fuse);
  leat_pipeline_set_optimise (self->pipeline, way->optimise);
  self->session = leat_session_new (self->pipeline, way->device);
  g_object_set (self->session, "executor", way->executor, "early-start", options->early_start, "wait", options->wait,
                "repeat", (guint64) options->runs, "readback", LEAT_READBACK_EACH, "budget", options->budget, NULL);
  if (!leat_session_open (self->session, NULL, error))
    return FALSE;
  leat_launch_explain_crashes ();
  return TRUE;
}

void
leat_compare_side_close (LeatCompareSide *self)
{
  if (self->session != NULL)
    leat_session_close (self->session);
  g_clear_object (&self->session);
  g_clear_pointer (&self->outputs, g_ptr_array_unref);
  g_clear_pointer (&self->sinks, g_ptr_array_unref);
  g_clear_object (&self->pipeline);
}
