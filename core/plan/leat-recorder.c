/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The recorder turns what a node says into ops and buffers of the plan. */

#include "leat-plan-private.h"

#include "graph/leat-bus.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-group-private.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-error.h"

static LeatPort *
leat_recorder_find_port (LeatRecorder *self, const char *call, const char *name, LeatDirection direction)
{
  LeatPort *port = leat_node_peek_port (self->node, name);
  g_autoptr (GError) error = NULL;

  /* Nodes are prepared when they record. */
  if (port == NULL || leat_node_get_private (self->node)->dirty)
    port = leat_node_get_port (self->node, name, &error);
  if (port == NULL)
    leat_recorder_refuse_call (self, call, "for \"%s\": %s", name, error->message);
  else if (leat_port_get_direction (port) != direction)
    {
      leat_recorder_refuse_call (self, call, "for \"%s\", which is an %s; name an %s", name,
                                 direction == LEAT_PORT_INPUT ? "output" : "input",
                                 direction == LEAT_PORT_INPUT ? "input" : "output");
      port = NULL;
    }
  return port;
}

static LeatBufferId
leat_recorder_find_output (LeatRecorder *self, const char *call, const char *port)
{
  LeatPort *output = leat_recorder_find_port (self, call, port, LEAT_PORT_OUTPUT);

  return output != NULL ? leat_plan_get_port_buffer (self->plan, output) : LEAT_BUFFER_NONE;
}

/**
 * leat_recorder_get_input: (skip)
 * @self: a recorder
 * @port: name of an input port
 *
 * Gets the buffer that an input reads: that of the output it is linked to.
 *
 * Returns: the buffer, or %LEAT_BUFFER_NONE when the port is not linked
 */
LeatBufferId
leat_recorder_get_input (LeatRecorder *self, const char *port)
{
  LeatPort *input = leat_recorder_find_port (self, G_STRFUNC, port, LEAT_PORT_INPUT);
  LeatPort *peer = input != NULL ? leat_port_get_peer (input) : NULL;

  return peer != NULL ? leat_plan_get_port_buffer (self->plan, peer) : LEAT_BUFFER_NONE;
}

/**
 * leat_recorder_get_output: (skip)
 * @self: a recorder
 * @port: name of an output port
 *
 * Gets the buffer that an output writes.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_get_output (LeatRecorder *self, const char *port)
{
  return leat_recorder_find_output (self, G_STRFUNC, port);
}

/**
 * leat_recorder_get_spec: (skip)
 * @self: a recorder
 * @buffer: a buffer
 *
 * Gets what a buffer holds.
 *
 * Returns: (transfer none) (nullable): the spec; %NULL for scratch and the like, and for %LEAT_BUFFER_NONE
 */
LeatSpec *
leat_recorder_get_spec (LeatRecorder *self, LeatBufferId buffer)
{
  if (buffer >= self->plan->buffers->len)
    {
      if (buffer != LEAT_BUFFER_NONE)
        leat_recorder_check_buffer (self, G_STRFUNC, "buffer", buffer);
      return NULL;
    }
  return leat_plan_get_buffer (self->plan, buffer)->spec;
}

/* A state or a carried buffer must keep its old value until the new one is written; an input of a loop is there in the
 * next iteration too.  Other readers of a body's input are seen from outside. */
static gboolean
leat_recorder_may_overwrite (LeatRecorder *self, LeatPort *peer, const LeatBuffer *from, LeatPort *output)
{
  if (from->loop != self->plan->loop || (LEAT_IS_GROUP_END (leat_port_get_node (peer)) && !from->carried))
    return FALSE;
  if (from->kind == LEAT_BUFFER_STATE || from->carried)
    return leat_plan_feeds_back (self->plan, from->id, output);
  return from->kind == LEAT_BUFFER_DEVICE;
}

/**
 * leat_recorder_alias: (skip)
 * @self: a recorder
 * @output: name of an output port
 * @input: name of an input port
 *
 * Works in place: the output takes over the input's memory.
 *
 * Returns: %FALSE, and nothing is changed, when somebody else reads the input too, when it is constant, or a state that
 *   the output does not become, or when the two differ in size
 */
