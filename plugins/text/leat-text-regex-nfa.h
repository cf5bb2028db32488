/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-text-regex-ast.h"

G_BEGIN_DECLS

/* Regexes as steps that go on to others without or with a byte.  Thompson: Regular expression search algorithm, 1968.
 */

typedef enum
{
  LEAT_REGEX_STEP_SPLIT,  /* goes on at both */
  LEAT_REGEX_STEP_SET,    /* takes a byte of the set */
  LEAT_REGEX_STEP_ASSERT, /* goes on where the assertion holds */
  LEAT_REGEX_STEP_MATCH,  /* regex `number` has been matched */
} LeatRegexStepKind;

typedef struct
{
  LeatRegexStepKind kind;
  LeatRegexAssertion assertion;
  guint next, other;
  guint number;
  LeatRegexSet set;
} LeatRegexStep;

typedef struct
{
  GArray *steps; /* LeatRegexStep */
  guint start;
  gboolean knows_words, knows_begin; /* some assertion asks for borders of words, for the line's beginning */
} LeatRegexNfa;

#define LEAT_REGEX_MAX_STEPS 20000

/* @reversed: for lines that are read from their end.  Errors: LEAT_GRAPH_ERROR_RANGE. */
LeatRegexNfa *leat_regex_nfa_new (GPtrArray *list, gboolean reversed, GError **error);
void leat_regex_nfa_free (LeatRegexNfa *self);

/* Bytes that no step tells apart have one number in @classes, the line's end has one of its own; how many there are. */
guint leat_regex_nfa_get_classes (LeatRegexNfa *self, guint8 classes[256]);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRegexNfa, leat_regex_nfa_free)

G_END_DECLS
