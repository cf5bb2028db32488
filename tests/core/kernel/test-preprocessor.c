/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-kernel-token-private.h"
#include "preprocessor-fixture.h"

#include <string.h>

/* What the preprocessor of kernel files says of places, and what it refuses or leaves to compilers. */

/* Places are those of the user's file, behind macros, directives and what was left out too. */
static void
test_preprocessor_places (PreprocessorFixture *self, gconstpointer data)
{
  static const struct
  {
    const char *text;
    const char *place;
  } rows[] = {
    { "#define A 1\n\n__global__ void k (int **x) {}\n", "t.cu:3:26: " },
    { "#define T int\n__global__ void k (T a, T **x) {}\n", "t.cu:2:29: " },
    { "#define T unsigned long long\n__global__ void k (T a, int **x) {}\n", "t.cu:2:31: " },
    { "#define T int **x\n__global__ void k (int a, T) {}\n", "t.cu:2:27: " },
    { "#if 0\n\n\n#endif\n__global__ void k (int **x) {}\n", "t.cu:5:26: " },
    { "#define P(a, b) a, b\n__global__ void k (P (int a,\n   int **x)) {}\n", "t.cu:3:" },
    { "int a\\\nb;\n__global__ void k (int **x) {}\n", "t.cu:3:26: " },
    { "#line 70 \"lex.l\"\n__global__ void k (int **x) {}\n", "lex.l:70:26: " },
    { "/* a\nb */ __global__ void k (int **x) {}\n", "t.cu:2:31: " },
  };
  g_autoptr (GString) skipped = g_string_new ("#if 0\n");

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;
      g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", rows[i].text, &error);

      g_assert_no_error (error);
      g_assert_null (leat_kernel_source_get_prototype (source, NULL, &error));
      if (!g_str_has_prefix (error->message, rows[i].place))
        g_error ("\"%s\" is not at %s:\n%s", error->message, rows[i].place, rows[i].text);
    }
  for (guint i = 0; i < 1000; i++)
    g_string_append (skipped, "nothing\n");
  g_string_append (skipped, "#endif\n__global__ void k (int **x) {}\n");
  {
    g_autoptr (GError) error = NULL;
    g_autoptr (LeatKernelSource) source = leat_kernel_source_new ("t.cu", skipped->str, &error);

    g_assert_no_error (error);
    g_assert_null (leat_kernel_source_get_prototype (source, NULL, &error));
    g_assert_true (g_str_has_prefix (error->message, "t.cu:1003:26: "));
  }
}

static void
append_nested (GString *out, const char *call, const char *inner, guint depth)
{
  for (guint i = 0; i < depth; i++)
    g_string_append (out, call);
  g_string_append (out, inner);
  for (guint i = 0; i < depth; i++)
    g_string_append_c (out, ')');
  g_string_append_c (out, '\n');
}

/* What has no end by itself is ended. */
static void
test_preprocessor_bounds (PreprocessorFixture *self, gconstpointer data)
{
  g_autoptr (GString) bomb = g_string_new ("#define A0 x x\n"), nothing = g_string_new ("#define A0\n");
  g_autoptr (GString) deep = g_string_new ("#define f(x) x\n"), paren = g_string_new ("#if ");
  g_autofree char *loop = preprocessor_fixture_write (self, "loop.cu", "#include \"loop.cu\"\n");
  g_autoptr (GString) joined = g_string_new ("#define a(x) x ## x\n#define b(x) a (x)\n");
  g_autoptr (GString) quoted = g_string_new ("#define a(x) #x\n#define b(x) a (x)\n");
  g_autoptr (GString) wide = g_string_new ("#define a(p0");
  const GString *texts[] = { bomb, nothing, deep, paren, joined, quoted, wide };
  static const char *const messages[] = { "MiB of kernel text",         "expanded more than",
                                          "nested more than",           "nested too deep",
                                          "this macro makes tokens of", "this macro makes tokens of",
                                          "more than 4096 parameters" };

  for (guint i = 1; i < 60; i++)
    {
      g_string_append_printf (bomb, "#define A%u A%u A%u\n", i, i - 1, i - 1);
      g_string_append_printf (nothing, "#define A%u A%u A%u\n", i, i - 1, i - 1);
    }
  g_string_append (bomb, "A59\n");
  g_string_append (nothing, "A59\n");
  append_nested (deep, "f(", "", 5000);
  for (guint i = 0; i < 5000; i++)
    g_string_append_c (paren, '(');
  g_string_append (paren, "1\n#endif\n");
  /* Without a bound they would be one token of a gigabyte. */
  append_nested (joined, "b (", "x", 30);
  append_nested (quoted, "b (", "\"\"", 30);
  for (guint i = 1; i <= 4096; i++)
    g_string_append_printf (wide, ", p%u", i);
  g_string_append (wide, ") p4096\n");
  for (guint i = 0; i < G_N_ELEMENTS (texts); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_kernel_text_new ("t.cu", texts[i]->str, NULL, &error));
      if (strstr (error->message, messages[i]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, messages[i]);
    }
  {
    g_autoptr (GError) error = NULL;

    g_assert_null (leat_kernel_source_new_from_file (loop, &error));
    g_assert_nonnull (strstr (error->message, "includes itself"));
  }
}

