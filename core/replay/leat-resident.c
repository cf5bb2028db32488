/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-lane-private.h"

#include "graph/leat-node-private.h"

#include "kernel/leat-image-private.h"

/* What stays on the device for all lanes of a session: constants and loaded kernels. */

static gboolean
leat_resident_write_count (LeatMemory *memory, const LeatBuffer *buffer, GError **error)
{
  guint64 count = leat_spec_get_dim (buffer->spec, 0);

  return leat_memory_write (memory, 0, &count, sizeof count, error);
}

LeatMemory *
leat_resident_make_memory (LeatDevice *device, const LeatBuffer *buffer, GError **error)
{
  g_autoptr (LeatMemory) memory = leat_memory_new (device, LEAT_MEMORY_DEVICE, buffer->bytes, buffer->name, error);
  gsize size;
  gconstpointer data;

  if (memory == NULL)
    return NULL;
  if (buffer->initial == NULL)
    {
      if (leat_memory_clear (memory, error))
        return g_steal_pointer (&memory);
      g_prefix_error (error, "%s: ", buffer->name);
      return NULL;
    }
  data = g_bytes_get_data (buffer->initial, &size);
  if (size > 0 && !leat_memory_write (memory, buffer->header ? LEAT_BUFFER_HEADER : 0, data, size, error))
    return NULL;
  if (buffer->header && !leat_resident_write_count (memory, buffer, error))
    return NULL;
  return g_steal_pointer (&memory);
}

static gboolean
leat_resident_load_constants (LeatResident *self, LeatPlan *plan, GError **error)
{
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (plan, i);
      LeatMemory *memory = NULL;

      if (buffer->place == LEAT_PLACE_OWN && buffer->kind == LEAT_BUFFER_CONST)
        {
          memory = leat_resident_make_memory (self->device, buffer, error);
          if (memory == NULL)
            return FALSE;
        }
      g_ptr_array_add (self->memories, memory);
    }
  return TRUE;
}

/* One image for runs that are measured and runs that are not: what a module keeps in variables is there once.  Where
 * there is no compiler, kernels are measured from outside. */
static GBytes *
leat_resident_get_image (LeatResident *self, LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  LeatImageTarget timed = *target;
  GBytes *image = NULL;

  timed.timed = self->measured && target->kind != LEAT_IMAGE_HOST;
  if (timed.timed)
    image = leat_image_get (source, &timed, NULL);
  return image != NULL ? image : leat_image_get (source, target, error);
}

static LeatModule *
leat_resident_load_module (LeatResident *self, LeatKernelSource *source, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  LeatModule *module = g_hash_table_lookup (self->modules, source);
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target = { 0 };
  g_autofree char *name = NULL;

  if (module != NULL)
    return module;
  name = leat_device_is_cpu (self->device) ? g_strdup ("host")
                                           : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  if (!leat_image_target_parse (name, &target, error))
    return NULL;
  image = leat_resident_get_image (self, source, &target, error);
  if (image == NULL)
    return NULL;
  module = leat_module_load (self->device, image, leat_kernel_source_get_name (source), error);
  if (module != NULL)
    g_hash_table_insert (self->modules, leat_kernel_source_ref (source), module);
  return module;
}

/* As many blocks as the device runs at once. */
static gboolean
leat_resident_size_grid (LeatResident *self, LeatModule *module, const LeatFunction *function, LeatOp *op,
                         GError **error)
{
  guint blocks;

  if (!leat_module_get_occupancy (module, function, op->block[0] * op->block[1] * op->block[2], op->shared_bytes,
                                  &blocks, error))
    return FALSE;
  op->grid[0] = MAX (blocks, 1) * leat_device_get_facts (self->device)->multiprocessors;
  op->grid[1] = op->grid[2] = 1;
  return TRUE;
}

