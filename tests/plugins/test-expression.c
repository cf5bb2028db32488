/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-base-expression.h"
#include "leat-harness.h"

#include <string.h>

static const char *const good[] = {
  "x",
  "2*x+1",
  " ( x ) ",
  "-x",
  "- -x",
  "!x?~1:+2",
  "min(x,max(y,2))",
  "fma(x,2,1)",
  "x<<2>>1",
  "a<b&&c>=d||e!=f",
  "x?1:y?2:3",
  "x?y?1:2:3",
  "0x1fF*x",
  "1.5e-3*x",
  ".5*x",
  "1.*x",
  "x%3&7|4^2",
  "sqrt((x))",
  "x1_y+_z",
  "18446744073709551615",
  "x\n+\t1",
  "0",
  "0*x",
  "0<x&&x<5",
  "(0<x)<5",
  "(a<b)==(c<d)",
  "a<b==c<d",
  "a<b&c<d",
  "a==b|c==d^e!=f",
  "x<1?y<2:z<3",
  "min(a<b,c<d)<e",
  "(a<b)+(b<c)<2",
  "a<<1<b",
};

static void
test_expression_good (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (good); i++)
    {
      GError *error = NULL;
      g_autoptr (LeatExpression) expression = leat_expression_parse (good[i], &error);

      g_assert_no_error (error);
      g_assert_nonnull (expression);
    }
}

