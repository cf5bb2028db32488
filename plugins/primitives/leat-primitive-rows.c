/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common part of `gather` and `scatter`: the words that rows are moved in, and the check of row numbers.  Changes
 * nothing of the node; text goes into the caller's string. */

#include "leat-primitive-rows.h"

#include "leat-primitive-text.h"

const char *
leat_primitive_rows_get_word (guint64 row_bytes, guint64 *word_bytes)
{
  static const char *const words[] = { "uint8_t", "uint16_t", "uint32_t", "uint64_t", "uint4" };
  guint log = 4;

  while (row_bytes % (1u << log) != 0)
    log--;
  *word_bytes = 1u << log;
  return words[log];
}

gboolean
leat_primitive_rows_check_index (LeatNode *node, LeatSpec *at, GError **error)
{
  LeatDtype dtype = leat_spec_get_dtype (at);
  g_autofree char *text = NULL;

  if (leat_primitive_get_c_type (dtype) != NULL && !leat_primitive_is_real (dtype) && dtype != LEAT_DTYPE_BOOL)
    return TRUE;
  text = leat_spec_to_string (at, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "%s \"%s\": input \"at\" is %s; the numbers of rows are whole, such as u32", leat_node_get_id (node),
               leat_node_get_name (node), text);
  return FALSE;
}

void
leat_primitive_rows_write_index (LeatSpec *at, gboolean reports, const char *text, GString *head)
{
  if (reports)
    g_string_append_printf (head, "LEAT_REPORT (OUTSIDE = 0, error, \"%s\")\n", text);
  g_string_append_printf (head,
                          "typedef %s Index;\n"
                          "static __device__ void tell_outside (uint64_t k, Index index) {%s}\n",
                          leat_primitive_get_c_type (leat_spec_get_dtype (at)),
                          reports ? " leat_report_at (OUTSIDE, k, index); " : "");
}

guint64
leat_primitive_rows_count_blocks (guint64 words)
{
  return CLAMP ((words + LEAT_PRIMITIVE_ROWS_THREADS - 1) / LEAT_PRIMITIVE_ROWS_THREADS, 1, 65536);
}
