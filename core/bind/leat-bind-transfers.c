/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Chooses how each transfer is done: by copy, mapped or by kernel.  Touches the ops that transfer and the buffers at
 * their ends. */

#include "bind/leat-bound-plan-private.h"
#include "leat-bind-private.h"
#include "graph/leat-endpoint.h"

#include <string.h>

/* The ways of data between host and device.  A copy is the copy engine's; mapped, nothing is moved and kernels reach
 * the host's memory through the link; by kernel, a small kernel of ours moves what is live, which spares the latency of
 * the copy engine and, unlike mapped memory, crosses the link once however often the data are used.  Which is best is
 * known from measuring (LeatTraits.ways); where nobody has measured, from what the device is. */

#define LEAT_TRANSFER_BLOCK 256
#define LEAT_TRANSFER_GRID  256 /* blocks, at the most: enough to keep the link full */

static const char leat_transfer_text[] =
  "#include <stdint.h>\n"
  "static __device__ void leat_transfer_live (const uint8_t *from, uint8_t *to, uint64_t bytes, uint64_t row_bytes)\n"
  "{\n"
  "  const ulonglong2 *source = (const ulonglong2 *) from;\n"
  "  ulonglong2 *target = (ulonglong2 *) to;\n"
  "  uint64_t first = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  uint64_t live = bytes;\n"
  "  if (row_bytes > 0)\n"
  "    {\n"
  "      uint64_t rows = *(const uint64_t *) from;\n"
  "      live = rows < (bytes - 256) / row_bytes ? 256 + rows * row_bytes : bytes;\n"
  "    }\n"
  "  for (uint64_t i = first; i < live / 16; i += (uint64_t) blockDim.x * gridDim.x)\n"
  "    target[i] = source[i];\n"
  "  if (first < live % 16)\n"
  "    to[live / 16 * 16 + first] = from[live / 16 * 16 + first];\n"
  "}\n"
  "__global__ void leat_transfer (const uint8_t *from, uint8_t *to, uint64_t bytes, uint64_t row_bytes)\n"
  "{\n"
  "  leat_transfer_live (from, to, bytes, row_bytes);\n"
  "}\n"
  "__global__ void leat_transfer_items (const uint8_t *from, uint8_t *to, const uint64_t *rows_from,\n"
  "                                     uint64_t *rows_to, uint64_t bytes, uint64_t row_bytes)\n"
  "{\n"
  "  const ulonglong2 *source = (const ulonglong2 *) from;\n"
  "  ulonglong2 *target = (ulonglong2 *) to;\n"
  "  uint64_t first = blockIdx.x * (uint64_t) blockDim.x + threadIdx.x;\n"
  "  uint64_t live = bytes;\n"
  "  if (row_bytes > 0)\n"
  "    {\n"
  "      uint64_t rows = *rows_from;\n"
  "      live = rows < bytes / row_bytes ? rows * row_bytes : bytes;\n"
  "      if (first == 0)\n"
  "        *rows_to = rows;\n"
  "    }\n"
  "  for (uint64_t i = first; i < live / 16; i += (uint64_t) blockDim.x * gridDim.x)\n"
  "    target[i] = source[i];\n"
  "  if (first < live % 16)\n"
  "    to[live / 16 * 16 + first] = from[live / 16 * 16 + first];\n"
  "}\n";

/* (transfer full) */
static LeatKernelSource *
leat_transfer_make_source (void)
{
  g_autoptr (GString) text = g_string_new (leat_transfer_text);

  leat_pack_append_kernels (text);
  return leat_kernel_source_new ("leat-transfer.cu", text->str, NULL);
}

LeatKernelSource *
leat_transfer_get_source (void)
{
  static gsize source = 0;

  if (g_once_init_enter (&source))
    g_once_init_leave (&source, (gsize) leat_transfer_make_source ());
  return (LeatKernelSource *) source;
}

