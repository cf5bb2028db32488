/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The types of items: their names and sizes. */

#include "leat-spec.h"

#include <string.h>

static const struct
{
  const char *name;
  gsize size;
} leat_dtypes[] = {
  [LEAT_DTYPE_ANY] = { "any", 0 },       [LEAT_DTYPE_U8] = { "u8", 1 },         [LEAT_DTYPE_I8] = { "i8", 1 },
  [LEAT_DTYPE_U16] = { "u16", 2 },       [LEAT_DTYPE_I16] = { "i16", 2 },       [LEAT_DTYPE_U32] = { "u32", 4 },
  [LEAT_DTYPE_I32] = { "i32", 4 },       [LEAT_DTYPE_U64] = { "u64", 8 },       [LEAT_DTYPE_I64] = { "i64", 8 },
  [LEAT_DTYPE_F16] = { "f16", 2 },       [LEAT_DTYPE_F32] = { "f32", 4 },       [LEAT_DTYPE_F64] = { "f64", 8 },
  [LEAT_DTYPE_BF16] = { "bf16", 2 },     [LEAT_DTYPE_F8E4M3] = { "f8e4m3", 1 }, [LEAT_DTYPE_F8E5M2] = { "f8e5m2", 1 },
  [LEAT_DTYPE_C64] = { "c64", 8 },       [LEAT_DTYPE_C128] = { "c128", 16 },    [LEAT_DTYPE_BOOL] = { "bool", 1 },
  [LEAT_DTYPE_RECORD] = { "record", 0 },
};

/**
 * leat_dtype_get_size:
 * @dtype: a type of item
 *
 * Gets the size of one item.
 *
 * Returns: bytes; 0 for %LEAT_DTYPE_ANY, and for %LEAT_DTYPE_RECORD, see leat_spec_get_item_bytes()
 *
 * Since: 0.1
 */
gsize
leat_dtype_get_size (LeatDtype dtype)
{
  g_return_val_if_fail ((guint) dtype < G_N_ELEMENTS (leat_dtypes), 0);

  return leat_dtypes[dtype].size;
}

/**
 * leat_dtype_get_name:
 * @dtype: a type of item
 *
 * Gets the name that specs are written with, such as `f32`.
 *
 * Returns: (transfer none): the name
 *
 * Since: 0.1
 */
const char *
leat_dtype_get_name (LeatDtype dtype)
{
  g_return_val_if_fail ((guint) dtype < G_N_ELEMENTS (leat_dtypes), "any");

  return leat_dtypes[dtype].name;
}

/**
 * leat_dtype_from_name:
 * @name: a name such as `f32`
 *
 * Finds the type that has a name.  A record is written with its fields, and has none.
 *
 * Returns: the type, or %LEAT_DTYPE_ANY when there is none of that name
 *
 * Since: 0.1
 */
LeatDtype
leat_dtype_from_name (const char *name)
{
  g_return_val_if_fail (name != NULL, LEAT_DTYPE_ANY);

  for (guint i = 0; i < LEAT_DTYPE_RECORD; i++)
    if (*leat_dtypes[i].name == *name && strcmp (leat_dtypes[i].name, name) == 0)
      return (LeatDtype) i;
  return LEAT_DTYPE_ANY;
}
