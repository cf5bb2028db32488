/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Pictures turned and mirrored so that they are upright, for `image:read`.  Reads one block of memory and writes
 * another. */

#include "leat-image-turn.h"

#include <string.h>

gboolean
leat_image_turn_swaps (guint turn)
{
  return turn > 4;
}

guint
leat_image_turn_get_half (guint turn)
{
  return turn > 4 ? turn - 4 : turn;
}

static gboolean
leat_image_turn_has (guint turn, const char *of)
{
  return strchr (of, (char) ('0' + turn)) != NULL;
}

void
leat_image_turn (guint turn, guint width, guint height, gsize size, const guint8 *from, guint8 *to)
{
  gboolean swaps = leat_image_turn_swaps (turn);
  gboolean flips_x = leat_image_turn_has (turn, "2378"), flips_y = leat_image_turn_has (turn, "3467");
  guint new_width = swaps ? height : width, new_height = swaps ? width : height;

  for (guint y = 0; y < new_height; y++)
    for (guint x = 0; x < new_width; x++, to += size)
      {
        guint a = swaps ? y : x, b = swaps ? x : y;

        a = flips_x ? width - 1 - a : a;
        b = flips_y ? height - 1 - b : b;
        memcpy (to, from + ((gsize) b * width + a) * size, size);
      }
}
