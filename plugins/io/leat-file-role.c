/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-file-role.h"

static LeatPort *
leat_file_role_find_port (LeatNode *node, const char *name)
{
  return leat_node_get_port (node, name, NULL);
}

gboolean
leat_file_role_check (LeatNode *node, GError **error)
{
  gboolean in = leat_port_is_linked (leat_file_role_find_port (node, "in"));
  gboolean out = leat_port_is_linked (leat_file_role_find_port (node, "out"));

  if (in != out)
    return TRUE;
  if (in)
    g_set_error_literal (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DIRECTION,
                         "both \"in\" and \"out\" are linked; a node reads its file or writes it, so use two nodes");
  else
    g_set_error_literal (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_UNLINKED,
                         "no port is linked; link \"out\" to read the file, or \"in\" to write it");
  return FALSE;
}

char *
leat_file_role_dup_path (LeatNode *node, const char *path)
{
  return g_strcmp0 (path, "-") == 0 ? g_strdup (path) : leat_node_dup_path (node, "path");
}

LeatSpec *
leat_file_role_get_spec (LeatNode *node)
{
  gboolean source = leat_endpoint_is_source (LEAT_ENDPOINT (node));

  return leat_port_get_spec (leat_file_role_find_port (node, source ? "out" : "in"));
}
