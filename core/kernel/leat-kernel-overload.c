/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Kernels of one name that take different parameters: users name each by its types, `k(const float *, int)`, and the
 * text has a symbol for each.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <string.h>

static gboolean
leat_signature_is_word (const char *piece)
{
  return g_ascii_isalpha (piece[0]) || piece[0] == '_' || piece[0] == ':';
}

/* Words with their "::", numbers, and single signs, up to a default value.  What says nothing of the type is left out,
 * and a type of so many bits has one name. */
static GPtrArray *
leat_signature_list_pieces (const char *param)
{
  static const char *const left_out[] = {
    "__restrict__", "__restrict", "restrict", "struct", "__grid_constant__", NULL
  };
  static const char *const types[][3] = {
    { "u8", "uint8_t", "unsigned char" },
    { "i8", "int8_t", "signed char" },
    { "u16", "uint16_t", "unsigned short" },
    { "i16", "int16_t", "short" },
    { "u32", "uint32_t", "unsigned int" },
    { "i32", "int32_t", "int" },
    { "u64", "uint64_t", "unsigned long" },
    { "i64", "int64_t", "long" },
    { "f32", "float", "float" },
    { "f64", "double", "double" },
  };
  GPtrArray *pieces = g_ptr_array_new_with_free_func (g_free);

  for (const char *at = param + strspn (param, " \t\n"); *at != '\0' && *at != '='; at += strspn (at, " \t\n"))
    {
      gsize length = 0;
      char *piece;

      while (g_ascii_isalnum (at[length]) || at[length] == '_' || at[length] == ':')
        length++;
      piece = g_strndup (at, MAX (length, 1));
      at += MAX (length, 1);
      for (guint i = 0; i < G_N_ELEMENTS (types); i++)
        if (g_str_equal (piece, types[i][0]) || g_str_equal (piece, types[i][1]))
          {
            g_free (piece);
            piece = g_strdup (types[i][2]);
          }
      if (g_strv_contains (left_out, piece))
        g_free (piece);
      else
        g_ptr_array_add (pieces, piece);
    }
  return pieces;
}

/* The piece that names the parameter; G_MAXUINT where it has no name. */
static guint
leat_signature_find_name (GPtrArray *pieces)
{
  static const char *const never[] = { "const", "volatile", "unsigned", "signed", "char", "short", "int",
                                       "long",  "float",    "double",   "bool",   "void", NULL };
  static const char *const no_type[] = { "const", "volatile", NULL };
  guint name = G_MAXUINT, types = 0, depth = 0;

  for (guint i = 0; i < pieces->len && !g_str_equal (pieces->pdata[i], "["); i++)
    {
      const char *piece = pieces->pdata[i];

      depth += piece[0] == '<' ? 1 : piece[0] == '>' ? -1 : 0;
      if (depth > 0 || !leat_signature_is_word (piece) || g_strv_contains (no_type, piece))
        continue;
      if (types++ > 0 && !g_strv_contains (never, piece))
        name = i;
    }
  return name;
}

/* A const that says nothing to the caller: of a value, or of a pointer itself. */
static void
leat_signature_drop_const (GPtrArray *pieces)
{
  gboolean is_value = TRUE;

  for (guint i = 0; i < pieces->len; i++)
    is_value = is_value && strchr ("*&[", ((const char *) pieces->pdata[i])[0]) == NULL;
  if (pieces->len > 1 && g_str_equal (pieces->pdata[pieces->len - 1], "const"))
    g_ptr_array_remove_index (pieces, pieces->len - 1);
  if (is_value && pieces->len > 1 && g_str_equal (pieces->pdata[0], "const"))
    g_ptr_array_remove_index (pieces, 0);
}

