/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lexer-private.h"
#include "leat-margins-private.h"

G_BEGIN_DECLS

/* Inside the lexer of files: lines and statements in leat-lexer-file.c, words in leat-lexer-word.c. */
typedef struct
{
  const char *p, *end;
  LeatSourcePos pos;
  LeatArena *arena;
  LeatErrorList *errors;
  GPtrArray *tokens;
  LeatMargins *margins;
  const char *line; /* where the current one begins */
  gboolean in_statement;
  gboolean is_plain; /* the statement takes no body: a brace in it is a word like any other */
  gboolean line_has_tokens;
  GString *above;         /* comment lines that stand alone, directly above */
  GString *literal;       /* of the word being read, what is not yet in its value */
  LeatSourcePos last_end; /* after the last token */
  char *trailing;         /* comment after the statement's last token */
} LeatLexer;

/* A character, and the one after it; `\0` behind the end, which the text itself does not hold. */
static inline char
leat_lexer_peek (const LeatLexer *self)
{
  return self->p < self->end ? *self->p : '\0';
}

static inline char
leat_lexer_peek_next (const LeatLexer *self)
{
  return self->end - self->p > 1 ? self->p[1] : '\0';
}

static inline gboolean
leat_lexer_at_link (const LeatLexer *self)
{
  return leat_lexer_peek (self) == '-' && leat_lexer_peek_next (self) == '>';
}

static inline gboolean
leat_lexer_at_newline (const LeatLexer *self)
{
  char c = leat_lexer_peek (self);

  return c == '\n' || (c == '\r' && leat_lexer_peek_next (self) == '\n');
}

static inline gboolean
leat_lexer_at_blank (const LeatLexer *self)
{
  char c = leat_lexer_peek (self);

  return c == ' ' || c == '\t' || c == '\r';
}

/* @brace is the whole of the word here. */
gboolean leat_lexer_at_brace (const LeatLexer *self, char brace);
/* One character on; the text is known to be UTF-8. */
void leat_lexer_advance (LeatLexer *self);
void leat_lexer_skip (LeatLexer *self, gsize n_chars);
LeatToken *leat_lexer_read_word (LeatLexer *self);

G_END_DECLS
