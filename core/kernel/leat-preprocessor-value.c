/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The values in conditions: numbers and characters as they are written, and what operators make of two. */

#include "leat-preprocessor-private.h"

#include <string.h>

static int
leat_pp_get_digit (char c)
{
  return g_ascii_isxdigit (c) ? g_ascii_xdigit_value (c) : 99;
}

/* `u`, `l`, `ll`, `z` in the combinations that there are; FALSE for others. */
static gboolean
leat_pp_check_suffix (const char *suffix, gboolean *is_unsigned)
{
  static const char *const known[] = { "", "u", "l", "ul", "lu", "ll", "ull", "llu", "z", "uz", "zu", NULL };
  g_autofree char *lower = g_ascii_strdown (suffix, -1);

  *is_unsigned = strchr (lower, 'u') != NULL;
  return g_strv_contains (known, lower) && strstr (suffix, "lL") == NULL && strstr (suffix, "Ll") == NULL;
}

const char *
leat_pp_value_read_number (LeatPpValue *self, const LeatPpToken *token)
{
  g_autofree char *text = g_strndup (token->text, token->length);
  LeatPpValue value = { 0, FALSE };
  guint base = 10;
  const char *p = text;
  gboolean is_unsigned = FALSE;

  if (p[0] == '0' && (p[1] == 'x' || p[1] == 'X') && g_ascii_isxdigit (p[2]))
    base = 16, p += 2;
  else if (p[0] == '0' && (p[1] == 'b' || p[1] == 'B') && g_ascii_isdigit (p[2]))
    base = 2, p += 2;
  else if (p[0] == '0')
    base = 8;
  for (; leat_pp_get_digit (*p) < (int) base || *p == '\''; p++)
    if (*p != '\'')
      value.bits = value.bits * base + leat_pp_get_digit (*p);
  if (!leat_pp_check_suffix (p, &is_unsigned))
    return strpbrk (text, ".eEpP") != NULL && base != 16 ? "only whole numbers count" : "this is not a whole number";
  value.is_unsigned = is_unsigned || (gint64) value.bits < 0;
  *self = value;
  return NULL;
}

/* The code of one character behind a backslash. */
static guint64
leat_pp_read_escape (const char **at, const char *end)
{
  static const char letters[] = "abfnrtve", codes[] = "\a\b\f\n\r\t\v\033";
  const char *p = *at, *letter;
  guint64 code = 0;

  if (*p == 'x')
    for (p++; p < end && g_ascii_isxdigit (*p); p++)
      code = code * 16 + g_ascii_xdigit_value (*p);
  else if (*p >= '0' && *p <= '7')
    for (guint i = 0; i < 3 && p < end && *p >= '0' && *p <= '7'; i++, p++)
      code = code * 8 + (*p - '0');
  else
    {
      letter = strchr (letters, *p);
      code = letter != NULL ? (guchar) codes[letter - letters] : (guchar) *p;
      p++;
    }
  *at = p;
  return code;
}

const char *
leat_pp_value_read_character (LeatPpValue *self, const LeatPpToken *token)
{
  const char *p = memchr (token->text, '\'', token->length), *end = token->text + token->length - 1;
  gboolean plain = p == token->text || token->text[1] == '8', wide = *token->text == 'L';
  LeatPpValue value = { 0, !plain && !wide };
  guint n = 0;

  for (p++; p < end; n++)
    {
      guint64 code;

      if (*p == '\\' && p + 1 < end)
        p++, code = leat_pp_read_escape (&p, end);
      else if (plain)
        code = (guchar) *p++;
      else
        {
          code = g_utf8_get_char_validated (p, end - p);
          p = (gint32) code < 0 ? p + 1 : g_utf8_next_char (p);
        }
      value.bits = plain ? value.bits << 8 | (code & 0xff) : code;
    }
  if (n == 0)
    return "this character is empty";
  if (n > 1 && !wide && *token->text != '\'')
    return "this is more than one character";
  if (plain)
    value.bits = (guint64) (gint64) (n == 1 ? (gint8) value.bits : (gint32) value.bits);
  *self = value;
  return NULL;
}

static LeatPpValue
leat_pp_shift (LeatPpValue a, LeatPpValue b, gboolean left)
{
  gboolean back = !b.is_unsigned && (gint64) b.bits < 0;
  guint64 by = back ? -b.bits : b.bits;

  if (back)
    left = !left;
  if (left)
    a.bits = by < 64 ? a.bits << by : 0;
  else if (a.is_unsigned)
    a.bits = by < 64 ? a.bits >> by : 0;
  else
    a.bits = (guint64) ((gint64) a.bits >> MIN (by, 63));
  return a;
}

/* By zero it is 0. */
static guint64
leat_pp_divide (LeatPpValue a, LeatPpValue b, gboolean is_unsigned, gboolean rest)
{
  if (b.bits == 0)
    return 0;
  if (is_unsigned)
    return rest ? a.bits % b.bits : a.bits / b.bits;
  if ((gint64) b.bits == -1)
    return rest ? 0 : -a.bits;
  return (guint64) (rest ? (gint64) a.bits % (gint64) b.bits : (gint64) a.bits / (gint64) b.bits);
}

static gboolean
leat_pp_compare (const char *operator, LeatPpValue a, LeatPpValue b, gboolean is_unsigned)
{
  gboolean less = is_unsigned ? a.bits < b.bits : (gint64) a.bits < (gint64) b.bits;
  gboolean equal = a.bits == b.bits;

  switch (operator[0])
    {
    case '=':
      return equal;
    case '!':
      return !equal;
    case '<':
      return less || (operator[1] == '=' && equal);
    default:
      return (!less && !equal) || (operator[1] == '=' && equal);
    }
}

static LeatPpValue
leat_pp_combine (const char *operator, LeatPpValue a, LeatPpValue b)
{
  gboolean is_unsigned = a.is_unsigned || b.is_unsigned;

  if (g_str_equal (operator, "<<") || g_str_equal (operator, ">>"))
    return leat_pp_shift (a, b, operator[0] == '<');
  if (strchr ("=!<>", operator[0]) != NULL)
    return (LeatPpValue){ leat_pp_compare (operator, a, b, is_unsigned), FALSE };
  switch (operator[0])
    {
    case '|':
      return (LeatPpValue){ a.bits | b.bits, is_unsigned };
    case '^':
      return (LeatPpValue){ a.bits ^ b.bits, is_unsigned };
    case '&':
      return (LeatPpValue){ a.bits & b.bits, is_unsigned };
    case '+':
      return (LeatPpValue){ a.bits + b.bits, is_unsigned };
    case '-':
      return (LeatPpValue){ a.bits - b.bits, is_unsigned };
    case '*':
      return (LeatPpValue){ a.bits * b.bits, is_unsigned };
    default:
      return (LeatPpValue){ leat_pp_divide (a, b, is_unsigned, operator[0] == '%'), is_unsigned };
    }
}

gboolean
leat_pp_value_apply (LeatPpValue *self, const char *operator, LeatPpValue other)
{
  gboolean divides = operator[0] == '/' || operator[0] == '%';

  *self = leat_pp_combine (operator, * self, other);
  return !divides || other.bits != 0;
}
