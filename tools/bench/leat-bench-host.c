/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The work of a session's plan orchestrated step by step from the host, as the other side of a contest.  Touches memory
 * of its own; the session whose plan it follows is not run. */

#include "leat-bench-host-private.h"
#include "leat-bench-module.h"

#include "kernel/leat-image-private.h"

static void
leat_bench_block_free (gpointer block)
{
  g_free (((LeatBenchBlock *) block)->data);
  g_free (block);
}

void
leat_bench_host_free (LeatBenchHost *self)
{
  g_clear_pointer (&self->modules, g_hash_table_unref);
  if (self->pushed)
    leat_device_pop (self->device);
  for (guint i = 0; self->steps != NULL && i < self->plan->ops->len; i++)
    g_free (self->steps[i].uses);
  g_clear_pointer (&self->blocks, g_ptr_array_unref);
  g_free (self->of);
  g_free (self->steps);
  g_clear_object (&self->plan);
  g_clear_object (&self->device);
  g_free (self);
}

gboolean
leat_bench_host_refuse (LeatNode *node, const char *what, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s \"%s\" %s, and that is not done by hand here",
               leat_node_get_id (node), leat_node_get_name (node), what);
  return FALSE;
}

/* Buffers that share memory in the plan share it here; as they did when memory was taken, for what the session's first
 * run measures may have other buffers share theirs. */
LeatBenchBlock *
leat_bench_host_get_block (LeatBenchHost *self, LeatBufferId id)
{
  LeatBenchBlock **slot = &self->of[self->of[id] != NULL ? id : leat_plan_get_root (self->plan, id)->id];

  if (*slot == NULL)
    {
      *slot = g_new0 (LeatBenchBlock, 1);
      g_ptr_array_add (self->blocks, *slot);
    }
  return *slot;
}

/* An upload and a readback are part of each step, so there is one memory for both ends. */
static void
leat_bench_host_join (LeatBenchHost *self, const LeatOp *op)
{
  LeatBenchBlock *from = leat_bench_host_get_block (self, op->from);
  LeatBufferId to = leat_plan_get_root (self->plan, op->to)->id;

  if (leat_plan_get_buffer (self->plan, op->from)->bytes == leat_plan_get_buffer (self->plan, op->to)->bytes
      && self->of[to] == NULL)
    self->of[to] = from;
}

static gboolean
leat_bench_host_fill_block (LeatBenchHost *self, LeatBuffer *buffer, GError **error)
{
  LeatBenchBlock *block = leat_bench_host_get_block (self, buffer->id);
  gsize n = 0;
  gconstpointer initial = buffer->initial != NULL ? g_bytes_get_data (buffer->initial, &n) : NULL;

  if (buffer->user || (buffer->header && initial != NULL) || n > buffer->bytes)
    {
      g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "the memory of \"%s\" cannot be had by hand here",
                   buffer->name);
      return FALSE;
    }
  if (block->bytes < buffer->bytes)
    {
      block->data = g_realloc (block->data, buffer->bytes);
      memset ((guint8 *) block->data + block->bytes, 0, buffer->bytes - block->bytes);
      block->bytes = buffer->bytes;
    }
  block->kept = block->kept || buffer->kind == LEAT_BUFFER_STATE || buffer->kind == LEAT_BUFFER_CONST;
  if (n > 0)
    memcpy (block->data, initial, n);
  return TRUE;
}

static gboolean
leat_bench_host_take_memory (LeatBenchHost *self, GError **error)
{
  self->blocks = g_ptr_array_new_with_free_func (leat_bench_block_free);
  self->of = g_new0 (LeatBenchBlock *, self->plan->buffers->len + 1);
  for (guint i = 0; i < self->plan->ops->len; i++)
    if (leat_plan_get_op (self->plan, i)->kind == LEAT_OP_TRANSFER)
      leat_bench_host_join (self, leat_plan_get_op (self->plan, i));
  for (guint i = 0; i < self->plan->buffers->len; i++)
    if (!leat_bench_host_fill_block (self, g_ptr_array_index (self->plan->buffers, i), error))
      return FALSE;
  for (guint i = 0; i < self->plan->buffers->len; i++)
    self->of[i] = leat_bench_host_get_block (self, i);
  return TRUE;
}

