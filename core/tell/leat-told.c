/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* The figures of a session for those who ask, from any thread.  Touches LeatTold, which the session fills. */

#include "leat-told-private.h"

#include "leat-reports-private.h"

#include <string.h>

static void
leat_growth_free (gpointer data)
{
  g_free (((LeatGrowth *) data)->output);
  g_free (data);
}

void
leat_told_init (LeatTold *self)
{
  g_mutex_init (&self->lock);
  self->ledger.kernel_transfers = g_array_new (FALSE, FALSE, sizeof (guint));
  self->tracing.widths = g_array_new (FALSE, TRUE, sizeof (guint));
  self->times.nodes = leat_node_times_new ();
  self->growths = g_ptr_array_new_with_free_func (leat_growth_free);
  self->looping = g_ptr_array_new ();
  self->reported = g_ptr_array_new ();
  self->report_totals = leat_report_totals_new ();
  self->loop_totals = leat_loop_totals_new ();
}

void
leat_told_clear (LeatTold *self)
{
  g_array_unref (self->ledger.kernel_transfers);
  g_array_unref (self->tracing.widths);
  g_array_unref (self->times.nodes);
  g_ptr_array_unref (self->growths);
  g_ptr_array_unref (self->looping);
  g_ptr_array_unref (self->reported);
  g_array_unref (self->report_totals);
  g_array_unref (self->loop_totals);
  g_clear_pointer (&self->queues, g_variant_unref);
  g_clear_pointer (&self->refusal, g_variant_unref);
  g_free (self->device);
  g_free (self->reason);
  g_free (self->name);
  g_mutex_clear (&self->lock);
}

/* All is counted from here on. */
void
leat_told_begin (LeatTold *self, LeatBus *bus, gboolean measures)
{
  self->bus = bus;
  self->ledger.open_since_us = g_get_monotonic_time ();
  memset (&self->ledger.stats, 0, sizeof self->ledger.stats);
  self->ledger.predicted = (LeatPrediction){ 0 };
  self->ledger.stats.lanes = self->ledger.lanes_most = 1;
  self->measuring.is_on = measures;
  self->measuring.n = 0;
  g_mutex_lock (&self->lock);
  g_ptr_array_set_size (self->growths, 0);
  g_mutex_unlock (&self->lock);
  leat_told_set_reason (self, NULL);
  leat_told_clear_times (self);
  leat_told_clear_reports (self);
}

void
leat_told_set_stats (LeatTold *self)
{
  g_mutex_lock (&self->lock);
  self->stats = self->ledger.stats;
  g_mutex_unlock (&self->lock);
}

void
leat_told_set_run_stats (LeatTold *self)
{
  g_mutex_lock (&self->lock);
  memcpy (&self->stats, &self->ledger.stats, G_STRUCT_OFFSET (LeatSessionStats, runs_measured));
  g_mutex_unlock (&self->lock);
}

void
leat_told_get_stats (LeatTold *self, LeatSessionStats *stats)
{
  g_mutex_lock (&self->lock);
  *stats = self->stats;
  g_mutex_unlock (&self->lock);
  if (stats->device_max_us == 0)
    stats->device_min_us = 0;
}

void
leat_told_set_device (LeatTold *self, LeatDevice *device)
{
  g_mutex_lock (&self->lock);
  g_free (self->device);
  self->device = g_strdup (leat_device_get_id (device));
  g_mutex_unlock (&self->lock);
}

void
leat_told_set_reason (LeatTold *self, const char *reason)
{
  g_mutex_lock (&self->lock);
  g_free (self->reason);
  self->reason = g_strdup (reason);
  g_mutex_unlock (&self->lock);
}

char *
leat_told_dup_reason (LeatTold *self)
{
  char *reason;

  g_mutex_lock (&self->lock);
  reason = g_strdup (self->reason != NULL ? self->reason : "");
  g_mutex_unlock (&self->lock);
  return reason;
}

const char *
leat_told_get_why_not_on_device (LeatTold *self)
{
  LeatSessionStats stats;

  leat_told_get_stats (self, &stats);
  return stats.graphs.why_not_on_device != NULL ? stats.graphs.why_not_on_device : "";
}

void
leat_told_add_growth (LeatTold *self, const LeatGrowth *growth)
{
  self->ledger.stats.grown++;
  g_mutex_lock (&self->lock);
  g_ptr_array_add (self->growths, g_memdup2 (growth, sizeof *growth));
  g_mutex_unlock (&self->lock);
}

static GVariant *
leat_told_print_growths (LeatTold *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("a(sttt)"));
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->growths->len; i++)
    {
      const LeatGrowth *growth = g_ptr_array_index (self->growths, i);

      g_variant_builder_add (&builder, "(sttt)", growth->output, growth->needed, growth->from, growth->to);
    }
  g_mutex_unlock (&self->lock);
  return g_variant_builder_end (&builder);
}

void
leat_told_fill_stats (LeatTold *self, GVariantDict *dict)
{
  guint n;
  const LeatCounter *counters = leat_counters_get (&n);
  g_autofree char *reason = leat_told_dup_reason (self);
  LeatSessionStats stats;

  leat_told_get_stats (self, &stats);
  g_variant_dict_insert_value (dict, "growths", leat_told_print_growths (self));
  g_variant_dict_insert_value (dict, "reports-by-code", leat_told_print_reports (self));
  g_variant_dict_insert (dict, "last-reason", "s", reason);
  g_variant_dict_insert (dict, "why-not-repeated-on-device", "s", leat_told_get_why_not_on_device (self));
  for (guint i = 0; i < n; i++)
    g_variant_dict_insert (dict, counters[i].name, leat_counter_is_time (&counters[i]) ? "x" : "t",
                           leat_counter_get (&counters[i], &stats));
}

guint64
leat_told_get_number (LeatTold *self, const char *name)
{
  guint n;
  const LeatCounter *counters = leat_counters_get (&n);
  LeatSessionStats stats;

  leat_told_get_stats (self, &stats);
  for (guint i = 0; i < n; i++)
    if (g_str_equal (counters[i].name, name))
      return leat_counter_get (&counters[i], &stats);
  g_return_val_if_reached (0);
}
