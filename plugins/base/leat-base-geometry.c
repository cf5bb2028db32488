/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Blocks and grids of `kernel` and `map`: read from text, and fitted to a spec.  All of it is arithmetic on the
 * caller's numbers. */

#include "leat-base-geometry.h"

#include <string.h>

/* Goes on behind the digits. */
static gboolean
leat_geometry_read_number (const char **text, guint *value)
{
  guint64 number = 0;

  if (!g_ascii_isdigit (**text))
    return FALSE;
  for (; g_ascii_isdigit (**text); (*text)++)
    number = MIN (number * 10 + (guint64) g_ascii_digit_value (**text), (guint64) G_MAXINT32 + 1);
  *value = (guint) number;
  return number >= 1 && number <= G_MAXINT32;
}

gboolean
leat_geometry_parse (const char *text, guint values[3], guint *n_values)
{
  values[0] = values[1] = values[2] = 1;
  for (*n_values = 0; *n_values < 3;)
    {
      if (!leat_geometry_read_number (&text, &values[(*n_values)++]))
        return FALSE;
      if (*text != 'x')
        return *text == '\0';
      text++;
    }
  return FALSE;
}

gboolean
leat_geometry_is_too_large (const char *text)
{
  g_auto (GStrv) parts = g_strsplit (text, "x", 4);
  guint n = g_strv_length (parts);
  gboolean large = FALSE;

  for (guint i = 0; i < n; i++)
    {
      if (*parts[i] == '\0' || strspn (parts[i], "0123456789") != strlen (parts[i]))
        return FALSE;
      large = large || strlen (parts[i]) > 18 || g_ascii_strtoull (parts[i], NULL, 10) > G_MAXINT32;
    }
  return n <= 3 && large;
}

void
leat_geometry_cover (LeatSpec *spec, guint64 lanes, guint n_axes, guint64 threads[3])
{
  guint n_dims = leat_spec_get_n_dims (spec);

  threads[0] = threads[1] = threads[2] = 1;
  if (n_axes == 1 || n_dims < 2)
    {
      threads[0] = (leat_spec_get_items (spec) + lanes - 1) / lanes;
      return;
    }
  for (guint axis = 0; axis < n_axes && axis < n_dims; axis++)
    threads[axis] = leat_spec_get_dim (spec, MIN (n_axes, n_dims) - 1 - axis);
}

gboolean
leat_geometry_divide (const guint64 threads[3], const guint block[3], guint grid[3], GError **error)
{
  for (guint axis = 0; axis < 3; axis++)
    {
      guint64 blocks = (threads[axis] + block[axis] - 1) / block[axis];

      if (blocks > G_MAXINT32)
        {
          g_set_error (
            error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE,
            "%" G_GUINT64_FORMAT
            " threads along %c need more than 2147483647 blocks of %u; set grid= and let each thread do several items",
            threads[axis], "xyz"[axis], block[axis]);
          return FALSE;
        }
      grid[axis] = MAX ((guint) blocks, 1);
    }
  return TRUE;
}
