/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The program: its modules, functions and constants, for all lanes of a session, and what is known of kernels only when
 * they are loaded.  Touches those, and of the plan only the early starts that follow. */

#include "leat-persistent-private.h"

#include "graph/leat-node-private.h"
#include "kernel/leat-image-private.h"
#include "kernel/leat-kernel-source-private.h"
#include "bind/leat-bind-private.h"

#define LEAT_PROGRAM_ROOM 25 /* of a hundred */

/* Constants and loaded kernels stay on the device for all lanes of a session. */

void
leat_program_drop_constants (LeatProgram *self)
{
  g_ptr_array_set_size (self->blocks, 0);
}

gboolean
leat_program_find_constants (LeatProgram *self, LeatStore *store, GError **error)
{
  leat_program_drop_constants (self);
  leat_store_begin_round (store);
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      LeatBlock *block = NULL;

      if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN && buffer->kind == LEAT_BUFFER_CONST)
        {
          block = leat_store_get (store, buffer, error);
          if (block == NULL)
            return FALSE;
        }
      g_ptr_array_add (self->blocks, block);
    }
  return TRUE;
}

gboolean
leat_program_write_constants (LeatProgram *self, GError **error)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      LeatBlock *block = g_ptr_array_index (self->blocks, i);

      if (block == NULL || (block->contents != NULL && g_bytes_equal (block->contents, buffer->initial)))
        continue;
      if (!leat_block_write (block, buffer, error))
        return FALSE;
    }
  return TRUE;
}

/* Whether no kernel before or after it can overlap with it, as all in the body of a loop.  Such a kernel has no wait,
 * next to which ptxas unrolls no loop.  Many lanes go another way. */
static gboolean
leat_program_is_enclosed (LeatProgram *self, const LeatOp *op)
{
  return (op->loop != NULL || self->is_apart) && !LEAT_BOUND_OP (op)->wide && !leat_device_is_cpu (self->device)
         && leat_device_get_facts (self->device)->compute_major >= 9;
}

/* Where the modules of its kind of image are. */
static GHashTable *
leat_program_get_modules (LeatProgram *self, const LeatOp *op)
{
  return LEAT_BOUND_OP (op)->wide ? self->wide : leat_program_is_enclosed (self, op) ? self->enclosed : self->modules;
}

/* Of the same node, since a module holds what its kernels keep in variables of their own. @indirect: see
 * LeatImageTarget */
static LeatModule *
leat_program_find_module (LeatProgram *self, const LeatOp *op, gboolean indirect)
{
  guint n = self->plan->ops->len;

  /* Most often it is the op of the same number. */
  for (guint i = 0; i < n; i++)
    {
      const LeatOp *other = leat_plan_get_op (self->plan, (op->index + i) % n);

      if (other->node == op->node && LEAT_BOUND_OP (other)->wide == LEAT_BOUND_OP (op)->wide
          && (other->loop != NULL) == (op->loop != NULL) && leat_op_launches (other)
          && self->op_modules[other->index] != NULL && leat_kernel_source_equal (other->source, op->source)
          && leat_plan_has_slots_for (self->plan, other->source) == indirect)
        return self->op_modules[other->index];
    }
  return NULL;
}

static LeatModule *
leat_program_borrow_module (LeatProgram *self, LeatProgram *lender, const LeatOp *op)
{
  GHashTable *modules = leat_program_get_modules (self, op);
  LeatModule *module = g_hash_table_lookup (modules, op->source);

  if (module != NULL || lender == NULL)
    return module;
  module = leat_program_find_module (lender, op, leat_plan_has_slots_for (self->plan, op->source));
  if (module != NULL)
    g_hash_table_insert (modules, leat_kernel_source_ref (op->source), leat_module_ref (module));
  return module;
}

/* One image for runs that are measured and runs that are not: what a module keeps in variables is there once.  Where
 * there is no compiler, kernels are measured from outside.  Those that overlap with none wait for what there is not
 * where such an image ships: to compile one takes longer than many runs. */
static GBytes *
leat_program_get_image (LeatProgram *self, LeatKernelSource *source, const LeatImageTarget *target, GError **error)
{
  LeatImageTarget timed = *target, plain = *target;
  GBytes *image = NULL;

  plain.enclosed = FALSE;
  timed.timed = self->measured && target->kind != LEAT_IMAGE_HOST;
  if (timed.timed)
    image = leat_image_get (source, &timed, NULL);
  if (image == NULL && target->enclosed)
    image = leat_image_get_shipped (source, target);
  if (image == NULL && target->enclosed)
    image = leat_image_get_shipped (source, &plain);
  if (image == NULL && target->enclosed)
    image = leat_image_get (source, target, NULL);
  return image != NULL ? image : leat_image_get (source, &plain, error);
}

