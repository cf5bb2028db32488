/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A bound on how near to each other occurrences of some strings can be, for the size of a result.  Changes nothing of
 * the strings. */

#include "leat-text-distance.h"

#include <string.h>

/* Occurrences in the order of their offsets, and at one offset of their strings, are a walk through a graph whose nodes
 * are the strings and whose edges are as long as the two have to be apart to agree where they overlap.  On average no
 * walk has shorter edges than the cycle with the least mean.  Karp: A characterization of the minimum cycle mean in a
 * digraph, 1978. */

#define LEAT_TEXT_DISTANCE_STRINGS 128  /* at most, as the work is their cube, */
#define LEAT_TEXT_DISTANCE_BYTES   4096 /* and the square of these */

/* Two strings at one offset come in the order of the list, and none comes twice. */
static guint64
leat_text_distance_between (GPtrArray *strings, guint from, guint to)
{
  gsize length, other;
  const guint8 *bytes = g_bytes_get_data (g_ptr_array_index (strings, from), &length);
  const guint8 *next = g_bytes_get_data (g_ptr_array_index (strings, to), &other);
  gsize shift = from < to ? 0 : 1;

  while (memcmp (bytes + shift, next, MIN (length - shift, other)) != 0)
    shift++;
  return shift;
}

static guint64 *
leat_text_distance_list_edges (GPtrArray *strings)
{
  guint64 *edges = g_new (guint64, (gsize) strings->len * strings->len);

  for (guint from = 0; from < strings->len; from++)
    for (guint to = 0; to < strings->len; to++)
      edges[from * strings->len + to] = leat_text_distance_between (strings, from, to);
  return edges;
}

/* The shortest walks of 0 to @n edges from the first node to each; G_MAXUINT64 where there is none. */
static guint64 *
leat_text_distance_list_walks (const guint64 *edges, guint n)
{
  guint64 *walks = g_new (guint64, ((gsize) n + 1) * n);

  for (guint to = 0; to < n; to++)
    walks[to] = to == 0 ? 0 : G_MAXUINT64;
  for (guint k = 1; k <= n; k++)
    for (guint to = 0; to < n; to++)
      {
        const guint64 *before = walks + (gsize) (k - 1) * n;
        guint64 least = G_MAXUINT64;

        for (guint from = 0; from < n; from++)
          if (before[from] != G_MAXUINT64)
            least = MIN (least, before[from] + edges[from * n + to]);
        walks[(gsize) k * n + to] = least;
      }
  return walks;
}

/* Of the walks that end in @to. */
static LeatTextDistance
leat_text_distance_find_mean (const guint64 *walks, guint n, guint to)
{
  const guint64 all = walks[(gsize) n * n + to];
  LeatTextDistance most = { 0, 1 };

  for (guint k = 0; k < n; k++)
    {
      const guint64 some = walks[(gsize) k * n + to];

      if (some <= all && (all - some) * most.steps > most.bytes * (n - k))
        most = (LeatTextDistance){ all - some, n - k };
    }
  return most;
}

gboolean
leat_text_distance_measure (LeatTextDistance *self, GPtrArray *strings)
{
  const guint n = strings->len;
  g_autofree guint64 *edges = NULL;
  g_autofree guint64 *walks = NULL;
  gsize bytes = 0;

  for (guint i = 0; i < n && bytes <= LEAT_TEXT_DISTANCE_BYTES; i++)
    bytes += g_bytes_get_size (g_ptr_array_index (strings, i));
  if (n == 0 || n > LEAT_TEXT_DISTANCE_STRINGS || bytes > LEAT_TEXT_DISTANCE_BYTES)
    return FALSE;
  edges = leat_text_distance_list_edges (strings);
  walks = leat_text_distance_list_walks (edges, n);
  *self = (LeatTextDistance){ G_MAXUINT32, 1 };
  for (guint to = 0; to < n; to++)
    {
      LeatTextDistance mean = leat_text_distance_find_mean (walks, n, to);

      if (mean.bytes * self->steps < self->bytes * mean.steps)
        *self = mean;
    }
  return TRUE;
}
