/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes any text harmless for a terminal.  Gives a copy, and leaves the text as it is. */

#include "leat-plain.h"

#include <string.h>

/* Controls of Unicode that show nothing, and change what is shown around them. */
static const struct
{
  gunichar first, last;
} leat_plain_turns[] = { { 0x061c, 0x061c }, { 0x200e, 0x200f }, { 0x2028, 0x202e }, { 0x2066, 0x2069 } };

static gboolean
leat_plain_is_harmless (gunichar c)
{
  if (c < 0x20)
    return c == '\n' || c == '\t';
  if (c >= 0x7f && c < 0xa0)
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (leat_plain_turns); i++)
    if (c >= leat_plain_turns[i].first && c <= leat_plain_turns[i].last)
      return FALSE;
  return TRUE;
}

/* Bytes that are passed on as they are, from @text on. */
static gsize
leat_plain_measure_ascii (const char *text, gsize size)
{
  gsize n = 0;

  while (n < size && ((text[n] >= 0x20 && text[n] < 0x7f) || text[n] == '\n' || text[n] == '\t'))
    n++;
  return n;
}

/* One character, or one byte that is none.  Gets its bytes. */
static gsize
leat_plain_append_next (GString *self, const char *text, gsize size)
{
  gunichar c = g_utf8_get_char_validated (text, (gssize) size);
  gsize n = 1;

  if (c == (gunichar) -1 || c == (gunichar) -2 || c < 0x80)
    g_string_append_printf (self, "\\x%02x", (guchar) *text);
  else
    {
      n = (gsize) (g_utf8_next_char (text) - text);
      if (leat_plain_is_harmless (c))
        g_string_append_len (self, text, (gssize) n);
      else
        g_string_append_printf (self, "\\u%04x", c);
    }
  return n;
}

/**
 * leat_plain_append:
 * @self: text to add to
 * @text: (array length=size) (element-type guint8): text from anywhere, with or without a zero at its end
 * @size: its bytes, or -1 for all before the zero
 *
 * Adds text in a form that is harmless for a terminal, whoever wrote it: the contents of a file or its name, the name
 * of a node, the words of a compiler.
 *
 * Commands to a terminal, characters that turn the direction of writing around, and bytes that are no UTF-8 are written
 * as C does (`\\x1b`, `\\u202e`).  Line feeds, tabs and everything else stay.
 *
 * Since: 0.1
 */
void
leat_plain_append (GString *self, const char *text, gssize size)
{
  gsize end;

  g_return_if_fail (self != NULL);
  g_return_if_fail (text != NULL || size == 0);

  end = size < 0 ? strlen (text) : (gsize) size;
  for (gsize at = 0, n; at < end; at += n)
    {
      n = leat_plain_measure_ascii (text + at, end - at);
      g_string_append_len (self, text + at, (gssize) n);
      if (n == 0)
        n = leat_plain_append_next (self, text + at, end - at);
    }
}

/**
 * leat_plain_dup:
 * @text: text from anywhere
 *
 * Copies text in a form that is harmless for a terminal; see leat_plain_append().
 *
 * Returns: (transfer full): the copy
 *
 * Since: 0.1
 */
char *
leat_plain_dup (const char *text)
{
  GString *self;

  g_return_val_if_fail (text != NULL, NULL);

  self = g_string_new (NULL);
  leat_plain_append (self, text, -1);
  return g_string_free (self, FALSE);
}
