/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat.h"
#include "parse/leat-parser-private.h"

#include "syntax-equal.h"

static LeatSyntax *
read_right (const char *text, LeatTextStyle style)
{
  g_autoptr (LeatErrorList) errors = leat_error_list_new ();
  g_autoptr (GPtrArray) list = g_ptr_array_new_with_free_func ((GDestroyNotify) g_error_free);
  LeatSyntax *syntax = leat_parser_parse_text (text, style, errors);

  leat_error_list_move (errors, list);
  g_assert_cmpstr (list->len > 0 ? ((GError *) g_ptr_array_index (list, 0))->message : NULL, ==, NULL);
  return syntax;
}

/* What is written canonically comes out as it went in. */
static const char *const canonical_file[] = {
  "leat 1\n"
  "heat = loop max-iterations=1000 until=\"change < 0.001\" carry=u:next {\n"
  "  step = kernel source=heat.cu entry=step block=256\n"
  "  in.u -> step -> out.next\n"
  "  step.change -> reduce op=max -> out.change\n"
  "}\n"
  "io:npy path=u.npy -> upload -> heat.u\n"
  "heat.next -> readback -> io:npy path=out.npy\n",

  "leat 1\n"
  "let n = 3\n"
  "upload -> loop name=l max-iterations=$n {\n"
  "  in -> a x=${n}0 -> loop {\n"
  "    b = c\n"
  "    in.u -> b -> u8[4] -> out.v\n"
  "  } -> loop {\n"
  "    d\n"
  "  } -> out\n"
  "} -> readback\n"
  "in = io:file path={\n"
  "in -> out\n",
};

static const char *const canonical_terminal[] = {
  "app name=x + upload + loop max-iterations=10 carry=u:v begin in.u + map expr=u/2 + out.v end + readback + discard",
  "loop begin a name=s , in.u + s. , in. + loop begin b end + out. end , c",
};

static void
check_round_trip (const char *canonical, LeatTextStyle style)
{
  g_autoptr (LeatSyntax) syntax = read_right (canonical, style);
  g_autofree char *text = leat_syntax_print (syntax, style);
  g_autoptr (LeatSyntax) again = read_right (text, style);

  g_assert_cmpstr (text, ==, canonical);
  g_assert_true (syntax_equal (syntax, again));
}

static void
test_bodies_round_trip (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (canonical_file); i++)
    check_round_trip (canonical_file[i], LEAT_TEXT_STYLE_FILE);
  for (guint i = 0; i < G_N_ELEMENTS (canonical_terminal); i++)
    check_round_trip (canonical_terminal[i], LEAT_TEXT_STYLE_TERMINAL);
}

/* Each pair says the same. */
static const struct
{
  const char *file;
  const char *terminal;
} spellings[] = {
  { "leat 1\na -> loop x=1 {\n  in.u -> b -> out.v\n} -> c\n", "a + loop x=1 begin in.u + b + out.v end + c" },
  { "leat 1\na -> loop x=1 {\n  in.u -> b -> out.v\n} -> c\n", "a + loop x=1 { in.u + b + out.v } + c" },
  { "leat 1\na -> loop x=1 {\n  in.u -> b -> out.v\n} -> c\n", "a ! loop x=1 { in.u ! b ! out.v , end ! c ," },
  { "leat 1\nloop {\n a\n b -> c\n}\nd\n", "loop begin a , b + c end , d" },
  { "leat 1\nloop {\n a -> loop {\n  b\n }\n}\n", "loop begin a + loop begin b end end" },
  { "leat 1\nloop {\n in -> a -> out\n}\n", "loop begin in + a + out. end" },
  { "leat 1\nin -> a p={ q=} -> out\n", "in + a p={ q=} + out" },
};

static void
test_bodies_spellings_agree (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (spellings); i++)
    {
      g_autoptr (LeatSyntax) file = read_right (spellings[i].file, LEAT_TEXT_STYLE_FILE);
      g_autoptr (LeatSyntax) terminal = read_right (spellings[i].terminal, LEAT_TEXT_STYLE_TERMINAL);

      if (!syntax_equal (file, terminal))
        g_test_message ("%s", spellings[i].terminal);
      g_assert_true (syntax_equal (file, terminal));
    }
}

