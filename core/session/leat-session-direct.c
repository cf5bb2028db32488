/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A program that fills and reads the staging memory itself: no queue and no copy between it and the device. */

#include "leat-session-private.h"

#include "graph/leat-app.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-graph-error-private.h"
#include "graph/leat-spec-private.h"
#include "leat-session-run-private.h"

#include <string.h>

static LeatNode *
leat_session_get_entry_node (GArray *entries, guint index)
{
  return (*(LeatOp **) (entries->data + index * g_array_get_element_size (entries)))->node;
}

static void
leat_session_refuse_app (LeatSession *self, GArray *entries, const char *name, const char *kind, GError **error)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();
  g_autofree char *hint = NULL;
  gboolean there_is = leat_pipeline_get_node (self->pipeline, name, NULL) != NULL;

  for (guint i = 0; i < entries->len; i++)
    if (LEAT_IS_APP (leat_session_get_entry_node (entries, i)))
      g_ptr_array_add (names, (gpointer) leat_node_get_name (leat_session_get_entry_node (entries, i)));
  g_ptr_array_add (names, NULL);
  hint = leat_graph_error_hint (name, (const char *const *) names->pdata, "app nodes");
  g_set_error (error, LEAT_GRAPH_ERROR, there_is ? LEAT_GRAPH_ERROR_DIRECTION : LEAT_GRAPH_ERROR_UNKNOWN_NAME,
               "there is no app node \"%s\" that is a %s%s", name, kind, hint);
}

gpointer
leat_session_find_app (LeatSession *self, GArray *entries, const char *name, const char *kind, GError **error)
{
  for (guint i = 0; i < entries->len; i++)
    {
      LeatNode *node = leat_session_get_entry_node (entries, i);

      if (strcmp (leat_node_get_private (node)->name, name) == 0 && LEAT_IS_APP (node))
        return entries->data + i * g_array_get_element_size (entries);
    }
  leat_session_refuse_app (self, entries, name, kind, error);
  return NULL;
}

static LeatSessionInput *
leat_session_find_input (LeatSession *self, const char *name, GError **error)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    if (leat_session_get_input (self, i)->app != NULL && strcmp (leat_session_get_input (self, i)->name, name) == 0)
      return leat_session_get_input (self, i);
  return leat_session_find_app (self, self->ends.inputs, name, "source", error);
}

static LeatSessionOutput *
leat_session_find_output (LeatSession *self, const char *name, GError **error)
{
  for (guint i = 0; i < self->ends.outputs->len; i++)
    if (leat_session_get_output (self, i)->app != NULL && strcmp (leat_session_get_output (self, i)->name, name) == 0)
      return leat_session_get_output (self, i);
  return leat_session_find_app (self, self->ends.outputs, name, "sink", error);
}

static gboolean
leat_session_check_own (LeatSession *self, const LeatSessionInput *input, GError **error)
{
  if (!leat_plan_get_buffer (self->plan, input->op->touches[0].buffer)->user)
    return TRUE;
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_MEMORY,
               "app \"%s\" has memory=user: leat_session_bind_input () says where its data are",
               leat_node_get_name (input->op->node));
  return FALSE;
}

static void
leat_session_lend_input (LeatSession *self, LeatSessionInput *input, LeatView *view)
{
  input->direct = TRUE;
  input->generation++;
  leat_staging_view (&input->staging, view);
}

static gboolean
leat_session_refuse_count (const char *name, LeatSpec *spec, guint64 count, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
               "app \"%s\" takes %s: its count cannot be %" G_GUINT64_FORMAT, name, text, count);
  return FALSE;
}

gboolean
leat_session_check_count (const char *name, LeatSpec *spec, guint64 count, GError **error)
{
  guint64 most = spec->n_dims > 0 ? spec->dims[0].number : 1;

  return count == most || (count < most && spec->bounded) || leat_session_refuse_count (name, spec, count, error);
}

