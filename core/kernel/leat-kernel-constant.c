/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Constant expressions, as in `float gain = 2 * half` and `__launch_bounds__ (N)`, as far as tokens say them: numbers,
 * constants of the file and arithmetic, each in the type that C++ gives it.  Reads the unit only. */

#include "leat-kernel-plain-private.h"

#include <float.h>
#include <math.h>
#include <string.h>

#define LEAT_CONSTANT_DEPTH 32 /* of brackets and names */

typedef enum
{
  LEAT_CONSTANT_INT,
  LEAT_CONSTANT_FLOAT,
  LEAT_CONSTANT_DOUBLE,
} LeatConstantKind;

/* @whole: of LEAT_CONSTANT_INT; @real: of the others, rounded to the type. */
typedef struct
{
  LeatConstantKind kind;
  gint64 whole;
  double real;
} LeatConstant;

typedef struct
{
  const LeatKernelUnit *unit;
  guint at, end;
  guint depth;
  gboolean known;
} LeatConstantReader;

static LeatConstant leat_constant_read (LeatConstantReader *self, guint least);

static LeatConstant
leat_constant_fail (LeatConstantReader *self)
{
  self->known = FALSE;
  return (LeatConstant){ 0 };
}

static double
leat_constant_get (const LeatConstant *self)
{
  return self->kind == LEAT_CONSTANT_INT ? (double) self->whole : self->real;
}

/* In the type @kind; a real number becomes a whole one towards zero. */
static LeatConstant
leat_constant_convert (const LeatConstant *self, LeatConstantKind kind)
{
  double real = leat_constant_get (self);

  if (kind == LEAT_CONSTANT_INT)
    return self->kind == LEAT_CONSTANT_INT ? *self : (LeatConstant){ kind, fabs (real) < 9e18 ? (gint64) real : 0, 0 };
  return (LeatConstant){ kind, 0, kind == LEAT_CONSTANT_FLOAT ? (float) real : real };
}

static LeatConstant
leat_constant_read_range (LeatConstantReader *self, guint first, guint end)
{
  LeatConstantReader inner = { self->unit, first, end, self->depth + 1, self->depth < LEAT_CONSTANT_DEPTH };
  LeatConstant value = inner.known ? leat_constant_read (&inner, 0) : (LeatConstant){ 0 };

  self->known = self->known && inner.known && inner.at == end;
  return value;
}

static LeatConstant
leat_constant_read_number (LeatConstantReader *self, const char *word)
{
  gboolean is_hex = g_str_has_prefix (word, "0x") || g_str_has_prefix (word, "0X");
  g_auto (GStrv) parts = g_strsplit (word, "'", -1);
  g_autofree char *plain = g_strjoinv ("", parts);
  char *rest;

  if (strpbrk (plain, is_hex ? ".pP" : ".eE") != NULL)
    {
      double real = g_ascii_strtod (plain, &rest);

      if (rest[0] == 'f' || rest[0] == 'F')
        return (LeatConstant){ LEAT_CONSTANT_FLOAT, 0, strtof (plain, NULL) };
      return rest[0] == '\0' ? (LeatConstant){ LEAT_CONSTANT_DOUBLE, 0, real } : leat_constant_fail (self);
    }
  {
    gint64 whole = (gint64) g_ascii_strtoull (plain, &rest, 0);

    return strspn (rest, "uUlL") == strlen (rest) ? (LeatConstant){ LEAT_CONSTANT_INT, whole, 0 }
                                                  : leat_constant_fail (self);
  }
}

/* The type that a declaration's words before the name, or a cast, say: a LeatConstantKind, or -1. */
static int
leat_constant_read_kind (LeatConstantReader *self, guint first, guint end)
{
  static const char *const left_out[] = {
    "const", "constexpr", "static", "__constant__", "__device__", "inline", NULL
  };
  g_autoptr (GString) words = g_string_new (NULL);
  LeatKernelType type;

  for (guint i = first; i < end; i++)
    if (!leat_tokens_is_any (self->unit->tokens, i, left_out))
      {
        g_autofree char *word = leat_tokens_dup (self->unit->tokens, i);

        g_string_append_printf (words, "%s%s", words->len > 0 ? " " : "", word);
      }
  if (words->len == 0 || !leat_kernel_unit_lookup_type (self->unit, words->str, &type) || type.lanes != 1
      || !leat_kernel_type_is_number (&type))
    return -1;
  return g_str_equal (type.dtype, "f32")   ? LEAT_CONSTANT_FLOAT
         : g_str_equal (type.dtype, "f64") ? LEAT_CONSTANT_DOUBLE
                                           : LEAT_CONSTANT_INT;
}