static guint
leat_plan_count_readers (LeatPlan *self, LeatBufferId root)
{
  guint count = 0;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches; t++)
        if ((op->touches[t].access & LEAT_ACCESS_READ) && leat_plan_get_root (self, op->touches[t].buffer)->id == root)
          count++;
    }
  return count;
}

/* Do kernels alone write the items of @root?  They write what is live; a copy writes the whole buffer. */
static gboolean
leat_plan_is_written_by_kernels (LeatPlan *self, LeatBufferId root)
{
  guint kernels = 0;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      for (guint t = 0; t < op->n_touches; t++)
        {
          if (!(op->touches[t].access & LEAT_ACCESS_WRITE)
              || leat_plan_get_root (self, op->touches[t].buffer)->id != root)
            continue;
          if (op->kind == LEAT_OP_FOREIGN || (op->kind != LEAT_OP_KERNEL && op->bytes > LEAT_BUFFER_HEADER))
            return FALSE;
          kernels += op->kind == LEAT_OP_KERNEL;
        }
    }
  return kernels > 0;
}

/* On a device of its own memory, writing through the link pays for results of unknown length: only live bytes cross.
 * The results must be written by kernels and read by nobody else, since every access crosses the link. */
static gboolean
leat_plan_is_good_to_map (LeatPlan *self, const LeatOp *op)
{
  LeatBuffer *from = leat_plan_get_root (self, op->from);

  if (LEAT_BOUND_PLAN (self)->traits.integrated)
    return TRUE;
  return from->kind == LEAT_BUFFER_DEVICE && from->header && leat_plan_count_readers (self, from->id) == 1
         && leat_plan_is_written_by_kernels (self, from->id);
}

/* If memory is another one in each run, graph nodes have to be told of it one by one; only kernels find it through a
 * table.  Ops that only touch the count go elsewhere. */
static gboolean
leat_plan_is_for_kernels (LeatPlan *self, LeatBufferId root, const LeatOp *but)
{
  for (guint i = 0; i < self->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self, i);
      gboolean counts = (op->kind == LEAT_OP_COPY || op->kind == LEAT_OP_FILL) && op->bytes <= sizeof (guint64)
                        && leat_plan_get_root (self, root)->header;

      for (guint t = 0;
           t < op->n_touches && op != but && op->kind != LEAT_OP_KERNEL && !LEAT_BOUND_OP (op)->elided && !counts; t++)
        if (leat_plan_get_root (self, op->touches[t].buffer)->id == root)
          return FALSE;
    }
  return TRUE;
}

static gboolean
leat_plan_is_with_user (LeatPlan *self, const LeatOp *op)
{
  return leat_plan_get_user (self, op->from) != NULL || leat_plan_get_user (self, op->to) != NULL;
}

static const char *
leat_plan_why_not_mapped (LeatPlan *self, const LeatOp *op)
{
  LeatBuffer *from = leat_plan_get_root (self, op->from);
  LeatBuffer *to = leat_plan_get_root (self, op->to);
  gboolean upload = from->kind == LEAT_BUFFER_STAGING;

  if (from == to)
    return "both ends are one memory already";
  if (upload && leat_plan_find_other_writer (self, to->id, op) != NULL)
    return "the input is overwritten in place";
  if (!upload && from->kind != LEAT_BUFFER_DEVICE)
    return "resident memory stays on the device";
  if (to->kind == LEAT_BUFFER_STAGING && from->kind == LEAT_BUFFER_STAGING)
    return "both ends are host memory with an owner";
  if (leat_plan_is_with_user (self, op) && !leat_plan_is_for_kernels (self, upload ? to->id : from->id, op))
    return "not only kernels reach the data";
  return NULL;
}

/* The staging memory serves for both ends. */
static void
leat_plan_map (LeatPlan *self, LeatOp *op)
{
  LeatBuffer *from = leat_plan_get_root (self, op->from), *to = leat_plan_get_root (self, op->to);
  LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (from);
  LeatBuffer *root = from->kind == LEAT_BUFFER_STAGING ? from : to;

  LEAT_BOUND_OP (op)->elided = TRUE;
  bound->root = LEAT_BOUND_BUFFER (to)->root = root->id;
  LEAT_BOUND_BUFFER (root)->n_writers = bound->n_writers + LEAT_BOUND_BUFFER (to)->n_writers - 1;
}

