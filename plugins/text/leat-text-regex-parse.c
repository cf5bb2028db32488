/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The text of a list of regular expressions to a tree each, by descent. */

#include "leat-text-regex-ast.h"
#include "leat-text-regex-bracket.h"

static LeatRegexNode *leat_regex_parse_alternation (LeatRegexText *text, GError **error);

gboolean
leat_regex_text_fail (LeatRegexText *self, const char *at, GError **error, const char *format, ...)
{
  g_autofree char *what = NULL;
  va_list args;

  va_start (args, format);
  what = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "regex \"%s\", column %zu: %s", self->begin,
               (gsize) (at - self->begin) + 1, what);
  return FALSE;
}

static LeatRegexNode *
leat_regex_text_take_set (LeatRegexText *self, const LeatRegexSet *set)
{
  LeatRegexNode *node = leat_regex_node_new (LEAT_REGEX_SET);

  node->set = *set;
  if (self->fold)
    leat_regex_set_fold (&node->set);
  node->set.bits[0] &= ~(G_GUINT64_CONSTANT (1) << '\n');
  return node;
}

static LeatRegexNode *
leat_regex_text_take_byte (LeatRegexText *self, guint8 byte)
{
  LeatRegexSet set = { 0 };

  leat_regex_set_add (&set, byte);
  self->at++;
  return leat_regex_text_take_set (self, &set);
}

static LeatRegexNode *
leat_regex_text_take_assertion (LeatRegexText *self, LeatRegexAssertion assertion, gsize length)
{
  LeatRegexNode *node = leat_regex_node_new (LEAT_REGEX_ASSERT);

  node->assertion = assertion;
  self->at += length;
  return node;
}

/* The text is at a backslash. */
static LeatRegexNode *
leat_regex_parse_escape (LeatRegexText *text, GError **error)
{
  static const char names[] = "bB<>";
  static const LeatRegexAssertion assertions[] = { LEAT_REGEX_WORD_BORDER, LEAT_REGEX_NO_WORD_BORDER,
                                                   LEAT_REGEX_WORD_BEGIN, LEAT_REGEX_WORD_END };
  char name = text->at[1];
  const char *known = name != '\0' ? strchr (names, name) : NULL;
  LeatRegexSet set = { 0 };

  if (known != NULL)
    return leat_regex_text_take_assertion (text, assertions[known - names], 2);
  if (name >= '1' && name <= '9')
    {
      leat_regex_text_fail (text, text->at, error,
                            "\\%c is a back-reference, which no automaton can follow; write out what it repeats", name);
      return NULL;
    }
  return leat_regex_parse_escaped_set (text, &set, NULL, error) ? leat_regex_text_take_set (text, &set) : NULL;
}

/* The text is behind "(". */
static gboolean
leat_regex_parse_group_kind (LeatRegexText *text, GError **error)
{
  const char *at = text->at;

  if (at[0] != '?')
    return TRUE;
  if (at[1] == ':')
    {
      text->at += 2;
      return TRUE;
    }
  if (at[1] == '=' || at[1] == '!' || (at[1] == '<' && (at[2] == '=' || at[2] == '!')))
    return leat_regex_text_fail (text, at - 1, error, "looking ahead or behind is not known; \\b, ^ and $ are");
  if (at[1] == 'i')
    return leat_regex_text_fail (text, at - 1, error, "(?i) is not known; fold=true on the node does it");
  return leat_regex_text_fail (text, at - 1, error, "\"(?\" is known as \"(?:\" alone; write \\? for the character");
}

static LeatRegexNode *
leat_regex_parse_group (LeatRegexText *text, GError **error)
{
  const char *begin = text->at++;
  g_autoptr (LeatRegexNode) node = NULL;

  if (++text->depth > LEAT_REGEX_MAX_DEPTH)
    {
      leat_regex_text_fail (text, begin, error, "more than %u parentheses within each other", LEAT_REGEX_MAX_DEPTH);
      return NULL;
    }
  if (!leat_regex_parse_group_kind (text, error))
    return NULL;
  node = leat_regex_parse_alternation (text, error);
  if (node == NULL)
    return NULL;
  if (*text->at != ')')
    {
      leat_regex_text_fail (text, begin, error, "\"(\" is never closed");
      return NULL;
    }
  text->at++;
  text->depth--;
  return g_steal_pointer (&node);
}

static LeatRegexNode *
leat_regex_parse_atom (LeatRegexText *text, GError **error)
{
  LeatRegexSet set = { 0 };

  switch (*text->at)
    {
    case '(':
      return leat_regex_parse_group (text, error);
    case '[':
      return leat_regex_parse_bracket (text, &set, error) ? leat_regex_text_take_set (text, &set) : NULL;
    case '\\':
      return leat_regex_parse_escape (text, error);
    case '.':
      text->at++;
      leat_regex_set_invert (&set);
      return leat_regex_text_take_set (text, &set);
    case '^':
      return leat_regex_text_take_assertion (text, LEAT_REGEX_LINE_BEGIN, 1);
    case '$':
      return leat_regex_text_take_assertion (text, LEAT_REGEX_LINE_END, 1);
    case '*':
    case '+':
    case '?':
    case '{':
      leat_regex_text_fail (text, text->at, error, "nothing for \"%c\" to repeat; write \\%c for the character",
                            *text->at, *text->at);
      return NULL;
    case '\n':
      leat_regex_text_fail (text, text->at, error, LEAT_REGEX_NO_LINE_END);
      return NULL;
    default:
      return leat_regex_text_take_byte (text, (guint8) *text->at);
    }
}

