/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* How wide a batch is, and its memory. */

#include "leat-batch-memory-private.h"

#include "graph/leat-pipeline-private.h"
#include "bind/leat-bind-private.h"
#include "plan/leat-op-private.h"

#define LEAT_BATCH_LEAST 64 /* entries in a launch that nobody has said the number of */
#define LEAT_BATCH_MOST  1024

/* Bytes of a launch.  Of a batch that takes the link a time T in B launches, the first upload and the last readback
 * overlap nothing, which is T / B, and each launch leaves the link idle for some microseconds, say C, between two
 * copies of the same direction: B is best near sqrt (T / C), which for 256 MiB at 50 GB/s and 7 us is 28 launches. */
#define LEAT_BATCH_BYTES (8 << 20)

static void
leat_width_free (gpointer data)
{
  LeatWidth *self = data;

  for (guint i = 0; i < LEAT_BATCH_FLIGHTS; i++)
    g_clear_pointer (&self->lanes[i], leat_lane_free);
  g_clear_pointer (&self->program, leat_program_unref);
  g_clear_object (&self->plan);
  g_free (self);
}

static void
leat_batch_free_error (gpointer error)
{
  if (error != NULL)
    g_error_free (error);
}

/* Ops that became one kernel by measuring are one kernel for many entries too. */
static void
leat_batch_take_chains (LeatBatch *self, LeatPlan *plan)
{
  for (guint i = 0; i < MIN (plan->fusibles->len, self->narrow->fusibles->len); i++)
    {
      const LeatFusible *fusible = g_ptr_array_index (self->narrow->fusibles, i);

      ((LeatBoundFusible *) g_ptr_array_index (plan->fusibles, i))->measured = LEAT_BOUND_FUSIBLE (fusible)->measured;
    }
}

/* The same pipeline, planned again: nothing of it has changed since. */
static LeatPlan *
leat_batch_plan (LeatBatch *self, guint entries, guint most, GError **error)
{
  LeatTraits traits = LEAT_BOUND_PLAN (self->narrow)->traits;
  LeatPlan *plan;

  leat_pipeline_begin_planning (self->narrow->pipeline);
  plan = leat_plan_new_unbound (self->narrow->pipeline, FALSE, error);
  leat_pipeline_end_planning (self->narrow->pipeline);
  if (plan == NULL)
    return NULL;
  leat_batch_take_chains (self, plan);
  traits.ways = NULL;
  traits.entries = entries;
  traits.entries_most = most;
  if (traits.persistent)
    traits.capture = LEAT_CAPTURE_AUTO;
  traits.persistent = FALSE;
  leat_plan_bind (plan, &traits);
  return plan;
}

/* Of one entry, up and back, the greater. */
static guint64
leat_batch_get_entry_bytes (LeatPlan *one)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (one);

  return MAX (MAX (bound->prediction.upload_bytes, bound->prediction.readback_bytes), 1);
}

static guint
leat_batch_suit (LeatPlan *one, guint most)
{
  guint entries = LEAT_BATCH_LEAST;

  if (most == 0)
    {
      while (entries < LEAT_BATCH_MOST && entries * leat_batch_get_entry_bytes (one) < LEAT_BATCH_BYTES)
        entries *= 2;
      return entries;
    }
  for (entries = 1; entries * 2 <= most;)
    entries *= 2;
  return entries;
}

static guint64
leat_batch_get_staging_bytes (LeatPlan *plan)
{
  guint64 bytes = 0;

  for (guint i = 0; i < plan->buffers->len; i++)
    if (LEAT_BOUND_BUFFER (leat_plan_get_buffer (plan, i))->place == LEAT_PLACE_STAGING)
      bytes += leat_buffer_get_room (leat_plan_get_buffer (plan, i));
  return bytes;
}

static gboolean
leat_batch_fits (LeatBatch *self, LeatPlan *plan, guint n_flights, GError **error)
{
  LeatBoundPlan *bound = LEAT_BOUND_PLAN (plan);
  g_autofree char *what =
    g_strdup_printf ("a batch of %u entry%s", bound->traits.entries_most, bound->traits.entries_most > 1 ? "s" : "");

  guint64 device_bytes = bound->arena_bytes + bound->marks_bytes + leat_plan_get_report_bytes (plan);
  guint64 pinned_bytes = leat_batch_get_staging_bytes (plan) + leat_plan_get_told_bytes (plan);

  return leat_memory_account_check (leat_store_get_account (self->store), LEAT_MEMORY_DEVICE,
                                    n_flights * (device_bytes > 0 ? leat_memory_pool_round (device_bytes) : 0), what,
                                    error)
         && leat_device_check_budget (self->device, LEAT_MEMORY_DEVICE, n_flights * device_bytes, what, error)
         && leat_device_check_budget (self->device, LEAT_MEMORY_PINNED, n_flights * pinned_bytes, what, error);
}

