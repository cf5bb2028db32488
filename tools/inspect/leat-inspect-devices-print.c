/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Devices as a table for people and as JSON, for leat-inspect --devices.  Appends to the caller's text or builder. */

#include "leat-inspect-devices.h"

static void G_GNUC_PRINTF (3, 4) leat_inspect_print_row (GString *out, const char *name, const char *format, ...)
{
  va_list args;

  g_string_append_printf (out, "  %-20s", name);
  va_start (args, format);
  g_string_append_vprintf (out, format, args);
  va_end (args);
  g_string_append_c (out, '\n');
}

/* 12040 is 12.4 */
static char *
leat_inspect_dup_version (int version)
{
  return g_strdup_printf ("%d.%d", version / 1000, version % 1000 / 10);
}

static void
leat_inspect_print_memory (GString *out, const LeatInspectDevice *device)
{
  g_autofree char *total = g_format_size_full (device->facts.memory_bytes, G_FORMAT_SIZE_IEC_UNITS);
  g_autofree char *unused = g_format_size_full (device->free_bytes, G_FORMAT_SIZE_IEC_UNITS);

  if (device->free_bytes > 0)
    leat_inspect_print_row (out, "memory", "%s, %s of it free", total, unused);
  else
    leat_inspect_print_row (out, "memory", "%s", total);
}

static void
leat_inspect_print_bus (GString *out, const LeatInspectDevice *device)
{
  const LeatInspectLink *link = &device->link;
  g_autoptr (GString) text = g_string_new (device->facts.pci_bus_id);

  if (link->generation > 0 && link->width > 0)
    g_string_append_printf (text, ", PCIe %u x%u", link->generation, link->width);
  if (link->most_generation > 0 && link->most_width > 0
      && (link->most_generation != link->generation || link->most_width != link->width))
    g_string_append_printf (text, " (at most %u x%u)", link->most_generation, link->most_width);
  if (device->facts.pci_bus_id[0] != '\0')
    leat_inspect_print_row (out, "bus", "%s", text->str);
}

static void
leat_inspect_print_clocks (GString *out, const LeatInspectDevice *device)
{
  if (device->clock_khz > 0)
    leat_inspect_print_row (out, "clock", "%u MHz", device->clock_khz / 1000);
  if (device->memory_clock_khz > 0)
    leat_inspect_print_row (out, "memory clock", "%u MHz, %u bits wide", device->memory_clock_khz / 1000,
                            device->memory_bus_bits);
}

static void
leat_inspect_print_limits (GString *out, const LeatDeviceFacts *facts, guint registers)
{
  leat_inspect_print_row (out, "block", "%u threads; %ux%ux%u", facts->max_threads_per_block, facts->max_block[0],
                          facts->max_block[1], facts->max_block[2]);
  leat_inspect_print_row (out, "grid", "%ux%ux%u blocks", facts->max_grid[0], facts->max_grid[1], facts->max_grid[2]);
  leat_inspect_print_row (out, "shared memory", "%u bytes a block, %u if asked for, %u a multiprocessor",
                          facts->max_shared_per_block, facts->max_shared_per_block_optin,
                          facts->max_shared_per_multiprocessor);
  if (registers > 0)
    leat_inspect_print_row (out, "registers", "%u a block, %u a multiprocessor", facts->max_registers_per_block,
                            registers);
  leat_inspect_print_row (out, "multiprocessors", "%u, each with at most %u threads and %u block%s",
                          facts->multiprocessors, facts->max_threads_per_multiprocessor,
                          facts->max_blocks_per_multiprocessor, facts->max_blocks_per_multiprocessor == 1 ? "" : "s");
}

static void
leat_inspect_print_abilities (GString *out, const LeatInspectDevice *device, gboolean has, const char *name)
{
  g_autoptr (GString) list = g_string_new (NULL);
  const char *title;

  for (guint i = 0; i < LEAT_INSPECT_N_ABILITIES; i++)
    {
      leat_inspect_get_ability (i, &title);
      if (device->abilities[i] == has)
        g_string_append_printf (list, "%s%s", list->len > 0 ? ", " : "", title);
    }
  if (list->len == 0)
    return;
  g_string_append_printf (out, "  %-20s", name);
  leat_inspect_append_blurb (out, list->str, 22);
}

static void
leat_inspect_print_device (GString *out, const LeatInspectDevice *device)
{
  g_autofree char *version = leat_inspect_dup_version (device->facts.driver_version);

  g_string_append_printf (out, "%s: %s\n", device->id, device->facts.name);
  if (device->fault != NULL)
    leat_inspect_print_row (out, "cannot be used", "%s", device->fault);
  if (device->facts.name[0] == '\0')
    return;
  leat_inspect_print_row (out, "driver", "%s %s (%s)", device->is_cpu ? "Leat's own, as CUDA" : "CUDA", version,
                          device->library);
  leat_inspect_print_row (out, "compute capability", "%u.%u", device->facts.compute_major, device->facts.compute_minor);
  leat_inspect_print_memory (out, device);
  leat_inspect_print_clocks (out, device);
  leat_inspect_print_bus (out, device);
  leat_inspect_print_limits (out, &device->facts, device->registers_per_multiprocessor);
  leat_inspect_print_abilities (out, device, TRUE, "has");
  leat_inspect_print_abilities (out, device, FALSE, "lacks");
}

