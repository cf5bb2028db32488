/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How large a structure of the file is, by the rules that both compilers have, so that a port can carry an array of
 * them as bytes.  Each image asserts that its compiler agrees (leat-kernel-assert.c).  Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

#define LEAT_LAYOUT_DEPTH 8

typedef struct
{
  gsize bytes;
  gsize align;
} LeatLayout;

static gboolean leat_layout_of_type (const LeatKernelUnit *unit, const char *words, LeatLayout *layout, guint depth);

/* The alignment of CUDA's vectors: those of two and four numbers have that of the whole, up to 16. */
static gsize
leat_layout_align_vector (const LeatKernelType *type)
{
  gsize whole = (gsize) type->lane_bytes * type->lanes;

  return type->lanes == 2 || type->lanes == 4 ? MIN (whole, 16) : type->lane_bytes;
}

static void
leat_layout_append (LeatLayout *self, const LeatLayout *member, gsize n)
{
  self->bytes = (self->bytes + member->align - 1) / member->align * member->align + member->bytes * n;
  self->align = MAX (self->align, member->align);
}

/* `float a, b[4], *c;` */
static gboolean
leat_layout_append_members (const LeatKernelUnit *unit, guint first, guint end, LeatLayout *self, guint depth)
{
  g_autoptr (GArray) pieces = leat_kernel_unit_split (unit, first, end);
  g_autofree char *words = NULL;

  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint begin = g_array_index (pieces, guint, i), last = g_array_index (pieces, guint, i + 1);
      guint name = leat_kernel_unit_declared_name (unit, begin, last + 1), stop = name;
      g_autoptr (GArray) sizes = name != G_MAXUINT ? leat_kernel_unit_read_sizes (unit, name, last + 1) : NULL;
      LeatLayout member = { 8, 8 };
      gsize n = 1;

      if (sizes == NULL || name <= first)
        return FALSE;
      for (guint t = name + 1; t <= last; t++)
        if (leat_tokens_is (unit->tokens, t, ":"))
          return FALSE;
      while (stop > first && leat_tokens_is (unit->tokens, stop - 1, "*"))
        stop--;
      if (words == NULL)
        words = leat_tokens_dup_range (unit->tokens, first, stop - 1);
      if (stop == name && !leat_layout_of_type (unit, words, &member, depth + 1))
        return FALSE;
      for (guint s = 0; s < sizes->len; s++)
        n *= g_array_index (sizes, guint, s);
      leat_layout_append (self, &member, n);
    }
  return TRUE;
}

/* `__align__ (16)` or `alignas (16)` between `struct` and its "{". */
static gsize
leat_layout_read_align (const LeatKernelUnit *unit, guint open)
{
  static const char *const words[] = { "__align__", "alignas", NULL };
  gsize align = 1;

  for (guint i = open; i > 0 && !leat_tokens_is (unit->tokens, i, ";") && !leat_tokens_is (unit->tokens, i, "}"); i--)
    if (leat_tokens_is_any (unit->tokens, i, words) && leat_tokens_is (unit->tokens, i + 1, "("))
      {
        g_autofree char *number = leat_tokens_dup (unit->tokens, i + 2);

        align = MAX (align, g_ascii_strtoull (number, NULL, 10));
      }
  return align;
}

static gboolean
leat_layout_of_struct (const LeatKernelUnit *unit, guint open, LeatLayout *self, guint depth)
{
  LeatMembers members = { open + 1, leat_tokens_at (unit->tokens, open)->match };

  *self = (LeatLayout){ 0, leat_layout_read_align (unit, open) };
  while (leat_kernel_unit_next_members (unit, &members))
    if (!leat_layout_append_members (unit, members.first, members.end, self, depth))
      return FALSE;
  self->bytes = (self->bytes + self->align - 1) / self->align * self->align;
  return self->bytes > 0 && !members.is_unknown;
}

static gboolean
leat_layout_of_type (const LeatKernelUnit *unit, const char *words, LeatLayout *layout, guint depth)
{
  g_autofree char *plain = leat_kernel_dup_bare_type (words);
  guint open = depth < LEAT_LAYOUT_DEPTH ? leat_kernel_unit_find_struct (unit, plain) : G_MAXUINT;
  LeatKernelType type;

  if (open != G_MAXUINT)
    return leat_layout_of_struct (unit, open, layout, depth);
  if (leat_kernel_unit_lookup_state (unit, plain, &layout->bytes, &layout->align))
    return TRUE;
  if (!leat_kernel_unit_lookup_type (unit, plain, &type))
    return FALSE;
  *layout = (LeatLayout){ (gsize) type.lane_bytes * type.lanes, leat_layout_align_vector (&type) };
  return TRUE;
}

gsize
leat_kernel_unit_measure_struct (const LeatKernelUnit *unit, const char *name)
{
  guint open = leat_kernel_unit_find_struct (unit, name);
  LeatLayout layout;

  if (leat_kernel_unit_lookup_state (unit, name, &layout.bytes, &layout.align))
    return layout.bytes;
  return open != G_MAXUINT && leat_layout_of_struct (unit, open, &layout, 0) ? layout.bytes : 0;
}
