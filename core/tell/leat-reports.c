/* Leat - dataflow for GPU work that repeats
 * SPDX-License-Identifier: LGPL-2.1-or-later
 */

/* Reports of kernels, for people and applications.  All of this is done only after a run in which a kernel reported. */

#include "leat-reports-private.h"

#include "graph/leat-message-private.h"

#define LEAT_SESSION_REPORTS_POSTED 16 /* messages of one run */

/* The reports of one node with one code since the session was opened. */
typedef struct
{
  char *node, *text;
  guint code;
  gboolean is_error;
  guint64 count;
} LeatReportTotal;

static void
leat_report_total_clear (gpointer data)
{
  LeatReportTotal *self = data;

  g_free (self->node);
  g_free (self->text);
}

GArray *
leat_report_totals_new (void)
{
  GArray *totals = g_array_new (FALSE, TRUE, sizeof (LeatReportTotal));

  g_array_set_clear_func (totals, leat_report_total_clear);
  return totals;
}

void
leat_told_clear_reports (LeatTold *self)
{
  g_mutex_lock (&self->lock);
  g_array_set_size (self->report_totals, 0);
  g_array_set_size (self->loop_totals, 0);
  g_ptr_array_unref (self->reported);
  self->reported = g_ptr_array_new ();
  g_clear_pointer (&self->queues, g_variant_unref);
  g_clear_pointer (&self->refusal, g_variant_unref);
  g_mutex_unlock (&self->lock);
}

static LeatReportTotal *
leat_told_have_total (LeatTold *self, const LeatReport *report)
{
  const char *node = leat_node_get_name (report->op->node);
  LeatReportTotal total = { .code = report->records[0].code };

  for (guint i = 0; i < self->report_totals->len; i++)
    {
      LeatReportTotal *is = &g_array_index (self->report_totals, LeatReportTotal, i);

      if (is->code == total.code && g_str_equal (is->node, node))
        return is;
    }
  total.node = g_strdup (node);
  g_array_append_val (self->report_totals, total);
  return &g_array_index (self->report_totals, LeatReportTotal, self->report_totals->len - 1);
}

/* Under the lock. */
static void
leat_told_add_report (LeatTold *self, const LeatReport *report)
{
  LeatReportTotal *total = leat_told_have_total (self, report);

  g_free (total->text);
  total->text = leat_report_dup_text (report); /* another file may give the code another one */
  total->is_error = leat_report_is_error (report);
  total->count += report->count;
  self->ledger.stats.reports += report->count;
  if (report->queue == NULL)
    self->ledger.stats.reports_lost += report->count - report->n_records;
}

static GPtrArray *
leat_reports_list_told (GArray *reports)
{
  GPtrArray *told = g_ptr_array_new_full (reports->len, (GDestroyNotify) leat_report_told_unref);

  for (guint i = 0; i < reports->len; i++)
    g_ptr_array_add (told, leat_report_told_new (&g_array_index (reports, LeatReport, i)));
  return told;
}

/* Those of the lanes before it and of this one. (transfer full) */
static GPtrArray *
leat_told_add_told (LeatTold *self, GPtrArray *told)
{
  GPtrArray *all = g_ptr_array_new_with_free_func ((GDestroyNotify) leat_report_told_unref);

  for (guint i = 0; i < self->reported->len; i++)
    g_ptr_array_add (all, leat_report_told_ref (g_ptr_array_index (self->reported, i)));
  for (guint i = 0; i < told->len; i++)
    g_ptr_array_add (all, leat_report_told_ref (g_ptr_array_index (told, i)));
  return all;
}

/* Is an entry of a batch done as a single run now? */
static gboolean
leat_batch_is_alone (const LeatBatch *batch)
{
  return batch != NULL && batch->is_alone;
}

/* The reports told last are of a run or of all entries of a batch.  Some entries may be done alone. */
static void
leat_told_note_reports (LeatTold *self, LeatBatch *batch, GArray *reports, GPtrArray *told)
{
  const gboolean adds = leat_batch_is_alone (batch) && batch->told;
  g_autoptr (GPtrArray) before = NULL;

  if (batch != NULL)
    batch->told = TRUE;
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < reports->len; i++)
    leat_told_add_report (self, &g_array_index (reports, LeatReport, i));
  before = self->reported;
  self->reported = adds ? leat_told_add_told (self, told) : g_ptr_array_ref (told);
  g_mutex_unlock (&self->lock);
}

static void
leat_told_post_report (LeatTold *self, const LeatReport *report, LeatReportTold *told)
{
  leat_bus_post (self->bus, leat_message_new_later (
                              LEAT_MESSAGE_WARNING, leat_node_get_name (report->op->node),
                              report->error != NULL ? g_error_copy (report->error) : leat_report_make_error (report),
                              (LeatMessageDetails) leat_report_told_get_details, leat_report_told_ref (told),
                              (GDestroyNotify) leat_report_told_unref));
}