/* Where the lines of a body begin and end statements, and what stays a word. */
static const struct
{
  const char *text;
  const char *canonical;
} forms[] = {
  { "leat 1\na = loop x=1\n      y=2 { # why\n\n    # what\n    in ->\n  b\n-> d\n     x=1\n    c\n      p=1\n  } # "
    "end\nd",
    "leat 1\na = loop x=1 y=2 {\n  in -> b -> d x=1\n  c p=1\n}\nd\n" },
  { "leat 1\r\na -> loop {\r\n\tb\r\n\t\tp=1\r\n\tloop {\r\n\t  c\r\n\t}\r\n}->d\r\n  -> e",
    "leat 1\na -> loop {\n  b p=1\n  loop {\n    c\n  }\n} -> d -> e\n" },
  { "leat 1\nlet a = {\nlet b = }\nlet c =\n  }\nlet d = { # open\ne", "leat 1\nlet a = {\nlet b = }\nlet c = }\n"
                                                                       "let d = {  # open\ne\n" },
  { "leat 1\nbegin -> end name=in\n", "leat 1\nbegin -> end name=in\n" },
};

static void
test_bodies_forms (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (forms); i++)
    {
      g_autoptr (LeatSyntax) syntax = read_right (forms[i].text, LEAT_TEXT_STYLE_FILE);
      g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_FILE);

      g_assert_cmpstr (text, ==, forms[i].canonical);
    }
}

/* What only files have is written as a terminal can: declarations as chains of one. */
static void
test_bodies_print_file_for_terminal (void)
{
  g_autoptr (LeatSyntax) syntax =
    read_right ("leat 1\na = loop {\n  b = c x=1\n  in -> b -> out.v\n}\na -> d\n", LEAT_TEXT_STYLE_FILE);
  g_autofree char *text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_TERMINAL);

  g_assert_cmpstr (text, ==, "loop name=a begin c name=b x=1 , in. + b. + out.v end , a. + d");
}

/* Long statements are broken inside bodies too, and read the same. */
static void
test_bodies_print_breaks_lines (void)
{
  g_autoptr (GString) long_text = g_string_new ("leat 1\na = loop");
  g_autoptr (LeatSyntax) syntax = NULL;
  g_autoptr (LeatSyntax) again = NULL;
  g_autofree char *text = NULL;
  g_auto (GStrv) lines = NULL;

  for (int i = 0; i < 40; i++)
    g_string_append_printf (long_text, " property-%d=value", i);
  g_string_append (long_text, " {\n  in");
  for (int i = 0; i < 40; i++)
    g_string_append_printf (long_text, " -> step%d", i);
  g_string_append (long_text, " -> loop {\n    x\n  }");
  for (int i = 0; i < 40; i++)
    g_string_append_printf (long_text, " -> step%d", i);
  g_string_append (long_text, "\n}\n");
  syntax = read_right (long_text->str, LEAT_TEXT_STYLE_FILE);
  text = leat_syntax_print (syntax, LEAT_TEXT_STYLE_FILE);
  again = read_right (text, LEAT_TEXT_STYLE_FILE);
  g_assert_true (syntax_equal (syntax, again));
  lines = g_strsplit (text, "\n", -1);
  g_assert_cmpuint (g_strv_length (lines), >, 20);
  for (int i = 0; lines[i] != NULL; i++)
    g_assert_cmpuint (strlen (lines[i]), <=, 100);
}

static void
test_bodies_unequal (void)
{
  static const char *const texts[] = {
    "leat 1\nn = a\nb",
    "leat 1\nn = a {\n  b\n}",
    "leat 1\nn = a {\n  c\n}",
    "leat 1\nn = a {\n  b\n  b\n}",
    "leat 1\nn = a {\n  b\n}\nb",
    "leat 1\na {\n  b\n}",
    "leat 1\na {\n  b {\n    c\n  }\n}",
    "leat 1\na {\n  b -> out\n}",
    "leat 1\na {\n  b -> out.v\n}",
  };

  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    for (guint j = 0; j < G_N_ELEMENTS (texts); j++)
      {
        g_autoptr (LeatSyntax) first = read_right (texts[i], LEAT_TEXT_STYLE_FILE);
        g_autoptr (LeatSyntax) second = read_right (texts[j], LEAT_TEXT_STYLE_FILE);

        g_assert_cmpint (syntax_equal (first, second), ==, i == j);
      }
}

