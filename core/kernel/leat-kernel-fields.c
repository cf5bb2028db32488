/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The numbers of a structure or a vector that a kernel takes by value: `Params p` is taken as `float p__dot__gain, int
 * p__dot__n`, and the value is made of these.  Users call them p.gain and p.n.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

#define LEAT_FIELDS_MOST  128
#define LEAT_FIELDS_DEPTH 8

/* A value that is taken apart: what becomes of its numbers, as parameters, and as an initialiser or assignments. */
typedef struct
{
  const LeatKernelUnit *unit;
  GString *params;
  GString *values;
  gboolean assigns; /* one by one, since its type has a constructor */
  guint n;
} LeatFields;

static gboolean leat_fields_add (LeatFields *self, const char *words, const char *path, const char *member,
                                 guint depth);

static void
leat_fields_take (LeatFields *self, const char *words, const char *path, const char *member)
{
  g_auto (GStrv) parts = g_strsplit (path, ".", -1);
  g_autofree char *name = g_strjoinv ("__dot__", parts);

  g_string_append_printf (self->params, "%s%s %s", self->n > 0 ? ", " : "", words, name);
  if (self->assigns)
    g_string_append_printf (self->values, "%s = %s; ", member, name);
  else
    g_string_append_printf (self->values, "%s, ", name);
  self->n++;
}

static gboolean
leat_fields_add_part (LeatFields *self, const char *words, const char *path, const char *member, const char *part,
                      guint depth)
{
  g_autofree char *inner = g_strconcat (path, ".", part, NULL), *access = g_strconcat (member, ".", part, NULL);

  return leat_fields_add (self, words, inner, access, depth + 1);
}

/* An array of @sizes, the first of them here. */
static gboolean
leat_fields_add_array (LeatFields *self, const char *words, GArray *sizes, guint first, const char *path,
                       const char *member, guint depth)
{
  if (first == sizes->len)
    return leat_fields_add (self, words, path, member, depth);
  g_string_append (self->values, self->assigns ? "" : "{ ");
  for (guint i = 0; i < g_array_index (sizes, guint, first); i++)
    {
      g_autofree char *inner = g_strdup_printf ("%s.%u", path, i), *access = g_strdup_printf ("%s[%u]", member, i);

      if (self->n > LEAT_FIELDS_MOST || !leat_fields_add_array (self, words, sizes, first + 1, inner, access, depth))
        return FALSE;
    }
  g_string_append (self->values, self->assigns ? "" : "}, ");
  return TRUE;
}

/* `float a, b[4];` */
static gboolean
leat_fields_add_members (LeatFields *self, guint first, guint end, const char *path, const char *member, guint depth)
{
  const LeatTokens *tokens = self->unit->tokens;
  g_autoptr (GArray) pieces = leat_kernel_unit_split (self->unit, first, end);
  g_autofree char *words = NULL;

  for (guint i = 0; i < pieces->len; i += 2)
    {
      guint begin = g_array_index (pieces, guint, i), last = g_array_index (pieces, guint, i + 1);
      guint name = leat_kernel_unit_declared_name (self->unit, begin, last + 1);
      g_autoptr (GArray) sizes = NULL;
      g_autofree char *word = NULL, *inner = NULL, *access = NULL;

      if (name == G_MAXUINT || name <= first || leat_tokens_is (tokens, name - 1, "*")
          || leat_tokens_is (tokens, name - 1, "&") || leat_tokens_is (tokens, last, ":"))
        return FALSE;
      words = words != NULL ? words : leat_tokens_dup_range (tokens, first, name - 1);
      sizes = leat_kernel_unit_read_sizes (self->unit, name, last + 1);
      word = leat_tokens_dup (tokens, name);
      inner = g_strconcat (path, ".", word, NULL);
      access = g_strconcat (member, ".", word, NULL);
      if (sizes == NULL || !leat_fields_add_array (self, words, sizes, 0, inner, access, depth + 1))
        return FALSE;
    }
  return TRUE;
}

static gboolean
leat_fields_add_struct (LeatFields *self, guint open, const char *path, const char *member, guint depth)
{
  const LeatKernelUnit *unit = self->unit, seen = leat_kernel_unit_seen_at (unit, open);
  LeatMembers members = { open + 1, leat_tokens_at (unit->tokens, open)->match };
  gboolean known = TRUE;

  self->unit = &seen;
  g_string_append (self->values, self->assigns ? "" : "{ ");
  while (known && leat_kernel_unit_next_members (unit, &members))
    known =
      self->n <= LEAT_FIELDS_MOST && leat_fields_add_members (self, members.first, members.end, path, member, depth);
  self->unit = unit;
  g_string_append (self->values, self->assigns ? "" : "}, ");
  return known && !members.is_unknown;
}

