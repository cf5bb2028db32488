/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Makes any text harmless for a terminal.  Gives a copy, and leaves the text as it is. */

#include "leat-plain-private.h"

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

void
leat_plain_append (GString *self, const char *text, gssize size)
{
  gsize end = size < 0 ? strlen (text) : (gsize) size;

  for (gsize at = 0, n; at < end; at += n)
    {
      n = leat_plain_measure_ascii (text + at, end - at);
      g_string_append_len (self, text + at, (gssize) n);
      if (n == 0)
        n = leat_plain_append_next (self, text + at, end - at);
    }
}

char *
leat_plain_dup (const char *text)
{
  GString *self = g_string_new (NULL);

  leat_plain_append (self, text, -1);
  return g_string_free (self, FALSE);
}
