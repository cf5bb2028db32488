/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Runs on data that the call brings: they go straight to the staging memory, and results come from there. */

#include "leat-given-before-private.h"
#include "leat-kept-private.h"

#include "graph/leat-app.h"
#include "leat-session-setup-private.h"
#include "leat-session-run-private.h"
#include "leat-session-told-private.h"

#include <string.h>

/* The data that are put back after them. */
struct _LeatGivenBefore
{
  gboolean *direct; /* of inputs, then of outputs */
  LeatKept kept;
};

static gboolean
leat_session_refuse_given (const LeatOp *op, GError **error)
{
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
               "%s \"%s\": data that come with a call go between app nodes whose memory is the session's",
               leat_node_get_id (op->node), leat_node_get_name (op->node));
  return FALSE;
}

gboolean
leat_session_check_given_ports (LeatSession *self, GError **error)
{
  for (guint i = 0; i < self->ends.inputs->len; i++)
    {
      const LeatSessionInput *input = leat_session_get_input (self, i);

      if (!LEAT_IS_APP (input->op->node) || input->buffer->user)
        return leat_session_refuse_given (input->op, error);
    }
  for (guint i = 0; i < self->ends.outputs->len; i++)
    {
      const LeatSessionOutput *output = leat_session_get_output (self, i);

      if (!LEAT_IS_APP (output->op->node) || output->buffer->user)
        return leat_session_refuse_given (output->op, error);
    }
  if (self->ends.inputs->len > 0)
    return TRUE;
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
               "there is nothing to give data to: the pipeline has no input");
  return FALSE;
}

gboolean
leat_session_check_given (LeatSession *self, guint index, GBytes *bytes, GError **error)
{
  const LeatSessionInput *input = leat_session_get_input (self, index);
  guint64 all = input->buffer->bytes - (input->buffer->header ? LEAT_BUFFER_HEADER : 0);
  gsize size = bytes != NULL ? g_bytes_get_size (bytes) : 0;
  guint64 row = input->staging.row_bytes;
  g_autofree char *text = NULL;

  if (bytes != NULL && (row != 0 ? size <= all && size % row == 0 : size == all))
    return TRUE;
  text = leat_spec_to_string (input->buffer->spec, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
               "app \"%s\" takes %s, which cannot be %" G_GSIZE_FORMAT " bytes; nothing was run", input->name, text,
               size);
  return FALSE;
}

void
leat_session_put_given (LeatSession *self, guint index, gconstpointer data, gsize bytes, guint64 count)
{
  LeatSessionInput *input = leat_session_get_input (self, index);

  if (bytes > 0)
    memcpy (input->staging.view.data, data, bytes);
  if (input->staging.count != NULL)
    *input->staging.count = count;
  input->generation++;
}

void
leat_session_put_given_bytes (LeatSession *self, guint index, GBytes *given)
{
  guint64 row = leat_session_get_input (self, index)->staging.row_bytes;
  gsize size;
  gconstpointer data = g_bytes_get_data (given, &size);

  leat_session_put_given (self, index, data, size, row != 0 ? size / row : 0);
}

GBytes *
leat_session_take_given (LeatSession *self, guint index)
{
  const LeatSessionOutput *output = leat_session_get_output (self, index);
  LeatView view;

  leat_staging_view (&output->staging, &view);
  return g_bytes_new (view.data, leat_staging_get_live_bytes (&output->staging, &view));
}

LeatGivenBefore *
leat_session_begin_given (LeatSession *self)
{
  LeatGivenBefore *before = g_new0 (LeatGivenBefore, 1);
  gboolean *next = before->direct = g_new (gboolean, self->ends.inputs->len + self->ends.outputs->len + 1);

  leat_kept_init_given (&before->kept, self);
  for (guint i = 0; i < self->ends.inputs->len; i++)
    {
      *next++ = leat_session_get_input (self, i)->direct;
      leat_session_get_input (self, i)->direct = TRUE;
    }
  for (guint i = 0; i < self->ends.outputs->len; i++)
    {
      *next++ = leat_session_get_output (self, i)->direct;
      leat_session_get_output (self, i)->direct = TRUE;
    }
  return before;
}

