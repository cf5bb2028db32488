/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The common part of nodes that stand for a file: the file that they mean, and the port that is linked.  Changes
 * nothing of the node. */

#include "leat-file-role.h"

static LeatPort *
leat_file_role_find_port (LeatNode *node, const char *name)
{
  return leat_node_get_port (node, name, NULL);
}

char *
leat_file_role_dup_path (LeatNode *node, const char *path)
{
  gboolean itself = path != NULL && (g_str_equal (path, "-") || *path == '\0');

  return itself ? g_strdup (path) : leat_node_dup_path (node, "path");
}

LeatSpec *
leat_file_role_get_spec (LeatNode *node)
{
  gboolean source = leat_endpoint_is_source (LEAT_ENDPOINT (node));

  return leat_port_get_spec (leat_file_role_find_port (node, source ? "out" : "in"));
}