/* The widest plan that there is memory for; where there is not for three of them, one at a time. */
static gboolean
leat_batch_find_shape (LeatBatch *self, guint most, GError **error)
{
  g_autoptr (LeatPlan) one = leat_batch_plan (self, 1, 1, error);
  guint entries;

  if (one == NULL)
    return FALSE;
  for (entries = leat_batch_suit (one, most); entries > 0; entries /= 2)
    {
      g_autoptr (LeatPlan) plan = leat_batch_plan (self, entries, entries, error);

      if (plan == NULL)
        return FALSE;
      self->n_flights = leat_plan_is_ordered (plan) ? 1 : LEAT_BATCH_FLIGHTS;
      if (entries == 1 && !leat_batch_fits (self, plan, self->n_flights, NULL))
        self->n_flights = 1;
      if (leat_batch_fits (self, plan, self->n_flights, entries == 1 ? error : NULL))
        {
          self->shape = g_steal_pointer (&plan);
          return TRUE;
        }
    }
  return FALSE;
}

LeatBatch *
leat_batch_new (LeatDevice *device, LeatStore *store, LeatPlan *narrow, LeatGraphCounts *counts, guint most,
                GError **error)
{
  g_autoptr (LeatBatch) self = g_new0 (LeatBatch, 1);

  self->device = g_object_ref (device);
  self->store = leat_store_ref (store);
  self->narrow = g_object_ref (narrow);
  self->counts = counts;
  self->widths = g_ptr_array_new_with_free_func (leat_width_free);
  self->reports = g_array_new (FALSE, FALSE, sizeof (LeatReport));
  self->untold = g_array_new (FALSE, FALSE, sizeof (guint));
  self->short_entries = g_array_new (FALSE, FALSE, sizeof (guint));
  self->errors = g_ptr_array_new_with_free_func (leat_batch_free_error);
  self->memory = &self->ring;
  if (!leat_batch_find_shape (self, most, error))
    return NULL;
  for (guint i = 0; i < self->n_flights; i++)
    self->stores[i] = leat_store_new_beside (store);
  return g_steal_pointer (&self);
}

static void
leat_batch_drop_memory (LeatBatch *self, LeatBatchMemory *memory)
{
  for (guint i = 0; memory->staging != NULL && i < self->narrow->buffers->len; i++)
    g_clear_pointer (&memory->staging[i], leat_memory_free);
  g_clear_pointer (&memory->staging, g_free);
  memory->room = 0;
}

void
leat_batch_free (LeatBatch *self)
{
  g_ptr_array_unref (self->widths);
  leat_batch_drop_memory (self, &self->ring);
  leat_batch_drop_memory (self, &self->lent);
  g_ptr_array_unref (self->errors);
  g_array_unref (self->reports);
  g_array_unref (self->untold);
  g_array_unref (self->short_entries);
  for (guint i = 0; i < LEAT_BATCH_FLIGHTS; i++)
    g_clear_pointer (&self->stores[i], leat_store_unref);
  g_clear_object (&self->shape);
  g_object_unref (self->narrow);
  leat_store_unref (self->store);
  g_object_unref (self->device);
  g_free (self);
}

void
leat_batch_doubt_memory (LeatBatch *self)
{
  for (guint i = 0; i < self->narrow->buffers->len; i++)
    if (self->memory->staging[i] != NULL)
      leat_memory_doubt (self->memory->staging[i]);
}

void
leat_batch_leave_device (LeatBatch *self)
{
  g_ptr_array_set_size (self->widths, 0);
}

/* At first no entry has any items. */
static void
leat_batch_clear_counts (LeatBatch *self, const LeatBuffer *buffer)
{
  for (guint entry = 0; buffer->header && entry < self->memory->room; entry++)
    memset (leat_batch_get_host (self, buffer->id, entry), 0, LEAT_BUFFER_HEADER);
}

static gboolean
leat_batch_allocate (LeatBatch *self, LeatBatchMemory *memory, guint n, GError **error)
{
  memory->staging = g_new0 (LeatMemory *, self->narrow->buffers->len + 1);
  for (guint i = 0; i < self->shape->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->shape, i);
      const LeatBoundBuffer *bound = LEAT_BOUND_BUFFER (buffer);

      if (bound->place != LEAT_PLACE_STAGING)
        continue;
      memory->staging[i] = leat_memory_new_in (leat_store_get_account (self->store), LEAT_MEMORY_SCRATCH, self->device,
                                               LEAT_MEMORY_PINNED, bound->stride * n, buffer->name, error);
      if (memory->staging[i] == NULL)
        {
          leat_batch_drop_memory (self, memory);
          return FALSE;
        }
    }
  memory->room = n;
  return TRUE;
}

