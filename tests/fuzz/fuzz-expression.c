/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-base-expression.h"
#include "leat-fuzz.h"

const char *const leat_fuzz_words[] = {
  "x",  "y", "2",   "0x1F", "1.5e-3", "min",   "sqrt",   "fma",   "(",    ")",    ",",  "?", ":",  "<<",
  "&&", "-", "int", " ",    "((((",   "real(", "imag (", "conj(", "abs(", "real", "==", "<", NULL,
};

/* The text for a kernel as an expression again: what a division has become takes two arguments too. */
static char *
dup_expression (const char *c)
{
  GString *text = g_string_new (c);

  g_string_replace (text, "leat_quotient (", "min(", 0);
  g_string_replace (text, "leat_rest (", "max(", 0);
  g_string_replace (text, "<< leat_by ()", "", 0);
  g_string_replace (text, ">> leat_by ()", "", 0);
  return g_string_free (text, FALSE);
}

/* What is accepted for a kernel is accepted again with all of its names known, and names and numbers are not lost. */
int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  const char *const inputs[] = { NULL };
  static const LeatDtype dtypes[] = { LEAT_DTYPE_F32, LEAT_DTYPE_I32, LEAT_DTYPE_C64, LEAT_DTYPE_BF16 };
  const LeatDtype dtype = dtypes[size % G_N_ELEMENTS (dtypes)];
  const LeatExpressionTypes types = { inputs, NULL, dtype, TRUE, size % 3 == 0 ? dtype : LEAT_DTYPE_ANY };
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatExpression) expression = leat_expression_parse (text, &error);
  g_autoptr (LeatExpression) again = NULL;
  g_autofree char *c = NULL, *back = NULL;

  g_assert_cmpint (expression == NULL, ==, error != NULL);
  if (expression == NULL)
    {
      g_assert_cmpuint (strlen (error->message), <, 400);
      g_assert_true (g_utf8_validate (error->message, -1, NULL) || !g_utf8_validate (text, -1, NULL));
      return 0;
    }
  leat_expression_check_types (expression, &types, NULL);
  c = leat_expression_to_c (expression, inputs, NULL, NULL, FALSE);
  back = dup_expression (c);
  if (strlen (back) > 16384)
    return 0; /* spaces have been put in */
  again = leat_expression_parse (back, &error);
  g_assert_no_error (error);
  g_assert_true (g_strv_equal (leat_expression_list_names (expression), leat_expression_list_names (again)));
  return 0;
}