static const struct
{
  const char *text;
  guint column;
  const char *says;
} bad[] = {
  { "", 1, "expected a value at the end" },
  { "  ", 3, "expected a value at the end" },
  { "x+", 3, "expected a value at the end" },
  { "x y", 3, "expected an operator before this" },
  { "2x", 2, "expected an operator before this" },
  { "x(2)", 1, "no function \"x\"" },
  { "(x)(y)", 4, "expected an operator before this" },
  { "x*/y", 3, "expected a value here" },
  { "*x", 1, "expected a value here" },
  { "()", 2, "expected a value here" },
  { "sqrt()", 6, "expected a value here" },
  { "min(x,)", 7, "expected a value here" },
  { "(x", 3, "a parenthesis is not closed" },
  { "x)", 2, "nothing to close" },
  { "x,y", 2, "a comma stands between the arguments" },
  { "max((x,y))", 7, "a comma stands between the arguments" },
  { "sqrt", 1, "the function sqrt needs its arguments" },
  { "sqrt+1", 1, "the function sqrt needs its arguments" },
  { "1+sqrt(x,y)", 3, "sqrt takes 1 argument, not 2" },
  { "min(x)", 1, "min takes 2 arguments, not 1" },
  { "fma(x,y)", 1, "fma takes 3 arguments, not 2" },
  { "sqr(x)", 1, "no function \"sqr\" (did you mean \"sqrt\"?)" },
  { "1+foobar(x)", 3, "no function \"foobar\"" },
  { "x?1", 2, "this ? has no :" },
  { "(x?1)", 3, "this ? has no :" },
  { "x:1", 2, "this : has no ?" },
  { "x?1:2:3", 6, "this : has no ?" },
  { "min(x?1,2:3)", 6, "this ? has no :" },
  { "x=1", 2, "does not belong in an expression; == compares" },
  { "x==1;", 5, "does not belong" },
  { "x[0]", 2, "does not belong" },
  { "\"x\"", 1, "does not belong" },
  { "x\\", 2, "does not belong" },
  { "x#y", 2, "does not belong" },
  { "x{}", 2, "does not belong" },
  { "x.y", 2, "does not belong" },
  { "\xc3\xa9", 1, "does not belong" },
  { "x*'a'", 3, "does not belong" },
  { "x*int", 3, "\"int\" has a meaning" },
  { "x*out", 3, "\"out\" has a meaning" },
  { "x+linux", 3, "\"linux\" has a meaning" },
  { "x+int32_t", 3, "\"int32_t\" has a meaning" },
  { "x+uint_fast8_t", 3, "\"uint_fast8_t\" has a meaning" },
  { "x+float4", 3, "\"float4\" has a meaning" },
  { "x+new", 3, "\"new\" has a meaning" },
  { "x+static_assert", 3, "\"static_assert\" has a meaning" },
  { "x+assert", 3, "\"assert\" has a meaning" },
  { "x+LDBL_MIN", 3, "\"LDBL_MIN\" has a meaning" },
  { "x+NULL", 3, "\"NULL\" is not the name of an input or argument; write 0" },
  { "x+EOF", 3, "write -1" },
  { "x+M_PI", 3, "write 3.141592653589793" },
  { "x<INT_MAX", 3, "write 2147483647" },
  { "x==INFINITY", 4, "\"INFINITY\" is not the name of an input or argument, and expressions have no word for it" },
  { "NAN", 1, "x - x == 0 does not hold" },
  { "x*i", 3, "\"i\" has a meaning" },
  { "x+x_count", 3, "\"x_count\" has a meaning" },
  { "x+y_dim0", 3, "\"y_dim0\" has a meaning" },
  { "leat_row", 1, "\"leat_row\" has a meaning" },
  { "blockIdx", 1, "\"blockIdx\" has a meaning" },
  { "__asm", 1, "\"__asm\" has a meaning" },
  { "017*x", 1, "does not begin with 0" },
  { "x+1e999", 3, "the number 1e999 is out of range" },
  { "x+18446744073709551616", 3, "is out of range" },
  { "x+0x10000000000000000", 3, "is out of range" },
  { "1.2.3", 4, "expected an operator" },
  { "x*1f", 4, "expected an operator" },
  { "0<x<5", 4, "this compares 0<x, which is 0 or 1; write 0<x && x<5" },
  { "-1 <= x+y < 5", 11, "write -1<=x+y && x+y<5" },
  { "a==b==c", 5, "write a==b && b==c" },
  { "a != b != c", 8, "write a!=b && b!=c" },
  { "9>x>=y+1>2", 4, "write 9>x && x>=y+1" },
  { "a&&(b||1<max(x,(y))<3)", 20, "write 1<max(x,(y)) && max(x,(y))<3" },
  { "x?0<y<2:3", 6, "write 0<y && y<2" },
  { "min(1,0<x<5)", 10, "write 0<x && x<5" },
  { "a<b==c<d<e", 9, "write c<d && d<e" },
  { "a<b!=c<d!=e", 9, "write a<b!=c<d && c<d!=e" },
};

static void
test_expression_bad (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    {
      g_autofree char *column = g_strdup_printf (", column %u: ", bad[i].column);
      GError *error = NULL;

      g_assert_null (leat_expression_parse (bad[i].text, &error));
      g_test_message ("%s", error->message);
      g_assert_nonnull (strstr (error->message, column));
      leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, bad[i].says);
    }
}

