/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A __global__ function as a pipeline sees it. */

#include "leat-inspect-print.h"

#include "kernel/leat-kernel-source-private.h"
#include "kernel/leat-kernel-variable-private.h"

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
  { LEAT_PARAM_QUEUE, "queue", "Queues of work items" },
};

/* Whether the kernel has to take the size of an input on trust, from the grid or from another input. */
static gboolean
leat_inspect_trusts_size (const LeatPrototype *prototype, const LeatParam *input)
{
  guint n_inputs = 0, n_sizes = 0;

  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      n_inputs += param->kind == LEAT_PARAM_INPUT;
      n_sizes +=
        (param->kind == LEAT_PARAM_INPUT_COUNT || param->kind == LEAT_PARAM_CAPACITY || param->kind == LEAT_PARAM_DIM)
        && g_strcmp0 (param->port, input->name) == 0;
    }
  return input->kind == LEAT_PARAM_INPUT && input->form == LEAT_TEXTURE_NONE && n_inputs > 1 && n_sizes == 0;
}

/* What the kernel takes a texel for, and the arguments that say how it is read. */
static void
leat_inspect_print_texture (GString *out, const LeatParam *param)
{
  const char *name = param->name;

  g_string_append_printf (out, ", %s", leat_texture_form_get_name (param->form));
  if (param->dtype != NULL && param->item_lanes > 1)
    g_string_append_printf (out, ", texels of %u %s", param->item_lanes, param->dtype);
  else if (param->dtype != NULL)
    g_string_append_printf (out, ", texels of %s", param->dtype);
  if (param->form == LEAT_TEXTURE_OPEN)
    g_string_append_printf (out, "; set %s.form=2d or another", name);
  if (!param->is_surface)
    g_string_append_printf (out, "; %s.read=", name);
  if (!param->is_surface && param->form != LEAT_TEXTURE_LINEAR)
    g_string_append_printf (out, ", %s.filter=, %s.normalized=, %s.address=", name, name, name);
}

static void
leat_inspect_print_param (GString *out, LeatKernelSource *source, const LeatPrototype *prototype,
                          const LeatParam *param)
{
  gboolean port = param->kind == LEAT_PARAM_INPUT || param->kind == LEAT_PARAM_OUTPUT;

  g_string_append_printf (out, "  %-14s  %s", param->name, param->type);
  if (param->form != LEAT_TEXTURE_NONE)
    leat_inspect_print_texture (out, param);
  else if (port && param->dtype != NULL && param->item_lanes > 1)
    g_string_append_printf (out, ", %u of %s an item", param->item_lanes, param->dtype);
  else if (port && param->dtype != NULL)
    g_string_append_printf (out, ", spec %s", param->dtype);
  else if (port)
    g_string_append_printf (out, ", %" G_GSIZE_FORMAT " bytes an item", param->item_bytes);
  else if (param->kind == LEAT_PARAM_QUEUE)
    g_string_append_printf (out, ", %" G_GSIZE_FORMAT " bytes an item; room for 65536, or queue=%s:NUMBER",
                            param->item_bytes, param->name);
  else if (param->kind == LEAT_PARAM_DIM)
    g_string_append_printf (out, ", dimension %u of %s", param->dim, param->port);
  else if (param->port != NULL)
    g_string_append_printf (out, ", of %s", param->port);
  if (param->initial != NULL)
    g_string_append_printf (out, ", %s unless set", param->initial);
  if (param->reads_line != 0)
    g_string_append_printf (
      out, "; line %u takes what it held before: set clear=%s for zeros, or update=%s for an input %s_in",
      param->reads_line, param->name, param->name, param->name);
  if (leat_inspect_trusts_size (prototype, param))
    g_string_append_printf (out, "; the kernel is not told its size: state it, as in %s=%s[n]", param->name,
                            param->dtype != NULL ? param->dtype : "TYPE");
  g_string_append_c (out, '\n');
}

static void
leat_inspect_print_kind (GString *out, LeatKernelSource *source, const LeatPrototype *prototype, guint kind)
{
  gboolean first = TRUE;

  for (guint i = 0; i < prototype->n_params; i++)
    {
      if (prototype->params[i].kind != leat_inspect_kinds[kind].kind)
        continue;
      if (first)
        g_string_append_printf (out, "\n%s\n", leat_inspect_kinds[kind].title);
      first = FALSE;
      leat_inspect_print_param (out, source, prototype, &prototype->params[i]);
    }
}