static const char *
leat_fields_get_lane (const LeatKernelType *type)
{
  static const char *const rows[][2] = {
    { "u8", "unsigned char" },
    { "i8", "signed char" },
    { "u16", "unsigned short" },
    { "i16", "short" },
    { "u32", "unsigned int" },
    { "i32", "int" },
    { "u64", "unsigned long long" },
    { "i64", "long long" },
    { "f32", "float" },
    { "f64", "double" },
    { "f16", "float" },
    { "bf16", "float" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i][0], type->dtype))
      return rows[i][1];
  return NULL; /* of 8 bits, or complex: no argument is such a number */
}

/* A number is taken as it is, and of all others the parts. */
static gboolean
leat_fields_add (LeatFields *self, const char *words, const char *path, const char *member, guint depth)
{
  static const char *const lanes[] = { "x", "y", "z", "w" };
  g_autofree char *plain = leat_kernel_dup_bare_type (words);
  LeatKernelType type;
  guint open;

  if (depth > LEAT_FIELDS_DEPTH)
    return FALSE;
  open = leat_kernel_unit_find_struct (self->unit, plain);
  if (open != G_MAXUINT)
    return leat_fields_add_struct (self, open, path, member, depth);
  if (g_str_equal (plain, "dim3"))
    type = (LeatKernelType){ .dtype = "u32", .lane_bytes = 4, .lanes = 3, .is_integer = TRUE };
  else if (!leat_kernel_unit_lookup_type (self->unit, plain, &type)
           && !leat_kernel_unit_lookup_enum (self->unit, plain, &type))
    return FALSE;
  if (leat_fields_get_lane (&type) == NULL && !type.is_bool)
    return FALSE;
  if (type.lanes == 1)
    {
      leat_fields_take (self, leat_kernel_type_is_number (&type) ? plain : leat_fields_get_lane (&type), path, member);
      return TRUE;
    }
  g_string_append (self->values, self->assigns ? "" : "{ ");
  for (guint i = 0; i < type.lanes; i++)
    if (!leat_fields_add_part (self, leat_fields_get_lane (&type), path, member, lanes[i], depth))
      return FALSE;
  g_string_append (self->values, self->assigns ? "" : "}, ");
  return TRUE;
}

/* Whether the structure with its "{" at @open has a constructor. */
static gboolean
leat_fields_has_constructor (const LeatKernelUnit *unit, guint open, const char *name)
{
  for (guint i = open; i < leat_tokens_at (unit->tokens, open)->match; i++)
    if (leat_tokens_is (unit->tokens, i, name) && leat_tokens_is (unit->tokens, i + 1, "("))
      return TRUE;
  return FALSE;
}

/* The words of a parameter's type; NULL where it is a pointer, a reference or an array. */
static char *
leat_fields_dup_type (const LeatKernelUnit *unit, guint first, guint name)
{
  static const char *const left_out[] = { "const", "volatile", "struct", "__grid_constant__", NULL };
  static const char *const others[] = { "*", "&", "&&", "(", "[", NULL };
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint i = first; i < name; i++)
    {
      g_autofree char *word = leat_tokens_dup (unit->tokens, i);

      if (leat_tokens_is_any (unit->tokens, i, others))
        return NULL;
      if (!leat_tokens_is_any (unit->tokens, i, left_out))
        g_string_append_printf (words, "%s%s", words->len ? " " : "", word);
    }
  return leat_tokens_is (unit->tokens, name + 1, "[") ? NULL : g_string_free (g_steal_pointer (&words), FALSE);
}

gboolean
leat_kernel_unit_take_apart (const LeatKernelUnit *unit, guint first, guint last, char **params, char **value)
{
  guint name = leat_kernel_unit_declared_name (unit, first, last + 1), open;
  g_autofree char *type = name != G_MAXUINT && name > first ? leat_fields_dup_type (unit, first, name) : NULL;
  g_autofree char *word = type != NULL ? leat_tokens_dup (unit->tokens, name) : NULL;
  g_autoptr (GString) list = g_string_new (NULL), values = g_string_new (NULL);
  LeatFields self = { unit, list, values, FALSE, 0 };
  LeatKernelType number;

  if (type == NULL || (leat_kernel_unit_lookup_type (unit, type, &number) && number.lanes == 1)
      || leat_kernel_unit_lookup_enum (unit, type, &number))
    return FALSE;
  open = leat_kernel_unit_find_struct (unit, type);
  self.assigns = open != G_MAXUINT && leat_fields_has_constructor (unit, open, type);
  if (!leat_fields_add (&self, type, word, word, 0) || self.n == 0 || self.n > LEAT_FIELDS_MOST)
    return FALSE;
  if (self.assigns)
    *value = g_strdup_printf (" alignas (%s) unsigned char leat_bytes_of_%s[sizeof (%s)]; %s &%s = *(%s *) "
                              "leat_bytes_of_%s; %s",
                              type, word, type, type, word, type, word, values->str);
  else
    *value = g_strdup_printf (" %s %s = %.*s;", type, word, (int) values->len - 2, values->str);
  *params = g_string_free (g_steal_pointer (&list), FALSE);
  return TRUE;
}
