/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs two ways side by side, and holds what they give against each other. */

#include "leat-compare-pass.h"

#include "leat-launch-run.h"
#include "leat-tap-sink.h"

#include "graph/leat-group.h"
#include "plan/leat-plan-private.h"

#include <string.h>

void
leat_compare_found_clear (LeatCompareFound *self)
{
  g_free (self->failure);
  g_free (self->node);
  g_free (self->port);
  g_free (self->id);
  g_free (self->loop);
  leat_difference_clear (&self->difference);
  *self = (LeatCompareFound){ FALSE };
}

static LeatNode *
leat_compare_find_loop (LeatNode *node)
{
  LeatNode *loop = NULL;

  for (LeatGroup *group = leat_node_get_group (node); group != NULL; group = leat_node_get_group (LEAT_NODE (group)))
    if (g_object_class_find_property (G_OBJECT_GET_CLASS (group), "max-iterations") != NULL)
      loop = LEAT_NODE (group);
  return loop;
}

static void
leat_compare_note (LeatCompareFound *self, LeatPort *output)
{
  LeatNode *node = leat_port_get_node (output), *loop = leat_compare_find_loop (node);

  self->found = TRUE;
  self->node = g_strdup (leat_node_get_name (node));
  self->id = g_strdup (leat_node_get_id (node));
  self->port = g_strdup (leat_port_get_name (output));
  self->loop = loop != NULL ? g_strdup (leat_node_get_name (loop)) : NULL;
}

/* A count of iterations, where the output is that of the loop that the difference is in. */
static void
leat_compare_note_iterations (LeatCompareFound *self, LeatPort *output, GBytes *const *data)
{
  guint64 counts[2];

  if (g_strcmp0 (self->loop, leat_node_get_name (leat_port_get_node (output))) != 0
      || !g_str_equal (leat_port_get_name (output), "iterations"))
    return;
  for (guint i = 0; i < 2; i++)
    {
      if (g_bytes_get_size (data[i]) != sizeof *counts)
        return;
      memcpy (&counts[i], g_bytes_get_data (data[i], NULL), sizeof *counts);
    }
  self->iterations = MIN (counts[0], counts[1]);
}

/* FALSE where one of them has no more of an output. */
static gboolean
leat_compare_output (LeatCompareFound *self, LeatCompareSide *sides, guint index, double tolerance)
{
  LeatTapSink *sinks[2] = { sides[0].sinks->pdata[index], sides[1].sinks->pdata[index] };
  g_autoptr (GBytes) first = leat_tap_sink_take (sinks[0]);
  g_autoptr (GBytes) second = leat_tap_sink_take (sinks[1]);
  LeatSpec *spec = leat_tap_sink_get_spec (sinks[0]);
  GBytes *const data[2] = { first, second };

  if (first == NULL || second == NULL)
    return FALSE;
  self->items += g_bytes_get_size (first) / leat_spec_get_item_bytes (spec);
  if (self->found)
    leat_compare_note_iterations (self, sides[0].outputs->pdata[index], data);
  else if (leat_difference_find (&self->difference, spec, first, second, tolerance))
    leat_compare_note (self, sides[0].outputs->pdata[index]);
  return TRUE;
}

/* All runs whose data both have.  One set of inputs may have given several. */
static void
leat_compare_runs (LeatCompareFound *self, LeatCompareSide *sides, double tolerance)
{
  gboolean both = sides[0].sinks->len > 0;

  while (both && !self->found)
    {
      for (guint i = 0; both && i < sides[0].sinks->len; i++)
        both = leat_compare_output (self, sides, i, tolerance);
      self->runs += both;
    }
}

/* One way fails and the other does not: that is a difference too.  Where both fail, it is no matter of ways. */
static gboolean
leat_compare_settle_flows (LeatCompareFound *self, const LeatFlow *flows, GError **errors, GError **error)
{
  guint failed = flows[0] == LEAT_FLOW_ERROR ? 0 : 1;

  if (flows[0] == LEAT_FLOW_ERROR && flows[1] == LEAT_FLOW_ERROR)
    {
      g_propagate_prefixed_error (error, g_steal_pointer (&errors[0]), "both ways fail: ");
      return FALSE;
    }
  if (flows[0] == flows[1] || self->found)
    return TRUE;
  self->found = TRUE;
  self->runs++;
  self->failed = failed;
  self->failure = flows[failed] == LEAT_FLOW_ERROR ? g_strdup (errors[failed]->message)
                                                   : g_strdup ("its sources give more or fewer runs");
  return TRUE;
}

static gboolean
leat_compare_all_runs (LeatCompareFound *self, LeatCompareSide *sides, double tolerance, GError **error)
{
  LeatFlow flows[2] = { LEAT_FLOW_DATA, LEAT_FLOW_DATA };
  gboolean good = TRUE;

  while (good && !self->found && flows[0] == LEAT_FLOW_DATA)
    {
      GError *errors[2] = { NULL, NULL };

      for (guint i = 0; i < 2; i++)
        flows[i] = leat_session_replay (sides[i].session, TRUE, NULL, &errors[i]);
      leat_compare_runs (self, sides, tolerance);
      good = leat_compare_settle_flows (self, flows, errors, error);
      g_clear_error (&errors[0]);
      g_clear_error (&errors[1]);
    }
  return good;
}

static gboolean
leat_plan_has_fusion (LeatPlan *plan)
{
  for (guint i = 0; i < plan->ops->len; i++)
    if (leat_plan_get_op (plan, i)->fusion != NULL)
      return TRUE;
  return FALSE;
}

/* Two ways that are one by the pipeline's nature differ in nothing, which says little. */
static void
leat_compare_note_if_one (const LeatCompareSide *side, LeatCompare compare)
{
  g_autoptr (LeatPlan) plan = leat_session_dup_plan (side->session);

  if (compare == LEAT_COMPARE_UNFUSED && !leat_plan_has_fusion (plan))
    leat_tool_note ("nothing of this pipeline can be fused: both ways are one");
  if (compare == LEAT_COMPARE_UNOPTIMISED && plan->pass_notes->len == 0)
    leat_tool_note ("nothing of this pipeline is left out: both ways are one");
}

gboolean
leat_compare_pass (LeatCompareFound *self, const LeatLaunchOptions *options, const LeatCompareWay *ways,
                   LeatCompareKeep keep, const LeatCompareLimit *limit, GError **error)
{
  LeatCompareSide sides[2] = { { NULL }, { NULL } };
  gboolean good = TRUE;

  for (guint i = 0; i < 2 && good; i++)
    good = leat_compare_side_open (&sides[i], options, &ways[i], keep, limit, error)
           && leat_launch_check_sources (sides[i].pipeline, error);
  if (good)
    self->n_outputs = sides[0].outputs->len;
  if (good && keep == LEAT_COMPARE_RESULTS && !options->quiet)
    leat_compare_note_if_one (&sides[0], options->wrong.compare);
  good = good && leat_compare_all_runs (self, sides, options->wrong.tolerance, error);
  if (sides[0].pipeline != NULL && keep == LEAT_COMPARE_RESULTS)
    leat_launch_say_warnings (sides[0].pipeline);
  leat_compare_side_close (&sides[0]);
  leat_compare_side_close (&sides[1]);
  return good;
}