void
leat_session_end_given (LeatSession *self, LeatGivenBefore *before)
{
  const gboolean *next = before->direct;
  LeatRun run = leat_session_get_flight (self, 0)->run;

  for (guint i = 0; i < self->ends.inputs->len; i++)
    leat_session_get_input (self, i)->direct = *next++;
  for (guint i = 0; i < self->ends.outputs->len; i++)
    leat_session_get_output (self, i)->direct = *next++;
  leat_kept_put (&before->kept, self, leat_session_get_flight (self, 0));
  self->ends.n_filled = before->kept.n_filled;
  run.items = before->kept.run.items;
  run.bytes = before->kept.run.bytes;
  leat_session_get_flight (self, 0)->run = run;
  leat_kept_clear (&before->kept);
  g_free (before->direct);
  g_free (before);
}

/* Do the data say why, and not the device? */
gboolean
leat_session_is_fault_of_data (const GError *error)
{
  return g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERFLOW)
         || g_error_matches (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_REPORTED);
}

static gboolean
leat_session_check_all_given (LeatSession *self, GPtrArray *inputs, GError **error)
{
  if (!leat_session_check_given_ports (self, error))
    return FALSE;
  if (inputs->len != self->ends.inputs->len)
    g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_BATCH,
                 "the pipeline has %u input%s, and there are %u pieces of data; nothing was run",
                 self->ends.inputs->len, self->ends.inputs->len > 1 ? "s" : "", inputs->len);
  for (guint i = 0; i < inputs->len && inputs->len == self->ends.inputs->len; i++)
    if (!leat_session_check_given (self, i, g_ptr_array_index (inputs, i), error))
      return FALSE;
  return inputs->len == self->ends.inputs->len;
}

static GPtrArray *
leat_session_take_all_given (LeatSession *self)
{
  GPtrArray *results = g_ptr_array_new_full (self->ends.outputs->len, (GDestroyNotify) g_bytes_unref);

  for (guint i = 0; i < self->ends.outputs->len; i++)
    g_ptr_array_add (results, leat_session_take_given (self, i));
  return results;
}

static gboolean
leat_session_run_given (LeatSession *self, GPtrArray *inputs, GCancellable *cancellable, GError **error)
{
  LeatFlight *flight = leat_session_get_flight (self, 0);
  GError *inner = NULL;
  LeatFlow flow;

  for (guint i = 0; i < inputs->len; i++)
    leat_session_put_given_bytes (self, i, g_ptr_array_index (inputs, i));
  flow = leat_session_begin_run (self, flight, FALSE, cancellable, &inner);
  if (flow == LEAT_FLOW_DATA)
    flow = leat_session_end_run (self, flight, cancellable, &inner);
  if (flow == LEAT_FLOW_END)
    g_set_error (&inner, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_STATE, "the session has come to its end");
  self->hold.failed =
    inner != NULL && flow != LEAT_FLOW_END && !flight->run.refused && !leat_session_is_fault_of_data (inner);
  leat_session_tell_stats (self);
  if (inner == NULL)
    return TRUE;
  g_propagate_error (error, inner);
  return FALSE;
}

static gboolean
leat_session_do_given (LeatSession *self, GPtrArray *inputs, GPtrArray **results, GCancellable *cancellable,
                       GError **error)
{
  LeatGivenBefore *before;
  gboolean good;

  if (!leat_session_may_go_on (self, cancellable, error) || !leat_session_take_props (self, FALSE, error)
      || !leat_session_check_all_given (self, inputs, error))
    return FALSE;
  before = leat_session_begin_given (self);
  good = leat_session_run_given (self, inputs, cancellable, error);
  if (good)
    *results = leat_session_take_all_given (self);
  leat_session_end_given (self, before);
  return good;
}

gboolean
leat_session_replay_given (LeatSession *self, GPtrArray *inputs, GPtrArray **results, GCancellable *cancellable,
                           GError **error)
{
  gboolean good;

  if (!leat_session_begin (self, error))
    return FALSE;
  good = leat_session_do_given (self, inputs, results, cancellable, error);
  leat_session_end (self, LEAT_SESSION_FREE);
  return good;
}