/* All of a file that is too large is, from its first line on. */
static void
test_preprocessor_bounds_files (PreprocessorFixture *self, gconstpointer data)
{
  g_autofree char *blanks = g_strnfill ((16 << 20) + 1, ' ');
  g_autoptr (GError) error = NULL;

  g_assert_null (leat_kernel_text_new ("t.cu", blanks, NULL, &error));
  g_assert_cmpstr (error->message, ==, "t.cu:1: more than 16 MiB of kernel text");
}

/* Files that a compiler would look for, or that are none of C++. */
static void
test_preprocessor_refuses (PreprocessorFixture *self, gconstpointer data)
{
  static const char *const rows[][2] = {
    { "#include_next <x.h>\n", "t.cu:1:2: #include_next: there is no next folder" },
    { "#embed \"x\"\n", "t.cu:1:2: #embed: bytes of other files" },
    { "#if __has_include_next (<x.h>)\n#endif\n", "there is no next folder" },
    { "\n#error do this\n", "t.cu:2:2: #error do this" },
    { "#if 1\n\n", "t.cu:1: this condition has no #endif" },
    { "#define f(x) x\n\nf (1\n", "t.cu:3:1: the arguments of the macro \"f\" have no end" },
    { "#define f(x, y) x\n f (1)\n", "t.cu:2:2: the macro \"f\" takes 2 arguments and is given 1" },
    { "#if 3 +\n#endif\n", "t.cu:1:4: this condition cannot be evaluated" },
    { "#define HASH #\nHASH include \"t.h\"\n", "t.cu:2:1: this \"#\" is not a directive" },
    { "#define f(x) x\nf (\n#include \"t.h\"\n)\n", "t.cu:3: a file cannot be included between the arguments" },
    { "#line 7 \"u.cu\"\n#include \"none.h\"\n", "u.cu:7: cannot include \"none.h\"" },
    { "#line 7 \"u.cu\"\n#include <leat-none.h>\n", "u.cu:7: cannot include <leat-none.h>" },
    /* Blanks are those that the macros were written with. */
    { "#define H <leat-__LINE__.h>\n#include H\n", "t.cu:2: cannot include <leat-2.h>" },
    { "#define H <leat - __LINE__/__COUNTER__ __COUNTER__.h>\n#include H\n", "cannot include <leat - 2/0 1.h>" },
    { "#line 7 \"u.cu\"\n#include\n", "u.cu:7: expected \"file\" after #include" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autoptr (GError) error = NULL;

      g_assert_null (leat_kernel_source_new ("t.cu", rows[i][0], &error));
      g_assert_cmpint (error->domain, ==, LEAT_KERNEL_ERROR);
      if (strstr (error->message, rows[i][1]) == NULL)
        g_error ("\"%s\" does not say \"%s\"", error->message, rows[i][1]);
    }
}

/* A pragma of a loop keeps its place, with its macros expanded; the rest of the directives is gone. */
static void
test_preprocessor_pragmas (PreprocessorFixture *self, gconstpointer data)
{
  static const char text[] =
    "#define N 4\n#define UNROLL _Pragma (\"unroll\")\n__global__ void k (int *x)\n{\n#pragma unroll N\n"
    "  for (int i = 0; i < 4; i++) x[i] = i;\n  UNROLL for (int i = 0; i < 4; i++) x[i] = i;\n}\n"
    "#pragma GCC dependency \"t.cu\"\n";
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelText) made = leat_kernel_text_new ("t.cu", text, NULL, &error);

  g_assert_no_error (error);
  g_assert_nonnull (strstr (made->text, "\n#pragma unroll 4\n"));
  g_assert_nonnull (strstr (made->text, "#pragma unroll\n"));
  g_assert_null (strstr (made->text, "define"));
  g_assert_null (strstr (made->text, "dependency"));
  g_assert_null (strstr (made->text, "_Pragma"));
}

/* Macros that are given count as those of the file do. */
static void
test_preprocessor_defines (PreprocessorFixture *self, gconstpointer data)
{
  static const char *const defines[] = { "ONE", "N=16", "F(x)=x + N", "EMPTY=", NULL }, *const bad[] = { "3=x", NULL };
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelText) made = leat_kernel_text_new ("t.cu", "ONE F (2) [EMPTY]\n", defines, &error);
  g_autofree char *tokens = NULL;

  g_assert_no_error (error);
  tokens = preprocessor_dup_tokens (made->text);
  g_assert_cmpstr (tokens, ==, "1\n2\n+\n16\n[\n]\n");
  g_assert_null (leat_kernel_text_new ("t.cu", "", bad, &error));
  g_assert_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_SYNTAX);
  g_assert_nonnull (strstr (error->message, "cannot define \"3=x\""));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  preprocessor_fixture_add ("places", test_preprocessor_places);
  preprocessor_fixture_add ("bounds", test_preprocessor_bounds);
  preprocessor_fixture_add ("bounds/files", test_preprocessor_bounds_files);
  preprocessor_fixture_add ("refuses", test_preprocessor_refuses);
  preprocessor_fixture_add ("pragmas", test_preprocessor_pragmas);
  preprocessor_fixture_add ("defines", test_preprocessor_defines);
  return g_test_run ();
}
