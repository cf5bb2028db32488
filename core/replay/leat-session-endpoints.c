/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-session-private.h"

#include "graph/leat-node-private.h"

/* What a session does with the nodes where data enters and leaves. */

static LeatEndpoint *
leat_session_get_endpoint (LeatSession *self, guint index)
{
  LeatOp *op = index < self->sources->len ? g_ptr_array_index (self->sources, index)
                                          : g_ptr_array_index (self->sinks, index - self->sources->len);

  return LEAT_ENDPOINT (op->node);
}

static guint
leat_session_count_endpoints (LeatSession *self)
{
  return self->sources->len + self->sinks->len;
}

gboolean
leat_session_start_endpoints (LeatSession *self, GError **error)
{
  self->total_bytes = 0;
  for (self->started = 0; self->started < leat_session_count_endpoints (self);)
    {
      LeatEndpoint *endpoint = leat_session_get_endpoint (self, self->started);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      self->started++;
      if (klass->start != NULL && !klass->start (endpoint, error))
        {
          leat_node_prefix_error (LEAT_NODE (endpoint), error);
          return FALSE;
        }
      if (leat_endpoint_is_source (endpoint) && klass->get_total != NULL)
        self->total_bytes += klass->get_total (endpoint);
    }
  return TRUE;
}

/* Every sink completes what it has written; the first failure is reported, the others still get their turn. */
gboolean
leat_session_finish_endpoints (LeatSession *self, GError **error)
{
  gboolean good = TRUE;

  for (guint i = 0; i < leat_session_count_endpoints (self); i++)
    {
      LeatEndpoint *endpoint = leat_session_get_endpoint (self, i);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      if (klass->finish != NULL && !klass->finish (endpoint, good ? error : NULL))
        {
          if (good)
            leat_node_prefix_error (LEAT_NODE (endpoint), error);
          good = FALSE;
        }
    }
  return good;
}

void
leat_session_stop_endpoints (LeatSession *self)
{
  for (guint i = 0; i < self->started; i++)
    {
      LeatEndpoint *endpoint = leat_session_get_endpoint (self, i);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      if (klass->stop != NULL)
        klass->stop (endpoint);
    }
  self->started = 0;
}

void
leat_session_unblock_endpoints (LeatSession *self)
{
  for (guint i = 0; i < leat_session_count_endpoints (self); i++)
    {
      LeatEndpoint *endpoint = leat_session_get_endpoint (self, i);
      LeatEndpointClass *klass = LEAT_ENDPOINT_GET_CLASS (endpoint);

      if (klass->unblock != NULL)
        klass->unblock (endpoint);
    }
}
