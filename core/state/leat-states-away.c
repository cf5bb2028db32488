/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Data that further lanes keep for themselves, while those lanes are not there.  They are made when a stream begins, go
 * when the session leaves the device, and are others under another plan.  Until they are made again the host has the
 * data, by the names of the buffers, since another plan numbers them in another way. */

#include "leat-states-private.h"

#include <string.h>

static void
leat_states_free_away (gpointer table)
{
  if (table != NULL)
    g_hash_table_unref (table);
}

GPtrArray *
leat_states_away_new (void)
{
  return g_ptr_array_new_with_free_func (leat_states_free_away);
}

static gboolean
leat_states_keeps_by_lane (LeatStates *self)
{
  for (guint i = 0; i < self->plan->buffers->len; i++)
    if (leat_buffer_is_of_lane (leat_plan_get_buffer (self->plan, i)))
      return TRUE;
  return FALSE;
}

guint
leat_states_count_lanes (LeatStates *self)
{
  return leat_states_keeps_by_lane (self) ? MAX (self->lanes->len, self->away->len) : 1;
}

/* One of another type begins anew, as that of the first lane does. */
static char *
leat_states_dup_away_key (const LeatBuffer *buffer)
{
  return g_strdup_printf ("%s %u", buffer->name,
                          buffer->spec != NULL ? (guint) leat_spec_get_dtype (buffer->spec) : G_MAXUINT);
}

/* (transfer full) */
void
leat_states_take_away (LeatStates *self, guint lane, const LeatBuffer *buffer, GBytes *contents)
{
  GHashTable *table;

  if (self->away->len <= lane)
    g_ptr_array_set_size (self->away, (gint) lane + 1);
  table = g_ptr_array_index (self->away, lane);
  if (table == NULL)
    table = self->away->pdata[lane] =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  g_hash_table_insert (table, leat_states_dup_away_key (buffer), contents);
}

void
leat_states_forget_away (LeatStates *self)
{
  g_ptr_array_set_size (self->away, 0);
}

/* Copies the part of @data, which lies at @at, that is within the @bytes from @offset on. */
static void
leat_range_take (guint8 *to, guint64 offset, guint64 bytes, guint64 at, gconstpointer data, guint64 size)
{
  const guint64 from = MAX (at, offset), end = MIN (at + size, offset + bytes);

  if (from < end)
    memcpy (to + (from - offset), (const guint8 *) data + (from - at), end - from);
}

GBytes *
leat_buffer_dup_initial_range (const LeatBuffer *buffer, guint64 offset, guint64 bytes)
{
  const guint64 count = buffer->header && buffer->initial != NULL ? leat_spec_get_dim (buffer->spec, 0) : 0;
  guint8 *contents = g_malloc0 (bytes);
  gsize size = 0;
  gconstpointer data = buffer->initial != NULL ? g_bytes_get_data (buffer->initial, &size) : NULL;

  if (buffer->header)
    leat_range_take (contents, offset, bytes, 0, &count, sizeof count);
  leat_range_take (contents, offset, bytes, buffer->header ? LEAT_BUFFER_HEADER : 0, data, size);
  return g_bytes_new_take (contents, bytes);
}

GBytes *
leat_buffer_dup_initial (const LeatBuffer *buffer)
{
  return leat_buffer_dup_initial_range (buffer, 0, buffer->bytes);
}

GBytes *
leat_states_dup_away (LeatStates *self, guint lane, const LeatBuffer *buffer)
{
  GHashTable *table = lane < self->away->len ? g_ptr_array_index (self->away, lane) : NULL;
  g_autofree char *key = leat_states_dup_away_key (buffer);
  GBytes *contents = table != NULL ? g_hash_table_lookup (table, key) : NULL;

  /* One of another size begins anew, as that of the first lane does. */
  if (contents != NULL && g_bytes_get_size (contents) == buffer->bytes)
    return g_bytes_ref (contents);
  return leat_buffer_dup_initial (buffer);
}

guint64
leat_states_sum_away (LeatStates *self)
{
  guint64 sum = 0;

  for (guint lane = 0; lane < self->away->len; lane++)
    {
      GHashTable *table = g_ptr_array_index (self->away, lane);
      GHashTableIter iter;
      gpointer contents;

      if (table == NULL)
        continue;
      g_hash_table_iter_init (&iter, table);
      while (g_hash_table_iter_next (&iter, NULL, &contents))
        sum += g_bytes_get_size (contents);
    }
  return sum;
}

static gboolean
leat_states_put_lane_away (LeatStates *self, guint index, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) kept = leat_lane_read_kept (g_ptr_array_index (self->lanes, index), cancellable, error);

  for (guint i = 0; kept != NULL && i < kept->len; i++)
    if (g_ptr_array_index (kept, i) != NULL)
      leat_states_take_away (self, index, leat_plan_get_buffer (self->plan, i),
                             g_bytes_ref (g_ptr_array_index (kept, i)));
  return kept != NULL;
}

/* Of lanes that are there: what the host has of them is old by the next run. */
static void
leat_states_trim_away (LeatStates *self)
{
  if (self->away->len <= self->lanes->len)
    leat_states_forget_away (self);
  for (guint lane = 0; lane < MIN (self->lanes->len, self->away->len); lane++)
    {
      leat_states_free_away (g_ptr_array_index (self->away, lane));
      self->away->pdata[lane] = NULL;
    }
}

gboolean
leat_states_put_lanes_away (LeatStates *self, GCancellable *cancellable, GError **error)
{
  gboolean good = TRUE;

  if (self->lanes->len == 1 || !leat_states_keeps_by_lane (self))
    return TRUE;
  for (guint lane = 1; lane < self->lanes->len && good; lane++)
    good = leat_states_put_lane_away (self, lane, cancellable, error);
  if (!good)
    leat_states_trim_away (self);
  return good;
}

static gboolean
leat_states_bring_lane_back (LeatStates *self, guint index, GError **error)
{
  const LeatLane *lane = g_ptr_array_index (self->lanes, index);

  for (guint i = 0; i < self->plan->buffers->len; i++)
    {
      const LeatBuffer *buffer = leat_plan_get_buffer (self->plan, i);
      const LeatBlock *block = g_ptr_array_index (lane->blocks, i);
      g_autoptr (GBytes) contents = NULL;

      if (!leat_buffer_is_of_lane (buffer))
        continue;
      contents = leat_states_dup_away (self, index, buffer);
      if (!leat_memory_write (block->memory, 0, g_bytes_get_data (contents, NULL), buffer->bytes, error))
        return FALSE;
    }
  return TRUE;
}

gboolean
leat_states_bring_lanes_back (LeatStates *self, GError **error)
{
  for (guint lane = 1; lane < MIN (self->lanes->len, self->away->len); lane++)
    if (g_ptr_array_index (self->away, lane) != NULL && !leat_states_bring_lane_back (self, lane, error))
      return FALSE;
  leat_states_trim_away (self);
  return TRUE;
}
