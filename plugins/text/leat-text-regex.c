/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Regexes as the tables that kernels/regex.cu describes. */

#include "leat-text-regex.h"

#include "leat-text-regex-cost.h"
#include "leat-text-regex-must.h"

#define LEAT_REGEX_HEAD_WORDS (6 + 64)
#define LEAT_REGEX_MAX_RANGES 4

enum
{
  LEAT_REGEX_FILTER_NONE,
  LEAT_REGEX_FILTER_KEYS,
  LEAT_REGEX_FILTER_BYTES,
};

void
leat_regex_free (LeatRegex *self)
{
  g_clear_pointer (&self->line, g_bytes_unref);
  g_clear_pointer (&self->match, g_bytes_unref);
  g_clear_pointer (&self->filter, g_bytes_unref);
  g_free (self);
}

static GBytes *
leat_regex_take_words (GArray *words)
{
  gsize size = words->len * sizeof (guint32);

  return g_bytes_new_take (g_array_free (words, FALSE), size);
}

/* The row of each state: 0 is where nothing leads from, whether there is such a state or not; then the beginning of a
 * line, and behind all others those of a match. */
static guint
leat_regex_dfa_order (LeatRegexDfa *dfa, guint *row, guint *match_from)
{
  guint start = dfa->start[LEAT_REGEX_AFTER_LINE_END], n = 1;

  for (guint pass = 0; pass < 3; pass++)
    {
      if (pass == 2)
        *match_from = n;
      for (guint state = 0; state < dfa->n_states; state++)
        {
          gboolean is_match = dfa->match[state] != LEAT_REGEX_NO_MATCH;

          if (state == dfa->dead)
            row[state] = 0;
          else if (is_match ? pass == 2 : pass == (state != start))
            row[state] = n++;
        }
    }
  return n;
}

static GBytes *
leat_regex_dfa_to_bytes (LeatRegexDfa *dfa)
{
  g_autofree guint *row = g_new (guint, dfa->n_states);
  guint stride = dfa->n_classes + 1, match_from = 0;
  guint n_rows = leat_regex_dfa_order (dfa, row, &match_from);
  GArray *words = g_array_new (FALSE, TRUE, sizeof (guint32));
  guint32 *data;

  g_array_set_size (words, LEAT_REGEX_HEAD_WORDS + n_rows * stride);
  data = (guint32 *) words->data;
  data[0] = stride;
  for (guint i = 0; i < 3; i++)
    data[1 + i] = row[dfa->start[i]] * stride;
  data[4] = match_from * stride;
  data[5] = n_rows * stride;
  memcpy (data + 6, dfa->classes, sizeof dfa->classes);
  for (guint state = 0; state < dfa->n_states; state++)
    {
      guint32 *to = data + LEAT_REGEX_HEAD_WORDS + (gsize) row[state] * stride;

      for (guint class = 0; class < dfa->n_classes; class ++)
        to[class] = row[dfa->next[(gsize) state * dfa->n_classes + class]] * stride;
      to[dfa->n_classes] = dfa->match[state];
    }
  return leat_regex_take_words (words);
}

guint32
leat_regex_get_first_row (GBytes *automaton)
{
  return ((const guint32 *) g_bytes_get_data (automaton, NULL))[1];
}

/* Bytes that lead away from the beginning of a line, where that state stays itself with all others; @words gets them as
 * ranges. FALSE where they are so many, or so common, that looking for them is of no use. */
static gboolean
leat_regex_add_ranges (const guint32 *automaton, GArray *words)
{
  const guint8 *classes = (const guint8 *) (automaton + 6);
  const guint32 *first = automaton + LEAT_REGEX_HEAD_WORDS + automaton[1];
  guint n = 0, often = 0;

  for (guint byte = 0; byte < 256; byte++)
    {
      guint begin = byte;

      for (; byte < 256 && first[classes[byte]] != automaton[1]; byte++)
        often += leat_regex_get_frequency ((guint8) byte);
      if (byte > begin)
        {
          guint32 range[2] = { begin, byte - begin - 1 };

          g_array_append_vals (words, range, 2);
          n++;
        }
    }
  g_array_index (words, guint32, 0) = LEAT_REGEX_FILTER_BYTES;
  g_array_index (words, guint32, 1) = n;
  /* A third of all that is common: most blocks of 64 bytes then hold one anyway. */
  return automaton[1] != 0 && n > 0 && n <= LEAT_REGEX_MAX_RANGES && often < 700;
}

