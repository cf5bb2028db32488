/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Number types as text for kernels.  Floats of 16 and 8 bits are kept as bits and computed with as f32
 * (leat-numbers.h); a bool is a byte that is compared with 0, so that a wrong one is as good as 1. */

#include "leat-base-number.h"

typedef struct
{
  const char *storage, *value;
  const char *suffix; /* of the functions that read and write; NULL: none are needed */
} LeatNumber;

static const LeatNumber leat_numbers[] = {
  [LEAT_DTYPE_ANY] = { NULL, NULL, NULL },
  [LEAT_DTYPE_U8] = { "uint8_t", "uint8_t", NULL },
  [LEAT_DTYPE_I8] = { "int8_t", "int8_t", NULL },
  [LEAT_DTYPE_U16] = { "uint16_t", "uint16_t", NULL },
  [LEAT_DTYPE_I16] = { "int16_t", "int16_t", NULL },
  [LEAT_DTYPE_U32] = { "uint32_t", "uint32_t", NULL },
  [LEAT_DTYPE_I32] = { "int32_t", "int32_t", NULL },
  [LEAT_DTYPE_U64] = { "uint64_t", "uint64_t", NULL },
  [LEAT_DTYPE_I64] = { "int64_t", "int64_t", NULL },
  [LEAT_DTYPE_F16] = { "uint16_t", "float", "f16" },
  [LEAT_DTYPE_F32] = { "float", "float", NULL },
  [LEAT_DTYPE_F64] = { "double", "double", NULL },
  [LEAT_DTYPE_BF16] = { "uint16_t", "float", "bf16" },
  [LEAT_DTYPE_F8E4M3] = { "uint8_t", "float", "f8e4m3" },
  [LEAT_DTYPE_F8E5M2] = { "uint8_t", "float", "f8e5m2" },
  [LEAT_DTYPE_C64] = { "leat_c64", "leat_c64", NULL },
  [LEAT_DTYPE_C128] = { "leat_c128", "leat_c128", NULL },
  [LEAT_DTYPE_BOOL] = { "uint8_t", "bool", NULL },
};

static const LeatNumber *
leat_number_find (LeatDtype dtype)
{
  return &leat_numbers[dtype < G_N_ELEMENTS (leat_numbers) ? dtype : LEAT_DTYPE_ANY];
}

const char *
leat_number_get_storage (LeatDtype dtype)
{
  return leat_number_find (dtype)->storage;
}

const char *
leat_number_get_value (LeatDtype dtype)
{
  return leat_number_find (dtype)->value;
}

gboolean
leat_number_is_narrow (LeatDtype dtype)
{
  return leat_number_find (dtype)->suffix != NULL;
}

gboolean
leat_number_is_complex (LeatDtype dtype)
{
  return dtype == LEAT_DTYPE_C64 || dtype == LEAT_DTYPE_C128;
}

gboolean
leat_number_is_real (LeatDtype dtype)
{
  return dtype == LEAT_DTYPE_F32 || dtype == LEAT_DTYPE_F64 || leat_number_is_narrow (dtype);
}

LeatDtype
leat_number_get_rules (LeatDtype dtype)
{
  return leat_number_is_narrow (dtype) ? LEAT_DTYPE_F32 : dtype;
}

gboolean
leat_number_check (LeatNode *node, const char *port, LeatSpec *spec, GError **error)
{
  g_autofree char *text = NULL, *first = NULL;

  if (leat_spec_get_dtype (spec) != LEAT_DTYPE_RECORD)
    return TRUE;
  first = leat_spec_dup_first_path (spec);
  text = leat_spec_to_string (spec, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "%s \"%s\": input \"%s\" is %s, and numbers are expected, not records: take a field before, as with map "
               "expr=x.%s",
               leat_node_get_id (node), leat_node_get_name (node), port, text, first);
  return FALSE;
}

char *
leat_number_dup_read (LeatDtype dtype, const char *item)
{
  if (leat_number_is_narrow (dtype))
    return g_strdup_printf ("leat_from_%s (%s)", leat_number_find (dtype)->suffix, item);
  return dtype == LEAT_DTYPE_BOOL ? g_strdup_printf ("(%s != 0)", item) : g_strdup (item);
}

char *
leat_number_dup_write (LeatDtype dtype, const char *value)
{
  if (leat_number_is_narrow (dtype))
    return g_strdup_printf ("leat_to_%s (%s)", leat_number_find (dtype)->suffix, value);
  if (dtype == LEAT_DTYPE_BOOL)
    return g_strdup_printf ("(uint8_t) (bool) (%s)", value);
  return g_strdup_printf ("(%s) (%s)", leat_number_get_storage (dtype), value);
}

void
leat_number_append_includes (GString *text, const LeatDtype *dtypes, guint n)
{
  gboolean narrow = FALSE, pairs = FALSE;

  for (guint i = 0; i < n; i++)
    {
      narrow = narrow || leat_number_is_narrow (dtypes[i]);
      pairs = pairs || leat_number_is_complex (dtypes[i]);
    }
  if (narrow)
    g_string_append (text, "#include <leat-numbers.h>\n");
  if (pairs)
    g_string_append (text, "#include <leat-complex.h>\n");
}
