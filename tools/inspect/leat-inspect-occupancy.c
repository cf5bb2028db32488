/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A kernel on a device: what it takes, how full multiprocessors get, and which limits its launch breaks.  Compiles and
 * loads the kernel, and launches nothing. */

#include "leat-inspect-launch.h"

#include "device/leat-device-private.h"
#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"

#define LEAT_INSPECT_REGISTER_UNIT 256 /* that a warp gets registers in */
#define LEAT_INSPECT_SCHEDULERS    4   /* of a multiprocessor, each with a part of the registers */

LeatModule *
leat_inspect_load (LeatDevice *device, LeatKernelSource *source, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (device);
  g_autofree char *name = leat_device_is_cpu (device)
                            ? g_strdup ("host")
                            : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target;

  if (!leat_image_target_parse (name, &target, error))
    return NULL;
  target.whole =
    target.kind == LEAT_IMAGE_HOST && leat_image_host_runs_variants () && leat_kernel_source_has_variants (source);
  image = leat_image_get (source, &target, error);
  return image != NULL ? leat_module_load (device, image, leat_kernel_source_get_name (source), error) : NULL;
}

static guint
leat_inspect_ask_function (LeatDevice *device, const LeatFunction *function, CUfunction_attribute attribute)
{
  int value = 0;

  if (!leat_device_push (device, NULL))
    return 0;
  if ((*leat_device_get_table (device)->cuFuncGetAttribute) (&value, attribute, function->function) != CUDA_SUCCESS)
    value = 0;
  leat_device_pop (device);
  return (guint) MAX (value, 0);
}

static guint
leat_inspect_ask_device (LeatDevice *device, CUdevice_attribute attribute)
{
  int value = 0;

  if ((*leat_device_get_table (device)->cuDeviceGetAttribute) (&value, attribute,
                                                               leat_device_get_facts (device)->device)
      != CUDA_SUCCESS)
    return 0;
  return (guint) MAX (value, 0);
}

/* How many blocks the registers of a multiprocessor are enough for. */
static guint
leat_inspect_count_by_registers (const LeatInspectOnDevice *self, guint warps)
{
  guint each = self->function.registers * leat_device_get_facts (self->device)->warp_size;
  guint all = leat_inspect_ask_device (self->device, CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR);
  guint most;

  each = (each + LEAT_INSPECT_REGISTER_UNIT - 1) / LEAT_INSPECT_REGISTER_UNIT * LEAT_INSPECT_REGISTER_UNIT;
  if (each == 0 || all == 0 || leat_device_is_cpu (self->device))
    return G_MAXUINT;
  most = all / each;
  return (most - most % LEAT_INSPECT_SCHEDULERS) / warps;
}

static guint
leat_inspect_count_by_shared (const LeatInspectOnDevice *self)
{
  guint64 bytes = (guint64) self->function.static_shared_bytes + self->launch.shape.shared_bytes;
  guint reserved = leat_inspect_ask_device (self->device, CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK);

  if (bytes + reserved == 0)
    return G_MAXUINT;
  return (guint) (leat_device_get_facts (self->device)->max_shared_per_multiprocessor / (bytes + reserved));
}

/* The first of the least. */
static const char *
leat_inspect_find_limit (const LeatInspectOnDevice *self, guint warps)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  const struct
  {
    const char *name;
    guint blocks;
  } rows[] = {
    { "threads", facts->max_threads_per_multiprocessor / facts->warp_size / warps },
    { "blocks", facts->max_blocks_per_multiprocessor },
    { "registers", leat_inspect_count_by_registers (self, warps) },
    { "shared memory", leat_inspect_count_by_shared (self) },
  };
  guint least = 0;

  for (guint i = 1; i < G_N_ELEMENTS (rows); i++)
    if (rows[i].blocks < rows[least].blocks)
      least = i;
  return rows[least].name;
}

/* Of blocks that are too large for the kernel. */
static const char *
leat_inspect_find_bound (const LeatInspectOnDevice *self, guint threads)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);

  if (threads > facts->max_threads_per_block)
    return "threads of a block";
  return !leat_device_is_cpu (self->device)
             && (guint64) self->function.registers * threads > facts->max_registers_per_block
           ? "registers of a block"
           : "__launch_bounds__";
}