/* Where the program brings the memory, count and items are in two places. */
static void
leat_plan_move_items (LeatPlan *self, LeatOp *op)
{
  const LeatBuffer *from = leat_plan_get_buffer (self, op->from);

  op->prototype = leat_kernel_source_get_prototype (op->source, "leat_transfer_items", NULL);
  op->n_args = 6;
  op->args = g_new0 (LeatOpArg, op->n_args);
  op->args[0] = (LeatOpArg){ .kind = LEAT_ARG_ITEMS, .buffer = op->from };
  op->args[1] = (LeatOpArg){ .kind = LEAT_ARG_ITEMS, .buffer = op->to };
  op->args[2] = (LeatOpArg){ .kind = LEAT_ARG_COUNT, .buffer = op->from };
  op->args[3] = (LeatOpArg){ .kind = LEAT_ARG_COUNT, .buffer = op->to };
  leat_op_set_value (&op->args[4], op->bytes - (from->header ? LEAT_BUFFER_HEADER : 0));
  leat_op_set_value (&op->args[5], from->header ? leat_spec_get_row_bytes (from->spec) : 0);
}

static void
leat_plan_move_by_kernel (LeatPlan *self, LeatOp *op)
{
  const LeatBuffer *from = leat_plan_get_buffer (self, op->from);
  guint64 blocks =
    (op->bytes + LEAT_TRANSFER_CHUNK * LEAT_TRANSFER_BLOCK - 1) / (LEAT_TRANSFER_CHUNK * LEAT_TRANSFER_BLOCK);

  op->source = leat_kernel_source_ref (leat_transfer_get_source ());
  op->grid[0] = (guint) CLAMP (blocks, 1, LEAT_TRANSFER_GRID);
  op->block[0] = LEAT_TRANSFER_BLOCK;
  op->grid[1] = op->grid[2] = op->block[1] = op->block[2] = 1;
  if (leat_plan_is_with_user (self, op))
    {
      leat_plan_move_items (self, op);
      return;
    }
  op->prototype = leat_kernel_source_get_prototype (op->source, "leat_transfer", NULL);
  op->n_args = 4;
  op->args = g_new0 (LeatOpArg, op->n_args);
  op->args[0] = (LeatOpArg){ .kind = LEAT_ARG_COUNT, .buffer = op->from };
  op->args[1] = (LeatOpArg){ .kind = LEAT_ARG_COUNT, .buffer = op->to };
  leat_op_set_value (&op->args[2], op->bytes);
  leat_op_set_value (&op->args[3], from->header ? leat_spec_get_row_bytes (from->spec) : 0);
}

/* The mode that was asked for, measured, or else is likely; the latter two may turn out to be impossible. */
static LeatTransferMode
leat_plan_want_way (LeatPlan *self, const LeatOp *op)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  gboolean bounded = leat_plan_get_buffer (self, op->from)->header;
  LeatTransferMode measured =
    bound->traits.ways != NULL ? (LeatTransferMode) bound->traits.ways[op->index] : LEAT_TRANSFER_AUTO;

  /* Of lanes the memory of the host moves along from launch to launch, and only what transfers can follow. */
  if (bound->traits.entries > 0)
    return bounded && op->mode != LEAT_TRANSFER_COPY ? LEAT_TRANSFER_KERNEL : LEAT_TRANSFER_COPY;
  if (op->mode != LEAT_TRANSFER_AUTO)
    return op->mode;
  if (leat_plan_is_with_user (self, op) || bound->traits.persistent)
    return LEAT_TRANSFER_MAPPED;
  /* Mapped, or by a kernel that writes across the link, each of many runs would pay for what one of them brings. */
  if (bound->traits.repeated && !bound->traits.integrated)
    return LEAT_TRANSFER_COPY;
  if (measured != LEAT_TRANSFER_AUTO)
    return measured;
  return leat_plan_is_good_to_map (self, op) ? LEAT_TRANSFER_MAPPED : LEAT_TRANSFER_COPY;
}