void
leat_told_post_left_out (LeatTold *self, LeatSessionError code, const char *what, guint left_out)
{
  g_autoptr (GError) warning =
    g_error_new (LEAT_SESSION_ERROR, code, "%u more %s are not told one by one", left_out, what);
  GVariantDict dict;

  g_variant_dict_init (&dict, NULL);
  g_variant_dict_insert (&dict, "left-out", "u", left_out);
  leat_bus_post (self->bus, leat_message_new (LEAT_MESSAGE_WARNING, NULL, warning, g_variant_dict_end (&dict)));
}

static void
leat_told_post_reports_left_out (LeatTold *self, guint left_out)
{
  leat_told_post_left_out (self, LEAT_SESSION_ERROR_REPORTED, "kinds of reports of this run", left_out);
}

/* The error that the run fails with is told by who asked for the run. */
static void
leat_told_post_reports (LeatTold *self, LeatBatch *batch, GArray *reports, GPtrArray *told, const LeatReport *cause)
{
  const gboolean alone = leat_batch_is_alone (batch);
  guint n = alone ? batch->n_posted : 0;

  for (guint i = 0; i < reports->len; i++)
    {
      const LeatReport *report = &g_array_index (reports, LeatReport, i);

      if (report != cause && n++ < LEAT_SESSION_REPORTS_POSTED)
        leat_told_post_report (self, report, g_ptr_array_index (told, i));
    }
  if (alone)
    batch->n_posted = n;
  else if (n > LEAT_SESSION_REPORTS_POSTED)
    leat_told_post_reports_left_out (self, n - LEAT_SESSION_REPORTS_POSTED);
}

/* Of entries that were done alone, when all are. */
void
leat_told_end_entry_reports (LeatTold *self, const LeatBatch *batch)
{
  const guint n = batch->n_posted;

  if (G_UNLIKELY (n > LEAT_SESSION_REPORTS_POSTED))
    leat_told_post_reports_left_out (self, n - LEAT_SESSION_REPORTS_POSTED);
}

/* The first in the order of the ops: those behind it may only have met what it left. */
static const LeatReport *
leat_reports_find_cause (GArray *reports, guint first)
{
  for (guint i = first; i < reports->len; i++)
    if (leat_report_is_error (&g_array_index (reports, LeatReport, i)))
      return &g_array_index (reports, LeatReport, i);
  return NULL;
}

static void
leat_reports_set_origin (GArray *reports, guint first, guint entry, guint64 run)
{
  for (guint i = first; i < reports->len; i++)
    {
      g_array_index (reports, LeatReport, i).entry = entry;
      g_array_index (reports, LeatReport, i).run = run;
    }
}

/* @cause: what the call ends with, and so tells itself (nullable) */
static void
leat_told_tell_reports (LeatTold *self, LeatBatch *batch, GArray *reports, const LeatReport *cause)
{
  g_autoptr (GPtrArray) told = leat_reports_list_told (reports);

  leat_told_note_reports (self, batch, reports, told);
  leat_told_post_reports (self, batch, reports, told, cause);
}

static void
leat_told_note_refusal (LeatTold *self, const LeatReport *cause)
{
  LeatReportTold *told = leat_report_told_new (cause);

  leat_told_take_refusal (self, g_variant_ref (leat_report_told_get_details (told)));
  leat_report_told_unref (told);
}

static G_NO_INLINE gboolean
leat_told_read_reports (LeatTold *self, LeatBatch *batch, LeatFlight *flight, GError **error)
{
  g_autoptr (GArray) reports = g_array_new (FALSE, FALSE, sizeof (LeatReport));
  const LeatReport *cause;

  if (!leat_lane_take_reports (flight->lane, reports, error))
    return FALSE;
  flight->run.reported = TRUE;
  leat_reports_set_origin (reports, 0, leat_batch_is_alone (batch) ? batch->alone : 0, flight->run.number);
  cause = leat_reports_find_cause (reports, 0);
  /* The call goes on where an entry of a batch fails, and does not end with it. */
  leat_told_tell_reports (self, batch, reports, leat_batch_is_alone (batch) ? NULL : cause);
  if (cause == NULL)
    return TRUE;
  flight->run.refused = TRUE;
  leat_told_note_refusal (self, cause);
  self->ledger.stats.runs_refused++;
  g_propagate_error (error, leat_report_make_error (cause));
  return FALSE;
}

