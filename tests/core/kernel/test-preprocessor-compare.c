/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-token-private.h"
#include "preprocessor-fixture.h"

#include <string.h>

/* The preprocessor of kernel files against those of compilers, token for token. */

static const char *const cases[] = {
  "#define join(x, y) x ## y\n"
  "join (., *) join (->, *) join (/, =) join (-, >) join (<<, =)\n",

  "#define x 3\n"
  "#define f(a) f(x * (a))\n"
  "#undef x\n"
  "#define x 2\n"
  "#define g f\n"
  "#define z z[0]\n"
  "#define h g(~\n"
  "#define m(a) a(w)\n"
  "#define w 0,1\n"
  "#define t(a) a\n"
  "#define p() int\n"
  "#define q(x) x\n"
  "#define r(x,y) x ## y\n"
  "#define str(x) # x\n"
  "f(y+1) + f(f(z)) % t(t(g)(0) + t)(1);\n"
  "g(x+(3,4)-w) | h 5) & m\n"
  "(f)^m(m);\n"
  "p() i[q()] = { q(1), r(2,3), r(4,), r(,5), r(,) };\n"
  "char c[2][6] = { str(hello), str() };\n",
  "#define str(s) # s\n"
  "#define xstr(s) str(s)\n"
  "#define debug(s, t) printf(\"x\" # s \"= %d, x\" # t \"= %s\", \\\n"
  " x ## s, x ## t)\n"
  "#define INCFILE(n) vers ## n\n"
  "#define glue(a, b) a ## b\n"
  "#define xglue(a, b) glue(a, b)\n"
  "#define HIGHLOW \"hello\"\n"
  "#define LOW LOW \", world\"\n"
  "debug(1, 2);\n"
  "fputs(str(strncmp(\"abc\\0d\", \"abc\", '\\4') // this goes away\n"
  " == 0) str(: @\\n), s);\n"
  "xstr(INCFILE(2).h)\n"
  "glue(HIGH, LOW);\n"
  "xglue(HIGH, LOW)\n",
  "#define hash_hash # ## #\n"
  "#define mkstr(a) # a\n"
  "#define in_between(a) mkstr(a)\n"
  "#define join(c, d) in_between(c hash_hash d)\n"
  "char p[] = join(x, y);\n",
  "#define t(x,y,z) x ## y ## z\n"
  "int j[] = { t(1,2,3), t(,4,5), t(6,,7), t(8,9,), t(10,,), t(,11,), t(,,12), t(,,) };\n",
  "#define debug(...) fprintf(stderr, __VA_ARGS__)\n"
  "#define showlist(...) puts(#__VA_ARGS__)\n"
  "#define report(test, ...) ((test)?puts(#test): printf(__VA_ARGS__))\n"
  "debug(\"Flag\"); debug(\"X = %d\\n\", x); showlist(The first, second, and third items.); report(x>y, \"x is %d but "
  "y is %d\", x, y);\n",
  "#define e(f, ...) printf (f, ##__VA_ARGS__)\n"
  "e(\"a\"); e(\"a\",); e(\"a\",b); e(\"a\",b,c)\n"
  "#define e2(...) g(0, ##__VA_ARGS__)\n"
  "e2() e2(1) e2(1,2) e2(,)\n"
  "#define e3(f, a...) h(f, ##a)\n"
  "e3(1) e3(1,2) e3(1,)",
  "#define F(a,...) f(0 __VA_OPT__(,) __VA_ARGS__)\n"
  "#define G(X, ...) f(0, X __VA_OPT__(,) __VA_ARGS__)\n"
  "#define SDEF(sname, ...) S sname __VA_OPT__(= { __VA_ARGS__ })\n"
  "#define EMP\n"
  "F(a,b,c) F() F(EMP) G(a,b,c) G(a,) G(a) SDEF(foo); SDEF(bar,1,2);\n",
  "#define f(a) a*g\n"
  "#define g(a) f(a)\n"
  "f(2)(9)\n",
  "#define a b\n"
  "#define b a\n"
  "a b\n"
  "#define foo foo a\n"
  "foo\n",
  "#define EMPTY\n"
  "#define DEFER(x) x EMPTY\n"
  "#define A() 123\n"
  "DEFER(A)()\n"
  "#define EXPAND(...) __VA_ARGS__\n"
  "EXPAND(DEFER(A)())\n",
  "#define xstr(s) str(s)\n"
  "#define str(s) #s\n"
  "#define E\n"
  "xstr(a E b) xstr(aEb) xstr( E a ) xstr(a+E+b) xstr(f(E)) xstr(a\n"
  "  b) xstr(a/*c*/b)\n",
  "#if 1 ? 2 : (1/0)\n"
  "yes\n"
  "#endif\n"
  "#if 0 && (1/0)\n"
  "no\n"
  "#else\n"
  "yes2\n"
  "#endif\n"
  "#if -1 > 0u\n"
  "yes3\n"
  "#endif\n"
  "#if 'a' == 97 && '\\377' < 0\n"
  "y4\n"
  "#endif\n"
  "#if (2 || 3) != 1\n"
  "no\n"
  "#elif 1\n"
  "y5\n"
  "#endif\n",
  "#if 1 and not 0 or 0\n"
  "y\n"
  "#endif\n"
  "#if 0x7fffffffffffffff + 1 < 0\n"
  "y2\n"
  "#endif\n"
  "#if -1 >> 1 == -1\n"
  "y3\n"
  "#endif\n"
  "#if 18446744073709551615 == -1\n"
  "y4\n"
  "#endif\n"
  "#if 0b101 == 5 && 1'000 == 1000 && 017 == 15\n"
  "y5\n"
  "#endif\n"
  "#if true && !false\n"
  "y6\n"
  "#endif\n"
  "#if (-5) / 2 == -2 && (-5) % 3 == -2\n"
  "y7\n"
  "#endif\n"
  "#if ~0 == -1 && ~0u > 0\n"
  "y8\n"
  "#endif\n"
  "#if 'ab' == 24930\n"
  "y9\n"
  "#endif\n",
  "#define D defined(X)\n"
  "#define X\n"
  "#if D\n"
  "y\n"
  "#endif\n"
  "#ifdef X\n"
  "a\n"
  "#elifdef Y\n"
  "b\n"
  "#endif\n"
  "#ifdef Z\n"
  "#elifndef Q\n"
  "c\n"
  "#endif\n",
  "#if 0\n"
  "int a = 'x;\n"
  "\"unclosed\n"
  "# garbage\n"
  "#else junk\n"
  "z\n"
  "#endif junk\n",
  "int a;\n/* c\n"
  "c */ #define X 5\n"
  "X\n"
  "/* c */ #define Y 6\n"
  "Y\n"
  "/* m\n"
  "n */ # /* o */ define /* p */ Z /* q\n"
  "r */ 7\n"
  "Z\n",
  "#def\\\n"
  "ine A\\\n"
  "B 3\n"
  "A\\\n"
  "B A\\\n"
  "  B\n"
  "\"a\\\n"
  "b\" // x \\\n"
  " y\n"
  "z\n",
  "R\"(a\\\n"
  "b)\" R\"x()\" )x\" u8R\"(q)\" LR\"(z)\" a R\"(x\n"
  "#define N 1\n"
  ")\" N\n"
  "#define s(x) #x\n"
  "s(R\"(a\n"
  "b\"c)\")\n",
  "#define f(x) [x]\n"
  "f\n"
  "(1)\n"
  "f (2) f\n"
  "#define q 1\n"
  "q\n"
  "f /* c */ (3)\n"
  "f(\n"
  "#define in 9\n"
  "in\n"
  "#if 1\n"
  "+ 4\n"
  "#else\n"
  "5\n"
  "#endif\n"
  ")\n",
  "__LINE__ \n"
  "#line 50 \"a.c\"\n"
  "__LINE__\n"
  "#define L __LINE__\n"
  "L\n"
  "#define CAT(a,b) a##b\n"
  "#define XCAT(a,b) CAT(a,b)\n"
  "XCAT(v,__LINE__)\n"
  "L L\n"
  "#define G(a) __LINE__ a __LINE__\n"
  "G(\n"
  "1\n"
  ")\n"
  "G(__LINE__\n"
  "__LINE__\n"
  ") __LINE__\n"
  "#line 7\n"
  "__LINE__\n"
  "# 33 \"b.c\"\n"
  "__LINE__\n",
  "__COUNTER__ __COUNTER__ \n"
  "#define C2(a,b) a##b\n"
  "#define C(a,b) C2(a,b)\n"
  "C(x,__COUNTER__) __INCLUDE_LEVEL__\n",
  "#define S(x) #x\n"
  "#define X(x) S(x)\n"
  "#define L -__LINE__-\n"
  "X(+__LINE__) X(+ __LINE__+) X(<__COUNTER__>) X(< __COUNTER__ >) X([__INCLUDE_LEVEL__]) X([ __INCLUDE_LEVEL__ ])\n"
  "X(L) X(- L) S(-__LINE__) X(f(__LINE__,__COUNTER__))\n"
  "#line 7 \"a.c\"\n"
  "X((__FILE__)) X(( __FILE__ ))\n",
  "#define p(x) #x\n"
  "p(\"a\\n\" '\\\\' '\"')\n"
  "p(\\) p(a\\b) p(\\\\) p(\\ \\ \\) p(a\\) p(\\\\a)\n",
  "#include \"h.h\"\n"
  "#define H \"h.h\"\n"
  "#include H\n"
  "#define MORE \"h.h\" more f ( of it\n"
  "#define f(x) x\n"
  "#include MORE\n"
  "#include \"h.h\" \n"
  "#undef f\n"
  "#define S(x) #x\n"
  "#define XS(x) S(x)\n"
  "#include XS(h.h)\n"
  "# include /* x */ \"h.h\" // y\n"
  "#import \"h.h\"\n"
  "#import \"h.h\"\n"
  "#inc\\\n"
  "lude \"h.h\"\n"
  "/* */ #include \"once.h\"\n"
  "#include \"once.h\"\n"
  "#if __has_include(\"h.h\") && !__has_include(\"none.h\") && __has_include (  \"once.h\"  )\n"
  "has\n"
  "#endif\n",
  "%:define A(x) %:x\n"
  "A(1) <: :> <% %>\n"
  "%:ifdef A\n"
  "y\n"
  "%:endif\n"
  "%:define B(x,y) x%:%:y\n"
  "B(a,b)\n",
  "<:: <::> a<::b>\n"
  "+++ ---> a+++++b .. ... .5 1.e+5 0x1p-3 1e+ 1'2'3 1'\n",
  "#pragma push_macro(\"M\")\n"
  "#undef M\n"
  "#define M 2\n"
  "M\n"
  "#pragma pop_macro(\"M\")\n"
  "M\n"
  "#define M 1\n"
  "#pragma push_macro(\"M\")\n"
  "#define M 3\n"
  "M\n"
  "#pragma pop_macro(\"M\")\n"
  "M\n",
  "#define f(x,y) x+y\n"
  "f((1,2),3) f({1,2},3) f([a,b)\n"
  "#define g() k\n"
  "g() g( ) g(/**/)\n"
  "#define h(x) <x>\n"
  "h() h( ) h(\n"
  ")\n",
  "#define f(x) x f\n"
  "f(1)(2)(3)\n"
  "#define NIL(xxx) xxx\n"
  "#define G_0(arg) NIL(G_1)(arg)\n"
  "#define G_1(arg) NIL(arg)\n"
  "G_0(42)\n",
  "#define AA BB\n"
  "#define BB(x) CC(x\n"
  "#define CC(x) x\n"
  "AA(1))\n",
  "#define f(a,b) a##b\n"
  "#define ab AB\n"
  "#define xf f\n"
  "f(a,b) f(f(a,b),c) xf(a,\n"
  "b)\n"
  "#define cat(a,b) a ## b\n"
  "cat(cat(1,2),3)\n"
  "#define xcat(a,b) cat(a,b)\n"
  "xcat(xcat(1,2),3)\n",
  "#define LPAREN (\n"
  "#define RPAREN )\n"
  "#define F(x, y) x + y\n"
  "#define ELLIP_FUNC(...) __VA_ARGS__\n"
  "ELLIP_FUNC(F, LPAREN, 'a', 'b', RPAREN);\n",
  "#define i(x) h(x\n"
  "#define h(x) x(void)\n"
  "extern int i(i));\n",
  "#define k(x) a x b\n"
  "-k(-)- +k(+)+ k(=)=\n"
  "#define m -\n"
  "-m- a-m b\n",
  "#if __LINE__ == 1\n"
  "y\n"
  "#endif\n"
  "#if defined X || 1\n"
  "#endif extra\n"
  "#\n"
  "# \n"
  "#ifndef Q\n"
  "#ifdef Q\n"
  "#else\n"
  "z\n"
  "#endif\n"
  "#endif\n",
  "#ifdef A\n"
  "#if garbage (\n"
  "#elif also (\n"
  "#endif\n"
  "#else\n"
  "x\n"
  "#endif\n"
  "#if 1\n"
  "#elif 1/0\n"
  "#endif\n",
  "#error x\n",
  "#if 1\n",
  "#endif\n",
  "#else\n",
  "#if\n"
  "#endif\n",
  "#if 1/0\n"
  "#endif\n",
  "#if 1 +\n"
  "#endif\n",
  "#define f(x) x\n"
  "f(1\n",
  "#define f(x) #y\n",
  "#define f(x,x) x\n",
  "#define a ##b\n",
  "#define a b##\n",
  "#foo\n",
  "#define f(x) x\n"
  "f(1,2)\n",
  "#define f(x,y) x\n"
  "f(1)\n",
  "#if 1.0\n"
  "#endif\n",
  "#if (1\n"
  "#endif\n",
  "#define\n",
  "#define 3\n",
  "#ifdef\n"
  "#endif\n",
  "#include\n",
  "#include \"none.h\"\n",
  "#define x(a) a##+\n"
  "x(1)\n",
  "#define c(a,b) a##b\n"
  "c(/,/)\n",
  "#line x\n",
  "#if \"a\"\n"
  "#endif\n",
  "#define defined\n",
  "#if 1 //c\n"
  "y /* */\n"
  "#endif /* x */\n"
  "#define f(x) f\n"
  "f(1) f\n",
  "#define str(...) #__VA_ARGS__\n"
  "str( a , b ,c ) str() str(a,,b) str(\"x\" \"y\")\n"
  "#define v(x, ...) str(__VA_ARGS__) str(x)\n"
  "v(a) v(a,b , c)\n",
  "#define a(x) x b\n"
  "#define b(x) x a\n"
  "a(1)(2)(3)(4)(5)\n",
  "#define v(x, ...) x , ## __VA_OPT__(y)\n"
  "v(1) v(2,)\n",
  "#define v(x, ...) x , ## __VA_OPT__(y)\n"
  "v(1,2)\n",
  "#define one(x) x\n"
  "#define v(x, ...) __VA_OPT__(x) end\n"
  "v(one(1, 2))\n",
  "#define v(x, ...) __VA_OPT__(x) end\n"
  "v(__COUNTER__) __COUNTER__ v(__COUNTER__,1) __COUNTER__\n",
  "#define v(x, ...) x , ## #x\n"
  "v(1)\n",
  "#define v(x, ...) x , ## #__VA_ARGS__\n"
  "v(1,2)\n",
  "L\"x\" u8\"y\" U'c' u8'd' \"s\"_km 1.5_km 'c'_x\n",
  "#define A B C\n"
  "#define B(x) [x]\n"
  "#define C (1)\n"
  "A\n"
  "#define X(x) B x\n"
  "X((1)) X(C)\n",
  "#define FOO() BAR\n"
  "#define BAR() BAZ\n"
  "FOO()() FOO ( ) ()\n"
  "FOO\n",
};

