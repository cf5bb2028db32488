/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

/* What floats of 16 and 8 bits mean, by the definition of their fields; and the nearest of them to a number, by a
 * search among all of them. */

/* Of a NaN, whose bits do not matter. */
double number_oracle_decode (LeatDtype dtype, guint bits);
/* The nearest, of two the one that is even; -0 of -0.  A NaN is 0x7fff or 0x7f.  What is too large is infinite in 16
 * bits, and in 8 bits the greatest that there is. */
guint number_oracle_encode (LeatDtype dtype, double value);
gboolean number_oracle_is_nan (LeatDtype dtype, guint bits);
