/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The rows that one kernel keeps, brought to the host by hand, to compare `compact` with.  Touches memory of its own;
 * the session whose plan it follows is not run. */

#include "leat-bench-fetch.h"

#include "leat-bench-host-private.h"

#include "device/leat-memory-private.h"
#include "device/leat-stream-private.h"

struct _LeatBenchFetch
{
  LeatBenchHost *host;
  const LeatOp *op;
  LeatStream *stream;
  GPtrArray *memory; /* LeatMemory: of the device, of each block that the kernel uses */
  LeatMemory *count; /* pinned, as the items are */
  LeatMemory *items;
  CUdeviceptr out; /* the count, and behind the header the items */
  guint64 item_bytes;
  gboolean looks; /* for the end of the work, again and again */
};

void
leat_bench_fetch_free (LeatBenchFetch *self)
{
  g_clear_pointer (&self->stream, leat_stream_free);
  g_clear_pointer (&self->memory, g_ptr_array_unref);
  g_clear_pointer (&self->count, leat_memory_free);
  g_clear_pointer (&self->items, leat_memory_free);
  g_clear_pointer (&self->host, leat_bench_host_free);
  g_free (self);
}

static gboolean
leat_bench_fetch_find (LeatBenchFetch *self, const char *node, GError **error)
{
  for (guint i = 0; i < self->host->plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (self->host->plan, i);

      if (op->kind == LEAT_OP_KERNEL && op->node != NULL && g_str_equal (leat_node_get_name (op->node), node))
        self->op = op;
    }
  if (self->op == NULL)
    g_set_error (error, G_IO_ERROR, G_IO_ERROR_NOT_FOUND, "the plan has no kernel of \"%s\"", node);
  return self->op != NULL;
}

/* The bounded output that the kernel writes is what the application wants. */
static void
leat_bench_fetch_look (LeatBenchFetch *self, guint64 *most)
{
  for (guint i = 0; i < self->op->n_touches; i++)
    {
      const LeatTouch *touch = &self->op->touches[i];
      const LeatBuffer *buffer = leat_plan_get_buffer (self->host->plan, touch->buffer);

      if (!buffer->header || (touch->access & LEAT_ACCESS_WRITE) == 0)
        continue;
      self->out = leat_bench_host_get_block (self->host, touch->buffer)->address;
      *most = leat_spec_get_dim (buffer->spec, 0);
      self->item_bytes = (buffer->bytes - LEAT_BUFFER_HEADER) / *most;
    }
}

static gboolean
leat_bench_fetch_bring (LeatBenchFetch *self, LeatBench *bench, LeatBenchBlock *block, GError **error)
{
  LeatMemory *memory = leat_memory_new (bench->device, LEAT_MEMORY_DEVICE, block->bytes, "by hand", error);

  if (memory == NULL)
    return FALSE;
  g_ptr_array_add (self->memory, memory);
  block->address = leat_memory_get_address (memory);
  return leat_bench_host_check (self->host, self->op, "cuMemcpyHtoD",
                                (*self->host->table->cuMemcpyHtoD) (block->address, block->data, block->bytes), error);
}

/* Copies from pageable memory return while the last bytes are still on their way, and our stream does not wait for the
 * one that they are on. */
static gboolean
leat_bench_fetch_bring_all (LeatBenchFetch *self, LeatBench *bench, GError **error)
{
  const LeatBenchStep *step = &self->host->steps[self->op->index];

  for (guint i = 0; i < step->n_uses; i++)
    if (!leat_bench_fetch_bring (self, bench, step->uses[i].block, error))
      return FALSE;
  return leat_bench_host_check (self->host, self->op, "cuStreamSynchronize",
                                (*self->host->table->cuStreamSynchronize) (NULL), error);
}

static gboolean
leat_bench_fetch_take_memory (LeatBenchFetch *self, LeatBench *bench, GError **error)
{
  guint64 most = 0;

  if (!leat_bench_fetch_bring_all (self, bench, error))
    return FALSE;
  leat_bench_fetch_look (self, &most);
  if (most == 0)
    return leat_bench_host_refuse (self->op->node, "gives nothing that is bounded", error);
  self->count = leat_memory_new (bench->device, LEAT_MEMORY_PINNED, sizeof (guint64), "count", error);
  if (self->count != NULL)
    self->items = leat_memory_new (bench->device, LEAT_MEMORY_PINNED, most * self->item_bytes, "items", error);
  return self->items != NULL;
}

LeatBenchFetch *
leat_bench_fetch_new (LeatBench *bench, LeatSession *session, const char *node, GError **error)
{
  g_autoptr (LeatBenchFetch) self = g_new0 (LeatBenchFetch, 1);

  self->memory = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_memory_free);
  self->looks = bench->wait != LEAT_WAIT_BLOCK && !leat_device_is_cpu (bench->device);
  self->host = leat_bench_host_new (session, error);
  if (self->host == NULL || !leat_bench_fetch_find (self, node, error)
      || !leat_bench_fetch_take_memory (self, bench, error))
    return NULL;
  self->stream = leat_stream_new (bench->device, LEAT_STREAM_PRIORITY_NORMAL, error);
  return self->stream != NULL ? g_steal_pointer (&self) : NULL;
}

static gboolean
leat_bench_fetch_wait (LeatBenchFetch *self, GError **error)
{
  gboolean is_done = FALSE;

  if (!self->looks)
    return leat_stream_synchronize (self->stream, error);
  while (!is_done)
    if (!leat_stream_query (self->stream, &is_done, error))
      return FALSE;
  return TRUE;
}

static gboolean
leat_bench_fetch_copy (LeatBenchFetch *self, LeatMemory *to, CUdeviceptr from, guint64 bytes, GError **error)
{
  CUresult result =
    (*self->host->table->cuMemcpyDtoHAsync) (leat_memory_get_host (to), from, bytes, leat_stream_get (self->stream));

  return leat_bench_host_check (self->host, self->op, "cuMemcpyDtoHAsync", result, error)
         && leat_bench_fetch_wait (self, error);
}

gboolean
leat_bench_fetch_run (LeatBenchFetch *self, GError **error)
{
  guint64 count;

  if (!leat_bench_host_launch (self->host, self->op, leat_stream_get (self->stream), error)
      || !leat_bench_fetch_copy (self, self->count, self->out, sizeof count, error))
    return FALSE;
  count = *(const guint64 *) leat_memory_get_host (self->count);
  return count == 0
         || leat_bench_fetch_copy (self, self->items, self->out + LEAT_BUFFER_HEADER, count * self->item_bytes, error);
}

gconstpointer
leat_bench_fetch_get_items (LeatBenchFetch *self, guint64 *count)
{
  *count = *(const guint64 *) leat_memory_get_host (self->count);
  return leat_memory_get_host (self->items);
}