/* Text that was made to break a reader ends in an error, or is an expression, but ends. */
static void
test_expression_hostile (void)
{
  static const struct
  {
    const char *piece;
    guint times;
    int code; /* 0: good */
  } table[] = {
    { "(", 99, LEAT_GRAPH_ERROR_TYPE },
    { "(", 16000, LEAT_GRAPH_ERROR_TYPE },
    { "(", 1000000, LEAT_GRAPH_ERROR_RANGE },
    { ")", 16000, LEAT_GRAPH_ERROR_TYPE },
    { "-", 16000, 0 },
    { "x+", 8000, 0 },
    { "x?x:", 4000, 0 },
    { "sqrt(", 3000, LEAT_GRAPH_ERROR_TYPE },
    { "9", 16000, LEAT_GRAPH_ERROR_TYPE },
    { "abc", 5000, 0 },
    { "\x01", 5, LEAT_GRAPH_ERROR_TYPE },
    { "x ", 8000, LEAT_GRAPH_ERROR_TYPE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autoptr (LeatExpression) expression = NULL;
      GError *error = NULL;

      for (guint j = 0; j < table[i].times; j++)
        g_string_append (text, table[i].piece);
      g_string_append (text, "x");
      expression = leat_expression_parse (text->str, &error);
      if (table[i].code == 0)
        g_assert_no_error (error);
      else
        g_assert_error (error, LEAT_GRAPH_ERROR, table[i].code);
      g_assert_true (error == NULL || strlen (error->message) < 300);
      g_clear_error (&error);
    }
}

static void
test_expression_depth (void)
{
  for (guint depth = 100; depth <= 101; depth++)
    {
      g_autofree char *open = g_strnfill (depth, '(');
      g_autofree char *close = g_strnfill (depth, ')');
      g_autofree char *text = g_strconcat (open, "x", close, NULL);
      g_autoptr (LeatExpression) expression = NULL;
      GError *error = NULL;

      expression = leat_expression_parse (text, &error);
      if (depth == 100)
        g_assert_no_error (error);
      else
        leat_harness_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE, "more than 100 parentheses");
    }
}

/* Bytes at random: it ends, and says where. */
static void
test_expression_random (void)
{
  static const char letters[] = "xy12.,()+-*/%<>=!&|^~?: e\tsqrtmin";

  for (guint i = 0; i < 20000; i++)
    {
      char text[24] = { 0 };
      GError *error = NULL;
      g_autoptr (LeatExpression) expression = NULL;

      for (guint j = g_test_rand_int_range (1, 23); j-- > 0;)
        text[j] = letters[g_test_rand_int_range (0, (gint32) sizeof letters - 1)];
      expression = leat_expression_parse (text, &error);
      g_assert_true ((expression != NULL) == (error == NULL));
      g_assert_true (error == NULL || strstr (error->message, ", column ") != NULL);
      g_clear_error (&error);
    }
}

static void
test_expression_names (void)
{
  g_autoptr (LeatExpression) expression = leat_expression_parse ("gain*x+min(x,y)-offset/gain", NULL);
  g_autofree char *names = g_strjoinv (" ", (char **) leat_expression_list_names (expression));

  g_assert_cmpstr (names, ==, "gain x y offset");
}

static void
test_expression_text (void)
{
  static const struct
  {
    const char *text;
    gboolean single;
    const char *c;
  } table[] = {
    { "2*x+a", TRUE, "2* x[i]+ a" },
    { "1.5*x", TRUE, "1.5f* x[i]" },
    { "1.5*x", FALSE, "1.5* x[i]" },
    { "1e3+x", TRUE, "1e3f+ x[i]" },
    { "0x1e+x", TRUE, "0x1e+ x[i]" },
    { "x--1", TRUE, "x[i]- - 1" },
    { "x&&&y", TRUE, NULL },
    { "x+ +x", TRUE, "x[i]+ + x[i]" },
    { "xx+x", TRUE, "xx+ x[i]" },
    { "min(x,2.)", TRUE, "min(x[i], 2.f)" },
    { "x/2", TRUE, "x[i]/ 2" },
    { "x/0", TRUE, "leat_quotient (x[i], 0)" },
    { "x%y", TRUE, "leat_rest (x[i], y)" },
    { "a-b*x/y/3%-z+1", TRUE, "a- leat_rest (leat_quotient (b* x[i], y)/ 3, - z)+ 1" },
    { "x<<31>>y", TRUE, "x[i]<< 31>> leat_by ()>> y" },
    { "x<<40+x>>0x20", TRUE, "x[i]<< leat_by ()<< 40+ x[i]>> leat_by ()>> 0x20" },
    { "1<<(a+(b))", TRUE, "1<< leat_by ()<< (a+ (b))" },
    { "a/(b%c)", TRUE, "leat_quotient (a, (leat_rest (b, c)))" },
    { "min(a/b,c)/d?e/f:-g/h", TRUE,
      "leat_quotient (min(leat_quotient (a, b), c), d)? leat_quotient (e, f): leat_quotient (- g, h)" },
  };
  const char *const inputs[] = { "x", NULL };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (LeatExpression) expression = leat_expression_parse (table[i].text, NULL);
      g_autofree char *c =
        expression != NULL ? leat_expression_to_c (expression, inputs, NULL, NULL, table[i].single) : NULL;

      g_assert_cmpstr (c, ==, table[i].c);
    }
}

