/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Puts a pattern into the gaps between a lane's buffers before a run, and looks afterwards whether a kernel wrote
 * there.  Touches those gaps only. */

#include "leat-lane-private.h"

#include "leat-session-error.h"

/* Guards behind the buffers of a lane.  A pattern is put there before a run, so a write behind the end of a buffer
 * leaves a trace, however the kernel was compiled and on any device.  Where AddressSanitizer is in the process it
 * closes the guards besides, so that it finds reads too.
 *
 * Calls of the driver made here are in no count of runs.
 *
 * The pattern depends on where a buffer ends: a pattern that a kernel reads behind one and writes behind another is
 * seen too. */

#define LEAT_GUARD_MOST_BYTES 256

/* Room that no buffer has. */
typedef struct
{
  LeatMemory *memory;
  guint64 begin, end;       /* in the memory */
  const LeatBuffer *buffer; /* that ends at `begin` */
} LeatGap;

static guint64
leat_gap_get_filled (const LeatGap *self)
{
  return MIN (self->end - self->begin, LEAT_GUARD_MOST_BYTES);
}

/* Never 0, which is what much is written with. */
static guint8
leat_gap_get_pattern (const LeatGap *self)
{
  return 1 + ((leat_memory_get_address (self->memory) + self->begin) * 151 / 8 + 97) % 255;
}

static void
leat_gaps_add (GArray *self, LeatMemory *memory, guint64 begin, guint64 end, const LeatBuffer *buffer)
{
  const LeatGap gap = { memory, begin, end, buffer };

  if (begin < end)
    g_array_append_val (self, gap);
}

static int
leat_gap_compare_offsets (gconstpointer a, gconstpointer b)
{
  const LeatBuffer *first = *(LeatBuffer *const *) a, *second = *(LeatBuffer *const *) b;

  return LEAT_BOUND_BUFFER (first)->offset < LEAT_BOUND_BUFFER (second)->offset
           ? -1
           : LEAT_BOUND_BUFFER (first)->offset > LEAT_BOUND_BUFFER (second)->offset;
}

/* Of several lanes in one launch, of the last that there is room for: they lie side by side, and a copy may be of all.
 */
static guint64
leat_buffer_get_last_end (const LeatBuffer *self)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (self);
  guint64 before = bound->stride > 0 && bound->n_entries > 1 ? (bound->n_entries - 1) * bound->stride : 0;

  return bound->offset + before + self->bytes;
}

/* In the arena one that no op touches has no place. */
static gboolean
leat_buffer_lies_in (const LeatBuffer *self, LeatPlace place)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (self);

  return bound->place == place && (place != LEAT_PLACE_ARENA || bound->first_op != G_MAXUINT);
}

/* Those that lie together in a block. */
static void
leat_lane_list_gaps_between (LeatLane *self, LeatMemory *memory, LeatPlace place, GArray *gaps)
{
  GPtrArray *buffers = self->guarded;

  g_ptr_array_set_size (buffers, 0);
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);

      if (leat_buffer_lies_in (buffer, place))
        g_ptr_array_add (buffers, buffer);
    }
  g_ptr_array_sort (buffers, leat_gap_compare_offsets);
  for (guint i = 0; i < buffers->len; i++)
    {
      const LeatBuffer *buffer = g_ptr_array_index (buffers, i);
      const LeatBuffer *next = i + 1 < buffers->len ? g_ptr_array_index (buffers, i + 1) : NULL;

      leat_gaps_add (gaps, memory, leat_buffer_get_last_end (buffer),
                     next != NULL ? LEAT_BOUND_BUFFER (next)->offset : leat_memory_get_block_bytes (memory), buffer);
    }
}

/* Constants are no kernel's to write, and others have them too.  The list is the lane's, as a run allocates nothing.
 * (transfer none) */