gboolean
leat_recorder_alias (LeatRecorder *self, const char *output, const char *input)
{
  LeatPort *in = leat_recorder_find_port (self, G_STRFUNC, input, LEAT_PORT_INPUT);
  LeatPort *out = leat_recorder_find_port (self, G_STRFUNC, output, LEAT_PORT_OUTPUT);
  LeatPort *peer = in != NULL && out != NULL ? leat_port_get_peer (in) : NULL;
  LeatBuffer *from, *to;
  g_autoptr (GPtrArray) readers = NULL;

  if (peer == NULL)
    return FALSE;
  from = leat_plan_get_buffer (self->plan, leat_plan_get_port_buffer (self->plan, peer));
  to = leat_plan_get_buffer (self->plan, leat_plan_get_port_buffer (self->plan, out));
  readers = leat_port_list_peers (peer);
  if (readers->len != 1 || from->bytes != to->bytes || from->header != to->header
      || !leat_recorder_may_overwrite (self, peer, from, out))
    return FALSE;
  to->in_place_of = from->id;
  return TRUE;
}

/**
 * leat_recorder_update: (skip)
 * @self: a recorder
 * @output: name of an output port
 * @input: name of an input port
 *
 * Works in place where the input is a state that the output becomes: nothing needs to be copied then.
 *
 * Returns: %FALSE where it is something else, and as leat_recorder_alias ()
 */
gboolean
leat_recorder_update (LeatRecorder *self, const char *output, const char *input)
{
  LeatBufferId id = leat_recorder_get_input (self, input);
  const LeatBuffer *from = id != LEAT_BUFFER_NONE ? leat_plan_get_buffer (self->plan, id) : NULL;

  return from != NULL && (from->kind == LEAT_BUFFER_STATE || from->carried)
         && leat_recorder_alias (self, output, input);
}

static LeatBufferId
leat_recorder_add_buffer (LeatRecorder *self, LeatBufferKind kind, const char *name, guint64 bytes, GBytes *initial)
{
  g_autofree char *path = g_strdup_printf ("%s.%s", leat_node_get_name (self->node), name);
  LeatBufferId id = leat_plan_add_buffer (self->plan, kind, path, NULL, bytes);

  leat_plan_get_buffer (self->plan, id)->initial = initial != NULL ? g_bytes_ref (initial) : NULL;
  return id;
}

/**
 * leat_recorder_add_scratch: (skip)
 * @self: a recorder
 * @name: what it is, for printed plans
 * @bytes: size
 *
 * Adds device memory for use within one run; its contents are undefined when a run begins.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_add_scratch (LeatRecorder *self, const char *name, guint64 bytes)
{
  return leat_recorder_add_buffer (self, LEAT_BUFFER_DEVICE, name, bytes, NULL);
}

/**
 * leat_recorder_add_marks: (skip)
 * @self: a recorder
 * @name: what they are, for printed plans
 * @bytes: size
 *
 * Adds device memory for the counters and flags by which blocks of a kernel find out about each other.
 *
 * Each lane has its own.  It is zeros before the lane's first run, and after that what the run before has left in it,
 * so that a kernel which sets its counters back needs nobody to clear them.  It is no state: it is neither saved nor
 * copied, a lane whose memory was given to others begins with zeros again, and no result may follow from it.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_add_marks (LeatRecorder *self, const char *name, guint64 bytes)
{
  LeatBufferId id = leat_recorder_add_scratch (self, name, bytes);

  leat_plan_get_buffer (self->plan, id)->is_marks = TRUE;
  return id;
}

/**
 * leat_recorder_add_state: (skip)
 * @self: a recorder
 * @name: what it is, for printed plans
 * @bytes: size
 * @initial: (nullable): first contents, of @bytes bytes; %NULL for zeros
 *
 * Adds device memory that survives from run to run of a session.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_add_state (LeatRecorder *self, const char *name, guint64 bytes, GBytes *initial)
{
  LeatBufferId id = leat_recorder_add_buffer (self, LEAT_BUFFER_STATE, name, bytes, initial);

  leat_recorder_check_initial (self, G_STRFUNC, id, initial);
  return id;
}

/**
 * leat_recorder_add_learned: (skip)
 * @self: a recorder
 * @name: what it is, for printed plans
 * @bytes: size
 *
 * Adds a state for what a kernel finds out about the device it runs on, such as which of its limits is fastest.
 *
 * It is zeros at first.  Its contents when a session is closed are kept on disk, and later sessions of the same plan on
 * the same device begin with them.  No result may follow from it, and a kernel has to bear any contents: conditions
 * under which something was found belong into it too.  So it is not in the way of what needs runs that follow from
 * their inputs alone: a memo, and doing a run again with more room.
 *
 * Returns: the buffer
 *
 * Since: 1.0
 */
