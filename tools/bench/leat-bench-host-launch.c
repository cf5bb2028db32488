/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A kernel's arguments, and its launch. */

#include "leat-bench-host-private.h"

#include "graph/leat-node-private.h"

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

gboolean
leat_bench_host_launch (LeatBenchHost *self, const LeatOp *op, CUstream stream, GError **error)
{
  g_autofree guint64 *slots = g_new0 (guint64, op->n_args + 1); /* the last: it waits for no others */
  g_autofree void **params = g_new0 (void *, op->n_args + 1);
  CUfunction function = self->steps[op->index].function->function;
  CUresult result;

  for (guint i = 0; i < op->n_args; i++)
    {
      params[i] = &slots[i];
      if (!leat_bench_host_put (self, op, i, &slots[i], error))
        return FALSE;
    }
  params[op->n_args] = &slots[op->n_args];
  if (op->cooperative)
    result = (*self->table->cuLaunchCooperativeKernel) (function, op->grid[0], op->grid[1], op->grid[2], op->block[0],
                                                        op->block[1], op->block[2], op->shared_bytes, stream, params);
  else
    result = (*self->table->cuLaunchKernel) (function, op->grid[0], op->grid[1], op->grid[2], op->block[0],
                                             op->block[1], op->block[2], op->shared_bytes, stream, params, NULL);
  return leat_bench_host_check (self, op, "cuLaunchKernel", result, error);
}
