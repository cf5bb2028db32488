/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* C takes a chain of comparisons, and hardly anybody who writes one means what C does with it. */

#include "leat-base-comparison.h"

/* The comparisons that are open since the last sign that binds less: of == and != (`a < b == c < d` is no chain), and
 * of the others. */
typedef struct
{
  guint begin[2]; /* the first token */
  guint at[2];    /* of the comparison in it; 0: there is none, as none is the first token */
} LeatComparisonFrame;

static gboolean
leat_comparison_is_one (const LeatToken *token)
{
  static const char *const comparisons[] = { "<", ">", "<=", ">=", "==", "!=", NULL };

  return token->kind == LEAT_TOKEN_OPERATOR && g_strv_contains (comparisons, token->text);
}

static gboolean
leat_comparison_ends (const LeatToken *token)
{
  static const char *const looser[] = { "&", "^", "|", "&&", "||", "?", ":", NULL };

  return token->kind == LEAT_TOKEN_COMMA
         || (token->kind == LEAT_TOKEN_OPERATOR && g_strv_contains (looser, token->text));
}

static gboolean
leat_comparison_is_equality (const LeatToken *token)
{
  return token->text[0] == '=' || token->text[0] == '!';
}

/* The text from token @begin up to token @end, without the space around it. */
static char *
leat_comparison_dup_text (GArray *tokens, const char *text, guint begin, guint end)
{
  guint from = g_array_index (tokens, LeatToken, begin).column;
  gsize to = end < tokens->len ? g_array_index (tokens, LeatToken, end).column : strlen (text);

  return g_strstrip (g_strndup (text + from, to - from));
}

/* The first token behind the operand that begins at @at. */
static guint
leat_comparison_find_end (GArray *tokens, guint at)
{
  guint depth = 0;

  for (; at < tokens->len; at++)
    {
      const LeatToken *token = &g_array_index (tokens, LeatToken, at);

      if (depth == 0
          && (token->kind == LEAT_TOKEN_CLOSE || leat_comparison_ends (token) || leat_comparison_is_one (token)))
        break;
      depth += token->kind == LEAT_TOKEN_OPEN;
      depth -= token->kind == LEAT_TOKEN_CLOSE;
    }
  return at;
}

static gboolean
leat_comparison_refuse (GArray *tokens, const char *text, guint begin, guint first, guint second, GError **error)
{
  const LeatToken *one = &g_array_index (tokens, LeatToken, first), *two = &g_array_index (tokens, LeatToken, second);
  g_autofree char *left = leat_comparison_dup_text (tokens, text, begin, first);
  g_autofree char *middle = leat_comparison_dup_text (tokens, text, first + 1, second);
  guint end = leat_comparison_find_end (tokens, second + 1);
  g_autofree char *right = leat_comparison_dup_text (tokens, text, second + 1, end);

  return leat_token_fail (text, two->column, error, "this compares %s%s%s, which is 0 or 1; write %s%s%s && %s%s%s",
                          left, one->text, middle, left, one->text, middle, middle, two->text, right);
}

static gboolean
leat_comparison_add (LeatComparisonFrame *frame, GArray *tokens, const char *text, guint at, GError **error)
{
  gboolean equality = leat_comparison_is_equality (&g_array_index (tokens, LeatToken, at));

  if (frame->at[equality] > 0)
    return leat_comparison_refuse (tokens, text, frame->begin[equality], frame->at[equality], at, error);
  frame->at[equality] = at;
  if (!equality)
    return TRUE;
  frame->begin[FALSE] = at + 1;
  frame->at[FALSE] = 0;
  return TRUE;
}

gboolean
leat_comparison_check (GArray *tokens, const char *text, GError **error)
{
  g_autoptr (GArray) frames = g_array_new (FALSE, TRUE, sizeof (LeatComparisonFrame));

  g_array_set_size (frames, 1);
  for (guint i = 0; i < tokens->len; i++)
    {
      const LeatToken *token = &g_array_index (tokens, LeatToken, i);
      LeatComparisonFrame *frame = &g_array_index (frames, LeatComparisonFrame, frames->len - 1);
      const LeatComparisonFrame next = { .begin = { i + 1, i + 1 } };

      if (token->kind == LEAT_TOKEN_OPEN)
        g_array_append_val (frames, next);
      else if (token->kind == LEAT_TOKEN_CLOSE)
        g_array_set_size (frames, frames->len - 1);
      else if (leat_comparison_ends (token))
        *frame = next;
      else if (leat_comparison_is_one (token) && !leat_comparison_add (frame, tokens, text, i, error))
        return FALSE;
    }
  return TRUE;
}
