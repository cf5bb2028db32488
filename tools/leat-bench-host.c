/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

#include "leat-bench-host.h"

#include "device/leat-device-private.h"
#include "device/leat-module-private.h"
#include "graph/leat-node-private.h"
#include "kernel/leat-image-private.h"
#include "plan/leat-plan-private.h"

/* Memory of the program's, and while a kernel needs it, of the device. */
typedef struct
{
  gpointer data;
  guint64 bytes;
  gboolean kept;    /* from run to run: all of it counts from the beginning */
  gboolean written; /* in this run */
  CUdeviceptr address;
} LeatBenchBlock;

/* What a kernel does with a block, whose several buffers it may name. */
typedef struct
{
  LeatBenchBlock *block;
  guint access;
} LeatBenchUse;

typedef struct
{
  const LeatFunction *function; /* NULL: no kernel */
  LeatBenchUse *uses;
  guint n_uses;
} LeatBenchStep;

struct _LeatBenchHost
{
  LeatDevice *device;
  const LeatDriverTable *table;
  LeatPlan *plan;
  GPtrArray *blocks;    /* LeatBenchBlock */
  LeatBenchBlock **of;  /* by buffer */
  GHashTable *modules;  /* LeatKernelSource -> LeatModule */
  LeatBenchStep *steps; /* by op */
  guint64 bytes_up;
  gboolean pushed;
};

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

static gboolean
leat_bench_host_refuse (LeatNode *node, const char *what, GError **error)
{
  g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_SUPPORTED, "%s \"%s\" %s, and that is not done by hand here",
               leat_node_get_id (node), leat_node_get_name (node), what);
  return FALSE;
}

/* Buffers that share memory in the plan share it here. */
static LeatBenchBlock *
leat_bench_host_get_block (LeatBenchHost *self, LeatBufferId id)
{
  LeatBenchBlock **slot = &self->of[leat_plan_get_root (self->plan, id)->id];

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
  return TRUE;
}

static LeatModule *
leat_bench_host_load_module (LeatBenchHost *self, LeatKernelSource *source, GError **error)
{
  LeatModule *module = g_hash_table_lookup (self->modules, source);
  const LeatDeviceFacts *facts = leat_device_get_facts (self->device);
  g_autofree char *name = leat_device_is_cpu (self->device)
                            ? g_strdup ("host")
                            : g_strdup_printf ("sm_%u%u", facts->compute_major, facts->compute_minor);
  LeatImageTarget target = { 0 };
  g_autoptr (GBytes) image = NULL;

  if (module != NULL)
    return module;
  if (!leat_image_target_parse (name, &target, error))
    return NULL;
  image = leat_image_get (source, &target, error);
  module = image != NULL ? leat_module_load (self->device, image, leat_kernel_source_get_name (source), error) : NULL;
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
  step->function = leat_module_get_function (module, op->prototype->entry, error);
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
  self->plan = g_object_ref (leat_session_get_plan (session));
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

static gboolean
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
  /* What it does not read and nothing has written is not worth an upload. */
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

/* Numbers of Leat's own come as 64 bits; a single-precision parameter of the node comes as a double. */
static void
leat_bench_host_put_value (const LeatParam *param, GBytes *value, guint64 *slot)
{
  gsize size;
  gconstpointer data = g_bytes_get_data (value, &size);

  memcpy (slot, data, MIN (MIN (size, param->item_bytes), sizeof *slot));
}

static gboolean
leat_bench_host_put_node_arg (const LeatOp *op, const LeatParam *param, const char *name, guint64 *slot, GError **error)
{
  const LeatNodeArg *arg = leat_node_peek_arg (op->node, name);
  gfloat single;

  if (arg == NULL || !arg->is_set)
    return leat_bench_host_refuse (op->node, "has an argument that is not set", error);
  single = (gfloat) arg->number.d;
  if (arg->number.kind == LEAT_NUMBER_REAL && param->item_bytes == sizeof single)
    memcpy (slot, &single, sizeof single);
  else
    memcpy (slot, &arg->number.u, sizeof *slot);
  return TRUE;
}

/* The host knows the counts: they are in its memory. */
static guint64
leat_bench_host_get_count (LeatBenchHost *self, const LeatOpArg *arg)
{
  guint64 factor = 1, count = 1;

  if (arg->value != NULL)
    memcpy (&factor, g_bytes_get_data (arg->value, NULL), sizeof factor);
  if (arg->kind == LEAT_ARG_COUNT)
    memcpy (&count, leat_bench_host_get_block (self, arg->buffer)->data, sizeof count);
  return count * factor;
}

static gboolean
leat_bench_host_put (LeatBenchHost *self, const LeatOp *op, guint index, guint64 *slot, GError **error)
{
  const LeatParam *param = &op->prototype->params[index];
  const LeatOpArg *arg = &op->args[index];

  if (param->kind == LEAT_PARAM_INPUT_COUNT)
    *slot = leat_bench_host_get_count (self, arg);
  else if (arg->kind == LEAT_ARG_ITEMS)
    *slot = leat_bench_host_get_block (self, arg->buffer)->address
            + (leat_plan_get_buffer (self->plan, arg->buffer)->header ? LEAT_BUFFER_HEADER : 0);
  else if (arg->kind == LEAT_ARG_COUNT)
    *slot = leat_bench_host_get_block (self, arg->buffer)->address;
  else if (arg->kind == LEAT_ARG_NODE_ARG)
    return leat_bench_host_put_node_arg (op, param, arg->name, slot, error);
  else
    leat_bench_host_put_value (param, arg->value, slot);
  return TRUE;
}

/* On the stream that is there without being made, as programs do that make none. */
static gboolean
leat_bench_host_launch (LeatBenchHost *self, const LeatOp *op, GError **error)
{
  g_autofree guint64 *slots = g_new0 (guint64, op->n_args + 1);
  g_autofree void **params = g_new0 (void *, op->n_args + 1);
  CUfunction function = self->steps[op->index].function->function;
  CUresult result;

  for (guint i = 0; i < op->n_args; i++)
    {
      params[i] = &slots[i];
      if (!leat_bench_host_put (self, op, i, &slots[i], error))
        return FALSE;
    }
  if (op->cooperative)
    result = (*self->table->cuLaunchCooperativeKernel) (function, op->grid[0], op->grid[1], op->grid[2], op->block[0],
                                                        op->block[1], op->block[2], op->shared_bytes, NULL, params);
  else
    result = (*self->table->cuLaunchKernel) (function, op->grid[0], op->grid[1], op->grid[2], op->block[0],
                                             op->block[1], op->block[2], op->shared_bytes, NULL, params, NULL);
  if (!leat_bench_host_check (self, op, "cuLaunchKernel", result, error))
    return FALSE;
  return leat_bench_host_check (self, op, "cuStreamSynchronize", (*self->table->cuStreamSynchronize) (NULL), error);
}

static gboolean
leat_bench_host_do_kernel (LeatBenchHost *self, const LeatOp *op, GError **error)
{
  const LeatBenchStep *step = &self->steps[op->index];
  gboolean good = TRUE;

  for (guint i = 0; i < step->n_uses && good; i++)
    good = leat_bench_host_bring (self, op, &step->uses[i], error);
  good = good && leat_bench_host_launch (self, op, error);
  for (guint i = 0; i < step->n_uses && good; i++)
    good = leat_bench_host_take_back (self, op, &step->uses[i], error);
  return leat_bench_host_give_back (self, op, good ? error : NULL) && good;
}

/* Its data are the program's, so these are no step. */
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
