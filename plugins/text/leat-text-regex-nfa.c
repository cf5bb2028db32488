/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Trees of regexes as steps, and the classes of bytes that those tell apart, for the subset construction.  Changes
 * nothing of the trees. */

#include "leat-text-regex-nfa.h"

/* Built from the end, so that each part knows where it goes on. */
typedef struct
{
  LeatRegexNfa *nfa;
  gboolean is_full;
} LeatRegexNfaBuilder;

static guint leat_regex_nfa_build (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next);

void
leat_regex_nfa_free (LeatRegexNfa *self)
{
  g_array_unref (self->steps);
  g_free (self);
}

static guint
leat_regex_nfa_add (LeatRegexNfaBuilder *self, LeatRegexStepKind kind, guint next, guint other)
{
  LeatRegexStep step = { .kind = kind, .next = next, .other = other };

  self->is_full = self->is_full || self->nfa->steps->len == LEAT_REGEX_MAX_STEPS;
  if (!self->is_full)
    g_array_append_val (self->nfa->steps, step);
  return self->nfa->steps->len - 1;
}

static LeatRegexStep *
leat_regex_nfa_at (LeatRegexNfaBuilder *self, guint step)
{
  return &g_array_index (self->nfa->steps, LeatRegexStep, step);
}

static guint
leat_regex_nfa_build_set (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next)
{
  guint step = leat_regex_nfa_add (self, LEAT_REGEX_STEP_SET, next, next);

  leat_regex_nfa_at (self, step)->set = node->set;
  return step;
}

static guint
leat_regex_nfa_build_cat (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next)
{
  guint n = node->children != NULL ? node->children->len : 0;

  for (guint i = 0; i < n; i++)
    next = leat_regex_nfa_build (self, g_ptr_array_index (node->children, n - 1 - i), next);
  return next;
}

static guint
leat_regex_nfa_build_alt (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next)
{
  guint step = leat_regex_nfa_build (self, g_ptr_array_index (node->children, 0), next);

  for (guint i = 1; i < node->children->len; i++)
    {
      guint branch = leat_regex_nfa_build (self, g_ptr_array_index (node->children, i), next);

      step = leat_regex_nfa_add (self, LEAT_REGEX_STEP_SPLIT, step, branch);
    }
  return step;
}

static guint
leat_regex_nfa_build_repeat (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next)
{
  const LeatRegexNode *child = g_ptr_array_index (node->children, 0);
  guint step = next;

  if (node->most == LEAT_REGEX_MANY)
    {
      guint begin;

      step = leat_regex_nfa_add (self, LEAT_REGEX_STEP_SPLIT, next, next);
      begin = leat_regex_nfa_build (self, child, step);
      leat_regex_nfa_at (self, step)->next = begin;
    }
  else
    for (guint i = node->least; i < node->most && !self->is_full; i++)
      step = leat_regex_nfa_add (self, LEAT_REGEX_STEP_SPLIT, leat_regex_nfa_build (self, child, step), next);
  for (guint i = 0; i < node->least && !self->is_full; i++)
    step = leat_regex_nfa_build (self, child, step);
  return step;
}

static guint
leat_regex_nfa_build_assertion (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next)
{
  guint step = leat_regex_nfa_add (self, LEAT_REGEX_STEP_ASSERT, next, next);

  leat_regex_nfa_at (self, step)->assertion = node->assertion;
  if (node->assertion == LEAT_REGEX_LINE_BEGIN)
    self->nfa->knows_begin = TRUE;
  else if (node->assertion != LEAT_REGEX_LINE_END)
    self->nfa->knows_words = TRUE;
  return step;
}

/* Where @node begins, if what follows it begins at @next. */
static guint
leat_regex_nfa_build (LeatRegexNfaBuilder *self, const LeatRegexNode *node, guint next)
{
  if (self->is_full)
    return next;
  switch (node->kind)
    {
    case LEAT_REGEX_SET:
      return leat_regex_nfa_build_set (self, node, next);
    case LEAT_REGEX_CAT:
      return leat_regex_nfa_build_cat (self, node, next);
    case LEAT_REGEX_ALT:
      return leat_regex_nfa_build_alt (self, node, next);
    case LEAT_REGEX_REPEAT:
      return leat_regex_nfa_build_repeat (self, node, next);
    case LEAT_REGEX_ASSERT:
      return leat_regex_nfa_build_assertion (self, node, next);
    default:
      return next;
    }
}

LeatRegexNfa *
leat_regex_nfa_new (GPtrArray *list, GError **error)
{
  g_autoptr (LeatRegexNfa) nfa = g_new0 (LeatRegexNfa, 1);
  LeatRegexNfaBuilder builder = { .nfa = nfa };

  nfa->steps = g_array_new (FALSE, FALSE, sizeof (LeatRegexStep));
  for (guint i = 0; i < list->len; i++)
    {
      guint match = leat_regex_nfa_add (&builder, LEAT_REGEX_STEP_MATCH, 0, 0);
      guint begin;

      leat_regex_nfa_at (&builder, match)->number = i;
      begin = leat_regex_nfa_build (&builder, g_ptr_array_index (list, i), match);
      nfa->start = i == 0 ? begin : leat_regex_nfa_add (&builder, LEAT_REGEX_STEP_SPLIT, nfa->start, begin);
      if (builder.is_full)
        {
          g_set_error (
            error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
            "regex %u has more than %u steps with its repetitions written out; use smaller numbers in {}, or "
            "+ and *",
            i + 1, LEAT_REGEX_MAX_STEPS);
          return NULL;
        }
    }
  return g_steal_pointer (&nfa);
}

/* Tells the bytes of @set from the others; how many classes there are then. */
static guint
leat_regex_classes_split (guint8 classes[256], guint n, const LeatRegexSet *set)
{
  gint16 becomes[256];
  gboolean has[2][256] = { { FALSE } };

  for (guint byte = 0; byte < 256; byte++)
    has[leat_regex_set_has (set, (guint8) byte)][classes[byte]] = TRUE;
  for (guint class = 0, end = n; class < end; class ++)
    becomes[class] = (gint16) (has[0][class] && has[1][class] ? n++ : class);
  for (guint byte = 0; byte < 256; byte++)
    if (leat_regex_set_has (set, (guint8) byte))
      classes[byte] = (guint8) becomes[classes[byte]];
  return n;
}

guint
leat_regex_nfa_get_classes (LeatRegexNfa *self, guint8 classes[256])
{
  LeatRegexSet words = { 0 }, end = { 0 };
  guint n = 1;

  memset (classes, 0, 256);
  leat_regex_set_add (&end, '\n');
  n = leat_regex_classes_split (classes, n, &end);
  for (guint byte = 0; byte < 256; byte++)
    if (leat_regex_is_word ((guint8) byte))
      leat_regex_set_add (&words, (guint8) byte);
  if (self->knows_words)
    n = leat_regex_classes_split (classes, n, &words);
  for (guint i = 0; i < self->steps->len; i++)
    if (g_array_index (self->steps, LeatRegexStep, i).kind == LEAT_REGEX_STEP_SET)
      n = leat_regex_classes_split (classes, n, &g_array_index (self->steps, LeatRegexStep, i).set);
  return n;
}