gboolean
leat_told_check_reports (LeatTold *self, LeatBatch *batch, LeatFlight *flight, GError **error)
{
  return G_LIKELY (!leat_lane_has_reports (flight->lane)) || leat_told_read_reports (self, batch, flight, error);
}

/* For an entry of a wide plan: adds what it reported to those of the batch; FALSE with what it fails with. @entry:
 * of the batch, which has the error for as long as the reports are there
 */
gboolean
leat_told_take_entry_reports (LeatTold *self, LeatBatch *batch, LeatLane *wide, guint index, guint entry, guint64 run,
                              GError **error)
{
  GArray *reports = batch->reports;
  guint first = reports->len;
  LeatReport *cause;
  GError *failure;

  if (!leat_lane_take_reports_of (wide, index, reports, error))
    return FALSE;
  leat_reports_set_origin (reports, first, entry, run);
  cause = (LeatReport *) leat_reports_find_cause (reports, first);
  if (cause == NULL)
    return TRUE;
  if (self->refusal == NULL)
    leat_told_note_refusal (self, cause);
  self->ledger.stats.runs_refused++;
  cause->error = failure = leat_report_make_error (cause);
  g_propagate_error (error, failure);
  return FALSE;
}

/* Tells the reports of entries. @all: errors too, all of them; else the call ends with the first */
void
leat_told_tell_entry_reports (LeatTold *self, LeatBatch *batch, GArray *reports, gboolean all)
{
  leat_told_tell_reports (self, batch, reports, all ? NULL : leat_reports_find_cause (reports, 0));
}

/* Where what failed in a run is not what the call ends with. */
void
leat_told_post_refusal (LeatTold *self, const GError *error)
{
  g_autoptr (GVariant) details = leat_told_dup_refusal (self);

  leat_bus_post (self->bus, leat_message_new (LEAT_MESSAGE_WARNING, NULL, error, details));
}

/* Of runs that nobody asked for. */
gboolean
leat_lane_drop_reports (LeatLane *lane, GError **error)
{
  g_autoptr (GArray) reports = g_array_new (FALSE, FALSE, sizeof (LeatReport));

  return !leat_lane_has_reports (lane) || leat_lane_take_reports (lane, reports, error);
}

GVariant *
leat_told_dup_reports (LeatTold *self)
{
  g_autoptr (GPtrArray) reported = NULL;
  GVariantBuilder builder;

  g_mutex_lock (&self->lock);
  reported = g_ptr_array_ref (self->reported);
  g_mutex_unlock (&self->lock);
  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  for (guint i = 0; i < reported->len; i++)
    g_variant_builder_add_value (&builder, leat_report_told_get_details (g_ptr_array_index (reported, i)));
  return g_variant_ref_sink (g_variant_builder_end (&builder));
}

/* The error of the run that was refused last. (transfer full) (nullable) */
GVariant *
leat_told_dup_refusal (LeatTold *self)
{
  GVariant *refusal;

  g_mutex_lock (&self->lock);
  refusal = self->refusal != NULL ? g_variant_ref (self->refusal) : NULL;
  g_mutex_unlock (&self->lock);
  return refusal;
}

/* (transfer full) (nullable) */
GVariant *
leat_told_steal_refusal (LeatTold *self)
{
  GVariant *refusal;

  g_mutex_lock (&self->lock);
  refusal = g_steal_pointer (&self->refusal);
  g_mutex_unlock (&self->lock);
  return refusal;
}

/* @refusal: (transfer full) */
void
leat_told_take_refusal (LeatTold *self, GVariant *refusal)
{
  g_mutex_lock (&self->lock);
  g_clear_pointer (&self->refusal, g_variant_unref);
  self->refusal = refusal;
  g_mutex_unlock (&self->lock);
}

/* For the statistics. (transfer floating) */
GVariant *
leat_told_print_reports (LeatTold *self)
{
  GVariantBuilder builder;

  g_variant_builder_init (&builder, G_VARIANT_TYPE ("aa{sv}"));
  g_mutex_lock (&self->lock);
  for (guint i = 0; i < self->report_totals->len; i++)
    {
      const LeatReportTotal *total = &g_array_index (self->report_totals, LeatReportTotal, i);
      GVariantDict dict;

      g_variant_dict_init (&dict, NULL);
      g_variant_dict_insert (&dict, "node", "s", total->node);
      g_variant_dict_insert (&dict, "code", "u", total->code);
      g_variant_dict_insert (&dict, "severity", "s", total->is_error ? "error" : "warning");
      g_variant_dict_insert (&dict, "text", "s", total->text);
      g_variant_dict_insert (&dict, "count", "t", total->count);
      g_variant_builder_add_value (&builder, g_variant_dict_end (&dict));
    }
  g_mutex_unlock (&self->lock);
  return g_variant_builder_end (&builder);
}
