/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-inspect-print.h"

/* What a pipeline sees of a __global__ function. */

static const struct
{
  LeatParamKind kind;
  const char *name;  /* in JSON */
  const char *title; /* for people */
} leat_inspect_kinds[] = {
  { LEAT_PARAM_INPUT, "input", "Input ports" },
  { LEAT_PARAM_OUTPUT, "output", "Output ports" },
  { LEAT_PARAM_SCALAR, "argument", "Arguments" },
  { LEAT_PARAM_INPUT_COUNT, "input-count", "Filled in: live items of an input" },
  { LEAT_PARAM_OUTPUT_COUNT, "output-count", "Set by the kernel: live items of an output" },
  { LEAT_PARAM_CAPACITY, "capacity", "Filled in: items that a port has room for" },
  { LEAT_PARAM_DIM, "dim", "Filled in: dimensions of a port" },
};

static void
leat_inspect_print_param (GString *out, const LeatParam *param)
{
  gboolean port = param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT;

  g_string_append_printf (out, "  %-14s  %s", param->name, param->type);
  if (port && param->dtype != NULL && param->item_lanes > 1)
    g_string_append_printf (out, ", %u of %s an item", param->item_lanes, param->dtype);
  else if (port && param->dtype != NULL)
    g_string_append_printf (out, ", spec %s", param->dtype);
  else if (port)
    g_string_append_printf (out, ", %" G_GSIZE_FORMAT " bytes an item", param->item_bytes);
  else if (param->kind == LEAT_PARAM_DIM)
    g_string_append_printf (out, ", dimension %u of %s", param->dim, param->port);
  else if (param->port != NULL)
    g_string_append_printf (out, ", of %s", param->port);
  g_string_append_c (out, '\n');
}

static void
leat_inspect_print_kind (GString *out, const LeatPrototype *prototype, guint kind)
{
  gboolean first = TRUE;

  for (guint i = 0; i < prototype->n_params; i++)
    {
      if (prototype->params[i].kind != leat_inspect_kinds[kind].kind)
        continue;
      if (first)
        g_string_append_printf (out, "\n%s\n", leat_inspect_kinds[kind].title);
      first = FALSE;
      leat_inspect_print_param (out, &prototype->params[i]);
    }
}

/* A line that can go into a pipeline as it is, but for the values. */
static void
leat_inspect_print_usage (GString *out, LeatKernelSource *source, const LeatPrototype *prototype)
{
  g_string_append_printf (out, "\nIn a pipeline\n  kernel source=%s entry=%s", leat_kernel_source_get_name (source),
                          prototype->entry);
  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == LEAT_PARAM_SCALAR)
      g_string_append_printf (out, " %s=VALUE", prototype->params[i].name);
  g_string_append (out, "\n");
}

void
leat_inspect_print_kernel (GString *out, LeatKernelSource *source, const LeatPrototype *prototype)
{
  g_string_append_printf (out, "%s: a kernel of %s, line %u\n", prototype->entry, leat_kernel_source_get_name (source),
                          prototype->line);
  if (prototype->comment != NULL)
    {
      g_string_append_c (out, '\n');
      leat_inspect_append_wrapped (out, prototype->comment, 0);
    }
  for (guint i = 0; i < G_N_ELEMENTS (leat_inspect_kinds); i++)
    leat_inspect_print_kind (out, prototype, i);
  leat_inspect_print_usage (out, source, prototype);
}

static void
leat_inspect_add_param (JsonBuilder *builder, const LeatParam *param)
{
  json_builder_begin_object (builder);
  for (guint i = 0; i < G_N_ELEMENTS (leat_inspect_kinds); i++)
    if (leat_inspect_kinds[i].kind == param->kind)
      leat_inspect_add_json_text (builder, "kind", leat_inspect_kinds[i].name);
  leat_inspect_add_json_text (builder, "name", param->name);
  leat_inspect_add_json_text (builder, "type", param->type);
  leat_inspect_add_json_text (builder, "dtype", param->dtype);
  leat_inspect_add_json_text (builder, "port", param->port);
  if (param->kind == LEAT_PARAM_DIM)
    {
      json_builder_set_member_name (builder, "dim");
      json_builder_add_int_value (builder, param->dim);
    }
  json_builder_set_member_name (builder, "item-bytes");
  json_builder_add_int_value (builder, param->item_bytes);
  json_builder_set_member_name (builder, "item-lanes");
  json_builder_add_int_value (builder, param->item_lanes);
  json_builder_set_member_name (builder, "line");
  json_builder_add_int_value (builder, param->line);
  json_builder_end_object (builder);
}

void
leat_inspect_add_kernel (JsonBuilder *builder, LeatKernelSource *source, const LeatPrototype *prototype)
{
  json_builder_begin_object (builder);
  leat_inspect_add_json_text (builder, "entry", prototype->entry);
  leat_inspect_add_json_text (builder, "source", leat_kernel_source_get_name (source));
  leat_inspect_add_json_text (builder, "comment", prototype->comment);
  json_builder_set_member_name (builder, "line");
  json_builder_add_int_value (builder, prototype->line);
  json_builder_set_member_name (builder, "parameters");
  json_builder_begin_array (builder);
  for (guint i = 0; i < prototype->n_params; i++)
    leat_inspect_add_param (builder, &prototype->params[i]);
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}
