/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Macros are expanded in the way that GCC has, also where the standard leaves it open: what a macro becomes is a
 * context that is read before the file goes on, and while it is read the macro does not expand.  A name that was seen
 * then never does. */

#include "leat-preprocessor-private.h"

#include <string.h>

/* Far more than any file takes; a chain of macros that double takes it at once. */
#define LEAT_PP_STEPS_MAX (16u << 20)

void
leat_pp_push (LeatPreprocessor *self, LeatPpMacro *macro, const LeatPpToken *tokens, guint n)
{
  LeatPpContext context = { macro, tokens, tokens + n };

  if (macro != NULL && !macro->is_shared)
    macro->is_disabled = TRUE;
  g_array_append_val (self->contexts, context);
}

static LeatPpContext *
leat_pp_top (LeatPreprocessor *self)
{
  return self->contexts->len > 0 ? &g_array_index (self->contexts, LeatPpContext, self->contexts->len - 1) : NULL;
}

static void
leat_pp_pop (LeatPreprocessor *self)
{
  LeatPpMacro *macro = leat_pp_top (self)->macro;

  g_array_set_size (self->contexts, self->contexts->len - 1);
  if (macro != NULL && !macro->is_shared && (leat_pp_top (self) == NULL || leat_pp_top (self)->macro != macro))
    macro->is_disabled = FALSE;
}

static LeatPpToken
leat_pp_pad (const LeatPpToken *source)
{
  return (LeatPpToken){ .kind = LEAT_PP_PADDING,
                        .text = "",
                        .flags = source != NULL ? LEAT_PP_SOURCED | (source->flags & LEAT_PP_WHITE) : 0 };
}

/* Whether a parenthesis follows in the file; only then is it moved past blanks. */
static gboolean
leat_pp_file_opens (LeatPreprocessor *self)
{
  LeatPreprocessorFile before = *self->file;

  leat_pp_skip_blanks (self);
  if (self->error == NULL && leat_pp_peek (self->file) == '(')
    {
      leat_pp_step (self->file);
      self->file->fresh = FALSE;
      return TRUE;
    }
  *self->file = before;
  return FALSE;
}

/* Whether a macro that takes arguments is given some.  Contexts that are at their end are over by then. */
static gboolean
leat_pp_opens (LeatPreprocessor *self)
{
  gboolean padded = FALSE, opens = FALSE;
  LeatPpToken padding;

  for (;;)
    {
      LeatPpContext *top = leat_pp_top (self);

      if (top == NULL)
        {
          opens = leat_pp_file_opens (self);
          break;
        }
      if (top->at == top->end)
        {
          leat_pp_pop (self);
          continue;
        }
      if (top->at->kind != LEAT_PP_PADDING)
        {
          opens = leat_pp_is (top->at, "(") && top->at->kind == LEAT_PP_PUNCT;
          top->at += opens;
          break;
        }
      if (!padded || !(padding.flags & LEAT_PP_SOURCED)
          || (!(padding.flags & LEAT_PP_WHITE) && !(top->at->flags & LEAT_PP_SOURCED)))
        padding = *top->at;
      padded = TRUE;
      top->at++;
    }
  if (!opens && padded)
    {
      LeatPpToken *kept = leat_pp_alloc (self, sizeof padding);

      *kept = padding;
      leat_pp_push (self, NULL, kept, 1);
    }
  return opens;
}

static void
leat_pp_push_text (LeatPreprocessor *self, LeatPpKind kind, const char *text, const LeatPpToken *name)
{
  LeatPpToken *token = leat_pp_alloc (self, sizeof *token);

  *token =
    (LeatPpToken){ .kind = kind, .text = g_string_chunk_insert_const (self->words, text), .length = strlen (text) };
  token->flags = name->flags & LEAT_PP_WHITE;
  leat_pp_push (self, NULL, token, 1);
}

