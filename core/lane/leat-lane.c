/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* A lane: its life, its memory, its launches, and the state that it begins with.  Touches the lane's own memory, and
 * the blocks that it has from the store. */

#include "leat-executor-private.h"
#include "leat-persistent-private.h"
#include "leat-lane-timing-private.h"

#include "leat-lane-graph-private.h"

static void
leat_lane_free_block (gpointer block)
{
  if (block != NULL)
    leat_block_unref (block);
}

/* Makes a lane of a bound plan: memory, packed launches, stream.  The graph is built by leat_lane_build_graph (). */
LeatLane *
leat_lane_new (LeatPlan *plan, LeatProgram *program, LeatStore *store, LeatGraphCounts *counts, LeatLane *first,
               GError **error)
{
  g_autoptr (LeatLane) self = g_new0 (LeatLane, 1);

  self->plan = g_object_ref (plan);
  self->program = leat_program_ref (program);
  self->counts = counts;
  self->table = leat_device_get_table (program->device);
  self->on_host = leat_device_is_cpu (program->device);
  self->blocks = g_ptr_array_new_with_free_func (leat_lane_free_block);
  self->store = store;
  self->first = first;
  self->turn_first = 1;
  self->running = &leat_executor_eager;
  g_ptr_array_set_size (self->blocks, (gint) plan->buffers->len);
  self->addresses = g_new0 (CUdeviceptr, plan->buffers->len + 1);
  self->hosts = g_new0 (guint8 *, plan->buffers->len + 1);
  self->launches = g_new0 (LeatLaunch, plan->ops->len + 1);
  self->bindings = g_new0 (LeatBinding, plan->users->len + 1);
  self->spread = g_new0 (LeatLaunch *, plan->ops->len + 1);
  self->live = LEAT_BOUND_PLAN (plan)->traits.entries;
  self->stream = leat_stream_new (
    program->device, LEAT_BOUND_PLAN (plan)->traits.urgent ? LEAT_STREAM_PRIORITY_HIGH : LEAT_STREAM_PRIORITY_NORMAL,
    error);
  self->ended = leat_event_new (program->device, LEAT_EVENT_BLOCKING, self->stream != NULL ? error : NULL);
  if (self->stream == NULL || self->ended == NULL || !leat_lane_allocate (self, error)
      || !leat_lane_allocate_overs (self, error) || !leat_lane_allocate_reports (self, error)
      || (program->measured && (self->timing = leat_timing_new (self, error)) == NULL)
      || !leat_lane_pack_launches (self, error))
    return NULL;
  return g_steal_pointer (&self);
}

static void
leat_lane_release (gpointer data)
{
  LeatLane *self = data;

  leat_lane_destroy_graphs (self);
  g_clear_pointer (&self->repeater, leat_repeater_free);
  g_clear_pointer (&self->timing, leat_timing_free);
  for (guint i = 0; self->launches != NULL && i < self->plan->ops->len; i++)
    leat_launch_clear (&self->launches[i]);
  leat_lane_free_spread (self);
  g_clear_pointer (&self->ended, leat_event_free);
  for (guint i = 0; i < G_N_ELEMENTS (self->held); i++)
    g_clear_pointer (&self->held[i], leat_event_free);
  g_clear_pointer (&self->turn, leat_turn_unref);
  g_clear_pointer (&self->stream, leat_stream_free);
  g_clear_pointer (&self->arena, leat_block_unref);
  g_clear_pointer (&self->marks, leat_memory_free);
  g_clear_pointer (&self->overs, leat_memory_free);
  g_clear_pointer (&self->report_blocks, leat_memory_free);
  g_clear_pointer (&self->told, leat_memory_free);
  g_clear_pointer (&self->gaps, g_array_unref);
  g_clear_pointer (&self->guarded, g_ptr_array_unref);
  g_clear_pointer (&self->counted, g_array_unref);
  g_clear_pointer (&self->blocks, g_ptr_array_unref);
  g_free (self->addresses);
  g_free (self->hosts);
  g_free (self->launches);
  g_free (self->bindings);
  g_object_unref (self->plan);
  leat_program_unref (self->program);
  g_free (self);
}

/* The run of a persistent kernel is on no stream of the lane. */
void
leat_lane_free (LeatLane *self)
{
  if (self->running->finish != NULL)
    (*self->running->finish) (self, NULL);
  leat_lane_leave_counts (self);
  if (self->stream == NULL || leat_stream_synchronize (self->stream, NULL))
    leat_device_release (self->program->device, self, leat_lane_release);
  else
    leat_device_quarantine (self->program->device, self, leat_lane_release);
}

/* The driver's message names a size, but not where it comes from.  @buffer: (nullable): the one without room; NULL for
 * all that lie together. */
