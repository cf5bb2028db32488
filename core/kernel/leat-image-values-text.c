/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The values that a GPU gives, as functions for LLVM that are inlined before anything is made of them; without
 * branches, so that loops over them become vector code.  tests/plugins/cpu/values-recorded.h is what they are held
 * against. */

#include "leat-image-values-private.h"

#include <string.h>

/* PTX's cvt.rzi: the nearest number of a type of 32 bits at least.  A narrow one takes the lower bits of that.  Each
 * comparison with its choice is a minimum or maximum to most processors; NaN is below everything here. */
static const char leat_values_signed[] = "define internal $to @$name($from %x) alwaysinline nounwind {\n"
                                         "  %over = fcmp ogt $from %x, -$half\n"
                                         "  %up = select i1 %over, $from %x, $from -$half\n"
                                         "  %above = fcmp oge $from %x, $half\n"
                                         "  %inside = select i1 %above, $from 0.0, $from %up\n"
                                         "  %whole = fptosi $from %inside to $wide\n"
                                         "  %all = select i1 %above, $wide $most, $wide %whole\n"
                                         "$nan"
                                         "  %r = $narrow $wide %a to $to\n"
                                         "  ret $to %r\n"
                                         "}\n";

static const char leat_values_unsigned[] = "define internal $to @$name($from %x) alwaysinline nounwind {\n"
                                           "  %over = fcmp ogt $from %x, 0.0\n"
                                           "  %up = select i1 %over, $from %x, $from 0.0\n"
                                           "  %upper = fcmp oge $from %up, $half\n"
                                           "  %above = fcmp oge $from %up, $full\n"
                                           "  %less = fsub $from %up, $half\n"
                                           "  %part = select i1 %upper, $from %less, $from %up\n"
                                           "  %inside = select i1 %above, $from 0.0, $from %part\n"
                                           "  %whole = fptosi $from %inside to $wide\n"
                                           "  %top = select i1 %upper, $wide $least, $wide 0\n"
                                           "  %both = xor $wide %whole, %top\n"
                                           "  %all = select i1 %above, $wide -1, $wide %both\n"
                                           "$nan"
                                           "  %r = $narrow $wide %a to $to\n"
                                           "  ret $to %r\n"
                                           "}\n";

static const char leat_values_nan[] = "  %none = fcmp uno $from %x, %x\n"
                                      "  %a = select i1 %none, $wide $instead, $wide %all\n";
static const char leat_values_nan_is_right[] = "  %a = add $wide %all, 0\n";

/* PTX's shl and shr: the amount is the lower 32 bits, without a sign, and the width or more moves everything out. */
static const char leat_values_shift[] = "define internal $type @$name($type %x, $type %y) alwaysinline nounwind {\n"
                                        "  %n = and $type %y, $mask\n"
                                        "  %inside = icmp ult $type %n, $bits\n"
                                        "  %by = select i1 %inside, $type %n, $type 0\n"
                                        "  %moved = $operation $type %x, %by\n"
                                        "  %out = ashr $type $sign, $last\n"
                                        "  %r = select i1 %inside, $type %moved, $type %out\n"
                                        "  ret $type %r\n"
                                        "}\n";

/* The least number divided by -1 is itself, with nothing left, as it is divided by 1. */
static const char leat_values_division[] = "define internal $type @$name($type %x, $type %y) alwaysinline nounwind {\n"
                                           "  %zero = icmp eq $type %y, 0\n"
                                           "  %least = shl $type 1, $last\n"
                                           "  %x.least = icmp eq $type %x, %least\n"
                                           "  %y.minus = icmp eq $type %y, -1\n"
                                           "  %both = and i1 %x.least, %y.minus\n"
                                           "  %large = and i1 %both, $signed\n"
                                           "  %odd = or i1 %zero, %large\n"
                                           "  %by = select i1 %odd, $type 1, $type %y\n"
                                           "  %result = $operation $type %x, %by\n"
                                           "$by.zero"
                                           "  %r = select i1 %zero, $type %none, $type %result\n"
                                           "  ret $type %r\n"
                                           "}\n";

/* By zero, which is said nowhere: all bits of the result, as they were seen.  There is no division of 64 bits, and
 * where both sides have none above 32 it is done with 32; where it is known of both that they have none above 16,
 * with 16. */
static const char leat_values_by_zero[] = "  %none = add $type 0, -1\n";
static const char leat_values_long_by_zero[] = "  %high = lshr i64 %x, 32\n"
                                               "  %short = icmp eq i64 %high, 0\n"
                                               "  %none = select i1 %short, i64 4294967295, i64 -1\n";
static const char leat_values_paired_by_zero[] = "  %none = add $type 0, %x\n";
static const char leat_values_short_by_zero[] = "  %none = add $type 0, 65535\n";

