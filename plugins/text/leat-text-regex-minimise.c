/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Hopcroft: An n log n algorithm for minimizing states in a finite automaton, 1971.  Blocks of states that nothing has
 * told apart yet are split by where they lead, until no block leads into parts of another. */

#include "leat-text-regex-dfa.h"

typedef struct
{
  LeatRegexDfa *dfa;
  guint *from, *from_begin; /* who leads to a state with a class: from[from_begin[class * n_states + state] ...] */
  guint *order, *place;     /* states, those of a block together; where each is */
  guint *block;             /* of each state */
  GArray *begin, *length, *marked; /* of each block; its marked states come first */
  GArray *waiting;                 /* blocks to split others by */
} LeatRegexBlocks;

static void
leat_regex_blocks_index (LeatRegexBlocks *self)
{
  guint n = self->dfa->n_states, k = self->dfa->n_classes;

  self->from = g_new (guint, (gsize) n * k);
  self->from_begin = g_new0 (guint, (gsize) n * k + 1);
  for (gsize state = 0; state < n; state++)
    for (gsize class = 0; class < k; class ++)
      self->from_begin[class * n + self->dfa->next[state * k + class] + 1]++;
  for (gsize i = 0; i < (gsize) n * k; i++)
    self->from_begin[i + 1] += self->from_begin[i];
  /* Filled from the end of each range, which then is where it begins. */
  for (gsize state = n; state-- > 0;)
    for (gsize class = 0; class < k; class ++)
      self->from[--self->from_begin[class * n + self->dfa->next[state * k + class] + 1]] = (guint) state;
  memmove (self->from_begin, self->from_begin + 1, (gsize) n * k * sizeof (guint));
  self->from_begin[(gsize) n * k] = n * k;
}

static void
leat_regex_blocks_add (LeatRegexBlocks *self, guint begin, guint length)
{
  guint number = self->begin->len, none = 0;

  g_array_append_val (self->begin, begin);
  g_array_append_val (self->length, length);
  g_array_append_val (self->marked, none);
  g_array_append_val (self->waiting, number);
  for (guint i = begin; i < begin + length; i++)
    self->block[self->order[i]] = number;
}

static int
leat_regex_blocks_compare (gconstpointer a, gconstpointer b, gpointer match)
{
  guint one = ((guint *) match)[*(const guint *) a], other = ((guint *) match)[*(const guint *) b];

  return (one > other) - (one < other);
}

/* At first states differ by their matches. */
static void
leat_regex_blocks_begin (LeatRegexBlocks *self)
{
  guint n = self->dfa->n_states;

  for (guint i = 0; i < n; i++)
    self->order[i] = i;
  g_qsort_with_data (self->order, (gint) n, sizeof (guint), leat_regex_blocks_compare, self->dfa->match);
  for (guint i = 0; i < n; i++)
    self->place[self->order[i]] = i;
  for (guint begin = 0, end; begin < n; begin = end)
    {
      for (end = begin; end < n && self->dfa->match[self->order[end]] == self->dfa->match[self->order[begin]];)
        end++;
      leat_regex_blocks_add (self, begin, end - begin);
    }
}

static void
leat_regex_blocks_mark (LeatRegexBlocks *self, guint state, GArray *touched)
{
  guint block = self->block[state], place = self->place[state];
  guint *marked = &g_array_index (self->marked, guint, block);
  guint front = g_array_index (self->begin, guint, block) + *marked;

  if (place < front)
    return;
  if (*marked == 0)
    g_array_append_val (touched, block);
  self->order[place] = self->order[front];
  self->place[self->order[place]] = place;
  self->order[front] = state;
  self->place[state] = front;
  (*marked)++;
}

/* The smaller part becomes a block that waits; the larger keeps the number, and waits if the whole did. */
static void
leat_regex_blocks_split (LeatRegexBlocks *self, guint block)
{
  guint marked = g_array_index (self->marked, guint, block);
  guint begin = g_array_index (self->begin, guint, block), length = g_array_index (self->length, guint, block);
  guint rest = length - marked;

  g_array_index (self->marked, guint, block) = 0;
  if (rest == 0)
    return;
  g_array_index (self->length, guint, block) = MAX (marked, rest);
  if (marked > rest)
    {
      leat_regex_blocks_add (self, begin + marked, rest);
      return;
    }
  g_array_index (self->begin, guint, block) = begin + marked;
  leat_regex_blocks_add (self, begin, marked);
}