/* x and y are float, z is double, n and m are whole, and so are other names or not. */
static void
test_expression_types (void)
{
  static const struct
  {
    const char *text;
    guint column; /* from 1; 0 for none */
    const char *says;
  } table[] = {
    { "n%m", 0, NULL },
    { "x%3", 2, "% takes whole numbers, and its left side is float; fmod (a, b) is the remainder" },
    { "n%x", 2, "% takes whole numbers, and its right side is float" },
    { "n + 1.5 & 3", 9, "& takes whole numbers, and its left side is float" },
    { "(x > 1) & (z > 2)", 0, NULL },
    { "x > 1 & z > 2", 0, NULL },
    { "n << z", 3, "<< takes whole numbers, and its right side is double" },
    { "1 + n >> 2", 0, NULL },
    { "n >> 2 < 3", 0, NULL },
    { "~x", 1, "~ takes whole numbers, and what follows it is float" },
    { "~!x", 0, NULL },
    { "-~-(n ? m : z)", 2, "~ takes whole numbers, and what follows it is double" },
    { "sqrt(n) | 1", 9, "its left side is double" },
    { "sqrt(x) ^ 1", 9, "its left side is float" },
    { "min(n,m) ^ 1", 0, NULL },
    { "max(n,x) ^ 1", 10, "its left side is float" },
    { "abs(n) % 2 + x", 0, NULL },
    { "(x ? n : m) % 2", 0, NULL },
    { "n ? m % 2 : n % y", 15, "its right side is float" },
    { "x == 1 ^ y == 2 || n & 1", 0, NULL },
    { "n & gain", 3, "its right side is float" },
    { "min(n % 2, x | 1)", 14, "| takes whole numbers, and its left side is float" },
  };
  static const char *const names[] = { "x", "y", "z", "n", "m", NULL };
  static const LeatDtype dtypes[] = { LEAT_DTYPE_F32, LEAT_DTYPE_F32, LEAT_DTYPE_F64, LEAT_DTYPE_I32, LEAT_DTYPE_U8 };
  const LeatExpressionTypes types = { names, dtypes, LEAT_DTYPE_F32, TRUE };

  for (guint i = 0; i < G_N_ELEMENTS (table); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatExpression) expression = leat_expression_parse (table[i].text, &error);
      g_autofree char *column = g_strdup_printf ("column %u: ", table[i].column);

      g_assert_no_error (error);
      g_test_message ("%s", table[i].text);
      if (leat_expression_check_types (expression, &types, &error))
        {
          g_assert_null (table[i].says);
          continue;
        }
      g_test_message ("%s", error->message);
      g_assert_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE);
      g_assert_nonnull (table[i].says);
      g_assert_nonnull (strstr (error->message, column));
      g_assert_nonnull (strstr (error->message, table[i].says));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/base/expression/good", test_expression_good);
  g_test_add_func ("/leat/base/expression/bad", test_expression_bad);
  g_test_add_func ("/leat/base/expression/hostile", test_expression_hostile);
  g_test_add_func ("/leat/base/expression/depth", test_expression_depth);
  g_test_add_func ("/leat/base/expression/random", test_expression_random);
  g_test_add_func ("/leat/base/expression/names", test_expression_names);
  g_test_add_func ("/leat/base/expression/types", test_expression_types);
  g_test_add_func ("/leat/base/expression/text", test_expression_text);
  return g_test_run ();
}
