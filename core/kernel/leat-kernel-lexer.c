/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Splits CUDA C behind the preprocessor into tokens with their places.  Comments and the directives that are left are
 * kept aside; `#line` is obeyed, so that places are those of the user's files. */

#include "leat-kernel-token-private.h"

#include <string.h>

typedef struct
{
  LeatTokens *out;
  const char *start, *at;
  const char *line_start;
  guint file, line;
  guint spot;     /* of the text's spots, the next */
  gint shift;     /* of columns on this line */
  GArray *open;   /* indices of the brackets not closed yet */
  gboolean fresh; /* only blanks so far on this line */
} LeatLexer;

static gboolean
leat_lexer_fail (LeatLexer *self, guint line, guint column, GError **error, const char *what)
{
  g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX, "%s:%u:%u: %s",
               (char *) g_ptr_array_index (self->out->text->files, self->file), line, column, what);
  return FALSE;
}

/* A macro before it on the line may have moved it. */
static guint
leat_lexer_column (LeatLexer *self)
{
  const GArray *spots = self->out->text->spots;

  for (; self->spot < spots->len; self->spot++)
    {
      const LeatKernelSpot *spot = &g_array_index (spots, LeatKernelSpot, self->spot);

      if (self->start + spot->offset > self->at)
        break;
      if (self->start + spot->offset >= self->line_start)
        self->shift = spot->shift;
    }
  return MAX (self->at - self->line_start + 1 + self->shift, 1);
}

static void
leat_lexer_newline (LeatLexer *self)
{
  self->at++;
  self->line++;
  self->line_start = self->at;
  self->shift = 0;
  self->fresh = TRUE;
}

/* Moves over @n bytes that may hold line ends. */
static void
leat_lexer_skip (LeatLexer *self, gsize n)
{
  for (const char *end = self->at + n; self->at < end;)
    {
      if (*self->at != '\n')
        self->at++;
      else
        {
          gboolean fresh = self->fresh;

          leat_lexer_newline (self);
          self->fresh = fresh;
        }
    }
}

static void
leat_lexer_gap (LeatLexer *self, GArray *gaps, gsize length)
{
  LeatTokenGap gap = { self->at - self->start, length, self->file, self->line, leat_lexer_column (self) };

  g_array_append_val (gaps, gap);
  leat_lexer_skip (self, length);
}

static gsize
leat_lexer_line_length (const char *at)
{
  const char *p = at;

  while (*p != '\0' && *p != '\n')
    p += p[0] == '\\' && p[1] == '\n' ? 2 : 1;
  return p - at;
}

static gboolean
leat_lexer_comment (LeatLexer *self, GError **error)
{
  const char *end;

  if (self->at[1] == '/')
    end = self->at + leat_lexer_line_length (self->at);
  else
    {
      end = strstr (self->at + 2, "*/");
      if (end == NULL)
        return leat_lexer_fail (self, self->line, leat_lexer_column (self), error, "this comment is never closed");
      end += 2;
    }
  leat_lexer_gap (self, self->out->comments, end - self->at);
  return TRUE;
}

/* The line and label of `#line N "label"` hold from the next line on. */
static void
leat_lexer_obey_line (LeatLexer *self, const char *args)
{
  char *end;
  guint64 line = g_ascii_strtoull (args, &end, 10);
  const char *open = strchr (end, '"'), *close = open ? strchr (open + 1, '"') : NULL;

  if (end == args || line > G_MAXINT)
    return;
  self->line = line - 1;
  if (close == NULL)
    return;
  for (guint i = 0; i < self->out->text->labels->len; i++)
    {
      const char *label = g_ptr_array_index (self->out->text->labels, i);

      if (strlen (label) == (gsize) (close - open - 1) && strncmp (label, open + 1, close - open - 1) == 0)
        self->file = i;
    }
}

static const char *
leat_lexer_find_quote (const char *p)
{
  while (*p != '\0' && *p != '\n' && *p != '"')
    p += p[0] == '\\' && p[1] != '\0' ? 2 : 1;
  return p;
}

