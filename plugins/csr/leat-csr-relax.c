/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common part of `csr:reach` and `csr:sssp`: their specs, the kernel's text, and the recorded call.  Touches the
 * node's ports and its recorder only. */

#include "leat-csr-relax.h"

#include "leat-csr-call.h"
#include "leat-csr-limits.h"

#define LEAT_CSR_RELAX_WORDS   4    /* of a report */
#define LEAT_CSR_RELAX_CONTROL 1024 /* bytes; kernels/frontier.cu says what is where */
#define LEAT_CSR_RELAX_LONG    1024 /* edges of a row, above which it is in a list of its own */

static const LeatCsrLimits limits_texts = {
  .steps = "rounds",
  .left = "with {value} vertices left to go on from",
  .raise = "raise max-iterations= (0: as many as it needs)",
};

static gboolean
leat_csr_relax_compile (LeatCsrRelax *self, LeatNode *node, LeatNegotiation *negotiation, const char *rule,
                        GError **error)
{
  const char *const files[] = { "frontier.cu", "tune.cu", rule, "relax.cu", "relax-host.cu", NULL };
  gboolean weighted = leat_node_get_port (node, "weights", NULL) != NULL;
  g_autoptr (GString) head = g_string_new (NULL);

  leat_csr_input_write (&self->graph, weighted ? "indices or weights" : "indices", head);
  leat_csr_limits_write (&limits_texts, head);
  g_string_append_printf (
    head, "#define FEW_WEIGHTS %d\n#define TUNES %d\n#define TUNES_ALONE TUNES\n#define TUNES_PULL 0\n",
    weighted && leat_spec_is_bounded (leat_negotiation_get_input (negotiation, "weights")), self->alone == 0);
  g_clear_pointer (&self->text, leat_kernel_source_unref);
  self->text = leat_csr_source_new (head->str, files, error);
  return self->text != NULL;
}

gboolean
leat_csr_relax_negotiate (LeatCsrRelax *self, LeatNode *node, LeatNegotiation *negotiation, const char *rule,
                          const char *port, LeatDtype dtype, GError **error)
{
  const guint64 words = LEAT_CSR_RELAX_WORDS;
  g_autoptr (LeatSpec) each = NULL, report = leat_spec_new (LEAT_DTYPE_U64, &words, 1, FALSE);

  if (!leat_csr_input_check_threads (node, self->threads, error)
      || !leat_csr_input_find (&self->graph, node, negotiation, "", error)
      || !leat_csr_input_check_numbers (node, "sources", leat_negotiation_get_input (negotiation, "sources"), error)
      || !leat_csr_warm_find (&self->warm, node, negotiation, dtype, self->graph.vertices, error)
      || !leat_csr_relax_compile (self, node, negotiation, rule, error))
    return FALSE;
  each = leat_spec_new (dtype, &self->graph.vertices, 1, FALSE);
  return leat_negotiation_set_output (negotiation, port, each, error)
         && leat_negotiation_set_output (negotiation, "report", report, error);
}

void
leat_csr_relax_record (LeatCsrRelax *self, LeatNode *node, LeatRecorder *recorder, gboolean weighted, const char *port)
{
  guint64 vertices = self->graph.vertices, long_room = self->graph.edges / LEAT_CSR_RELAX_LONG + 1;
  LeatBufferId indices = leat_recorder_get_input (recorder, "indices");
  LeatBufferId weights = weighted ? leat_recorder_get_input (recorder, "weights") : indices;
  LeatBufferId sources = leat_recorder_get_input (recorder, "sources");
  LeatCsrCall call = { .recorder = recorder };

  leat_csr_call_add (&call, leat_recorder_get_input (recorder, "offsets"), LEAT_ACCESS_READ);
  leat_csr_call_add (&call, indices, LEAT_ACCESS_READ);
  leat_csr_call_add (&call, weights, LEAT_ACCESS_READ);
  leat_csr_call_add (&call, sources, LEAT_ACCESS_READ);
  leat_csr_call_add_count (&call, sources);
  leat_csr_warm_add (self->warm, &call, indices);
  leat_csr_call_add_number (&call, vertices);
  leat_csr_call_add_count (&call, indices);
  leat_csr_call_add_count (&call, weights);
  leat_csr_call_add_number (&call, self->max_iterations > 0 ? self->max_iterations : vertices + 1);
  leat_csr_call_add_number (&call, self->alone);
  leat_csr_call_add_number (&call, (guint64) self->on_limit);
  leat_csr_call_add_budget (&call, self->budget);
  leat_csr_call_add_zeros (&call, "control", LEAT_CSR_RELAX_CONTROL);
  leat_csr_call_add_scratch (&call, "lists", 2 * vertices * sizeof (guint32));
  leat_csr_call_add_scratch (&call, "long rows", 2 * long_room * sizeof (guint32));
  leat_csr_call_add_number (&call, long_room);
  leat_csr_call_add_scratch (&call, "queued", 2 * ((vertices + 31) / 32) * sizeof (guint32));
  leat_csr_call_add (&call, leat_recorder_get_output (recorder, port), LEAT_ACCESS_WRITE);
  leat_csr_call_add_tuning (&call, self->alone == 0);
  leat_csr_call_add_output (&call, node, "report", LEAT_CSR_RELAX_WORDS * sizeof (guint64));
  leat_csr_call_finish (&call, self->text, "relax_run", (guint) self->threads);
}
