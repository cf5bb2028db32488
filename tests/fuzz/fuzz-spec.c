/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "leat-fuzz.h"

#include "leat.h"

const char *const leat_fuzz_words[] = {
  "u8",
  "f32",
  "bf16",
  "f8e4m3",
  "f8e5m2",
  "c64",
  "c128",
  "bool",
  "any",
  "[",
  "]",
  "[]",
  "<=",
  "*",
  ",",
  ":",
  "x",
  "max",
  "4M",
  "18446744073709551615",
  "0",
  "n",
  "h,w",
  "3",
  "{",
  "}",
  "+",
  "@",
  "@8",
  "x:f32",
  "{a:u8,b:f32@4,@8}",
  "{p:{x:f32}[2]}",
  NULL,
};

static void
check_again (LeatSpec *spec, LeatSpecStyle style)
{
  g_autofree char *text = leat_spec_to_string (spec, style);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSpec) again = leat_spec_parse (text, &error);

  g_assert_no_error (error);
  g_assert_true (leat_spec_equal (spec, again));
}

/* Fields lie in the item, one behind the other, and are found by their names. */
static void
check_fields (LeatSpec *spec)
{
  guint64 end = 0;

  for (guint i = 0; i < leat_spec_get_n_fields (spec); i++)
    {
      LeatSpec *field = leat_spec_get_field_spec (spec, i);
      g_autoptr (LeatSpec) found = NULL;
      guint64 offset;

      g_assert_true (leat_spec_is_fixed (field));
      g_assert_cmpuint (leat_spec_get_field_offset (spec, i), >=, end);
      end = leat_spec_get_field_offset (spec, i) + leat_spec_get_bytes (field);
      found = leat_spec_find_field (spec, leat_spec_get_field_name (spec, i), &offset, NULL);
      g_assert_cmpint (found != NULL, ==, leat_spec_get_n_dims (field) == 0);
      g_assert_true (found == NULL || offset == leat_spec_get_field_offset (spec, i));
      check_fields (field);
    }
  g_assert_cmpuint (leat_spec_get_item_bytes (spec), >=, end);
}

int
LLVMFuzzerTestOneInput (const guint8 *data, gsize size)
{
  g_autofree char *text = g_strndup ((const char *) data, size);
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatSpec) spec = leat_spec_parse (text, &error);
  g_autoptr (LeatSpec) both = NULL;

  g_assert_cmpint (spec == NULL, ==, error != NULL);
  if (spec == NULL)
    {
      g_assert_true (g_utf8_validate (error->message, -1, NULL));
      return 0;
    }
  check_again (spec, LEAT_SPEC_STYLE_FILE);
  check_again (spec, LEAT_SPEC_STYLE_SHELL);
  check_fields (spec);
  both = leat_spec_intersect (spec, spec, NULL);
  g_assert_nonnull (both);
  g_assert_true (leat_spec_equal (both, spec));
  if (leat_spec_is_fixed (spec) && leat_spec_get_dtype (spec) != LEAT_DTYPE_ANY)
    g_assert_cmpuint (leat_spec_get_bytes (spec), >=, leat_spec_get_items (spec));
  return 0;
}
