/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#include "number-oracle.h"

#include <math.h>

typedef struct
{
  guint fraction, exponent; /* bits of each */
  gboolean is_finite;       /* no infinity: the last exponent is one like the others, but for its last number */
} Form;

static const Form *
number_oracle_get_form (LeatDtype dtype)
{
  static const Form f16 = { 10, 5, FALSE }, bf16 = { 7, 8, FALSE }, e4m3 = { 3, 4, TRUE }, e5m2 = { 2, 5, FALSE };

  switch (dtype)
    {
    case LEAT_DTYPE_F16:
      return &f16;
    case LEAT_DTYPE_BF16:
      return &bf16;
    case LEAT_DTYPE_F8E4M3:
      return &e4m3;
    case LEAT_DTYPE_F8E5M2:
      return &e5m2;
    default:
      g_assert_not_reached ();
    }
}

/* Without its sign. */
static double
number_oracle_decode_size (const Form *form, guint bits)
{
  guint fraction = bits & ((1u << form->fraction) - 1), exponent = bits >> form->fraction;
  int bias = (1 << (form->exponent - 1)) - 1;

  if (!form->is_finite && exponent == (1u << form->exponent) - 1)
    return fraction == 0 ? INFINITY : NAN;
  if (form->is_finite && bits == (1u << (form->fraction + form->exponent)) - 1)
    return NAN;
  if (exponent == 0)
    return ldexp (fraction, 1 - bias - (int) form->fraction);
  return ldexp (fraction + ldexp (1, (int) form->fraction), (int) exponent - bias - (int) form->fraction);
}

double
number_oracle_decode (LeatDtype dtype, guint bits)
{
  const Form *form = number_oracle_get_form (dtype);
  guint sign = 1u << (form->fraction + form->exponent);
  double size = number_oracle_decode_size (form, bits & (sign - 1));

  return bits & sign ? -size : size;
}

gboolean
number_oracle_is_nan (LeatDtype dtype, guint bits)
{
  return isnan (number_oracle_decode (dtype, bits));
}

guint
number_oracle_encode (LeatDtype dtype, double value)
{
  const Form *form = number_oracle_get_form (dtype);
  guint sign = 1u << (form->fraction + form->exponent), low = 0, high = 0, greatest;
  gboolean cut = form->fraction + form->exponent < 8;
  double size = fabs (value), middle;

  if (isnan (value))
    return sign - 1;
  for (greatest = sign - 1; !isfinite (number_oracle_decode_size (form, greatest)); greatest--)
    ;
  for (high = greatest; low + 1 < high;)
    {
      guint at = (low + high) / 2;

      if (number_oracle_decode_size (form, at) <= size)
        low = at;
      else
        high = at;
    }
  if (number_oracle_decode_size (form, high) <= size)
    {
      /* Beyond the greatest, the next number is where it would be if the exponent had one bit more. */
      double step = number_oracle_decode_size (form, greatest) - number_oracle_decode_size (form, greatest - 1);

      middle = number_oracle_decode_size (form, greatest) + step / 2;
      low = cut || size < middle ? greatest : greatest + 1;
    }
  else
    {
      /* Exact: the two are neighbours, and a double has a bit to spare. */
      middle = (number_oracle_decode_size (form, low) + number_oracle_decode_size (form, high)) / 2;
      low = size > middle || (size == middle && low % 2 == 1) ? high : low;
    }
  return low | (signbit (value) ? sign : 0);
}