/* What the declaration gives @name: `constexpr float half = 0.5f;`, `enum { four = 4 };`.  FALSE where it does not. */
static gboolean
leat_constant_read_declared (LeatConstantReader *self, const LeatDecl *decl, const char *name, LeatConstant *value)
{
  static const char *const variables[] = { "const", "constexpr", "__constant__", NULL };
  static const char *const types[] = { "enum", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  gboolean is_fixed = FALSE;

  if (decl->kind != LEAT_DECL_VARIABLE && decl->kind != LEAT_DECL_TYPE)
    return FALSE;
  for (guint t = decl->first; t < decl->last; t++)
    {
      guint end = t + 2;
      int kind;

      is_fixed = is_fixed || leat_tokens_is_any (tokens, t, decl->kind == LEAT_DECL_TYPE ? types : variables);
      if (!is_fixed || !leat_tokens_is (tokens, t, name) || !leat_tokens_is (tokens, t + 1, "="))
        continue;
      while (end < decl->last && !leat_tokens_is (tokens, end, ",") && !leat_tokens_is (tokens, end, "}"))
        end++;
      *value = leat_constant_read_range (self, t + 2, end);
      kind = decl->kind == LEAT_DECL_VARIABLE ? leat_constant_read_kind (self, decl->first, t) : LEAT_CONSTANT_INT;
      if (kind < 0 && value->kind != LEAT_CONSTANT_INT) /* `half x = 0.1` */
        self->known = FALSE;
      *value = leat_constant_convert (value, MAX (kind, 0));
      return TRUE;
    }
  return FALSE;
}

static LeatConstant
leat_constant_read_name (LeatConstantReader *self, const char *name)
{
  static const struct
  {
    const char *name;
    LeatConstant value;
  } known[] = {
    { "true", { LEAT_CONSTANT_INT, 1, 0 } },
    { "false", { LEAT_CONSTANT_INT, 0, 0 } },
    { "FLT_MAX", { LEAT_CONSTANT_FLOAT, 0, FLT_MAX } },
    { "FLT_MIN", { LEAT_CONSTANT_FLOAT, 0, FLT_MIN } },
    { "FLT_EPSILON", { LEAT_CONSTANT_FLOAT, 0, FLT_EPSILON } },
    { "DBL_MAX", { LEAT_CONSTANT_DOUBLE, 0, DBL_MAX } },
    { "DBL_MIN", { LEAT_CONSTANT_DOUBLE, 0, DBL_MIN } },
    { "DBL_EPSILON", { LEAT_CONSTANT_DOUBLE, 0, DBL_EPSILON } },
    { "M_PI", { LEAT_CONSTANT_DOUBLE, 0, G_PI } },
  };
  LeatConstant value;

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].name, name))
      return known[i].value;
  for (guint i = 0; i < self->unit->decls->len; i++)
    if (leat_constant_read_declared (self, leat_kernel_unit_at (self->unit, i), name, &value))
      return value;
  return leat_constant_fail (self);
}

/* A number, a name, `(...)`, `(T) x` or a sign and one of these. */
static LeatConstant
leat_constant_read_value (LeatConstantReader *self)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint token = self->at++;
  g_autofree char *word = token < self->end ? leat_tokens_dup (tokens, token) : NULL;
  LeatConstant value;
  int kind;

  if (word == NULL || self->depth++ > LEAT_CONSTANT_DEPTH)
    return leat_constant_fail (self);
  if (g_str_equal (word, "-") || g_str_equal (word, "+"))
    {
      value = leat_constant_read_value (self);
      return word[0] == '+' ? value : (LeatConstant){ value.kind, -value.whole, -value.real };
    }
  if (g_str_equal (word, "("))
    {
      guint close = leat_tokens_at (tokens, token)->match;

      self->at = close + 1;
      kind = leat_constant_read_kind (self, token + 1, close);
      if (kind < 0)
        return leat_constant_read_range (self, token + 1, close);
      value = leat_constant_read_value (self);
      return leat_constant_convert (&value, kind);
    }
  if (leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_NUMBER)
    return leat_constant_read_number (self, word);
  return leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_IDENT && !leat_tokens_is (tokens, self->at, "(")
           ? leat_constant_read_name (self, word)
           : leat_constant_fail (self);
}