/* The lines of the statements that are visited. */
static void
note_line (LeatSyntaxStatement *statement, gpointer data)
{
  g_string_append_printf (data, "%u ", statement->pos.line);
}

static void
test_bodies_foreach (void)
{
  g_autoptr (LeatSyntax) syntax = read_right ("leat 1\n"
                                              "a = loop {\n"
                                              "  b = loop {\n"
                                              "    c\n"
                                              "  }\n"
                                              "  d -> e {\n"
                                              "    f\n"
                                              "  } -> g {\n"
                                              "    h\n"
                                              "  }\n"
                                              "}\n"
                                              "i\n",
                                              LEAT_TEXT_STYLE_FILE);
  LeatSyntaxStatement *first = leat_syntax_list_get (syntax->statements, 0);
  LeatSyntaxStatement *last = leat_syntax_list_get (syntax->statements, 1);
  g_autoptr (GString) all = g_string_new (NULL);
  g_autoptr (GString) top = g_string_new (NULL);
  g_autoptr (GString) inside = g_string_new (NULL);

  leat_syntax_foreach (syntax, note_line, all);
  g_assert_cmpstr (all->str, ==, "2 3 4 6 7 9 12 ");
  leat_syntax_foreach_top (syntax, note_line, top);
  g_assert_cmpstr (top->str, ==, "2 12 ");
  leat_syntax_node_foreach (first->node, note_line, inside);
  leat_syntax_node_foreach (((LeatSyntaxElement *) leat_syntax_list_get (last->elements, 0))->node, note_line, inside);
  g_assert_cmpstr (inside->str, ==, "3 4 6 7 9 ");
  g_assert_cmpuint (first->node->body_pos.line, ==, 2);
  g_assert_cmpuint (first->node->body_pos.column, ==, 10);
}

/* A bare word of a body is a node that is declared anywhere, inside or outside; `in` and `out` never are. */
static void
test_bodies_words (void)
{
  g_autoptr (LeatSyntax) syntax = read_right ("leat 1\n"
                                              "in = source\n"
                                              "loop {\n"
                                              "  in -> outer -> inner -> other -> out\n"
                                              "  inner = x\n"
                                              "}\n"
                                              "outer = y\n"
                                              "inner -> in\n",
                                              LEAT_TEXT_STYLE_FILE);
  const LeatSyntaxStatement *loop = leat_syntax_list_get (syntax->statements, 1);
  const LeatSyntaxElement *holder = leat_syntax_list_get (loop->elements, 0);
  const LeatSyntaxStatement *chain = leat_syntax_list_get (holder->node->body, 0);
  static const LeatSyntaxElementKind kinds[] = { LEAT_SYNTAX_ELEMENT_REF, LEAT_SYNTAX_ELEMENT_REF,
                                                 LEAT_SYNTAX_ELEMENT_REF, LEAT_SYNTAX_ELEMENT_NODE,
                                                 LEAT_SYNTAX_ELEMENT_REF };

  g_assert_cmpuint (chain->elements->len, ==, G_N_ELEMENTS (kinds));
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    g_assert_cmpint (((LeatSyntaxElement *) leat_syntax_list_get (chain->elements, i))->kind, ==, kinds[i]);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/parse/bodies/round-trip", test_bodies_round_trip);
  g_test_add_func ("/leat/parse/bodies/spellings-agree", test_bodies_spellings_agree);
  g_test_add_func ("/leat/parse/bodies/forms", test_bodies_forms);
  g_test_add_func ("/leat/parse/bodies/print-file-for-terminal", test_bodies_print_file_for_terminal);
  g_test_add_func ("/leat/parse/bodies/print-breaks-lines", test_bodies_print_breaks_lines);
  g_test_add_func ("/leat/parse/bodies/unequal", test_bodies_unequal);
  g_test_add_func ("/leat/parse/bodies/foreach", test_bodies_foreach);
  g_test_add_func ("/leat/parse/bodies/words", test_bodies_words);
  return g_test_run ();
}