/* The standard's examples, GCC's extensions, and mistakes. */
static void
test_preprocessor_cases (PreprocessorFixture *self, gconstpointer data)
{
  g_autofree char *header = preprocessor_fixture_write (self, "h.h", "H in __INCLUDE_LEVEL__ __LINE__\n");
  g_autofree char *once = preprocessor_fixture_write (self, "once.h", "#pragma once\nONCE\n");

  if (!preprocessor_has_compiler ())
    return;
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autofree char *path = preprocessor_fixture_write (self, "t.cu", cases[i]);

      preprocessor_check_same (path);
    }
}

/* A random text: macros of a few names that use each other, and uses of them. */
static const char *
pick (const char *const *words)
{
  return words[g_test_rand_int_range (0, g_strv_length ((char **) words))];
}

static const char *const names[] = { "a", "b", "c", "f", "g", "h", "x", "ab", "fx", NULL };

static void
append_call (GString *out, guint depth)
{
  static const char *const plain[] = { "1", "+", "(x, y)", "\"q\\n\" ", "'c' ", ".", "[", NULL };
  static const char *const blanks[] = { " ", " ", "\n", "/* c */", NULL };

  for (gint i = g_test_rand_int_range (0, 4); i > 0; i--)
    {
      g_string_append (out, pick (blanks));
      if (depth == 0 || g_test_rand_int_range (0, 3) == 0)
        {
          g_string_append (out, g_test_rand_bit () ? pick (plain) : pick (names));
          continue;
        }
      g_string_append_printf (out, "%s%s(", pick (names), pick (blanks));
      append_call (out, depth - 1);
      for (gint n = g_test_rand_int_range (0, 3); n > 0; n--)
        {
          g_string_append_c (out, ',');
          append_call (out, depth - 1);
        }
      g_string_append_c (out, ')');
    }
}

