/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex-nfa.h"

G_BEGIN_DECLS

/* An automaton with one state at a time.
 *
 * Whether a match ends before a byte is known when that byte has been taken, since $ and \b ask for it; the end of a
 * line is a byte too.  So `match` of a state says what had ended before the byte that led there. */

typedef enum
{
  LEAT_REGEX_DFA_ANYWHERE, /* a match may begin at any byte; the first ends the search of a line */
  LEAT_REGEX_DFA_LONGEST,  /* a match begins where the automaton does, and it goes on for a longer one */
} LeatRegexDfaKind;

/* The kind of byte before the one where an automaton begins. */
typedef enum
{
  LEAT_REGEX_AFTER_LINE_END,
  LEAT_REGEX_AFTER_OTHER,
  LEAT_REGEX_AFTER_WORD,
} LeatRegexBefore;

#define LEAT_REGEX_NO_MATCH G_MAXUINT

typedef struct
{
  guint n_states, n_classes;
  guint8 classes[256];
  guint *next;  /* [state * n_classes + class] */
  guint *match; /* [state]: the first regex that it is a match of */
  guint start[3];
  guint dead; /* a state that nothing leads from in this line; LEAT_REGEX_NO_MATCH where there is none */
} LeatRegexDfa;

#define LEAT_REGEX_MAX_STATES 8192

/* The smallest there is.  Errors: LEAT_GRAPH_ERROR_RANGE. */
LeatRegexDfa *leat_regex_dfa_new (LeatRegexNfa *nfa, LeatRegexDfaKind kind, GError **error);
/* How many states one has before it is made small; G_MAXUINT for more than there may be, or than @most_work finds. */
guint leat_regex_dfa_measure (LeatRegexNfa *nfa, LeatRegexDfaKind kind, guint most_work);
void leat_regex_dfa_free (LeatRegexDfa *self);

/* Joins states and classes between which no text makes a difference. */
void leat_regex_dfa_minimise (LeatRegexDfa *self);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRegexDfa, leat_regex_dfa_free)

G_END_DECLS