static LeatConstant
leat_constant_apply (LeatConstantReader *self, const char *op, LeatConstant a, LeatConstant b)
{
  LeatConstantKind kind = MAX (a.kind, b.kind);
  double x = leat_constant_get (&a), y = leat_constant_get (&b);
  gint64 whole = 0;

  if (kind != LEAT_CONSTANT_INT)
    {
      LeatConstant both = { LEAT_CONSTANT_DOUBLE, 0,
                            op[0] == '*'   ? x * y
                            : op[0] == '/' ? x / y
                            : op[0] == '+' ? x + y
                                           : x - y };

      return strchr ("*/+-", op[0]) != NULL ? leat_constant_convert (&both, kind) : leat_constant_fail (self);
    }
  if ((strchr ("/%", op[0]) != NULL && b.whole == 0) || ABS (a.whole) > G_MAXINT32 || ABS (b.whole) > G_MAXINT32
      || (strchr ("<>", op[0]) != NULL && (b.whole < 0 || b.whole > 30)) || (op[0] == '<' && a.whole < 0))
    return leat_constant_fail (self);
  whole = op[0] == '*'   ? a.whole * b.whole
          : op[0] == '/' ? a.whole / b.whole
          : op[0] == '%' ? a.whole % b.whole
          : op[0] == '+' ? a.whole + b.whole
          : op[0] == '-' ? a.whole - b.whole
          : op[0] == '<' ? a.whole << b.whole
          : op[0] == '>' ? a.whole >> b.whole
                         : (a.whole | b.whole);
  return ABS (whole) > G_MAXINT32 ? leat_constant_fail (self) : (LeatConstant){ kind, whole, 0 };
}

static LeatConstant
leat_constant_read (LeatConstantReader *self, guint least)
{
  static const struct
  {
    const char *word;
    guint binds;
  } operators[] = {
    { "|", 0 }, { "<<", 1 }, { ">>", 1 }, { "+", 2 }, { "-", 2 }, { "*", 3 }, { "/", 3 }, { "%", 3 },
  };
  LeatConstant value = leat_constant_read_value (self);
  gboolean found = TRUE;

  while (found && self->known && self->at < self->end)
    {
      found = FALSE;
      for (guint i = 0; i < G_N_ELEMENTS (operators) && !found; i++)
        if (operators[i].binds >= least && leat_tokens_is (self->unit->tokens, self->at, operators[i].word))
          {
            self->at++;
            value =
              leat_constant_apply (self, operators[i].word, value, leat_constant_read (self, operators[i].binds + 1));
            found = TRUE;
          }
    }
  return value;
}

gboolean
leat_kernel_unit_read_whole (const LeatKernelUnit *unit, guint first, guint end, gint64 *whole)
{
  LeatConstantReader reader = { unit, 0, 0, 0, TRUE };
  LeatConstant value = leat_constant_read_range (&reader, first, end);

  *whole = value.whole;
  return reader.known && value.kind == LEAT_CONSTANT_INT;
}

char *
leat_kernel_unit_dup_default (const LeatKernelUnit *unit, guint first, guint end, const LeatKernelType *type)
{
  LeatConstantReader reader = { unit, 0, 0, 0, TRUE };
  LeatConstant value = leat_constant_read_range (&reader, first, end);
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!reader.known || !isfinite (leat_constant_get (&value)))
    return NULL;
  if (type->is_bool)
    return g_strdup (leat_constant_get (&value) != 0 ? "true" : "false");
  if (type->is_integer)
    {
      value = leat_constant_convert (&value, LEAT_CONSTANT_INT);
      if (value.whole < 0 && type->dtype[0] == 'u')
        return NULL;
      return g_strdup_printf ("%" G_GINT64_FORMAT, value.whole);
    }
  if (!g_str_equal (type->dtype, "f32"))
    return g_strdup (g_ascii_dtostr (text, sizeof text, leat_constant_get (&value)));
  value = leat_constant_convert (&value, LEAT_CONSTANT_FLOAT);
  for (guint digits = 6; digits <= 9; digits++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%ug", digits);

      g_ascii_formatd (text, sizeof text, format, value.real);
      if (strtof (text, NULL) == (float) value.real)
        break;
    }
  return g_strdup (text);
}
