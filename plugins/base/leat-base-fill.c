/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The first contents of a `state` with init=: as many equal items as its spec has.  Touches nothing else: the bytes are
 * the caller's. */

#include "leat-base-fill.h"

#include <errno.h>
#include <math.h>
#include <string.h>

typedef union
{
  guint64 u;
  gint64 i;
  float f;
  double d;
} LeatFillItem;

/* The lower bytes of @item are the number as an integer of that size: the machine is little-endian, as CUDA is. */
static gboolean
leat_fill_parse_integer (const char *text, gboolean is_signed, guint bits, LeatFillItem *item)
{
  const gint64 most = (gint64) (G_MAXUINT64 >> (65 - bits));
  char *end;

  errno = 0;
  if (is_signed)
    item->i = g_ascii_strtoll (text, &end, 0);
  else
    item->u = g_ascii_strtoull (text, &end, 0);
  if (errno != 0 || end == text || *end != '\0' || (!is_signed && strchr (text, '-') != NULL))
    return FALSE;
  return is_signed ? item->i >= -most - 1 && item->i <= most : bits == 64 || item->u >> bits == 0;
}

static gboolean
leat_fill_parse (LeatDtype dtype, const char *text, LeatFillItem *item)
{
  const char *name = leat_dtype_get_name (dtype);
  char *end;
  double number;

  if (name[0] != 'f')
    return leat_fill_parse_integer (text, name[0] == 'i', (guint) leat_dtype_get_size (dtype) * 8, item);
  number = g_ascii_strtod (text, &end);
  if (end == text || *end != '\0')
    return FALSE;
  item->d = number;
  if (leat_dtype_get_size (dtype) == sizeof (float))
    item->f = (float) number;
  return leat_dtype_get_size (dtype) >= sizeof (float) || (number == 0 && !signbit (number));
}

GBytes *
leat_fill_new (LeatSpec *spec, const char *text, GError **error)
{
  LeatDtype dtype = leat_spec_get_dtype (spec);
  gsize size = leat_spec_get_item_bytes (spec), bytes = leat_spec_get_bytes (spec);
  LeatFillItem item = { 0 };
  g_autofree guint8 *data = NULL;

  if (dtype == LEAT_DTYPE_RECORD && g_str_equal (text, "0"))
    size = 1;
  else if (dtype == LEAT_DTYPE_RECORD || !leat_fill_parse (dtype, text, &item))
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "init=%s is not a number that %s%s holds%s", text,
                   dtype == LEAT_DTYPE_RECORD ? "a " : "", leat_dtype_get_name (dtype),
                   size == 2 || dtype == LEAT_DTYPE_RECORD ? "; for other than 0 use path=" : "");
      return NULL;
    }
  data = g_try_malloc (MAX (bytes, 1));
  if (data == NULL)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "it is too large for this machine's memory: %" G_GSIZE_FORMAT " bytes", bytes);
      return NULL;
    }
  for (gsize i = 0; i < bytes; i += size)
    memcpy (data + i, &item, size);
  return g_bytes_new_take (g_steal_pointer (&data), bytes);
}
