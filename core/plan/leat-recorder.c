/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-plan-private.h"

#include "graph/leat-bus.h"
#include "graph/leat-graph-error.h"
#include "graph/leat-node-private.h"
#include "plan/leat-plan-error.h"

/* The recorder turns what a node says into ops and buffers of the plan.  Nodes state programming faults (a parameter
 * too few, an unknown port) only while they are being written, so these are criticals. */

static LeatPort *
leat_recorder_find_port (LeatRecorder *self, const char *name)
{
  g_autoptr (GError) error = NULL;
  LeatPort *port = leat_node_get_port (self->node, name, &error);

  if (port == NULL)
    g_critical ("%s records port \"%s\": %s", leat_node_get_id (self->node), name, error->message);
  return port;
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
  LeatPort *input = leat_recorder_find_port (self, port);
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
  LeatPort *output = leat_recorder_find_port (self, port);

  return output != NULL ? leat_plan_get_port_buffer (self->plan, output) : LEAT_BUFFER_NONE;
}

/**
 * leat_recorder_get_spec: (skip)
 * @self: a recorder
 * @buffer: a buffer
 *
 * Gets what a buffer holds.
 *
 * Returns: (transfer none) (nullable): the spec; %NULL for scratch and the like
 */
LeatSpec *
leat_recorder_get_spec (LeatRecorder *self, LeatBufferId buffer)
{
  return leat_plan_get_buffer (self->plan, buffer)->spec;
}

