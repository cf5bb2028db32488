/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-arena-private.h"
#include "leat-parse.h"
#include "leat-source-private.h"

G_BEGIN_DECLS

/* The abstract syntax: what both spellings say, and what a pipeline is printed from.  Plain data in the arena of the
 * LeatSyntax, with which all of it goes. */

#define LEAT_SYNTAX_VERSION 1

/* Limits, so that no text costs more than its reader meant to pay.  A reached limit is LEAT_PARSE_ERROR_LIMIT. */
#define LEAT_SYNTAX_MAX_FILE_BYTES    (1024 * 1024)
#define LEAT_SYNTAX_MAX_FILES         64
#define LEAT_SYNTAX_MAX_INCLUDE_DEPTH 16
#define LEAT_SYNTAX_MAX_TOKENS        100000
#define LEAT_SYNTAX_MAX_TOKEN_BYTES   65536
#define LEAT_SYNTAX_MAX_NODES         4096
#define LEAT_SYNTAX_MAX_NODE_PROPS    1000
#define LEAT_SYNTAX_MAX_BODY_DEPTH    16
/* One value after its variables are put in, and all of them together. */
#define LEAT_SYNTAX_MAX_VALUE_BYTES    65536
#define LEAT_SYNTAX_MAX_EXPANDED_BYTES (16 * 1024 * 1024)

/* Things in their order. */
typedef struct
{
  LeatArena *arena;
  gpointer *items;
  guint len;
} LeatSyntaxList;

/* A piece of a value: text as it is, or the name of a variable. */
typedef struct
{
  gboolean is_variable;
  char *text;
  LeatSourcePos pos;
} LeatSyntaxPiece;

/* Neighbouring literal pieces are one piece; the empty value has none. */
typedef struct
{
  LeatSyntaxPiece *pieces;
  guint n_pieces;
  LeatSourcePos pos;
  gboolean quoted; /* some of it was in quotes: no keyword, no name */
} LeatSyntaxValue;

typedef struct
{
  char *name;
  LeatSourcePos pos;
  LeatSyntaxValue *value;
} LeatSyntaxProp;

typedef struct
{
  char *name; /* NULL: one will be made from the id */
  char *id;
  LeatSourcePos pos;     /* of the name where it has one before it, else of the id */
  LeatSyntaxList *props; /* LeatSyntaxProp, in the order written; never `name` */
  gboolean broken;       /* a fault lies among them: some may be lost */
  /* LeatSyntaxStatement: NODE and CHAIN, where a REF to `in` or `out` is what goes into the body and what comes out;
   * NULL where the node has none, never empty in a text without a fault */
  LeatSyntaxList *body;
  LeatSourcePos body_pos; /* of its `{` */
} LeatSyntaxNode;

typedef enum
{
  LEAT_SYNTAX_ELEMENT_WORD, /* a bare word of a file, not yet known to be one of the next two */
  LEAT_SYNTAX_ELEMENT_NODE, /* a node made here */
  LEAT_SYNTAX_ELEMENT_REF,  /* a node made elsewhere, perhaps with a port */
  LEAT_SYNTAX_ELEMENT_SPEC, /* what the link carries */
} LeatSyntaxElementKind;

/* One part of a chain. */
typedef struct
{
  LeatSyntaxElementKind kind;
  LeatSourcePos pos;
  LeatSyntaxNode *node;   /* WORD, NODE */
  char *name;             /* REF */
  char *port;             /* REF; NULL: the one that is free */
  LeatSyntaxValue *spec;  /* SPEC; in the file's spelling unless it holds variables */
  gboolean broken_before; /* a fault lies between this and the element before it: no link */
} LeatSyntaxElement;

typedef enum
{
  LEAT_SYNTAX_LET,
  LEAT_SYNTAX_INCLUDE,
  LEAT_SYNTAX_NODE,
  LEAT_SYNTAX_CHAIN,
} LeatSyntaxStatementKind;

typedef struct
{
  LeatSyntaxStatementKind kind;
  LeatSourcePos pos;
  char *name;                 /* LET */
  LeatSyntaxValue *value;     /* LET, INCLUDE */
  char *comment;              /* LET; (nullable) */
  LeatSyntaxNode *node;       /* NODE */
  LeatSyntaxList *elements;   /* CHAIN: LeatSyntaxElement */
  LeatSyntaxList *statements; /* INCLUDE: those of the included file; NULL when it was included before */
} LeatSyntaxStatement;

