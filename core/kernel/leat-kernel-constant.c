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

/* @whole: of LEAT_CONSTANT_INT; @real: of the others, rounded to the type; @wraps: it has no sign, so that below zero
 * it would be another number. */
typedef struct
{
  LeatConstantKind kind;
  gint64 whole;
  double real;
  gboolean wraps;
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

/* A real number, in the type @kind. */
static LeatConstant
leat_constant_convert (const LeatConstant *self, LeatConstantKind kind)
{
  double real = leat_constant_get (self);

  return (LeatConstant){ kind, 0, kind == LEAT_CONSTANT_FLOAT ? (float) real : real, FALSE };
}

/* As a cast to @type gives it; a whole number that does not fit is not known. */
static LeatConstant
leat_constant_cast (LeatConstantReader *self, const LeatConstant *value, const LeatKernelType *type)
{
  double real = leat_constant_get (value);
  guint bits = MIN (8 * type->lane_bytes, 63);
  gboolean is_signed = type->dtype[0] == 'i';
  gint64 whole, most = G_MAXINT64 >> (63 - bits + (is_signed && bits < 63));

  if (!type->is_bool && !type->is_integer)
    return leat_constant_convert (value, g_str_equal (type->dtype, "f32") ? LEAT_CONSTANT_FLOAT : LEAT_CONSTANT_DOUBLE);
  if (type->is_bool)
    return (LeatConstant){ LEAT_CONSTANT_INT, real != 0, 0, FALSE };
  if (value->kind != LEAT_CONSTANT_INT && !(fabs (real) < 9e18))
    return leat_constant_fail (self);
  whole = value->kind == LEAT_CONSTANT_INT ? value->whole : (gint64) real;
  if (whole > most || whole < (is_signed ? -most - 1 : 0))
    return leat_constant_fail (self);
  return (LeatConstant){ LEAT_CONSTANT_INT, whole, 0, !is_signed && type->lane_bytes >= 4 };
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
        return (LeatConstant){ LEAT_CONSTANT_FLOAT, 0, strtof (plain, NULL), FALSE };
      return rest[0] == '\0' ? (LeatConstant){ LEAT_CONSTANT_DOUBLE, 0, real, FALSE } : leat_constant_fail (self);
    }
  {
    gint64 whole = (gint64) g_ascii_strtoull (plain, &rest, 0);

    return strspn (rest, "uUlL") == strlen (rest)
             ? (LeatConstant){ LEAT_CONSTANT_INT, whole, 0, strpbrk (rest, "uU") != NULL }
             : leat_constant_fail (self);
  }
}

/* The number's type that a declaration's words before the name, or a cast, say. */
static gboolean
leat_constant_read_type (LeatConstantReader *self, guint first, guint end, LeatKernelType *type)
{
  static const char *const left_out[] = {
    "const", "constexpr", "static", "__constant__", "__device__", "inline", NULL
  };
  g_autoptr (GString) words = g_string_new (NULL);

  for (guint i = first; i < end; i++)
    if (!leat_tokens_is_any (self->unit->tokens, i, left_out))
      {
        g_autofree char *word = leat_tokens_dup (self->unit->tokens, i);

        g_string_append_printf (words, "%s%s", words->len > 0 ? " " : "", word);
      }
  return words->len > 0 && leat_kernel_unit_lookup_type (self->unit, words->str, type) && type->lanes == 1
         && leat_kernel_type_is_number (type);
}

/* What the tokens [first, end) say where they stand, in the type; of one that is not known, whole numbers alone. */
static LeatConstant
leat_constant_read_there (LeatConstantReader *self, guint first, guint end, const LeatKernelType *type)
{
  LeatKernelUnit there = leat_kernel_unit_seen_at (self->unit, first);
  LeatConstantReader reader = { &there, 0, 0, self->depth, self->known };
  LeatConstant value = leat_constant_read_range (&reader, first, end);

  self->known = reader.known;
  if (type->dtype == NULL)
    return value.kind == LEAT_CONSTANT_INT ? value : leat_constant_fail (self); /* `half x = 0.1` */
  return leat_constant_cast (self, &value, type);
}

/* The value that the declaration gives @name, `constexpr float half = 0.5f;`, `enum { four = 4 };`: its first token, or
 * 0; @type: its dtype is NULL where it is not known. */