static GBytes *
leat_regex_new_filter (GPtrArray *list, GBytes *automaton)
{
  GArray *words = g_array_new (FALSE, TRUE, sizeof (guint32));
  LeatRegexKey keys[LEAT_REGEX_MAX_KEYS];
  guint n = leat_regex_find_keys (list, keys);

  g_array_set_size (words, 2);
  if (n > 0)
    {
      g_array_index (words, guint32, 0) = LEAT_REGEX_FILTER_KEYS;
      g_array_index (words, guint32, 1) = n;
      for (guint i = 0; i < n; i++)
        {
          guint64 key[3] = { keys[i].value, keys[i].fold, keys[i].mask };

          for (guint j = 0; j < 3; j++)
            {
              guint32 halves[2] = { (guint32) key[j], (guint32) (key[j] >> 32) };

              g_array_append_vals (words, halves, 2);
            }
        }
    }
  else if (!leat_regex_add_ranges (g_bytes_get_data (automaton, NULL), words))
    {
      g_array_set_size (words, 0);
      g_array_set_size (words, 2);
    }
  return leat_regex_take_words (words);
}

/* Can the line's end come before the next byte?  @seen: steps from which it cannot. */
static gboolean
leat_regex_reaches_end (LeatRegexNfa *nfa, guint step, guint8 *seen)
{
  const LeatRegexStep *of = &g_array_index (nfa->steps, LeatRegexStep, step);

  if (seen[step] || of->kind == LEAT_REGEX_STEP_SET || of->kind == LEAT_REGEX_STEP_MATCH)
    return FALSE;
  seen[step] = TRUE;
  if (of->kind == LEAT_REGEX_STEP_ASSERT && of->assertion == LEAT_REGEX_LINE_END)
    return TRUE;
  return leat_regex_reaches_end (nfa, of->next, seen)
         || (of->kind == LEAT_REGEX_STEP_SPLIT && leat_regex_reaches_end (nfa, of->other, seen));
}

static gboolean
leat_regex_has_end (LeatRegexNfa *nfa)
{
  for (guint i = 0; i < nfa->steps->len; i++)
    if (g_array_index (nfa->steps, LeatRegexStep, i).kind == LEAT_REGEX_STEP_ASSERT
        && g_array_index (nfa->steps, LeatRegexStep, i).assertion == LEAT_REGEX_LINE_END)
      return TRUE;
  return FALSE;
}

static gboolean
leat_regex_takes_return (LeatRegexNfa *nfa)
{
  g_autofree guint8 *seen = g_new0 (guint8, nfa->steps->len);

  for (guint i = 0; i < nfa->steps->len; i++)
    {
      const LeatRegexStep *step = &g_array_index (nfa->steps, LeatRegexStep, i);

      if (step->kind == LEAT_REGEX_STEP_SET && leat_regex_set_has (&step->set, '\r')
          && leat_regex_reaches_end (nfa, step->next, seen))
        return TRUE;
    }
  return FALSE;
}

/* Is there a regex with a $ before which no carriage return can be?  In text whose lines end in two bytes that is
 * hardly what was meant. */
static gboolean
leat_regex_wants_plain_ends (GPtrArray *list)
{
  for (guint i = 0; i < list->len; i++)
    {
      g_autoptr (GPtrArray) alone = g_ptr_array_new ();
      g_autoptr (LeatRegexNfa) nfa = NULL;

      g_ptr_array_add (alone, g_ptr_array_index (list, i));
      nfa = leat_regex_nfa_new (alone, NULL);
      if (nfa != NULL && leat_regex_has_end (nfa) && !leat_regex_takes_return (nfa))
        return TRUE;
    }
  return FALSE;
}

LeatRegex *
leat_regex_new (GPtrArray *list, gboolean only_lines, GError **error)
{
  g_autoptr (GPtrArray) owned = list;
  g_autoptr (LeatRegex) self = g_new0 (LeatRegex, 1);
  g_autoptr (LeatRegexNfa) nfa = leat_regex_nfa_new (list, error);
  g_autoptr (LeatRegexDfa) line = nfa != NULL ? leat_regex_dfa_new (nfa, LEAT_REGEX_DFA_ANYWHERE, error) : NULL;
  g_autoptr (LeatRegexDfa) match = NULL;

  if (line == NULL)
    {
      leat_regex_cost_explain (list, LEAT_REGEX_DFA_ANYWHERE, error);
      return NULL;
    }
  if (!only_lines && (match = leat_regex_dfa_new (nfa, LEAT_REGEX_DFA_LONGEST, error)) == NULL)
    {
      leat_regex_cost_explain (list, LEAT_REGEX_DFA_LONGEST, error);
      return NULL;
    }
  self->wants_plain_ends = leat_regex_wants_plain_ends (list);
  self->n = list->len;
  self->least = G_MAXUINT;
  for (guint i = 0; i < list->len; i++)
    self->least = MIN (self->least, leat_regex_node_get_least (g_ptr_array_index (list, i)));
  self->line = leat_regex_dfa_to_bytes (line);
  self->match = match != NULL ? leat_regex_dfa_to_bytes (match) : NULL;
  self->filter = leat_regex_new_filter (list, self->line);
  return g_steal_pointer (&self);
}

LeatRegex *
leat_regex_parse (const char *text, gboolean fold, gboolean only_lines, GError **error)
{
  GPtrArray *list = leat_regex_parse_list (text, fold, error);

  return list != NULL ? leat_regex_new (list, only_lines, error) : NULL;
}