typedef struct
{
  LeatArena *arena;
  GPtrArray *sources;         /* LeatSource; [0] is the text itself */
  LeatSyntaxList *statements; /* LeatSyntaxStatement */
} LeatSyntax;

LeatSyntax *leat_syntax_new (LeatSource *source);
void leat_syntax_free (LeatSyntax *self);
/* The text that would be read back as @self.  TERMINAL cannot spell variables and includes: there must be none. */
char *leat_syntax_print (const LeatSyntax *self, LeatTextStyle style);

typedef void (*LeatSyntaxVisit) (LeatSyntaxStatement *statement, gpointer data);

/* Every statement in the order of the text, those of included files in the place of the include, those of a body right
 * after the statement that holds it: all share one set of names and of variables.  @visit may take nodes without a body
 * away. */
void leat_syntax_foreach (LeatSyntax *self, LeatSyntaxVisit visit, gpointer data);
/* The same without what is in bodies: a body is made as part of its node. */
void leat_syntax_foreach_top (LeatSyntax *self, LeatSyntaxVisit visit, gpointer data);
/* Visits all that leat_syntax_foreach () visits inside @self: nothing where it has no body. */
void leat_syntax_node_foreach (LeatSyntaxNode *self, LeatSyntaxVisit visit, gpointer data);

LeatSyntaxList *leat_syntax_list_new (LeatArena *arena);
void leat_syntax_list_add (LeatSyntaxList *self, gpointer item);
static inline gpointer
leat_syntax_list_get (const LeatSyntaxList *self, guint index)
{
  return self->items[index];
}

/* Texts that are given to these are copied, but for @name of a property. */
LeatSyntaxStatement *leat_syntax_statement_new (LeatArena *arena, LeatSyntaxStatementKind kind,
                                                const LeatSourcePos *pos);
LeatSyntaxElement *leat_syntax_element_new (LeatArena *arena, LeatSyntaxElementKind kind, const LeatSourcePos *pos);
LeatSyntaxNode *leat_syntax_node_new (LeatArena *arena, const char *name, const char *id, const LeatSourcePos *pos);
void leat_syntax_node_add_prop (LeatSyntaxNode *self, LeatArena *arena, char *name, const LeatSourcePos *pos,
                                LeatSyntaxValue *value);
/* An empty one. */
void leat_syntax_node_add_body (LeatSyntaxNode *self, LeatArena *arena, const LeatSourcePos *pos);

LeatSyntaxValue *leat_syntax_value_new (LeatArena *arena, const LeatSourcePos *pos);
LeatSyntaxValue *leat_syntax_value_new_literal (LeatArena *arena, const char *text, const LeatSourcePos *pos);
void leat_syntax_value_add (LeatSyntaxValue *self, LeatArena *arena, gboolean is_variable, const char *text,
                            gssize length, const LeatSourcePos *pos);
/* The text of a value without variables, NULL for another. */
const char *leat_syntax_value_peek_literal (const LeatSyntaxValue *self);
/* The same, only where no part was quoted and there is some: what may be a name, an id or a keyword. */
const char *leat_syntax_value_peek_bare (const LeatSyntaxValue *self);

/* A letter or `_`, then letters, digits, `_` and `-`. */
gboolean leat_syntax_is_name (const char *text);
/* Names joined by `:`. */
gboolean leat_syntax_is_id (const char *text);
/* Names joined by `.`: `arg.n` is the argument where a property hides it. */
gboolean leat_syntax_is_property (const char *text);
/* A letter or `_`, then letters, digits and `_`. */
gboolean leat_syntax_is_variable (const char *text);
/* Begins like a spec: a dtype or `any`, then nothing, `[` or `:`. */
gboolean leat_syntax_is_spec (const char *text);
/* `leat`, `let`, `include`, `any` and the dtypes are no names of nodes. */
gboolean leat_syntax_is_reserved (const char *text);
/* `in` and `out`, which no node in a body is called. */
gboolean leat_syntax_is_body_word (const char *text);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (LeatSyntax, leat_syntax_free)

G_END_DECLS
