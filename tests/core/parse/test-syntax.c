/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"
#include "parse/leat-parser-private.h"

#include "syntax-equal.h"

/* Reads text that must be right as syntax; nodes and ports are not looked at. */
static LeatSyntax *
read_text (const char *text, LeatTextStyle style)
{
  g_autoptr (LeatErrorList) errors = leat_error_list_new ();
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatSyntax *syntax = leat_parser_parse_text (text, style, errors);

  leat_error_list_move (errors, list);
  if (list->len > 0)
    g_test_message ("%s", ((GError *) g_ptr_array_index (list, 0))->message);
  g_assert_cmpuint (list->len, ==, 0);
  return syntax;
}

/* What is written canonically comes out as it went in. */
static const char *const canonical_file[] = {
  "leat 1\n"
  "upload\n",

  "leat 1\n"
  "let input = /usr/share/common-licenses/GPL-3\n"
  "let patterns = warranty,copyright  # words to find\n"
  "scan = text:scan patterns=$patterns chunk=4M\n"
  "io:file path=$input -> upload -> scan -> readback -> text:report patterns=$patterns\n",

  "leat 1\n"
  "let dir = /tmp\n"
  "a = io:file path=${dir}/in.bin title=\"two words\" empty=\"\" tab=\"\\t\\n\\u{1}\" money=5$$\n"
  "b = kernel in=u8[<=n] out=f32[h,w] expr=a*x+b\n"
  "a.out -> b.in2 -> u8[<=4194304] -> b -> c.left\n"
  "c = join quote=\"\\\"\" arrow=\"->\" sharp=\"#1\" mid=a#b single=\"'x'\" back=a\\b\n",

  "leat 1\n"
  "a -> u8[${n},3] -> b\n",
};

static const char *const canonical_terminal[] = {
  "io:file path=a.txt + upload + text:scan name=s patterns=foo + readback + discard",
  "io:file path=a.txt + u8:max4194304 + upload , s.hits + b.in , s. + b.",
  "map expr='2*x + 1' title='it'\\''s' dollar='$x' empty='' + f32:480x640 + discard",
};

static void
test_syntax_round_trip_file (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (canonical_file); i++)
    {
      g_autoptr (LeatSyntax) syntax = read_text (canonical_file[i], LEAT_TEXT_STYLE_FILE);
      g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_FILE);
      g_autoptr (LeatSyntax) again = read_text (text, LEAT_TEXT_STYLE_FILE);

      g_assert_cmpstr (text, ==, canonical_file[i]);
      g_assert_true (syntax_equal (syntax, again));
    }
}

static void
test_syntax_round_trip_terminal (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (canonical_terminal); i++)
    {
      g_autoptr (LeatSyntax) syntax = read_text (canonical_terminal[i], LEAT_TEXT_STYLE_TERMINAL);
      g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_TERMINAL);
      g_autoptr (LeatSyntax) again = read_text (text, LEAT_TEXT_STYLE_TERMINAL);

      g_assert_cmpstr (text, ==, canonical_terminal[i]);
      g_assert_true (syntax_equal (syntax, again));
    }
}

/* Each pair says the same. */
static const struct
{
  const char *file;
  const char *terminal;
} spellings[] = {
  { "leat 1\na -> b\n", "a + b" },
  { "leat 1\na->b\n", "a ! b" },
  { "leat 1\na -> b\n", "a '->' b" },
  { "leat 1\na ->\nb\n-> c\n  -> d\n", "a + b + c + d" },
  { "leat 1\na x=1\n  y=2 -> b\n", "a x=1 y=2 + b" },
  { "leat 1\na -> u8[480,640,3] -> b\n", "a + u8:480x640x3 + b" },
  { "leat 1\na -> u8[<=4M] -> b\n", "a + u8:max4M + b" },
  { "leat 1\na name=s p=\"x y\" -> b\ns.hits -> c\n", "a name=s 'p=x y' + b , s.hits + c" },
  { "leat 1\na name=s -> b\ns -> c\n", "a name=s + b ; s. + c" },
  { "leat 1 # the version\n\n# nothing\na # one\n  # two\n  -> b # three\n", "a + b" },
  { "\xef\xbb\xbfleat 1\r\na\r\n\t-> b\r\n", "a\n+\tb" },
  { "leat 1\na e=\"\\u{e4}\\n\" p=x=y q==\"=z\"", "a e='\xc3\xa4\n' p=x=y q==\"=z\"" },
  { "leat 1\na p=\"b\"c\"d\"", "a p=\"b\"c'd'" },
};

static void
test_syntax_spellings_agree (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (LeatSyntax) file = read_text (spellings[i].file, LEAT_TEXT_STYLE_FILE);
      g_autoptr (LeatSyntax) terminal = read_text (spellings[i].terminal, LEAT_TEXT_STYLE_TERMINAL);

      if (!syntax_equal (file, terminal))
        g_test_message ("%s", spellings[i].terminal);
      g_assert_true (syntax_equal (file, terminal));
    }
}

