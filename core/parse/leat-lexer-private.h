/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-error-list-private.h"
#include "leat-syntax-private.h"

G_BEGIN_DECLS

/* Words into tokens, for both spellings.  GScanner is not used here: it knows identifiers, numbers and punctuation,
 * while a word of this language is everything up to white space (paths, expressions, specs), quotes and variables may
 * stand in the middle of it, columns count characters, and an argument vector has no text to scan. */

typedef enum
{
  LEAT_TOKEN_WORD,
  LEAT_TOKEN_PROP,   /* NAME=VALUE */
  LEAT_TOKEN_EQUALS, /* an `=` that begins a word */
  LEAT_TOKEN_LINK,   /* `->`, `+`, `!` */
  LEAT_TOKEN_OPEN,   /* `{` of a body */
  LEAT_TOKEN_CLOSE,  /* its `}`; with no text where the body has no end */
  LEAT_TOKEN_END,    /* of a statement */
  LEAT_TOKEN_BAD,    /* already reported */
} LeatTokenKind;

typedef struct
{
  LeatArena *arena; /* that it is in, and all that it has but for what was written */
  LeatTokenKind kind;
  LeatSourcePos pos;
  char *name;             /* PROP */
  LeatSyntaxValue *value; /* WORD, PROP */
  char *comment;          /* first of a statement: the comment lines above it; END: the comment after it */
  gboolean indented;      /* first on a line that continues a statement */
  const char *written;    /* in the text that is being read */
  gsize n_bytes;
} LeatToken;

/* Each gives the tokens (LeatToken) of whole statements, an END after each.  Those of a body stand between its OPEN and
 * its CLOSE, which are followed by what else the statement holds.  Every CLOSE has its OPEN; at the end of the text
 * some CLOSE may be missing. */
GPtrArray *leat_lexer_read_file (const LeatSource *source, const char *text, gsize length, LeatArena *arena,
                                 LeatErrorList *errors);
GPtrArray *leat_lexer_read_line (const LeatSource *source, const char *text, gsize length, LeatArena *arena,
                                 LeatErrorList *errors);
GPtrArray *leat_lexer_read_args (const LeatSource *source, const char *const *args, LeatArena *arena,
                                 LeatErrorList *errors);

/* @text: stays where it is for as long as the token is used */
LeatToken *leat_token_new (LeatArena *arena, LeatTokenKind kind, const LeatSourcePos *pos, const char *text,
                           gsize n_bytes);
/* As written, shortened: for messages. */
const char *leat_token_get_text (const LeatToken *self);
/* @word as it is, without quotes; @self may be NULL. */
gboolean leat_token_is_keyword (const LeatToken *self, const char *word);
/* The meaning of a WORD or PROP where a value is expected: the whole of it. */
LeatSyntaxValue *leat_token_dup_value (const LeatToken *self);
/* FALSE, after an error, when there are too many. */
gboolean leat_token_array_add (GPtrArray *tokens, LeatToken *token, LeatErrorList *errors);
/* UTF-8 without NUL, else ENCODING at its place. */
gboolean leat_lexer_check_encoding (const LeatSourcePos *start, const char *text, gsize length, LeatErrorList *errors);

G_END_DECLS