static GArray *
leat_lane_list_gaps (LeatLane *self)
{
  GArray *gaps;

  if (self->gaps == NULL)
    {
      self->gaps = g_array_new (FALSE, FALSE, sizeof (LeatGap));
      self->guarded = g_ptr_array_new ();
    }
  gaps = g_array_set_size (self->gaps, 0);
  if (self->arena != NULL)
    leat_lane_list_gaps_between (self, self->arena->memory, LEAT_PLACE_ARENA, gaps);
  if (self->marks != NULL)
    leat_lane_list_gaps_between (self, self->marks, LEAT_PLACE_MARKS, gaps);
  for (guint i = 0; i < self->blocks->len; i++)
    {
      const LeatBlock *block = g_ptr_array_index (self->blocks, i);
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);

      if (block != NULL && LEAT_BOUND_BUFFER (buffer)->zone > 0)
        leat_gaps_add (gaps, block->memory, leat_memory_get_bytes (block->memory),
                       leat_memory_get_block_bytes (block->memory), buffer);
    }
  return gaps;
}

/* NULL where the host cannot see it. */
static volatile guint8 *
leat_gap_get_host (const LeatGap *self, const LeatLane *lane)
{
  guint8 *host = leat_memory_get_host (self->memory);

  if (lane->on_host)
    host = (guint8 *) (guintptr) leat_memory_get_address (self->memory);
  return host != NULL ? host + self->begin : NULL;
}

/* The bytes stay closed to everybody else meanwhile: other lanes may be at work. */
__attribute__ ((no_sanitize ("address"))) static void
leat_gap_fill_on_host (volatile guint8 *bytes, guint64 n, guint8 pattern)
{
  for (guint64 i = 0; i < n; i++)
    bytes[i] = pattern;
}

__attribute__ ((no_sanitize ("address"))) static guint64
leat_gap_find_on_host (const volatile guint8 *bytes, guint64 n, guint8 pattern)
{
  guint64 i = 0;

  while (i < n && bytes[i] == pattern)
    i++;
  return i;
}

/* A gap between buffers may have been inside a buffer when other lanes had the arena, and the other way round. */
static void
leat_lane_close_gaps (LeatLane *self, GArray *gaps)
{
  LeatDevice *device = self->program->device;

  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
      LeatMemory *memory = bound->place == LEAT_PLACE_ARENA ? self->arena->memory : self->marks;

      if (leat_buffer_lies_in (buffer, LEAT_PLACE_ARENA) || leat_buffer_lies_in (buffer, LEAT_PLACE_MARKS))
        leat_memory_open (device, memory, bound->offset, leat_buffer_get_last_end (buffer) - bound->offset);
    }
  for (guint i = 0; i < gaps->len; i++)
    {
      const LeatGap *gap = &g_array_index (gaps, LeatGap, i);

      leat_memory_close (device, gap->memory, gap->begin, gap->end - gap->begin);
    }
}

static CUresult
leat_gap_fill (const LeatGap *self, LeatLane *lane)
{
  volatile guint8 *host = leat_gap_get_host (self, lane);
  guint64 n = leat_gap_get_filled (self);

  if (host == NULL)
    return (*lane->table->cuMemsetD8Async) (leat_memory_get_address (self->memory) + self->begin,
                                            leat_gap_get_pattern (self), n, leat_stream_get (lane->stream));
  leat_gap_fill_on_host (host, n, leat_gap_get_pattern (self));
  return CUDA_SUCCESS;
}

/* A persistent kernel is on another stream. */
static gboolean
leat_lane_fill_gaps (LeatLane *self, GArray *gaps, GError **error)
{
  LeatDevice *device = self->program->device;
  CUresult result = CUDA_SUCCESS;

  if (!self->on_host && !leat_device_push (device, error))
    return FALSE;
  for (guint i = 0; i < gaps->len && result == CUDA_SUCCESS; i++)
    result = leat_gap_fill (&g_array_index (gaps, LeatGap, i), self);
  if (!self->on_host)
    leat_device_pop (device);
  if (result != CUDA_SUCCESS)
    return leat_device_set_error (device, error, "cuMemsetD8Async", result, "what lies behind buffers");
  return self->on_host || self->program->persistent == NULL || leat_stream_synchronize (self->stream, error);
}

gboolean
leat_lane_guard (LeatLane *self, GError **error)
{
  GArray *gaps = leat_lane_list_gaps (self);
  gboolean good;

  if (leat_device_closes_memory (self->program->device))
    leat_lane_close_gaps (self, gaps);
  leat_driver_trace_begin_aside ();
  good = leat_lane_fill_gaps (self, gaps, error);
  leat_driver_trace_end_aside ();
  return good;
}

