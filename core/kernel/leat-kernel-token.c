/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Tokens of a kernel file: compared, copied, and their places for messages. */

#include "leat-kernel-token-private.h"

#include <string.h>

const LeatToken *
leat_tokens_at (const LeatTokens *self, guint index)
{
  return &g_array_index (self->tokens, LeatToken, MIN (index, self->tokens->len - 1));
}

gboolean
leat_tokens_is (const LeatTokens *self, guint index, const char *word)
{
  const LeatToken *token = leat_tokens_at (self, index);
  const char *text = self->text->text + token->offset;

  return token->kind != LEAT_TOKEN_END && text[0] == word[0] && strncmp (text, word, token->length) == 0
         && word[token->length] == '\0';
}

gboolean
leat_tokens_is_any (const LeatTokens *self, guint index, const char *const *words)
{
  for (; *words != NULL; words++)
    if (leat_tokens_is (self, index, *words))
      return TRUE;
  return FALSE;
}

char *
leat_tokens_dup (const LeatTokens *self, guint index)
{
  const LeatToken *token = leat_tokens_at (self, index);

  return g_strndup (self->text->text + token->offset, token->length);
}

char *
leat_tokens_dup_range (const LeatTokens *self, guint first, guint last)
{
  GString *text = g_string_new (NULL);

  for (guint i = first; i <= last && i < self->tokens->len; i++)
    {
      const LeatToken *token = leat_tokens_at (self, i);

      if (i > first)
        g_string_append_c (text, ' ');
      g_string_append_len (text, self->text->text + token->offset, token->length);
    }
  return g_string_free (text, FALSE);
}

char *
leat_tokens_dup_text (const LeatTokens *self, guint first, guint last)
{
  const LeatToken *from = leat_tokens_at (self, first), *to = leat_tokens_at (self, last);

  return g_strndup (self->text->text + from->offset, to->offset + to->length - from->offset);
}

char *
leat_tokens_dup_place (const LeatTokens *self, guint index)
{
  const LeatToken *token = leat_tokens_at (self, index);

  return g_strdup_printf ("%s:%u:%u", (char *) g_ptr_array_index (self->text->files, token->file), token->line,
                          token->column);
}

void
leat_tokens_set_error (const LeatTokens *self, guint index, LeatKernelError code, GError **error, const char *format,
                       ...)
{
  g_autofree char *place = leat_tokens_dup_place (self, index), *message = NULL, *valid = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  /* The text may be of any encoding; messages are UTF-8. */
  valid = g_utf8_make_valid (message, -1);
  g_set_error (error, LEAT_KERNEL_ERROR, code, "%s: %s", place, valid);
}

void
leat_tokens_free (LeatTokens *self)
{
  g_array_unref (self->tokens);
  g_array_unref (self->comments);
  g_array_unref (self->directives);
  g_free (self);
}
