/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* A regular expression as a tree, and how it is read.  It is matched within one line, so no set holds a line's end. */

/* A set of bytes, one bit each. */
typedef struct
{
  guint64 bits[4];
} LeatRegexSet;

typedef enum
{
  LEAT_REGEX_EMPTY,
  LEAT_REGEX_SET,
  LEAT_REGEX_CAT,    /* of children, in order */
  LEAT_REGEX_ALT,    /* of children */
  LEAT_REGEX_REPEAT, /* of the one child, least to most times */
  LEAT_REGEX_ASSERT,
} LeatRegexKind;

/* Conditions on the place between two bytes of a line, or at an end of it. */
typedef enum
{
  LEAT_REGEX_LINE_BEGIN,
  LEAT_REGEX_LINE_END,
  LEAT_REGEX_WORD_BORDER,
  LEAT_REGEX_NO_WORD_BORDER,
  LEAT_REGEX_WORD_BEGIN,
  LEAT_REGEX_WORD_END,
} LeatRegexAssertion;

typedef struct _LeatRegexNode LeatRegexNode;

struct _LeatRegexNode
{
  LeatRegexKind kind;
  LeatRegexSet set;
  LeatRegexAssertion assertion;
  guint least, most;   /* most: LEAT_REGEX_MANY for no end */
  GPtrArray *children; /* LeatRegexNode; NULL for none */
  char *text;          /* of a whole regex as it was written; else NULL */
};

#define LEAT_REGEX_MANY       G_MAXUINT
#define LEAT_REGEX_MAX_TIMES  1000
#define LEAT_REGEX_MAX_DEPTH  200
#define LEAT_REGEX_MAX_NUMBER 1000

/* One tree for each regex of a list; commas separate, but not those in brackets, braces and parentheses.  Errors:
 * LEAT_GRAPH_ERROR_TYPE with the column, LEAT_GRAPH_ERROR_RANGE. */
GPtrArray *leat_regex_parse_list (const char *text, gboolean fold, GError **error);
/* The same kind of tree for bytes that stand for themselves; NULL where there is a line's end among them. */
LeatRegexNode *leat_regex_node_new_literal (const guint8 *bytes, gsize length, gboolean fold);
void leat_regex_node_free (LeatRegexNode *self);

LeatRegexNode *leat_regex_node_new (LeatRegexKind kind);
void leat_regex_node_add (LeatRegexNode *self, LeatRegexNode *child); /* takes it */
/* The fewest bytes that it matches. */
guint leat_regex_node_get_least (const LeatRegexNode *self);

static inline void
leat_regex_set_add (LeatRegexSet *self, guint8 byte)
{
  self->bits[byte / 64] |= G_GUINT64_CONSTANT (1) << byte % 64;
}

static inline gboolean
leat_regex_set_has (const LeatRegexSet *self, guint8 byte)
{
  return (self->bits[byte / 64] >> byte % 64) & 1;
}

void leat_regex_set_add_range (LeatRegexSet *self, guint8 first, guint8 last);
void leat_regex_set_invert (LeatRegexSet *self);
void leat_regex_set_fold (LeatRegexSet *self);
void leat_regex_set_add_all (LeatRegexSet *self, const LeatRegexSet *other);
guint leat_regex_set_count (const LeatRegexSet *self);
gboolean leat_regex_is_word (guint8 byte);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatRegexNode, leat_regex_node_free)

G_END_DECLS
