/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The inputs `known` and `changed`, with which a search goes on from earlier results.  Reads the node's ports, and adds
 * parameters to its call. */

#include "leat-csr-warm.h"

#include "leat-csr-input.h"

static gboolean
leat_csr_warm_is_linked (LeatNode *node, const char *port)
{
  return leat_port_is_linked (leat_node_get_port (node, port, NULL));
}

static gboolean
leat_csr_warm_check_known (LeatNode *node, LeatSpec *known, LeatDtype dtype, guint64 vertices, GError **error)
{
  g_autoptr (LeatSpec) wanted = leat_spec_new (dtype, &vertices, 1, FALSE);
  g_autofree char *is = NULL, *text = NULL;

  if (leat_spec_equal (known, wanted))
    return TRUE;
  is = leat_spec_to_string (known, LEAT_SPEC_STYLE_FILE);
  text = leat_spec_to_string (wanted, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "%s \"%s\": known is %s, and what it gives is %s: both are the same", leat_node_get_id (node),
               leat_node_get_name (node), is, text);
  return FALSE;
}

gboolean
leat_csr_warm_find (LeatCsrWarmth *self, LeatNode *node, LeatNegotiation *negotiation, LeatDtype dtype,
                    guint64 vertices, GError **error)
{
  *self = LEAT_CSR_COLD;
  if (!leat_csr_warm_is_linked (node, "known"))
    {
      if (!leat_csr_warm_is_linked (node, "changed"))
        return TRUE;
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED,
                   "%s \"%s\": changed says from which vertices edges were added since known was found: link known too",
                   leat_node_get_id (node), leat_node_get_name (node));
      return FALSE;
    }
  *self = LEAT_CSR_KNOWN;
  if (!leat_csr_warm_check_known (node, leat_negotiation_get_input (negotiation, "known"), dtype, vertices, error))
    return FALSE;
  if (!leat_csr_warm_is_linked (node, "changed"))
    return TRUE;
  *self = LEAT_CSR_CHANGED;
  return leat_csr_input_check_numbers (node, "changed", leat_negotiation_get_input (negotiation, "changed"), error);
}

void
leat_csr_warm_add (LeatCsrWarmth self, LeatCsrCall *call, LeatBufferId instead)
{
  LeatBufferId changed = self == LEAT_CSR_CHANGED ? leat_recorder_get_input (call->recorder, "changed") : instead;

  leat_csr_call_add (call, self != LEAT_CSR_COLD ? leat_recorder_get_input (call->recorder, "known") : instead,
                     LEAT_ACCESS_READ);
  leat_csr_call_add_number (call, self);
  leat_csr_call_add (call, changed, LEAT_ACCESS_READ);
  if (self == LEAT_CSR_CHANGED)
    leat_csr_call_add_count (call, changed);
  else
    leat_csr_call_add_number (call, 0);
}
