/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The outcome of work queues: faults, which are told with the reports of kernels, and sums, for those who ask. */

#include "leat-reports-private.h"

#include "kernel/device/leat-queue-ring.h"

static const char *
leat_queue_get_name (const LeatBuffer *queue)
{
  const char *dot = strrchr (queue->name, '.');

  return dot != NULL ? dot + 1 : queue->name;
}

static LeatQueueView
leat_queue_get_view (const LeatBuffer *queue)
{
  LeatQueueView view;

  memcpy (&view, g_bytes_get_data (queue->queue, NULL), sizeof view);
  return view;
}

gboolean
leat_queue_report_is_error (const LeatReport *self)
{
  return self->totals.stuck > 0 || self->totals.misused > 0 || !self->queue->loses;
}

/* Faults of the kernel come before those that a number on the node causes. */
char *
leat_queue_report_dup_text (const LeatReport *self)
{
  const LeatQueueView view = leat_queue_get_view (self->queue);
  const char *name = leat_queue_get_name (self->queue);

  if (self->totals.misused > 0)
    return g_strdup_printf ("leat_queue_done () came %" G_GUINT64_FORMAT " times more than items of queue \"%s\"",
                            self->totals.misused, name);
  if (self->totals.stuck > 0)
    return g_strdup_printf ("queue \"%s\" has waited for %g s in which none of %" G_GUINT64_FORMAT
                            " items was done; each that is claimed needs a leat_queue_done (), and none may wait for "
                            "another",
                            name, (double) view.patience_ns / 1e9, self->totals.stuck);
  return g_strdup_printf ("queue \"%s\" has room for %" G_GUINT64_FORMAT " items and had none for %" G_GUINT64_FORMAT
                          "; give it more, as in queue=%s:%" G_GUINT64_FORMAT,
                          name, view.capacity, self->totals.lost, name, view.capacity * 2);
}

GError *
leat_queue_report_make_error (const LeatReport *self)
{
  gboolean overflow = self->totals.stuck == 0 && self->totals.misused == 0;
  g_autofree char *text = leat_queue_report_dup_text (self);

  return g_error_new (LEAT_SESSION_ERROR, overflow ? LEAT_SESSION_ERROR_OVERFLOW : LEAT_SESSION_ERROR_REPORTED,
                      "%s \"%s\": %s", leat_node_get_id (self->op->node), leat_node_get_name (self->op->node), text);
}

void
leat_queue_report_add_details (const LeatReport *self, GVariantDict *dict)
{
  g_autofree char *text = leat_queue_report_dup_text (self);

  g_variant_dict_insert (dict, "queue", "s", leat_queue_get_name (self->queue));
  g_variant_dict_insert (dict, "code", "u", self->code);
  g_variant_dict_insert (dict, "severity", "s", leat_queue_report_is_error (self) ? "error" : "warning");
  g_variant_dict_insert (dict, "text", "s", text);
  g_variant_dict_insert (dict, "count", "t", self->count);
  g_variant_dict_insert (dict, "overflows", "t", self->totals.lost);
  g_variant_dict_insert (dict, "capacity", "t", leat_queue_get_view (self->queue).capacity);
}

/* Lanes have queues of their own, or one together, and each counts what it did. */
static void
leat_queue_totals_add (GArray *sums, const LeatLaneQueue *queue)
{
  for (guint i = 0; i < sums->len; i++)
    {
      LeatLaneQueue *sum = &g_array_index (sums, LeatLaneQueue, i);

      if (!g_str_equal (sum->queue->name, queue->queue->name))
        continue;
      sum->totals.pushed += queue->totals.pushed;
      sum->totals.claimed += queue->totals.claimed;
      sum->totals.requeued += queue->totals.requeued;
      sum->totals.lost += queue->totals.lost;
      sum->totals.most = MAX (sum->totals.most, queue->totals.most);
      return;
    }
  g_array_append_val (sums, *queue);
}

static GVariant *
leat_queue_totals_describe (const LeatLaneQueue *queue)
{
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "node", "s", leat_node_get_name (queue->op->node));
  g_variant_dict_insert (&dict, "queue", "s", leat_queue_get_name (queue->queue));
  g_variant_dict_insert (&dict, "capacity", "t", leat_queue_get_view (queue->queue).capacity);
  g_variant_dict_insert (&dict, "pushed", "t", queue->totals.pushed);
  g_variant_dict_insert (&dict, "claimed", "t", queue->totals.claimed);
  g_variant_dict_insert (&dict, "requeued", "t", queue->totals.requeued);
  g_variant_dict_insert (&dict, "most", "t", queue->totals.most);
  g_variant_dict_insert (&dict, "overflows", "t", queue->totals.lost);
  return g_variant_dict_end (&dict);
}

/* Of all @lanes, from the device; those who ask while it runs see the same. */
GVariant *
leat_told_read_queues (LeatTold *self, GPtrArray *lanes, GError **error)
{
  g_autoptr (GArray) queues = g_array_new (FALSE, FALSE, sizeof (LeatLaneQueue));
  g_autoptr (GArray) sums = g_array_new (FALSE, FALSE, sizeof (LeatLaneQueue));
  GVariantBuilder builder;
  GVariant *told;

  for (guint i = 0; i < lanes->len; i++)
    if (!leat_lane_read_queues (g_ptr_array_index (lanes, i), queues, error))
      return NULL;
  for (guint i = 0; i < queues->len; i++)
    leat_queue_totals_add (sums, &g_array_index (queues, LeatLaneQueue, i));
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < sums->len; i++)
    g_variant_builder_add_value (&builder, leat_queue_totals_describe (&g_array_index (sums, LeatLaneQueue, i)));
  told = g_variant_ref_sink (g_variant_builder_end (&builder));
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->queues, g_variant_unref);
  self->queues = g_variant_ref (told);
  g_mutex_unlock (&self->lock);
  return told;
}
