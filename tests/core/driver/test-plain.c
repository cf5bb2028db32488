/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "driver/leat-plain.h"

#include <glib.h>

/* What a terminal may have, and what is made visible. */

static void
test_plain_text (void)
{
  static const char *const cases[][2] = {
    { "", "" },
    { "a line\n\tand another", "a line\n\tand another" },
    { "\33]0;title\7", "\\x1b]0;title\\x07" },
    { "over\rwritten", "over\\x0dwritten" },
    { "\177\b", "\\x7f\\x08" },
    { "Z\xc3\xbcrich \xe6\x97\xa5 \xf0\x9f\x98\x80", "Z\xc3\xbcrich \xe6\x97\xa5 \xf0\x9f\x98\x80" },
    { "\xc2\x9b"
      "31m",
      "\\u009b31m" }, /* CSI as one character */
    { "a\xe2\x80\xae"
      "b\xe2\x81\xa9",
      "a\\u202eb\\u2069" }, /* turns the direction around */
    { "\xe2\x80\xa8", "\\u2028" },
    { "\xff\x9b\xc3", "\\xff\\x9b\\xc3" }, /* no UTF-8; the last is cut off */
    { "\xed\xa0\x80", "\\xed\\xa0\\x80" }, /* half of a pair */
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *plain = leat_plain_dup (cases[i][0]);

      g_assert_cmpstr (plain, ==, cases[i][1]);
    }
}

/* Every byte by itself: what is left of it is printable, or a line feed or a tab. */
static void
test_plain_bytes (void)
{
  g_autoptr (GString) text = g_string_new (NULL);

  for (guint byte = 0; byte < 256; byte++)
    {
      const char one = (char) byte;

      leat_plain_append (text, &one, 1);
    }
  for (gsize i = 0; i < text->len; i++)
    g_assert_true (g_ascii_isprint (text->str[i]) || text->str[i] == '\n' || text->str[i] == '\t');
  g_assert_nonnull (g_strrstr (text->str, "\\x00"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/plain/text", test_plain_text);
  g_test_add_func ("/leat/plain/bytes", test_plain_bytes);
  return g_test_run ();
}