static void
leat_lane_explain_memory (LeatPlan *plan, const LeatBuffer *buffer, GError **error)
{
  const LeatBuffer *shown = buffer != NULL ? buffer : leat_plan_find_largest (plan, 1u << LEAT_PLACE_ARENA);
  LeatNode *writer = shown != NULL ? leat_plan_find_writer (plan, leat_plan_get_origin (plan, shown->id)->id) : NULL;
  g_autofree char *text = NULL, *message = NULL;

  if (error == NULL || writer == NULL || shown->spec == NULL
      || !g_error_matches (*error, LEAT_DRIVER_ERROR, LEAT_DRIVER_ERROR_OUT_OF_MEMORY))
    return;
  text = leat_spec_to_string (shown->spec, LEAT_SPEC_STYLE_FILE);
  message = g_strdup_printf ("%s; %s%s is %s: give it a smaller spec, or pass the data through in pieces",
                             (*error)->message, buffer == NULL ? "the largest, " : "", shown->name, text);
  g_free ((*error)->message);
  (*error)->message = g_steal_pointer (&message);
  leat_node_prefix_error (writer, error);
}

/* Data that the session keeps is the first lane's; data that a lane keeps is each lane's own. */
gboolean
leat_lane_borrows (const LeatLane *self, const LeatBuffer *buffer)
{
  return self->first != NULL && LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN && buffer->scope != LEAT_STATE_LANE;
}

static LeatBlock *
leat_lane_get_block (LeatLane *self, const LeatBuffer *buffer, GError **error)
{
  if (buffer->kind == LEAT_BUFFER_CONST)
    return g_ptr_array_index (self->program->blocks, buffer->id);
  if (leat_lane_borrows (self, buffer))
    return leat_block_ref (g_ptr_array_index (self->first->blocks, buffer->id));
  return leat_store_get (self->store, buffer, error);
}

static gboolean
leat_lane_allocate_buffer (LeatLane *self, const LeatBuffer *buffer, GError **error)
{
  const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);
  gboolean shared = buffer->kind == LEAT_BUFFER_CONST;
  LeatBlock *block = NULL;

  if (g_ptr_array_index (self->blocks, buffer->id) != NULL)
    return TRUE; /* staging memory stays when the device's half is made anew */
  switch (bound->place)
    {
    case LEAT_PLACE_ARENA:
      self->addresses[buffer->id] = leat_memory_get_address (self->arena->memory) + bound->offset;
      break;
    case LEAT_PLACE_MARKS:
      self->addresses[buffer->id] = leat_memory_get_address (self->marks) + bound->offset;
      break;
    case LEAT_PLACE_OWN:
    case LEAT_PLACE_STAGING:
      /* That of several lanes comes with each launch. */
      if (LEAT_BOUND_PLAN (self->plan)->traits.entries > 0 && bound->place == LEAT_PLACE_STAGING)
        break;
      block = leat_lane_get_block (self, buffer, error);
      if (block == NULL)
        {
          leat_lane_explain_memory (self->plan, buffer, error);
          return FALSE;
        }
      self->addresses[buffer->id] = leat_memory_get_address (block->memory);
      self->hosts[buffer->id] = leat_memory_get_host (block->memory);
      break;
    case LEAT_PLACE_ALIAS:
    case LEAT_PLACE_USER:
    case LEAT_PLACE_NOWHERE:
      break;
    }
  g_ptr_array_index (self->blocks, buffer->id) = shared ? NULL : block;
  return TRUE;
}

gboolean
leat_lane_clear_marks (LeatLane *self, GError **error)
{
  return self->marks == NULL || leat_memory_clear (self->marks, error);
}

/* They stay while the lane has its memory on the device. */
static gboolean
leat_lane_allocate_marks (LeatLane *self, GError **error)
{
  if (LEAT_BOUND_PLAN (self->plan)->marks_bytes == 0 || self->marks != NULL)
    return TRUE;
  self->marks = leat_lane_new_memory (self, LEAT_MEMORY_SCRATCH, LEAT_MEMORY_DEVICE,
                                      LEAT_BOUND_PLAN (self->plan)->marks_bytes, "counters of kernels", error);
  return self->marks != NULL && leat_lane_clear_marks (self, error);
}

gboolean
leat_lane_allocate (LeatLane *self, GError **error)
{
  LeatPlan *plan = self->plan;
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (plan);

  if (self->first == NULL)
    leat_store_begin_round (self->store);
  if (bound->arena_bytes > 0)
    {
      self->arena = self->first == NULL ? leat_store_get_common_arena (self->store, bound->arena_bytes, error)
                                        : leat_store_get_arena (self->store, bound->arena_bytes, error);
      if (self->arena == NULL)
        {
          leat_lane_explain_memory (plan, NULL, error);
          return FALSE;
        }
    }
  if (!leat_lane_allocate_marks (self, error))
    return FALSE;
  for (guint i = 0; i < plan->buffers->len; i++)
    if (!leat_lane_allocate_buffer (self, leat_plan_get_buffer (plan, i), error))
      return FALSE;
  leat_lane_place_users (self);
  for (guint i = 0; i < plan->buffers->len; i++)
    {
      LeatBufferId root = leat_plan_get_root (plan, i)->id;

      self->addresses[i] = self->addresses[root];
      self->hosts[i] = self->hosts[root];
    }
  return TRUE;
}

