/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "preprocessor-fixture.h"

#include <string.h>

/* Conditions, and the blanks of what becomes a string, with everything beside everything else, against g++'s. */

static void
append_bits (GString *out, const char *value, gboolean all)
{
  static const guint some[] = { 0, 1, 2, 3, 31, 32, 62, 63 };

  g_string_append_printf (out, "= %s\n#if -1 < 0 * (%s)\nsigned_\n#endif\n", value, value);
  for (guint i = 0; i < (all ? 64 : G_N_ELEMENTS (some)); i++)
    g_string_append_printf (out, "#if (%s) >> %u & 1\nb%u\n#endif\n", value, all ? i : some[i], all ? i : some[i]);
}

static const char *const literals[] = {
  "0",
  "1",
  "07",
  "017",
  "0x1f",
  "0XFf",
  "0b101",
  "0B11",
  "9'223'372",
  "0x7fffffffffffffff",
  "0x8000000000000000",
  "9223372036854775807",
  "9223372036854775808u",
  "18446744073709551615u",
  "18446744073709551616",
  "0x10000000000000000",
  "02000000000000000000000",
  "1u",
  "1U",
  "1l",
  "1L",
  "1ul",
  "1uL",
  "1Lu",
  "1LU",
  "1ll",
  "1LL",
  "1ull",
  "1llu",
  "1LLU",
  "'a'",
  "'\\a'",
  "'\\b'",
  "'\\f'",
  "'\\n'",
  "'\\r'",
  "'\\t'",
  "'\\v'",
  "'\\e'",
  "'\\\\'",
  "'\\''",
  "'\\\"'",
  "'\\?'",
  "'\\0'",
  "'\\7'",
  "'\\12'",
  "'\\123'",
  "'\\377'",
  "'\\18'",
  "'\\x4'",
  "'\\x41'",
  "'\\xfF'",
  "'ab'",
  "'abcd'",
  "'\\x80z'",
  "'\\377\\377\\377\\377'",
  "L'a'",
  "u'a'",
  "U'\\xffff'",
  "u8'a'",
  "L'\\x7f'",
  "L'ab'",
  "L'\303\244'",
  "u'\303\244'",
  "U'\342\202\254'",
  "'\303\244'",
  "true",
  "false",
  "unknown",
};

static const char *const no_literals[] = {
  "1.0", "1e5",  "1.",  ".5",    "0x1.8p3", "08",      "018",   "0b2",   "0x",           "0b",
  "1uu", "1lul", "1lL", "1Ll",   "1lll",    "1ulL",    "1x",    "1'",    "1''0",         "''",
  "0xg", "1_km", "1f",  "\"a\"", "'a",      "u8'ab'",  "u'ab'", "U'ab'", "u8'\303\244'", "u8''",
  "L''", "1 2",  "+",   "()",    "1 +* 2",  "defined", "1 ? 2",
};

/* Literals, each operator with each pair of values on the borders, and each operator beside each other one. */
static void
test_preprocessor_values (PreprocessorFixture *self, gconstpointer data)
{
  static const char *const values[] = {
    "0",  "1",  "5",  "-1", "-6", "31", "63", "64", "-64", "0x7fffffffffffffff", "(-0x7fffffffffffffff - 1)",
    "1u", "3u", "-2u"
  };
  static const char *const operators[] = { "+",  "-",  "*",  "/",  "%", "<<", ">>", "<",  ">",
                                           "<=", ">=", "==", "!=", "&", "|",  "^",  "&&", "||" };
  static const char *const words[] = { "and", "or", "not_eq", "bitand", "bitor", "xor" };
  g_autoptr (GString) of_literals = g_string_new (NULL), of_words = g_string_new (NULL);
  g_autofree char *path = NULL, *path_of_words = NULL;

  if (!preprocessor_has_compiler ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (literals); i++)
    append_bits (of_literals, literals[i], TRUE);
  path = preprocessor_fixture_write (self, "literals.cu", of_literals->str);
  g_assert_true (preprocessor_check_same (path));
  for (guint o = 0; o < G_N_ELEMENTS (operators); o++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *of_operator = NULL;

      for (guint i = 0; i < G_N_ELEMENTS (values) * G_N_ELEMENTS (values); i++)
        {
          const char *b = values[i % G_N_ELEMENTS (values)];
          g_autofree char *both = g_strconcat (values[i / G_N_ELEMENTS (values)], " ", operators[o], " ", b, NULL);

          if ((operators[o][0] != '/' && operators[o][0] != '%') || strcmp (b, "0") != 0)
            append_bits (text, both, FALSE);
        }
      for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
        {
          g_autofree char *pair = g_strdup_printf ("9 %s 5 %s ~2", operators[o], operators[i]);
          g_autofree char *choice =
            g_strdup_printf ("-1 %s 6 ? 2 %s 3 : 4 %s 2", operators[i], operators[o], operators[i]);

          append_bits (text, pair, FALSE);
          append_bits (text, choice, FALSE);
        }
      of_operator = preprocessor_fixture_write (self, "operator.cu", text->str);
      g_assert_true (preprocessor_check_same (of_operator));
    }
  for (guint i = 0; i < G_N_ELEMENTS (words); i++)
    {
      g_autofree char *both = g_strdup_printf ("not 6 + compl 9 %s 5", words[i]);

      append_bits (of_words, both, FALSE);
    }
  path_of_words = preprocessor_fixture_write (self, "words.cu", of_words->str);
  g_assert_true (preprocessor_check_same (path_of_words));
}

