/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Arguments of macros, and their place in the bodies: as they are beside `#` and `##`, else expanded. */

#include "leat-preprocessor-private.h"

#include <string.h>

/* Each is a call of this program within another one. */
#define LEAT_PP_NESTED_MAX 200

static const LeatPpToken *
leat_pp_keep (LeatPreprocessor *self, const GArray *tokens)
{
  LeatPpToken *kept = leat_pp_alloc (self, MAX (tokens->len, 1) * sizeof *kept);

  if (tokens->len > 0)
    memcpy (kept, tokens->data, tokens->len * sizeof *kept);
  return kept;
}

/* One argument; gives what ends it. */
static LeatPpToken
leat_pp_collect_one (LeatPreprocessor *self, GArray *tokens, gboolean rest)
{
  LeatPpToken token;
  guint depth = 0;

  for (;;)
    {
      leat_pp_next (self, &token);
      if (token.kind == LEAT_PP_END || (token.kind == LEAT_PP_PADDING && tokens->len == 0))
        {
          if (token.kind == LEAT_PP_END)
            break;
          continue;
        }
      if (token.kind == LEAT_PP_PUNCT)
        {
          if (leat_pp_is (&token, "("))
            depth++;
          else if (leat_pp_is (&token, ")") && depth-- == 0)
            break;
          else if (leat_pp_is (&token, ",") && depth == 0 && !rest)
            break;
        }
      g_array_append_val (tokens, token);
    }
  while (tokens->len > 0 && g_array_index (tokens, LeatPpToken, tokens->len - 1).kind == LEAT_PP_PADDING)
    g_array_set_size (tokens, tokens->len - 1);
  return token;
}

static gboolean
leat_pp_check_count (LeatPreprocessor *self, const LeatPpMacro *macro, guint n)
{
  if (n == macro->n_params || (macro->is_variadic && n + 1 == macro->n_params))
    return TRUE;
  leat_pp_fail (self, self->use_line, self->use_column, "the macro \"%s\" takes %s%u argument%s and is given %u",
                macro->name, macro->is_variadic ? "at least " : "", macro->n_params - (macro->is_variadic ? 1 : 0),
                macro->n_params - (macro->is_variadic ? 1 : 0) == 1 ? "" : "s", n);
  return FALSE;
}

LeatPpArgument *
leat_pp_collect (LeatPreprocessor *self, const LeatPpMacro *macro)
{
  LeatPpArgument *arguments = leat_pp_alloc (self, MAX (macro->n_params, 1) * sizeof *arguments);
  g_autoptr (GArray) tokens = g_array_new (FALSE, FALSE, sizeof (LeatPpToken));
  LeatPpToken end;
  guint n = 0;

  memset (arguments, 0, MAX (macro->n_params, 1) * sizeof *arguments);
  do
    {
      g_array_set_size (tokens, 0);
      end = leat_pp_collect_one (self, tokens, macro->is_variadic && n + 1 == macro->n_params);
      if (n < MAX (macro->n_params, 1))
        arguments[n] = (LeatPpArgument){ .tokens = leat_pp_keep (self, tokens), .n = tokens->len };
      n++;
    }
  while (end.kind != LEAT_PP_END && leat_pp_is (&end, ","));
  if (end.kind == LEAT_PP_END)
    {
      leat_pp_fail (self, self->use_line, self->use_column,
                    "the arguments of the macro \"%s\" have no end; is a \")\" missing?", macro->name);
      return NULL;
    }
  if (n == 1 && macro->n_params == 0 && arguments[0].n == 0)
    n = 0;
  if (!leat_pp_check_count (self, macro, n))
    return NULL;
  if (macro->is_variadic && (n < macro->n_params || (n == 1 && arguments[0].n == 0)))
    arguments[macro->n_params - 1].omitted = TRUE;
  return arguments;
}

static void
leat_pp_expand_argument (LeatPreprocessor *self, LeatPpArgument *argument)
{
  g_autoptr (GArray) tokens = NULL;
  LeatPpToken *ended, token = { .kind = LEAT_PP_END };
  guint collecting = self->collecting;

  if (argument->expanded != NULL)
    return;
  if (++self->nested > LEAT_PP_NESTED_MAX)
    leat_pp_fail (self, self->use_line, self->use_column, "macros are nested more than %d deep in arguments",
                  LEAT_PP_NESTED_MAX);
  tokens = g_array_sized_new (FALSE, FALSE, sizeof token, argument->n + 1);
  ended = leat_pp_alloc (self, (argument->n + 1) * sizeof token);
  if (argument->n > 0)
    memcpy (ended, argument->tokens, argument->n * sizeof token);
  ended[argument->n] = token;
  leat_pp_push (self, NULL, ended, argument->n + 1);
  while (self->error == NULL)
    {
      leat_pp_next (self, &token);
      if (token.kind == LEAT_PP_END)
        break;
      g_array_append_val (tokens, token);
    }
  if (self->error == NULL)
    g_array_set_size (self->contexts, self->contexts->len - 1);
  self->collecting = collecting;
  self->nested--;
  argument->expanded = leat_pp_keep (self, tokens);
  argument->n_expanded = tokens->len;
}