/* To the line's end; a comment that ends on a later line is a blank on this one. */
static gsize
leat_lexer_directive_length (const char *at)
{
  const char *p = at, *end = at + leat_lexer_line_length (at), *close;

  while (p < end && !(p[0] == '/' && p[1] == '/'))
    if (*p == '"')
      p = leat_lexer_find_quote (p + 1) + 1;
    else if (p[0] == '/' && p[1] == '*' && (close = strstr (p + 2, "*/")) != NULL)
      {
        p = close + 2;
        if (p > end)
          end = p + leat_lexer_line_length (p);
      }
    else
      p++;
  return (gsize) (end - at);
}

static void
leat_lexer_directive (LeatLexer *self)
{
  gsize length = leat_lexer_directive_length (self->at);
  g_autofree char *line = g_strndup (self->at + 1, length ? length - 1 : 0);
  g_auto (GStrv) words = NULL;

  g_strstrip (line);
  g_strdelimit (line, "\t", ' ');
  words = g_strsplit (line, " ", 2);
  leat_lexer_gap (self, self->out->directives, length);
  if (words[0] != NULL && g_str_equal (words[0], "line") && words[1] != NULL)
    leat_lexer_obey_line (self, words[1]);
}

static gboolean
leat_lexer_bracket (LeatLexer *self, LeatToken *token, GError **error)
{
  static const char openers[] = "([{", closers[] = ")]}";
  guint index = self->out->tokens->len;
  char c = *self->at;
  LeatToken *partner;
  guint open;

  if (strchr (openers, c) != NULL)
    {
      g_array_append_val (self->open, index);
      return TRUE;
    }
  if (strchr (closers, c) == NULL)
    return TRUE;
  if (self->open->len == 0)
    return leat_lexer_fail (self, token->line, token->column, error, "this bracket closes nothing");
  open = g_array_index (self->open, guint, self->open->len - 1);
  partner = &g_array_index (self->out->tokens, LeatToken, open);
  if (strchr (openers, self->start[partner->offset]) - openers != strchr (closers, c) - closers)
    {
      g_autofree char *what =
        g_strdup_printf ("\"%c\" does not close the \"%c\" of line %u", c, self->start[partner->offset], partner->line);
      return leat_lexer_fail (self, token->line, token->column, error, what);
    }
  partner->match = index;
  token->match = open;
  g_array_set_size (self->open, self->open->len - 1);
  return TRUE;
}

static gsize
leat_lexer_word_length (const char *p)
{
  gsize n = 0;

  while (g_ascii_isalnum (p[n]) || p[n] == '_' || p[n] == '$' || (guchar) p[n] >= 0x80)
    n++;
  return n;
}

static gsize
leat_lexer_number_length (const char *p)
{
  gsize n = 0;
  gboolean hex = p[0] == '0' && (p[1] == 'x' || p[1] == 'X');

  while (g_ascii_isalnum (p[n]) || p[n] == '.' || p[n] == '_' || (p[n] == '\'' && g_ascii_isalnum (p[n + 1]))
         || ((p[n] == '+' || p[n] == '-') && n > 0
             && (hex ? (p[n - 1] == 'p' || p[n - 1] == 'P') : (p[n - 1] == 'e' || p[n - 1] == 'E'))))
    n++;
  return n;
}

/* 0: not closed on its line. */
static gsize
leat_lexer_quoted_length (const char *p)
{
  gsize n = 1;

  while (p[n] != p[0])
    {
      if (p[n] == '\0' || p[n] == '\n')
        return 0;
      n += p[n] == '\\' && p[n + 1] != '\0' ? 2 : 1;
    }
  return n + 1;
}

/* R"mark( anything at all )mark": 0 where there is none or it is never closed. */
static gsize
leat_lexer_raw_length (const char *p)
{
  static const char *const prefixes[] = { "R\"", "u8R\"", "uR\"", "UR\"", "LR\"" };
  gsize prefix = 0, mark;
  g_autofree char *close = NULL;
  const char *end;

  if (*p != 'R' && *p != 'u' && *p != 'U' && *p != 'L')
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (prefixes) && prefix == 0; i++)
    if (g_str_has_prefix (p, prefixes[i]))
      prefix = strlen (prefixes[i]);
  if (prefix == 0)
    return 0;
  mark = strcspn (p + prefix, "() \\\t\n\"");
  if (p[prefix + mark] != '(')
    return 0;
  close = g_strdup_printf (")%.*s\"", (int) mark, p + prefix);
  end = strstr (p + prefix + mark + 1, close);
  return end != NULL ? (gsize) (end - p) + strlen (close) : 0;
}