/* `const float*__restrict__ x` as `const float *`. */
static char *
leat_signature_dup_type (const char *param)
{
  g_autoptr (GPtrArray) pieces = leat_signature_list_pieces (param);
  guint name = leat_signature_find_name (pieces);
  GString *out = g_string_new (NULL);

  if (name != G_MAXUINT)
    g_ptr_array_remove_index (pieces, name);
  leat_signature_drop_const (pieces);
  for (guint i = 0; i < pieces->len; i++)
    {
      const char *piece = pieces->pdata[i];
      char last = out->len > 0 ? out->str[out->len - 1] : ' ';
      gboolean after_word = g_ascii_isalnum (last) || last == '_' || last == '>';

      if (after_word && (leat_signature_is_word (piece) || piece[0] == '*' || piece[0] == '&'))
        g_string_append_c (out, ' ');
      g_string_append (out, piece);
    }
  return g_string_free (out, FALSE);
}

char *
leat_kernel_dup_signature (const char *params)
{
  GString *out = g_string_new (NULL);
  const char *begin = params;
  gint depth = 0;

  for (const char *p = params;; p++)
    {
      if (*p == '\0' || (*p == ',' && depth == 0))
        {
          g_autofree char *param = g_strndup (begin, p - begin), *type = leat_signature_dup_type (param);

          g_string_append_printf (out, "%s%s", out->len > 0 ? ", " : "", g_str_equal (type, "void") ? "" : type);
          begin = p + 1;
        }
      if (*p == '\0')
        return g_string_free (out, FALSE);
      depth += strchr ("<([", *p) != NULL ? 1 : strchr (">)]", *p) != NULL ? -1 : 0;
    }
}

/* The "(" of the parentheses that @entry ends with; NULL where it ends with none. */
static const char *
leat_overload_find_open (const char *entry)
{
  const char *close = strrchr (entry, ')');
  gint depth = 0;

  if (close == NULL || close[1 + strspn (close + 1, " ;")] != '\0')
    return NULL;
  for (const char *at = close; at >= entry; at--)
    {
      depth += *at == ')' ? 1 : *at == '(' ? -1 : 0;
      if (depth == 0)
        return at;
    }
  return NULL;
}

char *
leat_kernel_split_overload (const char *entry, char **path)
{
  const char *open = leat_overload_find_open (entry), *first = entry;
  g_autofree char *params = NULL;
  gint depth = 0;

  if (open == NULL)
    return NULL;
  for (const char *at = entry; at < open; at++) /* `void k (...)` */
    {
      depth += *at == '<' ? 1 : *at == '>' ? -1 : 0;
      if (depth == 0 && g_ascii_isspace (*at) && strchr ("(<", at[1 + strspn (at + 1, " \t\n")]) == NULL)
        first = at + 1;
    }
  params = g_strndup (open + 1, strrchr (open, ')') - open - 1);
  *path = g_strstrip (g_strndup (first, open - first));
  return leat_kernel_dup_signature (params);
}

char *
leat_kernel_unit_dup_signature (const LeatKernelUnit *self, const LeatDecl *decl)
{
  guint close = leat_tokens_at (self->tokens, decl->params)->match;
  g_autofree char *params =
    close > decl->params + 1 ? leat_tokens_dup_range (self->tokens, decl->params + 1, close - 1) : g_strdup ("");

  return leat_kernel_dup_signature (params);
}

gboolean
leat_kernel_unit_is_overloaded (const LeatKernelUnit *self, const LeatDecl *decl)
{
  g_autofree char *name = leat_tokens_dup (self->tokens, decl->name), *first = NULL;

  for (guint i = 0; i < self->decls->len; i++)
    {
      const LeatDecl *kernel = leat_kernel_unit_at (self, i);
      g_autofree char *takes = NULL;

      if (kernel->kind != LEAT_DECL_FUNCTION || kernel->scope != decl->scope || !(kernel->flags & LEAT_DECL_IS_GLOBAL)
          || (kernel->flags & LEAT_DECL_IS_TEMPLATE) || !leat_tokens_is (self->tokens, kernel->name, name))
        continue;
      takes = leat_kernel_unit_dup_signature (self, kernel);
      if (first != NULL && !g_str_equal (first, takes))
        return TRUE;
      if (first == NULL)
        first = g_steal_pointer (&takes);
    }
  return FALSE;
}