/* Another kernel of the file may be what does not compile; without it, @source is that of @op's kernel alone.  Not
 * where kernels share what they keep in variables: that is one module's. */
static GBytes *
leat_program_get_image_of (LeatProgram *self, const LeatOp *op, LeatKernelSource **source,
                           const LeatImageTarget *target, GError **error)
{
  g_autoptr (GError) local = NULL;
  g_autoptr (LeatKernelSource) only = NULL;
  GBytes *image = leat_program_get_image (self, *source, target, &local);

  if (image == NULL && g_error_matches (local, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_COMPILE)
      && leat_kernel_source_has_others (*source) && !leat_kernel_source_keeps_data (*source))
    only = leat_kernel_source_new_only (*source, op->prototype->entry, NULL);
  if (only != NULL)
    image = leat_program_get_image (self, only, target, NULL);
  if (image == NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return NULL;
    }
  if (only != NULL)
    {
      leat_kernel_source_unref (*source);
      *source = g_steal_pointer (&only);
    }
  return image;
}

static LeatModule *
leat_program_load_module (LeatProgram *self, const LeatOp *op, GError **error)
{
  g_autoptr (LeatKernelSource) source = leat_kernel_source_ref (op->source);
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  LeatModule *module;
  g_autoptr (GBytes) image = NULL;
  LeatImageTarget target = { 0 };
  g_autofree char *name = NULL;

  name = leat_device_is_cpu (self->device) ? g_strdup ("host")
                                           : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  if (!leat_image_target_parse (name, &target, error))
    return NULL;
  target.indirect = leat_plan_has_slots_for (self->plan, source);
  target.wide = LEAT_BOUND_OP (op)->wide;
  target.enclosed = leat_program_is_enclosed (self, op);
  target.whole =
    target.kind == LEAT_IMAGE_HOST && leat_image_host_runs_variants () && leat_kernel_source_has_variants (source);
  image = leat_program_get_image_of (self, op, &source, &target, error);
  if (image == NULL)
    return NULL;
  module = leat_module_load (self->device, image, leat_kernel_source_get_name (source), error);
  if (module != NULL)
    g_hash_table_insert (leat_program_get_modules (self, op), leat_kernel_source_ref (source), module);
  return module;
}

/* Advises to leave kernels apart that were fused, since they need not be one. */
static void
leat_program_advise_apart (const LeatOp *op, GError **error)
{
  g_autofree char *said = NULL;

  if (op->fusion == NULL || op->fusion->is_chain || error == NULL || *error == NULL)
    return;
  said = g_steal_pointer (&(*error)->message);
  (*error)->message =
    g_strdup_printf ("%s; or %s", said,
                     op->runs != NULL ? "set another method= for the loop"
                                      : "put nodes outside, whose kernels are launched by themselves");
}

/* As many blocks as the device runs at once. */
static gboolean
leat_program_size_grid (LeatModule *module, const LeatFunction *function, const LeatOp *op, guint *grid, GError **error)
{
  LeatLaunchShape shape = { .shared_bytes = op->shared_bytes };

  memcpy (shape.block, op->block, sizeof shape.block);
  if (!leat_module_fill_device (module, function, &shape, op->prototype->entry, &grid[0], error))
    {
      leat_program_advise_apart (op, error);
      return FALSE;
    }
  if (op->grid_most > 0)
    grid[0] = MIN (grid[0], op->grid_most);
  grid[1] = grid[2] = 1;
  return TRUE;
}

/* Blocks that wait for each other must all run at once, with the clock around them too. */
static gboolean
leat_program_fits_as_well (LeatProgram *self, LeatModule *module, const LeatFunction *timed, const LeatOp *op)
{
  guint threads = op->block[0] * op->block[1] * op->block[2], before = 0, after = 0;

  return leat_module_get_occupancy (module, self->functions[op->index], threads, op->shared_bytes, &before, NULL)
         && leat_module_get_occupancy (module, timed, threads, op->shared_bytes, &after, NULL) && after >= before;
}

/* A kernel that does not fit with the clock around it is measured from outside. */
static void
leat_program_load_timed (LeatProgram *self, LeatModule *module, const LeatLaunchShape *shape, const LeatOp *op)
{
  g_autofree char *name = leat_image_dup_timed_symbol (op->prototype->entry, self->loaded[op->index].wrapped);
  const LeatFunction *function = leat_module_get_function (module, name, NULL);

  if (function == NULL || !leat_module_prepare_launch (module, function, shape, op->prototype->entry, NULL)
      || ((op->cooperative || op->grid_by_occupancy) && !leat_program_fits_as_well (self, module, function, op)))
    return;
  if (self->timed == NULL)
    self->timed = g_new0 (const LeatFunction *, self->plan->ops->len + 1);
  self->timed[op->index] = function;
}