/* 32 for "i32", 0 for what is no type of whole numbers. */
static guint
leat_image_values_get_bits (const char *type)
{
  guint64 bits;

  return type[0] == 'i' && g_ascii_string_to_unsigned (type + 1, 10, 1, 128, &bits, NULL) ? bits : 0;
}

/* Replaces words of @text by what follows each, up to NULL. */
G_GNUC_NULL_TERMINATED
static char *
leat_image_values_fill (const char *text, ...)
{
  GString *out = g_string_new (text);
  const char *word;
  va_list args;

  va_start (args, text);
  while ((word = va_arg (args, const char *)) != NULL)
    g_string_replace (out, word, va_arg (args, const char *), 0);
  va_end (args);
  return g_string_free (out, FALSE);
}

/* 2 to the power of @exponent as a number that either floating-point type holds. */
static char *
leat_image_values_dup_power (guint exponent)
{
  char digits[G_ASCII_DTOSTR_BUF_SIZE];
  double power = 1;

  for (guint i = 0; i < exponent; i++)
    power *= 2;
  return g_strdup (g_ascii_formatd (digits, sizeof digits, "%.1f", power));
}

/* NaN becomes 0 where neither side has 64 bits, and the highest bit alone where one has. */
char *
leat_image_values_dup_conversion (const char *operation, const char *from, const char *to, char **text)
{
  gboolean is_signed = g_str_equal (operation, "fptosi"), is_double = g_str_equal (from, "double");
  guint target = leat_image_values_get_bits (to), bits = MAX (target, 32);
  gboolean zero = !is_double && bits == 32, is_right = is_signed != zero;
  gint64 top = bits == 64 ? G_MININT64 : G_MININT32;
  g_autofree char *half = leat_image_values_dup_power (bits - 1), *full = leat_image_values_dup_power (bits);
  g_autofree char *least = g_strdup_printf ("%" G_GINT64_FORMAT, top);
  g_autofree char *most = g_strdup_printf ("%" G_GINT64_FORMAT, -(top + 1)), *wide = g_strdup_printf ("i%u", bits);
  char *name;

  if (!(target == 8 || target == 16 || target == 32 || target == 64) || !(is_double || g_str_equal (from, "float")))
    return NULL;
  name = g_strdup_printf ("leat.%s.%s.%s", operation, from, to);
  *text = leat_image_values_fill (is_signed ? leat_values_signed : leat_values_unsigned, "$nan",
                                  is_right ? leat_values_nan_is_right : leat_values_nan, "$instead", zero ? "0" : least,
                                  "$to", to, "$name", name, "$from", from, "$half", half, "$full", full, "$wide", wide,
                                  "$most", most, "$least", least, "$narrow", target < bits ? "trunc" : "bitcast", NULL);
  return name;
}

/* Whether the second operand is a number for which LLVM defines the instruction, whatever the first is. */
static gboolean
leat_image_values_is_plain (const char *operation, guint bits, const char *right)
{
  gint64 number;

  if (!g_ascii_string_to_signed (right, 10, G_MININT64, G_MAXINT64, &number, NULL))
    return FALSE;
  if (strstr (operation, "sh") != NULL)
    return number >= 0 && number < bits;
  return number != 0 && number != -1;
}

char *
leat_image_values_dup_operation (const char *operation, const char *type, const char *right, LeatValuesFlags flags,
                                 char **text)
{
  const char *by_zero = flags & LEAT_VALUES_PAIRED  ? leat_values_paired_by_zero
                        : flags & LEAT_VALUES_SHORT ? leat_values_short_by_zero
                        : g_str_equal (type, "i64") ? leat_values_long_by_zero
                                                    : leat_values_by_zero;
  guint bits = leat_image_values_get_bits (type);
  g_autofree char *width = g_strdup_printf ("%u", bits), *last = g_strdup_printf ("%u", MAX (bits, 1) - 1);
  char *name;

  if (bits < 8 || leat_image_values_is_plain (operation, bits, right))
    return NULL;
  name = g_strdup_printf ("leat.%s.%s.%u", operation, type, flags);
  if (strstr (operation, "sh") != NULL)
    *text = leat_image_values_fill (leat_values_shift, "$type", type, "$name", name, "$bits", width, "$operation",
                                    operation, "$sign", g_str_equal (operation, "ashr") ? "%x" : "0", "$last", last,
                                    "$mask", bits > 32 ? "4294967295" : "-1", NULL);
  else
    *text =
      leat_image_values_fill (leat_values_division, "$by.zero", by_zero, "$type", type, "$name", name, "$last", last,
                              "$operation", operation, "$signed", operation[0] == 's' ? "true" : "false", NULL);
  return name;
}