static void
append_macro (GString *out)
{
  static const char *const heads[] = { "", "(p)", "(p, q)", "()", "(...)", "(p, ...)", NULL };
  const char *head = pick (heads);
  gboolean p = strstr (head, "p") != NULL, q = strstr (head, "q") != NULL, rest = strstr (head, "...") != NULL;
  const char *const uses[] = { p ? "p" : "1",
                               p ? "#p" : "+",
                               p ? "p ## a" : "-",
                               p ? "x##p" : "*",
                               q ? "p##q" : ";",
                               q ? "q" : ".",
                               rest ? "__VA_ARGS__" : "2",
                               rest ? ", ##__VA_ARGS__" : ",",
                               rest ? "#__VA_ARGS__" : "=",
                               rest ? "__VA_OPT__ (, p)" : "z",
                               NULL };

  g_string_append_printf (out, "#define %s%s", pick (names), head);
  for (gint i = g_test_rand_int_range (0, 6); i > 0; i--)
    g_string_append_printf (out, " %s", g_test_rand_bit () ? pick (uses) : pick (names));
  g_string_append_c (out, '\n');
}

static void
append_condition (GString *out, guint depth)
{
  static const char *const values[] = { "0",
                                        "1",
                                        "2",
                                        "-1",
                                        "3u",
                                        "0x7fffffffffffffff",
                                        "18446744073709551615",
                                        "x",
                                        "defined a",
                                        "defined (f)",
                                        "'a'",
                                        "010",
                                        "0b11",
                                        "true",
                                        "__LINE__",
                                        NULL };
  static const char *const operators[] = { "+",  "-",  "*", "/", "%", "<<", ">>", "<",   ">",  "<=", ">=",
                                           "==", "!=", "&", "|", "^", "&&", "||", "and", "or", NULL };
  static const char *const signs[] = { "!", "~", "-", "+", NULL };

  switch (depth == 0 ? 0 : g_test_rand_int_range (0, 5))
    {
    case 0:
      g_string_append (out, pick (values));
      break;
    case 1:
      g_string_append_printf (out, "%s ", pick (signs));
      append_condition (out, depth - 1);
      break;
    case 2:
      g_string_append_c (out, '(');
      append_condition (out, depth - 1);
      g_string_append (out, " ? ");
      append_condition (out, depth - 1);
      g_string_append (out, " : ");
      append_condition (out, depth - 1);
      g_string_append_c (out, ')');
      break;
    default:
      append_condition (out, depth - 1);
      g_string_append_printf (out, " %s ", pick (operators));
      append_condition (out, depth - 1);
    }
}