static void
leat_inspect_add_size (LeatInspectOnDevice *self, LeatModule *module, const LeatFunction *function, guint threads)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  guint most = facts->max_threads_per_multiprocessor / facts->warp_size;
  guint each = (threads + facts->warp_size - 1) / facts->warp_size;
  LeatInspectOccupancy row = { .threads = threads, .limit = "shared memory" };

  if (threads > function->max_threads_per_block)
    row.limit = leat_inspect_find_bound (self, threads);
  else if (leat_module_get_occupancy (module, function, threads, self->launch.shape.shared_bytes, &row.blocks, NULL))
    row.limit = leat_inspect_find_limit (self, each);
  row.warps = row.blocks * each;
  row.percent = most > 0 ? row.warps * 100 / most : 0;
  g_array_append_val (self->occupancy, row);
}

/* Usual sizes, and the one that the launch has. */
static void
leat_inspect_fill_table (LeatInspectOnDevice *self, LeatModule *module, const LeatFunction *function)
{
  static const guint sizes[] = { 32, 64, 96, 128, 192, 256, 384, 512, 768, 1024 };
  const guint *block = self->launch.shape.block;
  guint64 own = (guint64) block[0] * block[1] * block[2];
  guint most = leat_device_get_facts (self->device)->max_threads_per_block;

  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    {
      if (own < sizes[i] && (i == 0 || own > sizes[i - 1]))
        leat_inspect_add_size (self, module, function, (guint) own);
      if (sizes[i] <= most)
        leat_inspect_add_size (self, module, function, sizes[i]);
    }
}

static void
leat_inspect_find_faults (LeatInspectOnDevice *self, LeatModule *module, const LeatFunction *function,
                          const LeatPrototype *prototype)
{
  LeatLaunchShape *shape = &self->launch.shape;
  g_autoptr (GError) error = NULL;

  leat_module_list_faults (module, function, shape, prototype->entry, self->faults);
  if (prototype->has_dynamic_shared && shape->shared_bytes == 0)
    g_ptr_array_add (self->faults, g_strdup_printf ("%s: the kernel uses extern __shared__ memory, whose size the "
                                                    "launch has to say: set shared=BYTES",
                                                    prototype->entry));
  if (prototype->syncs_grid && !shape->cooperative)
    g_ptr_array_add (self->faults, g_strdup_printf ("%s: the kernel has a barrier of the whole grid, and only a "
                                                    "cooperative launch is sure to run all blocks at once: set "
                                                    "cooperative=true",
                                                    prototype->entry));
  if (!self->launch.fills || self->faults->len > 0)
    return;
  if (!leat_module_fill_device (module, function, shape, prototype->entry, &shape->grid[0], &error))
    g_ptr_array_add (self->faults, g_strdup (error->message));
  else
    self->launch.has_grid = TRUE;
}

LeatInspectOnDevice *
leat_inspect_look (LeatDevice *device, LeatModule *module, const LeatPrototype *prototype,
                   const LeatInspectLaunch *launch, GError **error)
{
  g_autofree char *symbol = leat_image_dup_plain_symbol (prototype->entry);
  const LeatFunction *function = leat_module_get_function (module, symbol, error);
  LeatInspectOnDevice *self;

  if (function == NULL)
    return NULL;
  self = g_new0 (LeatInspectOnDevice, 1);
  self->device = g_object_ref (device);
  self->function = *function;
  self->launch = *launch;
  self->occupancy = g_array_new (FALSE, FALSE, sizeof (LeatInspectOccupancy));
  self->faults = g_ptr_array_new_with_free_func (g_free);
  if (!launch->has_block)
    memcpy (self->launch.shape.block, prototype->block, sizeof prototype->block);
  self->constant_bytes = leat_inspect_ask_function (device, function, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  self->binary_version = leat_inspect_ask_function (device, function, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  leat_inspect_fill_table (self, module, function);
  leat_inspect_find_faults (self, module, function, prototype);
  return self;
}

void
leat_inspect_on_device_free (LeatInspectOnDevice *self)
{
  g_object_unref (self->device);
  g_array_unref (self->occupancy);
  g_ptr_array_unref (self->faults);
  g_free (self);
}
