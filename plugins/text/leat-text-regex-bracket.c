/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Sets of bytes as a regex spells them. */

#include "leat-text-regex-bracket.h"

static const struct
{
  const char *name;
  const char *ranges; /* pairs: first and last */
} classes[] = {
  { "alnum", "09AZaz" },   { "alpha", "AZaz" },   { "blank", "  \t\t" }, { "cntrl", "\1\37\177\177" }, /* and 0 */
  { "digit", "09" },       { "graph", "!~" },     { "lower", "az" },     { "print", " ~" },
  { "punct", "!/:@[`{~" }, { "space", "  \t\r" }, { "upper", "AZ" },     { "xdigit", "09AFaf" },
};

static gboolean
leat_regex_set_add_class (LeatRegexSet *set, const char *name, gsize length)
{
  for (guint i = 0; i < G_N_ELEMENTS (classes); i++)
    if (strlen (classes[i].name) == length && memcmp (classes[i].name, name, length) == 0)
      {
        for (const char *range = classes[i].ranges; *range != '\0'; range += 2)
          leat_regex_set_add_range (set, (guint8) range[0], (guint8) range[1]);
        if (strcmp (classes[i].name, "cntrl") == 0)
          leat_regex_set_add (set, 0);
        return TRUE;
      }
  return FALSE;
}

/* \d \w \s and, in capitals, what is not in them. */
static gboolean
leat_regex_set_add_letter (LeatRegexSet *set, char letter)
{
  LeatRegexSet of = { 0 };

  switch (g_ascii_tolower (letter))
    {
    case 'd':
      leat_regex_set_add_class (&of, "digit", 5);
      break;
    case 'w':
      leat_regex_set_add_class (&of, "alnum", 5);
      leat_regex_set_add (&of, '_');
      break;
    case 's':
      leat_regex_set_add_class (&of, "space", 5);
      break;
    default:
      return FALSE;
    }
  if (g_ascii_isupper (letter))
    leat_regex_set_invert (&of);
  leat_regex_set_add_all (set, &of);
  return TRUE;
}

/* The byte that an escape means; -1 for none. */
static int
leat_regex_get_escaped_byte (const char *at, gsize *length)
{
  static const char names[] = "trfva0n";
  static const char values[] = "\t\r\f\v\a\0\n";
  const char *known = at[1] != '\0' ? strchr (names, at[1]) : NULL;

  *length = 2;
  if (known != NULL)
    return (guint8) values[known - names];
  if (at[1] == 'x' && g_ascii_isxdigit (at[2]) && g_ascii_isxdigit (at[3]))
    {
      *length = 4;
      return g_ascii_xdigit_value (at[2]) * 16 + g_ascii_xdigit_value (at[3]);
    }
  return g_ascii_ispunct (at[1]) ? at[1] : -1;
}

gboolean
leat_regex_parse_escaped_set (LeatRegexText *text, LeatRegexSet *set, int *byte, GError **error)
{
  gsize length;
  int value = leat_regex_get_escaped_byte (text->at, &length);

  if (byte != NULL)
    *byte = value;
  if (value == '\n')
    return leat_regex_text_fail (text, text->at, error, LEAT_REGEX_NO_LINE_END);
  if (value >= 0)
    leat_regex_set_add (set, (guint8) value);
  else if (!leat_regex_set_add_letter (set, text->at[1]))
    return leat_regex_text_fail (text, text->at, error,
                                 "unknown escape; \\d \\w \\s \\D \\W \\S \\b \\B \\< \\> \\t \\r \\f \\v \\a \\0 "
                                 "\\xHH and signs such as \\. are known");
  text->at += length;
  return TRUE;
}

/* The text is at "[:", "[." or "[=" within brackets. */
static gboolean
leat_regex_parse_class (LeatRegexText *text, LeatRegexSet *set, GError **error)
{
  const char close[] = { text->at[1], ']', '\0' };
  const char *end = strstr (text->at + 2, close);

  if (close[0] != ':')
    return leat_regex_text_fail (text, text->at, error,
                                 "\"[%c\" asks for the ways of a language, and text is bytes here; write \\[ for the "
                                 "character",
                                 close[0]);
  if (end == NULL || !leat_regex_set_add_class (set, text->at + 2, (gsize) (end - text->at) - 2))
    return leat_regex_text_fail (text, text->at, error,
                                 "unknown class; [:alnum:] [:alpha:] [:blank:] [:cntrl:] [:digit:] [:graph:] [:lower:] "
                                 "[:print:] [:punct:] [:space:] [:upper:] [:xdigit:] are known");
  text->at = end + 2;
  return TRUE;
}

/* One byte, or -1 for a set of them, which is added. */
static gboolean
leat_regex_parse_member (LeatRegexText *text, LeatRegexSet *set, int *byte, GError **error)
{
  const char *at = text->at;

  *byte = -1;
  if (*at == '[' && (at[1] == ':' || at[1] == '.' || at[1] == '='))
    return leat_regex_parse_class (text, set, error);
  if (*at == '\\')
    return leat_regex_parse_escaped_set (text, set, byte, error);
  if (*at == '\n')
    return leat_regex_text_fail (text, at, error, LEAT_REGEX_NO_LINE_END);
  *byte = (guint8) *at;
  leat_regex_set_add (set, (guint8) *at);
  text->at++;
  return TRUE;
}

/* A member, or two with "-" between. */
static gboolean
leat_regex_parse_range (LeatRegexText *text, LeatRegexSet *set, GError **error)
{
  const char *begin = text->at;
  LeatRegexSet unused = { 0 };
  int first, last;

  if (!leat_regex_parse_member (text, set, &first, error))
    return FALSE;
  if (text->at[0] != '-' || text->at[1] == ']' || text->at[1] == '\0')
    return TRUE;
  text->at++;
  if (!leat_regex_parse_member (text, &unused, &last, error))
    return FALSE;
  if (first < 0 || last < 0)
    return leat_regex_text_fail (text, begin, error, "a range goes from one byte to another");
  if (last < first)
    return leat_regex_text_fail (text, begin, error, "the range \"%.*s\" ends before it begins",
                                 (int) (text->at - begin), begin);
  leat_regex_set_add_range (set, (guint8) first, (guint8) last);
  return TRUE;
}

gboolean
leat_regex_parse_bracket (LeatRegexText *text, LeatRegexSet *set, GError **error)
{
  const char *begin = text->at++;
  gboolean inverted = *text->at == '^';
  const char *first;

  text->at += inverted;
  first = text->at;
  while (*text->at != ']' || text->at == first)
    {
      if (*text->at == '\0')
        return leat_regex_text_fail (text, begin, error, "\"[\" is never closed");
      if (!leat_regex_parse_range (text, set, error))
        return FALSE;
    }
  text->at++;
  /* Else the capitals would come back in a set that lacks the small letters. */
  if (text->fold)
    leat_regex_set_fold (set);
  if (inverted)
    leat_regex_set_invert (set);
  return TRUE;
}