static void
test_preprocessor_random (PreprocessorFixture *self, gconstpointer data)
{
  if (!preprocessor_has_compiler ())
    return;
  for (guint round = 0; round < 60; round++)
    {
      g_autoptr (GString) text = g_string_new (NULL);
      g_autofree char *path = NULL;

      for (guint i = 0; i < 6; i++)
        append_macro (text);
      for (guint i = 0; i < 3; i++)
        {
          append_call (text, 3);
          g_string_append (text, "\n#if ");
          append_condition (text, 4);
          g_string_append_printf (text, "\nyes%u\n#else\nno%u\n#endif\n#undef %s\n", i, i, pick (names));
          append_macro (text);
        }
      path = preprocessor_fixture_write (self, "t.cu", text->str);
      preprocessor_check_same (path);
    }
}

/* What nvcc makes of what it defines itself. */
static void
test_preprocessor_nvcc (PreprocessorFixture *self, gconstpointer data)
{
  static const char text[] =
    "MARK\n"
    "#if defined(__CUDACC__) && defined(__NVCC__) && __CUDACC_VER_MAJOR__ >= 9 && CUDART_VERSION >= 9000\n"
    "cuda\n#endif\n#ifdef __linux__\nlinux_\n#endif\n#ifdef _WIN32\nwindows\n#endif\n"
    "#ifdef __GNUC__\ngnu\n#endif\n#if __cplusplus >= 201703L\nnew_\n#endif\n"
    "#ifdef __LP64__\nlong_\n#endif\n#ifdef _MSC_VER\nmsc\n#endif\n"
    "#if defined(__cpp_if_constexpr) && defined __cpp_fold_expressions\nfold\n#endif\n"
    "#if __has_cpp_attribute(nodiscard) && __has_include(<cuda_runtime.h>)\nhas\n#endif\n";
  g_autofree char *nvcc = g_find_program_in_path ("nvcc"), *path = preprocessor_fixture_write (self, "t.cu", text);
  const char *const command[] = { nvcc != NULL ? nvcc : "/usr/local/cuda/bin/nvcc", "-std=c++17", "-E", path, NULL };
  g_autofree char *out = NULL, *expected = NULL, *found = NULL;
  g_autoptr (GError) error = NULL;

  if (!g_file_test (command[0], G_FILE_TEST_IS_EXECUTABLE))
    {
      g_test_skip ("no nvcc");
      return;
    }
  g_assert_true (g_spawn_sync (NULL, (char **) command, NULL, 0, NULL, NULL, &out, NULL, NULL, NULL));
  g_assert_nonnull (g_strrstr (out, "MARK"));
  expected = preprocessor_dup_tokens (g_strrstr (out, "MARK"));
  found = preprocessor_dup_own_tokens (path, &error);
  g_assert_no_error (error);
  g_assert_cmpstr (found, ==, expected);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  preprocessor_fixture_add ("cases", test_preprocessor_cases);
  preprocessor_fixture_add ("random", test_preprocessor_random);
  preprocessor_fixture_add ("nvcc", test_preprocessor_nvcc);
  return g_test_run ();
}