/* Only those whose parts would mean something else alone; the rest are single characters. */
static gsize
leat_lexer_punct_length (const char *p)
{
  static const char *const puncts[] = { "<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<",
                                        ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "::", "##" };

  for (guint i = 0; i < G_N_ELEMENTS (puncts); i++)
    /* Most differ in the first character, and this is done for every one of a file. */
    if (p[0] == puncts[i][0] && g_str_has_prefix (p, puncts[i]))
      return strlen (puncts[i]);
  return 1;
}

static gboolean
leat_lexer_token (LeatLexer *self, GError **error)
{
  LeatToken token = { LEAT_TOKEN_PUNCT, self->at - self->start,   0,        self->file,
                      self->line,       leat_lexer_column (self), G_MAXUINT };
  char c = *self->at;

  if (g_ascii_isdigit (c) || (c == '.' && g_ascii_isdigit (self->at[1])))
    token.kind = LEAT_TOKEN_NUMBER, token.length = leat_lexer_number_length (self->at);
  else if ((token.length = leat_lexer_raw_length (self->at)) > 0)
    token.kind = LEAT_TOKEN_STRING;
  else if ((token.length = leat_lexer_word_length (self->at)) > 0)
    token.kind = LEAT_TOKEN_IDENT;
  else if (c == '"' || c == '\'')
    {
      token.kind = c == '"' ? LEAT_TOKEN_STRING : LEAT_TOKEN_CHAR;
      token.length = leat_lexer_quoted_length (self->at);
      if (token.length == 0)
        return leat_lexer_fail (self, token.line, token.column, error, "this quote is not closed on its line");
    }
  else
    token.length = leat_lexer_punct_length (self->at);
  if (token.kind == LEAT_TOKEN_PUNCT && !leat_lexer_bracket (self, &token, error))
    return FALSE;
  g_array_append_val (self->out->tokens, token);
  leat_lexer_skip (self, token.length);
  self->fresh = FALSE;
  return TRUE;
}

static gboolean
leat_lexer_step (LeatLexer *self, GError **error)
{
  const char *p = self->at;

  if (*p == '\n')
    leat_lexer_newline (self);
  else if (g_ascii_isspace (*p))
    self->at++;
  else if (p[0] == '\\' && p[1] == '\n')
    leat_lexer_skip (self, 2);
  else if (p[0] == '/' && (p[1] == '/' || p[1] == '*'))
    return leat_lexer_comment (self, error);
  else if (*p == '#' && self->fresh)
    leat_lexer_directive (self);
  else
    return leat_lexer_token (self, error);
  return TRUE;
}

static gboolean
leat_lexer_finish (LeatLexer *self, GError **error)
{
  LeatToken end = { LEAT_TOKEN_END, self->at - self->start,   0,        self->file,
                    self->line,     leat_lexer_column (self), G_MAXUINT };

  if (self->open->len > 0)
    {
      const LeatToken *open = leat_tokens_at (self->out, g_array_index (self->open, guint, self->open->len - 1));
      g_autofree char *what = g_strdup_printf ("\"%c\" is never closed", self->start[open->offset]);

      self->file = open->file;
      return leat_lexer_fail (self, open->line, open->column, error, what);
    }
  g_array_append_val (self->out->tokens, end);
  return TRUE;
}

LeatTokens *
leat_tokens_new (const LeatKernelText *text, GError **error)
{
  g_autoptr (LeatTokens) out = g_new0 (LeatTokens, 1);
  LeatLexer lexer = {
    .out = out, .start = text->text, .at = text->text, .line_start = text->text, .line = 1, .fresh = TRUE
  };
  g_autoptr (GArray) open = g_array_new (FALSE, FALSE, sizeof (guint));

  out->text = text;
  out->tokens = g_array_new (FALSE, FALSE, sizeof (LeatToken));
  out->comments = g_array_new (FALSE, FALSE, sizeof (LeatTokenGap));
  out->directives = g_array_new (FALSE, FALSE, sizeof (LeatTokenGap));
  lexer.open = open;
  while (*lexer.at != '\0')
    if (!leat_lexer_step (&lexer, error))
      return NULL;
  if (!leat_lexer_finish (&lexer, error))
    return NULL;
  return g_steal_pointer (&out);
}
