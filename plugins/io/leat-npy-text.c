/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The pieces of the text in the head of .npy files, one after the other. */

#include "leat-npy-text.h"

#include <string.h>

gboolean
leat_npy_refuse (GError **error, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, text);
  return FALSE;
}

char
leat_npy_text_peek (LeatNpyText *self)
{
  while (self->at < self->end && g_ascii_isspace (*self->at))
    self->at++;
  return self->at < self->end ? *self->at : '\0';
}

gboolean
leat_npy_text_take (LeatNpyText *self, char c)
{
  if (leat_npy_text_peek (self) != c || self->at == self->end)
    return FALSE;
  self->at++;
  return TRUE;
}

gboolean
leat_npy_text_expect (LeatNpyText *self, char c, const char *where)
{
  if (leat_npy_text_take (self, c))
    return TRUE;
  return leat_npy_refuse (self->error, "its header is damaged: '%c' is missing %s", c, where);
}

gboolean
leat_npy_text_read_string (LeatNpyText *self, char *to, gsize size)
{
  char quote = leat_npy_text_peek (self);
  const char *close;

  if (quote != '\'' && quote != '"')
    return leat_npy_refuse (self->error, "its header is damaged: a quoted word is missing");
  close = memchr (self->at + 1, quote, (gsize) (self->end - self->at - 1));
  if (close == NULL || (gsize) (close - self->at) > size)
    return leat_npy_refuse (self->error, "its header is damaged: a quoted word does not end");
  for (const char *c = self->at + 1; c < close; c++)
    if (!g_ascii_isprint (*c) || *c == '\\')
      return leat_npy_refuse (self->error, "its header is damaged: a quoted word holds a stray character");
  memcpy (to, self->at + 1, (gsize) (close - self->at - 1));
  to[close - self->at - 1] = '\0';
  self->at = close + 1;
  return TRUE;
}

gboolean
leat_npy_text_read_word (LeatNpyText *self, const char *word)
{
  gsize length = strlen (word);

  leat_npy_text_peek (self);
  if ((gsize) (self->end - self->at) < length || memcmp (self->at, word, length) != 0)
    return FALSE;
  self->at += length;
  return TRUE;
}

gboolean
leat_npy_text_read_number (LeatNpyText *self, guint64 *number)
{
  if (!g_ascii_isdigit (leat_npy_text_peek (self)))
    return leat_npy_refuse (self->error, "its header is damaged: the shape holds something other than sizes");
  *number = 0;
  for (; self->at < self->end && g_ascii_isdigit (*self->at); self->at++)
    if (!g_uint64_checked_mul (number, *number, 10)
        || !g_uint64_checked_add (number, *number, (guint64) (*self->at - '0')))
      return leat_npy_refuse (self->error, "its header claims a size beyond 64 bits");
  /* Python 2 wrote long numbers so. */
  if (self->at < self->end && *self->at == 'L')
    self->at++;
  return TRUE;
}