/**
 * leat_session_map_input:
 * @self: an open session that is not running
 * @name: an `app` node that is a source
 * @view: (out caller-allocates): its memory, to be filled
 * @error: return location for an error
 *
 * Lends the memory that the next run takes an input from, so that it can be filled in place.
 *
 * From the first call on the node's queue is not asked any more: each run takes what the memory holds.  Each call says
 * that the memory is about to change; a run before which no input was mapped again leaves the uploads out where it can
 * (see #LeatSession:reuse), so map before every filling.  The memory stays where it is until the session is closed, or
 * a property that was set gives the port another spec; it must not be written while a run is under way.  For a bounded
 * spec, leat_session_set_input_count () says how much of it is live; at first nothing is.
 *
 * Returns: whether there is such an input; if not, %LEAT_GRAPH_ERROR_UNKNOWN_NAME, %LEAT_GRAPH_ERROR_DIRECTION for a
 * node that is no such source, and what leat_session_replay () says of a session that cannot run
 */
gboolean
leat_session_map_input (LeatSession *self, const char *name, LeatView *view, GError **error)
{
  LeatSessionInput *input;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL && view != NULL, FALSE);

  if (!leat_session_take_open_lightly (self, error))
    return FALSE;
  input = leat_session_find_input (self, name, error);
  if (input != NULL && !leat_session_check_own (self, input, error))
    input = NULL;
  if (input != NULL)
    leat_session_lend_input (self, input, view);
  leat_session_let_go (self);
  return input != NULL;
}

/**
 * leat_session_set_input_count:
 * @self: an open session that is not running
 * @name: an `app` node that is a source, mapped
 * @count: how many steps of the leading dimension are live
 * @error: return location for an error
 *
 * Says how much of an input of a bounded spec the next run takes.
 *
 * Returns: whether it was set; %LEAT_GRAPH_ERROR_RANGE when @count is more than there is room for, or is not what the
 *   fixed spec says; else the errors of leat_session_map_input ()
 */
gboolean
leat_session_set_input_count (LeatSession *self, const char *name, guint64 count, GError **error)
{
  LeatSessionInput *input;
  LeatView view;
  gboolean good;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL, FALSE);

  if (!leat_session_take_open_lightly (self, error))
    return FALSE;
  input = leat_session_find_input (self, name, error);
  if (input != NULL && !leat_session_check_own (self, input, error))
    input = NULL;
  good = input != NULL && leat_session_check_count (name, input->buffer->spec, count, error);
  if (good)
    leat_session_lend_input (self, input, &view);
  if (good && input->staging.count != NULL)
    *input->staging.count = count;
  leat_session_let_go (self);
  return good;
}

/**
 * leat_session_map_output:
 * @self: an open session that is not running
 * @name: an `app` node that is a sink
 * @view: (out caller-allocates): what the last run gave
 * @error: return location for an error
 *
 * Lends the memory that results come to, so that they can be read in place.
 *
 * From the first call on nothing is put into the node's queue.  Call it once before the first run, and after each run
 * whose results are of interest; what it gave is good until the next run begins.  Of a node with `memory=user` the data
 * are where leat_session_bind_output () put them, which may be an address of the device.
 *
 * Returns: whether there is such an output; errors as leat_session_map_input ()
 */
gboolean
leat_session_map_output (LeatSession *self, const char *name, LeatView *view, GError **error)
{
  LeatSessionOutput *output;

  g_return_val_if_fail (LEAT_IS_SESSION (self), FALSE);
  g_return_val_if_fail (name != NULL && view != NULL, FALSE);

  if (!leat_session_take_open_lightly (self, error))
    return FALSE;
  output = leat_session_find_output (self, name, error);
  if (output != NULL)
    {
      output->direct = TRUE;
      leat_staging_view (&output->staging, view);
    }
  leat_session_let_go (self);
  return output != NULL;
}
