/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#if !defined(LEAT_INSIDE) && !defined(LEAT_COMPILATION)
#error "include <leat/leat.h>"
#endif

#include <glib.h>

G_BEGIN_DECLS

#define LEAT_GRAPH_ERROR (leat_graph_error_quark ())

/**
 * LeatGraphError:
 *
 * What can be wrong with nodes, ports, links and specs.
 */
typedef enum {
  LEAT_GRAPH_ERROR_FAILED,
  LEAT_GRAPH_ERROR_UNKNOWN_NODE,      /* no such node type */
  LEAT_GRAPH_ERROR_UNKNOWN_PROPERTY,
  LEAT_GRAPH_ERROR_UNKNOWN_PORT,
  LEAT_GRAPH_ERROR_UNKNOWN_NAME,      /* no node of that name in the pipeline */
  LEAT_GRAPH_ERROR_DUPLICATE_NAME,
  LEAT_GRAPH_ERROR_TYPE,              /* value of the wrong type */
  LEAT_GRAPH_ERROR_RANGE,             /* value out of range */
  LEAT_GRAPH_ERROR_MISSING,           /* a required property is not set */
  LEAT_GRAPH_ERROR_UNLINKED,          /* a required port is not linked */
  LEAT_GRAPH_ERROR_TWO_WRITERS,       /* an input port already has a link */
  LEAT_GRAPH_ERROR_DIRECTION,         /* output to output, input to input */
  LEAT_GRAPH_ERROR_CYCLE,
  LEAT_GRAPH_ERROR_SPEC,              /* two ends do not agree */
  LEAT_GRAPH_ERROR_RESIDENCE,         /* host memory meets device memory */
  LEAT_GRAPH_ERROR_AMBIGUOUS,         /* which port is meant? */
  LEAT_GRAPH_ERROR_PLUGIN,            /* a plugin cannot be scanned, loaded or is of another ABI */
  LEAT_GRAPH_ERROR_IO,                /* a file that a node needs: missing, unreadable, truncated */
  LEAT_GRAPH_ERROR_DATA,              /* a file whose contents are not what they claim */
  LEAT_GRAPH_ERROR_BUSY,              /* not while a session is open on the pipeline */
} LeatGraphError;

GQuark leat_graph_error_quark (void);

/* (skip): the best of @names (NULL-terminated) for a typo of @word, or NULL; by edit distance of at most a third. */
const char *leat_suggest (const char *word, const char *const *names);

G_END_DECLS