LeatBufferId
leat_recorder_add_learned (LeatRecorder *self, const char *name, guint64 bytes)
{
  LeatBufferId id = leat_recorder_add_state (self, name, bytes, NULL);

  leat_plan_get_buffer (self->plan, id)->is_learned = TRUE;
  return id;
}

/**
 * leat_recorder_add_const: (skip)
 * @self: a recorder
 * @name: what it is, for printed plans
 * @bytes: its contents
 *
 * Adds read-only device memory that is uploaded once, when the session opens.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_add_const (LeatRecorder *self, const char *name, GBytes *bytes)
{
  return leat_recorder_add_buffer (self, LEAT_BUFFER_CONST, name, g_bytes_get_size (bytes), bytes);
}

/**
 * leat_recorder_set_output_const: (skip)
 * @self: a recorder
 * @port: name of an output port
 * @bytes: what it gives in every run
 *
 * Makes an output resident: uploaded once, when the session opens.
 */
void
leat_recorder_set_output_const (LeatRecorder *self, const char *port, GBytes *bytes)
{
  LeatBufferId id = leat_recorder_find_output (self, G_STRFUNC, port);
  LeatBuffer *buffer;

  if (!leat_recorder_check_initial (self, G_STRFUNC, id, bytes))
    return;
  buffer = leat_plan_get_buffer (self->plan, id);
  buffer->kind = LEAT_BUFFER_CONST;
  buffer->initial = g_bytes_ref (bytes);
}

/**
 * leat_recorder_set_output_state: (skip)
 * @self: a recorder
 * @port: name of an output port
 * @initial: (nullable): its first items; %NULL for zeros, none of them live
 * @scope: whose runs it goes on through
 *
 * Makes an output give device memory that survives from run to run.
 */
void
leat_recorder_set_output_state (LeatRecorder *self, const char *port, GBytes *initial, LeatStateScope scope)
{
  LeatBufferId id = leat_recorder_find_output (self, G_STRFUNC, port);
  LeatBuffer *buffer;

  if (!leat_recorder_check_initial (self, G_STRFUNC, id, initial))
    return;
  buffer = leat_plan_get_buffer (self->plan, id);
  buffer->kind = LEAT_BUFFER_STATE;
  buffer->scope = scope;
  buffer->initial = initial != NULL ? g_bytes_ref (initial) : NULL;
}

/**
 * leat_recorder_delay: (skip)
 * @self: a recorder
 * @input: name of a port with %LEAT_PORT_DELAYED
 * @output: name of a port that gives a state
 *
 * Says that the state becomes what comes to the input, when all that reads it has done so.  Where nothing is linked it
 * stays.
 */
void
leat_recorder_delay (LeatRecorder *self, const char *input, const char *output)
{
  LeatPort *port = leat_recorder_find_port (self, G_STRFUNC, input, LEAT_PORT_INPUT);
  LeatDelay delay = { self->node, port, leat_recorder_find_output (self, G_STRFUNC, output), LEAT_BUFFER_NONE, FALSE };

  if (!leat_recorder_check_buffer (self, G_STRFUNC, "output", delay.state))
    return;
  if ((leat_port_get_flags (port) & LEAT_PORT_DELAYED) == 0)
    leat_recorder_refuse_call (self, G_STRFUNC,
                               "for \"%s\", which is no delayed port; declare it with LEAT_PORT_DELAYED", input);
  else if (leat_plan_get_buffer (self->plan, delay.state)->kind != LEAT_BUFFER_STATE)
    leat_recorder_refuse_call (self, G_STRFUNC,
                               "for \"%s\", which is no state; call leat_recorder_set_output_state () before", output);
  else if (!leat_recorder_refuse_in_body (self, "what it keeps goes on from run to run; in a body, carry= does that"))
    g_array_append_val (self->plan->delays, delay);
}

/**
 * leat_recorder_warn: (skip)
 * @self: a recorder
 * @format: a message as of an error: lower case, no period
 * @...: what goes into it
 *
 * Posts a warning on the pipeline's bus, once for each plan that is made.
 */
void
leat_recorder_warn (LeatRecorder *self, const char *format, ...)
{
  LeatPipeline *pipeline = leat_node_get_pipeline (self->node);
  const char *name = leat_node_get_name (self->node);
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (&error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_FAILED, text);
  leat_node_prefix_error (self->node, &error);
  leat_bus_post (leat_pipeline_get_bus (pipeline), leat_message_new (LEAT_MESSAGE_WARNING, name, error, NULL));
}