static void
leat_pp_quote (GString *out, const LeatPpToken *token)
{
  gboolean literal = token->kind == LEAT_PP_STRING || token->kind == LEAT_PP_CHAR;

  for (guint i = 0; i < token->length; i++)
    {
      char c = token->text[i];

      if (literal && (c == '"' || c == '\\'))
        g_string_append_c (out, '\\');
      if (literal && c == '\n')
        g_string_append (out, "\\n");
      else
        g_string_append_c (out, c);
    }
}

static LeatPpToken
leat_pp_stringify (LeatPreprocessor *self, const LeatPpArgument *argument)
{
  g_autoptr (GString) out = g_string_new ("\"");
  gboolean sourced = FALSE, white = FALSE, escapes = FALSE;
  const char *text;

  for (guint i = 0; i < argument->n; i++)
    {
      const LeatPpToken *token = &argument->tokens[i];

      if (token->kind == LEAT_PP_PADDING)
        {
          if (!sourced || (!white && !(token->flags & LEAT_PP_SOURCED)))
            {
              sourced = (token->flags & LEAT_PP_SOURCED) != 0;
              white = (token->flags & LEAT_PP_WHITE) != 0;
            }
          continue;
        }
      if (out->len > 1 && (sourced ? white : (token->flags & LEAT_PP_WHITE) != 0))
        g_string_append_c (out, ' ');
      sourced = white = FALSE;
      leat_pp_quote (out, token);
      escapes = leat_pp_is (token, "\\") && !escapes;
    }
  if (escapes)
    g_string_truncate (out, out->len - 1);
  g_string_append_c (out, '"');
  text = leat_pp_keep_text (self, out);
  return (LeatPpToken){ .kind = LEAT_PP_STRING, .text = text, .length = self->error == NULL ? out->len : 0 };
}

typedef struct
{
  LeatPpMacro *macro;
  LeatPpArgument *arguments;
  GArray *out;
} LeatPpSubstitution;

static void leat_pp_substitute_range (LeatPreprocessor *self, LeatPpSubstitution *sub, guint first, guint end);

static LeatPpToken *
leat_pp_last (GArray *tokens)
{
  return tokens->len > 0 ? &g_array_index (tokens, LeatPpToken, tokens->len - 1) : NULL;
}

static void
leat_pp_set_paste (LeatPpToken *token, gboolean paste)
{
  token->flags = paste ? token->flags | LEAT_PP_PASTE : token->flags & ~LEAT_PP_PASTE;
}

static void
leat_pp_pad_out (GArray *out, const LeatPpToken *source)
{
  LeatPpToken padding = { .kind = LEAT_PP_PADDING, .text = "" };

  if (source != NULL)
    padding.flags = LEAT_PP_SOURCED | (source->flags & LEAT_PP_WHITE);
  g_array_append_val (out, padding);
}

/* @n tokens in the place of @source. @pasted: what stands before is joined with them. @omitted: they are those of
 * `...`, of which there are none, so that a comma before goes too */
static void
leat_pp_put (GArray *out, const LeatPpToken *source, gboolean begins, gboolean pasted, const LeatPpToken *tokens,
             guint n, gboolean is_rest, gboolean omitted)
{
  gboolean paste = (source->flags & LEAT_PP_PASTE) != 0;
  LeatPpToken *tail = pasted ? leat_pp_last (out) : NULL;

  if (tail != NULL && is_rest && leat_pp_is (tail, ",") && tail->kind == LEAT_PP_PUNCT)
    {
      if (omitted)
        g_array_set_size (out, out->len - 1);
      else
        leat_pp_set_paste (tail, paste && n == 0);
    }
  else if (tail != NULL && n == 0)
    leat_pp_set_paste (tail, paste);
  if (!begins && !pasted)
    leat_pp_pad_out (out, source);
  g_array_append_vals (out, tokens, n);
  if (n > 0 && paste)
    leat_pp_set_paste (leat_pp_last (out), TRUE);
  if (!paste)
    leat_pp_pad_out (out, NULL);
}

static void
leat_pp_substitute_param (LeatPreprocessor *self, LeatPpSubstitution *sub, guint at)
{
  const LeatPpToken *source = &sub->macro->body[at];
  LeatPpArgument *argument = &sub->arguments[source->param];
  gboolean pasted = at > 0 && (source[-1].flags & LEAT_PP_PASTE);
  gboolean is_rest = sub->macro->is_variadic && source->param + 1u == sub->macro->n_params;

  if (source->flags & LEAT_PP_STRINGIFY)
    {
      LeatPpToken string = leat_pp_stringify (self, argument);

      leat_pp_put (sub->out, source, at == 0, pasted, &string, 1, FALSE, FALSE);
    }
  else if (pasted || (source->flags & LEAT_PP_PASTE))
    leat_pp_put (sub->out, source, at == 0, pasted, argument->tokens, argument->n, is_rest, argument->omitted);
  else
    {
      leat_pp_expand_argument (self, argument);
      leat_pp_put (sub->out, source, at == 0, pasted, argument->expanded, argument->n_expanded, FALSE, FALSE);
    }
}

