/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The union of ranges of bytes, in order.  Ranges that touch become one.  Knows of no buffer and no device. */

#include "leat-ranges-private.h"

LeatRanges *
leat_ranges_new (void)
{
  return g_array_new (FALSE, FALSE, sizeof (LeatRange));
}

const LeatRange *
leat_ranges_get (const LeatRanges *self, guint index)
{
  return &g_array_index (self, LeatRange, index);
}

/* The first range that ends at @at or behind it. */
static guint
leat_ranges_bisect (const LeatRanges *self, guint64 at)
{
  guint low = 0, high = self->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;

      if (leat_ranges_get (self, middle)->end < at)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
leat_ranges_add (LeatRanges *self, guint64 begin, guint64 end)
{
  guint first = leat_ranges_bisect (self, begin), behind = first;
  LeatRange merged = { begin, end };

  g_return_if_fail (begin < end);
  for (; behind < self->len && leat_ranges_get (self, behind)->begin <= end; behind++)
    {
      merged.begin = MIN (merged.begin, leat_ranges_get (self, behind)->begin);
      merged.end = MAX (merged.end, leat_ranges_get (self, behind)->end);
    }
  if (behind > first + 1)
    g_array_remove_range (self, first + 1, behind - first - 1);
  if (behind > first)
    g_array_index (self, LeatRange, first) = merged;
  else
    g_array_insert_val (self, first, merged);
}

guint
leat_ranges_find (const LeatRanges *self, guint64 begin)
{
  return leat_ranges_bisect (self, begin + 1);
}
