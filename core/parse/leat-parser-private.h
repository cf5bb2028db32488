/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-lexer-private.h"

G_BEGIN_DECLS

/* Tokens into syntax.  After a fault the parser goes on at the next link of a chain or at the next statement, so that
 * one run finds all faults; what is left of a faulty statement is kept, for the faults that are in it further on. */
typedef struct
{
  LeatSyntax *syntax;
  LeatErrorList *errors;
  LeatTextStyle style;
  GPtrArray *tokens; /* of the text being read */
  guint next;
  guint depth; /* of bodies around what is being read */
  guint n_nodes;
  gboolean too_many_nodes;
  GPtrArray *open; /* LeatSource that includes the one being read, outermost first */
} LeatParser;

/* Never NULL; of use only when no error was added. */
LeatSyntax *leat_parser_parse_file (const char *path, LeatErrorList *errors);
LeatSyntax *leat_parser_parse_text (const char *text, LeatTextStyle style, LeatErrorList *errors);
LeatSyntax *leat_parser_parse_args (const char *const *args, LeatErrorList *errors);

/* Inside the parser. */
LeatToken *leat_parser_peek (LeatParser *self);
LeatToken *leat_parser_take (LeatParser *self);
gboolean leat_parser_at (LeatParser *self, LeatTokenKind kind);
void leat_parser_skip_statement (LeatParser *self);
void leat_parser_report_unexpected (LeatParser *self, const char *expected);
/* The end of a statement; anything else is reported and skipped. */
void leat_parser_expect_end (LeatParser *self, const char *after);
/* A name for a node, else NULL after a report. */
char *leat_parser_check_node_name (LeatParser *self, const char *name, const LeatSourcePos *pos);
/* Counts the nodes; NULL when there are too many. */
LeatSyntaxNode *leat_parser_make_node (LeatParser *self, const char *name, const char *id, const LeatSourcePos *pos);
/* The properties that come next; stops before the first token that is none. */
void leat_parser_parse_props (LeatParser *self, LeatSyntaxNode *node, gboolean name_allowed);
/* FALSE when @token is no brace that is not where it should be. */
gboolean leat_parser_report_lost_brace (LeatParser *self, const LeatToken *token);
/* Anything after a node and its properties that does not belong there. */
void leat_parser_report_after_node (LeatParser *self, const char *expected);
/* All statements of a file, the version line first. */
void leat_parser_parse_file_tokens (LeatParser *self, const LeatSource *source, LeatSyntaxList *statements);
LeatSyntaxStatement *leat_parser_parse_file_statement (LeatParser *self);
LeatSyntaxStatement *leat_parser_parse_chain (LeatParser *self);
/* Behind the properties of @node: its body, where it has one, up to the next link or the end of the statement.  FALSE
 * when something stands there that does not belong; @expected is what should. */
gboolean leat_parser_parse_node_end (LeatParser *self, LeatSyntaxNode *node, const char *expected);
/* At any token: one on, or behind the body that it opens. */
void leat_parser_skip_token (LeatParser *self);
/* @from: where it is included; NULL for the file itself */
void leat_parser_parse_source (LeatParser *self, LeatSource *source, const LeatSourcePos *from,
                               LeatSyntaxList *statements);
void leat_parser_parse_include (LeatParser *self, LeatSyntaxStatement *statement);
void leat_parser_resolve_words (LeatSyntax *syntax);

G_END_DECLS
