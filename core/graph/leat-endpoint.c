/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The class: what a source or a sink implements, the direction that its links give it, its check, and its warnings. */

#include "leat-endpoint.h"

#include "leat-bus.h"
#include "leat-graph-error.h"
#include "leat-message-private.h"
#include "leat-node-private.h"
#include "leat-pipeline.h"

/**
 * LeatEndpoint:
 *
 * A node where data enters or leaves the pipeline: files, images, a program's own data.
 *
 * One object is a source when its port `out` is linked and a sink when `in` is; its ports are in host memory.  A
 * session starts it when it opens, asks it for data (or hands it data) once a run, finishes it when the stream has
 * ended well, and stops it when it closes, whatever happened.  All calls but `unblock ()` come from the session's
 * thread.  A subclass sets the functions of #LeatEndpointClass that it needs; those that are %NULL are left out.
 */

/**
 * LeatEndpointClass::start:
 * @self: an endpoint
 * @error: return location for an error
 *
 * Opens what is read or written, before the first run of a session.
 *
 * The specs of its ports are fixed by then.  Everything that it opens is given back by `stop ()`, after an error too.
 *
 * Returns: whether it may be used
 */

/**
 * LeatEndpointClass::fill:
 * @self: a source
 * @view: the port's memory, for this call; its count is set where the spec is bounded
 * @wait: whether to wait for data where there is none yet, rather than give %LEAT_FLOW_EMPTY
 * @cancellable: (nullable): to give up
 * @error: return location for an error
 *
 * Puts the next data into @view.
 *
 * Returns: how it ended; the error is set with %LEAT_FLOW_ERROR alone
 */

/**
 * LeatEndpointClass::begin:
 * @self: a source
 * @view: the port's memory, lent until `complete ()` has been called for it
 *
 * Begins to put the next data into @view, and does not wait for them: who reads with several threads, or asks another
 * machine, so gets on with the data of the runs that follow while those of this one are not all there.
 *
 * A source need not have it; then `fill ()` alone is called, run after run.  One that has it is asked for as many runs
 * as there are free lanes (#LeatSession:lanes), and `complete ()` is then called once for each that was begun, in their
 * order, and before any `fill ()`.  `complete ()` tells the outcome, the end and errors too.
 *
 * Returns: whether it has begun; %FALSE where it cannot, as at the end: `fill ()` is called for the run when all
 *   before it are complete
 */

/**
 * LeatEndpointClass::complete:
 * @self: a source
 * @view: what `begin ()` had, of the first run that was begun and is not complete; its count is set where the spec is
 *   bounded
 * @error: return location for an error
 *
 * Waits for data that `begin ()` was called for.
 *
 * It is called even when nobody wants them any more, so it must not wait longer than it takes to read them.  After
 * anything but %LEAT_FLOW_DATA it is called for what else was begun, and what it gives then is dropped.  After
 * %LEAT_FLOW_END `fill ()` is called, which says %LEAT_FLOW_END too.
 *
 * Returns: %LEAT_FLOW_DATA, %LEAT_FLOW_END where there are none after all, or %LEAT_FLOW_ERROR with the error set
 */

/**
 * LeatEndpointClass::drain:
 * @self: a sink
 * @view: the port's memory with the data of one run, for this call
 * @cancellable: (nullable): to give up
 * @error: return location for an error
 *
 * Takes the data of one run.
 *
 * Returns: whether it was taken
 */

/**
 * LeatEndpointClass::finish:
 * @self: an endpoint
 * @error: return location for an error
 *
 * Completes the work when the stream has ended well: flushes, closes, moves into place.
 *
 * Not called after an error or a cancel.
 *
 * Returns: whether the result is whole
 */

/**
 * LeatEndpointClass::stop:
 * @self: an endpoint
 *
 * Gives everything back; what `finish ()` did not complete is undone, so that no half-written file is left.
 *
 * Always the last call of a session.
 */

