/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Numbers of every type of an item: read from bytes, printed and held against each other. */

#include "leat-value.h"

#include <math.h>
#include <string.h>

/* A float of few bits: a sign, @exponent bits and @fraction bits.  @has_infinity: else all but the last are numbers. */
static double
leat_value_read_small (guint bits, guint exponent, guint fraction, gboolean has_infinity)
{
  guint most = (1u << exponent) - 1, e = (bits >> fraction) & most, f = bits & ((1u << fraction) - 1);
  int bias = (int) (most >> 1), scale = (e == 0 ? 1 : (int) e) - bias - (int) fraction;
  double value = ldexp (f + (e == 0 ? 0 : (double) (1u << fraction)), scale);

  if (has_infinity && e == most)
    value = f == 0 ? HUGE_VAL : (double) NAN;
  else if (!has_infinity && e == most && f == (1u << fraction) - 1)
    value = (double) NAN;
  return (bits >> (exponent + fraction)) != 0 ? -value : value;
}

/* How many numbers with a fraction one of the type is, and these; 0 of a type without. */
static guint
leat_value_read_fractions (LeatDtype dtype, const guint8 *at, double *to)
{
  guint16 half;
  float single[2];

  memcpy (&half, at, MIN (sizeof half, leat_dtype_get_size (dtype)));
  memcpy (single, at, MIN (sizeof single, leat_dtype_get_size (dtype)));
  to[0] = (double) single[0];
  to[1] = (double) single[1];
  switch (dtype)
    {
    case LEAT_DTYPE_F16:
      to[0] = leat_value_read_small (half, 5, 10, TRUE);
      return 1;
    case LEAT_DTYPE_BF16:
      to[0] = leat_value_read_small (half, 8, 7, TRUE);
      return 1;
    case LEAT_DTYPE_F8E4M3:
      to[0] = leat_value_read_small (*at, 4, 3, FALSE);
      return 1;
    case LEAT_DTYPE_F8E5M2:
      to[0] = leat_value_read_small (*at, 5, 2, TRUE);
      return 1;
    case LEAT_DTYPE_F32:
      return 1;
    case LEAT_DTYPE_C64:
      return 2;
    case LEAT_DTYPE_F64:
    case LEAT_DTYPE_C128:
      memcpy (to, at, leat_dtype_get_size (dtype));
      return dtype == LEAT_DTYPE_C128 ? 2 : 1;
    default:
      return 0;
    }
}

static char *
leat_value_whole_to_text (LeatDtype dtype, const guint8 *at)
{
  gsize size = leat_dtype_get_size (dtype);
  guint64 bits = 0, sign = G_GUINT64_CONSTANT (1) << (8 * size - 1);
  gboolean is_signed =
    dtype == LEAT_DTYPE_I8 || dtype == LEAT_DTYPE_I16 || dtype == LEAT_DTYPE_I32 || dtype == LEAT_DTYPE_I64;

  for (gsize i = size; i > 0; i--)
    bits = (bits << 8) | at[i - 1];
  if (is_signed)
    return g_strdup_printf ("%" G_GINT64_FORMAT, (gint64) ((bits ^ sign) - sign));
  return g_strdup_printf ("%" G_GUINT64_FORMAT, bits);
}

/* As few digits as tell it from all others of its type. */
static char *
leat_value_fraction_to_text (LeatDtype dtype, double value)
{
  gboolean is_double = dtype == LEAT_DTYPE_F64 || dtype == LEAT_DTYPE_C128;
  char text[32];

  for (int digits = 1; digits <= 17; digits++)
    {
      double read;

      g_snprintf (text, sizeof text, "%.*g", digits, value);
      read = g_ascii_strtod (text, NULL);
      if (isnan (value) || (is_double ? read == value : (float) read == (float) value))
        break;
    }
  return g_strdup (text);
}

char *
leat_value_to_text (LeatDtype dtype, const guint8 *at)
{
  double parts[2];
  guint n = leat_value_read_fractions (dtype, at, parts);
  g_autofree char *first = NULL, *second = NULL;

  if (n == 0)
    return leat_value_whole_to_text (dtype, at);
  first = leat_value_fraction_to_text (dtype, parts[0]);
  if (n == 1)
    return g_steal_pointer (&first);
  second = leat_value_fraction_to_text (dtype, parts[1]);
  return g_strdup_printf ("(%s, %s)", first, second);
}

static gboolean
leat_value_is_near (double a, double b, double tolerance)
{
  if (isnan (a) || isnan (b))
    return isnan (a) && isnan (b);
  return a == b || fabs (a - b) <= tolerance * MAX (1, MAX (fabs (a), fabs (b)));
}

gboolean
leat_value_equal (LeatDtype dtype, const guint8 *a, const guint8 *b, double tolerance)
{
  double as[2], bs[2];
  guint n;

  if (memcmp (a, b, leat_dtype_get_size (dtype)) == 0)
    return TRUE;
  if (tolerance <= 0)
    return FALSE;
  n = leat_value_read_fractions (dtype, a, as);
  leat_value_read_fractions (dtype, b, bs);
  for (guint i = 0; i < n; i++)
    if (!leat_value_is_near (as[i], bs[i], tolerance))
      return FALSE;
  return n > 0;
}