static const LeatParam *
leat_inspect_find_param (const LeatPrototype *prototype, LeatParamKind kind, const char *port)
{
  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == kind && (port == NULL || g_strcmp0 (prototype->params[i].port, port) == 0))
      return &prototype->params[i];
  return NULL;
}

/* Whether the first input's shape is unlikely to be the output's: another type, dimensions of its own, a sum. */
static gboolean
leat_inspect_needs_spec (const LeatPrototype *prototype, const LeatParam *output)
{
  const LeatParam *input = leat_inspect_find_param (prototype, LEAT_PARAM_INPUT, NULL);

  return input == NULL || g_strcmp0 (input->dtype, output->dtype) != 0 || input->item_lanes != output->item_lanes
         || output->reads_line != 0 || leat_inspect_find_param (prototype, LEAT_PARAM_DIM, output->name) != NULL;
}

/* `out=f32[h,w]`: the number of dimensions is a guess by what the kernel asks for. */
static void
leat_inspect_append_spec (GString *out, const LeatPrototype *prototype, const LeatParam *output)
{
  static const char *const shapes[] = { "n", "h,w", "d,h,w" };
  const char *dtype = output->dtype != NULL ? output->dtype : "TYPE";
  guint n_dims = output->form == LEAT_TEXTURE_1D || output->form == LEAT_TEXTURE_LINEAR       ? 1
                 : output->form >= LEAT_TEXTURE_3D && output->form != LEAT_TEXTURE_1D_LAYERED ? 3
                 : output->form >= LEAT_TEXTURE_2D                                            ? 2
                                                                                              : prototype->n_axes;

  for (guint i = 0; i < prototype->n_params; i++)
    if (prototype->params[i].kind == LEAT_PARAM_DIM && g_strcmp0 (prototype->params[i].port, output->name) == 0)
      n_dims = MAX (n_dims, prototype->params[i].dim + 1);
  if (leat_inspect_find_param (prototype, LEAT_PARAM_OUTPUT_COUNT, output->name) != NULL)
    g_string_append_printf (out, " %s=%s[<=MOST]", output->name, dtype);
  else
    g_string_append_printf (out, " %s=%s[%s]", output->name, dtype, n_dims <= 3 ? shapes[n_dims - 1] : "SHAPE");
}

/* The name, or of a kernel that came compiled all of its prototype. */
static void
leat_inspect_append_entry (GString *out, LeatKernelSource *source, const LeatPrototype *prototype)
{
  if (!leat_kernel_source_is_image (source))
    {
      const char *mark = strpbrk (prototype->entry, " (<") != NULL ? "\"" : "";

      g_string_append_printf (out, "%s%s%s", mark, prototype->entry, mark);
      return;
    }
  g_string_append_printf (out, "\"%s(", prototype->entry);
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];
      gboolean is_output = param->kind == LEAT_PARAM_OUTPUT || param->kind == LEAT_PARAM_OUTPUT_COUNT;

      if (param->form != LEAT_TEXTURE_NONE)
        g_string_append_printf (out, "%s%s %s", i > 0 ? ", " : "", param->type, param->name);
      else
        g_string_append_printf (out, "%s%s%s %s%s", i > 0 ? ", " : "", param->kind == LEAT_PARAM_INPUT ? "const " : "",
                                param->type, is_output || param->kind == LEAT_PARAM_INPUT ? "*" : "", param->name);
    }
  g_string_append (out, ")\"");
}

/* A line that can go into a pipeline as it is, but for values and shapes. */
static void
leat_inspect_print_usage (GString *out, LeatKernelSource *source, const LeatPrototype *prototype)
{
  g_autoptr (GString) cleared = g_string_new (NULL);
  gboolean shapes = FALSE;

  g_string_append_printf (out, "\nIn a pipeline\n  kernel source=%s entry=", leat_kernel_source_get_name (source));
  leat_inspect_append_entry (out, source, prototype);
  if (leat_kernel_source_get_defines (source) != NULL)
    {
      g_autofree char *defines = g_strjoinv (",", (char **) leat_kernel_source_get_defines (source));

      g_string_append_printf (out, " defines=\"%s\"", defines);
    }
  for (guint i = 0; i < prototype->n_params; i++)
    {
      const LeatParam *param = &prototype->params[i];

      if (param->kind == LEAT_PARAM_SCALAR && param->initial == NULL)
        g_string_append_printf (out, " %s=VALUE", param->name);
      if (param->kind != LEAT_PARAM_OUTPUT)
        continue;
      if (param->reads_line != 0)
        g_string_append_printf (cleared, "%s%s", cleared->len > 0 ? "," : " clear=", param->name);
      if (!leat_inspect_needs_spec (prototype, param))
        continue;
      leat_inspect_append_spec (out, prototype, param);
      shapes = TRUE;
    }
  g_string_append_printf (out, "%s\n", cleared->str);
  if (shapes)
    g_string_append (out, "  (shapes are yours to say; one left out is the first input's)\n");
}