/**
 * LeatEndpointClass::unblock:
 * @self: an endpoint
 *
 * Makes a waiting `fill ()` or `drain ()` return soon.
 *
 * Called from another thread, when the session is called off: after the cancellable was cancelled, or again and again
 * until the run has ended. One that comes while neither is under way must not make a later `drain ()` fail.
 */

/**
 * LeatEndpointClass::get_total:
 * @self: a source
 *
 * Tells how much a source will give in all, for progress.
 *
 * Returns: bytes; 0 when that is not known
 */

/**
 * LeatEndpointClass::respec:
 * @self: an endpoint in the middle of its stream
 *
 * Tells that the spec of its port is another one from the next run on.
 *
 * Where this is %NULL, changes that would give the port another spec are refused.
 */

/**
 * LeatEndpointClass::check:
 * @self: an endpoint
 * @error: return location for an error
 *
 * Finds what `start ()` would refuse, without opening, making or waiting for anything.
 *
 * Returns: %TRUE when nothing was found
 */

G_DEFINE_ABSTRACT_TYPE (LeatEndpoint, leat_endpoint, LEAT_TYPE_NODE)

static void
leat_endpoint_class_init (LeatEndpointClass *klass)
{
  leat_node_class_install_accessors (G_OBJECT_CLASS (klass));
}

static void
leat_endpoint_init (LeatEndpoint *self)
{
}

/**
 * leat_endpoint_is_source:
 * @self: an endpoint
 *
 * Tells which way data goes: an endpoint is a source when one of its outputs is linked.
 *
 * Returns: %TRUE for a source, %FALSE for a sink
 *
 * Since: 0.1
 */
gboolean
leat_endpoint_is_source (LeatEndpoint *self)
{
  GPtrArray *ports;

  g_return_val_if_fail (LEAT_IS_ENDPOINT (self), FALSE);

  ports = leat_node_get_ports (LEAT_NODE (self));
  for (guint i = 0; i < ports->len; i++)
    if (leat_port_get_direction (ports->pdata[i]) == LEAT_PORT_OUTPUT && leat_port_is_linked (ports->pdata[i]))
      return TRUE;
  return FALSE;
}

/**
 * leat_endpoint_check:
 * @self: an endpoint of a pipeline that has been planned
 * @error: return location for an error
 *
 * Looks for what would make a session fail to start the endpoint, such as a folder that is not there.  No device is
 * needed, nothing is opened and nothing is made; what changes until the session is opened is not seen.
 *
 * Returns: %TRUE when nothing was found; else the error begins with where the node is written and what it is
 *
 * Since: 0.1
 */
gboolean
leat_endpoint_check (LeatEndpoint *self, GError **error)
{
  LeatEndpointClass *klass;

  g_return_val_if_fail (LEAT_IS_ENDPOINT (self), FALSE);
  g_return_val_if_fail (error == NULL || *error == NULL, FALSE);

  klass = LEAT_ENDPOINT_GET_CLASS (self);
  if (klass->check == NULL || klass->check (self, error))
    return TRUE;
  leat_node_prefix_error (LEAT_NODE (self), error);
  return FALSE;
}

/**
 * leat_endpoint_warn: (skip)
 * @self: an endpoint in a pipeline
 * @format: a message as of an error: lower case, no period
 * @...: what goes into it
 *
 * Posts a warning about data on the pipeline's bus.  A source that can only give part of what it reads says so, once,
 * and how many values that concerns.  Any thread may call it.
 *
 * Since: 0.1
 */
void
leat_endpoint_warn (LeatEndpoint *self, const char *format, ...)
{
  LeatPipeline *pipeline;
  g_autofree char *text = NULL;
  g_autoptr (GError) error = NULL;
  va_list args;

  g_return_if_fail (LEAT_IS_ENDPOINT (self));

  pipeline = leat_node_get_pipeline (LEAT_NODE (self));
  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (&error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, text);
  leat_node_prefix_error (LEAT_NODE (self), &error);
  leat_bus_post (leat_pipeline_get_bus (pipeline),
                 leat_message_new (LEAT_MESSAGE_WARNING, leat_node_get_name (LEAT_NODE (self)), error, NULL));
}