/* Blocks that wait for each other must all run at once, with the clock around them too. */
static gboolean
leat_resident_fits_as_well (LeatResident *self, LeatModule *module, const LeatFunction *timed, const LeatOp *op)
{
  guint threads = op->block[0] * op->block[1] * op->block[2], before = 0, after = 0;

  return leat_module_get_occupancy (module, self->functions[op->index], threads, op->shared_bytes, &before, NULL)
         && leat_module_get_occupancy (module, timed, threads, op->shared_bytes, &after, NULL) && after >= before;
}

/* A kernel that does not fit with the clock around it is measured from outside. */
static void
leat_resident_load_timed (LeatResident *self, LeatModule *module, const LeatLaunchShape *shape, const LeatOp *op)
{
  g_autofree char *name = leat_image_dup_timed_symbol (op->prototype->entry);
  const LeatFunction *function = leat_module_get_function (module, name, NULL);

  if (function == NULL || !leat_module_prepare_launch (module, function, shape, op->prototype->entry, NULL)
      || ((op->cooperative || op->grid_by_occupancy) && !leat_resident_fits_as_well (self, module, function, op)))
    return;
  if (self->timed == NULL)
    self->timed = g_new0 (const LeatFunction *, self->n_functions);
  self->timed[op->index] = function;
}

static gboolean
leat_resident_load_kernel (LeatResident *self, LeatOp *op, GError **error)
{
  LeatModule *module = leat_resident_load_module (self, op->source, error);
  LeatLaunchShape shape = { .shared_bytes = op->shared_bytes, .cooperative = op->cooperative };
  g_autofree char *wrapper = leat_image_dup_symbol (op->prototype->entry);
  const LeatFunction *function;

  if (module == NULL)
    return FALSE;
  function = leat_module_get_function (module, wrapper, error);
  if (function == NULL || (op->grid_by_occupancy && !leat_resident_size_grid (self, module, function, op, error)))
    return FALSE;
  memcpy (shape.grid, op->grid, sizeof shape.grid);
  memcpy (shape.block, op->block, sizeof shape.block);
  self->functions[op->index] = function;
  if (!leat_module_prepare_launch (module, function, &shape, op->prototype->entry, error))
    return FALSE;
  if (self->measured && !leat_device_is_cpu (self->device))
    leat_resident_load_timed (self, module, &shape, op);
  return TRUE;
}

gboolean
leat_resident_load_kernels (LeatResident *self, LeatPlan *plan, GError **error)
{
  self->n_functions = plan->ops->len + 1;
  if (self->functions == NULL)
    self->functions = g_new0 (const LeatFunction *, self->n_functions);
  for (guint i = 0; i < plan->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (plan, i);

      if (leat_op_launches (op) && self->functions[i] == NULL && !leat_resident_load_kernel (self, op, error))
        {
          leat_node_prefix_error (op->node, error);
          return FALSE;
        }
    }
  return TRUE;
}

static void
leat_resident_free_memory (gpointer memory)
{
  if (memory != NULL)
    leat_memory_free (memory);
}

LeatResident *
leat_resident_new (LeatPlan *plan, LeatDevice *device, gboolean measured, GError **error)
{
  g_autoptr (LeatResident) self = g_new0 (LeatResident, 1);

  g_atomic_ref_count_init (&self->refs);
  self->device = g_object_ref (device);
  self->measured = measured;
  self->memories = g_ptr_array_new_with_free_func (leat_resident_free_memory);
  self->modules =
    g_hash_table_new_full (NULL, NULL, (GDestroyNotify) leat_kernel_source_unref, (GDestroyNotify) leat_module_unref);
  if (!leat_resident_load_kernels (self, plan, error) || !leat_resident_load_constants (self, plan, error))
    return NULL;
  return g_steal_pointer (&self);
}

LeatResident *
leat_resident_ref (LeatResident *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_resident_unref (LeatResident *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->memories, g_ptr_array_unref);
  g_clear_pointer (&self->modules, g_hash_table_unref);
  g_free (self->functions);
  g_free (self->timed);
  g_clear_object (&self->device);
  g_free (self);
}
