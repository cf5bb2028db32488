/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A lane whose memory on the device is given to others for a while.  Data of a run is made anew, constants are the
 * program's.  Data kept from run to run is read before anything goes, so an error leaves all as it was.  Staging memory
 * is the host's and stays where the application has it. */

#include "leat-lane-timing-private.h"
#include "leat-lane-graph-private.h"

static gboolean
leat_lane_keeps (LeatLane *self, const LeatBuffer *buffer)
{
  return LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN && !leat_lane_borrows (self, buffer)
         && g_ptr_array_index (self->blocks, buffer->id) != NULL;
}

static GBytes *
leat_lane_read_block (LeatLane *self, const LeatBuffer *buffer, GError **error)
{
  LeatMemory *memory = ((LeatBlock *) g_ptr_array_index (self->blocks, buffer->id))->memory;
  guint64 bytes = leat_memory_get_bytes (memory);
  g_autofree gpointer data = g_try_malloc (bytes);

  if (data == NULL)
    {
      g_set_error (error, LEAT_SESSION_ERROR, LEAT_SESSION_ERROR_EVICTION,
                   "the host has no room for the %" G_GUINT64_FORMAT " bytes of %s", bytes, buffer->name);
      return NULL;
    }
  return leat_memory_read (memory, 0, data, bytes, error) ? g_bytes_new_take (g_steal_pointer (&data), bytes) : NULL;
}

static void
leat_lane_free_kept (gpointer bytes)
{
  if (bytes != NULL)
    g_bytes_unref (bytes);
}

GPtrArray *
leat_lane_read_kept (LeatLane *self, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) kept = g_ptr_array_new_with_free_func (leat_lane_free_kept);

  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      GBytes *bytes = NULL;

      if (leat_lane_keeps (self, buffer)
          && (g_cancellable_set_error_if_cancelled (cancellable, error)
              || (bytes = leat_lane_read_block (self, buffer, error)) == NULL))
        return NULL;
      g_ptr_array_add (kept, bytes);
    }
  return g_steal_pointer (&kept);
}

static gboolean
leat_lane_write_kept (LeatLane *self, GPtrArray *kept, GError **error)
{
  for (guint i = 0; i < kept->len; i++)
    {
      GBytes *bytes = g_ptr_array_index (kept, i);
      const LeatBlock *block = g_ptr_array_index (self->blocks, i);

      if (bytes != NULL
          && !leat_memory_write (block->memory, 0, g_bytes_get_data (bytes, NULL), g_bytes_get_size (bytes), error))
        return FALSE;
    }
  return TRUE;
}

void
leat_lane_evict (LeatLane *self)
{
  leat_lane_free_device_half (self);
  g_clear_pointer (&self->repeater, leat_repeater_free);
  g_clear_pointer (&self->report_blocks, leat_memory_free);
  g_clear_pointer (&self->timing, leat_timing_free);
}

gboolean
leat_lane_restore (LeatLane *self, GPtrArray *kept, GCancellable *cancellable, GError **error)
{
  if (leat_lane_allocate (self, error) && leat_lane_allocate_reports (self, error)
      && (!self->program->measured || (self->timing = leat_timing_new (self, error)) != NULL)
      && !g_cancellable_set_error_if_cancelled (cancellable, error) && leat_lane_write_kept (self, kept, error)
      && leat_lane_pack_launches (self, error) && !g_cancellable_set_error_if_cancelled (cancellable, error)
      && leat_lane_build_graph (self, LEAT_PATH_FULL, error))
    return TRUE;
  leat_lane_evict (self);
  return FALSE;
}
