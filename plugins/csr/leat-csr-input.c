/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The graph at the inputs of a node of this plugin: its types and sizes, checked before it runs.  Writes its part of
 * the kernel's text; changes nothing of the node. */

#include "leat-csr-input.h"

#include "leat-csr-graph.h"

static gboolean
leat_csr_input_refuse (LeatNode *node, const char *port, LeatSpec *spec, const char *what, GError **error)
{
  g_autofree char *text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);

  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC, "%s \"%s\": input \"%s\" is %s; %s",
               leat_node_get_id (node), leat_node_get_name (node), port, text, what);
  return FALSE;
}

gboolean
leat_csr_input_check_numbers (LeatNode *node, const char *port, LeatSpec *spec, GError **error)
{
  return (leat_spec_get_dtype (spec) == LEAT_DTYPE_U32 && leat_spec_get_n_dims (spec) == 1)
         || leat_csr_input_refuse (node, port, spec, "it is u32, of one dimension", error);
}

static gboolean
leat_csr_input_check_offsets (LeatNode *node, const char *port, LeatSpec *spec, GError **error)
{
  LeatDtype dtype = leat_spec_get_dtype (spec);

  if ((dtype != LEAT_DTYPE_U32 && dtype != LEAT_DTYPE_U64) || leat_spec_get_n_dims (spec) != 1
      || leat_spec_is_bounded (spec))
    return leat_csr_input_refuse (node, port, spec, "offsets are u32 or u64, of one dimension and a fixed size", error);
  if (leat_spec_get_items (spec) < 2 || leat_spec_get_items (spec) - 1 > LEAT_CSR_MOST_VERTICES)
    return leat_csr_input_refuse (node, port, spec, "a graph has one more offset than vertices, and 1 to 2^31 vertices",
                                  error);
  return TRUE;
}

gboolean
leat_csr_input_find (LeatCsrInput *self, LeatNode *node, LeatNegotiation *negotiation, const char *prefix,
                     GError **error)
{
  g_autofree char *offsets_port = g_strconcat (prefix, "offsets", NULL);
  g_autofree char *indices_port = g_strconcat (prefix, "indices", NULL);
  LeatSpec *offsets = leat_negotiation_get_input (negotiation, offsets_port);
  LeatSpec *indices = leat_negotiation_get_input (negotiation, indices_port);

  if (!leat_csr_input_check_offsets (node, offsets_port, offsets, error)
      || !leat_csr_input_check_numbers (node, indices_port, indices, error))
    return FALSE;
  self->vertices = leat_spec_get_items (offsets) - 1;
  self->edges = leat_spec_get_items (indices);
  self->wide = leat_spec_get_dtype (offsets) == LEAT_DTYPE_U64;
  return self->edges <= LEAT_CSR_MOST_EDGES
         || leat_csr_input_refuse (node, indices_port, indices, "there are at most 2^36 edges", error);
}

gboolean
leat_csr_input_check_threads (LeatNode *node, guint64 threads, GError **error)
{
  if (threads % 32 == 0)
    return TRUE;
  leat_node_blame (node, "threads");
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "%s \"%s\": threads is a multiple of 32",
               leat_node_get_id (node), leat_node_get_name (node));
  return FALSE;
}

/* Units of edges are rounded up for each row. */
void
leat_csr_input_write (const LeatCsrInput *self, const char *edges, GString *head)
{
  guint shift = 0;

  while ((self->edges >> shift) + self->vertices >= G_MAXUINT32)
    shift++;
  g_string_append_printf (head, "typedef %s Offset;\n#define EDGE_SHIFT %u\n", self->wide ? "uint64_t" : "uint32_t",
                          shift);
  g_string_append_printf (
    head,
    "LEAT_REPORT (CORRUPT_OFFSETS = 0, error, \"the offset of a vertex is out of order or beyond the "
    "%s\")\n",
    edges);
}
