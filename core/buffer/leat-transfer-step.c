/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Requests for one buffer meet in one step as long as nothing else is asked of that buffer in between.  Done at the
 * place of the first of them, they pass only what has nothing to do with the buffer. */

#include "leat-transfer-private.h"

void
leat_request_clear (LeatRequest *self)
{
  g_clear_object (&self->buffer);
  g_clear_object (&self->from);
  g_clear_pointer (&self->data, g_bytes_unref);
  g_clear_pointer (&self->result, g_bytes_unref);
}

static void
leat_step_clear (LeatStep *self)
{
  g_clear_pointer (&self->ranges, g_array_unref);
  g_clear_pointer (&self->pieces, g_ptr_array_unref);
}

static gboolean
leat_request_may_join (const LeatRequest *request, const LeatStep *step)
{
  return step->kind == request->kind && step->ranges != NULL;
}

/* The step that is the last to have to do with @buffer; NULL: none. */
static LeatStep *
leat_fusible_find_last (GArray *steps, GHashTable *last, LeatDeviceBuffer *buffer)
{
  guint number = GPOINTER_TO_UINT (g_hash_table_lookup (last, buffer));

  return number > 0 ? &g_array_index (steps, LeatStep, number - 1) : NULL;
}

static void
leat_fusible_begin_step (GArray *steps, GHashTable *last, const LeatRequest *request, guint index)
{
  gboolean moves = request->kind == LEAT_REQUEST_UPLOAD || request->kind == LEAT_REQUEST_DOWNLOAD;
  LeatStep step = { request->kind, request->buffer, index, moves ? leat_ranges_new () : NULL, NULL };

  g_array_append_val (steps, step);
  g_hash_table_insert (last, request->buffer, GUINT_TO_POINTER (steps->len));
  if (request->from != NULL)
    g_hash_table_insert (last, request->from, GUINT_TO_POINTER (steps->len));
}

GArray *
leat_requests_chain (GArray *requests)
{
  GArray *steps = g_array_new (FALSE, FALSE, sizeof (LeatStep));
  g_autoptr (GHashTable) last = g_hash_table_new (NULL, NULL);

  g_array_set_clear_func (steps, (GDestroyNotify) leat_step_clear);
  for (guint i = 0; i < requests->len; i++)
    {
      LeatRequest *request = &g_array_index (requests, LeatRequest, i);
      LeatStep *step;

      if (request->bytes == 0)
        continue;
      step = leat_fusible_find_last (steps, last, request->buffer);
      if (step == NULL || !leat_request_may_join (request, step))
        leat_fusible_begin_step (steps, last, request, i);
      request->step = GPOINTER_TO_UINT (g_hash_table_lookup (last, request->buffer)) - 1;
      step = &g_array_index (steps, LeatStep, request->step);
      if (step->ranges != NULL)
        leat_ranges_add (step->ranges, request->offset, request->offset + request->bytes);
    }
  return steps;
}