static LeatModule *
leat_bench_host_load_module (LeatBenchHost *self, LeatKernelSource *source, GError **error)
{
  LeatModule *module = g_hash_table_lookup (self->modules, source);

  if (module != NULL)
    return module;
  module = leat_bench_module_load (self->device, source, error);
  if (module != NULL)
    g_hash_table_insert (self->modules, source, module);
  return module;
}

static void
leat_bench_step_use (LeatBenchStep *self, LeatBenchBlock *block, guint access)
{
  for (guint i = 0; i < self->n_uses; i++)
    if (self->uses[i].block == block)
      {
        self->uses[i].access |= access;
        return;
      }
  self->uses[self->n_uses++] = (LeatBenchUse){ block, access };
}

static gboolean
leat_bench_host_load_kernel (LeatBenchHost *self, const LeatOp *op, GError **error)
{
  LeatLaunchShape shape = { .shared_bytes = op->shared_bytes, .cooperative = op->cooperative };
  LeatBenchStep *step = &self->steps[op->index];
  g_autofree char *symbol = leat_image_dup_plain_symbol (op->prototype->entry);
  LeatModule *module;

  if (op->is_head || op->prototype->reports)
    return leat_bench_host_refuse (op->node, op->is_head ? "works on memory of the program's" : "reports", error);
  module = leat_bench_host_load_module (self, op->source, error);
  if (module == NULL)
    return FALSE;
  memcpy (shape.grid, op->grid, sizeof shape.grid);
  memcpy (shape.block, op->block, sizeof shape.block);
  step->uses = g_new0 (LeatBenchUse, op->n_touches + 1);
  for (guint i = 0; i < op->n_touches; i++)
    leat_bench_step_use (step, leat_bench_host_get_block (self, op->touches[i].buffer), op->touches[i].access);
  step->function = leat_module_get_function (module, symbol, error);
  return step->function != NULL
         && leat_module_prepare_launch (module, step->function, &shape, op->prototype->entry, error);
}

static gboolean
leat_bench_host_load (LeatBenchHost *self, GError **error)
{
  self->modules = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) leat_module_unref);
  self->steps = g_new0 (LeatBenchStep, self->plan->ops->len + 1);
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (op->kind == LEAT_OP_FOREIGN)
        return leat_bench_host_refuse (op->node, "is foreign work", error);
      if (op->kind == LEAT_OP_LOOP || op->loop != NULL || op->fusible != NULL)
        return leat_bench_host_refuse (op->node, "can be done in several ways or is in a loop", error);
      if (op->kind == LEAT_OP_KERNEL && !leat_bench_host_load_kernel (self, op, error))
        return FALSE;
    }
  return TRUE;
}

