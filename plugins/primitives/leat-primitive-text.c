/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Types and texts of this plugin's kernels: C's words for a type, files put together to a source, checks of inputs.
 * Changes nothing of the node. */

#include "leat-primitive-text.h"

typedef struct
{
  const char *c_type, *lowest, *greatest;
} LeatPrimitiveType;

static const LeatPrimitiveType leat_primitive_types[] = {
  [LEAT_DTYPE_U8] = { "uint8_t", "0", "UINT8_MAX" },
  [LEAT_DTYPE_I8] = { "int8_t", "INT8_MIN", "INT8_MAX" },
  [LEAT_DTYPE_U16] = { "uint16_t", "0", "UINT16_MAX" },
  [LEAT_DTYPE_I16] = { "int16_t", "INT16_MIN", "INT16_MAX" },
  [LEAT_DTYPE_U32] = { "uint32_t", "0", "UINT32_MAX" },
  [LEAT_DTYPE_I32] = { "int32_t", "INT32_MIN", "INT32_MAX" },
  [LEAT_DTYPE_U64] = { "uint64_t", "0", "UINT64_MAX" },
  [LEAT_DTYPE_I64] = { "int64_t", "INT64_MIN", "INT64_MAX" },
  [LEAT_DTYPE_F32] = { "float", "-LEAT_INFINITY_F", "LEAT_INFINITY_F" },
  [LEAT_DTYPE_F64] = { "double", "-LEAT_INFINITY", "LEAT_INFINITY" },
  [LEAT_DTYPE_BOOL] = { "uint8_t", "0", "1" },
};

static const LeatPrimitiveType *
leat_primitive_get_type (LeatDtype dtype)
{
  static const LeatPrimitiveType none = { NULL, NULL, NULL };

  return dtype < G_N_ELEMENTS (leat_primitive_types) ? &leat_primitive_types[dtype] : &none;
}

const char *
leat_primitive_get_c_type (LeatDtype dtype)
{
  return leat_primitive_get_type (dtype)->c_type;
}

const char *
leat_primitive_get_lowest (LeatDtype dtype)
{
  return leat_primitive_get_type (dtype)->lowest;
}

const char *
leat_primitive_get_greatest (LeatDtype dtype)
{
  return leat_primitive_get_type (dtype)->greatest;
}

gboolean
leat_primitive_is_real (LeatDtype dtype)
{
  return dtype == LEAT_DTYPE_F32 || dtype == LEAT_DTYPE_F64;
}

gboolean
leat_primitive_is_signed (LeatDtype dtype)
{
  return dtype == LEAT_DTYPE_I8 || dtype == LEAT_DTYPE_I16 || dtype == LEAT_DTYPE_I32 || dtype == LEAT_DTYPE_I64;
}

gboolean
leat_primitive_append_text (GString *head, const char *file, GError **error)
{
  g_autofree char *path = g_strconcat ("/leat/primitives/", file, NULL);
  g_autoptr (GBytes) bytes = g_resources_lookup_data (path, G_RESOURCE_LOOKUP_FLAGS_NONE, error);

  if (bytes != NULL)
    g_string_append (head, g_bytes_get_data (bytes, NULL));
  return bytes != NULL;
}

gboolean
leat_primitive_append_texts (GString *head, const char *const *files, GError **error)
{
  for (guint i = 0; files[i] != NULL; i++)
    if (!leat_primitive_append_text (head, files[i], error))
      return FALSE;
  return TRUE;
}

LeatKernelSource *
leat_primitive_source_new (const char *body, const char *head, GError **error)
{
  g_autofree char *name = g_strconcat ("primitives/", body, NULL);
  g_autoptr (GString) text = g_string_new (head);

  return leat_primitive_append_text (text, body, error) ? leat_kernel_source_new (name, text->str, error) : NULL;
}

gboolean
leat_primitive_has_items_of (LeatSpec *spec, LeatSpec *other)
{
  g_autoptr (LeatSpec) item = leat_spec_new_with_shape (spec, NULL, 0, FALSE);
  g_autoptr (LeatSpec) other_item = leat_spec_new_with_shape (other, NULL, 0, FALSE);

  return leat_spec_equal (item, other_item);
}

guint64
leat_primitive_get_row_items (LeatSpec *spec)
{
  guint64 items = 1;

  for (guint i = 1; i < leat_spec_get_n_dims (spec); i++)
    items *= leat_spec_get_dim (spec, i);
  return items;
}

gboolean
leat_primitive_check_flags (LeatNode *node, const char *port, LeatSpec *flags, LeatSpec *x, gboolean as_many,
                            const char *each, GError **error)
{
  LeatDtype dtype = leat_spec_get_dtype (flags);
  g_autofree char *flags_text = NULL, *x_text = NULL;

  if (leat_primitive_get_c_type (dtype) != NULL && !leat_primitive_is_real (dtype) && as_many
      && leat_spec_is_bounded (flags) == leat_spec_is_bounded (x))
    return TRUE;
  flags_text = leat_spec_to_string (flags, LEAT_SPEC_STYLE_FILE);
  x_text = leat_spec_to_string (x, LEAT_SPEC_STYLE_FILE);
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_SPEC,
               "%s \"%s\": input \"%s\" is %s, and \"x\" is %s: there is a whole number for each %s, and both are "
               "bounded or none is",
               leat_node_get_id (node), leat_node_get_name (node), port, flags_text, x_text, each);
  return FALSE;
}
