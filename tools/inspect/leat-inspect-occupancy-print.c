/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A kernel on a device as a table for people and as JSON.  Appends to the caller's text or builder. */

#include "leat-inspect-launch.h"

static char *
leat_inspect_dup_axes (const guint *axes)
{
  if (axes[2] > 1)
    return g_strdup_printf ("%ux%ux%u", axes[0], axes[1], axes[2]);
  return axes[1] > 1 ? g_strdup_printf ("%ux%u", axes[0], axes[1]) : g_strdup_printf ("%u", axes[0]);
}

static void
leat_inspect_print_needs (GString *out, const LeatInspectOnDevice *self)
{
  const LeatFunction *function = &self->function;

  g_string_append_printf (out, "\nOn %s (%s)\n", leat_device_get_id (self->device),
                          leat_device_get_name (self->device));
  if (!leat_device_is_cpu (self->device))
    g_string_append_printf (out, "  registers       %u a thread\n", function->registers);
  g_string_append_printf (out, "  shared memory   %u bytes a block of its own, and up to %u that the launch asks for\n",
                          function->static_shared_bytes, function->max_dynamic_shared_bytes);
  if (!leat_device_is_cpu (self->device))
    {
      g_string_append_printf (out, "  local memory    %u bytes a thread%s\n", function->local_bytes,
                              function->local_bytes > 0 ? ": arrays, or registers that were spilled" : "");
      g_string_append_printf (out, "  constants       %u bytes\n", self->constant_bytes);
    }
  g_string_append_printf (out, "  threads         at most %u a block\n", function->max_threads_per_block);
}

static void
leat_inspect_print_occupancy (GString *out, const LeatInspectOnDevice *self)
{
  g_string_append (out, "\n  block   blocks   warps   full   limited by\n");
  for (guint i = 0; i < self->occupancy->len; i++)
    {
      const LeatInspectOccupancy *row = &g_array_index (self->occupancy, LeatInspectOccupancy, i);

      g_string_append_printf (out, "  %5u   %6u   %5u   %3u%%   %s\n", row->threads, row->blocks, row->warps,
                              row->percent, row->limit);
    }
  g_string_append (out, "  (blocks and warps that run at once on one multiprocessor)\n");
}

void
leat_inspect_print_on_device (GString *out, const LeatInspectOnDevice *self)
{
  const LeatLaunchShape *shape = &self->launch.shape;
  g_autofree char *block = leat_inspect_dup_axes (shape->block), *grid = leat_inspect_dup_axes (shape->grid);

  leat_inspect_print_needs (out, self);
  leat_inspect_print_occupancy (out, self);
  g_string_append_printf (out, "\n  block=%s", block);
  if (self->launch.has_grid)
    g_string_append_printf (out, " grid=%s", grid);
  if (shape->shared_bytes > 0)
    g_string_append_printf (out, " shared=%u", shape->shared_bytes);
  if (shape->cooperative)
    g_string_append (out, " cooperative=true");
  if (self->faults->len == 0)
    g_string_append (out, " breaks no limit\n");
  else
    g_string_append_printf (out, " breaks %u limit%s\n", self->faults->len, self->faults->len > 1 ? "s" : "");
  for (guint i = 0; i < self->faults->len; i++)
    {
      g_string_append (out, "  - ");
      leat_inspect_append_blurb (out, g_ptr_array_index (self->faults, i), 4);
    }
}

static void
leat_inspect_add_occupancy (JsonBuilder *builder, const LeatInspectOnDevice *self)
{
  json_builder_set_member_name (builder, "occupancy");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->occupancy->len; i++)
    {
      const LeatInspectOccupancy *row = &g_array_index (self->occupancy, LeatInspectOccupancy, i);

      json_builder_begin_object (builder);
      leat_inspect_add_json_number (builder, "threads", row->threads);
      leat_inspect_add_json_number (builder, "blocks", row->blocks);
      leat_inspect_add_json_number (builder, "warps", row->warps);
      leat_inspect_add_json_number (builder, "percent", row->percent);
      leat_inspect_add_json_text (builder, "limit", row->limit);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
}

static void
leat_inspect_add_launch (JsonBuilder *builder, const LeatInspectOnDevice *self)
{
  const LeatLaunchShape *shape = &self->launch.shape;

  json_builder_set_member_name (builder, "launch");
  json_builder_begin_object (builder);
  leat_inspect_add_axes (builder, "block", shape->block);
  if (self->launch.has_grid)
    leat_inspect_add_axes (builder, "grid", shape->grid);
  leat_inspect_add_json_number (builder, "shared-bytes", shape->shared_bytes);
  json_builder_set_member_name (builder, "cooperative");
  json_builder_add_boolean_value (builder, shape->cooperative);
  json_builder_set_member_name (builder, "faults");
  json_builder_begin_array (builder);
  for (guint i = 0; i < self->faults->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (self->faults, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}

void
leat_inspect_add_on_device (JsonBuilder *builder, const LeatInspectOnDevice *self)
{
  const LeatFunction *function = &self->function;

  json_builder_set_member_name (builder, "device");
  json_builder_begin_object (builder);
  leat_inspect_add_json_text (builder, "id", leat_device_get_id (self->device));
  leat_inspect_add_json_text (builder, "name", leat_device_get_name (self->device));
  if (!leat_device_is_cpu (self->device))
    {
      leat_inspect_add_json_number (builder, "registers", function->registers);
      leat_inspect_add_json_number (builder, "local-bytes", function->local_bytes);
      leat_inspect_add_json_number (builder, "constant-bytes", self->constant_bytes);
      leat_inspect_add_json_number (builder, "binary-version", self->binary_version);
    }
  leat_inspect_add_json_number (builder, "shared-bytes", function->static_shared_bytes);
  leat_inspect_add_json_number (builder, "shared-bytes-most", function->max_dynamic_shared_bytes);
  leat_inspect_add_json_number (builder, "threads-most", function->max_threads_per_block);
  leat_inspect_add_occupancy (builder, self);
  leat_inspect_add_launch (builder, self);
  json_builder_end_object (builder);
}
