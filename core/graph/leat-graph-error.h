/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include "../kernel/leat-suggest.h"

#include <glib.h>

G_BEGIN_DECLS

#define LEAT_GRAPH_ERROR (leat_graph_error_quark ())

/**
 * LeatGraphError:
 * @LEAT_GRAPH_ERROR_FAILED: none of the others
 * @LEAT_GRAPH_ERROR_UNKNOWN_NODE: there is no such kind of node
 * @LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY: the node has no such property, argument or port
 * @LEAT_GRAPH_ERROR_UNKNOWN_PORT: the node has no such port
 * @LEAT_GRAPH_ERROR_UNKNOWN_NAME: the pipeline has no node of that name
 * @LEAT_GRAPH_ERROR_DUPLICATE_NAME: the pipeline has a node of that name already
 * @LEAT_GRAPH_ERROR_TYPE: a value of the wrong type
 * @LEAT_GRAPH_ERROR_RANGE: a value out of its range
 * @LEAT_GRAPH_ERROR_MISSING: a required property, or an argument of a kernel, is not set
 * @LEAT_GRAPH_ERROR_UNLINKED: a required port is not linked
 * @LEAT_GRAPH_ERROR_TWO_WRITERS: the input has a link already; or two nodes or options would write one file, read one
 *   stream, or one would write over what the other reads
 * @LEAT_GRAPH_ERROR_DIRECTION: output to output, or input to input
 * @LEAT_GRAPH_ERROR_CYCLE: a link would close a cycle, or closes one since a port has changed
 * @LEAT_GRAPH_ERROR_SPEC: a spec cannot be read, or two ends do not agree
 * @LEAT_GRAPH_ERROR_RESIDENCE: host memory meets device memory
 * @LEAT_GRAPH_ERROR_AMBIGUOUS: several ports can be meant
 * @LEAT_GRAPH_ERROR_PLUGIN: a plugin cannot be scanned or loaded, is of another ABI, or a node of it asks for what
 * cannot be; the message has the call and what to write
 * @LEAT_GRAPH_ERROR_IO: a file that a node needs is missing, unreadable or truncated
 * @LEAT_GRAPH_ERROR_DATA: the contents of a file are not what they claim
 * @LEAT_GRAPH_ERROR_BUSY: not while a session is open on the pipeline
 *
 * Errors of nodes, ports, links and specs.
 */
typedef enum
{
  LEAT_GRAPH_ERROR_FAILED,
  LEAT_GRAPH_ERROR_UNKNOWN_NODE,
  LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY,
  LEAT_GRAPH_ERROR_UNKNOWN_PORT,
  LEAT_GRAPH_ERROR_UNKNOWN_NAME,
  LEAT_GRAPH_ERROR_DUPLICATE_NAME,
  LEAT_GRAPH_ERROR_TYPE,
  LEAT_GRAPH_ERROR_RANGE,
  LEAT_GRAPH_ERROR_MISSING,
  LEAT_GRAPH_ERROR_UNLINKED,
  LEAT_GRAPH_ERROR_TWO_WRITERS,
  LEAT_GRAPH_ERROR_DIRECTION,
  LEAT_GRAPH_ERROR_CYCLE,
  LEAT_GRAPH_ERROR_SPEC,
  LEAT_GRAPH_ERROR_RESIDENCE,
  LEAT_GRAPH_ERROR_AMBIGUOUS,
  LEAT_GRAPH_ERROR_PLUGIN,
  LEAT_GRAPH_ERROR_IO,
  LEAT_GRAPH_ERROR_DATA,
  LEAT_GRAPH_ERROR_BUSY,
} LeatGraphError;

GQuark leat_graph_error_quark (void);
char *leat_graph_error_hint (const char *word, const char *const *names, const char *plural);

G_END_DECLS