static const char *
leat_plan_say_why (LeatPlan *self, const LeatOp *op, const char *why_not_mapped)
{
  const LeatBoundOp *bound_op = LEAT_BOUND_OP (op);
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (self);
  gboolean measured = bound->traits.ways != NULL && bound->traits.ways[op->index] != LEAT_TRANSFER_AUTO;

  if (bound->traits.entries > 0)
    return bound_op->way == LEAT_TRANSFER_COPY ? "one copy for all entries"
                                               : "only live bytes of each entry cross the link";
  if (op->mode != LEAT_TRANSFER_AUTO && (why_not_mapped == NULL || bound_op->way == op->mode))
    return "as asked";
  if (why_not_mapped != NULL)
    return why_not_mapped;
  if (bound->traits.repeated && !bound->traits.integrated && bound_op->way == LEAT_TRANSFER_COPY)
    return "once for many runs";
  if (measured)
    return "the fastest that was measured";
  if (bound_op->way == LEAT_TRANSFER_MAPPED && leat_plan_is_with_user (self, op))
    return "the program's memory is used in place";
  if (bound_op->way == LEAT_TRANSFER_MAPPED && bound->traits.persistent)
    return "a persistent kernel reaches the host's memory by itself";
  if (bound_op->way == LEAT_TRANSFER_MAPPED)
    return bound->traits.integrated ? "device memory is host memory" : "only live bytes cross the link";
  return "the data is as long as its buffer, or used more than once";
}

/* Clears what an earlier binding made. */
static void
leat_plan_clear_transfer (LeatOp *op)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);

  bound->elided = FALSE;
  bound->packed_with = NULL;
  g_clear_pointer (&op->source, leat_kernel_source_unref);
  op->prototype = NULL;
  leat_op_clear_args (op);
}

static void
leat_plan_choose_transfer (LeatPlan *self, LeatOp *op)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);
  const char *why_not = leat_plan_why_not_mapped (self, op);

  leat_plan_clear_transfer (op);
  bound->way = leat_plan_want_way (self, op);
  bound->choosable = op->mode == LEAT_TRANSFER_AUTO && !leat_plan_is_with_user (self, op);
  bound->mappable = why_not == NULL;
  if (bound->way == LEAT_TRANSFER_MAPPED && why_not != NULL)
    bound->way = leat_plan_is_with_user (self, op) ? LEAT_TRANSFER_KERNEL : LEAT_TRANSFER_COPY;
  bound->reason =
    leat_plan_say_why (self, op, bound->way != op->mode && bound->way != LEAT_TRANSFER_MAPPED ? why_not : NULL);
  if (bound->way == LEAT_TRANSFER_MAPPED)
    leat_plan_map (self, op);
}

/* Once it is known whose memory all of them have at their ends. */
static void
leat_plan_settle_transfer (LeatPlan *self, LeatOp *op)
{
  LeatBoundOp *bound = LEAT_BOUND_OP (op);

  if (bound->way == LEAT_TRANSFER_COPY && leat_plan_is_with_user (self, op)
      && leat_plan_get_buffer (self, op->from)->header)
    {
      bound->way = LEAT_TRANSFER_KERNEL;
      bound->reason = "items and count are in two places";
    }
  if (bound->way == LEAT_TRANSFER_KERNEL)
    leat_plan_move_by_kernel (self, op);
}

void
leat_bind_choose_transfers (LeatBoundPlan *bound)
{
  LeatPlan *self = &bound->plan;

  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (op->kind == LEAT_OP_TRANSFER)
        leat_plan_choose_transfer (self, op);
    }
  for (guint i = 0; i < self->ops->len; i++)
    {
      LeatOp *op = leat_plan_get_op (self, i);

      if (op->kind == LEAT_OP_TRANSFER)
        leat_plan_settle_transfer (self, op);
    }
}