static gboolean
leat_pp_has_rest (LeatPreprocessor *self, LeatPpSubstitution *sub)
{
  LeatPpArgument *rest = &sub->arguments[sub->macro->n_params - 1];

  leat_pp_expand_argument (self, rest);
  for (guint i = 0; i < rest->n_expanded; i++)
    if (rest->expanded[i].kind != LEAT_PP_PADDING)
      return TRUE;
  return FALSE;
}

/* `__VA_OPT__ (...)`, at whose closing parenthesis the body goes on; `param` says where that is. */
static guint
leat_pp_substitute_option (LeatPreprocessor *self, LeatPpSubstitution *sub, guint at)
{
  LeatPpToken source = sub->macro->body[at];
  guint close = at + source.param;
  gboolean pasted = at > 0 && (sub->macro->body[at - 1].flags & LEAT_PP_PASTE);
  g_autoptr (GArray) inner = g_array_new (FALSE, FALSE, sizeof (LeatPpToken));
  LeatPpSubstitution part = { sub->macro, sub->arguments, inner };

  leat_pp_set_paste (&source, (sub->macro->body[close].flags & LEAT_PP_PASTE) != 0);
  leat_pp_substitute_range (self, &part, at + 2, close);
  if (!leat_pp_has_rest (self, sub))
    g_array_set_size (inner, 0); // compilers expand the arguments in it all the same: mistakes in them count
  while (inner->len > 0 && leat_pp_last (inner)->kind == LEAT_PP_PADDING)
    g_array_set_size (inner, inner->len - 1);
  if (source.flags & LEAT_PP_STRINGIFY)
    {
      LeatPpArgument whole = { .tokens = (const LeatPpToken *) inner->data, .n = inner->len };
      LeatPpToken string = leat_pp_stringify (self, &whole);

      leat_pp_put (sub->out, &source, at == 0, pasted, &string, 1, FALSE, FALSE);
    }
  else
    leat_pp_put (sub->out, &source, at == 0, pasted, (const LeatPpToken *) inner->data, inner->len, FALSE, FALSE);
  return close;
}

static void
leat_pp_substitute_range (LeatPreprocessor *self, LeatPpSubstitution *sub, guint first, guint end)
{
  for (guint i = first; i < end && self->error == NULL; i++)
    {
      const LeatPpToken *token = &sub->macro->body[i];

      if (token->kind == LEAT_PP_OPTION)
        i = leat_pp_substitute_option (self, sub, i);
      else if (token->kind == LEAT_PP_PARAM)
        leat_pp_substitute_param (self, sub, i);
      else
        g_array_append_val (sub->out, *token);
    }
}

void
leat_pp_substitute (LeatPreprocessor *self, LeatPpMacro *macro, LeatPpArgument *arguments)
{
  g_autoptr (GArray) out = g_array_sized_new (FALSE, FALSE, sizeof (LeatPpToken), macro->n_body + 8);
  LeatPpSubstitution sub = { macro, arguments, out };
  const LeatPpToken *tokens;

  leat_pp_substitute_range (self, &sub, 0, macro->n_body);
  tokens = leat_pp_keep (self, out);
  if (self->error == NULL)
    leat_pp_push (self, macro, tokens, out->len);
}

void
leat_pp_paste (LeatPreprocessor *self, LeatPpToken *token)
{
  LeatPpContext *context = &g_array_index (self->contexts, LeatPpContext, self->contexts->len - 1);
  LeatPpToken *joined = leat_pp_alloc (self, sizeof *joined);
  const LeatPpToken *next;

  *joined = *token;
  do
    {
      g_autoptr (GString) text = g_string_new_len (joined->text, joined->length);
      const char *kept;
      LeatPpToken whole;

      if (context->at == context->end)
        break;
      next = context->at++;
      if (next->kind == LEAT_PP_PADDING)
        break;
      g_string_append_len (text, next->text, next->length);
      kept = leat_pp_keep_text (self, text);
      if (self->error != NULL)
        return;
      if (!leat_pp_lex_whole (self, kept, text->len, &whole))
        {
          leat_pp_fail (self, self->use_line, self->use_column, "\"%.*s\" and \"%.*s\" joined by ## are not a token",
                        (int) joined->length, joined->text, (int) next->length, next->text);
          return;
        }
      whole.flags = joined->flags & LEAT_PP_WHITE;
      *joined = whole;
    }
  while (next->flags & LEAT_PP_PASTE);
  leat_pp_set_paste (joined, FALSE);
  leat_pp_push (self, NULL, joined, 1);
}
