/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include "leat.h"

G_BEGIN_DECLS

/* Weights that are others as f32: whole numbers that it does not hold, and numbers so small that 0 is left.  That a
 * fraction is rounded goes without saying. */
typedef struct
{
  guint64 n;
  char first[64]; /* as it is in the file, */
  float became;   /* and what it became */
} LeatCsrRounding;

/* @text: the number @value as the file has it, which may have more digits than a double */
void leat_csr_rounding_add_text (LeatCsrRounding *self, const char *text, double value);
void leat_csr_rounding_add_real (LeatCsrRounding *self, double value);
void leat_csr_rounding_add_signed (LeatCsrRounding *self, gint64 value);
void leat_csr_rounding_add_unsigned (LeatCsrRounding *self, guint64 value);

G_END_DECLS
