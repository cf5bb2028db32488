/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A tally of weights that f32 does not hold, for the warning of `csr:read`.  Touches the caller's tally only. */

#include "leat-csr-rounding.h"

#include <math.h>
#include <string.h>

static void
leat_csr_rounding_add (LeatCsrRounding *self, const char *text, float became)
{
  if (self->n++ > 0)
    return;
  g_strlcpy (self->first, text, sizeof self->first);
  self->became = became;
}

static gboolean
leat_csr_rounding_is_lossless (double value)
{
  float narrow = (float) value;

  return (double) narrow == value || (value != floor (value) && narrow != 0);
}

/* A whole number of 24 bits and zeros behind them. */
static gboolean
leat_csr_rounding_holds (guint64 value)
{
  return value == 0 || value >> __builtin_ctzll (value) < 1 << 24;
}

void
leat_csr_rounding_add_real (LeatCsrRounding *self, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (!leat_csr_rounding_is_lossless (value))
    leat_csr_rounding_add (self, g_ascii_formatd (text, sizeof text, "%.17g", value), (float) value);
}

void
leat_csr_rounding_add_signed (LeatCsrRounding *self, gint64 value)
{
  g_autofree char *text = NULL;

  if (leat_csr_rounding_holds (value < 0 ? -(guint64) value : (guint64) value))
    return;
  text = g_strdup_printf ("%" G_GINT64_FORMAT, value);
  leat_csr_rounding_add (self, text, (float) value);
}

void
leat_csr_rounding_add_unsigned (LeatCsrRounding *self, guint64 value)
{
  g_autofree char *text = NULL;

  if (leat_csr_rounding_holds (value))
    return;
  text = g_strdup_printf ("%" G_GUINT64_FORMAT, value);
  leat_csr_rounding_add (self, text, (float) value);
}

/* Of a whole number all digits are those of the float. */
void
leat_csr_rounding_add_text (LeatCsrRounding *self, const char *text, double value)
{
  const char *digits = text + strspn (text, "+-");
  char is[64];

  digits += strspn (digits, "0");
  if (digits[strspn (digits, "0123456789")] != '\0')
    {
      if (!leat_csr_rounding_is_lossless (value))
        leat_csr_rounding_add (self, text, (float) value);
      return;
    }
  g_snprintf (is, sizeof is, "%.0f", fabs ((double) (float) value));
  if (value != 0 && !g_str_equal (is, digits))
    leat_csr_rounding_add (self, text, (float) value);
}
