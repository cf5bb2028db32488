/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The subset construction: a state is a set of steps, what was before, and which match has ended there.
 * Rabin, Scott: Finite automata and their decision problems, 1959. */

#include "leat-text-regex-dfa.h"

/* Steps that may be looked at in all; more takes seconds. */
#define LEAT_REGEX_MAX_WORK (1u << 28)

typedef struct
{
  LeatRegexNfa *nfa;
  LeatRegexDfaKind kind;
  guint n_classes;
  guint8 classes[256];
  guint8 members[256]; /* a byte of each class */
  GPtrArray *states;   /* GArray of guint: before, match, steps in ascending order */
  GHashTable *known;   /* the same, to its number and 1 */
  GArray *next, *match;
  guint *seen; /* by step: the round that met it last */
  guint round;
  GArray *pending;
  guint work, most_work;
} LeatRegexSubsets;

static guint
leat_regex_subset_hash (gconstpointer key)
{
  const GArray *array = key;
  guint hash = 2166136261u;

  for (guint i = 0; i < array->len; i++)
    hash = (hash ^ g_array_index (array, guint, i)) * 16777619u;
  return hash;
}

static gboolean
leat_regex_subset_equal (gconstpointer a, gconstpointer b)
{
  const GArray *one = a, *other = b;

  return one->len == other->len && memcmp (one->data, other->data, one->len * sizeof (guint)) == 0;
}

/* Between what came before and the byte that comes: a byte of a word, another one, or the line's end. */
static gboolean
leat_regex_assertion_holds (LeatRegexAssertion assertion, guint before, gboolean is_end, gboolean is_word)
{
  gboolean was_word = before == LEAT_REGEX_AFTER_WORD;

  switch (assertion)
    {
    case LEAT_REGEX_LINE_BEGIN:
      return before == LEAT_REGEX_AFTER_LINE_END;
    case LEAT_REGEX_LINE_END:
      return is_end;
    case LEAT_REGEX_WORD_BORDER:
      return was_word != is_word;
    case LEAT_REGEX_NO_WORD_BORDER:
      return was_word == is_word;
    case LEAT_REGEX_WORD_BEGIN:
      return !was_word && is_word;
    default:
      return was_word && !is_word;
    }
}

/* Appends what is reached from @step without a byte and not there yet: steps that take one, match or assert. */
static void
leat_regex_subsets_reach (LeatRegexSubsets *self, guint step, GArray *into)
{
  g_array_append_val (self->pending, step);
  while (self->pending->len > 0)
    {
      guint at = g_array_index (self->pending, guint, self->pending->len - 1);
      const LeatRegexStep *of = &g_array_index (self->nfa->steps, LeatRegexStep, at);

      g_array_set_size (self->pending, self->pending->len - 1);
      if (self->seen[at] == self->round)
        continue;
      self->seen[at] = self->round;
      self->work++;
      if (of->kind != LEAT_REGEX_STEP_SPLIT)
        g_array_append_val (into, at);
      else
        {
          g_array_append_val (self->pending, of->next);
          g_array_append_val (self->pending, of->other);
        }
    }
}

/* The steps of a state and those behind assertions that hold before a byte of @class. */
static void
leat_regex_subsets_resolve (LeatRegexSubsets *self, const GArray *state, guint class, GArray *into)
{
  guint8 byte = self->members[class];
  guint before = g_array_index (state, guint, 0);

  self->round++;
  g_array_set_size (into, 0);
  for (guint i = 2; i < state->len; i++)
    leat_regex_subsets_reach (self, g_array_index (state, guint, i), into);
  for (guint i = 0; i < into->len; i++)
    {
      const LeatRegexStep *step = &g_array_index (self->nfa->steps, LeatRegexStep, g_array_index (into, guint, i));

      if (step->kind == LEAT_REGEX_STEP_ASSERT
          && leat_regex_assertion_holds (step->assertion, before, byte == '\n', leat_regex_is_word (byte)))
        leat_regex_subsets_reach (self, step->next, into);
    }
}

static int
leat_regex_compare_steps (gconstpointer a, gconstpointer b)
{
  guint one = *(const guint *) a, other = *(const guint *) b;

  return (one > other) - (one < other);
}

/* The number of a state, which is new where it is not known; takes @state, whose steps may be in any order. */
static guint
leat_regex_subsets_intern (LeatRegexSubsets *self, GArray *state)
{
  gpointer number;

  if (state->len > 3)
    qsort (&g_array_index (state, guint, 2), state->len - 2, sizeof (guint), leat_regex_compare_steps);
  /* Where nobody asks what was before, states do not differ by it. */
  if (state->len == 2)
    g_array_index (state, guint, 0) = LEAT_REGEX_AFTER_OTHER;
  number = g_hash_table_lookup (self->known, state);
  if (number != NULL)
    {
      g_array_unref (state);
      return GPOINTER_TO_UINT (number) - 1;
    }
  g_ptr_array_add (self->states, state);
  g_hash_table_insert (self->known, state, GUINT_TO_POINTER (self->states->len));
  return self->states->len - 1;
}