static void
leat_inspect_print_launch (GString *out, const LeatPrototype *prototype)
{
  g_string_append_printf (out, "\nLaunch\n  block           %u", prototype->block[0]);
  for (guint axis = 1; axis < 3 && prototype->block[axis] > 1; axis++)
    g_string_append_printf (out, "x%u", prototype->block[axis]);
  g_string_append (out, " threads, unless block= says another\n");
  if (prototype->cluster[0] * prototype->cluster[1] * prototype->cluster[2] > 1)
    g_string_append_printf (out, "  cluster         %ux%ux%u blocks, of which the grid has whole ones\n",
                            prototype->cluster[0], prototype->cluster[1], prototype->cluster[2]);
  if (prototype->has_dynamic_shared)
    g_string_append (out, "  shared          needed: shared=BYTES\n");
  if (leat_inspect_find_param (prototype, LEAT_PARAM_OUTPUT, NULL) != NULL)
    g_string_append (out, "  outputs         hold anything before; clear=PORT fills one with zeros\n");
}

/* The codes are the file's; which of them a kernel uses is not followed. */
static void
leat_inspect_print_reports (GString *out, LeatKernelSource *source, const LeatPrototype *prototype)
{
  guint n = 0;
  const LeatReportCode *codes = leat_kernel_source_list_reports (source, &n);

  if (!prototype->reports)
    return;
  g_string_append (out, "\nReports\n");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (out, "  %-14s  %s %u: %s\n", codes[i].name != NULL ? codes[i].name : "-",
                            codes[i].is_error ? "error" : "warning", codes[i].code, codes[i].text);
  if (n == 0)
    g_string_append (out, "  codes that the file does not declare, as warnings\n");
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
    leat_inspect_print_kind (out, source, prototype, i);
  leat_inspect_print_reports (out, source, prototype);
  leat_inspect_print_launch (out, prototype);
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
  if (param->initial != NULL)
    leat_inspect_add_json_text (builder, "default", param->initial);
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
  if (param->form != LEAT_TEXTURE_NONE)
    leat_inspect_add_json_text (builder, "form", leat_texture_form_get_name (param->form));
  if (param->kind == LEAT_PARAM_OUTPUT)
    {
      json_builder_set_member_name (builder, "needs-clear");
      json_builder_add_boolean_value (builder, param->reads_line != 0);
    }
  json_builder_end_object (builder);
}

static void
leat_inspect_add_reports (JsonBuilder *builder, LeatKernelSource *source, const LeatPrototype *prototype)
{
  guint n = 0;
  const LeatReportCode *codes = leat_kernel_source_list_reports (source, &n);

  json_builder_set_member_name (builder, "reports");
  json_builder_begin_array (builder);
  for (guint i = 0; prototype->reports && i < n; i++)
    {
      json_builder_begin_object (builder);
      json_builder_set_member_name (builder, "code");
      json_builder_add_int_value (builder, codes[i].code);
      leat_inspect_add_json_text (builder, "name", codes[i].name);
      leat_inspect_add_json_text (builder, "severity", codes[i].is_error ? "error" : "warning");
      leat_inspect_add_json_text (builder, "text", codes[i].text);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

void
leat_inspect_add_kernel (JsonBuilder *builder, LeatKernelSource *source, const LeatPrototype *prototype)
{
  leat_inspect_add_json_text (builder, "entry", prototype->entry);
  leat_inspect_add_json_text (builder, "source", leat_kernel_source_get_name (source));
  leat_inspect_add_json_text (builder, "comment", prototype->comment);
  json_builder_set_member_name (builder, "line");
  json_builder_add_int_value (builder, prototype->line);
  leat_inspect_add_axes (builder, "block", prototype->block);
  json_builder_set_member_name (builder, "parameters");
  json_builder_begin_array (builder);
  for (guint i = 0; i < prototype->n_params; i++)
    leat_inspect_add_param (builder, &prototype->params[i]);
  json_builder_end_array (builder);
  leat_inspect_add_reports (builder, source, prototype);
}