static const char *
leat_program_why_not_early (LeatProgram *self)
{
  if (leat_device_get_facts (self->device)->compute_major < 9)
    return "it takes compute capability 9.0";
  if (leat_device_get_table (self->device)->cuGraphAddNode == NULL)
    return "it takes a driver for CUDA 12.3";
  return NULL;
}

/* Whether all blocks run at once: surely, where there are no more than multiprocessors. */
static gboolean
leat_program_measure_grid (LeatProgram *self, LeatModule *module, const LeatOp *op, GError **error)
{
  LeatLoadedKernel *loaded = &self->loaded[op->index];
  guint64 blocks = (guint64) loaded->grid[0] * loaded->grid[1] * loaded->grid[2];
  guint multiprocessors = leat_device_get_facts (self->device)->multiprocessors, each = 1;

  if (blocks > multiprocessors
      && !leat_module_get_occupancy (module, self->functions[op->index], op->block[0] * op->block[1] * op->block[2],
                                     op->shared_bytes, &each, error))
    return FALSE;
  loaded->is_small = blocks <= (guint64) each * multiprocessors;
  return TRUE;
}

/* A kernel without shared memory leaves a quarter of what may be for those that begin while it runs, which leaves the
 * cache most of it. */
static void
leat_program_leave_room (LeatProgram *self, LeatModule *module, const LeatOp *op)
{
  LeatLoadedKernel *loaded = &self->loaded[op->index];
  const LeatFunction *function = self->functions[op->index];
  guint most = leat_device_get_facts (self->device)->max_shared_per_block_optin;

  loaded->shared_need = loaded->shared_room = function->static_shared_bytes + op->shared_bytes;
  if (loaded->shared_need == 0 && leat_module_keep_shared (module, function, LEAT_PROGRAM_ROOM))
    loaded->shared_room = most / 100 * LEAT_PROGRAM_ROOM;
}

/* Finds out what must be known before the kernel may begin early, or another one during it. */
static gboolean
leat_program_look_at_kernel (LeatProgram *self, LeatModule *module, const LeatOp *op, GError **error)
{
  if (LEAT_BOUND_PLAN (self->plan)->traits.early == LEAT_EARLY_NONE || op->cooperative
      || leat_program_why_not_early (self) != NULL)
    return TRUE;
  self->loaded[op->index].waits = leat_module_waits (module);
  leat_program_leave_room (self, module, op);
  return leat_program_measure_grid (self, module, op, error);
}

/* What comes compiled has no wrapper of ours, which looks things up on the device. */
static gboolean
leat_program_check_wrapper (LeatProgram *self, const LeatOp *op, GError **error)
{
  const char *name = op->kind == LEAT_OP_KERNEL ? leat_kernel_source_get_name (op->source) : NULL;

  if (!self->loaded[op->index].wrapped || name == NULL || !leat_kernel_source_is_image (op->source))
    return TRUE;
  if (leat_op_takes_counts (op))
    g_set_error (error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_PROTOTYPE,
                 "kernel %s of %s came compiled, so it cannot be given a count that is on the device; take data of a "
                 "fixed shape, or give the kernel as CUDA C",
                 op->prototype->entry, name);
  else
    g_set_error (
      error, LEAT_KERNEL_ERROR, LEAT_KERNEL_ERROR_PROTOTYPE,
      "kernel %s of %s came compiled, so it cannot look up memory that the application brings; set mode=copy "
      "on the upload and the readback, or give the kernel as CUDA C",
      op->prototype->entry, name);
  return FALSE;
}

static gboolean
leat_program_load_kernel (LeatProgram *self, LeatProgram *lender, const LeatOp *op, GError **error)
{
  const LeatBoundOp *bound = LEAT_BOUND_OP (op);
  LeatLoadedKernel *loaded = &self->loaded[op->index];
  LeatModule *module = leat_program_borrow_module (self, lender, op);
  LeatLaunchShape shape = { .shared_bytes = op->shared_bytes, .cooperative = op->cooperative };
  g_autofree char *wrapper =
    bound->wide ? leat_image_dup_wide_symbol (op->prototype->entry) : leat_image_dup_symbol (op->prototype->entry);
  g_autofree char *plain = leat_image_dup_plain_symbol (op->prototype->entry);
  const LeatFunction *function;

  loaded->wrapped = LEAT_BOUND_PLAN (self->plan)->traits.persistent || bound->by_slot || bound->wide
                    || leat_op_takes_counts (op) || (op->kind == LEAT_OP_KERNEL && op->prototype->reports);
  if (!leat_program_check_wrapper (self, op, error))
    return FALSE;
  if (module == NULL)
    module = leat_program_load_module (self, op, error);
  if (module == NULL)
    return FALSE;
  function = leat_module_get_function (module, loaded->wrapped ? wrapper : plain, error);
  if (function == NULL
      || (op->grid_by_occupancy && !leat_program_size_grid (module, function, op, loaded->grid, error)))
    return FALSE;
  memcpy (shape.grid, loaded->grid, sizeof shape.grid);
  memcpy (shape.block, op->block, sizeof shape.block);
  self->functions[op->index] = function;
  self->prototypes[op->index] = op->prototype;
  self->op_modules[op->index] = module;
  if (self->timed != NULL)
    self->timed[op->index] = NULL;
  if (!leat_module_prepare_launch (module, function, &shape, op->prototype->entry, error))
    {
      leat_program_advise_apart (op, error);
      return FALSE;
    }
  if (!leat_program_look_at_kernel (self, module, op, error))
    return FALSE;
  if (self->measured && !leat_device_is_cpu (self->device))
    leat_program_load_timed (self, module, &shape, op);
  memcpy (loaded->block, op->block, sizeof loaded->block);
  return TRUE;
}