/* The four spacings of an assignment, and where statements end. */
static const struct
{
  const char *text;
  const char *canonical;
} forms[] = {
  { "leat 1\nlet a=1\nlet b =2\nlet c= 3\nn=x", "leat 1\nlet a = 1\nlet b = 2\nlet c = 3\nn = x\n" },
  { "leat 1\nlet a = k=v\nlet b=k=v\nlet c = \"\"\nn =x p=\nm= x",
    "leat 1\nlet a = k=v\nlet b = k=v\nlet c = \"\"\nn = x p=\"\"\nm = x\n" },
  { "leat 1\n# what it is\n# for\nlet a = 1\n\n# lost\n\nlet b = 2\nx",
    "leat 1\nlet a = 1  # what it is for\nlet b = 2\nx\n" },
  { "leat 1\nlet a = 1 # kept\nx", "leat 1\nlet a = 1  # kept\nx\n" },
};

static void
test_syntax_forms (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (LeatSyntax) syntax = read_text (forms[i].text, LEAT_TEXT_STYLE_FILE);
      g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_FILE);

      g_assert_cmpstr (text, ==, forms[i].canonical);
    }
}

static void
test_syntax_args (void)
{
  const char *const args[] = { "io:file", "path=a b.txt", "+", "map",  "expr=x > 1 ? \"a\" : $b",
                               ",",       "s.",           "!", "b.in", NULL };
  const char *const one[] = { "a p='b c' ! d", NULL };
  g_autoptr (LeatErrorList) errors = leat_error_list_new ();
  g_autoptr (LeatSyntax) syntax = leat_parser_parse_args (args, errors);
  g_autoptr (LeatSyntax) quoted = leat_parser_parse_args (one, errors);
  g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_TERMINAL);
  g_autofree char *quoted_text = leat_syntax_print (quoted, LEAT_TEXT_STYLE_TERMINAL);

  g_assert_true (leat_error_list_is_empty (errors));
  g_assert_cmpstr (text, ==, "io:file path='a b.txt' + map expr='x > 1 ? \"a\" : $b' , s. + b.in");
  g_assert_cmpstr (quoted_text, ==, "a p='b c' + d");
}

/* A long statement is broken into lines that read the same. */
static void
test_syntax_print_breaks_lines (void)
{
  g_autoptr (LeatSyntax) syntax = NULL;
  g_autoptr (LeatSyntax) again = NULL;
  g_autoptr (GString) long_text = g_string_new ("leat 1\nn = node");
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  for (int i = 0; i < 40; i++)
    g_string_append_printf (long_text, " property-%d=value", i);
  g_string_append (long_text, "\na");
  for (int i = 0; i < 40; i++)
    g_string_append_printf (long_text, " -> step%d", i);
  syntax = read_text (long_text->str, LEAT_TEXT_STYLE_FILE);
  text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_FILE);
  again = read_text (text, LEAT_TEXT_STYLE_FILE);
  g_assert_true (syntax_equal (syntax, again));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >, 10);
  for (int i = 0; lines[i] != NULL; i++)
    g_assert_cmpuint (strlen (lines[i]), <=, 100);
}

static void
test_syntax_unequal (void)
{
  static const char *const texts[] = {
    "leat 1\na",
    "leat 1\nb",
    "leat 1\na x=1",
    "leat 1\na x=2",
    "leat 1\na name=x",
    "leat 1\na -> b",
    "leat 1\na -> u8 -> b",
    "leat 1\na -> b.c",
    "leat 1\na -> b.d",
    "leat 1\nb = a",
    "leat 1\nlet a = b\na",
    "leat 1\nlet a = $b\na",
    "leat 1\nlet b = 1\na x=$b",
    "leat 1\nlet b = 1\na x=${b}1",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (texts); j++)
      {
        g_autoptr (LeatSyntax) first = read_text (texts[i], LEAT_TEXT_STYLE_FILE);
        g_autoptr (LeatSyntax) second = read_text (texts[j], LEAT_TEXT_STYLE_FILE);

        g_assert_cmpint (syntax_equal (first, second), ==, i == j);
      }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/parse/syntax/round-trip-file", test_syntax_round_trip_file);
  g_test_add_func ("/leat/parse/syntax/round-trip-terminal", test_syntax_round_trip_terminal);
  g_test_add_func ("/leat/parse/syntax/spellings-agree", test_syntax_spellings_agree);
  g_test_add_func ("/leat/parse/syntax/forms", test_syntax_forms);
  g_test_add_func ("/leat/parse/syntax/args", test_syntax_args);
  g_test_add_func ("/leat/parse/syntax/print-breaks-lines", test_syntax_print_breaks_lines);
  g_test_add_func ("/leat/parse/syntax/unequal", test_syntax_unequal);
  return g_test_run ();
}
