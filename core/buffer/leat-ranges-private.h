/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* From @begin to before @end; never empty. */
typedef struct
{
  guint64 begin, end;
} LeatRange;

/* The union of ranges: in order, and no two of them touch. (element-type LeatRange) */
typedef GArray LeatRanges;

LeatRanges *leat_ranges_new (void);
/* Where it touches others, they become one. */
void leat_ranges_add (LeatRanges *self, guint64 begin, guint64 end);
/* The one that @begin, which was added, lies in. */
guint leat_ranges_find (const LeatRanges *self, guint64 begin);
const LeatRange *leat_ranges_get (const LeatRanges *self, guint index);

G_END_DECLS