static guint
leat_constant_find_value (LeatConstantReader *self, const LeatDecl *decl, const char *name, LeatKernelType *type)
{
  static const char *const variables[] = { "const", "constexpr", "__constant__", NULL };
  static const char *const types[] = { "enum", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  gboolean is_type = decl->kind == LEAT_DECL_TYPE, is_fixed = FALSE;
  guint type_end = 0; /* the name of the first declarator */

  if (decl->kind != LEAT_DECL_VARIABLE && !is_type)
    return 0;
  for (guint t = decl->first; t < decl->last; t++)
    {
      is_fixed = is_fixed || leat_tokens_is_any (tokens, t, is_type ? types : variables);
      if (type_end == 0 && leat_tokens_is (tokens, t + 1, "="))
        type_end = t;
      if (!is_fixed || !leat_tokens_is (tokens, t, name) || !leat_tokens_is (tokens, t + 1, "="))
        continue;
      if (is_type || !leat_constant_read_type (self, decl->first, type_end, type))
        *type = (LeatKernelType){ NULL };
      return t + 2;
    }
  return 0;
}

static LeatConstant
leat_constant_read_declared (LeatConstantReader *self, const char *name)
{
  static const char *const ends[] = { ",", "}", ";", NULL };
  const LeatTokens *tokens = self->unit->tokens;
  g_auto (LeatNameSearch) search = { NULL };
  LeatKernelType type, found_type = { NULL };
  guint found = 0, end;

  leat_name_search_init (&search, self->unit, name);
  for (guint i = 0; i < self->unit->decls->len; i++)
    {
      const LeatDecl *decl = leat_kernel_unit_at (self->unit, i);
      guint value = leat_constant_find_value (self, decl, search.last, &type);

      if (value != 0 && leat_name_search_takes (&search, decl))
        found = value, found_type = type;
    }
  if (found == 0 || search.is_ambiguous)
    return leat_constant_fail (self);
  for (end = found; leat_tokens_at (tokens, end)->kind != LEAT_TOKEN_END && !leat_tokens_is_any (tokens, end, ends);)
    end++;
  return leat_constant_read_there (self, found, end, &found_type);
}

static LeatConstant
leat_constant_read_name (LeatConstantReader *self, const char *name)
{
  static const struct
  {
    const char *name;
    LeatConstant value;
  } known[] = {
    { "true", { LEAT_CONSTANT_INT, 1, 0, FALSE } },
    { "false", { LEAT_CONSTANT_INT, 0, 0, FALSE } },
    { "FLT_MAX", { LEAT_CONSTANT_FLOAT, 0, FLT_MAX, FALSE } },
    { "FLT_MIN", { LEAT_CONSTANT_FLOAT, 0, FLT_MIN, FALSE } },
    { "FLT_EPSILON", { LEAT_CONSTANT_FLOAT, 0, FLT_EPSILON, FALSE } },
    { "DBL_MAX", { LEAT_CONSTANT_DOUBLE, 0, DBL_MAX, FALSE } },
    { "DBL_MIN", { LEAT_CONSTANT_DOUBLE, 0, DBL_MIN, FALSE } },
    { "DBL_EPSILON", { LEAT_CONSTANT_DOUBLE, 0, DBL_EPSILON, FALSE } },
    { "M_PI", { LEAT_CONSTANT_DOUBLE, 0, G_PI, FALSE } },
  };

  for (guint i = 0; i < G_N_ELEMENTS (known); i++)
    if (g_str_equal (known[i].name, name))
      return known[i].value;
  return leat_constant_read_declared (self, name);
}

/* `image::taps`, with its first word at @token. */
static LeatConstant
leat_constant_read_path (LeatConstantReader *self, guint token)
{
  g_autofree char *path = NULL;

  while (leat_tokens_is (self->unit->tokens, self->at, "::"))
    self->at += 2;
  if (leat_tokens_is (self->unit->tokens, self->at, "(") || self->at > self->end)
    return leat_constant_fail (self);
  path = leat_tokens_dup_range (self->unit->tokens, token, self->at - 1);
  return leat_constant_read_name (self, path);
}

/* A number, a name, `(...)`, `(T) x` or a sign and one of these. */
static LeatConstant
leat_constant_read_value (LeatConstantReader *self)
{
  const LeatTokens *tokens = self->unit->tokens;
  guint token = self->at++;
  g_autofree char *word = token < self->end ? leat_tokens_dup (tokens, token) : NULL;
  LeatKernelType type;
  LeatConstant value;

  if (word == NULL || self->depth++ > LEAT_CONSTANT_DEPTH)
    return leat_constant_fail (self);
  if (g_str_equal (word, "-") || g_str_equal (word, "+"))
    {
      value = leat_constant_read_value (self);
      if (word[0] == '-' && value.wraps && value.whole != 0)
        return leat_constant_fail (self);
      return word[0] == '+' ? value : (LeatConstant){ value.kind, -value.whole, -value.real, value.wraps };
    }
  if (g_str_equal (word, "("))
    {
      guint close = leat_tokens_at (tokens, token)->match;

      self->at = close + 1;
      if (!leat_constant_read_type (self, token + 1, close, &type))
        return leat_constant_read_range (self, token + 1, close);
      value = leat_constant_read_value (self);
      return leat_constant_cast (self, &value, &type);
    }
  if (leat_tokens_is (tokens, self->at, "(")
      && leat_constant_read_type (self, token, token + 1, &type)) /* `float (2)` */
    {
      self->at = leat_tokens_at (tokens, self->at)->match + 1;
      value = leat_constant_read_range (self, token + 2, self->at - 1);
      return leat_constant_cast (self, &value, &type);
    }
  if (leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_NUMBER)
    return leat_constant_read_number (self, word);
  return leat_tokens_at (tokens, token)->kind == LEAT_TOKEN_IDENT ? leat_constant_read_path (self, token)
                                                                  : leat_constant_fail (self);
}

static LeatConstant
leat_constant_apply (LeatConstantReader *self, const char *op, LeatConstant a, LeatConstant b)
{
  LeatConstantKind kind = MAX (a.kind, b.kind);
  double x = leat_constant_get (&a), y = leat_constant_get (&b);
  gboolean wraps = a.wraps || b.wraps;
  gint64 whole = 0;

  if (kind != LEAT_CONSTANT_INT)
    {
      LeatConstant both = { LEAT_CONSTANT_DOUBLE, 0,
                            op[0] == '*'   ? x * y
                            : op[0] == '/' ? x / y
                            : op[0] == '+' ? x + y
                                           : x - y,
                            FALSE };

      return strchr ("*/+-", op[0]) != NULL ? leat_constant_convert (&both, kind) : leat_constant_fail (self);
    }
  if ((strchr ("/%", op[0]) != NULL && b.whole == 0) || ABS (a.whole) > G_MAXINT32 || ABS (b.whole) > G_MAXINT32
      || (wraps && (a.whole < 0 || b.whole < 0)) || (strchr ("<>", op[0]) != NULL && (b.whole < 0 || b.whole > 30))
      || (op[0] == '<' && a.whole < 0))
    return leat_constant_fail (self);
  whole = op[0] == '*'   ? a.whole * b.whole
          : op[0] == '/' ? a.whole / b.whole
          : op[0] == '%' ? a.whole % b.whole
          : op[0] == '+' ? a.whole + b.whole
          : op[0] == '-' ? a.whole - b.whole
          : op[0] == '<' ? a.whole << b.whole
          : op[0] == '>' ? a.whole >> b.whole
                         : (a.whole | b.whole);
  return ABS (whole) > G_MAXINT32 || (wraps && whole < 0) ? leat_constant_fail (self)
                                                          : (LeatConstant){ kind, whole, 0, wraps };
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
  double real;
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  value = leat_constant_cast (&reader, &value, type);
  real = leat_constant_get (&value);
  if (!reader.known || !isfinite (real))
    return NULL;
  if (type->is_bool)
    return g_strdup (real != 0 ? "true" : "false");
  if (type->is_integer)
    return g_strdup_printf ("%" G_GINT64_FORMAT, value.whole);
  if (!g_str_equal (type->dtype, "f32"))
    return g_strdup (g_ascii_dtostr (text, sizeof text, real));
  for (guint digits = 6; digits <= 9; digits++)
    {
      g_autofree char *format = g_strdup_printf ("%%.%ug", digits);

      g_ascii_formatd (text, sizeof text, format, real);
      if (strtof (text, NULL) == (float) real)
        break;
    }
  return g_strdup (text);
}
