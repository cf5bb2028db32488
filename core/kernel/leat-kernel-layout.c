/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How large a structure of the file is and where its members are, by the rules that both compilers have, so that a port
 * can carry an array of them.  Each image asserts that its compiler agrees (leat-kernel-assert.c).  Reads the unit
 * only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

#define LEAT_LAYOUT_DEPTH       8
#define LEAT_LAYOUT_MOST_FIELDS 256 /* of a record in a spec */
#define LEAT_LAYOUT_MOST_DIMS   8
#define LEAT_LAYOUT_MOST_NAME   63

typedef struct
{
  gsize bytes;
  gsize align;
  guint lanes;    /* of a vector; else 1 */
  guint n_fields; /* with those of structures in it */
  guint pack;     /* the most that a member is aligned to; 0 for no bound */
  char *type;     /* as a spec writes it; NULL if none has it */
} LeatLayout;

static void
leat_layout_clear (LeatLayout *self)
{
  g_clear_pointer (&self->type, g_free);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (LeatLayout, leat_layout_clear)

static gboolean leat_layout_of_type (const LeatKernelUnit *unit, const char *words, LeatLayout *layout, guint depth);

/* The alignment of CUDA's vectors: those of two and four numbers have that of the whole, up to 16. */
static gsize
leat_layout_align_vector (const LeatKernelType *type)
{
  gsize whole = (gsize) type->lane_bytes * type->lanes;

  return type->lanes == 2 || type->lanes == 4 ? MIN (whole, 16) : type->lane_bytes;
}

static gsize
leat_layout_round_up (gsize bytes, gsize align)
{
  return (bytes + align - 1) / align * align;
}

/* `v:f32[2,3]@8`, where @self does not end at 8; no record has @self if it cannot have this. */
static void
leat_layout_append_text (LeatLayout *self, const LeatLayout *member, GArray *sizes, const char *name, gsize offset)
{
  g_autoptr (GString) dims = g_string_new (NULL);
  g_autofree char *before = g_steal_pointer (&self->type);

  self->n_fields += 1 + member->n_fields;
  if (before == NULL || member->type == NULL || self->n_fields > LEAT_LAYOUT_MOST_FIELDS
      || strlen (name) > LEAT_LAYOUT_MOST_NAME || sizes->len + (member->lanes > 1) > LEAT_LAYOUT_MOST_DIMS)
    return;
  for (guint s = 0; s < sizes->len; s++)
    g_string_append_printf (dims, "%s%u", s > 0 ? "," : "[", g_array_index (sizes, guint, s));
  if (member->lanes > 1)
    g_string_append_printf (dims, "%s%u", dims->len > 0 ? "," : "[", member->lanes);
  g_string_append (dims, dims->len > 0 ? "]" : "");
  if (offset != self->bytes)
    g_string_append_printf (dims, "@%" G_GSIZE_FORMAT, offset);
  self->type = g_strdup_printf ("%s%c%s:%s%s", before, *before != '\0' ? ',' : '{', name, member->type, dims->str);
}

static void
leat_layout_append (LeatLayout *self, const LeatLayout *member, GArray *sizes, const char *name)
{
  gsize align = self->pack > 0 ? MIN (self->pack, member->align) : member->align;
  gsize offset = leat_layout_round_up (self->bytes, align), n = 1;

  for (guint s = 0; s < sizes->len; s++)
    n *= g_array_index (sizes, guint, s);
  leat_layout_append_text (self, member, sizes, name, offset);
  self->bytes = offset + member->bytes * n;
  self->align = MAX (self->align, align);
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
      g_auto (LeatLayout) member = { 8, 8, 1 };
      g_autofree char *word = NULL;

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
      word = leat_tokens_dup (unit->tokens, name);
      leat_layout_append (self, &member, sizes, word);
    }
  return TRUE;
}

/* The 16 in `alignas (16)`, `alignas (2 * N)`, `alignas (double2)`, whose "(" is at @open. */
static gsize
leat_layout_read_bytes (const LeatKernelUnit *unit, guint open)
{
  LeatKernelType whole = { .dtype = "u32", .lane_bytes = 4, .lanes = 1, .is_integer = TRUE }, type;
  guint close = leat_tokens_at (unit->tokens, open)->match;
  g_autofree char *words = close > open + 1 ? leat_tokens_dup_range (unit->tokens, open + 1, close - 1) : NULL;
  g_autofree char *number = leat_kernel_unit_dup_default (unit, open + 1, close, &whole);

  if (words != NULL && leat_kernel_unit_lookup_type (unit, words, &type))
    return leat_layout_align_vector (&type);
  return number != NULL ? g_ascii_strtoull (number, NULL, 10) : 1;
}

/* `__align__ (16)`, `alignas (16)` or `__attribute__ ((aligned (16)))` between `struct` and its "{". */
static gsize
leat_layout_read_align (const LeatKernelUnit *unit, guint open)
{
  static const char *const words[] = { "__align__", "alignas", "aligned", "__aligned__", NULL };
  gsize align = 1;

  for (guint i = open; i > 0 && !leat_tokens_is (unit->tokens, i, ";") && !leat_tokens_is (unit->tokens, i, "}"); i--)
    if (leat_tokens_is_any (unit->tokens, i, words) && leat_tokens_is (unit->tokens, i + 1, "("))
      align = MAX (align, leat_layout_read_bytes (unit, i + 1));
  return align;
}

static gboolean
leat_layout_of_struct (const LeatKernelUnit *unit, guint open, LeatLayout *self, guint depth)
{
  const LeatKernelUnit seen = leat_kernel_unit_seen_at (unit, open);
  LeatMembers members = { open + 1, leat_tokens_at (unit->tokens, open)->match };
  gsize end;

  *self = (LeatLayout){ .align = leat_layout_read_align (unit, open),
                        .lanes = 1,
                        .pack = leat_kernel_unit_read_pack (unit, open),
                        .type = g_strdup ("") };
  while (leat_kernel_unit_next_members (unit, &members))
    if (!leat_layout_append_members (&seen, members.first, members.end, self, depth))
      return FALSE;
  end = self->bytes;
  self->bytes = leat_layout_round_up (end, self->align);
  if (self->type != NULL)
    {
      g_autofree char *fields = g_steal_pointer (&self->type);

      self->type = self->bytes == end ? g_strdup_printf ("%s}", fields)
                                      : g_strdup_printf ("%s,@%" G_GSIZE_FORMAT "}", fields, self->bytes);
    }
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
  *layout = (LeatLayout){ .bytes = (gsize) type.lane_bytes * type.lanes,
                          .align = leat_layout_align_vector (&type),
                          .lanes = type.lanes,
                          .type = g_strdup (type.dtype) };
  return TRUE;
}

gsize
leat_kernel_unit_measure_struct (const LeatKernelUnit *unit, const char *name, char **record)
{
  guint open = leat_kernel_unit_find_struct (unit, name);
  g_auto (LeatLayout) layout = { 0 };

  *record = NULL;
  if (leat_kernel_unit_lookup_state (unit, name, &layout.bytes, &layout.align))
    return layout.bytes;
  if (open == G_MAXUINT || !leat_layout_of_struct (unit, open, &layout, 0))
    return 0;
  *record = g_steal_pointer (&layout.type);
  return layout.bytes;
}
