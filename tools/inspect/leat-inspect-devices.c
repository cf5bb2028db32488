/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* What the drivers tell of their devices, for leat-inspect --devices.  Opens each device for its free memory, and
 * leaves it as it was. */

#include "leat-inspect-devices.h"

#include "device/leat-device-private.h"

/* An ability is an attribute, or an entry point that only newer drivers have. */
static const struct
{
  const char *name, *title;
  CUdevice_attribute attribute;
} leat_inspect_abilities[LEAT_INSPECT_N_ABILITIES] = {
  { "cooperative-launch", "cooperative launches", CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH },
  { "memory-pools", "memory pools", CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED },
  { "managed-memory", "managed memory", CU_DEVICE_ATTRIBUTE_MANAGED_MEMORY },
  { "mapped-memory", "mapped memory", CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY },
  { "unified-addressing", "unified addressing", CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING },
  { "pageable-memory", "the host's pageable memory", CU_DEVICE_ATTRIBUTE_PAGEABLE_MEMORY_ACCESS },
  { "stream-priorities", "priorities of streams", CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED },
  { "concurrent-kernels", "kernels beside each other", CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS },
  { "integrated", "memory shared with the host", CU_DEVICE_ATTRIBUTE_INTEGRATED },
  { "loops-in-graphs", "loops within graphs", 0 },
  { "early-start", "early start of kernels", 0 },
};

const char *
leat_inspect_get_ability (guint number, const char **title)
{
  *title = leat_inspect_abilities[number].title;
  return leat_inspect_abilities[number].name;
}

static void
leat_inspect_device_free (gpointer data)
{
  LeatInspectDevice *self = data;

  g_free (self->id);
  g_free (self->library);
  g_free (self->fault);
  g_free (self);
}

static guint
leat_inspect_ask (LeatDriver *driver, const LeatDeviceFacts *facts, CUdevice_attribute attribute)
{
  int value = 0;

  if ((*leat_driver_get_table (driver)->cuDeviceGetAttribute) (&value, attribute, facts->device) != CUDA_SUCCESS)
    return 0;
  return (guint) MAX (value, 0);
}

static void
leat_inspect_find_abilities (LeatInspectDevice *self, LeatDriver *driver)
{
  const LeatDriverTable *table = leat_driver_get_table (driver);
  guint n = LEAT_INSPECT_N_ABILITIES;

  for (guint i = 0; i < n; i++)
    if (leat_inspect_abilities[i].attribute != 0)
      self->abilities[i] = leat_inspect_ask (driver, &self->facts, leat_inspect_abilities[i].attribute) != 0;
  self->abilities[n - 2] = table->cuGraphConditionalHandleCreate != NULL;
  self->abilities[n - 1] = self->facts.compute_major >= 9 && table->cuGraphAddNode != NULL;
}

/* Memory that is free is known within a context alone. */
static void
leat_inspect_find_free_memory (LeatInspectDevice *self)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (LeatDevice) device = leat_device_open (self->id, &error);
  size_t unused = 0, total = 0;

  if (device == NULL || !leat_device_push (device, &error))
    {
      self->fault = g_strdup (error->message);
      return;
    }
  if ((*leat_device_get_table (device)->cuMemGetInfo) (&unused, &total) == CUDA_SUCCESS)
    self->free_bytes = unused;
  leat_device_pop (device);
}

/* (transfer full) */
static LeatInspectDevice *
leat_inspect_look_at_device (LeatDriver *driver, guint ordinal, const char *id)
{
  LeatInspectDevice *self = g_new0 (LeatInspectDevice, 1);
  g_autoptr (GError) error = NULL;

  self->id = g_strdup (id);
  self->is_cpu = leat_driver_get_kind (driver) == LEAT_DRIVER_CPU;
  self->library = g_strdup (leat_driver_get_path (driver));
  if (!leat_driver_probe (driver, ordinal, &self->facts, &error))
    {
      self->fault = g_strdup (error->message);
      return self;
    }
  /* The CPU's are made up, for callers that count on them. */
  if (self->is_cpu)
    self->facts.pci_bus_id[0] = '\0';
  else
    {
      self->registers_per_multiprocessor =
        leat_inspect_ask (driver, &self->facts, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
      self->clock_khz = leat_inspect_ask (driver, &self->facts, CU_DEVICE_ATTRIBUTE_CLOCK_RATE);
      self->memory_clock_khz = leat_inspect_ask (driver, &self->facts, CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE);
      self->memory_bus_bits = leat_inspect_ask (driver, &self->facts, CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH);
      leat_inspect_read_link (LEAT_INSPECT_BUS_ROOT, self->facts.pci_bus_id, &self->link);
    }
  leat_inspect_find_abilities (self, driver);
  leat_inspect_find_free_memory (self);
  return self;
}

static void
leat_inspect_add_driver (GPtrArray *devices, GPtrArray *absent, const char *selector)
{
  g_autoptr (GError) error = NULL;
  LeatDriverChoice choice;

  if (!leat_driver_select (selector, &choice, &error))
    {
      g_ptr_array_add (absent, g_strdup (error->message));
      return;
    }
  for (guint i = 0; i < leat_driver_get_device_count (choice.driver); i++)
    {
      g_autofree char *id = g_str_equal (selector, "cpu") ? g_strdup (selector) : g_strdup_printf ("cuda:%u", i);

      g_ptr_array_add (devices, leat_inspect_look_at_device (choice.driver, i, id));
    }
}

GPtrArray *
leat_inspect_list_devices (GPtrArray *absent)
{
  GPtrArray *devices = g_ptr_array_new_with_free_func (leat_inspect_device_free);

  leat_inspect_add_driver (devices, absent, "cuda");
  leat_inspect_add_driver (devices, absent, "cpu");
  return devices;
}