gboolean
leat_program_load_kernels (LeatProgram *self, LeatProgram *lender, GError **error)
{
  if (self->functions == NULL)
    self->functions = g_new0 (const LeatFunction *, self->plan->ops->len + 1);
  if (self->prototypes == NULL)
    self->prototypes = g_new0 (const LeatPrototype *, self->plan->ops->len + 1);
  if (self->op_modules == NULL)
    self->op_modules = g_new0 (LeatModule *, self->plan->ops->len + 1);
  if (self->loaded == NULL)
    self->loaded = g_new0 (LeatLoadedKernel, self->plan->ops->len + 1);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (!op->grid_by_occupancy)
        memcpy (self->loaded[i].grid, op->grid, sizeof op->grid);
      if (leat_op_launches (op)
          && (self->prototypes[i] != op->prototype || memcmp (self->loaded[i].block, op->block, sizeof op->block) != 0)
          && !leat_program_load_kernel (self, lender, op, error))
        {
          if (LEAT_BOUND_PLAN (self->plan)->traits.persistent)
            leat_persistent_explain_limit (error);
          leat_node_prefix_error (op->node, error);
          return FALSE;
        }
    }
  leat_plan_allow_early (self->plan, leat_program_why_not_early (self), self->loaded);
  return TRUE;
}

static void
leat_program_free_block (gpointer block)
{
  if (block != NULL)
    leat_block_unref (block);
}

LeatProgram *
leat_program_new (LeatPlan *plan, LeatStore *store, LeatDevice *device, gboolean measured, LeatProgram *lender,
                  GError **error)
{
  g_autoptr (LeatProgram) self = g_new0 (LeatProgram, 1);

  g_atomic_ref_count_init (&self->refs);
  self->device = g_object_ref (device);
  self->measured = measured;
  self->plan = plan;
  self->is_apart = !leat_plan_may_overlap (plan);
  self->blocks = g_ptr_array_new_with_free_func (leat_program_free_block);
  self->modules =
    g_hash_table_new_full (NULL, NULL, (GDestroyNotify) leat_kernel_source_unref, (GDestroyNotify) leat_module_unref);
  self->wide =
    g_hash_table_new_full (NULL, NULL, (GDestroyNotify) leat_kernel_source_unref, (GDestroyNotify) leat_module_unref);
  self->enclosed =
    g_hash_table_new_full (NULL, NULL, (GDestroyNotify) leat_kernel_source_unref, (GDestroyNotify) leat_module_unref);
  if (!leat_program_load_kernels (self, lender, error) || !leat_program_find_constants (self, store, error))
    return NULL;
  if (LEAT_BOUND_PLAN (plan)->traits.persistent
      && (self->persistent = leat_persistent_new (device, plan, self->loaded, error)) == NULL)
    return NULL;
  return g_steal_pointer (&self);
}

LeatProgram *
leat_program_ref (LeatProgram *self)
{
  g_atomic_ref_count_inc (&self->refs);
  return self;
}

void
leat_program_unref (LeatProgram *self)
{
  if (!g_atomic_ref_count_dec (&self->refs))
    return;
  g_clear_pointer (&self->persistent, leat_persistent_free);
  g_clear_pointer (&self->blocks, g_ptr_array_unref);
  g_clear_pointer (&self->modules, g_hash_table_unref);
  g_clear_pointer (&self->wide, g_hash_table_unref);
  g_clear_pointer (&self->enclosed, g_hash_table_unref);
  g_free (self->op_modules);
  g_free (self->functions);
  g_free (self->prototypes);
  g_free (self->timed);
  g_free (self->loaded);
  g_clear_object (&self->device);
  g_free (self);
}
