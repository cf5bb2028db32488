/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What an input chooses, byte by byte; behind its end the first of everything. */
typedef struct
{
  const guint8 *data;
  gsize size, at;
} LeatFuzzChoices;

/* 0 ... n-1; @n is at most 256. */
guint leat_fuzz_choose (LeatFuzzChoices *self, guint n);

G_END_DECLS
