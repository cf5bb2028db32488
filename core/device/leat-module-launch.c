/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Checks a launch against the function and the device before the driver sees it, and suggests sizes of blocks.  Touches
 * nothing of the module but how much shared memory its functions may take. */

#include "leat-module-object-private.h"

#define LEAT_DEFAULT_BLOCK 256

/* Driver errors on launch say "invalid value"; these say which value, and what the device would take. */

static gboolean G_GNUC_PRINTF (3, 4) leat_launch_refuse (GError **error, const char *what, const char *format, ...)
{
  g_autofree char *reason = NULL;
  va_list args;

  va_start (args, format);
  reason = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error (error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_LAUNCH_LIMIT, "%s: %s", what, reason);
  return FALSE;
}

static gboolean
leat_launch_check_axis (const char *what, const char *which, const guint *size, guint axis, guint limit,
                        const char *device, GError **error)
{
  if (size[axis] == 0)
    return leat_launch_refuse (error, what, "the %s %ux%ux%u is empty in %c", which, size[0], size[1], size[2],
                               "xyz"[axis]);
  return size[axis] <= limit
         || leat_launch_refuse (error, what, "the %s %ux%ux%u is too large in %c: %s allows at most %u there", which,
                                size[0], size[1], size[2], "xyz"[axis], device, limit);
}

