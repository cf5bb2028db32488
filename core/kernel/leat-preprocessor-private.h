/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat-kernel-token-private.h"

G_BEGIN_DECLS

/* The preprocessor of kernel files (leat-preprocessor.c): what its files tell each other. */

typedef enum
{
  LEAT_PP_END, /* of a directive, an argument or a file */
  LEAT_PP_IDENT,
  LEAT_PP_NUMBER,
  LEAT_PP_CHAR,
  LEAT_PP_STRING,
  LEAT_PP_PUNCT,
  LEAT_PP_OTHER,   /* a lone quote, a backslash */
  LEAT_PP_PADDING, /* nothing, but there may be a blank */
  LEAT_PP_PARAM,   /* of the macro in whose body it stands */
  LEAT_PP_OPTION,  /* __VA_OPT__ in a body; its parentheses and what is in them follow */
} LeatPpKind;

enum
{
  LEAT_PP_WHITE = 1 << 0, /* a blank stands in front */
  LEAT_PP_PASTE = 1 << 1, /* `##` stands behind */
  LEAT_PP_STRINGIFY = 1 << 2,
  LEAT_PP_NO_EXPAND = 1 << 3, /* it stood within the macro that it names */
  LEAT_PP_SOURCED = 1 << 4,   /* padding that stands for a token, and has its WHITE */
};

/* `line` is that of the file as it is; 0 in the body of a macro, and then it is of no place. */
typedef struct
{
  const char *text;
  guint length;
  guint8 kind, flags;
  guint16 param;
  guint line, column;
} LeatPpToken;

typedef enum
{
  LEAT_PP_TEXT, /* a body, as #define gives it */
  LEAT_PP_KEPT, /* the dialect's: defined, and left as it is for compilers */
  LEAT_PP_LINE, /* the rest are known to the preprocessor */
  LEAT_PP_FILE,
  LEAT_PP_COUNTER,
  LEAT_PP_LEVEL,
  LEAT_PP_ASKS, /* __has_include and its like, in conditions */
} LeatPpMacroKind;

typedef struct
{
  LeatPpMacroKind kind;
  char *name;
  LeatPpToken *body;
  guint n_body;
  guint n_params;
  gboolean is_function, is_variadic;
  gboolean is_disabled; /* while its expansion is read */
  gboolean is_shared;   /* of the table that all have; never changed */
} LeatPpMacro;

/* A name, which need not end with a zero byte. */
typedef struct
{
  const char *text;
  guint length;
} LeatPpWord;

typedef struct
{
  LeatPpMacro *macro; /* (nullable): what is enabled again at the end */
  const LeatPpToken *at, *end;
} LeatPpContext;

/* A file that is being read. */
typedef struct _LeatPreprocessorFile LeatPreprocessorFile;
struct _LeatPreprocessorFile
{
  LeatPreprocessorFile *parent; /* (nullable): that names it */
  const char *path;
  guint label;    /* in text->labels, of what #line says or of itself */
  gint64 ahead;   /* what #line adds to lines */
  const char *at; /* the next byte */
  const char *line_start;
  guint line;
  gboolean fresh;   /* nothing but blanks on this line so far */
  gboolean spliced; /* a line end was passed within the token */
  GArray *groups;   /* LeatPpGroup: the conditionals that are open */
};

typedef struct
{
  guint line;
  gboolean taken; /* one of its groups was */
  gboolean last;  /* #else was there */
} LeatPpGroup;

typedef struct
{
  LeatKernelText *out;
  const LeatKernelTarget *target;
  GHashTable *macros;  /* LeatPpWord -> LeatPpMacro, or NULL where a shared one was undefined */
  GHashTable *pushed;  /* char* -> GPtrArray of LeatPpMacro: push_macro */
  GPtrArray *owned;    /* LeatPpMacro */
  GStringChunk *words; /* what tokens point to that stands in no file */
  gsize made_bytes;    /* of tokens that macros made, in words */
  GHashTable *once;    /* char*: identities of files that are read once */
  GHashTable *seen;    /* char*: of those that were included */
  LeatPreprocessorFile *file;
  guint depth; /* of includes */
  guint counter;
  GArray *contexts; /* LeatPpContext */
  guint prevent;    /* expanding, where not 0 */
  guint collecting; /* arguments, where not 0 */
  gboolean in_directive;
  guint nested;      /* arguments within arguments */
  guint64 steps;     /* that were taken for macros */
  GPtrArray *blocks; /* of memory for expansions */
  gsize block_left, block_size, blocks_bytes;
  guint64 read_bytes; /* of files */
  GError *error;

  GString *text;    /* that comes out */
  guint text_label; /* of the line that is being written; G_MAXUINT: unknown */
  guint text_line;
  gsize text_start;           /* of that line */
  gint shift;                 /* columns, by the last LeatKernelSpot of that line */
  guint use_line, use_column; /* where the macro stands that is being expanded */
  char last;                  /* the byte that was written last where it could grow together with the next; else 0 */
  gboolean last_expanded;     /* a macro brought it */
  gboolean wants_blank;
} LeatPreprocessor;

