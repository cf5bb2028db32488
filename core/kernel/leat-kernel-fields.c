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

/* The "{" of the structure called @name; G_MAXUINT where the file has none without bases. */
guint
leat_kernel_unit_find_struct (const LeatKernelUnit *unit, const char *name)
{
  for (guint i = 0; i < unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (unit, i);
      gboolean is_typedef = leat_tokens_is (unit->tokens, decl->first, "typedef"), is_named = FALSE;
      guint open = decl->first;

      if (decl->kind != LEAT_DECL_TYPE || leat_tokens_is (unit->tokens, decl->first, "enum"))
        continue;
      while (open < decl->last && !leat_tokens_is (unit->tokens, open, "{") && !leat_tokens_is (unit->tokens, open, ":")
             && !leat_tokens_is (unit->tokens, open, "<"))
        {
          is_named = is_named || leat_tokens_is (unit->tokens, open, name);
          open++;
        }
      if (!leat_tokens_is (unit->tokens, open, "{") || leat_tokens_is (unit->tokens, decl->first, "union"))
        continue;
      if (is_named || (is_typedef && leat_tokens_is (unit->tokens, decl->last - 1, name)))
        return open;
    }
  return G_MAXUINT;
}

char *
leat_kernel_dup_bare_type (const char *words)
{
  static const char *const left_out[] = { "const", "volatile", "struct", "mutable", NULL };
  g_auto (GStrv) list = g_strsplit (words, " ", -1);
  GString *out = g_string_new (NULL);

  for (guint i = 0; list[i] != NULL; i++)
    if (!g_strv_contains (left_out, list[i]))
      g_string_append_printf (out, "%s%s", out->len > 0 ? " " : "", list[i]);
  return g_string_free (out, FALSE);
}

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

/* The sizes of the array whose declarator has its name at @name and ends before @end; NULL where one is no number. */
GArray *
leat_kernel_unit_read_sizes (const LeatKernelUnit *unit, guint name, guint end)
{
  g_autoptr (GArray) sizes = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = name + 1; i < end && leat_tokens_is (unit->tokens, i, "[");
       i = leat_tokens_at (unit->tokens, i)->match + 1)
    {
      g_autofree char *words = leat_tokens_dup (unit->tokens, i + 1);
      guint64 size;

      if (leat_tokens_at (unit->tokens, i)->match != i + 2
          || !g_ascii_string_to_unsigned (words, 10, 1, LEAT_FIELDS_MOST, &size, NULL))
        return NULL;
      g_array_append_val (sizes, ((guint){ size }));
    }
  return g_steal_pointer (&sizes);
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

/* Behind the member function, constructor or type at @first; @first where it is none of these. */
guint
leat_kernel_unit_skip_function (const LeatKernelUnit *unit, guint first, guint end)
{
  static const char *const types[] = { "static", "using", "typedef", "friend", NULL };
  gboolean function = leat_tokens_is_any (unit->tokens, first, types);

  for (guint i = first; i < end; i++)
    {
      if (leat_kernel_unit_skip_attribute (unit, i) != i)
        i = leat_kernel_unit_skip_attribute (unit, i);
      else if (leat_tokens_is (unit->tokens, i, "("))
        {
          function = TRUE;
          i = leat_tokens_at (unit->tokens, i)->match;
        }
      else if (leat_tokens_is (unit->tokens, i, "{"))
        {
          i = leat_tokens_at (unit->tokens, i)->match;
          if (function && !leat_tokens_is (unit->tokens, i + 1, ",") && !leat_tokens_is (unit->tokens, i + 1, "{"))
            return i + 1;
        }
      else if (leat_tokens_is (unit->tokens, i, ";"))
        return function ? i + 1 : first;
    }
  return first;
}

static gboolean
leat_fields_add_struct (LeatFields *self, guint open, const char *path, const char *member, guint depth)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint close = leat_tokens_at (tokens, open)->match, end;

  g_string_append (self->values, self->assigns ? "" : "{ ");
  for (guint i = open + 1; i < close; i = end)
    {
      if (leat_tokens_is (tokens, i, "virtual"))
        return FALSE;
      end = leat_kernel_unit_skip_function (self->unit, i, close);
      if (end != i)
        continue;
      end = i + 1;
      if (leat_tokens_is (tokens, i, ";") || leat_tokens_is (tokens, i + 1, ":"))
        {
          end = leat_tokens_is (tokens, i, ";") ? i + 1 : i + 2;
          continue;
        }
      while (end < close && !leat_tokens_is (tokens, end, ";") && !leat_tokens_is (tokens, end, "{"))
        end++;
      if (!leat_tokens_is (tokens, end, ";") || self->n > LEAT_FIELDS_MOST
          || !leat_fields_add_members (self, i, end, path, member, depth))
        return FALSE;
      end++;
    }
  g_string_append (self->values, self->assigns ? "" : "}, ");
  return TRUE;
}

static const char *
leat_fields_get_lane (const LeatKernelType *type)
{
  static const char *const rows[][2] = {
    { "u8", "unsigned char" }, { "i8", "signed char" }, { "u16", "unsigned short" },     { "i16", "short" },
    { "u32", "unsigned int" }, { "i32", "int" },        { "u64", "unsigned long long" }, { "i64", "long long" },
    { "f32", "float" },        { "f64", "double" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    if (g_str_equal (rows[i][0], type->dtype))
      return rows[i][1];
  return NULL; /* of 16 bits and fewer: no argument is such a number */
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
  else if (!leat_kernel_unit_lookup_type (self->unit, plain, &type))
    return FALSE;
  if (type.lanes == 1)
    {
      leat_fields_take (self, plain, path, member);
      return TRUE;
    }
  if (leat_fields_get_lane (&type) == NULL)
    return FALSE;
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

  if (type == NULL || (leat_kernel_unit_lookup_type (unit, type, &number) && number.lanes == 1))
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