void
leat_inspect_print_devices (GString *out, GPtrArray *devices, GPtrArray *absent)
{
  for (guint i = 0; i < devices->len; i++)
    {
      if (i > 0)
        g_string_append_c (out, '\n');
      leat_inspect_print_device (out, g_ptr_array_index (devices, i));
    }
  for (guint i = 0; i < absent->len; i++)
    g_string_append_printf (out, "%snot here: %s\n", out->len > 0 && i == 0 ? "\n" : "",
                            (const char *) g_ptr_array_index (absent, i));
}

/* What is 0 is not known. */
static void
leat_inspect_add_known (JsonBuilder *builder, const char *name, guint64 value)
{
  if (value > 0)
    leat_inspect_add_json_number (builder, name, value);
}

static void
leat_inspect_add_bus (JsonBuilder *builder, const LeatInspectDevice *device)
{
  if (device->facts.pci_bus_id[0] == '\0')
    return;
  leat_inspect_add_json_text (builder, "bus", device->facts.pci_bus_id);
  leat_inspect_add_known (builder, "pcie-generation", device->link.generation);
  leat_inspect_add_known (builder, "pcie-width", device->link.width);
  leat_inspect_add_known (builder, "pcie-generation-most", device->link.most_generation);
  leat_inspect_add_known (builder, "pcie-width-most", device->link.most_width);
}

static void
leat_inspect_add_limits (JsonBuilder *builder, const LeatInspectDevice *device)
{
  const LeatDeviceFacts *facts = &device->facts;

  leat_inspect_add_json_number (builder, "warp-threads", facts->warp_size);
  leat_inspect_add_json_number (builder, "multiprocessors", facts->multiprocessors);
  leat_inspect_add_json_number (builder, "threads-per-block", facts->max_threads_per_block);
  leat_inspect_add_axes (builder, "block", facts->max_block);
  leat_inspect_add_axes (builder, "grid", facts->max_grid);
  leat_inspect_add_json_number (builder, "threads-per-multiprocessor", facts->max_threads_per_multiprocessor);
  leat_inspect_add_json_number (builder, "blocks-per-multiprocessor", facts->max_blocks_per_multiprocessor);
  leat_inspect_add_json_number (builder, "shared-per-block", facts->max_shared_per_block);
  leat_inspect_add_json_number (builder, "shared-per-block-most", facts->max_shared_per_block_optin);
  leat_inspect_add_json_number (builder, "shared-per-multiprocessor", facts->max_shared_per_multiprocessor);
  if (device->registers_per_multiprocessor > 0)
    leat_inspect_add_json_number (builder, "registers-per-block", facts->max_registers_per_block);
  leat_inspect_add_known (builder, "registers-per-multiprocessor", device->registers_per_multiprocessor);
  leat_inspect_add_known (builder, "l2-bytes", facts->l2_bytes);
  leat_inspect_add_json_number (builder, "copy-engines", facts->async_engines);
}

static void
leat_inspect_add_facts (JsonBuilder *builder, const LeatInspectDevice *device)
{
  g_autofree char *version = leat_inspect_dup_version (device->facts.driver_version);
  g_autofree char *compute = g_strdup_printf ("%u.%u", device->facts.compute_major, device->facts.compute_minor);
  const char *title;

  leat_inspect_add_json_text (builder, "name", device->facts.name);
  leat_inspect_add_json_text (builder, "driver-version", version);
  leat_inspect_add_json_text (builder, "compute-capability", compute);
  leat_inspect_add_json_number (builder, "memory-bytes", device->facts.memory_bytes);
  leat_inspect_add_known (builder, "memory-free-bytes", device->free_bytes);
  leat_inspect_add_known (builder, "clock-khz", device->clock_khz);
  leat_inspect_add_known (builder, "memory-clock-khz", device->memory_clock_khz);
  leat_inspect_add_known (builder, "memory-bus-bits", device->memory_bus_bits);
  leat_inspect_add_bus (builder, device);
  leat_inspect_add_limits (builder, device);
  json_builder_set_member_name (builder, "abilities");
  json_builder_begin_object (builder);
  for (guint i = 0; i < LEAT_INSPECT_N_ABILITIES; i++)
    {
      json_builder_set_member_name (builder, leat_inspect_get_ability (i, &title));
      json_builder_add_boolean_value (builder, device->abilities[i]);
    }
  json_builder_end_object (builder);
}

void
leat_inspect_add_devices (JsonBuilder *builder, GPtrArray *devices, GPtrArray *absent)
{
  json_builder_begin_object (builder);
  json_builder_set_member_name (builder, "devices");
  json_builder_begin_array (builder);
  for (guint i = 0; i < devices->len; i++)
    {
      const LeatInspectDevice *device = g_ptr_array_index (devices, i);

      json_builder_begin_object (builder);
      leat_inspect_add_json_text (builder, "id", device->id);
      leat_inspect_add_json_text (builder, "driver", device->is_cpu ? "cpu" : "cuda");
      leat_inspect_add_json_text (builder, "library", device->library);
      leat_inspect_add_json_text (builder, "fault", device->fault);
      if (device->facts.name[0] != '\0')
        leat_inspect_add_facts (builder, device);
      json_builder_end_object (builder);
    }
  json_builder_end_array (builder);
  json_builder_set_member_name (builder, "absent");
  json_builder_begin_array (builder);
  for (guint i = 0; i < absent->len; i++)
    json_builder_add_string_value (builder, g_ptr_array_index (absent, i));
  json_builder_end_array (builder);
  json_builder_end_object (builder);
}