static guint
leat_regex_subsets_get_before (LeatRegexSubsets *self, guint8 byte)
{
  if (byte == '\n' && self->nfa->knows_begin)
    return LEAT_REGEX_AFTER_LINE_END;
  return byte != '\n' && self->nfa->knows_words && leat_regex_is_word (byte) ? LEAT_REGEX_AFTER_WORD
                                                                             : LEAT_REGEX_AFTER_OTHER;
}

/* The line's beginning is over: what asks for it leads nowhere. */
static void
leat_regex_subsets_drop_begins (LeatRegexSubsets *self, GArray *state)
{
  guint n = 2;

  if (g_array_index (state, guint, 0) == LEAT_REGEX_AFTER_LINE_END)
    return;
  for (guint i = 2; i < state->len; i++)
    {
      guint at = g_array_index (state, guint, i);
      const LeatRegexStep *step = &g_array_index (self->nfa->steps, LeatRegexStep, at);

      if (step->kind != LEAT_REGEX_STEP_ASSERT || step->assertion != LEAT_REGEX_LINE_BEGIN)
        g_array_index (state, guint, n++) = at;
    }
  g_array_set_size (state, n);
}

static GArray *
leat_regex_subsets_new_state (guint before, guint match)
{
  GArray *state = g_array_new (FALSE, FALSE, sizeof (guint));

  g_array_append_val (state, before);
  g_array_append_val (state, match);
  return state;
}

static guint
leat_regex_subsets_start (LeatRegexSubsets *self, guint8 byte)
{
  GArray *state = leat_regex_subsets_new_state (leat_regex_subsets_get_before (self, byte), LEAT_REGEX_NO_MATCH);

  self->round++;
  leat_regex_subsets_reach (self, self->nfa->start, state);
  leat_regex_subsets_drop_begins (self, state);
  return leat_regex_subsets_intern (self, state);
}

/* Where the state whose steps are @resolved goes with a byte of @class. */
static guint
leat_regex_subsets_step (LeatRegexSubsets *self, const GArray *resolved, guint class)
{
  guint8 byte = self->members[class];
  guint match = LEAT_REGEX_NO_MATCH;
  GArray *state;

  for (guint i = 0; i < resolved->len; i++)
    {
      const LeatRegexStep *step = &g_array_index (self->nfa->steps, LeatRegexStep, g_array_index (resolved, guint, i));

      if (step->kind == LEAT_REGEX_STEP_MATCH)
        match = MIN (match, step->number);
    }
  if (self->kind == LEAT_REGEX_DFA_ANYWHERE && match != LEAT_REGEX_NO_MATCH)
    return leat_regex_subsets_intern (self, leat_regex_subsets_new_state (0, 0));
  if (byte == '\n' && self->kind == LEAT_REGEX_DFA_ANYWHERE)
    return leat_regex_subsets_start (self, '\n');
  state = leat_regex_subsets_new_state (leat_regex_subsets_get_before (self, byte), match);
  self->round++;
  for (guint i = 0; i < resolved->len && byte != '\n'; i++)
    {
      const LeatRegexStep *step = &g_array_index (self->nfa->steps, LeatRegexStep, g_array_index (resolved, guint, i));

      if (step->kind == LEAT_REGEX_STEP_SET && leat_regex_set_has (&step->set, byte))
        leat_regex_subsets_reach (self, step->next, state);
    }
  if (self->kind == LEAT_REGEX_DFA_ANYWHERE && byte != '\n')
    leat_regex_subsets_reach (self, self->nfa->start, state);
  leat_regex_subsets_drop_begins (self, state);
  self->work += resolved->len;
  return leat_regex_subsets_intern (self, state);
}

/* Without one it makes no difference which byte comes. */
static gboolean
leat_regex_subsets_has_assertion (LeatRegexSubsets *self, const GArray *state)
{
  for (guint i = 2; i < state->len; i++)
    if (g_array_index (self->nfa->steps, LeatRegexStep, g_array_index (state, guint, i)).kind == LEAT_REGEX_STEP_ASSERT)
      return TRUE;
  return FALSE;
}

/* Follows all classes of bytes from state @number. */
static void
leat_regex_subsets_follow (LeatRegexSubsets *self, guint number, GArray *resolved)
{
  const GArray *state = g_ptr_array_index (self->states, number);
  guint match = g_array_index (state, guint, 1);
  gboolean is_over = self->kind == LEAT_REGEX_DFA_ANYWHERE && match != LEAT_REGEX_NO_MATCH;
  gboolean asserts = leat_regex_subsets_has_assertion (self, state);

  g_array_append_val (self->match, match);
  for (guint class = 0; class < self->n_classes; class ++)
    {
      guint next = number;

      if (!is_over)
        {
          if (class == 0 || asserts)
            leat_regex_subsets_resolve (self, state, class, resolved);
          next = leat_regex_subsets_step (self, resolved, class);
        }
      g_array_append_val (self->next, next);
    }
}