static gboolean
leat_launch_check_axes (const char *what, const char *which, const guint *size, const guint *limit, const char *device,
                        GError **error)
{
  for (guint axis = 0; axis < 3; axis++)
    if (!leat_launch_check_axis (what, which, size, axis, limit[axis], device, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_launch_check_device_threads (const LeatDeviceFacts *facts, guint64 threads, const char *what, GError **error)
{
  return threads <= facts->max_threads_per_block
         || leat_launch_refuse (
           error, what,
           "a block of %" G_GUINT64_FORMAT
           " threads is too large: %s allows at most %u; give it a smaller block= where its node has one",
           threads, facts->name, facts->max_threads_per_block);
}

static gboolean
leat_launch_check_kernel_threads (const LeatModuleFunction *function, guint64 threads, const char *what, GError **error)
{
  return threads <= function->facts.max_threads_per_block
         || leat_launch_refuse (error, what,
                                "a block of %" G_GUINT64_FORMAT
                                " threads is too large: kernel \"%s\", with %u registers a thread, is compiled for at "
                                "most %u; give it a smaller block=, or say in the __launch_bounds__ before its name "
                                "how many it is for",
                                threads, function->name, function->facts.registers,
                                function->facts.max_threads_per_block);
}

static gboolean
leat_launch_check_threads (const LeatModuleFunction *function, const LeatDeviceFacts *facts,
                           const LeatLaunchShape *shape, const char *what, GError **error)
{
  guint64 threads = (guint64) shape->block[0] * shape->block[1] * shape->block[2];

  return leat_launch_check_device_threads (facts, threads, what, error)
         && leat_launch_check_kernel_threads (function, threads, what, error);
}

static gboolean
leat_launch_check_shared (const LeatModuleFunction *function, const LeatDeviceFacts *facts,
                          const LeatLaunchShape *shape, const char *what, GError **error)
{
  guint own = function->facts.static_shared_bytes;

  if (own > facts->max_shared_per_block)
    return leat_launch_refuse (
      error, what,
      "kernel \"%s\" declares %u bytes of __shared__ memory, and a block on %s has at most %u: "
      "take smaller arrays, or one that the launch sizes (extern __shared__ T x[]; and shared= "
      "on the node), of at most %u bytes",
      function->name, own, facts->name, facts->max_shared_per_block, facts->max_shared_per_block_optin);
  if (shape->shared_bytes <= function->facts.max_dynamic_shared_bytes)
    return TRUE;
  return leat_launch_refuse (error, what,
                             "%u bytes of dynamic shared memory are too many: kernel \"%s\" has %u of its own, and a "
                             "block on %s has at most %u in all: take less with shared=",
                             shape->shared_bytes, function->name, function->facts.static_shared_bytes, facts->name,
                             facts->max_shared_per_block_optin);
}

/* More than the default must be asked for, once for a kernel. In the context. */
static gboolean
leat_launch_raise_shared (LeatModule *self, LeatModuleFunction *function, guint shared_bytes, GError **error)
{
  CUresult result = CUDA_SUCCESS;

  g_mutex_lock (&self->lock);
  if (shared_bytes > function->dynamic_shared)
    {
      result = (*self->table->cuFuncSetAttribute) (function->facts.function,
                                                   CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, (int) shared_bytes);
      if (result == CUDA_SUCCESS)
        function->dynamic_shared = shared_bytes;
    }
  g_mutex_unlock (&self->lock);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, "cuFuncSetAttribute", result,
                                   "%u bytes of shared memory for kernel \"%s\"", shared_bytes, function->name);
}

static gboolean
leat_launch_check_cooperative (LeatModule *self, const LeatModuleFunction *function, const LeatLaunchShape *shape,
                               const char *what, GError **error)
{
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  guint64 blocks = (guint64) shape->grid[0] * shape->grid[1] * shape->grid[2];
  guint threads = shape->block[0] * shape->block[1] * shape->block[2];
  guint resident = 0;

  if (!facts->cooperative_launch)
    return leat_launch_refuse (error, what, "%s cannot launch cooperatively", facts->name);
  if (!leat_module_get_occupancy (self, &function->facts, threads, shape->shared_bytes, &resident, error))
    return FALSE;
  if (blocks > (guint64) resident * facts->multiprocessors)
    return leat_launch_refuse (
      error, what,
      "a cooperative grid of %" G_GUINT64_FORMAT " blocks is too large: %s runs at most %" G_GUINT64_FORMAT
      " of these at once (%u on each of %u multiprocessors); take fewer with grid=, or as many as there are room for "
      "with grid=occupancy",
      blocks, facts->name, (guint64) resident * facts->multiprocessors, resident, facts->multiprocessors);
  return TRUE;
}

gboolean
leat_module_keep_shared (LeatModule *self, const LeatFunction *function, guint percent)
{
  CUresult result;

  if (!leat_device_push (self->device, NULL))
    return FALSE;
  result = (*self->table->cuFuncSetAttribute) (function->function, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
                                               (int) percent);
  leat_device_pop (self->device);
  return result == CUDA_SUCCESS;
}

gboolean
leat_module_prepare_launch (LeatModule *self, const LeatFunction *function, const LeatLaunchShape *shape,
                            const char *what, GError **error)
{
  LeatModuleFunction *own = (LeatModuleFunction *) function;
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  gboolean ok;

  if (!leat_device_check (self->device, error)
      || !leat_launch_check_axes (what, "grid", shape->grid, facts->max_grid, facts->name, error)
      || !leat_launch_check_axes (what, "block", shape->block, facts->max_block, facts->name, error)
      || !leat_launch_check_threads (own, facts, shape, what, error)
      || !leat_launch_check_shared (own, facts, shape, what, error) || !leat_device_push (self->device, error))
    return FALSE;
  ok = leat_launch_raise_shared (self, own, shape->shared_bytes, error)
       && (!shape->cooperative || leat_launch_check_cooperative (self, own, shape, what, error));
  leat_device_pop (self->device);
  return ok;
}

static void
leat_launch_take_fault (GPtrArray *faults, GError *error)
{
  if (error != NULL)
    g_ptr_array_add (faults, g_strdup (error->message));
  g_clear_error (&error);
}

void
leat_module_list_faults (LeatModule *self, const LeatFunction *function, const LeatLaunchShape *shape, const char *what,
                         GPtrArray *faults)
{
  const LeatModuleFunction *own = (const LeatModuleFunction *) function;
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  guint64 threads = (guint64) shape->block[0] * shape->block[1] * shape->block[2];
  guint n_before = faults->len;
  GError *error = NULL;

  for (guint axis = 0; axis < 6; axis++, error = NULL)
    {
      leat_launch_check_axis (what, axis < 3 ? "block" : "grid", axis < 3 ? shape->block : shape->grid, axis % 3,
                              axis < 3 ? facts->max_block[axis] : facts->max_grid[axis % 3], facts->name, &error);
      leat_launch_take_fault (faults, error);
    }
  leat_launch_check_device_threads (facts, threads, what, &error);
  leat_launch_take_fault (faults, error);
  error = NULL;
  if (own->facts.max_threads_per_block < facts->max_threads_per_block)
    leat_launch_check_kernel_threads (own, threads, what, &error);
  leat_launch_take_fault (faults, error);
  error = NULL;
  leat_launch_check_shared (own, facts, shape, what, &error);
  leat_launch_take_fault (faults, error);
  error = NULL;
  /* How many blocks run at once is known of a block that runs at all. */
  if (shape->cooperative && faults->len == n_before)
    leat_launch_check_cooperative (self, own, shape, what, &error);
  leat_launch_take_fault (faults, error);
}

/* A driver counts no block at all that has more shared memory than was asked for, so that comes first. */
gboolean
leat_module_get_occupancy (LeatModule *self, const LeatFunction *function, guint block_threads, guint shared_bytes,
                           guint *blocks_per_multiprocessor, GError **error)
{
  LeatModuleFunction *own = (LeatModuleFunction *) function;
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  LeatLaunchShape shape = { .shared_bytes = shared_bytes };
  int blocks = 0;
  CUresult result = CUDA_SUCCESS;
  gboolean raised;

  if (!leat_launch_check_shared (own, facts, &shape, own->name, error) || !leat_device_push (self->device, error))
    return FALSE;
  raised = leat_launch_raise_shared (self, own, shared_bytes, error);
  if (raised)
    result = (*self->table->cuOccupancyMaxActiveBlocksPerMultiprocessor) (&blocks, function->function,
                                                                          (int) block_threads, shared_bytes);
  leat_device_pop (self->device);
  *blocks_per_multiprocessor = (guint) MAX (blocks, 0);
  return raised
         && (result == CUDA_SUCCESS
             || leat_device_set_error (self->device, error, "cuOccupancyMaxActiveBlocksPerMultiprocessor", result,
                                       "kernel \"%s\" in blocks of %u", own->name, block_threads));
}

gboolean
leat_module_fill_device (LeatModule *self, const LeatFunction *function, const LeatLaunchShape *shape, const char *what,
                         guint *blocks, GError **error)
{
  const LeatModuleFunction *own = (const LeatModuleFunction *) function;
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  guint threads = shape->block[0] * shape->block[1] * shape->block[2], each = 0;

  if (!leat_launch_check_axes (what, "block", shape->block, facts->max_block, facts->name, error)
      || !leat_launch_check_threads (own, facts, shape, what, error)
      || !leat_module_get_occupancy (self, function, threads, shape->shared_bytes, &each, error))
    return FALSE;
  *blocks = each * facts->multiprocessors;
  return each > 0
         || leat_launch_refuse (
           error, what,
           "a multiprocessor of %s has no room for a block of %u threads with %u registers each "
           "and %u bytes of shared memory; take less of what is too much: a smaller block=, less shared memory, "
           "or fewer registers (__launch_bounds__ before the kernel's name)",
           facts->name, threads, own->facts.registers, own->facts.static_shared_bytes + shape->shared_bytes);
}

static gboolean
leat_module_guess_block (LeatModule *self, const LeatFunction *function, guint shared_bytes, guint *block_threads,
                         guint *grid_blocks, GError **error)
{
  guint resident = 0;

  *block_threads = MAX (1, MIN (LEAT_DEFAULT_BLOCK, function->max_threads_per_block));
  if (!leat_module_get_occupancy (self, function, *block_threads, shared_bytes, &resident, error))
    return FALSE;
  *grid_blocks = MAX (1, resident * leat_device_get_facts (self->device)->multiprocessors);
  return TRUE;
}

gboolean
leat_module_suggest_block (LeatModule *self, const LeatFunction *function, guint shared_bytes, guint *block_threads,
                           guint *grid_blocks, GError **error)
{
  const LeatModuleFunction *own = (const LeatModuleFunction *) function;
  int grid = 0, block = 0;
  CUresult result;

  if (self->table->cuOccupancyMaxPotentialBlockSize == NULL)
    return leat_module_guess_block (self, function, shared_bytes, block_threads, grid_blocks, error);
  if (!leat_device_push (self->device, error))
    return FALSE;
  result = (*self->table->cuOccupancyMaxPotentialBlockSize) (&grid, &block, function->function, NULL, shared_bytes, 0);
  leat_device_pop (self->device);
  *block_threads = (guint) MAX (block, 1);
  *grid_blocks = (guint) MAX (grid, 1);
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, "cuOccupancyMaxPotentialBlockSize", result, "kernel \"%s\"",
                                   own->name);
}