/* leat-preprocessor.c */
G_GNUC_PRINTF (4, 5)
void leat_pp_fail (LeatPreprocessor *self, guint line, guint column, const char *format, ...);
void leat_pp_read_file (LeatPreprocessor *self, const char *path, const char *text);
gpointer leat_pp_alloc (LeatPreprocessor *self, gsize bytes);
/* The text of a token that a macro makes; it is there until the file was read. */
const char *leat_pp_keep_text (LeatPreprocessor *self, const GString *text);

/* leat-preprocessor-blanks.c */
/* Behind the line end that the backslash at @p hides; NULL where it hides none.  As GCC has it, blanks between the two
 * do not matter. */
const char *leat_pp_find_spliced (const char *p);
/* The next byte, behind spliced line ends. */
char leat_pp_peek (LeatPreprocessorFile *file);
void leat_pp_step (LeatPreprocessorFile *file);
/* The @n bytes that come next, without moving. */
void leat_pp_peek_ahead (const LeatPreprocessorFile *file, char *bytes, guint n);
/* Of a name or a number. */
gboolean leat_pp_is_word (char c);
/* Past blanks, comments and, outside of directives, line ends. */
gboolean leat_pp_skip_blanks (LeatPreprocessor *self);

/* leat-preprocessor-lexer.c */
/* One token of the file, behind blanks and comments.  END at the end of a file, and of a line in a directive. */
void leat_pp_lex (LeatPreprocessor *self, LeatPpToken *token);
/* One token of the line without looking at directives; FALSE at its end. */
gboolean leat_pp_lex_line (LeatPreprocessor *self, LeatPpToken *token);
/* Past what is left of a line. */
void leat_pp_skip_line (LeatPreprocessor *self);
/* Whether one token is all of a text of its own. */
gboolean leat_pp_lex_whole (LeatPreprocessor *self, const char *text, gsize length, LeatPpToken *token);
gboolean leat_pp_is (const LeatPpToken *token, const char *word);

/* leat-preprocessor-macro.c */
LeatPpMacro *leat_pp_find (LeatPreprocessor *self, const char *name, gsize length);
void leat_pp_define (LeatPreprocessor *self);
void leat_pp_undefine (LeatPreprocessor *self, const char *name, gsize length);
void leat_pp_push_macro (LeatPreprocessor *self, const char *name);
void leat_pp_pop_macro (LeatPreprocessor *self, const char *name);
GHashTable *leat_pp_macros_new (void);
void leat_pp_macro_free (LeatPpMacro *self);

/* leat-preprocessor-expand.c */
/* The next token with macros expanded. */
void leat_pp_next (LeatPreprocessor *self, LeatPpToken *token);
void leat_pp_push (LeatPreprocessor *self, LeatPpMacro *macro, const LeatPpToken *tokens, guint n);

/* leat-preprocessor-argument.c */
typedef struct
{
  const LeatPpToken *tokens;
  guint n;
  gboolean omitted;
  const LeatPpToken *expanded; /* NULL until it was needed */
  guint n_expanded;
} LeatPpArgument;

/* NULL after an error. */
LeatPpArgument *leat_pp_collect (LeatPreprocessor *self, const LeatPpMacro *macro);
void leat_pp_substitute (LeatPreprocessor *self, LeatPpMacro *macro, LeatPpArgument *arguments);
/* @token, which is to be joined with what follows it in the innermost context. */
void leat_pp_paste (LeatPreprocessor *self, LeatPpToken *token);

/* leat-preprocessor-directive.c */
void leat_pp_directive (LeatPreprocessor *self);
/* The rest of the line as it stands, blanks at its ends aside. (transfer full) */
char *leat_pp_dup_line (LeatPreprocessor *self);
/* The same with macros expanded. (transfer full) */
char *leat_pp_dup_expanded_line (LeatPreprocessor *self);

/* leat-preprocessor-pragma.c */
/* Behind `#pragma`. */
void leat_pp_pragma (LeatPreprocessor *self, guint line);
void leat_pp_pragma_operator (LeatPreprocessor *self, const LeatPpToken *name);

/* leat-preprocessor-value.c */
typedef struct
{
  guint64 bits;
  gboolean is_unsigned;
} LeatPpValue;

/* The fault of the literal; NULL: none. */
const char *leat_pp_value_read_number (LeatPpValue *self, const LeatPpToken *token);
const char *leat_pp_value_read_character (LeatPpValue *self, const LeatPpToken *token);
/* All that take two operands, but `&&`, `||` and `,`.  FALSE for a division by zero, which gives 0. */
gboolean leat_pp_value_apply (LeatPpValue *self, const char *operator, LeatPpValue other);

/* leat-preprocessor-condition.c */
gboolean leat_pp_evaluate (LeatPreprocessor *self);

/* leat-preprocessor-include.c */
void leat_pp_include (LeatPreprocessor *self, gboolean once);
void leat_pp_mark_once (LeatPreprocessor *self);
/* Of `__has_include`; FALSE after an error too. */
gboolean leat_pp_has_include (LeatPreprocessor *self);
/* A file's label, made different where two files share one. */
guint leat_pp_add_label (LeatPreprocessor *self, const char *path);

/* leat-preprocessor-write.c */
void leat_pp_write_token (LeatPreprocessor *self, const LeatPpToken *token);
void leat_pp_write_blanks (LeatPreprocessor *self, const char *from, const char *to, guint line);
/* A line of its own, at @line. */
void leat_pp_write_line (LeatPreprocessor *self, guint line, const char *text);

G_END_DECLS
