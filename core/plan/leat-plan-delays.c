/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The new value of a state is written when all readers of the old one are done.  A node that works in place does it by
 * itself; else it is copied, each state after those that take over its old value.  Where they go round in a circle, one
 * of them takes its copy in two steps. */

#include "leat-plan-private.h"

#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"
#include "graph/leat-port-private.h"

const char *
leat_state_scope_get_name (LeatStateScope scope)
{
  return scope == LEAT_STATE_LANE ? "lane" : "session";
}

gboolean
leat_plan_feeds_back (LeatPlan *self, LeatBufferId state, LeatPort *output)
{
  GArray *delays = self->loop != NULL ? self->loop->delays : self->delays;

  for (guint i = 0; i < delays->len; i++)
    {
      const LeatDelay *delay = &g_array_index (delays, LeatDelay, i);

      if (delay->state == state)
        return leat_port_get_peer (delay->input) == output;
    }
  return FALSE;
}

static gboolean
leat_plan_check_delay (LeatPlan *self, const LeatDelay *delay, LeatPort *peer, GError **error)
{
  LeatSpec *is = leat_plan_get_buffer (self, delay->state)->spec;
  LeatSpec *becomes = leat_plan_get_buffer (self, delay->from)->spec;
  g_autofree char *path = NULL, *is_text = NULL, *becomes_text = NULL;

  if (leat_spec_equal (is, becomes))
    return TRUE;
  path = leat_port_dup_path (peer);
  is_text = leat_spec_to_string (is, LEAT_SPEC_STYLE_FILE);
  becomes_text = leat_spec_to_string (becomes, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "it is %s and would become %s, which %s gives: make both the same", is_text, becomes_text, path);
  leat_node_prefix_error (delay->node, error);
  return FALSE;
}

static gboolean
leat_plan_resolve_delay (LeatPlan *self, LeatDelay *delay, GError **error)
{
  LeatPort *peer = leat_port_get_peer (delay->input);

  if (peer == NULL)
    return TRUE;
  delay->from = leat_plan_get_port_buffer (self, peer);
  leat_port_set_spec (delay->input, leat_port_get_spec (peer));
  delay->in_place = leat_plan_follow_memory (self, delay->from) == delay->state;
  return leat_plan_check_delay (self, delay, peer, error);
}

static void
leat_plan_add_copy (LeatPlan *self, LeatNode *node, LeatBufferId to, LeatBufferId from)
{
  LeatOp *op = leat_plan_add_op (self, LEAT_OP_COPY, node);

  op->to = to;
  op->from = from;
  op->bytes = leat_plan_get_buffer (self, from)->bytes;
  leat_op_touch (op, to, LEAT_ACCESS_WRITE);
  leat_op_touch (op, from, LEAT_ACCESS_READ);
}

/* Does another one still have to take over what @delay's state was? */
static gboolean
leat_plan_is_awaited (LeatPlan *self, GPtrArray *waiting, const LeatDelay *delay)
{
  for (guint i = 0; i < waiting->len; i++)
    {
      const LeatDelay *other = g_ptr_array_index (waiting, i);

      if (other != delay && leat_plan_follow_memory (self, other->from) == delay->state)
        return TRUE;
    }
  return FALSE;
}

static void
leat_plan_copy_aside (LeatPlan *self, LeatDelay *delay)
{
  const LeatBuffer *state = leat_plan_get_buffer (self, delay->state);
  g_autofree char *name = g_strdup_printf ("%s.next", leat_node_get_name (delay->node));
  LeatBufferId aside =
    leat_plan_add_buffer (self, LEAT_BUFFER_DEVICE, name, state->spec, leat_spec_get_bytes (state->spec));

  leat_plan_add_copy (self, delay->node, aside, delay->from);
  delay->from = aside;
}

static void
leat_plan_copy_delays (LeatPlan *self, GPtrArray *waiting)
{
  while (waiting->len > 0)
    {
      LeatDelay *delay;
      guint i = 0;

      while (i < waiting->len && leat_plan_is_awaited (self, waiting, g_ptr_array_index (waiting, i)))
        i++;
      if (i == waiting->len)
        {
          leat_plan_copy_aside (self, g_ptr_array_index (waiting, 0));
          continue;
        }
      delay = g_ptr_array_index (waiting, i);
      leat_plan_add_copy (self, delay->node, delay->state, delay->from);
      g_ptr_array_remove_index (waiting, i);
    }
}

gboolean
leat_plan_record_delays (LeatPlan *self, GArray *delays, GError **error)
{
  g_autoptr (GPtrArray) waiting = g_ptr_array_new ();

  for (guint i = 0; i < delays->len; i++)
    {
      LeatDelay *delay = &g_array_index (delays, LeatDelay, i);

      if (!leat_plan_resolve_delay (self, delay, error))
        return FALSE;
      if (delay->from != LEAT_BUFFER_NONE && !delay->in_place)
        g_ptr_array_add (waiting, delay);
    }
  leat_plan_copy_delays (self, waiting);
  return TRUE;
}
