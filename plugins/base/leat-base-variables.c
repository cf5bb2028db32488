/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Values for `__constant__` and `__device__` variables of a kernel file: a number, or a file with as many as the
 * variable has room for. */

#include "leat-base-variables.h"

#include "leat-npy-header.h"

#include <string.h>

#define LEAT_VARIABLE_MAX_BYTES (64 * 1024) /* of constant memory, on every device */

static gboolean
leat_variables_check_type (const LeatKernelType *type, const LeatNpyHeader *header, const char *name, GError **error)
{
  const char *dtype = leat_dtype_get_name (header->dtype);

  if (g_str_equal (dtype, type->dtype))
    return TRUE;
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "it holds %s, and variable %s is of %s", dtype, name,
               type->dtype);
  return FALSE;
}

/* All that @input holds, of the items of @type. */
static GBytes *
leat_variables_read_input (LeatInputFile *input, const LeatKernelType *type, const char *name, GError **error)
{
  gboolean is_array = g_str_has_suffix (leat_input_file_get_path (input), ".npy");
  g_auto (LeatNpyHeader) header = { 0 };
  guint64 size = leat_input_file_get_size (input);
  g_autofree guint8 *items = NULL;
  gsize got = 0;

  if (is_array
      && (!leat_npy_header_read (&header, input, error) || !leat_variables_check_type (type, &header, name, error)))
    return NULL;
  size = is_array ? header.bytes : size;
  if (!leat_input_file_is_regular (input) || size == 0 || size > LEAT_VARIABLE_MAX_BYTES
      || size % type->lane_bytes != 0)
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA,
                   "variable %s takes from 1 to %u bytes of %s from a regular file, and here are %" G_GUINT64_FORMAT
                   "; make what is larger an input of the kernel",
                   name, LEAT_VARIABLE_MAX_BYTES, type->dtype, size);
      return NULL;
    }
  items = g_malloc (size);
  if (leat_input_file_read (input, items, size, &got, TRUE, NULL, error) != LEAT_FLOW_DATA || got != size)
    {
      if (error != NULL && *error == NULL)
        g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "it ends early");
      return NULL;
    }
  if (is_array)
    leat_npy_header_swap (&header, items, size);
  return g_bytes_new_take (g_steal_pointer (&items), size);
}

static GBytes *
leat_variables_read_file (LeatNode *node, const LeatKernelType *type, const char *name, const char *value,
                          GError **error)
{
  g_autofree char *path = leat_node_resolve_path (node, value);
  g_autoptr (GError) local = NULL;
  g_autoptr (LeatInputFile) input = leat_input_file_open (path, &local);
  GBytes *items = input != NULL ? leat_variables_read_input (input, type, name, &local) : NULL;

  if (items == NULL)
    g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_DATA, "variables=%s=%s: %s", name, value, local->message);
  return items;
}

static gboolean
leat_variables_refuse_number (const char *name, const char *value, const LeatKernelType *type, GError **error)
{
  g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_RANGE, "variables=%s=%s: %s does not hold that number", name,
               value, type->is_bool ? "a bool" : type->dtype);
  return FALSE;
}

/* NULL without an error where @value is no number. */
static GBytes *
leat_variables_read_number (const LeatKernelType *type, const char *name, const char *value, GError **error)
{
  gboolean is_signed = type->dtype[0] == 'i';
  guint bits = 8 * type->lane_bytes;
  char *end;
  double number = g_ascii_strtod (value, &end);
  union
  {
    guint64 u;
    gint64 i;
    float f;
    double d;
  } item = { 0 };

  if (type->is_bool && (g_str_equal (value, "true") || g_str_equal (value, "false")))
    return g_bytes_new (g_str_equal (value, "true") ? "\1" : "\0", 1);
  if (*end != '\0' || end == value)
    return NULL;
  if (type->dtype[0] == 'f' && bits == 32)
    item.f = (float) number;
  else if (type->dtype[0] == 'f')
    item.d = number;
  else if (is_signed ? !g_ascii_string_to_signed (value, 10, G_MININT64 >> (64 - bits), G_MAXINT64 >> (64 - bits),
                                                  &item.i, NULL)
                     : !g_ascii_string_to_unsigned (value, 10, 0, type->is_bool ? 1 : G_MAXUINT64 >> (64 - bits),
                                                    &item.u, NULL))
    {
      leat_variables_refuse_number (name, value, type, error);
      return NULL;
    }
  return g_bytes_new (&item, type->lane_bytes);
}

static LeatKernelSource *
leat_variables_fill_one (LeatNode *node, LeatKernelSource *source, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, "=", 2);
  g_autoptr (GBytes) items = NULL;
  g_autoptr (GError) local = NULL;
  LeatKernelType type;

  if (g_strv_length (parts) < 2 || *g_strstrip (parts[0]) == '\0' || *g_strstrip (parts[1]) == '\0')
    {
      g_set_error (error, LEAT_GRAPH_ERROR, LEAT_GRAPH_ERROR_TYPE,
                   "variables=%s: expected NAME=FILE or NAME=NUMBER, as in mask=mask.npy, with commas between", text);
      return NULL;
    }
  if (!leat_kernel_source_find_variable (source, parts[0], &type, error))
    return NULL;
  items = leat_variables_read_number (&type, parts[0], parts[1], &local);
  if (items == NULL && local == NULL)
    items = leat_variables_read_file (node, &type, parts[0], parts[1], &local);
  if (items == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  return leat_kernel_source_new_filled (source, parts[0], g_bytes_get_data (items, NULL),
                                        g_bytes_get_size (items) / type.lane_bytes, error);
}

LeatKernelSource *
leat_variables_fill (LeatNode *node, LeatKernelSource *source, const char *text, GError **error)
{
  g_auto (GStrv) parts = g_strsplit (text, ",", -1);

  for (guint i = 0; source != NULL && parts[i] != NULL; i++)
    {
      LeatKernelSource *filled = leat_variables_fill_one (node, source, parts[i], error);

      leat_kernel_source_unref (source);
      source = filled;
    }
  return source;
}