static void
test_preprocessor_no_values (PreprocessorFixture *self, gconstpointer data)
{
  if (!preprocessor_has_compiler ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (no_literals); i++)
    {
      g_autofree char *text = g_strdup_printf ("#if %s\n#endif\n", no_literals[i]);
      g_autofree char *path = preprocessor_fixture_write (self, "t.cu", text);

      g_assert_false (preprocessor_check_same (path));
    }
}

/* Where there are blanks in the text that `#` makes of what macros became. */
static void
test_preprocessor_blanks (PreprocessorFixture *self, gconstpointer data)
{
  static const char *const beside[] = { "", "-", "[", "E", "i", "E E", "p" }, *const blanks[] = { "", " " };
  static const char *const given[] = { "1",     " 1",    "1 ",     "E",       " E ",  "",      "1 2",
                                       "1 E 2", "f(1)",  "f( )",   "f( 1 )+", "g",    "-E-",   "- E -",
                                       "i i",   "/**/1", "1/**/2", "f(E)",    "n(1)", "-f(E)-" };
  static const char *const uses[] = { "X(%s(%s))", "X([%s(%s)])", "X([ %s(%s) ])", "X(E %s(%s) E-)", "X(f(%s(%s))-)" };
  static const char *const of_two[] = { "p q",
                                        "p-q",
                                        "p##q",
                                        "p ## q",
                                        "- p##q -",
                                        "-p##q-",
                                        "#p q",
                                        "p #q",
                                        "x##p q",
                                        "q p##x",
                                        "p E q",
                                        "pE q",
                                        "p##E q",
                                        "f(p)f(q)",
                                        "p f(q)",
                                        "f(p q)",
                                        "p##q##x",
                                        "p __VA_OPT__(q)",
                                        "-__VA_OPT__( p )-",
                                        "__VA_OPT__(p##q)-",
                                        "#p#q",
                                        "X(p)X( q )" };
  g_autoptr (GString) text = g_string_new ("#define S(x) #x\n#define X(...) S(__VA_ARGS__)\n#define E\n#define f(x) x\n"
                                           "#define g f\n#define i 1\n#define n(x) -x-\n");
  g_autofree char *path = NULL;
  guint n = 0;

  if (!preprocessor_has_compiler ())
    return;
  for (guint b = 0; b < G_N_ELEMENTS (beside) * G_N_ELEMENTS (beside) * 4; b++, n++)
    {
      g_string_append_printf (text, "#define m%u(p) %s%sp%s%s\n", n, beside[b / 4 % G_N_ELEMENTS (beside)],
                              blanks[b % 2], blanks[b / 2 % 2], beside[b / 4 / G_N_ELEMENTS (beside)]);
      for (guint k = 0; k < G_N_ELEMENTS (given); k++)
        {
          g_autofree char *name = g_strdup_printf ("m%u", n), *use = NULL;
          g_auto (GStrv) pieces = g_strsplit (uses[(k + b) % G_N_ELEMENTS (uses)], "%s", -1);

          use = g_strconcat (pieces[0], name, pieces[1], given[k], pieces[2], NULL);
          g_string_append_printf (text, "%s\n", use);
        }
    }
  for (guint b = 0; b < G_N_ELEMENTS (of_two); b++, n++)
    {
      g_string_append_printf (text, "#define m%u(p, q, ...) [%s]\n", n, of_two[b]);
      for (guint k = 0; k < G_N_ELEMENTS (given); k++)
        g_string_append_printf (text, "X(m%u(%s,a)) X(m%u(x, %s , )) m%u(,%s,1)\n", n, k % 4 ? " y" : "", n,
                                k % 3 ? "z" : "", n, k % 2 ? " " : "w");
    }
  path = preprocessor_fixture_write (self, "t.cu", text->str);
  g_assert_true (preprocessor_check_same (path));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  preprocessor_fixture_add ("values", test_preprocessor_values);
  preprocessor_fixture_add ("no-values", test_preprocessor_no_values);
  preprocessor_fixture_add ("blanks", test_preprocessor_blanks);
  return g_test_run ();
}