/* Of the bytes that were filled, the first that was written since. */
static gboolean
leat_gap_find (const LeatGap *self, LeatLane *lane, guint64 *found, GError **error)
{
  volatile guint8 *host = leat_gap_get_host (self, lane);
  guint64 n = leat_gap_get_filled (self);
  guint8 bytes[LEAT_GUARD_MOST_BYTES];
  CUresult result;

  if (host == NULL)
    {
      result = (*lane->table->cuMemcpyDtoH) (bytes, leat_memory_get_address (self->memory) + self->begin, n);
      if (result != CUDA_SUCCESS)
        return leat_device_set_error (lane->program->device, error, "cuMemcpyDtoH", result, "what lies behind buffers");
      host = bytes;
    }
  *found = leat_gap_find_on_host (host, n, leat_gap_get_pattern (self));
  return TRUE;
}

/* Several may lie there, one in place of the other. */
typedef struct
{
  GString *names;
  LeatNode *node; /* (nullable): that writes one */
  gboolean more;  /* others do too */
} LeatCulprits;

static void
leat_culprits_add (LeatCulprits *self, const LeatOp *op, const LeatBuffer *buffer)
{
  if (strstr (self->names->str, buffer->name) == NULL)
    g_string_append_printf (self->names, "%s%s", self->names->len > 0 ? ", " : "", buffer->name);
  self->more = self->more || (self->node != NULL && self->node != op->node);
  self->node = op->node;
}

/* Of the ops that write there, kernels alone or all. */
static void
leat_culprits_find (LeatCulprits *self, LeatPlan *plan, LeatBufferId root, gboolean kernels)
{
  for (guint i = 0; i < plan->ops->len; i++)
    {
      const LeatOp *op = leat_plan_get_op (plan, i);

      for (guint t = 0; t < op->n_touches && !LEAT_BOUND_OP (op)->elided && (!kernels || op->kind == LEAT_OP_KERNEL);
           t++)
        if ((op->touches[t].access & LEAT_ACCESS_WRITE) && leat_plan_get_root (plan, op->touches[t].buffer)->id == root)
          leat_culprits_add (self, op, leat_plan_get_buffer (plan, op->touches[t].buffer));
    }
}

static gboolean
leat_gap_refuse (const LeatGap *self, LeatLane *lane, guint64 found, GError **error)
{
  g_autoptr (GString) names = g_string_new (NULL);
  LeatCulprits culprits = { names, NULL, FALSE };
  guint64 bytes = self->buffer->bytes - (self->buffer->header ? LEAT_BUFFER_HEADER : 0);

  leat_culprits_find (&culprits, lane->plan, self->buffer->id, TRUE);
  if (culprits.node == NULL)
    leat_culprits_find (&culprits, lane->plan, self->buffer->id, FALSE);
  g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_OVERRUN,
               "something was written behind the end of %s, which has %" G_GUINT64_FORMAT
               " bytes: at byte %" G_GUINT64_FORMAT,
               names->len > 0 ? names->str : self->buffer->name, bytes, bytes + found);
  if (culprits.node != NULL && !culprits.more)
    leat_node_prefix_error (culprits.node, error);
  return FALSE;
}

static gboolean
leat_lane_check_gaps (LeatLane *self, GError **error)
{
  GArray *gaps = leat_lane_list_gaps (self);

  for (guint i = 0; i < gaps->len; i++)
    {
      const LeatGap *gap = &g_array_index (gaps, LeatGap, i);
      guint64 found;

      if (!leat_gap_find (gap, self, &found, error))
        return FALSE;
      if (found < leat_gap_get_filled (gap))
        return leat_gap_refuse (gap, self, found, error);
    }
  return TRUE;
}

static gboolean
leat_lane_look_behind (LeatLane *self, GError **error)
{
  gboolean good;

  if (!self->on_host && !leat_device_push (self->program->device, error))
    return FALSE;
  good = leat_lane_check_gaps (self, error);
  if (!self->on_host)
    leat_device_pop (self->program->device);
  return good;
}

gboolean
leat_lane_check_guard (LeatLane *self, GError **error)
{
  gboolean good;

  if (G_LIKELY (!LEAT_BOUND_PLAN (self->plan)->traits.guarded))
    return TRUE;
  leat_driver_trace_begin_aside ();
  good = leat_lane_look_behind (self, error);
  leat_driver_trace_end_aside ();
  return good;
}
