/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "kernel/leat-kernel-source-private.h"

#include <string.h>
#include <unistd.h>

/* The preprocessor of kernel files: whatever it is given, it ends, and leaves no directive by which a compiler would
 * open a file or choose among lines.  tests/core/kernel/test-preprocessor.c holds what it gives against compilers. */

#define FUZZ_PREPROCESSOR_SECONDS 20

const char *const leat_fuzz_words[] = {
  "\n#define A ",
  "\n#define B(x) ",
  "\n#define C(x, ...) ",
  "\n#define D A A\n",
  "\n#undef A\n",
  "A",
  "B (",
  "C (",
  ")",
  ",",
  "#x",
  "x ## ",
  " ## ",
  "__VA_ARGS__",
  "__VA_OPT__ (",
  "\n#if ",
  "\n#ifdef A\n",
  "\n#ifndef B\n",
  "\n#elif ",
  "\n#else\n",
  "\n#endif\n",
  "\n#elifdef A\n",
  "defined (A)",
  "__has_include (",
  "<vector>",
  "\"t.cu\"",
  "\n#include ",
  "\n#import \"t.cu\"\n",
  "\n#pragma once\n",
  "_Pragma (\"unroll\")",
  "\n#pragma push_macro (\"A\")\n",
  "\n#pragma pop_macro (\"A\")\n",
  "\n#line 3 \"a\"\n",
  "\n# 7 \"b\"\n",
  "__LINE__",
  "__FILE__",
  "__COUNTER__",
  "\\\n",
  "\\  \n",
  "/*",
  "*/",
  "//",
  "\"",
  "'",
  "R\"(",
  ")\"",
  "%:",
  "%:%:",
  "<::",
  "0x7fffffffffffffff",
  "18446744073709551615u",
  "1 / 0",
  "? :",
  "&&",
  "||",
  "<<",
  "and",
  "'\\377'",
  "1'000",
  "INFINITY",
  "assert (",
  "\n#undef NULL\n",
  "__CUDA_ARCH__",
  "LEAT_HOST",
  "#",
  "\n#",
  NULL,
};

/* Of the lines outside of strings and comments that hold several. */
static void
check_directives (const char *text)
{
  static const char *const known[] = { "#line ", "#pragma ", "#undef " };

  if (strstr (text, "R\"") != NULL || strstr (text, "/*") != NULL || strstr (text, "\\\n") != NULL)
    return;
  for (const char *p = text; p != NULL && *p != '\0'; p = strchr (p, '\n') != NULL ? strchr (p, '\n') + 1 : NULL)
    {
      const char *word = p + strspn (p, " \t\v\f\r");
      gboolean good = *word != '#';

      for (guint i = 0; i < G_N_ELEMENTS (known); i++)
        good = good || g_str_has_prefix (word, known[i]);
      g_assert_true (good);
    }
}

static void
check_text (const LeatKernelText *made)
{
  guint before = 0;

  check_directives (made->text);
  g_assert_cmpuint (made->files->len, ==, made->labels->len);
  for (guint i = 0; i < made->spots->len; i++)
    {
      const LeatKernelSpot *spot = &g_array_index (made->spots, LeatKernelSpot, i);

      g_assert_cmpuint (spot->offset, >=, before);
      g_assert_cmpuint (spot->offset, <, strlen (made->text));
      before = spot->offset;
    }
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  static const char *const defines[] = { "E=A", "F(x)=x x", NULL };
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatKernelText) made = NULL, again = NULL;

  /* A text that takes this long hangs. */
  alarm (FUZZ_PREPROCESSOR_SECONDS);
  made = leat_kernel_text_new ("/nowhere/t.cu", text, defines, &error);
  if (made == NULL)
    {
      g_assert_true (error->domain == LEAT_KERNEL_ERROR);
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  check_text (made);
  again = leat_kernel_text_new ("/nowhere/t.cu", text, defines, NULL);
  g_assert_cmpstr (made->text, ==, again->text);
  g_assert_true (made->hash == again->hash);
  return 0;
}