static void
leat_pp_enter_known (LeatPreprocessor *self, const LeatPpMacro *macro, const LeatPpToken *name)
{
  g_autofree char *text = NULL;
  const char *label = g_ptr_array_index (self->out->labels, self->file->label);

  switch (macro->kind)
    {
    case LEAT_PP_LINE:
      text = g_strdup_printf ("%" G_GINT64_FORMAT, (name->line != 0 ? name->line : self->use_line) + self->file->ahead);
      break;
    case LEAT_PP_FILE:
      text = g_strdup_printf ("\"%s\"", label);
      break;
    case LEAT_PP_COUNTER:
      text = g_strdup_printf ("%u", self->counter++);
      break;
    case LEAT_PP_LEVEL:
      text = g_strdup_printf ("%u", self->depth - 1);
      break;
    default:
      g_assert_not_reached ();
    }
  leat_pp_push_text (self, macro->kind == LEAT_PP_FILE ? LEAT_PP_STRING : LEAT_PP_NUMBER, text, name);
}

/* FALSE where it stays a name. */
static gboolean
leat_pp_enter (LeatPreprocessor *self, LeatPpMacro *macro, const LeatPpToken *name)
{
  LeatPpArgument *arguments = NULL;

  if (self->contexts->len == 0 && self->collecting == 0)
    {
      self->use_line = name->line;
      self->use_column = name->column;
    }
  if (++self->steps > LEAT_PP_STEPS_MAX)
    {
      leat_pp_fail (self, self->use_line, self->use_column,
                    "macros are expanded more than %u million times; this one is \"%.*s\"", LEAT_PP_STEPS_MAX >> 20,
                    (int) name->length, name->text);
      return TRUE;
    }
  if (macro->kind != LEAT_PP_TEXT)
    {
      leat_pp_enter_known (self, macro, name);
      return TRUE;
    }
  if (macro->is_function)
    {
      gboolean opens;

      self->prevent++;
      self->collecting++;
      opens = leat_pp_opens (self);
      if (opens)
        arguments = leat_pp_collect (self, macro);
      self->collecting--;
      self->prevent--;
      if (!opens)
        return FALSE;
      if (arguments == NULL)
        return TRUE;
    }
  if (macro->n_params > 0)
    leat_pp_substitute (self, macro, arguments);
  else
    leat_pp_push (self, macro, macro->body, macro->n_body);
  return TRUE;
}

/* TRUE where the token is done with. */
static gboolean
leat_pp_read (LeatPreprocessor *self, LeatPpToken *token)
{
  LeatPpContext *top = leat_pp_top (self);

  if (top == NULL)
    {
      leat_pp_lex (self, token);
      return FALSE;
    }
  if (top->at == top->end)
    {
      leat_pp_pop (self);
      *token = leat_pp_pad (NULL);
      return TRUE;
    }
  *token = *top->at++;
  if (!(token->flags & LEAT_PP_PASTE))
    return FALSE;
  leat_pp_paste (self, token);
  *token = leat_pp_pad (token);
  return TRUE;
}

void
leat_pp_next (LeatPreprocessor *self, LeatPpToken *token)
{
  for (;;)
    {
      LeatPpMacro *macro;

      if (leat_pp_read (self, token))
        {
          if (self->in_directive && self->error == NULL)
            continue;
          break;
        }
      if (token->kind != LEAT_PP_IDENT || (token->flags & LEAT_PP_NO_EXPAND))
        break;
      macro = leat_pp_find (self, token->text, token->length);
      if (macro == NULL || macro->kind == LEAT_PP_KEPT || macro->kind == LEAT_PP_ASKS)
        break;
      if (macro->is_disabled)
        {
          token->flags |= LEAT_PP_NO_EXPAND;
          break;
        }
      if (self->prevent > 0 || !leat_pp_enter (self, macro, token))
        break;
      if (self->error != NULL)
        break;
      if (self->in_directive)
        continue;
      *token = leat_pp_pad (token);
      break;
    }
  if (self->error != NULL)
    *token = (LeatPpToken){ .kind = LEAT_PP_END };
}

char *
leat_pp_dup_expanded_line (LeatPreprocessor *self)
{
  g_autoptr (GString) out = g_string_new (NULL);
  LeatPpToken token;

  for (leat_pp_next (self, &token); token.kind != LEAT_PP_END; leat_pp_next (self, &token))
    {
      if (token.kind == LEAT_PP_PADDING)
        continue;
      if (out->len > 0)
        g_string_append_c (out, ' ');
      g_string_append_len (out, token.text, token.length);
    }
  return g_string_free (g_steal_pointer (&out), FALSE);
}