LeatBenchHost *
leat_bench_host_new (LeatSession *session, GError **error)
{
  g_autoptr (LeatBenchHost) self = g_new0 (LeatBenchHost, 1);

  self->device = g_object_ref (leat_session_get_device (session));
  self->table = leat_device_get_table (self->device);
  self->plan = leat_session_dup_plan (session);
  self->pushed = leat_device_push (self->device, error);
  if (!self->pushed || !leat_bench_host_take_memory (self, error) || !leat_bench_host_load (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

gpointer
leat_bench_host_get_data (LeatBenchHost *self, LeatNode *app, guint64 **count)
{
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);
      guint8 *data;

      if (op->node != app || op->n_touches == 0)
        continue;
      data = leat_bench_host_get_block (self, op->touches[0].buffer)->data;
      if (!leat_plan_get_buffer (self->plan, op->touches[0].buffer)->header)
        return data;
      *count = (guint64 *) data;
      return data + LEAT_BUFFER_HEADER;
    }
  return NULL;
}

guint64
leat_bench_host_get_bytes_up (LeatBenchHost *self)
{
  return self->bytes_up;
}

gboolean
leat_bench_host_check (LeatBenchHost *self, const LeatOp *op, const char *call, CUresult result, GError **error)
{
  return result == CUDA_SUCCESS
         || leat_device_set_error (self->device, error, call, result, "\"%s\" by hand", leat_node_get_name (op->node));
}

static gboolean
leat_bench_host_bring (LeatBenchHost *self, const LeatOp *op, const LeatBenchUse *use, GError **error)
{
  LeatBenchBlock *block = use->block;
  CUresult result = (*self->table->cuMemAlloc) (&block->address, block->bytes);

  if (!leat_bench_host_check (self, op, "cuMemAlloc", result, error))
    return FALSE;
  /* A block that the kernel does not read and nothing has written is not worth an upload. */
  if ((use->access & LEAT_ACCESS_READ) == 0 && !block->kept && !block->written)
    return TRUE;
  self->bytes_up += block->bytes;
  result = (*self->table->cuMemcpyHtoD) (block->address, block->data, block->bytes);
  return leat_bench_host_check (self, op, "cuMemcpyHtoD", result, error);
}

static gboolean
leat_bench_host_take_back (LeatBenchHost *self, const LeatOp *op, const LeatBenchUse *use, GError **error)
{
  LeatBenchBlock *block = use->block;

  if ((use->access & LEAT_ACCESS_WRITE) == 0)
    return TRUE;
  block->written = TRUE;
  return leat_bench_host_check (self, op, "cuMemcpyDtoH",
                                (*self->table->cuMemcpyDtoH) (block->data, block->address, block->bytes), error);
}

static gboolean
leat_bench_host_give_back (LeatBenchHost *self, const LeatOp *op, GError **error)
{
  const LeatBenchStep *step = &self->steps[op->index];
  CUresult worst = CUDA_SUCCESS;

  for (guint i = 0; i < step->n_uses; i++)
    {
      LeatBenchBlock *block = step->uses[i].block;
      CUresult result = block->address != 0 ? (*self->table->cuMemFree) (block->address) : CUDA_SUCCESS;

      block->address = 0;
      worst = worst == CUDA_SUCCESS ? result : worst;
    }
  return leat_bench_host_check (self, op, "cuMemFree", worst, error);
}

/* On the stream that is there without being made, as applications do that make none. */
static gboolean
leat_bench_host_do_kernel (LeatBenchHost *self, const LeatOp *op, GError **error)
{
  const LeatBenchStep *step = &self->steps[op->index];
  gboolean good = TRUE;

  for (guint i = 0; i < step->n_uses && good; i++)
    good = leat_bench_host_bring (self, op, &step->uses[i], error);
  good = good && leat_bench_host_launch (self, op, NULL, error)
         && leat_bench_host_check (self, op, "cuStreamSynchronize", (*self->table->cuStreamSynchronize) (NULL), error);
  for (guint i = 0; i < step->n_uses && good; i++)
    good = leat_bench_host_take_back (self, op, &step->uses[i], error);
  return leat_bench_host_give_back (self, op, good ? error : NULL) && good;
}

/* Its data are the application's, so these are no step. */
static void
leat_bench_host_do_copy (LeatBenchHost *self, const LeatOp *op)
{
  LeatBenchBlock *to = leat_bench_host_get_block (self, op->to);

  if (op->kind == LEAT_OP_FILL)
    memset (to->data, op->value, op->bytes);
  else if (to != leat_bench_host_get_block (self, op->from))
    memcpy (to->data, leat_bench_host_get_block (self, op->from)->data, op->bytes);
  to->written = TRUE;
}

gboolean
leat_bench_host_run (LeatBenchHost *self, GError **error)
{
  for (guint i = 0; i < self->blocks->len; i++)
    ((LeatBenchBlock *) g_ptr_array_index (self->blocks, i))->written = FALSE;
  for (guint i = 0; i < self->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->plan, i);

      if (op->kind == LEAT_OP_KERNEL && !leat_bench_host_do_kernel (self, op, error))
        return FALSE;
      if (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL || op->kind == LEAT_OP_TRANSFER)
        leat_bench_host_do_copy (self, op);
    }
  return TRUE;
}