static gboolean
leat_regex_subsets_run (LeatRegexSubsets *self, guint start[3], GError **error)
{
  static const guint8 before[] = { '\n', ' ', 'a' };
  g_autoptr (GArray) resolved = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < 3; i++)
    start[i] = leat_regex_subsets_start (self, before[i]);
  for (guint number = 0; number < self->states->len; number++)
    {
      leat_regex_subsets_follow (self, number, resolved);
      if (self->states->len > LEAT_REGEX_MAX_STATES)
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                     "regex needs more than %u states; use smaller numbers in {}, or fewer regexes in one list",
                     LEAT_REGEX_MAX_STATES);
      else if (self->work > self->most_work)
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
                     "regex takes too long to be made an automaton; use smaller numbers in {}, or fewer in one list");
      else
        continue;
      return FALSE;
    }
  return TRUE;
}

static void
leat_regex_subsets_clear (LeatRegexSubsets *self)
{
  g_hash_table_unref (self->known);
  g_ptr_array_unref (self->states);
  g_array_unref (self->next);
  g_array_unref (self->match);
  g_array_unref (self->pending);
  g_free (self->seen);
}

static void
leat_regex_subsets_init (LeatRegexSubsets *self, LeatRegexNfa *nfa, LeatRegexDfaKind kind, guint most_work)
{
  self->most_work = most_work;
  self->nfa = nfa;
  self->kind = kind;
  self->n_classes = leat_regex_nfa_get_classes (nfa, self->classes);
  for (guint byte = 0; byte < 256; byte++)
    self->members[self->classes[byte]] = (guint8) byte;
  self->states = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
  self->known = g_hash_table_new (leat_regex_subset_hash, leat_regex_subset_equal);
  self->next = g_array_new (FALSE, FALSE, sizeof (guint));
  self->match = g_array_new (FALSE, FALSE, sizeof (guint));
  self->pending = g_array_new (FALSE, FALSE, sizeof (guint));
  self->seen = g_new0 (guint, nfa->steps->len);
}

void
leat_regex_dfa_free (LeatRegexDfa *self)
{
  g_free (self->next);
  g_free (self->match);
  g_free (self);
}

/* A state that bytes do not leave and the line's end does, without a match. */
static guint
leat_regex_dfa_find_dead (LeatRegexDfa *self, LeatRegexDfaKind kind)
{
  guint end = self->classes['\n'];

  for (guint state = 0; state < self->n_states; state++)
    {
      const guint *next = self->next + (gsize) state * self->n_classes;
      guint after = kind == LEAT_REGEX_DFA_ANYWHERE ? self->start[LEAT_REGEX_AFTER_LINE_END] : state;
      gboolean is_dead = self->match[state] == LEAT_REGEX_NO_MATCH && next[end] == after;

      for (guint class = 0; class < self->n_classes && is_dead; class ++)
        is_dead = class == end || next[class] == state;
      if (is_dead)
        return state;
    }
  return LEAT_REGEX_NO_MATCH;
}

LeatRegexDfa *
leat_regex_dfa_new (LeatRegexNfa *nfa, LeatRegexDfaKind kind, GError **error)
{
  LeatRegexSubsets subsets = { 0 };
  g_autoptr (LeatRegexDfa) self = g_new0 (LeatRegexDfa, 1);
  gboolean done;

  leat_regex_subsets_init (&subsets, nfa, kind, LEAT_REGEX_MAX_WORK);
  done = leat_regex_subsets_run (&subsets, self->start, error);
  self->n_states = subsets.match->len;
  self->n_classes = subsets.n_classes;
  memcpy (self->classes, subsets.classes, sizeof self->classes);
  self->next = g_memdup2 (subsets.next->data, subsets.next->len * sizeof (guint));
  self->match = g_memdup2 (subsets.match->data, subsets.match->len * sizeof (guint));
  leat_regex_subsets_clear (&subsets);
  if (!done)
    return NULL;
  leat_regex_dfa_minimise (self);
  self->dead = leat_regex_dfa_find_dead (self, kind);
  return g_steal_pointer (&self);
}

guint
leat_regex_dfa_measure (LeatRegexNfa *nfa, LeatRegexDfaKind kind, guint most_work)
{
  LeatRegexSubsets subsets = { 0 };
  guint start[3], n_states;

  leat_regex_subsets_init (&subsets, nfa, kind, most_work);
  n_states = leat_regex_subsets_run (&subsets, start, NULL) ? subsets.states->len : G_MAXUINT;
  leat_regex_subsets_clear (&subsets);
  return n_states;
}
