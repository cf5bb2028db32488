/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include <leat.h>

#include "kernel/leat-image-values-private.h"

#include <string.h>

/* Of types that the text is not made for there is none. */
static void
test_values_text_conversions (void)
{
  static const struct
  {
    const char *from, *to;
    gboolean is_known;
  } rows[] = {
    { "float", "i8", TRUE },   { "float", "i64", TRUE },        { "double", "i32", TRUE },
    { "float", "i24", FALSE }, { "float", "<4 x i32>", FALSE }, { "double", "i128", FALSE },
    { "half", "i32", FALSE },  { "<4 x float>", "i32", FALSE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = NULL;
      g_autofree char *name = leat_image_values_dup_conversion ("fptosi", rows[i].from, rows[i].to, &text);

      g_test_message ("%s to %s", rows[i].from, rows[i].to);
      g_assert_true ((name != NULL) == rows[i].is_known);
    }
}

/* How wide a division is, and what else is made of it, decides what it gives by zero. */
static void
test_values_text_by_zero (void)
{
  static const struct
  {
    const char *type;
    LeatValuesFlags flags;
    const char *none;
  } rows[] = {
    { "i32", 0, "%none = add i32 0, -1" },
    { "i64", 0, "%none = select i1 %short, i64 4294967295, i64 -1" },
    { "i32", LEAT_VALUES_SHORT, "%none = add i32 0, 65535" },
    { "i64", LEAT_VALUES_SHORT, "%none = add i64 0, 65535" },
    { "i32", LEAT_VALUES_PAIRED, "%none = add i32 0, %x" },
    { "i64", LEAT_VALUES_PAIRED | LEAT_VALUES_SHORT, "%none = add i64 0, %x" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_autofree char *text = NULL;
      g_autofree char *name = leat_image_values_dup_operation ("urem", rows[i].type, "%3", rows[i].flags, &text);

      g_assert_nonnull (name);
      if (strstr (text, rows[i].none) == NULL)
        g_error ("%s is not in %s", rows[i].none, text);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/leat/image-values-text/conversions", test_values_text_conversions);
  g_test_add_func ("/leat/image-values-text/by-zero", test_values_text_by_zero);
  return g_test_run ();
}