/* Memory that an application has pointers to stays until there is more; without them there is no need for both at a
 * time. */
gboolean
leat_batch_make_room (LeatBatch *self, LeatBatchMemory *memory, guint n, GError **error)
{
  LeatBatchMemory more = { NULL, 0 };

  self->memory = memory;
  if (n <= memory->room)
    return TRUE;
  if (memory != &self->lent || self->mapped == 0)
    leat_batch_drop_memory (self, memory);
  if (!leat_batch_allocate (self, &more, n, error))
    return FALSE;
  leat_batch_drop_memory (self, memory);
  *memory = more;
  for (guint i = 0; i < self->shape->buffers->len; i++)
    if (memory->staging[i] != NULL)
      leat_batch_clear_counts (self, leat_plan_get_buffer (self->shape, i));
  return TRUE;
}

guint8 *
leat_batch_get_host (LeatBatch *self, LeatBufferId id, guint entry)
{
  const LeatBuffer *root = leat_plan_get_root (self->shape, id);

  return (guint8 *) leat_memory_get_host (self->memory->staging[root->id]) + LEAT_BOUND_BUFFER (root)->stride * entry;
}

/* A spread plan has a graph node for each entry.  So a launch is for as many as its graph was made for: the greatest
 * power of two.  Else any number goes; a small batch is cut so that its copies and its kernels overlap. */
guint
leat_batch_choose_n (LeatBatch *self, guint n, guint all)
{
  guint most = LEAT_BOUND_PLAN (self->shape)->traits.entries, chosen = 1;

  if (!leat_plan_spreads (self->shape))
    return MIN (n, MIN (most, MAX (LEAT_BATCH_LEAST, all / (2 * self->n_flights) + 1)));
  while (chosen * 2 <= MIN (n, most))
    chosen *= 2;
  return chosen;
}

/* Most entries of most batches are good, and there are thousands. */
void
leat_batch_begin_errors (LeatBatch *self, guint n)
{
  self->told = FALSE;
  self->n_posted = 0;
  g_array_set_size (self->untold, 0);
  for (guint i = 0; i < self->errors->len; i++)
    if (G_UNLIKELY (self->errors->pdata[i] != NULL))
      g_clear_error ((GError **) &self->errors->pdata[i]);
  if (self->errors->len != n)
    g_ptr_array_set_size (self->errors, (gint) n);
}

static gboolean
leat_batch_make_lanes (LeatBatch *self, LeatWidth *width, GError **error)
{
  for (guint i = 0; i < self->n_flights; i++)
    {
      width->lanes[i] = leat_lane_new (width->plan, width->program, self->stores[i], self->counts, NULL, error);
      if (width->lanes[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

/* A width that is there, or one that is made now. @lender: of the session's own setup. */
LeatWidth *
leat_batch_get_width (LeatBatch *self, guint n, LeatProgram *lender, GError **error)
{
  guint most = LEAT_BOUND_PLAN (self->shape)->traits.entries, entries = leat_plan_spreads (self->shape) ? n : most;
  LeatWidth *width;

  for (guint i = 0; i < self->widths->len; i++)
    {
      width = g_ptr_array_index (self->widths, i);
      if (LEAT_BOUND_PLAN (width->plan)->traits.entries == entries)
        return width;
      lender = width->program;
    }
  width = g_new0 (LeatWidth, 1);
  width->plan = entries == most ? g_object_ref (self->shape) : leat_batch_plan (self, entries, most, error);
  if (width->plan != NULL && leat_program_fold (self->device, width->plan, error))
    width->program = leat_program_new (width->plan, self->store, self->device, FALSE, lender, error);
  if (width->program == NULL || !leat_program_write_constants (width->program, error)
      || !leat_batch_make_lanes (self, width, error))
    {
      leat_width_free (width);
      return NULL;
    }
  g_ptr_array_add (self->widths, width);
  return width;
}

gboolean
leat_batch_take_arguments (LeatBatch *self, GError **error)
{
  for (guint i = 0; i < self->widths->len; i++)
    {
      LeatWidth *width = g_ptr_array_index (self->widths, i);

      for (guint f = 0; f < self->n_flights; f++)
        if (!leat_lane_take_arguments (width->lanes[f], error))
          return FALSE;
    }
  return TRUE;
}