/* A state must be what it was until what it becomes is written. */
static gboolean
leat_recorder_may_overwrite (LeatRecorder *self, const LeatBuffer *from, LeatPort *output)
{
  return from->kind == LEAT_BUFFER_DEVICE
         || (from->kind == LEAT_BUFFER_STATE && leat_plan_feeds_back (self->plan, from->id, output));
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
  LeatPort *in = leat_recorder_find_port (self, input);
  LeatPort *peer = leat_port_get_peer (in);
  LeatBuffer *from, *to;
  g_autoptr (GPtrArray) readers = NULL;

  if (peer == NULL)
    return FALSE;
  from = leat_plan_get_buffer (self->plan, leat_plan_get_port_buffer (self->plan, peer));
  to = leat_plan_get_buffer (self->plan, leat_recorder_get_output (self, output));
  readers = leat_port_list_peers (peer);
  if (readers->len != 1 || from->bytes != to->bytes || from->header != to->header
      || !leat_recorder_may_overwrite (self, from, leat_recorder_find_port (self, output)))
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
  LeatBufferId from = leat_recorder_get_input (self, input);

  return from != LEAT_BUFFER_NONE && leat_plan_get_buffer (self->plan, from)->kind == LEAT_BUFFER_STATE
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
 * leat_recorder_add_workspace: (skip)
 * @self: a recorder
 * @name: what it is, for printed plans
 * @bytes: size
 *
 * Adds device memory in which a kernel keeps its own books: zeros at first, afterwards what the kernel has left there.
 *
 * It is no state: results must not follow from it, each lane has one of its own, and it is neither saved nor shown.  So
 * a kernel that leaves it as it wants to find it needs nothing to be cleared between runs.  Which runs come before is
 * open; a run that fails may be the last one.
 *
 * Returns: the buffer
 */
LeatBufferId
leat_recorder_add_workspace (LeatRecorder *self, const char *name, guint64 bytes)
{
  return leat_recorder_add_buffer (self, LEAT_BUFFER_WORK, name, bytes, NULL);
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
  g_return_val_if_fail (initial == NULL || g_bytes_get_size (initial) == bytes, LEAT_BUFFER_NONE);
  return leat_recorder_add_buffer (self, LEAT_BUFFER_STATE, name, bytes, initial);
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
  LeatBuffer *buffer = leat_plan_get_buffer (self->plan, leat_recorder_get_output (self, port));

  g_return_if_fail (g_bytes_get_size (bytes) == buffer->bytes - (buffer->header ? LEAT_BUFFER_HEADER : 0));
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
  LeatBuffer *buffer = leat_plan_get_buffer (self->plan, leat_recorder_get_output (self, port));

  g_return_if_fail (initial == NULL
                    || g_bytes_get_size (initial) == buffer->bytes - (buffer->header ? LEAT_BUFFER_HEADER : 0));
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
  LeatPort *port = leat_recorder_find_port (self, input);
  LeatDelay delay = { self->node, port, leat_recorder_get_output (self, output), LEAT_BUFFER_NONE, FALSE };

  g_return_if_fail (port != NULL && (leat_port_get_flags (port) & LEAT_PORT_DELAYED) != 0);
  g_return_if_fail (leat_plan_get_buffer (self->plan, delay.state)->kind == LEAT_BUFFER_STATE);
  g_array_append_val (self->plan->delays, delay);
}

static void
leat_recorder_copy_args (LeatOp *op, const LeatArg *args, guint n_args)
{
  op->args = g_new0 (LeatOpArg, n_args);
  op->n_args = n_args;
  for (guint i = 0; i < n_args; i++)
    {
      op->args[i].kind = args[i].kind;
      op->args[i].buffer = args[i].buffer;
      op->args[i].name = g_strdup (args[i].name);
      op->args[i].value = args[i].value != NULL ? g_bytes_new (args[i].value, args[i].size) : NULL;
    }
}

/* What the launch takes from the node must have a value by now. */
static gboolean
leat_recorder_check_arguments (LeatRecorder *self, const LeatPrototype *prototype, const LeatKernelCall *call)
{
  for (guint i = 0; i < call->n_args; i++)
    {
      g_autoptr (GVariant) value = NULL;

      if (call->args[i].kind != LEAT_ARG_NODE_ARG)
        continue;
      value = leat_node_dup_arg (self->node, call->args[i].name);
      if (value != NULL)
        continue;
      g_set_error (&self->error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_MISSING,
                   "parameter \"%s\" (%s) of %s is not set; give it a value, as in %s=VALUE on the node",
                   call->args[i].name, prototype->params[i].type, prototype->entry, call->args[i].name);
      return FALSE;
    }
  return TRUE;
}

gboolean
leat_param_fits (const LeatParam *param, guint64 number)
{
  guint bits = (guint) param->item_bytes * 8 - (param->dtype != NULL && param->dtype[0] == 'i' ? 1 : 0);

  return bits >= 64 || number >> bits == 0;
}

/* The largest number that a run may give to a parameter that says how much data there is. */
static guint64
leat_recorder_get_most (LeatRecorder *self, const LeatArg *arg)
{
  LeatSpec *spec = arg->buffer != LEAT_BUFFER_NONE ? leat_recorder_get_spec (self, arg->buffer) : NULL;
  guint64 value = 1;

  if (arg->value != NULL && arg->size == sizeof value)
    memcpy (&value, arg->value, sizeof value);
  if (arg->kind == LEAT_ARG_COUNT && spec != NULL && leat_spec_get_n_dims (spec) > 0)
    value *= leat_spec_get_dim (spec, 0);
  return value;
}

/* A number that is too large would come to the kernel with its upper bits cut off. */
static gboolean
leat_recorder_check_width (LeatRecorder *self, const LeatPrototype *prototype, guint index, const LeatArg *arg)
{
  const LeatParam *param = &prototype->params[index];
  guint64 most;

  if (param->kind != LEAT_PARAM_INPUT_COUNT && param->kind != LEAT_PARAM_CAPACITY && param->kind != LEAT_PARAM_DIM)
    return TRUE;
  most = leat_recorder_get_most (self, arg);
  if (leat_param_fits (param, most))
    return TRUE;
  g_set_error (&self->error, LEAT_PLAN_ERROR, LEAT_PLAN_ERROR_SIZE,
               "parameter \"%s\" of %s may be given %" G_GUINT64_FORMAT
               ", which is more than %s holds; declare it uint64_t",
               param->name, prototype->entry, most, param->type);
  return FALSE;
}

/**
 * leat_recorder_add_kernel: (skip)
 * @self: a recorder
 * @call: the launch; everything in it is copied
 *
 * Adds a kernel launch.  @call's arguments stand in the order of the entry's prototype.  An argument of the node that
 * has no value is an error of the plan.
 */
void
leat_recorder_add_kernel (LeatRecorder *self, const LeatKernelCall *call)
{
  const LeatPrototype *prototype;
  LeatOp *op;

  if (self->error != NULL)
    return;
  prototype = leat_kernel_source_get_prototype (call->source, call->entry, &self->error);
  if (prototype == NULL)
    return;
  g_return_if_fail (prototype->n_params == call->n_args);
  if (!leat_recorder_check_arguments (self, prototype, call))
    return;
  for (guint i = 0; i < call->n_args; i++)
    if (!leat_recorder_check_width (self, prototype, i, &call->args[i]))
      return;
  op = leat_plan_add_op (self->plan, LEAT_OP_KERNEL, self->node);
  op->source = leat_kernel_source_ref (call->source);
  op->prototype = prototype;
  for (guint i = 0; i < 3; i++)
    {
      op->grid[i] = MAX (call->grid[i], 1);
      op->block[i] = MAX (call->block[i], 1);
    }
  op->shared_bytes = call->shared_bytes;
  op->cooperative = call->cooperative;
  op->grid_by_occupancy = call->grid_by_occupancy;
  leat_recorder_copy_args (op, call->args, call->n_args);
  for (guint i = 0; i < call->n_buffers; i++)
    leat_op_touch (op, call->buffers[i], call->access[i]);
}

static LeatOp *
leat_recorder_add_move (LeatRecorder *self, LeatOpKind kind, LeatBufferId to, LeatBufferId from, guint64 bytes)
{
  LeatOp *op = leat_plan_add_op (self->plan, kind, self->node);

  op->to = to;
  op->from = from;
  op->bytes = bytes;
  leat_op_touch (op, to, LEAT_ACCESS_WRITE);
  if (from != LEAT_BUFFER_NONE)
    leat_op_touch (op, from, LEAT_ACCESS_READ);
  return op;
}

/**
 * leat_recorder_add_copy: (skip)
 * @self: a recorder
 * @to: where to
 * @from: where from; of the same size
 *
 * Adds a copy of a whole buffer, its count included.
 */
void
leat_recorder_add_copy (LeatRecorder *self, LeatBufferId to, LeatBufferId from)
{
  guint64 bytes = leat_plan_get_buffer (self->plan, from)->bytes;

  g_return_if_fail (leat_plan_get_buffer (self->plan, to)->bytes == bytes);
  leat_recorder_add_move (self, LEAT_OP_COPY, to, from, bytes);
}

/**
 * leat_recorder_copy_count: (skip)
 * @self: a recorder
 * @to: a buffer of a bounded spec
 * @from: a buffer of a bounded spec
 *
 * Adds a copy of the count alone, for outputs that have as many items as an input.
 */
void
leat_recorder_copy_count (LeatRecorder *self, LeatBufferId to, LeatBufferId from)
{
  g_return_if_fail (leat_plan_get_buffer (self->plan, to)->header && leat_plan_get_buffer (self->plan, from)->header);
  leat_recorder_add_move (self, LEAT_OP_COPY, to, from, sizeof (guint64));
}

/**
 * leat_recorder_add_fill: (skip)
 * @self: a recorder
 * @buffer: what to fill
 * @value: with what
 *
 * Adds a fill of a whole buffer, its count included.
 */
void
leat_recorder_add_fill (LeatRecorder *self, LeatBufferId buffer, guint8 value)
{
  guint64 bytes = leat_plan_get_buffer (self->plan, buffer)->bytes;

  leat_recorder_add_move (self, LEAT_OP_FILL, buffer, LEAT_BUFFER_NONE, bytes)->value = value;
}

/**
 * leat_recorder_clear_count: (skip)
 * @self: a recorder
 * @buffer: a buffer of a bounded spec
 *
 * Adds a fill that sets the count to 0.
 */
void
leat_recorder_clear_count (LeatRecorder *self, LeatBufferId buffer)
{
  g_return_if_fail (leat_plan_get_buffer (self->plan, buffer)->header);
  leat_recorder_add_move (self, LEAT_OP_FILL, buffer, LEAT_BUFFER_NONE, sizeof (guint64));
}

/**
 * leat_recorder_add_transfer: (skip)
 * @self: a recorder
 * @to: device memory for an upload, host memory for a readback
 * @from: the other
 * @mode: how, or that the session should choose
 *
 * Adds the way of data between host and device.
 */
void
leat_recorder_add_transfer (LeatRecorder *self, LeatBufferId to, LeatBufferId from, LeatTransferMode mode)
{
  guint64 bytes = leat_plan_get_buffer (self->plan, from)->bytes;

  g_return_if_fail (leat_plan_get_buffer (self->plan, to)->bytes == bytes);
  leat_recorder_add_move (self, LEAT_OP_TRANSFER, to, from, bytes)->mode = mode;
}

/**
 * leat_recorder_request_flush: (skip)
 * @self: a recorder
 *
 * Asks for one more run after the last data, with a count of 0 on every bounded input, so that a node that keeps data
 * back can give it out.
 *
 * Empty data can come in any run, so a count of 0 is no sign of the end: kernels read the buffer, which holds one
 * uint64_t, 1 in the run that ends the stream and 0 in those before it.  A pipeline without sources has one run, which
 * ends its stream.
 *
 * Returns: the buffer; kernels only read it
 */
LeatBufferId
leat_recorder_request_flush (LeatRecorder *self)
{
  LeatBufferId id = leat_recorder_add_state (self, "ending", sizeof (guint64), NULL);

  leat_plan_get_buffer (self->plan, id)->tells_flush = TRUE;
  self->plan->flush = TRUE;
  return id;
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