void
leat_lane_hold_memory (LeatLane *self)
{
  if (self->arena != NULL)
    leat_block_hold (self->arena);
  for (guint i = 0; i < self->blocks->len; i++)
    if (g_ptr_array_index (self->blocks, i) != NULL)
      leat_block_hold (g_ptr_array_index (self->blocks, i));
}

static gboolean
leat_lane_begin_block (LeatLane *self, LeatBlock *block, const LeatBuffer *buffer, LeatLane *before, GError **error)
{
  if (leat_lane_borrows (self, buffer))
    return TRUE;
  if (before != NULL && g_ptr_array_find (before->blocks, block, NULL))
    return TRUE;
  if (LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN)
    return leat_block_write (block, buffer, error);
  memset (leat_memory_get_host (block->memory), 0, buffer->header ? LEAT_BUFFER_HEADER : 0);
  return TRUE;
}

gboolean
leat_lane_begin (LeatLane *self, LeatLane *before, GError **error)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      LeatBlock *block = g_ptr_array_index (self->blocks, i);

      if (block != NULL && !leat_lane_begin_block (self, block, leat_plan_get_buffer (self->plan, i), before, error))
        return FALSE;
    }
  return TRUE;
}

void
leat_lane_free_device_half (LeatLane *self)
{
  leat_lane_destroy_graphs (self);
  g_clear_pointer (&self->arena, leat_block_unref);
  g_clear_pointer (&self->marks, leat_memory_free);
  for (guint i = 0; i < self->blocks->len; i++)
    if (leat_plan_get_buffer (self->plan, i)->kind != LEAT_BUFFER_STAGING)
      {
        leat_lane_free_block (g_ptr_array_index (self->blocks, i));
        g_ptr_array_index (self->blocks, i) = NULL;
        self->hosts[i] = NULL;
      }
  for (guint i = 0; i < self->plan->ops->len; i++)
    leat_launch_clear (&self->launches[i]);
}

static gboolean
leat_lane_begin_state (LeatLane *self, GError **error)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      LeatBlock *block = g_ptr_array_index (self->blocks, i);

      if (block != NULL && LEAT_BOUND_BUFFER (buffer)->place == LEAT_PLACE_OWN
          && !leat_block_write (block, buffer, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
leat_lane_rebuild (LeatLane *self, GError **error)
{
  leat_lane_free_device_half (self);
  return leat_lane_allocate (self, error) && leat_lane_begin_state (self, error)
         && leat_lane_pack_launches (self, error) && leat_lane_build_graph (self, LEAT_PATH_FULL, error);
}

gboolean
leat_lane_move_arena (LeatLane *self, GError **error)
{
  if (self->arena == NULL || leat_store_has_common_arena (self->store, self->arena))
    return TRUE;
  leat_lane_destroy_graphs (self);
  g_clear_pointer (&self->arena, leat_block_unref);
  return leat_lane_allocate (self, error) && leat_lane_pack_launches (self, error)
         && leat_lane_build_graph (self, LEAT_PATH_FULL, error);
}

/* The host's view of a staging buffer: its items, and for a bounded spec the count that is there now. */
void
leat_lane_view (const LeatLane *self, LeatBufferId id, LeatView *view)
{
  LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  guint64 header = buffer->header ? LEAT_BUFFER_HEADER : 0;
  guint8 *host = self->hosts[id];

  view->data = host != NULL ? host + header : NULL;
  view->capacity = buffer->bytes - header;
  view->spec = buffer->spec;
  view->count = leat_spec_get_n_dims (buffer->spec) > 0 ? leat_spec_get_dim (buffer->spec, 0) : 1;
  if (buffer->header && host != NULL)
    memcpy (&view->count, host, sizeof view->count);
  if (buffer->user)
    leat_binding_view (&self->bindings[buffer->slot], view, buffer->header && buffer->count_in == LEAT_BUFFER_NONE);
}

void
leat_lane_set_count (LeatLane *self, LeatBufferId id, guint64 count)
{
  const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, id);
  LeatBinding binding;

  if (!buffer->header)
    return;
  if (!buffer->user)
    {
      memcpy (self->hosts[id], &count, sizeof count);
      return;
    }
  binding = self->bindings[buffer->slot];
  binding.count = count;
  leat_lane_bind (self, buffer->slot, &binding);
}

gboolean
leat_lane_set_ending (LeatLane *self, GError **error)
{
  const guint64 ending = 1;

  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      if (!leat_plan_get_buffer (self->plan, i)->tells_flush)
        continue;
      if (!leat_memory_write (((LeatBlock *) g_ptr_array_index (self->blocks, i))->memory, 0, &ending, sizeof ending,
                              error))
        return FALSE;
    }
  return TRUE;
}