static void
leat_regex_blocks_refine (LeatRegexBlocks *self)
{
  guint n = self->dfa->n_states;
  g_autoptr (GArray) touched = g_array_new (FALSE, FALSE, sizeof (guint));
  g_autofree guint *by = g_new (guint, n);

  while (self->waiting->len > 0)
    {
      guint block = g_array_index (self->waiting, guint, self->waiting->len - 1);
      guint length = g_array_index (self->length, guint, block);

      g_array_set_size (self->waiting, self->waiting->len - 1);
      /* It may be split itself meanwhile. */
      memcpy (by, self->order + g_array_index (self->begin, guint, block), length * sizeof *by);
      for (gsize class = 0; class < self->dfa->n_classes; class ++)
        {
          for (guint i = 0; i < length; i++)
            for (guint at = self->from_begin[class * n + by[i]]; at < self->from_begin[class * n + by[i] + 1]; at++)
              leat_regex_blocks_mark (self, self->from[at], touched);
          for (guint i = 0; i < touched->len; i++)
            leat_regex_blocks_split (self, g_array_index (touched, guint, i));
          g_array_set_size (touched, 0);
        }
    }
}

/* The automaton of the blocks in the place of that of the states. */
static void
leat_regex_blocks_apply (LeatRegexBlocks *self)
{
  LeatRegexDfa *dfa = self->dfa;
  guint n = self->begin->len, k = dfa->n_classes;
  guint *next = g_new (guint, (gsize) n * k), *match = g_new (guint, n);

  for (gsize block = 0; block < n; block++)
    {
      gsize state = self->order[g_array_index (self->begin, guint, block)];

      match[block] = dfa->match[state];
      for (gsize class = 0; class < k; class ++)
        next[block * k + class] = self->block[dfa->next[state * k + class]];
    }
  for (guint i = 0; i < 3; i++)
    dfa->start[i] = self->block[dfa->start[i]];
  g_free (dfa->next);
  g_free (dfa->match);
  dfa->next = next;
  dfa->match = match;
  dfa->n_states = n;
}

/* Classes that lead everywhere to the same states become one; the line's end stays alone. */
static void
leat_regex_dfa_join_classes (LeatRegexDfa *self)
{
  guint end = self->classes['\n'], n = 0;
  guint8 becomes[256];
  guint first[256];

  for (guint class = 0; class < self->n_classes; class ++)
    {
      guint same = 0;

      for (; same < n; same++)
        {
          gboolean equal = class != end && first[same] != end;

          for (gsize state = 0; state < self->n_states && equal; state++)
            equal = self->next[state * self->n_classes + class] == self->next[state * self->n_classes + first[same]];
          if (equal)
            break;
        }
      becomes[class] = (guint8) same;
      if (same == n)
        first[n++] = class;
    }
  for (gsize state = 0; state < self->n_states; state++)
    for (gsize class = 0; class < n; class ++)
      self->next[state * n + class] = self->next[state * self->n_classes + first[class]];
  for (guint byte = 0; byte < 256; byte++)
    self->classes[byte] = becomes[self->classes[byte]];
  self->n_classes = n;
}

void
leat_regex_dfa_minimise (LeatRegexDfa *self)
{
  LeatRegexBlocks blocks = { .dfa = self };

  leat_regex_blocks_index (&blocks);
  blocks.order = g_new (guint, self->n_states);
  blocks.place = g_new (guint, self->n_states);
  blocks.block = g_new (guint, self->n_states);
  blocks.begin = g_array_new (FALSE, FALSE, sizeof (guint));
  blocks.length = g_array_new (FALSE, FALSE, sizeof (guint));
  blocks.marked = g_array_new (FALSE, FALSE, sizeof (guint));
  blocks.waiting = g_array_new (FALSE, FALSE, sizeof (guint));
  leat_regex_blocks_begin (&blocks);
  leat_regex_blocks_refine (&blocks);
  leat_regex_blocks_apply (&blocks);
  leat_regex_dfa_join_classes (self);
  g_array_unref (blocks.begin);
  g_array_unref (blocks.length);
  g_array_unref (blocks.marked);
  g_array_unref (blocks.waiting);
  g_free (blocks.from);
  g_free (blocks.from_begin);
  g_free (blocks.order);
  g_free (blocks.place);
  g_free (blocks.block);
}
