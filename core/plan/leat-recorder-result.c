/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The outputs of a group: results of its body, or others that the group has for them. */

#include "leat-plan-private.h"

#include "graph/leat-group.h"
#include "graph/leat-node-private.h"
#include "graph/leat-port-private.h"

LeatPort *
leat_recorder_peek_inside (LeatRecorder *self, gboolean begin, const char *port)
{
  LeatGroup *group = LEAT_GROUP (self->node);

  return leat_node_peek_port (begin ? leat_group_get_begin (group) : leat_group_get_end (group), port);
}

void
leat_plan_set_port_buffer (LeatPlan *self, LeatPort *port, LeatBufferId id)
{
  g_hash_table_insert (self->ports, port, GUINT_TO_POINTER (id + 1));
}

/**
 * leat_recorder_set_output: (skip)
 * @self: the recorder of a group
 * @port: name of an output of the group
 * @buffer: what it gives
 *
 * Says what an output of a group is.
 */
void
leat_recorder_set_output (LeatRecorder *self, const char *port, LeatBufferId buffer)
{
  leat_plan_set_port_buffer (self->plan, leat_node_peek_port (self->node, port), buffer);
}

/**
 * leat_recorder_add_output: (skip)
 * @self: the recorder of a group
 * @port: name of an output of the group, whose spec is fixed
 *
 * Gives an output of a group a buffer of its own.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_add_output (LeatRecorder *self, const char *port)
{
  LeatPort *output = leat_node_peek_port (self->node, port);
  LeatSpec *spec = leat_port_get_spec (output);
  g_autofree char *path = leat_port_dup_path (output);
  LeatBufferId id = leat_plan_add_buffer (self->plan, LEAT_BUFFER_DEVICE, path, spec, leat_spec_get_bytes (spec));

  leat_plan_set_port_buffer (self->plan, output, id);
  return id;
}

static LeatBufferId
leat_recorder_find_result (LeatRecorder *self, const char *port)
{
  LeatPort *inside = leat_recorder_peek_inside (self, FALSE, port);
  LeatPort *peer = inside != NULL ? leat_port_get_peer (inside) : NULL;

  return peer != NULL ? leat_plan_get_port_buffer (self->plan, peer) : LEAT_BUFFER_NONE;
}

/* Is the input's memory another one's at the end of the body, by a copy? */
static gboolean
leat_plan_is_taken_over (LeatPlan *self, const LeatPlanLoop *loop, LeatBufferId state)
{
  for (guint i = 0; i < loop->delays->len; i++)
    {
      const LeatDelay *delay = &g_array_index (loop->delays, LeatDelay, i);
      LeatPort *peer = leat_port_get_peer (delay->input);

      if (delay->state == state && peer != NULL
          && leat_plan_follow_memory (self, leat_plan_get_port_buffer (self, peer)) != state)
        return TRUE;
    }
  return FALSE;
}

/* Where what the output is goes on, if it does. */
static LeatBufferId
leat_plan_loop_find_next (const LeatPlanLoop *self, const char *output)
{
  LeatBufferId id = LEAT_BUFFER_NONE;

  for (guint i = 0; i < self->delays->len; i++)
    if (g_str_equal (leat_port_get_name (g_array_index (self->delays, LeatDelay, i).input), output))
      id = g_array_index (self->delays, LeatDelay, i).state;
  return id;
}

/* An output that is an input of this iteration, as it is, when that is about to become what the next one is given:
 * where the output goes on itself its value is where it went, else it is put aside before. */
static LeatBufferId
leat_recorder_keep_result (LeatRecorder *self, const LeatPlanLoop *loop, LeatPort *output, LeatBufferId id)
{
  LeatSpec *spec = leat_port_get_spec (output);
  LeatBufferId kept = leat_plan_loop_find_next (loop, leat_port_get_name (output));
  g_autofree char *path = leat_port_dup_path (output);

  if (kept == LEAT_BUFFER_NONE)
    {
      kept = leat_plan_add_buffer (self->plan, LEAT_BUFFER_DEVICE, path, spec, leat_spec_get_bytes (spec));
      leat_recorder_add_copy (self, kept, id);
    }
  leat_plan_set_port_buffer (self->plan, output, kept);
  return kept;
}

/**
 * leat_recorder_get_result: (skip)
 * @self: the recorder of a group, at the end of its body
 * @port: name of an output of the group
 *
 * Gets the buffer that the body brings.  In a loop it is for who reads it after what goes on has been taken over, as
 * the test does.
 *
 * Returns: the buffer, or %LEAT_BUFFER_NONE
 */
LeatBufferId
leat_recorder_get_result (LeatRecorder *self, const char *port)
{
  LeatPort *output = leat_node_peek_port (self->node, port);
  LeatBufferId kept = leat_plan_get_port_buffer (self->plan, output), id = leat_recorder_find_result (self, port);
  const LeatPlanLoop *loop = self->plan->loop;

  if (kept != LEAT_BUFFER_NONE)
    return kept;
  if (id == LEAT_BUFFER_NONE || loop == NULL || loop->node != self->node
      || !leat_plan_is_taken_over (self->plan, loop, leat_plan_follow_memory (self->plan, id)))
    return id;
  return leat_recorder_keep_result (self, loop, output, id);
}

/* Results that others read are taken before carried data is overwritten. */
void
leat_recorder_keep_results (LeatRecorder *self)
{
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);

      if (leat_port_get_direction (port) == LEAT_PORT_OUTPUT && leat_port_is_linked (port))
        leat_recorder_get_result (self, leat_port_get_name (port));
    }
}

void
leat_recorder_pass_outputs (LeatRecorder *self, const LeatPlanLoop *loop)
{
  GPtrArray *ports = leat_node_get_ports (self->node);

  for (guint i = 0; i < ports->len; i++)
    {
      LeatPort *port = g_ptr_array_index (ports, i);
      LeatBufferId id;

      if (leat_port_get_direction (port) != LEAT_PORT_OUTPUT
          || leat_plan_get_port_buffer (self->plan, port) != LEAT_BUFFER_NONE)
        continue;
      id = leat_plan_loop_find_next (loop, leat_port_get_name (port));
      if (id == LEAT_BUFFER_NONE)
        id = leat_recorder_find_result (self, leat_port_get_name (port));
      if (id != LEAT_BUFFER_NONE)
        leat_plan_set_port_buffer (self->plan, port, id);
    }
}
