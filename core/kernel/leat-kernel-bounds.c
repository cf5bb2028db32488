/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How many threads a block of a kernel may have by its `__launch_bounds__ (N)`, for which it is compiled, and
 * how many blocks a cluster.  N is read as far as tokens say it, so that a plan can tell; the host's compiler reads all
 * of it. */

#include "leat-kernel-transform-private.h"

/* What stands between the parentheses of @word before the kernel's name, in pieces. (transfer full) */
static GArray *
leat_bounds_list_pieces (const LeatKernelUnit *unit, const LeatDecl *decl, const char *word)
{
  for (guint i = decl->first; i < decl->name; i++)
    if (leat_tokens_is (unit->tokens, i, word) && leat_tokens_is (unit->tokens, i + 1, "("))
      return leat_kernel_unit_split (unit, i + 2, leat_tokens_at (unit->tokens, i + 1)->match);
  return g_array_new (FALSE, FALSE, sizeof (guint));
}

gboolean
leat_kernel_unit_find_bounds (const LeatKernelUnit *unit, const LeatDecl *decl, guint *first, guint *end)
{
  g_autoptr (GArray) pieces = leat_bounds_list_pieces (unit, decl, "__launch_bounds__");

  if (pieces->len == 0)
    return FALSE;
  *first = g_array_index (pieces, guint, 0);
  *end = g_array_index (pieces, guint, 1) + 1;
  return TRUE;
}

void
leat_kernel_unit_read_cluster (const LeatKernelUnit *unit, const LeatDecl *decl, guint cluster[3])
{
  g_autoptr (GArray) pieces = leat_bounds_list_pieces (unit, decl, "__cluster_dims__");

  for (guint axis = 0; axis < 3; axis++)
    {
      const guint *piece = &g_array_index (pieces, guint, 2 * axis);
      gint64 value;

      cluster[axis] = 2 * axis < pieces->len && leat_kernel_unit_read_whole (unit, piece[0], piece[1] + 1, &value)
                          && value > 0 && value <= G_MAXUINT16
                        ? (guint) value
                        : 1;
    }
}

guint
leat_kernel_unit_read_bounds (const LeatKernelUnit *unit, const LeatDecl *decl)
{
  guint first, end;
  gint64 value;

  return leat_kernel_unit_find_bounds (unit, decl, &first, &end)
             && leat_kernel_unit_read_whole (unit, first, end, &value) && value > 0 && value <= G_MAXINT32
           ? (guint) value
           : 0;
}