static gboolean
leat_regex_parse_number (LeatRegexText *text, guint *number, GError **error)
{
  const char *begin = text->at;

  *number = 0;
  for (; g_ascii_isdigit (*text->at); text->at++)
    if ((*number = *number * 10 + (guint) g_ascii_digit_value (*text->at)) > LEAT_REGEX_MAX_TIMES)
      return leat_regex_text_fail (text, begin, error, "at most %u times are possible", LEAT_REGEX_MAX_TIMES);
  return TRUE;
}

/* The text is at "{": {3} {3,} {,5} {3,5}. */
static gboolean
leat_regex_parse_braces (LeatRegexText *text, LeatRegexNode *node, GError **error)
{
  const char *begin = text->at++;
  gboolean has_least = g_ascii_isdigit (*text->at), has_comma;

  if (!leat_regex_parse_number (text, &node->least, error))
    return FALSE;
  node->most = node->least;
  has_comma = *text->at == ',';
  if (has_comma)
    {
      text->at++;
      node->most = LEAT_REGEX_MANY;
      if (g_ascii_isdigit (*text->at) && !leat_regex_parse_number (text, &node->most, error))
        return FALSE;
    }
  if (*text->at != '}' || (!has_least && (!has_comma || node->most == LEAT_REGEX_MANY)))
    return leat_regex_text_fail (text, begin, error,
                                 "\"{\" must be {n}, {n,}, {,m} or {n,m}; write \\{ for the character");
  if (node->most < node->least)
    return leat_regex_text_fail (text, begin, error, "{%u,%u} has its numbers the wrong way round", node->least,
                                 node->most);
  text->at++;
  return TRUE;
}

static gboolean
leat_regex_parse_times (LeatRegexText *text, LeatRegexNode *node, GError **error)
{
  char sign = *text->at;

  if (sign == '{')
    return leat_regex_parse_braces (text, node, error);
  node->least = sign == '+';
  node->most = sign == '?' ? 1 : LEAT_REGEX_MANY;
  text->at++;
  return TRUE;
}

static gboolean
leat_regex_text_is_at_repetition (LeatRegexText *self)
{
  return *self->at != '\0' && strchr ("*+?{", *self->at) != NULL;
}

static LeatRegexNode *
leat_regex_parse_piece (LeatRegexText *text, GError **error)
{
  g_autoptr (LeatRegexNode) atom = leat_regex_parse_atom (text, error);
  g_autoptr (LeatRegexNode) node = NULL;
  const char *at = text->at;

  if (atom == NULL || !leat_regex_text_is_at_repetition (text))
    return g_steal_pointer (&atom);
  if (atom->kind == LEAT_REGEX_ASSERT)
    {
      leat_regex_text_fail (text, at, error, "a place in the line cannot be repeated; write \\%c for the character",
                            *at);
      return NULL;
    }
  node = leat_regex_node_new (LEAT_REGEX_REPEAT);
  if (!leat_regex_parse_times (text, node, error))
    return NULL;
  if (leat_regex_text_is_at_repetition (text))
    {
      leat_regex_text_fail (text, text->at, error,
                            "\"%c\" right behind \"%.*s\": the longest match is always taken, and to repeat a "
                            "repetition put it in parentheses",
                            *text->at, (int) (text->at - at), at);
      return NULL;
    }
  leat_regex_node_add (node, g_steal_pointer (&atom));
  return g_steal_pointer (&node);
}

/* Up to what ends a branch; a comma does outside of parentheses. */
static LeatRegexNode *
leat_regex_parse_branch (LeatRegexText *text, GError **error)
{
  g_autoptr (LeatRegexNode) node = leat_regex_node_new (LEAT_REGEX_CAT);

  while (*text->at != '\0' && *text->at != '|' && *text->at != ')' && (*text->at != ',' || text->depth > 0))
    {
      LeatRegexNode *piece = leat_regex_parse_piece (text, error);

      if (piece == NULL)
        return NULL;
      leat_regex_node_add (node, piece);
    }
  return g_steal_pointer (&node);
}

static LeatRegexNode *
leat_regex_parse_alternation (LeatRegexText *text, GError **error)
{
  g_autoptr (LeatRegexNode) branch = leat_regex_parse_branch (text, error);
  g_autoptr (LeatRegexNode) node = NULL;

  if (branch == NULL || *text->at != '|')
    return g_steal_pointer (&branch);
  node = leat_regex_node_new (LEAT_REGEX_ALT);
  leat_regex_node_add (node, g_steal_pointer (&branch));
  while (*text->at == '|')
    {
      text->at++;
      branch = leat_regex_parse_branch (text, error);
      if (branch == NULL)
        return NULL;
      leat_regex_node_add (node, g_steal_pointer (&branch));
    }
  return g_steal_pointer (&node);
}

GPtrArray *
leat_regex_parse_list (const char *text, gboolean fold, GError **error)
{
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_regex_node_free);
  LeatRegexText at = { .begin = text, .at = text, .fold = fold };

  for (;; at.at++)
    {
      const char *begin = at.at;
      LeatRegexNode *node = leat_regex_parse_alternation (&at, error);

      if (node == NULL)
        return NULL;
      node->text = g_strndup (begin, (gsize) (at.at - begin));
      g_ptr_array_add (list, node);
      if (*at.at == ')')
        leat_regex_text_fail (&at, at.at, error, "\")\" closes nothing; write \\) for the character");
      else if (at.at == begin)
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "regex \"%s\": regex %u is empty", text,
                     list->len);
      else if (list->len > LEAT_REGEX_MAX_NUMBER)
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "more than %u regexes", LEAT_REGEX_MAX_NUMBER);
      else if (*at.at == '\0')
        return g_steal_pointer (&list);
      else
        continue; /* behind a comma */
      return NULL;
    }
}
